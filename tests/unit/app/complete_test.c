/* What of completing and attaching is pure, or needs files only. */
#include "commands/complete.h"
#include "core/attach.h"
#include "core/attach.h"

#include <criterion/criterion.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "util/alloc.h"
#include "util/path.h"

/* The paths that a text mentions, each in "<>", with "+" after one whose quote is open. */
static const char *mentions(const char *text)
{
	static char out[400];
	size_t position = 0, used = 0;
	struct ik_mention mention;

	out[0] = '\0';
	while (ik_mention_next(text, strlen(text), &position, &mention))
		used += (size_t)snprintf(out + used, sizeof out - used, "<%.*s>%s", (int)mention.length,
			mention.path, mention.open ? "+" : "");
	return out;
}

Test(mention, begins_a_word)
{
	cr_assert_str_eq(mentions("@a.c"), "<a.c>");
	cr_assert_str_eq(mentions("see @a.c, (@b) and\n@c"), "<a.c,><b)><c>");
	cr_assert_str_eq(mentions("me@example.org \\@a a@@b"), "");
	cr_assert_str_eq(mentions("@\"a b.txt\"x @\"open one"), "<a b.txt><open one>+");
	cr_assert_str_eq(mentions("@ @\"\" @"), "<><><>");
}

static void check_template(const char *schema, const char *expected)
{
	struct ik_json_span value;
	struct ik_buf out;

	ik_buf_init(&out, 1000);
	cr_assert_eq(ik_json_check(schema, strlen(schema), &value, NULL), IK_OK);
	ik_argument_template(&out, value);
	cr_assert_str_eq(out.data, expected);
	cr_assert_eq(ik_json_check(out.data, out.length, NULL, NULL), IK_OK);
	ik_buf_done(&out);
}

Test(argument_template, has_what_is_required)
{
	check_template("{\"type\":\"object\",\"properties\":{\"a\":{\"type\":\"string\"},"
		"\"b\":{\"type\":\"integer\"},\"c\":{\"type\":[\"array\",\"null\"]}},\"required\":[\"c\",\"a\"]}",
		"{\"a\": \"\", \"c\": []}");
	check_template("{\"type\":\"object\",\"properties\":{\"a\":{\"enum\":[\"x\",\"y\"]},"
		"\"b\":{\"default\":7},\"o\":{\"type\":\"object\",\"properties\":{\"p\":{\"type\":\"boolean\"}}}}}",
		"{\"a\": \"x\", \"b\": 7, \"o\": {\"p\": false}}");
	check_template("{\"type\":\"object\"}", "{}");
}

static struct ik_places places;
static char directory[] = "/tmp/ikigai-attach-XXXXXX";

static void write_file(const char *name, const char *bytes, size_t length)
{
	char *path = ik_path_join(directory, name);
	struct ik_error error;

	cr_assert_eq(ik_file_write(path, bytes, length, 0600, &error), IK_OK);
	free(path);
}

static void make_places(void)
{
	static char large[IK_ATTACH_FILE_BYTES + 1];
	char *path;

	cr_assert_not_null(mkdtemp(directory));
	places.directory = directory;
	places.user_home = directory;
	memset(large, 'x', sizeof large);
	write_file("a.c", "int a;", 6);
	write_file("a b.txt", "two\nlines\n", 10);
	write_file("name.", "dot", 3);
	write_file("binary", "a\0b", 3);
	write_file("latin", "caf\xe9", 4);
	write_file("large", large, sizeof large);
	path = ik_path_join(directory, "sub");
	cr_assert_eq(mkdir(path, 0700), 0);
	free(path);
}

static void remove_places(void)
{
	static const char *const names[] = { "a.c", "a b.txt", "name.", "binary", "latin", "large" };
	size_t i;

	for (i = 0; i < sizeof names / sizeof names[0]; i++) {
		char *path = ik_path_join(directory, names[i]);

		(void)unlink(path);
		free(path);
	}
	char *sub = ik_path_join(directory, "sub");
	(void)rmdir(sub);
	free(sub);
	(void)rmdir(directory);
}

TestSuite(attach, .init = make_places, .fini = remove_places);

/* What came of an attempt. */
static struct {
	char *text, *data, *problem;
	char last_command[IK_UUID_TEXT];
} attached;

static void on_attached(void *arg, struct ik_message *message, const char *last_command,
	const struct ik_error *error)
{
	(void)arg;
	attached.text = message ? strdup(message->content) : NULL;
	attached.data = message ? strdup(message->data ? message->data : "") : NULL;
	attached.problem = error ? strdup(error->text) : NULL;
	strcpy(attached.last_command, last_command);
}

/* Attach without pictures, which is done at once. */
static void attach(const char *text, const struct ik_conversation *conversation, const char *since)
{
	const struct ik_attach_options options = {
		.places = &places,
		.conversation = conversation,
		.since = since,
	};

	cr_assert_null(ik_attach_start(&options, text, strlen(text), strlen(text), on_attached, NULL));
}

static void clear_attached(void)
{
	free(attached.text);
	free(attached.data);
	free(attached.problem);
	memset(&attached, 0, sizeof attached);
}

/* The whole text that is sent, or the error. */
static void check_attached(const char *text, const char *expected, const char *data)
{
	struct ik_conversation *conversation = ik_conversation_new();

	attach(text, conversation, "");
	if (attached.text) {
		cr_assert_str_eq(attached.text, expected);
		cr_assert_str_eq(attached.data, data);
	} else {
		cr_assert(data == NULL && strncmp(attached.problem, expected, strlen(expected)) == 0, "%s",
			attached.problem);
	}
	clear_attached();
	ik_conversation_free(conversation);
}

Test(attach, puts_files_behind_the_message)
{
	check_attached("look at @a.c.", "look at @a.c.\n\n<file path=\"a.c\">\nint a;\n</file>",
		"{\"typed\":13,\"attached\":[{\"name\":\"a.c\",\"bytes\":6}]}");
	check_attached("@\"a b.txt\" @a.c @./a.c",
		"@\"a b.txt\" @a.c @./a.c\n\n<file path=\"a b.txt\">\ntwo\nlines\n</file>"
		"\n\n<file path=\"a.c\">\nint a;\n</file>\n\n<file path=\"./a.c\">\nint a;\n</file>",
		"{\"typed\":22,\"attached\":[{\"name\":\"a b.txt\",\"bytes\":10},{\"name\":\"a.c\",\"bytes\":6},"
		"{\"name\":\"./a.c\",\"bytes\":6}]}");
	check_attached("@~/a.c twice @~/a.c", "@~/a.c twice @~/a.c\n\n<file path=\"~/a.c\">\nint a;\n</file>",
		"{\"typed\":19,\"attached\":[{\"name\":\"~/a.c\",\"bytes\":6}]}");
	check_attached("@name. ends", "@name. ends\n\n<file path=\"name.\">\ndot\n</file>",
		"{\"typed\":11,\"attached\":[{\"name\":\"name.\",\"bytes\":3}]}");
	check_attached("@latin", "@latin\n\n<file path=\"latin\">\ncaf\xef\xbf\xbd\n</file>",
		"{\"typed\":6,\"attached\":[{\"name\":\"latin\",\"bytes\":4}]}");
}

Test(attach, leaves_what_is_no_file)
{
	static const char *const texts[] = { "@alice, hello", "me@example.org", "\\@a.c", "@", "@types/node",
		"nothing at all", "a@a.c" };
	size_t i;

	for (i = 0; i < sizeof texts / sizeof texts[0]; i++)
		check_attached(texts[i], texts[i], "");
}

Test(attach, says_what_cannot_go_along)
{
	check_attached("@b.c", "@b.c: No such file", NULL);
	check_attached("@sub/nothing", "@sub/nothing: No such file", NULL);
	check_attached("@\"not there\"", "@not there: No such file", NULL);
	check_attached("@sub", "@sub is a directory", NULL);
	check_attached("@binary", "@binary is no text", NULL);
	check_attached("@large", "@large is larger than 1 MB", NULL);
	check_attached("@/dev/null", "@/dev/null is no ordinary file", NULL);
}

/* A file that seems empty and gives its text as it comes: the kernel's log, where it may be read. */
static void check_unknown(const char *text, const char *expected)
{
	char *name = ik_mention_unknown(text, strlen(text), &places);

	cr_assert_str_eq(name ? name : "", expected, "%s", text);
	free(name);
}

Test(attach, names_the_mention_that_is_no_file)
{
	check_unknown("see @a.c and \\@me, me@example.org, @ and @.", "");
	check_unknown("see @a.c, @nofile, @other", "nofile");
	check_unknown("(@Override)", "Override");
}

Test(attach, waits_for_no_file, .timeout = 20)
{
	char bytes[8192];
	int fd = open("/proc/kmsg", O_RDONLY | O_NONBLOCK | O_CLOEXEC);

	while (fd >= 0 && read(fd, bytes, sizeof bytes) > 0)
		;
	if (fd < 0 || errno != EAGAIN)
		cr_skip_test("the kernel's log cannot be read");
	(void)close(fd);
	check_attached("@/proc/kmsg", "@/proc/kmsg: Resource temporarily unavailable", NULL);
}

Test(attach, takes_along_what_commands_printed)
{
	struct ik_conversation *conversation = ik_conversation_new();
	struct ik_message *messages[] = {
		ik_message_command("!old", "no"),
		ik_message_new(IK_KIND_USER, "hi", 2, NULL, 0),
		ik_message_command("!ls \"<x>\"", "a\nb\n"),
		ik_message_command("/usage", "no"),
		ik_message_command("!true", ""),
	};
	size_t i;

	for (i = 0; i < 5; i++)
		ik_conversation_append(conversation, messages[i]);
	attach("so?", conversation, "");
	cr_assert_str_eq(attached.text, "so?\n\n<shell command=\"ls &quot;&lt;x>&quot;\">\na\nb\n</shell>"
		"\n\n<shell command=\"true\">\n</shell>");
	cr_assert_str_eq(attached.last_command, messages[4]->id);
	clear_attached();
	/* What went with a message that still waits does not go with the next. */
	attach("so?", conversation, messages[2]->id);
	cr_assert_str_eq(attached.text, "so?\n\n<shell command=\"true\">\n</shell>");
	clear_attached();
	for (i = 0; i < 5; i++)
		ik_message_unref(messages[i]);
	ik_conversation_free(conversation);
}
