#include "net/http_explain.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>

#include "util/text.h"

enum trouble { UNKNOWN, EXPIRED, EARLY, OTHER_NAME, AUTHORITY, NO_TLS, CUT };

/* What libcurl says (case ignored), with OpenSSL or GnuTLS underneath. */
static const struct {
	const char *words;
	enum trouble trouble;
} signs[] = {
	{ "expired", EXPIRED },
	{ "not yet valid", EARLY },
	{ "not yet activated", EARLY },
	{ "subject name", OTHER_NAME },
	{ "hostname mismatch", OTHER_NAME },
	{ "IP address mismatch", OTHER_NAME },
	{ "issuer", AUTHORITY },
	{ "self-signed", AUTHORITY },
	{ "self signed", AUTHORITY },
	{ "wrong version number", NO_TLS },
	{ "unexpected TLS packet", NO_TLS },
	{ "SSL_ERROR_SYSCALL", CUT },
	{ "unexpected eof", CUT },
	{ "reset by peer", CUT },
	{ "not properly terminated", CUT },
};

bool ik_http_explain_tls(const char *address, const char *ca_file, const char *detail, char *out,
	size_t size)
{
	enum trouble trouble = UNKNOWN;

	if (ca_file && strcasestr(detail, "setting certificate")) {
		snprintf(out, size, _("the certificates in %s cannot be read. Check http.ca_file"),
			ca_file);
		return false;
	}
	for (size_t i = 0; trouble == UNKNOWN && i < sizeof(signs) / sizeof(signs[0]); i++) {
		if (strcasestr(detail, signs[i].words))
			trouble = signs[i].trouble;
	}
	switch (trouble) {
	case EXPIRED:
		snprintf(out, size,
			_("the certificate of %s has expired. Check the clock of this "
			  "machine; if it is right, whoever runs the server must renew the certificate"),
			address);
		break;
	case EARLY:
		snprintf(out, size,
			_("the certificate of %s is not valid yet. Check the clock of this "
			  "machine"),
			address);
		break;
	case OTHER_NAME:
		snprintf(out, size,
			_("the certificate that came for %s is for another name. Check the "
			  "base_url; something on the way may answer in its place"),
			address);
		break;
	case AUTHORITY:
		snprintf(out, size,
			_("the certificate of %s is signed by an authority that is not "
			  "trusted here. If you trust it, name the file of its certificate in "
			  "http.ca_file"),
			address);
		break;
	case NO_TLS:
		snprintf(out, size,
			_("%s does not speak TLS. Does the base_url begin with https:// in "
			  "place of http://?"),
			address);
		break;
	case CUT:
		snprintf(out, size,
			_("the connection to %s was cut before it was secure. Check the "
			  "network; a proxy or firewall may refuse it"),
			address);
		break;
	case UNKNOWN:
		snprintf(out, size,
			_("no secure connection to %s: %s. Check the clock of this machine, "
			  "http.ca_file and the base_url"),
			address, detail);
		break;
	}
	return trouble == CUT;
}

/* Find the host that libcurl tried ("Failed to connect to HOST port ...") if it is not the one in
 * address: the proxy. Return false if it is the same or is not named. */
static bool find_proxy(const char *address, const char *detail, const char **ret_name,
	size_t *ret_length)
{
	static const char lead[] = "Failed to connect to ";
	const char *name, *end;
	size_t length;

	if (!ik_text_starts(detail, lead))
		return false;
	name = detail + sizeof(lead) - 1;
	end = strstr(name, " port ");
	if (!end)
		return false;
	length = (size_t)(end - name);
	if (address[0] == '[')
		address++;
	if (strncasecmp(address, name, length) == 0 && strchr(":]", address[length]))
		return false;
	*ret_name = name;
	*ret_length = length;
	return true;
}

void ik_http_explain_connect(const char *address, long number, const char *detail, char *out,
	size_t size)
{
	const char *reason, *proxy;
	size_t length;

	switch (number) {
	case 0:
		reason = detail;
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
	if (find_proxy(address, detail, &proxy, &length))
		snprintf(out, size,
			_("cannot connect to the proxy %.*s (http.proxy, HTTPS_PROXY or "
			  "HTTP_PROXY) on the way to %s: %s"),
			(int)length, proxy, address, reason);
	else
		snprintf(out, size, _("cannot connect to %s: %s"), address, reason);
}

void ik_http_explain_proxy(const char *address, long status, char *out, size_t size)
{
	if (status == 407)
		snprintf(out, size,
			_("the proxy on the way to %s wants a name and a password in its "
			  "address (http://NAME:PASSWORD@HOST:PORT)"),
			address);
	else
		snprintf(out, size,
			_("the proxy (http.proxy, HTTPS_PROXY or HTTP_PROXY) refused the way "
			  "to %s with status %ld"),
			address, status);
}
