/*
 * limits: every limit of the program, with its reason.
 *
 * Every buffer whose size comes from outside uses one of these. May include: nothing.
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
/* A tool's answer to --schema; a thousand such tools are still small. */
#define IK_LIMIT_SCHEMA IK_KIB(256)
/* The schema cache, which is read at start, in a few milliseconds. */
#define IK_LIMIT_SCHEMA_CACHE IK_MIB(16)
/* A tool's stdout, and its stderr, each kept whole up to this size. */
#define IK_LIMIT_TOOL_OUTPUT IK_MIB(64)
/* A picture as it comes: a camera's, or a screenshot of several screens. */
#define IK_LIMIT_PICTURE IK_MIB(64)
/* Its pixels, which a few bytes can promise: four bytes for each in memory. */
#define IK_LIMIT_PIXELS 100000000L
/* A document, and all files in a request, which Google limits to 20 MB in base64 (Files, "Inline
 * data"). */
#define IK_LIMIT_DOCUMENT IK_MIB(14)
/* A tool's answer that is parsed as JSON in one turn of the loop; a larger one counts as text. */
#define IK_LIMIT_JSON_ANSWER IK_MIB(4)
/* The part of a tool's output that the model gets, unless configured: some 16,000 tokens. */
#define IK_LIMIT_MODEL_OUTPUT IK_KIB(64)
/* Output of the user's own commands; its beginning and end are kept. */
#define IK_LIMIT_OWN_OUTPUT IK_MIB(1)
/* Files with output that no model got, over all sessions; listing them takes a few milliseconds. */
#define IK_LIMIT_OUTPUT_FILE_COUNT 2000
/* Live output of a running tool on the screen, per stream; the end is kept. */
#define IK_LIMIT_LIVE_OUTPUT IK_KIB(512)
/* Outputs of finished calls in memory, in addition to their envelopes; the newest that are not
 * stored yet are kept. */
#define IK_LIMIT_OLD_OUTPUT IK_MIB(32)
/* A tool's arguments; a model can't write more in one reply. */
#define IK_LIMIT_ARGUMENTS IK_MIB(64)
/* The input of a tool program, which may come from any program: a large file to write. */
#define IK_LIMIT_TOOL_INPUT IK_MIB(1024)
/* One message from the user: a paste of a large log. */
#define IK_LIMIT_USER_TEXT IK_MIB(64)
/* One message in the history file; a longer one is kept until the program ends. */
#define IK_LIMIT_HISTORY_ENTRY IK_MIB(1)
/* The whole text of one reply. */
#define IK_LIMIT_REPLY IK_MIB(64)
/* One event of a provider's stream. */
#define IK_LIMIT_SSE_EVENT IK_MIB(16)
/* A provider's error body; only a few lines of it are shown. */
#define IK_LIMIT_ERROR_BODY IK_KIB(64)
/* A page of stored events, read in a few milliseconds. */
#define IK_LIMIT_PAGE IK_MIB(2)
/* A part of a large text, in the store and on the screen, handled in a few milliseconds. */
#define IK_LIMIT_PART IK_KIB(256)
/* A request: the whole conversation. */
#define IK_LIMIT_REQUEST IK_MIB(512)
/* A file whose changes by a tool are previewed as a diff while the user waits. */
#define IK_LIMIT_COMPARED IK_MIB(4)
/* Nesting of JSON, which limits recursion. */
#define IK_LIMIT_JSON_DEPTH 512
/* An envelope: an escaped output (each byte can become six). */
#define IK_LIMIT_ENVELOPE IK_MIB(400)

#endif
