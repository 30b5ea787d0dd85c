#include "agent/session/commands.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include "json/write.h"
#include "rpc/jsonrpc.h"
#include "tool/command_line.h"
#include "util/alloc.h"
#include "util/limits.h"
#include "util/line_splitter.h"
#include "util/log.h"
#include "util/path.h"
#include "util/text.h"

/* The name that makes any tool a command, also one whose name another program on PATH has. */
#define ANY_TOOL "ikigai-tool"
/* Not a name that a tool can have. */
#define SOCKET ".socket"
/* Limit on connections; the next one is closed. It can't wait, since those before it may wait for its
 * call. */
#define CONNECTIONS 512
/* The most that is written at once. */
#define PIECE IK_KIB(256)

struct ik_command {
	struct ik_command *next;
	struct ik_commands *commands;
	int fd;
	struct ik_watch *watch;
	struct ik_line_splitter lines;
	struct ik_buf out;
	size_t written; /* bytes of out */
	char *id;       /* JSON, of the request that is to be answered; NULL: none */
	char *name;     /* the tool's, once it is called */
	void *call;     /* NULL: none runs */
	bool last;      /* close it when out is written */
	bool closed;
};

struct ik_commands {
	struct ik_commands_options options;
	char *directory;
	int fd; /* of the directory, which it locks */
	int listener;
	struct ik_watch *watch;
	int door[2]; /* ours, and the processes' end */
	struct ik_watch *door_watch;
	struct ik_registry *registry;
	struct ik_command *first;
	int count;
};

/* ---- the directory ---- */

/* Remove a directory of ours with its links, unless keep has their names. */
static void clear_directory(int fd, const struct ik_registry *keep)
{
	int copy = openat(fd, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	DIR *stream = copy >= 0 ? fdopendir(copy) : NULL;
	const struct dirent *entry;

	while (stream && (entry = readdir(stream)))
		if (!keep ||
			(entry->d_name[0] != '.' && !ik_text_equal(entry->d_name, ANY_TOOL) &&
				!ik_registry_find(keep, entry->d_name)))
			(void)unlinkat(fd, entry->d_name, 0);
	if (stream)
		closedir(stream);
}

/* Remove the directories that killed programs left: nobody locks them. */
static void sweep(const char *root)
{
	DIR *stream = opendir(root);
	const struct dirent *entry;

	while (stream && (entry = readdir(stream))) {
		int fd = entry->d_name[0] == '.'
			? -1
			: openat(dirfd(stream), entry->d_name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);

		if (fd >= 0 && flock(fd, LOCK_EX | LOCK_NB) == 0) {
			clear_directory(fd, NULL);
			(void)unlinkat(dirfd(stream), entry->d_name, AT_REMOVEDIR);
		}
		if (fd >= 0)
			close(fd);
	}
	if (stream)
		closedir(stream);
}

/* Make the directory and lock it; root is locked meanwhile, so that nobody removes it in between.
 * Return 0 or errno. */
static int make_directory(struct ik_commands *commands)
{
	const char *root = commands->options.root;
	int lock, number = 0;

	if (mkdir(root, 0700) != 0 && errno != EEXIST)
		return errno;
	lock = open(root, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (lock >= 0 && flock(lock, LOCK_EX | LOCK_NB) == 0)
		sweep(root);
	commands->directory = ik_format("%s/XXXXXX", root);
	if (mkdtemp(commands->directory))
		commands->fd = open(commands->directory, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (commands->fd < 0 || flock(commands->fd, LOCK_EX | LOCK_NB) != 0)
		number = errno;
	if (lock >= 0)
		close(lock);
	return number;
}

/* Listen on the socket. Return 0 or errno. */
static int listen_there(struct ik_commands *commands)
{
	struct sockaddr_un address = { .sun_family = AF_UNIX };
	char *path = ik_format("/proc/self/fd/%d/" SOCKET, commands->fd); /* however long its path is */
	int number = 0;

	strncpy(address.sun_path, path, sizeof(address.sun_path) - 1);
	free(path);
	commands->listener = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
	if (commands->listener < 0 ||
		bind(commands->listener, (struct sockaddr *)&address, sizeof(address)) != 0 ||
		listen(commands->listener, CONNECTIONS) != 0)
		number = errno;
	return number;
}

void ik_commands_set_registry(struct ik_commands *commands, struct ik_registry *registry)
{
	const char *program = commands->options.program;

	if (registry == commands->registry)
		return;
	ik_registry_ref(registry);
	ik_registry_unref(commands->registry);
	commands->registry = registry;
	clear_directory(commands->fd, registry);
	(void)!symlinkat(program, commands->fd, ANY_TOOL);
	for (size_t i = 0; i < ik_registry_count(registry); i++) {
		const struct ik_tool *tool = ik_registry_at(registry, i);

		if (tool->state == IK_TOOL_OK && tool->name[0] != '.' && !strchr(tool->name, '/'))
			(void)!symlinkat(program, commands->fd, tool->name);
	}
}

const char **ik_commands_environment(const struct ik_commands *commands, const char *key,
	const char *const *environment, char *ret_texts[2])
{
	const char *path = "/usr/local/bin:/usr/bin:/bin";

	for (const char *const *entry = environment; entry && *entry; entry++)
		if (ik_text_starts(*entry, "PATH="))
			path = *entry + 5;
	ret_texts[0] = ik_format("PATH=%s:%s", path, commands->directory);
	ret_texts[1] = ik_format(IK_COMMANDS_VARIABLE "=%s:%s", key, commands->directory);
	return ik_environment_with(environment,
		(const char *const[]){ ret_texts[0], ret_texts[1], NULL });
}

/* ---- connections ---- */

static void free_command(void *arg)
{
	struct ik_command *command = arg;

	ik_line_splitter_done(&command->lines);
	ik_buf_done(&command->out);
	free(command->id);
	free(command->name);
	free(command);
}

/* Close a connection; nobody waits for its call any more. */
static void close_command(struct ik_command *command)
{
	struct ik_commands *commands = command->commands;
	struct ik_command **at = &commands->first;
	void *call = command->call;

	if (command->closed)
		return;
	command->closed = true;
	while (*at != command)
		at = &(*at)->next;
	*at = command->next;
	commands->count--;
	command->watch = ik_watch_close(command->watch);
	close(command->fd);
	ik_loop_defer(commands->options.loop, free_command, command);
	command->call = NULL;
	if (call)
		commands->options.cancel(commands->options.arg, call);
}

/* Write what the socket takes. */
static void write_out(struct ik_command *command)
{
	size_t left = command->out.length - command->written;
	ssize_t count = send(command->fd, command->out.data + command->written,
		left < PIECE ? left : PIECE, MSG_NOSIGNAL | MSG_DONTWAIT);

	if (count < 0 && errno != EAGAIN && errno != EINTR) {
		close_command(command);
		return;
	}
	command->written += count > 0 ? (size_t)count : 0;
	if (command->written < command->out.length)
		return;
	ik_buf_clear(&command->out);
	command->written = 0;
	if (command->last)
		close_command(command);
	else
		(void)!ik_watch_set(command->watch, IK_READABLE, NULL);
}

/* Answer the request with its result (released). */
static void answer(struct ik_command *command, struct ik_buf *result)
{
	struct ik_json_span id = { command->id, command->id ? strlen(command->id) : 0 };

	if (command->closed) {
		ik_buf_done(result);
		return;
	}
	ik_rpc_put_result(&command->out, id, (struct ik_json_span){ result->data, result->length });
	ik_buf_putc(&command->out, '\n');
	free(command->id);
	command->id = NULL;
	if (ik_buf_status(result) != IK_OK || ik_buf_status(&command->out) != IK_OK)
		close_command(command); /* it says that it got no answer */
	else
		(void)!ik_watch_set(command->watch, IK_READABLE | IK_WRITABLE, NULL);
	ik_buf_done(result);
}

/* Answer with what the program prints. */
static void answer_with(struct ik_command *command, const struct ik_buf *out,
	const struct ik_buf *errors, int status)
{
	struct ik_buf result;

	ik_buf_init(&result, IK_LIMIT_ENVELOPE);
	ik_json_printf(&result, "{'stdout':'%.*s','stderr':'%.*s','status':%d}", (int)out->length,
		out->data ? out->data : "", (int)errors->length, errors->data ? errors->data : "", status);
	command->last = true;
	answer(command, &result);
}

/* Answer that the words are wrong. */
static void refuse(struct ik_command *command, const char *name, const char *reason)
{
	struct ik_buf out = { .data = NULL }, errors;

	ik_buf_init(&errors, IK_LIMIT_ENVELOPE);
	ik_buf_printf(&errors, "%s: %s\n", name, reason);
	answer_with(command, &out, &errors, 2);
	ik_buf_done(&errors);
}

/* Return the tool's own result if that of the envelope was cut; no value. */
static struct ik_json_span whole_result(const struct ik_run_result *result)
{
	const struct ik_bytes *whole = result->truncated ? result->whole[IK_STDOUT] : NULL;
	struct ik_json_span value;

	if (whole && ik_json_check(whole->data, whole->length, &value, NULL) == IK_OK)
		return value;
	return (struct ik_json_span){ NULL, 0 };
}

void ik_command_done(struct ik_command *command, const struct ik_run_result *result)
{
	struct ik_json_span envelope;
	struct ik_buf out, errors;
	int status = 1;

	command->call = NULL;
	if (command->closed)
		return;
	ik_buf_init(&out, IK_LIMIT_ENVELOPE);
	ik_buf_init(&errors, IK_LIMIT_ENVELOPE);
	if (ik_json_check_around(result->envelope, result->envelope_length, 2, &envelope, NULL) ==
		IK_OK)
		status = ik_command_line_result(command->name, envelope, whole_result(result), &out,
			&errors);
	answer_with(command, &out, &errors, status);
	ik_buf_done(&out);
	ik_buf_done(&errors);
}

/* ---- requests ---- */

static void list_tools(struct ik_command *command)
{
	const struct ik_registry *registry = command->commands->registry;
	struct ik_buf out, errors = { .data = NULL };

	ik_buf_init(&out, IK_LIMIT_ENVELOPE);
	for (size_t i = 0; i < ik_registry_count(registry); i++)
		if (ik_registry_at(registry, i)->state == IK_TOOL_OK)
			ik_command_line_put_name(ik_registry_at(registry, i), &out);
	answer_with(command, &out, &errors, 0);
	ik_buf_done(&out);
}

/* Have the call made. */
static void call(struct ik_command *command, const char *key, struct ik_json_span arguments)
{
	const struct ik_commands_options *options = &command->commands->options;
	const char *wrong = "the call that it belongs to is over";
	void *started = options->start(options->arg, key, command, command->name, arguments, &wrong);

	if (!started)
		refuse(command, command->name, wrong);
	else if (command->id) /* not answered already */
		command->call = started;
}

/* Read the words of a tool's command. */
static void run_words(struct ik_command *command, const char *key, const char *name,
	struct ik_json_span params)
{
	const struct ik_tool *tool = ik_registry_find(command->commands->registry, name);
	struct ik_json_span input = ik_json_member(params, "input");
	char *text = ik_json_string_new(input, &input.length);
	struct ik_buf out, result, none = { .data = NULL };

	input.text = text;
	ik_buf_init(&out, IK_LIMIT_ARGUMENTS);
	free(command->name);
	command->name = ik_strdup(name);
	if (!tool) {
		refuse(command, ANY_TOOL, "there is no such tool; without arguments it lists all");
	} else {
		switch (ik_command_line_read(tool, ik_json_member(params, "words"), input, &out)) {
		case IK_COMMAND_CALL:
			call(command, key, (struct ik_json_span){ out.data ? out.data : "", out.length });
			break;
		case IK_COMMAND_HELP:
			answer_with(command, &out, &none, 0);
			break;
		case IK_COMMAND_INPUT:
			ik_buf_init(&result, IK_KIB(1));
			ik_json_printf(&result, "{'input':%s}", "true");
			answer(command, &result);
			break;
		case IK_COMMAND_WRONG:
			ik_buf_printf(&out, "; see %s --help", name);
			refuse(command, name, out.data ? out.data : "");
			break;
		}
	}
	ik_buf_done(&out);
	free(text);
}

static void on_line(void *arg, const char *text, size_t length)
{
	struct ik_command *command = arg;
	const struct ik_commands_options *options = &command->commands->options;
	struct ik_rpc_message message = { .kind = IK_RPC_INVALID };
	struct ik_json_span value;
	char *key = NULL, *name = NULL;

	if (command->closed || command->last || command->call)
		return;
	if (text && ik_json_check_around(text, length, 2, &value, NULL) == IK_OK)
		message = ik_rpc_read(value);
	if (message.kind == IK_RPC_REQUEST && !command->id) {
		command->id = ik_strndup(message.id.text, message.id.length);
		key = ik_json_text_new(ik_json_member(message.params, "key"));
		name = ik_json_string_new(ik_json_member(message.params, "name"), NULL);
	}
	if (!text)
		refuse(command, ANY_TOOL, "the arguments are too long");
	else if (!key || !name || !ik_json_string_is(message.method, "run"))
		close_command(command);
	else if (!options->knows(options->arg, key))
		refuse(command, ANY_TOOL, "the call that it belongs to is over");
	else if (name[0] == '\0')
		list_tools(command);
	else
		run_words(command, key, name, message.params);
	free(key);
	free(name);
}

static void on_command(void *arg, int what)
{
	struct ik_command *command = arg;
	char bytes[IK_KIB(64)];
	ssize_t count = 1;

	if (what & IK_READABLE) {
		count = recv(command->fd, bytes, sizeof(bytes), MSG_DONTWAIT);
		if (count > 0)
			ik_line_splitter_add(&command->lines, IK_LIMIT_ARGUMENTS, bytes, (size_t)count, on_line,
				command);
		else if (count == 0 || (errno != EAGAIN && errno != EINTR))
			close_command(command);
	}
	if (!command->closed && command->out.length > 0)
		write_out(command);
}

static void add_command(struct ik_commands *commands, int fd)
{
	struct ik_command *command;
	struct ucred peer;
	socklen_t length = sizeof(peer);

	if (fd < 0)
		return;
	/* The directory is private, but may have been opened up. */
	if (commands->count == CONNECTIONS ||
		getsockopt(fd, SOL_SOCKET, SO_PEERCRED, &peer, &length) != 0 || peer.uid != getuid()) {
		close(fd);
		return;
	}
	command = ik_alloc(sizeof(*command));
	command->commands = commands;
	command->fd = fd;
	ik_buf_init(&command->out, IK_LIMIT_ENVELOPE);
	command->next = commands->first;
	commands->first = command;
	commands->count++;
	command->watch = ik_watch_new(commands->options.loop, fd, on_command, command);
	if (ik_watch_set(command->watch, IK_READABLE, NULL) != IK_OK)
		close_command(command);
}

static void on_connect(void *arg, int what)
{
	struct ik_commands *commands = arg;

	add_command(commands, accept4(commands->listener, NULL, NULL, SOCK_CLOEXEC));
}

/* Accept a connection that comes through the door. */
static void on_door(void *arg, int what)
{
	struct ik_commands *commands = arg;
	char byte, control[CMSG_SPACE(sizeof(int))] __attribute__((aligned(sizeof(size_t))));
	struct iovec bytes = { &byte, 1 };
	struct msghdr message = {
		.msg_iov = &bytes,
		.msg_iovlen = 1,
		.msg_control = control,
		.msg_controllen = sizeof(control),
	};
	const struct cmsghdr *part;
	ssize_t count = recvmsg(commands->door[0], &message, MSG_DONTWAIT | MSG_CMSG_CLOEXEC);

	part = count >= 0 ? CMSG_FIRSTHDR(&message) : NULL;
	if (count == 0 && !part) /* a process has shut it, for all of them */
		(void)!ik_watch_set(commands->door_watch, 0, NULL);
	/* There is room for two. */
	for (size_t at = 0; part && part->cmsg_type == SCM_RIGHTS && CMSG_LEN(at) < part->cmsg_len;
		 at += sizeof(int)) {
		int fd;

		memcpy(&fd, CMSG_DATA(part) + at, sizeof(fd));
		add_command(commands, fd);
	}
}

int ik_commands_door(const struct ik_commands *commands)
{
	return commands->door[1];
}

/* ---- beginning and end ---- */

struct ik_commands *ik_commands_new(const struct ik_commands_options *options)
{
	struct ik_commands *commands = ik_alloc(sizeof(*commands));
	int number;

	commands->options = *options;
	commands->fd = commands->listener = commands->door[0] = commands->door[1] = -1;
	number = make_directory(commands);
	if (number == 0)
		number = listen_there(commands);
	if (number == 0 && socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, commands->door) != 0)
		number = errno;
	if (number != 0) {
		ik_log(IK_LOG_ERROR, "commands: %s: %s", options->root, strerror(number));
		return ik_commands_close(commands);
	}
	commands->watch = ik_watch_new(options->loop, commands->listener, on_connect, commands);
	commands->door_watch = ik_watch_new(options->loop, commands->door[0], on_door, commands);
	(void)!ik_watch_set(commands->watch, IK_READABLE, NULL);
	(void)!ik_watch_set(commands->door_watch, IK_READABLE, NULL);
	return commands;
}

void ik_commands_hang_up(struct ik_commands *commands)
{
	while (commands->first)
		close_command(commands->first);
}

struct ik_commands *ik_commands_close(struct ik_commands *commands)
{
	if (!commands)
		return NULL;
	ik_commands_hang_up(commands);
	commands->watch = ik_watch_close(commands->watch);
	commands->door_watch = ik_watch_close(commands->door_watch);
	if (commands->listener >= 0)
		close(commands->listener);
	for (int i = 0; i < 2; i++)
		if (commands->door[i] >= 0)
			close(commands->door[i]);
	if (commands->fd >= 0) {
		clear_directory(commands->fd, NULL);
		(void)rmdir(commands->directory);
		close(commands->fd);
	}
	ik_registry_unref(commands->registry);
	free(commands->directory);
	ik_loop_defer(commands->options.loop, free, commands);
	return NULL;
}
