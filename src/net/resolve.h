/*
 * resolve: the addresses of a name, without waiting for them.
 *
 * Asks /etc/hosts, then the name servers of /etc/resolv.conf.
 *
 * Owns the request.  May include: util, loop.
 */
#ifndef IK_NET_RESOLVE_H
#define IK_NET_RESOLVE_H

#include "loop/loop.h"

#include <stddef.h>

struct ik_resolve;

/* Numeric addresses in the order of preference, valid during the call only; none: error is
 * a sentence. Never called inside ik_resolve_start(); the request is gone then. */
typedef void ik_resolved(void *arg, const char *const *addresses, size_t count, const char *error);

/* Begin to look for the addresses of a name (a numeric address is its own). */
struct ik_resolve *ik_resolve_start(struct ik_loop *loop, const char *name, ik_resolved *fn,
	void *arg);
struct ik_resolve *ik_resolve_close(struct ik_resolve *resolve);

#endif
