/*
 * file-edit: replace exact text in a file.
 */
#include <ctype.h>
#include <errno.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "tools/common/program.h"
#include "tools/common/source.h"
#include "tools/common/suggestions.h"
#include "tools/common/target.h"

#include "util/alloc.h"
#include "util/limits.h"
#include "util/path.h"
#include "util/text.h"
#include "util/utf8.h"

/* Bytes that are read at once. */
#define BLOCK IK_KIB(128)
/* Limit on the bytes of the file in which a hint is searched for. */
#define HINT_TEXT_MAX IK_MIB(8)
/* Limit on retries when another process writes the file. */
#define EDITS_MAX 10
/* Limits on a line, and on the places, that a hint shows. */
#define LINE_SHOWN_MAX 300
#define PLACES_SHOWN_MAX 10
/* The same on a run of blanks. */
#define BLANKS_SHOWN_MAX 40
/* Limit on the bytes compared with each other in a search for similar lines: half a second. */
#define WORK_MAX ((size_t)100000000)

enum { FILE_PATH, OLD_STRING, NEW_STRING, REPLACE_ALL };

static const struct ik_parameter parameters[] = {
	[FILE_PATH] = { "file_path", IK_PARAMETER_NAME, true, "Absolute or relative path to file" },
	[OLD_STRING] = { "old_string", IK_PARAMETER_STRING, true, "Exact text to find and replace" },
	[NEW_STRING] = { "new_string", IK_PARAMETER_STRING, true, "Text to replace old_string with" },
	[REPLACE_ALL] = { "replace_all", IK_PARAMETER_BOOLEAN, false,
		"Replace all occurrences (default: false, fails if not unique)" },
};

/* A replacement in progress. */
struct replacement {
	const struct ik_argument *old, *new;
	struct ik_target *target; /* gets the new contents; NULL: the places are only counted */
	size_t count;             /* places so far that do not overlap */
	size_t feeds;             /* line feeds before the first */
};

static void put(const struct replacement *replacement, const char *bytes, size_t length)
{
	if (replacement->target)
		ik_target_write(replacement->target, bytes, length);
}

/* Pass on what stays as it is. */
static void keep(struct replacement *replacement, const char *bytes, size_t length)
{
	const char *at = bytes, *end = bytes + length;

	while (replacement->count == 0 && (at = memchr(at, '\n', (size_t)(end - at)))) {
		replacement->feeds++;
		at++;
	}
	put(replacement, bytes, length);
}

/* Replace the text in a part of the contents; return how much of it is done: not its end, where a
 * place may begin, unless it is the last part. */
static size_t replace_part(struct replacement *replacement, const char *text, size_t length,
	bool last)
{
	const struct ik_argument *old = replacement->old, *new = replacement->new;
	const char *at = text, *end = text + length, *found;

	while ((found = memmem(at, (size_t)(end - at), old->text, old->length))) {
		keep(replacement, at, (size_t)(found - at));
		put(replacement, new->text, new->length);
		replacement->count++;
		at = found + old->length;
	}
	if (!last && (size_t)(end - at) >= old->length)
		end -= old->length - 1;
	else if (!last)
		end = at;
	keep(replacement, at, (size_t)(end - at));
	return (size_t)(end - text);
}

/* Replace the text in the whole file. Return 0 or errno. */
static int replace_all(struct replacement *replacement, int fd)
{
	const struct ik_argument *old = replacement->old;
	size_t piece = old->length > BLOCK ? old->length : BLOCK;
	ssize_t count = lseek(fd, 0, SEEK_SET) < 0 ? -1 : 1;
	struct ik_buf text;
	int number = errno;

	ik_buf_init(&text, SIZE_MAX / 2);
	while (count > 0) {
		char *to = ik_buf_reserve(&text, piece);

		if (!to)
			ik_alloc_fail();
		count = ik_source_read(fd, to, piece);
		number = errno;
		ik_buf_commit(&text, count > 0 ? (size_t)count : 0);
		bool nul = count > 0 && to[count - 1] == '\0' && !memchr(old->text, '\0', old->length);
		off_t hole = nul ? ik_source_skip_hole(fd) : 0;
		ik_buf_consume(&text,
			replace_part(replacement, text.data, text.length, count == 0 || hole > 0));
		if (hole > 0 && replacement->target)
			ik_target_skip(replacement->target, hole);
	}
	ik_buf_done(&text);
	return count < 0 ? number : 0;
}

/* ---- hints that help a model to fix an edit ---- */

/* A line of a text, without its end. */
struct nearest_line {
	const char *text;
	size_t length;
};

/* Take the next line; false at the end. */
static bool next_line(const char **at, const char *end, struct nearest_line *line)
{
	if (*at >= end)
		return false;
	const char *feed = memchr(*at, '\n', (size_t)(end - *at));
	line->text = *at;
	line->length = (size_t)((feed ? feed : end) - *at);
	*at = feed ? feed + 1 : end;
	return true;
}

static bool is_blank(char byte)
{
	return byte == ' ' || byte == '\t' || byte == '\r' || byte == '\n';
}

/* Return a line without blanks at its ends. */
static struct nearest_line trimmed(struct nearest_line line)
{
	while (line.length > 0 && is_blank(line.text[0])) {
		line.text++;
		line.length--;
	}
	while (line.length > 0 && is_blank(line.text[line.length - 1]))
		line.length--;
	return line;
}

static bool lines_equal(struct nearest_line one, struct nearest_line other)
{
	return one.length == other.length && memcmp(one.text, other.text, one.length) == 0;
}

static void show_line(struct ik_buf *hint, size_t number, const char *text, size_t length)
{
	size_t shown = length < LINE_SHOWN_MAX ? length : LINE_SHOWN_MAX;

	while (shown < length && shown > 0 && ik_utf8_is_continuation(text[shown]))
		shown--;
	ik_buf_printf(hint, "\n%zu: ", number);
	ik_buf_append(hint, text, shown);
	if (shown < length)
		ik_buf_puts(hint, "…");
}

/* Return where text stops matching wanted, with white space ignored; NULL if it does not match. */
static const char *loose_end(const char *text, const char *end, const char *wanted,
	const char *wanted_end)
{
	for (;;) {
		while (wanted < wanted_end && is_blank(*wanted))
			wanted++;
		if (wanted == wanted_end)
			return text;
		while (text < end && is_blank(*text))
			text++;
		if (text == end || *text != *wanted)
			return NULL;
		text++;
		wanted++;
	}
}

static size_t line_number(const char *text, const char *at)
{
	size_t number = 1;

	while ((text = memchr(text, '\n', (size_t)(at - text)))) {
		number++;
		text++;
	}
	return number;
}

static struct nearest_line blanks_at(const char *at, const char *end)
{
	struct nearest_line run = { at, 0 };

	while (at + run.length < end && is_blank(at[run.length]))
		run.length++;
	return run;
}

/* Append a readable form of a run of blanks. */
static void show_blanks(struct nearest_line run, struct ik_buf *hint)
{
	ik_buf_putc(hint, '"');
	for (size_t i = 0; i < run.length && i < BLANKS_SHOWN_MAX; i++)
		if (run.text[i] == ' ')
			ik_buf_putc(hint, ' ');
		else
			ik_buf_puts(hint, run.text[i] == '\t' ? "\\t" : run.text[i] == '\n' ? "\\n" : "\\r");
	ik_buf_puts(hint, run.length > BLANKS_SHOWN_MAX ? "…\"" : "\"");
}

/* Find the first run of blanks that differs. The text matches core (wanted without outer blanks) at
 * from, except for blanks. Return false if all are equal. */
static bool find_difference(const char *text, const char *end, const char *from,
	struct nearest_line wanted, struct nearest_line core, struct nearest_line *ret_ours,
	struct nearest_line *ret_theirs)
{
	const char *core_end = core.text + core.length;
	const char *back = from;
	const char *at = core.text;
	struct nearest_line ours, theirs = { wanted.text, (size_t)(core.text - wanted.text) };

	while (back > text && is_blank(back[-1]) && back[-1] != '\n')
		back--;
	ours = (struct nearest_line){ back, (size_t)(from - back) };
	bool same = ours.length >= theirs.length &&
		memcmp(from - theirs.length, theirs.text, theirs.length) == 0;
	while (same && at < core_end) {
		from++;
		at++;
		ours = blanks_at(from, end);
		theirs = blanks_at(at, wanted.text + wanted.length);
		same = at < core_end
			? lines_equal(ours, theirs)
			: ours.length >= theirs.length && memcmp(ours.text, theirs.text, theirs.length) == 0;
		from += ours.length;
		at += theirs.length;
	}
	*ret_ours = ours;
	*ret_theirs = theirs;
	return !same;
}

/* Hint that the text occurs with different white space, and show the difference. */
static bool hint_white_space(const char *text, size_t length, struct nearest_line wanted,
	struct ik_buf *hint)
{
	struct nearest_line core = trimmed(wanted);
	const char *end = text + length;
	const char *at = text;
	struct nearest_line line;

	if (core.length == 0)
		return false;
	while ((at = memchr(at, core.text[0], (size_t)(end - at)))) {
		const char *stop = loose_end(at, end, core.text, core.text + core.length);

		if (!stop) {
			at++;
			continue;
		}
		struct nearest_line ours, theirs;
		bool differs = find_difference(text, end, at, wanted, core, &ours, &theirs);

		while (at > text && at[-1] != '\n')
			at--;
		size_t number = line_number(text, at);
		bool returns = memchr(at, '\r', (size_t)(stop - at)) &&
			!memchr(core.text, '\r', core.length);
		ik_buf_printf(hint, "The text at line %zu differs only in white space: ", number);
		if (returns) {
			ik_buf_puts(hint, "its lines end in \\r\\n.");
		} else if (differs) {
			ik_buf_puts(hint, "it has ");
			show_blanks(ours, hint);
			ik_buf_puts(hint, " where old_string has ");
			show_blanks(theirs, hint);
			ik_buf_putc(hint, '.');
		}
		while (at < stop && hint->length < 2000 && next_line(&at, end, &line))
			show_line(hint, number++, line.text, line.length);
		return true;
	}
	return false;
}

/* Return how many lines from here match those of wanted; *differs is the first that does not. */
static size_t run_length(const char *at, const char *end, struct nearest_line wanted,
	struct nearest_line *differs)
{
	const char *wanted_at = wanted.text;
	const char *wanted_end = wanted.text + wanted.length;
	struct nearest_line one, other;
	size_t run = 0;

	*differs = (struct nearest_line){ "", 0 };
	while (next_line(&wanted_at, wanted_end, &other)) {
		if (!next_line(&at, end, &one))
			return run;
		if (!lines_equal(trimmed(one), trimmed(other))) {
			*differs = one;
			return run;
		}
		run++;
	}
	return run;
}

/* Hint that the first lines occur but a later one differs. */
static bool hint_later_line(const char *text, size_t length, struct nearest_line wanted,
	struct ik_buf *hint)
{
	const char *end = text + length;
	const char *at = text;
	const char *next;
	struct nearest_line line, first, differs, best_differs = { "", 0 };
	size_t best = 0, best_number = 0;
	const char *wanted_at = wanted.text;

	if (!next_line(&wanted_at, wanted.text + wanted.length, &first) || trimmed(first).length == 0 ||
		wanted_at == wanted.text + wanted.length)
		return false;
	next = at;
	for (size_t number = 1; next_line(&next, end, &line); number++, at = next) {
		if (!lines_equal(trimmed(line), trimmed(first)))
			continue;
		size_t run = run_length(at, end, wanted, &differs);

		if (run > best) {
			best = run;
			best_number = number;
			best_differs = differs;
		}
	}
	if (best == 0)
		return false;
	ik_buf_printf(hint,
		"The text matches from line %zu on, but line %zu is different:", best_number,
		best_number + best);
	show_line(hint, best_number + best, best_differs.text, best_differs.length);
	return true;
}

/* Append a line without the number that a listing puts before it ("12: ", "  12\t"); return false
 * if it has no number. blank: a blank after the colon belongs to the number. */
static bool append_unnumbered(struct nearest_line line, bool blank, struct ik_buf *out)
{
	static const char *const marks[] = { ":", "\t", "|", "\xe2\x86\x92" };
	size_t at = 0, digits;

	while (at < line.length && line.text[at] == ' ')
		at++;
	for (digits = 0; at < line.length && isdigit((unsigned char)line.text[at]); digits++)
		at++;
	for (size_t i = 0; digits > 0 && i < sizeof(marks) / sizeof(marks[0]); i++) {
		size_t length = strlen(marks[i]);

		if (line.length - at < length || memcmp(line.text + at, marks[i], length) != 0)
			continue;
		at += length;
		if (blank && at < line.length && line.text[at] == ' ')
			at++;
		ik_buf_append(out, line.text + at, line.length - at);
		return true;
	}
	return false;
}

/* Append the text without the numbers of a listing. Append nothing if a line has no number. */
static void put_unnumbered(struct nearest_line text, bool blank, struct ik_buf *out)
{
	const char *at = text.text, *end = text.text + text.length;
	struct nearest_line line;

	while (next_line(&at, end, &line)) {
		if (!append_unnumbered(line, blank, out)) {
			ik_buf_clear(out);
			return;
		}
		if (at < end || end[-1] == '\n')
			ik_buf_putc(out, '\n');
	}
}

/* Append the text with its escapes decoded. Append nothing if it has none. */
static void put_unescaped(struct nearest_line text, struct ik_buf *out)
{
	static const char letters[] = "nrt\"\\", meant[] = "\n\r\t\"\\";

	for (size_t i = 0; i < text.length; i++) {
		const char *letter = text.text[i] == '\\' && i + 1 < text.length && text.text[i + 1] != '\0'
			? strchr(letters, text.text[i + 1])
			: NULL;

		ik_buf_putc(out, letter ? meant[letter - letters] : text.text[i]);
		i += !!letter;
	}
	if (out->length == text.length)
		ik_buf_clear(out);
}

/* Hint that the text was copied with a listing's line numbers, or escaped once too often. */
static bool hint_reading(const char *text, size_t length, struct nearest_line wanted,
	struct ik_buf *hint)
{
	const char *found = NULL;
	struct ik_buf plain;

	ik_buf_init(&plain, SIZE_MAX / 2);
	/* With the blank after a number, without it, and with the escapes replaced. */
	for (int way = 0; way < 3 && !found; way++) {
		ik_buf_clear(&plain);
		if (way < 2)
			put_unnumbered(wanted, way == 0, &plain);
		else
			put_unescaped(wanted, &plain);
		found = plain.length > 0 ? memmem(text, length, plain.data, plain.length) : NULL;
		if (found && way < 2)
			ik_buf_printf(hint,
				"old_string has line numbers, the file (at line %zu) has not: leave them out.",
				line_number(text, found));
		else if (found)
			ik_buf_printf(hint,
				"The text at line %zu is meant, but old_string is escaped once too often: it has a "
				"backslash and a letter for each line feed, tab or quote.",
				line_number(text, found));
	}
	ik_buf_done(&plain);
	return found;
}

/* Show the lines most similar to the first line of wanted. */
static void hint_similar(const char *text, size_t length, struct nearest_line wanted,
	struct ik_buf *hint)
{
	struct ik_suggestions best = { 0 };
	const char *at = text;
	const char *wanted_at = wanted.text;
	struct nearest_line line, first = { "", 0 };
	size_t work = 0;

	while (first.length == 0 && next_line(&wanted_at, wanted.text + wanted.length, &first))
		first = trimmed(first);
	char *meant = ik_strndup(first.text, first.length);

	for (size_t number = 1; next_line(&at, text + length, &line); number++) {
		struct nearest_line core = trimmed(line);

		/* Half of the text must be the same; two very long lines would take minutes. */
		if (2 * core.length <= first.length || core.length >= 2 * first.length ||
			core.length > (WORK_MAX - work) / first.length)
			continue;
		char *other = ik_strndup(core.text, core.length);
		size_t distance = ik_text_distance(other, meant);

		work += core.length * first.length;
		if (2 * distance < first.length)
			ik_suggestions_add(&best, distance, number, line.text, line.length);
		free(other);
	}
	free(meant);
	if (best.count > 0)
		ik_buf_puts(hint, "The nearest lines are:");
	for (size_t i = 0; i < best.count; i++)
		show_line(hint, best.items[i].line, best.items[i].text, strlen(best.items[i].text));
	ik_suggestions_clear(&best);
}

/* Append what is similar to wanted, which does not occur in text: the place where it does except
 * for white space, line numbers or escapes, and the difference; or the first of its lines that
 * differs; or lines similar to its first. */
static void hint_lines(const char *text, size_t length, const char *wanted, size_t wanted_length,
	struct ik_buf *hint)
{
	struct nearest_line whole = { wanted, wanted_length };

	if (length == 0)
		ik_buf_puts(hint, "The file is empty.");
	else if (!hint_white_space(text, length, whole, hint) &&
		!hint_reading(text, length, whole, hint) && !hint_later_line(text, length, whole, hint))
		hint_similar(text, length, whole, hint);
}

/* Append whether the new text is there already. */
static void hint_present(const char *text, size_t length, const char *new, size_t new_length,
	struct ik_buf *hint)
{
	const char *found = new_length > 2 ? memmem(text, length, new, new_length) : NULL;

	if (!found)
		return;
	if (hint->length > 0)
		ik_buf_putc(hint, '\n');
	ik_buf_printf(hint, "new_string is in the file already, at line %zu.",
		line_number(text, found));
}

/* Append the numbers of the first few lines where wanted begins. */
static void hint_places(const char *text, size_t length, const char *wanted, size_t wanted_length,
	struct ik_buf *hint)
{
	const char *end = text + length;
	const char *at = text;
	const char *counted = text;
	size_t number = 1, last = 0, shown = 0;
	struct ik_buf numbers;

	ik_buf_init(&numbers, 4096);
	while ((at = memmem(at, (size_t)(end - at), wanted, wanted_length))) {
		number += line_number(counted, at) - 1;
		counted = at;
		at += wanted_length;
		if (number == last)
			continue;
		if (shown == PLACES_SHOWN_MAX) {
			ik_buf_puts(&numbers, " and more");
			break;
		}
		ik_buf_printf(&numbers, "%s%zu", shown == 0 ? "" : ", ", number);
		last = number;
		shown++;
	}
	if (shown > 0)
		ik_buf_printf(hint, "It begins in line%s %s. ", shown == 1 ? "" : "s", numbers.data);
	ik_buf_puts(hint, "Add text around it to make it unique.");
	ik_buf_done(&numbers);
}

/* ---- the edit ---- */

/* Answer that the number of places does not allow a replacement, with what may help. */
static void refuse_places(const struct ik_argument *arguments, int fd, size_t count,
	struct ik_tool_answer *answer)
{
	const struct ik_argument *old = &arguments[OLD_STRING];
	const struct ik_argument *new = &arguments[NEW_STRING];
	struct ik_buf text, hint;

	ik_buf_init(&text, HINT_TEXT_MAX);
	ik_buf_init(&hint, IK_KIB(64));
	if (lseek(fd, 0, SEEK_SET) < 0 || ik_read_all(fd, &text, BLOCK) != 0)
		ik_buf_clear(&text);
	if (count == 0) {
		hint_lines(text.data, text.length, old->text, old->length, &hint);
		hint_present(text.data, text.length, new->text, new->length, &hint);
		ik_answer_error(answer, "NOT_FOUND", hint.data, "String not found in file");
	} else {
		hint_places(text.data, text.length, old->text, old->length, &hint);
		ik_answer_error(answer, "NOT_UNIQUE", hint.data,
			"String found %zu times, use replace_all to replace all", count);
	}
	ik_buf_done(&text);
	ik_buf_done(&hint);
}

/* Answer with how much was replaced, and where first. */
static void answer_replaced(const char *path, const struct replacement *places,
	struct ik_tool_answer *answer)
{
	char *sentence = ik_format("Replaced %zu occurrence%s in %s", places->count,
		places->count == 1 ? "" : "s", ik_path_base(path));

	ik_answer_text(answer, "output", sentence, strlen(sentence));
	ik_answer_integer(answer, "replacements", (int64_t)places->count);
	if (places->count > 0)
		ik_answer_integer(answer, "line", (int64_t)places->feeds + 1);
	free(sentence);
}

/* Write the new contents, if the file still has this status. */
static enum ik_target_result write_back(const struct ik_argument *arguments, int fd,
	const struct stat *status, struct ik_tool_answer *answer)
{
	enum ik_target_result result = IK_TARGET_FAILED;
	struct ik_target target;
	struct replacement replacement = {
		.old = &arguments[OLD_STRING], .new = &arguments[NEW_STRING], .target = &target
	};

	if (ik_target_open(&target, arguments[FILE_PATH].text, answer)) {
		int number = replace_all(&replacement, fd);

		if (number == 0)
			result = ik_target_commit(&target, status, answer);
		else
			ik_source_read_failed(arguments[FILE_PATH].text, number, answer);
	}
	ik_target_close(&target);
	return result;
}

/* Read, replace and write, once. */
static enum ik_target_result edit_once(const struct ik_argument *arguments, int fd,
	struct ik_tool_answer *answer)
{
	struct replacement places = { .old = &arguments[OLD_STRING], .new = &arguments[NEW_STRING] };
	enum ik_target_result result = IK_TARGET_FAILED;
	struct stat status;
	int number = fstat(fd, &status) < 0 ? errno : replace_all(&places, fd);

	if (number != 0)
		ik_source_read_failed(arguments[FILE_PATH].text, number, answer);
	else if (places.count != 1 && !arguments[REPLACE_ALL].truth)
		refuse_places(arguments, fd, places.count, answer);
	else
		result = places.count == 0 ? IK_TARGET_WRITTEN : write_back(arguments, fd, &status, answer);
	if (result == IK_TARGET_WRITTEN)
		answer_replaced(arguments[FILE_PATH].text, &places, answer);
	return result;
}

static void run(const struct ik_argument *arguments, struct ik_tool_answer *answer)
{
	const char *path = arguments[FILE_PATH].text;
	const struct ik_argument *old = &arguments[OLD_STRING];
	const struct ik_argument *new = &arguments[NEW_STRING];
	enum ik_target_result result = IK_TARGET_CHANGED;

	if (old->length == 0) {
		ik_answer_error(answer, "INVALID_ARG",
			"To insert, take text at the place as "
			"old_string and repeat it in new_string; file_write writes a whole file.",
			"old_string cannot be empty");
		return;
	}
	if (old->length == new->length && memcmp(old->text, new->text, old->length) == 0) {
		ik_answer_error(answer, "INVALID_ARG", NULL, "old_string and new_string are identical");
		return;
	}
	for (int attempt = 0, edits = 0; edits < EDITS_MAX && result == IK_TARGET_CHANGED; attempt++) {
		int fd = ik_source_open(path, answer);

		if (fd < 0)
			return;
		if (ik_target_lock(fd, path, attempt)) {
			result = edit_once(arguments, fd, answer);
			edits++;
		}
		close(fd);
	}
	if (result == IK_TARGET_CHANGED)
		ik_answer_error(answer, "WRITE_FAILED", "Another program keeps writing the file.",
			"Failed to write file: %s", path);
}

const struct ik_program ik_program = {
	.name = "file_edit",
	.binary = "file-edit",
	.description = "Edit a file by replacing exact text matches. "
				   "You must read the file before editing.",
	.example = "{\"file_path\": \"/tmp/config.txt\", \"old_string\": \"debug = false\", "
			   "\"new_string\": \"debug = true\"}",
	.writes = "file_path",
	.display = { { "kind", "edit" }, { "line", "Edit {file_path}" }, { "path", "file_path" },
		{ "old_text", "old_string" }, { "new_text", "new_string" }, { "at", "line" },
		{ "times", "replacements" } },
	.parameter_count = sizeof(parameters) / sizeof(parameters[0]),
	.parameters = parameters,
	.run = run,
};
