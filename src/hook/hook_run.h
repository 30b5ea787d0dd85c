/*
 * hook_run: run the hooks of an event, and say what they want.
 *
 * All hooks that match run at once, each a process in the session's directory that gets JSON on
 * standard input, in the form that Claude Code has. Exit status 0: standard output may be JSON, or a
 * text for the model; 2: it forbids, and standard error says why; another: it failed, which is
 * reported and changes nothing. A hook whose time is over has no opinion. What they say counts in
 * the order of the hooks, whichever ends first; deny beats ask beats allow.
 *
 * Hooks are not confined: like an editor or a shell they do what the user wants. They get the
 * environment of tools, which has no keys of providers.
 *
 * The runner outlives sessions, so that hooks about the end of one can finish. It owns the running
 * hooks and borrows the list. May include: util, json, loop, guard, tool/run.h, hook.
 */
#ifndef IK_HOOK_HOOK_RUN_H
#define IK_HOOK_HOOK_RUN_H

#include "guard/policy.h"
#include "hook/hooks.h"
#include "json/scan.h"
#include "loop/loop.h"

struct ik_hook_runner;
struct ik_hook_work;

/* environment is borrowed. */
struct ik_hook_runner *ik_hook_runner_new(struct ik_loop *loop, const char *const *environment);
/* Kill everything that runs, without callbacks. Takes NULL. Returns NULL. */
struct ik_hook_runner *ik_hook_runner_close(struct ik_hook_runner *runner);

/* Use these hooks (borrowed; NULL: none) from now on. */
void ik_hook_runner_set(struct ik_hook_runner *runner, const struct ik_hooks *hooks);

/* Does nothing run any more? If not, rested is called once, when that is so. */
bool ik_hook_runner_rest(struct ik_hook_runner *runner, void (*rested)(void *arg), void *arg);

/* What has happened. Everything is borrowed until ik_hook_start() returns; texts may be NULL. */
struct ik_hook_call {
	enum ik_hook_event event;
	/* What matchers match: the name of the tool; of SessionStart the source (startup, resume, clear,
	 * compact), of SessionEnd the reason, of Notification the type, of PreCompact the trigger (manual,
	 * auto); else "". */
	const char *subject;
	const char *session, *directory;
	const char *mode;             /* as in guard/policy.h */
	const char *model;            /* its name */
	const char *id;               /* of the tool's call */
	struct ik_json_span input;    /* its arguments, an object */
	struct ik_json_span schema;   /* of these arguments; or no value */
	struct ik_json_span response; /* its envelope */
	const char *text;             /* the prompt, or the message of a notification */
	size_t length;
	bool again; /* Stop: a hook has already continued this turn */
};

enum ik_hook_decision { IK_HOOK_NO_OPINION, IK_HOOK_ALLOW, IK_HOOK_ASK, IK_HOOK_DENY };

/* What the hooks want, all of them together. */
struct ik_hook_outcome {
	enum ik_hook_decision decision;
	char *by;              /* name of the hook that decided; NULL: none did */
	char *reason;          /* its words, or "" */
	bool end;              /* end the turn: reason says why */
	struct ik_buf input;   /* the changed arguments; empty: unchanged */
	struct ik_buf context; /* for the model: an element <hook name="..."> for each hook's text */
	char **messages;       /* sentences for the user */
	size_t message_count;
	struct ik_buf record; /* a JSON array: what each hook did */
	bool cancelled;       /* by ik_hook_cancel() */
};

/* All hooks have ended. Never called from inside start or cancel. */
typedef void ik_hook_done(void *arg);

/* Start the hooks that match. Return NULL if there are none, which costs next to nothing; close what
 * is returned after done. done NULL: nobody wants to know, and it is closed by itself. */
struct ik_hook_work *ik_hook_start(struct ik_hook_runner *runner, const struct ik_hook_call *call,
	ik_hook_done *done, void *arg);
/* Return what they want, valid until the close; NULL while one still runs. */
const struct ik_hook_outcome *ik_hook_outcome(const struct ik_hook_work *work);
/* Return the name of the first one that still runs, or "". */
const char *ik_hook_running(const struct ik_hook_work *work);
/* End what still runs; done follows. */
void ik_hook_cancel(struct ik_hook_work *work);
/* Kill what still runs, without a callback. Takes NULL. Returns NULL. */
struct ik_hook_work *ik_hook_close(struct ik_hook_work *work);

/* Decide about a call that the policy has judged: hooks (NULL: none) may allow what it asks about, not
 * what it denies. */
enum ik_decision ik_hook_decide(enum ik_decision policy, const struct ik_hook_outcome *outcome);
/* Return why a call that is not allowed does not run, as the model reads it (new memory). */
char *ik_hook_refusal(const struct ik_policy *policy, const char *tool,
	const struct ik_verdict *verdict, const struct ik_hook_outcome *outcome);
/* Append what hooks that were asked before and after a call (either may be NULL) tell the model. */
void ik_hook_put_context(const struct ik_hook_work *before, const struct ik_hook_work *after,
	struct ik_buf *out);

#endif
