#include "tui/pane/status_bar.h"

#include <string.h>

#include "tui/text/quantity.h"
#include "util/cluster.h"
#include "util/limits.h"
#include "util/sanitize.h"
#include "util/text.h"
#include "util/utf8.h"

/* The parts of the line from left to right; the keys are at the right edge. */
enum status_bar_part {
	PART_AGENTS,
	PART_SCAN,
	PART_MODEL,
	PART_TOKENS,
	PART_CONTEXT,
	PART_STORE,
	PART_BACKGROUND,
	PART_MOUSE,
	PART_MODE,
	PART_SANDBOX,
	PART_SESSION,
	PART_KEYS,
	PART_COUNT
};

/* The order in which parts are dropped if there is no room. */
static const enum status_bar_part dropped[] = { PART_SESSION, PART_TOKENS, PART_KEYS, PART_MODEL,
	PART_CONTEXT, PART_MOUSE, PART_BACKGROUND, PART_STORE, PART_SANDBOX, PART_MODE, PART_SCAN,
	PART_AGENTS };

#define LEAST 12         /* columns needed for a useful model or session name */
#define SESSION_BYTES 40 /* of a title, at most */
#define SEPARATOR 2      /* columns between two parts */

/* Percent of the model's window at which its use is shown, and shown as a warning. */
#define CONTEXT_SHOWN 50
#define CONTEXT_WARNING 80

struct text {
	char bytes[160];
	size_t columns;
	enum ik_style style;
	bool counted; /* show only the number of agents in each state */
};

/* ---- the conversations ---- */

/* Return the sign after the number. */
static const char *sign(enum ik_agent_state state)
{
	static const char *const signs[IK_AGENT_STATE_COUNT] = {
		[IK_AGENT_IDLE] = "",
		[IK_AGENT_ASKING] = "?",
		[IK_AGENT_FAILED] = "!",
		[IK_AGENT_UNREAD] = "*",
		[IK_AGENT_WORKING] = "◐",
	};

	return signs[state];
}

/* Is its time shown? The bar shows that of the current conversation elsewhere. */
static bool has_time(const struct ik_agent_mark *mark)
{
	return mark->state == IK_AGENT_WORKING && !mark->shown && mark->started_ms > 0;
}

static int64_t age(const struct ik_agent_mark *mark, int64_t now_ms)
{
	return now_ms > mark->started_ms ? now_ms - mark->started_ms : 0;
}

/* Append one conversation. */
static void put_agent(struct ik_buf *out, const struct ik_status_bar *bar, size_t index)
{
	const struct ik_agent_mark *mark = &bar->agents[index];

	if (index > 0)
		ik_buf_putc(out, ' ');
	ik_buf_printf(out, mark->shown ? "[%d%s]" : "%d%s", mark->number, sign(mark->state));
	if (has_time(mark))
		ik_elapsed_put(out, age(mark, bar->now_ms) / 1000);
}

/* Append the number of conversations in each state. */
static void put_counts(struct ik_buf *out, const struct ik_status_bar *bar)
{
	size_t counts[IK_AGENT_STATE_COUNT] = { 0 };
	int number = 0;

	for (size_t i = 0; i < bar->agent_count; i++) {
		if (bar->agents[i].shown)
			number = bar->agents[i].number;
		else
			counts[bar->agents[i].state]++;
	}
	ik_buf_printf(out, "[%d/%zu]", number, bar->agent_count);
	for (int state = IK_AGENT_IDLE + 1; state < IK_AGENT_STATE_COUNT; state++)
		if (counts[state] > 0)
			ik_buf_printf(out, " %s%zu", sign((enum ik_agent_state)state), counts[state]);
}

/* Return the number of the conversation at a column of the list, or 0 if there is none. */
static int agent_at(const struct ik_status_bar *bar, size_t column)
{
	struct ik_buf out;
	int found = 0;

	ik_buf_init(&out, IK_KIB(1));
	for (size_t i = 0; i < bar->agent_count && found == 0; i++) {
		size_t start = ik_utf8_width(out.data, out.length) + (i > 0);

		put_agent(&out, bar, i);
		if (column >= start && column < ik_utf8_width(out.data, out.length))
			found = bar->agents[i].number;
	}
	ik_buf_done(&out);
	return found;
}

int64_t ik_status_bar_next(const struct ik_status_bar *bar, int64_t now_ms)
{
	int64_t next = -1;

	for (size_t i = 0; i < bar->agent_count; i++) {
		if (!has_time(&bar->agents[i]))
			continue;
		int64_t left = 1000 - age(&bar->agents[i], now_ms) % 1000;
		next = next < 0 || left < next ? left : next;
	}
	return next;
}

/* ---- the line ---- */

void ik_scan_put(struct ik_buf *out, const struct ik_status_bar *bar)
{
	switch (bar->scan) {
	case IK_SCAN_NOT_STARTED:
		ik_buf_printf(out, _("%s tools"), "◌");
		break;
	case IK_SCAN_IN_PROGRESS:
		if (bar->scan_total == 0)
			ik_buf_printf(out, _("%s tools"), "◐");
		else
			ik_buf_printf(out, "%s %zu/%zu", "◐", bar->scan_done, bar->scan_total);
		break;
	case IK_SCAN_COMPLETE:
	case IK_SCAN_FAILED: {
		bool failed = bar->tools_failed > 0 || bar->scan == IK_SCAN_FAILED;
		const char *mark = failed ? "▲" : "●";

		ik_buf_printf(out, ngettext("%s %zu tool", "%s %zu tools", bar->tools), mark, bar->tools);
		if (bar->tools_failed > 0)
			ik_buf_printf(out, ngettext(", %zu failed", ", %zu failed", bar->tools_failed),
				bar->tools_failed);
		break;
	}
	}
}

/* Append tokens and cost: "↑663 ↓24 $0.0042". */
static void put_usage(struct ik_buf *out, const struct ik_status_bar *bar)
{
	if (bar->usage.input_tokens <= 0 && bar->usage.output_tokens <= 0)
		return;
	ik_buf_puts(out, "↑");
	ik_tokens_put(out, bar->usage.input_tokens);
	ik_buf_puts(out, " ↓");
	ik_tokens_put(out, bar->usage.output_tokens);
	if (bar->usage.cost >= 0) {
		ik_buf_putc(out, ' ');
		ik_cost_put(out, bar->usage.cost);
	}
}

/* Append an external name, at most `most` bytes of it. */
static void put_name(struct ik_buf *out, const char *name, size_t length, size_t most)
{
	ik_sanitize_line(out, name, length <= most ? length : ik_utf8_cut(name, length, most));
	if (length > most)
		ik_buf_puts(out, "…");
}

/* Append the model and its provider. */
static void put_model(struct ik_buf *out, const struct ik_status_bar *bar)
{
	const char *provider = bar->provider ? bar->provider : "";
	const char *model = bar->model ? bar->model : "";

	put_name(out, provider, strlen(provider), 40);
	if (provider[0] && model[0] && !ik_text_equal(provider, model)) {
		ik_buf_putc(out, '/');
		put_name(out, model, strlen(model), 80);
	}
}

/* Append the store's state only if there is trouble or slow work. Return its style. */
static enum ik_style put_store(struct ik_buf *out, const struct ik_status_bar *bar)
{
	static const char *const marks[] = {
		[IK_STORE_AWAY] = N_(" not reachable"),
		[IK_STORE_IN_USE] = N_(" in use by another program"),
		[IK_STORE_REFUSES] = N_(" cannot be written"),
	};
	const char *mark = marks[bar->store_trouble];

	if (!mark && bar->store_waiting == 0) {
		(void)ik_progress_put_short(&bar->work, out);
		return IK_STYLE_DIM;
	}
	if (bar->store)
		ik_sanitize_line(out, bar->store, strnlen(bar->store, 40));
	if (mark)
		ik_buf_puts(out, _(mark));
	if (bar->store_waiting > 0)
		ik_buf_printf(out,
			ngettext(" %d unsaved", " %d unsaved", (unsigned long)bar->store_waiting),
			(int)bar->store_waiting);
	return mark ? IK_STYLE_WARNING : IK_STYLE_DIM;
}

/* Return the warning style if another conversation waits for the user. */
static enum ik_style agents_style(const struct ik_status_bar *bar)
{
	for (size_t i = 0; i < bar->agent_count; i++)
		if (!bar->agents[i].shown && bar->agents[i].state == IK_AGENT_ASKING)
			return IK_STYLE_WARNING;
	return IK_STYLE_BOLD;
}

/* Append one part and return its style; an empty part is not shown. */
static enum ik_style put_part(struct ik_buf *out, const struct ik_status_bar *bar,
	enum status_bar_part part)
{
	switch (part) {
	case PART_AGENTS:
		for (size_t i = 0; i < bar->agent_count; i++)
			put_agent(out, bar, i);
		return agents_style(bar);
	case PART_SCAN:
		ik_scan_put(out, bar);
		return bar->tools_failed > 0 || bar->scan == IK_SCAN_FAILED ? IK_STYLE_WARNING
																	: IK_STYLE_DIM;
	case PART_MODEL:
		put_model(out, bar);
		return IK_STYLE_DIM;
	case PART_TOKENS:
		put_usage(out, bar);
		return IK_STYLE_DIM;
	case PART_CONTEXT:
		/* Translators: how much of what the model can take is used up */
		if (bar->context >= CONTEXT_SHOWN)
			ik_buf_printf(out, _("context %d%%"), bar->context);
		return bar->context >= CONTEXT_WARNING ? IK_STYLE_WARNING : IK_STYLE_DIM;
	case PART_STORE:
		return put_store(out, bar);
	case PART_BACKGROUND:
		if (bar->background > 0)
			ik_buf_printf(out,
				ngettext("%d in background", "%d in background", (unsigned long)bar->background),
				bar->background);
		return IK_STYLE_DIM;
	case PART_MOUSE:
		if (bar->mouse_off)
			ik_buf_puts(out, _("mouse off"));
		return IK_STYLE_DIM;
	case PART_MODE:
		if (bar->mode)
			ik_buf_puts(out, bar->mode);
		return bar->mode_strong ? IK_STYLE_BOLD : IK_STYLE_DIM;
	case PART_SANDBOX:
		if (bar->sandbox)
			ik_buf_puts(out, bar->sandbox);
		return bar->sandbox_trouble ? IK_STYLE_WARNING : IK_STYLE_BOLD;
	case PART_SESSION:
		if (bar->session)
			put_name(out, bar->session, bar->session_length, SESSION_BYTES);
		return IK_STYLE_DIM;
	case PART_KEYS:
		if (bar->hint || bar->keys)
			ik_buf_puts(out, bar->hint ? bar->hint : bar->keys);
		return bar->hint ? IK_STYLE_BOLD : IK_STYLE_DIM;
	case PART_COUNT:
		break;
	}
	return IK_STYLE_DIM;
}

/* Copy a part's text, cut to the space there. */
static void keep(struct text *text, const struct ik_buf *out)
{
	size_t length = ik_utf8_cut(out->data, out->length, sizeof(text->bytes) - 1);

	memcpy(text->bytes, out->data, length);
	text->bytes[length] = '\0';
	text->columns = ik_utf8_width(text->bytes, length);
}

/* Does a text end with a character two columns wide? */
static bool ends_wide(const struct text *text)
{
	size_t length = strlen(text->bytes), at = length;

	while (at > 0 && (text->bytes[--at] & 0xC0) == 0x80)
		continue;
	return ik_utf8_width(text->bytes + at, length - at) == 2;
}

/* Return the columns that the parts need side by side. */
static size_t width_of(const struct text *texts)
{
	size_t columns = 0;

	for (int i = 0; i < PART_COUNT; i++)
		if (texts[i].columns > 0)
			columns += texts[i].columns + (columns > 0 ? SEPARATOR : 0);
	return columns + 2; /* one at each edge */
}

/* Shorten the model or the session to the room left. Return false if too little would remain to
 * recognize it. */
static bool shorten(struct text *texts, enum status_bar_part part, size_t room)
{
	struct text *text = &texts[part];
	size_t excess = width_of(texts) - room;

	if ((part != PART_MODEL && part != PART_SESSION) || text->columns < excess + LEAST)
		return false;
	text->columns -= excess;
	return true;
}

/* Drop the last of several keys. Return false if there is only one. */
static bool drop_last_key(struct text *keys)
{
	char *gap = NULL;

	for (char *at = keys->bytes; (at = strstr(at, "  ")); at++)
		gap = at;
	if (!gap)
		return false;
	*gap = '\0';
	keys->columns = ik_utf8_width(keys->bytes, (size_t)(gap - keys->bytes));
	return true;
}

/* Show only the number of agents in each state. */
static void count_agents(struct text *text, const struct ik_status_bar *bar)
{
	struct ik_buf out;

	ik_buf_init(&out, IK_KIB(1));
	put_counts(&out, bar);
	keep(text, &out);
	text->counted = true;
	ik_buf_done(&out);
}

/* Drop parts that don't fit, the least important first. */
static void make_fit(struct text *texts, const struct ik_status_bar *bar, int columns)
{
	size_t room = columns > 0 ? (size_t)columns : 0;

	while (width_of(texts) > room && !bar->hint && drop_last_key(&texts[PART_KEYS]))
		continue;
	/* The last remaining part is cut, not dropped. A hint outlives all others: the user has just
	 * asked for it. */
	for (size_t i = 0; i + 1 < PART_COUNT && width_of(texts) > room; i++) {
		if (dropped[i] == PART_STORE && bar->agent_count > 0)
			count_agents(&texts[PART_AGENTS], bar);
		if ((dropped[i] != PART_KEYS || !bar->hint) && !shorten(texts, dropped[i], room))
			texts[dropped[i]].columns = 0;
	}
	if (bar->hint && width_of(texts) > room)
		texts[PART_AGENTS].columns = 0;
}

/* Lay out all parts that fit. */
static void lay_out(const struct ik_status_bar *bar, int columns, struct text *texts)
{
	struct ik_buf out;

	ik_buf_init(&out, IK_KIB(4));
	for (int i = 0; i < PART_COUNT; i++) {
		ik_buf_clear(&out);
		texts[i].style = put_part(&out, bar, (enum status_bar_part)i);
		keep(&texts[i], &out);
		texts[i].counted = false;
		if (i == PART_AGENTS && out.length >= sizeof(texts[i].bytes))
			count_agents(&texts[i], bar);
	}
	ik_buf_done(&out);
	make_fit(texts, bar, columns);
}

bool ik_status_bar_agent_at(const struct ik_status_bar *bar, struct ik_rectangle area, int column,
	int *ret_number)
{
	struct text texts[PART_COUNT];
	int inside = column - area.column - 1;

	lay_out(bar, area.columns, texts);
	if (inside < 0 || (size_t)inside >= texts[PART_AGENTS].columns)
		return false;
	bool counted = texts[PART_AGENTS].counted;

	*ret_number = counted ? 0 : agent_at(bar, (size_t)inside);
	return counted || *ret_number > 0;
}

void ik_status_bar_draw(const struct ik_status_bar *bar, struct ik_cells *cells,
	struct ik_rectangle area)
{
	struct text texts[PART_COUNT];

	lay_out(bar, area.columns, texts);
	ik_cells_fill(cells, area, IK_STYLE_DIM);
	int column = area.column + 1;

	for (int i = 0; i < PART_KEYS; i++) {
		if (texts[i].columns == 0)
			continue;
		struct ik_rectangle part = area;
		int right = column - area.column + (int)texts[i].columns;
		part.columns = right < area.columns ? right : area.columns;
		column = ik_cells_label(cells, part, area.row, column, texts[i].style, texts[i].bytes);
		column += SEPARATOR;
	}
	if (texts[PART_KEYS].columns > 0) {
		/* Some terminals fail to draw a wide character right before the last cell. */
		int edge = ends_wide(&texts[PART_KEYS]) ? 2 : 1;
		int right = area.column + area.columns - edge - (int)texts[PART_KEYS].columns;
		ik_cells_label(cells, area, area.row, right > area.column ? right : area.column + 1,
			texts[PART_KEYS].style, texts[PART_KEYS].bytes);
	}
}
