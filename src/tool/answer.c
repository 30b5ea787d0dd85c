#include "tool/answer.h"

#include "json/scan.h"
#include "tool/envelope.h"
#include "tool/envelope_cut.h"

/* Record a string that is long enough to be cut. */
static void note_string(void *arg, const struct ik_json_seen *string)
{
	struct ik_answer *answer = arg;

	ik_buf_append(&answer->strings, (const char *)string, sizeof(*string));
}

void ik_answer_init(struct ik_answer *answer, size_t limit, struct ik_output_files *files)
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
	/* At least so much of each cut string is written. */
	ik_buf_init(&answer->paths, (limit / IK_CUT_SHORTEST + 1) * sizeof(const char *));
	answer->limit = limit;
	answer->text = NULL;
	answer->length = answer->at = 0;
	answer->writing = false;
	answer->files = files;
	answer->cut_length = answer->keeping = answer->kept = 0;
}

void ik_answer_done(struct ik_answer *answer)
{
	ik_buf_done(&answer->strings);
	ik_buf_done(&answer->repaired);
	ik_buf_done(&answer->paths);
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

/* Repair a slice of the text. Return whether it was the last. */
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
		return true; /* the buffer takes no more */
	}
	if (answer->at < answer->length)
		return false;
	answer->checker.mended = false;
	answer->text = answer->repaired.data;
	answer->length = answer->repaired.length;
	answer->at = 0;
	return true;
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

/* Write a slice of a cut text to its file. Return whether it was the last. */
static bool keep_text(struct ik_answer *answer, struct ik_json_span text, bool decode, size_t slice)
{
	size_t left = text.length - answer->kept;
	struct ik_buf piece;
	bool more;

	if (answer->kept == 0)
		ik_output_files_begin(answer->files);
	if (!decode) {
		ik_output_files_write(answer->files, text.text + answer->kept, left < slice ? left : slice);
		answer->kept += left < slice ? left : slice;
		return answer->kept == text.length;
	}
	ik_buf_init(&piece, slice + IK_CUT_SHORTEST);
	more = ik_json_string_slice(text, &answer->kept, slice, &piece);
	ik_output_files_write(answer->files, piece.data, piece.length);
	ik_buf_done(&piece);
	return !more;
}

/* Write a slice of all cut texts to their files. Return whether it was the last. */
static bool keep_texts(struct ik_answer *answer, struct ik_json_span value, size_t slice)
{
	size_t count;
	const struct ik_json_seen *strings = strings_of(answer, &count);
	const char *path = NULL;

	if (answer->keeping == 0 && answer->kept == 0)
		answer->cut_length = ik_cut_length(value.length, strings, count, answer->limit,
			answer->files ? ik_output_files_path_length(answer->files) : 0);
	if (answer->cut_length == 0) {
		if (answer->files && !keep_text(answer, value, false, slice))
			return false;
		path = answer->files ? ik_output_files_end(answer->files) : NULL;
		ik_buf_append(&answer->paths, (const char *)&path, sizeof(path));
		return true;
	}
	for (; answer->keeping < count; answer->keeping++) {
		const struct ik_json_seen *string = &strings[answer->keeping];

		if (string->length <= answer->cut_length)
			continue;
		if (answer->files) {
			const struct ik_json_span text = { answer->text + string->start, string->length };

			if (!keep_text(answer, text, true, slice))
				return false;
			path = ik_output_files_end(answer->files);
		}
		ik_buf_append(&answer->paths, (const char *)&path, sizeof(path));
		answer->kept = 0;
	}
	return true;
}

/* Write the value with its strings cut. */
static void put_cut(struct ik_answer *answer, struct ik_buf *out, struct ik_json_span value)
{
	size_t count;
	const struct ik_json_seen *strings = strings_of(answer, &count);

	ik_envelope_open(out);
	if (ik_buf_status(&answer->paths) == IK_OK)
		ik_cut_json(out, answer->text, value, strings, count, answer->cut_length, answer->limit,
			(const void *)answer->paths.data);
	else
		out->status = ik_buf_status(&answer->paths);
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
	if (value.length > answer->limit) {
		if (!keep_texts(answer, value, slice))
			return false;
		put_cut(answer, out, value);
		return true;
	}
	if (!answer->writing) {
		answer->writing = true;
		ik_envelope_open(out);
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
