/* The list of agents, and what concerns all of them; chat_agents.c creates and shows them. */
#include "chat/chat.h"

#include "util/text.h"

#define ENDING_MS 20 /* interval of the checks whether an agent is idle */

struct ik_agent *ik_agent_find(const struct ik_chat *chat, int number)
{
	struct ik_agent *agent = chat->agents;

	while (agent && agent->number != number)
		agent = agent->next;
	return agent;
}

struct ik_agent *ik_agent_with(const struct ik_chat *chat, const char *id)
{
	struct ik_agent *agent = chat->agents;

	while (agent && !ik_text_equal(id, ik_session_id(agent->session)))
		agent = agent->next;
	return agent;
}

size_t ik_agent_count(const struct ik_chat *chat)
{
	const struct ik_agent *agent;
	size_t count = 0;

	for (agent = chat->agents; agent; agent = agent->next)
		count++;
	return count;
}

bool ik_agent_begin_session(struct ik_agent *agent)
{
	struct ik_session *session = ik_core_begin_session(&agent->chat->core, agent->session);

	if (session)
		agent->session = session;
	return session;
}

bool ik_agent_works(const struct ik_agent *agent)
{
	return agent->session && ik_session_busy(agent->session);
}

enum ik_agent_state ik_agent_state(const struct ik_agent *agent)
{
	if (agent->questions)
		return IK_AGENT_ASKING;
	if (ik_agent_works(agent))
		return IK_AGENT_WORKING;
	if (agent->failed)
		return IK_AGENT_FAILED;
	return agent->unread ? IK_AGENT_UNREAD : IK_AGENT_IDLE;
}

static void look_whether_idle(void *arg)
{
	struct ik_agent *agent = arg;
	void (*when_idle)(struct ik_agent *) = agent->when_idle;

	if (when_idle && ik_agent_works(agent)) {
		ik_timer_start(agent->idle_timer, ENDING_MS);
	} else if (when_idle) {
		agent->when_idle = NULL;
		when_idle(agent);
	}
}

void ik_agent_when_idle(struct ik_agent *agent, void (*when_idle)(struct ik_agent *agent))
{
	if (!agent->idle_timer)
		agent->idle_timer = ik_timer_new(agent->chat->loop, look_whether_idle, agent);
	agent->when_idle = when_idle;
	ik_timer_start(agent->idle_timer, 0);
}

void ik_agents_pause(const struct ik_chat *chat, bool pause)
{
	for (const struct ik_agent *agent = chat->agents; agent; agent = agent->next) {
		if (agent->session && pause)
			ik_stored_pause(ik_session_stored(agent->session));
		else if (agent->session)
			ik_stored_resume(ik_session_stored(agent->session));
	}
}
