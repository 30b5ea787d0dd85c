/*
 * search_text: the searchable text of an event.
 *
 * Everything that users, models and tools said is searchable: the texts, and the string values, but
 * not the member names, in a tool's arguments and envelope. System prompts, usage and separately
 * stored large texts are not. Only the first IK_SEARCH_BYTES bytes and IK_SEARCH_WORDS words of an
 * event count.
 *
 * Pure. May include: util, json, conversation.
 */
#ifndef IK_CONVERSATION_SEARCH_TEXT_H
#define IK_CONVERSATION_SEARCH_TEXT_H

#include "conversation/message.h"

#define IK_SEARCH_BYTES ((size_t)64 * 1024)
/* PostgreSQL's word positions end at 16,383. */
#define IK_SEARCH_WORDS 16000

/* Append the searchable text of a message, valid UTF-8 if the message's own is. Append nothing if
 * the message is not searchable. */
void ik_search_text(struct ik_buf *out, const struct ik_message *message);

/* The form in which a backend needs the words. */
enum ik_search_form {
	IK_SEARCH_BLANKS, /* separated by blanks, for SQLite's tokenizer "ascii" */
	IK_SEARCH_PLACES  /* 'word':number, for PostgreSQL's tsvector */
};

/* Append the words of a text (util/words.h), at most IK_SEARCH_WORDS. */
void ik_search_words(struct ik_buf *out, const char *text, size_t length, enum ik_search_form form);

#endif
