/*
 * request_seal: opaque data that is bound to what it was made for.
 *
 * The loopback server seals the thinking that it sends: with its account (the first part of the
 * path), and, for those of Anthropic's models that do so, with the system prompt, the tools and
 * the messages before it, as they were. Like the services it refuses thinking with another seal.
 * Source: Anthropic, Thinking, "Preserved thinking"; OpenAI: invalid_encrypted_content.
 *
 * May include: util, json.
 */
#ifndef IK_TESTS_REQUEST_SEAL_H
#define IK_TESTS_REQUEST_SEAL_H

#include <stddef.h>

/* How each seal begins, and what stands for one in a scenario. */
#define SEAL "sealed-"
#define UNSEALED SEAL "0000000000000000"
#define SEAL_SIZE sizeof(UNSEALED)

/* Write the seal of the reply to a request to that path. */
void request_seal(const char *path, const char *body, size_t length, char ret_seal[SEAL_SIZE]);

/* Return what the service says to opaque data in a request that belongs to another account or
 * conversation; NULL if there is none. */
const char *request_broken_seal(const char *path, const char *body, size_t length);

#endif
