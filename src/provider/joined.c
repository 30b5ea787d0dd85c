#include "provider/joined.h"

#include <stdlib.h>
#include <string.h>

#include "json/write.h"
#include "util/alloc.h"
#include "util/limits.h"

/* Limit on the members of an object, in which each piece looks for its own. */
#define MEMBERS_MOST 2000
/* About the memory of a node with its name and text, counted when it is made. */
#define NODE_BYTES 256

static bool has_name(const struct ik_joined_node *node, const struct ik_joined_step *step)
{
	return strlen(node->name) == step->length && memcmp(node->name, step->name, step->length) == 0;
}

/* Return the child that a step leads to, or NULL; one that is new if made, where its memory is
 * counted, isn't NULL. */
static struct ik_joined_node *child_of(struct ik_joined_node *node,
	const struct ik_joined_step *step, size_t *made)
{
	enum ik_joined_kind kind = step->name ? IK_JOINED_OBJECT : IK_JOINED_ARRAY;
	size_t at = step->name ? 0 : step->index;

	if (node->kind != kind && node->kind != IK_JOINED_EMPTY)
		return NULL;
	while (step->name && at < node->count && !has_name(&node->children[at], step))
		at++;
	if (at < node->count)
		return &node->children[at];
	if (!made || at > node->count || (step->name && at == MEMBERS_MOST))
		return NULL;
	*made += NODE_BYTES + step->length;
	node->kind = kind;
	node->children = ik_alloc_more(node->children, at, sizeof(*node->children));
	node->children[at] = (struct ik_joined_node){
		.name = step->name ? ik_strndup(step->name, step->length) : NULL
	};
	ik_buf_init(&node->children[at].text, IK_LIMIT_REPLY);
	return &node->children[node->count++];
}

static struct ik_joined_node *follow(struct ik_joined *joined, const struct ik_joined_step *path,
	size_t steps, size_t *made)
{
	struct ik_joined_node *node = &joined->root;

	for (size_t i = 0; i < steps && node; i++)
		node = child_of(node, &path[i], made);
	return node;
}

void ik_joined_add(struct ik_joined *joined, const struct ik_joined_step *path, size_t steps,
	struct ik_json_span value, bool joins)
{
	struct ik_joined_node *node = joined->broken ? NULL
												 : follow(joined, path, steps, &joined->bytes);
	enum ik_json_type type = ik_json_span_type(value);

	joined->bytes += value.length;
	joined->broken = !node || node->kind >= IK_JOINED_OBJECT || joined->bytes > IK_LIMIT_REPLY;
	if (joined->broken || (type == IK_JSON_NULL && node->kind != IK_JOINED_EMPTY))
		return;
	joins = joins && type == IK_JSON_STRING;
	if (!joins || node->kind != IK_JOINED_STRING)
		ik_buf_clear(&node->text);
	if (joins)
		ik_buf_append(&node->text, value.text + 1, value.length - 2);
	else
		ik_buf_append(&node->text, value.text, value.length);
	if (type != IK_JSON_NULL)
		node->kind = joins ? IK_JOINED_STRING : IK_JOINED_VALUE;
}

struct ik_json_span ik_joined_at(struct ik_joined *joined, const struct ik_joined_step *path,
	size_t steps)
{
	const struct ik_joined_node *node = follow(joined, path, steps, NULL);

	return node ? (struct ik_json_span){ node->text.data, node->text.length }
				: (struct ik_json_span){ NULL, 0 };
}

static void put_node(struct ik_buf *out, const struct ik_joined_node *node)
{
	bool object = node->kind == IK_JOINED_OBJECT;

	if (node->kind == IK_JOINED_STRING) {
		ik_json_quote_open(out);
		ik_buf_append(out, node->text.data, node->text.length);
		ik_json_quote_close(out);
	} else if (node->kind < IK_JOINED_OBJECT) {
		ik_json_put_raw(out, (struct ik_json_span){ node->text.data, node->text.length });
	} else {
		ik_json_open(out, object ? '{' : '[');
		for (size_t i = 0; i < node->count; i++) {
			if (object)
				ik_json_key(out, node->children[i].name);
			put_node(out, &node->children[i]);
		}
		ik_json_close(out, object ? '}' : ']');
	}
}

void ik_joined_put(struct ik_buf *out, const struct ik_joined *joined)
{
	put_node(out, &joined->root);
}

static void node_done(struct ik_joined_node *node)
{
	for (size_t i = 0; i < node->count; i++)
		node_done(&node->children[i]);
	free(node->children);
	free(node->name);
	ik_buf_done(&node->text);
}

void ik_joined_done(struct ik_joined *joined)
{
	node_done(&joined->root);
	*joined = (struct ik_joined){ .bytes = 0 };
}
