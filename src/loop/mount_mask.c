#include "loop/mount_mask.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/capability.h>
#include <linux/mount.h>
#include <linux/securebits.h>
#include <sched.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "util/alloc.h"
#include "util/path.h"

#define NOTHING (MOUNT_ATTR_RDONLY | MOUNT_ATTR_NOSUID | MOUNT_ATTR_NODEV | MOUNT_ATTR_NOEXEC)

/* Stack for what runs between clone and exec. */
#define STACK_SIZE ((size_t)64 << 10)

struct cover {
	char *path;
	bool readable;
};

struct ik_mount_mask {
	enum ik_mount_mask_method way;
	struct cover *items;
	size_t count;
	bool terminals;
	char users[32], groups[32]; /* for uid_map and gid_map: only itself */
};

/* ---- in the child: nothing but system calls ---- */

static int write_file(const char *path, const char *text)
{
	size_t length = strlen(text);
	int fd = open(path, O_WRONLY | O_CLOEXEC), number = 0;

	if (fd < 0)
		return errno;
	if (write(fd, text, length) != (ssize_t)length)
		number = errno;
	close(fd);
	return number;
}

/* Make a file system with two options and their values. -1 with errno. */
static int make_system(const char *type, const char *const options[4], uint64_t less)
{
	int context = (int)syscall(SYS_fsopen, type, FSOPEN_CLOEXEC), tree = -1, number;

	if (context < 0)
		return -1;
	if (syscall(SYS_fsconfig, context, FSCONFIG_SET_STRING, options[0], options[1], 0) == 0 &&
		syscall(SYS_fsconfig, context, FSCONFIG_SET_STRING, options[2], options[3], 0) == 0 &&
		syscall(SYS_fsconfig, context, FSCONFIG_CMD_CREATE, NULL, NULL, 0) == 0)
		tree = (int)syscall(SYS_fsmount, context, FSMOUNT_CLOEXEC, less);
	number = errno;
	close(context);
	errno = number;
	return tree;
}

/* Make what is mounted over a hidden directory: an empty one that its owner cannot list. */
static int make_directory(void)
{
	static const char *const options[] = { "mode", "0", "size", "4k" };

	return make_system("tmpfs", options, NOTHING);
}

/* Make a devpts; each instance is independent of the others. */
static int make_terminals(void)
{
	static const char *const options[] = { "mode", "600", "ptmxmode", "666" };

	return make_system("devpts", options, MOUNT_ATTR_NOSUID | MOUNT_ATTR_NOEXEC);
}

/* Make a mount of what is there, with fewer rights. -1 with errno. */
static int make_copy(int directory, const char *path, unsigned int recursive, uint64_t less)
{
	const struct mount_attr attributes = { .attr_set = less };
	int tree = (int)syscall(SYS_open_tree, directory, path,
			AT_EMPTY_PATH | OPEN_TREE_CLONE | OPEN_TREE_CLOEXEC | recursive),
		number;

	if (tree < 0)
		return -1;
	if (syscall(SYS_mount_setattr, tree, "", AT_EMPTY_PATH | recursive, &attributes,
			sizeof(attributes)) == 0)
		return tree;
	number = errno;
	close(tree);
	errno = number;
	return -1;
}

/* Mount a tree (which is taken over) on an open descriptor; 0 or an errno value. */
static int mount_over(int tree, int target)
{
	int number = 0;

	if (tree < 0)
		return errno;
	if (syscall(SYS_move_mount, tree, "", target, "",
			MOVE_MOUNT_F_EMPTY_PATH | MOVE_MOUNT_T_EMPTY_PATH) != 0)
		number = errno;
	close(tree);
	return number;
}

/* Mask what is open; 0 or an errno value. */
static int cover_target(const struct cover *cover, int target)
{
	struct stat status;
	int tree;

	if (fstat(target, &status) != 0)
		return errno;
	if (S_ISLNK(status.st_mode))
		return ELOOP;
	if (cover->readable)
		tree = make_copy(target, "", AT_RECURSIVE, MOUNT_ATTR_RDONLY);
	else if (S_ISDIR(status.st_mode))
		tree = make_directory();
	else
		/* A device on a mount with nodev: even root cannot open it. */
		tree = make_copy(AT_FDCWD, "/dev/null", 0, NOTHING);
	return mount_over(tree, target);
}

static int cover_one(const struct cover *cover)
{
	int target = ik_path_open(cover->path, 0), number;

	if (target < 0) /* what this process cannot reach, its children cannot either */
		return errno == ENOENT || errno == ENOTDIR || errno == EACCES ? 0 : errno;
	number = cover_target(cover, target);
	close(target);
	return number;
}

/* Mask the terminals; 0 or an errno value. */
static int cover_terminals(void)
{
	int target = ik_path_open(IK_MOUNT_MASK_TERMINALS, 0), number;

	if (target < 0)
		return errno == ENOENT ? 0 : errno;
	number = mount_over(make_terminals(), target);
	close(target);
	return number;
}

/* Capabilities with which a process that may mount could undo a mask. */
/* clang-format off */
static const int dangerous[] = {
	CAP_SYS_ADMIN, CAP_DAC_READ_SEARCH, CAP_SYS_PTRACE, CAP_SYS_MODULE, CAP_SYS_RAWIO, CAP_MKNOD,
};
/* clang-format on */

/* Drop capabilities permanently: all, or the dangerous ones. 0 or an errno value. */
static int give_up(bool all)
{
	struct __user_cap_header_struct header = { .version = _LINUX_CAPABILITY_VERSION_3, .pid = 0 };
	struct __user_cap_data_struct sets[_LINUX_CAPABILITY_U32S_3];

	memset(sets, 0, sizeof(sets));
	if (!all && syscall(SYS_capget, &header, sets) != 0)
		return errno;
	for (size_t i = 0; !all && i < sizeof(dangerous) / sizeof(dangerous[0]); i++) {
		struct __user_cap_data_struct *set = &sets[CAP_TO_INDEX(dangerous[i])];
		const uint32_t kept = ~CAP_TO_MASK((uint32_t)dangerous[i]);

		set->effective &= kept;
		set->permitted &= kept;
		set->inheritable &= kept;
		/* EPERM: it may not drop them, but without new privileges exec grants none either. */
		if (prctl(PR_CAPBSET_DROP, dangerous[i], 0, 0, 0) != 0 && errno != EPERM)
			return errno;
	}
	for (int capability = 0; all && capability < 64; capability++)
		if (prctl(PR_CAPBSET_DROP, capability, 0, 0, 0) != 0) {
			if (errno != EINVAL)
				return errno;
			break; /* the kernel has no more of them */
		}
	if (all &&
		(prctl(PR_CAP_AMBIENT, PR_CAP_AMBIENT_CLEAR_ALL, 0, 0, 0) != 0 ||
			prctl(PR_SET_SECUREBITS,
				SECBIT_NOROOT | SECBIT_NOROOT_LOCKED | SECBIT_NO_SETUID_FIXUP |
					SECBIT_NO_SETUID_FIXUP_LOCKED,
				0, 0, 0) != 0))
		return errno;
	return syscall(SYS_capset, &header, sets) == 0 ? 0 : errno;
}

int ik_mount_mask_apply(const struct ik_mount_mask *mask)
{
	int number = 0;

	if (mask->way == IK_MOUNT_MASK_USER_NAMESPACE) {
		number = write_file("/proc/self/setgroups", "deny");
		if (number == 0)
			number = write_file("/proc/self/uid_map", mask->users);
		if (number == 0)
			number = write_file("/proc/self/gid_map", mask->groups);
	}
	/* Mounts made here stay here; unmounts outside propagate here. */
	if (number == 0 && syscall(SYS_mount, NULL, "/", NULL, MS_REC | MS_SLAVE, NULL) != 0)
		number = errno;
	if (number == 0 && mask->terminals)
		number = cover_terminals();
	for (size_t i = 0; i < mask->count && number == 0; i++)
		number = cover_one(&mask->items[i]);
	return number != 0 ? number : give_up(mask->way == IK_MOUNT_MASK_USER_NAMESPACE);
}

/* ---- in this process ---- */

static struct ik_mount_mask *make_covering(enum ik_mount_mask_method way)
{
	struct ik_mount_mask *mask = ik_alloc(sizeof(*mask));

	mask->way = way;
	(void)snprintf(mask->users, sizeof(mask->users), "%u %u 1", geteuid(), geteuid());
	(void)snprintf(mask->groups, sizeof(mask->groups), "%u %u 1", getegid(), getegid());
	return mask;
}

struct ik_mount_mask *ik_mount_mask_new(void)
{
	return make_covering(ik_mount_mask_method());
}

void ik_mount_mask_add(struct ik_mount_mask *mask, const char *path, bool readable)
{
	mask->items = ik_alloc_array(mask->items, mask->count + 1, sizeof(*mask->items));
	mask->items[mask->count++] = (struct cover){ ik_strdup(path), readable };
}

void ik_mount_mask_add_terminals(struct ik_mount_mask *mask)
{
	mask->terminals = true;
}

struct ik_mount_mask *ik_mount_mask_free(struct ik_mount_mask *mask)
{
	if (!mask)
		return NULL;
	for (size_t i = 0; i < mask->count; i++)
		free(mask->items[i].path);
	free(mask->items);
	free(mask);
	return NULL;
}

pid_t ik_mount_mask_fork(enum ik_mount_mask_method way, int (*main)(void *arg), void *arg)
{
	const int spaces = way == IK_MOUNT_MASK_USER_NAMESPACE ? CLONE_NEWUSER | CLONE_NEWNS
														   : CLONE_NEWNS;
	char *stack = ik_alloc(STACK_SIZE);
	pid_t pid = clone(main, stack + STACK_SIZE, CLONE_VM | CLONE_VFORK | SIGCHLD | spaces, arg);
	int number = errno;

	free(stack); /* the child no longer uses it */
	errno = number;
	return pid;
}

/* Test child: try every kind of mask. */
static __attribute__((no_sanitize("address"))) int probe_main(void *arg)
{
	_exit(ik_mount_mask_apply(arg) == 0 ? 0 : 1);
}

/* Does this method work? */
static bool works(enum ik_mount_mask_method way)
{
	struct ik_mount_mask *mask = make_covering(way);
	sigset_t all, before;
	int status = -1;
	pid_t pid;

	ik_mount_mask_add_terminals(mask);
	ik_mount_mask_add(mask, "/proc", true);
	ik_mount_mask_add(mask, "/dev/zero", false);
	ik_mount_mask_add(mask, "/dev", false);
	sigfillset(&all);
	sigprocmask(SIG_SETMASK, &all, &before);
	pid = ik_mount_mask_fork(way, probe_main, mask);
	sigprocmask(SIG_SETMASK, &before, NULL);
	while (pid > 0 && waitpid(pid, &status, 0) < 0 && errno == EINTR)
		;
	(void)ik_mount_mask_free(mask);
	return pid > 0 && WIFEXITED(status) && WEXITSTATUS(status) == 0;
}

enum ik_mount_mask_method ik_mount_mask_method(void)
{
	static bool asked;
	static enum ik_mount_mask_method way;

	if (!asked) {
		asked = true;
		way = works(IK_MOUNT_MASK_MOUNTS)         ? IK_MOUNT_MASK_MOUNTS
			: works(IK_MOUNT_MASK_USER_NAMESPACE) ? IK_MOUNT_MASK_USER_NAMESPACE
												  : IK_MOUNT_MASK_NONE;
	}
	return way;
}
