/*
 * resolve: look up the addresses of a name without blocking.
 *
 * Consults /etc/hosts, then the name servers of /etc/resolv.conf.
 *
 * Owns the request. May include: util, loop.
 */
#ifndef IK_NET_RESOLVE_H
#define IK_NET_RESOLVE_H

#include "loop/loop.h"

#include <stddef.h>

struct ik_resolve;

/* Numeric addresses in order of preference, only valid during the call; if there are none, error is
 * a sentence. Never called from inside ik_resolve_start(). The request is released afterwards. */
typedef void ik_resolved(void *arg, const char *const *addresses, size_t count, const char *error);

/* Start looking up a name (a numeric address resolves to itself). */
struct ik_resolve *ik_resolve_start(struct ik_loop *loop, const char *name, ik_resolved *fn,
	void *arg);
struct ik_resolve *ik_resolve_close(struct ik_resolve *resolve);

#endif
