#include "tool/answer.h"

#include "tool/envelope.h"
#include "tool/envelope_cut.h"

/* Record a string that is long enough to be cut. */
static void note_string(void *arg, const struct ik_json_seen *string)
{
	struct ik_answer *answer = arg;

	ik_buf_append(&answer->strings, (const char *)string, sizeof(*string));
}

void ik_answer_init(struct ik_answer *answer, size_t limit)
{
	ik_json_checker_init(&answer->checker);
	answer->checker.mend = true;
	answer->checker.seen = note_string;
	answer->checker.seen_length = IK_CUT_SHORTEST + 1;
	answer->checker.arg = answer;
	/* Large enough for a text of nothing but such strings. */
	ik_buf_init(&answer->strings,
		IK_LIMIT_TOOL_OUTPUT / IK_CUT_SHORTEST * sizeof(struct ik_json_seen));
	/* One byte may become three. */
	ik_buf_init(&answer->repaired, 3 * IK_LIMIT_TOOL_OUTPUT);
	answer->limit = limit;
	answer->text = NULL;
	answer->length = answer->at = answer->cut_length = 0;
}

void ik_answer_done(struct ik_answer *answer)
{
	ik_buf_done(&answer->strings);
	ik_buf_done(&answer->repaired);
}

void ik_answer_feed(struct ik_answer *answer, const char *bytes, size_t length)
{
	ik_json_checker_feed(&answer->checker, bytes, length);
}

bool ik_answer_end(struct ik_answer *answer, const char *text, size_t length)
{
	answer->text = text;
	answer->length = length;
	return ik_json_checker_end(&answer->checker);
}

bool ik_answer_repair(struct ik_answer *answer, size_t slice)
{
	size_t left = answer->length - answer->at;

	if (!answer->checker.mended)
		return true;
	if (answer->at == 0)
		ik_buf_reserve(&answer->repaired, answer->length + (size_t)answer->checker.grown);
	answer->at = ik_json_repair_from(&answer->repaired, answer->text, answer->length, answer->at,
		answer->at + (left < slice ? left : slice));
	if (ik_buf_status(&answer->repaired) == IK_OK && answer->at < answer->length)
		return false;
	answer->text = answer->repaired.data;
	answer->length = answer->repaired.length;
	return true;
}

struct ik_json_span ik_answer_value(const struct ik_answer *answer)
{
	const struct ik_json_checker *checker = &answer->checker;

	if (ik_buf_status(&answer->repaired) != IK_OK)
		return (struct ik_json_span){ .text = NULL };
	return (struct ik_json_span){ answer->text + checker->value_start,
		checker->value_end - checker->value_start };
}

/* Return the long strings of the value. */
static const struct ik_json_seen *strings_of(const struct ik_answer *answer, size_t *ret_count)
{
	/* Without memory for the list, cut as if there were none. */
	*ret_count = ik_buf_status(&answer->strings) != IK_OK
		? 0
		: answer->strings.length / sizeof(struct ik_json_seen);
	return (const void *)answer->strings.data;
}

bool ik_answer_cut(struct ik_answer *answer, struct ik_output_files *files)
{
	struct ik_json_span value = ik_answer_value(answer);
	size_t count;
	const struct ik_json_seen *strings = strings_of(answer, &count);

	if (value.length <= answer->limit)
		return false;
	answer->cut_length = ik_cut_length(value.length, strings, count, answer->limit,
		ik_output_files_path_length(files));
	if (answer->cut_length == 0)
		ik_output_files_add(files, value, false);
	for (size_t i = 0; answer->cut_length > 0 && i < count; i++) {
		if (strings[i].length > answer->cut_length)
			ik_output_files_add(files,
				(struct ik_json_span){ answer->text + strings[i].start, strings[i].length }, true);
	}
	return true;
}

void ik_answer_put(const struct ik_answer *answer, const char *const *paths, struct ik_buf *out)
{
	struct ik_json_span value = ik_answer_value(answer);
	size_t count;
	const struct ik_json_seen *strings = strings_of(answer, &count);
	bool cut = value.length > answer->limit;

	ik_envelope_open(out);
	if (cut)
		ik_cut_json(out, answer->text, value, strings, count, answer->cut_length, answer->limit,
			paths);
	else
		ik_buf_append(out, value.text, value.length);
	ik_envelope_close(out, cut);
}
