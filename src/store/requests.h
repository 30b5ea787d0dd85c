/*
 * requests: a store program (ikigai-store(7)) as a child, what is asked of it, and its answers.
 *
 * It is started when something is asked, and ends by itself when nothing has been asked for a while.
 * It gets neither the terminal nor anybody's keys, and it outlives this process: it stores what is
 * left in the journals then, and ends.
 *
 * Requests are answered one after another, in their order. What was asked of a program that ended
 * is asked once more; what it cannot answer then fails with IK_UNAVAILABLE.
 *
 * Inside src/store only.  Owns the socket and the requests.  May include: util, json, loop,
 * journal/event_line.h, store/answer.h.
 */
#ifndef IK_STORE_REQUESTS_H
#define IK_STORE_REQUESTS_H

#include "loop/loop.h"
#include "store/answer.h"

struct ik_requests;

struct ik_store_program {
	const char *path;             /* of the executable */
	const char *database;         /* sent to it, so that no list of processes shows a password */
	bool server;                  /* that one knows the holders of sessions, else there are files */
	const char *journals, *spare; /* directories of journals; NULL: there is no second one */
};

struct ik_requests_events {
	/* A request was answered, with this last line: the database can be used. Or not (then error is
	 * not NULL). */
	void (*answered)(void *arg, struct ik_json_span line, const struct ik_error *error);
	/* No answer has come for a while. */
	void (*slow)(void *arg);
	/* A line that belongs to no request, or is about a journal. */
	void (*told)(void *arg, struct ik_json_span line);
};

/* program is copied; NULL: nothing is stored, and all that is asked is answered with IK_NOT_FOUND.
 * events are borrowed. A program that has answered once, and is silent for patience_ms while
 * something is asked that should be quick, is ended; 0: never. */
struct ik_requests *ik_requests_new(struct ik_loop *loop, const struct ik_store_program *program,
	int64_t patience_ms, const struct ik_requests_events *events, void *arg);
/* What is not answered is forgotten. Takes NULL, returns NULL. */
struct ik_requests *ik_requests_close(struct ik_requests *requests);

/* Outside the loop: forget what others asked, and wait until the rest is answered, at most so long;
 * then let the program end, which it may take a while for, too. */
void ik_requests_finish(struct ik_requests *requests, int64_t milliseconds, int64_t end_ms);

enum {
	IK_REQUEST_CHANGES = 1,   /* it is sent even if nobody wants its answer any more */
	IK_REQUEST_LONG = 2,      /* it may take any time */
	IK_REQUEST_BACKWARDS = 4, /* its events come newest first, and are handed over oldest first */
	IK_REQUEST_PAGE = 8,      /* the answer ends after IK_LIMIT_PAGE bytes */
	IK_REQUEST_APART = 16,    /* it needs no database */
	IK_REQUEST_OWN = 32       /* of the store: its answer is wanted to the end */
};
/* Ask with some members (json/write.h), the first of which is 'do': ik_request(requests, 0, reader,
 * arg, "'do':'find','prefix':'%s'", prefix). reader may be NULL. It is sent between turns of the
 * loop. */
struct ik_store_read *ik_request(struct ik_requests *requests, int flags, ik_store_reader *reader,
	void *arg, const char *members, ...) IK_PRINTF(5, 6);
/* What the error says (new memory, taken over) if there is nothing such: IK_NOT_FOUND. */
void ik_request_missing(struct ik_store_read *read, char *sentence);
/* The answer's mark. */
void ik_request_mark(struct ik_store_read *read, int64_t mark);

#endif
