/*
 * doctor_providers: the check of `ikigai doctor` for providers: each is asked for its models.
 *
 * May include: util, core, net, agent/model_list.h.
 */
#ifndef IK_CLI_DOCTOR_PROVIDERS_H
#define IK_CLI_DOCTOR_PROVIDERS_H

#include "cli/doctor_report.h"
#include "core/setup.h"

struct ik_doctor_providers;

/* Ask all providers that are configured or have a key. Once all have answered, or run out of time,
 * they are reported and the loop is stopped. */
struct ik_doctor_providers *ik_doctor_check_providers(struct ik_doctor_report *report,
	const struct ik_setup *setup, struct ik_loop *loop);
/* Accepts NULL, returns NULL. */
struct ik_doctor_providers *ik_doctor_providers_close(struct ik_doctor_providers *providers);

#endif
