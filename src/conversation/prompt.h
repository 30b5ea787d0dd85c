/*
 * prompt: the system prompt of a session for which none is configured.
 *
 * For the model, so not translated. May include: nothing.
 */
#ifndef IK_CONVERSATION_PROMPT_H
#define IK_CONVERSATION_PROMPT_H

const char *ik_built_in_prompt(void);

#endif
