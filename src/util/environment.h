/*
 * environment: what other processes may see of this process's variables.
 *
 * May include: libc, util.
 */
#ifndef IK_UTIL_ENVIRONMENT_H
#define IK_UTIL_ENVIRONMENT_H

/*
 * Wipe the values of this process's variables where other processes of the same user can read them
 * (/proc/PID/environ), so that a tool finds no key there. Call it at the start of main(), before
 * anybody keeps what getenv() returned. The names stay.
 */
void ik_environment_hide(void);

#endif
