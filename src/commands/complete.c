#include "commands/complete.h"

#include <dirent.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "core/attach.h"
#include "tui/pane/parameter.h"
#include "util/alloc.h"
#include "util/clock.h"
#include "util/limits.h"
#include "util/sanitize.h"
#include "util/text.h"
#include "util/utf8.h"

#define SLICE_US 2000    /* time for reading a directory in one turn of the loop */
#define LOOK_EVERY 64    /* names between two checks of the clock */
#define NAMES_MAX 200000 /* limit on the names of a directory */

/* Limit on the length of a word, in bytes. */
#define WORD_MAX 4096
/* Number of sessions whose titles are offered, and how long they count as current. */
enum { SESSIONS_NEWEST = 200, SESSIONS_FRESH_MS = 2000 };

/* The names in a directory, to complete paths. Each turn of the loop reads only some, so that a
 * large directory doesn't block it. */
struct listing {
	char *directory;              /* NULL: none is requested yet */
	struct timespec changed_at;   /* when the directory itself last changed */
	DIR *stream;                  /* NULL: all names are read */
	struct ik_proposal *names[2]; /* regular names; names that begin with a dot; owns their texts */
	size_t counts[2];
};

/* The titles of the newest sessions. */
struct titles {
	struct ik_store_read *read; /* NULL: no read is in progress */
	int64_t read_ms;            /* when they were read; 0: never */
	struct ik_pick_list picks;
};

struct ik_complete {
	struct ik_loop *loop;
	struct ik_core *core;
	struct ik_screen *screen;
	struct ik_actions *actions;
	struct ik_choices *choices;
	struct listing listing;
	struct titles titles;

	/* The last answer. */
	struct ik_proposal *candidates;
	size_t count;
	struct ik_pick_list picks; /* what candidates are made of */
	struct ik_buf typed, head, note, made;
};

/* ---- the answer ---- */

/* Add a candidate; completes: see struct ik_proposal. */
static void add(struct ik_complete *complete, const char *text, const char *description,
	bool completes)
{
	complete->candidates = ik_alloc_more(complete->candidates, complete->count,
		sizeof(*complete->candidates));
	complete->candidates[complete->count++] = (struct ik_proposal){ text, description, completes };
}

static void set_buf(struct ik_buf *buf, const char *text, size_t length)
{
	ik_buf_clear(buf);
	ik_buf_append(buf, text, length);
}

/* ---- titles of sessions ---- */

/* Return a stored text as one line for a terminal; the caller frees it. */
static char *clean(const char *text)
{
	struct ik_buf out;

	ik_buf_init(&out, IK_KIB(64));
	ik_sanitize_line(&out, text, strlen(text));
	return ik_buf_take(&out, NULL);
}

static void on_sessions(void *arg, const struct ik_store_answer *answer)
{
	struct ik_complete *complete = arg;
	struct titles *titles = &complete->titles;

	titles->read = NULL;
	titles->read_ms = ik_clock_ms();
	ik_pick_list_clear(&titles->picks);
	for (size_t i = 0; i < answer->count; i++) {
		const struct ik_session_info *info = &answer->sessions[i];

		if (info->title[0] != '\0')
			ik_pick_add(&titles->picks,
				(struct ik_pick){ .id = clean(info->title), .aside = clean(info->directory) });
	}
	ik_screen_candidates_changed(complete->screen);
}

/* Answer with the known titles, newest first, and read them again unless they are current. */
static void answer_titles(struct ik_complete *complete)
{
	struct titles *titles = &complete->titles;
	bool fresh = titles->read_ms > 0 && ik_clock_ms() - titles->read_ms < SESSIONS_FRESH_MS;

	if (!titles->read && !fresh)
		titles->read = ik_store_list(complete->core->store, NULL, 0, "", SESSIONS_NEWEST,
			on_sessions, complete);
	for (size_t i = 0; i < titles->picks.count; i++)
		add(complete, titles->picks.picks[i].id, titles->picks.picks[i].aside, true);
}

/* ---- files ---- */

/* Can this name be typed? */
static bool is_typable(const char *name, size_t length)
{
	for (size_t i = 0; i < length; i++)
		if ((unsigned char)name[i] < 0x20 || name[i] == 0x7f)
			return false;
	return ik_utf8_valid_prefix(name, length) == length;
}

/* Is the entry a directory, or a link to one? */
static bool is_directory(DIR *stream, const struct dirent *entry)
{
	struct stat status;

	if (entry->d_type != DT_LNK && entry->d_type != DT_UNKNOWN)
		return entry->d_type == DT_DIR;
	return fstatat(dirfd(stream), entry->d_name, &status, 0) == 0 && S_ISDIR(status.st_mode);
}

/* Add a name; append "/" to that of a directory. */
static void add_name(struct listing *listing, const struct dirent *entry)
{
	int kind = entry->d_name[0] == '.';
	const char *end = is_directory(listing->stream, entry) ? "/" : "";

	if (ik_text_equal(entry->d_name, ".") || ik_text_equal(entry->d_name, "..") ||
		!is_typable(entry->d_name, strlen(entry->d_name)))
		return;
	listing->names[kind] = ik_alloc_more(listing->names[kind], listing->counts[kind],
		sizeof(*listing->names[kind]));
	listing->names[kind][listing->counts[kind]++] = (struct ik_proposal){
		.text = ik_format("%s%s", entry->d_name, end),
	};
}

static void read_on(void *arg);

/* Read for SLICE_US, and leave the rest to the next turn. */
static void read_slice(struct ik_complete *complete)
{
	struct listing *listing = &complete->listing;
	int64_t end = ik_clock_us() + SLICE_US;
	const struct dirent *entry = NULL;

	for (size_t i = 1; i % LOOK_EVERY != 0 || ik_clock_us() < end; i++) {
		entry = readdir(listing->stream);
		if (!entry)
			break;
		add_name(listing, entry);
	}
	if (entry && listing->counts[0] + listing->counts[1] < NAMES_MAX) {
		ik_loop_defer(complete->loop, read_on, complete);
		return;
	}
	(void)closedir(listing->stream);
	listing->stream = NULL;
}

/* Continue reading in a later turn, and tell the screen: the array of names may have moved. */
static void read_on(void *arg)
{
	struct ik_complete *complete = arg;

	read_slice(complete);
	ik_screen_candidates_changed(complete->screen);
}

static void forget_listing(struct ik_complete *complete)
{
	struct listing *listing = &complete->listing;

	ik_loop_cancel_deferred(complete->loop, read_on, complete);
	if (listing->stream)
		(void)closedir(listing->stream);
	for (int kind = 0; kind < 2; kind++) {
		for (size_t i = 0; i < listing->counts[kind]; i++)
			free((char *)listing->names[kind][i].text);
		free(listing->names[kind]);
	}
	free(listing->directory);
	*listing = (struct listing){ .directory = NULL };
}

/* Start reading a directory, unless it was read and has not changed since. */
static void want_listing(struct ik_complete *complete, const char *directory)
{
	struct listing *listing = &complete->listing;
	struct stat status;

	if (listing->directory && ik_text_equal(listing->directory, directory) &&
		stat(directory, &status) == 0 && status.st_mtim.tv_sec == listing->changed_at.tv_sec &&
		status.st_mtim.tv_nsec == listing->changed_at.tv_nsec)
		return;
	forget_listing(complete);
	listing->directory = ik_strdup(directory);
	listing->stream = opendir(directory);
	if (!listing->stream)
		return;
	if (fstat(dirfd(listing->stream), &status) == 0)
		listing->changed_at = status.st_mtim;
	read_slice(complete);
}

/* Complete the last name of a path. */
static void answer_files(struct ik_complete *complete, const char *path, size_t length,
	struct ik_completions *answer)
{
	const char *slash = memrchr(path, '/', length);
	size_t head = slash ? (size_t)(slash - path) + 1 : 0;
	char *directory = ik_places_whole_path(&complete->core->setup->places, path, head);
	int kind;

	set_buf(&complete->head, path, head);
	set_buf(&complete->typed, path + head, length - head);
	kind = complete->typed.data[0] == '.';
	want_listing(complete, directory);
	answer->candidates = complete->listing.names[kind];
	answer->count = complete->listing.counts[kind];
	answer->unsorted = true;
	if (complete->listing.stream)
		ik_buf_puts(&complete->note, _("reading…"));
	free(directory);
}

/* ---- words ---- */

/* Return where the word at the end of text begins. With escapes, a blank after a backslash is part
 * of the word. */
static size_t word_start(const char *text, size_t length, bool escapes)
{
	size_t least = length > WORD_MAX ? length - WORD_MAX : 0, at = length;

	while (at > least &&
		(!strchr(" \t\n", text[at - 1]) || (escapes && at > least + 1 && text[at - 2] == '\\')))
		at--;
	return at;
}

/* Complete a path in a shell command, removing its backslashes first. */
static void answer_shell(struct ik_complete *complete, const char *text, size_t length,
	struct ik_completions *answer)
{
	size_t start = word_start(text, length, true), i;
	struct ik_buf path;

	if (start == 0 && length > 0)
		start = 1; /* skip the "!" */
	while (start < length && strchr("<>|;&(=", text[start]))
		start++;
	ik_buf_init(&path, WORD_MAX * 2);
	for (i = start; i < length; i++)
		if (text[i] != '\\' || ++i < length)
			ik_buf_putc(&path, text[i]);
	answer->start = start;
	answer->quoting = IK_QUOTING_SHELL;
	answer->on_demand = true;
	answer->free = true;
	answer_files(complete, path.data, path.length, answer);
	ik_buf_done(&path);
}

#define DEPTH_MAX 4 /* objects nested deeper stay empty */

static void put_object(struct ik_buf *out, struct ik_json_span schema, int depth);

/* Return the type of a schema, or the first of several. */
static struct ik_json_span type_of(struct ik_json_span schema)
{
	struct ik_json_span type = ik_json_member(schema, "type");

	return ik_json_span_type(type) == IK_JSON_ARRAY ? ik_json_at(type, "0") : type;
}

/* Append a value that fits a schema. */
static void put_value(struct ik_buf *out, struct ik_json_span schema, int depth)
{
	struct ik_json_span given = ik_json_member(schema, "default"), type = type_of(schema);

	if (!given.text)
		given = ik_json_member(schema, "const");
	if (!given.text)
		given = ik_json_at(ik_json_member(schema, "enum"), "0");
	if (given.text)
		ik_buf_append(out, given.text, given.length);
	else if (ik_json_string_is(type, "object") && depth < DEPTH_MAX)
		put_object(out, schema, depth + 1);
	else if (ik_json_string_is(type, "array"))
		ik_buf_puts(out, "[]");
	else if (ik_json_string_is(type, "integer") || ik_json_string_is(type, "number"))
		ik_buf_puts(out, "0");
	else if (ik_json_string_is(type, "boolean"))
		ik_buf_puts(out, "false");
	else if (ik_json_string_is(type, "object"))
		ik_buf_puts(out, "{}");
	else
		ik_buf_puts(out, "\"\"");
}

static void put_object(struct ik_buf *out, struct ik_json_span schema, int depth)
{
	struct ik_json_span required = ik_json_member(schema, "required");
	bool all = ik_json_count(required) == 0, first = true;

	ik_buf_putc(out, '{');
	for (struct ik_json_walk walk = ik_json_walk(ik_json_member(schema, "properties"));
		 ik_json_next(&walk);) {
		if (!all && !ik_parameter_is_required(schema, walk.key))
			continue;
		if (!first)
			ik_buf_puts(out, ", ");
		first = false;
		ik_buf_append(out, walk.key.text, walk.key.length);
		ik_buf_puts(out, ": ");
		put_value(out, walk.value, depth);
	}
	ik_buf_putc(out, '}');
}

void ik_argument_template(struct ik_buf *out, struct ik_json_span schema)
{
	put_object(out, schema, 0);
}

/* Propose arguments that fit a tool's schema. */
static bool answer_call(struct ik_complete *complete, const char *text, size_t length, size_t start,
	struct ik_completions *answer)
{
	const struct ik_tool *tool;
	struct ik_json_span schema;
	size_t end = start;
	char *name;

	while (end < length && !strchr(" \t", text[end]))
		end++;
	name = ik_strndup(text + start, end - start);
	tool = ik_registry_find(ik_core_registry(complete->core), name);
	free(name);
	while (end < length && strchr(" \t", text[end]))
		end++;
	/* Don't change arguments that the user has begun to type. */
	if (end < length || !tool || !tool->parameters ||
		ik_json_check(tool->parameters, tool->parameters_length, &schema, NULL) != IK_OK)
		return false;
	set_buf(&complete->made, "", 0);
	ik_argument_template(&complete->made, schema);
	add(complete, complete->made.data, _("its arguments"), false);
	answer->start = end;
	answer->caret_in_quotes = true;
	return true;
}

static void add_tools(struct ik_complete *complete, bool completes)
{
	const struct ik_registry *registry = ik_core_registry(complete->core);
	size_t i;

	for (i = 0; i < ik_registry_count(registry); i++) {
		const struct ik_tool *tool = ik_registry_at(registry, i);

		if (tool->state == IK_TOOL_OK)
			add(complete, tool->name, tool->description, completes);
	}
}

/* Propose the choices of a command, each with a fact or the first line of its text. */
static void add_choices(struct ik_complete *complete, const struct ik_action_row *row)
{
	ik_pick_list_clear(&complete->picks);
	ik_choices_list(complete->choices, row, &complete->picks);
	for (size_t i = 0; i < complete->picks.count; i++) {
		struct ik_pick *pick = &complete->picks.picks[i];

		pick->text[strcspn(pick->text, "\n")] = '\0';
		add(complete, pick->id, pick->aside[0] != '\0' ? pick->aside : pick->text, true);
	}
	if (complete->picks.empty)
		ik_buf_append(&complete->note, complete->picks.empty, strcspn(complete->picks.empty, "\n"));
}

/* Does a command need an argument? */
static bool needs_argument(const struct ik_action_row *row)
{
	return row->usage && row->usage[0] != '[';
}

/* Propose a custom command, whose texts may change while they are shown. */
static void add_custom(struct ik_complete *complete, const struct ik_action_row *row)
{
	struct ik_pick pick = {
		.id = ik_strdup(row->name),
		.text = row->usage ? ik_format("%s · %s", row->usage, row->description)
						   : ik_strdup(row->description),
	};

	ik_pick_add(&complete->picks, pick);
	add(complete, pick.id, pick.text, !needs_argument(row));
}

/* Complete the argument of a command. */
static bool answer_argument(struct ik_complete *complete, const char *text, size_t length,
	struct ik_completions *answer)
{
	size_t name = strcspn(text, " \t"), start = name + strspn(text + name, " \t");
	bool first_word = start >= length || !memchr(text + start, ' ', length - start);
	const struct ik_action_row *row = ik_action_of_command(ik_actions_rows(complete->actions),
		text);

	if (!row)
		return false;
	if (start > length)
		start = length;
	answer->start = start;
	answer->optional = !needs_argument(row);
	set_buf(&complete->typed, text + start, length - start);
	switch (row->argument) {
	case IK_ARGUMENT_NONE: /* as long as nothing is typed, say what may be */
		if (row->usage && start == length)
			ik_buf_puts(&complete->note, row->usage);
		return row->usage && start == length;
	case IK_ARGUMENT_MODEL:
	case IK_ARGUMENT_PROVIDER:
	case IK_ARGUMENT_MODE:
	case IK_ARGUMENT_SANDBOX:
	case IK_ARGUMENT_THEME:
		add_choices(complete, row);
		return first_word;
	case IK_ARGUMENT_CALL:
		if (!first_word) {
			set_buf(&complete->typed, "", 0);
			return answer_call(complete, text, length, start, answer);
		}
		add_tools(complete, false);
		return true;
	case IK_ARGUMENT_TOOL:
		add_tools(complete, true);
		return first_word;
	case IK_ARGUMENT_MOUSE:
		add(complete, "on", NULL, true);
		add(complete, "off", NULL, true);
		return first_word;
	case IK_ARGUMENT_SESSION:
		/* A title has blanks, so everything after the command is the word. It may also be a number
		 * or an id. */
		answer->free = true;
		answer_titles(complete);
		return true;
	case IK_ARGUMENT_FILE:
		answer->on_demand = true;
		answer->free = true;
		answer_files(complete, text + start, length - start, answer);
		return true;
	}
	return false;
}

/* Complete a line that begins with "/". */
static bool answer_command(struct ik_complete *complete, const char *text, size_t length,
	struct ik_completions *answer)
{
	const struct ik_action_row *row;

	if (strcspn(text, " \t\n") < length)
		return answer_argument(complete, text, length, answer);
	set_buf(&complete->typed, text, length);
	ik_pick_list_clear(&complete->picks);
	row = ik_actions_rows(complete->actions);
	for (; (row = ik_action_next_command(row)); row++)
		if (row->group == IK_GROUP_CUSTOM)
			add_custom(complete, row);
		else
			add(complete, row->name, _(row->description), !needs_argument(row));
	return true;
}

/* Complete a mention directly before the cursor. */
static bool answer_mention(struct ik_complete *complete, const char *text, size_t length,
	struct ik_completions *answer)
{
	size_t least = length > WORD_MAX ? length - WORD_MAX : 0, position = 0;
	const char *line = memrchr(text + least, '\n', length - least);
	size_t from = line ? (size_t)(line - text) + 1 : least;
	struct ik_mention mention;

	while (ik_mention_next(text + from, length - from, &position, &mention))
		if (from + mention.end == length && (mention.open || !mention.quoted)) {
			answer->start = from + mention.start;
			answer->quoting = IK_QUOTING_MENTION;
			answer_files(complete, mention.path, mention.length, answer);
			return true;
		}
	return false;
}

/* Complete a path in a message: any word if the user asks for it, otherwise only one with a "/", so
 * that typing alone reads no directory. */
static bool answer_path(struct ik_complete *complete, const char *text, size_t length,
	struct ik_completions *answer)
{
	size_t start = word_start(text, length, false);

	if (start == length || (!answer->asked && !memchr(text + start, '/', length - start)))
		return false;
	answer->start = start;
	answer->on_demand = true;
	answer->free = true;
	answer_files(complete, text + start, length - start, answer);
	return true;
}

static bool answer(void *arg, const char *text, size_t length, struct ik_completions *ret)
{
	struct ik_complete *complete = arg;
	bool line = !memchr(text, '\n', length) && length <= WORD_MAX, any;
	char *cut = ik_strndup(text, line ? length : 0);

	complete->count = 0;
	ik_buf_clear(&complete->typed);
	ik_buf_clear(&complete->head);
	ik_buf_clear(&complete->note);
	any = line && length > 0 && text[0] == '!';
	if (any)
		answer_shell(complete, text, length, ret);
	else if (length > 0 && (ik_command_is(cut) || ik_text_equal(cut, "/")))
		any = answer_command(complete, cut, length, ret);
	else
		any = answer_mention(complete, text, length, ret) ||
			answer_path(complete, text, length, ret);
	free(cut);
	if (!any)
		return false;
	ret->typed = complete->typed.data;
	ret->head = complete->head.data;
	ret->note = complete->note.length > 0 ? complete->note.data : NULL;
	if (!ret->candidates) {
		ret->candidates = complete->candidates;
		ret->count = complete->count;
	}
	return true;
}

/* ---- beginning and end ---- */

struct ik_complete *ik_complete_new(struct ik_loop *loop, struct ik_core *core,
	struct ik_screen *screen, struct ik_actions *actions, struct ik_choices *choices)
{
	struct ik_complete *complete = ik_alloc(sizeof(*complete));

	complete->loop = loop;
	complete->core = core;
	complete->screen = screen;
	complete->actions = actions;
	complete->choices = choices;
	ik_buf_init(&complete->typed, IK_LIMIT_USER_TEXT);
	ik_buf_init(&complete->head, IK_LIMIT_USER_TEXT);
	ik_buf_init(&complete->note, IK_KIB(16));
	ik_buf_init(&complete->made, IK_LIMIT_SCHEMA);
	ik_screen_on_complete(screen, answer, complete);
	return complete;
}

struct ik_complete *ik_complete_free(struct ik_complete *complete)
{
	if (!complete)
		return NULL;
	ik_screen_on_complete(complete->screen, NULL, NULL);
	forget_listing(complete);
	ik_store_read_close(complete->titles.read);
	ik_pick_list_clear(&complete->titles.picks);
	free(complete->candidates);
	ik_pick_list_clear(&complete->picks);
	ik_buf_done(&complete->typed);
	ik_buf_done(&complete->head);
	ik_buf_done(&complete->note);
	ik_buf_done(&complete->made);
	free(complete);
	return NULL;
}
