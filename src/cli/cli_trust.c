#include "cli/cli_trust.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "core/agents_file.h"
#include "core/core.h"
#include "core/print.h"
#include "guard/trust_check.h"
#include "util/alloc.h"
#include "util/limits.h"
#include "util/path.h"
#include "util/text.h"

/* The command in progress. */
struct trusting {
	struct ik_setup *setup;
	struct ik_loop *loop;
	struct ik_discovery *discovery;
	struct ik_trust *nobody; /* trusts nothing, so that nothing is run */
	struct ik_trust_check *check;
	char **paths; /* the files to trust */
	struct ik_identity *identities;
	enum ik_trust_state *before;
	size_t count;
	struct ik_buf out;
	int status;
};

/* Return a state's name in the list, padded to a column. */
static void put_line(struct ik_buf *out, const char *what, const char *name)
{
	ik_buf_printf(out, "  %-10s %s\n", what, name);
}

/* Is this name among the files that are trusted now? */
static bool is_listed(const struct trusting *t, const char *name)
{
	for (size_t i = 0; i < t->count; i++)
		if (ik_text_equal(ik_project_relative(&t->setup->project, t->paths[i]), name))
			return true;
	return false;
}

/* List trusted files that are gone. */
static void put_gone(struct trusting *t)
{
	const char *name;

	for (size_t i = 0; (name = ik_trust_file_at(t->setup->project.trust, i)); i++)
		if (!is_listed(t, name))
			put_line(&t->out, _("dropped"), name);
}

static void finish(struct trusting *t)
{
	if (ik_print_buf(&t->out) != 0)
		t->status = 1;
	ik_loop_stop(t->loop);
}

/* All files are read: print the result. */
static void on_granted(void *arg)
{
	static const char *const words[] = {
		[IK_TRUST_TRUSTED] = N_("unchanged"),
		[IK_TRUST_NEW] = N_("new"),
		[IK_TRUST_CHANGED] = N_("changed"),
	};
	struct trusting *t = arg;
	const struct ik_error *error = ik_trust_check_error(t->check);
	char *sentence;
	size_t i;

	for (i = 0; i < t->count; i++) {
		const struct ik_checked_file *file = ik_trust_check_at(t->check, i);
		const char *name = ik_project_relative(&t->setup->project, t->paths[i]);

		if (file->state == IK_TRUST_TRUSTED) {
			put_line(&t->out, _(words[t->before[i]]), name);
			continue;
		}
		t->status = 1;
		sentence = file->problem
			? ik_strdup(file->problem)
			: ik_format(_("%s was changed meanwhile and is not trusted; look at it, and try again"),
				  name);
		ik_complain(sentence);
		free(sentence);
	}
	if (error->status != IK_OK) {
		ik_complain(error->text);
		ik_buf_clear(&t->out);
		t->status = 1;
	}
	finish(t);
}

/* The old states are known: now trust the files. */
static void on_checked(void *arg)
{
	struct trusting *t = arg;
	size_t i;

	if (ik_trust_problem(t->setup->project.trust))
		ik_complain(ik_trust_problem(t->setup->project.trust));
	for (i = 0; i < t->count; i++)
		t->before[i] = ik_trust_check_at(t->check, i)->state;
	ik_buf_printf(&t->out, _("Trusted in %s:\n"), t->setup->places.directory);
	put_gone(t);
	ik_trust_check_close(t->check);
	t->check = ik_trust_check_grant(t->loop, t->setup->project.trust, (const char *const *)t->paths,
		t->identities, t->count, true, on_granted, t);
}

/* Add a file to those to trust. */
static void add(struct trusting *t, const char *path, const struct ik_identity *identity)
{
	t->paths = ik_alloc_array(t->paths, t->count + 1, sizeof(*t->paths));
	t->identities = ik_alloc_array(t->identities, t->count + 1, sizeof(*t->identities));
	t->before = ik_alloc_array(t->before, t->count + 1, sizeof(*t->before));
	t->paths[t->count] = ik_strdup(path);
	t->identities[t->count++] = *identity;
}

/* Add the AGENTS.md files. */
static void add_agents(struct trusting *t)
{
	char **paths = ik_agents_files_find(&t->setup->places);
	struct ik_identity identity;
	struct ik_error error;
	size_t i;

	for (i = 0; paths[i]; i++) {
		if (ik_identity_read(paths[i], &identity, &error) == IK_OK) {
			add(t, paths[i], &identity);
		} else {
			ik_complain(error.text);
			t->status = 1;
		}
		free(paths[i]);
	}
	free(paths);
}

/* The scan, which ran nothing, has found the files. */
static void on_found(void *arg, struct ik_registry *registry)
{
	struct trusting *t = arg;
	char *config = ik_project_config_path(&t->setup->places);
	struct ik_identity identity;
	size_t i;

	for (i = 0; i < ik_registry_problem_count(registry); i++) {
		ik_complain(ik_registry_problem(registry, i));
		t->status = 1;
	}
	for (i = 0; i < ik_registry_count(registry); i++) {
		const struct ik_tool *tool = ik_registry_at(registry, i);

		if (tool->state == IK_TOOL_UNTRUSTED) {
			add(t, tool->path, &tool->identity);
			continue;
		}
		ik_complain(tool->reason);
		t->status = 1;
	}
	if (ik_project_has_config(&t->setup->places, &identity))
		add(t, config, &identity);
	free(config);
	add_agents(t);
	if (t->count > 0 || ik_trust_file_at(t->setup->project.trust, 0)) {
		t->check = ik_trust_check_start(t->loop, t->setup->project.trust,
			(const char *const *)t->paths, t->count, on_checked, t);
		return;
	}
	if (t->status == 0)
		ik_buf_printf(&t->out,
			_("There is nothing to trust in %s: no tools of a project, no "
			  ".ikigai/config.json.\n"),
			t->setup->places.directory);
	finish(t);
}

/* Trust the directory: find the files, read them, and store their hashes. */
static int trust_all(struct ik_setup *setup)
{
	static const struct ik_discovery_events events = { .finished = on_found };
	struct trusting t = { .setup = setup };
	struct ik_error error;
	size_t i;

	t.loop = ik_loop_new(&error);
	if (!t.loop) {
		ik_complain(error.text);
		return 1;
	}
	ik_buf_init(&t.out, IK_LIMIT_TRUST);
	(void)!ik_trust_read(setup->project.trust, &error);
	t.nobody = ik_trust_new(NULL, setup->places.directory);
	t.discovery = ik_core_project_discovery(t.loop, setup, t.nobody, &events, &t);
	ik_discovery_scan(t.discovery);
	if (ik_loop_run(t.loop, &error) != IK_OK) {
		ik_complain(error.text);
		t.status = 1;
	}
	t.check = ik_trust_check_close(t.check);
	t.discovery = ik_discovery_close(t.discovery);
	ik_loop_free(t.loop);
	ik_trust_free(t.nobody);
	for (i = 0; i < t.count; i++)
		free(t.paths[i]);
	free(t.paths);
	free(t.identities);
	free(t.before);
	ik_buf_done(&t.out);
	return t.status;
}

/* Trust nothing in the directory any more. */
static int revoke_all(struct ik_setup *setup)
{
	struct ik_trust *kept = setup->project.trust;
	struct ik_error error;
	struct ik_buf out;
	int status = 0;
	size_t i;

	ik_buf_init(&out, IK_LIMIT_TRUST);
	if (ik_trust_read(kept, &error) != IK_OK) {
		ik_complain(error.text);
		status = 1;
	} else if (!ik_trust_file_at(kept, 0) && !ik_trust_is_refused(kept)) {
		ik_buf_printf(&out, _("Nothing of %s was trusted.\n"), ik_trust_directory(kept));
	} else {
		ik_buf_printf(&out, _("No longer trusted in %s:\n"), ik_trust_directory(kept));
		for (i = 0; ik_trust_file_at(kept, i); i++)
			ik_buf_printf(&out, "  %s\n", ik_trust_file_at(kept, i));
		if (ik_trust_is_refused(kept))
			ik_buf_printf(&out, "%s\n", _("The chat asks about this directory again."));
		if (ik_trust_revoke(kept, &error) != IK_OK) {
			ik_complain(error.text);
			ik_buf_clear(&out);
			status = 1;
		}
	}
	if (ik_print_buf(&out) != 0)
		status = 1;
	ik_buf_done(&out);
	return status;
}

int ik_cli_trust(const struct ik_options *options, struct ik_setup *setup)
{
	size_t i;

	for (i = 0; i < setup->config->warnings.count; i++)
		ik_complain(setup->config->warnings.items[i]);
	return options->revoke ? revoke_all(setup) : trust_all(setup);
}
