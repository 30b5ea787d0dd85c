#include "commands/usage_text.h"

#include <stdio.h>
#include <string.h>

#include "conversation/usage.h"
#include "util/cluster.h"
#include "util/text.h"

enum { SPAN_ROUND, SPAN_TURN, SPAN_SESSION, SPAN_COUNT };
enum { LABEL_COLUMNS = 14, NUMBER_COLUMNS = 12 };

/* Append text in columns, to the left or to the right. */
static void put_cell(struct ik_buf *out, const char *text, size_t columns, bool right)
{
	size_t width = ik_utf8_width(text, strlen(text));
	int blanks = width < columns ? (int)(columns - width) : 0;

	if (right)
		ik_buf_printf(out, "%*s", blanks, "");
	ik_buf_puts(out, text);
	if (!right)
		ik_buf_printf(out, "%*s", blanks, "");
}

static void put_count(struct ik_buf *out, int64_t count)
{
	char text[32];

	(void)snprintf(text, sizeof(text), "%lld", (long long)count);
	put_cell(out, text, NUMBER_COLUMNS, true);
}

static void put_row(struct ik_buf *out, const char *label, const struct ik_usage *usage)
{
	put_cell(out, label, LABEL_COLUMNS, false);
	put_count(out, usage->input_tokens);
	put_count(out, usage->cached_tokens);
	put_count(out, usage->output_tokens);
	put_count(out, usage->reasoning_tokens);
	if (usage->cost >= 0) {
		ik_buf_puts(out, "  ");
		ik_cost_put(out, usage->cost);
	}
	ik_buf_putc(out, '\n');
}

void ik_usage_text(const struct ik_conversation *conversation, struct ik_buf *out)
{
	static const char *const labels[SPAN_COUNT] = {
		N_("last round"),
		N_("last turn"),
		N_("session"),
	};
	static const char *const heads[] = { N_("in"), N_("cached"), N_("out"), N_("thinking") };
	struct ik_usage spans[SPAN_COUNT];
	size_t rounds = 0, i, index;
	bool turn_over = false;

	for (i = 0; i < SPAN_COUNT; i++)
		spans[i] = (struct ik_usage){ .cost = -1 };
	for (index = ik_conversation_count(conversation); index-- > 0;) {
		const struct ik_message *message = ik_conversation_at(conversation, index);
		struct ik_usage usage;

		turn_over = turn_over || (message->kind == IK_KIND_USER && rounds > 0);
		if (!ik_usage_read(message, &usage))
			continue;
		ik_usage_add(&spans[SPAN_SESSION], &usage);
		if (!turn_over)
			ik_usage_add(&spans[SPAN_TURN], &usage);
		if (rounds++ == 0)
			ik_usage_add(&spans[SPAN_ROUND], &usage);
	}
	if (rounds == 0) {
		ik_buf_printf(out, "%s\n", _("The provider has counted nothing yet."));
		return;
	}
	put_cell(out, _("Tokens"), LABEL_COLUMNS, false);
	for (i = 0; i < sizeof(heads) / sizeof(*heads); i++)
		put_cell(out, _(heads[i]), NUMBER_COLUMNS, true);
	ik_buf_putc(out, '\n');
	for (i = 0; i < SPAN_COUNT; i++)
		put_row(out, _(labels[i]), &spans[i]);
	if (spans[SPAN_SESSION].cost < 0)
		ik_buf_printf(out, "%s\n", _("What it costs is shown when providers.NAME.price is set."));
}
