#include "tui/pane/pane_sessions.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "tui/text/markdown.h"
#include "tui/text/quantity.h"
#include "util/alloc.h"
#include "util/cluster.h"
#include "util/limits.h"
#include "util/text.h"

#define AGE_COLUMNS 8
#define FACT_COLUMNS 44 /* narrower rows show only the age at their end */
#define DIRECTORY_COLUMNS 18
#define PLACE_INDENT 4 /* indent of a place below its session's title */
#define READ_AHEAD 50  /* rows below the selected one to load in advance */

struct ik_sessions {
	struct ik_pane pane;
	const struct ik_sessions_source *source;
	void *source_arg;

	struct ik_session_row *rows; /* pane.count rows, which own their texts */
	bool all;                    /* no more rows exist */
	bool reading;                /* a page was requested, */
	bool anew;                   /* to replace all rows */
	char *problem;               /* why the page failed, or NULL */
	int64_t now_ms;              /* when the last page came, wall clock */

	bool said; /* rows are places where the words were said, not sessions */

	bool picking; /* while the filter is edited, Enter resumes a session and Esc closes */

	enum ik_sessions_scope scope;
	bool shared; /* the store holds sessions of other users too */
	char running[IK_UUID_TEXT];

	char ended[IK_UUID_TEXT]; /* session whose end was requested or is shown, */
	int64_t ended_at;         /* up to this event */
};

static const char *last_name(const char *path)
{
	const char *slash = strrchr(path, '/');

	return slash && slash[1] ? slash + 1 : path;
}

/* Return a session's title as a new string, with its owner if other users' sessions are listed. */
static char *title_of(const struct ik_sessions *sessions, const struct ik_session_row *row)
{
	const char *title = row->title[0] ? row->title : _("without a title");

	return sessions->scope == IK_SESSIONS_EVERYBODY && row->owner && row->owner[0]
		? ik_format("%s: %s", row->owner, title)
		: ik_strdup(title);
}

/* Draw the snippet of a place, from a start that leaves the first mark visible. */
static void draw_snippet(struct ik_cells *cells, struct ik_rectangle row, enum ik_style style,
	const struct ik_session_row *entry)
{
	const char *text = entry->snippet;
	size_t first = entry->mark_count > 0 ? entry->marks[0].start : 0, at = 0;
	int column = row.column;

	while (at < first && (int)ik_utf8_width(text + at, first - at) > row.columns / 3)
		at += ik_cluster_next(text + at, first - at).length;
	if (at > 0)
		column = ik_cells_label(cells, row, row.row, column, style, "…");
	for (size_t i = 0; i < entry->mark_count; i++) {
		size_t start = entry->marks[i].start, end = start + entry->marks[i].length;

		if (start > at)
			column = ik_cells_text(cells, row, row.row, column, style, text + at, start - at);
		column = ik_cells_text(cells, row, row.row, column, IK_STYLE_MATCH, text + start,
			end - start);
		at = end;
	}
	ik_cells_label(cells, row, row.row, column, style, text + at);
}

/* Draw the mark of the running session, and the age at the right. Return the rest of the row. */
static struct ik_rectangle draw_edges(const struct ik_sessions *sessions,
	const struct ik_session_row *entry, bool marked, struct ik_cells *cells,
	struct ik_rectangle row, enum ik_style style)
{
	struct ik_buf age;

	ik_buf_init(&age, IK_KIB(1));
	ik_age_text(&age, sessions->now_ms - entry->updated_ms);
	struct ik_rectangle left = ik_pane_right(cells, row, AGE_COLUMNS,
		style == IK_STYLE_NORMAL ? IK_STYLE_DIM : style, age.data);

	if (marked && ik_text_equal(entry->id, sessions->running))
		ik_cells_label(cells, left, row.row, row.column, style, "●");
	ik_buf_done(&age);
	return left;
}

/* Draw a place: mark, title, snippet, age. Places of a session in a row show its title once. */
static void draw_place(const struct ik_sessions *sessions, size_t index, struct ik_cells *cells,
	struct ik_rectangle row, enum ik_style style)
{
	const struct ik_session_row *entry = &sessions->rows[index];
	bool titled = index <= sessions->pane.list_top || !ik_text_equal(entry->id, entry[-1].id);
	int columns = titled ? row.columns / 4 : PLACE_INDENT;
	struct ik_rectangle left = draw_edges(sessions, entry, titled, cells, row, style);
	struct ik_rectangle title = { row.row, row.column + 2, 1, columns > 4 ? columns - 3 : 0 };
	struct ik_rectangle rest = { row.row, row.column + columns, 1,
		left.columns > columns ? left.columns - columns : 0 };

	if (titled) {
		char *text = title_of(sessions, entry);

		ik_cells_label(cells, title, row.row, title.column,
			style == IK_STYLE_NORMAL ? IK_STYLE_DIM : style, text);
		free(text);
	}
	draw_snippet(cells, rest, style, entry);
}

/* Draw a list item: mark, title, directory, messages, age. */
static void draw_item(struct ik_pane *pane, size_t index, struct ik_cells *cells,
	struct ik_rectangle row, enum ik_style style)
{
	const struct ik_sessions *sessions = (const struct ik_sessions *)pane;
	const struct ik_session_row *entry = &sessions->rows[index];
	enum ik_style dim = style == IK_STYLE_NORMAL ? IK_STYLE_DIM : style;

	if (entry->snippet) {
		draw_place(sessions, index, cells, row, style);
		return;
	}
	struct ik_rectangle left = draw_edges(sessions, entry, true, cells, row, style);
	char *title = title_of(sessions, entry);
	struct ik_buf out;

	ik_buf_init(&out, IK_KIB(16));
	if (row.columns >= FACT_COLUMNS) {
		ik_buf_printf(&out, "%" PRId64, entry->messages);
		left = ik_pane_right(cells, left, 7, dim, out.data);
	}
	if (row.columns >= FACT_COLUMNS && sessions->scope != IK_SESSIONS_HERE) {
		int columns = row.columns / 4 < DIRECTORY_COLUMNS ? row.columns / 4 : DIRECTORY_COLUMNS;
		struct ik_rectangle place = { row.row, left.column + left.columns - columns, 1, columns };

		ik_cells_label(cells, place, row.row, place.column, dim, last_name(entry->directory));
		left.columns -= columns + 1;
	}
	ik_buf_clear(&out);
	if (entry->holder) {
		ik_cells_label(cells, left, row.row, row.column, style, "◆");
		ik_buf_printf(&out, "[%s] ", entry->holder);
	}
	ik_buf_puts(&out, title);
	ik_cells_label(cells, left, row.row, row.column + 2, entry->title[0] ? style : dim, out.data);
	ik_buf_done(&out);
	free(title);
}

/* Keys with focus on the list, on the filter, and elsewhere. */
static const struct ik_key_hint focus_hints[] = {
	{ IK_ACTION_UP, IK_ACTION_DOWN, N_("select"), 3 },
	{ IK_ACTION_RESUME, IK_ACTION_NONE, N_("resume"), 1 },
	{ IK_ACTION_FILTER, IK_ACTION_NONE, N_("filter"), 2 },
	{ IK_ACTION_SEARCH_SESSIONS, IK_ACTION_NONE, N_("search"), 3 },
	{ IK_ACTION_WHERE, IK_ACTION_NONE, N_("here/all"), 4 },
	{ IK_ACTION_DELETE, IK_ACTION_NONE, N_("delete"), 4 },
	{ IK_ACTION_COPY, IK_ACTION_NONE, N_("copy its id"), 6 },
	{ IK_ACTION_PAGE_UP, IK_ACTION_PAGE_DOWN, N_("scroll"), 7 },
	{ IK_ACTION_NEXT_PANE, IK_ACTION_NONE, N_("next pane"), 8 },
	{ IK_ACTION_CANCEL, IK_ACTION_NONE, N_("close"), 1 },
	{ 0 },
};

/* Keys while the user chooses a session. */
static const struct ik_key_hint pick_hints[] = {
	{ IK_ACTION_SEND, IK_ACTION_NONE, N_("resume"), 1 },
	{ IK_ACTION_UP, IK_ACTION_DOWN, N_("select"), 2 },
	{ IK_ACTION_PAGE_UP, IK_ACTION_PAGE_DOWN, N_("scroll"), 3 },
	{ IK_ACTION_CANCEL, IK_ACTION_NONE, N_("leave"), 1 },
	{ 0 },
};

/* Keys of a search, which opens places. */
static const struct ik_key_hint found_hints[] = {
	{ IK_ACTION_UP, IK_ACTION_DOWN, N_("select"), 3 },
	{ IK_ACTION_RESUME, IK_ACTION_NONE, N_("open there"), 1 },
	{ IK_ACTION_FILTER, IK_ACTION_NONE, N_("other words"), 2 },
	{ IK_ACTION_WHERE, IK_ACTION_NONE, N_("here/all"), 4 },
	{ IK_ACTION_PAGE_UP, IK_ACTION_PAGE_DOWN, N_("scroll"), 7 },
	{ IK_ACTION_CANCEL, IK_ACTION_NONE, N_("all sessions"), 1 },
	{ 0 },
};
static const struct ik_key_hint words_hints[] = {
	{ IK_ACTION_UP, IK_ACTION_DOWN, N_("select"), 2 },
	{ IK_ACTION_SEND, IK_ACTION_NONE, N_("to the list"), 1 },
	{ IK_ACTION_CANCEL, IK_ACTION_NONE, N_("all sessions"), 1 },
	{ 0 },
};

static char *nothing_found(const struct ik_sessions *sessions)
{
	if (sessions->reading)
		return ik_strdup(_("Searching…"));
	bool here = sessions->scope == IK_SESSIONS_HERE && !sessions->pane.filter;
	char *key = ik_keymap_key_name(sessions->pane.keymap,
		sessions->pane.filter ? IK_IN_PROMPT : IK_IN_SESSIONS,
		here ? IK_ACTION_WHERE : IK_ACTION_CANCEL);
	char *text = here
		? ik_format(_("Nothing in the sessions of this directory has \"%s\".\n%s searches all."),
			  sessions->pane.words.data, key)
		: ik_format(_("Nothing in any session has \"%s\".\nword* finds what begins so; "
					  "fewer words find more. %s lists the sessions."),
			  sessions->pane.words.data, key);
	free(key);
	return text;
}

/* Return the title as a new string. */
static char *pane_title(const struct ik_sessions *sessions)
{
	const char *more = sessions->all ? "" : "+";
	size_t count = sessions->pane.count;
	bool said = sessions->said;

	if (said && sessions->pane.words.length == 0)
		return ik_strdup(_(" Search all sessions "));
	if (said && sessions->reading && sessions->anew)
		return ik_strdup(_(" Searching… "));
	switch (sessions->scope) {
	case IK_SESSIONS_EVERYBODY:
		return ik_format(said ? _(" Found in everybody's sessions (%zu%s) ")
							  : _(" Sessions of everybody (%zu%s) "),
			count, more);
	case IK_SESSIONS_HERE:
		return ik_format(said ? _(" Found in this directory (%zu%s) ")
							  : _(" Sessions of this directory (%zu%s) "),
			count, more);
	default:
		return ik_format(said ? _(" Found (%zu%s) ") : _(" Sessions (%zu%s) "), count, more);
	}
}

static char *empty_text(const struct ik_sessions *sessions)
{
	if (sessions->said && sessions->pane.words.length == 0)
		return ik_strdup(_("Write words that you, a model or a tool said: they are looked for in "
						   "all "
						   "sessions.\n\"words in quotation marks\" stand together, word* is how "
						   "one begins."));
	if (sessions->problem)
		return ik_strdup(sessions->problem);
	if (sessions->said)
		return nothing_found(sessions);
	if (sessions->reading)
		return ik_strdup(_("Reading the sessions…"));
	bool filtered = sessions->pane.words.length > 0;
	char *key = ik_keymap_key_name(sessions->pane.keymap,
		sessions->pane.filter ? IK_IN_PROMPT : IK_IN_SESSIONS,
		filtered ? IK_ACTION_CANCEL : IK_ACTION_WHERE);
	char *text = filtered ? ik_format(_("No session has \"%s\" in its title, its directory "
										"or its id.\n%s shows all."),
								sessions->pane.words.data, key)
		: sessions->scope == IK_SESSIONS_HERE
		? ik_format(_("No session of this directory.\n%s shows those of all."), key)
		: sessions->shared && sessions->scope == IK_SESSIONS_OWN
		? ik_format(_("No session of yours.\n%s shows those of everybody."), key)
		: ik_strdup(_("No sessions yet: what you say from now on is kept, and is found here."));
	free(key);
	return text;
}

static void row_done(struct ik_session_row *row)
{
	free((char *)row->title);
	free((char *)row->directory);
	free((char *)row->owner);
	free((char *)row->holder);
	free((char *)row->snippet);
}

static void clear(struct ik_sessions *sessions)
{
	for (size_t i = 0; i < sessions->pane.count; i++)
		row_done(&sessions->rows[i]);
	sessions->pane.count = 0;
}

/* Request the first page if `anew` is true, or else the next one. */
static void ask(struct ik_sessions *sessions, bool anew)
{
	size_t count = sessions->pane.count;

	if (!sessions->source)
		return;
	if (sessions->said && sessions->pane.words.length == 0) {
		clear(sessions);
		sessions->reading = false;
		sessions->all = true;
		return;
	}
	sessions->reading = true;
	sessions->anew = anew;
	if (sessions->said) {
		sessions->source->search(sessions->source_arg, sessions->pane.words.data, sessions->scope,
			sessions->pane.filter, anew || count == 0);
		return;
	}
	sessions->source->list(sessions->source_arg, sessions->pane.words.data, sessions->scope,
		anew || count == 0 ? NULL : &sessions->rows[count - 1]);
}

/* Request rows that should be visible but are not loaded yet. */
static void want_rows(struct ik_sessions *sessions)
{
	const struct ik_session_row *row = ik_sessions_selected(sessions);

	if (!sessions->reading && !sessions->all &&
		sessions->pane.selected + READ_AHEAD >= sessions->pane.count)
		ask(sessions, false);
	if (!row || (ik_text_equal(row->id, sessions->ended) && row->sequence == sessions->ended_at))
		return;
	memcpy(sessions->ended, row->id, sizeof(sessions->ended));
	sessions->ended_at = row->sequence;
	sessions->pane.text_moved = false;
	ik_pane_text_end(&sessions->pane, ik_pane_text_begin(&sessions->pane), true);
	sessions->source->end(sessions->source_arg, row->id, row->sequence);
}

static bool picks(const struct ik_sessions *sessions)
{
	return sessions->picking && sessions->pane.filter;
}

static void draw(struct ik_pane *pane, struct ik_cells *cells, struct ik_rectangle area, bool focus,
	const struct ik_status_bar *bar)
{
	struct ik_sessions *sessions = (struct ik_sessions *)pane;

	want_rows(sessions);
	char *title = pane_title(sessions);
	char *empty = pane->count == 0 ? empty_text(sessions) : NULL;
	const struct ik_pane_view view = {
		.title = title,
		.focus = focus,
		.keys = sessions->said ? found_hints : focus_hints,
		.writing_keys = picks(sessions) ? pick_hints
			: sessions->said            ? words_hints
										: NULL,
		.all = N_("all sessions"),
		.empty = empty,
	};

	ik_pane_draw(pane, &view, cells, area);
	free(title);
	free(empty);
}

static void release(struct ik_pane *pane)
{
	struct ik_sessions *sessions = (struct ik_sessions *)pane;

	clear(sessions);
	free(sessions->rows);
	free(sessions->problem);
}

const struct ik_session_row *ik_sessions_selected(const struct ik_sessions *sessions)
{
	return sessions->pane.selected < sessions->pane.count ? &sessions->rows[sessions->pane.selected]
														  : NULL;
}

void ik_sessions_open(struct ik_sessions *sessions, const char *words)
{
	/* Drop the filter typed to choose a session, and end a search without words. */
	if (!words && (sessions->picking || (sessions->said && sessions->pane.words.length == 0)))
		words = "";
	sessions->picking = false;
	if (words) {
		sessions->said = false;
		ik_pane_set_words(&sessions->pane, words);
	} else {
		ik_pane_keep(&sessions->pane);
	}
	ask(sessions, true);
}

void ik_sessions_pick(struct ik_sessions *sessions, const char *words)
{
	ik_sessions_open(sessions, words);
	sessions->picking = true;
	ik_pane_write(&sessions->pane);
}

void ik_sessions_search(struct ik_sessions *sessions, const char *words)
{
	sessions->picking = false;
	if (!sessions->said)
		clear(sessions);
	sessions->said = true;
	sessions->pane.selected = 0;
	ik_pane_set_words(&sessions->pane, words);
	if (words[0] == '\0')
		ik_pane_write(&sessions->pane);
	ask(sessions, true);
}

void ik_sessions_take(struct ik_sessions *sessions, const struct ik_session_row *rows, size_t count,
	bool more, int64_t now_ms, const char *problem)
{
	/* While results arrive, keep the newest selected if the user has not moved. */
	const struct ik_session_row *selected = sessions->said && sessions->pane.selected == 0
		? NULL
		: ik_sessions_selected(sessions);
	char id[IK_UUID_TEXT] = "";
	int64_t sequence = selected ? selected->sequence : 0;

	if (selected)
		memcpy(id, selected->id, sizeof(id));
	if (sessions->anew)
		clear(sessions);
	sessions->reading = sessions->anew = false;
	sessions->all = problem || !more;
	sessions->now_ms = now_ms;
	free(sessions->problem);
	sessions->problem = problem ? ik_strdup(problem) : NULL;
	size_t first = sessions->pane.count;

	sessions->rows = ik_alloc_array(sessions->rows, first + count, sizeof(*sessions->rows));
	if (first == 0)
		sessions->pane.selected = 0;
	for (size_t i = 0; i < count; i++) {
		struct ik_session_row *row = &sessions->rows[first + i];

		*row = rows[i];
		row->title = ik_strdup(rows[i].title);
		row->directory = ik_strdup(rows[i].directory);
		row->owner = rows[i].owner ? ik_strdup(rows[i].owner) : NULL;
		row->holder = rows[i].holder ? ik_strdup(rows[i].holder) : NULL;
		row->snippet = rows[i].snippet ? ik_strdup(rows[i].snippet) : NULL;
		if (first == 0 && row->sequence == sequence && ik_text_equal(row->id, id))
			sessions->pane.selected = i;
	}
	sessions->pane.count = first + count;
}

int64_t ik_sessions_place(const struct ik_sessions *sessions, char **ret_words)
{
	const struct ik_session_row *row = ik_sessions_selected(sessions);
	size_t best = 0, start = 0;

	/* The longest match says the most. */
	for (size_t i = 0; row && i < row->mark_count; i++) {
		if (row->marks[i].length <= best)
			continue;
		start = row->marks[i].start;
		best = row->marks[i].length;
	}
	*ret_words = best > 0 ? ik_strndup(row->snippet + start, best) : ik_strdup("");
	return row ? row->sequence : 0;
}

void ik_sessions_take_end(struct ik_sessions *sessions, const char *id,
	struct ik_message *const *messages, size_t count)
{
	struct ik_pane *pane = &sessions->pane;

	if (!ik_text_equal(sessions->ended, id))
		return;
	struct ik_scroll_place place = ik_pane_text_begin(pane);

	for (size_t i = 0; i < count; i++) {
		struct ik_block *block = ik_block_of_message(messages[i]);

		if (block && block->kind == IK_BLOCK_ASSISTANT)
			ik_block_set_renderer(block, &ik_renderer_markdown);
		if (block)
			ik_scrollback_add(pane->text, block);
	}
	ik_pane_text_end(pane, place, true);
}

void ik_sessions_set_shared(struct ik_sessions *sessions, bool shared)
{
	sessions->shared = shared;
}

void ik_sessions_set_running(struct ik_sessions *sessions, const char *id)
{
	memcpy(sessions->running, id, strnlen(id, sizeof(sessions->running) - 1) + 1);
}

void ik_sessions_gone(struct ik_sessions *sessions, const char *id)
{
	struct ik_pane *pane = &sessions->pane;

	for (size_t i = pane->count; i-- > 0;) {
		struct ik_session_row *row = &sessions->rows[i];

		if (!ik_text_equal(row->id, id))
			continue;
		row_done(row);
		memmove(row, row + 1, (pane->count - i - 1) * sizeof(*row));
		pane->count--;
		if (pane->selected > i || (pane->selected == pane->count && pane->selected > 0))
			pane->selected--;
	}
}

static void open_pane(struct ik_pane *pane)
{
	ik_sessions_open((struct ik_sessions *)pane, NULL);
}

static enum ik_pane_result invoke(struct ik_sessions *sessions, enum ik_action action,
	struct ik_invocation *ret_invocation)
{
	const struct ik_session_row *row = ik_sessions_selected(sessions);

	if (row)
		*ret_invocation = ik_pane_invoke(&sessions->pane, action, row->id);
	return IK_PANE_TAKEN;
}

static enum ik_pane_result key(struct ik_pane *pane, const struct ik_key *key,
	enum ik_action action, struct ik_invocation *ret_invocation)
{
	struct ik_sessions *sessions = (struct ik_sessions *)pane;

	/* Don't choose while rows are loading: the user has not seen which one is selected. */
	if (picks(sessions) && action == IK_ACTION_SEND && !sessions->reading)
		return invoke(sessions, IK_ACTION_RESUME, ret_invocation);
	if (picks(sessions) && action == IK_ACTION_CANCEL) {
		ik_pane_set_words(&sessions->pane, "");
		return IK_PANE_CLOSED;
	}
	enum ik_pane_result result = ik_pane_key(pane, key, action);

	if (sessions->said && !pane->filter && pane->words.length == 0) {
		ik_sessions_open(sessions, ""); /* the search is over */
		return IK_PANE_TAKEN;
	}
	if (result == IK_PANE_FILTERED) {
		if (sessions->said)
			pane->selected = 0; /* new words: start at the newest place */
		ask(sessions, true);
	}
	if (result != IK_PANE_OTHER)
		return result;
	switch (action) {
	case IK_ACTION_SEARCH_SESSIONS:
		ik_sessions_search(sessions, sessions->pane.words.data);
		ik_pane_write(&sessions->pane);
		return IK_PANE_TAKEN;
	case IK_ACTION_WHERE:
		sessions->scope = sessions->scope == IK_SESSIONS_HERE        ? IK_SESSIONS_OWN
			: sessions->shared && sessions->scope == IK_SESSIONS_OWN ? IK_SESSIONS_EVERYBODY
																	 : IK_SESSIONS_HERE;
		ask(sessions, true);
		return IK_PANE_TAKEN;
	case IK_ACTION_RESUME:
	case IK_ACTION_DELETE:
	case IK_ACTION_COPY:
		return invoke(sessions, action, ret_invocation);
	default:
		return IK_PANE_PASSED;
	}
}

static const struct ik_pane_ops ops = {
	.toggle = IK_ACTION_SESSIONS,
	.context = IK_IN_SESSIONS,
	.open = open_pane,
	.key = key,
	.act = ik_pane_act,
	.click = ik_pane_click,
	.scroll = ik_pane_scroll,
	.draw = draw,
	.item = draw_item,
	.release = release,
};

struct ik_sessions *ik_sessions_new(const struct ik_keymap *keymap,
	const struct ik_sessions_source *source, void *arg)
{
	struct ik_sessions *sessions = ik_pane_new(sizeof(*sessions), &ops, keymap);

	sessions->source = source;
	sessions->source_arg = arg;
	return sessions;
}
