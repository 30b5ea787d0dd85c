#include "loop/confine.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/landlock.h>
#include <linux/seccomp.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "util/alloc.h"
#include "util/path.h"
#include "util/text.h"

/* ---- no sockets ---- */

/* Only where each socket system call has its own number (instead of one for all). */
#if defined(__x86_64__)
#define NATIVE_CALLS AUDIT_ARCH_X86_64
#elif defined(__aarch64__)
#define NATIVE_CALLS AUDIT_ARCH_AARCH64
#elif defined(__riscv) && __riscv_xlen == 64
#define NATIVE_CALLS AUDIT_ARCH_RISCV64
#endif

#ifdef NATIVE_CALLS
/* On x86-64, system calls of the x32 ABI start here. */
#define FOREIGN_FROM 0x40000000
#define SOCKET_TYPES 0xf /* the other bits are flags */
#define REFUSE (SECCOMP_RET_ERRNO | EACCES)

#define ARGUMENT(index) offsetof(struct seccomp_data, args[index]) /* its lower half */

/*
 * Refuse socket(2), io_uring, which can create sockets too, and every call with the numbers of
 * another architecture. Of socketpair(2), allow only types whose two ends can talk to nothing else:
 * an end of a datagram pair could be bound and send to any socket. Descriptors that were passed in
 * stay usable.
 */
static struct sock_filter socket_filter[] = {
	BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, arch)),
	BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, NATIVE_CALLS, 0, 11),
	BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
	BPF_JUMP(BPF_JMP | BPF_JGE | BPF_K, FOREIGN_FROM, 9, 0),
	BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_socket, 8, 0),
	BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_io_uring_setup, 7, 0),
	BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_socketpair, 0, 7),
	BPF_STMT(BPF_LD | BPF_W | BPF_ABS, ARGUMENT(0)),
	BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, AF_UNIX, 0, 4),
	BPF_STMT(BPF_LD | BPF_W | BPF_ABS, ARGUMENT(1)),
	BPF_STMT(BPF_ALU | BPF_AND | BPF_K, SOCKET_TYPES),
	BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SOCK_STREAM, 2, 0),
	BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SOCK_SEQPACKET, 1, 0),
	BPF_STMT(BPF_RET | BPF_K, REFUSE),
	BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
};
#endif

bool ik_confine_has_filter(void)
{
#ifdef NATIVE_CALLS
	return true;
#else
	return false;
#endif
}

/* Refuse sockets from here on. Return 0, or -1 with errno. */
static int refuse_sockets(void)
{
#ifdef NATIVE_CALLS
	const struct sock_fprog program = {
		.len = sizeof(socket_filter) / sizeof(socket_filter[0]),
		.filter = socket_filter,
	};

	return prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program, 0, 0);
#else
	return 0; /* Landlock has to do */
#endif
}

/* Allow the newly mounted terminals, which no earlier rule could name. 0 or an errno value. */
static int allow_terminals(const struct ik_confinement *confinement)
{
	struct landlock_path_beneath_attr rule = { .allowed_access = confinement->terminal_rights };
	int number = 0;

	rule.parent_fd = ik_path_open(IK_MOUNT_MASK_TERMINALS, 0);
	if (rule.parent_fd < 0)
		return errno == ENOENT ? 0 : errno;
	if (syscall(SYS_landlock_add_rule, confinement->ruleset, LANDLOCK_RULE_PATH_BENEATH, &rule,
			0) != 0)
		number = errno;
	close(rule.parent_fd);
	return number;
}

int ik_confine_self(const struct ik_confinement *confinement)
{
	/* The kernel requires it for both; it also takes the privileges of set-user-ID programs
	 * away. */
	if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0)
		return errno;
	if (confinement->terminal_rights != 0) {
		const int number = allow_terminals(confinement);

		if (number != 0)
			return number;
	}
	if (syscall(SYS_landlock_restrict_self, confinement->ruleset, 0) != 0)
		return errno;
	if (confinement->no_sockets && refuse_sockets() != 0)
		return errno;
	return 0;
}

/* ---- rulesets ---- */

/* Definitions from after ABI 1, for system headers older than the kernel
 * (Documentation/userspace-api/landlock.rst). */
#define RIGHT_REFER (UINT64_C(1) << 13)     /* ABI 2: renaming between directories */
#define RIGHT_TRUNCATE (UINT64_C(1) << 14)  /* ABI 3 */
#define RIGHT_IOCTL_DEV (UINT64_C(1) << 15) /* ABI 5 */
#define TCP UINT64_C(3)                     /* ABI 4: bind and connect */
#define SCOPES UINT64_C(3)                  /* ABI 6: abstract Unix sockets, signals */

struct ruleset_attributes {
	uint64_t handled_files;
	uint64_t handled_network; /* ABI 4 */
	uint64_t scoped;          /* ABI 6 */
};

#define READING \
	(LANDLOCK_ACCESS_FS_EXECUTE | LANDLOCK_ACCESS_FS_READ_FILE | LANDLOCK_ACCESS_FS_READ_DIR)

/* A ruleset under construction. */
struct maker {
	const struct ik_confine_plan *plan;
	struct ik_confine_limit *limits; /* those that are not masked */
	size_t limit_count;
	char consoles[3][PATH_MAX]; /* terminals of this process outside IK_MOUNT_MASK_TERMINALS */
	int ruleset;
	int number; /* errno of the first failure; 0: none */
};

int ik_confine_abi(void)
{
	long abi = syscall(SYS_landlock_create_ruleset, NULL, 0, LANDLOCK_CREATE_RULESET_VERSION);

	return abi > 0 ? (int)abi : 0;
}

/* Return all file rights that this ABI knows. */
static uint64_t rights_of(int abi)
{
	uint64_t rights = (LANDLOCK_ACCESS_FS_MAKE_SYM << 1) - 1;

	if (abi >= 2)
		rights |= RIGHT_REFER;
	if (abi >= 3)
		rights |= RIGHT_TRUNCATE;
	if (abi >= 5)
		rights |= RIGHT_IOCTL_DEV;
	return rights;
}

/* Allow, at what fd is open on, those of the rights that apply to such a file. */
static void add_rule(struct maker *maker, int fd, uint64_t rights)
{
	struct landlock_path_beneath_attr rule = { .allowed_access = rights, .parent_fd = fd };
	struct stat status;

	if (fstat(fd, &status) != 0 || S_ISLNK(status.st_mode))
		return;
	if (!S_ISDIR(status.st_mode))
		rule.allowed_access &= LANDLOCK_ACCESS_FS_EXECUTE | LANDLOCK_ACCESS_FS_WRITE_FILE |
			LANDLOCK_ACCESS_FS_READ_FILE | RIGHT_TRUNCATE | RIGHT_IOCTL_DEV;
	/* EBADFD: it is in a file system without paths. */
	if (rule.allowed_access != 0 && maker->number == 0 &&
		syscall(SYS_landlock_add_rule, maker->ruleset, LANDLOCK_RULE_PATH_BENEATH, &rule, 0) != 0 &&
		errno != EBADFD)
		maker->number = errno;
}

static void allow(struct maker *maker, int fd, const char *path, uint64_t rights);

/* Allow everything in a directory, descending into the directories that lead to a limit. */
static void allow_entries(struct maker *maker, int directory, const char *path, uint64_t rights)
{
	int fd = openat(directory, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC), entry;
	DIR *stream = fd >= 0 ? fdopendir(fd) : NULL;
	struct dirent *found;
	char inner[PATH_MAX];
	int length;

	if (!stream) {
		if (fd >= 0)
			close(fd);
		return; /* this user cannot list it, so no rule is needed */
	}
	while (maker->number == 0 && (found = readdir(stream))) {
		if (ik_text_equal(found->d_name, ".") || ik_text_equal(found->d_name, ".."))
			continue;
		length = snprintf(inner, sizeof(inner), "%s/%s", path[1] == '\0' ? "" : path,
			found->d_name);
		entry = length < (int)sizeof(inner)
			? openat(directory, found->d_name, O_PATH | O_NOFOLLOW | O_CLOEXEC)
			: -1;
		if (entry < 0)
			continue;
		allow(maker, entry, inner, rights);
		close(entry);
	}
	closedir(stream);
}

/* Return the rights left at a limit. */
static uint64_t rights_left(const struct ik_confine_limit *limit)
{
	static const uint64_t left[] = {
		[IK_CONFINE_NOTHING] = 0,
		[IK_CONFINE_NAMES] = LANDLOCK_ACCESS_FS_READ_DIR,
		[IK_CONFINE_READING] = READING,
	};

	return left[limit->left];
}

/* Return the rights that a directory on the way to a limit may have: the limit gets them too. */
static uint64_t rights_along(const struct ik_confine_limit *limit)
{
	struct stat status;

	/* Nothing is lost if the directory could not be listed anyway. */
	if (limit->left == IK_CONFINE_NOTHING && lstat(limit->path, &status) == 0 &&
		!S_ISDIR(status.st_mode))
		return LANDLOCK_ACCESS_FS_READ_DIR;
	return rights_left(limit);
}

/* Allow an open file or directory, minus what limits take away. */
static void allow(struct maker *maker, int fd, const char *path, uint64_t rights)
{
	uint64_t whole = rights; /* what no limit below takes away */

	for (size_t i = 0; i < maker->limit_count; i++) {
		const struct ik_confine_limit *limit = &maker->limits[i];

		if (ik_path_below(path, limit->path))
			rights &= rights_left(limit);
		else if (ik_path_below(limit->path, path))
			whole &= rights_along(limit);
	}
	whole &= rights;
	if (whole != 0)
		add_rule(maker, fd, whole);
	if (whole != rights)
		allow_entries(maker, fd, path, rights);
}

/* Allow all places of the plan. */
static void allow_places(struct maker *maker, int abi)
{
	for (size_t i = 0; i < maker->plan->place_count && maker->number == 0; i++) {
		const struct ik_confine_place *place = &maker->plan->places[i];
		int fd = ik_path_open(place->path, 0);

		if (fd < 0)
			continue;
		allow(maker, fd, place->path, place->write ? rights_of(abi) : READING);
		close(fd);
	}
}

/* Mask a place, or limit it with Landlock. */
static void add_limit(struct maker *maker, struct ik_mount_mask **mask,
	const struct ik_confine_limit *limit)
{
	if (!limit->cover || ik_mount_mask_method() == IK_MOUNT_MASK_NONE) {
		maker->limits[maker->limit_count++] = *limit;
		return;
	}
	if (!*mask)
		*mask = ik_mount_mask_new();
	ik_mount_mask_add(*mask, limit->path, limit->left == IK_CONFINE_READING);
}

/* Keep the child off this process's terminals that are elsewhere: a virtual console, a serial
 * line. */
static void limit_consoles(struct maker *maker, struct ik_mount_mask **mask)
{
	for (int fd = 0; fd < 3; fd++) {
		char *path = maker->consoles[fd];

		if (ttyname_r(fd, path, sizeof(maker->consoles[fd])) == 0 &&
			!ik_path_below(path, IK_MOUNT_MASK_TERMINALS) &&
			(fd == 0 || !ik_text_equal(path, maker->consoles[fd - 1])))
			add_limit(maker, mask,
				&(struct ik_confine_limit){
					.path = path,
					.left = IK_CONFINE_NOTHING,
					.cover = true,
				});
	}
}

/* Split the limits into those that are masked, returned as a mask (or NULL), and those for
 * Landlock. */
static struct ik_mount_mask *part_limits(struct maker *maker)
{
	struct ik_mount_mask *mask = NULL;

	maker->limits = ik_alloc_array(NULL, maker->plan->limit_count + 4, sizeof(*maker->limits));
	if (maker->plan->own_terminals && ik_mount_mask_method() != IK_MOUNT_MASK_NONE) {
		mask = ik_mount_mask_new();
		ik_mount_mask_add_terminals(mask);
	} else if (maker->plan->own_terminals) {
		maker->limits[maker->limit_count++] = (struct ik_confine_limit){
			.path = IK_MOUNT_MASK_TERMINALS,
			.left = IK_CONFINE_NAMES,
		};
	}
	if (maker->plan->own_terminals)
		limit_consoles(maker, &mask);
	for (size_t i = 0; i < maker->plan->limit_count; i++)
		add_limit(maker, &mask, &maker->plan->limits[i]);
	return mask;
}

enum ik_status ik_confine_open(const struct ik_confine_plan *plan,
	struct ik_confinement *ret_confinement, struct ik_error *error)
{
	const int abi = ik_confine_abi();
	struct ruleset_attributes attributes = { .handled_files = rights_of(abi) };
	struct maker maker = { .plan = plan };
	struct ik_mount_mask *mask;

	if (abi == 0)
		return ik_error_set(error, IK_UNAVAILABLE,
			_("this kernel has no Landlock, so tools cannot "
			  "be confined (Linux 5.13 and later have it, if \"landlock\" is in "
			  "/sys/kernel/security/lsm)"));
	if (plan->no_network && abi >= 4)
		attributes.handled_network = TCP;
	if (plan->apart && abi >= IK_CONFINE_APART_ABI)
		attributes.scoped = SCOPES;
	/* Members that an older kernel does not know are zero, which it accepts. */
	maker.ruleset = (int)syscall(SYS_landlock_create_ruleset, &attributes, sizeof(attributes), 0);
	if (maker.ruleset < 0)
		return ik_error_set_errno(error, errno, _("the kernel makes no sandbox"));
	mask = part_limits(&maker);
	allow_places(&maker, abi);
	free(maker.limits);
	if (maker.number != 0) {
		close(maker.ruleset);
		(void)ik_mount_mask_free(mask);
		return ik_error_set_errno(error, maker.number, _("the kernel makes no sandbox"));
	}
	*ret_confinement = (struct ik_confinement){
		.ruleset = maker.ruleset,
		.no_sockets = plan->no_network,
		.mask = mask,
	};
	if (plan->own_terminals && mask)
		ret_confinement->terminal_rights = rights_of(abi);
	return IK_OK;
}

void ik_confine_close(struct ik_confinement *confinement)
{
	if (confinement->ruleset >= 0)
		close(confinement->ruleset);
	confinement->ruleset = -1;
	confinement->mask = ik_mount_mask_free(confinement->mask);
}
