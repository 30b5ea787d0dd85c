/*
 * calls: every tool call of the session, as the scrollback and the inspector
 * show it.
 *
 * A record is made by whatever is heard of a call first (its arguments being
 * written, its message, its start) and grows from there; it is found by the
 * call's id, keeps its address, and lives as long as the list.  version grows
 * with each change, so that what shows a call knows when to look again.
 *
 * Texts are kept as they came; they are sanitised where they become text of a
 * block.  May include: util, json, conversation, tool/envelope.h,
 * tool/display.h, tool/registry.h.
 */
#ifndef IK_TUI_SCROLLBACK_CALLS_H
#define IK_TUI_SCROLLBACK_CALLS_H

#include "conversation/message.h"
#include "json/scan.h"
#include "tool/display.h"
#include "tool/registry.h"
#include "tui/term/cells.h"
#include "util/bytes.h"
#include "util/limits.h"
#include "util/uuid.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum ik_call_stage {
	IK_STAGE_WRITING, /* the model still writes its arguments */
	IK_STAGE_WAITING, /* complete, not started */
	IK_STAGE_RUNNING,
	IK_STAGE_OK,
	IK_STAGE_FAILED /* no result, or one that is an error */
};

struct ik_shown_call {
	char *id;
	char *name;
	struct ik_buf arguments;
	struct ik_buf line;         /* what it does, in one line; empty: to be made */
	struct ik_buf result_words; /* what came of it, in a few words */
	unsigned words_version;     /* of the call, that they were made of */
	enum ik_display_kind kind;  /* known with line */
	const char *display;        /* of its tool: JSON text in the list's registry, or NULL */
	enum ik_call_stage stage;
	struct ik_buf output;       /* stdout as it comes, its end (IK_LIMIT_LIVE_OUTPUT);
									dropped when the result is there */
	struct ik_buf errors;       /* stderr as it comes; dropped when all of it is there */
	size_t left_out[2];         /* the number of bytes before these two that are not kept */
	struct ik_buf envelope;     /* until the stored result is there */
	struct ik_message *result;  /* tool_result, or NULL, */
	struct ik_json_span stored; /* and the envelope in it, as it is written there */
	struct ik_bytes *whole[2];  /* stdout where the envelope was cut, stderr; not what can be
									read from the store, and of old calls not for ever
									(IK_LIMIT_OLD_OUTPUT) */
	struct ik_blob blobs[2];    /* the same in the store; 0 bytes: nothing */
	int64_t started_ms;         /* monotonic; -1: at the next tick */
	int64_t duration_ms;        /* -1: not known */
	int64_t exit_code;          /* of the user's command, or of what a tool ran that worked
									itself, if its result has an "exit_code" (bash's has); else 0 */
	bool denied;                /* it was not allowed to run */
	bool own;                   /* the user's, or nested: it doesn't end with a turn */
	bool nested;                /* a process of another call made it */
	char command[IK_UUID_TEXT]; /* what is stored of it then, its id; "": not yet */
	bool has_block;             /* the scrollback shows it */
	const char *open_key;       /* the list's: opens it in the inspector; or NULL */
	unsigned version;
};

struct ik_calls;

struct ik_calls *ik_calls_new(void);
struct ik_calls *ik_calls_free(struct ik_calls *calls);

/* The key that opens a call in the inspector, for the texts of all calls that come; copied. */
void ik_calls_set_open_key(struct ik_calls *calls, const char *key);

/* The tools whose displays calls are shown by; takes a reference. */
void ik_calls_set_registry(struct ik_calls *calls, struct ik_registry *registry);

/* Forget all calls, because the session changes. The version keeps growing. */
void ik_calls_clear(struct ik_calls *calls);

size_t ik_calls_count(const struct ik_calls *calls);
struct ik_shown_call *ik_calls_at(const struct ik_calls *calls, size_t index);
/* Grows with each change of any call. */
unsigned ik_calls_version(const struct ik_calls *calls);
size_t ik_calls_running(const struct ik_calls *calls);

/* Return the call with that id, which is added to the end of the list if it is new. name is NULL if
 * it is unknown. */
struct ik_shown_call *ik_calls_get(struct ik_calls *calls, const char *id, const char *name);
/* The same; a new one goes to index (older calls of a restored session). */
struct ik_shown_call *ik_calls_get_at(struct ik_calls *calls, size_t index, const char *id,
	const char *name);

/* All arguments. grow: all so far, each time more of the same text, of which only the new part is
 * read: large ones come in many pieces. */
void ik_calls_grow_arguments(struct ik_calls *calls, struct ik_shown_call *call,
	const char *arguments, size_t length);
void ik_calls_set_arguments(struct ik_calls *calls, struct ik_shown_call *call,
	const char *arguments, size_t length);
void ik_calls_set_stage(struct ik_calls *calls, struct ik_shown_call *call,
	enum ik_call_stage stage);
/* A piece of what it prints. */
void ik_calls_add_output(struct ik_calls *calls, struct ik_shown_call *call, bool is_error,
	const char *bytes, size_t length);
void ik_calls_set_envelope(struct ik_calls *calls, struct ik_shown_call *call, const char *envelope,
	size_t length, int64_t duration_ms);
/* Can the store give what it was handed of outputs? At first it cannot. */
void ik_calls_set_stored(struct ik_calls *calls, bool stored);
/* All of both streams, as IK_EVENT_TOOL_DONE reports them; takes references. */
void ik_calls_set_whole(struct ik_calls *calls, struct ik_shown_call *call,
	struct ik_bytes *const whole[2]);
/* It is the user's own, and stored as this command. */
void ik_calls_set_command(struct ik_shown_call *call, const struct ik_message *command);
/* The stored tool_result, or the command that is stored of an own call; takes a reference. */
void ik_calls_set_result(struct ik_calls *calls, struct ik_shown_call *call,
	struct ik_message *message);

/* The turn is over: what runs or waits of it still never got a result. */
void ik_calls_end_turn(struct ik_calls *calls);

/* The time, for calls that have just started. */
void ik_calls_tick(struct ik_calls *calls, int64_t now_ms);

/* Is there an outcome? Appends its envelope (JSON text as it came); of one with more than most
 * bytes (SIZE_MAX: all) the beginning, as JSON that is whole: of the text that is cut there what
 * there is, nothing of what follows. */
bool ik_call_envelope(const struct ik_shown_call *call, size_t most, struct ik_buf *out);
/* The number of its bytes as stored, which is the same or greater; 0 if there is none. */
size_t ik_call_envelope_size(const struct ik_shown_call *call);
/* A larger one is read whole only if necessary, because that takes noticeable time. */
#define IK_CALL_LARGE IK_MIB(1)
bool ik_call_is_large(const struct ik_shown_call *call);
/* Did it print more than the scrollback has of it when it is unfolded? */
bool ik_call_has_more(const struct ik_shown_call *call);

/*
 * The call as text for the scrollback, sanitised: what it does with a few facts on the first line;
 * below it what is worth seeing: of an edit its changes, of a command the last lines of its output
 * (also while it runs), of a failure a few lines in any case; of either at most this many.
 * IK_CALL_ALL: all arguments, and all of it. ret_head: where the facts begin; ret_tail: where a
 * mark at the end of what was left out does. Return whether what is below the first line is a diff.
 */
#define IK_CALL_LINES 20 /* of a call of the user's own */
#define IK_CALL_ALL SIZE_MAX
bool ik_call_text(struct ik_shown_call *call, size_t lines, struct ik_buf *out, size_t *ret_head,
	size_t *ret_tail);

/* Its result, or its output so far, as received; only the beginning of a large one, which is more
 * than any clipboard holds. */
void ik_call_copy(struct ik_shown_call *call, struct ik_buf *out);

/* Append the facts after what a call does: how it failed, what came of it, how long it took. */
void ik_call_facts(struct ik_shown_call *call, const char *between, struct ik_buf *out);

struct ik_call_changes {
	size_t added, removed; /* lines, in all places */
	bool whole;            /* all of a file, which may have had other contents */
	size_t more;           /* lines that were not appended */
};

/* Append the differences between two texts, at most this many lines, each with its number, "+", "-"
 * or a blank (renderer: ik_renderer_diff). first: the number of the first line; 0: no numbers. */
void ik_changes_put(const struct ik_buf *before, const struct ik_buf *after, size_t first,
	size_t most, struct ik_buf *out, struct ik_call_changes *ret_changes);

/* Append what a call changes in its file, so, with numbers where they are known. Made of the
 * arguments, so that it can be read years later. False, and nothing appended, for calls that change
 * no text, and while the arguments are incomplete. */
bool ik_call_changes(const struct ik_shown_call *call, size_t most, struct ik_buf *out,
	struct ik_call_changes *ret_changes);

/* Return what a call does, according to its tool. If the tool doesn't say, a call with an argument
 * "command" runs that. */
enum ik_display_kind ik_call_kind(struct ik_shown_call *call);

/* Return how the call's tool wants it shown; no value if it does not say. */
struct ik_json_span ik_call_display(const struct ik_shown_call *call);

/* Return the argument that has a role in the display ("path", "command", "old_text", "new_text");
 * no value if there is none. */
struct ik_json_span ik_call_role(const struct ik_shown_call *call, const char *role);

/* Return a call's stage as a mark of one column, and its style. */
const char *ik_call_mark(const struct ik_shown_call *call, enum ik_style *ret_style);

/* What a call does ("Find *.c"), one sanitised line, cut to about a screenful, a command's to
 * several; valid until the call changes. */
const char *ik_call_line(struct ik_shown_call *call, size_t *ret_length);

#endif
