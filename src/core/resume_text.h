/*
 * resume_text: how to resume a session from the shell.
 *
 * May include: util, conversation, agent, core/options.h.
 */
#ifndef IK_CORE_RESUME_TEXT_H
#define IK_CORE_RESUME_TEXT_H

#include "agent/session/session.h"
#include "core/options.h"

/* Does the session have anything besides the program's own notices? Allocates nothing. */
bool ik_resume_is_possible(const struct ik_session *session);

/* Return the command that resumes the session with the same program and options, quoted for a shell
 * in the same directory, but without an address that has a password. The caller frees it. */
char *ik_resume_command(const struct ik_options *options, const char *id);

#endif
