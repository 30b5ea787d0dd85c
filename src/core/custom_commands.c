#include "core/custom_commands.h"

#include <dirent.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "util/alloc.h"
#include "util/clock.h"
#include "util/front_matter.h"
#include "util/limits.h"
#include "util/path.h"
#include "util/sanitize.h"
#include "util/text.h"
#include "util/utf8.h"

/* What was read counts as current for so many times as long as that took: thousands of files, or a
 * slow disk, must not make typing slow. */
#define FRESH_TIMES 4
/* Limits on sentences about files, on entries that are looked at, on directories in each other, and on
 * the bytes of a description. */
enum { PROBLEMS_MOST = 50, ENTRIES_MOST = 5000, DEPTH_MOST = 4, DESCRIPTION_MOST = 300 };
/* Limit on a project's program, which is read whole each time it is run. */
#define PROGRAM_BYTES IK_MIB(8)
/* Of a program, this much is read in search of a comment. */
#define PROGRAM_HEAD 4096

/* What was read at one time. */
struct command_reading {
	struct ik_custom_command *items;
	size_t count;
	char **problems;
	size_t problem_count;
};

struct ik_custom_commands {
	const struct ik_places *places;
	struct ik_project *project;
	struct ik_registry *skills;        /* or NULL */
	ik_custom_name_is_taken *is_taken; /* or NULL */
	struct command_reading now;
	size_t entries;   /* looked at meanwhile: of the project, or of the user */
	size_t most;      /* limit on the commands, with these */
	bool full;        /* there are more */
	int64_t fresh_us; /* what was read is current until then */
};

/* A directory, and where it is: below the session's directory or the user's home. */
struct command_place {
	const char *project, *user;
	bool programs; /* executable files are programs; user is below ikigai's home */
};
static const struct command_place places[] = {
	{ ".ikigai/prompts", "prompts", true },
	{ ".claude/commands", ".claude/commands", false },
	{ ".opencode/commands", ".config/opencode/commands", false },
	{ ".opencode/command", ".config/opencode/command", false },
};

/* What is read of one place. */
struct command_walk {
	struct ik_custom_commands *commands;
	bool of_project, programs;
};

/* ---- one file ---- */

static void command_done(struct ik_custom_command *command)
{
	free(command->name);
	free(command->description);
	free(command->hint);
	free(command->path);
	free(command->shown);
}

static void reading_done(struct command_reading *reading)
{
	while (reading->count > 0)
		command_done(&reading->items[--reading->count]);
	while (reading->problem_count > 0)
		free(reading->problems[--reading->problem_count]);
	free(reading->items);
	free(reading->problems);
}

/* Remember a sentence, which is taken over, unless there are too many. */
static void add_problem(struct ik_custom_commands *commands, char *sentence)
{
	struct command_reading *now = &commands->now;

	if (now->problem_count == PROBLEMS_MOST) {
		free(sentence);
		return;
	}
	now->problems = ik_alloc_more(now->problems, now->problem_count, sizeof(*now->problems));
	now->problems[now->problem_count++] = sentence;
}

/* Return a text as one harmless line that is not too long; NULL if nothing of it can be seen. */
static char *line_of(const char *text)
{
	struct ik_buf line;

	text += strspn(text, " \t");
	ik_buf_init(&line, IK_LIMIT_USER_TEXT);
	ik_sanitize_line(&line, text, strlen(text));
	if (line.length > DESCRIPTION_MOST) {
		ik_buf_truncate(&line, ik_utf8_cut(line.data, line.length, DESCRIPTION_MOST));
		ik_buf_puts(&line, "…");
	}
	if (line.length > 0)
		return ik_buf_take(&line, NULL);
	ik_buf_done(&line);
	return NULL;
}

/* Return the first line of a text with something in it, without the "#" of a heading or a comment; of
 * a program, of its comment. NULL: none. */
static char *first_line(const char *text, bool program)
{
	char *line, *clean;

	if (ik_text_starts(text, "#!"))
		text += strcspn(text, "\n");
	text += strspn(text, " \t\r\n");
	if (program && text[0] != '#')
		return NULL;
	text += strspn(text, "# \t");
	line = ik_strndup(text, strcspn(text, "\r\n"));
	clean = line_of(line);
	free(line);
	return clean;
}

/* Set the description and the hint from the beginning of the file. */
static void describe(struct ik_custom_commands *commands, struct ik_custom_command *command,
	const struct ik_buf *text)
{
	bool program = command->kind == IK_CUSTOM_PROGRAM;
	struct ik_front_matter matter;
	const char *value;
	struct ik_error error;

	if (program) {
		if (!memchr(text->data, '\0', text->length))
			command->description = first_line(text->data, true);
	} else if (ik_front_matter_read(&matter, command->shown, text->data, text->length, &error) ==
		IK_OK) {
		value = ik_front_matter_value(&matter, "description");
		command->description = value ? line_of(value) : first_line(matter.body, false);
		value = ik_front_matter_value(&matter, "argument-hint");
		command->hint = value ? line_of(value) : NULL;
		ik_front_matter_done(&matter);
	} else {
		add_problem(commands, ik_strdup(error.text));
		ik_front_matter_done(&matter);
	}
	if (!command->description)
		command->description = line_of(command->shown);
}

/* Judge a project's file. Return false, and say why, if it is left out altogether. */
static bool judge(struct ik_custom_commands *commands, struct ik_custom_command *command,
	const struct ik_buf *text)
{
	struct ik_project *project = commands->project;

	if (!ik_path_within(ik_trust_directory(project->trust), command->path)) {
		add_problem(commands,
			ik_format(_("%s leads out of the project and was left out"), command->shown));
		return false;
	}
	if (!ik_project_judge(project, IK_PROJECT_PROMPTS, command->path, &command->identity,
			command->kind == IK_CUSTOM_PROGRAM ? NULL : text))
		command->state = IK_CUSTOM_UNTRUSTED;
	return true;
}

/* Read the file's beginning, or all of a text. */
static bool read_file(struct ik_custom_commands *commands, struct ik_custom_command *command,
	struct ik_buf *text)
{
	int fd = open(command->path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
	ssize_t count = -1;

	if (fd >= 0 && ik_buf_reserve(text, IK_CUSTOM_TEXT_BYTES))
		count = pread(fd, text->data,
			command->kind == IK_CUSTOM_PROGRAM ? PROGRAM_HEAD : IK_CUSTOM_TEXT_BYTES, 0);
	if (fd >= 0)
		(void)close(fd);
	if (count >= 0)
		ik_buf_commit(text, (size_t)count);
	else
		add_problem(commands, ik_format(_("%s cannot be read"), command->shown));
	return count >= 0;
}

/* Add a command, which is taken over; only one of each name is used. */
static void add(struct ik_custom_commands *commands, struct ik_custom_command *command)
{
	struct command_reading *now = &commands->now;

	if (commands->is_taken && commands->is_taken(command->name)) {
		if (command->state == IK_CUSTOM_USABLE)
			add_problem(commands,
				ik_format(_("%s is not used: %s is a command of ikigai's own"), command->shown,
					command->name));
		command->state = IK_CUSTOM_HIDDEN;
	}
	for (size_t i = 0; i < now->count && command->state == IK_CUSTOM_USABLE; i++) {
		const struct ik_custom_command *other = &now->items[i];

		if (other->state != IK_CUSTOM_USABLE || !ik_text_equal(other->name, command->name))
			continue;
		command->state = IK_CUSTOM_HIDDEN;
		add_problem(commands,
			ik_format(_("%s is not used: %s is %s"), command->shown, other->name, other->shown));
	}
	now->items = ik_alloc_more(now->items, now->count, sizeof(*now->items));
	now->items[now->count++] = *command;
}

/* Can it be typed as the name of a command? */
static bool is_name(const char *name)
{
	size_t length = strlen(name);

	return ((name[1] | 0x20) >= 'a') && ((name[1] | 0x20) <= 'z') && !strpbrk(name, " \t\n") &&
		ik_sanitize_is_clean(name, length) && ik_utf8_valid_prefix(name, length) == length;
}

/* Does the file begin with "#!"? Without that, Markdown is no program: on some file systems every
 * file is executable. */
static bool is_script(const char *path)
{
	char head[2] = "";
	int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
	bool script = fd >= 0 && read(fd, head, 2) == 2 && memcmp(head, "#!", 2) == 0;

	if (fd >= 0)
		(void)close(fd);
	return script;
}

/* Return a path as it is shown, harmless and in new memory. */
static char *shown_path(const struct ik_places *at, const char *path)
{
	const char *relative = ik_places_relative(at->directory, path);
	struct ik_buf shown;

	ik_buf_init(&shown, IK_KIB(64));
	if (relative == path && at->user_home && ik_path_below(path, at->user_home)) {
		ik_buf_putc(&shown, '~');
		relative += strlen(at->user_home);
	}
	ik_sanitize_line(&shown, relative, strlen(relative));
	return ik_buf_take(&shown, NULL);
}

/* Add the command of a file. name is its own; prefix is that of its directory, "git:". */
static void add_file(const struct command_walk *walk, const char *path, const struct stat *status,
	const char *prefix, const char *name)
{
	struct ik_custom_commands *commands = walk->commands;
	bool text = ik_text_ends(name, ".md");
	bool program = walk->programs && (status->st_mode & 0111) && (!text || is_script(path));
	const char *dot = strrchr(name, '.');
	struct ik_custom_command command = {
		.path = ik_strdup(path),
		.shown = shown_path(commands->places, path),
		.kind = program ? IK_CUSTOM_PROGRAM : IK_CUSTOM_TEXT,
		.of_project = walk->of_project,
		.identity = ik_identity_of(status),
	};
	struct ik_buf contents;

	if (!text && !program) {
		if (walk->programs)
			add_problem(commands,
				ik_format(_("%s is neither Markdown (.md) nor executable"), command.shown));
		command_done(&command);
		return;
	}
	command.name = ik_format("/%s%.*s", prefix, dot ? (int)(dot - name) : (int)strlen(name), name);
	ik_buf_init(&contents, IK_CUSTOM_TEXT_BYTES);
	if (!is_name(command.name))
		add_problem(commands,
			ik_format(_("%s: the name of a command begins with a letter (a to z) "
						"and has no blanks"),
				command.shown));
	else if (commands->now.count >= commands->most)
		commands->full = true;
	else if (status->st_size > (off_t)(program ? PROGRAM_BYTES : IK_CUSTOM_TEXT_BYTES) &&
		(!program || walk->of_project))
		add_problem(commands, ik_format(_("%s is too large"), command.shown));
	else if (read_file(commands, &command, &contents) &&
		(!walk->of_project || judge(commands, &command, &contents))) {
		/* What wants to be trusted is not even looked into. */
		if (command.state == IK_CUSTOM_USABLE)
			describe(commands, &command, &contents);
		else
			command.description = ik_strdup(command.shown);
		add(commands, &command);
		command = (struct ik_custom_command){ .name = NULL };
	}
	ik_buf_done(&contents);
	command_done(&command);
}

/* Begin with what has limits of its own. */
static void begin(struct ik_custom_commands *commands)
{
	commands->entries = 0;
	commands->most = commands->now.count + IK_CUSTOM_MOST;
}

/* Add the skills that may be typed, and are usable or not. */
static void add_skills(struct ik_custom_commands *commands, bool usable)
{
	const struct ik_tool *skill;

	for (size_t i = 0; commands->skills && (skill = ik_registry_at(commands->skills, i)); i++) {
		char *description;

		if (skill->name[0] != '/' || skill->model_only || !is_name(skill->name) ||
			skill->state != (usable ? IK_TOOL_SKILL : IK_TOOL_UNTRUSTED))
			continue;
		if (commands->now.count >= commands->most) {
			commands->full = true;
			break;
		}
		description = line_of(usable ? skill->description : skill->reason);
		add(commands,
			&(struct ik_custom_command){
				.name = ik_strdup(skill->name),
				.description = description ? description : ik_strdup(skill->name),
				.hint = skill->hint ? line_of(skill->hint) : NULL,
				.path = ik_strdup(skill->path),
				.shown = ik_strdup(/* the model is to find what it refers to */
					ik_places_relative(commands->places->directory, skill->path)),
				.kind = IK_CUSTOM_SKILL,
				.state = usable ? IK_CUSTOM_USABLE : IK_CUSTOM_UNTRUSTED,
				.of_project = skill->pinned,
			});
	}
}

/* ---- directories ---- */

/* Does an entry count? */
static int counts(const struct dirent *entry)
{
	return entry->d_name[0] != '.' && !ik_text_ends(entry->d_name, "~");
}

/* Add the commands of a directory and of those in it. */
static void read_directory(const struct command_walk *walk, const char *directory,
	const char *prefix, int depth)
{
	struct dirent **entries = NULL;
	int count = scandir(directory, &entries, counts, alphasort);
	struct stat status;

	for (int i = 0; i < count; i++) {
		char *path = ik_path_join(directory, entries[i]->d_name);

		if (walk->commands->entries++ >= ENTRIES_MOST || stat(path, &status) != 0) {
			/* left out */
		} else if (S_ISREG(status.st_mode)) {
			add_file(walk, path, &status, prefix, entries[i]->d_name);
		} else if (S_ISDIR(status.st_mode) && depth < DEPTH_MOST) {
			char *inner = ik_format("%s%s:", prefix, entries[i]->d_name);

			read_directory(walk, path, inner, depth + 1);
			free(inner);
		}
		free(path);
		free(entries[i]);
	}
	free(entries);
}

/* Return the user's directory of a place, or NULL. */
static char *users_directory(const struct ik_custom_commands *commands,
	const struct command_place *place)
{
	const struct ik_places *at = commands->places;

	if (place->programs)
		return ik_places_file(at, place->user);
	return at->user_home ? ik_path_join(at->user_home, place->user) : NULL;
}

/* Are both the same directory, as in a session in the user's home? */
static bool same(const char *one, const char *other)
{
	struct stat first, second;

	return other && stat(one, &first) == 0 && stat(other, &second) == 0 &&
		first.st_dev == second.st_dev && first.st_ino == second.st_ino;
}

static void read_place(struct ik_custom_commands *commands, const struct command_place *place,
	bool of_project)
{
	const struct command_walk walk = { commands, of_project, place->programs };
	char *project = ik_path_join(commands->places->directory, place->project);
	char *user = users_directory(commands, place);

	if (!of_project && user)
		read_directory(&walk, user, "", 0);
	else if (of_project && !same(project, user))
		read_directory(&walk, project, "", 0);
	free(project);
	free(user);
}

static int compare(const void *one, const void *other)
{
	const struct ik_custom_command *first = one, *second = other;
	int order = strcmp(first->name, second->name);

	return order != 0 ? order : (int)first->state - (int)second->state;
}

void ik_custom_commands_read(struct ik_custom_commands *commands)
{
	struct command_reading before = commands->now;
	int64_t start = ik_clock_us();
	struct ik_error error;

	if (start < commands->fresh_us)
		return;
	(void)!ik_trust_read(commands->project->trust, &error); /* reported with all other problems */
	ik_untrusted_clear(&commands->project->skipped[IK_PROJECT_PROMPTS]);
	commands->now = (struct command_reading){ .count = 0 };
	commands->full = false;
	for (int of_project = 1; of_project >= 0; of_project--) {
		begin(commands);
		for (size_t i = 0; i < sizeof(places) / sizeof(places[0]); i++)
			read_place(commands, &places[i], of_project);
	}
	begin(commands);
	add_skills(commands, true);
	add_skills(commands, false);
	if (commands->full)
		add_problem(commands, ik_format(_("only the first %d commands are used"), IK_CUSTOM_MOST));
	if (commands->now.count > 0)
		qsort(commands->now.items, commands->now.count, sizeof(*commands->now.items), compare);
	reading_done(&before);
	commands->fresh_us = ik_clock_us() + FRESH_TIMES * (ik_clock_us() - start);
}

/* ---- the list ---- */

const struct ik_custom_command *ik_custom_command_at(const struct ik_custom_commands *commands,
	size_t index)
{
	return index < commands->now.count ? &commands->now.items[index] : NULL;
}

const struct ik_custom_command *ik_custom_command_of(struct ik_custom_commands *commands,
	const char *line, size_t length)
{
	char *word;
	const struct ik_custom_command *command;
	size_t index = 0;

	if (length < 2 || line[0] != '/')
		return NULL;
	word = ik_strndup(line, length);
	word[strcspn(word, " \t\n")] = '\0';
	ik_custom_commands_read(commands);
	while ((command = ik_custom_command_at(commands, index)) &&
		(!ik_text_equal(command->name, word) || command->state == IK_CUSTOM_HIDDEN))
		index++;
	free(word);
	return command;
}

const char *ik_custom_commands_problem(const struct ik_custom_commands *commands, size_t index)
{
	return index < commands->now.problem_count ? commands->now.problems[index] : NULL;
}

struct ik_custom_commands *ik_custom_commands_new(const struct ik_places *at,
	struct ik_project *project)
{
	struct ik_custom_commands *commands = ik_alloc(sizeof(*commands));

	commands->places = at;
	commands->project = project;
	return commands;
}

void ik_custom_commands_use_skills(struct ik_custom_commands *commands,
	struct ik_registry *registry)
{
	ik_registry_unref(commands->skills);
	commands->skills = ik_registry_ref(registry);
	commands->fresh_us = 0;
}

void ik_custom_commands_leave(struct ik_custom_commands *commands,
	ik_custom_name_is_taken *is_taken)
{
	commands->is_taken = is_taken;
}

struct ik_custom_commands *ik_custom_commands_free(struct ik_custom_commands *commands)
{
	if (!commands)
		return NULL;
	reading_done(&commands->now);
	ik_registry_unref(commands->skills);
	free(commands);
	return NULL;
}
