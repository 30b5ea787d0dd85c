/*
 * proc_stat: what the kernel's stat file says about a process or thread (proc_pid_stat(5)).
 *
 * Pure. May include: libc.
 */
#ifndef IK_UTIL_PROC_STAT_H
#define IK_UTIL_PROC_STAT_H

#include <stdbool.h>
#include <stdint.h>

struct ik_proc_stat {
	char state; /* 'Z': it has ended */
	int parent, group;
	uint64_t start; /* in clock ticks since boot */
};

/* Read the file at path, relative to an open directory or AT_FDCWD. Return false if that fails: the
 * process is gone. */
bool ik_proc_stat(int directory, const char *path, struct ik_proc_stat *ret_stat);

/* Read /proc/PID/stat in the same way. */
bool ik_proc_stat_of(int64_t pid, struct ik_proc_stat *ret_stat);

#endif
