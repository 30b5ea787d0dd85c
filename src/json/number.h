/*
 * number: JSON numbers as exact decimals.
 *
 * Private to json.  May include: json/scan.h.
 */
#ifndef IK_JSON_NUMBER_H
#define IK_JSON_NUMBER_H

#include "json/scan.h"

/*
 * sign * digits * 10^exponent, with digits an integer that neither begins nor
 * ends with 0; zero has no digits. The digits stay where they were written,
 * perhaps with a point among them.
 */
struct ik_decimal {
	bool negative;
	const char *digits;
	size_t count; /* of digits, the point not counted */
	int64_t exponent;
};

/* False when value is no number. value may be text that was checked or a raw number of a tree. */
bool ik_decimal_read(struct ik_json_span value, struct ik_decimal *ret_decimal);

/* The same of a node; false when it is no number. In json.c. */
struct ik_json;
bool ik_decimal_of(const struct ik_json *json, struct ik_decimal *ret_decimal);

/* Below 0, 0, above 0 as one is less than, equal to, more than other. */
int ik_decimal_compare(const struct ik_decimal *one, const struct ik_decimal *other);

bool ik_decimal_is_whole(const struct ik_decimal *decimal);
bool ik_decimal_to_integer(const struct ik_decimal *decimal, int64_t *ret_number);

/* The nearest double; false where the number is beyond them. */
bool ik_decimal_to_double(const struct ik_decimal *decimal, double *ret_number);

/* Is one a whole multiple of other? Exact; where other has more than 18 digits the answer is
 * yes, as nobody is refused for what was not computed. */
bool ik_decimal_is_multiple(const struct ik_decimal *one, const struct ik_decimal *other);

#endif
