#include "tools/common/nearest.h"

#include <dirent.h>
#include <limits.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "util/alloc.h"
#include "util/path.h"
#include "util/text.h"
#include "util/utf8.h"

/* How many names or lines a hint shows, and how much of each line. */
#define SHOWN_MAX 3
#define LINE_SHOWN_MAX 300
#define PLACES_SHOWN_MAX 10
/* Bounds of the work for a hint. */
#define NAMES_MAX 20000
#define TEXT_MAX ((size_t)8 << 20)

/* One candidate; the smaller the better. */
struct candidate {
	size_t distance;
	size_t line;
	char *text;
};

/* Put a candidate in its place among the best, in new memory. */
static void keep_best(struct candidate best[SHOWN_MAX], size_t distance, size_t line,
	const char *text, size_t length)
{
	size_t at = SHOWN_MAX;

	while (at > 0 && (best[at - 1].text == NULL || distance < best[at - 1].distance))
		at--;
	if (at == SHOWN_MAX)
		return;
	free(best[SHOWN_MAX - 1].text);
	memmove(&best[at + 1], &best[at], (SHOWN_MAX - 1 - at) * sizeof(best[0]));
	best[at] = (struct candidate){ distance, line, ik_strndup(text, length) };
}

/* The directory part of path in new memory: "." if it has none. */
static char *directory_of(const char *path)
{
	size_t length = (size_t)(ik_path_base(path) - path);

	if (length == 0)
		return ik_strdup(".");
	while (length > 1 && path[length - 1] == '/')
		length--;
	return ik_strndup(path, length);
}

/* Say which directory on the way to path is missing. */
static void missing_directory(const char *directory, struct ik_buf *hint)
{
	struct stat status;
	char *missing = ik_strdup(directory);
	char *parent = directory_of(missing);

	while (strcmp(parent, missing) != 0 && stat(parent, &status) < 0) {
		free(missing);
		missing = parent;
		parent = directory_of(missing);
	}
	ik_buf_printf(hint, "There is no directory %s.", missing);
	free(missing);
	free(parent);
}

/* Edits allowed between a name and one that may have been meant. */
static size_t tolerance(const char *name)
{
	return strlen(name) / 3 + 1;
}

void ik_nearest_names(const char *path, struct ik_buf *hint)
{
	struct candidate best[SHOWN_MAX] = { { 0 } };
	const char *base = ik_path_base(path);
	char *directory = directory_of(path);
	DIR *stream = opendir(directory);
	struct dirent *entry;
	size_t allowed = tolerance(base);

	if (stream == NULL) {
		missing_directory(directory, hint);
		free(directory);
		return;
	}
	for (int seen = 0; seen < NAMES_MAX && (entry = readdir(stream)) != NULL; seen++) {
		size_t length = strlen(entry->d_name);

		if (strcmp(entry->d_name, ".") == 0 || strcmp(entry->d_name, "..") == 0 ||
			length > strlen(base) + allowed || length + allowed < strlen(base))
			continue;
		size_t distance = strcasecmp(base, entry->d_name) == 0 ?
			0 : ik_text_distance(base, entry->d_name);
		if (distance <= allowed && distance < strlen(base))
			keep_best(best, distance, 0, entry->d_name, length);
	}
	closedir(stream);
	for (int i = 0; i < SHOWN_MAX && best[i].text != NULL; i++) {
		ik_buf_puts(hint, i == 0 ? "Did you mean " : " or ");
		ik_buf_append(hint, path, (size_t)(base - path));
		ik_buf_puts(hint, best[i].text);
		free(best[i].text);
	}
	if (hint->length > 0)
		ik_buf_putc(hint, '?');
	free(directory);
}

/* A line of a text, without its end. */
struct line {
	const char *text;
	size_t length;
};

/* Take the next line; false at the end. */
static bool next_line(const char **at, const char *end, struct line *line)
{
	if (*at >= end)
		return false;
	const char *feed = memchr(*at, '\n', (size_t)(end - *at));
	line->text = *at;
	line->length = (size_t)((feed != NULL ? feed : end) - *at);
	*at = feed != NULL ? feed + 1 : end;
	return true;
}

static bool is_blank(char byte)
{
	return byte == ' ' || byte == '\t' || byte == '\r' || byte == '\n';
}

/* The line without blanks at its ends. */
static struct line trimmed(struct line line)
{
	while (line.length > 0 && is_blank(line.text[0])) {
		line.text++;
		line.length--;
	}
	while (line.length > 0 && is_blank(line.text[line.length - 1]))
		line.length--;
	return line;
}

static bool lines_equal(struct line one, struct line other)
{
	return one.length == other.length && memcmp(one.text, other.text, one.length) == 0;
}

/* Append a line of the file for reading. */
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

/* Where text stops to be wanted when blanks do not count; NULL if it is not. */
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

	while ((text = memchr(text, '\n', (size_t)(at - text))) != NULL) {
		number++;
		text++;
	}
	return number;
}

/* The text occurs, but with other white space: say where and how it is written. */
static bool hint_white_space(const char *text, size_t length, struct line wanted,
	struct ik_buf *hint)
{
	struct line core = trimmed(wanted);
	const char *end = text + length;
	const char *at = text;
	struct line line;

	if (core.length == 0)
		return false;
	while ((at = memchr(at, core.text[0], (size_t)(end - at))) != NULL) {
		const char *stop = loose_end(at, end, core.text, core.text + core.length);

		if (stop == NULL) {
			at++;
			continue;
		}
		while (at > text && at[-1] != '\n')
			at--;
		size_t number = line_number(text, at);
		ik_buf_printf(hint, memchr(at, '\r', (size_t)(stop - at)) != NULL &&
				memchr(core.text, '\r', core.length) == NULL ?
			"The text at line %zu differs in white space, its lines end in \\r\\n:" :
			"The text at line %zu differs only in white space:", number);
		while (at < stop && hint->length < 2000 && next_line(&at, end, &line))
			show_line(hint, number++, line.text, line.length);
		return true;
	}
	return false;
}

/* How many lines from here on are those of wanted; *differs is the first that is not. */
static size_t run_length(const char *at, const char *end, struct line wanted, struct line *differs)
{
	const char *wanted_at = wanted.text;
	const char *wanted_end = wanted.text + wanted.length;
	struct line one, other;
	size_t run = 0;

	*differs = (struct line){ "", 0 };
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

/* The first lines occur, a later one is different: say which. */
static bool hint_later_line(const char *text, size_t length, struct line wanted,
	struct ik_buf *hint)
{
	const char *end = text + length;
	const char *at = text;
	const char *next;
	struct line line, first, differs, best_differs = { "", 0 };
	size_t best = 0, best_number = 0;
	const char *wanted_at = wanted.text;

	if (!next_line(&wanted_at, wanted.text + wanted.length, &first) ||
		trimmed(first).length == 0 || wanted_at == wanted.text + wanted.length)
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
	ik_buf_printf(hint, "The text matches from line %zu on, but line %zu is different:",
		best_number, best_number + best);
	show_line(hint, best_number + best, best_differs.text, best_differs.length);
	return true;
}

/* A small set of the pairs of neighbouring bytes in a line. */
struct pairs {
	uint64_t bits[16];
	size_t count;
};

static size_t pair_of(const char *text)
{
	return ((unsigned)(unsigned char)text[0] * 31 + (unsigned char)text[1]) % 1024;
}

static struct pairs pairs_of(struct line line)
{
	struct pairs pairs = { { 0 }, 0 };

	for (size_t i = 0; i + 1 < line.length; i++)
		pairs.bits[pair_of(line.text + i) / 64] |= UINT64_C(1) << pair_of(line.text + i) % 64;
	for (size_t i = 0; i < 16; i++)
		pairs.count += (size_t)__builtin_popcountll(pairs.bits[i]);
	return pairs;
}

/* The lines most like the first one that is wanted. */
static void hint_similar(const char *text, size_t length, struct line wanted, struct ik_buf *hint)
{
	struct candidate best[SHOWN_MAX] = { { 0 } };
	const char *at = text;
	const char *wanted_at = wanted.text;
	struct line line, first = { "", 0 };

	while (trimmed(first).length == 0 &&
		next_line(&wanted_at, wanted.text + wanted.length, &first))
		;
	struct pairs pairs = pairs_of(trimmed(first));
	for (size_t number = 1; pairs.count > 0 && next_line(&at, text + length, &line); number++) {
		if (line.length > 4 * trimmed(first).length + 200)
			continue;
		struct pairs other = pairs_of(trimmed(line));
		size_t common = 0;
		for (size_t i = 0; i < 16; i++)
			common += (size_t)__builtin_popcountll(pairs.bits[i] & other.bits[i]);
		/* At least half of the pairs are shared, counted over both lines. */
		if (4 * common > pairs.count + other.count)
			keep_best(best, 1000 - 2000 * common / (pairs.count + other.count), number,
				line.text, line.length);
	}
	for (int i = 0; i < SHOWN_MAX && best[i].text != NULL; i++) {
		if (i == 0)
			ik_buf_puts(hint, "The nearest lines are:");
		show_line(hint, best[i].line, best[i].text, strlen(best[i].text));
		free(best[i].text);
	}
}

void ik_nearest_lines(const char *text, size_t length, const char *wanted, size_t wanted_length,
	struct ik_buf *hint)
{
	struct line whole = { wanted, wanted_length };

	if (length > TEXT_MAX)
		length = TEXT_MAX;
	if (!hint_white_space(text, length, whole, hint) &&
		!hint_later_line(text, length, whole, hint))
		hint_similar(text, length, whole, hint);
}

void ik_nearest_places(const char *text, size_t length, const char *wanted, size_t wanted_length,
	struct ik_buf *hint)
{
	const char *end = text + length;
	const char *at = text;
	const char *counted = text;
	size_t number = 1, last = 0;

	for (int shown = 0; shown < PLACES_SHOWN_MAX;) {
		at = memmem(at, (size_t)(end - at), wanted, wanted_length);
		if (at == NULL)
			break;
		number += line_number(counted, at) - 1;
		counted = at;
		at += wanted_length;
		if (number == last)
			continue;
		ik_buf_printf(hint, "%s%zu", last == 0 ? "It begins in line " : ", ", number);
		last = number;
		shown++;
	}
	if (hint->length > 0)
		ik_buf_puts(hint, ". Add text around it to make it unique.");
}
