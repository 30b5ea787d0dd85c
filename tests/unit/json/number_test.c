#include "json/number.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include <criterion/criterion.h>

static struct ik_decimal decimal(const char *text)
{
	struct ik_decimal decimal;

	cr_assert(ik_decimal_read(text, strlen(text), &decimal), "%s", text);
	return decimal;
}

static int compare(const char *one, const char *other)
{
	struct ik_decimal a = decimal(one), b = decimal(other);
	int forward = ik_decimal_compare(&a, &b), backward = ik_decimal_compare(&b, &a);

	cr_assert_eq((forward > 0) - (forward < 0), (backward < 0) - (backward > 0), "%s %s", one, other);
	return (forward > 0) - (forward < 0);
}

Test(number, compares_exactly)
{
	cr_assert_eq(compare("1", "1.0"), 0);
	cr_assert_eq(compare("100", "1e2"), 0);
	cr_assert_eq(compare("0.010", "1E-2"), 0);
	cr_assert_eq(compare("12.5e1", "125"), 0);
	cr_assert_eq(compare("0", "-0.0e9"), 0);
	cr_assert_eq(compare("9007199254740993", "9007199254740992"), 1);
	cr_assert_eq(compare("0.30000000000000004", "0.3"), 1);
	cr_assert_eq(compare("-2", "-1"), -1);
	cr_assert_eq(compare("-1", "1"), -1);
	cr_assert_eq(compare("0", "1e-400"), -1);
	cr_assert_eq(compare("1e400", "2e399"), 1);
	cr_assert_eq(compare("1e99999999999999999999", "1e400"), 1);
	cr_assert_eq(compare("1001", "1.01e3"), -1);
	cr_assert_eq(compare("10.01", "10.1"), -1);
}

static bool is_multiple(const char *one, const char *other)
{
	struct ik_decimal a = decimal(one), b = decimal(other);

	return ik_decimal_is_multiple(&a, &b);
}

Test(number, multiples_are_exact)
{
	cr_assert(is_multiple("0.3", "0.1"));
	cr_assert(is_multiple("19.99", "0.01"));
	cr_assert(is_multiple("4.35", "0.05"));
	cr_assert(!is_multiple("0.0075", "0.0002"));
	cr_assert(is_multiple("0.0075", "0.0001"));
	cr_assert(is_multiple("0", "7"));
	cr_assert(is_multiple("-21", "7"));
	cr_assert(!is_multiple("22", "7"));
	cr_assert(is_multiple("1e308", "0.5"));
	cr_assert(!is_multiple("1e308", "0.123456789"));
	cr_assert(is_multiple("100", "20"));
	cr_assert(!is_multiple("10", "20"));
	cr_assert(!is_multiple("1", "0"));
	cr_assert(is_multiple("123456789012345678901234567890", "10"));
	cr_assert(is_multiple("1e1000", "7e999") == false);
	cr_assert(is_multiple("7e1000", "7e999"));
}

Test(number, integers_to_their_edges)
{
	int64_t number = 5;
	struct ik_decimal value = decimal("9223372036854775807");

	cr_assert(ik_decimal_to_integer(&value, &number));
	cr_assert_eq(number, INT64_MAX);
	value = decimal("-9223372036854775808");
	cr_assert(ik_decimal_to_integer(&value, &number));
	cr_assert_eq(number, INT64_MIN);
	value = decimal("9223372036854775808");
	cr_assert(!ik_decimal_to_integer(&value, &number));
	value = decimal("-9223372036854775809");
	cr_assert(!ik_decimal_to_integer(&value, &number));
	value = decimal("1e19");
	cr_assert(!ik_decimal_to_integer(&value, &number));
	value = decimal("1.5");
	cr_assert(!ik_decimal_to_integer(&value, &number));
	cr_assert_eq(number, INT64_MIN, "untouched on failure");
	value = decimal("1.50e1");
	cr_assert(ik_decimal_to_integer(&value, &number));
	cr_assert_eq(number, 15);
	value = decimal("-0");
	cr_assert(ik_decimal_to_integer(&value, &number));
	cr_assert_eq(number, 0);
	value = decimal("0e99999999999999999999999");
	cr_assert(ik_decimal_to_integer(&value, &number));
	cr_assert_eq(number, 0);
}

static double to_double(const char *text)
{
	struct ik_decimal value = decimal(text);
	double number = 7;

	cr_assert(ik_decimal_to_double(&value, &number), "%s", text);
	return number;
}

Test(number, doubles)
{
	struct ik_decimal value = decimal("1e400");
	char long_text[2000];
	double number;

	cr_assert_eq(to_double("0.1"), 0.1);
	cr_assert_eq(to_double("-12.5e-1"), -1.25);
	cr_assert_eq(to_double("9007199254740993"), 9007199254740992.0);
	cr_assert_eq(to_double("1e-400"), 0.0);
	cr_assert_eq(to_double("1.7976931348623157e308"), 1.7976931348623157e308);
	cr_assert(signbit(to_double("-0.0")));
	cr_assert(!ik_decimal_to_double(&value, &number));
	/* Halfway between two doubles, except for a digit far beyond the precision. */
	snprintf(long_text, sizeof(long_text), "9007199254740993.%01200d1", 0);
	cr_assert_eq(to_double(long_text), 9007199254740994.0);
}

Test(number, other_types_are_refused)
{
	struct ik_decimal value;

	cr_assert(!ik_decimal_read("\"1\"", 3, &value));
	cr_assert(!ik_decimal_read(NULL, 0, &value));
}
