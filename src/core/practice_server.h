/*
 * practice_server: the practice model on a loopback socket, so that the whole
 * path from libcurl to the envelope runs without key or network.
 *
 * Carries bytes; what is answered stands in provider/practice.c.
 * May include: all.
 */
#ifndef IK_CORE_PRACTICE_SERVER_H
#define IK_CORE_PRACTICE_SERVER_H

#include "loop/loop.h"

struct ik_practice_server;

struct ik_practice_server *ik_practice_server_new(struct ik_loop *loop, struct ik_error *error);
struct ik_practice_server *ik_practice_server_close(struct ik_practice_server *server);

/* "http://127.0.0.1:PORT/v1"; valid while the server lives. */
const char *ik_practice_server_url(const struct ik_practice_server *server);

#endif
