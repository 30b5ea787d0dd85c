/*
 * connection: a store program's connection to its client: JSON requests in, answers out.
 *
 * A request is {"id":N,"do":"VERB",...}. Its answer is any number of lines with its id, the last of
 * which is {"id":N,"done":true,...} or {"id":N,"error":{"code":"...","message":"..."}}. The line
 * {"do":"cancel","id":N} ends a request early, with the code CANCELLED. ikigai-store(7) lists all
 * verbs.
 *
 * Requests are answered in order; during one, ik_connection_is_cancelled() looks for its
 * cancellation. Everything here may block.
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

/* Wait at most `milliseconds` for a request, and make it the current one. IDLE: none came. END: the
 * client is gone. */
enum ik_connection_news ik_connection_wait(struct ik_connection *connection, int milliseconds);

/* Return a member of the current request. */
struct ik_json_span ik_connection_member(const struct ik_connection *connection, const char *name);
/* Return a string member, in memory that lives as long as the request; NULL if there is none. */
const char *ik_connection_text(struct ik_connection *connection, const char *name);
/* Return an integer member, or `without` if there is none. */
int64_t ik_connection_number(const struct ik_connection *connection, const char *name,
	int64_t without);

/* Is another request waiting? */
bool ik_connection_has_input(struct ik_connection *connection);

/* Is the rest of the answer unwanted: the request cancelled, or the client gone? */
bool ik_connection_is_cancelled(struct ik_connection *connection);

/* Start a line of the answer and return its buffer, which has {"id":N; append members, then send
 * it. */
struct ik_buf *ik_connection_begin(struct ik_connection *connection);
void ik_connection_send(struct ik_connection *connection);

/* Has a line of the answer been sent? */
bool ik_connection_has_answered(const struct ik_connection *connection);

/* End the answer: the current line becomes the last one, with "done" (IK_OK), or is replaced by the
 * error. */
void ik_connection_finish(struct ik_connection *connection, const struct ik_error *error);

/* Report the progress of long work, at most every 200 ms; ik_connection_wait() reports its end.
 * Return false if the rest of the answer is unwanted. */
bool ik_connection_progress(struct ik_connection *connection, const char *work, int64_t done,
	int64_t of);

/* Send a notice for the user, which belongs to no request. */
void ik_connection_notice(struct ik_connection *connection, const char *format, ...)
	IK_PRINTF(2, 3);

#endif
