/*
 * sandbox: what tools may not do whatever their arguments say. Translates `sandbox` of the
 * configuration and the rules of `policy` into what the kernel enforces.
 *
 *   mode         a tool may write to
 *   off          everything that the user may
 *   project      the session's directory, the temporary directory, sandbox.write
 *   read-only    the temporary directory
 *
 * (and in each mode to /dev/null and /dev/shm).  In each mode but off, a tool can signal only the
 * processes that it started, and has no terminals but those it creates.  Places in sandbox.hide can
 * be neither read nor written, in any mode; without sandbox.network there are no sockets.
 *
 * A rule that denies file_read a place (a name, or a directory's name followed by an asterisk)
 * hides its contents as well, and the names in it if the rule denies glob, too. A rule that denies
 * only file_write or file_edit protects the place.  Rules that the kernel cannot enforce are
 * reported as gaps.  If mounts are possible (loop/mount_mask.h), hidden places are covered by
 * mounts, including places in the session's directory, their names and what patterns match there. A
 * place that was covered once stays covered even if a call moves it.
 *
 * A process stays confined as it was when it started (loop/confine.h says what that does not
 * prevent).  A process that is only asked for its schema may not write to the session's directory.
 * What cannot be confined is not run; but a rule that only the policy enforces because the kernel
 * has no Landlock does not prevent a start.
 *
 * A link counts with its present target and with the one it had when the sandbox was created, so
 * that no call can move the walls of the next.
 *
 * Owns its lists.  May include: util, config, loop, guard/policy_match.h.
 */
#ifndef IK_GUARD_SANDBOX_H
#define IK_GUARD_SANDBOX_H

#include "config/config.h"
#include "loop/child.h"
#include "loop/confine.h"

struct ik_sandbox;

enum ik_sandbox_mode {
	IK_SANDBOX_OFF,
	IK_SANDBOX_PROJECT,
	IK_SANDBOX_READ_ONLY,
	IK_SANDBOX_MODE_COUNT
};

/* "off", "project", "read-only": what the user types and sees. */
const char *ik_sandbox_mode_name(enum ik_sandbox_mode mode);
/* Return false if no mode has that name. */
bool ik_sandbox_mode_find(const char *name, enum ik_sandbox_mode *ret_mode);

/* Make the sandbox of a session from sandbox.* and policy; directory is the session's, home the
 * user's (NULL: unknown). config is borrowed, the strings are copied. */
struct ik_sandbox *ik_sandbox_new(const struct ik_config *config, const char *directory,
	const char *home);
struct ik_sandbox *ik_sandbox_free(struct ik_sandbox *sandbox);

/* Guard a place of ikigai's own (copied): a confined process has at most the rights in left there.
 * This is not one of the user's limits, and no reason by itself to confine a process. A place that
 * may still be read is guarded only in a mode other than off. */
void ik_sandbox_guard(struct ik_sandbox *sandbox, const char *path, enum ik_confine_left left);

/* Is path (absolute, without links) hidden from processes of that tool (NULL: of any tool)? Hidden
 * contents must not be copied to where tools can read them. sandbox may be NULL. */
bool ik_sandbox_hides(const struct ik_sandbox *sandbox, const char *tool, const char *path);

enum ik_sandbox_mode ik_sandbox_mode(const struct ik_sandbox *sandbox);
void ik_sandbox_set_mode(struct ik_sandbox *sandbox, enum ik_sandbox_mode mode);

/* The purpose of a process. */
enum ik_sandbox_purpose { IK_SANDBOX_CALL, IK_SANDBOX_QUESTION };

/* Is a process of a tool confined? sandbox may be NULL: it is not. */
bool ik_sandbox_confines(const struct ik_sandbox *sandbox, const char *tool);

/*
 * Start a process of a tool (loop/child.h), confined if it has to be. On failure nothing runs, and the
 * error says why: IK_DENIED, and what to do, if it cannot be confined. sandbox may be NULL: nothing is
 * confined.
 */
enum ik_status ik_sandbox_start(struct ik_sandbox *sandbox, const char *tool,
	enum ik_sandbox_purpose purpose, struct ik_loop *loop, const struct ik_child_spec *spec,
	const struct ik_child_events *events, void *arg, struct ik_child **ret_child,
	struct ik_error *error) IK_MUST_USE;

/* Is anything enforced by the kernel, and could it be? */
enum ik_sandbox_state {
	IK_SANDBOX_NOT_WANTED,
	IK_SANDBOX_IN_PART, /* the mode is off, but something is hidden, or there is no network */
	IK_SANDBOX_ON,
	IK_SANDBOX_BROKEN /* the kernel cannot: no tool runs */
};
enum ik_sandbox_state ik_sandbox_state(const struct ik_sandbox *sandbox);

/* Return IKIGAI_SANDBOX=MODE for the environment of a tool's process; if that is not confined,
 * IKIGAI_SANDBOX, which unsets it (static). sandbox may be NULL. */
const char *ik_sandbox_variable(const struct ik_sandbox *sandbox, const char *tool);

/* Append the description for the model, after a blank; nothing if nothing is confined. */
void ik_sandbox_put_words(const struct ik_sandbox *sandbox, struct ik_buf *out);
/* Append the hint for a call that was refused something. */
void ik_sandbox_put_hint(const struct ik_sandbox *sandbox, struct ik_buf *out);

/* Return, for the user, the places where tools may write in the present mode; NULL after the last.
 */
const char *ik_sandbox_writable(const struct ik_sandbox *sandbox, size_t index);

/* May tools write, in some mode, to a place or to one above it? It need not exist. */
bool ik_sandbox_may_write(const struct ik_sandbox *sandbox, const char *path);

/* Places that are hidden or protected. */
struct ik_sandbox_limit {
	const char *named; /* as written in the configuration */
	const char *path;
	enum ik_confine_left left;
	size_t rule; /* of policy, from 1; 0: of sandbox.hide */
};
const struct ik_sandbox_limit *ik_sandbox_limit_at(const struct ik_sandbox *sandbox, size_t index);

/* Why the kernel does not enforce a rule that denies paths. */
enum ik_sandbox_reason {
	IK_SANDBOX_PATTERN,   /* its pattern does not name a place */
	IK_SANDBOX_CONDITION, /* it depends on other arguments as well */
	IK_SANDBOX_EARLIER,   /* the earlier rule `other` allows, or asks about, a part of it */
	IK_SANDBOX_INSIDE,    /* it is in the session's directory, which would be frozen where
							 nothing can be covered; or it contains that directory */
	IK_SANDBOX_FOUND      /* a pattern: enforced for the files in the session's directory that
							 match it when a process starts */
};
struct ik_sandbox_gap {
	size_t rule, other;
	enum ik_sandbox_reason reason;
};
const struct ik_sandbox_gap *ik_sandbox_gap_at(const struct ik_sandbox *sandbox, size_t index);

#endif
