/*
 * formats: the wire formats that there are, one table; which provider speaks which is
 * configuration.
 *
 * May include: util, provider.
 */
#ifndef IK_PROVIDER_FORMATS_H
#define IK_PROVIDER_FORMATS_H

#include "provider/wire/format.h"

/* The format of that type, or NULL. */
const struct ik_wire_format *ik_wire_format_find(const char *type);
/* All of them, for help and checks; NULL at the end of the table. */
const struct ik_wire_format *ik_wire_format_at(size_t index);

#endif
