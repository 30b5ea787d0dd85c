/*
 * core: what the chat and `exec` share: store, tools, provider and sessions on one loop.
 *
 * Owns all of them except the loop and the setup. May include: all.
 */
#ifndef IK_CORE_CORE_H
#define IK_CORE_CORE_H

#include "agent/model_list.h"
#include "agent/session/session.h"
#include "core/setup.h"
#include "core/skills.h"
#include "tool/discovery.h"
#include "tool/mcp/source.h"
#include "tui/edit/keymap.h"

/* Minimum time between two reads and redraws of a streaming reply, in milliseconds. */
#define IK_CORE_FRAME_MS 33

struct ik_export;
struct ik_undo_work;

/* A /model command that waits for its provider's list of models. */
struct ik_model_question {
	struct ik_core *core;
	struct ik_session *session; /* the session it was typed in */
	struct ik_model_list *list;
	char *line;   /* the command */
	char *wanted; /* the model to switch to */
	bool keep;    /* for good, in the configuration */
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
/* Free the names. */
void ik_tool_switches_done(struct ik_tool_switches *switches);

struct ik_core_events {
	ik_event_sink *event; /* from a session; arg: session_arg from its creation */
	ik_event_sink *store; /* the state of the store; arg: the core's */
	void (*progress)(void *arg, const char *work, int64_t done, int64_t of); /* or NULL */
	void (*scan_progress)(void *arg, size_t done, size_t total);             /* or NULL */
	void (*scan_finished)(void *arg, struct ik_registry *registry);
	const struct ik_preparer *preparer; /* of calls; arg: the core's; or NULL */
};

/* A session. */
struct ik_core_session {
	struct ik_core *core;
	struct ik_session *session;
	void *arg;                   /* for its events */
	int64_t began_ms;            /* by the wall clock; what was said before is of a stored one */
	struct ik_skill_loads loads; /* what it has read of skills (core_skills.c) */
	struct ik_model_question *question; /* a /model that waits; or NULL */
};

struct ik_core {
	struct ik_loop *loop;
	struct ik_setup *setup;
	const struct ik_core_events *events;
	void *arg;
	struct ik_http *http;
	struct ik_store *store;
	struct ik_discovery *discovery;
	struct ik_session *session;        /* the session in front, which commands work on */
	struct ik_core_session **sessions; /* all sessions, including that one */
	size_t session_count;
	struct ik_slots *slots;             /* limits calls across all sessions */
	struct ik_file_writes *file_writes; /* files that these calls write */
	char **environment;                 /* for tools */
	bool tools_wanted;
	bool no_tools;
	enum ik_asking asking;
	struct ik_policy *policy;
	struct ik_hooks *hooks; /* as last read */
	struct ik_hook_runner *hook_runner;
	char *hook_problem; /* what of them could not be read, as last reported; or NULL */
	char *policy_path;  /* file with the rules that the user saved; NULL: no home */
	struct ik_tool_switches switches; /* of this run of the program */
	bool scanned;
	char *catalogue;                              /* of the skills, as the model gets it; or NULL */
	bool catalogue_due;                           /* it is made when the next scan has ended */
	char *instructions;                           /* the project's, and the catalogue; or NULL */
	struct ik_skill_directory *skill_directories; /* with tools of skills that are loaded */
	size_t skill_directory_count;
	char *trust_problem;          /* why trust.json is unusable, as last reported; or NULL */
	char *undo_directory;         /* where copies of changed files are saved; NULL: nowhere */
	char *commands_directory;     /* where tools become commands; NULL: nowhere */
	char *outputs_directory;      /* where results that were cut are saved; NULL: nowhere */
	struct ik_undo_work *undo;    /* a running command (core/undo_command.h); or NULL */
	struct ik_export *export;     /* a running export (core/export.h); or NULL */
	struct ik_model_list *models; /* the list that is being fetched for the default; or NULL */
	char *store_problem;          /* why events wait, as last reported; NULL: none wait */
};

/* Create everything and start the scan. events is borrowed; session_arg is passed with the first
 * session's events; asking says who decides where the policy says to ask: if that is the user, the
 * configured mode applies, and tool directories are watched as configured. An unusable database or
 * home is reported in notices; an error means that no conversation is possible. */
enum ik_status ik_core_start(struct ik_core *core, struct ik_loop *loop, struct ik_setup *setup,
	bool no_tools, enum ik_asking asking, const struct ik_core_events *events, void *arg,
	void *session_arg, struct ik_error *error) IK_MUST_USE;

/* Add a session with the model of the session in front. Owned by the core. */
struct ik_session *ik_core_add_session(struct ik_core *core, void *session_arg);
/* Report again why events wait, if any do, since another session is now in front. */
void ik_core_tell_store_again(struct ik_core *core);
/* Close a session that is not in front; it can be resumed. Return NULL. */
struct ik_session *ik_core_close_session(struct ik_core *core, struct ik_session *session);

/* Return the model of the session in front or, before there is one, the model of the first.
 * Borrowed until it changes. */
struct ik_model *ik_core_model(const struct ik_core *core);

/* Return the entry of any session; borrowed until that is closed. */
struct ik_core_session *ik_core_entry(const struct ik_core *core, const struct ik_session *session);
/* Free a question that is no longer in an entry. Takes NULL. */
void ik_model_question_free(struct ik_model_question *question);

/* Does a session contain anything but the program's own notices? Allocates no memory. */
bool ik_resume_is_possible(const struct ik_session *session);

/* Switch a session to another model from the next request on. On failure nothing changes. */
enum ik_status ik_core_use_model(struct ik_core *core, struct ik_session *session,
	const struct ik_model_wish *wish, struct ik_error *error) IK_MUST_USE;

/* Switch a tool on or off from the next round on, for this session or (for_good) permanently. */
enum ik_status ik_core_switch_tool(struct ik_core *core, const char *name, bool on, bool for_good,
	struct ik_error *error) IK_MUST_USE;

/* May the program end? Hooks are told that the sessions end; calls' changes are recorded for /undo. If
 * false, ready is called when this may be asked again, after a few seconds at most. */
bool ik_core_may_end(struct ik_core *core, void (*ready)(void *arg), void *arg);

/* Close a session, which can be resumed, and return a new one in its place, with the same model and
 * tools. Return NULL and change nothing if the session is busy. */
struct ik_session *ik_core_begin_session(struct ik_core *core, struct ik_session *session);

/* Set the mode in which calls are judged. */
void ik_core_set_mode(struct ik_core *core, enum ik_mode mode);
/* Keep a rule that allows calls for this session, or (for_good) in policy.json. If that fails, report
 * the problem and return false. */
bool ik_core_keep_rule(struct ik_core *core, const struct ik_rule *rule, bool for_good);
/* Judge all waiting calls again, since mode or rules have changed. */
void ik_core_policy_changed(struct ik_core *core);

/* A command that needs no screen. What it appends to answer is stored and shown; if it appends
 * nothing, it answers later or not at all. */
typedef void ik_command(struct ik_core *core, const struct ik_invocation *invocation,
	struct ik_buf *answer);

/* Store and show the output of a command, without its last line feed. Frees output. */
void ik_command_answer(struct ik_session *session, const char *line, struct ik_buf *output);

/* Log an event. */
void ik_core_log_event(const struct ik_event *event);

/* Read the project's AGENTS.md files again, and take the skills from the next scan, for the next
 * request of each session. Otherwise both stay as they are, as requests begin with them, and
 * providers find in their cache what begins in the same way. */
void ik_core_read_instructions(struct ik_core *core);

/* Add a notice to the session in front. */
void ik_core_tell(const struct ik_core *core, const char *format, ...) IK_PRINTF(2, 3);

/* Report what became of files that were to be trusted (ik_project_grant()), and use those that are. */
void ik_core_granted(struct ik_core *core, const struct ik_untrusted_list *files,
	const struct ik_trust_check *check);

/* Free everything, if it was started. Events that are not stored yet are stored now or stay in the
 * journals; *ret_notice says where. Return false if events were lost. */
bool ik_core_stop(struct ik_core *core, struct ik_error *ret_notice);

/* The hook of util/alloc.h for programs with nothing to save: report that memory ran out, and end child
 * processes of tools. It runs on reserved memory, right before the process ends. */
void ik_memory_gone(void);
/* Like ik_memory_gone(), but first journal everything that the sessions of core have not yet
 * stored, including partial replies, and name the sessions. core may be NULL. restore, if not NULL,
 * restores the terminal before anything is printed. */
void ik_memory_gone_with(const struct ik_core *core, void (*restore)(void));

/* Return the newest registry (borrowed). */
struct ik_registry *ik_core_registry(const struct ik_core *core);

/* What MCP servers are started with; environment (that of tools) and setup are borrowed. */
struct ik_mcp_options ik_core_server_options(const struct ik_setup *setup, char **environment);

/* Return a new discovery for the configured directories (system, Kodelet's, the user's, and the
 * project's two) and MCP servers, which has not scanned anything yet. environment and setup must
 * outlive it. */
struct ik_discovery *ik_core_discovery(struct ik_loop *loop, struct ik_setup *setup,
	char **environment, const struct ik_discovery_events *events, void *arg);

/* Like ik_core_discovery(), for the project's two directories alone; only trusted tools are run. */
struct ik_discovery *ik_core_project_discovery(struct ik_loop *loop, const struct ik_setup *setup,
	const struct ik_discovery_events *events, void *arg);

/* Is the file in one of the project's two directories, by any name? path must be absolute. */
bool ik_core_is_project_tool(const struct ik_setup *setup, const char *path);

/* Return a source of the tools in a directory of a loaded skill. */
struct ik_source *ik_core_skill_source(const struct ik_core *core, const char *path,
	enum ik_tool_source origin);

/* The sink of a session's events (arg: its entry): take note of what it loads of skills (core_skills.c),
 * and pass the event on. */
ik_event_sink ik_core_session_event;
/* Has the session in front read this skill's file? The model has it then, also after a summary. */
bool ik_core_has_loaded(const struct ik_core *core, const char *path);
/* Look again what is loaded, since sessions or skills have changed. */
void ik_core_update_skills(struct ik_core *core);
void ik_core_forget_skills(struct ik_core *core);

/* Return a policy with the rules of the configuration. */
struct ik_policy *ik_core_policy(const struct ik_setup *setup);

/* Return the options for running calls; they borrow from setup and environment. */
struct ik_run_options ik_core_run_options(struct ik_loop *loop, const struct ik_setup *setup,
	char **environment);

#endif
