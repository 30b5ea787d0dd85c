/*
 * landlock: the kernel's Landlock interface, ABI 1 to 7, for system headers that are older than the
 * kernel (Documentation/userspace-api/landlock.rst).
 *
 * Only for loop/confine.c. May include: libc.
 */
#ifndef IK_LOOP_LANDLOCK_H
#define IK_LOOP_LANDLOCK_H

#include <stdint.h>
#include <sys/syscall.h>

#ifndef SYS_landlock_create_ruleset
#define SYS_landlock_create_ruleset 444
#define SYS_landlock_add_rule 445
#define SYS_landlock_restrict_self 446
#endif

enum { IK_LANDLOCK_ASK_VERSION = 1, IK_LANDLOCK_RULE_PATH_BENEATH = 1 };

/* File rights; ABI 1 unless noted. */
#define IK_LANDLOCK_EXECUTE (UINT64_C(1) << 0)
#define IK_LANDLOCK_WRITE_FILE (UINT64_C(1) << 1)
#define IK_LANDLOCK_READ_FILE (UINT64_C(1) << 2)
#define IK_LANDLOCK_READ_DIR (UINT64_C(1) << 3)
#define IK_LANDLOCK_MAKE_SYM (UINT64_C(1) << 12)  /* 4 to 12: removing and making */
#define IK_LANDLOCK_REFER (UINT64_C(1) << 13)     /* ABI 2: renaming between directories */
#define IK_LANDLOCK_TRUNCATE (UINT64_C(1) << 14)  /* ABI 3 */
#define IK_LANDLOCK_IOCTL_DEV (UINT64_C(1) << 15) /* ABI 5 */

/* ABI 4. */
#define IK_LANDLOCK_BIND_TCP (UINT64_C(1) << 0)
#define IK_LANDLOCK_CONNECT_TCP (UINT64_C(1) << 1)

/* ABI 6. */
#define IK_LANDLOCK_SCOPE_ABSTRACT_UNIX (UINT64_C(1) << 0)
#define IK_LANDLOCK_SCOPE_SIGNAL (UINT64_C(1) << 1)

struct ik_landlock_ruleset {
	uint64_t handled_files;
	uint64_t handled_network; /* ABI 4 */
	uint64_t scoped;          /* ABI 6 */
};

struct ik_landlock_path_beneath {
	uint64_t allowed;
	int32_t parent;
} __attribute__((packed));

#endif
