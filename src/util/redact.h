/*
 * redact: remove passwords from a database address, for display.
 *
 * Pure. May include: libc, util.
 */
#ifndef IK_UTIL_REDACT_H
#define IK_UTIL_REDACT_H

/*
 * Return text with every password replaced by "***": that of scheme://NAME:PASSWORD@HOST, and those
 * of password=... and sslpassword=..., in a query or among keywords and values (quoted or not). The
 * rest is unchanged. New memory; NULL for NULL.
 */
char *ik_redact(const char *text);

#endif
