#include "tool/mcp/servers.h"

#include <limits.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "json/write.h"
#include "util/alloc.h"
#include "util/limits.h"
#include "util/path.h"
#include "util/redact.h"
#include "util/text.h"

/* A server being read. */
struct servers_reader {
	struct ik_mcp_servers *servers;
	const struct ik_mcp_file *file;
	const char *text;           /* the file's */
	struct ik_mcp_entry *entry; /* gets its first problem */
	struct ik_json_span value;  /* at work: as it is in the file */
	const char *name;           /* of its member */
	int64_t timeout;            /* as it is in the file */
	char *type;
	bool disabled;
};

/* Record why the server can't be used, unless that is known. */
IK_PRINTF(2, 3)
static void refuse(struct servers_reader *reader, const char *format, ...)
{
	va_list arguments;
	char *sentence;

	if (reader->entry->problem)
		return;
	va_start(arguments, format);
	sentence = ik_vformat(format, arguments);
	va_end(arguments);
	reader->entry->problem = ik_format("%s:%d: %s", reader->file->path,
		ik_json_line(reader->text, reader->value.text), sentence);
	free(sentence);
}

/* ---- variables ---- */

static bool names_secret(const char *name)
{
	static const char *const words[] = { "auth", "cookie", "key", "password", "secret", "token" };

	for (size_t i = 0; i < sizeof(words) / sizeof(words[0]); i++)
		if (strcasestr(name, words[i]))
			return true;
	return false;
}

/* Keep a secret out of all that is shown or stored: the value, and what follows "Bearer". */
static void know(const char *name, const char *value)
{
	const char *blank = strchr(value, ' ');

	if (!names_secret(name))
		return;
	ik_secret_know(value);
	if (blank)
		ik_secret_know(blank + 1);
}

/* Append the value of a variable, given as "NAME" or "NAME:-TEXT". */
static void put_variable(struct servers_reader *reader, struct ik_buf *out, const char *inside)
{
	const char *standard = strstr(inside, ":-"), *value;
	char *name = ik_strndup(inside, standard ? (size_t)(standard - inside) : strlen(inside));

	value = getenv(name);
	if (value)
		know(name, value);
	if (standard && (!value || !*value))
		value = standard + 2;
	if (value)
		ik_buf_puts(out, value);
	else
		refuse(reader,
			_("\"%s\" needs the variable %s, which is not set; ${%s:-TEXT} does without"),
			reader->name, name, name);
	free(name);
}

/* Append a text with its variables in place. What looks like one but isn't stays as it is. */
static void expand(struct servers_reader *reader, const char *text, struct ik_buf *out)
{
	const char *start, *end;

	while ((start = strstr(text, "${")) && (end = strchr(start, '}'))) {
		char *inside = ik_strndup(start + 2, (size_t)(end - start - 2));

		ik_buf_append(out, text, (size_t)(start - text));
		put_variable(reader, out, inside);
		free(inside);
		text = end + 1;
	}
	ik_buf_puts(out, text);
}

/* Return a string of the file with its variables in place, NULL for another value. The caller frees
 * it. */
static char *text_of(struct servers_reader *reader, struct ik_json_span value)
{
	char *raw = ik_json_string_new(value, NULL);
	struct ik_buf out;

	if (!raw)
		return NULL;
	ik_buf_init(&out, IK_LIMIT_CONFIG);
	if (reader->name && ik_text_equal(reader->name, "headersHelper"))
		ik_buf_puts(&out, raw); /* the shell knows variables */
	else
		expand(reader, raw, &out);
	free(raw);
	if (ik_buf_status(&out) == IK_OK)
		return ik_buf_take(&out, NULL);
	ik_buf_done(&out);
	return NULL;
}

/* ---- members ---- */

/* Return the strings of an array, or of an object as its names and values with a separator between
 * them; NULL if it's anything else. */
static char **list_of(struct servers_reader *reader, struct ik_json_span value,
	const char *separator)
{
	char **list = ik_alloc((ik_json_count(value) + 1) * sizeof(*list));
	bool fits = ik_json_span_type(value) == (separator ? IK_JSON_OBJECT : IK_JSON_ARRAY);
	size_t count = 0;

	for (struct ik_json_walk walk = ik_json_walk(value); fits && ik_json_next(&walk);) {
		char *name = separator ? ik_json_text_new(walk.key) : NULL,
			 *text = text_of(reader, walk.value);

		fits = text && (!separator || name);
		/* A line end would begin another header. */
		fits = fits && (!separator || separator[0] != ':' || !strpbrk(text, "\r\n"));
		if (fits && separator) {
			know(name, text);
			list[count++] = ik_format("%s%s%s", name, separator, text);
		} else if (fits) {
			list[count++] = ik_strdup(text);
		}
		free(name);
		free(text);
	}
	if (fits)
		return list;
	ik_mcp_list_free(list);
	return NULL;
}

/* The kinds of values, and what they must be. */
enum server_value { TEXT, LIST, VARIABLES, HEADERS, FLAG, NUMBER };
static const char *const wanted[] = {
	[TEXT] = N_("a string that is not empty"),
	[LIST] = N_("a list of strings"),
	[VARIABLES] = N_("an object of strings"),
	[HEADERS] = N_("an object of strings"),
	[FLAG] = N_("true or false"),
	[NUMBER] = N_("a number of milliseconds"),
};

/* What a member sets; several programs have several names for one thing. */
static const struct server_member {
	const char *name;
	enum server_value takes;
	bool reads; /* it sets a member of struct servers_reader */
	size_t place;
} members[] = {
#define ENTRY(name, takes, place) \
	{ \
		name, takes, false, offsetof(struct ik_mcp_entry, place) \
	}
#define READER(name, takes, place) \
	{ \
		name, takes, true, offsetof(struct servers_reader, place) \
	}
	ENTRY("command", TEXT, command),
	ENTRY("args", LIST, args),
	ENTRY("env", VARIABLES, env),
	ENTRY("cwd", TEXT, cwd),
	ENTRY("url", TEXT, url),
	ENTRY("httpUrl", TEXT, url),
	ENTRY("headers", HEADERS, headers),
	ENTRY("headersHelper", TEXT, headers_helper),
	ENTRY("tools", LIST, tools),
	ENTRY("allowedTools", LIST, tools),
	ENTRY("enabledTools", LIST, tools),
	ENTRY("includeTools", LIST, tools),
	ENTRY("enabled", FLAG, enabled),
	READER("disabled", FLAG, disabled),
	READER("timeout", NUMBER, timeout),
	READER("type", TEXT, type),
#undef ENTRY
#undef READER
};

/* Set what a member sets. Return false if its value isn't of its kind. */
static bool store(struct servers_reader *reader, const struct server_member *member,
	struct ik_json_span value)
{
	void *place = (char *)(member->reads ? (void *)reader : reader->entry) + member->place;
	static const char *const separators[] = { [VARIABLES] = "=", [HEADERS] = ": " };
	char **list, *text;

	switch (member->takes) {
	case FLAG:
		return ik_json_bool(value, place);
	case NUMBER:
		return ik_json_integer(value, place) && *(int64_t *)place > 0;
	case TEXT:
		text = text_of(reader, value);
		free(*(char **)place);
		*(char **)place = text;
		return text && *text;
	default:
		list = list_of(reader, value, member->takes == LIST ? NULL : separators[member->takes]);
		ik_mcp_list_free(*(char ***)place);
		*(char ***)place = list;
		return list;
	}
}

static void note_unknown(struct servers_reader *reader, struct ik_json_span key)
{
	ik_string_list_add(&reader->servers->notes,
		ik_format(_("%s:%d: \"%s\" of the server \"%s\" is not known here, "
					"and has no effect"),
			reader->file->path, ik_json_line(reader->text, key.text), reader->name,
			reader->entry->name));
}

static void read_member(struct servers_reader *reader, struct ik_json_span key,
	struct ik_json_span value)
{
	const struct server_member *end = members + sizeof(members) / sizeof(members[0]),
							   *member = members;

	reader->value = value;
	while (member < end && !ik_text_equal(member->name, reader->name))
		member++;
	if (member == end)
		note_unknown(reader, key);
	else if (!store(reader, member, value))
		refuse(reader, _("\"%s\" must be %s"), reader->name, _(wanted[member->takes]));
}

/* ---- a server ---- */

/* Make a path that may begin with "~" or be relative absolute, in its place. */
static void make_whole(const struct servers_reader *reader, char **path)
{
	char *expanded = ik_path_expand(*path, reader->file->home);

	free(*path);
	*path = ik_path_join(reader->file->directory, expanded);
	free(expanded);
}

/* Settle what several members together mean. */
static void settle(struct servers_reader *reader)
{
	static const char *const http[] = { "http", "streamable-http", "streamableHttp", NULL };
	struct ik_mcp_entry *entry = reader->entry;
	const char *type = reader->type     ? reader->type
		: entry->url && !entry->command ? http[0]
										: "stdio";
	const char *const *known = http;
	/* Some programs count seconds; nobody waits for less than a second. */
	int64_t seconds = reader->timeout < 1000 ? reader->timeout : reader->timeout / 1000;

	while (*known && !ik_text_equal(*known, type))
		known++;
	entry->enabled = entry->enabled && !reader->disabled;
	entry->timeout_s = seconds < INT_MAX ? (int)seconds : INT_MAX;
	if (ik_text_equal(type, "sse"))
		refuse(reader, "%s",
			_("\"type\" is \"sse\", an older way that ikigai does not speak: ask for the address "
			  "of "
			  "\"http\""));
	else if (!*known && !ik_text_equal(type, "stdio") && !ik_text_equal(type, "local"))
		refuse(reader, _("\"type\" is \"%s\", but must be %s"), type, _("\"stdio\" or \"http\""));
	else if (*known ? !entry->url : !entry->command)
		refuse(reader, _("\"%s\" is missing"), *known ? "url" : "command");
	/* What the other way needs has no meaning now. */
	free(*known ? entry->command : entry->url);
	*(*known ? &entry->command : &entry->url) = NULL;
	ik_secret_know_address(entry->url);
	if (entry->cwd)
		make_whole(reader, &entry->cwd);
	if (entry->command && entry->command[0] == '~')
		make_whole(reader, &entry->command);
}

/* Begin the server of a name, which is taken over, in the place of one that is there. */
static struct ik_mcp_entry *place_of(struct ik_mcp_servers *servers, const struct ik_mcp_file *file,
	char *name)
{
	size_t i = 0;

	while (i < servers->count && !ik_text_equal(servers->items[i].name, name))
		i++;
	if (i < servers->count) {
		ik_mcp_entry_done(&servers->items[i]);
	} else {
		servers->items = ik_alloc_more(servers->items, i, sizeof(*servers->items));
		servers->count++;
	}
	servers->items[i] = (struct ik_mcp_entry){
		.name = name,
		.file = ik_strdup(file->path),
		.project = file->project,
		.enabled = true,
	};
	return &servers->items[i];
}

static void read_server(struct servers_reader *reader, char *name, struct ik_json_span server)
{
	reader->entry = place_of(reader->servers, reader->file, name);
	reader->value = server;
	reader->disabled = false;
	reader->timeout = 0;
	reader->type = NULL;
	if (ik_json_span_type(server) != IK_JSON_OBJECT)
		refuse(reader, _("\"%s\" must be %s"), name, _("an object"));
	for (struct ik_json_walk walk = ik_json_walk(server); ik_json_next(&walk);) {
		char *member = ik_json_string_new(walk.key, NULL);

		reader->name = member;
		read_member(reader, walk.key, walk.value);
		reader->name = NULL;
		free(member);
	}
	reader->value = server;
	settle(reader);
	free(reader->type);
}

void ik_mcp_servers_refuse(struct ik_mcp_servers *servers, const struct ik_mcp_file *file,
	const char *why)
{
	place_of(servers, file, ik_strdup(ik_path_base(file->path)))->problem = ik_strdup(why);
}

void ik_mcp_servers_read(struct ik_mcp_servers *servers, const struct ik_mcp_file *file,
	struct ik_buf *text)
{
	struct servers_reader reader = { .servers = servers, .file = file, .text = text->data };
	struct ik_json_span root, all;
	struct ik_error error = { .text = "" }, reason;

	ik_json_blank_comments(text->data, text->length);
	if (strspn(text->data, " \t\r\n") == text->length)
		return;
	if (ik_json_check(text->data, text->length, &root, &reason) != IK_OK)
		(void)ik_error_set(&error, IK_INVALID, "%s: %s", file->path, reason.text);
	else if ((all = ik_json_member(root, "mcpServers")).text &&
		ik_json_span_type(all) != IK_JSON_OBJECT)
		(void)ik_error_set(&error, IK_INVALID, _("%s:%d: \"%s\" must be %s"), file->path,
			ik_json_line(text->data, all.text), "mcpServers", _("an object"));
	if (error.text[0]) {
		ik_mcp_servers_refuse(servers, file, error.text);
		return;
	}
	for (struct ik_json_walk walk = ik_json_walk(all); ik_json_next(&walk);) {
		char *name = ik_json_text_new(walk.key);

		if (name && ik_json_member_named(all, walk.key).text == walk.value.text)
			read_server(&reader, name, walk.value);
		else
			free(name);
	}
}

void ik_mcp_servers_done(struct ik_mcp_servers *servers)
{
	while (servers->count > 0)
		ik_mcp_entry_done(&servers->items[--servers->count]);
	free(servers->items);
	ik_string_list_done(&servers->notes);
	*servers = (struct ik_mcp_servers){ .items = NULL };
}

const struct ik_mcp_entry *ik_mcp_servers_find(const struct ik_mcp_servers *servers,
	const char *name)
{
	for (size_t i = 0; i < servers->count; i++)
		if (ik_text_equal(servers->items[i].name, name))
			return &servers->items[i];
	return NULL;
}
