/*
 * service: what every store program does: answers requests, takes in journals, ends when idle.
 *
 * A program gives its database as a table of functions and verbs of its own; the verbs hello, take
 * and sync are the same in all of them.
 *
 * May include: util, json, stores.
 */
#ifndef IK_STORES_SERVICE_H
#define IK_STORES_SERVICE_H

#include "stores/connection.h"
#include "stores/intake.h"

/* Answers the current request: sends its lines, and returns how it ended. */
struct ik_store_verb {
	const char *name;
	enum ik_status (*answer)(void *store, struct ik_error *error);
	bool reads; /* a cancellation ends it at once */
};

struct ik_service {
	const char *name; /* "sqlite" */
	const struct ik_intake_ops *intake;
	const struct ik_store_verb *verbs;
	size_t verb_count;

	/* Open the database that the command line names. */
	enum ik_status (*open)(void *store, const char *database, struct ik_connection *connection,
		struct ik_error *error);
	/* Is it open? A connection may be lost with any request. */
	bool (*is_open)(const void *store);
	/* Close it, or what is left of it after open failed. */
	void (*close)(void *store);
	/* May statements of the current request be interrupted by its cancellation? */
	void (*interruptible)(void *store, bool on);
	/* A descriptor that becomes readable when the database says something by itself, and what to do
	 * then; it is also called after each request. NULL: it never does. The program does not end by
	 * itself while there is one (-1: there is none now). */
	int (*watched)(const void *store);
	void (*heard)(void *store);
	/* Do some of what can wait (the index of words); true: there is more. */
	bool (*work)(void *store);
};

/* Run the program "NAME DATABASE JOURNALS" on standard input and output; its exit status. */
int ik_service_run(const struct ik_service *service, void *store, int argc, char **argv);

#endif
