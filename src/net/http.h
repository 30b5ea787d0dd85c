/*
 * http: HTTP requests, with libcurl's multi interface on the loop.
 *
 * libcurl is loaded with the first request; only http.c uses it. Every request gets exactly one
 * done, never from inside start, and none after ik_http_close().
 *
 * May include: util, loop.
 */
#ifndef IK_NET_HTTP_H
#define IK_NET_HTTP_H

#include "loop/loop.h"

#include <stdbool.h>
#include <stddef.h>

/* Return host and port as written in the URL, without user name, password and the colon of an empty
 * port; new memory. */
char *ik_address_of(const char *url);

/* Is the host this machine? */
bool ik_address_is_loopback(const char *address);

struct ik_http; /* the client: one per program */
struct ik_http_request;

struct ik_http_options {
	int64_t connect_timeout_ms;
	const char *proxy;   /* NULL: use HTTPS_PROXY and HTTP_PROXY (upper or lower case). NO_PROXY
	                        exempts hosts from both, and this machine is never reached through a
	                        proxy */
	const char *ca_file; /* NULL: the system's certificates */
};

struct ik_http_spec {
	const char *url;
	const char *const *headers; /* "Name: value", or "Name;" without a value; NULL-terminated */
	const char *body;           /* body of a POST, borrowed until done; NULL: a GET */
	const char *method;         /* another method; NULL: none */
	size_t body_length;
	int64_t idle_timeout_ms; /* end the request if no byte moves for this long; 0: never */
};

enum ik_http_failure {
	IK_HTTP_OK,         /* a complete response, whatever its status */
	IK_HTTP_CONNECT,    /* name, route, refused, proxy */
	IK_HTTP_TLS,        /* certificate or handshake */
	IK_HTTP_TIMEOUT,    /* connect or idle timeout */
	IK_HTTP_BROKEN,     /* the connection ended early */
	IK_HTTP_UNAVAILABLE /* libcurl cannot be loaded */
};

struct ik_http_result {
	enum ik_http_failure failure;
	int status;               /* 0: none was received */
	const char *message;      /* "" for IK_HTTP_OK, otherwise a sentence */
	int64_t retry_after_ms;   /* from retry-after-ms or Retry-After; -1: absent */
	const char *should_retry; /* the header x-should-retry, "true" or "false"; NULL: absent */
	bool transient;           /* IK_HTTP_TLS: the connection was cut, so retrying may help */
};

struct ik_http_events {
	/* Called when the status line and headers are complete; content_type may be NULL. */
	void (*headers)(void *arg, int status, const char *content_type);
	void (*body)(void *arg, const char *bytes, size_t length);
	void (*done)(void *arg, const struct ik_http_result *result);
};

/* Make a client. Loads nothing yet. Strings of options are copied. */
struct ik_http *ik_http_new(struct ik_loop *loop, const struct ik_http_options *options);
/* Release the client. All requests must be closed or done. */
struct ik_http *ik_http_free(struct ik_http *http);

/* Start a request. Never fails itself: done reports errors. */
struct ik_http_request *ik_http_start(struct ik_http *http, const struct ik_http_spec *spec,
	const struct ik_http_events *events, void *arg);

/* Return the value of a header of the response, valid until the request is closed, or NULL. */
const char *ik_http_header(const struct ik_http_request *request, const char *name);

/* Cancel or release a request; no callback follows. Every request must be closed, also after done
 * (from inside done is fine). Returns NULL. */
struct ik_http_request *ik_http_close(struct ik_http_request *request);

#endif
