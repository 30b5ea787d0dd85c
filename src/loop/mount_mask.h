/*
 * mount_mask: places that a child and all that it starts find covered by something else, in a
 * mount namespace of their own (mount_namespaces(7)).
 *
 * What is hidden has a device that cannot be opened over it, or an empty directory that
 * cannot be listed; what is protected is there, but on a mount that is read only.  Nothing
 * else changes: new files can be made beside it.  What is covered can be neither removed nor
 * renamed by the child.  A file that comes into the place of a covered one from outside is
 * not covered, nor is another name of it (a hard link, a second mount).
 *
 * Who may mount keeps its user namespace and gives up what could undo it; who may not gets
 * one of its own, in which there is its own user and group only, and has no capability left.
 * Landlock has to follow: it forbids what concerns mounts for good.
 *
 * May include: util.
 */
#ifndef IK_LOOP_MOUNT_MASK_H
#define IK_LOOP_MOUNT_MASK_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

/* Open a place by its absolute path (O_PATH) without following a link: one may have been put
 * there since. Nothing but system calls. -1 with errno. */
int ik_mount_mask_open(const char *path);

struct ik_mount_mask;

/* How it can be done here. */
enum ik_mount_mask_method {
	IK_MOUNT_MASK_NONE,          /* the system lets nobody, or not this user */
	IK_MOUNT_MASK_MOUNTS,        /* this process may mount */
	IK_MOUNT_MASK_USER_NAMESPACE /* in a user namespace */
};

/* Tried by a child, once; later calls tell what came of it. */
enum ik_mount_mask_method ik_mount_mask_method(void);

/* An empty mask, to be released with ik_mount_mask_free(). */
struct ik_mount_mask *ik_mount_mask_new(void);
/* Cover the path, which is absolute and without a symbolic link in it, and copied. readable: protect
 * it only. What is not there, or not to be reached, needs no cover. */
void ik_mount_mask_add(struct ik_mount_mask *mask, const char *path, bool readable);
/* Give it terminals of its own: the others are not at IK_MOUNT_MASK_TERMINALS any more, and those
 * that it makes are not seen by others (devpts). */
void ik_mount_mask_add_terminals(struct ik_mount_mask *mask);
#define IK_MOUNT_MASK_TERMINALS "/dev/pts"
struct ik_mount_mask *ik_mount_mask_free(struct ik_mount_mask *mask);

/*
 * As vfork(2), but the child has the namespaces of this way and calls main on a stack
 * of its own. -1 with errno.
 */
pid_t ik_mount_mask_fork(enum ik_mount_mask_method way, int (*main)(void *arg), void *arg);

/* Cover all, in a child that was started so: nothing but system calls. 0 or an errno value. */
int ik_mount_mask_apply(const struct ik_mount_mask *mask);

#endif
