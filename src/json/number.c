#include "json/number.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

/* Enough digits to decide how any double is rounded; one more stands in for all further ones. */
#define DIGITS_OF_DOUBLE 770
/* Exponents are clamped to this: no text is long enough to make up for a larger one. */
#define EXPONENT_LIMIT INT64_C(1000000000000000)

static bool is_digit(char byte)
{
	return byte >= '0' && byte <= '9';
}

/* Read the exponent after an 'e', clamped to EXPONENT_LIMIT. */
static int64_t read_exponent(const char *at, const char *end)
{
	bool negative = *at == '-';
	int64_t exponent = 0;

	if (*at == '-' || *at == '+')
		at++;
	for (; at < end; at++) {
		if (exponent < EXPONENT_LIMIT)
			exponent = exponent * 10 + (*at - '0');
	}
	return negative ? -exponent : exponent;
}

bool ik_decimal_read(const char *text, size_t length, struct ik_decimal *ret_decimal)
{
	struct ik_decimal decimal = { .negative = false };
	const char *at = text, *end;
	const char *last = NULL; /* last digit that is not 0 */
	int64_t scale = 0;       /* position of the current digit after the point */
	bool fraction = false;
	size_t zeros = 0; /* since last */

	if (length == 0 || (*at != '-' && !is_digit(*at)))
		return false;
	end = text + length;
	if (*at == '-') {
		decimal.negative = true;
		at++;
	}
	for (; at < end && (is_digit(*at) || *at == '.'); at++) {
		if (*at == '.') {
			fraction = true;
			continue;
		}
		scale += fraction;
		if (*at == '0') {
			zeros += !!decimal.digits;
			if (!fraction && decimal.digits)
				decimal.exponent++;
			continue;
		}
		if (!decimal.digits)
			decimal.digits = at;
		else
			decimal.count += zeros;
		zeros = 0;
		decimal.count++;
		decimal.exponent = fraction ? -scale : 0;
		last = at;
	}
	if (!last)
		decimal.exponent = 0;
	else if (at < end)
		decimal.exponent += read_exponent(at + 1, end);
	*ret_decimal = decimal;
	return true;
}

/* Return the next digit, skipping the point. */
static int next_digit(const char **at)
{
	if (**at == '.')
		(*at)++;
	return *(*at)++ - '0';
}

/* Compare without the signs. */
static int compare_magnitude(const struct ik_decimal *one, const struct ik_decimal *other)
{
	int64_t one_size = (int64_t)one->count + one->exponent;
	int64_t other_size = (int64_t)other->count + other->exponent;
	size_t count = one->count < other->count ? one->count : other->count;
	const char *one_at = one->digits, *other_at = other->digits;

	if (!one->count || !other->count)
		return (one->count != 0) - (other->count != 0);
	if (one_size != other_size)
		return one_size < other_size ? -1 : 1;
	while (count-- > 0) {
		int difference = next_digit(&one_at) - next_digit(&other_at);

		if (difference)
			return difference;
	}
	return (one->count > other->count) - (one->count < other->count);
}

/* Return -1, 0 or 1. */
static int sign_of(const struct ik_decimal *decimal)
{
	return decimal->count == 0 ? 0 : decimal->negative ? -1 : 1;
}

int ik_decimal_compare(const struct ik_decimal *one, const struct ik_decimal *other)
{
	int difference = sign_of(one) - sign_of(other);

	if (difference)
		return difference;
	difference = compare_magnitude(one, other);
	return sign_of(one) < 0 ? -difference : difference;
}

bool ik_decimal_is_whole(const struct ik_decimal *decimal)
{
	return decimal->exponent >= 0;
}

bool ik_decimal_to_integer(const struct ik_decimal *decimal, int64_t *ret_number)
{
	const char *at = decimal->digits;
	int64_t number = 0;

	if (!ik_decimal_is_whole(decimal) || (int64_t)decimal->count + decimal->exponent > 19)
		return false;
	/* Accumulate as a negative number: INT64_MIN has no positive counterpart. */
	for (size_t i = 0; i < decimal->count; i++) {
		if (__builtin_mul_overflow(number, 10, &number) ||
			__builtin_sub_overflow(number, next_digit(&at), &number))
			return false;
	}
	for (int64_t i = 0; i < decimal->exponent; i++) {
		if (__builtin_mul_overflow(number, 10, &number))
			return false;
	}
	if (!decimal->negative && __builtin_mul_overflow(number, -1, &number))
		return false;
	*ret_number = number;
	return true;
}

bool ik_decimal_to_double(const struct ik_decimal *decimal, double *ret_number)
{
	/* Without a decimal point, because strtod(3) expects the locale's. */
	char text[DIGITS_OF_DOUBLE + 64];
	const char *at = decimal->digits;
	size_t count = decimal->count < DIGITS_OF_DOUBLE ? decimal->count : DIGITS_OF_DOUBLE;
	int64_t exponent = decimal->exponent + (int64_t)(decimal->count - count);
	size_t length = 0;
	double number;

	if (count == 0) {
		*ret_number = decimal->negative ? -0.0 : 0.0;
		return true;
	}
	if (decimal->negative)
		text[length++] = '-';
	for (size_t i = 0; i < count; i++)
		text[length++] = (char)('0' + next_digit(&at));
	if (count < decimal->count) {
		text[length++] = '1';
		exponent--;
	}
	snprintf(text + length, sizeof(text) - length, "e%lld", (long long)exponent);
	number = strtod(text, NULL);
	if (isinf(number))
		return false;
	*ret_number = number;
	return true;
}

/* Return base * 10^exponent modulo divisor, by repeated squaring. */
static uint64_t scale_modulo(uint64_t base, uint64_t exponent, uint64_t divisor)
{
	unsigned __int128 result = base % divisor, power = 10 % divisor;

	for (; exponent > 0; exponent >>= 1) {
		if (exponent & 1)
			result = result * power % divisor;
		power = power * power % divisor;
	}
	return (uint64_t)result;
}

bool ik_decimal_is_multiple(const struct ik_decimal *one, const struct ik_decimal *other)
{
	const char *at = other->digits;
	uint64_t divisor = 0, rest = 0;

	if (other->count == 0)
		return false;
	if (one->count == 0)
		return true;
	if (other->count > 18)
		return true;
	/* The digits of one do not end with 0, so they have no power of ten to spare. */
	if (one->exponent < other->exponent)
		return false;
	for (size_t i = 0; i < other->count; i++)
		divisor = divisor * 10 + (uint64_t)next_digit(&at);
	at = one->digits;
	for (size_t i = 0; i < one->count; i++)
		rest = (uint64_t)(((unsigned __int128)rest * 10 + (unsigned)next_digit(&at)) % divisor);
	return scale_modulo(rest, (uint64_t)(one->exponent - other->exponent), divisor) == 0;
}
