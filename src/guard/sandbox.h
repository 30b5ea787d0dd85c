/*
 * sandbox: what tools may not do, whatever their arguments say: from `sandbox` of
 * the configuration and the rules of `policy` to what the kernel holds.
 *
 *   mode         a tool may write to
 *   off          all that the person may
 *   project      the session's directory, the temporary directory, sandbox.write
 *   read-only    the temporary directory
 *
 * (and in each to /dev/null and /dev/shm).  In each but off a tool signals only what it has
 * started, and has no terminals but those that it makes.  Places that sandbox.hide names can
 * be neither read nor written, in any mode; without sandbox.network there are no sockets.  A
 * rule that denies file_read a path that is a place (a name, or a directory's with an asterisk
 * behind) hides what is in it as well, and the names there if it denies glob, too; one that
 * denies file_write or file_edit alone protects it.  Rules that the kernel cannot hold are
 * gaps.  Where mounts can be had (loop/cover.h), places are covered, also in the session's
 * directory, names and all, and what patterns name there; what was covered once is so
 * wherever a call moved it.
 *
 * A process that a call starts is confined as it is (loop/confine.h says what that
 * does not hold).  A schema question has no reason to write to the session's
 * directory.  What cannot be confined as it should is not run; a rule that only
 * the policy holds because the kernel has no Landlock is no reason for that.
 *
 * Where links led when it was made counts besides where they lead now, so that no
 * call moves the walls of the next.
 *
 * Owns its lists.  May include: util, config, loop/confine.h, guard/policy_match.h.
 */
#ifndef IK_GUARD_SANDBOX_H
#define IK_GUARD_SANDBOX_H

#include "config/config.h"
#include "loop/confine.h"

struct ik_sandbox;

enum ik_sandbox_mode {
	IK_SANDBOX_OFF,
	IK_SANDBOX_PROJECT,
	IK_SANDBOX_READ_ONLY,
	IK_SANDBOX_MODE_COUNT
};

/* "off", "project", "read-only": what a person types and sees. */
const char *ik_sandbox_mode_name(enum ik_sandbox_mode mode);
/* False when there is no mode of that name. */
bool ik_sandbox_mode_find(const char *name, enum ik_sandbox_mode *ret_mode);

/* From sandbox.* and policy; directory is the session's, home the person's (NULL: not
 * known). config is borrowed, the strings are copied. */
struct ik_sandbox *ik_sandbox_new(const struct ik_config *config, const char *directory,
	const char *home);
struct ik_sandbox *ik_sandbox_free(struct ik_sandbox *sandbox);

/* Guard a place of ikigai's own (copied): whenever a process is confined at all, no more than
 * left is left of it. It is no limit of the user's, and by itself no reason to confine anything.
 * What may still be read is guarded only in a mode other than off. */
void ik_sandbox_guard(struct ik_sandbox *sandbox, const char *path, enum ik_confine_left left);

/* Can a process of that tool (NULL: of some tool) not read what is at path, absolute and without
 * links, since it is hidden? What is hidden is not to be copied to where tools can read. sandbox
 * may be NULL. */
bool ik_sandbox_hides(const struct ik_sandbox *sandbox, const char *tool, const char *path);

enum ik_sandbox_mode ik_sandbox_mode(const struct ik_sandbox *sandbox);
void ik_sandbox_set_mode(struct ik_sandbox *sandbox, enum ik_sandbox_mode mode);

/* What a process is for. */
enum ik_sandbox_purpose { IK_SANDBOX_CALL, IK_SANDBOX_QUESTION };

/*
 * Make the confinement of a process of a tool, the caller's, to be closed with
 * ik_confine_close(). *ret_confined false: it runs as this process, and there is
 * nothing to close. On failure it must not run; the sentence says why and what to
 * do. sandbox may be NULL: nothing is confined.
 */
enum ik_status ik_sandbox_enter(struct ik_sandbox *sandbox, const char *tool,
	enum ik_sandbox_purpose purpose, struct ik_confinement *ret_confinement, bool *ret_confined,
	struct ik_error *error) IK_MUST_USE;

/* Is anything held by the kernel, and could it be? */
enum ik_sandbox_state {
	IK_SANDBOX_NOT_WANTED,
	IK_SANDBOX_IN_PART, /* the mode is off, but something is hidden, or there is no network */
	IK_SANDBOX_ON,
	IK_SANDBOX_BROKEN /* the kernel cannot: no tool runs */
};
enum ik_sandbox_state ik_sandbox_state(const struct ik_sandbox *sandbox);

/* For the environment of a tool that is confined: IKIGAI_SANDBOX=MODE; static. */
#define IK_SANDBOX_VARIABLE "IKIGAI_SANDBOX"
const char *ik_sandbox_variable(const struct ik_sandbox *sandbox);

/* Append what the model is told of it; nothing when nothing is confined. */
void ik_sandbox_put_words(const struct ik_sandbox *sandbox, struct ik_buf *out);
/* Append what stands as the hint of a call that was refused something. */
void ik_sandbox_put_hint(const struct ik_sandbox *sandbox, struct ik_buf *out);

/* For the person: where tools may write in the mode of now; NULL behind the last. */
const char *ik_sandbox_writable(const struct ik_sandbox *sandbox, size_t index);

/* Places that are hidden, or protected. */
struct ik_sandbox_limit {
	const char *named; /* as it stands in the configuration */
	const char *path;
	enum ik_confine_left left;
	size_t rule; /* of policy, from 1; 0: of sandbox.hide */
};
const struct ik_sandbox_limit *ik_sandbox_limit_at(const struct ik_sandbox *sandbox, size_t index);

/* Rules that deny paths and that the kernel does not hold. */
enum ik_sandbox_reason {
	IK_SANDBOX_PATTERN,   /* its pattern is no place */
	IK_SANDBOX_CONDITION, /* it goes by other arguments as well */
	IK_SANDBOX_EARLIER,   /* the rule `other` before it allows, or asks about, some of it */
	IK_SANDBOX_INSIDE,    /* it lies in the session's directory, which that would freeze
	                          where nothing can be covered; or that lies in it */
	IK_SANDBOX_FOUND      /* a pattern: held for what is found in the session's directory
	                          when a process starts */
};
struct ik_sandbox_gap {
	size_t rule, other;
	enum ik_sandbox_reason reason;
};
const struct ik_sandbox_gap *ik_sandbox_gap_at(const struct ik_sandbox *sandbox, size_t index);

#endif
