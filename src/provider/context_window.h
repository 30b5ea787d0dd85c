/*
 * context_window: the context size of known models, by the beginning of their name.
 *
 * One table; the configuration takes precedence. Sources: the providers' model pages.
 *
 * Pure. May include: util.
 */
#ifndef IK_PROVIDER_CONTEXT_WINDOW_H
#define IK_PROVIDER_CONTEXT_WINDOW_H

#include <stdint.h>

/* Return the tokens of input and output together; 0: unknown model. */
int64_t ik_context_window(const char *model);

#endif
