/*
 * message: the canonical form of everything that is said and done.
 *
 * One message is one stored event.  Messages are immutable and counted: the
 * conversation, the store's queue and the screen share them.
 *
 * data_json by kind:
 *   system       NULL; content is the system prompt that the session uses from here on, without
 *                what describes tools, the sandbox, the directory and the project. The newest
 *                counts (agent/session/restore.c); it goes into each request's head
 *   user         NULL, or {"automatic":true} for one that the program wrote, which is
 *                not shown: it asks for the rest of a reply that was cut. Or, of one that
 *                something goes with: {"typed":N,"attached":[{"name":"...","bytes":N}]}: the
 *                first N bytes of content are what was typed, behind them stand the files
 *                and the outputs of commands ("!...") of those names
 *   assistant    NULL, or {"interrupted":true} for a reply that was cut off
 *   tool_call    {"id","type":"function","function":{"name","arguments":"<text as it came>"}}
 *   tool_result  {"tool_call_id","name","output":"<envelope>","success":bool,"duration_ms":N}
 *                and, where the envelope was cut, what the tool printed as it stands in
 *                the store: "blobs":{"stdout":{"id":UUID,"bytes":N},"stderr":{...}}
 *                content is one line: what went wrong, or the first line of the output
 *   thinking     NULL
 *   usage        {"input_tokens","output_tokens","cached_tokens","reasoning_tokens","round"}
 *   command      {"output":"..."}; content is the line that was typed. With a further
 *                member "summary" (text) a model gets that in place of all before it;
 *                "child", "parent": conversation/fork_link.h;
 *                "told" (text) goes with the person's next message;
 *                "call":{"name","arguments","duration_ms":N}: it was a call of the person's own,
 *                to be shown as one. Of a tool ("/run ...") the output is the envelope, with
 *                "blobs" as above; of IK_OWN_COMMAND ("!...") it is what was printed
 *   notice       NULL or {"code":"..."} for errors
 * What a provider wants back with its text, thinking or call, and nobody else
 * understands, is a further member of data:
 *   "opaque":{"provider":"<name>","type":"<wire format>","data":<any JSON>}
 * Thinking without content has it alone.
 *
 * May include: util, json.
 */
#ifndef IK_CONVERSATION_MESSAGE_H
#define IK_CONVERSATION_MESSAGE_H

#include "json/scan.h"
#include "util/buf.h"
#include "util/uuid.h"

#include <stddef.h>
#include <stdint.h>

enum ik_kind {
	IK_KIND_SYSTEM,
	IK_KIND_USER,
	IK_KIND_ASSISTANT,
	IK_KIND_TOOL_CALL,
	IK_KIND_TOOL_RESULT,
	IK_KIND_COMMAND,
	IK_KIND_NOTICE,
	IK_KIND_THINKING,
	IK_KIND_USAGE,
	IK_KIND_COUNT
};

/* "user", "tool_call", ...; as stored. */
const char *ik_kind_name(enum ik_kind kind);
/* False when there is no such kind (a newer program wrote it). */
bool ik_kind_from_name(const char *name, enum ik_kind *ret_kind);
/* Does a model ever get this kind? */
bool ik_kind_is_sent(enum ik_kind kind);

struct ik_message {
	int references; /* private to message.c */
	enum ik_kind kind;
	char id[IK_UUID_TEXT];
	int64_t sequence; /* in its session, from 1; 0: not yet stored */
	int64_t time_ms;  /* wall clock */
	char *content;    /* valid UTF-8, for people; never NULL */
	size_t content_length;
	char *data; /* checked JSON text on one line, or NULL */
	size_t data_length;
	bool summarises;     /* a command with a summary */
	const char *call_id; /* tool_call, tool_result: which call; NULL for another kind
	                            or when data does not say */
};

/*
 * A new message (one reference) with a new id and the present time. content is
 * copied and made valid UTF-8; data (may be NULL) is copied and must be
 * checked JSON on one line.
 */
struct ik_message *ik_message_new(enum ik_kind kind, const char *content, size_t content_length,
	const char *data, size_t data_length);

/* A message as it was stored. Data that is not valid JSON (a damaged store) is dropped, and line
 * feeds between its parts are left out. */
struct ik_message *ik_message_stored(enum ik_kind kind, const char *id, int64_t sequence,
	int64_t time_ms, const char *content, size_t content_length, const char *data,
	size_t data_length);

/* The two with structure. arguments is the model's text, valid JSON or not. */
struct ik_message *ik_message_tool_call(const char *call_id, const char *name,
	const char *arguments, size_t arguments_length);
struct ik_message *ik_message_tool_result(const char *call_id, const char *name,
	const char *envelope, size_t envelope_length, bool success, int64_t duration_ms);

/* A notice with the text of a system prompt that comes from where it may not tell the model what to
 * do; its id and time are the same. */
struct ik_message *ik_message_system_notice(const struct ik_message *message);

/* A user's message that the program wrote itself. */
struct ik_message *ik_message_automatic(const char *content);
bool ik_message_is_automatic(const struct ik_message *message);

/* Bytes of a user's content that were typed: all of them where nothing goes with it. */
size_t ik_message_typed(const struct ik_message *message);
/* The same of content and data that are no message yet. */
size_t ik_user_typed(const char *data, size_t data_length, size_t content_length);

/* The same of a call whose output is kept whole under new ids, so many bytes of stdout and of
 * stderr (0: nothing). */
struct ik_message *ik_message_tool_result_kept(const char *call_id, const char *name,
	const char *envelope, size_t envelope_length, bool success, int64_t duration_ms,
	const size_t kept[2]);

/* What a message keeps outside itself: of a tool_result (or an own call) its call's stdout
 * (stream 0), its stderr (1). False: nothing. */
struct ik_blob {
	char id[IK_UUID_TEXT];
	int64_t bytes;
};
bool ik_message_blob(const struct ik_message *message, int stream, struct ik_blob *ret_blob);

/* All that a tool_result, or an own call, has; looked for once, for one may be large. */
struct ik_result {
	struct ik_json_span envelope; /* as it is written there; no value: it has none */
	int64_t duration_ms;          /* -1: not known */
	struct ik_blob blobs[2];      /* 0 bytes: nothing */
};
void ik_message_result(const struct ik_message *message, struct ik_result *ret_result);

/*
 * Reads a part of what a message keeps outside itself (in the store): appends IK_LIMIT_PART bytes,
 * of the last part what is left. IK_NOT_FOUND where it was never stored; IK_UNAVAILABLE without
 * a sentence while it is on its way: whoever reads it says when it is there.
 */
typedef enum ik_status ik_blob_reader(void *arg, const char *id, size_t part, struct ik_buf *out,
	struct ik_error *error);

/* A command with what it printed. */
struct ik_message *ik_message_command(const char *line, size_t line_length, const char *output,
	size_t output_length);

/* A command that was a call of the person's own. Where it is too large to be kept, one without the
 * call. */
#define IK_OWN_COMMAND "!" /* the name under which commands for the shell are told */
struct ik_own {
	const char *name;
	const char *arguments; /* JSON, or what was written instead */
	size_t arguments_length;
	int64_t duration_ms;
	size_t kept[2]; /* bytes of stdout, of stderr that are kept whole; 0: nothing */
};
struct ik_message *ik_message_own(const char *line, const struct ik_own *own, const char *output,
	size_t output_length);

/* Which call of the person's own it was. */
enum ik_own_call { IK_OWN_NONE, IK_OWN_SHELL, IK_OWN_TOOL };
enum ik_own_call ik_message_own_call(const struct ik_message *message);

/* A command of which the model is told with the person's next message (core/attach.h). */
struct ik_message *ik_message_command_told(const char *line, const char *output, const char *told);

/* A command whose outcome is a summary of all that came before; NULL when it is too
 * large to be kept. */
struct ik_message *ik_message_summary(const char *line, const char *output, size_t output_length,
	const char *summary, size_t summary_length);

/* message (the caller's reference is taken over) with a further member "opaque" in
 * its data: checked JSON text as above. Returned as it is when opaque is too large. */
struct ik_message *ik_message_with_opaque(struct ik_message *message, const char *opaque,
	size_t opaque_length);

/* The opaque data that this provider (NULL: any) left there by this wire format; no
 * value where there is none, or another's. */
struct ik_json_span ik_message_opaque(const struct ik_message *message, const char *provider,
	const char *type);

struct ik_message *ik_message_ref(struct ik_message *message);
struct ik_message *ik_message_unref(struct ik_message *message); /* returns NULL */

/* data as a span (no value when NULL). */
struct ik_json_span ik_message_data(const struct ik_message *message);

/* tool_call, tool_result: its call id, its tool, the arguments or the envelope,
 * in new memory (NULL for another kind or broken data). An own call has all but the id, and
 * no envelope when it was the shell's. */
char *ik_message_call_id(const struct ik_message *message);
char *ik_message_tool_name(const struct ik_message *message);
char *ik_message_arguments(const struct ik_message *message, size_t *ret_length);
char *ik_message_envelope(const struct ik_message *message, size_t *ret_length);

/* "glob(pattern=\"*.c\", path=\"src\")": a call in one line, cut to width bytes, with
 * an ellipsis when something is left out. Arguments that are no object stand there as
 * they came. New memory, valid UTF-8. */
char *ik_call_summary(const char *name, const char *arguments, size_t length, size_t width);

#endif
