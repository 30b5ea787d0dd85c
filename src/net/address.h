/*
 * address: the host in a URL.
 *
 * Pure.  May include: util.
 */
#ifndef IK_NET_ADDRESS_H
#define IK_NET_ADDRESS_H

#include <stdbool.h>

/* Return host and port as written in the URL, without user name, password and the colon of an empty
 * port; new memory. */
char *ik_address_of(const char *url);

/* Is it this machine? */
bool ik_address_is_loopback(const char *address);

#endif
