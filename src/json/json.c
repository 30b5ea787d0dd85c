#include "json/json.h"

#include <stdlib.h>
#include <string.h>

#include <cJSON.h>

#include "json/write.h"
#include "util/alloc.h"
#include "util/limits.h"
#include "util/text.h"
#include "util/utf8.h"

/*
 * A number is a cJSON_Raw node that holds its text, never a cJSON_Number: a double would change it.
 * No other nodes are raw. cJSON's parser and printer are not used. Recursion is as deep as a tree,
 * and the check limits that.
 */

/* How a NUL is represented inside cJSON's strings. */
static const char inner_nul[] = "\xc0\x80";

static cJSON *node_of(struct ik_json *json)
{
	return (cJSON *)json;
}

static const cJSON *look_at(const struct ik_json *json)
{
	return (const cJSON *)json;
}

static struct ik_json *json_of(cJSON *node)
{
	return (struct ik_json *)node;
}

/* Make a node of that type; cJSON's default hooks use plain memory. */
static cJSON *new_node(int type)
{
	cJSON *node = ik_alloc(sizeof(*node));

	node->type = type;
	return node;
}

/* Copy bytes into new memory with each NUL as two bytes; NULL if there is no memory. */
static char *inner_text(const char *bytes, size_t length)
{
	struct ik_buf text;
	const char *end = bytes + length, *nul;

	ik_buf_init(&text, 2 * length + 1);
	for (; (nul = memchr(bytes, '\0', (size_t)(end - bytes))); bytes = nul + 1) {
		ik_buf_append(&text, bytes, (size_t)(nul - bytes));
		ik_buf_puts(&text, inner_nul);
	}
	ik_buf_append(&text, bytes, (size_t)(end - bytes));
	if (ik_buf_status(&text) == IK_OK)
		return ik_buf_take(&text, NULL);
	ik_buf_done(&text);
	return NULL;
}

/* Pass the bytes of a text to put, which appends them. */
static void put_bytes(const char *text, struct ik_buf *out,
	void (*put)(struct ik_buf *out, const char *bytes, size_t length))
{
	const char *nul;

	for (; (nul = strstr(text, inner_nul)); text = nul + 2) {
		put(out, text, (size_t)(nul - text));
		put(out, "", 1);
	}
	put(out, text, strlen(text));
}

/* Return the decoded text of a string; NULL if there is no memory. */
static char *decoded_text(struct ik_json_span string)
{
	size_t length;
	char *bytes = ik_json_string_new(string, &length), *text;

	if (!bytes || strlen(bytes) == length)
		return bytes;
	text = inner_text(bytes, length);
	free(bytes);
	return text;
}

static cJSON *build(struct ik_json_span value);

/* Make the children of a container. Return false if there is no memory. */
static bool build_children(cJSON *container, struct ik_json_span value)
{
	struct ik_json_walk walk = { NULL };
	struct ik_json_span key, child;

	while (ik_json_next(value, &walk, &key, &child)) {
		cJSON *node = build(child);

		if (!node)
			return false;
		cJSON_AddItemToArray(container, node);
		if (key.text) {
			node->string = decoded_text(key);
			if (!node->string)
				return false;
		}
	}
	return true;
}

/* Build the tree of a checked value; NULL if there is no memory. */
static cJSON *build(struct ik_json_span value)
{
	cJSON *node = new_node(cJSON_NULL);
	bool built = true;

	switch (ik_json_span_type(value)) {
	case IK_JSON_OBJECT:
		node->type = cJSON_Object;
		built = build_children(node, value);
		break;
	case IK_JSON_ARRAY:
		node->type = cJSON_Array;
		built = build_children(node, value);
		break;
	case IK_JSON_STRING:
		node->type = cJSON_String;
		node->valuestring = decoded_text(value);
		built = node->valuestring;
		break;
	case IK_JSON_NUMBER:
		node->type = cJSON_Raw;
		node->valuestring = ik_strndup(value.text, value.length);
		break;
	case IK_JSON_BOOL:
		node->type = value.text[0] == 't' ? cJSON_True : cJSON_False;
		break;
	default:
		break;
	}
	if (built)
		return node;
	cJSON_Delete(node);
	return NULL;
}

struct ik_json *ik_json_parse(const char *text, size_t length, struct ik_error *error)
{
	struct ik_json_span value;

	cJSON *root;

	if (ik_json_check(text, length, &value, error) != IK_OK)
		return NULL;
	root = build(value);
	if (!root)
		(void)ik_error_set(error, IK_NO_MEMORY, _("not enough memory for the JSON text"));
	return json_of(root);
}

struct ik_json *ik_json_free(struct ik_json *json)
{
	cJSON_Delete(node_of(json));
	return NULL;
}

struct ik_json *ik_json_copy(const struct ik_json *json)
{
	cJSON *copy;

	if (!json)
		return NULL;
	copy = cJSON_Duplicate(look_at(json), true);
	if (!copy)
		ik_alloc_fail();
	free(copy->string); /* its name belongs to its old parent */
	copy->string = NULL;
	return json_of(copy);
}

/* Append a text as a JSON string. */
static void print_text(const char *text, struct ik_buf *out)
{
	ik_json_quote_open(out);
	put_bytes(text, out, ik_json_escape);
	ik_json_quote_close(out);
}

void ik_json_print(const struct ik_json *json, struct ik_buf *out)
{
	enum ik_json_type type = ik_json_type(json);
	const char *text = look_at(json)->valuestring;

	switch (type) {
	case IK_JSON_STRING:
		print_text(text, out);
		return;
	case IK_JSON_NUMBER:
		ik_json_put_raw(out, (struct ik_json_span){ text, strlen(text) });
		return;
	case IK_JSON_BOOL:
		ik_json_put_bool(out, ik_json_is_true(json));
		return;
	case IK_JSON_ARRAY:
	case IK_JSON_OBJECT:
		break;
	default:
		ik_json_put_null(out);
		return;
	}
	ik_json_open(out, type == IK_JSON_OBJECT ? '{' : '[');
	for (json = ik_json_first(json); json; json = ik_json_sibling(json)) {
		if (type == IK_JSON_OBJECT) {
			print_text(ik_json_name(json), out);
			ik_buf_putc(out, ':');
		}
		ik_json_print(json, out);
	}
	ik_json_close(out, type == IK_JSON_OBJECT ? '}' : ']');
}

enum ik_json_type ik_json_type(const struct ik_json *json)
{
	const cJSON *node = look_at(json);

	if (!node)
		return IK_JSON_NONE;
	switch (node->type & 0xff) { /* the higher bits are cJSON's flags */
	case cJSON_False:
	case cJSON_True:
		return IK_JSON_BOOL;
	case cJSON_NULL:
		return IK_JSON_NULL;
	case cJSON_Raw:
		return IK_JSON_NUMBER;
	case cJSON_String:
		return IK_JSON_STRING;
	case cJSON_Array:
		return IK_JSON_ARRAY;
	case cJSON_Object:
		return IK_JSON_OBJECT;
	default:
		return IK_JSON_NONE;
	}
}

struct ik_json *ik_json_get(const struct ik_json *object, const char *name)
{
	return cJSON_IsObject(look_at(object))
		? json_of(cJSON_GetObjectItemCaseSensitive(look_at(object), name))
		: NULL;
}

struct ik_json *ik_json_first(const struct ik_json *container)
{
	return container ? json_of(look_at(container)->child) : NULL;
}

struct ik_json *ik_json_sibling(const struct ik_json *child)
{
	return json_of(look_at(child)->next);
}

const char *ik_json_name(const struct ik_json *child)
{
	return look_at(child)->string;
}

size_t ik_json_size(const struct ik_json *container)
{
	size_t size = 0;

	for (const struct ik_json *child = ik_json_first(container); child;
		 child = ik_json_sibling(child))
		size++;
	return size;
}

const char *ik_json_text(const struct ik_json *json)
{
	return cJSON_IsString(look_at(json)) ? look_at(json)->valuestring : NULL;
}

void ik_json_bytes(const struct ik_json *json, struct ik_buf *out)
{
	if (ik_json_text(json))
		put_bytes(ik_json_text(json), out, ik_buf_append);
}

bool ik_json_is_true(const struct ik_json *json)
{
	return cJSON_IsTrue(look_at(json));
}

/* Return the text of a number; no value for another type. */
static struct ik_json_span number_text(const struct ik_json *json)
{
	const cJSON *node = look_at(json);

	return cJSON_IsRaw(node) ? (struct ik_json_span){ node->valuestring, strlen(node->valuestring) }
							 : (struct ik_json_span){ NULL, 0 };
}

bool ik_json_real(const struct ik_json *json, long double *ret_number)
{
	return ik_json_number(number_text(json), ret_number);
}

bool ik_json_whole(const struct ik_json *json, int64_t *ret_number)
{
	return ik_json_integer(number_text(json), ret_number);
}

struct ik_json *ik_json_new_object(void)
{
	return json_of(new_node(cJSON_Object));
}

struct ik_json *ik_json_new_array(void)
{
	return json_of(new_node(cJSON_Array));
}

struct ik_json *ik_json_new_text(const char *text)
{
	return ik_json_new_bytes(text, strlen(text));
}

struct ik_json *ik_json_new_bytes(const char *bytes, size_t length)
{
	cJSON *node = new_node(cJSON_String);
	struct ik_buf valid;

	/* Each byte may become the three of U+FFFD. */
	ik_buf_init(&valid, 3 * length);
	ik_utf8_repair(&valid, bytes, length);
	if (ik_buf_status(&valid) == IK_OK)
		node->valuestring = inner_text(valid.data, valid.length);
	if (!node->valuestring)
		ik_alloc_fail();
	ik_buf_done(&valid);
	return json_of(node);
}

struct ik_json *ik_json_new_integer(int64_t number)
{
	cJSON *node = new_node(cJSON_Raw);

	node->valuestring = ik_format("%lld", (long long)number);
	return json_of(node);
}

struct ik_json *ik_json_new_bool(bool value)
{
	return json_of(new_node(value ? cJSON_True : cJSON_False));
}

/* Set the name of a node in its object. */
static void set_name(cJSON *node, const char *name)
{
	free(node->string);
	node->string = ik_strdup(name);
}

void ik_json_add(struct ik_json *object, const char *name, struct ik_json *child)
{
	set_name(node_of(child), name);
	ik_json_append(object, child);
}

void ik_json_set(struct ik_json *object, const char *name, struct ik_json *child)
{
	struct ik_json *old = ik_json_get(object, name);

	if (!old) {
		ik_json_add(object, name, child);
		return;
	}
	set_name(node_of(child), name);
	cJSON_ReplaceItemViaPointer(node_of(object), node_of(old), node_of(child));
}

void ik_json_append(struct ik_json *array, struct ik_json *child)
{
	cJSON_AddItemToArray(node_of(array), node_of(child));
}

struct ik_json *ik_json_detach(struct ik_json *container, struct ik_json *child)
{
	return json_of(cJSON_DetachItemViaPointer(node_of(container), node_of(child)));
}

void ik_json_remove(struct ik_json *object, const char *name)
{
	struct ik_json *child = ik_json_get(object, name);

	if (child)
		ik_json_free(ik_json_detach(object, child));
}

/* Do two objects have equal members? Usually they are in the same order, too. */
static bool equal_members(const struct ik_json *one, const struct ik_json *other)
{
	const struct ik_json *candidate = ik_json_first(other);

	if (ik_json_size(one) != ik_json_size(other))
		return false;
	for (const struct ik_json *child = ik_json_first(one); child; child = ik_json_sibling(child)) {
		const struct ik_json *twin = candidate;

		if (!ik_text_equal(ik_json_name(child), ik_json_name(candidate)))
			twin = ik_json_get(other, ik_json_name(child));
		if (!twin || !ik_json_equal(child, twin))
			return false;
		candidate = ik_json_sibling(candidate);
	}
	return true;
}

/* Do two arrays have equal elements? */
static bool equal_elements(const struct ik_json *one, const struct ik_json *other)
{
	one = ik_json_first(one);
	other = ik_json_first(other);
	while (one && other && ik_json_equal(one, other)) {
		one = ik_json_sibling(one);
		other = ik_json_sibling(other);
	}
	return !one && !other;
}

bool ik_json_equal(const struct ik_json *one, const struct ik_json *other)
{
	long double number, other_number;

	if (ik_json_type(one) != ik_json_type(other))
		return false;
	switch (ik_json_type(one)) {
	case IK_JSON_OBJECT:
		return equal_members(one, other);
	case IK_JSON_ARRAY:
		return equal_elements(one, other);
	case IK_JSON_STRING:
		return ik_text_equal(ik_json_text(one), ik_json_text(other));
	case IK_JSON_NUMBER:
		return ik_json_real(one, &number) && ik_json_real(other, &other_number) &&
			number == other_number;
	case IK_JSON_BOOL:
		return ik_json_is_true(one) == ik_json_is_true(other);
	default:
		return true;
	}
}
