/*
 * config_parts: what config.c and config_load.c share.
 *
 * Private to config.  May include: util, json, config.
 */
#ifndef IK_CONFIG_CONFIG_PARTS_H
#define IK_CONFIG_CONFIG_PARTS_H

#include "config/config_value.h"

/* Where each key has its value from, in the order of the tables. */
struct ik_config_origins {
	enum ik_origin *keys;
	enum ik_origin *providers; /* a row of all provider keys for each provider; IK_ORIGIN_DEFAULT:
	                              never said */
};

/* A struct whose fields a table describes. */
struct ik_config_target {
	const struct ik_key_table *table;
	void *base;
	enum ik_origin *origins; /* in the order of the table */
};

struct ik_config_target ik_config_target(struct ik_config *config);

/* The entry of that name in providers, made if there is none. */
struct ik_config_target ik_config_provider_target(struct ik_config *config, const char *name);

/* Put a value that fits into its field and note where it came from. */
void ik_config_store(const struct ik_config_target *target, const struct ik_config_key *key,
	struct ik_json_span value, enum ik_origin origin);

/* Is the value of a key that has a form of its own (rules, bindings) sound? If not,
 * *ret_place points to what is wrong. */
enum ik_status ik_config_check_form(const struct ik_config *config, const struct ik_config_key *key,
	struct ik_json_span value, const char **ret_place, struct ik_error *error) IK_MUST_USE;

/*
 * Fail: subject ("--model", "config.json:7: \"model\"") is value, but must be
 * wanted. Blanks in value's text become one; long text is cut.
 */
enum ik_status ik_config_refuse(const char *subject, struct ik_json_span value, const char *wanted,
	struct ik_error *error);

#endif
