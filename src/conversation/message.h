/*
 * message: the canonical form of everything that is said and done.
 *
 * One message is one stored event. Messages are immutable and reference-counted: the conversation,
 * the store's queue and the screen share them.
 *
 * data_json by kind:
 *   system       NULL; content is the system prompt in use from here on, without its parts about
 *                tools, the sandbox, the directory and the project. Every request begins with
 *                the newest one (agent/session/stored.c)
 *   user         NULL, or {"automatic":true} if the program wrote it to request the rest of a
 *                reply that was cut (not shown), or {"typed":N,"attached":[{"name":"...",
 *                "bytes":N}]}: the user typed the first N bytes of content; the attached files
 *                and outputs of commands ("!...") follow them. Those that are not text (pictures,
 *                documents) also have "media_type", "width" and "height" (of a picture, in pixels)
 *                and "blob":UUID, under which the store has their bytes
 *   assistant    NULL, or {"interrupted":true} for a reply that was cut off
 *   tool_call    {"id","type":"function","function":{"name","arguments":"<text as received>"}}
 *   tool_result  {"tool_call_id","name","output":"<envelope>","success":bool,"duration_ms":N}
 *                and, if the envelope was cut, where the store has the whole output:
 *                "blobs":{"stdout":{"id":UUID,"bytes":N},"stderr":{...}}
 *                and, if the tool returned pictures or documents, "attached" as above
 *                content is one line: what went wrong, or the first line of the output
 *   thinking     NULL, or {"search":true} if the provider searched the web; content says for what
 *   usage        {"input_tokens","output_tokens","cached_tokens","written_tokens",
 *                "reasoning_tokens","round","searches","cost","model"}, the last three if known
 *   command      {"output":"..."}; content is the line that was typed. Further members:
 *                "summary": the model gets this text in place of everything before it, except
 *                what begins with the message whose id is "from", if there is one, and what the
 *                user asked then; null: the newest summary no longer replaces anything;
 *                "child", "parent": conversation/fork_link.h;
 *                "told": text that is sent with the user's next message;
 *                "call":{"name","arguments","duration_ms":N,"exit_code":N}: the user's own call,
 *                shown as one; or, with a member "parent", the call that a process of the model's
 *                call with that id made. A tool's ("/run ...") output is the envelope, with "blobs" as above;
 *                that of IK_OWN_COMMAND ("!...") is what the command printed
 *   notice       NULL, {"code":"..."} for errors, {"refused":true} if the provider refused the
 *                exchange that ends here, or {"from","summary"} as of a command if ikigai compacted
 *                the conversation by itself
 * Data that a provider wants back with its text, thinking or call, and that only it understands, is
 * a further member:
 *   "opaque":{"provider":"<name>","type":"<wire format>","bound":"<hash>"?,"data":<any JSON>}
 * Thinking without content has only this member.
 *
 * May include: util, json.
 */
#ifndef IK_CONVERSATION_MESSAGE_H
#define IK_CONVERSATION_MESSAGE_H

#include "json/scan.h"
#include "util/buf.h"
#include "util/bytes.h"
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

/* Return the stored name: "user", "tool_call", ... */
const char *ik_kind_name(enum ik_kind kind);
/* Return false for an unknown name (written by a newer version). */
bool ik_kind_from_name(const char *name, enum ik_kind *ret_kind);

struct ik_message {
	int references; /* private to message.c */
	enum ik_kind kind;
	char id[IK_UUID_TEXT];
	int64_t sequence; /* within its session, from 1; 0: not yet stored */
	int64_t time_ms;  /* wall clock */
	char *content;    /* valid UTF-8, for people; never NULL */
	size_t content_length;
	char *data; /* checked JSON text on one line, or NULL */
	size_t data_length;
	bool summarises;     /* a command or notice with a summary, */
	bool restores;       /* or a command with null in its place */
	bool refused;        /* a notice that the provider refused what came before */
	bool attached;       /* data lists attachments (conversation/attachment.h) */
	bool searches;       /* thinking that is a search of the web by the provider, */
	bool replays;        /* and has what the provider wants back */
	const char *call_id; /* id of the call of a tool_call or tool_result; NULL for other kinds or
	                        if data has none */
	struct ik_bytes **contents; /* private to message.c: of its attachments, by index */
	size_t contents_count;
};

/*
 * Make a message (one reference) with a new id and the current time. content is copied and made
 * valid UTF-8; data (may be NULL) is copied and must be checked JSON on one line.
 */
struct ik_message *ik_message_new(enum ik_kind kind, const char *content, size_t content_length,
	const char *data, size_t data_length);

/* Make a message from its stored form. Data that is not valid JSON (a damaged store) is dropped;
 * line feeds between its parts are removed. */
struct ik_message *ik_message_stored(enum ik_kind kind, const char *id, int64_t sequence,
	int64_t time_ms, const char *content, size_t content_length, const char *data,
	size_t data_length);

/* Make a tool_call or a tool_result. arguments is the model's text, valid JSON or not; line says in
 * words what the call does. kept: how many bytes of stdout and of stderr are stored whole, under new
 * ids (0: none; NULL: none of either). */
struct ik_message *ik_message_tool_call(const char *call_id, const char *name,
	const char *arguments, size_t arguments_length, const char *line);
struct ik_message *ik_message_tool_result(const char *call_id, const char *name,
	const char *envelope, size_t envelope_length, bool success, int64_t duration_ms,
	const size_t kept[2]);

/* Turn a system prompt that is not trusted to instruct the model into a notice with its text. Its
 * id and time stay the same. */
struct ik_message *ik_message_system_notice(const struct ik_message *message);

/* Make a user message that the program wrote itself. */
struct ik_message *ik_message_automatic(const char *content);
bool ik_message_is_automatic(const struct ik_message *message);
/* Is it a message that the user wrote? */
bool ik_message_is_question(const struct ik_message *message);

/* Return how many bytes of a user message's content were typed: all of them if nothing is
 * attached. */
size_t ik_message_typed(const struct ik_message *message);

/* A large text of a tool_result or of the user's own call that is stored separately: stdout (stream
 * 0) or stderr (1). Return false if there is none. */
struct ik_blob {
	char id[IK_UUID_TEXT];
	int64_t bytes;
};
bool ik_message_blob(const struct ik_message *message, int stream, struct ik_blob *ret_blob);

/* Everything in a tool_result or the user's own call, read in one pass because it may be large. */
struct ik_result {
	struct ik_json_span envelope; /* JSON text; no value if there is no envelope */
	int64_t duration_ms;          /* -1: unknown */
	struct ik_blob blobs[2];      /* 0 bytes: nothing */
};
void ik_message_result(const struct ik_message *message, struct ik_result *ret_result);

/*
 * Read one part of a separately stored text: append IK_LIMIT_PART bytes, or what remains for the
 * last part. IK_NOT_FOUND: it was never stored. IK_UNAVAILABLE without a sentence: it is being
 * read, and the reader reports when it is available.
 */
typedef enum ik_status ik_blob_reader(void *arg, const char *id, size_t part, struct ik_buf *out,
	struct ik_error *error);

/* Make a command with its output, which is left out if it is too large to keep. */
struct ik_message *ik_message_command(const char *line, const char *output);

/* Make a notice; data is checked JSON text on one line, or NULL. */
struct ik_message *ik_message_notice(const char *sentence, const char *data);

/* Make a command for a tool call or shell command of the user's own. */
#define IK_OWN_COMMAND "!" /* the tool name that is stored for shell commands */
struct ik_own {
	const char *name;
	const char *arguments; /* JSON, or the text that was typed instead */
	size_t arguments_length;
	int64_t duration_ms;
	int exit_code;
	size_t kept[2];     /* bytes of stdout and of stderr that are stored whole; 0: none */
	const char *parent; /* id of the call whose process made it; NULL: the user made it */
};
struct ik_message *ik_message_own(const char *line, const struct ik_own *own, const char *output,
	size_t output_length);

/* Return which kind of own call a message is. */
enum ik_own_call { IK_OWN_NONE, IK_OWN_SHELL, IK_OWN_TOOL };
enum ik_own_call ik_message_own_call(const struct ik_message *message);
/* Return the id of its parent in new memory, or NULL. */
char *ik_message_parent(const struct ik_message *message);

/* Return a command or notice (taking over the reference) that summarises everything before it, up to the
 * message with the id from, if that is not NULL. If the summary is too large to keep, it does not
 * summarise. */
struct ik_message *ik_message_summary(struct ik_message *message, const char *from,
	const char *summary, size_t length);

/* Return message with a further member (checked JSON text) in its data. Takes over the caller's
 * reference. If it is too large, return message unchanged. */
struct ik_message *ik_message_with(struct ik_message *message, const char *name, const char *json,
	size_t length);
/* The same with a string. */
struct ik_message *ik_message_with_text(struct ik_message *message, const char *name,
	const char *text, size_t length);

/* Return the opaque data that provider (NULL: any) left in the wire format type; no value if there
 * is none or another provider's. */
struct ik_json_span ik_message_opaque(const struct ik_message *message, const char *provider,
	const char *type);

/* Keep the bytes of an attached picture or document with the message (conversation/attachment.h),
 * adding a reference; NULL: release them. This is all that may change in a message, and it changes
 * nothing that is stored. */
void ik_message_set_contents(struct ik_message *message, size_t index, struct ik_bytes *bytes);
/* Return these bytes (borrowed); NULL if they are not in memory. */
struct ik_bytes *ik_message_contents(const struct ik_message *message, size_t index);

struct ik_message *ik_message_ref(struct ik_message *message);
struct ik_message *ik_message_unref(struct ik_message *message); /* returns NULL */

/* Return data as a span (no value if it is NULL). */
struct ik_json_span ik_message_data(const struct ik_message *message);

/* Return the tool name, arguments or envelope of a tool_call, a tool_result or the user's own call,
 * in new memory; NULL for other kinds or broken data. A shell command has no envelope. */
char *ik_message_tool_name(const struct ik_message *message);
char *ik_message_arguments(const struct ik_message *message, size_t *ret_length);
char *ik_message_envelope(const struct ik_message *message, size_t *ret_length);

#endif
