/*
 * trust_file: read and write trust.json, and the entry of one directory in it.
 *
 * Internal to guard/trust.h.  May include: util, json, guard/trust.h.
 */
#ifndef IK_GUARD_TRUST_FILE_H
#define IK_GUARD_TRUST_FILE_H

#include "guard/trust.h"
#include "json/scan.h"
#include "util/clock.h"

/* A trusted file. */
struct ik_trust_record {
	char *name; /* relative to the directory, else absolute */
	char digest[IK_SHA256_TEXT];
	char when[IK_CLOCK_TEXT];    /* it was trusted; may be empty */
	struct ik_identity identity; /* only the size is valid if it was not seen */
	bool seen;
};

/* What trust.json says about one directory. */
struct ik_trust_entry {
	struct ik_trust_record *records; /* sorted by name */
	size_t count, capacity;
	bool refused;
};

void ik_trust_entry_done(struct ik_trust_entry *entry);

/* Return the record with that name; NULL: there is none. */
struct ik_trust_record *ik_trust_entry_find(const struct ik_trust_entry *entry, const char *name);

/* The same, but create the record if there is none. */
struct ik_trust_record *ik_trust_entry_make(struct ik_trust_entry *entry, const char *name);

/* The text of trust.json, checked. */
struct ik_trust_text {
	struct ik_buf bytes;             /* empty: there is no file */
	struct ik_json_span directories; /* within bytes; no value: there are none */
	struct ik_identity identity;     /* of the file */
};

/*
 * Read path. A missing file is an empty text and IK_OK. IK_INVALID: it is damaged; other errors: it
 * cannot be used, but must be left alone. Release *ret_text with ik_trust_text_done() in any case.
 */
enum ik_status ik_trust_text_read(const char *path, struct ik_trust_text *ret_text,
	struct ik_error *error) IK_MUST_USE;
void ik_trust_text_done(struct ik_trust_text *text);

/* Read the entry of directory. */
void ik_trust_text_entry(const struct ik_trust_text *text, const char *directory,
	struct ik_trust_entry *ret_entry);

/* Append the text with the entry of directory replaced. */
void ik_trust_text_write(const struct ik_trust_text *text, const char *directory,
	const struct ik_trust_entry *entry, struct ik_buf *out);

#endif
