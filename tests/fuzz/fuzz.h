/*
 * fuzz: what a fuzz target is.
 *
 * A target is tests/fuzz/fuzz_NAME.c with this one function.  libFuzzer calls
 * it with inputs of its own (`make fuzz`), replay.c with those of
 * tests/fuzz/corpus/NAME (`make check`).
 *
 * May include: libc.
 */
#ifndef IK_TESTS_FUZZ_H
#define IK_TESTS_FUZZ_H

#include <stddef.h>
#include <stdint.h>

/* Try one input; abort() when something is wrong with what came of it. Returns 0. */
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

#endif
