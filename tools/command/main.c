/*
 * ikigai-tool: any tool as a command, for the processes of a tool call (src/agent/session/commands.h).
 *
 * Its name says which tool; as ikigai-tool, its first argument does. It passes its words to the
 * ikigai that makes the call, prints what that answers, and exits as it says.
 */
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include "json/write.h"
#include "util/limits.h"
#include "util/path.h"

/* The descriptor that ikigai leaves open where no sockets may be made (src/loop/spawn.h). */
#define DOOR 63

/* What ikigai allows for a message. */
#define MESSAGE_LIMIT IK_LIMIT_ARGUMENTS

/* Complain, and return the exit status. */
static int fail(const char *words)
{
	fprintf(stderr, "ikigai-tool: %s\n", words);
	return 1;
}

/* Pass one end of a pair of sockets through the descriptor that ikigai left open for this. Return the
 * other, or -1 if that fails. */
static int pass_through_door(void)
{
	char byte = 0,
		 control[CMSG_SPACE(sizeof(int))] __attribute__((aligned(sizeof(size_t)))) = { 0 };
	struct iovec bytes = { &byte, 1 };
	struct msghdr message = {
		.msg_iov = &bytes,
		.msg_iovlen = 1,
		.msg_control = control,
		.msg_controllen = sizeof(control),
	};
	struct cmsghdr *part = CMSG_FIRSTHDR(&message);
	int pair[2];

	if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, pair) != 0)
		return -1;
	part->cmsg_level = SOL_SOCKET;
	part->cmsg_type = SCM_RIGHTS;
	part->cmsg_len = CMSG_LEN(sizeof(int));
	memcpy(CMSG_DATA(part), &pair[1], sizeof(int));
	if (sendmsg(DOOR, &message, MSG_NOSIGNAL) < 0)
		return -1;
	close(pair[1]);
	return pair[0];
}

/* Connect to the socket in a directory, however long its path is, or, where no socket may be made,
 * through the door. Return -1 if that fails. */
static int connect_to(const char *directory)
{
	struct sockaddr_un address = { .sun_family = AF_UNIX };
	int place = open(directory, O_PATH | O_DIRECTORY | O_CLOEXEC);
	int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);

	if (fd < 0)
		return pass_through_door();
	snprintf(address.sun_path, sizeof(address.sun_path), "/proc/self/fd/%d/.socket", place);
	if (place < 0 || connect(fd, (struct sockaddr *)&address, sizeof(address)) != 0)
		return -1;
	close(place);
	return fd;
}

/* Send a request. input: standard input, or NULL. */
static bool send_request(int fd, const char *key, size_t key_length, char **argv,
	const struct ik_buf *input)
{
	struct ik_buf out;
	bool sent;

	ik_buf_init(&out, 2 * MESSAGE_LIMIT);
	ik_json_printf(&out,
		"{'jsonrpc':'2.0','id':1,'method':'run','params':{'key':'%.*s','name':'%s','words':[",
		(int)key_length, key, argv[0] ? argv[0] : "");
	for (char **word = argv + 1; argv[0] && *word; word++)
		ik_json_put_text(&out, *word);
	ik_json_close(&out, ']');
	if (input)
		ik_json_printf(&out, "'input':'%.*s'", (int)input->length, input->data ? input->data : "");
	ik_json_printf(&out, "}}");
	ik_buf_putc(&out, '\n');
	sent = ik_buf_status(&out) == IK_OK && ik_write_all(fd, out.data, out.length) == 0;
	ik_buf_done(&out);
	return sent;
}

/* Read the answer, one line. Return its result, in buf; no value: there is none. */
static struct ik_json_span read_result(int fd, struct ik_buf *buf)
{
	struct ik_json_span value = { NULL, 0 };
	ssize_t count = 1;

	ik_buf_clear(buf);
	while (count > 0 && (buf->length == 0 || buf->data[buf->length - 1] != '\n')) {
		char *room = ik_buf_reserve(buf, IK_KIB(64));

		count = room ? read(fd, room, IK_KIB(64)) : 0;
		if (count > 0)
			ik_buf_commit(buf, (size_t)count);
	}
	if (count > 0 && ik_json_check(buf->data, buf->length, &value, NULL) != IK_OK)
		value.text = NULL;
	return ik_json_member(value, "result");
}

static bool print(int fd, struct ik_json_span string)
{
	size_t length = 0;
	char *text = ik_json_string_new(string, &length);
	bool printed = !text || ik_write_all(fd, text, length) == 0;

	free(text);
	return printed;
}

/* Send the words, print the answer, and return the exit status. */
static int call_tool(const char *place, char **argv, struct ik_buf *buf, struct ik_buf *input)
{
	size_t key_length = strcspn(place, ":");
	struct ik_json_span result = { NULL, 0 };
	int64_t status = 1;
	int fd;

	fd = connect_to(place + key_length + 1);
	if (fd < 0)
		return fail("there is no connection to ikigai: the call is over, or a program has closed "
					"what its sandbox leaves for that");
	if (send_request(fd, place, key_length, argv, NULL))
		result = read_result(fd, buf);
	if (ik_json_is_true(ik_json_member(result, "input"))) {
		if (ik_read_all(STDIN_FILENO, input, 0) != 0 || ik_buf_status(input) != IK_OK)
			return fail("standard input can't be read, or is too long");
		result.text = NULL;
		if (send_request(fd, place, key_length, argv, input))
			result = read_result(fd, buf);
	}
	if (!result.text)
		return fail("no answer: the call is over, too many run at once, or its arguments "
					"are too long");
	if (!print(STDERR_FILENO, ik_json_member(result, "stderr")) ||
		!print(STDOUT_FILENO, ik_json_member(result, "stdout")) ||
		!ik_json_integer(ik_json_member(result, "status"), &status))
		return 1;
	return (int)status;
}

int main(int argc, char **argv)
{
	const char *place = getenv("IKIGAI_TOOLS"), *name = argc > 0 ? ik_path_base(argv[0]) : "";
	struct ik_buf buf, input;
	int status;

	if (!place || !strchr(place, ':'))
		return fail("only commands that a tool of ikigai runs can call its tools");
	if (argc > 0 && strcmp(name, "ikigai-tool") == 0)
		argv++;
	else if (argc > 0)
		argv[0] = (char *)name;
	signal(SIGPIPE, SIG_IGN);
	ik_buf_init(&buf, IK_LIMIT_ENVELOPE);
	ik_buf_init(&input, MESSAGE_LIMIT);
	status = call_tool(place, argv, &buf, &input);
	ik_buf_done(&buf);
	ik_buf_done(&input);
	return status;
}
