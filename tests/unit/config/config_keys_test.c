#include "config/config_keys.h"
#include "util/text.h"

#include <string.h>

#include <criterion/criterion.h>

Test(config_keys, each_default_fits_its_own_key)
{
	for (size_t i = 0; i < ik_config_keys.count; i++) {
		const struct ik_config_key *key = &ik_config_keys.keys[i];
		struct ik_json_span value;

		if (!key->standard)
			continue;
		cr_assert_eq(ik_json_check(key->standard, strlen(key->standard), &value, NULL), IK_OK, "%s", key->name);
		cr_assert(ik_config_value_fits(key, value), "%s", key->name);
	}
}

/* What a table must be in itself. */
static void check_table(const struct ik_key_table *table)
{
	for (size_t i = 0; i < table->count; i++) {
		const struct ik_config_key *key = &table->keys[i];
		struct ik_buf wanted;

		cr_assert_eq(ik_config_key_find(table, key->name), key, "%s is there twice", key->name);
		cr_assert(!ik_config_key_is_group(table, key->name), "%s", key->name);
		cr_assert_gt(strlen(key->meaning), 10, "%s", key->name);
		cr_assert((key->type == IK_KEY_CHOICE) == (key->choices != NULL), "%s", key->name);
		if (key->type == IK_KEY_INTEGER || key->type == IK_KEY_DURATION || key->type == IK_KEY_TIMEOUTS)
			cr_assert_lt(key->least, key->most, "%s", key->name);
		ik_buf_init(&wanted, 1000);
		ik_config_key_wanted(key, &wanted);
		cr_assert_gt(wanted.length, 5, "%s", key->name);
		cr_assert_eq(ik_buf_status(&wanted), IK_OK);
		ik_buf_done(&wanted);
	}
}

Test(config_keys, tables_are_sound)
{
	check_table(&ik_config_keys);
	check_table(&ik_provider_keys);
	cr_assert(ik_config_key_is_group(&ik_config_keys, "tools"));
	cr_assert(!ik_config_key_is_group(&ik_config_keys, "tool"));
	cr_assert_null(ik_config_key_find(&ik_config_keys, "tools"));
}

Test(config_keys, a_project_may_not_name_what_is_run_or_where_secrets_go)
{
	static const char *const guarded[] = { "tools.system_dir", "tools.user_dir", "tools.project_dir",
		"tools.env", "custom_tools.global_dir", "custom_tools.local_dir", "custom_tools.env_whitelist",
		"database", "policy", "http.proxy", "http.ca_file" };

	for (size_t i = 0; i < sizeof(guarded) / sizeof(guarded[0]); i++)
		cr_assert(!ik_config_key_find(&ik_config_keys, guarded[i])->project, "%s", guarded[i]);
}
