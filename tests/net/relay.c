/*
 * relay: TLS or a proxy between the program and the loopback server.
 *
 *   relay tls KIND PORT AUTHORITY   TLS, forwarded to 127.0.0.1:PORT; KIND as in
 *                                   certificate.h, or "cut": close when the handshake
 *                                   begins; writes the file AUTHORITY
 *   relay pem KIND FILE AUTHORITY   only write a key and its certificate to FILE
 *   relay proxy PORT [STATUS]       an HTTP proxy, CONNECT or not, to which every host
 *                                   is 127.0.0.1:PORT; with STATUS it refuses all requests
 *
 * Listens on 127.0.0.1 and prints its port as one line on stdout, then a line for each
 * connection: "secured", "unsecured" (the handshake failed, and nothing followed), or the
 * first line of a request to the proxy.  Ends with its parent.
 */
#include "certificate.h"

#include <arpa/inet.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

static struct sockaddr_in loopback(int port)
{
	return (struct sockaddr_in){ .sin_family = AF_INET,
		.sin_port = htons((uint16_t)port),
		.sin_addr = { .s_addr = htonl(INADDR_LOOPBACK) } };
}

static int connect_to(int port)
{
	struct sockaddr_in address = loopback(port);
	int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);

	if (fd < 0 || connect(fd, (struct sockaddr *)&address, sizeof address) != 0)
		_exit(1);
	return fd;
}

/* One side of a relayed connection. */
struct side {
	int fd;
	SSL *ssl; /* NULL: plain */
};

/* Copy what one side has ready to the other; false: it has ended. */
static bool carry(const struct side *from, const struct side *to)
{
	char bytes[16384];

	do {
		ssize_t count = from->ssl ? SSL_read(from->ssl, bytes, sizeof bytes)
								  : read(from->fd, bytes, sizeof bytes);
		if (count <= 0)
			return false;
		for (ssize_t at = 0, done; at < count; at += done) {
			size_t left = (size_t)(count - at);
			done = to->ssl ? SSL_write(to->ssl, bytes + at, (int)left)
						   : send(to->fd, bytes + at, left, MSG_NOSIGNAL);
			if (done <= 0)
				return false;
		}
	} while (from->ssl && SSL_pending(from->ssl));
	return true;
}

/* Copy bytes both ways until one side ends. */
static void relay(const struct side *one, const struct side *other)
{
	struct pollfd set[] = { { .fd = one->fd, .events = POLLIN },
		{ .fd = other->fd, .events = POLLIN } };

	while (poll(set, 2, -1) > 0) {
		if (set[0].revents && !carry(one, other))
			return;
		if (set[1].revents && !carry(other, one))
			return;
	}
}

static void serve_tls(int fd, SSL_CTX *context, int port)
{
	struct side client = { fd, context ? SSL_new(context) : NULL }, server = { -1, NULL };
	char byte;

	if (!client.ssl) {
		(void)recv(fd, &byte, 1, 0);
		puts("unsecured");
		return;
	}
	SSL_set_fd(client.ssl, fd);
	if (SSL_accept(client.ssl) != 1) {
		puts("unsecured");
		return;
	}
	puts("secured");
	fflush(stdout);
	server.fd = connect_to(port);
	relay(&client, &server);
	SSL_shutdown(client.ssl);
}

static void serve_proxy(int fd, int port, const char *refusal)
{
	static const char established[] = "HTTP/1.1 200 Established\r\n\r\n";
	struct side client = { fd, NULL }, server = { -1, NULL };
	char head[8192];
	size_t length = 0;

	while (length < sizeof head - 1 &&
		(length < 4 || memcmp(head + length - 4, "\r\n\r\n", 4) != 0)) {
		if (read(fd, head + length, 1) != 1)
			return;
		length++;
	}
	head[length] = '\0';
	printf("%.*s\n", (int)strcspn(head, "\r"), head);
	fflush(stdout);
	if (refusal) {
		dprintf(fd, "HTTP/1.1 %s No\r\nContent-Length: 0\r\n\r\n", refusal);
		return;
	}
	server.fd = connect_to(port);
	if (strncmp(head, "CONNECT ", 8) == 0)
		send(fd, established, sizeof established - 1, MSG_NOSIGNAL);
	else
		send(server.fd, head, length, MSG_NOSIGNAL);
	relay(&client, &server);
}

/* Serve each connection in a new process. */
static _Noreturn void run(int listener, SSL_CTX *context, bool is_tls, int port,
	const char *refusal)
{
	for (;;) {
		int fd = accept4(listener, NULL, NULL, SOCK_CLOEXEC);
		if (fd >= 0 && fork() == 0) {
			prctl(PR_SET_PDEATHSIG, SIGTERM);
			if (is_tls)
				serve_tls(fd, context, port);
			else
				serve_proxy(fd, port, refusal);
			fflush(stdout);
			_exit(0);
		}
		close(fd);
	}
}

/* Write a key and a certificate for another server. */
static int write_pem(const char *kind, const char *path, const char *authority_file)
{
	SSL_CTX *context = certificate_context(kind, authority_file);
	bool good = context && certificate_write(context, path);

	SSL_CTX_free(context);
	return good ? 0 : 1;
}

int main(int argc, char **argv)
{
	bool is_tls = argc == 5 && strcmp(argv[1], "tls") == 0;
	bool is_cut = is_tls && strcmp(argv[2], "cut") == 0;
	struct sockaddr_in address = loopback(0);
	socklen_t length = sizeof address;
	int listener = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
	SSL_CTX *context = NULL;

	if (argc == 5 && strcmp(argv[1], "pem") == 0)
		return write_pem(argv[2], argv[3], argv[4]);
	prctl(PR_SET_PDEATHSIG, SIGTERM);
	signal(SIGCHLD, SIG_IGN); /* the kernel reaps children */
	signal(SIGPIPE, SIG_IGN);
	if (!is_tls && (argc < 3 || argc > 4 || strcmp(argv[1], "proxy") != 0)) {
		fprintf(stderr,
			"usage: relay tls KIND PORT AUTHORITY | relay pem KIND FILE AUTHORITY | "
			"relay proxy PORT [STATUS]\n");
		return 2;
	}
	if (is_tls && !is_cut && !(context = certificate_context(argv[2], argv[4])))
		return 1;
	if (listener < 0 || bind(listener, (struct sockaddr *)&address, sizeof address) != 0 ||
		listen(listener, 64) != 0 ||
		getsockname(listener, (struct sockaddr *)&address, &length) != 0) {
		perror("relay: listen");
		return 1;
	}
	printf("%d\n", ntohs(address.sin_port));
	fflush(stdout);
	run(listener, context, is_tls, (int)strtol(argv[is_tls ? 3 : 2], NULL, 10),
		is_tls || argc < 4 ? NULL : argv[3]);
}
