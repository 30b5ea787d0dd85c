/*
 * config_value: one value of the configuration, read from and written as JSON.
 *
 * Private to config.  May include: util, json, config/config_keys.h.
 */
#ifndef IK_CONFIG_CONFIG_VALUE_H
#define IK_CONFIG_CONFIG_VALUE_H

#include "config/config_keys.h"
#include "json/scan.h"

/* Is value what key wants? */
bool ik_config_value_fits(const struct ik_config_key *key, struct ik_json_span value);

/* Put a value that fits into its field of the struct at base. */
void ik_config_value_store(const struct ik_config_key *key, struct ik_json_span value, void *base);

/* Release what the field holds. */
void ik_config_value_free(const struct ik_config_key *key, void *base);

/* Append the field as JSON (null where nothing was said), without what is secret. */
void ik_config_value_print(const struct ik_config_key *key, const void *base, struct ik_buf *out);

#endif
