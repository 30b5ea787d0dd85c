/*
 * program: a store program (ikigai-store(7)) as a child, and the lines that go to and fro.
 *
 * It is started when the first line is sent, and ends by itself when nothing has been asked for a
 * while; the next line starts another. It gets neither the terminal nor anybody's keys, and it
 * outlives this process: it stores what is left in the journals then, and ends.
 *
 * Inside src/store only.  Owns the socket.  May include: util, json, loop, journal/event_line.h.
 */
#ifndef IK_STORE_PROGRAM_H
#define IK_STORE_PROGRAM_H

#include "json/scan.h"
#include "loop/loop.h"

struct ik_store_program;

struct ik_store_program_options {
	const char *path;             /* of the executable */
	const char *database;         /* sent to it, so that no list of processes shows a password */
	const char *journals, *spare; /* directories of journals; NULL: there is no second one */
};

struct ik_store_program_events {
	/* A line that is a JSON object; valid during the call. */
	void (*line)(void *arg, struct ik_json_span object);
	/* It has ended, or was ended: what was asked and is not answered is lost. */
	void (*ended)(void *arg);
};

/* Nothing is started yet. options are copied, events borrowed. */
struct ik_store_program *ik_store_program_new(struct ik_loop *loop,
	const struct ik_store_program_options *options, const struct ik_store_program_events *events,
	void *arg);

/* Send a line, which ends with a line feed. On failure there is no program, and the error says why
 * (IK_NOT_FOUND: it is not installed). */
enum ik_status ik_store_program_send(struct ik_store_program *program, const char *line,
	size_t length, struct ik_error *error) IK_MUST_USE;

bool ik_store_program_is_running(const struct ik_store_program *program);

/* End it at once. Told as its end. */
void ik_store_program_kill(struct ik_store_program *program);

/* Outside the loop: wait for the program at most so long, and do what is due; false: it was silent,
 * or there is none. */
bool ik_store_program_wait(struct ik_store_program *program, int milliseconds);

/* Nothing more will be sent: let it end by itself. */
void ik_store_program_finish(struct ik_store_program *program);

/* Silent at once. Takes NULL, returns NULL. */
struct ik_store_program *ik_store_program_close(struct ik_store_program *program);

#endif
