/*
 * message_private: what the files of message share.
 *
 * May include: util, json.
 */
#ifndef IK_CONVERSATION_MESSAGE_PRIVATE_H
#define IK_CONVERSATION_MESSAGE_PRIVATE_H

#include "util/buf.h"
#include "util/limits.h"

#include <stddef.h>

/* Escaping makes six bytes of one at worst; the rest of data is small. */
#define IK_MESSAGE_DATA_LIMIT(payload) ((payload)*6 + IK_KIB(64))

/* Name what is kept of stdout and of stderr, each under a new id: "blobs". */
void ik_message_put_blobs(struct ik_buf *data, const size_t kept[2]);

#endif
