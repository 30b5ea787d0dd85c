/*
 * redact: a database's address without its password, to be shown.
 *
 * Pure.  May include: libc, util.
 */
#ifndef IK_UTIL_REDACT_H
#define IK_UTIL_REDACT_H

/*
 * text with "***" for every password in it: that of scheme://NAME:PASSWORD@HOST, and
 * those of password=... and sslpassword=..., whether in a query or among keywords with
 * values (quoted or not). Whatever else it is, it stays. New memory; NULL for NULL.
 */
char *ik_redact(const char *text);

#endif
