#include "tool/findings.h"

#include <stdlib.h>
#include <string.h>

#include "json/write.h"
#include "tool/protocol.h"
#include "util/alloc.h"
#include "util/limits.h"
#include "util/text.h"

/* Some servers refuse longer ones. */
enum { DESCRIPTION_BYTES_MOST = 1024, PROPERTY_BYTES_MOST = 64 };

struct findings_search {
	enum ik_tool_protocol protocol;
	const char *text; /* the description */
	struct ik_json_span all;
	ik_finding_sink *sink;
	void *arg;
};

/* The members that each protocol knows, and which of them has the parameters. */
/* clang-format off */
static const struct {
	const char *members[7];
	size_t count;
	const char *parameters;
} known[IK_PROTOCOL_COUNT] = {
	[IK_PROTOCOL_NATIVE] = {
		{ "name", "description", "parameters", "returns", "annotations", "timeout_s", "display" },
		7,
		"parameters",
	},
	[IK_PROTOCOL_KODELET] = { { "name", "description", "input_schema" }, 3, "input_schema" },
};
/* clang-format on */

/* Report a finding; the sentence is taken over. */
static void tell(const struct findings_search *search, const char *code, char *sentence,
	const char *place)
{
	struct ik_finding finding = {
		.fault = code,
		.code = code,
		.sentence = sentence,
		.line = place ? ik_json_line(search->text, place) : 0,
	};

	search->sink(search->arg, &finding);
	free(sentence);
}

/* Let the reader judge a description; report its error, if any. */
static bool judge(const struct findings_search *search, const char *text, size_t length,
	const char *place)
{
	struct ik_tool tool;
	bool fine = ik_protocol_read(search->protocol, text, length, &tool) == IK_OK;

	if (!fine)
		tell(search, tool.code, ik_strdup(tool.reason), place);
	ik_tool_clear(&tool);
	return fine;
}

/* Write a description whose only possible error is in one member; "display" names parameters. */
static void put_sample(const struct findings_search *search, struct ik_buf *out, const char *member,
	struct ik_json_span value)
{
	struct ik_json_span parameters = ik_json_member(search->all, "parameters");

	ik_json_printf(out, "{");
	if (!ik_text_equal(member, "name"))
		ik_json_printf(out, "'name':'x'");
	if (!ik_text_equal(member, "description"))
		ik_json_printf(out, "'description':'x'");
	if (ik_text_equal(member, "display") && parameters.text)
		ik_json_printf(out, "'parameters':%.*s", (int)parameters.length, parameters.text);
	if (value.text)
		ik_json_printf(out, "'%s':%.*s", member, (int)value.length, value.text);
	ik_json_printf(out, "}");
}

static bool judge_member(const struct findings_search *search, const char *member,
	struct ik_json_span value, const char *place)
{
	struct ik_buf sample;
	bool fine;

	ik_buf_init(&sample, 4 * IK_LIMIT_SCHEMA);
	put_sample(search, &sample, member, value);
	fine = judge(search, sample.data, sample.length, place);
	ik_buf_done(&sample);
	return fine;
}

/* Return the object whose members are the parameters: the properties of a schema, or the flat map
 * itself. */
static struct ik_json_span properties_of(struct ik_json_span parameters, bool *ret_flat)
{
	*ret_flat = !ik_json_string_is(ik_json_member(parameters, "type"), "object");
	return *ret_flat ? parameters : ik_json_member(parameters, "properties");
}

/* Is each parameter valid by itself? Report those that are not. */
static bool judge_properties(const struct findings_search *search, struct ik_json_span parameters)
{
	bool flat, fine = true;
	struct ik_json_span properties = properties_of(parameters, &flat);

	if (ik_json_span_type(properties) != IK_JSON_OBJECT)
		return true;
	for (struct ik_json_walk walk = ik_json_walk(properties); ik_json_next(&walk);) {
		struct ik_buf alone;

		/* A schema with one parameter only, in the form of the whole. */
		ik_buf_init(&alone, 4 * IK_LIMIT_SCHEMA);
		ik_json_printf(&alone, flat ? "{%.*s:%.*s}" : "{'type':'object','properties':{%.*s:%.*s}}",
			(int)walk.key.length, walk.key.text, (int)walk.value.length, walk.value.text);
		fine = judge_member(search, known[search->protocol].parameters,
				   (struct ik_json_span){ alone.data, alone.length }, walk.key.text) &&
			fine;
		ik_buf_done(&alone);
	}
	return fine;
}

/* Do all providers accept this name of a parameter? */
static bool is_portable_name(const char *name)
{
	static const char all[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz_0123456789.-";
	size_t length = strlen(name);

	return length >= 1 && length <= PROPERTY_BYTES_MOST && strspn(name, all) == length;
}

/* Does a property specify its values in any way? */
static bool says_type(struct ik_json_span property)
{
	static const char *const words[] = {
		"type",
		"enum",
		"const",
		"anyOf",
		"oneOf",
		"allOf",
		"$ref",
		"properties",
		"items",
	};
	size_t i;

	for (i = 0; i < sizeof(words) / sizeof(*words); i++)
		if (ik_json_member(property, words[i]).text)
			return true;
	return false;
}

static void advise_property(const struct findings_search *search, struct ik_json_span key,
	struct ik_json_span property)
{
	char *name = ik_json_string_new(key, NULL);
	size_t length = 0;
	char *description = ik_json_string_new(ik_json_member(property, "description"), &length);

	if (!is_portable_name(name))
		tell(search, NULL,
			ik_format(_("the parameter \"%s\" has a name that not every provider "
						"takes, and one that refuses it refuses the whole request; use 1 to %d "
						"letters "
						"(a to z, A to Z), digits, \"_\", \".\" and \"-\""),
				name, PROPERTY_BYTES_MOST),
			key.text);
	if (!description || strspn(description, " \t\r\n") == length)
		tell(search, NULL,
			ik_format(_("the parameter \"%s\" has no description; say in it what the "
						"model should write there, with an example"),
				name),
			key.text);
	if (!says_type(property))
		tell(search, NULL,
			ik_format(_("the parameter \"%s\" has no type; with one, wrong calls are "
						"refused before the tool runs"),
				name),
			key.text);
	free(description);
	free(name);
}

/* Report required names that are not parameters. */
static void advise_required(const struct findings_search *search, struct ik_json_span parameters)
{
	struct ik_json_span properties = ik_json_member(parameters, "properties");

	for (struct ik_json_walk walk = ik_json_walk(ik_json_member(parameters, "required"));
		 ik_json_next(&walk);) {
		char *name = ik_json_string_new(walk.value, NULL);

		if (name && !ik_json_member(properties, name).text)
			tell(search, NULL,
				ik_format(_("\"%s\" is required, but there is no such parameter; no "
							"call can succeed unless the model guesses it"),
					name),
				walk.value.text);
		free(name);
	}
}

static void advise_parameters(const struct findings_search *search)
{
	struct ik_json_span parameters = ik_json_member(search->all,
		known[search->protocol].parameters);
	bool flat;
	struct ik_json_span properties = properties_of(parameters, &flat);

	if (ik_json_span_type(properties) != IK_JSON_OBJECT)
		return;
	for (struct ik_json_walk walk = ik_json_walk(properties); ik_json_next(&walk);)
		if (ik_json_span_type(walk.value) == IK_JSON_OBJECT)
			advise_property(search, walk.key, walk.value);
	if (!flat)
		advise_required(search, parameters);
}

static void advise_description(const struct findings_search *search)
{
	struct ik_json_span value = ik_json_member(search->all, "description");
	size_t length = 0;
	char *description = ik_json_string_new(value, &length);

	if (description && length > DESCRIPTION_BYTES_MOST)
		tell(search, NULL,
			ik_format(_("the description has %zu bytes; some servers refuse more than "
						"%d"),
				length, DESCRIPTION_BYTES_MOST),
			value.text);
	free(description);
}

/* Report members that are ignored and may be misspelled. */
static void advise_members(const struct findings_search *search)
{
	const char *const *members = known[search->protocol].members;
	size_t count = known[search->protocol].count, i;

	for (struct ik_json_walk walk = ik_json_walk(search->all); ik_json_next(&walk);) {
		char *name = ik_json_string_new(walk.key, NULL);
		const char *nearest = ik_text_nearest(name, members, count);

		for (i = 0; i < count && !ik_text_equal(name, members[i]); i++)
			;
		if (i == count && nearest && !ik_json_member(search->all, nearest).text)
			tell(search, NULL,
				ik_format(_("the member \"%s\" is ignored; did you mean \"%s\"?"), name, nearest),
				walk.key.text);
		else if (i < count && ik_json_member(search->all, name).text != walk.value.text)
			tell(search, NULL,
				ik_format(_("the member \"%s\" stands there more than once; only the "
							"first counts"),
					name),
				walk.key.text);
		free(name);
	}
}

void ik_findings(enum ik_tool_protocol protocol, const char *text, size_t length,
	ik_finding_sink *sink, void *arg)
{
	struct findings_search search = { protocol, text, { NULL, 0 }, sink, arg };
	bool usable = true; /* the parameters, which "display" names */
	size_t i;

	if (ik_json_check(text, length, &search.all, NULL) != IK_OK ||
		ik_json_span_type(search.all) != IK_JSON_OBJECT) {
		(void)judge(&search, text, length, NULL);
		return;
	}
	for (i = 0; i < known[protocol].count; i++) {
		const char *member = known[protocol].members[i];
		struct ik_json_span value = ik_json_member(search.all, member);

		if (ik_text_equal(member, "display") && !usable)
			continue;
		if (ik_text_equal(member, known[protocol].parameters)) {
			/* The error of the whole is one of these. */
			usable = judge_properties(&search, value) &&
				judge_member(&search, member, value, value.text);
			continue;
		}
		(void)judge_member(&search, member, value, value.text);
	}
	advise_description(&search);
	advise_parameters(&search);
	advise_members(&search);
}
