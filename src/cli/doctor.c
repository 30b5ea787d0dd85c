#include "cli/doctor.h"

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/doctor_private.h"
#include "core/core.h"
#include "core/memory.h"
#include "core/print.h"
#include "json/write.h"
#include "loop/children.h"
#include "util/alloc.h"
#include "util/cluster.h"
#include "util/limits.h"
#include "util/text.h"

enum { WORD_COLUMNS = 7, LABEL_COLUMNS = 15 };

/* Append text and blanks up to so many columns. */
static void put_cell(struct ik_buf *out, const char *text, size_t columns)
{
	size_t width = ik_utf8_width(text, strlen(text));

	ik_buf_printf(out, "%s%*s", text, width < columns ? (int)(columns - width) : 1, "");
}

void ik_doctor_say(struct ik_doctor *doctor, enum ik_doctor_finding finding, const char *label,
	const char *sentence)
{
	static const char *const words[] = {
		[IK_FINDING_OK] = N_("ok"),
		[IK_FINDING_NOTE] = N_("note"),
		[IK_FINDING_WRONG] = N_("wrong"),
	};
	struct ik_buf out;

	ik_buf_init(&out, IK_MIB(1));
	if (doctor->json) {
		ik_json_open(&out, '{');
		ik_json_key(&out, "check");
		ik_json_put_text(&out, label);
		ik_json_key(&out, "state");
		ik_json_put_text(&out, words[finding]);
		ik_json_key(&out, "message");
		ik_json_put_text(&out, sentence);
		ik_json_close(&out, '}');
	} else {
		put_cell(&out, _(words[finding]), WORD_COLUMNS);
		put_cell(&out, _(label), LABEL_COLUMNS);
		for (; *sentence != '\0'; sentence++) /* one line a check */
			ik_buf_putc(&out, *sentence == '\n' ? ' ' : *sentence);
	}
	ik_buf_putc(&out, '\n');
	if (ik_print_buf(&out) != 0)
		doctor->status = 1;
	doctor->wrong = doctor->wrong || finding == IK_FINDING_WRONG;
	ik_buf_done(&out);
}

/* Say what a scan found. */
static void on_scanned(void *arg, struct ik_registry *registry)
{
	struct ik_doctor *doctor = arg;
	const struct ik_project *project = &doctor->setup->project;
	size_t count = ik_registry_ok_count(registry), i;
	char *line = ik_format(ngettext("%zu tool answers", "%zu tools answer", count), count);
	char *untrusted = ik_project_warning(project, registry);

	ik_doctor_say(doctor, IK_FINDING_OK, N_("tools"), line);
	free(line);
	for (i = 0; i < ik_registry_count(registry); i++) {
		const struct ik_tool *tool = ik_registry_at(registry, i);

		if (tool->state != IK_TOOL_FAILED)
			continue;
		line = ik_format(_("%s %s; ikigai tool validate %s says more"), tool->name, tool->reason,
			tool->path);
		ik_doctor_say(doctor, IK_FINDING_WRONG, N_("tools"), line);
		free(line);
	}
	for (i = 0; i < ik_registry_problem_count(registry); i++)
		ik_doctor_say(doctor, IK_FINDING_WRONG, N_("tools"), ik_registry_problem(registry, i));
	if (ik_trust_problem(project->trust))
		ik_doctor_say(doctor, IK_FINDING_WRONG, N_("trust"), ik_trust_problem(project->trust));
	if (untrusted)
		ik_doctor_say(doctor, IK_FINDING_NOTE, N_("trust"), untrusted);
	free(untrusted);
	ik_doctor_ask_providers(doctor);
}

static void on_signal(void *arg, int number)
{
	struct ik_doctor *doctor = arg;

	doctor->status = 128 + number;
	ik_loop_stop(doctor->loop);
}

/* Let the loop run through what takes time: the tools, then the providers. */
static void run_checks(struct ik_doctor *doctor)
{
	static const struct ik_discovery_events events = { .finished = on_scanned };
	struct ik_signal *interrupt = ik_signal_new(doctor->loop, SIGINT, on_signal, doctor);
	struct ik_signal *terminate = ik_signal_new(doctor->loop, SIGTERM, on_signal, doctor);
	char **environment = ik_setup_tool_environment(doctor->setup);
	struct ik_discovery *discovery;
	struct ik_error error;

	ik_doctor_ask_postgres(doctor);
	ik_children_become_reaper(doctor->loop, "/proc/self/exe");
	ik_alloc_set_hook(ik_memory_gone);
	discovery = ik_core_discovery(doctor->loop, doctor->setup, environment, &events, doctor);
	ik_discovery_ask_failed(discovery);
	if (doctor->status == 0 && ik_loop_run(doctor->loop, &error) != IK_OK)
		ik_doctor_say(doctor, IK_FINDING_WRONG, N_("program"), error.text);
	ik_doctor_providers_done(doctor);
	(void)ik_discovery_close(discovery);
	(void)ik_signal_close(interrupt);
	(void)ik_signal_close(terminate);
	ik_children_end(doctor->loop);
	ik_environment_free(environment);
}

int ik_doctor(const struct ik_options *options, struct ik_setup *setup)
{
	struct ik_doctor doctor = { .setup = setup, .json = options->json };
	struct ik_error error;

	ik_doctor_places(&doctor);
	doctor.loop = ik_loop_new(&error);
	if (!doctor.loop) {
		ik_doctor_say(&doctor, IK_FINDING_WRONG, N_("program"), error.text);
		return 1;
	}
	run_checks(&doctor);
	ik_loop_free(doctor.loop);
	return doctor.status != 0 ? doctor.status : doctor.wrong;
}
