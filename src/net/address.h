/*
 * address: the host in a URL.
 *
 * Pure.  May include: util.
 */
#ifndef IK_NET_ADDRESS_H
#define IK_NET_ADDRESS_H

#include <stdbool.h>

/* Host and port as the URL has them, without a user's name and password, and without the
 * colon of a port that is empty; new memory. */
char *ik_address_of(const char *url);

/* Is that this machine itself? */
bool ik_address_is_loopback(const char *address);

#endif
