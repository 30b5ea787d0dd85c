/*
 * limits: every limit of the program, with its reason.
 *
 * Any buffer whose size comes from outside is made with one of these. May include: nothing.
 */
#ifndef IK_UTIL_LIMITS_H
#define IK_UTIL_LIMITS_H

#define IK_KIB(count) ((size_t)(count)*1024)
#define IK_MIB(count) ((size_t)(count)*1024 * 1024)

/* A configuration file is written by hand. */
#define IK_LIMIT_CONFIG IK_MIB(1)
/* A provider's model list: a thousand models with all their properties. */
#define IK_LIMIT_MODEL_LIST IK_MIB(8)

/* trust.json: some ten thousand project files. */
#define IK_LIMIT_TRUST IK_MIB(16)
/* What a tool may print for --schema: a thousand such tools stay small. */
#define IK_LIMIT_SCHEMA IK_KIB(256)
/* The schema cache: read at start, in a few milliseconds. */
#define IK_LIMIT_SCHEMA_CACHE IK_MIB(16)
/* A tool's stdout, and its stderr, each kept in full up to this. */
#define IK_LIMIT_TOOL_OUTPUT IK_MIB(64)
/* A tool's answer that is read as JSON, in one turn of the loop; a larger one is text. */
#define IK_LIMIT_JSON_ANSWER IK_MIB(4)
/* What a model gets of a tool's output unless configured otherwise: some 16,000 tokens. */
#define IK_LIMIT_MODEL_OUTPUT IK_KIB(64)
/* Output of the user's own commands: its beginning and its end are kept. */
#define IK_LIMIT_OWN_OUTPUT IK_MIB(1)
/* Files with output that a model did not get, of all sessions together: going through them takes a
 * few milliseconds. */
#define IK_LIMIT_OUTPUT_FILE_COUNT 2000
/* Live output of a running tool on the screen: its end is kept, per stream. */
#define IK_LIMIT_LIVE_OUTPUT IK_KIB(512)
/* Outputs of finished calls in memory, beyond their envelopes: the newest, as far as they are not
 * stored yet. */
#define IK_LIMIT_OLD_OUTPUT IK_MIB(32)
/* A tool's arguments: a model cannot write more in one reply. */
#define IK_LIMIT_ARGUMENTS IK_MIB(64)
/* The same for the tools themselves, which any program may call: a large file to write. */
#define IK_LIMIT_TOOL_INPUT IK_MIB(1024)
/* One message from the user: a paste of a large log. */
#define IK_LIMIT_USER_TEXT IK_MIB(64)
/* One message in the history; a longer one is remembered until the program ends. */
#define IK_LIMIT_HISTORY_ENTRY IK_MIB(1)
/* The whole text of one reply. */
#define IK_LIMIT_REPLY IK_MIB(64)
/* One event of a provider's stream. */
#define IK_LIMIT_SSE_EVENT IK_MIB(16)
/* A provider's error body, of which a few lines are shown. */
#define IK_LIMIT_ERROR_BODY IK_KIB(64)
/* A page of stored events: read in a few milliseconds. */
#define IK_LIMIT_PAGE IK_MIB(2)
/* A part of a large text, in the store and on the screen: handled in a few milliseconds. */
#define IK_LIMIT_PART IK_KIB(256)
/* A request: the whole conversation. */
#define IK_LIMIT_REQUEST IK_MIB(512)
/* A file that is diffed against what a tool would make of it, while the user waits. */
#define IK_LIMIT_COMPARED IK_MIB(4)
/* Nesting of JSON: bounds recursion over it. */
#define IK_LIMIT_JSON_DEPTH 512
/* An envelope: an output escaped (each byte could become six). */
#define IK_LIMIT_ENVELOPE IK_MIB(400)

#endif
