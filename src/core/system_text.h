/*
 * system_text: what is sent with every request besides the conversation (/system).
 *
 * May include: util, agent, provider, tool.
 */
#ifndef IK_CORE_SYSTEM_TEXT_H
#define IK_CORE_SYSTEM_TEXT_H

#include "agent/session/session.h"
#include "tool/registry.h"
#include "util/buf.h"

/* Append the system prompt as it is sent to the model of spec, and the number and size of the tools
 * that are sent along. */
void ik_system_text(const struct ik_session *session, const struct ik_model_spec *spec,
	struct ik_buf *out);

#endif
