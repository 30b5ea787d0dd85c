#include "tui/text/quantity.h"

#include <inttypes.h>

#include "util/limits.h"
#include "util/text.h"

void ik_elapsed_put(struct ik_buf *out, int64_t seconds)
{
	if (seconds < 60)
		ik_buf_printf(out, _("%ds"), (int)seconds);
	else if (seconds < 3600)
		ik_buf_printf(out, _("%dm %02ds"), (int)(seconds / 60), (int)(seconds % 60));
	else
		ik_buf_printf(out, _("%dh %02dm"), (int)(seconds / 3600), (int)(seconds / 60 % 60));
}

void ik_duration_put(struct ik_buf *out, int64_t milliseconds)
{
	if (milliseconds < 1000)
		ik_buf_printf(out, _("%d ms"), (int)milliseconds);
	else if (milliseconds < 60000)
		ik_buf_printf(out, _("%d.%d s"), (int)(milliseconds / 1000),
			(int)(milliseconds / 100 % 10));
	else
		ik_elapsed_put(out, milliseconds / 1000);
}

void ik_age_text(struct ik_buf *out, int64_t age_ms)
{
	long long minutes = (long long)(age_ms / 60000), hours = minutes / 60, days = hours / 24;

	if (minutes < 1)
		ik_buf_puts(out, _("now"));
	else if (hours < 1)
		ik_buf_printf(out, _("%lld min"), minutes);
	else if (days < 1)
		ik_buf_printf(out, _("%lld h"), hours);
	else if (days < 365)
		/* Translators: days */
		ik_buf_printf(out, _("%lld d"), days);
	else
		/* Translators: years */
		ik_buf_printf(out, _("%lld y"), days / 365);
}

void ik_count_put(struct ik_buf *out, int64_t count)
{
	size_t digits;

	ik_buf_printf(out, "%lld", (long long)count);
	for (digits = 3; count >= 1000; count /= 1000, digits += 3 + 1)
		/* Translators: between the thousands of a number; one character of ASCII */
		ik_buf_insert(out, out->length - digits, _(","), 1);
}

void ik_tokens_put(struct ik_buf *out, int64_t count)
{
	if (count < 1000)
		ik_buf_printf(out, "%" PRId64, count);
	else if (count < 1000000)
		ik_buf_printf(out, "%" PRId64 ".%" PRId64 "k", count / 1000, count / 100 % 10);
	else
		ik_buf_printf(out, "%" PRId64 ".%" PRId64 "M", count / 1000000, count / 100000 % 10);
}

void ik_size_text(struct ik_buf *out, size_t bytes)
{
	if (bytes < IK_KIB(1))
		ik_buf_printf(out, ngettext("%zu byte", "%zu bytes", bytes), bytes);
	else if (bytes < IK_MIB(1))
		ik_buf_printf(out, _("%zu KB"), bytes / IK_KIB(1));
	else
		ik_buf_printf(out, _("%.1f MB"), (double)bytes / (double)IK_MIB(1));
}
