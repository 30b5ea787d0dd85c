#include <string.h>

#include <criterion/criterion.h>

#include "store_fixture.h"

TestSuite(store_journal, .init = fixture_set_up, .fini = fixture_tear_down, .timeout = 60);

Test(store_journal, has_a_reply_that_grew_very_often)
{
	char id[IK_UUID_TEXT], text[5001];

	fixture_session(id, "/x", 1);
	memset(text, 'y', sizeof(text));
	for (size_t length = 1; length < sizeof(text); length++) {
		static char reply[IK_UUID_TEXT];
		struct ik_message *message;

		if (!reply[0])
			ik_uuid_new(reply);
		message = ik_message_stored(IK_KIND_ASSISTANT, reply, 0, 1, text, length, NULL, 0);
		ik_store_keep_reply(fixture.store, id, message);
		ik_message_unref(message);
	}
	fixture_append(id, IK_KIND_USER, "2");
	fixture_expect_page(id, 0, 10, "1 2");
	/* It is given up when very much follows. */
	for (int i = 0; i < 5000; i++)
		fixture_append(id, IK_KIND_USER, "3");
	fixture_expect_page(id, 0, 2, "3 3");
}
