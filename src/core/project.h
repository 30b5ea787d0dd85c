/*
 * project: what a directory brings along, and how far it is trusted.
 *
 * Two things of a project act by themselves: its tools (./kodelet-tools and
 * ./.ikigai/tools) and its configuration, .ikigai/config.json.  Neither is
 * run or read before the person trusted it (guard/trust.h).
 *
 * May include: util, config, tool/registry.h, core/places.h.
 */
#ifndef IK_CORE_PROJECT_H
#define IK_CORE_PROJECT_H

#include "config/config.h"
#include "core/places.h"
#include "guard/trust.h"
#include "tool/registry.h"

struct ik_project {
	struct ik_trust *trust;
	char *config_file;                  /* its path when it is there and not trusted, and so
	                                       was passed over; NULL: it was not */
	bool config_changed;                /* another one was trusted */
	struct ik_identity config_identity; /* of the one that was passed over */
	struct ik_untrusted_agents {        /* AGENTS.md files that were passed over likewise */
		char *path;
		struct ik_identity identity;
		bool changed;
	} * agents;
	size_t agents_count;
};

/* Begin with what is kept in the home. all: trust the whole directory for this run. */
void ik_project_open(struct ik_project *project, const struct ik_places *places, bool all);
void ik_project_done(struct ik_project *project);

/* The project's configuration file, whether it is there or not; new memory. */
char *ik_project_config_path(const struct ik_places *places);

/* Is there one that is not the person's own? */
bool ik_project_has_config(const struct ik_places *places, struct ik_identity *ret_identity);

/*
 * Lay the project's configuration over config, if there is one and it is trusted.
 * One that is the person's own (user_file, or that of the home) is none. What is
 * passed over is no error; what is wrong in a trusted one is.
 */
enum ik_status ik_project_read_config(struct ik_project *project, const struct ik_places *places,
	const char *user_file, struct ik_config *config, struct ik_error *error) IK_MUST_USE;

/* Is an AGENTS.md with this text trusted? It is noted as passed over if not. */
bool ik_project_judges(struct ik_project *project, const char *path,
	const struct ik_identity *identity, const struct ik_buf *text, struct ik_config *config);
/* Forget those that were passed over. */
void ik_project_forget_agents(struct ik_project *project);

/*
 * Is this file trusted as it is? It is read if that has to be, however long that takes.
 * *ret_identity then is that of what is trusted; what is wrong is in *error.
 */
bool ik_project_trusts(const struct ik_project *project, const char *path,
	struct ik_identity *ret_identity, struct ik_error *error);

/* Trust one file from now on, as it is. */
enum ik_status ik_project_trust_file(const struct ik_project *project, const char *path,
	struct ik_error *error) IK_MUST_USE;

/*
 * A sentence that names what was left out for want of trust, and the command that
 * trusts it; NULL when nothing was, or nobody wants to hear of it. New memory.
 */
char *ik_project_warning(const struct ik_project *project, const struct ik_registry *registry);

/* A path as the person knows it: below the project's directory. Points into path. */
const char *ik_project_relative(const struct ik_project *project, const char *path);

#endif
