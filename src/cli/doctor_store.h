/*
 * doctor_store: the check of `ikigai doctor` for the database, and for what waits for it.
 *
 * May include: util, json, core, store, cli/doctor_report.h, commands/session_walk.h.
 */
#ifndef IK_CLI_DOCTOR_STORE_H
#define IK_CLI_DOCTOR_STORE_H

#include "cli/doctor_report.h"
#include "core/setup.h"

/* Turns the loop until the store program has answered, or something else stops the loop. */
void ik_doctor_check_store(struct ik_doctor_report *report, const struct ik_setup *setup,
	struct ik_loop *loop);

#endif
