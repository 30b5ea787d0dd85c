/*
 * trust_file: what trust.c and trust_file.c share.
 *
 * Private to config.  May include: util, json, guard/trust.h.
 */
#ifndef IK_GUARD_TRUST_FILE_H
#define IK_GUARD_TRUST_FILE_H

#include "guard/trust.h"
#include "json/scan.h"
#include "util/clock.h"

/* A file that is trusted. */
struct ik_trust_record {
	char *name; /* below the directory, else absolute */
	char digest[IK_SHA256_TEXT];
	char when[IK_CLOCK_TEXT];    /* it was trusted; perhaps empty */
	struct ik_identity identity; /* size alone where it was not seen */
	bool seen;
};

/* What the file says of one directory. */
struct ik_trust_entry {
	struct ik_trust_record *records; /* sorted by name */
	size_t count, capacity;
	bool refused;
};

void ik_trust_entry_done(struct ik_trust_entry *entry);

/* The record of that name; NULL: there is none. */
struct ik_trust_record *ik_trust_entry_find(const struct ik_trust_entry *entry, const char *name);

/* The same, made in its place when there is none. */
struct ik_trust_record *ik_trust_entry_make(struct ik_trust_entry *entry, const char *name);

/* The text of trust.json, read and checked. */
struct ik_trust_text {
	struct ik_buf bytes;             /* empty: there is no file */
	struct ik_json_span directories; /* within them; no value: there is none */
	struct ik_identity identity;     /* of the file */
};

/*
 * Read path. No file: nothing in it, IK_OK. IK_INVALID: it is damaged; others: it
 * cannot be used, but is to be left alone. ret_text is to be released in any case,
 * by ik_trust_text_done().
 */
enum ik_status ik_trust_text_read(const char *path, struct ik_trust_text *ret_text,
	struct ik_error *error) IK_MUST_USE;
void ik_trust_text_done(struct ik_trust_text *text);

/* What it says of directory. */
void ik_trust_text_entry(const struct ik_trust_text *text, const char *directory,
	struct ik_trust_entry *ret_entry);

/* Append the text with directory's entry in place of its old one. */
void ik_trust_text_write(const struct ik_trust_text *text, const char *directory,
	const struct ik_trust_entry *entry, struct ik_buf *out);

#endif
