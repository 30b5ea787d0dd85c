/*
 * doctor_postgres: the check of `ikigai doctor` for a PostgreSQL database.
 *
 * May include: util, core, store, store/postgres.
 */
#ifndef IK_CLI_DOCTOR_POSTGRES_H
#define IK_CLI_DOCTOR_POSTGRES_H

#include "cli/doctor_report.h"
#include "core/setup.h"

/* Check the database, if it is PostgreSQL. Turns the loop until the server has answered, or
 * something else stops the loop. */
void ik_doctor_check_postgres(struct ik_doctor_report *report, const struct ik_setup *setup,
	struct ik_loop *loop);

#endif
