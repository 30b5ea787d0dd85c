/*
 * backend: what a kind of database must be able to do for the store.
 *
 * The store (store.c) keeps order, numbering, waiting and trying again; a
 * backend only reads and writes, or says why it cannot.
 *
 * May include: util, json, conversation, store/store.h.
 */
#ifndef IK_STORE_BACKEND_H
#define IK_STORE_BACKEND_H

#include "store/store.h"
#include "util/buf.h"

/* A session that this process writes to. */
struct ik_store_session {
	struct ik_store_session *next;
	char id[IK_UUID_TEXT];
	char *directory; /* "" where not known */
	int64_t created_ms;
};

/* An event on its way. */
struct ik_record {
	struct ik_record *next;
	struct ik_store_session *session;
	struct ik_message *message;
};

struct ik_backend;

/*
 * Failures by status, which decides what the store does:
 *   IK_UNAVAILABLE  somebody else is at it: try again soon
 *   IK_TOO_LARGE    (write) the first record can never be stored: drop it
 *   IK_DENIED       this database will not be used: do not try again
 *   any other       try again, less and less often
 */
struct ik_backend_ops {
	const char *name;

	/* Open, make, migrate, unless it is open. Appends to notice what a person
	 * should know. Every other operation is called on an open backend only;
	 * one that finds its database gone bad closes it. */
	enum ik_status (*open)(struct ik_backend *backend, struct ik_buf *notice,
		struct ik_error *error);
	bool (*is_open)(const struct ik_backend *backend);

	/*
	 * Write records in order, all or none, at most count (a backend may take
	 * fewer in one go); *ret_count says how many. Each message
	 * gets the next sequence of its session; an event whose id is there already
	 * counts as written.
	 */
	enum ik_status (*write)(struct ik_backend *backend, struct ik_record *first,
		size_t count, size_t *ret_count, struct ik_error *error);

	/* Write a part of a large text, unless it is there; append one (IK_NOT_FOUND
	 * where it is not). */
	enum ik_status (*write_part)(struct ik_backend *backend, const char *id, size_t part,
		const char *bytes, size_t length, struct ik_error *error);
	enum ik_status (*read_part)(struct ik_backend *backend, const char *id, size_t part,
		struct ik_buf *out, struct ik_error *error);

	/* As the functions of store/store.h. */
	enum ik_status (*newest)(struct ik_backend *backend, const char *directory,
		struct ik_session_info *ret_info, struct ik_error *error);
	enum ik_status (*find)(struct ik_backend *backend, const char *id_prefix,
		struct ik_session_info *ret_info, struct ik_error *error);
	enum ik_status (*page)(struct ik_backend *backend, const char *session, int64_t before,
		size_t count, struct ik_message ***ret_messages, size_t *ret_count,
		struct ik_error *error);
	enum ik_status (*list)(struct ik_backend *backend,
		bool (*each)(void *arg, const struct ik_session_info *info), void *arg,
		struct ik_error *error);

	struct ik_backend *(*free)(struct ik_backend *backend);
};

/* First member of every backend's own struct. */
struct ik_backend {
	const struct ik_backend_ops *ops;
};

struct ik_backend *ik_sqlite_new(const char *path);

/* The title of a session: the first words of its first message, on one line. */
char *ik_session_title(const char *text, size_t length);

#endif
