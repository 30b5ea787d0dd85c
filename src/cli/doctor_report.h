/*
 * doctor_report: the lines of `ikigai doctor`: what was checked, what was found, what to do; with
 * --json, an object on each line.
 *
 * May include: util, json, core/print.h.
 */
#ifndef IK_CLI_DOCTOR_REPORT_H
#define IK_CLI_DOCTOR_REPORT_H

#include <stdbool.h>

enum ik_doctor_finding { IK_FINDING_OK, IK_FINDING_NOTE, IK_FINDING_WRONG };

/* Start with json set, the rest zero. */
struct ik_doctor_report {
	bool json;
	bool wrong; /* a finding was IK_FINDING_WRONG */
	bool print_failed;
};

/* Print a line. label is N_() or a name; the sentence is sanitised for a terminal. */
void ik_doctor_say(struct ik_doctor_report *report, enum ik_doctor_finding finding,
	const char *label, const char *sentence);
/* The same, and free the sentence. */
void ik_doctor_say_free(struct ik_doctor_report *report, enum ik_doctor_finding finding,
	const char *label, char *sentence);

#endif
