#include "guard/sandbox.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "guard/glob.h"
#include "guard/sandbox_covered.h"
#include "guard/sandbox_glob.h"
#include "guard/sandbox_rules.h"
#include "util/alloc.h"
#include "util/clock.h"
#include "util/path.h"
#include "util/text.h"

/* Devices, and shared memory: writable in every mode, since programs expect them. */
/* clang-format off */
static const char *const devices[] = {
	"/dev/null", "/dev/zero", "/dev/full", "/dev/random", "/dev/urandom", "/dev/tty", "/dev/ptmx",
	"/dev/shm",
};
/* clang-format on */
#define DEVICE_COUNT (sizeof(devices) / sizeof(devices[0]))

/* How long the limits found for a schema question are used for other questions: many are asked at
 * once, and searching the project for each would block the loop. A call searches again. */
#define QUESTIONS_MS 1000

/* A list of limits that owns its paths. */
struct sandbox_listing {
	struct ik_confine_limit *items;
	size_t count;
};

struct ik_sandbox {
	enum ik_sandbox_mode mode;
	bool network;
	const struct ik_string_list *except;
	char *directory, *home;
	char **writable; /* the session's directory, the temporary directory, then sandbox.write */
	size_t writable_count;
	struct ik_sandbox_limits limits;
	struct sandbox_listing guards; /* ikigai's own places */
	struct ik_sandbox_covered covered;
	struct sandbox_listing listing;
	bool listed;
	int64_t listed_ms;
};

static const char *const mode_names[IK_SANDBOX_MODE_COUNT] = { "off", "project", "read-only" };

const char *ik_sandbox_mode_name(enum ik_sandbox_mode mode)
{
	return mode_names[mode];
}

bool ik_sandbox_mode_find(const char *name, enum ik_sandbox_mode *ret_mode)
{
	for (int mode = 0; mode < IK_SANDBOX_MODE_COUNT; mode++) {
		if (ik_text_equal(name, mode_names[mode])) {
			*ret_mode = (enum ik_sandbox_mode)mode;
			return true;
		}
	}
	return false;
}

/* Return where a name of the configuration leads (new memory). */
static char *resolve(const struct ik_sandbox *sandbox, const char *name)
{
	char *expanded = ik_path_expand(name, sandbox->home);
	char *whole = ik_path_join(sandbox->directory, expanded), *canonical = ik_path_canonical(whole);

	free(expanded);
	free(whole);
	return canonical;
}

/* Add a place where tools may write (taken over). */
static void add_writable(struct ik_sandbox *sandbox, char *path)
{
	sandbox->writable = ik_alloc_array(sandbox->writable, sandbox->writable_count + 1,
		sizeof(*sandbox->writable));
	sandbox->writable[sandbox->writable_count++] = path;
}

struct ik_sandbox *ik_sandbox_new(const struct ik_config *config, const char *directory,
	const char *home)
{
	struct ik_sandbox *sandbox = ik_alloc(sizeof(*sandbox));

	(void)ik_sandbox_mode_find(config->sandbox_mode, &sandbox->mode);
	sandbox->network = config->sandbox_network;
	sandbox->except = &config->sandbox_except;
	sandbox->home = home ? ik_strdup(home) : NULL;
	sandbox->directory = ik_path_canonical(directory);
	add_writable(sandbox, ik_strdup(sandbox->directory));
	add_writable(sandbox, ik_path_canonical(ik_path_temporary()));
	for (size_t i = 0; i < config->sandbox_write.count; i++)
		add_writable(sandbox, resolve(sandbox, config->sandbox_write.items[i]));
	for (size_t i = 0; i < config->sandbox_hide.count; i++) {
		char *path = resolve(sandbox, config->sandbox_hide.items[i]);

		ik_sandbox_limits_add(&sandbox->limits, config->sandbox_hide.items[i], path,
			IK_CONFINE_NOTHING, 0);
		free(path);
	}
	if (config->sandbox_rules)
		ik_sandbox_limits_read(&sandbox->limits, config->policy, sandbox->directory, home);
	return sandbox;
}

static void listing_done(struct sandbox_listing *listing)
{
	for (size_t i = 0; i < listing->count; i++)
		free((char *)(uintptr_t)listing->items[i].path);
	free(listing->items);
	*listing = (struct sandbox_listing){ .count = 0 };
}

struct ik_sandbox *ik_sandbox_free(struct ik_sandbox *sandbox)
{
	if (!sandbox)
		return NULL;
	listing_done(&sandbox->listing);
	listing_done(&sandbox->guards);
	for (size_t i = 0; i < sandbox->writable_count; i++)
		free(sandbox->writable[i]);
	free(sandbox->writable);
	ik_sandbox_limits_done(&sandbox->limits);
	ik_sandbox_covered_done(&sandbox->covered);
	free(sandbox->directory);
	free(sandbox->home);
	free(sandbox);
	return NULL;
}

void ik_sandbox_guard(struct ik_sandbox *sandbox, const char *path, enum ik_confine_left left)
{
	struct sandbox_listing *guards = &sandbox->guards;

	guards->items = ik_alloc_array(guards->items, guards->count + 1, sizeof(*guards->items));
	guards->items[guards->count++] = (struct ik_confine_limit){
		.path = ik_path_canonical(path),
		.left = left,
	};
}

enum ik_sandbox_mode ik_sandbox_mode(const struct ik_sandbox *sandbox)
{
	return sandbox->mode;
}

void ik_sandbox_set_mode(struct ik_sandbox *sandbox, enum ik_sandbox_mode mode)
{
	sandbox->mode = mode;
	sandbox->listed = false;
}

const struct ik_sandbox_limit *ik_sandbox_limit_at(const struct ik_sandbox *sandbox, size_t index)
{
	return index < sandbox->limits.count ? &sandbox->limits.items[index] : NULL;
}

const struct ik_sandbox_gap *ik_sandbox_gap_at(const struct ik_sandbox *sandbox, size_t index)
{
	return index < sandbox->limits.gap_count ? &sandbox->limits.gaps[index] : NULL;
}

const char *ik_sandbox_writable(const struct ik_sandbox *sandbox, size_t index)
{
	size_t first = sandbox->mode == IK_SANDBOX_PROJECT ? 0 : 1;
	size_t end = sandbox->mode == IK_SANDBOX_PROJECT ? sandbox->writable_count : 2;

	if (sandbox->mode == IK_SANDBOX_OFF)
		return index == 0 ? "/" : NULL;
	return first + index < end ? sandbox->writable[first + index] : NULL;
}

/* Is there a limit; and is there one that does not come from a rule? */
static bool has_limits(const struct ik_sandbox *sandbox, bool of_rules)
{
	for (size_t i = 0; i < sandbox->limits.count; i++)
		if (of_rules || sandbox->limits.items[i].rule == 0)
			return true;
	return of_rules && sandbox->limits.pattern_count > 0;
}

enum ik_sandbox_state ik_sandbox_state(const struct ik_sandbox *sandbox)
{
	bool on = sandbox->mode != IK_SANDBOX_OFF;

	if (!on && sandbox->network && !has_limits(sandbox, true))
		return IK_SANDBOX_NOT_WANTED;
	if (ik_confine_abi() == 0)
		return on || !sandbox->network || has_limits(sandbox, false) ? IK_SANDBOX_BROKEN
																	 : IK_SANDBOX_NOT_WANTED;
	return on ? IK_SANDBOX_ON : IK_SANDBOX_IN_PART;
}

/* Has the user exempted this tool? */
static bool is_excepted(const struct ik_sandbox *sandbox, const char *tool)
{
	for (size_t i = 0; i < sandbox->except->count; i++)
		if (ik_text_equal(sandbox->except->items[i], tool))
			return true;
	return false;
}

/* Is path in that place, and are its files unreadable? */
static bool is_hidden_by(const char *place, enum ik_confine_left left, const char *path)
{
	return left != IK_CONFINE_READING && ik_confine_below(path, place);
}

bool ik_sandbox_hides(const struct ik_sandbox *sandbox, const char *tool, const char *path)
{
	bool hidden = false;

	if (!sandbox || (tool && is_excepted(sandbox, tool)) ||
		ik_sandbox_state(sandbox) == IK_SANDBOX_NOT_WANTED)
		return false;
	for (size_t i = 0; i < sandbox->limits.count && !hidden; i++)
		hidden = is_hidden_by(sandbox->limits.items[i].path, sandbox->limits.items[i].left, path);
	for (size_t i = 0; i < sandbox->limits.pattern_count && !hidden; i++) {
		const struct ik_sandbox_pattern *pattern = &sandbox->limits.patterns[i];

		hidden = is_hidden_by(pattern->base, pattern->left, path) &&
			ik_glob_match(pattern->glob, path, strlen(path), NULL);
	}
	for (size_t i = 0; i < sandbox->guards.count && !hidden; i++)
		hidden = is_hidden_by(sandbox->guards.items[i].path, sandbox->guards.items[i].left, path);
	for (size_t i = 0; i < sandbox->listing.count && !hidden; i++)
		hidden = is_hidden_by(sandbox->listing.items[i].path, sandbox->listing.items[i].left, path);
	return hidden;
}

/* Add the present targets of links in the configuration's names. */
static void follow_limits(struct ik_sandbox *sandbox)
{
	for (size_t i = sandbox->limits.count; i-- > 0;) {
		const struct ik_sandbox_limit *limit = &sandbox->limits.items[i];
		char *now = limit->rule == 0 ? resolve(sandbox, limit->named)
									 : ik_path_canonical(limit->path);

		if (!ik_text_equal(now, limit->path) &&
			!ik_sandbox_limits_have(&sandbox->limits, now, limit))
			ik_sandbox_limits_add(&sandbox->limits, limit->named, now, limit->left, limit->rule);
		free(now);
	}
}

/* Fill the places of a plan; return their number. */
static size_t put_places(const struct ik_sandbox *sandbox, enum ik_sandbox_purpose purpose,
	struct ik_confine_place *places)
{
	bool asked = purpose == IK_SANDBOX_QUESTION;
	size_t count = 0;
	const char *path;

	places[count++] = (struct ik_confine_place){ "/", sandbox->mode == IK_SANDBOX_OFF };
	if (sandbox->mode == IK_SANDBOX_OFF)
		return count;
	for (size_t i = 0; (path = ik_sandbox_writable(sandbox, i)); i++)
		if (!asked || path != sandbox->writable[0])
			places[count++] = (struct ik_confine_place){ path, true };
	for (size_t i = 0; i < DEVICE_COUNT; i++)
		places[count++] = (struct ik_confine_place){ devices[i], true };
	return count;
}

/* Add a limit for path (taken over) if it exists; hold: follow it when it is moved. */
static void add_limit(struct ik_sandbox *sandbox, char *path, enum ik_confine_left left, bool hold)
{
	struct sandbox_listing *listing = &sandbox->listing;
	/* If the session's directory were covered, the tool would have no directory. */
	bool cover = !ik_confine_below(sandbox->directory, path);
	struct stat status;

	if (lstat(path, &status) != 0) {
		free(path);
		return;
	}
	if (hold && cover && ik_mount_mask_method() != IK_MOUNT_MASK_NONE)
		ik_sandbox_covered_add(&sandbox->covered, path, left);
	listing->items = ik_alloc_array(listing->items, listing->count + 1, sizeof(*listing->items));
	listing->items[listing->count++] = (struct ik_confine_limit){
		.path = path,
		.left = left,
		.cover = cover,
	};
}

/* Does the mode allow writing to the place, to some of it, or around it? */
static bool is_writable_around(const struct ik_sandbox *sandbox, const char *path)
{
	const char *writable;

	if (sandbox->mode == IK_SANDBOX_OFF)
		return false; /* off does not limit the user's own rights */
	for (size_t i = 0; (writable = ik_sandbox_writable(sandbox, i)); i++)
		if (ik_confine_below(path, writable) || ik_confine_below(writable, path))
			return true;
	return false;
}

/* List all limits that exist now: of names, of patterns, and of places covered before. */
static void list_limits(struct ik_sandbox *sandbox)
{
	const struct sandbox_listing *listing = &sandbox->listing;
	const size_t held = sandbox->covered.count;
	struct ik_sandbox_found found;
	char *path;

	for (size_t i = 0; i < sandbox->limits.count; i++)
		add_limit(sandbox, ik_strdup(sandbox->limits.items[i].path), sandbox->limits.items[i].left,
			true);
	/* A readable guard applies in some modes only; if it were held, it would apply in all. */
	for (size_t i = 0; i < sandbox->guards.count; i++)
		if (sandbox->guards.items[i].left != IK_CONFINE_READING ||
			is_writable_around(sandbox, sandbox->guards.items[i].path))
			add_limit(sandbox, ik_strdup(sandbox->guards.items[i].path),
				sandbox->guards.items[i].left, sandbox->guards.items[i].left != IK_CONFINE_READING);
	for (size_t i = 0; i < sandbox->limits.pattern_count; i++) {
		const struct ik_sandbox_pattern *pattern = &sandbox->limits.patterns[i];

		/* A search that reached its limit covers what it found; /sandbox reports that. */
		(void)ik_sandbox_glob(pattern->base, pattern->glob, &found);
		for (size_t j = 0; j < found.count; j++)
			add_limit(sandbox, ik_strdup(found.paths[j]), pattern->left, true);
		ik_sandbox_found_done(&found);
	}
	for (size_t i = 0; i < held; i++) {
		bool listed = false;

		path = ik_sandbox_covered_path(&sandbox->covered, i);
		for (size_t j = 0; path && j < listing->count && !listed; j++)
			listed = listing->items[j].left == sandbox->covered.items[i].left &&
				ik_text_equal(listing->items[j].path, path);
		if (path && !listed)
			add_limit(sandbox, path, sandbox->covered.items[i].left, true);
		else
			free(path);
	}
}

/* List the limits anew, or use the list of a question that was asked a moment ago. */
static void refresh_listing(struct ik_sandbox *sandbox, enum ik_sandbox_purpose purpose)
{
	int64_t now_ms = ik_clock_ms();

	if (purpose == IK_SANDBOX_QUESTION && sandbox->listed &&
		now_ms - sandbox->listed_ms < QUESTIONS_MS)
		return;
	listing_done(&sandbox->listing);
	follow_limits(sandbox);
	list_limits(sandbox);
	sandbox->listed = true;
	sandbox->listed_ms = now_ms;
}

/* Can a call signal only processes that it started? */
static bool is_apart(const struct ik_sandbox *sandbox)
{
	return sandbox->mode != IK_SANDBOX_OFF || !sandbox->network;
}

enum ik_status ik_sandbox_enter(struct ik_sandbox *sandbox, const char *tool,
	enum ik_sandbox_purpose purpose, struct ik_confinement *ret_confinement, bool *ret_confined,
	struct ik_error *error)
{
	struct ik_confine_plan plan = { .place_count = 0 };
	struct ik_confine_place *places;
	struct ik_error reason;
	enum ik_status status;

	*ret_confined = false;
	if (!sandbox || is_excepted(sandbox, tool) ||
		ik_sandbox_state(sandbox) == IK_SANDBOX_NOT_WANTED)
		return IK_OK;
	refresh_listing(sandbox, purpose);
	places = ik_alloc_array(NULL, sandbox->writable_count + DEVICE_COUNT + 1, sizeof(*places));
	plan.places = places;
	plan.place_count = put_places(sandbox, purpose, places);
	plan.limits = sandbox->listing.items;
	plan.limit_count = sandbox->listing.count;
	plan.no_network = !sandbox->network;
	plan.own_terminals = sandbox->mode != IK_SANDBOX_OFF;
	plan.apart = is_apart(sandbox);
	status = ik_confine_open(&plan, ret_confinement, &reason);
	free(places);
	*ret_confined = status == IK_OK;
	if (status == IK_OK)
		return IK_OK;
	if (sandbox->mode == IK_SANDBOX_OFF)
		return ik_error_set(error, IK_DENIED,
			_("what sandbox.hide and sandbox.network "
			  "say cannot be held: %s. Take both out of the configuration to do without."),
			reason.text);
	return ik_error_set(error, IK_DENIED,
		_("the sandbox \"%s\" cannot be made: %s. /sandbox off, or "
		  "--sandbox off, does without."),
		mode_names[sandbox->mode], reason.text);
}

const char *ik_sandbox_variable(const struct ik_sandbox *sandbox)
{
	static const char *const variables[IK_SANDBOX_MODE_COUNT] = {
		IK_SANDBOX_VARIABLE "=off",
		IK_SANDBOX_VARIABLE "=project",
		IK_SANDBOX_VARIABLE "=read-only",
	};

	return variables[sandbox->mode];
}

/* Append one of several paths. */
static void put_path(struct ik_buf *out, size_t index, const char *path)
{
	ik_buf_printf(out, "%s%s", index == 0 ? "" : ", ", path);
}

/* Append a place to those with the same rights left; the clause comes before the first. */
static void put_bound(struct ik_buf *out, const char **between, size_t *shown, int left,
	const char *path)
{
	static const char *const clauses[] = {
		[IK_CONFINE_NOTHING] = "nothing can be read or written at",
		[IK_CONFINE_NAMES] = "no file can be read or written at",
		[IK_CONFINE_READING] = "nothing can be written at",
	};

	if (*shown == 0)
		ik_buf_printf(out, "%s%s ", *between, clauses[left]);
	put_path(out, (*shown)++, path);
	*between = "; ";
}

/* Append the restrictions as clauses of one sentence. */
static void put_bounds(const struct ik_sandbox *sandbox, struct ik_buf *out)
{
	const char *path, *between = "";
	bool any = false;

	if (sandbox->mode != IK_SANDBOX_OFF) {
		ik_buf_puts(out, "files can be written only in ");
		for (size_t i = 0; (path = ik_sandbox_writable(sandbox, i)); i++)
			put_path(out, i, path);
		between = "; ";
	}
	for (int left = IK_CONFINE_NOTHING; left <= IK_CONFINE_READING; left++) {
		size_t shown = 0;

		for (size_t i = 0; i < sandbox->limits.count; i++)
			if ((int)sandbox->limits.items[i].left == left)
				put_bound(out, &between, &shown, left, sandbox->limits.items[i].path);
		for (size_t i = 0; i < sandbox->guards.count && left == IK_CONFINE_READING; i++) {
			path = sandbox->guards.items[i].path;
			if ((int)sandbox->guards.items[i].left == left && is_writable_around(sandbox, path))
				put_bound(out, &between, &shown, left, path);
		}
		for (size_t i = 0; i < sandbox->limits.pattern_count; i++)
			if ((int)sandbox->limits.patterns[i].left == left)
				put_bound(out, &between, &shown, left, sandbox->limits.patterns[i].named);
		any = any || shown > 0;
	}
	if (any && ik_mount_mask_method() == IK_MOUNT_MASK_NONE)
		ik_buf_printf(out,
			"%snothing can be made or removed directly in the directories above these "
			"places",
			between);
	if (!sandbox->network)
		ik_buf_printf(out, "%sthere is no network and no other socket", between);
	if (is_apart(sandbox) && ik_confine_abi() >= IK_CONFINE_APART_ABI)
		ik_buf_printf(out, "%sa call can signal only processes that it has started itself",
			sandbox->network ? between : "; ");
}

void ik_sandbox_put_words(const struct ik_sandbox *sandbox, struct ik_buf *out)
{
	enum ik_sandbox_state state = ik_sandbox_state(sandbox);

	if (state != IK_SANDBOX_ON && state != IK_SANDBOX_IN_PART)
		return;
	ik_buf_puts(out, "Tools, and all that they start, run in a sandbox that the kernel holds: ");
	put_bounds(sandbox, out);
	ik_buf_puts(out,
		". What fails with \"Permission denied\", \"Operation not permitted\" or "
		"\"Read-only file system\" for that reason cannot be done in another way: "
		"say so, and let the person decide.");
}

void ik_sandbox_put_hint(const struct ik_sandbox *sandbox, struct ik_buf *out)
{
	ik_buf_printf(out, "This call ran in a sandbox (%s): ",
		sandbox->mode == IK_SANDBOX_OFF ? "hidden places" : mode_names[sandbox->mode]);
	put_bounds(sandbox, out);
	ik_buf_puts(out,
		". If it was refused for that reason, no other tool can do it; the person can, or "
		"changes it with /sandbox.");
}
