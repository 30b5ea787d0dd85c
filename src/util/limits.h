/*
 * limits: every ceiling of the program, each with its reason.
 *
 * A buffer that somebody outside sizes is made with one of these.
 * May include: nothing.
 */
#ifndef IK_UTIL_LIMITS_H
#define IK_UTIL_LIMITS_H

#define IK_KIB(count) ((size_t)(count)*1024)
#define IK_MIB(count) ((size_t)(count)*1024 * 1024)

/* A configuration file is written by hand. */
#define IK_LIMIT_CONFIG IK_MIB(1)
/* What a provider says of its models: a thousand of them with all their properties. */
#define IK_LIMIT_MODEL_LIST IK_MIB(8)

/* trust.json: some ten thousand files of projects. */
#define IK_LIMIT_TRUST IK_MIB(16)
/* What a tool may print for --schema: a thousand such tools stay small. */
#define IK_LIMIT_SCHEMA IK_KIB(256)
/* The file of schemas that are remembered: read at the start, in a few milliseconds. */
#define IK_LIMIT_SCHEMA_CACHE IK_MIB(16)
/* What is kept of a tool's stdout, and of its stderr, in full. */
#define IK_LIMIT_TOOL_OUTPUT IK_MIB(64)
/* What a model gets of a tool's output, unless configured otherwise: some 16,000 tokens. */
#define IK_LIMIT_MODEL_OUTPUT IK_KIB(64)
/* What is kept of what a command of the user's own prints: its beginning and its end. */
#define IK_LIMIT_OWN_OUTPUT IK_MIB(1)
/* Files with what a model did not get, of all sessions: each may be as large as an output. */
#define IK_LIMIT_OUTPUT_FILES IK_MIB(256)
/* Their number: it takes a few milliseconds to look at them. */
#define IK_LIMIT_OUTPUT_FILE_COUNT 2000
/* What is kept for the screen of a stream while a tool runs: its end. */
#define IK_LIMIT_LIVE_OUTPUT IK_KIB(512)
/* What is kept in memory, of all calls that are over, beyond their envelopes: the
 * whole outputs of the newest, as far as the store does not have them. */
#define IK_LIMIT_OLD_OUTPUT IK_MIB(32)
/* A tool's arguments: a model cannot write more in one reply. */
#define IK_LIMIT_ARGUMENTS IK_MIB(64)
/* The same as the tools themselves take it, from any program: a large file to write. */
#define IK_LIMIT_TOOL_INPUT IK_MIB(1024)
/* One message of a person: a paste of a large log. */
#define IK_LIMIT_USER_TEXT IK_MIB(64)
/* What is read of the file of messages sent before: its end. */
#define IK_LIMIT_HISTORY IK_MIB(8)
/* One message in that file; a longer one is remembered until the program ends. */
#define IK_LIMIT_HISTORY_ENTRY IK_MIB(1)
/* All text of one reply. */
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
/* A file that is compared with what a tool would make of it, while a person waits. */
#define IK_LIMIT_COMPARED IK_MIB(4)
/* What a terminal may have waiting before frames are skipped. */
#define IK_LIMIT_TTY_BACKLOG IK_KIB(16)
/* JSON nested deeper than this is refused: recursion over it stays bounded. */
#define IK_LIMIT_JSON_DEPTH 512
/* An envelope: a kept output, escaped (every byte could become six). */
#define IK_LIMIT_ENVELOPE IK_MIB(400)

#endif
