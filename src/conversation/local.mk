# src/conversation: one library.
noinst_LIBRARIES += libik_conversation.a
libik_conversation_a_SOURCES = src/conversation/conversation.h src/conversation/event.h src/conversation/message.h 
