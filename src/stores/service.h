/*
 * service: what every store program does: answers requests, as ikigai-store(7) says, takes in
 * journals, ends when idle. Each answer sends its lines and fails by the database's error.
 *
 * May include: util, json, conversation, journal, stores, conversation/search_query.h.
 */
#ifndef IK_STORES_SERVICE_H
#define IK_STORES_SERVICE_H

#include "stores/database.h"

/* Answers the current request: sends its lines; the database's error says how it ended. */
struct ik_store_verb {
	const char *name;
	void (*answer)(struct ik_database *database);
	enum {
		IK_VERB_PLAIN,
		IK_VERB_LONG,  /* a cancellation ends it at once */
		IK_VERB_LOOK,  /* the same, and damage that it sees is not repaired */
		IK_VERB_APART, /* it needs no database */
		IK_VERB_CLOSED /* it needs the database closed */
	} kind;
};

/* What only one kind of database has. */
struct ik_service {
	const struct ik_store_verb *verbs; /* one without a name ends them */
	/* Turn what earlier versions kept outside the database into journals. */
	void (*convert_old_files)(const struct ik_database *database, const char *journals);
	/* Make a closed database that is damaged usable again; only_whole: if nothing is lost by it. NULL:
	 * it cannot. */
	void (*repair)(struct ik_database *database, bool only_whole);
	/* The client is gone, and what it has left is stored. NULL: nothing needs to be done. */
	void (*end)(struct ik_database *database);
};

/* Run the program "NAME DATABASE JOURNALS..." on standard input and output, with a database that is
 * closed; its exit status. */
int ik_service_run(const struct ik_service *service, struct ik_database *database, int argc,
	char **argv);

#endif
