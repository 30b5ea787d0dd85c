/*
 * practice: the built-in practice model: fixed rules that call real tools.
 *
 * A format without a server: it answers within the process. Pure. May include: util, json,
 * conversation, provider.
 */
#ifndef IK_PROVIDER_PRACTICE_H
#define IK_PROVIDER_PRACTICE_H

#include "provider/wire/format.h"

/* Not in the table of provider/formats.h, because no server speaks it. */
extern const struct ik_wire_format ik_practice_format;

#define IK_PRACTICE_MODEL "practice"

#endif
