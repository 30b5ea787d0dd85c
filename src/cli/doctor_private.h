/*
 * doctor_private: what the files of the doctor share.
 *
 * doctor.c runs the checks one behind the other; doctor_places.c looks at what is on this
 * machine; doctor_postgres.c asks a database that is a server's; doctor_providers.c asks the
 * providers.
 */
#ifndef IK_CLI_DOCTOR_PRIVATE_H
#define IK_CLI_DOCTOR_PRIVATE_H

#include "agent/model_list.h"
#include "cli/doctor.h"

enum ik_doctor_finding { IK_FINDING_OK, IK_FINDING_NOTE, IK_FINDING_WRONG };

/* A provider that is asked. */
struct ik_doctor_provider {
	struct ik_doctor *doctor;
	char *name;
	struct ik_model_choice choice;
	struct ik_model_list *list; /* NULL: it has answered */
	enum ik_doctor_finding finding;
	char *sentence;
};

struct ik_doctor {
	struct ik_setup *setup;
	struct ik_loop *loop;
	struct ik_http *http;
	struct ik_timer *limit;
	struct ik_doctor_provider *providers;
	size_t provider_count, answered;
	bool json;
	bool wrong; /* something is */
	int status;
};

/* Print a line: label (N_(), or a name), what was found; sentence is sanitised for a terminal. */
void ik_doctor_say(struct ik_doctor *doctor, enum ik_doctor_finding finding, const char *label,
	const char *sentence);

void ik_doctor_places(struct ik_doctor *doctor);

/* Ask the database, where it is PostgreSQL's: turns the loop until it has answered. */
void ik_doctor_ask_postgres(struct ik_doctor *doctor);

/* Ask all that are configured or have a key; the loop is stopped when all have answered. */
void ik_doctor_ask_providers(struct ik_doctor *doctor);
void ik_doctor_providers_done(struct ik_doctor *doctor);

#endif
