/*
 * config_keys: every key of the configuration, in one table, and how to read and write a value of
 * each type as JSON.
 *
 * Used by the files of config, and to list keys (help, man page). May include: util, json,
 * config/config.h.
 */
#ifndef IK_CONFIG_CONFIG_KEYS_H
#define IK_CONFIG_CONFIG_KEYS_H

#include "config/config.h"

enum ik_key_type {
	IK_KEY_BOOL,     /* bool */
	IK_KEY_INTEGER,  /* int64_t, from least to most */
	IK_KEY_DURATION, /* int64_t, milliseconds, written "30s" or "1m30s" */
	IK_KEY_PRICE,    /* double, 0 or more */
	IK_KEY_TEXT,     /* char *, not empty */
	IK_KEY_CHOICE,   /* char *, one of choices */
	IK_KEY_LIST,     /* struct ik_string_list */
	IK_KEY_HEADERS,  /* the same for "Name: value", also written {Name: value} */
	IK_KEY_TIMEOUTS, /* tools.timeouts */
	IK_KEY_RULES,    /* char *, JSON text of rules (config/rules.h) */
	IK_KEY_MEMBERS,  /* char *, JSON text of an object with any members */
	IK_KEY_BINDINGS  /* char *, JSON text that config.check_keys accepts */
};

struct ik_config_key {
	const char *name;
	enum ik_key_type type;
	size_t offset;              /* offset of the field in struct ik_config or ik_provider_config */
	size_t set_offset;          /* offset of a bool that becomes true when the key is set; 0:
	                               none */
	const char *standard;       /* default as JSON; NULL: not set */
	int64_t least, most;        /* limits of a number */
	const char *const *choices; /* NULL-terminated */
	bool project;               /* may a project file set it? */
	const char *variable;       /* environment variable, or NULL */
	const char *meaning;        /* N_() text */
};

struct ik_key_table {
	const struct ik_config_key *keys;
	size_t count;
};

extern const struct ik_key_table ik_config_keys;   /* fields of struct ik_config */
extern const struct ik_key_table ik_provider_keys; /* fields of providers.NAME */

/* Environment variables that set a key of a built-in provider. */
struct ik_provider_variable {
	const char *variable, *key;
};
extern const struct ik_provider_variable ik_provider_variables[]; /* ends with NULLs */

const struct ik_config_key *ik_config_key_find(const struct ik_key_table *table, const char *name);

/*
 * Find a key by its full name, including "providers.NAME.KEY". NAME may contain dots; *ret_provider
 * gets it in new memory, or NULL for a plain key.
 */
const struct ik_config_key *ik_config_key_named(const char *name, char **ret_provider);

/* Is name the first part of any key ("tools" of "tools.watch")? */
bool ik_config_key_is_group(const struct ik_key_table *table, const char *name);

/* Append, in words, which values a key accepts. */
void ik_config_key_wanted(const struct ik_config_key *key, struct ik_buf *out);

/* Append the JSON that a key expects for a plain text, or a string if the text is nothing else. */
void ik_config_value_read(const struct ik_config_key *key, const char *text, struct ik_buf *out);

/* Is value valid for key? */
bool ik_config_value_fits(const struct ik_config_key *key, struct ik_json_span value);

/* Store a valid value in its field of the struct at base. */
void ik_config_value_store(const struct ik_config_key *key, struct ik_json_span value, void *base);

/* Free the field's value. */
void ik_config_value_free(const struct ik_config_key *key, void *base);

/* Append the field as JSON (null if not set), without secrets. */
void ik_config_value_print(const struct ik_config_key *key, const void *base, struct ik_buf *out);

#endif
