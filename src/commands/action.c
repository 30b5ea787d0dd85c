#include "commands/action.h"

#include <stdlib.h>
#include <string.h>

#include "tui/text/wrap.h"
#include "util/alloc.h"
#include "util/limits.h"
#include "util/text.h"

/* Columns for a command's usage in the list of /help. */
#define USAGE_COLUMNS 24

bool ik_command_is(const char *line)
{
	return line[0] == '/' &&
		((line[1] >= 'a' && line[1] <= 'z') || (line[1] >= 'A' && line[1] <= 'Z')) &&
		!memchr(line + 1, '/', strcspn(line + 1, " \t\n"));
}

const char *ik_argument_after(const char *argument, const char *word)
{
	const char *rest = argument + strlen(word);

	return ik_text_starts(argument, word) && strchr(" \t", *rest) ? rest + strspn(rest, " \t")
																  : NULL;
}

/* Is this a row, and not the end of the table? */
static bool is_row(const struct ik_action_row *row)
{
	return row->name || row->run;
}

/* ---- custom commands ---- */

struct ik_actions {
	struct ik_custom_commands *custom;
	const struct ik_action_row *table;
	size_t count;               /* rows of the table, */
	struct ik_action_row *rows; /* and after them one for each custom command; never moves */
};

struct ik_actions *ik_actions_new(const struct ik_action_row *rows,
	struct ik_custom_commands *custom)
{
	struct ik_actions *actions = ik_alloc(sizeof(*actions));

	actions->custom = custom;
	actions->table = rows;
	while (is_row(&rows[actions->count]))
		actions->count++;
	actions->rows = ik_alloc((actions->count + IK_CUSTOM_ALL + 1) * sizeof(*rows));
	memcpy(actions->rows, rows, actions->count * sizeof(*rows));
	return actions;
}

struct ik_actions *ik_actions_free(struct ik_actions *actions)
{
	if (actions)
		free(actions->rows);
	free(actions);
	return NULL;
}

const struct ik_action_row *ik_actions_table(const struct ik_actions *actions)
{
	return actions->table;
}

const struct ik_action_row *ik_actions_rows(struct ik_actions *actions)
{
	struct ik_action_row *row = actions->rows + actions->count;
	const struct ik_custom_command *command;

	ik_custom_commands_read(actions->custom);
	for (size_t i = 0; (command = ik_custom_command_at(actions->custom, i)); i++)
		if (command->state == IK_CUSTOM_USABLE)
			*row++ = (struct ik_action_row){
				.name = command->name,
				.usage = command->hint,
				.writes = true,
				.group = IK_GROUP_CUSTOM,
				.description = command->description,
				.details = command->shown,
			};
	*row = (struct ik_action_row){ .name = NULL };
	return actions->rows;
}

/* ---- rows ---- */

const struct ik_action_row *ik_action_next_command(const struct ik_action_row *rows)
{
	while (is_row(rows) && !rows->name)
		rows++;
	return is_row(rows) ? rows : NULL;
}

/* Return a command with its argument, "/tool [NAME | --all]"; the caller frees it. */
static char *usage_of(const struct ik_action_row *row)
{
	return ik_format("%s%s%s", row->name, row->usage ? " " : "", row->usage ? row->usage : "");
}

const struct ik_action_row *ik_action_of_command(const struct ik_action_row *rows, const char *line)
{
	size_t length = strcspn(line, " \t\n");

	for (; (rows = ik_action_next_command(rows)); rows++)
		if (strlen(rows->name) == length && memcmp(rows->name, line, length) == 0)
			return rows;
	return NULL;
}

const struct ik_action_row *ik_action_of_key(const struct ik_action_row *rows,
	enum ik_action action)
{
	for (; is_row(rows); rows++)
		if (action != IK_ACTION_NONE && rows->key == action)
			return rows;
	return NULL;
}

void ik_action_list(const struct ik_action_row *rows, enum ik_group group, struct ik_buf *out)
{
	for (; (rows = ik_action_next_command(rows)); rows++) {
		if (rows->group != group)
			continue;
		char *usage = usage_of(rows);

		ik_buf_printf(out, "%s\t%s\n", usage, _(rows->description));
		free(usage);
	}
}

/* ---- /help ---- */

/* Return what to type for a command that other programs have; NULL: none. */
static const char *known_elsewhere(const char *word)
{
	static const char *const names[][2] = {
		{ "/approvals", "/mode" },
		{ "/permissions", "/mode" },
		{ "/plan", "/mode" },
		{ "/cost", "/usage" },
		{ "/status", "/usage" },
		{ "/skills", "/tool --all" },
		{ "/mcp", "!ikigai mcp list" },
		{ "/hooks", "!ikigai hook list" },
		{ "/config", "!ikigai config" },
		{ "/doctor", "!ikigai doctor" },
		{ "/statusline", "!ikigai config set ui.status_command COMMAND" },
	};

	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++)
		if (ik_text_equal(names[i][0], word))
			return names[i][1];
	return NULL;
}

/* Append that the command does not exist, and what was probably meant: another program's name for
 * it, or the nearest one that exists. */
static void put_unknown(const struct ik_action_row *rows, const char *word, struct ik_buf *out)
{
	const char **names = NULL, *near = known_elsewhere(word);
	size_t count = 0;

	for (; (rows = ik_action_next_command(rows)); rows++) {
		names = ik_alloc_array(names, count + 1, sizeof(*names));
		names[count++] = rows->name;
	}
	if (!near)
		near = ik_text_nearest(word, names, count);
	if (near)
		ik_buf_printf(out, _("There is no command %s. Did you mean %s?"), word, near);
	else
		ik_buf_printf(out, _("There is no command %s. /help lists them."), word);
	free(names);
}

/* Append a text in which key names are replaced by the current bindings. */
static void put_text(const struct ik_core *core, const char *text, struct ik_buf *out)
{
	struct ik_keymap *keymap = ik_keymap_new(core->setup->config->ui_keys);
	char *line = ik_keymap_sentence(keymap, text);

	ik_buf_printf(out, "%s\n", line);
	free(line);
	ik_keymap_free(keymap);
}

/* Append what one command does; its name may lack the "/". */
static void put_command(const struct ik_core *core, const struct ik_action_row *rows,
	const char *name, struct ik_buf *out)
{
	char *wanted = ik_format("%s%s", name[0] == '/' ? "" : "/", name);
	const struct ik_action_row *row = ik_action_of_command(rows, wanted);

	if (!row || !ik_text_equal(row->name, wanted)) {
		put_unknown(rows, wanted, out);
	} else {
		char *usage = usage_of(row);

		ik_buf_printf(out, "%s\n  %s\n", usage, _(row->description));
		free(usage);
		if (row->details) {
			ik_buf_putc(out, '\n');
			put_text(core, _(row->details), out);
		}
	}
	free(wanted);
}

/* Append which files are no commands. */
static void put_problems(const struct ik_custom_commands *custom, struct ik_buf *out)
{
	const char *problem;

	for (size_t i = 0; (problem = ik_custom_commands_problem(custom, i)); i++)
		ik_buf_printf(out, "  (%s)\n", problem);
}

/* Append the list of all commands, by group, and what else can be typed. */
static void put_commands(const struct ik_core *core, const struct ik_action_row *rows,
	struct ik_buf *out)
{
	for (int group = 0; group < IK_GROUP_COUNT; group++) {
		struct ik_buf list;

		ik_buf_init(&list, IK_MIB(1));
		ik_action_list(rows, (enum ik_group)group, &list);
		if (list.length > 0) {
			ik_buf_printf(out, "%s\n", ik_group_heading((enum ik_group)group));
			ik_table_put(out, list.data, USAGE_COLUMNS);
			if (group == IK_GROUP_CUSTOM)
				put_problems(core->setup->custom_commands, out);
			ik_buf_putc(out, '\n');
		}
		ik_buf_done(&list);
	}
	put_text(core,
		_("!COMMAND runs a shell command of your own (without a terminal); its "
		  "output goes with your next message. @PATH in a message gives the model that file."),
		out);
	put_text(core,
		_("Anything else is a message for the model; {new-line} begins a new line in it. "
		  "{cancel} cancels what runs, {end-of-input} ends. /help COMMAND says more of one, {help} "
		  "shows all keys."),
		out);
}

void ik_command_help(const struct ik_core *core, const struct ik_action_row *rows,
	const char *argument, struct ik_buf *answer)
{
	if (argument[0] != '\0')
		put_command(core, rows, argument, answer);
	else
		put_commands(core, rows, answer);
}

void ik_command_unknown(const struct ik_action_row *rows, const char *line, struct ik_buf *answer)
{
	char *word = ik_strndup(line, strcspn(line, " \t\n"));

	put_unknown(rows, word, answer);
	free(word);
}
