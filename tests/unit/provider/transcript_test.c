#include "provider/wire/transcript.h"

#include <stdlib.h>
#include <string.h>

#include <criterion/criterion.h>

#include "asking.h"
#include "util/limits.h"

TestSuite(transcript, .init = asking_begin, .fini = asking_end);

/* Assert which messages are sent, those of a passage between + and the passages between |. */
static void assert_sent(const char *wanted)
{
	const struct ik_passage *passage;
	struct ik_transcript transcript;
	struct ik_buf sent;

	ik_buf_init(&sent, IK_KIB(4));
	ik_transcript_init(&transcript, conversation);
	while ((passage = ik_transcript_next(&transcript))) {
		for (size_t i = 0; i < passage->count; i++) {
			ik_buf_puts(&sent, i ? "+" : sent.length ? "|" : "");
			ik_buf_puts(&sent, passage->messages[i]->content);
		}
	}
	ik_transcript_done(&transcript);
	cr_expect_str_eq(sent.data, wanted);
	ik_buf_done(&sent);
	asking_end();
	asking_begin();
}

Test(transcript, leaves_out_what_was_refused)
{
	tell("uhi|tHello.|ubad|khm|tI ca|!no|-|uagain");
	assert_sent("hi|Hello.|again");
	tell("ubad|!no|uworse|tI|!no|ugood|tYes.|uagain");
	assert_sent("good|Yes.|again");
	tell("ubad|!no|tLeft.|uagain");
	assert_sent("Left.|again");
	/* What a tool did stays, and so does why. */
	tell("ubad|khm|cA:{}|rA:{}|khm|tI ca|!no|uagain");
	assert_sent("bad|hm+one|again");
	/* The notice of a failure is none of a refusal. */
	tell("ubad|tI ca|-|uagain");
	assert_sent("bad|I ca|again");
}

Test(transcript, leaves_out_all_parts_of_a_refused_reply)
{
	say(IK_KIND_USER, "bad");
	say(IK_KIND_ASSISTANT, "This is");
	give(ik_message_automatic("Go on."));
	tell("t how|!no|uagain");
	assert_sent("again");
}

/* A turn that goes on after a summary is sent with what was asked, unless that was refused. */
Test(transcript, leaves_out_what_was_asked_before_a_summary)
{
	static const char refusal[] = "{\"refused\":true}";

	say(IK_KIND_USER, "bad");
	give(ik_message_summary(ik_message_notice("told", NULL), NULL, "short", 5));
	say(IK_KIND_ASSISTANT, "I ca");
	give(ik_message_new(IK_KIND_NOTICE, "no", 2, refusal, strlen(refusal)));
	say(IK_KIND_USER, "again");
	assert_sent("This is a summary of what was said and done before:\n\nshort|again");
}

/* What stands before it is bound to thinking, and cached: it stays, byte for byte. */
Test(transcript, of_a_refusal_is_that_without_it)
{
	static const char *const types[] = { "openai-chat", "openai-responses", "google", "anthropic" };

	for (size_t i = 0; i < sizeof types / sizeof *types; i++) {
		struct ik_endpoint endpoint = { .provider = "far", .base_url = "http://x" };
		struct ik_request request = { .model = "claude-opus-5-5", .endpoint = &endpoint };
		char *wanted, *body;

		request.conversation = conversation;
		tell("uhi|K|R|tHello.|uagain");
		wanted = body_of(types[i], &request);
		asking_end();
		asking_begin();
		request.conversation = conversation;
		tell("uhi|K|R|tHello.|ubad|K|R|tI ca|!no|uagain");
		body = body_of(types[i], &request);
		cr_expect_str_eq(body, wanted);
		free(wanted);
		free(body);
		asking_end();
		asking_begin();
	}
}
