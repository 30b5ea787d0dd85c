/*
 * beside: the new contents of a target written beside the old and renamed.
 *
 * Inside of target.  May include: util, tools/common/target.h.
 */
#ifndef IK_TOOLS_BESIDE_H
#define IK_TOOLS_BESIDE_H

#include "tools/common/target.h"

enum ik_beside_result {
	IK_BESIDE_DONE,
	IK_BESIDE_UNFIT,    /* must be written in place instead; nothing was done */
	IK_BESIDE_CHANGED,  /* the file is not the expected one any more */
	IK_BESIDE_UNOPENED, /* a new file cannot be made here: *ret_number */
	IK_BESIDE_FAILED    /* *ret_number is the errno value; the old content is untouched */
};

enum ik_beside_result ik_beside_write(struct ik_target *target, const struct ik_parts *parts,
	int *ret_number) IK_MUST_USE;

#endif
