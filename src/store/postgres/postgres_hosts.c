#include "store/postgres/postgres_private.h"

#include <arpa/inet.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "net/resolve.h"
#include "util/alloc.h"
#include "util/log.h"
#include "util/redact.h"
#include "util/text.h"

/* More hosts, and addresses of all of them, are not taken. */
#define MOST_PLACES 32

/* How long a host may be silent where the address has no connect_timeout. */
#define CONNECT_MS 10000

/* A host to try: its name with one of its addresses. */
struct postgres_hosts_place {
	char *host, *address, *port;
};

struct ik_pq_hosts {
	struct ik_loop *loop;
	ik_pq_hosts_found *fn; /* NULL: closed */
	void *arg;
	PQconninfoOption *options; /* NULL: uri is no good */
	struct ik_error error;
	struct postgres_hosts_place places[MOST_PLACES];
	size_t count;
	const char *hosts, *addresses, *ports; /* what is left of the lists; borrowed */
	char *host, *port;                     /* the one that is looked up */
	struct ik_resolve *resolve;
	struct ik_pq_parameters parameters;
	char *lists[3];
	bool several; /* also when only one is left to try */
};

bool ik_postgres_is_uri(const char *uri)
{
	static const char *const words[] = {
		"host",
		"hostaddr",
		"port",
		"dbname",
		"user",
		"service",
	};
	size_t length = strcspn(uri, "= "), i;

	if (ik_text_starts(uri, "postgresql:") || ik_text_starts(uri, "postgres:"))
		return true;
	for (i = 0; uri[length] && i < sizeof(words) / sizeof(words[0]); i++) {
		if (strlen(words[i]) == length && strncmp(uri, words[i], length) == 0)
			return uri[length + strspn(uri + length, " ")] == '=';
	}
	return false;
}

/* The value of an option; NULL where there is none. */
static const char *value_of(const PQconninfoOption *options, const char *keyword)
{
	for (; options && options->keyword; options++) {
		if (ik_text_equal(options->keyword, keyword))
			return options->val && options->val[0] ? options->val : NULL;
	}
	return NULL;
}

/* ---- parameters ---- */

static void add(struct ik_pq_hosts *hosts, const char *keyword, const char *value, size_t *count)
{
	struct ik_pq_parameters *parameters = &hosts->parameters;

	parameters->keywords = ik_alloc_array(parameters->keywords, *count + 2, sizeof(char *));
	parameters->values = ik_alloc_array(parameters->values, *count + 2, sizeof(char *));
	parameters->keywords[*count] = keyword;
	parameters->values[(*count)++] = value;
	parameters->keywords[*count] = parameters->values[*count] = NULL;
}

static const char *nothing_for_null(const char *text)
{
	return text ? text : "";
}

/* The three lists of places, in step. */
static void make_lists(struct ik_pq_hosts *hosts)
{
	struct ik_buf lists[3];
	size_t i, which;

	for (which = 0; which < 3; which++)
		ik_buf_init(&lists[which], 1 << 16);
	for (i = 0; i < hosts->count; i++) {
		const struct postgres_hosts_place *place = &hosts->places[i];

		ik_buf_printf(&lists[0], "%s%s", i ? "," : "", nothing_for_null(place->host));
		ik_buf_printf(&lists[1], "%s%s", i ? "," : "", nothing_for_null(place->address));
		ik_buf_printf(&lists[2], "%s%s", i ? "," : "", nothing_for_null(place->port));
	}
	for (which = 0; which < 3; which++) {
		free(hosts->lists[which]);
		hosts->lists[which] = ik_buf_take(&lists[which], NULL);
	}
}

/* How long a host may be silent; as in the library, 0 and below is no limit of the user's. */
static int64_t connect_ms(const PQconninfoOption *options)
{
	const char *text = value_of(options, "connect_timeout");
	long seconds = text ? strtol(text, NULL, 10) : 0;

	return seconds > 0 && seconds <= INT_MAX ? seconds * 1000 : CONNECT_MS;
}

/* Make the parameters for the places that are left. */
static void make_parameters(struct ik_pq_hosts *hosts)
{
	const PQconninfoOption *option;
	size_t count = 0;

	make_lists(hosts);
	for (option = hosts->options; option->keyword; option++) {
		if (option->val && option->val[0] && !ik_text_equal(option->keyword, "host") &&
			!ik_text_equal(option->keyword, "hostaddr") &&
			!ik_text_equal(option->keyword, "port") &&
			!ik_text_equal(option->keyword, "client_encoding"))
			add(hosts, option->keyword, option->val, &count);
	}
	add(hosts, "host", hosts->lists[0], &count);
	add(hosts, "hostaddr", hosts->lists[1], &count);
	add(hosts, "port", hosts->lists[2], &count);
	/* Whatever else speaks to servers from here. */
	add(hosts, "client_encoding", "UTF8", &count);
	/* Of several the one that can be written is meant. */
	if (hosts->several && !value_of(hosts->options, "target_session_attrs"))
		add(hosts, "target_session_attrs", "read-write", &count);
	if (!value_of(hosts->options, "application_name"))
		add(hosts, "fallback_application_name", "ikigai", &count);
	hosts->parameters.connect_ms = connect_ms(hosts->options);
}

/* Deferred: all places are known. */
static void tell(void *arg)
{
	struct ik_pq_hosts *hosts = arg;

	if (hosts->count == 0) {
		hosts->fn(hosts->arg, NULL, &hosts->error);
		return;
	}
	hosts->several = hosts->count > 1;
	make_parameters(hosts);
	hosts->fn(hosts->arg, &hosts->parameters, NULL);
}

/* ---- places ---- */

/* The next entry of a list with commas, in new memory; NULL at its end. */
static char *next_entry(const char **list)
{
	const char *start = *list;
	size_t length;

	if (!start)
		return NULL;
	length = strcspn(start, ",");
	*list = start[length] ? start + length + 1 : NULL;
	return ik_strndup(start, length);
}

static void add_place(struct ik_pq_hosts *hosts, const char *host, const char *address,
	const char *port)
{
	struct postgres_hosts_place *place = &hosts->places[hosts->count];

	if (hosts->count == MOST_PLACES)
		return;
	hosts->count++;
	place->host = host ? ik_strdup(host) : NULL;
	place->address = address ? ik_strdup(address) : NULL;
	place->port = port ? ik_strdup(port) : NULL;
}

/* A numeric address as the library writes it; NULL: it is none. New memory. */
static char *numeric_address(const char *text)
{
	unsigned char bytes[sizeof(struct in6_addr)];
	char normal[INET6_ADDRSTRLEN];
	int family = strchr(text, ':') ? AF_INET6 : AF_INET;

	if (inet_pton(family, text, bytes) != 1 || !inet_ntop(family, bytes, normal, sizeof(normal)))
		return NULL;
	return ik_strdup(normal);
}

/* Is it a name that has to be looked up, not an address or the directory of a socket? */
static bool is_name(const char *host)
{
	char *address;

	if (!host || !host[0] || host[0] == '/' || host[0] == '@')
		return false;
	address = numeric_address(host);
	free(address);
	return !address;
}

static void look_up_next(struct ik_pq_hosts *hosts);

static void on_resolved(void *arg, const char *const *addresses, size_t count, const char *error)
{
	struct ik_pq_hosts *hosts = arg;
	size_t i;

	hosts->resolve = NULL;
	for (i = 0; i < count; i++)
		add_place(hosts, hosts->host, addresses[i], hosts->port);
	if (error)
		ik_error_set(&hosts->error, IK_IO, "%s", error);
	look_up_next(hosts);
}

/* Go through the lists; a name that is to be looked up interrupts it. */
static void look_up_next(struct ik_pq_hosts *hosts)
{
	while (hosts->hosts || hosts->addresses) {
		char *address = next_entry(&hosts->addresses), *port, *normal;

		free(hosts->host);
		hosts->host = next_entry(&hosts->hosts);
		/* One port is everybody's. */
		port = next_entry(&hosts->ports);
		if (port) {
			free(hosts->port);
			hosts->port = port;
		}
		if (!(address && address[0]) && is_name(hosts->host)) {
			free(address);
			hosts->resolve = ik_resolve_start(hosts->loop, hosts->host, on_resolved, hosts);
			return;
		}
		/* Where the connection is being made to is told in this form (is_place_of). */
		normal = numeric_address(address && address[0] ? address : nothing_for_null(hosts->host));
		if (normal) {
			free(address);
			address = normal;
		}
		add_place(hosts, hosts->host, address, hosts->port);
		free(address);
	}
	ik_loop_defer(hosts->loop, tell, hosts);
}

void ik_pq_take_defaults(PQconninfoOption *options)
{
	/* The library reads a service file by this variable only. */
	static const char variable[] = "PGSERVICE";
	const char *service = value_of(options, "service");
	char *before = getenv(variable) ? ik_strdup(getenv(variable)) : NULL;
	PQconninfoOption *defaults, *option;

	if (service)
		(void)setenv(variable, service, 1);
	defaults = PQconndefaults();
	if (service && before)
		(void)setenv(variable, before, 1);
	else if (service)
		(void)unsetenv(variable);
	free(before);
	for (option = options; option->keyword; option++) {
		const char *value = value_of(defaults, option->keyword);

		/* The library takes it over: it frees it with the others. */
		if (!option->val && value)
			option->val = ik_strdup(value);
	}
	PQconninfoFree(defaults);
}

struct ik_pq_hosts *ik_pq_hosts_start(struct ik_loop *loop, const char *uri, ik_pq_hosts_found *fn,
	void *arg)
{
	struct ik_pq_hosts *hosts = ik_alloc(sizeof(*hosts));
	char *why = NULL, *shown = ik_redact(uri);

	hosts->loop = loop;
	hosts->fn = fn;
	hosts->arg = arg;
	hosts->options = PQconninfoParse(uri, &why);
	if (!hosts->options) {
		/* Where a password is, the library's words may have a part of it. */
		ik_error_set(&hosts->error, IK_DENIED,
			_("The address of the database, %s, cannot be understood%s%s"), shown,
			why && ik_text_equal(shown, uri) ? ": " : ".",
			why && ik_text_equal(shown, uri) ? why : "");
		ik_loop_defer(loop, tell, hosts);
	} else {
		ik_pq_take_defaults(hosts->options);
		hosts->hosts = value_of(hosts->options, "host");
		hosts->addresses = value_of(hosts->options, "hostaddr");
		hosts->ports = value_of(hosts->options, "port");
		if (!hosts->hosts && !hosts->addresses)
			add_place(hosts, NULL, NULL, hosts->ports);
		look_up_next(hosts);
	}
	if (why)
		PQfreemem(why);
	free(shown);
	return hosts;
}

int64_t ik_pq_hosts_limit_ms(const struct ik_pq_hosts *hosts)
{
	return connect_ms(hosts->options);
}

bool ik_pq_hosts_skip(struct ik_pq_hosts *hosts)
{
	if (!hosts || !hosts->resolve)
		return false;
	hosts->resolve = ik_resolve_close(hosts->resolve);
	ik_error_set(&hosts->error, IK_IO, _("The address of %s is not known: %s"), hosts->host,
		_("no name server answers"));
	look_up_next(hosts);
	return true;
}

bool ik_pq_hosts_now(struct ik_pq_hosts *hosts)
{
	if (hosts->resolve)
		return false;
	ik_loop_cancel_deferred(hosts->loop, tell, hosts);
	tell(hosts);
	return true;
}

static void free_place(struct postgres_hosts_place *place)
{
	free(place->host);
	free(place->address);
	free(place->port);
}

/* Is this where the connection is being made to? */
static bool is_place_of(const struct postgres_hosts_place *place, const PGconn *connection)
{
	const char *host = place->host && place->host[0] ? place->host : place->address;

	return (!host || ik_text_equal(host, PQhost(connection))) &&
		(!place->address || !place->address[0] ||
			ik_text_equal(place->address, PQhostaddr(connection))) &&
		(!place->port || !place->port[0] || ik_text_equal(place->port, PQport(connection)));
}

const struct ik_pq_parameters *ik_pq_hosts_next(struct ik_pq_hosts *hosts, const PGconn *connection)
{
	size_t i = 0;

	while (i < hosts->count && !is_place_of(&hosts->places[i], connection))
		i++;
	if (i == hosts->count || hosts->count == 1)
		return NULL;
	ik_log(IK_LOG_INFO, "store: %s, port %s: does not answer: trying the next", PQhost(connection),
		PQport(connection));
	free_place(&hosts->places[i]);
	hosts->count--;
	memmove(&hosts->places[i], &hosts->places[i + 1],
		(hosts->count - i) * sizeof(hosts->places[0]));
	make_parameters(hosts);
	return &hosts->parameters;
}

struct ik_pq_hosts *ik_pq_hosts_close(struct ik_pq_hosts *hosts)
{
	size_t i;

	if (!hosts)
		return NULL;
	ik_loop_cancel_deferred(hosts->loop, tell, hosts);
	hosts->resolve = ik_resolve_close(hosts->resolve);
	for (i = 0; i < hosts->count; i++)
		free_place(&hosts->places[i]);
	for (i = 0; i < 3; i++)
		free(hosts->lists[i]);
	free(hosts->host);
	free(hosts->port);
	free(hosts->parameters.keywords);
	free(hosts->parameters.values);
	if (hosts->options)
		PQconninfoFree(hosts->options);
	free(hosts);
	return NULL;
}
