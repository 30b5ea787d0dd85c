#include "tui/text/code_colour.h"

#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "tui/text/wrap.h"
#include "util/cluster.h"

#define KEYWORD_MOST 24 /* limit of a keyword, in bytes */

/* How a language writes comments and literals. */
enum {
	HASH = 1,           /* a comment from # on */
	SLASHES = 2,        /* from // on, and between slash and star */
	DASHES = 4,         /* from -- on */
	TRIPLE = 8,         /* strings in triple quotes */
	ONE_CHARACTER = 16, /* single quotes are for one character */
	ANY_CASE = 32,      /* keywords in any case */
	DIRECTIVES = 64,    /* preprocessor directives: a # that begins a line, and the next word */
	DIFF = 128
};

struct ik_code_language {
	const char *names; /* each with blanks around it */
	unsigned ways;
	const char *keywords; /* likewise */
};

/* clang-format off */
static const struct ik_code_language languages[] = {
	{ " diff patch udiff ", DIFF, "" },
	{ " c h cpp c++ cc cxx hpp objc arduino glsl ", SLASHES | DIRECTIVES,
		" alignas auto bool break case catch char class const constexpr continue default delete do "
		"double else enum explicit extern false final float for friend goto if inline int long "
		"mutable namespace new noexcept nullptr operator override private protected public register "
		"restrict return short signed sizeof static static_assert static_cast struct switch template "
		"this throw true try typedef typename typeof union unsigned using virtual void volatile "
		"while NULL " },
	{ " rust rs ", SLASHES | ONE_CHARACTER,
		" as async await break const continue crate dyn else enum extern false fn for if impl in let "
		"loop match mod move mut pub ref return self Self static struct super trait true type unsafe "
		"use where while " },
	{ " go golang ", SLASHES,
		" break case chan const continue default defer else fallthrough false for func go goto if "
		"import interface map nil package range return select struct switch true type var " },
	{ " js javascript jsx mjs ts typescript tsx json5 jsonc ", SLASHES,
		" abstract any as async await boolean break case catch class const continue default delete "
		"do else enum export extends false finally for from function get if implements import in "
		"instanceof interface let never new null number of private protected public readonly return "
		"set static string super switch this throw true try type typeof undefined unknown var void "
		"while yield " },
	{ " java kotlin kt scala groovy cs csharp c# swift dart php zig proto ", SLASHES,
		" abstract as async await bool boolean break byte case catch char class const continue "
		"data default defer do double else enum error extends extension false final finally fixed "
		"float for foreach fun func function guard if implements import in inout instanceof int "
		"interface internal is let long message namespace new nil null object open operator out "
		"override package private protected public readonly ref repeated return sealed self service "
		"short static string struct super switch this throw throws trait true try type using val var "
		"virtual void when where while yield " },
	{ " python py python3 pyi starlark ", HASH | TRIPLE,
		" and as assert async await break case class continue def del elif else except False finally "
		"for from global if import in is lambda match None nonlocal not or pass raise return self "
		"True try while with yield " },
	{ " sh bash zsh shell ksh fish dash console ", HASH,
		" break case continue do done elif else esac eval exec exit export fi for function if in "
		"local readonly return select set shift source then trap unset until while " },
	{ " ruby rb elixir ex crystal ", HASH,
		" alias and begin break case class def defmodule defp do else elsif end ensure extend false "
		"for if in include module next nil not or private raise redo require rescue retry return "
		"self super then true undef unless until use when while yield " },
	{ " perl pl r julia jl nim tcl awk ", HASH,
		" break do else elseif elsif end false for foreach function if in last local mutable my next "
		"our package proc repeat return struct sub then true unless use using var while FALSE NULL "
		"TRUE " },
	{ " yaml yml toml ini conf cfg properties make makefile cmake dockerfile docker nginx hcl "
		"terraform tf gitignore ", HASH,
		" false null true FROM RUN COPY ADD CMD ENTRYPOINT ENV ARG WORKDIR EXPOSE USER VOLUME "
		"define else endef endif ifdef ifeq ifndef ifneq include " },
	{ " json ndjson jsonl geojson ", 0, " false null true " },
	{ " sql sqlite postgres postgresql psql mysql plsql ", DASHES | ANY_CASE,
		" add all alter and as asc begin between by case cast check column commit constraint create "
		"cross database default delete desc distinct drop else end exists explain false foreign from "
		"full group having if in index inner insert into is join key left like limit not null offset "
		"on or order outer primary references returning right rollback select set table then "
		"transaction true union unique update using values view when where with " },
	{ " lua haskell hs elm ", DASHES,
		" and break case class data deriving do else elseif end false for function goto if import in "
		"instance let local module newtype nil not of or repeat return then true type until where "
		"while " },
	{ " css scss less ", SLASHES, "" },
};
/* clang-format on */

/* Is a word in a list in which each word has blanks around it? */
static bool is_listed(const char *list, const char *word, size_t length, bool any_case)
{
	char wanted[KEYWORD_MOST + 3];

	if (length == 0 || length > KEYWORD_MOST || memchr(word, ' ', length) ||
		memchr(word, '\0', length))
		return false;
	wanted[0] = ' ';
	memcpy(wanted + 1, word, length);
	memcpy(wanted + 1 + length, " ", 2);
	return any_case ? !!strcasestr(list, wanted) : !!strstr(list, wanted);
}

const struct ik_code_language *ik_code_language(const char *name, size_t length)
{
	for (size_t i = 0; i < sizeof(languages) / sizeof(*languages); i++)
		if (is_listed(languages[i].names, name, length, true))
			return &languages[i];
	return NULL;
}

bool ik_code_is_diff(const struct ik_code_language *language)
{
	return language && (language->ways & DIFF);
}

static bool is_letter(char c)
{
	return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_' || (unsigned char)c >= 0x80;
}

static bool is_digit(char c)
{
	return c >= '0' && c <= '9';
}

static bool goes_on(const char *line, size_t length, size_t at, const char *with)
{
	size_t size = strlen(with);

	return length - at >= size && memcmp(line + at, with, size) == 0;
}

static size_t indentation(const char *line, size_t length)
{
	size_t at = 0;

	while (at < length && (line[at] == ' ' || line[at] == '\t'))
		at++;
	return at;
}

/* Return the end of a comment that begins at a position, or 0 if there is none. */
static size_t comment_end(unsigned ways, const char *line, size_t length, size_t at)
{
	if ((ways & HASH) && line[at] == '#' && (at == 0 || strchr(" \t;(),", line[at - 1])))
		return length;
	if ((ways & DASHES) && goes_on(line, length, at, "--"))
		return length;
	if (!(ways & SLASHES))
		return 0;
	if (goes_on(line, length, at, "//"))
		return at > 0 && line[at - 1] == ':' ? 0 : length; /* https:// */
	if (goes_on(line, length, at, "/*")) {
		const char *end = memmem(line + at + 2, length - at - 2, "*/", 2);

		return end ? (size_t)(end - line) + 2 : length;
	}
	/* A line of a comment that began on a line above. */
	if (line[at] == '*' && at == indentation(line, length) &&
		(at + 1 == length || line[at + 1] == ' ' || line[at + 1] == '/')) {
		const char *end = memmem(line + at, length - at, "*/", 2);

		return end ? (size_t)(end - line) + 2 : length;
	}
	return 0;
}

/* Is it one character or one escape sequence? */
static bool is_character(const char *text, size_t length)
{
	return length == 1 ||
		(length > 1 && length <= 10 && (text[0] == '\\' || (unsigned char)text[0] >= 0x80));
}

/* Return the end of a string that begins at a position, or 0 if there is none or it ends on
 * another line. */
static size_t string_end(unsigned ways, const char *line, size_t length, size_t at)
{
	char quote = line[at];

	if (quote != '"' && quote != '\'' && quote != '`')
		return 0;
	if ((ways & TRIPLE) && quote != '`' && length - at >= 3 && line[at + 1] == quote &&
		line[at + 2] == quote) {
		const char *end = memmem(line + at + 3, length - at - 3, line + at, 3);

		return end ? (size_t)(end - line) + 3 : length;
	}
	if (quote == '\'' && at > 0 && (is_letter(line[at - 1]) || is_digit(line[at - 1])))
		return 0; /* don't */
	for (size_t end = at + 1; end < length; end++) {
		if (line[end] == '\\')
			end++;
		else if (line[end] == quote)
			return (ways & ONE_CHARACTER) && quote == '\'' &&
					!is_character(line + at + 1, end - at - 1)
				? 0
				: end + 1;
	}
	return 0;
}

static size_t word_end(const char *line, size_t length, size_t at)
{
	bool number = is_digit(line[at]);

	while (at < length &&
		(is_letter(line[at]) || is_digit(line[at]) || (number && line[at] == '.')))
		at++;
	return at;
}

/* Return the end of a directive (a # that begins a line, and the next word), or 0 if it is
 * something else. */
static size_t directive_end(const char *line, size_t length, size_t at)
{
	if (line[at] != '#' || at != indentation(line, length))
		return 0;
	for (at++; at < length && line[at] == ' '; at++)
		;
	return word_end(line, length, at);
}

static size_t take_word(const struct ik_code_language *language, const char *line, size_t length,
	size_t at, enum ik_style *ret_style)
{
	size_t end = word_end(line, length, at);

	if (is_digit(line[at]))
		*ret_style = IK_STYLE_CODE;
	else if (is_listed(language->keywords, line + at, end - at, language->ways & ANY_CASE))
		*ret_style = IK_STYLE_KEYWORD;
	else
		*ret_style = IK_STYLE_NORMAL;
	return end;
}

/* Return the end of the token at a position, and its style. */
static size_t take_token(const struct ik_code_language *language, const char *line, size_t length,
	size_t at, enum ik_style *ret_style)
{
	size_t end = comment_end(language->ways, line, length, at);

	*ret_style = IK_STYLE_DIM;
	if (end > 0)
		return end;
	*ret_style = IK_STYLE_CODE;
	end = string_end(language->ways, line, length, at);
	if (end > 0)
		return end;
	*ret_style = IK_STYLE_KEYWORD;
	end = language->ways & DIRECTIVES ? directive_end(line, length, at) : 0;
	if (end > 0)
		return end;
	if (is_letter(line[at]) || is_digit(line[at]))
		return take_word(language, line, length, at, ret_style);
	*ret_style = IK_STYLE_NORMAL;
	return line[at] == '\\' && at + 1 < length ? at + 2
											   : at + 1; /* an escaped character begins nothing */
}

size_t ik_code_run(const struct ik_code_language *language, const char *line, size_t length,
	size_t at, enum ik_style *ret_style)
{
	enum ik_style style = IK_STYLE_NORMAL;
	size_t end, next;

	if (ik_code_is_diff(language))
		style = ik_diff_style(line[0]);
	if (!language || ik_code_is_diff(language)) {
		*ret_style = style;
		return length - at;
	}
	end = take_token(language, line, length, at, ret_style);
	while (end < length && *ret_style == IK_STYLE_NORMAL) {
		next = take_token(language, line, length, end, &style);
		if (style != IK_STYLE_NORMAL)
			break;
		end = next;
	}
	while (end < length && line[end] == ' ')
		end++; /* a blank shows no colour, and each change of colour costs bytes */
	if (end < length &&
		(unsigned char)line[end] >= 0x80) /* it may be an accent on the next character */
		end += ik_cluster_next(line + end - 1, length - end + 1).length - 1;
	return end - at;
}
