/*
 * config_value: read and write a single configuration value as JSON.
 *
 * Private to config. May include: util, json, config/config_keys.h.
 */
#ifndef IK_CONFIG_CONFIG_VALUE_H
#define IK_CONFIG_CONFIG_VALUE_H

#include "config/config_keys.h"
#include "json/scan.h"

/* Is value valid for key? */
bool ik_config_value_fits(const struct ik_config_key *key, struct ik_json_span value);

/* Store a valid value in its field of the struct at base. */
void ik_config_value_store(const struct ik_config_key *key, struct ik_json_span value, void *base);

/* Release what the field holds. */
void ik_config_value_free(const struct ik_config_key *key, void *base);

/* Append the field as JSON (null if not set), without secrets. */
void ik_config_value_print(const struct ik_config_key *key, const void *base, struct ik_buf *out);

#endif
