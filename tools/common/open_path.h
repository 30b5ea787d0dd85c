/*
 * open_path: open(2) for paths of any length.
 *
 * The kernel accepts 4,095 bytes at a time; a walk may find longer paths.
 *
 * May include: libc, util.
 */
#ifndef IK_TOOLS_OPEN_PATH_H
#define IK_TOOLS_OPEN_PATH_H

/* Like open(2) without O_CREAT, always close-on-exec. -1 with errno. */
int ik_open_path(const char *path, int flags);

#endif
