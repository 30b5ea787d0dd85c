#include "tui/age_text.h"

#include "util/text.h"

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
