#include "cli/doctor.h"

#include <signal.h>
#include <stdlib.h>

#include "cli/doctor_machine.h"
#include "cli/doctor_postgres.h"
#include "cli/doctor_providers.h"
#include "core/core.h"
#include "core/memory.h"
#include "core/print.h"
#include "json/write.h"
#include "loop/children.h"
#include "util/alloc.h"
#include "util/text.h"

/* The checks that need the loop, one after the other. */
struct doctor {
	struct ik_doctor_report report;
	struct ik_setup *setup;
	struct ik_loop *loop;
	struct ik_doctor_providers *providers;
	int signal; /* that stopped the loop, or 0 */
};

/* Report what the scan of the tools found, then go on to the providers. */
static void on_scanned(void *arg, struct ik_registry *registry)
{
	struct doctor *doctor = arg;
	const struct ik_project *project = &doctor->setup->project;
	size_t count = ik_registry_ok_count(registry), i;
	char *line = ik_format(ngettext("%zu tool answers", "%zu tools answer", count), count);
	char *untrusted = ik_project_warning(project, registry);

	ik_doctor_say(&doctor->report, IK_FINDING_OK, N_("tools"), line);
	free(line);
	for (i = 0; i < ik_registry_count(registry); i++) {
		const struct ik_tool *tool = ik_registry_at(registry, i);

		if (tool->state != IK_TOOL_FAILED)
			continue;
		line = ik_format(_("%s %s; ikigai tool validate %s says more"), tool->name, tool->reason,
			tool->path);
		ik_doctor_say(&doctor->report, IK_FINDING_WRONG, N_("tools"), line);
		free(line);
	}
	for (i = 0; i < ik_registry_problem_count(registry); i++)
		ik_doctor_say(&doctor->report, IK_FINDING_WRONG, N_("tools"),
			ik_registry_problem(registry, i));
	if (ik_trust_problem(project->trust))
		ik_doctor_say(&doctor->report, IK_FINDING_WRONG, N_("trust"),
			ik_trust_problem(project->trust));
	if (untrusted)
		ik_doctor_say(&doctor->report, IK_FINDING_NOTE, N_("trust"), untrusted);
	free(untrusted);
	doctor->providers = ik_doctor_check_providers(&doctor->report, doctor->setup, doctor->loop);
}

static void on_signal(void *arg, int number)
{
	struct doctor *doctor = arg;

	doctor->signal = number;
	ik_loop_stop(doctor->loop);
}

/* Run the checks that take time: PostgreSQL, the tools, the providers. */
static void run_checks(struct doctor *doctor)
{
	static const struct ik_discovery_events events = { .finished = on_scanned };
	struct ik_signal *interrupt = ik_signal_new(doctor->loop, SIGINT, on_signal, doctor);
	struct ik_signal *terminate = ik_signal_new(doctor->loop, SIGTERM, on_signal, doctor);
	char **environment = ik_setup_tool_environment(doctor->setup);
	struct ik_discovery *discovery;
	struct ik_error error;

	ik_doctor_check_postgres(&doctor->report, doctor->setup, doctor->loop);
	ik_children_become_reaper(doctor->loop, "/proc/self/exe");
	ik_alloc_set_hook(ik_memory_gone);
	discovery = ik_core_discovery(doctor->loop, doctor->setup, environment, &events, doctor);
	ik_discovery_ask_failed(discovery);
	if (doctor->signal == 0 && !doctor->report.print_failed &&
		ik_loop_run(doctor->loop, &error) != IK_OK)
		ik_doctor_say(&doctor->report, IK_FINDING_WRONG, N_("program"), error.text);
	(void)ik_doctor_providers_close(doctor->providers);
	(void)ik_discovery_close(discovery);
	(void)ik_signal_close(interrupt);
	(void)ik_signal_close(terminate);
	ik_children_end(doctor->loop);
	ik_environment_free(environment);
}

int ik_doctor(const struct ik_options *options, struct ik_setup *setup)
{
	struct doctor doctor = { .setup = setup, .report = { .json = options->json } };
	struct ik_error error;

	ik_doctor_check_machine(&doctor.report, setup);
	doctor.loop = ik_loop_new(&error);
	if (!doctor.loop) {
		ik_doctor_say(&doctor.report, IK_FINDING_WRONG, N_("program"), error.text);
		return 1;
	}
	run_checks(&doctor);
	ik_loop_free(doctor.loop);
	if (doctor.signal != 0)
		return 128 + doctor.signal;
	return doctor.report.print_failed || doctor.report.wrong;
}
