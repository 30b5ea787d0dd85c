/*
 * trust: whether the user trusts what came with the directory of a session, as a question that the
 * editor asks before the first prompt.
 *
 * May include: all but tui and the other front ends.
 */
#ifndef IK_ACP_TRUST_H
#define IK_ACP_TRUST_H

#include "acp/update.h"
#include "core/core.h"
#include "guard/trust_check.h"

struct ik_editor_trust {
	struct ik_core *core;
	const struct ik_viewer *viewer;
	struct ik_untrusted_list files; /* that the question is about */
	bool asked;
	int64_t question;             /* number of the request; 0: none */
	struct ik_trust_check *check; /* runs after the answer */
};

/* Is there nothing left to ask or to read? Asks, once the tools were looked for. */
bool ik_editor_trust_is_settled(struct ik_editor_trust *trust);
void ik_editor_trust_done(struct ik_editor_trust *trust);

#endif
