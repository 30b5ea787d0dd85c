/*
 * mount_mask: hide or protect places from a child and everything it starts, by mounts in their own
 * mount namespace (mount_namespaces(7)).
 *
 * A hidden place is covered by a device that cannot be opened, or by an empty directory that cannot
 * be listed. A protected place is visible, but on a read-only mount. Nothing else changes: new
 * files can be created beside it. The child can neither remove nor rename a masked place. A file
 * that replaces a masked one from outside is not masked, nor is another name of it (a hard link, a
 * second mount).
 *
 * A process that may mount keeps its user namespace and drops the capabilities that could undo the
 * mask. Others get a user namespace of their own, which contains only their own user and group, and
 * keep no capability. Landlock has to follow: it forbids further mounting for good.
 *
 * May include: util.
 */
#ifndef IK_LOOP_MOUNT_MASK_H
#define IK_LOOP_MOUNT_MASK_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

struct ik_mount_mask;

/* How masking works on this system. */
enum ik_mount_mask_method {
	IK_MOUNT_MASK_NONE,          /* not allowed, or not for this user */
	IK_MOUNT_MASK_MOUNTS,        /* this process may mount */
	IK_MOUNT_MASK_USER_NAMESPACE /* in a user namespace */
};

/* Tested by a child on the first call; later calls return the same. */
enum ik_mount_mask_method ik_mount_mask_method(void);

/* Make an empty mask, to be released with ik_mount_mask_free(). */
struct ik_mount_mask *ik_mount_mask_new(void);
/* Mask path (absolute, without symbolic links, copied). readable: only protect it. A missing or
 * unreachable place needs no mask. */
void ik_mount_mask_add(struct ik_mount_mask *mask, const char *path, bool readable);
/* Give it its own terminals (devpts): the others are no longer at IK_MOUNT_MASK_TERMINALS, and no
 * other process sees those it creates. */
void ik_mount_mask_add_terminals(struct ik_mount_mask *mask);
#define IK_MOUNT_MASK_TERMINALS "/dev/pts"
struct ik_mount_mask *ik_mount_mask_free(struct ik_mount_mask *mask);

/*
 * Like vfork(2), but the child has the namespaces of this method and calls main on its own stack.
 * -1 with errno.
 */
pid_t ik_mount_mask_fork(enum ik_mount_mask_method way, int (*main)(void *arg), void *arg);

/* Apply the mask in a child that was started this way. System calls only. 0 or an errno value. */
int ik_mount_mask_apply(const struct ik_mount_mask *mask);

#endif
