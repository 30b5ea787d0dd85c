#include "tools/common/match.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <fnmatch.h>
#include <glob.h>
#include <limits.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "tools/common/ignore.h"

#include "util/alloc.h"
#include "util/buf.h"
#include "util/text.h"

/* Passes paths on and counts them. */
struct match_visitor {
	ik_match_fn visit;
	void *arg;
	size_t count;
};

static bool take_path(struct match_visitor *visitor, const char *path, unsigned char type)
{
	visitor->count++;
	return visitor->visit(visitor->arg, path, type);
}

/* ---- patterns with "**", reading each directory once ---- */

/*
 * The pattern is a sequence of components.  Those that the next name may match are a set (bit i:
 * component i), as in any automaton: "**" stays in the set for each directory below.  So each
 * directory is read once, however many "**" there are, and no path is found twice.
 */
#define COMPONENTS_MAX 63

enum component_kind {
	COMPONENT_LITERAL, /* text is the name */
	COMPONENT_ANY,     /* "*" */
	COMPONENT_WILD,    /* text is for fnmatch(3) */
	COMPONENT_DEEP     /* "**" */
};

struct component {
	enum component_kind kind;
	char *text;
};

struct walk {
	struct component components[COMPONENTS_MAX];
	size_t count;
	bool directories_only;    /* the pattern ended in a slash */
	bool dots;                /* wildcards match a leading dot, too */
	struct ik_ignore *ignore; /* what is skipped, or NULL */
	bool stopped;             /* by the visitor */
	bool no_memory;
	bool too_long; /* a path is longer than the kernel accepts */
	struct match_visitor *visitor;
	const char *sorted; /* the names being sorted */
	struct ik_buf path; /* of the directory being read, ending in a slash; "" for "." */
};

/* A name that matched: once for itself, or once for what is below it. */
struct walk_item {
	size_t name;    /* offset in the names of its directory */
	uint64_t below; /* the set for the directory of that name; 0: the name itself matched */
	unsigned char type;
};

/* The matches in one directory. */
struct walk_listing {
	struct ik_buf names;
	struct ik_buf items;
};

static uint64_t bit(size_t index)
{
	return UINT64_C(1) << index;
}

/* Remove the backslashes from a text, in place. */
static void unescape(char *text)
{
	char *to = text;

	for (const char *from = text; *from != '\0'; from++) {
		if (*from == '\\' && from[1] != '\0')
			from++;
		*to++ = *from;
	}
	*to = '\0';
}

/*
 * As in glob(3), a backslash before a slash means nothing, and a pattern that ends in one matches
 * nothing. Return the pattern without the former (new memory), NULL for the latter.
 */
static char *settle_slashes(const char *pattern)
{
	char *settled = ik_alloc(strlen(pattern) + 1);
	char *to = settled;

	for (const char *from = pattern; *from != '\0'; from++) {
		if (*from == '\\' && from[1] == '\0') {
			free(settled);
			return NULL;
		}
		if (*from == '\\' && from[1] != '/')
			*to++ = *from++;
		else if (*from == '\\')
			from++;
		*to++ = *from;
	}
	return settled;
}

/* Does text contain a wildcard that is not escaped? */
static bool has_wildcard(const char *text)
{
	for (; *text != '\0'; text++) {
		if (*text == '\\' && text[1] != '\0')
			text++;
		else if (strchr("*?[", *text))
			return true;
	}
	return false;
}

/* Make a component from a part of the pattern. */
static struct component component_make(const char *part, size_t length)
{
	struct component component = { COMPONENT_WILD, ik_strndup(part, length) };

	if (strcmp(component.text, "**") == 0) {
		component.kind = COMPONENT_DEEP;
	} else if (strcmp(component.text, "*") == 0) {
		component.kind = COMPONENT_ANY;
	} else if (!has_wildcard(component.text)) {
		component.kind = COMPONENT_LITERAL;
		unescape(component.text);
	}
	return component;
}

/* Add a component; "**" directly after "**" adds nothing. */
static bool add_component(struct walk *walk, const char *part, size_t length)
{
	if (walk->count == COMPONENTS_MAX)
		return false;
	struct component component = component_make(part, length);

	if (component.kind == COMPONENT_DEEP && walk->count > 0 &&
		walk->components[walk->count - 1].kind == COMPONENT_DEEP)
		free(component.text);
	else
		walk->components[walk->count++] = component;
	return true;
}

/* Start in the directory that the pattern names before its first wildcard, which may have any
 * number of parts; return the rest of the pattern. */
static const char *parse_beginning(struct walk *walk, const char *pattern)
{
	size_t length;

	for (;;) {
		pattern += strspn(pattern, "/");
		length = strcspn(pattern, "/");
		struct component component = component_make(pattern, length);
		bool plain = component.kind == COMPONENT_LITERAL &&
			pattern[length + strspn(pattern + length, "/")] != '\0';

		if (plain) {
			ik_buf_puts(&walk->path, component.text);
			ik_buf_putc(&walk->path, '/');
			pattern += length;
		}
		free(component.text);
		if (!plain)
			return pattern;
	}
}

/* Parse the pattern; false if it has too many parts. */
static bool parse_pattern(struct walk *walk, const char *pattern)
{
	size_t length;

	if (pattern[0] == '/')
		ik_buf_putc(&walk->path, '/');
	walk->directories_only = ik_text_ends(pattern, "/");
	for (const char *at = parse_beginning(walk, pattern); *at != '\0'; at += length) {
		length = strcspn(at, "/");
		if (length > 0 && !add_component(walk, at, length))
			return false;
		if (length == 0)
			length = 1;
	}
	if (walk->count > 0 && walk->components[walk->count - 1].kind == COMPONENT_DEEP)
		return add_component(walk, "*", 1);
	return true;
}

/* "**" also matches no directory: add the component after each in the set. */
static uint64_t closure(const struct walk *walk, uint64_t set)
{
	for (size_t i = 0; i + 1 < walk->count; i++)
		if ((set & bit(i)) != 0 && walk->components[i].kind == COMPONENT_DEEP)
			set |= bit(i + 1);
	return set;
}

/* Does a name match a component (not "**")? */
static bool component_matches(const struct walk *walk, const struct component *component,
	const char *name)
{
	bool hidden = name[0] == '.' && !walk->dots;

	switch (component->kind) {
	case COMPONENT_LITERAL:
		return strcmp(component->text, name) == 0;
	case COMPONENT_ANY:
		return !hidden;
	case COMPONENT_WILD:
		return fnmatch(component->text, name, walk->dots ? 0 : FNM_PERIOD) == 0;
	case COMPONENT_DEEP:
		break;
	}
	return false;
}

/* Return the type of an entry, also where the directory itself doesn't say. */
static unsigned char entry_type(DIR *stream, const struct dirent *entry)
{
	struct stat status;

	if (entry->d_type != DT_UNKNOWN)
		return entry->d_type;
	if (fstatat(dirfd(stream), entry->d_name, &status, AT_SYMLINK_NOFOLLOW) < 0)
		return DT_UNKNOWN;
	return IFTODT(status.st_mode);
}

/* Is the entry a directory, or a symbolic link to one? */
static bool leads_to_directory(DIR *stream, const char *name, unsigned char type)
{
	struct stat status;

	return type == DT_DIR ||
		(type == DT_LNK && fstatat(dirfd(stream), name, &status, 0) == 0 &&
			S_ISDIR(status.st_mode));
}

/* Add an item, whose name was appended to the names at offset name. */
static void keep_item(struct walk_listing *listing, size_t name, uint64_t below, unsigned char type)
{
	struct walk_item item = { name, below, type };

	ik_buf_append(&listing->items, (const char *)&item, sizeof(item));
}

/* Match one entry of a directory with the components in set. */
static void take_entry(struct walk *walk, uint64_t set, DIR *stream, const struct dirent *entry,
	struct walk_listing *listing)
{
	const char *name = entry->d_name;
	uint64_t deep = 0, below = 0;
	bool itself = false;

	for (uint64_t left = set; left != 0; left &= left - 1) {
		size_t i = (size_t)__builtin_ctzll(left);

		if (walk->components[i].kind == COMPONENT_DEEP)
			deep |= name[0] != '.' || walk->dots ? bit(i) : 0;
		else if (!component_matches(walk, &walk->components[i], name))
			continue;
		else if (i + 1 == walk->count)
			itself = true;
		else
			below |= bit(i + 1);
	}
	if (!itself && (deep | below) == 0)
		return;
	unsigned char type = entry_type(stream, entry);
	if (type == DT_DIR)
		below |= deep;
	else if (type != DT_LNK)
		below = 0;
	if (itself && walk->directories_only)
		itself = leads_to_directory(stream, name, type);
	if (!itself && below == 0)
		return;
	size_t offset = listing->names.length;
	ik_buf_append(&listing->names, name, strlen(name) + 1);
	if (itself)
		keep_item(listing, offset, 0, type);
	if (below != 0)
		keep_item(listing, offset, below, type);
}

/* Return the byte that follows the name of an item in a path. */
static int byte_behind(const struct walk *walk, const struct walk_item *item)
{
	return item->below != 0 || walk->directories_only ? '/' : '\0';
}

/* Sort as the paths will be: what is below a name begins with the name and a slash. */
static int compare_items(const void *one, const void *other, void *arg)
{
	const struct walk *walk = arg;
	const struct walk_item *a = one, *b = other;
	const unsigned char *left = (const unsigned char *)walk->sorted + a->name;
	const unsigned char *right = (const unsigned char *)walk->sorted + b->name;

	while (*left != '\0' && *left == *right) {
		left++;
		right++;
	}
	int left_byte = *left != '\0' ? *left : byte_behind(walk, a);
	int right_byte = *right != '\0' ? *right : byte_behind(walk, b);
	/* The directory comes before what is below it. */
	return left_byte != right_byte ? left_byte - right_byte : (a->below != 0) - (b->below != 0);
}

/* "." and ".." match only if the pattern names them. */
static void take_dots(const struct walk *walk, uint64_t set, struct walk_listing *listing)
{
	for (size_t i = 0; i < walk->count; i++) {
		const char *text = walk->components[i].text;

		if ((set & bit(i)) == 0 || walk->components[i].kind != COMPONENT_LITERAL ||
			(strcmp(text, ".") != 0 && strcmp(text, "..") != 0))
			continue;
		size_t offset = listing->names.length;
		ik_buf_append(&listing->names, text, strlen(text) + 1);
		keep_item(listing, offset, i + 1 == walk->count ? 0 : bit(i + 1), DT_DIR);
	}
}

static void drop_excluded(struct walk *walk, struct walk_listing *listing)
{
	struct walk_item *items = (struct walk_item *)(void *)listing->items.data, *to = items;
	size_t count = listing->items.length / sizeof(items[0]);
	bool excluded = false;

	for (size_t i = 0; i < count; i++) {
		/* The same name may occur twice in a row. */
		if (i == 0 || items[i].name != items[i - 1].name)
			excluded = ik_ignore_excludes(walk->ignore, listing->names.data + items[i].name,
				items[i].type == DT_DIR);
		if (!excluded)
			*to++ = items[i];
	}
	ik_buf_truncate(&listing->items, (size_t)(to - items) * sizeof(items[0]));
}

/* Read the directory at walk->path, and enter it in walk->ignore; false if it cannot be read. */
static bool read_listing(struct walk *walk, uint64_t set, struct walk_listing *listing)
{
	unsigned files = 0;
	DIR *stream = opendir(walk->path.length > 0 ? walk->path.data : ".");
	struct dirent *entry;

	if (!stream)
		return false;
	while ((entry = readdir(stream))) {
		if (entry->d_name[0] == '.' &&
			(entry->d_name[1] == '\0' || strcmp(entry->d_name, "..") == 0))
			continue;
		take_entry(walk, set, stream, entry, listing);
		if (walk->ignore && entry->d_name[0] == '.')
			files |= ik_ignore_file(entry->d_name);
	}
	if (ik_buf_status(&listing->names) != IK_OK || ik_buf_status(&listing->items) != IK_OK)
		walk->no_memory = true;
	if (!walk->no_memory && walk->ignore) {
		ik_ignore_enter(walk->ignore, walk->path.data, dirfd(stream), files);
		drop_excluded(walk, listing);
	}
	closedir(stream);
	if (walk->no_memory)
		return false;
	take_dots(walk, set, listing);
	walk->sorted = listing->names.data;
	qsort_r(listing->items.data, listing->items.length / sizeof(struct walk_item),
		sizeof(struct walk_item), compare_items, walk);
	return true;
}

/* Append a name and perhaps a slash to walk->path; false if the kernel would refuse it. */
static bool append_name(struct walk *walk, const char *name, bool slash)
{
	ik_buf_puts(&walk->path, name);
	if (slash)
		ik_buf_putc(&walk->path, '/');
	walk->too_long |= walk->path.length >= PATH_MAX;
	return walk->path.length < PATH_MAX;
}

static void walk_directory(struct walk *walk, uint64_t set);

/* Report the name of an item, or what is below it. */
static void take_item(struct walk *walk, const char *name, const struct walk_item *item)
{
	size_t length = walk->path.length;
	bool below = item->below != 0;

	if (append_name(walk, name, below || walk->directories_only)) {
		if (below)
			walk_directory(walk, item->below);
		else if (!take_path(walk->visitor, walk->path.data, item->type))
			walk->stopped = true;
	}
	ik_buf_truncate(&walk->path, length);
}

/* Find what the components in set match in and below the directory at walk->path. */
static void walk_directory(struct walk *walk, uint64_t set)
{
	struct walk_listing listing;

	set = closure(walk, set);
	ik_buf_init(&listing.names, SIZE_MAX / 2);
	ik_buf_init(&listing.items, SIZE_MAX / 2);
	if (read_listing(walk, set, &listing)) {
		const struct walk_item *items = (const struct walk_item *)(const void *)listing.items.data;
		size_t count = listing.items.length / sizeof(items[0]);

		for (size_t i = 0; i < count && !walk->stopped && !walk->no_memory; i++)
			take_item(walk, listing.names.data + items[i].name, &items[i]);
		if (walk->ignore)
			ik_ignore_leave(walk->ignore);
	}
	ik_buf_done(&listing.names);
	ik_buf_done(&listing.items);
}

/* Find the matches of a pattern; depth says whether wildcards match a leading dot, and whether to
 * skip what ignore.h excludes. */
static enum ik_match_result match_deep(const char *pattern, enum ik_match_depth depth,
	struct match_visitor *visitor)
{
	struct walk walk = { .visitor = visitor, .dots = depth != IK_MATCH_PATTERN };
	enum ik_match_result result = IK_MATCH_INVALID;
	char *settled = settle_slashes(pattern);

	if (!settled)
		return IK_MATCH_DONE;
	ik_buf_init(&walk.path, SIZE_MAX / 2);
	if (parse_pattern(&walk, settled)) {
		if (depth == IK_MATCH_BELOW)
			walk.ignore = ik_ignore_new(walk.path.data);
		if (walk.count > 0)
			walk_directory(&walk, bit(0));
		result = walk.no_memory || ik_buf_status(&walk.path) != IK_OK ? IK_MATCH_NO_MEMORY
			: walk.too_long                                           ? IK_MATCH_TOO_LONG
			: walk.ignore && ik_ignore_is_cut(walk.ignore)            ? IK_MATCH_RULES_CUT
																	  : IK_MATCH_DONE;
		walk.ignore = ik_ignore_free(walk.ignore);
	}
	for (size_t i = 0; i < walk.count; i++)
		free(walk.components[i].text);
	ik_buf_done(&walk.path);
	free(settled);
	return result;
}

/* ---- patterns without, as the C library sees them ---- */

/* glob(3) recurses once for each slash after a wildcard or at the end. No path that the kernel
 * accepts has more names than this. */
#define SLASHES_MAX (PATH_MAX / 2)

/* Could glob(3) overrun the stack? */
static bool is_too_deep(const char *pattern)
{
	const char *end = pattern + strlen(pattern);
	size_t count = 0;

	for (; end > pattern && end[-1] == '/'; end--)
		count++;
	for (const char *at = pattern + strcspn(pattern, "*?["); at < end; at++)
		count += *at == '/';
	return count > SLASHES_MAX;
}

/* Pass on what glob(3) finds. */
static enum ik_match_result match_plain(const char *pattern, struct match_visitor *visitor)
{
	glob_t found = { 0 };
	int failed;

	if (is_too_deep(pattern))
		return IK_MATCH_INVALID;
	/* Without a function for errors, only memory can fail: what cannot be read counts as empty. */
	failed = glob(pattern, 0, NULL, &found);
	for (size_t i = 0; failed == 0 && i < found.gl_pathc; i++)
		if (!take_path(visitor, found.gl_pathv[i], DT_UNKNOWN))
			break;
	globfree(&found);
	return failed == GLOB_NOSPACE ? IK_MATCH_NO_MEMORY : IK_MATCH_DONE;
}

/* ---- both ---- */

static void append_escaped(struct ik_buf *out, const char *directory)
{
	for (const char *at = directory; *at != '\0'; at++) {
		if (strchr("*?[]\\", *at))
			ik_buf_putc(out, '\\');
		ik_buf_putc(out, *at);
	}
}

static void join_pattern(struct ik_buf *out, const char *directory, const char *pattern)
{
	struct stat status;

	if (directory && directory[0] != '\0') {
		if (stat(directory, &status) == 0)
			append_escaped(out, directory);
		else
			ik_buf_puts(out, directory);
		if (directory[strlen(directory) - 1] != '/')
			ik_buf_putc(out, '/');
	}
	ik_buf_puts(out, pattern);
}

/* Does "**" occur alone between two slashes? */
static bool has_deep_component(const char *pattern)
{
	const char *at = pattern;

	while ((at = strstr(at, "**"))) {
		if ((at == pattern || at[-1] == '/') && (at[2] == '\0' || at[2] == '/'))
			return true;
		at += 2;
	}
	return false;
}

/* Is the start of the search unreadable: the directory before the first wildcard or, without
 * wildcards, the file itself? */
static bool is_start_unreadable(const char *pattern)
{
	char *start = ik_strdup(pattern);
	char *to = start, *end = start;
	bool wild = false;
	struct stat status;
	int fd = -1;

	for (const char *at = pattern; *at != '\0' && !wild; at++) {
		wild = strchr("*?[", *at);
		if (*at == '\\' && at[1] != '\0')
			at++;
		*to++ = *at;
		if (*at == '/' && !wild)
			end = to;
	}
	*(wild ? end : to) = '\0';
	if (wild)
		fd = open(end > start ? start : ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	bool failed = wild ? fd < 0 : lstat(start, &status) < 0;
	bool unreadable = failed && errno != ENOENT && errno != ENOTDIR && errno != ENAMETOOLONG &&
		errno != ELOOP;
	if (fd >= 0)
		close(fd);
	free(start);
	return unreadable;
}

/* Insert "**" before the last component. */
static void deepen(struct ik_buf *pattern)
{
	size_t at = pattern->length;

	while (at > 0 && pattern->data[at - 1] == '/')
		at--;
	while (at > 0 && pattern->data[at - 1] != '/')
		at--;
	ik_buf_insert(pattern, at, "**/", 3);
}

enum ik_match_depth ik_match_depth(const struct ik_argument *recursive,
	const struct ik_argument *ignored)
{
	return !recursive->truth ? IK_MATCH_PATTERN
		: ignored->truth     ? IK_MATCH_BELOW_ALL
							 : IK_MATCH_BELOW;
}

enum ik_match_result ik_match(const char *directory, const char *pattern, enum ik_match_depth depth,
	ik_match_fn visit, void *arg)
{
	struct match_visitor visitor = { .visit = visit, .arg = arg };
	enum ik_match_result result;
	struct ik_buf whole;

	ik_buf_init(&whole, SIZE_MAX / 2);
	join_pattern(&whole, directory, pattern);
	if (depth != IK_MATCH_PATTERN && pattern[0] != '\0')
		deepen(&whole);
	if (ik_buf_status(&whole) != IK_OK)
		result = IK_MATCH_NO_MEMORY;
	else if (depth != IK_MATCH_PATTERN || has_deep_component(whole.data))
		result = match_deep(whole.data, depth, &visitor);
	else
		result = match_plain(whole.data, &visitor);
	if (result == IK_MATCH_DONE && visitor.count == 0 && is_start_unreadable(whole.data))
		result = IK_MATCH_READ_ERROR;
	ik_buf_done(&whole);
	return result;
}

void ik_match_answer(enum ik_match_result result, int64_t count, struct ik_tool_answer *answer)
{
	const char *warning = NULL;

	switch (result) {
	case IK_MATCH_TOO_LONG:
		warning = "Paths longer than 4095 bytes were not searched.";
		break;
	case IK_MATCH_RULES_CUT:
		warning = "A .gitignore or .ignore file has more than 20000 rules, the rest of which was "
				  "not used.";
		break;
	case IK_MATCH_NO_MEMORY:
		ik_answer_error(answer, "OUT_OF_MEMORY", NULL, "Out of memory during glob");
		return;
	case IK_MATCH_INVALID:
		ik_answer_error(answer, "INVALID_PATTERN", "It has too many parts.",
			"Invalid glob pattern");
		return;
	case IK_MATCH_READ_ERROR:
	case IK_MATCH_DONE:
		break;
	}
	ik_answer_close(answer);
	ik_answer_integer(answer, "count", count);
	if (warning)
		ik_answer_text(answer, "warning", warning, strlen(warning));
}
