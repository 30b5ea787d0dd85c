#include "json/json.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cJSON.h>

#include "json/number.h"
#include "json/plain.h"
#include "json/write.h"
#include "util/alloc.h"
#include "util/limits.h"
#include "util/text.h"
#include "util/utf8.h"

/*
 * A number is a cJSON_Raw node that holds its text, never a cJSON_Number: a double would change it.
 * No other nodes are raw. cJSON's parser and printer are not used, and its recursive functions only
 * on nodes without children.
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

static bool is_container(const cJSON *node)
{
	return cJSON_IsObject(node) || cJSON_IsArray(node);
}

/* Make a node of that type; cJSON's default hooks use plain memory. */
static cJSON *new_node(int type)
{
	cJSON *node = ik_alloc(sizeof(*node));

	node->type = type;
	return node;
}

/* Copy bytes into new memory with each NUL as two bytes; NULL if there is no memory. */
static char *hide_nuls(const char *bytes, size_t length)
{
	const char *end = bytes + length;
	size_t nuls = 0;
	char *text, *out;

	for (const char *at = bytes; at < end && (at = memchr(at, '\0', (size_t)(end - at))); at++)
		nuls++;
	text = out = malloc(length + nuls + 1);
	while (text && bytes < end) {
		const char *nul = nuls ? memchr(bytes, '\0', (size_t)(end - bytes)) : NULL;
		size_t run = (size_t)((nul ? nul : end) - bytes);

		out = mempcpy(out, bytes, run);
		bytes += run;
		if (nul) {
			out = mempcpy(out, inner_nul, 2);
			bytes++;
		}
	}
	if (text)
		*out = '\0';
	return text;
}

/* Return the decoded text of a string; NULL if there is no memory. */
static char *decoded_text(struct ik_json_span string)
{
	size_t length;
	char *bytes, *text;

	if (!memchr(string.text, '\\', string.length))
		return strndup(string.text + 1, string.length - 2);
	bytes = ik_json_string_new(string, &length);
	if (!bytes || !memchr(bytes, '\0', length))
		return bytes;
	text = hide_nuls(bytes, length);
	free(bytes);
	return text;
}

/* Make a node for a string, number or word; NULL if there is no memory. */
static cJSON *build_scalar(struct ik_json_span value)
{
	cJSON *node = cJSON_CreateNull();

	if (!node)
		return NULL;
	switch (ik_json_span_type(value)) {
	case IK_JSON_STRING:
		node->type = cJSON_String;
		node->valuestring = decoded_text(value);
		break;
	case IK_JSON_NUMBER:
		node->type = cJSON_Raw;
		node->valuestring = strndup(value.text, value.length);
		break;
	case IK_JSON_BOOL:
		node->type = value.text[0] == 't' ? cJSON_True : cJSON_False;
		return node;
	default:
		return node;
	}
	if (!node->valuestring) {
		cJSON_Delete(node);
		return NULL;
	}
	return node;
}

/* Make a node for what begins at *at, and move *at past it or past its opening bracket. */
static cJSON *build_node(const char **at, const char *end)
{
	struct ik_json_span value = { *at, 1 };

	if (**at == '{' || **at == '[') {
		(*at)++;
		return value.text[0] == '{' ? cJSON_CreateObject() : cJSON_CreateArray();
	}
	value.length = ik_json_scalar_length(*at, (size_t)(end - *at));
	*at += value.length;
	return build_scalar(value);
}

/* Build the tree of a checked value; NULL if there is no memory. */
static cJSON *build_tree(struct ik_json_span value)
{
	const char *at = value.text, *end = value.text + value.length;

	cJSON *open[IK_LIMIT_JSON_DEPTH]; /* the check guarantees that this suffices */
	size_t depth = 0;
	char *name = NULL;
	cJSON *root = NULL, *node;

	while (at < end) {
		if (ik_json_is_blank(*at) || *at == ',' || *at == ':') {
			at++;
			continue;
		}
		if (*at == '}' || *at == ']') {
			depth--;
			at++;
			continue;
		}
		if (depth > 0 && cJSON_IsObject(open[depth - 1]) && !name) {
			struct ik_json_span key = { at, ik_json_scalar_length(at, (size_t)(end - at)) };

			name = decoded_text(key);
			if (!name)
				goto fail;
			at += key.length;
			continue;
		}
		node = build_node(&at, end);
		if (!node)
			goto fail;
		node->string = name;
		name = NULL;
		if (depth > 0)
			cJSON_AddItemToArray(open[depth - 1], node);
		else
			root = node;
		if (is_container(node))
			open[depth++] = node;
	}
	return root;
fail:
	free(name);
	ik_json_free(json_of(root));
	return NULL;
}

struct ik_json *ik_json_parse(const char *text, size_t length, struct ik_error *error)
{
	struct ik_json_span value;

	cJSON *root;

	if (ik_json_check(text, length, &value, error) != IK_OK)
		return NULL;
	root = build_tree(value);
	if (!root)
		(void)ik_error_set(error, IK_NO_MEMORY, _("not enough memory for the JSON text"));
	return json_of(root);
}

struct ik_json *ik_json_free(struct ik_json *json)
{
	cJSON *pending = node_of(json);

	/* Children join the list of nodes still to be freed, so depth needs no stack. */
	while (pending) {
		cJSON *node = pending;

		pending = node->next;
		if (node->child) {
			node->child->prev->next = pending; /* in cJSON, the first one's prev is the last */
			pending = node->child;
			node->child = NULL;
		}
		node->next = NULL;
		cJSON_Delete(node);
	}
	return NULL;
}

/* Copy one node without its children. */
static cJSON *copy_node(const cJSON *from)
{
	cJSON *node = new_node(from->type);

	if (from->string)
		node->string = ik_strdup(from->string);
	if (from->valuestring)
		node->valuestring = ik_strdup(from->valuestring);
	return node;
}

struct ik_json *ik_json_copy(const struct ik_json *json)
{
	struct pair {
		const cJSON *from;
		cJSON *to;
	} *pending = NULL;
	size_t count = 0, capacity = 0;
	struct pair pair;
	cJSON *root;

	if (!json)
		return NULL;
	root = copy_node(look_at(json));
	free(root->string); /* its name belongs to its old parent */
	root->string = NULL;
	pair = (struct pair){ look_at(json), root };
	for (;;) {
		for (const cJSON *child = pair.from->child; child; child = child->next) {
			cJSON *copy = copy_node(child);

			cJSON_AddItemToArray(pair.to, copy);
			if (!child->child)
				continue;
			if (count == capacity) {
				capacity = capacity ? capacity * 2 : 16;
				pending = ik_alloc_array(pending, capacity, sizeof(*pending));
			}
			pending[count++] = (struct pair){ child, copy };
		}
		if (count == 0)
			break;
		pair = pending[--count];
	}
	free(pending);
	return json_of(root);
}

/* Append a string from its internal form, in quotes. */
static void print_string(const char *text, struct ik_buf *out)
{
	ik_json_quote_open(out);
	while (text) {
		const char *nul = strstr(text, inner_nul);

		ik_json_escape(out, text, nul ? (size_t)(nul - text) : strlen(text));
		if (nul)
			ik_buf_puts(out, "\\u0000");
		text = nul ? nul + 2 : NULL;
	}
	ik_json_quote_close(out);
}

/* Append a value without children. */
static void print_scalar(const cJSON *node, struct ik_buf *out)
{
	if (cJSON_IsString(node))
		print_string(node->valuestring, out);
	else if (cJSON_IsRaw(node))
		ik_json_put_raw(out, (struct ik_json_span){ node->valuestring, strlen(node->valuestring) });
	else if (cJSON_IsBool(node))
		ik_json_put_bool(out, cJSON_IsTrue(node));
	else
		ik_json_put_null(out);
}

void ik_json_print(const struct ik_json *json, struct ik_buf *out)
{
	const cJSON *open[IK_LIMIT_JSON_DEPTH];
	const cJSON *node = look_at(json);
	size_t depth = 0;

	while (ik_buf_status(out) == IK_OK) {
		if (depth > 0 && cJSON_IsObject(open[depth - 1])) {
			print_string(node->string ? node->string : "", out);
			ik_buf_putc(out, ':');
		}
		if (!is_container(node)) {
			print_scalar(node, out);
		} else {
			ik_json_open(out, cJSON_IsObject(node) ? '{' : '[');
			if (depth == IK_LIMIT_JSON_DEPTH) {
				out->status = IK_TOO_LARGE;
				return;
			}
			open[depth++] = node;
			if (node->child) {
				node = node->child;
				continue;
			}
			depth--;
			ik_json_close(out, cJSON_IsObject(node) ? '}' : ']');
		}
		while (depth > 0 && !node->next) {
			node = open[--depth];
			ik_json_close(out, cJSON_IsObject(node) ? '}' : ']');
		}
		if (depth == 0)
			return;
		node = node->next;
	}
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
	const char *text = ik_json_text(json);

	while (text) {
		const char *nul = strstr(text, inner_nul);

		ik_buf_append(out, text, nul ? (size_t)(nul - text) : strlen(text));
		if (nul)
			ik_buf_putc(out, '\0');
		text = nul ? nul + 2 : NULL;
	}
}

bool ik_json_is_true(const struct ik_json *json)
{
	return cJSON_IsTrue(look_at(json));
}

bool ik_json_decimal(const struct ik_json *json, struct ik_decimal *ret_decimal)
{
	const cJSON *node = look_at(json);

	return cJSON_IsRaw(node) &&
		ik_decimal_read(node->valuestring, strlen(node->valuestring), ret_decimal);
}

bool ik_json_whole(const struct ik_json *json, int64_t *ret_number)
{
	struct ik_decimal decimal;

	return ik_json_decimal(json, &decimal) && ik_decimal_to_integer(&decimal, ret_number);
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
	if (ik_utf8_valid_prefix(bytes, length) < length) {
		ik_utf8_repair(&valid, bytes, length);
		bytes = valid.data;
		length = valid.length;
	}
	node->valuestring = hide_nuls(bytes, length);
	if (!node->valuestring || ik_buf_status(&valid) != IK_OK)
		ik_alloc_fail();
	ik_buf_done(&valid);
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
	/* Free its children first, without recursion; then cJSON unlinks and frees the node. */
	ik_json_free(json_of(node_of(old)->child));
	node_of(old)->child = NULL;
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

static bool equal(const struct ik_json *one, const struct ik_json *other, size_t depth);

/* Do two objects have equal members? Usually they are in the same order, too. */
static bool equal_members(const struct ik_json *one, const struct ik_json *other, size_t depth)
{
	const struct ik_json *candidate = ik_json_first(other);

	if (ik_json_size(one) != ik_json_size(other))
		return false;
	for (const struct ik_json *child = ik_json_first(one); child; child = ik_json_sibling(child)) {
		const struct ik_json *twin = candidate;

		if (strcmp(ik_json_name(child), ik_json_name(candidate)) != 0)
			twin = ik_json_get(other, ik_json_name(child));
		if (!twin || !equal(child, twin, depth + 1))
			return false;
		candidate = ik_json_sibling(candidate);
	}
	return true;
}

/* Do two arrays have equal elements? */
static bool equal_elements(const struct ik_json *one, const struct ik_json *other, size_t depth)
{
	one = ik_json_first(one);
	other = ik_json_first(other);
	while (one && other && equal(one, other, depth + 1)) {
		one = ik_json_sibling(one);
		other = ik_json_sibling(other);
	}
	return !one && !other;
}

static bool equal(const struct ik_json *one, const struct ik_json *other, size_t depth)
{
	struct ik_decimal number, other_number;

	if (ik_json_type(one) != ik_json_type(other) || depth > IK_LIMIT_JSON_DEPTH)
		return false;
	switch (ik_json_type(one)) {
	case IK_JSON_OBJECT:
		return equal_members(one, other, depth);
	case IK_JSON_ARRAY:
		return equal_elements(one, other, depth);
	case IK_JSON_STRING:
		return strcmp(ik_json_text(one), ik_json_text(other)) == 0;
	case IK_JSON_NUMBER:
		return ik_json_decimal(one, &number) && ik_json_decimal(other, &other_number) &&
			ik_decimal_compare(&number, &other_number) == 0;
	case IK_JSON_BOOL:
		return ik_json_is_true(one) == ik_json_is_true(other);
	default:
		return true;
	}
}

bool ik_json_equal(const struct ik_json *one, const struct ik_json *other)
{
	return equal(one, other, 0);
}
