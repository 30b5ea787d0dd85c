#include "tui/pane/status_bar.h"

#include <string.h>

#include "tui/text/quantity.h"
#include "util/cluster.h"
#include "util/limits.h"
#include "util/sanitize.h"
#include "util/text.h"
#include "util/utf8.h"

/* The parts of the line: facts from left to right, then the keys at the right edge. */
enum status_bar_part {
	PART_AGENTS,
	PART_MODE,
	PART_SANDBOX,
	PART_OWN,
	PART_MODEL,
	PART_CONTEXT,
	PART_COST,
	PART_STORE,
	PART_BACKGROUND,
	PART_MOUSE,
	PART_SCAN,
	PART_TOKENS,
	PART_SESSION,
	PART_KEY, /* the first of several, the most useful one; or a hint */
	PART_LAST_KEY = PART_KEY + 3,
	PART_COUNT
};

/* What is done, in this order, until all parts fit. */
static const struct {
	enum status_bar_part part;
	enum { SHORTEN, DROP, DROP_QUIET, COUNT_AGENTS, DROP_PROVIDER } how;
} steps[] = {
	{ PART_SESSION, SHORTEN },
	{ PART_SESSION, DROP },
	{ PART_TOKENS, DROP },
	{ PART_LAST_KEY, DROP },
	{ PART_SCAN, DROP_QUIET },
	{ PART_MODEL, DROP_PROVIDER },
	{ PART_MOUSE, DROP },
	{ PART_BACKGROUND, DROP },
	{ PART_MODEL, SHORTEN },
	{ PART_KEY + 2, DROP },
	{ PART_KEY + 1, DROP },
	{ PART_AGENTS, COUNT_AGENTS },
	{ PART_COST, DROP },
	{ PART_KEY, DROP },
	{ PART_OWN, SHORTEN },
	{ PART_CONTEXT, DROP },
	{ PART_MODEL, DROP },
	{ PART_STORE, DROP },
	{ PART_SANDBOX, DROP },
	{ PART_SCAN, DROP },
	{ PART_MODE, DROP },
	{ PART_AGENTS, DROP },
};

#define LEAST 12          /* columns needed for a useful model or session name */
#define SESSION_BYTES 40  /* of a title, at most */
#define SEPARATOR " · "   /* between two facts */
#define SEPARATOR_WIDTH 3 /* its columns */
#define GAP 2             /* columns before a key */

/* Percent of the model's window at which its use is shown as a warning. */
#define CONTEXT_WARNING 80

struct text {
	char bytes[480];
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

static void put_agent(struct ik_buf *out, const struct ik_status_bar *bar, size_t index)
{
	const struct ik_agent_mark *mark = &bar->agents[index];

	if (index > 0)
		ik_buf_putc(out, ' ');
	ik_buf_printf(out, mark->shown ? "[%d%s]" : "%d%s", mark->number, sign(mark->state));
	if (has_time(mark))
		ik_elapsed_put(out, age(mark, bar->now_ms) / 1000);
}

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
			ik_buf_printf(out, _("%s %zu/%zu tools"), "◐", bar->scan_done, bar->scan_total);
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

/* Append tokens: "↑663 ↓24". */
static void put_usage(struct ik_buf *out, const struct ik_status_bar *bar)
{
	if (bar->usage.input_tokens <= 0 && bar->usage.output_tokens <= 0)
		return;
	ik_buf_puts(out, "↑");
	ik_tokens_put(out, bar->usage.input_tokens);
	ik_buf_puts(out, " ↓");
	ik_tokens_put(out, bar->usage.output_tokens);
}

/* Append an external name, at most `most` bytes of it. */
static void put_name(struct ik_buf *out, const char *name, size_t length, size_t most)
{
	ik_sanitize_line(out, name, length <= most ? length : ik_utf8_cut(name, length, most));
	if (length > most)
		ik_buf_puts(out, "…");
}

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
	static const char *const troubles[] = {
		[IK_STORE_AWAY] = N_("database unreachable"),
		[IK_STORE_IN_USE] = N_("database in use by another program"),
		[IK_STORE_REFUSES] = N_("database not writable"),
	};
	const char *trouble = troubles[bar->store_trouble];

	if (trouble)
		ik_buf_puts(out, _(trouble));
	if (trouble && bar->store_waiting > 0)
		ik_buf_puts(out, SEPARATOR);
	if (bar->store_waiting > 0)
		ik_buf_printf(out, ngettext("%d unsaved", "%d unsaved", (unsigned long)bar->store_waiting),
			(int)bar->store_waiting);
	else if (!trouble)
		(void)ik_progress_put_short(&bar->work, out);
	return trouble ? IK_STYLE_WARNING : IK_STYLE_DIM;
}

/* Return the warning style if another conversation waits for the user. */
static enum ik_style agents_style(const struct ik_status_bar *bar)
{
	for (size_t i = 0; i < bar->agent_count; i++)
		if (!bar->agents[i].shown && bar->agents[i].state == IK_AGENT_ASKING)
			return IK_STYLE_WARNING;
	return IK_STYLE_BOLD;
}

/* Append the key at index; or the hint, in place of all keys. Return its style. */
static enum ik_style put_key(struct ik_buf *out, const struct ik_status_bar *bar, int index)
{
	const char *key = bar->keys, *end = NULL;

	if (bar->hint && index == 0)
		ik_buf_puts(out, bar->hint);
	if (bar->hint || !key)
		return IK_STYLE_BOLD;
	for (int i = 0; i < index && (end = strstr(key, "  ")); i++)
		key = end + GAP;
	if (index == 0 || end)
		ik_buf_append(out, key, (end = strstr(key, "  ")) ? (size_t)(end - key) : strlen(key));
	return IK_STYLE_DIM;
}

/* Append one part and return its style; an empty part is not shown. */
static enum ik_style put_part(struct ik_buf *out, const struct ik_status_bar *bar,
	enum status_bar_part part)
{
	if (bar->own &&
		(part == PART_MODEL || part == PART_CONTEXT || part == PART_COST || part == PART_TOKENS ||
			part == PART_SESSION))
		return IK_STYLE_NORMAL;
	switch (part) {
	case PART_OWN:
		if (bar->own)
			ik_buf_puts(out, bar->own);
		return bar->own_failed ? IK_STYLE_WARNING : IK_STYLE_NORMAL;
	case PART_AGENTS:
		for (size_t i = 0; i < bar->agent_count; i++)
			put_agent(out, bar, i);
		return agents_style(bar);
	case PART_MODE:
		if (bar->mode)
			ik_buf_puts(out, bar->mode);
		return bar->mode_strong ? IK_STYLE_BOLD : IK_STYLE_NORMAL;
	case PART_SANDBOX:
		if (bar->sandbox)
			ik_buf_puts(out, bar->sandbox);
		return bar->sandbox_trouble ? IK_STYLE_WARNING : IK_STYLE_BOLD;
	case PART_MODEL:
		put_model(out, bar);
		return IK_STYLE_NORMAL;
	case PART_CONTEXT:
		/* Translators: how much of what the model can take is used up */
		if (bar->context >= 0)
			ik_buf_printf(out, _("context %d%%"), bar->context);
		return bar->context >= CONTEXT_WARNING ? IK_STYLE_WARNING : IK_STYLE_DIM;
	case PART_COST:
		if (bar->usage.cost >= 0)
			ik_cost_put(out, bar->usage.cost);
		return IK_STYLE_DIM;
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
	case PART_SCAN:
		ik_scan_put(out, bar);
		return bar->tools_failed > 0 || bar->scan == IK_SCAN_FAILED ? IK_STYLE_WARNING
																	: IK_STYLE_DIM;
	case PART_TOKENS:
		put_usage(out, bar);
		return IK_STYLE_DIM;
	case PART_SESSION:
		if (bar->session)
			put_name(out, bar->session, strlen(bar->session), SESSION_BYTES);
		return IK_STYLE_DIM;
	default:
		return put_key(out, bar, (int)part - PART_KEY);
	}
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

/* Return the columns that the parts from first to last need side by side. */
static size_t width_of(const struct text *texts, int first, int last, size_t between)
{
	size_t columns = 0;

	for (int i = first; i <= last; i++)
		if (texts[i].columns > 0)
			columns += texts[i].columns + (columns > 0 ? between : 0);
	return columns;
}

static size_t keys_width(const struct text *texts)
{
	return width_of(texts, PART_KEY, PART_LAST_KEY, GAP);
}

static size_t whole_width(const struct text *texts)
{
	size_t facts = width_of(texts, 0, PART_KEY - 1, SEPARATOR_WIDTH), keys = keys_width(texts);

	return facts + keys + (facts > 0 && keys > 0 ? GAP : 0) + 2; /* one at each edge */
}

static void drop_provider(struct text *text, const struct ik_status_bar *bar)
{
	size_t length = bar->provider ? strlen(bar->provider) : 0;

	if (length == 0 || !ik_text_starts(text->bytes, bar->provider) || text->bytes[length] != '/')
		return;
	memmove(text->bytes, text->bytes + length + 1, strlen(text->bytes) - length);
	text->columns = ik_utf8_width(text->bytes, strlen(text->bytes));
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

/* Make the parts fit. A hint outlives all others: the user has just asked for it. The last part is
 * cut, not dropped. */
static void make_fit(struct text *texts, const struct ik_status_bar *bar, int columns)
{
	size_t room = columns > 0 ? (size_t)columns : 0;

	for (size_t i = 0; i < sizeof(steps) / sizeof(*steps) && whole_width(texts) > room; i++) {
		struct text *text = &texts[steps[i].part];
		size_t excess = whole_width(texts) - room;

		if (steps[i].how == SHORTEN && text->columns > LEAST)
			text->columns = text->columns > excess + LEAST ? text->columns - excess : LEAST;
		else if (steps[i].how == DROP_PROVIDER)
			drop_provider(text, bar);
		else if (steps[i].how == COUNT_AGENTS && bar->agent_count > 0)
			count_agents(text, bar);
		else if ((steps[i].how == DROP && !(steps[i].part == PART_KEY && bar->hint)) ||
			(steps[i].how == DROP_QUIET && bar->scan == IK_SCAN_COMPLETE && bar->tools_failed == 0))
			text->columns = 0;
	}
}

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

static void draw_keys(const struct text *texts, bool hint, struct ik_cells *cells,
	struct ik_rectangle area)
{
	int last = PART_LAST_KEY;

	while (last > PART_KEY && texts[last].columns == 0)
		last--;
	/* Some terminals fail to draw a wide character right before the last cell. */
	int edge = ends_wide(&texts[last]) ? 2 : 1;
	int column = area.column + area.columns - edge - (int)keys_width(texts);

	column = column > area.column ? column : area.column + 1;
	for (int i = PART_KEY; i <= last; i++) {
		if (texts[i].columns > 0)
			column = ik_cells_hints(cells, area, area.row, column, IK_STYLE_BOLD,
						 hint ? IK_STYLE_BOLD : IK_STYLE_DIM, texts[i].bytes) +
				GAP;
	}
}

void ik_status_bar_draw(const struct ik_status_bar *bar, struct ik_cells *cells,
	struct ik_rectangle area)
{
	struct text texts[PART_COUNT];
	int column = area.column + 1;

	lay_out(bar, area.columns, texts);
	ik_cells_fill(cells, area, IK_STYLE_DIM);
	for (int i = 0; i < PART_KEY; i++) {
		struct ik_rectangle part = area;

		if (texts[i].columns == 0)
			continue;
		if (column > area.column + 1)
			column = ik_cells_label(cells, area, area.row, column, IK_STYLE_DIM, SEPARATOR);
		int right = column - area.column + (int)texts[i].columns;

		part.columns = right < area.columns ? right : area.columns;
		column = ik_cells_label(cells, part, area.row, column, texts[i].style, texts[i].bytes);
	}
	draw_keys(texts, bar->hint, cells, area);
}
