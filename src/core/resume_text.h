/*
 * resume_text: how to resume a session from the shell.
 *
 * May include: util, conversation, agent, core/options.h.
 */
#ifndef IK_CORE_RESUME_TEXT_H
#define IK_CORE_RESUME_TEXT_H

#include "agent/session/session.h"
#include "core/options.h"

/* Was anything said in the session that is kept: more than notices of the program's own?
 * all_stored: all that was handed to the store is there; else only what has its number counts.
 * Takes no memory. */
bool ik_resume_is_possible(const struct ik_session *session, bool all_stored);

/* The command that resumes the session of that id, started as this program was: the same
 * program and options, as a shell reads them in the same directory, but for an address with a
 * password in it. A new string. */
char *ik_resume_command(const struct ik_options *options, const char *id);

#endif
