/* What running calls want to know from the user: a form each, asked field by field. */
#include "chat/chat.h"

#include <stdlib.h>
#include <string.h>

#include "json/schema.h"
#include "json/write.h"
#include "util/alloc.h"
#include "util/limits.h"
#include "util/text.h"

/* A form that the user fills in. */
struct ik_chat_form {
	struct ik_chat_form *next;
	struct ik_agent *agent; /* the agent whose call asks */
	char *id;               /* of the call */
	char *text;             /* the question, JSON, as in struct ik_call_spec; spans are of it */
	struct ik_json_span message, schema;
	struct ik_json_walk walk;        /* over the fields */
	struct ik_json_span name, field; /* the one that is asked; no value: the form has none */
	char *from;                      /* who asks */
	struct ik_buf content;           /* the answers so far, an open object */
	char *wrong;                     /* with the last answer, or NULL */
	char *typed;                     /* and what that was, or NULL */
	int question;                    /* ID of its question */
	bool answered;                   /* a question was: the next one belongs to that answer */
};

/* Keys of a field's options: those of the other choices are missing. */
static const char KEYS[] = "123456789abcefghijklmnopqrtuvwyz";
/* So many options have a key, if their labels take no more than that, so that there is room for the
 * message beside them on a small screen; so many of others are listed. */
enum { OPTIONS = sizeof(KEYS) - 1, LABELS = 480, LABEL_FRAME = 6, LISTED = 100 };

/* Values of the choices; an option's is its index. */
enum { ANSWER_CANCEL = -5, ANSWER_DECLINE, ANSWER_SKIP, ANSWER_WRITE, ANSWER_ACCEPT };

static void form_free(struct ik_chat_form *form)
{
	free(form->id);
	free(form->text);
	free(form->from);
	free(form->wrong);
	free(form->typed);
	ik_buf_done(&form->content);
	free(form);
}

/* ---- fields ---- */

static bool is_type(const struct ik_chat_form *form, const char *type)
{
	return ik_json_string_is(ik_json_member(form->field, "type"), type);
}

static bool is_required(const struct ik_chat_form *form)
{
	struct ik_json_span required = ik_json_member(form->schema, "required");

	return ik_json_span_type(required) == IK_JSON_ARRAY && ik_json_holds(required, form->name);
}

/* Return what can be answered, an array; no value: anything. A list's elements are chosen from it.
 * Schemas in place of constants ("a string or null") are no choice. */
static struct ik_json_span options_of(const struct ik_chat_form *form)
{
	static const char *const members[] = { "enum", "oneOf", "anyOf" };
	struct ik_json_span field = form->field, found = { NULL, 0 }, option;

	if (is_type(form, "array"))
		field = ik_json_member(field, "items");
	else if (is_type(form, "boolean"))
		return IK_JSON_SPAN("[true,false]");
	for (size_t i = 0; i < 3 && ik_json_span_type(found) != IK_JSON_ARRAY; i++)
		found = ik_json_member(field, members[i]);
	option = ik_json_at(found, "0");
	return ik_json_span_type(found) == IK_JSON_ARRAY &&
			(ik_json_span_type(option) != IK_JSON_OBJECT || ik_json_member(option, "const").text)
		? found
		: (struct ik_json_span){ NULL, 0 };
}

/* Return an option, and its title (new memory). */
static struct ik_json_span option_at(const struct ik_chat_form *form, size_t index,
	char **ret_title)
{
	char *place = ik_format("%zu", index), *names = ik_format("enumNames.%zu", index);
	struct ik_json_span option = ik_json_at(options_of(form), place);
	struct ik_json_span title = ik_json_at(form->field, names), value = option;

	if (ik_json_span_type(option) == IK_JSON_OBJECT) {
		title = ik_json_member(option, "title");
		value = ik_json_member(option, "const");
	}
	if (!value.text)
		value = IK_JSON_SPAN("null");
	free(place);
	free(names);
	*ret_title = is_type(form, "boolean") ? ik_strdup(index == 0 ? _("Yes") : _("No"))
										  : ik_json_text_new(title);
	if (!*ret_title)
		*ret_title = ik_json_text_new(value);
	if (!*ret_title)
		*ret_title = ik_strndup(value.text, value.length);
	return value;
}

/* Can the options be chosen by a key each? */
static bool is_choice(const struct ik_chat_form *form)
{
	size_t count = ik_json_count(options_of(form)), taken = 0;
	char *title;

	if (count == 0 || count > OPTIONS || is_type(form, "array"))
		return false;
	for (size_t i = 0; i < count; i++) {
		(void)option_at(form, i, &title);
		taken += LABEL_FRAME + strlen(title);
		free(title);
	}
	return taken <= LABELS;
}

/* Append a value as it is typed: the elements of a list with commas. */
static void put_typed(struct ik_buf *out, struct ik_json_span value)
{
	if (ik_json_span_type(value) == IK_JSON_ARRAY) {
		for (struct ik_json_walk walk = ik_json_walk(value); ik_json_next(&walk);) {
			ik_buf_puts(out, out->length > 0 ? ", " : "");
			put_typed(out, walk.value);
		}
	} else if (!ik_json_string(value, out)) {
		ik_buf_append(out, value.text ? value.text : "", value.length);
	}
}

/* Append what was typed as JSON: text that isn't is a string, and the validator's to refuse. */
static void put_value(const struct ik_chat_form *form, struct ik_buf *out, const char *text)
{
	struct ik_json_span value;

	if (!is_type(form, "string") && !(is_type(form, "array") && text[0] != '[') &&
		ik_json_check(text, strlen(text), &value, NULL) == IK_OK) {
		ik_json_put_raw(out, value);
	} else if (is_type(form, "array")) {
		ik_json_open(out, '[');
		for (const char *end; *text; text = *end ? end + 1 : end) {
			text += strspn(text, " ");
			end = text + strcspn(text, ",");
			ik_json_put_string(out, text, (size_t)(end - text));
		}
		ik_json_close(out, ']');
	} else {
		ik_json_put_text(out, text);
	}
}

/* ---- asking ---- */

static void on_answer(struct ik_chat *chat, void *arg, const struct ik_invocation *answer);

/* Add the choices of an option each, and select the default. */
static void add_options(const struct ik_chat_form *form, struct ik_question *question,
	struct ik_choice *choices)
{
	struct ik_json_span normal = ik_json_member(form->field, "default"), value;
	size_t count = ik_json_count(options_of(form));
	char *title;

	for (size_t i = 0; i < count; i++) {
		value = option_at(form, i, &title);
		if (normal.text && ik_json_equal(value, normal))
			question->preferred = i + 1;
		choices[i] = (struct ik_choice){
			.key = is_type(form, "boolean") ? "yn"[i] : KEYS[i], .label = title, .value = (int)i
		};
	}
	question->choice_count = count;
}

/* Add the text: the message, what the field is, and what is wrong with the last answer. */
static void add_text(const struct ik_chat_form *form, struct ik_question *question)
{
	char *message = ik_json_string_new(form->message, NULL);
	char *about = ik_json_text_new(ik_json_member(form->field, "description"));
	char *title, *hint = ik_format(_("%s gets the answers: no passwords, no keys."), form->from);
	size_t count = is_choice(form) ? 0 : ik_json_count(options_of(form));

	if (message && *message)
		ik_question_add_sentence(question, IK_QUESTION_TEXT, message);
	if (about)
		ik_question_add_sentence(question, IK_QUESTION_TEXT, about);
	for (size_t i = 0; i < count && i < LISTED; i++) {
		struct ik_json_span value = option_at(form, i, &title);
		struct ik_buf line;

		ik_buf_init(&line, IK_LIMIT_SCHEMA);
		put_typed(&line, value);
		if (!ik_text_equal(line.data, title))
			ik_buf_printf(&line, ": %s", title);
		ik_question_add(question, IK_QUESTION_TEXT, line.data, line.length);
		ik_buf_done(&line);
		free(title);
	}
	if (count > LISTED) {
		size_t more = count - LISTED;

		title = ik_format(ngettext("%zu more line is not shown.", "%zu more lines are not shown.",
							  more),
			more);
		ik_question_add_sentence(question, IK_QUESTION_HINT, title);
		free(title);
	}
	if (is_type(form, "array"))
		ik_question_add_sentence(question, IK_QUESTION_HINT, _("Several are written with commas."));
	if (form->wrong)
		ik_question_add_sentence(question, IK_QUESTION_WARNING, form->wrong);
	ik_question_add_sentence(question, IK_QUESTION_HINT, hint);
	free(message);
	free(about);
	free(hint);
}

/* Return the title: who asks, and for what. */
static char *title_of(const struct ik_chat_form *form)
{
	char *name = ik_json_text_new(ik_json_member(form->field, "title")), *title;

	if (!name)
		name = ik_json_text_new(form->name);
	/* Translators: a program's name, and the name of what it wants to know. */
	title = name ? ik_format(_("%s asks: %s"), form->from, name)
				 : ik_format(_("%s asks"), form->from);
	free(name);
	return title;
}

static void ask(struct ik_chat_form *form)
{
	struct ik_choice choices[OPTIONS + 3];
	struct ik_buf normal;
	struct ik_json_span usual = ik_json_member(form->field, "default");
	char *title = title_of(form);
	bool chosen = is_choice(form);
	struct ik_question question = {
		.title = title, .first = form->answered, .preferred = 1, .choices = choices
	};

	ik_buf_init(&normal, IK_LIMIT_USER_TEXT);
	if (form->typed)
		ik_buf_puts(&normal, form->typed);
	else if (ik_json_span_type(usual) != IK_JSON_NULL)
		put_typed(&normal, usual);
	if (chosen)
		add_options(form, &question, choices);
	else if (form->field.text)
		choices[question.choice_count++] = (struct ik_choice){ .key = 'w',
			.label = _("Write"),
			.value = ANSWER_WRITE,
			.prompt = _("Answer: "),
			.text = normal.data };
	else
		choices[question.choice_count++] = (struct ik_choice){
			.key = 'y', .label = _("Yes"), .value = ANSWER_ACCEPT
		};
	size_t options = chosen ? question.choice_count : 0;

	if (form->field.text && !is_required(form))
		choices[question.choice_count++] = (struct ik_choice){
			.key = 's', .label = _("Leave out"), .value = ANSWER_SKIP
		};
	choices[question.choice_count++] = (struct ik_choice){
		.key = 'd', .label = _("Decline"), .value = ANSWER_DECLINE
	};
	choices[question.choice_count] = (struct ik_choice){
		.key = 'x', .label = _("Cancel"), .value = ANSWER_CANCEL
	};
	question.escape = question.choice_count++;
	add_text(form, &question);
	form->question = ik_agent_ask(form->agent, &question, on_answer, form);
	for (size_t i = 0; i < options; i++)
		free((char *)choices[i].label);
	ik_buf_done(&normal);
	free(title);
}

/* ---- answers ---- */

/* Take the form of the call with this ID (NULL: any) from the list; NULL: there is none. */
static struct ik_chat_form *take_form(struct ik_agent *agent, const char *id)
{
	struct ik_chat_form **place = &agent->forms, *found;

	while (*place && id && !ik_text_equal((*place)->id, id))
		place = &(*place)->next;
	found = *place;
	if (found)
		*place = found->next;
	return found;
}

/* Pass the answer on: "accept", "decline" or "cancel". */
static void finish(struct ik_chat_form *form, const char *action)
{
	struct ik_session *session = form->agent->session;
	struct ik_buf answer;

	(void)take_form(form->agent, form->id);
	ik_buf_init(&answer, IK_LIMIT_USER_TEXT);
	ik_json_printf(&answer, "{'action':'%s'", action);
	ik_json_close(&form->content, '}');
	if (ik_text_equal(action, "accept"))
		ik_json_printf(&answer, "'content':%.*s", (int)form->content.length, form->content.data);
	ik_json_close(&answer, '}');
	ik_session_answer_question(session, form->id,
		ik_buf_status(&form->content) == IK_OK && ik_buf_status(&answer) == IK_OK
			? (struct ik_json_span){ answer.data, answer.length }
			: IK_JSON_SPAN("{\"action\":\"cancel\"}"));
	ik_buf_done(&answer);
	form_free(form);
}

/* Ask for the next field, or for a yes if there are none; after the last one, accept. */
static void go_on(struct ik_chat_form *form)
{
	form->name = form->field = (struct ik_json_span){ NULL, 0 };
	if (ik_json_span_type(form->walk.container) == IK_JSON_OBJECT && ik_json_next(&form->walk)) {
		form->name = form->walk.key;
		form->field = form->walk.value;
	}
	if (form->field.text || !form->answered)
		ask(form);
	else
		finish(form, "accept");
}

/* Take a value for the field if it fits; typed: to be typed again if it doesn't. */
static void take_value(struct ik_chat_form *form, struct ik_json_span value, const char *typed)
{
	struct ik_error error;

	if (ik_schema_validate(form->schema, form->field, value, &error) != IK_OK) {
		form->wrong = ik_strdup(error.text);
		form->typed = ik_strdup(typed);
		ask(form);
		return;
	}
	ik_json_printf(&form->content, "%.*s:%.*s", (int)form->name.length, form->name.text,
		(int)value.length, value.text);
	go_on(form);
}

static bool fits(const struct ik_chat_form *form, struct ik_json_span value)
{
	return ik_schema_validate(form->schema, form->field, value, NULL) == IK_OK;
}

/* Take what was typed. Nothing is no answer. */
static void take_text(struct ik_chat_form *form, const char *typed)
{
	struct ik_buf json, text;
	struct ik_json_span value, string;

	if (!*typed && is_required(form)) {
		form->wrong = ik_strdup(_("This needs an answer."));
		ask(form);
	} else if (!*typed) {
		go_on(form);
	} else {
		ik_buf_init(&json, IK_LIMIT_ENVELOPE); /* escaped, a byte may become six */
		ik_buf_init(&text, IK_LIMIT_ENVELOPE);
		put_value(form, &json, typed);
		ik_json_put_text(&text, typed);
		value = (struct ik_json_span){ json.data, json.length };
		string = (struct ik_json_span){ text.data, text.length };
		/* What looks like a number may be a string where both could be. */
		if (!fits(form, value) && fits(form, string))
			value = string;
		take_value(form, value, typed);
		ik_buf_done(&json);
		ik_buf_done(&text);
	}
}

static void on_answer(struct ik_chat *chat, void *arg, const struct ik_invocation *answer)
{
	struct ik_chat_form *form = arg;
	struct ik_json_span value;
	char *title;

	if (!answer)
		return;
	form->answered = true;
	free(form->wrong);
	free(form->typed);
	form->wrong = form->typed = NULL;
	if (answer->value >= 0) {
		value = option_at(form, (size_t)answer->value, &title);
		free(title);
		take_value(form, value, "");
	} else if (answer->value == ANSWER_WRITE) {
		take_text(form, answer->text);
	} else if (answer->value == ANSWER_SKIP) {
		go_on(form);
	} else {
		finish(form,
			answer->value == ANSWER_ACCEPT        ? "accept"
				: answer->value == ANSWER_DECLINE ? "decline"
												  : "cancel");
	}
}

/* ---- events ---- */

static void begin(struct ik_agent *agent, const struct ik_event *event)
{
	struct ik_chat_form *form = ik_alloc(sizeof(*form));
	struct ik_json_span question = { NULL, 0 };

	form->agent = agent;
	form->id = ik_strdup(event->id);
	form->text = ik_strndup(event->text, event->text_length);
	(void)!ik_json_check(form->text, event->text_length, &question, NULL);
	form->message = ik_json_member(question, "message");
	form->schema = ik_json_member(question, "schema");
	form->walk = ik_json_walk(ik_json_member(form->schema, "properties"));
	form->from = ik_json_string_new(ik_json_member(question, "from"), NULL);
	ik_buf_init(&form->content, IK_LIMIT_USER_TEXT);
	ik_json_open(&form->content, '{');
	form->next = agent->forms;
	agent->forms = form;
	go_on(form);
}

void ik_chat_form_event(struct ik_agent *agent, const struct ik_event *event)
{
	struct ik_chat_form *form;

	if (event->kind == IK_EVENT_QUESTION) {
		begin(agent, event);
	} else if (event->kind == IK_EVENT_ASKED && (form = take_form(agent, event->id))) {
		ik_chat_withdraw(agent->chat, form->question);
		form_free(form);
	}
}

void ik_chat_forms_done(struct ik_agent *agent)
{
	while (agent->forms)
		form_free(take_form(agent, NULL));
}
