#include "guard/sandbox.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <sched.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mount.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <termios.h>
#include <unistd.h>

#include <criterion/criterion.h>

#include "support.h"
#include "util/alloc.h"
#include "util/limits.h"
#include "util/path.h"
#include "util/text.h"

/* fsopen(2), which makes covers, for older headers. */
#define FSOPEN 430

/* BASE contains project, tmp, secret and outside, and a tool that tries things. */
struct fixture {
	struct ik_loop *loop;
	char *base, *project, *tools;
	struct ik_config *config;
	struct ik_sandbox *sandbox;
};

static void make_directory(const struct fixture *fixture, const char *name)
{
	char *path = ik_path_join(fixture->base, name);

	cr_assert_eq(mkdir(path, 0700), 0);
	free(path);
}

static void write_file(const struct fixture *fixture, const char *name, const char *text)
{
	char *path = ik_path_join(fixture->base, name);
	struct ik_error error;

	cr_assert_eq(ik_file_write(path, text, strlen(text), 0600, &error), IK_OK, "%s", error.text);
	free(path);
}

/* Does it exist? */
static bool there(const struct fixture *fixture, const char *name)
{
	char *path = ik_path_join(fixture->base, name);
	bool found = access(path, F_OK) == 0;

	free(path);
	return found;
}

static struct fixture begin(void)
{
	struct fixture fixture = { .loop = support_loop_new() };
	char *directory = support_mkdir(), *temporary;

	fixture.base = ik_path_canonical(directory);
	free(directory);
	make_directory(&fixture, "project");
	make_directory(&fixture, "tmp");
	make_directory(&fixture, "secret");
	make_directory(&fixture, "tools");
	write_file(&fixture, "secret/key", "the key\n");
	write_file(&fixture, "existing", "as it was\n");
	fixture.project = ik_path_join(fixture.base, "project");
	fixture.tools = ik_path_join(fixture.base, "tools");
	temporary = ik_path_join(fixture.base, "tmp");
	cr_assert_eq(setenv("TMPDIR", temporary, 1), 0);
	cr_assert_eq(setenv("BASE", fixture.base, 1), 0);
	free(temporary);
	fixture.config = ik_config_new();
	return fixture;
}

static void end(struct fixture *fixture)
{
	char *directory = fixture->base;

	fixture->sandbox = ik_sandbox_free(fixture->sandbox);
	fixture->config = ik_config_free(fixture->config);
	free(fixture->project);
	free(fixture->tools);
	fixture->loop = support_loop_free(fixture->loop);
	support_rmdir(directory);
}

static void set(struct fixture *fixture, const char *key, const char *value)
{
	struct ik_error error;

	cr_assert_eq(ik_config_set(fixture->config, key, value, IK_ORIGIN_USER, "test", &error), IK_OK,
		"%s", error.text);
}

static void make_sandbox(struct fixture *fixture)
{
	fixture->sandbox = ik_sandbox_new(fixture->config, fixture->project, fixture->base);
}

/* Run a script as the tool "tries" in the sandbox; return its envelope (new memory). */
static char *run(struct fixture *fixture, const char *script)
{
	char *text = ik_format("#!/bin/sh\n[ \"$1\" = --schema ] && exec echo "
		"'{\"name\":\"tries\",\"description\":\"Tries\"}'\ncat >/dev/null\n"
		"try() { if (eval \"$2\") >/dev/null 2>&1; then out=\"$out $1\"; fi; }\n%s\n"
		"printf '{\"output\":\"%%s\"}' \"$out\"\n", script);
	const char *const directories[] = { fixture->tools, NULL };
	struct ik_run_options options = support_options(fixture->loop);
	struct ik_registry *registry;
	struct support_outcome outcome;
	char *path = support_write_tool(fixture->tools, "tries", text), *envelope;

	registry = support_scan(fixture->loop, IK_SOURCE_USER, 10000, directories);
	cr_assert_eq(ik_registry_ok_count(registry), 1);
	options.directory = fixture->project;
	options.sandbox = fixture->sandbox;
	outcome = support_call(fixture->loop, registry, "tries", "{}", &options);
	envelope = ik_strdup(outcome.envelope);
	support_outcome_done(&outcome);
	ik_registry_unref(registry);
	free(path);
	free(text);
	return envelope;
}

/* Expect that these attempts of a script succeed. */
static void succeeds(struct fixture *fixture, const char *script, const char *names)
{
	char *envelope = run(fixture, script);
	char *wanted = ik_format("{\"tool_success\":true,\"result\":{\"output\":\"%s\"}}", names);

	cr_assert_str_eq(envelope, wanted);
	free(envelope);
	free(wanted);
}

/* Skip the test on kernels without Landlock. */
static void need_landlock(void)
{
	if (ik_confine_abi() < 3)
		cr_skip_test("this kernel has no Landlock of ABI 3");
}

static void need_covers(void)
{
	need_landlock();
	if (ik_mount_mask_method() == IK_MOUNT_MASK_NONE)
		cr_skip_test("mount namespaces cannot be had here");
}

/* From now on, make the kernel say that there is no such system call. */
static void take_away(unsigned int number)
{
	struct sock_filter filter[] = {
		BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
		BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, number, 0, 1),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | ENOSYS),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
	};
	const struct sock_fprog program = { .len = 4, .filter = filter };

	cr_assert_eq(prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0), 0);
	if (prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program, 0, 0) != 0)
		cr_skip_test("system calls can't be filtered here");
}

static const char escapes[] =
	"try direct 'echo x >../out'\n"
	"try append 'echo x >>../existing'\n"
	"try cut 'truncate -s 0 ../existing'\n"
	"try remove 'rm -f ../existing'\n"
	"try link 'ln -s ../existing link && echo x >link'\n"
	"try dangling 'ln -s ../out dangling && echo x >dangling'\n"
	"try away 'echo x >mine && mv -T mine ../out'\n"
	"try linked 'ln ../existing hard && echo x >hard'\n"
	"try outside 'echo x >mine && ln mine ../out'\n"
	"try chdir 'cd .. && echo x >out'\n"
	"try root 'echo x >/proc/self/root$BASE/out'\n"
	"try cwd 'echo x >/proc/self/cwd/../out'\n"
	"try parent 'echo x >/proc/$PPID/cwd/out || echo x >/proc/$PPID/root$BASE/out'\n"
	"try directory 'mkdir ../out'\n"
	"try fifo 'mkfifo ../out'\n"
	/* A process that outlives the call stays confined; it reports when it has tried. */
	"setsid sh -c 'echo x >../out; echo x >\"$TMPDIR/tried\"' </dev/null >/dev/null 2>&1 &\n"
	"while [ ! -e \"$TMPDIR/tried\" ]; do sleep 0.01; done\n";

static void nothing_escaped(const struct fixture *fixture)
{
	struct ik_buf text;
	struct ik_error error;
	char *path = ik_path_join(fixture->base, "existing");

	cr_assert(there(fixture, "tmp/tried"));
	cr_assert_not(there(fixture, "out"));
	ik_buf_init(&text, IK_KIB(1));
	cr_assert_eq(ik_file_read(path, &text, &error), IK_OK);
	cr_assert_str_eq(text.data, "as it was\n");
	ik_buf_done(&text);
	free(path);
}

Test(sandbox, lets_nothing_be_written_outside_of_the_project)
{
	struct fixture fixture;

	need_landlock();
	fixture = begin();
	set(&fixture, "sandbox.mode", "project");
	make_sandbox(&fixture);
	succeeds(&fixture, escapes, "");
	nothing_escaped(&fixture);
	end(&fixture);
}

Test(sandbox, lets_work_be_done_in_the_project)
{
	struct fixture fixture;

	need_landlock();
	fixture = begin();
	set(&fixture, "sandbox.mode", "project");
	make_sandbox(&fixture);
	succeeds(&fixture,
		"try write 'echo x >a'\n"
		"try replace 'echo y >.a.new && mv .a.new a'\n"
		"try move 'mkdir b && mv a b/c && ln b/c d && rm b/c'\n"
		"try temporary 'f=$(mktemp) && mv \"$f\" e'\n"
		"try null 'echo x >/dev/null'\n"
		"try stream 'exec 3>&1; echo x >/dev/fd/3'\n"
		"try read 'cat ../existing ../secret/key'\n"
		"try list 'ls / ..'\n"
		"try variable '[ \"$IKIGAI_SANDBOX\" = project ]'\n",
		" write replace move temporary null stream read list variable");
	end(&fixture);
}

Test(sandbox, read_only_leaves_temporary_files)
{
	struct fixture fixture;

	need_landlock();
	fixture = begin();
	set(&fixture, "sandbox.mode", "read-only");
	make_sandbox(&fixture);
	succeeds(&fixture, escapes, "");
	nothing_escaped(&fixture);
	succeeds(&fixture, "try here 'echo x >a'\ntry temporary 'echo x >$TMPDIR/a'\n", " temporary");
	end(&fixture);
}

Test(sandbox, says_that_it_was_on_where_something_was_refused)
{
	struct fixture fixture;
	char *envelope;

	need_landlock();
	fixture = begin();
	set(&fixture, "sandbox.mode", "project");
	make_sandbox(&fixture);
	envelope = run(&fixture, "echo x >../out || exit 3");
	cr_assert(ik_text_starts(envelope,
		"{\"tool_success\":false,\"hint\":\"This call ran in a sandbox (project): files can be written "
		"only in "), "%s", envelope);
	free(envelope);
	envelope = run(&fixture, "exit 3");
	cr_assert_null(strstr(envelope, "\"hint\""), "%s", envelope);
	free(envelope);
	end(&fixture);
}

Test(sandbox, hides_places_in_any_mode)
{
	static const char *const modes[] = { "off", "project", "read-only" };
	struct fixture fixture;

	need_landlock();
	for (size_t i = 0; i < 3; i++) {
		fixture = begin();
		write_file(&fixture, "one", "hidden as well\n");
		set(&fixture, "sandbox.mode", modes[i]);
		set(&fixture, "sandbox.hide", "[\"~/secret\", \"~/one\", \"~/not-there\"]");
		make_sandbox(&fixture);
		succeeds(&fixture,
			"try read 'cat ../secret/key'\n"
			"try file 'cat ../one'\n"
			"try link 'ln -s ../secret l; cat l/key'\n"
			"try root 'cat /proc/self/root$BASE/secret/key'\n"
			"try list '[ -n \"$(ls ../secret)\" ]'\n"
			"try write 'echo x >>../secret/key'\n"
			"try add 'echo x >../secret/more'\n"
			"try rename 'mv ../secret ../other'\n"
			"try rename_file 'mv ../one ../two'\n"
			"try hard 'ln ../secret/key mine; ln ../one mine; ln ../one ../mine'\n"
			"try up 'mv ../../* ../there'\n"
			"try beside 'cat ../existing'\n"
			"try inside 'ls'\n", " beside inside");
		end(&fixture);
	}
}

/* List what is hidden, by name; "": nothing. */
static void hides(const struct fixture *fixture, const char *names)
{
	static const char *const files[] = { "secret/key", "kept/copy", "project/.env", "project/f" };
	struct ik_buf hidden;

	ik_buf_init(&hidden, IK_KIB(1));
	ik_buf_puts(&hidden, "");
	for (size_t i = 0; i < sizeof(files) / sizeof(files[0]); i++) {
		char *path = ik_path_join(fixture->base, files[i]);

		if (ik_sandbox_hides(fixture->sandbox, "tries", path))
			ik_buf_printf(&hidden, " %s", files[i]);
		free(path);
	}
	cr_assert_str_eq(hidden.data, names);
	ik_buf_done(&hidden);
}

Test(sandbox, guards_places_of_its_own_where_anything_is_confined)
{
	static const char try_all[] =
		"try read 'cat ../kept/copy'\n"
		"try write 'echo x >>../kept/copy'\n"
		"try beside 'cat ../existing'\n"
		"try inside 'ls'\n";
	static const char *const guarded[][2] = {
		{ "sandbox.mode", "project" }, { "sandbox.mode", "read-only" }, { "sandbox.network", "false" },
		{ "sandbox.hide", "[\"~/secret\"]" },
	};
	struct fixture fixture;
	char *place;

	need_landlock();
	for (size_t i = 0; i < 5; i++) {
		fixture = begin();
		make_directory(&fixture, "kept");
		write_file(&fixture, "kept/copy", "the key\n");
		if (i < 4)
			set(&fixture, guarded[i][0], guarded[i][1]);
		make_sandbox(&fixture);
		place = ik_path_join(fixture.base, "kept");
		ik_sandbox_guard(fixture.sandbox, place, IK_CONFINE_NAMES);
		/* It is not a reason to confine anything. */
		succeeds(&fixture, try_all, i < 4 ? " beside inside" : " read write beside inside");
		hides(&fixture, i == 4 ? "" : i == 3 ? " secret/key kept/copy" : " kept/copy");
		free(place);
		end(&fixture);
	}
}

/* A readable place is guarded only in the modes that confine writing. */
Test(sandbox, lets_guarded_places_be_written_when_it_is_off)
{
	static const char write[] = "try write 'echo x >own/file'\n";
	struct fixture fixture;
	char *place;

	need_covers();
	fixture = begin();
	make_directory(&fixture, "project/own");
	set(&fixture, "sandbox.mode", "project");
	set(&fixture, "sandbox.hide", "[\"~/secret\"]");
	make_sandbox(&fixture);
	place = ik_path_join(fixture.base, "project/own");
	ik_sandbox_guard(fixture.sandbox, place, IK_CONFINE_READING);
	succeeds(&fixture, write, "");
	ik_sandbox_set_mode(fixture.sandbox, IK_SANDBOX_OFF);
	succeeds(&fixture, write, " write");
	ik_sandbox_set_mode(fixture.sandbox, IK_SANDBOX_PROJECT);
	succeeds(&fixture, write, "");
	free(place);
	end(&fixture);
}

/* Without mounts, a guard freezes the directories above it, and the model is told. */
Test(sandbox, tells_what_guards_take_from_the_directories_above)
{
	struct fixture fixture;
	struct ik_buf words;

	need_landlock();
	take_away(FSOPEN);
	fixture = begin();
	set(&fixture, "sandbox.mode", "project");
	make_sandbox(&fixture);
	ik_sandbox_guard(fixture.sandbox, fixture.project, IK_CONFINE_READING);
	ik_buf_init(&words, IK_MIB(1));
	ik_sandbox_put_words(fixture.sandbox, &words);
	cr_assert_not_null(strstr(words.data, "nothing can be made or removed directly in the directories "
		"above these places"), "%s", words.data);
	ik_buf_done(&words);
	end(&fixture);
}

Test(sandbox, knows_what_it_hides)
{
	struct fixture fixture;

	need_covers();
	fixture = begin();
	set(&fixture, "sandbox.hide", "[\"~/secret\"]");
	set(&fixture, "policy", "[{\"tool\": \"file_read\", \"args\": {\"file_path\": \".env\"}, "
		"\"do\": \"deny\"}, {\"tool\": \"file_write\", \"args\": {\"file_path\": \"f\"}, "
		"\"do\": \"deny\"}]");
	make_sandbox(&fixture);
	hides(&fixture, " secret/key project/.env");
	/* A tool that the user trusts can read it anyway. */
	fixture.sandbox = ik_sandbox_free(fixture.sandbox);
	set(&fixture, "sandbox.except", "[\"tries\"]");
	make_sandbox(&fixture);
	hides(&fixture, "");
	end(&fixture);
}

/* A rule about one file in the session's directory. */
static void covers_files(void)
{
	struct fixture fixture = begin();

	write_file(&fixture, "project/.env", "the key\n");
	make_directory(&fixture, "project/sub");
	write_file(&fixture, "project/sub/a.pem", "the key\n");
	write_file(&fixture, "project/kept", "kept\n");
	set(&fixture, "policy",
		"[{\"tool\":\"file_read\",\"args\":{\"file_path\":\".env\"},\"do\":\"deny\"},"
		"{\"tool\":\"file_read\",\"args\":{\"file_path\":\"**/*.pem\"},\"do\":\"deny\"},"
		"{\"tool\":\"file_write\",\"args\":{\"file_path\":\"kept\"},\"do\":\"deny\"}]");
	make_sandbox(&fixture);
	succeeds(&fixture,
		"try cat 'cat .env'\n"
		"try cp 'cp .env copy && cat copy'\n"
		"try tar 'tar cf a.tar .env && tar xOf a.tar .env | grep key'\n"
		"try link 'ln -s .env l && cat l'\n"
		"try hard 'ln .env h && cat h'\n"
		"try root 'cat /proc/self/root$BASE/project/.env'\n"
		"try parent 'cat /proc/$PPID/root$BASE/project/.env /proc/$PPID/cwd/.env'\n"
		"try pem 'cat sub/a.pem'\n"
		"try umount 'umount .env || umount -l .env || umount -l sub/a.pem'\n"
		"try unshare 'unshare -Urm sh -c \"umount -l .env; cat .env\"'\n"
		"try bind 'unshare -Urm sh -c \"mkdir m; mount --bind . m; cat m/.env\"'\n"
		"try enter 'nsenter -t $PPID -m cat .env; nsenter -t 1 -m cat $BASE/project/.env'\n"
		"try remount 'mount -o remount,dev,rw .env && cat .env'\n"
		"try mode 'chmod 777 .env && cat .env'\n"
		"try remove 'rm -f .env; [ ! -e .env ]'\n"
		"try rename 'mv .env other'\n"
		"try replace 'echo x >new && mv -f new .env'\n"
		"try protected 'echo x >kept || rm -f kept && [ ! -e kept ]'\n"
		"try read 'cat kept'\n"
		"try beside 'echo x >.env.new && mv .env.new .env2 && rm .env2 && mkdir d && mv d e'\n"
		"try away 'mv sub moved'\n", " read beside away");
	cr_assert(there(&fixture, "project/.env"));
	/* The place to which an earlier call moved it is covered as well. */
	succeeds(&fixture, "try moved 'cat moved/a.pem'\ntry env 'cat .env'\ntry home 'echo x >../x'\n",
		" home");
	end(&fixture);
}

Test(sandbox, covers_files_in_the_project)
{
	need_covers();
	covers_files();
}

/* Become a user who may not mount. */
static void be_ordinary(void)
{
	enum { NOBODY = 65534 };

	need_landlock();
	if (geteuid() == 0) {
		/* A process that has changed its user cannot be inspected until it allows that. */
		if (setresgid(NOBODY, NOBODY, NOBODY) != 0 || setresuid(NOBODY, NOBODY, NOBODY) != 0)
			cr_skip_test("root has no other user here");
		cr_assert_eq(prctl(PR_SET_DUMPABLE, 1, 0, 0, 0), 0);
	}
	if (ik_mount_mask_method() != IK_MOUNT_MASK_USER_NAMESPACE)
		cr_skip_test("user namespaces cannot be had here");
}

Test(sandbox, covers_files_for_an_ordinary_user)
{
	be_ordinary();
	covers_files();
}

/* A terminal outside can be neither written nor read; one of the tool's own works. */
static void keeps_off_terminals(const char *mode, const char *names)
{
	struct fixture fixture = begin();
	int terminal = posix_openpt(O_RDWR | O_NOCTTY | O_NONBLOCK), slave;
	struct termios modes;
	char name[64], byte;

	cr_assert(terminal >= 0 && grantpt(terminal) == 0 && unlockpt(terminal) == 0);
	cr_assert_eq(ptsname_r(terminal, name, sizeof(name)), 0);
	slave = open(name, O_RDWR | O_NOCTTY);
	cr_assert(slave >= 0);
	cr_assert_eq(setenv("TERMINAL", name, 1), 0);
	cr_assert_eq(tcgetattr(slave, &modes), 0);
	modes.c_lflag &= ~(tcflag_t)ECHO;
	cr_assert_eq(tcsetattr(slave, TCSANOW, &modes), 0);
	cr_assert_eq(write(terminal, "typed\n", 6), 6);
	set(&fixture, "sandbox.mode", mode);
	make_sandbox(&fixture);
	succeeds(&fixture,
		"try write 'echo x >$TERMINAL'\n"
		"try append 'echo x >>$TERMINAL'\n"
		"try link 'echo x >/proc/self/root$TERMINAL'\n"
		"try parent 'echo x >/proc/$PPID/root$TERMINAL || echo x >/proc/$PPID/fd/0'\n"
		"try read '[ \"$(timeout 1 head -c 1 <$TERMINAL)\" = t ]'\n"
		/* Only if it is confined, since it would work elsewhere. */
		"try mount '[ \"$IKIGAI_SANDBOX\" ] && umount -l /dev/pts && echo x >$TERMINAL'\n"
		"try own 'python3 -c \"import os, pty; master, own = pty.openpty(); "
		"os.write(os.open(os.ttyname(own), os.O_WRONLY), b\\\"x\\\"); "
		"assert os.read(master, 1) == b\\\"x\\\"\"'\n", names);
	cr_assert_eq(read(terminal, &byte, 1), ik_text_equal(mode, "off") ? 1 : -1, "%s", mode);
	close(slave);
	close(terminal);
	end(&fixture);
}

Test(sandbox, keeps_off_terminals_outside)
{
	need_covers();
	keeps_off_terminals("off", " write append link parent read own");
	keeps_off_terminals("project", " own");
	keeps_off_terminals("read-only", " own");
}

/* A virtual console is elsewhere; a terminal of another devpts takes its place here. */
Test(sandbox, keeps_off_the_terminal_it_runs_in_wherever_that_lies)
{
	static const char write[] = "try write 'echo x >../consoles/0'\n";
	struct fixture fixture;
	char *consoles, *multiplexer, *console;
	int master, slave, unlocked = 0;

	need_covers();
	if (unshare(CLONE_NEWNS) != 0 || mount(NULL, "/", NULL, MS_REC | MS_PRIVATE, NULL) != 0)
		cr_skip("no file system can be mounted here: %s", strerror(errno));
	fixture = begin();
	make_directory(&fixture, "consoles");
	consoles = ik_path_join(fixture.base, "consoles");
	cr_assert_eq(mount("none", consoles, "devpts", 0, "newinstance,ptmxmode=0666"), 0, "%s",
		strerror(errno));
	multiplexer = ik_path_join(consoles, "ptmx");
	console = ik_path_join(consoles, "0");
	master = open(multiplexer, O_RDWR | O_NOCTTY | O_CLOEXEC);
	cr_assert(master >= 0 && ioctl(master, TIOCSPTLCK, &unlocked) == 0);
	slave = open(console, O_RDWR | O_NOCTTY | O_CLOEXEC);
	cr_assert(slave >= 0, "%s", strerror(errno));
	/* Make it writable for the tool, so that nothing else prevents access. */
	set(&fixture, "sandbox.mode", "project");
	set(&fixture, "sandbox.write", "[\"~/consoles\"]");
	make_sandbox(&fixture);
	succeeds(&fixture, write, " write");
	cr_assert_eq(dup2(slave, STDIN_FILENO), STDIN_FILENO);
	succeeds(&fixture, write, "");
	close(STDIN_FILENO);
	close(slave);
	close(master);
	cr_assert_eq(umount2(consoles, MNT_DETACH), 0);
	free(consoles);
	free(multiplexer);
	free(console);
	end(&fixture);
}

Test(sandbox, keeps_off_terminals_for_an_ordinary_user)
{
	be_ordinary();
	keeps_off_terminals("read-only", " own");
}

/* Without mounts, a tool has no terminal at all. */
Test(sandbox, keeps_off_all_terminals_where_nothing_can_be_covered)
{
	need_landlock();
	take_away(FSOPEN);
	cr_assert_eq(ik_mount_mask_method(), IK_MOUNT_MASK_NONE);
	keeps_off_terminals("project", "");
	keeps_off_terminals("read-only", "");
}

/* Hiding a file does not restrict the directory around it. */
Test(sandbox, makes_files_beside_what_is_hidden)
{
	struct fixture fixture;

	need_covers();
	fixture = begin();
	set(&fixture, "sandbox.hide", "[\"~/secret\"]");
	make_sandbox(&fixture);
	succeeds(&fixture, "try key 'cat ../secret/key'\ntry beside 'echo x >../more && ls ..'\n", " beside");
	end(&fixture);
}

/* Landlock does not restrict a second name that existed before. */
Test(sandbox, cannot_hide_another_name)
{
	struct fixture fixture;
	char *key, *name;

	need_landlock();
	fixture = begin();
	key = ik_path_join(fixture.base, "secret/key");
	name = ik_path_join(fixture.base, "project/name");
	cr_assert_eq(link(key, name), 0);
	set(&fixture, "sandbox.hide", "[\"~/secret\"]");
	make_sandbox(&fixture);
	succeeds(&fixture, "try name 'cat name'\ntry key 'cat ../secret/key'\n", " name");
	free(key);
	free(name);
	end(&fixture);
}

/* What one call does to links does not move the walls of the next. */
Test(sandbox, holds_what_links_meant_at_first)
{
	struct fixture fixture;
	char *link;

	need_landlock();
	fixture = begin();
	make_directory(&fixture, "links");
	make_directory(&fixture, "other");
	write_file(&fixture, "other/file", "x");
	link = ik_path_join(fixture.base, "links/secret");
	cr_assert_eq(symlink("../secret", link), 0);
	free(link);
	set(&fixture, "sandbox.hide", "[\"~/links/secret\"]");
	make_sandbox(&fixture);
	succeeds(&fixture, "try read 'cat ../links/secret/key'\n"
		"try relink 'ln -sfn ../other ../links/secret'\n", " relink");
	succeeds(&fixture, "try read 'cat ../secret/key'\ntry other 'cat ../other/file'\n", "");
	end(&fixture);
}

Test(sandbox, follows_no_link_to_a_place_of_its_own)
{
	struct fixture fixture;

	need_landlock();
	fixture = begin();
	make_directory(&fixture, "wide");
	make_directory(&fixture, "wide/a");
	set(&fixture, "sandbox.mode", "project");
	set(&fixture, "sandbox.write", "[\"~/wide\", \"~/wide/a\"]");
	make_sandbox(&fixture);
	succeeds(&fixture, "try relink 'mv ../wide/a ../wide/b && ln -s ../secret ../wide/a'\n", " relink");
	succeeds(&fixture, "try through 'echo x >../wide/a/more'\ntry wide 'echo x >../wide/c'\n", " wide");
	cr_assert_not(there(&fixture, "secret/more"));
	end(&fixture);
}

Test(sandbox, has_tools_outside_of_it)
{
	struct fixture fixture;

	need_landlock();
	fixture = begin();
	set(&fixture, "sandbox.mode", "read-only");
	set(&fixture, "sandbox.except", "[\"tries\"]");
	make_sandbox(&fixture);
	succeeds(&fixture, "try out 'echo x >../out'\ntry variable '[ -z \"$IKIGAI_SANDBOX\" ]'\n",
		" out variable");
	end(&fixture);
}

/* ---- a kernel without it ---- */

static void take_landlock_away(void)
{
	take_away(SYS_landlock_create_ruleset);
	cr_assert_eq(ik_confine_abi(), 0);
}

Test(sandbox, runs_nothing_where_the_kernel_cannot_hold_it)
{
	static const char *const keys[][2] = {
		{ "sandbox.mode", "project" }, { "sandbox.mode", "read-only" },
		{ "sandbox.hide", "[\"~/secret\"]" }, { "sandbox.network", "false" },
	};
	struct fixture fixture;
	char *envelope;

	take_landlock_away();
	for (size_t i = 0; i < sizeof(keys) / sizeof(keys[0]); i++) {
		fixture = begin();
		set(&fixture, keys[i][0], keys[i][1]);
		make_sandbox(&fixture);
		cr_assert_eq(ik_sandbox_state(fixture.sandbox), IK_SANDBOX_BROKEN);
		envelope = run(&fixture, "echo x >../out");
		cr_assert_not_null(strstr(envelope, "\"error_code\":\"TOOL_DENIED\""), "%s", envelope);
		cr_assert_not_null(strstr(envelope, "this kernel has no Landlock"), "%s", envelope);
		cr_assert_not(there(&fixture, "out"));
		free(envelope);
		ik_sandbox_set_mode(fixture.sandbox, IK_SANDBOX_OFF);
		if (i < 2)
			succeeds(&fixture, "try out 'echo x >../out'\n", " out");
		end(&fixture);
	}
}

Test(sandbox, leaves_rules_to_the_policy_where_the_kernel_cannot_hold_them)
{
	struct fixture fixture;

	take_landlock_away();
	fixture = begin();
	set(&fixture, "policy",
		"[{\"tool\":\"file_read\",\"args\":{\"file_path\":\"~/secret/**\"},\"do\":\"deny\"}]");
	make_sandbox(&fixture);
	cr_assert_eq(ik_sandbox_state(fixture.sandbox), IK_SANDBOX_NOT_WANTED);
	succeeds(&fixture, "try read 'cat ../secret/key'\n", " read");
	end(&fixture);
}

/* ---- rules ---- */

Test(sandbox, holds_rules_that_deny_a_place)
{
	struct fixture fixture;

	need_landlock();
	fixture = begin();
	set(&fixture, "policy",
		"[{\"tool\":\"file_read\",\"args\":{\"file_path\":\"~/secret/**\"},\"do\":\"deny\"},"
		"{\"tool\":\"file_write\",\"args\":{\"file_path\":\"~/existing\"},\"do\":\"deny\"}]");
	make_sandbox(&fixture);
	succeeds(&fixture,
		"try read 'cat ../secret/key'\n"
		"try names 'ls .. /'\n"
		"try protected 'echo x >../existing'\n"
		"try replaced 'echo x >../new && mv ../new ../existing'\n"
		"try existing 'cat ../existing'\n"
		"try here 'echo x >here'\n", " names existing here");
	end(&fixture);
}

Test(sandbox, says_which_rules_it_does_not_hold)
{
	static const struct {
		const char *rule;
		int held;      /* enum ik_confine_left; -1: none */
		int gap;       /* enum ik_sandbox_reason; -1: none */
	} rows[] = {
		{ "{\"tool\":\"file_read\",\"args\":{\"file_path\":\"~/secret\"},\"do\":\"deny\"}", IK_CONFINE_NAMES, -1 },
		{ "{\"tool\":\"file_read\",\"args\":{\"file_path\":\"~/secret/*\"},\"do\":\"deny\"}", IK_CONFINE_NAMES, -1 },
		{ "{\"tool\":\"*\",\"args\":{\"path\":\"~/secret/**\"},\"do\":\"deny\"}", IK_CONFINE_NOTHING, -1 },
		{ "{\"tool\":\"file_edit\",\"args\":{\"file_path\":\"/etc/*\"},\"do\":\"deny\"}", IK_CONFINE_READING, -1 },
		{ "{\"tool\":\"file_read\",\"args\":{\"file_path\":\"~/\\\\*x\"},\"do\":\"deny\"}", IK_CONFINE_NAMES, -1 },
		{ "{\"tool\":\"file_read\",\"args\":{\"file_path\":\"~/.s*\"},\"do\":\"deny\"}", -1, IK_SANDBOX_PATTERN },
		{ "{\"tool\":\"file_read\",\"args\":{\"file_path\":\"**/.env\"},\"do\":\"deny\"}", -1, IK_SANDBOX_FOUND },
		{ "{\"tool\":\"file_read\",\"args\":{\"file_path\":\"~/*/key\"},\"do\":\"deny\"}", -1, IK_SANDBOX_PATTERN },
		{ "{\"tool\":\"file_read\",\"args\":{\"file_path\":\"~/[a]\"},\"do\":\"deny\"}", -1, IK_SANDBOX_PATTERN },
		{ "{\"tool\":\"file_read\",\"args\":{\"file_path\":\"/*\"},\"do\":\"deny\"}", -1, IK_SANDBOX_PATTERN },
		{ "{\"tool\":\"file_read\",\"args\":{\"file_path\":\".env\"},\"do\":\"deny\"}", IK_CONFINE_NAMES, -1 },
		{ "{\"tool\":\"file_read\",\"args\":{\"file_path\":\".env*\"},\"do\":\"deny\"}", -1, IK_SANDBOX_FOUND },
		{ "{\"tool\":\"file_read\",\"args\":{\"file_path\":\"~/*\"},\"do\":\"deny\"}", -1, IK_SANDBOX_INSIDE },
		{ "{\"tool\":\"file_read\",\"args\":{\"file_path\":\"~/secret\",\"limit\":\"1\"},\"do\":\"deny\"}", -1,
			IK_SANDBOX_CONDITION },
		{ "{\"tool\":\"file_*\",\"do\":\"allow\"},"
			"{\"tool\":\"file_read\",\"args\":{\"file_path\":\"~/secret\"},\"do\":\"deny\"}", -1, IK_SANDBOX_EARLIER },
		{ "{\"tool\":\"file_read\",\"args\":{\"file_path\":\"~/secret/k*\"},\"do\":\"ask\"},"
			"{\"tool\":\"file_read\",\"args\":{\"file_path\":\"~/secret/*\"},\"do\":\"deny\"}", -1, IK_SANDBOX_EARLIER },
		{ "{\"tool\":\"file_read\",\"args\":{\"file_path\":\"/usr/*\"},\"do\":\"allow\"},"
			"{\"tool\":\"file_read\",\"args\":{\"file_path\":\"~/secret/*\"},\"do\":\"deny\"}", IK_CONFINE_NAMES, -1 },
		{ "{\"tool\":\"file_read\",\"args\":{\"file_path\":\"~/secret/*\"},\"do\":\"ask\"}", -1, -1 },
		{ "{\"tool\":\"bash\",\"args\":{\"command\":\"rm *\"},\"do\":\"deny\"}", -1, -1 },
		{ "{\"tool\":\"other\",\"args\":{\"path\":\"~/secret\"},\"do\":\"deny\"}", -1, -1 },
		{ "{\"tool\":\"file_read\",\"do\":\"deny\"}", -1, -1 },
	};
	struct fixture fixture;

	need_covers();
	fixture = begin();
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		char *rules = ik_format("[%s]", rows[i].rule);
		const struct ik_sandbox_limit *limit;
		const struct ik_sandbox_gap *gap;

		set(&fixture, "policy", rules);
		make_sandbox(&fixture);
		limit = ik_sandbox_limit_at(fixture.sandbox, 0);
		gap = ik_sandbox_gap_at(fixture.sandbox, 0);
		/* A cover hides the names, too. */
		cr_assert_eq(limit ? (int)limit->left : -1, rows[i].held == IK_CONFINE_NAMES
			? IK_CONFINE_NOTHING : rows[i].held, "%s", rules);
		cr_assert_eq(gap ? (int)gap->reason : -1, rows[i].gap, "%s", rules);
		fixture.sandbox = ik_sandbox_free(fixture.sandbox);
		free(rules);
	}
	set(&fixture, "policy",
		"[{\"tool\":\"file_read\",\"args\":{\"file_path\":\"~/secret\"},\"do\":\"deny\"}]");
	set(&fixture, "sandbox.rules", "false");
	make_sandbox(&fixture);
	cr_assert_null(ik_sandbox_limit_at(fixture.sandbox, 0));
	end(&fixture);
}
