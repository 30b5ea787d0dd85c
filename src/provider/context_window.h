/*
 * context_window: how many tokens a known model takes, by the beginning of its name.
 *
 * One table; the configuration stands before it.  Sources: the providers' pages
 * of models.
 *
 * Pure.  May include: util.
 */
#ifndef IK_PROVIDER_CONTEXT_WINDOW_H
#define IK_PROVIDER_CONTEXT_WINDOW_H

#include <stdint.h>

/* Tokens of question and answer together; 0: a model that is not known. */
int64_t ik_context_window(const char *model);

#endif
