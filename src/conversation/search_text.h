/*
 * search_text: what of an event can be found.
 *
 * Of everything that people, models and tools said: the texts themselves, of a tool's
 * arguments and of its envelope the values that are strings, not their names.  Nothing of
 * system prompts and of usage, nor what stands outside the event in large texts.  Of one
 * event IK_SEARCH_BYTES bytes and IK_SEARCH_WORDS words count, from its beginning.
 *
 * Pure.  May include: util, json, conversation.
 */
#ifndef IK_CONVERSATION_SEARCH_TEXT_H
#define IK_CONVERSATION_SEARCH_TEXT_H

#include "conversation/message.h"

#define IK_SEARCH_BYTES ((size_t)64 * 1024)
/* PostgreSQL knows no place in a text behind the 16,383rd word. */
#define IK_SEARCH_WORDS 16000

/* Append what of a message can be found: text for people, valid UTF-8 as far as the message's
 * own is. Nothing: it is never found. */
void ik_search_text(struct ik_buf *out, const struct ik_message *message);

/* How a backend wants words. */
enum ik_search_form {
	IK_SEARCH_BLANKS, /* with blanks between: SQLite's tokenizer "ascii" takes them apart again */
	IK_SEARCH_PLACES  /* 'word':number: a tsvector of PostgreSQL */
};

/* Append the words of a text (util/words.h). */
void ik_search_words(struct ik_buf *out, const char *text, size_t length, enum ik_search_form form);

#endif
