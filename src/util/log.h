/*
 * log: a file of what happened, for the person who has to find out why.
 *
 * The only global state besides the out-of-memory hook.  Closed until
 * ik_log_open(); never the terminal; no secrets: callers name variables, not
 * their values.
 *
 * May include: util.
 */
#ifndef IK_UTIL_LOG_H
#define IK_UTIL_LOG_H

#include "util/err.h"

enum ik_log_level { IK_LOG_OFF, IK_LOG_ERROR, IK_LOG_INFO, IK_LOG_DEBUG };

/* Append to path (mode 0600) what is at or above level. Lazily opened. */
void ik_log_open(const char *path, enum ik_log_level level);
void ik_log_close(void);

/* One line; control characters in it are made visible. */
void ik_log(enum ik_log_level level, const char *format, ...) IK_PRINTF(2, 3);

#endif
