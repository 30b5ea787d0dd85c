#include <stdlib.h>
#include <string.h>

#include "store/postgres/postgres_private.h"
#include "util/limits.h"
#include "util/redact.h"
#include "util/text.h"

/* What tells one database from another: with a role, or options, its tables may be others. */
/* clang-format off */
static const char *const parts[] = {
	"host", "hostaddr", "port", "dbname", "user", "options",
};
/* clang-format on */

/* What the library looks up where the address does not say it. */
/* clang-format off */
static const char *const variables[] = {
	"PGHOST", "PGHOSTADDR", "PGPORT", "PGDATABASE", "PGUSER", "PGOPTIONS", "PGSERVICE",
	"PGSERVICEFILE",
};
/* clang-format on */

static void put_part(struct ik_buf *out, const char *name, const char *value)
{
	ik_buf_printf(out, "%s%s='", out->length ? " " : "", name);
	for (; *value; value++) {
		if (*value == '\'' || *value == '\\')
			ik_buf_putc(out, '\\');
		ik_buf_putc(out, *value);
	}
	ik_buf_putc(out, '\'');
}

char *ik_postgres_name_unresolved(const char *uri)
{
	char *shown = ik_redact(uri);
	struct ik_buf out;
	size_t i;

	ik_buf_init(&out, IK_KIB(64));
	ik_buf_puts(&out, shown);
	for (i = 0; i < sizeof(variables) / sizeof(variables[0]); i++) {
		const char *value = getenv(variables[i]);

		if (value)
			put_part(&out, variables[i], value);
	}
	free(shown);
	return ik_buf_take(&out, NULL);
}

char *ik_postgres_name(const char *uri)
{
	PQconninfoOption *options = NULL;
	const PQconninfoOption *option;
	struct ik_buf out;
	size_t i;

	if (ik_pq_library_load(NULL) == IK_OK)
		options = PQconninfoParse(uri, NULL);
	if (!options)
		return ik_postgres_name_unresolved(uri);
	ik_pq_take_defaults(options);
	ik_buf_init(&out, IK_KIB(64));
	for (i = 0; i < sizeof(parts) / sizeof(parts[0]); i++) {
		for (option = options; option->keyword; option++) {
			if (option->val && option->val[0] && ik_text_equal(option->keyword, parts[i]))
				put_part(&out, parts[i], option->val);
		}
	}
	PQconninfoFree(options);
	return ik_buf_take(&out, NULL);
}
