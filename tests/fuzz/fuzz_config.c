/*
 * fuzz_config: whatever a configuration file holds, it is read or refused with a sentence, and
 * what was read is printed as JSON that is whole.
 *
 * The first byte says whose file it is.
 */
#include <stdlib.h>
#include <string.h>

#include "tests/fuzz/fuzz.h"

#include "config/config.h"
#include "util/limits.h"

static void demand(bool truth)
{
	if (!truth)
		abort();
}

/* Print a configuration; no secret of a header is in it. */
static void check_printed(const struct ik_config *config)
{
	struct ik_buf out;

	ik_buf_init(&out, IK_MIB(64));
	ik_config_print(config, true, &out);
	demand(ik_buf_status(&out) == IK_OK);
	demand(ik_json_check(out.data, out.length, NULL, NULL) == IK_OK);
	ik_buf_clear(&out);
	ik_config_print(config, false, &out);
	demand(ik_buf_status(&out) == IK_OK && out.length > 0);
	ik_buf_done(&out);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	enum ik_origin origin = size > 0 && data[0] % 2 ? IK_ORIGIN_PROJECT : IK_ORIGIN_USER;
	struct ik_error error = { .status = IK_OK };
	struct ik_config *config;
	enum ik_status status;
	struct ik_buf text;

	if (size == 0)
		return 0;
	config = ik_config_new();
	demand(config != NULL);
	ik_buf_init(&text, IK_LIMIT_CONFIG);
	ik_buf_append(&text, (const char *)data + 1, size - 1);
	status = ik_config_load_text(config, "config.json", &text, origin, &error);
	ik_buf_done(&text);
	demand((status == IK_OK) == (error.text[0] == '\0'));
	for (size_t i = 0; i < config->warnings.count; i++)
		demand(config->warnings.items[i][0] != '\0');
	check_printed(config);
	ik_config_free(config);
	return 0;
}
