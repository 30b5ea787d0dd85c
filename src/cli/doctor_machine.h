/*
 * doctor_machine: the checks of `ikigai doctor` that need no waiting: locale, terminal,
 * directories, settings, sandbox, and a database in a file.
 *
 * May include: all but tui/screen.
 */
#ifndef IK_CLI_DOCTOR_MACHINE_H
#define IK_CLI_DOCTOR_MACHINE_H

#include "cli/doctor_report.h"
#include "core/setup.h"

void ik_doctor_check_machine(struct ik_doctor_report *report, struct ik_setup *setup);

#endif
