/*
 * reach: open(2) for paths of any length.
 *
 * The kernel takes 4,095 bytes at a time; what a walk finds may lie deeper.
 *
 * May include: libc, util.
 */
#ifndef IK_TOOLS_OPEN_PATH_H
#define IK_TOOLS_OPEN_PATH_H

/* open(2) without O_CREAT, always close-on-exec. -1 with errno. */
int ik_open_path(const char *path, int flags);

#endif
