/*
 * requests: the store program (ikigai-store(7)) as a child, the requests to it, and its answers.
 *
 * The program starts with the first request, and exits after some time without requests. It gets
 * neither the terminal nor any API keys. When this process is killed it stores what is left in the
 * journals, then exits.
 *
 * Requests are answered in order. If the program exits, unanswered requests are sent once more to a
 * new one; if that fails too, they fail with IK_UNAVAILABLE.
 *
 * Inside src/store only.  Owns the program and the requests.  May include: util, json, loop,
 * journal/event_line.h, store/answer.h.
 */
#ifndef IK_STORE_REQUESTS_H
#define IK_STORE_REQUESTS_H

#include "loop/loop.h"
#include "store/answer.h"

struct ik_requests;

/* Where the store is. */
struct ik_store_place {
	char *program;             /* the executable; NULL: nothing is stored */
	char *database;            /* sent over the socket, so that ps shows no password */
	char *locks;               /* directory of the lock files of sessions (holder.h) */
	char *journals, *spare;    /* directories of journals; spare may be NULL */
	char writer[IK_UUID_TEXT]; /* this process, in its journals */
};

struct ik_requests_events {
	/* A request was answered with this last line, so the database works; or error is not NULL. */
	void (*answered)(void *arg, struct ik_json_span line, const struct ik_error *error);
	/* An answer is taking long. */
	void (*slow)(void *arg);
	/* The program wrote a line that belongs to no request or names a journal. */
	void (*told)(void *arg, struct ik_json_span line);
};

/* place and events are borrowed. If nothing is stored, every request fails with IK_NOT_FOUND. A
 * program that has answered before is killed if it stays silent for patience_ms while a quick
 * request is pending; 0: never. */
struct ik_requests *ik_requests_new(struct ik_loop *loop, const struct ik_store_place *place,
	int64_t patience_ms, const struct ik_requests_events *events, void *arg);
/* Forget unanswered requests. Returns NULL. */
struct ik_requests *ik_requests_close(struct ik_requests *requests);

/* Forget all requests except the store's own, wait at most `milliseconds` for their answers, then at
 * most end_ms for the program to exit. The loop doesn't go on meanwhile: the owner of the store may be
 * half gone, and others live on. */
void ik_requests_finish(struct ik_requests *requests, int64_t milliseconds, int64_t end_ms);

enum {
	IK_REQUEST_CHANGES = 1,   /* send it even if its answer isn't wanted any more */
	IK_REQUEST_LONG = 2,      /* it may take any time */
	IK_REQUEST_BACKWARDS = 4, /* its events arrive newest first; hand them over oldest first */
	IK_REQUEST_PAGE = 8,      /* end the answer after IK_LIMIT_PAGE bytes */
	IK_REQUEST_APART = 16,    /* it needs no database */
	IK_REQUEST_OWN = 32       /* the store's own: its answer is wanted even at the end */
};
/* Queue a request with these members (json/write.h), the first of which is 'do':
 * ik_request(requests, 0, reader, arg, "'do':'find','prefix':'%s'", prefix). reader may be NULL. It
 * is sent between turns of the loop. */
struct ik_store_read *ik_request(struct ik_requests *requests, int flags, ik_store_reader *reader,
	void *arg, const char *members, ...) IK_PRINTF(5, 6);

#endif
