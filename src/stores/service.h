/*
 * service: the common part of store programs: it answers requests (ikigai-store(7)), stores
 * journals, and exits when idle. Answers send lines and report failures in the database's error.
 *
 * May include: util, json, conversation, journal, stores, conversation/search_query.h.
 */
#ifndef IK_STORES_SERVICE_H
#define IK_STORES_SERVICE_H

#include "stores/database.h"

/* Answers the current request: sends its lines, and sets the database's error if it fails. */
struct ik_store_verb {
	const char *name;
	void (*answer)(struct ik_database *database);
	enum {
		IK_VERB_PLAIN,
		IK_VERB_LONG,  /* a cancellation ends it at once */
		IK_VERB_LOOK,  /* the same, and damage it finds isn't repaired */
		IK_VERB_APART, /* it needs no database */
		IK_VERB_CLOSED /* it needs the database closed */
	} kind;
};

/* Functions that differ between databases. */
struct ik_service {
	const struct ik_store_verb *verbs; /* ended by one without a name */
	/* Convert what earlier versions kept outside the database to journals. */
	void (*convert_old_files)(const struct ik_database *database, const char *journals);
	/* Make a damaged, closed database usable again; only_whole: only if nothing is lost. NULL if it
	 * can't. */
	void (*repair)(struct ik_database *database, bool only_whole);
	/* Clean up after a client that is gone, when its journals are stored. May be NULL. */
	void (*end)(struct ik_database *database);
};

/* Run the program "NAME DATABASE JOURNALS..." on standard input and output, with a closed database.
 * Return the exit status. */
int ik_service_run(const struct ik_service *service, struct ik_database *database, int argc,
	char **argv);

#endif
