/*
 * attributes: copy extended attributes and ACLs from one file to another.
 *
 * May include: util.
 */
#ifndef IK_TOOLS_ATTRIBUTES_H
#define IK_TOOLS_ATTRIBUTES_H

#include <stdbool.h>

/* Make the extended attributes of to exactly those of from, including access control lists (which
 * are such attributes). False if one could not be copied. */
bool ik_attributes_copy(int from, int to);

#endif
