/*
 * connection: a store program's end of the line to its client: requests in, answers out, in JSON.
 *
 * A request is {"id":N,"do":"VERB",...}. Its answer is any number of lines that have its id, and one
 * that ends it: {"id":N,"done":true,...} or {"id":N,"error":{"code":"...","message":"..."}}. The
 * line {"do":"cancel","id":N} ends a request early, with the code CANCELLED. ikigai-store(7) has
 * all verbs.
 *
 * Requests are answered one after another; while one is at work, ik_connection_is_cancelled() looks
 * for its cancellation. Everything here may block.
 *
 * Owns the two streams.  May include: util, json.
 */
#ifndef IK_STORES_CONNECTION_H
#define IK_STORES_CONNECTION_H

#include "json/scan.h"
#include "util/buf.h"

struct ik_connection;

enum ik_connection_news { IK_CONNECTION_REQUEST, IK_CONNECTION_IDLE, IK_CONNECTION_END };

struct ik_connection *ik_connection_new(int in, int out);
struct ik_connection *ik_connection_free(struct ik_connection *connection);

/* Wait at most so long for a request, which is then the current one. IDLE: none came. END: the
 * client is gone. */
enum ik_connection_news ik_connection_wait(struct ik_connection *connection, int milliseconds);

/* A member of the current request. */
struct ik_json_span ik_connection_member(const struct ik_connection *connection, const char *name);
/* A member that is a string, in memory that lives as long as the request; NULL: it has none. */
const char *ik_connection_text(struct ik_connection *connection, const char *name);
/* A member that is a whole number, or what it is without it. */
int64_t ik_connection_number(const struct ik_connection *connection, const char *name,
	int64_t without);

/* Is another request waiting? */
bool ik_connection_has_input(struct ik_connection *connection);

/* Does nobody want the rest of the answer: cancelled, or the client is gone? */
bool ik_connection_is_cancelled(struct ik_connection *connection);

/* Begin a line of the answer in the returned buffer: {"id":N are there; append members, then send
 * it. */
struct ik_buf *ik_connection_begin(struct ik_connection *connection);
void ik_connection_send(struct ik_connection *connection);

/* Has a line of the answer been sent? */
bool ik_connection_has_answered(const struct ik_connection *connection);

/* End the answer: the line that was begun becomes the last, with "done" (IK_OK), or the error in
 * its place. */
void ik_connection_finish(struct ik_connection *connection, const struct ik_error *error);

/* Tell the client how far long work is, at most every 200 ms; once the next request is waited for, it has
 * ended. False: nobody wants the rest of the answer. */
bool ik_connection_progress(struct ik_connection *connection, const char *work, int64_t done,
	int64_t of);

/* Tell the client something that belongs to no request: {NAME:TEXT}. A "notice" is for the user. */
void ik_connection_tell(struct ik_connection *connection, const char *name, const char *text);

#endif
