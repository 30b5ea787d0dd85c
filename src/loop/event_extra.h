/*
 * event_extra: the part of libevent that talks to name servers, loaded on first use.
 *
 * The first frame does not need it, and neither do most sessions. After one successful
 * ik_event_extra_load(), files that include this call evdns_...() as usual. It is the one that
 * belongs to this process's libevent_core.
 *
 * Owns the table of functions, which lives as long as the process. May include: util, <event2/...>.
 */
#ifndef IK_LOOP_EVENT_EXTRA_H
#define IK_LOOP_EVENT_EXTRA_H

#include <event2/dns.h>

#include "util/err.h"

/* Load it unless it is loaded already; the error names the library. */
enum ik_status ik_event_extra_load(struct ik_error *error) IK_MUST_USE;

/* The functions used. */
/* clang-format off */
#define IK_EVENT_EXTRA_FUNCTIONS(FUNCTION) \
	FUNCTION(evdns_base_free) FUNCTION(evdns_base_new) FUNCTION(evdns_getaddrinfo) \
	FUNCTION(evdns_getaddrinfo_cancel)
/* clang-format on */

struct ik_event_extra {
#define IK_EVENT_EXTRA_MEMBER(name) __typeof__(name) *name##_;
	IK_EVENT_EXTRA_FUNCTIONS(IK_EVENT_EXTRA_MEMBER)
#undef IK_EVENT_EXTRA_MEMBER
};
extern struct ik_event_extra ik_event_extra;

#ifndef IK_EVENT_EXTRA_LOADER
#define evdns_base_free ik_event_extra.evdns_base_free_
#define evdns_base_new ik_event_extra.evdns_base_new_
#define evdns_getaddrinfo ik_event_extra.evdns_getaddrinfo_
#define evdns_getaddrinfo_cancel ik_event_extra.evdns_getaddrinfo_cancel_
#endif

#endif
