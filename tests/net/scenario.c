#include "scenario.h"

#include "speech.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "util/alloc.h"
#include "util/limits.h"
#include "util/path.h"
#include "util/utf8.h"

/* The parser's state. */
struct parser {
	const char *path;
	int line;
	char *at;              /* the rest of the line */
	struct answer *answer; /* NULL before the first */
	struct speech speech;  /* of the present answer */
	struct ik_error *error;
};

static enum ik_status wrong(struct parser *parser, const char *what)
{
	return ik_error_set(parser->error, IK_INVALID, "%s:%d: %s", parser->path, parser->line, what);
}

/* Return the next word of the line; "" at its end. */
static char *word(struct parser *parser)
{
	char *begin = parser->at + strspn(parser->at, " \t");
	char *end = begin + strcspn(begin, " \t");

	parser->at = *end ? end + 1 : end;
	*end = '\0';
	return begin;
}

/* Read a number that is not negative; false: there is none. */
static bool number(struct parser *parser, int64_t *ret_number)
{
	char *text = word(parser), *end;

	errno = 0;
	long long value = strtoll(text, &end, 10);
	if (end == text || *end || errno || value < 0)
		return false;
	*ret_number = value;
	return true;
}

/* Append text with its escapes decoded; false at a bad one. */
static bool decode(const char *text, struct ik_buf *out)
{
	static const char letters[] = "nrt0\\", meanings[] = "\n\r\t\0\\";

	while (*text) {
		if (*text != '\\') {
			ik_buf_putc(out, *text++);
			continue;
		}
		const char *letter = text[1] ? strchr(letters, text[1]) : NULL;
		char hex[3] = "", *end = hex;
		if (letter) {
			ik_buf_putc(out, meanings[letter - letters]);
			text += 2;
			continue;
		}
		if (text[1] != 'x' || !text[2] || !text[3])
			return false;
		memcpy(hex, text + 2, 2);
		ik_buf_putc(out, (char)strtoul(hex, &end, 16));
		if (end != hex + 2)
			return false;
		text += 4;
	}
	return true;
}

static struct step *add_step(struct parser *parser, enum step_kind kind)
{
	struct answer *answer = parser->answer;
	answer->steps = ik_alloc_array(answer->steps, answer->step_count + 1, sizeof *answer->steps);
	struct step *step = &answer->steps[answer->step_count++];

	memset(step, 0, sizeof *step);
	step->kind = kind;
	ik_buf_init(&step->text, IK_LIMIT_REPLY);
	return step;
}

/* chat, thinking: TEXT */
static enum ik_status read_text(struct parser *parser, char kind)
{
	struct ik_buf text;
	ik_buf_init(&text, IK_LIMIT_REPLY);
	bool good = decode(parser->at, &text);

	if (good)
		speech_text(&parser->speech, kind, text.data, text.length,
			&add_step(parser, STEP_SEND)->text);
	ik_buf_done(&text);
	return good ? IK_OK : wrong(parser, "a bad escape");
}

/* call INDEX ID NAME [JSON], arguments INDEX JSON */
static enum ik_status read_call(struct parser *parser, bool is_begin)
{
	int64_t index;
	if (!number(parser, &index))
		return wrong(parser, "the index of the call is missing");
	const char *id = is_begin ? word(parser) : NULL;
	const char *name = is_begin ? word(parser) : NULL;
	const char *arguments = parser->at + strspn(parser->at, is_begin ? " \t" : "");
	struct ik_buf *out = &add_step(parser, STEP_SEND)->text;

	if (is_begin)
		speech_call(&parser->speech, index, id, name, arguments, out);
	else
		speech_arguments(&parser->speech, index, arguments, out);
	return IK_OK;
}

/* error KIND TEXT: an event, or the body where the status is one of failure */
static enum ik_status read_error(struct parser *parser)
{
	const char *kind = word(parser);

	return speech_error(&parser->speech, kind, parser->at, parser->answer->status == 200,
			   &add_step(parser, STEP_SEND)->text)
		? IK_OK
		: wrong(parser, "error overloaded, limit, server, invalid, key or missing");
}

static enum ik_status read_usage(struct parser *parser)
{
	int64_t input, output;
	if (!number(parser, &input) || !number(parser, &output))
		return wrong(parser, "usage INPUT OUTPUT");
	speech_usage(&parser->speech, input, output, &add_step(parser, STEP_SEND)->text);
	return IK_OK;
}

/* Append a file that is named relative to the scenario. */
static enum ik_status read_file(struct parser *parser, const char *name, struct ik_buf *out)
{
	char *directory = ik_strndup(parser->path, (size_t)(ik_path_base(parser->path) - parser->path));
	char *path = *directory ? ik_path_join(directory, name) : ik_strdup(name);
	enum ik_status status = ik_file_read(path, out, parser->error);

	free(directory);
	free(path);
	return status;
}

/* text PATH BYTES [MICROSECONDS], generate COUNT BYTES [MICROSECONDS] */
static enum ik_status read_stream(struct parser *parser, bool is_file)
{
	static const char made_up[] = "the water runs past the old mill and nobody counts its turns\n";
	struct step *step = add_step(parser, STEP_STREAM);
	int64_t count = 0, bytes;

	if (is_file) {
		enum ik_status status = read_file(parser, word(parser), &step->text);
		if (status != IK_OK)
			return status;
	} else if (!number(parser, &count)) {
		return wrong(parser, "how many pieces?");
	}
	if (!number(parser, &bytes) || bytes < 4 || bytes > 1 << 24 || count > 1 << 24)
		return wrong(parser, "pieces of how many bytes (at least 4)?");
	step->size = (size_t)bytes;
	if (*parser->at && !number(parser, &step->number))
		return wrong(parser, "how many microseconds apart?");
	for (int64_t at = 0; at < count * bytes; at += (int64_t)sizeof made_up - 1) {
		int64_t rest = count * bytes - at;
		ik_buf_append(&step->text, made_up,
			rest < (int64_t)sizeof made_up - 1 ? (size_t)rest : sizeof made_up - 1);
	}
	return ik_buf_check(&step->text, "the generated text", parser->error);
}

static enum ik_status begin_answer(struct parser *parser, struct scenario *scenario)
{
	const char *times = word(parser);
	char *end;

	scenario->answers = ik_alloc_array(scenario->answers, scenario->count + 1,
		sizeof *scenario->answers);
	struct answer *answer = parser->answer = &scenario->answers[scenario->count++];
	memset(answer, 0, sizeof *answer);
	answer->status = 200;
	ik_buf_init(&answer->headers, IK_MIB(1));
	speech_done(&parser->speech);
	if (strcmp(times, "always") == 0) {
		answer->left = -1;
		return IK_OK;
	}
	answer->left = *times ? strtoll(times, &end, 10) : 1;
	return *times && (*end || answer->left < 1) ? wrong(parser, "answer [N | always]") : IK_OK;
}

/* when, status, header, framing: which requests, and the head. *ret_known says
 * whether it was one of these. */
static enum ik_status read_setting(struct parser *parser, const char *name, bool *ret_known)
{
	static const char *const framings[] = { "chunked", "length", "close", "raw" };
	struct answer *answer = parser->answer;
	int64_t value;

	*ret_known = true;
	if (strcmp(name, "when") == 0) {
		answer->when = ik_alloc_array(answer->when, answer->when_count + 1, sizeof *answer->when);
		answer->when[answer->when_count++] = ik_strdup(parser->at);
		return IK_OK;
	}
	if (strcmp(name, "status") == 0) {
		if (!number(parser, &value) || value < 100 || value > 999)
			return wrong(parser, "status CODE");
		answer->status = (int)value;
		return IK_OK;
	}
	if (strcmp(name, "header") == 0) {
		answer->has_type |= strncasecmp(parser->at, "content-type:", 13) == 0;
		ik_buf_printf(&answer->headers, "%s\r\n", parser->at);
		return IK_OK;
	}
	if (strcmp(name, "framing") == 0) {
		const char *which = word(parser);
		for (int framing = FRAMING_CHUNKED; framing <= FRAMING_RAW; framing++) {
			if (strcmp(which, framings[framing]) == 0) {
				answer->framing = (enum framing)framing;
				return IK_OK;
			}
		}
		return wrong(parser, "framing chunked, length, close or raw");
	}
	*ret_known = false;
	return IK_OK;
}

/* The steps whose meaning is a word and at most a number. */
static enum ik_status read_plain_step(struct parser *parser, const char *name, bool *ret_known)
{
	static const struct {
		const char *name;
		enum step_kind kind;
		int64_t unit; /* microseconds of its number; 0: it has none */
	} plain[] = {
		{ "head", STEP_HEAD, 0 },
		{ "hang", STEP_HANG, 0 },
		{ "close", STEP_CLOSE, 0 },
		{ "reset", STEP_RESET, 0 },
		{ "sleep", STEP_SLEEP, 1000 },
		{ "pace", STEP_PACE, 1 },
		{ "split", STEP_SPLIT, 1 },
	};

	for (size_t index = 0; index < sizeof plain / sizeof *plain; index++) {
		int64_t value = 0;
		if (strcmp(name, plain[index].name) != 0)
			continue;
		*ret_known = true;
		if (plain[index].unit && !number(parser, &value))
			return wrong(parser, "a number is missing");
		struct step *step = add_step(parser, plain[index].kind);
		step->number = value * plain[index].unit;
		step->size = (size_t)value;
		return IK_OK;
	}
	*ret_known = false;
	return IK_OK;
}

/* The steps that send something, and wait. */
static enum ik_status read_step(struct parser *parser, const char *name)
{
	if (strcmp(name, "send") == 0)
		return decode(parser->at, &add_step(parser, STEP_SEND)->text)
			? IK_OK
			: wrong(parser, "a bad escape");
	if (strcmp(name, "file") == 0)
		return read_file(parser, word(parser), &add_step(parser, STEP_SEND)->text);
	if (strcmp(name, "event") == 0) {
		ik_buf_printf(&add_step(parser, STEP_SEND)->text, "data: %s\n\n", parser->at);
		return IK_OK;
	}
	if (strcmp(name, "done") == 0) {
		speech_end(&parser->speech, &add_step(parser, STEP_SEND)->text);
		return IK_OK;
	}
	if (strcmp(name, "wait") == 0) {
		ik_buf_puts(&add_step(parser, STEP_WAIT)->text, word(parser));
		return IK_OK;
	}
	if (strcmp(name, "chat") == 0)
		return read_text(parser, 't');
	if (strcmp(name, "thinking") == 0)
		return read_text(parser, 'k');
	if (strcmp(name, "call") == 0 || strcmp(name, "arguments") == 0)
		return read_call(parser, *name == 'c');
	if (strcmp(name, "usage") == 0)
		return read_usage(parser);
	if (strcmp(name, "text") == 0 || strcmp(name, "generate") == 0)
		return read_stream(parser, *name == 't');
	if (strcmp(name, "error") == 0)
		return read_error(parser);
	if (strcmp(name, "finish") == 0) {
		speech_finish(&parser->speech, word(parser), &add_step(parser, STEP_SEND)->text);
		return IK_OK;
	}
	return wrong(parser, "no such directive");
}

/* Parse one line without its line feed. */
static enum ik_status read_line(struct parser *parser, struct scenario *scenario, char *line)
{
	bool known;

	parser->at = line + strspn(line, " \t");
	if (!*parser->at || *parser->at == '#')
		return IK_OK;
	const char *name = word(parser);
	if (strcmp(name, "wire") == 0) {
		speech_done(&parser->speech);
		return speech_wire(word(parser), &parser->speech.wire)
			? IK_OK
			: wrong(parser, "wire openai-chat, openai-responses, anthropic or google");
	}
	if (strcmp(name, "answer") == 0)
		return begin_answer(parser, scenario);
	if (!parser->answer)
		return wrong(parser, "an answer begins with 'answer'");
	enum ik_status status = read_setting(parser, name, &known);
	if (!known)
		status = read_plain_step(parser, name, &known);
	return known ? status : read_step(parser, name);
}

enum ik_status scenario_read(const char *path, struct scenario *ret_scenario,
	struct ik_error *error)
{
	struct parser parser = { .path = path, .error = error };
	struct scenario scenario = { NULL, 0 };
	struct ik_buf text;
	ik_buf_init(&text, IK_LIMIT_REPLY);

	enum ik_status status = ik_file_read(path, &text, error);
	char *rest = text.data, *line;
	while (status == IK_OK && rest && *rest && (line = strsep(&rest, "\n"))) {
		parser.line++;
		status = read_line(&parser, &scenario, line);
	}
	ik_buf_done(&text);
	speech_done(&parser.speech);
	if (status != IK_OK)
		scenario_done(&scenario);
	*ret_scenario = scenario;
	return status;
}

void scenario_done(struct scenario *scenario)
{
	for (size_t index = 0; index < scenario->count; index++) {
		struct answer *answer = &scenario->answers[index];
		for (size_t at = 0; at < answer->when_count; at++)
			free(answer->when[at]);
		for (size_t at = 0; at < answer->step_count; at++)
			ik_buf_done(&answer->steps[at].text);
		free(answer->when);
		free(answer->steps);
		ik_buf_done(&answer->headers);
	}
	free(scenario->answers);
	memset(scenario, 0, sizeof *scenario);
}

struct answer *scenario_take(struct scenario *scenario, const char *request, size_t length)
{
	for (size_t index = 0; index < scenario->count; index++) {
		struct answer *answer = &scenario->answers[index];
		bool matches = answer->left != 0;
		for (size_t at = 0; at < answer->when_count && matches; at++)
			matches = memmem(request, length, answer->when[at], strlen(answer->when[at]));
		if (!matches)
			continue;
		if (answer->left > 0)
			answer->left--;
		return answer;
	}
	return NULL;
}

bool step_piece(const struct step *step, size_t index, struct ik_buf *out)
{
	/* A piece begins where the last one was cut: between characters. */
	size_t length = step->text.length;
	size_t begin = ik_utf8_cut(step->text.data, length,
		index * step->size < length ? index * step->size : length);
	size_t end = ik_utf8_cut(step->text.data, length,
		(index + 1) * step->size < length ? (index + 1) * step->size : length);

	if (begin == length)
		return false;
	char *text = ik_strndup(step->text.data + begin, end - begin);
	struct speech speech;
	speech_init(&speech, WIRE_CHAT);
	speech_text(&speech, 't', text, end - begin, out);
	speech_done(&speech);
	free(text);
	return true;
}

size_t answer_length(const struct answer *answer)
{
	struct ik_buf piece;
	size_t total = 0;
	ik_buf_init(&piece, IK_LIMIT_REPLY);

	for (size_t at = 0; at < answer->step_count; at++) {
		const struct step *step = &answer->steps[at];
		if (step->kind == STEP_SEND)
			total += step->text.length;
		for (size_t index = 0; step->kind == STEP_STREAM; index++) {
			ik_buf_clear(&piece);
			if (!step_piece(step, index, &piece))
				break;
			total += piece.length;
		}
	}
	ik_buf_done(&piece);
	return total;
}
