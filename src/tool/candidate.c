#include "tool/candidate.h"

#include <stdlib.h>
#include <string.h>

#include "guard/sandbox.h"
#include "loop/child.h"
#include "tool/load.h"
#include "tool/protocol.h"
#include "util/alloc.h"
#include "util/clock.h"
#include "util/limits.h"
#include "util/path.h"
#include "util/text.h"
#include "util/utf8.h"

/* Limit on the time of a question, as a multiple of the timeout; and the shortest extension. */
enum { LATEST = 4, SHORTEST_EXTENSION_MS = 20 };
/* Interval between two looks at a tool that is held up. */
enum { NEXT_LOOK_MS = 50 };
/* Bytes of stderr kept, and shown, for the reason of a failure. */
enum { STDERR_KEPT = 1024, STDERR_SHOWN = 200 };
/* How long to wait, after an answer, for a descendant that holds the pipes open. */
enum { GRACE_MS = 250 };

/* Why a question was not answered. */
struct refusal {
	const char *code;
	char *reason;
	int exit_code;   /* exit status; -1: another reason */
	char *complaint; /* its words on stderr, as in reason */
};

struct ik_candidate {
	struct ik_loop *loop;
	char *path;
	const struct ik_source_directory_options *options;
	ik_candidate_done *done;
	void *arg;
	enum ik_tool_protocol protocol; /* of the current question */
	bool pinned;
	struct ik_identity identity; /* pinned: the identity the file must have */
	bool second;                 /* this is the second question */
	struct refusal refusal;      /* of the first question */
	struct ik_child *child;
	struct ik_buf output;
	struct ik_buf errors;
	int64_t latest_ms;  /* when it is ended in any case */
	int64_t delayed_us; /* time without a processor that was given back */
};

static bool ask(struct ik_candidate *candidate, struct ik_error *error);

static void refusal_done(struct refusal *refusal)
{
	free(refusal->reason);
	free(refusal->complaint);
	memset(refusal, 0, sizeof(*refusal));
}

/* Report a failure; reason is taken over. */
static void fail(struct ik_candidate *candidate, const char *code, char *reason)
{
	struct ik_tool tool = { .protocol = candidate->options->first };

	ik_tool_reject(&tool, IK_TOOL_FAILED, code, reason);
	candidate->done(candidate->arg, &tool);
}

/* May the file still be run? If it is not the trusted one any more, report that. */
static bool is_unchanged(struct ik_candidate *candidate)
{
	struct ik_tool tool = { .protocol = candidate->options->first, .changed = true };

	if (!candidate->pinned || ik_identity_holds(candidate->path, &candidate->identity))
		return true;
	ik_tool_reject(&tool, IK_TOOL_UNTRUSTED, "NOT_TRUSTED",
		ik_strdup(_("was changed after it had been found to be trusted")));
	candidate->done(candidate->arg, &tool);
	return false;
}

/* Report that neither question was answered; *last is taken over. */
static void fail_both(struct ik_candidate *candidate, struct refusal *last)
{
	struct refusal *first = &candidate->refusal;
	/* The second reason says more than "no" if the tool took the question for one. */
	bool tried = last->exit_code < 0 && !ik_text_equal(last->code, "INVALID_JSON");
	const char *code = tried ? last->code : first->code;
	char *reason;

	if (first->exit_code >= 0 && first->exit_code == last->exit_code &&
		ik_text_equal(first->complaint, last->complaint))
		reason = ik_format(_("exited with status %d when asked for %s and for %s%s"),
			first->exit_code, ik_protocol_question(candidate->options->first),
			ik_protocol_question(candidate->protocol), first->complaint);
	else
		/* Translators: what a tool did when it was asked in one way, then in another. */
		reason = ik_format(_("%s; then it %s"), first->reason, last->reason);
	refusal_done(last);
	fail(candidate, code, reason);
}

/* The question was refused: ask the other one, or report why both were. */
static void refuse(struct ik_candidate *candidate, struct refusal refusal)
{
	const struct ik_source_directory_options *options = candidate->options;
	struct ik_error error;

	if (candidate->second) {
		fail_both(candidate, &refusal);
		return;
	}
	candidate->refusal = refusal;
	candidate->second = true;
	candidate->protocol = options->first == IK_PROTOCOL_NATIVE ? IK_PROTOCOL_KODELET
															   : IK_PROTOCOL_NATIVE;
	if (candidate->protocol == IK_PROTOCOL_KODELET && options->native_only) {
		fail(candidate, refusal.code, ik_strdup(refusal.reason));
		return;
	}
	if (!is_unchanged(candidate))
		return;
	if (!ask(candidate, &error))
		fail(candidate, refusal.code, ik_strdup(refusal.reason));
}

/* Fail without asking the other question; reason is taken over. */
static void give_up(struct ik_candidate *candidate, const char *code, char *reason)
{
	struct refusal refusal = { .code = code, .reason = reason, .exit_code = -1 };

	if (candidate->second)
		fail_both(candidate, &refusal);
	else
		fail(candidate, code, reason);
}

/* Return ": first line of stderr", or "" (new memory). */
static char *complaint(const struct ik_candidate *candidate)
{
	size_t length = strcspn(candidate->errors.data, "\n");
	struct ik_buf text;

	ik_buf_init(&text, 4 * STDERR_KEPT);
	if (length > 0) {
		ik_buf_puts(&text, ": ");
		ik_utf8_repair(&text, candidate->errors.data, length);
		ik_buf_truncate(&text, ik_utf8_cut(text.data, text.length, STDERR_SHOWN));
	}
	return ik_buf_take(&text, NULL);
}

/* Judge what was printed before an exit with status 0. */
static void judge_answer(struct ik_candidate *candidate)
{
	struct ik_tool tool;
	struct refusal refusal = { .exit_code = -1 };

	if (ik_protocol_read(candidate->protocol, candidate->output.data, candidate->output.length,
			&tool) == IK_OK ||
		!ik_text_equal(tool.code, "INVALID_JSON")) {
		candidate->done(candidate->arg, &tool);
		return;
	}
	refusal.code = tool.code;
	refusal.reason = tool.reason;
	tool.reason = NULL;
	ik_tool_clear(&tool);
	refuse(candidate, refusal);
}

/* Judge an exit that was not a timeout. */
static void judge(struct ik_candidate *candidate, const struct ik_child_result *result)
{
	const char *question = ik_protocol_question(candidate->protocol);
	struct refusal refusal = { .code = "SCHEMA_EXIT", .exit_code = -1 };

	if (result->exited && result->exit_code == 0) {
		judge_answer(candidate);
		return;
	}
	refusal.complaint = complaint(candidate);
	if (result->exited) {
		refusal.exit_code = result->exit_code;
		refusal.reason = ik_format(_("exited with status %d when asked for %s%s"),
			result->exit_code, question, refusal.complaint);
	} else {
		refusal.reason = ik_format(_("was ended by signal %d (%s) when asked for %s%s"),
			result->signal_number, strsignal(result->signal_number), question, refusal.complaint);
	}
	refuse(candidate, refusal);
}

static void child_output(void *arg, enum ik_stream stream, const char *bytes, size_t length)
{
	struct ik_candidate *candidate = arg;

	if (stream == IK_STDERR) {
		size_t room = STDERR_KEPT - candidate->errors.length;

		ik_buf_append(&candidate->errors, bytes, length < room ? length : room);
		return;
	}
	ik_buf_append(&candidate->output, bytes, length);
	if (ik_buf_status(&candidate->output) == IK_OK)
		return;
	candidate->child = ik_child_close(candidate->child);
	give_up(candidate, "SCHEMA_TOO_LARGE",
		ik_format(_("printed more than %zu bytes when asked for %s"), IK_LIMIT_SCHEMA,
			ik_protocol_question(candidate->protocol)));
}

static void child_done(void *arg, const struct ik_child_result *result)
{
	struct ik_candidate *candidate = arg;

	candidate->child = ik_child_close(candidate->child);
	if (result->timed_out || result->cancelled)
		give_up(candidate, IK_CODE_SCHEMA_TIMEOUT,
			ik_format(_("did not answer %s within %lld ms"),
				ik_protocol_question(candidate->protocol),
				(long long)candidate->options->timeout_ms));
	else
		judge(candidate, result);
}

/* The time is up: return how many milliseconds to add. */
static int64_t overdue(void *arg)
{
	struct ik_candidate *candidate = arg;
	struct ik_process_load look = ik_load_of(ik_child_pid(candidate->child));
	int64_t more = (look.delayed_us - candidate->delayed_us) / 1000;
	int64_t left = candidate->latest_ms - ik_clock_ms();

	if (more < SHORTEST_EXTENSION_MS)
		more = look.held_up ? NEXT_LOOK_MS : 0;
	candidate->delayed_us = look.delayed_us;
	return more < left ? more : left;
}

/* Ask the question of candidate->protocol; false: it could not be started. */
static bool ask(struct ik_candidate *candidate, struct ik_error *error)
{
	static const struct ik_child_events events = { child_output, child_done };
	const struct ik_source_directory_options *options = candidate->options;
	const char *const argv[] = { candidate->path, ik_protocol_question(candidate->protocol), NULL };
	struct ik_child_spec spec = {
		.path = candidate->path,
		.identity = candidate->pinned ? &candidate->identity : NULL,
		.argv = argv,
		.environment = options->environments[candidate->protocol],
		.directory = options->working_directory,
		.timeout_ms = options->timeout_ms,
		.overdue = overdue,
		.grace_ms = GRACE_MS,
	};

	ik_buf_clear(&candidate->output);
	ik_buf_clear(&candidate->errors);
	if (ik_sandbox_start(options->sandbox, ik_path_base(candidate->path), IK_SANDBOX_QUESTION,
			candidate->loop, &spec, &events, candidate, &candidate->child, error) != IK_OK)
		return false;
	candidate->latest_ms = ik_clock_ms() + options->timeout_ms * LATEST;
	candidate->delayed_us = 0;
	return true;
}

struct ik_candidate *ik_candidate_new(struct ik_loop *loop, const char *path,
	const struct ik_identity *identity, const struct ik_source_directory_options *options,
	ik_candidate_done *done, void *arg)
{
	struct ik_candidate *candidate = ik_alloc(sizeof(*candidate));

	candidate->loop = loop;
	candidate->path = ik_strdup(path);
	candidate->pinned = identity;
	if (identity)
		candidate->identity = *identity;
	candidate->options = options;
	candidate->done = done;
	candidate->arg = arg;
	candidate->protocol = options->first;
	ik_buf_init(&candidate->output, IK_LIMIT_SCHEMA);
	ik_buf_init(&candidate->errors, STDERR_KEPT);
	return candidate;
}

void ik_candidate_ask(struct ik_candidate *candidate)
{
	struct ik_error error;

	if (is_unchanged(candidate) && !ask(candidate, &error))
		fail(candidate, "SPAWN_FAILED", ik_strdup(error.text));
}

/* Deferred: free the memory. */
static void release(void *arg)
{
	struct ik_candidate *candidate = arg;

	ik_buf_done(&candidate->output);
	ik_buf_done(&candidate->errors);
	refusal_done(&candidate->refusal);
	free(candidate->path);
	free(candidate);
}

struct ik_candidate *ik_candidate_close(struct ik_candidate *candidate)
{
	if (!candidate)
		return NULL;
	candidate->child = ik_child_close(candidate->child);
	ik_loop_defer(candidate->loop, release, candidate);
	return NULL;
}
