/*
 * doctor: ikigai doctor: is all there that a conversation needs?
 *
 * One line a check: ok, note or wrong, what was looked at, what was found, what to do.
 * Nothing is changed, nothing untrusted is run, no key is shown.
 *
 * May include: all but tui/screen.
 */
#ifndef IK_APP_DOCTOR_H
#define IK_APP_DOCTOR_H

#include "app/setup.h"

/* The exit status: 1 when something is wrong. */
int ik_doctor(struct ik_setup *setup);

#endif
