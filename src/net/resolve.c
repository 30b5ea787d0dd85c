#include "net/resolve.h"

#include <arpa/inet.h>
#include <netdb.h>
#include <netinet/in.h>
#include <stdlib.h>
#include <sys/socket.h>

#include <event2/dns.h>
#include <event2/util.h>

#include "loop/loop.h"
#include "util/alloc.h"
#include "util/text.h"

/* Limit on the addresses that are tried. */
#define MOST_ADDRESSES 16

struct ik_resolve {
	struct ik_loop *loop;
	struct evdns_base *dns;
	struct evdns_getaddrinfo_request *request; /* NULL: answered, or never started */
	ik_resolved *fn;                           /* NULL: closed */
	void *arg;
	char *name;
	char *addresses[MOST_ADDRESSES];
	size_t count;
	const char *why; /* why there are none */
};

/* Deferred: release it. */
static void release(void *arg)
{
	struct ik_resolve *resolve = arg;

	if (resolve->dns)
		evdns_base_free(resolve->dns, 0);
	while (resolve->count > 0)
		free(resolve->addresses[--resolve->count]);
	free(resolve->name);
	free(resolve);
}

/* Deferred: report the answer. */
static void tell(void *arg)
{
	struct ik_resolve *resolve = arg;
	char *sentence = NULL;

	if (resolve->count == 0)
		sentence = ik_format(_("The address of %s is not known: %s"), resolve->name,
			resolve->why ? resolve->why : _("it has none"));
	if (resolve->fn)
		resolve->fn(resolve->arg, (const char *const *)resolve->addresses, resolve->count,
			sentence);
	free(sentence);
	release(resolve);
}

/* Store an address as text. */
static void add_address(struct ik_resolve *resolve, const struct sockaddr *address)
{
	char text[INET6_ADDRSTRLEN];
	const void *bytes = address->sa_family == AF_INET6
		? (const void *)&((const struct sockaddr_in6 *)address)->sin6_addr
		: (const void *)&((const struct sockaddr_in *)address)->sin_addr;

	if (resolve->count < MOST_ADDRESSES && inet_ntop(address->sa_family, bytes, text, sizeof(text)))
		resolve->addresses[resolve->count++] = ik_strdup(text);
}

/* libevent's answer; it may arrive from inside the request. */
static void on_answer(int result, struct evutil_addrinfo *found, void *arg)
{
	struct ik_resolve *resolve = arg;
	struct evutil_addrinfo *entry;

	resolve->request = NULL;
	for (entry = found; entry; entry = entry->ai_next) {
		if (entry->ai_family == AF_INET || entry->ai_family == AF_INET6)
			add_address(resolve, entry->ai_addr);
	}
	if (found)
		evutil_freeaddrinfo(found);
	if (result != 0)
		resolve->why = evutil_gai_strerror(result);
	ik_loop_defer(resolve->loop, tell, resolve);
}

struct ik_resolve *ik_resolve_start(struct ik_loop *loop, const char *name, ik_resolved *fn,
	void *arg)
{
	const struct evutil_addrinfo hints = {
		.ai_family = AF_UNSPEC,
		.ai_socktype = SOCK_STREAM,
		.ai_protocol = IPPROTO_TCP,
	};
	struct ik_resolve *resolve = ik_alloc(sizeof(*resolve));
	struct evdns_getaddrinfo_request *request;

	resolve->loop = loop;
	resolve->fn = fn;
	resolve->arg = arg;
	resolve->name = ik_strdup(name);
	resolve->dns = evdns_base_new(ik_loop_base(loop),
		EVDNS_BASE_INITIALIZE_NAMESERVERS | EVDNS_BASE_DISABLE_WHEN_INACTIVE);
	if (!resolve->dns) {
		resolve->why = _("no name server can be used");
		ik_loop_defer(loop, tell, resolve);
		return resolve;
	}
	request = evdns_getaddrinfo(resolve->dns, name, NULL, &hints, on_answer, resolve);
	resolve->request = request; /* NULL if it has already answered */
	return resolve;
}

struct ik_resolve *ik_resolve_close(struct ik_resolve *resolve)
{
	if (!resolve)
		return NULL;
	resolve->fn = NULL;
	if (resolve->request)
		evdns_getaddrinfo_cancel(resolve->request); /* reports an error in a later turn */
	return NULL;
}
