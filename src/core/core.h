/*
 * core: what the chat and `exec` have in common: store, tools, provider and
 * session joined on one loop.
 *
 * Owns all of them but the loop and the setup.  May include: all.
 */
#ifndef IK_CORE_CORE_H
#define IK_CORE_CORE_H

#include "agent/model_list.h"
#include "agent/session/session.h"
#include "core/setup.h"
#include "tool/discovery.h"
#include "tui/edit/keymap.h"

/* A reply that streams is read and shown at most once in this time. */
#define IK_CORE_FRAME_MS 33

struct ik_export;
struct ik_undo_work;

/* A /model that waits for what its provider offers. */
struct ik_model_question {
	struct ik_core *core;
	struct ik_session *session; /* the one that asked */
	struct ik_model_list *list;
	char *line;   /* the command */
	char *wanted; /* the model to switch to; NULL: to list them all */
};

/*
 * Tools that the user switched on or off in the tool browser. Permanent switches are in tools.json
 * in the home, an object of names: {"bash": false, "grep": true}. They override tools.disabled of
 * the configuration, which ikigai never writes; switches of the session override both.
 */
struct ik_tool_switches {
	struct ik_tool_switch {
		char *name;
		bool on;
	} * items;
	size_t count;
};
/* Release the names. */
void ik_tool_switches_done(struct ik_tool_switches *switches);

struct ik_core_events {
	ik_event_sink *event; /* of a session; arg: what it was begun with */
	ik_event_sink *store; /* the state of the store; arg: the core's */
	void (*progress)(void *arg, const char *work, int64_t done, int64_t of); /* or NULL */
	void (*scan_progress)(void *arg, size_t done, size_t total);             /* or NULL */
	void (*scan_finished)(void *arg, struct ik_registry *registry);
};

/* A session, and the receiver of its events. */
struct ik_core_session {
	struct ik_session *session;
	void *arg;
	struct ik_model_question *question; /* NULL: none waits */
};

struct ik_core {
	struct ik_loop *loop;
	struct ik_setup *setup;
	const struct ik_core_events *events;
	void *arg;
	struct ik_http *http;
	struct ik_store *store;
	struct ik_discovery *discovery;
	struct ik_session *session;       /* the one in front, which commands work on */
	struct ik_core_session *sessions; /* all, that one among them */
	size_t session_count;
	struct ik_slots *slots;             /* limit calls at once, over all sessions */
	struct ik_file_writes *file_writes; /* what these calls write */
	char **environment;                 /* for tools */
	bool tools_wanted;
	bool no_tools;
	enum ik_asking asking;
	struct ik_policy *policy;
	char *policy_path; /* of the rules that are kept for good; NULL: there is no home */
	struct ik_tool_switches switches; /* of this session */
	bool scanned;
	char *trust_problem;       /* why trust.json cannot be used, as it was told last; NULL */
	char *undo_directory;      /* where what tools write is kept; NULL: nowhere */
	char *outputs_directory;   /* for results that are cut; NULL: nowhere */
	struct ik_undo_work *undo; /* core/undo_command.h; NULL: none is under way */
	struct ik_export *export;  /* core/export.h; NULL: none is under way */
	char *store_problem;       /* why events wait, as it was told last; NULL: none do */
};

/*
 * Join everything and start the scan. events is borrowed, session_arg goes with what the
 * first session tells; asking says who answers where the policy asks. What cannot be used
 * (database, home) is told as notices; an error is only what makes a
 * conversation impossible.
 */
enum ik_status ik_core_start(struct ik_core *core, struct ik_loop *loop, struct ik_setup *setup,
	bool no_tools, enum ik_asking asking, const struct ik_core_events *events, void *arg,
	void *session_arg, struct ik_error *error) IK_MUST_USE;

/* Add a session, with the model of the one in front. Owned by the core. */
struct ik_session *ik_core_add_session(struct ik_core *core, void *session_arg);
/* Report again why events wait, if they do: another session is in front. */
void ik_core_tell_store_again(struct ik_core *core);
/* End a session that is not in front; it can be resumed. Return NULL. */
struct ik_session *ik_core_close_session(struct ik_core *core, struct ik_session *session);

/* Return the model of the session in front, or before there is one, of the first. Borrowed until it
 * changes. */
struct ik_model *ik_core_model(const struct ik_core *core);

/* Return the entry of any of them; borrowed until one is added or closed. */
struct ik_core_session *ik_core_entry(const struct ik_core *core, const struct ik_session *session);
/* Release a question (or NULL) that is in no entry any more. */
void ik_model_question_free(struct ik_model_question *question);

/* Does a session have anything besides the program's own notices? Allocates nothing. */
bool ik_resume_is_possible(const struct ik_session *session);

/* Switch a session to another model from the next request on. On failure nothing changes. */
enum ik_status ik_core_use_model(struct ik_core *core, struct ik_session *session,
	const struct ik_model_wish *wish, struct ik_error *error) IK_MUST_USE;

/* Switch a tool on or off from the next round on, for this session or for good. */
enum ik_status ik_core_switch_tool(struct ik_core *core, const char *name, bool on, bool for_good,
	struct ik_error *error) IK_MUST_USE;

/* Scan whenever a directory of tools changes, if the configuration says so. */
void ik_core_watch(struct ik_core *core);

/* End a session, which can be resumed, and return another in its place, with the same model and
 * tools. NULL: something is under way, and all stays as it is. */
struct ik_session *ik_core_begin_session(struct ik_core *core, struct ik_session *session);

/* Let calls be made in this mode. */
void ik_core_set_mode(struct ik_core *core, enum ik_mode mode);
/* Judge all calls that wait for permission again: mode or rules have changed. */
void ik_core_policy_changed(struct ik_core *core);

/* A command that needs no screen: what it appends to answer is stored and shown; nothing: it answers
 * later, or not at all. */
typedef void ik_command(struct ik_core *core, const struct ik_invocation *invocation,
	struct ik_buf *answer);

/* Store and show what a command says, less its last line feed; releases output. */
void ik_command_answer(struct ik_session *session, const char *line, struct ik_buf *output);

/* Log an event. */
void ik_core_log_event(const struct ik_event *event);

/* Read the project's AGENTS.md files again; the next request of each session has them. */
void ik_core_read_instructions(struct ik_core *core);

/* Release everything. What is not stored yet is, or stays in the journals: *ret_notice says where.
 * False: events were lost. */
bool ik_core_stop(struct ik_core *core, struct ik_error *ret_notice);

/* The newest registry (borrowed). */
struct ik_registry *ik_core_registry(const struct ik_core *core);

/* Make a discovery over the configured directories (system, Kodelet's, the user's, the project's
 * two), which scans nothing yet. environment and setup must outlive it. */
struct ik_discovery *ik_core_discovery(struct ik_loop *loop, const struct ik_setup *setup,
	char **environment, const struct ik_discovery_events *events, void *arg);

/* The same over the project's two directories alone; only what is trusted is run. */
struct ik_discovery *ik_core_project_discovery(struct ik_loop *loop, const struct ik_setup *setup,
	struct ik_trust *trust, const struct ik_discovery_events *events, void *arg);

/* Is the file in one of these two, by whatever name? path is absolute. */
bool ik_core_is_project_tool(const struct ik_setup *setup, const char *path);

/* Return how calls are run; it borrows from setup and environment. */
struct ik_run_options ik_core_run_options(struct ik_loop *loop, const struct ik_setup *setup,
	char **environment);

#endif
