#include "commands/commands.h"

#include <string.h>

#include "conversation/usage.h"
#include "util/cluster.h"
#include "util/limits.h"
#include "util/text.h"

enum { SPAN_ROUND, SPAN_TURN, SPAN_SESSION, SPAN_COUNT };

/* The table: a row of heads, then one for each span. A row has a label, four numbers, the cost. */
enum { ROWS = 1 + SPAN_COUNT, COLUMNS = 6 };

/* Add up the last round, the last turn and the session; return how many rounds there were. */
static size_t add_up(const struct ik_conversation *conversation, struct ik_usage spans[SPAN_COUNT])
{
	size_t rounds = 0;
	bool turn_over = false;

	for (size_t i = 0; i < SPAN_COUNT; i++)
		spans[i] = (struct ik_usage){ .cost = -1 };
	for (size_t i = ik_conversation_count(conversation); i-- > 0;) {
		const struct ik_message *message = ik_conversation_at(conversation, i);
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
	return rounds;
}

/* Fill the row of a span. */
static void fill_row(struct ik_buf row[COLUMNS], const char *label, const struct ik_usage *usage)
{
	const int64_t numbers[] = { usage->input_tokens, usage->cached_tokens, usage->output_tokens,
		usage->reasoning_tokens };

	ik_buf_puts(&row[0], label);
	for (size_t i = 0; i < sizeof(numbers) / sizeof(numbers[0]); i++)
		ik_buf_printf(&row[i + 1], "%lld", (long long)numbers[i]);
	if (usage->cost >= 0)
		ik_cost_put(&row[COLUMNS - 1], usage->cost);
}

/* Append the table with columns as wide as they have to be: it may stand in a narrow pane. */
static void put_table(struct ik_buf cells[ROWS][COLUMNS], struct ik_buf *out)
{
	size_t widths[COLUMNS] = { 0 };

	for (size_t i = 0; i < ROWS * COLUMNS; i++) {
		const struct ik_buf *cell = &cells[i / COLUMNS][i % COLUMNS];
		size_t width = ik_utf8_width(cell->data, cell->length);

		widths[i % COLUMNS] = width > widths[i % COLUMNS] ? width : widths[i % COLUMNS];
	}
	for (size_t row = 0; row < ROWS; row++) {
		for (size_t i = 0; i < COLUMNS; i++) {
			const struct ik_buf *cell = &cells[row][i];
			int blanks = (int)(widths[i] - ik_utf8_width(cell->data, cell->length));

			if (i == 0)
				ik_buf_printf(out, "%s%*s", cell->data, blanks, "");
			else if (cell->length > 0)
				ik_buf_printf(out, "  %*s%s", blanks, "", cell->data);
		}
		ik_buf_putc(out, '\n');
	}
}

/* Append tokens and cost. */
static void put_usage(const struct ik_usage spans[SPAN_COUNT], struct ik_buf *out)
{
	static const char *const labels[SPAN_COUNT] = {
		N_("last round"),
		N_("last turn"),
		N_("session"),
	};
	static const char *const heads[] = { N_("Tokens"), N_("in"), N_("cached"), N_("out"),
		N_("thinking") };
	struct ik_buf cells[ROWS][COLUMNS];

	for (size_t i = 0; i < ROWS * COLUMNS; i++)
		ik_buf_init(&cells[i / COLUMNS][i % COLUMNS], IK_KIB(1));
	for (size_t i = 0; i < sizeof(heads) / sizeof(heads[0]); i++)
		ik_buf_puts(&cells[0][i], _(heads[i]));
	for (size_t i = 0; i < SPAN_COUNT; i++)
		fill_row(cells[i + 1], _(labels[i]), &spans[i]);
	put_table(cells, out);
	for (size_t i = 0; i < ROWS * COLUMNS; i++)
		ik_buf_done(&cells[i / COLUMNS][i % COLUMNS]);
	if (spans[SPAN_SESSION].cost < 0)
		ik_buf_printf(out, "%s\n", _("What it costs is shown when providers.NAME.price is set."));
}

void ik_command_usage(struct ik_core *core, const struct ik_invocation *invocation,
	struct ik_buf *answer)
{
	struct ik_usage spans[SPAN_COUNT];

	if (add_up(ik_session_conversation(core->session), spans) == 0)
		ik_buf_printf(answer, "%s\n", _("The provider has counted nothing yet."));
	else
		put_usage(spans, answer);
}
