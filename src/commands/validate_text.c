#include "commands/validate_text.h"

#include <stdlib.h>
#include <string.h>

#include "commands/tool_view.h"
#include "core/print.h"
#include "json/scan.h"
#include "tool/envelope.h"
#include "util/alloc.h"
#include "util/cluster.h"
#include "util/limits.h"
#include "util/path.h"
#include "util/text.h"
#include "util/utf8.h"

/* So much of an envelope, of standard error, and of a line of the file is shown. */
enum { ENVELOPE_SHOWN = 2000, EXCERPT_SHOWN = 200 };
/* A schema that needs more is told of: it is sent with every request. */
enum { SCHEMA_BYTES_MUCH = 4096 };

static void put(struct ik_validate_text *text, char *line)
{
	if (ik_print(line, strlen(line)) != 0)
		text->broken = true;
	free(line);
}

/* "  word    sentence": the words are of one width. */
static void put_finding(struct ik_validate_text *text, const char *word, char *sentence)
{
	int width = (int)ik_utf8_width(word, strlen(word));

	put(text, ik_format("  %s%*s  %s\n", word, width < 6 ? 6 - width : 0, "", sentence));
	free(sentence);
}

void ik_validate_begin(struct ik_validate_text *text, const char *operand)
{
	put(text, ik_format("%s%s\n", text->tools > 0 ? "\n" : "", operand));
	text->tools++;
}

void ik_validate_ok(struct ik_validate_text *text, char *sentence)
{
	put_finding(text, _("ok"), sentence);
}

void ik_validate_fault(struct ik_validate_text *text, const char *code, char *sentence)
{
	char *whole = ik_format("%s: %s", code, sentence);

	free(sentence);
	text->faults++;
	put_finding(text, _("wrong"), whole);
}

void ik_validate_advice(struct ik_validate_text *text, char *sentence, int line)
{
	char *whole = line > 0 ? ik_format(_("line %d: %s"), line, sentence) : ik_strdup(sentence);

	free(sentence);
	text->advice++;
	put_finding(text, _("advice"), whole);
}

char *ik_validate_excerpt(const char *bytes, size_t length)
{
	char *copy;
	size_t i;

	while (length > 0 && strchr(" \t\r\n", bytes[0])) {
		bytes++;
		length--;
	}
	if (length == 0)
		return ik_strdup("");
	copy = ik_strndup(bytes, ik_utf8_cut(bytes, length, EXCERPT_SHOWN));
	for (i = 0; copy[i] != '\0'; i++)
		if (copy[i] == '\n' || copy[i] == '\r' || copy[i] == '\t')
			copy[i] = ' ';
	while (i > 0 && copy[i - 1] == ' ')
		copy[--i] = '\0';
	return copy;
}

/* A line without the blanks around it. */
static struct ik_json_span trim(const char *start, const char *end)
{
	while (start < end && strchr(" \t\r,", *start))
		start++;
	while (start < end && strchr(" \t\r,", end[-1]))
		end--;
	return (struct ik_json_span){ start, (size_t)(end - start) };
}

/* Line number of a text, trimmed; no value when there is none. */
static struct ik_json_span line_of(const char *text, int number)
{
	const char *end;

	while (--number > 0 && (text = strchr(text, '\n')))
		text++;
	if (!text)
		return (struct ik_json_span){ NULL, 0 };
	end = strchr(text, '\n');
	return trim(text, end ? end : text + strlen(text));
}

/* The one line of the file that is that line of the announcement; 0: none, or several. */
static int find_in_file(const char *path, const char *announcement, int line)
{
	struct ik_json_span wanted = line_of(announcement, line);
	struct ik_buf file;
	int found = 0, number = 1;
	const char *at, *end;

	if (wanted.length == 0)
		return 0;
	ik_buf_init(&file, IK_LIMIT_SCHEMA);
	/* A binary holds its schema, too, but nobody changes it there. */
	if (ik_file_read(path, &file, NULL) != IK_OK || !ik_text_starts(file.data, "#!")) {
		ik_buf_done(&file);
		return 0;
	}
	for (at = file.data; at; at = end ? end + 1 : NULL, number++) {
		struct ik_json_span here;

		end = strchr(at, '\n');
		here = trim(at, end ? end : at + strlen(at));
		if (here.length != wanted.length || memcmp(here.text, wanted.text, here.length) != 0)
			continue;
		if (found != 0) {
			ik_buf_done(&file);
			return 0;
		}
		found = number;
	}
	ik_buf_done(&file);
	return found;
}

void ik_validate_finding(struct ik_validate_text *text, const char *path, const char *announcement,
	const struct ik_finding *finding)
{
	int line = finding->line > 0 ? find_in_file(path, announcement, finding->line) : 0;
	char *sentence;

	if (line > 0)
		sentence = ik_format("%s:%d: %s", ik_path_base(path), line, finding->sentence);
	else if (finding->line > 0)
		sentence = ik_format(_("line %d of what it prints: %s"), finding->line, finding->sentence);
	else
		sentence = ik_strdup(finding->sentence);
	if (finding->fault)
		ik_validate_fault(text, finding->code, sentence);
	else
		ik_validate_advice(text, sentence, 0);
}

/* Text of JSON, indented, cut where it is long. */
static void put_json(struct ik_validate_text *text, const char *json, size_t length)
{
	size_t shown = ik_utf8_cut(json, length, ENVELOPE_SHOWN);

	put(text, ik_format("          %.*s%s\n", (int)shown, json, shown < length ? "…" : ""));
}

/* What the envelope of a failed call says of the tool; new memory. */
static char *explain(const struct ik_tool *tool, struct ik_json_span envelope)
{
	struct ik_json_span code = ik_json_member(envelope, "error_code");
	int64_t status = 0;

	(void)ik_json_integer(ik_json_member(envelope, "exit_code"), &status);
	if (ik_json_string_is(code, "TOOL_CRASHED"))
		return ik_format(_("called with {} it ends with exit code %d; answer {\"error\": \"...\", "
						   "\"error_code\": \"...\"} and exit with 0, so that the model can mend "
						   "its call"),
			(int)status);
	if (ik_json_string_is(code, "INVALID_OUTPUT"))
		return ik_strdup(_("called with {} it prints no JSON; print one JSON value on standard "
						   "output, "
						   "and everything else on standard error"));
	if (ik_json_string_is(code, "TOOL_TIMEOUT"))
		return ik_strdup(_("called with {} it does not end; read standard input to its end, "
						   "answer, "
						   "exit; a tool that needs longer says \"timeout_s\" in its schema"));
	return ik_format(_("called with {} tool \"%s\" could not be run"), tool->name);
}

void ik_validate_run(struct ik_validate_text *text, const struct ik_tool *tool,
	bool needs_arguments, const char *envelope, size_t length)
{
	struct ik_json_span value = { envelope, length };
	char *sentence, *code;

	if (ik_envelope_succeeded(value)) {
		ik_validate_ok(text, ik_strdup(_("called with {} it answers; a model would see")));
	} else if (tool->protocol == IK_PROTOCOL_KODELET) {
		/* There an error is an exit status. */
		ik_validate_ok(text, ik_strdup(_("called with {} it fails; a model would see")));
	} else {
		sentence = explain(tool, value);
		code = ik_json_string_new(ik_json_member(value, "error_code"), NULL);
		if (needs_arguments)
			ik_validate_advice(text, sentence, 0);
		else
			ik_validate_fault(text, code ? code : "", sentence);
		free(code);
	}
	put_json(text, envelope, length);
}

void ik_validate_views(struct ik_validate_text *text, const struct ik_config *config,
	const struct ik_tool *tool)
{
	static const char *const providers[] = { "openai", "anthropic", "google" };
	struct ik_json_span value;
	struct ik_buf view;
	bool strict = false;
	size_t i;

	put(text, ik_format("  %s\n", _("What providers are told of it with each request:")));
	for (i = 0; i < sizeof(providers) / sizeof(*providers); i++) {
		ik_buf_init(&view, IK_LIMIT_ENVELOPE);
		if (ik_tool_view(config, providers[i], tool, &view, NULL) == IK_OK &&
			ik_json_check(view.data, view.length, &value, NULL) == IK_OK) {
			strict = ik_json_bool(ik_json_member(value, "strict"), &strict) && strict;
			put(text,
				ik_format(ngettext("  %-9s  %zu byte%s\n", "  %-9s  %zu bytes%s\n", view.length),
					providers[i], view.length,
					i == 0 ? strict ? _(", strict") : _(", not strict") : ""));
			put_json(text, view.data, view.length);
			if (i == 1 && view.length > SCHEMA_BYTES_MUCH)
				ik_validate_advice(text,
					ik_format(_("its schema is sent with every request; can it do "
								"with less than %zu bytes?"),
						view.length),
					0);
		}
		ik_buf_done(&view);
	}
}

int ik_validate_end(struct ik_validate_text *text)
{
	char *faults = ik_format(ngettext("%d thing wrong", "%d things wrong", text->faults),
		text->faults);
	char *advice = ik_format(ngettext("%d piece of advice", "%d pieces of advice", text->advice),
		text->advice);

	/* Translators: the two parts are "1 thing wrong" and "2 pieces of advice". */
	put(text,
		ik_format(ngettext("\n%d executable: %s, %s\n", "\n%d executables: %s, %s\n", text->tools),
			text->tools, faults, advice));
	free(faults);
	free(advice);
	return text->faults + text->broken;
}
