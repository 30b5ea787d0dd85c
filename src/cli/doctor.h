/*
 * doctor: `ikigai doctor`: check everything a conversation needs.
 *
 * Each check is a file doctor_*.c and reports through doctor_report.h.  No check changes anything,
 * runs anything untrusted or shows a key.
 *
 * May include: all but tui/screen.
 */
#ifndef IK_CLI_DOCTOR_H
#define IK_CLI_DOCTOR_H

#include "core/options.h"
#include "core/setup.h"

/* Run all checks. Return the exit status: 1 if something is wrong. */
int ik_doctor(const struct ik_options *options, struct ik_setup *setup);

#endif
