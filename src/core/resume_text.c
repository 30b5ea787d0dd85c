#include "core/resume_text.h"

#include <stdlib.h>

#include "conversation/conversation.h"
#include "util/limits.h"
#include "util/redact.h"
#include "util/shell_word.h"
#include "util/text.h"

bool ik_resume_is_possible(const struct ik_session *session, bool all_stored)
{
	const struct ik_conversation *conversation = ik_session_conversation(session);
	size_t i;

	for (i = 0; i < ik_conversation_count(conversation); i++) {
		const struct ik_message *message = ik_conversation_at(conversation, i);

		if (message->kind != IK_KIND_NOTICE && (all_stored || message->sequence > 0))
			return true;
	}
	return false;
}

/* Append an option with its value, if it was given. */
static void put_option(struct ik_buf *out, const char *name, const char *value)
{
	if (!value)
		return;
	ik_buf_printf(out, " %s ", name);
	ik_shell_word_put(out, value);
}

/* The same for an address, unless it has a password. */
static void put_address(struct ik_buf *out, const char *name, const char *value)
{
	char *shown = ik_redact(value);

	if (value && ik_text_equal(shown, value))
		put_option(out, name, value);
	free(shown);
}

/* Append an option without a value. */
static void put_flag(struct ik_buf *out, const char *name, bool given)
{
	if (given)
		ik_buf_printf(out, " %s", name);
}

char *ik_resume_command(const struct ik_options *options, const char *id)
{
	struct ik_buf out;

	ik_buf_init(&out, IK_LIMIT_USER_TEXT);
	ik_shell_word_put(&out, options->program);
	put_option(&out, "-C", options->directory);
	put_option(&out, "--config", options->config_file);
	put_address(&out, "--database", options->database);
	put_option(&out, "-p", options->provider);
	put_option(&out, "-m", options->model);
	put_address(&out, "--base-url", options->base_url);
	put_option(&out, "-s", options->system_prompt);
	put_option(&out, "--sandbox", options->sandbox);
	put_option(&out, "--max-tool-turns", options->max_tool_turns);
	put_flag(&out, "--no-tools", options->no_tools);
	put_flag(&out, "--screen-reader", options->screen_reader);
	put_flag(&out, "--trust-project", options->trust_project);
	ik_buf_printf(&out, " --resume=%s", id);
	return ik_buf_take(&out, NULL);
}
