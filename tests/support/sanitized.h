/*
 * sanitized: is this a build with AddressSanitizer, which needs more address space and delays
 * the reuse of freed memory?
 */
#ifndef IK_TESTS_SANITIZED_H
#define IK_TESTS_SANITIZED_H

#include <stdbool.h>

#if defined(__SANITIZE_ADDRESS__)
#define SANITIZED true
#elif defined(__has_feature)
#define SANITIZED __has_feature(address_sanitizer)
#else
#define SANITIZED false
#endif

#endif
