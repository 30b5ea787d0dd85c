#include "conversation/usage.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include <criterion/criterion.h>

#include "util/limits.h"

TestSuite(usage);

static bool near(double one, double other)
{
	return fabs(one - other) < 1e-9;
}

Test(usage, costs_what_the_prices_say)
{
	struct ik_usage usage = { .input_tokens = 1000000, .output_tokens = 200000,
		.cached_tokens = 600000, .reasoning_tokens = 150000 };
	struct ik_price price = { 3, 15, 0.3, -1, 10 };

	/* Cached tokens are part of the input, reasoning ones of the output. */
	cr_assert(near(ik_usage_cost(&usage, &price), 0.4 * 3 + 0.6 * 0.3 + 0.2 * 15));
	/* Searches are priced by the thousand. */
	usage.searches = 3;
	cr_assert(near(ik_usage_cost(&usage, &price), 0.03 + 0.4 * 3 + 0.6 * 0.3 + 0.2 * 15));
	usage.searches = 0;
	price.cached = -1;
	cr_assert(near(ik_usage_cost(&usage, &price), 3 + 0.2 * 15));
	/* What is written to the cache is part of the input, too, and costs a quarter more. */
	usage.written_tokens = 100000;
	cr_assert(near(ik_usage_cost(&usage, &price), 0.9 * 3 + 0.1 * 3.75 + 0.2 * 15));
	price.written = 6;
	cr_assert(near(ik_usage_cost(&usage, &price), 0.9 * 3 + 0.1 * 6 + 0.2 * 15));
	usage.written_tokens = 0;
	price.output = -1;
	cr_assert(near(ik_usage_cost(&usage, &price), -1));
	usage.output_tokens = 0;
	cr_assert(near(ik_usage_cost(&usage, &price), 3));
	cr_assert(near(ik_usage_cost(&usage, &(struct ik_price)IK_PRICE_UNKNOWN), -1));
	/* Free is a price. */
	cr_assert(near(ik_usage_cost(&usage, &(struct ik_price){ 0, 0, -1, -1, -1 }), 0));
	/* More cached than came in is a provider's slip, no credit. */
	usage.cached_tokens = 2000000;
	cr_assert(near(ik_usage_cost(&usage, &(struct ik_price){ 3, 15, 0.3, -1, 10 }), 0.6));
}

Test(usage, survives_in_a_message)
{
	struct ik_usage usage = { .input_tokens = 5, .output_tokens = 6, .cached_tokens = 1,
		.written_tokens = 4, .reasoning_tokens = 2, .searches = 5, .cost = 0.0125 }, read;
	struct ik_message *message = ik_usage_message(&usage, 3, NULL);
	struct ik_message *other = ik_message_new(IK_KIND_USER, "x", 1, NULL, 0);

	cr_assert(ik_usage_read(message, &read));
	cr_assert_eq(read.input_tokens, 5);
	cr_assert_eq(read.output_tokens, 6);
	cr_assert_eq(read.cached_tokens, 1);
	cr_assert_eq(read.written_tokens, 4);
	cr_assert_eq(read.reasoning_tokens, 2);
	cr_assert_eq(read.searches, 5);
	cr_assert(near(read.cost, 0.0125));
	cr_assert_not(ik_usage_read(other, &read));
	ik_message_unref(message);
	usage.cost = -1;
	message = ik_usage_message(&usage, 3, NULL);
	cr_assert(ik_usage_read(message, &read));
	cr_assert(near(read.cost, -1));
	ik_message_unref(message);
	ik_message_unref(other);
}

Test(usage, adds_up)
{
	struct ik_usage sum = { .cost = -1 };

	ik_usage_add(&sum, &(struct ik_usage){ .input_tokens = 1, .cost = -1 });
	cr_assert(near(sum.cost, -1));
	ik_usage_add(&sum, &(struct ik_usage){ .input_tokens = 2, .cost = 0.5 });
	ik_usage_add(&sum, &(struct ik_usage){ .output_tokens = 7, .cost = -1 });
	ik_usage_add(&sum, &(struct ik_usage){ .input_tokens = 3, .cost = 0.25 });
	cr_assert(near(sum.cost, 0.75));
	cr_assert_eq(sum.input_tokens, 6);
	cr_assert_eq(sum.output_tokens, 7);
}

Test(usage, writes_money)
{
	static const struct { double cost; const char *text; } rows[] = {
		{ 0, "$0.00" }, { 0.00421, "$0.0042" }, { 0.5, "$0.50" }, { 12.345, "$12.35" }, { 123.4, "$123" },
	};

	for (size_t index = 0; index < sizeof rows / sizeof *rows; index++) {
		struct ik_buf out;

		ik_buf_init(&out, IK_KIB(1));
		ik_cost_put(&out, rows[index].cost);
		cr_assert_str_eq(out.data, rows[index].text);
		ik_buf_done(&out);
	}
}
