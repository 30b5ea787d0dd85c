/*
 * openai_chat: OpenAI's Chat Completions format, which most other servers
 * speak too (llama.cpp, Ollama, vLLM, OpenRouter).
 *
 * Source: the interface's reference, "Create chat completion" and "The chat
 * completion chunk object"; where servers in the world do otherwise, the
 * decoder takes what they send.
 *
 * Private to src/provider; used through the table of provider.h.
 * May include: util, json, conversation, provider.
 */
#ifndef IK_PROVIDER_OPENAI_CHAT_H
#define IK_PROVIDER_OPENAI_CHAT_H

#include "provider/provider.h"

char *ik_openai_chat_url(const struct ik_endpoint *endpoint, const char *model);
char **ik_openai_chat_headers(const struct ik_endpoint *endpoint);
enum ik_status ik_openai_chat_serialize(const struct ik_request *request, struct ik_buf *out,
	struct ik_error *error) IK_MUST_USE;

struct ik_stream_decoder *ik_openai_chat_decoder_new(void);

#endif
