#include "tools/grep/syntax.h"

#include <ctype.h>
#include <langinfo.h>
#include <stdlib.h>
#include <string.h>

#include "util/alloc.h"

/* Deeper parentheses would exhaust the stack in regcomp(), which is recursive. */
#define DEPTH_MAX 1000
/* Limits on what regcomp() makes of a pattern: nodes, entries in the lists of nodes that each can
 * reach (eight bytes each), and how often these are merged. */
#define NODES_MAX 200000
#define REACHED_MAX 5e7
#define MERGED_MAX 2e8
/* regcomp() refuses larger numbers (RE_DUP_MAX). */
#define COUNT_MAX 32767

struct parser {
	struct syntax *syntax;
	const char *at;
	int depth;
	bool too_large;
	bool lost; /* regcomp() should refuse the pattern; if it does not, anything may match */
};

static size_t parse_alternatives(struct parser *parser);

/* Add a node and return its index. */
static size_t add_node(struct parser *parser, struct node node)
{
	struct syntax *syntax = parser->syntax;

	if (syntax->count == syntax->capacity) {
		syntax->capacity = syntax->capacity > 0 ? 2 * syntax->capacity : 64;
		syntax->nodes = ik_alloc_array(syntax->nodes, syntax->capacity, sizeof(syntax->nodes[0]));
	}
	syntax->nodes[syntax->count] = node;
	return syntax->count++;
}

static size_t add_empty(struct parser *parser)
{
	return add_node(parser, (struct node){ .kind = NODE_EMPTY });
}

static size_t add_assertion(struct parser *parser, enum assertion assertion)
{
	return add_node(parser, (struct node){ .kind = NODE_ASSERT, .assertion = assertion });
}

/* Stand in for what is not understood: any string, to be confirmed. */
static size_t add_anything(struct parser *parser)
{
	parser->syntax->loose = true;
	return add_node(parser, (struct node){ .kind = NODE_ANYTHING });
}

/* Add one byte. */
static size_t add_byte(struct parser *parser, unsigned char byte)
{
	struct node node = { .kind = NODE_SET };

	/* A line contains no line feed. */
	if (byte != '\n')
		byte_set_add(&node.set, byte);
	return add_node(parser, node);
}

static size_t add_concat(struct parser *parser, size_t left, size_t right)
{
	return add_node(parser, (struct node){ .kind = NODE_CONCAT, .left = left, .right = right });
}

static size_t add_alternate(struct parser *parser, size_t left, size_t right)
{
	return add_node(parser, (struct node){ .kind = NODE_ALTERNATE, .left = left, .right = right });
}

/* Return the set of all plain bytes but the line feed. */
static struct byte_set all_plain(void)
{
	struct byte_set set = { { ~UINT64_C(1), ~UINT64_C(0), 0, 0 } };

	set.bits[0] &= ~(UINT64_C(1) << '\n');
	return set;
}

/* Add the plain bytes of a class of <ctype.h>. False: there is no such class. */
static bool add_class(struct byte_set *set, const char *name, size_t length)
{
	static const struct {
		const char *name;
		int (*test)(int byte);
	} classes[] = {
		{ "alpha", isalpha },
		{ "digit", isdigit },
		{ "alnum", isalnum },
		{ "upper", isupper },
		{ "lower", islower },
		{ "space", isspace },
		{ "blank", isblank },
		{ "punct", ispunct },
		{ "print", isprint },
		{ "graph", isgraph },
		{ "cntrl", iscntrl },
		{ "xdigit", isxdigit },
	};

	for (size_t i = 0; i < sizeof(classes) / sizeof(classes[0]); i++) {
		if (strlen(classes[i].name) != length || memcmp(classes[i].name, name, length) != 0)
			continue;
		for (int byte = 1; byte < 0x80; byte++)
			if (classes[i].test(byte) != 0)
				byte_set_add(set, (unsigned char)byte);
		return true;
	}
	return false;
}

/* Add a set of characters; if negated, the plain ones not in it. */
static size_t add_set(struct parser *parser, struct byte_set set, bool wide, bool negated)
{
	struct byte_set plain = all_plain();

	for (size_t i = 0; i < 4; i++)
		set.bits[i] = (negated ? ~set.bits[i] : set.bits[i]) & plain.bits[i];
	return add_node(parser, (struct node){ .kind = NODE_SET, .set = set, .wide = wide || negated });
}

/* Add one character of any kind, to be confirmed. */
static size_t add_any_character(struct parser *parser)
{
	parser->syntax->loose = true;
	return add_set(parser, all_plain(), true, false);
}

const char *syntax_bracket_end(const char *at)
{
	if (*at == '^')
		at++;
	if (*at == ']')
		at++;
	while (*at != '\0' && *at != ']') {
		if (at[0] == '[' && (at[1] == '.' || at[1] == '=' || at[1] == ':')) {
			char end[3] = { at[1], ']', '\0' };
			const char *close = strstr(at + 2, end);

			if (close) {
				at = close + 2;
				continue;
			}
		}
		at++;
	}
	return *at == ']' ? at : NULL;
}

/* Read a range or a single byte of a bracket expression; false if its meaning is not plain. */
static bool take_range(const char **at, const char *end, bool first, struct byte_set *set)
{
	unsigned char low = (unsigned char)**at;
	unsigned char high = low;

	if (low == '-' && !first && *at + 1 != end)
		return false;
	++*at;
	if (end - *at >= 2 && **at == '-') {
		high = (unsigned char)(*at)[1];
		*at += 2;
		if (high == '-' || high == '[' || low == '-')
			return false;
	}
	if (!byte_is_plain(low) || !byte_is_plain(high))
		return false;
	for (unsigned byte = low; byte <= high; byte++)
		byte_set_add(set, (unsigned char)byte);
	return true;
}

/* Parse a bracket expression; parser->at is after the "[". */
static size_t parse_bracket(struct parser *parser)
{
	const char *at = parser->at;
	const char *end = syntax_bracket_end(at);
	struct byte_set set = { { 0 } };
	bool negated = *at == '^', wide = false, first = true;

	if (!end)
		return add_anything(parser);
	parser->at = end + 1;
	if (negated)
		at++;
	for (; at < end; first = false) {
		unsigned char byte = (unsigned char)*at;

		if (byte == '[' && at[1] == ':') {
			const char *close = strstr(at, ":]");

			if (!close || !add_class(&set, at + 2, (size_t)(close - at - 2)))
				return add_any_character(parser);
			wide = true;
			at = close + 2;
			if (*at == '-' && at + 1 != end)
				return add_any_character(parser);
		} else if (!byte_is_plain(byte) && at[1] != '-') {
			/* A byte of some other character, no matter which. */
			wide = true;
			at++;
		} else if ((byte == '[' && (at[1] == '.' || at[1] == '=')) ||
			!take_range(&at, end, first, &set)) {
			return add_any_character(parser);
		}
	}
	return add_set(parser, set, wide, negated);
}

/* Parse what follows a backslash; parser->at is after it. */
static size_t parse_escape(struct parser *parser)
{
	struct byte_set set = { { 0 } };
	char byte = *parser->at;

	if (byte == '\0')
		return add_anything(parser);
	parser->at++;
	switch (byte) {
	case 'b':
		return add_assertion(parser, ASSERT_WORD_EDGE);
	case 'B':
		return add_assertion(parser, ASSERT_NO_WORD_EDGE);
	case '<':
		return add_assertion(parser, ASSERT_WORD_START);
	case '>':
		return add_assertion(parser, ASSERT_WORD_END);
	case '`':
		return add_assertion(parser, ASSERT_LINE_START);
	case '\'':
		return add_assertion(parser, ASSERT_LINE_END);
	case 'w':
	case 'W':
		(void)add_class(&set, "alnum", 5);
		byte_set_add(&set, '_');
		return add_set(parser, set, true, byte == 'W');
	default:
		break;
	}
	while (parser->syntax->multibyte && ((unsigned char)*parser->at & 0xC0) == 0x80)
		parser->at++;
	if (isalnum((unsigned char)byte) || !byte_is_plain((unsigned char)byte))
		return add_anything(parser);
	return add_byte(parser, (unsigned char)byte);
}

/* Parse a character of several bytes, or one byte; parser->at is after its first byte. */
static size_t parse_character(struct parser *parser)
{
	size_t node = add_byte(parser, (unsigned char)parser->at[-1]);

	if ((unsigned char)parser->at[-1] < 0xC0 || !parser->syntax->multibyte)
		return node;
	while (((unsigned char)*parser->at & 0xC0) == 0x80)
		node = add_concat(parser, node, add_byte(parser, (unsigned char)*parser->at++));
	return node;
}

/* Parse a group; parser->at is after the "(". */
static size_t parse_group(struct parser *parser)
{
	if (++parser->depth > DEPTH_MAX) {
		parser->too_large = true;
		parser->at += strlen(parser->at);
		return add_empty(parser);
	}
	size_t node = parse_alternatives(parser);
	parser->depth--;
	if (*parser->at == ')')
		parser->at++;
	return node;
}

/* Read a number of an interval; -1 if there is none. */
static int parse_number(struct parser *parser)
{
	int number = -1;

	for (;;) {
		/* glibc repeats escaped characters, too, of which only \0 is not a back-reference. */
		if (parser->at[0] == '\\' && parser->at[1] == '0')
			parser->at++;
		if (!isdigit((unsigned char)*parser->at))
			return number;
		number = (number > 0 ? number : 0) * 10 + (*parser->at++ - '0');
		if (number > COUNT_MAX)
			number = COUNT_MAX;
	}
}

/* Parse an interval; parser->at is after the "{". False if it is not one. */
static bool parse_interval(struct parser *parser, int *min, int *max)
{
	*min = *max = parse_number(parser);
	if (parser->at[0] == '\\' && parser->at[1] == ',')
		parser->at++;
	if (*parser->at == ',') {
		parser->at++;
		*max = parse_number(parser);
		if (*max < 0)
			*max = REPEAT_ENDLESS;
		if (*min < 0)
			*min = 0;
	}
	if (*parser->at != '}' || *min < 0)
		return false;
	parser->at++;
	return true;
}

/*
 * In some of the copies that glibc makes of a repeated group, it loses the group's assertions.
 * Which copies is unknown, so none of the assertions is required here.
 */
static void drop_assertions(struct syntax *syntax, size_t first)
{
	for (size_t i = first; i < syntax->count; i++)
		if (syntax->nodes[i].kind == NODE_ASSERT) {
			syntax->nodes[i].kind = NODE_EMPTY;
			syntax->loose = true;
		}
}

/* Parse the repetitions after a node, whose parts are the nodes from first on. */
static size_t parse_repeats(struct parser *parser, size_t node, size_t first)
{
	for (;;) {
		int min = 0, max = REPEAT_ENDLESS;

		switch (*parser->at) {
		case '*':
			break;
		case '+':
			min = 1;
			break;
		case '?':
			max = 1;
			break;
		case '{':
			parser->at++;
			if (!parse_interval(parser, &min, &max)) {
				parser->lost = true;
				return node;
			}
			parser->at--;
			break;
		default:
			return node;
		}
		parser->at++;
		drop_assertions(parser->syntax, first);
		node = add_node(parser,
			(struct node){ .kind = NODE_REPEAT, .left = node, .min = min, .max = max });
	}
}

/* Parse an atom with its repetitions. */
static size_t parse_piece(struct parser *parser)
{
	size_t first = parser->syntax->count;
	char byte = *parser->at++;
	size_t node;

	switch (byte) {
	case '^':
		return add_assertion(parser, ASSERT_LINE_START);
	case '$':
		return add_assertion(parser, ASSERT_LINE_END);
	case '.':
		node = add_set(parser, all_plain(), true, false);
		break;
	case '[':
		node = parse_bracket(parser);
		break;
	case '(':
		node = parse_group(parser);
		break;
	case '\\':
		node = parse_escape(parser);
		if (parser->syntax->nodes[node].kind == NODE_ASSERT)
			return node;
		break;
	default:
		node = parse_character(parser);
		break;
	}
	return parse_repeats(parser, node, first);
}

/* Parse pieces up to "|", to the ")" of a group, or to the end. */
static size_t parse_branch(struct parser *parser)
{
	size_t node = add_empty(parser);

	while (*parser->at != '\0' && *parser->at != '|' && !(*parser->at == ')' && parser->depth > 0))
		node = add_concat(parser, node, parse_piece(parser));
	return node;
}

static size_t parse_alternatives(struct parser *parser)
{
	size_t node = parse_branch(parser);

	while (*parser->at == '|') {
		parser->at++;
		size_t other = parse_branch(parser);
		node = add_alternate(parser, node, other);
	}
	return node;
}

/* What regcomp() makes of a node. For each of its own nodes it also keeps the list of all nodes
 * that can be reached from it without a character. */
struct weight {
	double nodes;
	double reached;     /* sum of the lengths of all lists */
	double first, last; /* nodes reachable at its start, and nodes that reach its end */
	double circles;     /* loops without a character, which make it compute lists again */
	bool nullable;      /* the end can be reached from the start */
};

static struct weight weigh_concat(struct weight left, struct weight right)
{
	return (struct weight){
		.nodes = left.nodes + right.nodes + 1,
		.reached = left.reached + right.reached + left.last * right.first,
		.first = left.first + (left.nullable ? right.first : 0),
		.last = right.last + (right.nullable ? left.last : 0),
		.circles = left.circles + right.circles,
		.nullable = left.nullable && right.nullable,
	};
}

static struct weight weigh_alternate(struct weight left, struct weight right)
{
	return (struct weight){
		.nodes = left.nodes + right.nodes + 1,
		.reached = left.reached + right.reached + left.first + right.first,
		.first = left.first + right.first + 1,
		.last = left.last + right.last,
		.circles = left.circles + right.circles,
		.nullable = left.nullable || right.nullable,
	};
}

/* Repetitions are expanded: x+ to xx*, x{1,3} to x(x(x)?)?. */
static struct weight weigh_repeat(struct weight once, int min, int max)
{
	double copies = max == REPEAT_ENDLESS ? min + 1.0 : max > 1 ? max : 1;
	double optional = max == REPEAT_ENDLESS ? 1 : max - min;
	double pairs = once.nullable ? copies * copies / 2 : copies;

	return (struct weight){
		.nodes = once.nodes * copies + 1,
		.reached = once.reached * copies + once.last * once.first * pairs + optional * optional,
		.first = once.nullable ? once.first * copies : once.first + 1,
		.last = once.nullable ? once.last * copies : once.last * (optional + 1),
		.circles = once.circles * copies + (once.nullable && max == REPEAT_ENDLESS),
		.nullable = once.nullable || min == 0,
	};
}

/* Would regcomp() take too much time or memory? Nodes come after their parts, so one pass is
 * enough. */
static bool is_too_heavy(const struct syntax *syntax)
{
	struct weight *weights = ik_alloc_array(NULL, syntax->count, sizeof(weights[0]));

	for (size_t i = 0; i < syntax->count; i++) {
		const struct node *node = &syntax->nodes[i];

		weights[i] = (struct weight){ 1, 1, 1, 1, 0, node->kind != NODE_SET };
		if (node->kind == NODE_EMPTY)
			weights[i] = (struct weight){ .first = 0.5, .last = 0.5, .nullable = true };
		else if (node->kind == NODE_CONCAT)
			weights[i] = weigh_concat(weights[node->left], weights[node->right]);
		else if (node->kind == NODE_ALTERNATE)
			weights[i] = weigh_alternate(weights[node->left], weights[node->right]);
		else if (node->kind == NODE_REPEAT)
			weights[i] = weigh_repeat(weights[node->left], node->min, node->max);
	}
	struct weight whole = weights[syntax->root];
	free(weights);
	return whole.nodes > NODES_MAX || whole.reached > REACHED_MAX ||
		whole.reached * whole.circles > MERGED_MAX;
}

bool syntax_is_utf8(void)
{
	return MB_CUR_MAX > 1 && strcmp(nl_langinfo(CODESET), "UTF-8") == 0;
}

enum ik_status syntax_parse(struct syntax *syntax, const char *pattern)
{
	struct parser parser = { .syntax = syntax, .at = pattern };

	*syntax = (struct syntax){ 0 };
	syntax->multibyte = syntax_is_utf8();
	syntax->root = parse_alternatives(&parser);
	if (MB_CUR_MAX > 1 && !syntax->multibyte) {
		/* In such charsets a plain byte may be half a character. */
		syntax->root = add_anything(&parser);
	}
	if (parser.lost)
		syntax->root = add_alternate(&parser, syntax->root, add_anything(&parser));
	return parser.too_large || is_too_heavy(syntax) ? IK_TOO_LARGE : IK_OK;
}

void syntax_done(struct syntax *syntax)
{
	free(syntax->nodes);
	*syntax = (struct syntax){ 0 };
}
