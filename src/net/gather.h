/*
 * gather: a descriptor from which little pieces may come steadily.
 *
 * One that is read whenever something has come wakes the program for each piece,
 * a hundred or a thousand times a second while a reply streams.  So, once several
 * reads in a row were little and close to each other, it is not watched any more
 * but read once in a period, as long as each read finds something and none finds
 * much.  The first pieces are never late, a later one by a period at most, and
 * nothing is armed while nothing comes.
 *
 * Borrows the descriptor.  May include: util, loop.
 */
#ifndef IK_NET_GATHER_H
#define IK_NET_GATHER_H

#include "loop/loop.h"

#include <stddef.h>

#define IK_GATHER_LITTLE 16384u /* bytes; a read of more is no little one */
#define IK_GATHER_STEADY 4      /* little reads in a row */

struct ik_gather;

/*
 * ready takes what is there, without waiting, and returns how many bytes that was (0 also
 * for what is not worth waiting for); what is a set of IK_READABLE and IK_WRITABLE. It may
 * call all of these functions. period_ms: 0 or less: each piece when it comes.
 */
struct ik_gather *ik_gather_new(struct ik_loop *loop, int fd, int64_t period_ms,
	size_t (*ready)(void *arg, int what), void *arg);
/* As ik_watch_set(). Only what is watched for reading alone is gathered. */
enum ik_status ik_gather_set(struct ik_gather *gather, int what, struct ik_error *error);
struct ik_gather *ik_gather_close(struct ik_gather *gather);

#endif
