/*
 * formats: the table of wire formats; the configuration says which provider uses which.
 *
 * May include: util, provider.
 */
#ifndef IK_PROVIDER_FORMATS_H
#define IK_PROVIDER_FORMATS_H

#include "provider/wire/format.h"

/* Return the format of that type, or NULL. */
const struct ik_wire_format *ik_wire_format_find(const char *type);
/* Return each in turn, for help and checks; NULL at the end of the table. */
const struct ik_wire_format *ik_wire_format_at(size_t index);

#endif
