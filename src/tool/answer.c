#include "tool/answer.h"

#include "json/scan.h"
#include "tool/envelope.h"
#include "tool/envelope_cut.h"

/* Note a string that is long enough to be cut. */
static void note_string(void *arg, const struct ik_json_seen *string)
{
	struct ik_answer *answer = arg;

	ik_buf_append(&answer->strings, (const char *)string, sizeof *string);
}

void ik_answer_init(struct ik_answer *answer, size_t limit)
{
	ik_json_checker_init(&answer->checker);
	answer->checker.mend = true;
	answer->checker.seen = note_string;
	answer->checker.seen_length = IK_CUT_SHORTEST + 1;
	answer->checker.arg = answer;
	/* A text of nothing but such strings. */
	ik_buf_init(&answer->strings,
		IK_LIMIT_TOOL_OUTPUT / IK_CUT_SHORTEST * sizeof(struct ik_json_seen));
	/* One byte may become three. */
	ik_buf_init(&answer->repaired, 3 * IK_LIMIT_TOOL_OUTPUT);
	answer->limit = limit;
	answer->text = NULL;
	answer->length = answer->at = 0;
	answer->writing = false;
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

bool ik_answer_begin(struct ik_answer *answer, const char *text, size_t length)
{
	answer->text = text;
	answer->length = length;
	return ik_json_checker_end(&answer->checker);
}

/* Repair a slice. Returns whether the text is whole and in order. */
static bool repair(struct ik_answer *answer, struct ik_buf *out, size_t slice)
{
	size_t left = answer->length - answer->at;

	if (!answer->checker.mended)
		return true;
	if (answer->at == 0)
		ik_buf_reserve(&answer->repaired, answer->length + (size_t)answer->checker.grown);
	answer->at = ik_json_repair_from(&answer->repaired, answer->text, answer->length, answer->at,
		answer->at + (left < slice ? left : slice));
	if (ik_buf_status(&answer->repaired) != IK_OK) {
		out->status = ik_buf_status(&answer->repaired);
		return true; /* nothing is appended any more */
	}
	if (answer->at < answer->length)
		return false;
	answer->checker.mended = false;
	answer->text = answer->repaired.data;
	answer->length = answer->repaired.length;
	answer->at = 0;
	return true;
}

/* Write the value shorter than it is. */
static void put_cut(struct ik_answer *answer, struct ik_buf *out, struct ik_json_span value)
{
	const struct ik_json_seen *strings = (const void *)answer->strings.data;
	size_t count = answer->strings.length / sizeof *strings;

	/* Without memory for the list it is as if there were no long strings. */
	if (ik_buf_status(&answer->strings) != IK_OK)
		count = 0;
	ik_cut_json(out, answer->text, value, strings, count, answer->limit);
	ik_envelope_close(out, true);
}

bool ik_answer_write(struct ik_answer *answer, struct ik_buf *out, size_t slice)
{
	struct ik_json_span value;
	size_t left;

	if (!repair(answer, out, slice))
		return false;
	if (ik_buf_status(out) != IK_OK)
		return true;
	value.text = answer->text + answer->checker.value_start;
	value.length = answer->checker.value_end - answer->checker.value_start;
	if (!answer->writing) {
		answer->writing = true;
		ik_envelope_open(out);
		if (value.length > answer->limit) {
			put_cut(answer, out, value);
			return true;
		}
		ik_buf_reserve(out, value.length + 1);
	}
	left = value.length - answer->at;
	ik_buf_append(out, value.text + answer->at, left < slice ? left : slice);
	answer->at += left < slice ? left : slice;
	if (answer->at < value.length && ik_buf_status(out) == IK_OK)
		return false;
	ik_envelope_close(out, false);
	return true;
}
