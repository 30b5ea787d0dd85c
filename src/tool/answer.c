#include "tool/answer.h"

#include "tool/envelope.h"
#include "tool/envelope_cut.h"
#include "util/limits.h"

void ik_answer_init(struct ik_answer *answer, size_t limit)
{
	*answer = (struct ik_answer){ .limit = limit };
	/* One byte may become three. */
	ik_buf_init(&answer->repaired, 3 * IK_LIMIT_TOOL_OUTPUT);
	/* Large enough for a text of nothing but such strings. */
	ik_buf_init(&answer->strings,
		IK_LIMIT_TOOL_OUTPUT / IK_CUT_SHORTEST * sizeof(struct ik_json_span));
}

void ik_answer_done(struct ik_answer *answer)
{
	ik_buf_done(&answer->strings);
	ik_buf_done(&answer->repaired);
}

bool ik_answer_read(struct ik_answer *answer, const char *text, size_t length)
{
	struct ik_buf *repaired = &answer->repaired;

	if (ik_json_check(text, length, &answer->value, NULL) == IK_OK)
		return true;
	ik_json_repair(repaired, text, length);
	return ik_buf_status(repaired) == IK_OK &&
		ik_json_check(repaired->data, repaired->length, &answer->value, NULL) == IK_OK;
}

/* Return the long strings of the value. */
static const struct ik_json_span *strings_of(const struct ik_answer *answer, size_t *ret_count)
{
	/* Without memory for the list, cut as if there were none. */
	*ret_count = ik_buf_status(&answer->strings) != IK_OK
		? 0
		: answer->strings.length / sizeof(struct ik_json_span);
	return (const void *)answer->strings.data;
}

bool ik_answer_cut(struct ik_answer *answer, struct ik_output_files *files)
{
	struct ik_json_walk walk = { NULL };
	const struct ik_json_span *strings;
	struct ik_json_span string;
	size_t count;

	if (answer->value.length <= answer->limit)
		return false;
	while (ik_json_next_string(answer->value, &walk, &string)) {
		if (string.length > IK_CUT_SHORTEST)
			ik_buf_append(&answer->strings, (const char *)&string, sizeof(string));
	}
	strings = strings_of(answer, &count);
	answer->cut_length = ik_cut_length(answer->value.length, strings, count, answer->limit,
		ik_output_files_path_length(files));
	if (answer->cut_length == 0)
		ik_output_files_add(files, answer->value, false);
	for (size_t i = 0; answer->cut_length > 0 && i < count; i++) {
		if (strings[i].length > answer->cut_length)
			ik_output_files_add(files, strings[i], true);
	}
	return true;
}

/* Append a string cut to that length. */
static void put_cut_string(struct ik_buf *out, struct ik_json_span string, size_t length,
	const char *path)
{
	struct ik_buf text;

	ik_buf_init(&text, string.length);
	(void)ik_json_string(string, &text);
	if (ik_buf_status(&text) == IK_OK)
		ik_cut_text(out, text.data, text.length, length, IK_CUT_MIDDLE, path);
	else
		out->status = ik_buf_status(&text);
	ik_buf_done(&text);
}

/* Append the value with its long strings cut. */
static void put_cut_value(const struct ik_answer *answer, const char *const *paths,
	struct ik_buf *out)
{
	struct ik_json_span value = answer->value;
	const char *copied = value.text;
	size_t count;
	const struct ik_json_span *strings = strings_of(answer, &count);

	if (answer->cut_length == 0) {
		ik_cut_text(out, value.text, value.length, answer->limit, IK_CUT_MIDDLE,
			paths ? paths[0] : NULL);
		return;
	}
	for (size_t i = 0; i < count; i++) {
		if (strings[i].length <= answer->cut_length)
			continue;
		ik_buf_append(out, copied, (size_t)(strings[i].text - copied));
		put_cut_string(out, strings[i], answer->cut_length, paths ? *paths++ : NULL);
		copied = strings[i].text + strings[i].length;
	}
	ik_buf_append(out, copied, (size_t)(value.text + value.length - copied));
}

void ik_answer_put(const struct ik_answer *answer, const char *const *paths, struct ik_buf *out)
{
	bool cut = answer->value.length > answer->limit;

	ik_envelope_open(out);
	if (cut)
		put_cut_value(answer, paths, out);
	else
		ik_buf_append(out, answer->value.text, answer->value.length);
	ik_envelope_close(out, cut);
}
