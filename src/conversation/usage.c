#include "conversation/usage.h"

#include <stdlib.h>
#include <string.h>

#include "json/write.h"
#include "util/alloc.h"
#include "util/limits.h"
#include "util/text.h"

double ik_usage_cost(const struct ik_usage *usage, const struct ik_price *price)
{
	double cached = price->cached >= 0 ? price->cached : price->input;
	double written = price->written >= 0 ? price->written : price->input * IK_PRICE_WRITTEN;
	int64_t fresh = usage->input_tokens - usage->cached_tokens - usage->written_tokens;
	double searches = price->search > 0 ? (double)usage->searches * price->search / 1e3 : 0;

	if ((usage->input_tokens > 0 && price->input < 0) ||
		(usage->output_tokens > 0 && price->output < 0))
		return -1;
	if (price->input < 0 && price->output < 0)
		return -1;
	return searches +
		((double)(fresh > 0 ? fresh : 0) * price->input + (double)usage->cached_tokens * cached +
			(double)usage->written_tokens * written +
			(double)usage->output_tokens * price->output) /
		1e6;
}

struct ik_message *ik_usage_message(const struct ik_usage *usage, int round, const char *model)
{
	char *content = ik_format(_("%lld tokens in, %lld out"), (long long)usage->input_tokens,
		(long long)usage->output_tokens);
	struct ik_message *message;
	struct ik_buf data;

	ik_buf_init(&data, IK_KIB(1));
	ik_json_printf(&data,
		"{'input_tokens':%lld,'output_tokens':%lld,'cached_tokens':%lld,'written_tokens':%lld,"
		"'reasoning_tokens':%lld,'round':%d",
		(long long)usage->input_tokens, (long long)usage->output_tokens,
		(long long)usage->cached_tokens, (long long)usage->written_tokens,
		(long long)usage->reasoning_tokens, round);
	if (usage->searches > 0)
		ik_json_printf(&data, "'searches':%lld", (long long)usage->searches);
	if (usage->cost >= 0)
		ik_json_printf(&data, "'cost':%g", usage->cost);
	if (model)
		ik_json_printf(&data, "'model':'%s'", model);
	ik_json_printf(&data, "}");
	message = ik_message_new(IK_KIND_USAGE, content, strlen(content), data.data, data.length);
	ik_buf_done(&data);
	free(content);
	return message;
}

bool ik_usage_read(const struct ik_message *message, struct ik_usage *ret_usage)
{
	struct ik_json_span data = ik_message_data(message);
	struct ik_usage usage = { .cost = -1 };

	if (message->kind != IK_KIND_USAGE)
		return false;
	(void)ik_json_integer(ik_json_member(data, "input_tokens"), &usage.input_tokens);
	(void)ik_json_integer(ik_json_member(data, "output_tokens"), &usage.output_tokens);
	(void)ik_json_integer(ik_json_member(data, "cached_tokens"), &usage.cached_tokens);
	(void)ik_json_integer(ik_json_member(data, "written_tokens"), &usage.written_tokens);
	(void)ik_json_integer(ik_json_member(data, "reasoning_tokens"), &usage.reasoning_tokens);
	(void)ik_json_integer(ik_json_member(data, "searches"), &usage.searches);
	(void)ik_json_double(ik_json_member(data, "cost"), &usage.cost);
	*ret_usage = usage;
	return true;
}

void ik_usage_add(struct ik_usage *sum, const struct ik_usage *usage)
{
	sum->input_tokens += usage->input_tokens;
	sum->output_tokens += usage->output_tokens;
	sum->cached_tokens += usage->cached_tokens;
	sum->written_tokens += usage->written_tokens;
	sum->reasoning_tokens += usage->reasoning_tokens;
	sum->searches += usage->searches;
	if (usage->cost >= 0)
		sum->cost = (sum->cost > 0 ? sum->cost : 0) + usage->cost;
}

void ik_cost_put(struct ik_buf *out, double cost)
{
	int digits = 2;

	if (cost >= 100)
		digits = 0;
	else if (cost > 0 && cost < 0.1)
		digits = 4;
	/* Round up a little, so that sums don't look different when added in another order. */
	ik_buf_printf(out, "$%.*f", digits, cost + 1e-9);
}
