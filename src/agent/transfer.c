#include "agent/transfer.h"

#include "util/text.h"

void ik_transfer_failed(struct ik_buf *out, const char *provider,
	const struct ik_http_result *result, bool heard, enum ik_error_code *ret_code,
	bool *ret_retryable)
{
	const char *name = provider ? provider : "?";

	*ret_code = IK_CODE_CONNECT;
	*ret_retryable = false;
	switch (result->failure) {
	case IK_HTTP_TLS:
		*ret_code = IK_CODE_TLS;
		*ret_retryable = result->transient;
		ik_buf_printf(out, _("Provider %s: %s."), name, result->message);
		break;
	case IK_HTTP_TIMEOUT:
		*ret_code = IK_CODE_TIMEOUT;
		ik_buf_printf(out,
			_("Provider %s: %s. Try again, or raise http.idle_timeout_s or "
			  "http.connect_timeout_s."),
			name, result->message);
		break;
	case IK_HTTP_BROKEN:
		*ret_retryable = true;
		ik_buf_printf(out,
			heard ? _("Provider %s: %s. What had arrived is kept; send a message to go on.")
				  : _("Provider %s: %s. Check the network, or try again."),
			name, result->message);
		break;
	case IK_HTTP_UNAVAILABLE:
		ik_buf_printf(out, _("Provider %s: %s. Install libcurl 4."), name, result->message);
		break;
	default:
		ik_buf_printf(out,
			_("Provider %s: %s. Check the network, that the server runs, and "
			  "the base_url of %s."),
			name, result->message, name);
		break;
	}
}
