#include "chat/chat.h"

#include <stdlib.h>
#include <string.h>

#include "conversation/fork_link.h"
#include "conversation/title.h"
#include "util/alloc.h"
#include "util/limits.h"
#include "util/text.h"

#define MOST 20         /* limit of children examined, newest first */
#define TOLD 9          /* limit of children listed */
#define END_MESSAGES 40 /* read from a session to find its last reply */

enum chat_children_state { STATE_GONE, STATE_FINISHED, STATE_UNFINISHED };

struct chat_children_child {
	char session[IK_UUID_TEXT];
	char *task;
	enum chat_children_state state;
};

struct ik_chat_children {
	struct ik_agent *agent;
	bool gathered;
	struct chat_children_child children[MOST];
	size_t count, next; /* next: the one whose end is read */
	struct ik_store_read *read;
};

struct ik_chat_children *ik_chat_children_free(struct ik_chat_children *children)
{
	size_t i;

	if (!children)
		return NULL;
	ik_store_read_close(children->read);
	for (i = 0; i < children->count; i++)
		free(children->children[i].task);
	free(children);
	return NULL;
}

/* Is it in the list already, or open in an agent? */
static bool is_known(const struct ik_chat_children *children, const char *session)
{
	size_t i = 0;

	while (i < children->count && !ik_text_equal(children->children[i].session, session))
		i++;
	return i < children->count || ik_agent_with(children->agent->chat, session);
}

/* Collect the children that the conversation names, newest first. */
static void gather(struct ik_chat_children *children)
{
	const struct ik_conversation *conversation = ik_session_conversation(children->agent->session);
	size_t i = ik_conversation_count(conversation);
	char id[IK_UUID_TEXT];

	while (i > 0 && children->count < MOST) {
		const struct ik_message *message = ik_conversation_at(conversation, --i);
		const char *prompt;

		if (ik_fork_link_session(message, IK_FORK_PARENT, id))
			break; /* events before this are the parent's, and so are their children */
		if (!ik_fork_link_session(message, IK_FORK_CHILD, id) || is_known(children, id))
			continue;
		prompt = message->content + strcspn(message->content, " \t\n");
		memcpy(children->children[children->count].session, id, sizeof(id));
		children->children[children->count++].task = ik_session_title(prompt, strlen(prompt));
	}
}

/* Append the children in a state, until the limit is reached. */
static void put_children(const struct ik_chat_children *children, enum chat_children_state state,
	size_t *room, struct ik_buf *out)
{
	size_t i;

	for (i = 0; i<children->count && * room> 0; i++) {
		const struct chat_children_child *child = &children->children[i];

		if (child->state != state)
			continue;
		ik_buf_putc(out, '\n');
		ik_buf_printf(out,
			state == STATE_UNFINISHED ? _("not finished: %s\n  /resume %s goes on with it")
									  : _("finished: %s\n  /resume %s shows it"),
			child->task, child->session);
		--*room;
	}
}

/* Report the children after all their ends were read. */
static void tell(struct ik_chat_children *children)
{
	struct ik_agent *agent = children->agent;
	size_t i, there = 0, room = TOLD;
	struct ik_buf out;

	for (i = 0; i < children->count; i++)
		there += children->children[i].state != STATE_GONE;
	ik_buf_init(&out, IK_KIB(64));
	ik_buf_printf(&out,
		ngettext("%zu agent was begun in this session:", "%zu agents were begun in this session:",
			there),
		there);
	put_children(children, STATE_UNFINISHED, &room, &out);
	put_children(children, STATE_FINISHED, &room, &out);
	if (there > TOLD)
		ik_buf_printf(&out,
			ngettext("\nand %zu more, which /sessions lists",
				"\nand %zu more, which /sessions lists", there - TOLD),
			there - TOLD);
	if (there > 0)
		ik_agent_say(agent, IK_EVENT_NOTICE, "%s", out.data);
	ik_buf_done(&out);
	agent->children = ik_chat_children_free(children);
}

static void read_next(struct ik_chat_children *children);

static void take_end(void *arg, const struct ik_store_answer *answer)
{
	struct ik_chat_children *children = arg;
	struct chat_children_child *child = &children->children[children->next++];

	children->read = NULL;
	if (answer->status == IK_OK && answer->count > 0)
		child->state = ik_fork_finished(answer->messages, answer->count) ? STATE_FINISHED
																		 : STATE_UNFINISHED;
	read_next(children);
}

/* Read the end of the next child, or report them all. */
static void read_next(struct ik_chat_children *children)
{
	if (children->next == children->count)
		tell(children);
	else
		children->read = ik_store_page(children->agent->chat->core.store,
			children->children[children->next].session, 0, END_MESSAGES, take_end, children);
}

/* Start, if the whole session was read. */
static void try(struct ik_chat_children *children)
{
	const struct ik_conversation *conversation = ik_session_conversation(children->agent->session);

	if (children->gathered || ik_conversation_count(conversation) == 0 ||
		ik_conversation_at(conversation, 0)->sequence > 1)
		return;
	children->gathered = true;
	gather(children);
	read_next(children);
}

void ik_chat_children_look(struct ik_agent *agent)
{
	agent->children = ik_chat_children_free(agent->children);
	agent->children = ik_alloc(sizeof(*agent->children));
	agent->children->agent = agent;
	try(agent->children);
}

void ik_chat_children_event(struct ik_agent *agent, const struct ik_event *event)
{
	if (agent->children && event->kind == IK_EVENT_OLDER)
		try(agent->children);
}
