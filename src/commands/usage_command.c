#include "commands/commands.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "conversation/title.h"
#include "conversation/usage.h"
#include "tui/text/quantity.h"
#include "tui/text/wrap.h"
#include "util/alloc.h"
#include "util/cluster.h"
#include "util/limits.h"
#include "util/text.h"

#define BAR_COLUMNS 20
#define NAME_BYTES 200  /* of a row, */
#define NAME_COLUMNS 28 /* and what of it is shown */
#define MOST_TURNS 8
#define MOST_ROWS 12          /* of a list that may be long */
#define LARGE_BYTES IK_KIB(4) /* of a result that is worth a word, */
#define WORTH 10              /* if it is at least one part in so many of all */
#define BYTES_A_TOKEN 4       /* where no provider has counted: about right for English and code */

/* ---- rows that add up ---- */

/* A row: what it is, and what it has of everything. */
struct share {
	char *name;
	int64_t bytes;
	int64_t count; /* calls, turns */
	struct ik_usage usage;
};

struct shares {
	struct share *items;
	size_t count;
};

static void shares_done(struct shares *shares)
{
	for (size_t i = 0; i < shares->count; i++)
		free(shares->items[i].name);
	free(shares->items);
}

static struct share *add_share(struct shares *shares, const char *name)
{
	shares->items = ik_alloc_more(shares->items, shares->count, sizeof(*shares->items));
	shares->items[shares->count] = (struct share){ .name = ik_strdup(name), .usage.cost = -1 };
	return &shares->items[shares->count++];
}

/* Return the row with that name, made if there is none. */
static struct share *share_of(struct shares *shares, const char *name)
{
	for (size_t i = 0; i < shares->count; i++)
		if (ik_text_equal(shares->items[i].name, name))
			return &shares->items[i];
	return add_share(shares, name);
}

/* Add bytes to a row. Takes over its name. */
static void add_bytes(struct shares *shares, char *name, size_t bytes)
{
	if (bytes > 0)
		share_of(shares, name)->bytes += (int64_t)bytes;
	free(name);
}

/* Order rows by bytes, the largest first. */
static int by_bytes(const void *one, const void *other)
{
	int64_t a = ((const struct share *)one)->bytes, b = ((const struct share *)other)->bytes;

	return (a < b) - (a > b);
}

static void sort_by_bytes(struct shares *shares)
{
	if (shares->count > 0)
		qsort(shares->items, shares->count, sizeof(*shares->items), by_bytes);
}

/* Append the name of a row, which may be long. */
static void put_name(struct ik_buf *out, const char *name)
{
	size_t length = strlen(name), shown = ik_utf8_fit(name, length, NAME_COLUMNS, NULL);

	if (shown < length)
		shown = ik_utf8_fit(name, length, NAME_COLUMNS - 1, NULL);
	ik_buf_printf(out, "%.*s%s", (int)shown, name, shown < length ? "…" : "");
}

/* ---- /context ---- */

/* What is sent with the next request. */
struct context {
	struct shares parts;
	struct shares tools;              /* the calls of each, and the bytes of its schema */
	size_t largest;                   /* result of a tool, in bytes, */
	char *largest_name;               /* and its tool */
	const struct ik_message *summary; /* that is sent, or NULL */
	int64_t window;                   /* tokens; 0: unknown */
	int64_t counted;       /* tokens of the last round, as the provider counted them; 0: unknown */
	int64_t bytes;         /* of all, */
	int64_t counted_bytes; /* and of what was counted */
};

/* Add the system prompt, what of it AGENTS.md files say, and the tools. */
static void add_constant_parts(struct context *context, const struct ik_core *core)
{
	const struct ik_model *model = ik_core_model(core);
	const char *prompt = ik_session_system_prompt(core->session);
	const char *instructions = core->setup->instructions;
	size_t length = strlen(prompt), own = instructions ? strlen(instructions) : 0, count = 0;
	size_t skills = core->catalogue ? strlen(core->catalogue) : 0;
	struct ik_tool_definition *tools = ik_session_tools(core->session, &count);
	struct ik_buf definition;

	ik_buf_init(&definition, IK_LIMIT_REQUEST);
	if (own + skills > length)
		own = skills = 0;
	add_bytes(&context->parts, ik_strdup(_("System prompt")), length - own - skills);
	add_bytes(&context->parts, ik_strdup("AGENTS.md"), own);
	add_bytes(&context->parts, ik_strdup(_("Skills, their catalogue")), skills);
	for (size_t i = 0; i < count; i++) {
		ik_buf_clear(&definition);
		model->format->put_tool(&definition, &model->endpoint, &tools[i]);
		/* Translators: %s is the name of a tool. */
		add_bytes(&context->parts, ik_format(_("%s, its schema"), tools[i].name),
			definition.length);
		add_bytes(&context->tools, ik_strdup(tools[i].name), definition.length);
	}
	ik_buf_done(&definition);
	free(tools);
}

/* Add a call or its result. */
static void add_call(struct context *context, const struct ik_message *message, bool result)
{
	char *name = ik_message_tool_name(message);
	const char *tool = name ? name : "?";

	/* Translators: %s is the name of a tool. */
	add_bytes(&context->parts,
		result ? ik_format(_("%s, its results"), tool) : ik_format(_("%s, its calls"), tool),
		message->data_length);
	share_of(&context->tools, tool)->count += !result;
	if (result && message->data_length > context->largest) {
		context->largest = message->data_length;
		free(context->largest_name);
		context->largest_name = ik_strdup(tool);
	}
	free(name);
}

/* Add a message. */
static void add_message(struct context *context, const struct ik_core *core,
	const struct ik_message *message)
{
	const struct ik_model *model = ik_core_model(core);
	size_t typed;

	switch (message->kind) {
	case IK_KIND_USER:
		typed = ik_message_typed(message);
		add_bytes(&context->parts, ik_strdup(_("Your messages")), typed);
		add_bytes(&context->parts, ik_strdup(_("Attached files")), message->content_length - typed);
		break;
	case IK_KIND_ASSISTANT:
		add_bytes(&context->parts, ik_strdup(_("Replies")), message->content_length);
		break;
	case IK_KIND_THINKING:
		add_bytes(&context->parts, ik_strdup(_("Thinking")),
			ik_message_opaque(message, model->endpoint.provider, model->format->type).length);
		break;
	case IK_KIND_TOOL_CALL:
	case IK_KIND_TOOL_RESULT:
		add_call(context, message, message->kind == IK_KIND_TOOL_RESULT);
		break;
	case IK_KIND_COMMAND:
	case IK_KIND_NOTICE:
		if (message == context->summary)
			add_bytes(&context->parts, ik_strdup(_("Summary of what was said")),
				ik_json_member(ik_message_data(message), "summary").length);
		break;
	default:
		break;
	}
}

/* Return the bytes of all parts so far. */
static int64_t sum_bytes(const struct shares *parts)
{
	int64_t bytes = 0;

	for (size_t i = 0; i < parts->count; i++)
		bytes += parts->items[i].bytes;
	return bytes;
}

/* Find out what is sent: everything since the last summary. */
static void read_context(struct context *context, const struct ik_core *core)
{
	const struct ik_conversation *conversation = ik_session_conversation(core->session);
	size_t index = 0, count = ik_conversation_count(conversation);
	size_t asked = ik_conversation_asked(conversation);
	struct ik_usage usage;

	*context = (struct context){ .window = ik_core_model(core)->facts.context_window };
	context->summary = ik_conversation_summary(conversation, &index);
	add_constant_parts(context, core);
	if (asked < count)
		add_message(context, core, ik_conversation_at(conversation, asked));
	for (size_t i = ik_conversation_first(conversation); i < count; i++) {
		const struct ik_message *message = ik_conversation_at(conversation, i);

		add_message(context, core, message);
		/* What was counted before the summary is larger. */
		if (i < index || !ik_usage_read(message, &usage) || usage.input_tokens <= 0)
			continue;
		context->counted = usage.input_tokens + usage.output_tokens - usage.reasoning_tokens;
		context->counted_bytes = sum_bytes(&context->parts);
	}
	context->bytes = sum_bytes(&context->parts);
	sort_by_bytes(&context->parts);
}

static void context_done(struct context *context)
{
	shares_done(&context->parts);
	shares_done(&context->tools);
	free(context->largest_name);
}

/* Return about how many tokens these bytes are: as many a byte as the provider counted last. */
static int64_t tokens_of(const struct context *context, int64_t bytes)
{
	return context->counted > 0
		? (int64_t)((double)bytes * (double)context->counted / (double)context->counted_bytes)
		: bytes / BYTES_A_TOKEN;
}

/* Append a row: name, tokens, share, bar. */
static void put_part(const struct context *context, const char *name, int64_t bytes,
	struct ik_buf *out)
{
	int64_t tokens = tokens_of(context, bytes);
	int64_t whole = context->window > 0 ? context->window : tokens_of(context, context->bytes);

	put_name(out, name);
	ik_buf_puts(out, "\t~");
	ik_count_put(out, tokens);
	ik_buf_printf(out, "\t%d%%\t",
		whole > 0 ? (int)((double)tokens * 100 / (double)whole + 0.5) : 0);
	ik_bar_put(out, (double)bytes / (double)context->parts.items[0].bytes, BAR_COLUMNS);
	ik_buf_putc(out, '\n');
}

/* Append the parts, the largest first, and what is free. */
static void put_parts(const struct context *context, struct ik_buf *out)
{
	size_t shown = context->parts.count > MOST_ROWS + 1 ? MOST_ROWS : context->parts.count;
	int64_t rest = 0, used = tokens_of(context, context->bytes);
	struct ik_buf rows;

	ik_buf_init(&rows, IK_KIB(64));
	for (size_t i = 0; i < context->parts.count; i++) {
		if (i < shown)
			put_part(context, context->parts.items[i].name, context->parts.items[i].bytes, &rows);
		else
			rest += context->parts.items[i].bytes;
	}
	if (rest > 0) {
		char *name = ik_format(ngettext("%zu smaller part", "%zu smaller parts",
								   context->parts.count - shown),
			context->parts.count - shown);

		put_part(context, name, rest, &rows);
		free(name);
	}
	if (context->window > used) {
		ik_buf_printf(&rows, "%s\t~", _("Free"));
		ik_count_put(&rows, context->window - used);
		ik_buf_printf(&rows, "\t%d%%\n",
			(int)((double)(context->window - used) * 100 / (double)context->window));
	}
	ik_figures_put(out, rows.data);
	ik_buf_done(&rows);
}

/* Append how much there is of it, and how it is known. */
static void put_total(const struct context *context, const struct ik_core *core, struct ik_buf *out)
{
	struct ik_buf used, window;

	ik_buf_init(&used, IK_KIB(1));
	ik_buf_init(&window, IK_KIB(1));
	ik_count_put(&used, tokens_of(context, context->bytes));
	ik_count_put(&window, context->window);
	if (context->window > 0)
		/* Translators: the second %s is a model. */
		ik_buf_printf(out, _("About %s of the %s tokens of %s"), used.data, window.data,
			ik_core_model(core)->name);
	else
		ik_buf_printf(out, _("About %s tokens; the context window of %s is unknown"), used.data,
			ik_core_model(core)->name);
	ik_buf_putc(out, '\n');
	ik_buf_done(&used);
	ik_buf_done(&window);
}

/* Append what makes it less, as far as that is worth a line. */
static void put_advice(const struct context *context, const struct ik_core *core,
	struct ik_buf *out)
{
	struct ik_keymap *keymap = ik_keymap_new(core->setup->config->ui_keys);
	struct share unused = { 0 };
	struct ik_buf size;

	ik_buf_init(&size, IK_KIB(1));
	for (size_t i = 0; i < context->tools.count; i++)
		if (context->tools.items[i].count == 0) {
			unused.count++;
			unused.bytes += context->tools.items[i].bytes;
		}
	if (context->largest > LARGE_BYTES && (int64_t)context->largest * WORTH > context->bytes) {
		ik_size_text(&size, context->largest);
		/* Translators: a size and the name of a tool. */
		ik_buf_printf(out,
			_("One result, %s of %s, takes much of it: /compact sums up what was said."), size.data,
			context->largest_name);
		ik_buf_putc(out, '\n');
	}
	if (unused.bytes * WORTH > context->bytes) {
		/* Translators: what is in braces is replaced with a key: leave it as it is. */
		char *words = ik_format(ngettext("%d tool was never called here: {browser} lists it, "
										 "{switch} switches it off.",
									"%d tools were never called here: {browser} lists them, "
									"{switch} switches them off.",
									(unsigned long)unused.count),
			(int)unused.count);
		char *sentence = ik_keymap_sentence(keymap, words);

		ik_buf_printf(out, "%s\n", sentence);
		free(sentence);
		free(words);
	}
	ik_buf_done(&size);
	ik_keymap_free(keymap);
}

void ik_command_context(struct ik_core *core, const struct ik_invocation *invocation,
	struct ik_buf *answer)
{
	struct context context;

	if (ik_session_loading(core->session)) {
		ik_buf_puts(answer,
			_("This session is still being read. Type /context again in a moment."));
		return;
	}
	read_context(&context, core);
	put_total(&context, core, answer);
	put_parts(&context, answer);
	ik_buf_printf(answer, "%s\n",
		context.counted > 0
			? _("~ is estimated by size, and scaled to what the provider counted last.")
			: _("~ is estimated by size: the provider has counted nothing yet."));
	put_advice(&context, core, answer);
	context_done(&context);
}

/* ---- /usage ---- */

enum { LAST_ROUND, LAST_TURN, SESSION, SPANS };

/* What was spent, in several ways. */
struct spending {
	struct shares spans, turns, days, models, tools;
};

/* Return a day as a name. */
static void name_day(int64_t time_ms, char name[NAME_BYTES])
{
	time_t seconds = (time_t)(time_ms / 1000);
	struct tm local;

	if (!localtime_r(&seconds, &local) || strftime(name, NAME_BYTES, "%F", &local) == 0)
		name[0] = '\0';
}

/* Add a round to everything it belongs to. turn: of the round, or NULL. */
static void add_round(struct spending *spending, const struct ik_message *message,
	const struct ik_usage *usage, struct share *turn)
{
	char *model = ik_json_string_new(ik_json_member(ik_message_data(message), "model"), NULL);
	char day[NAME_BYTES];

	name_day(message->time_ms, day);
	ik_usage_add(&share_of(&spending->days, day)->usage, usage);
	if (model)
		ik_usage_add(&share_of(&spending->models, model)->usage, usage);
	if (turn)
		ik_usage_add(&turn->usage, usage);
	spending->spans.items[LAST_ROUND].usage = *usage;
	ik_usage_add(&spending->spans.items[SESSION].usage, usage);
	spending->spans.items[SESSION].count++;
	free(model);
}

/* Add a call of a tool, or the result. */
static void add_tool(struct spending *spending, const struct ik_message *message)
{
	char *name = ik_message_tool_name(message);
	struct share *tool = share_of(&spending->tools, name ? name : "?");

	tool->count += message->kind == IK_KIND_TOOL_CALL;
	tool->bytes += (int64_t)message->data_length;
	free(name);
}

/* Begin a turn: it has a row of its own, even where the message is one that was sent before. */
static struct share *begin_turn(struct spending *spending, const struct ik_message *message)
{
	char *title = ik_message_title(message);
	struct share *turn = add_share(&spending->turns, title);

	free(title);
	return turn;
}

/* Add up a conversation. */
static void read_spending(struct spending *spending, const struct ik_conversation *conversation)
{
	struct share *turn = NULL;
	struct ik_usage usage;

	for (size_t i = 0; i < ik_conversation_count(conversation); i++) {
		const struct ik_message *message = ik_conversation_at(conversation, i);

		if (ik_message_is_question(message))
			turn = begin_turn(spending, message);
		else if (message->kind == IK_KIND_TOOL_CALL || message->kind == IK_KIND_TOOL_RESULT)
			add_tool(spending, message);
		else if (ik_usage_read(message, &usage))
			add_round(spending, message, &usage, turn);
	}
	if (turn)
		spending->spans.items[LAST_TURN].usage = turn->usage;
}

/* Return what the length of a row's bar goes by. */
static double weight_of(const struct share *share, bool costs)
{
	const struct ik_usage *usage = &share->usage;

	if (!costs)
		return (double)(usage->input_tokens + usage->output_tokens);
	return usage->cost > 0 ? usage->cost : 0;
}

/* Append the cells of a row after its name: tokens in, cached, written if any row has that, out,
 * thinking, cost. */
static void put_cells(const struct ik_usage *usage, bool written, struct ik_buf *out)
{
	const int64_t numbers[] = { usage->input_tokens, usage->cached_tokens, usage->written_tokens,
		usage->output_tokens, usage->reasoning_tokens };

	for (size_t i = 0; i < sizeof(numbers) / sizeof(*numbers); i++) {
		if (&numbers[i] == &numbers[2] && !written)
			continue;
		ik_buf_putc(out, '\t');
		ik_count_put(out, numbers[i]);
	}
	ik_buf_putc(out, '\t');
	if (usage->cost >= 0)
		ik_cost_put(out, usage->cost);
	else
		ik_buf_putc(out, '?');
	ik_buf_putc(out, '\t');
}

/* Append rows from first on, under a heading: name, cells, bar. */
static void put_rows(const char *heading, const struct shares *rows, size_t first, bool bars,
	bool written, struct ik_buf *out)
{
	bool costs = false;
	double most = 0;

	for (size_t i = first; i < rows->count; i++)
		costs = costs || rows->items[i].usage.cost > 0;
	for (size_t i = first; i < rows->count; i++)
		most = weight_of(&rows->items[i], costs) > most ? weight_of(&rows->items[i], costs) : most;
	ik_buf_printf(out, "%s\n", heading);
	for (size_t i = first; i < rows->count; i++) {
		const struct share *row = &rows->items[i];

		put_name(out, row->name);
		put_cells(&row->usage, written, out);
		if (bars && most > 0)
			ik_bar_put(out, weight_of(row, costs) / most, BAR_COLUMNS);
		ik_buf_putc(out, '\n');
	}
}

/* Append the tools: their calls, about how many tokens calls and results have, and a bar. */
static void put_tools(struct shares *tools, const struct context *context, struct ik_buf *out)
{
	if (tools->count == 0)
		return;
	sort_by_bytes(tools);
	ik_buf_printf(out, "\n%s\t%s\t%s\n", _("By tool"), _("calls"), _("tokens"));
	for (size_t i = 0; i < tools->count && i < MOST_ROWS; i++) {
		put_name(out, tools->items[i].name);
		ik_buf_putc(out, '\t');
		ik_count_put(out, tools->items[i].count);
		ik_buf_puts(out, "\t~");
		ik_count_put(out, tokens_of(context, tools->items[i].bytes));
		ik_buf_putc(out, '\t');
		ik_bar_put(out, (double)tools->items[i].bytes / (double)tools->items[0].bytes, BAR_COLUMNS);
		ik_buf_putc(out, '\n');
	}
}

/* Return the part of the input that the provider's cache had, in percent. */
static int hit_rate(const struct ik_usage *usage)
{
	return usage->input_tokens > 0
		? (int)((double)usage->cached_tokens * 100 / (double)usage->input_tokens + 0.5)
		: 0;
}

/* Append how often the provider's cache was hit, if it was used. */
static void put_hit_rate(const struct shares *spans, struct ik_buf *out)
{
	const struct ik_usage *all = &spans->items[SESSION].usage;

	if (all->cached_tokens > 0 || all->written_tokens > 0) {
		ik_buf_printf(out, _("Cache hits: %d%% of the last turn's input, %d%% of the session's."),
			hit_rate(&spans->items[LAST_TURN].usage), hit_rate(all));
		ik_buf_putc(out, '\n');
	}
}

/* Append all of it. */
static void put_spending(struct spending *spending, const struct context *context,
	struct ik_buf *out)
{
	bool written = spending->spans.items[SESSION].usage.written_tokens > 0;
	size_t turns = spending->turns.count;
	struct ik_buf text;

	ik_buf_init(&text, IK_KIB(64));
	ik_buf_printf(&text, "%s\t%s\t%s\t", _("Tokens"), _("in"), _("cached"));
	if (written)
		ik_buf_printf(&text, "%s\t", _("written"));
	ik_buf_printf(&text, "%s\t%s\t%s\n", _("out"), _("thinking"), _("cost"));
	put_rows(_("In all"), &spending->spans, 0, false, written, &text);
	if (turns > 1)
		put_rows(_("By turn, the last ones"), &spending->turns,
			turns > MOST_TURNS ? turns - MOST_TURNS : 0, true, written, &text);
	if (spending->days.count > 1)
		put_rows(_("By day"), &spending->days, 0, true, written, &text);
	if (spending->models.count > 1)
		put_rows(_("By model"), &spending->models, 0, true, written, &text);
	ik_figures_put(out, text.data);
	put_hit_rate(&spending->spans, out);
	ik_buf_clear(&text);
	put_tools(&spending->tools, context, &text);
	ik_figures_put(out, text.data);
	ik_buf_done(&text);
	const struct ik_usage *session = &spending->spans.items[SESSION].usage;

	if (session->searches > 0)
		ik_buf_printf(out,
			ngettext("\n%lld search of the web by the provider\n",
				"\n%lld searches of the web by the provider\n", (unsigned long)session->searches),
			(long long)session->searches);
	if (session->cost < 0)
		ik_buf_printf(out, "\n%s\n", _("What it costs is shown when providers.NAME.price is set."));
}

void ik_command_usage(struct ik_core *core, const struct ik_invocation *invocation,
	struct ik_buf *answer)
{
	struct spending spending = { 0 };
	struct context context = { 0 };

	(void)share_of(&spending.spans, _("last round"));
	(void)share_of(&spending.spans, _("last turn"));
	(void)share_of(&spending.spans, _("session"));
	read_spending(&spending, ik_session_conversation(core->session));
	/* While a session is read, what was counted is of more than is there. */
	if (!ik_session_loading(core->session))
		read_context(&context, core);
	if (spending.spans.items[SESSION].count == 0)
		ik_buf_printf(answer, "%s\n", _("The provider has counted nothing yet."));
	else
		put_spending(&spending, &context, answer);
	context_done(&context);
	shares_done(&spending.spans);
	shares_done(&spending.turns);
	shares_done(&spending.days);
	shares_done(&spending.models);
	shares_done(&spending.tools);
}
