/*
 * replace_file: write the new contents of a target to a temporary file and rename it.
 *
 * Internal to target.  May include: util, tools/common/target.h.
 */
#ifndef IK_TOOLS_REPLACE_FILE_H
#define IK_TOOLS_REPLACE_FILE_H

#include "tools/common/target.h"

enum ik_replace_result {
	IK_REPLACE_DONE,
	IK_REPLACE_UNFIT,    /* must be written in place instead; nothing was done */
	IK_REPLACE_CHANGED,  /* the file is not the expected one any more */
	IK_REPLACE_UNOPENED, /* no file can be created here: *ret_number */
	IK_REPLACE_FAILED    /* *ret_number is the errno value; the old contents are untouched */
};

enum ik_replace_result ik_replace_file(struct ik_target *target, const struct ik_parts *parts,
	int *ret_number) IK_MUST_USE;

#endif
