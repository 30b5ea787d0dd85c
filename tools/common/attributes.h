/*
 * attributes: extended attributes and ACLs carried from one file to another.
 *
 * May include: util.
 */
#ifndef IK_TOOLS_ATTRIBUTES_H
#define IK_TOOLS_ATTRIBUTES_H

#include <stdbool.h>

/* Give to exactly the extended attributes of from, access control lists (which
 * are such attributes) included. False when one could not be carried over. */
bool ik_attributes_copy(int from, int to);

#endif
