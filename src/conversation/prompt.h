/*
 * prompt: the default system prompt, for a session without a configured one.
 *
 * The model reads it, so it is not translated. May include: nothing.
 */
#ifndef IK_CONVERSATION_PROMPT_H
#define IK_CONVERSATION_PROMPT_H

const char *ik_built_in_prompt(void);

#endif
