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
#include "core/tool_switch.h"
#include "tool/discovery.h"

/* What comes by itself, a reply that streams, is read and shown once in so long at most. */
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

struct ik_core_events {
	ik_event_sink *event; /* of a session; arg: what it was begun with */
	ik_event_sink *store; /* how the store stands; arg: the core's */
	void (*scan_progress)(void *arg, size_t done, size_t total);
	void (*scan_finished)(void *arg, struct ik_registry *registry);
};

/* A session at work, who is told of its events, and whom it talks to. */
struct ik_core_session {
	struct ik_session *session;
	void *arg;
	struct ik_model_choice choice;
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
	struct ik_session *session;       /* the one in front: commands are about it */
	struct ik_core_session *sessions; /* all, that one among them */
	size_t session_count;
	struct ik_slots *slots;             /* calls at once, over all of them */
	struct ik_file_writes *file_writes; /* what they write, the same */
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

/* Another session beside those that are there, with the model of the one in front; the core's. */
struct ik_session *ik_core_add_session(struct ik_core *core, void *session_arg);
/* Why events wait, if they do, on the screen of the session in front, which is another one now. */
void ik_core_tell_store_again(struct ik_core *core);
/* Commands are about this one from here on. */
void ik_core_set_front(struct ik_core *core, struct ik_session *session);
/* End one that is not in front; it can be resumed. Returns NULL. */
struct ik_session *ik_core_close_session(struct ik_core *core, struct ik_session *session);

/* Whom the session in front talks to; before there is any, whom the first one will. Borrowed until
 * it is another. */
const struct ik_model_choice *ik_core_choice(const struct ik_core *core);

/* Return the entry of any of them; borrowed until one is added or closed. */
struct ik_core_session *ik_core_entry(const struct ik_core *core, const struct ik_session *session);
/* Release a question (or NULL) that is in no entry any more. */
void ik_model_question_free(struct ik_model_question *question);

/* Have a session talk to the model that is wished for from the next request on. On failure all
 * stays as it is. */
enum ik_status ik_core_use_model(struct ik_core *core, struct ik_session *session,
	const struct ik_model_wish *wish, struct ik_error *error) IK_MUST_USE;

/* Ask all tools again, whatever is remembered of them. */
void ik_core_refresh(struct ik_core *core);

/* Offer a tool or do not, from the next round on, for this session or for good. */
enum ik_status ik_core_switch_tool(struct ik_core *core, const char *name, bool on, bool for_good,
	struct ik_error *error) IK_MUST_USE;

/* Scan by itself when the directories of tools change, if the configuration wants it. */
void ik_core_watch(struct ik_core *core);

/* End a session, which can be resumed, and return another in its place, with the same model and
 * tools. NULL: something is under way, and all stays as it is. */
struct ik_session *ik_core_begin_session(struct ik_core *core, struct ik_session *session);

/* Let calls be made in this mode. */
void ik_core_set_mode(struct ik_core *core, enum ik_mode mode);
/* Judge all calls that wait for permission again: mode or rules have changed. */
void ik_core_policy_changed(struct ik_core *core);

/* Note in the log what one looks for later. */
void ik_core_log_event(const struct ik_event *event);

/* Read the project's AGENTS.md files again; the next request of each session has them. */
void ik_core_read_instructions(struct ik_core *core);

/* Take all apart; what waits in the store is written, or rescued, if it can be:
 * *ret_notice says where it is when that is not the store. False: events were lost. */
bool ik_core_stop(struct ik_core *core, struct ik_error *ret_notice);

/* The newest registry (borrowed). */
struct ik_registry *ik_core_registry(const struct ik_core *core);

/* A discovery over the directories that the configuration names (system, Kodelet's, the
 * person's own, the project's two), not yet scanning. environment and setup must outlive
 * it. */
struct ik_discovery *ik_core_discovery(struct ik_loop *loop, const struct ik_setup *setup,
	char **environment, const struct ik_discovery_events *events, void *arg);

/* The same over the project's two directories alone; what trust does not trust is not
 * run. */
struct ik_discovery *ik_core_project_discovery(struct ik_loop *loop, const struct ik_setup *setup,
	struct ik_trust *trust, const struct ik_discovery_events *events, void *arg);

/* Does the file lie in one of these two, by whatever name? path is absolute. */
bool ik_core_is_project_tool(const struct ik_setup *setup, const char *path);

/* How every call is run; borrows from setup and environment. */
struct ik_run_options ik_core_run_options(struct ik_loop *loop, const struct ik_setup *setup,
	char **environment);

#endif
