/* What the tests use of Criterion, for machines that have none or can't run it (packaging/check-ports):
 * each test is a child of the program.  Values that differ aren't printed, but for texts. */
#pragma once
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

struct cr_test {
	const char *suite, *name; /* of a suite, no name */
	void (*run)(void), (*init)(void), (*fini)(void);
	const char *description;
	double timeout; /* seconds */
	int exit_code;
	struct cr_test *next;
};
void cr_add(struct cr_test *test);
__attribute__((format(printf, 6, 7))) void cr_check(
	bool fatal, bool good, const char *file, int line, const char *expected, const char *format, ...);
__attribute__((format(printf, 7, 8))) void cr_check_texts(
	bool fatal, bool equal, const char *a, const char *b, const char *file, int line, const char *format, ...);
__attribute__((format(printf, 1, 2))) _Noreturn void cr_skip(const char *format, ...);

#define CR_ADD(id, ...) \
	__attribute__((constructor)) static void id##_add(void) \
	{ \
		static struct cr_test test = { __VA_ARGS__ }; \
		cr_add(&test); \
	}
#define Test(s, n, ...) \
	static void s##_##n##_run(void); \
	CR_ADD(s##_##n, .suite = #s, .name = #n, .run = s##_##n##_run, __VA_ARGS__) \
	static void s##_##n##_run(void)
#define TestSuite(s, ...) CR_ADD(s##_suite, .suite = #s, __VA_ARGS__) struct cr_test

#define CR_CHECK(fatal, good, expected, ...) \
	cr_check(fatal, good, __FILE__, __LINE__, expected, "" __VA_ARGS__)
#define CR_TEXTS(fatal, equal, a, b, ...) \
	cr_check_texts(fatal, equal, a, b, __FILE__, __LINE__, "" __VA_ARGS__)

#define cr_assert(c, ...) CR_CHECK(true, c, #c, __VA_ARGS__)
#define cr_assert_not(c, ...) CR_CHECK(true, !(c), "not " #c, __VA_ARGS__)
#define cr_assert_null(a, ...) CR_CHECK(true, (a) == NULL, #a " is null", __VA_ARGS__)
#define cr_assert_not_null(a, ...) CR_CHECK(true, (a) != NULL, #a " is not null", __VA_ARGS__)
#define cr_assert_eq(a, b, ...) CR_CHECK(true, (a) == (b), #a " == " #b, __VA_ARGS__)
#define cr_assert_neq(a, b, ...) CR_CHECK(true, (a) != (b), #a " != " #b, __VA_ARGS__)
#define cr_assert_lt(a, b, ...) CR_CHECK(true, (a) < (b), #a " < " #b, __VA_ARGS__)
#define cr_assert_leq(a, b, ...) CR_CHECK(true, (a) <= (b), #a " <= " #b, __VA_ARGS__)
#define cr_assert_gt(a, b, ...) CR_CHECK(true, (a) > (b), #a " > " #b, __VA_ARGS__)
#define cr_assert_geq(a, b, ...) CR_CHECK(true, (a) >= (b), #a " >= " #b, __VA_ARGS__)
#define cr_assert_float_eq(a, b, e, ...) \
	CR_CHECK(true, (a) - (b) <= (e) && (b) - (a) <= (e), #a " == " #b, __VA_ARGS__)
#define cr_assert_str_eq(a, b, ...) CR_TEXTS(true, true, a, b, __VA_ARGS__)
#define cr_assert_str_neq(a, b, ...) CR_TEXTS(true, false, a, b, __VA_ARGS__)
#define cr_assert_str_empty(a, ...) CR_TEXTS(true, true, a, "", __VA_ARGS__)
#define cr_assert_arr_eq(a, b, size, ...) \
	CR_CHECK(true, memcmp(a, b, size) == 0, #a " == " #b, __VA_ARGS__)
#define cr_assert_fail(...) CR_CHECK(true, false, "not to get here", __VA_ARGS__)
#define cr_expect(c, ...) CR_CHECK(false, c, #c, __VA_ARGS__)
#define cr_expect_not(c, ...) CR_CHECK(false, !(c), "not " #c, __VA_ARGS__)
#define cr_expect_null(a, ...) CR_CHECK(false, (a) == NULL, #a " is null", __VA_ARGS__)
#define cr_expect_not_null(a, ...) CR_CHECK(false, (a) != NULL, #a " is not null", __VA_ARGS__)
#define cr_expect_eq(a, b, ...) CR_CHECK(false, (a) == (b), #a " == " #b, __VA_ARGS__)
#define cr_expect_neq(a, b, ...) CR_CHECK(false, (a) != (b), #a " != " #b, __VA_ARGS__)
#define cr_expect_lt(a, b, ...) CR_CHECK(false, (a) < (b), #a " < " #b, __VA_ARGS__)
#define cr_expect_leq(a, b, ...) CR_CHECK(false, (a) <= (b), #a " <= " #b, __VA_ARGS__)
#define cr_expect_gt(a, b, ...) CR_CHECK(false, (a) > (b), #a " > " #b, __VA_ARGS__)
#define cr_expect_str_eq(a, b, ...) CR_TEXTS(false, true, a, b, __VA_ARGS__)
#define cr_expect_str_neq(a, b, ...) CR_TEXTS(false, false, a, b, __VA_ARGS__)
#define cr_expect_str_empty(a, ...) CR_TEXTS(false, true, a, "", __VA_ARGS__)

#define cr_skip_test(...) cr_skip("" __VA_ARGS__)
#define cr_log_info(...) (fprintf(stderr, __VA_ARGS__), fputc('\n', stderr))
