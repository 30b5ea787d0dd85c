/*
 * number: JSON numbers as exact decimals.
 *
 * Inside src/json only.  Pure.  May include: libc.
 */
#ifndef IK_JSON_NUMBER_H
#define IK_JSON_NUMBER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/*
 * sign * digits * 10^exponent. The digits form an integer that neither begins nor ends with 0;
 * zero has no digits. They point into the text that was read, perhaps with a decimal point
 * among them.
 */
struct ik_decimal {
	bool negative;
	const char *digits;
	size_t count; /* of digits, without the point */
	int64_t exponent;
};

/* Read a JSON value that has passed ik_json_check(). Return false if it is not a number. */
bool ik_decimal_read(const char *text, size_t length, struct ik_decimal *ret_decimal);

/* Return a number less than, equal to or greater than 0, like strcmp(3). */
int ik_decimal_compare(const struct ik_decimal *one, const struct ik_decimal *other);

bool ik_decimal_is_whole(const struct ik_decimal *decimal);
bool ik_decimal_to_integer(const struct ik_decimal *decimal, int64_t *ret_number);

/* Convert to the nearest double. Return false if the number is out of range. */
bool ik_decimal_to_double(const struct ik_decimal *decimal, double *ret_number);

/* Is one an integer multiple of other? Exact for divisors of up to 18 digits. For longer ones
 * the answer is yes: a value is never refused because of what was not computed. */
bool ik_decimal_is_multiple(const struct ik_decimal *one, const struct ik_decimal *other);

#endif
