/*
 * A request to a name that is never resolved: closed at once, although libcurl's
 * thread still waits for the name server.  The name server is this test's own,
 * and silent, in namespaces of their own.
 */
#include "fixture.h"

#include <fcntl.h>
#include <net/if.h>
#include <netinet/in.h>
#include <sched.h>
#include <stdio.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mount.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <criterion/criterion.h>

#include "net/http.h"

/* So long the resolver would wait, longer than this test may take. */
#define RESOLVER_CONFIGURATION "nameserver 127.0.0.53\noptions timeout:30 attempts:5\n"

static bool write_to(const char *path, const char *text)
{
	int fd = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
	bool good = fd >= 0 && write(fd, text, strlen(text)) == (ssize_t)strlen(text);

	if (fd >= 0)
		close(fd);
	return good;
}

/* Leave the network; a socket where the resolver will ask, or -1 where that may not be done. */
static int enter_silence(void)
{
	struct sockaddr_in server = { .sin_family = AF_INET, .sin_port = htons(53),
		.sin_addr = { .s_addr = htonl(0x7f000035) } };
	struct ifreq loopback = { .ifr_name = "lo", .ifr_flags = IFF_UP | IFF_RUNNING };
	char path[] = "/tmp/ik-resolver-XXXXXX", map[64];
	int fd = mkstemp(path), port = -1;

	snprintf(map, sizeof(map), "0 %d 1", (int)getuid());
	if (fd < 0 || unshare(CLONE_NEWUSER | CLONE_NEWNS | CLONE_NEWNET) != 0 ||
	    !write_to("/proc/self/uid_map", map) || !write_to(path, RESOLVER_CONFIGURATION) ||
	    mount(path, "/etc/resolv.conf", NULL, MS_BIND, NULL) != 0)
		goto done;
	port = socket(AF_INET, SOCK_DGRAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
	if (port >= 0 && (ioctl(port, SIOCSIFFLAGS, &loopback) != 0 ||
	    bind(port, (struct sockaddr *)&server, sizeof(server)) != 0)) {
		close(port);
		port = -1;
	}
done:
	if (fd >= 0)
		close(fd);
	unlink(path);
	return port;
}

static void on_done(void *arg, const struct ik_http_result *result)
{
	_exit(2);
}

static void on_question(void *arg, int what)
{
	*(bool *)arg = true;
}

/* In a process of its own: only one without threads may leave its namespaces. */
static _Noreturn void close_in_silence(void)
{
	static const struct ik_http_events events = { .done = on_done };
	const struct ik_http_options options = { .connect_timeout_ms = 300000 };
	const struct ik_http_spec spec = { .url = "http://provider.test/" };
	int port = enter_silence();
	bool asked = false;
	struct ik_error error;

	if (port < 0)
		_exit(77);
	struct ik_loop *loop = fixture_loop();
	struct ik_http *http = ik_http_new(loop, &options);
	struct ik_watch *watch = ik_watch_new(loop, port, on_question, &asked);
	if (ik_watch_set(watch, IK_READABLE, &error) != IK_OK)
		_exit(3);
	struct ik_http_request *request = ik_http_start(http, &spec, &events, NULL);
	fixture_run_until(loop, &asked);
	ik_watch_close(watch);
	ik_http_close(request);
	/* Without CURLOPT_QUICK_EXIT this waits for the resolver. */
	ik_http_free(http);
	ik_loop_free(loop);
	_exit(0);
}

Test(http_dns, a_request_to_a_dead_name_server_is_closed_at_once, .timeout = 60)
{
	pid_t pid = fork();
	int status = 0;

	if (pid == 0)
		close_in_silence();
	cr_assert_eq(waitpid(pid, &status, 0), pid);
	if (WIFEXITED(status) && WEXITSTATUS(status) == 77)
		cr_skip_test("namespaces may not be made here");
	cr_assert_eq(status, 0, "%x", (unsigned)status);
}
