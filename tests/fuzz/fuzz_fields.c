/*
 * fuzz_fields: whatever a file begins with is read within its bytes, into values that are
 * valid UTF-8, and the body is the end of the file.
 */
#include <stdlib.h>
#include <string.h>

#include "tests/fuzz/fuzz.h"

#include "util/front_matter.h"
#include "util/utf8.h"

static void demand(bool truth)
{
	if (!truth)
		abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	/* Memory of just this size, so that a byte too far is noticed. */
	char *text = malloc(size > 0 ? size : 1);
	struct ik_front_matter matter;
	struct ik_error error;

	demand(text);
	if (size > 0)
		memcpy(text, data, size);
	if (ik_front_matter_read(&matter, "x.md", text, size, &error) == IK_OK)
		demand(matter.body + matter.body_length == text + size);
	else
		demand(strncmp(error.text, "x.md:", 5) == 0);
	for (size_t i = 0; i < matter.count; i++) {
		const char *value = matter.fields[i].value;

		demand(ik_utf8_valid_prefix(value, strlen(value)) == strlen(value));
		demand(ik_front_matter_field(&matter, matter.fields[i].name));
	}
	ik_front_matter_done(&matter);
	free(text);
	return 0;
}
