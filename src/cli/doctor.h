/*
 * doctor: ikigai doctor: is all there that a conversation needs?
 *
 * One line a check: ok, note or wrong, what was looked at, what was found, what to do; with --json
 * each line is an object.
 * Nothing is changed, nothing untrusted is run, no key is shown.
 *
 * May include: all but tui/screen.
 */
#ifndef IK_CLI_DOCTOR_H
#define IK_CLI_DOCTOR_H

#include "core/options.h"
#include "core/setup.h"

/* The exit status: 1 when something is wrong. */
int ik_doctor(const struct ik_options *options, struct ik_setup *setup);

#endif
