#include "tests/tools/support.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <grp.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <sched.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/mount.h>
#include <sys/prctl.h>
#include <sys/ptrace.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <criterion/criterion.h>

#include "json/write.h"
#include "tests/support/scratch.h"
#include "util/path.h"

#define NOBODY 65534

static char scratch[] = SCRATCH_TEMPLATE;

void scratch_enter(void)
{
	scratch_make(scratch);
	cr_assert_eq(chdir(scratch), 0);
	/* A process that runs as nobody must get here, too. */
	cr_assert_eq(chmod(scratch, 0777), 0);
}

void scratch_leave(void)
{
	cr_assert_eq(chdir("/"), 0);
	scratch_remove(scratch);
}

/* A descriptor of the built tool. */
static int tool_open(const char *tool)
{
	const char *build = getenv("IK_TOP_BUILDDIR");
	char path[4096];

	cr_assert_not_null(build, "IK_TOP_BUILDDIR must name the build directory");
	snprintf(path, sizeof(path), "%s/libexec/%s", build, tool);
	int fd = open(path, O_RDONLY);
	cr_assert_geq(fd, 0, "%s: %s", path, strerror(errno));
	return fd;
}

/* A file with the input to read. */
static int input_open(const struct call *call)
{
	if (call->stdin_fd != 0)
		return call->stdin_fd > 0 ? dup(call->stdin_fd) : -1;
	if (call->input == NULL)
		return open("/dev/null", O_RDONLY);
	int fd = memfd_create("input", 0);
	size_t length = call->input_length > 0 ? call->input_length : strlen(call->input);
	cr_assert_eq(ik_write_all(fd, call->input, length), 0);
	lseek(fd, 0, SEEK_SET);
	return fd;
}

#ifdef SYS__llseek
#define SEEK SYS__llseek
#else
#define SEEK SYS_lseek
#endif

/* From here on no file of this process can seek. */
static int forbid_seeking(void)
{
	struct sock_filter filter[] = {
		BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
		BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SEEK, 0, 1),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | ESPIPE),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
	};
	const struct sock_fprog program = { sizeof(filter) / sizeof(filter[0]), filter };

	if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0)
		return -1;
	return prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program, 0, 0);
}

/* In the child: become the tool. */
static void become(const struct call *call, int program, int input, int out, int err)
{
	char *argv[] = { (char *)call->tool, (char *)call->option, NULL };

	signal(SIGPIPE, SIG_DFL);
	if (input >= 0)
		dup2(input, STDIN_FILENO);
	else
		close(STDIN_FILENO);
	dup2(err, STDERR_FILENO);
	if (call->output == -1)
		close(STDOUT_FILENO);
	else
		dup2(call->output > 0 ? call->output : out, STDOUT_FILENO);
	if (call->setting != NULL)
		putenv((char *)call->setting);
	if (call->nobody && geteuid() == 0 && (setgroups(0, NULL) < 0 || setgid(NOBODY) < 0 || setuid(NOBODY) < 0))
		_exit(98);
	struct rlimit limit = { call->memory, call->memory };
	if (call->memory > 0 && setrlimit(RLIMIT_AS, &limit) < 0)
		_exit(96);
	close_range(3, (unsigned)program - 1, 0);
	fcntl(program, F_SETFD, FD_CLOEXEC);
	if (call->unseekable && forbid_seeking() < 0)
		_exit(95);
	if (call->traced && ptrace(PTRACE_TRACEME, 0, NULL, NULL) < 0)
		_exit(97);
	fexecve(program, argv, environ);
	_exit(99);
}

struct running call_start(const struct call *call)
{
	int input = input_open(call);
	struct running running = {
		.out = memfd_create("out", 0),
		.err = memfd_create("err", 0),
	};
	/* The highest number, so that everything between can be closed. */
	int found = tool_open(call->tool);
	int program = fcntl(found, F_DUPFD, 100);

	close(found);
	running.pid = fork();
	cr_assert_geq(running.pid, 0);
	if (running.pid == 0)
		become(call, program, input, running.out, running.err);
	close(program);
	if (input >= 0)
		close(input);
	return running;
}

/* Everything that was written to a file. */
static struct ik_buf contents(int fd)
{
	struct ik_buf buf;
	off_t length = lseek(fd, 0, SEEK_END);

	ik_buf_init(&buf, SIZE_MAX / 2);
	char *to = ik_buf_reserve(&buf, (size_t)length + 1);
	cr_assert_not_null(to);
	cr_assert_eq(pread(fd, to, (size_t)length, 0), (ssize_t)length);
	ik_buf_commit(&buf, (size_t)length);
	close(fd);
	return buf;
}

struct reply call_finish(struct running running)
{
	struct reply reply = { 0 };
	struct ik_json_span json;
	int status;

	struct rusage usage;
	while (wait4(running.pid, &status, 0, &usage) < 0)
		cr_assert_eq(errno, EINTR);
	reply.peak_kib = usage.ru_maxrss;
	reply.status = WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status);
	reply.out = contents(running.out);
	reply.err = contents(running.err);
	if (ik_json_check(reply.out.data, reply.out.length, &json, NULL) == IK_OK &&
		ik_json_span_type(json) == IK_JSON_OBJECT)
		reply.json = json;
	return reply;
}

struct reply call_run(const struct call *call)
{
	return call_finish(call_start(call));
}

void reply_free(struct reply *reply)
{
	ik_buf_done(&reply->out);
	ik_buf_done(&reply->err);
}

void done(struct reply reply)
{
	reply_free(&reply);
}

/* Run with input, and assert that the answer is one JSON object. */
static struct reply ask_call(struct call call, const struct ik_buf *input)
{
	cr_assert_eq(ik_buf_status(input), IK_OK);
	call.input = input->data;
	call.input_length = input->length;
	struct reply reply = call_run(&call);
	cr_assert_eq(reply.status, 0, "%s: status %d, stderr: %s", call.tool, reply.status,
		reply.err.data);
	cr_assert_not_null(reply.json.text, "%s: no JSON object: %.300s", call.tool, reply.out.data);
	cr_assert_eq(reply.json.length, reply.out.length, "something stands around the object");
	return reply;
}

/* Format an input, with quotes that C need not escape. */
IK_PRINTF(2, 0)
static void format_input(struct ik_buf *input, const char *format, va_list arguments)
{
	ik_buf_init(input, SIZE_MAX / 2);
	ik_buf_vprintf(input, format, arguments);
	for (size_t i = 0; i < input->length; i++)
		if (input->data[i] == '\'')
			input->data[i] = '"';
}

struct reply ask(const char *tool, const char *format, ...)
{
	struct ik_buf input;
	va_list arguments;

	va_start(arguments, format);
	format_input(&input, format, arguments);
	va_end(arguments);
	struct reply reply = ask_call((struct call){ .tool = tool }, &input);
	ik_buf_done(&input);
	return reply;
}

struct reply ask_as_nobody(const char *tool, const char *format, ...)
{
	struct ik_buf input;
	va_list arguments;

	va_start(arguments, format);
	format_input(&input, format, arguments);
	va_end(arguments);
	struct reply reply = ask_call((struct call){ .tool = tool, .nobody = true }, &input);
	ik_buf_done(&input);
	return reply;
}

struct reply ask_bytes(const char *tool, const char *format, const char *bytes, size_t length)
{
	struct ik_buf input;
	const char *at = strstr(format, "%s");

	ik_buf_init(&input, SIZE_MAX / 2);
	for (const char *from = format; from < at; from++)
		ik_buf_putc(&input, *from == '\'' ? '"' : *from);
	ik_json_escape(&input, bytes, length);
	for (const char *from = at + 2; *from != '\0'; from++)
		ik_buf_putc(&input, *from == '\'' ? '"' : *from);
	struct reply reply = ask_call((struct call){ .tool = tool }, &input);
	ik_buf_done(&input);
	return reply;
}

/* Assert that a string member of the reply has a value. */
static void expect_member(const struct reply *reply, const char *name, const char *wanted)
{
	struct ik_json_span value = ik_json_member(reply->json, name);

	cr_assert(ik_json_string_is(value, wanted), "wanted \"%s\": \"%s\" in %.2000s", name, wanted,
		reply->out.data);
}

void expect_error(struct reply reply, const char *code, const char *format, ...)
{
	struct ik_buf wanted;
	va_list arguments;

	ik_buf_init(&wanted, SIZE_MAX / 2);
	va_start(arguments, format);
	ik_buf_vprintf(&wanted, format, arguments);
	va_end(arguments);
	expect_member(&reply, "error", wanted.data);
	expect_member(&reply, "error_code", code);
	ik_buf_done(&wanted);
	reply_free(&reply);
}

/* Assert that a string member of the reply contains part. */
static void expect_part(const struct reply *reply, const char *name, const char *part)
{
	char *text = ik_json_string_new(ik_json_member(reply->json, name), NULL);

	cr_assert_not_null(text, "no %s in %s", name, reply->out.data);
	cr_assert_not_null(strstr(text, part), "wanted '%s' in %s, got %s", part, name, text);
	free(text);
}

void expect_error_with(struct reply reply, const char *code, const char *part)
{
	expect_part(&reply, "error", part);
	expect_member(&reply, "error_code", code);
	reply_free(&reply);
}

void expect_hint(struct reply reply, const char *code, const char *part)
{
	expect_part(&reply, "hint", part);
	expect_member(&reply, "error_code", code);
	reply_free(&reply);
}

void expect_json(struct reply reply, const char *format, ...)
{
	struct ik_buf wanted;
	va_list arguments;

	va_start(arguments, format);
	format_input(&wanted, format, arguments);
	va_end(arguments);
	cr_assert_str_eq(reply.out.data, wanted.data);
	ik_buf_done(&wanted);
	reply_free(&reply);
}

void make_file(const char *path, const char *bytes, size_t length)
{
	int fd = open(path, O_WRONLY | O_CREAT | O_TRUNC, 0666);

	cr_assert_geq(fd, 0, "%s: %s", path, strerror(errno));
	cr_assert_eq(ik_write_all(fd, bytes, length), 0);
	close(fd);
}

void make_text(const char *path, const char *text)
{
	make_file(path, text, strlen(text));
}

void expect_file(const char *path, const char *bytes, size_t length)
{
	int fd = open(path, O_RDONLY);

	cr_assert_geq(fd, 0, "%s: %s", path, strerror(errno));
	struct ik_buf found = contents(fd);
	cr_assert_eq(found.length, length, "%s has %zu bytes, not %zu", path, found.length, length);
	cr_assert_arr_eq(found.data, bytes, length);
	ik_buf_done(&found);
}

void expect_text(const char *path, const char *text)
{
	expect_file(path, text, strlen(text));
}

int count_names(const char *prefix)
{
	DIR *stream = opendir(".");
	struct dirent *entry;
	int count = 0;

	while ((entry = readdir(stream)) != NULL)
		count += strncmp(entry->d_name, prefix, strlen(prefix)) == 0;
	closedir(stream);
	return count;
}

/* Get private mounts, as root of a user namespace if necessary; false if that is not allowed here. */
static bool own_mounts(void)
{
	char map[64];
	uid_t user = geteuid();
	gid_t group = getegid();

	if (unshare(CLONE_NEWNS) < 0) {
		if (unshare(CLONE_NEWUSER | CLONE_NEWNS) < 0)
			return false;
		make_text("/proc/self/setgroups", "deny");
		snprintf(map, sizeof(map), "0 %u 1", user);
		make_text("/proc/self/uid_map", map);
		snprintf(map, sizeof(map), "0 %u 1", group);
		make_text("/proc/self/gid_map", map);
	}
	return mount(NULL, "/", NULL, MS_REC | MS_PRIVATE, NULL) == 0;
}

void make_mount(const char *directory, unsigned long flags, const char *options)
{
	cr_assert_eq(mkdir(directory, 0777), 0);
	if (!own_mounts() || mount("none", directory, "tmpfs", flags, options) < 0)
		cr_skip("no file system can be mounted here: %s", strerror(errno));
}

void drop_mount(const char *directory)
{
	cr_assert_eq(umount(directory), 0);
}

void expect_options(const char *tool, const char *schema)
{
	struct reply reply = call_run(&(struct call){ .tool = tool, .option = "--schema" });

	cr_assert_eq(reply.status, 0);
	/* The line feed is for people. */
	cr_assert_eq(reply.out.data[reply.out.length - 1], '\n');
	ik_buf_truncate(&reply.out, reply.out.length - 1);
	expect_json(reply, "%s", schema);

	reply = call_run(&(struct call){ .tool = tool, .option = "--help" });
	cr_assert_eq(reply.status, 0);
	cr_assert_not_null(strstr(reply.out.data, tool));
	cr_assert_not_null(strstr(reply.out.data, "echo '{"));
	reply_free(&reply);

	reply = call_run(&(struct call){ .tool = tool, .option = "--version" });
	cr_assert_eq(reply.status, 0);
	cr_assert_eq(strncmp(reply.out.data, tool, strlen(tool)), 0);
	reply_free(&reply);

	reply = call_run(&(struct call){ .tool = tool, .option = "--no-such-option" });
	cr_assert_eq(reply.status, 2);
	cr_assert_eq(reply.out.length, 0);
	cr_assert_gt(reply.err.length, 0);
	reply_free(&reply);
}
