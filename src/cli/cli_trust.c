#include "cli/cli.h"

#include <stdlib.h>

#include "core/print.h"
#include "util/alloc.h"
#include "util/limits.h"
#include "util/sha256.h"
#include "util/text.h"

/* The command in progress. */
struct trusting {
	struct ik_cli cli;
	struct ik_project *project;
	struct ik_untrusted_list files; /* to trust */
	struct ik_buf out;
	int status;
};

/* Append a line with a state, padded to a column, and a file's name. */
static void put_line(struct ik_buf *out, const char *what, const char *name)
{
	ik_buf_printf(out, "  %-10s %s\n", what, name);
}

/* Is name now among the trusted files? */
static bool is_listed(const struct trusting *t, const char *name)
{
	for (size_t i = 0; i < t->files.count; i++)
		if (ik_text_equal(ik_project_relative(t->project, t->files.items[i].path), name))
			return true;
	return false;
}

/* List trusted files that no longer exist. */
static void put_gone(struct trusting *t)
{
	const char *name;

	for (size_t i = 0; (name = ik_trust_file_at(t->project->trust, i)); i++)
		if (!is_listed(t, name))
			put_line(&t->out, _("dropped"), name);
}

/* Say what is wrong, and go on. */
static void fail(struct trusting *t, const char *sentence)
{
	ik_complain(sentence);
	t->status = 1;
}

/* Read the files, print their previous state, and trust them. */
static void trust_files(struct trusting *t)
{
	static const char *const words[] = {
		[IK_TRUST_TRUSTED] = N_("unchanged"),
		[IK_TRUST_NEW] = N_("new"),
		[IK_TRUST_CHANGED] = N_("changed"),
	};
	struct ik_trust *trust = t->project->trust;
	struct ik_trust_file *files = ik_alloc_array(NULL, t->files.count + 1, sizeof(*files));
	char(*digests)[IK_SHA256_TEXT] = ik_alloc_array(NULL, t->files.count + 1, sizeof(*digests));
	struct ik_error error;
	size_t count = 0;

	if (ik_trust_problem(trust))
		ik_complain(ik_trust_problem(trust));
	ik_buf_printf(&t->out, _("Trusted in %s:\n"), t->cli.setup->places.directory);
	put_gone(t);
	for (size_t i = 0; i < t->files.count; i++) {
		const char *path = t->files.items[i].path;

		if (ik_sha256_of_file(path, digests[count], &error) != IK_OK) {
			fail(t, error.text);
			continue;
		}
		put_line(&t->out, _(words[ik_trust_judge(trust, path, digests[count])]),
			ik_project_relative(t->project, path));
		files[count] = (struct ik_trust_file){ path, digests[count] };
		count++;
	}
	if (ik_trust_grant(trust, files, count, true, &error) != IK_OK) {
		fail(t, error.text);
		ik_buf_clear(&t->out);
	}
	free(files);
	free(digests);
}

/* Collect all that the project brings: what a scan that ran nothing found, and what is skipped when it
 * is read, since nothing is trusted for now. */
static void collect(struct trusting *t, const struct ik_registry *registry)
{
	struct ik_setup *setup = t->cli.setup;
	struct ik_string_list *warnings = &setup->config->warnings;
	struct ik_mcp_servers servers = { .items = NULL };
	struct ik_error error;
	size_t told = warnings->count, i;

	for (i = 0; i < ik_registry_problem_count(registry); i++)
		fail(t, ik_registry_problem(registry, i));
	for (i = 0; i < ik_registry_count(registry); i++) {
		const struct ik_tool *tool = ik_registry_at(registry, i);

		if (tool->state != IK_TOOL_UNTRUSTED || tool->identity.inode == 0)
			fail(t, tool->reason);
	}
	(void)!ik_project_read_config(t->project, &setup->places, NULL, setup->config, &error);
	free(ik_agents_files_read(t->project, &setup->places, setup->config));
	ik_project_read_servers(t->project, &setup->places, setup->config, &servers);
	ik_mcp_servers_done(&servers);
	ik_custom_commands_read(setup->custom_commands);
	ik_hooks_free(ik_hooks_read(&setup->places, setup->config, t->project));
	ik_project_untrusted(t->project, registry, &t->files);
	while (told < warnings->count)
		fail(t, warnings->items[told++]);
}

/* Trust the directory: find the files, read them, and store their hashes. */
static int trust_all(const struct ik_options *options, struct ik_setup *setup)
{
	struct trusting t = { .project = &setup->project };
	struct ik_trust *kept = setup->project.trust;
	struct ik_trust *nobody; /* trusts nothing, so nothing is run or used */
	const struct ik_registry *registry;
	struct ik_error error;

	if (!ik_cli_open(&t.cli, options, setup))
		return 1;
	ik_buf_init(&t.out, IK_LIMIT_TRUST);
	(void)!ik_trust_read(kept, &error);
	setup->project.trust = nobody = ik_trust_new(NULL, setup->places.directory);
	t.cli.discovery = ik_core_project_discovery(t.cli.loop, setup, &ik_cli_scan_events, &t.cli);
	registry = ik_cli_scan(&t.cli, false);
	if (registry)
		collect(&t, registry);
	setup->project.trust = kept;
	if (registry) {
		if (t.files.count > 0 || ik_trust_file_at(kept, 0))
			trust_files(&t);
		else if (t.status == 0)
			ik_buf_printf(&t.out, _("There is nothing to trust in %s.\n"), setup->places.directory);
	}
	t.status = ik_cli_close(&t.cli, t.status);
	if (t.status <= 1 && ik_print_buf(&t.out) != 0)
		t.status = 1;
	ik_trust_free(nobody);
	ik_untrusted_clear(&t.files);
	ik_buf_done(&t.out);
	return t.status;
}

/* Revoke the trust in the whole directory. */
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
		if (ik_trust_grant(kept, NULL, 0, true, &error) != IK_OK) {
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
	for (size_t i = 0; i < setup->config->warnings.count; i++)
		ik_complain(setup->config->warnings.items[i]);
	return options->revoke ? revoke_all(setup) : trust_all(options, setup);
}
