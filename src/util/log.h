/*
 * log: a log file for diagnosis.
 *
 * The only global state besides the out-of-memory hook. Closed until ik_log_open(). Never writes to
 * the terminal, and never logs secrets: callers name variables, not their values.
 *
 * May include: util.
 */
#ifndef IK_UTIL_LOG_H
#define IK_UTIL_LOG_H

#include "util/err.h"

enum ik_log_level { IK_LOG_OFF, IK_LOG_ERROR, IK_LOG_INFO, IK_LOG_DEBUG };

/* Append messages at or above level to path (mode 0600), which is opened on first use. */
void ik_log_open(const char *path, enum ik_log_level level);
void ik_log_close(void);

/* Write one line; control characters are made visible. */
void ik_log(enum ik_log_level level, const char *format, ...) IK_PRINTF(2, 3);

#endif
