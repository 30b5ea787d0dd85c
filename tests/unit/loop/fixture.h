/*
 * fixture: a loop for a test, with an end for tests that would never end; and
 * what several tests ask of descriptors and terminals.
 */
#ifndef IK_TESTS_LOOP_FIXTURE_H
#define IK_TESTS_LOOP_FIXTURE_H

#include "loop/loop.h"

#include <stdbool.h>

/* Make a loop, or fail the test. */
struct ik_loop *fixture_loop(void);

/* Turn until *flag; after 30 seconds the test fails. */
void fixture_run_until(struct ik_loop *loop, const bool *flag);

/* Turn until fn(arg). It is asked at the end of each turn. */
void fixture_run_while(struct ik_loop *loop, bool (*fn)(void *arg), void *arg);

/* Turn for a while, where a test is about nothing happening. */
void fixture_run_for(struct ik_loop *loop, int milliseconds);

/* Free the loop and check that no descriptor is left that was not there before
 * fixture_loop(). */
void fixture_end(struct ik_loop *loop);

/* Number of open descriptors of this process. */
int fixture_descriptors(void);

/* Are the modes of the terminal on this descriptor those of a shell's line? */
bool fixture_is_cooked(int fd);

/* Or those of a program that gets every key? */
bool fixture_is_raw(int fd);

#endif
