# src/conversation: one library.
noinst_LIBRARIES += libik_conversation.a
libik_conversation_a_SOURCES = \
	src/conversation/attachment.c src/conversation/attachment.h \
	src/conversation/conversation.c src/conversation/conversation.h \
	src/conversation/event.c src/conversation/event.h \
	src/conversation/fork_link.c src/conversation/fork_link.h \
	src/conversation/message.c src/conversation/message.h \
	src/conversation/pairing.c src/conversation/pairing.h \
	src/conversation/prompt.c src/conversation/prompt.h \
	src/conversation/search_query.c src/conversation/search_query.h \
	src/conversation/search_text.c src/conversation/search_text.h \
	src/conversation/title.c src/conversation/title.h \
	src/conversation/usage.c src/conversation/usage.h
