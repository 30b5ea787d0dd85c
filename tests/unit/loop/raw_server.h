/*
 * raw_server: a socket that answers each connection with bytes from a script,
 * so that a client can be shown what no proper server would do.
 */
#ifndef IK_TESTS_LOOP_RAW_SERVER_H
#define IK_TESTS_LOOP_RAW_SERVER_H

#include "loop/loop.h"
#include "util/buf.h"

struct raw_server;

enum raw_end { RAW_CLOSE, RAW_RESET, RAW_STALL };

struct raw_script {
	const char *const *pieces; /* NULL-terminated; each its own write */
	int pause_ms;              /* between two pieces */
	enum raw_end end;          /* what comes after the last */
	bool answer_at_once;       /* not only when the request is whole */
	bool hangs_up_on_second;   /* request of a connection, without an answer */
};

/* The script for one whole request; what it points to is used until the connection ends. */
typedef struct raw_script raw_server_ask(void *arg, const char *body, size_t length);

struct raw_server *raw_server_new(struct ik_loop *loop, const struct raw_script *script);
/* The same with a script for each request; every connection takes one. */
struct raw_server *raw_server_new_asking(struct ik_loop *loop, raw_server_ask *ask, void *arg);
struct raw_server *raw_server_close(struct raw_server *server);

int raw_server_port(const struct raw_server *server);
/* All bytes of all requests. */
const struct ik_buf *raw_server_request(const struct raw_server *server);
/* Connections that the client closed. */
int raw_server_clients_gone(const struct raw_server *server);

#endif
