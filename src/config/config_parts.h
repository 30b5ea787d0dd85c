/*
 * config_parts: what config.c and config_load.c share.
 *
 * Private to config.  May include: util, json, config.
 */
#ifndef IK_CONFIG_CONFIG_PARTS_H
#define IK_CONFIG_CONFIG_PARTS_H

#include "config/config_value.h"

/* Where each key's value comes from, in the order of the tables. */
struct ik_config_origins {
	enum ik_origin *keys;
	enum ik_origin *providers; /* one row for each provider with all provider keys;
	                              IK_ORIGIN_DEFAULT: not set */
};

/* A struct whose fields a table describes. */
struct ik_config_target {
	const struct ik_key_table *table;
	void *base;
	enum ik_origin *origins; /* in the order of the table */
};

struct ik_config_target ik_config_target(struct ik_config *config);

/* Return the entry of that name in providers; make it if there is none. */
struct ik_config_target ik_config_provider_target(struct ik_config *config, const char *name);

/* Store a valid value in its field and note its origin. */
void ik_config_store(const struct ik_config_target *target, const struct ik_config_key *key,
	struct ik_json_span value, enum ik_origin origin);

/* Is the value of a key with its own format (rules, bindings) valid? If not, *ret_place points to
 * the faulty part. */
enum ik_status ik_config_check_form(const struct ik_config *config, const struct ik_config_key *key,
	struct ik_json_span value, const char **ret_place, struct ik_error *error) IK_MUST_USE;

/*
 * Fail: subject ("--model", "config.json:7: \"model\"") is value, but must be wanted. Runs of
 * blanks in value are collapsed; long text is cut.
 */
enum ik_status ik_config_refuse(const char *subject, struct ik_json_span value, const char *wanted,
	struct ik_error *error);

#endif
