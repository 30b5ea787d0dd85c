/*
 * store-postgres ADDRESS JOURNALS: a store program (ikigai-store(7)) for a PostgreSQL server.
 */
#include "stores/postgres/add.h"
#include "stores/postgres/delete.h"
#include "stores/postgres/event_rows.h"
#include "stores/postgres/lease.h"
#include "stores/postgres/server.h"
#include "stores/postgres/words.h"
#include "stores/service.h"

static enum ik_status open_server(void *store, const char *address,
	struct ik_connection *connection, struct ik_error *error)
{
	return ik_server_open(store, address, connection, error);
}

static bool is_open(const void *store)
{
	const struct ik_server *server = store;

	return server->connection;
}

static void close_server(void *store)
{
	ik_server_close(store);
}

static void set_interruptible(void *store, bool on)
{
	struct ik_server *server = store;

	server->interruptible = on;
}

/* A connection that listens says by itself what happens, also that it is broken. */
static int watched(const void *store)
{
	const struct ik_server *server = store;

	return server->connection && server->listens ? PQsocket(server->connection) : -1;
}

static void heard(void *store)
{
	ik_lease_tell_heard(store);
}

static bool work(void *store)
{
	struct ik_error error;
	bool more = false;

	/* A search tells why, if it fails. */
	return ik_words_index_some(store, &more, &error) == IK_OK && more;
}

static const struct ik_store_verb verbs[] = {
	{ "newest", ik_pg_answer_newest, true },
	{ "find", ik_pg_answer_find, true },
	{ "list", ik_pg_answer_list, true },
	{ "page", ik_pg_answer_page, true },
	{ "after", ik_pg_answer_after, true },
	{ "part", ik_pg_answer_part, true },
	{ "search", ik_pg_answer_search, true },
	{ "lease", ik_pg_answer_lease, false },
	{ "delete", ik_pg_answer_delete, false },
};

int main(int argc, char **argv)
{
	static const struct ik_service service = {
		.name = "postgres",
		.intake = &ik_postgres_intake,
		.verbs = verbs,
		.verb_count = sizeof(verbs) / sizeof(verbs[0]),
		.open = open_server,
		.is_open = is_open,
		.close = close_server,
		.interruptible = set_interruptible,
		.watched = watched,
		.heard = heard,
		.work = work,
	};
	struct ik_server server = { .connection = NULL };

	return ik_service_run(&service, &server, argc, argv);
}
