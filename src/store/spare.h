/*
 * spare: where events go that the journals' disk did not take until the program ended.
 *
 * That is a journal in a spare directory, on another disk, which the next start moves to the
 * others; or a file in the temporary directory, where every tool can write, so that it waits for
 * the user: `ikigai session import` reads it.
 *
 * Inside src/store only.  May include: util, json, conversation, store/session_writer.h.
 */
#ifndef IK_STORE_SPARE_H
#define IK_STORE_SPARE_H

#include "store/session_writer.h"

/* Move journals that are in spare, and whose writers are gone, to the directory journals. False: not
 * all of them could be moved. */
bool ik_spare_adopt(const char *spare, const char *journals);

/* Write what waits in these writers as JSON Lines to a new file in the temporary directory, and
 * count it as journaled. Return its path, new memory; NULL with *error: it cannot be written. */
char *ik_spare_write(struct ik_session_writer *writers, struct ik_error *error);

#endif
