#include "net/http.h"

#include <assert.h>
#include <dlfcn.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#define CURL_DISABLE_TYPECHECK /* its macros call functions that are not linked */
#include <curl/curl.h>

#include "config.h"
#include "util/alloc.h"
#include "util/clock.h"
#include "util/log.h"
#include "util/text.h"

/* The functions used, without "curl_". Loaded late because linking libcurl adds 8.7 ms to every
 * start (1.2 to 9.9 ms from exec to exit of an empty program, 40 shared objects instead of 10), and
 * the first frame doesn't need it. */
/* clang-format off */
#define FUNCTIONS(X) \
	X(global_init) X(slist_append) X(slist_free_all) \
	X(easy_init) X(easy_setopt) X(easy_getinfo) X(easy_header) X(easy_strerror) \
	X(easy_cleanup) \
	X(multi_init) X(multi_setopt) X(multi_add_handle) X(multi_remove_handle) \
	X(multi_socket_action) X(multi_info_read) X(multi_assign) X(multi_cleanup)
/* clang-format on */

/* CURLE_TOO_LARGE of libcurl 8.6: a header above 100 KB, for which older ones say "Out of memory". */
#define TOO_LARGE 100

/* Limit on Retry-After in seconds; nobody waits longer. */
#define LONGEST_WAIT_S 1000000

struct http_library {
#define MEMBER(name) __typeof__(&curl_##name) name;
	FUNCTIONS(MEMBER)
#undef MEMBER
};

struct ik_http {
	struct ik_loop *loop;
	struct http_library curl;
	char *unavailable;      /* why libcurl can't be loaded; NULL: not tried yet, or loaded */
	CURLM *multi;           /* NULL before the first request */
	struct ik_timer *timer; /* the timer that libcurl asked for */
	int64_t connect_timeout_ms;
	char *proxy;
	char *ca_file;
	size_t request_count;
	bool closed;
};

/* A socket that libcurl wants watched. */
struct watched {
	struct ik_http *http;
	curl_socket_t fd;
	struct ik_watch *watch;
};

/*
 * A request. libcurl must not be called from inside its own callbacks: they only set the flags
 * below, and settle() acts on them between turns.
 */
struct ik_http_request {
	struct ik_http *http;
	struct ik_http_events events;
	void *arg;
	CURL *easy;
	struct curl_slist *headers;
	char *address; /* host and port, for sentences */
	struct ik_timer *idle;
	int64_t idle_timeout_ms;
	int64_t last_byte;
	curl_off_t sent; /* of the request's body */
	struct ik_http_result result;
	char message[600];
	char curl_text[CURL_ERROR_SIZE];
	bool head_told;
	bool added; /* libcurl has the handle */
	bool ended; /* the result is known */
	bool reported;
	bool closed;
	bool settling; /* settle() is deferred */
};

char *ik_address_of(const char *url)
{
	const char *start = strstr(url, "://");
	const char *at;
	size_t length;

	start = start ? start + 3 : url;
	length = strcspn(start, "/?#");
	at = memrchr(start, '@', length);
	if (at) {
		length -= (size_t)(at + 1 - start);
		start = at + 1;
	}
	if (length > 0 && start[length - 1] == ':')
		length--;
	return ik_strndup(start, length);
}

bool ik_address_is_loopback(const char *address)
{
	return ik_text_starts(address, "127.") || ik_text_starts(address, "[::1]") ||
		ik_text_equal(address, "localhost") || ik_text_starts(address, "localhost:");
}

/* Set libcurl's timer; -1 removes it. Called by libcurl. */
static int timer_wanted(CURLM *multi, long milliseconds, void *arg)
{
	struct ik_http *http = arg;

	if (!http->closed && milliseconds < 0)
		ik_timer_stop(http->timer);
	else if (!http->closed)
		ik_timer_start(http->timer, milliseconds);
	return 0;
}

static void act(struct ik_http *http, curl_socket_t fd);

/* Handle a socket of libcurl that is ready. */
static void socket_ready(void *arg, int what)
{
	struct watched *watched = arg;

	act(watched->http, watched->fd);
}

/* Handle the end of libcurl's timer. */
static void timer_fired(void *arg)
{
	act(arg, CURL_SOCKET_TIMEOUT);
}

/* Watch a socket, watch it differently, or stop watching it. Called by libcurl. */
static int socket_wanted(CURL *easy, curl_socket_t fd, int what, void *arg, void *socket_arg)
{
	struct ik_http *http = arg;
	struct watched *watched = socket_arg;
	struct ik_error error;

	if (what == CURL_POLL_REMOVE) {
		if (watched) {
			watched->watch = ik_watch_close(watched->watch);
			ik_loop_defer(http->loop, free, watched);
			http->curl.multi_assign(http->multi, fd, NULL);
		}
		return 0;
	}
	if (!watched) {
		watched = ik_alloc(sizeof(*watched));
		watched->http = http;
		watched->fd = fd;
		watched->watch = ik_watch_new(http->loop, fd, socket_ready, watched);
		http->curl.multi_assign(http->multi, fd, watched);
	}
	if (ik_watch_set(watched->watch,
			((what & CURL_POLL_IN) != 0 ? IK_READABLE : 0) |
				((what & CURL_POLL_OUT) != 0 ? IK_WRITABLE : 0),
			&error) != IK_OK)
		ik_log(IK_LOG_ERROR, "http: %s", error.text);
	return 0;
}

/* Load libcurl from the file called name, and return it; NULL: dlerror(3) says why. */
static void *load_library(const char *name, struct http_library *curl)
{
#ifdef IK_STATIC /* it is in this program */
#define FUNCTION(name) curl->name = curl_##name;
	FUNCTIONS(FUNCTION)
#undef FUNCTION
	return curl;
#else
	void *handle = dlopen(name, RTLD_LAZY | RTLD_LOCAL);
	bool whole = handle;

#define FUNCTION(name) whole = whole && (curl->name = dlsym(handle, "curl_" #name));
	FUNCTIONS(FUNCTION)
#undef FUNCTION
	if (handle && !whole)
		(void)dlclose(handle);
	return whole ? handle : NULL;
#endif
}

/* Load libcurl once. On failure http->unavailable says why. */
static bool load(struct ik_http *http)
{
	static const char *const names[] = { "libcurl.so.4", "libcurl-gnutls.so.4" };
	void *handle = NULL;

	if (http->multi)
		return true;
	if (http->unavailable)
		return false;
	for (size_t i = 0; !handle && i < sizeof(names) / sizeof(names[0]); i++)
		handle = load_library(names[i], &http->curl);
	/* Never unload it: TLS libraries leave handlers behind. */
	if (!handle) {
		http->unavailable = ik_format(_("libcurl cannot be loaded: %s"), dlerror());
		return false;
	}
	if (http->curl.global_init(CURL_GLOBAL_DEFAULT) == CURLE_OK)
		http->multi = http->curl.multi_init();
	if (!http->multi) {
		http->unavailable = ik_strdup(_("libcurl cannot be initialised"));
		return false;
	}
	http->timer = ik_timer_new(http->loop, timer_fired, http);
	http->curl.multi_setopt(http->multi, CURLMOPT_SOCKETFUNCTION, socket_wanted);
	http->curl.multi_setopt(http->multi, CURLMOPT_SOCKETDATA, http);
	http->curl.multi_setopt(http->multi, CURLMOPT_TIMERFUNCTION, timer_wanted);
	http->curl.multi_setopt(http->multi, CURLMOPT_TIMERDATA, http);
	return true;
}

struct ik_http *ik_http_new(struct ik_loop *loop, const struct ik_http_options *options)
{
	struct ik_http *http = ik_alloc(sizeof(*http));

	http->loop = loop;
	http->connect_timeout_ms = options->connect_timeout_ms;
	if (options->proxy)
		http->proxy = ik_strdup(options->proxy);
	if (options->ca_file)
		http->ca_file = ik_strdup(options->ca_file);
	return http;
}

/* Deferred: runs after the release of requests that were closed earlier. */
static void release_client(void *arg)
{
	struct ik_http *http = arg;

	assert(http->request_count == 0);
	if (http->multi)
		http->curl.multi_cleanup(http->multi);
	free(http->unavailable);
	free(http->proxy);
	free(http->ca_file);
	free(http);
}

struct ik_http *ik_http_free(struct ik_http *http)
{
	if (http) {
		http->closed = true;
		http->timer = ik_timer_close(http->timer);
		ik_loop_defer(http->loop, release_client, http);
	}
	return NULL;
}

/* Release a request that libcurl no longer has. */
static void release_request(struct ik_http_request *request)
{
	struct http_library *curl = &request->http->curl;

	request->http->request_count--;
	if (request->easy)
		curl->easy_cleanup(request->easy);
	if (request->headers)
		curl->slist_free_all(request->headers);
	free(request->address);
	free(request);
}

/* Act on the flags: give the request to libcurl or remove it, report the result, release it.
 * Deferred. */
static void settle(void *arg)
{
	struct ik_http_request *request = arg;
	struct ik_http *http = request->http;

	request->settling = false;
	if (!request->added && !request->ended && !request->closed) {
		request->added = true;
		request->last_byte = ik_clock_ms();
		if (request->idle_timeout_ms > 0)
			ik_timer_start(request->idle, request->idle_timeout_ms);
		http->curl.multi_add_handle(http->multi, request->easy);
	}
	if (request->added && (request->ended || request->closed)) {
		request->added = false;
		http->curl.multi_remove_handle(http->multi, request->easy);
	}
	if (request->closed) {
		release_request(request);
	} else if (request->ended && !request->reported) {
		request->reported = true;
		request->events.done(request->arg, &request->result);
	}
}

/* Run settle() for the request between turns. */
static void schedule(struct ik_http_request *request)
{
	if (!request->settling) {
		request->settling = true;
		ik_loop_defer(request->http->loop, settle, request);
	}
}

const char *ik_http_header(const struct ik_http_request *request, const char *name)
{
	const struct http_library *curl = &request->http->curl;
	struct curl_header *header;

	return request->easy &&
			curl->easy_header(request->easy, name, 0, CURLH_HEADER, -1, &header) == CURLHE_OK
		? header->value
		: NULL;
}

/* Return the delay that Retry-After requests, in milliseconds, or -1 if there is none. It is a
 * number of seconds or a date, which libcurl parses. */
static int64_t retry_after_ms(const struct ik_http_request *request)
{
	const char *precise = ik_http_header(request, "retry-after-ms");
	const char *value = precise ? precise : ik_http_header(request, "Retry-After");
	curl_off_t left = 0;
	double seconds;
	char *end;

	if (!value)
		return -1;
	seconds = strtod(value, &end);
	if (precise) {
		seconds /= 1000;
	} else if (end == value || *end != '\0') {
		request->http->curl.easy_getinfo(request->easy, CURLINFO_RETRY_AFTER, &left);
		seconds = (double)left;
	}
	if (!(seconds > 0))
		return -1;
	return (int64_t)((seconds < LONGEST_WAIT_S ? seconds : LONGEST_WAIT_S) * 1000);
}

/* Record the result, with a sentence (without its full stop) unless it is a success. */
static void IK_PRINTF(3, 4)
	end(struct ik_http_request *request, enum ik_http_failure failure, const char *format, ...)
{
	long status = 0;
	va_list arguments;

	if (request->ended || request->closed)
		return;
	request->ended = true;
	ik_timer_stop(request->idle);
	va_start(arguments, format);
	(void)vsnprintf(request->message, sizeof(request->message), format, arguments);
	va_end(arguments);
	request->result.failure = failure;
	request->result.message = request->message;
	request->result.retry_after_ms = -1;
	if (request->easy) {
		request->http->curl.easy_getinfo(request->easy, CURLINFO_RESPONSE_CODE, &status);
		request->result.status = (int)status;
		request->result.retry_after_ms = retry_after_ms(request);
		request->result.should_retry = ik_http_header(request, "x-should-retry");
	}
	schedule(request);
}

/*
 * Reasons for a failed TLS connection. libcurl distinguishes them only in its message (case
 * ignored), with OpenSSL or GnuTLS underneath. A row without a sentence uses that of the next row.
 */
static const struct {
	const char *words, *sentence;
	bool transient; /* cut before the server identified itself, so retrying may help */
} tls_troubles[] = {
	{ "expired",
		N_("the certificate of %s has expired. Check the clock of this "
		   "machine; if it is right, whoever runs the server must renew the certificate"),
		false },
	{ "not yet valid", NULL, false },
	{ "not yet activated",
		N_("the certificate of %s is not valid yet. Check the clock of this "
		   "machine"),
		false },
	{ "subject name", NULL, false },
	{ "hostname mismatch", NULL, false },
	{ "IP address mismatch",
		N_("the certificate that came for %s is for another name. Check the "
		   "base_url; something on the way may answer in its place"),
		false },
	{ "issuer", NULL, false },
	{ "self-signed", NULL, false },
	{ "self signed",
		N_("the certificate of %s is signed by an authority that is not "
		   "trusted here. If you trust it, name the file of its certificate in "
		   "http.ca_file"),
		false },
	{ "wrong version number", NULL, false },
	{ "unexpected TLS packet",
		N_("%s does not speak TLS. Does the base_url begin with https:// in "
		   "place of http://?"),
		false },
	{ "SSL_ERROR_SYSCALL", NULL, true },
	{ "unexpected eof", NULL, true },
	{ "reset by peer", NULL, true },
	{ "not properly terminated",
		N_("the connection to %s was cut before it was secure. Check the "
		   "network; a proxy or firewall may refuse it"),
		true },
};

static void end_without_tls(struct ik_http_request *request, const char *detail)
{
	const char *ca_file = request->http->ca_file, *sentence, *place;
	size_t i = 0, count = sizeof(tls_troubles) / sizeof(tls_troubles[0]);

	if (ca_file && strcasestr(detail, "setting certificate")) {
		end(request, IK_HTTP_TLS, _("the certificates in %s cannot be read. Check http.ca_file"),
			ca_file);
		return;
	}
	while (i < count && !strcasestr(detail, tls_troubles[i].words))
		i++;
	if (i == count) {
		end(request, IK_HTTP_TLS,
			_("no secure connection to %s: %s. Check the clock of this machine, "
			  "http.ca_file and the base_url"),
			request->address, detail);
		return;
	}
	request->result.transient = tls_troubles[i].transient;
	while (!tls_troubles[i].sentence)
		i++;
	sentence = _(tls_troubles[i].sentence);
	place = strstr(sentence, "%s");
	end(request, IK_HTTP_TLS, "%.*s%s%s", (int)(place - sentence), sentence, request->address,
		place + 2);
}

/* Return the name (and its length) of the proxy that libcurl tried ("Failed to connect to HOST port
 * ..."); NULL if the host is the one in address, or is not named. */
static const char *find_proxy(const char *address, const char *detail, int *ret_length)
{
	static const char lead[] = "Failed to connect to ";
	const char *name = detail + sizeof(lead) - 1, *end;
	size_t length;

	if (!ik_text_starts(detail, lead) || !(end = strstr(name, " port ")))
		return NULL;
	length = (size_t)(end - name);
	address += address[0] == '[';
	if (strncasecmp(address, name, length) == 0 && strchr(":]", address[length]))
		return NULL;
	*ret_length = (int)length;
	return name;
}

static void end_unconnected(struct ik_http_request *request, const char *detail)
{
	const char *reason = detail, *proxy;
	long number = 0;
	int length;

	request->http->curl.easy_getinfo(request->easy, CURLINFO_OS_ERRNO, &number);
	switch (number) {
	case 0:
		break;
	case ECONNREFUSED:
		reason = _("connection refused");
		break;
	case EHOSTUNREACH:
		reason = _("no route to the host");
		break;
	case ENETUNREACH:
		reason = _("no network");
		break;
	case ETIMEDOUT:
		reason = _("no answer");
		break;
	default:
		reason = strerror((int)number);
	}
	proxy = find_proxy(request->address, detail, &length);
	if (proxy)
		end(request, IK_HTTP_CONNECT,
			_("cannot connect to the proxy %.*s (http.proxy, HTTPS_PROXY or "
			  "HTTP_PROXY) on the way to %s: %s"),
			length, proxy, request->address, reason);
	else
		end(request, IK_HTTP_CONNECT, _("cannot connect to %s: %s"), request->address, reason);
}

/* Report a broken connection that is none of the other cases. A proxy may have refused it. */
static void end_broken(struct ik_http_request *request, const char *detail)
{
	long status = 0;

	request->http->curl.easy_getinfo(request->easy, CURLINFO_HTTP_CONNECTCODE, &status);
	if (status == 407)
		end(request, IK_HTTP_CONNECT,
			_("the proxy on the way to %s wants a name and a password in its "
			  "address (http://NAME:PASSWORD@HOST:PORT)"),
			request->address);
	else if (status >= 300)
		end(request, IK_HTTP_CONNECT,
			_("the proxy (http.proxy, HTTPS_PROXY or HTTP_PROXY) refused the way "
			  "to %s with status %ld"),
			request->address, status);
	else
		end(request, IK_HTTP_BROKEN, _("the connection to %s broke: %s"), request->address, detail);
}

/* Classify libcurl's result and put it into words. */
static void conclude(struct ik_http_request *request, CURLcode code)
{
	const char *address = request->address, *detail = request->curl_text;

	if (detail[0] == '\0')
		detail = request->http->curl.easy_strerror(code);
	switch (code) {
	case CURLE_OK:
		end(request, IK_HTTP_OK, "%s", "");
		break;
	case CURLE_COULDNT_RESOLVE_HOST:
		end(request, IK_HTTP_CONNECT, _("cannot find the host %s"), address);
		break;
	case CURLE_COULDNT_RESOLVE_PROXY:
		end(request, IK_HTTP_CONNECT, _("cannot find the proxy on the way to %s: %s"), address,
			detail);
		break;
	case CURLE_COULDNT_CONNECT:
		end_unconnected(request, detail);
		break;
	case CURLE_OPERATION_TIMEDOUT: /* only the connect timeout: libcurl is given no other */
		end(request, IK_HTTP_TIMEOUT, _("no connection to %s within %g s"), address,
			(double)request->http->connect_timeout_ms / 1000);
		break;
	case CURLE_PEER_FAILED_VERIFICATION:
	case CURLE_SSL_CONNECT_ERROR:
	case CURLE_SSL_CERTPROBLEM:
	case CURLE_SSL_CIPHER:
	case CURLE_SSL_CACERT_BADFILE:
	case CURLE_SSL_ISSUER_ERROR:
	case CURLE_SSL_ENGINE_INITFAILED:
		end_without_tls(request, detail);
		break;
	case CURLE_UNSUPPORTED_PROTOCOL: /* libcurl took the answer for HTTP/0.9 */
	case CURLE_WEIRD_SERVER_REPLY:
		end(request, IK_HTTP_CONNECT, _("what %s answers is no HTTP"), address);
		break;
	case CURLE_GOT_NOTHING:
		end(request, IK_HTTP_BROKEN, _("%s closed the connection without an answer"), address);
		break;
	default:
		if (!request->head_told && (code == CURLE_OUT_OF_MEMORY || (int)code == TOO_LARGE))
			end(request, IK_HTTP_CONNECT, _("what %s answers begins with too large a header"),
				address);
		else
			end_broken(request, detail);
	}
}

/* Let libcurl act on an event (it tests itself what the socket is ready for), then collect finished
 * transfers. No other function does that. */
static void act(struct ik_http *http, curl_socket_t fd)
{
	CURLMsg *message;
	int running, left;

	http->curl.multi_socket_action(http->multi, fd, 0, &running);
	while ((message = http->curl.multi_info_read(http->multi, &left))) {
		void *request = NULL;

		if (message->msg != CURLMSG_DONE)
			continue;
		http->curl.easy_getinfo(message->easy_handle, CURLINFO_PRIVATE, &request);
		conclude(request, message->data.result);
	}
}

/* Report the head of the final answer, which is complete. */
static void tell_head(struct ik_http_request *request)
{
	struct http_library *curl = &request->http->curl;
	char *content_type = NULL;
	long status = 0;

	curl->easy_getinfo(request->easy, CURLINFO_RESPONSE_CODE, &status);
	if (request->head_told || status < 200)
		return; /* reported already; or 100 Continue and the like */
	request->head_told = true;
	curl->easy_getinfo(request->easy, CURLINFO_CONTENT_TYPE, &content_type);
	if (request->events.headers)
		request->events.headers(request->arg, (int)status, content_type);
}

/* Receive a line of the head, with its line end. Called by libcurl. */
static size_t header_came(char *bytes, size_t size, size_t length, void *arg)
{
	struct ik_http_request *request = arg;

	if (request->ended || request->closed)
		return 0;
	request->last_byte = ik_clock_ms();
	if (length <= 2 && (bytes[0] == '\r' || bytes[0] == '\n'))
		tell_head(request);
	return length;
}

/* Receive a piece of the body. Called by libcurl; returning anything but length ends the
 * transfer. */
static size_t body_came(char *bytes, size_t size, size_t length, void *arg)
{
	struct ik_http_request *request = arg;

	if (request->ended || request->closed)
		return 0;
	request->last_byte = ik_clock_ms();
	if (length > 0)
		request->events.body(request->arg, bytes, length);
	return length;
}

/* Note what has been sent: a long request takes its time on a slow line. Called by libcurl. */
static int progressed(void *arg, curl_off_t to_come, curl_off_t came, curl_off_t to_send,
	curl_off_t sent)
{
	struct ik_http_request *request = arg;

	if (sent != request->sent)
		request->last_byte = ik_clock_ms();
	request->sent = sent;
	return 0;
}

/* End the request if no byte has moved for long enough. */
static void idle_fired(void *arg)
{
	struct ik_http_request *request = arg;
	int64_t left = request->last_byte + request->idle_timeout_ms - ik_clock_ms();

	if (left > 0) {
		ik_timer_start(request->idle, left);
		return;
	}
	end(request, IK_HTTP_TIMEOUT, _("%s has sent nothing for %g s"), request->address,
		(double)request->idle_timeout_ms / 1000);
}

/* Make libcurl's handle. Return false if memory has run out. */
static bool make_transfer(struct ik_http_request *request, const struct ik_http_spec *spec)
{
	struct ik_http *http = request->http;
	struct http_library *curl = &http->curl;
	CURL *easy = curl->easy_init();
	/* Don't wait for "100 Continue", which many servers do not support. */
	struct curl_slist *headers = curl->slist_append(NULL, "Expect:");

	request->easy = easy;
	request->headers = headers;
	if (!easy || !headers)
		return false;
	for (size_t i = 0; spec->headers && spec->headers[i]; i++)
		if (!curl->slist_append(headers, spec->headers[i]))
			return false;
	if (curl->easy_setopt(easy, CURLOPT_URL, spec->url) == CURLE_OUT_OF_MEMORY)
		return false;
	if (spec->body) {
		curl->easy_setopt(easy, CURLOPT_POST, 1L);
		curl->easy_setopt(easy, CURLOPT_POSTFIELDSIZE_LARGE, (curl_off_t)spec->body_length);
		curl->easy_setopt(easy, CURLOPT_POSTFIELDS, spec->body);
	}
	if (spec->method)
		curl->easy_setopt(easy, CURLOPT_CUSTOMREQUEST, spec->method);
	curl->easy_setopt(easy, CURLOPT_HTTPHEADER, headers);
	curl->easy_setopt(easy, CURLOPT_USERAGENT, "ikigai/" PACKAGE_VERSION);
	curl->easy_setopt(easy, CURLOPT_ACCEPT_ENCODING, "");
	curl->easy_setopt(easy, CURLOPT_HTTP_VERSION, (long)CURL_HTTP_VERSION_2TLS);
	curl->easy_setopt(easy, CURLOPT_PROTOCOLS_STR, "http,https");
	curl->easy_setopt(easy, CURLOPT_FOLLOWLOCATION, 0L);
	curl->easy_setopt(easy, CURLOPT_SUPPRESS_CONNECT_HEADERS, 1L);
	curl->easy_setopt(easy, CURLOPT_NOSIGNAL, 1L);
	curl->easy_setopt(easy, CURLOPT_TCP_KEEPALIVE, 1L);
	curl->easy_setopt(easy, CURLOPT_CONNECTTIMEOUT_MS, (long)http->connect_timeout_ms);
	/* Without this, removing a handle waits for the resolver's thread: 9 s in a test with a dead
	 * name server. */
	curl->easy_setopt(easy, CURLOPT_QUICK_EXIT, 1L);
	if (ik_address_is_loopback(request->address))
		curl->easy_setopt(easy, CURLOPT_PROXY, "");
	else if (http->proxy)
		curl->easy_setopt(easy, CURLOPT_PROXY, http->proxy);
	else if (strncasecmp(spec->url, "http:", 5) == 0 && !getenv("http_proxy") &&
		getenv("HTTP_PROXY")) /* libcurl itself reads the others, in upper and lower case */
		curl->easy_setopt(easy, CURLOPT_PROXY, getenv("HTTP_PROXY"));
	if (http->ca_file)
		curl->easy_setopt(easy, CURLOPT_CAINFO, http->ca_file);
	curl->easy_setopt(easy, CURLOPT_ERRORBUFFER, request->curl_text);
	curl->easy_setopt(easy, CURLOPT_PRIVATE, request);
	curl->easy_setopt(easy, CURLOPT_HEADERFUNCTION, header_came);
	curl->easy_setopt(easy, CURLOPT_HEADERDATA, request);
	curl->easy_setopt(easy, CURLOPT_WRITEFUNCTION, body_came);
	curl->easy_setopt(easy, CURLOPT_WRITEDATA, request);
	curl->easy_setopt(easy, CURLOPT_NOPROGRESS, 0L);
	curl->easy_setopt(easy, CURLOPT_XFERINFOFUNCTION, progressed);
	curl->easy_setopt(easy, CURLOPT_XFERINFODATA, request);
	return true;
}

struct ik_http_request *ik_http_start(struct ik_http *http, const struct ik_http_spec *spec,
	const struct ik_http_events *events, void *arg)
{
	struct ik_http_request *request = ik_alloc(sizeof(*request));

	http->request_count++;
	request->http = http;
	request->events = *events;
	request->arg = arg;
	request->address = ik_address_of(spec->url);
	request->idle = ik_timer_new(http->loop, idle_fired, request);
	request->idle_timeout_ms = spec->idle_timeout_ms;
	if (strncasecmp(spec->url, "http://", 7) != 0 && strncasecmp(spec->url, "https://", 8) != 0)
		end(request, IK_HTTP_CONNECT, _("not an http or https address: %s"), request->address);
	else if (!load(http))
		end(request, IK_HTTP_UNAVAILABLE, "%s", http->unavailable);
	else if (!make_transfer(request, spec))
		end(request, IK_HTTP_UNAVAILABLE, "%s", _("out of memory"));
	else
		schedule(request);
	return request;
}

struct ik_http_request *ik_http_close(struct ik_http_request *request)
{
	if (request && !request->closed) {
		request->closed = true;
		request->idle = ik_timer_close(request->idle);
		schedule(request);
	}
	return NULL;
}
