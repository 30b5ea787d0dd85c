/*
 * error: read what providers say when they refuse.
 *
 * Private to src/provider; ik_provider_error() in format.h is the public part. May include: util,
 * json, conversation.
 */
#ifndef IK_PROVIDER_WIRE_ERROR_H
#define IK_PROVIDER_WIRE_ERROR_H

#include "conversation/event.h"
#include "json/scan.h"

/*
 * Read an error body, or an error object inside a stream, in any known shape (OpenAI, Anthropic,
 * Google, Ollama, vLLM, FastAPI): append its message (possibly empty), set *ret_code and
 * *ret_retryable. status is that of the response, 0 inside a stream. Return false and set nothing
 * if value is not an error.
 */
bool ik_error_read(struct ik_json_span value, int status, struct ik_buf *out_message,
	enum ik_error_code *ret_code, bool *ret_retryable);

/* Append the first words of any text, on one line, at most limit bytes. */
void ik_error_first_words(const char *text, size_t length, size_t limit, struct ik_buf *out);

#endif
