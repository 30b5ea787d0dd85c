/*
 * policy: may this call be made?  Rules, a mode and a call in; allow, ask or deny out, and what
 * made the decision.
 *
 * There are three lists of rules (config/rules.h): `policy` of the configuration, those that the
 * user keeps in policy.json, and those kept for this session.  In `policy` the first rule that fits
 * a call decides.  The other two hold rules that allow, and answer in place of the user.
 *
 *   first rule of `policy`   kept rule   auto    ask              read-only
 *   that fits                fits
 *   deny                     -           deny    deny             deny
 *   ask                      no          ask     ask              ask,   or deny *
 *   ask                      yes         allow   allow            allow, or deny *
 *   allow                    -           allow   allow            allow, or deny *
 *   none                     no          allow   ask, or allow *  allow, or deny *
 *   none                     yes         allow   allow            allow, or deny *
 *
 *   * read-only: the first for a tool that only reads (ik_tool_reads_only()), the second for all
 *     others; ask: the second for a tool that only reads.
 *
 * A rule fits if its `tool` matches the name and each of its `args` matches the call's argument of
 * that name.  A call without the argument does not fit.  NAME may be a path into objects,
 * "edits.file"; lists on the way are searched.  (An argument whose own name is all of NAME comes
 * first.)
 *
 * GLOB: * matches any characters, including /; ? matches one; [a-z] matches one of a set, [!a-z] one
 * that is not in it; \ makes the next character ordinary.  The glob must match all of the argument:
 * - of a string, its characters;
 * - of a list, its elements, or its JSON;
 * - of anything else (a number, true, an object), its JSON without blanks, numbers as the model wrote
 *   them.
 *
 * A text can be read in several ways, and a rule must not be evaded by that.  So a rule that denies or
 * asks fits if one reading matches (and one element of a list, one of two arguments of the same
 * name); a rule that allows fits only if all do.  The readings are:
 * - of a path: made absolute, without . and .. and //; where symbolic links lead; and, for rules that
 *   deny or ask, as written.  An argument is a path if its name is one of path, file, directory, dir,
 *   cwd, or ends in _path, _file, _dir, Path; or if the glob begins with /, ~/, ./ or ../.  A glob
 *   that begins with ~/ is below the home directory; one that begins with neither / nor a special
 *   character is below the session's directory.  DIR/[*] (without the brackets) includes the
 *   directory itself.
 * - of an argument named command: as written, and each part of it between ; & | ( ) ` $ and line
 *   ends, quoted or not.  For a rule that denies or asks, also each part from the program on: without
 *   redirections, assignments and words such as "if" or "!" before it, with blanks and tabs reduced
 *   to one blank, and with the program's name without quotes, backslashes and directory.  After a
 *   word that starts other programs ("sudo", "xargs", "find", "sh"), each further word of its command
 *   may be one; after 64 of them the rule fits.
 *   In a rule that allows, * and ? match neither the characters between parts nor < and >: "git *"
 *   does not allow "git log; rm x".  ("*" alone is every command.)
 * - of a string with a NUL: all of it, and the part before the NUL.
 * A rule judges a call by its arguments, not by what a tool does with them: a tool that searches a
 * whole tree is judged by where it begins, and a shell has more ways than a glob can name.
 *
 * Pure, except that the caller is asked where symbolic links lead.  Owns its rules.
 * May include: util, json, config.
 */
#ifndef IK_GUARD_POLICY_H
#define IK_GUARD_POLICY_H

#include "config/rules.h"
#include "json/scan.h"

#include <stdbool.h>
#include <stddef.h>

struct ik_policy;

enum ik_mode { IK_MODE_AUTO, IK_MODE_ASK, IK_MODE_READ_ONLY, IK_MODE_COUNT };

/* "auto", "ask", "read-only": what the user types and sees. */
const char *ik_mode_name(enum ik_mode mode);
/* Return false if no mode has that name. */
bool ik_mode_find(const char *name, enum ik_mode *ret_mode);

enum ik_decision { IK_DECISION_ALLOW, IK_DECISION_ASK, IK_DECISION_DENY };

/* What made the decision. */
enum ik_reason {
	IK_REASON_NO_RULE, /* no rule fits, and the mode allows the call */
	IK_REASON_RULE,    /* rule number of policy */
	IK_REASON_KEPT,    /* rule number of policy.json */
	IK_REASON_SESSION, /* rule number of those kept for the session */
	IK_REASON_MODE
};

struct ik_verdict {
	enum ik_decision decision;
	enum ik_reason reason;
	size_t number;              /* of the rule in its list, from 1; 0: none */
	const struct ik_rule *rule; /* borrowed until the rules change; NULL: none */
};

struct ik_policy_options {
	const char *rules;     /* `policy`, checked when it was loaded; NULL: none */
	const char *directory; /* the session's, for relative paths */
	const char *home;      /* the user's, for ~; NULL: unknown */
	/* Returns, in new memory, where an absolute path (which may contain . and ..) leads when all
	 * links are followed; NULL: unknown. May itself be NULL. */
	char *(*resolve)(const char *path);
};

/* Strings are copied. */
struct ik_policy *ik_policy_new(const struct ik_policy_options *options);
struct ik_policy *ik_policy_free(struct ik_policy *policy);

enum ik_mode ik_policy_mode(const struct ik_policy *policy);
void ik_policy_set_mode(struct ik_policy *policy, enum ik_mode mode);

/* Judge a call. arguments is checked JSON, or not JSON at all: then it fits no rule with args, and
 * no tool is ever run with it. */
struct ik_verdict ik_policy_judge(const struct ik_policy *policy, const char *tool, bool read_only,
	const char *arguments, size_t length);

/* The lists. The owner may change the kept ones, which hold only rules that allow. */
const struct ik_rules *ik_policy_rules(const struct ik_policy *policy);
struct ik_rules *ik_policy_kept(struct ik_policy *policy);
struct ik_rules *ik_policy_session(struct ik_policy *policy);

/*
 * Suggest a rule that allows calls like this one, for the user to keep. Written to *ret_rule
 * (ik_rule_done()). False if there is none of that width, or if the next wider one is the same.
 */
enum ik_width {
	IK_WIDTH_CALL, /* the same short arguments; long ones, and texts of several lines that are no
	                  commands, may be anything */
	IK_WIDTH_LIKE, /* files below the same directory; commands of the same program (or "git
	                  log"), if that is known to start no program and write nothing */
	IK_WIDTH_TOOL  /* any arguments */
};
bool ik_policy_suggest(const struct ik_policy *policy, const char *tool, const char *arguments,
	size_t length, enum ik_width width, struct ik_rule *ret_rule);

/* Append which calls a rule is about, in words and as one sanitised line: "bash: commands that begin
 * with git log". */
void ik_policy_put_rule(const struct ik_policy *policy, const struct ik_rule *rule,
	struct ik_buf *out);

/*
 * Return why a call is not made as a sentence for its envelope (new memory): what denied it, or
 * that there is nobody to ask (an unanswered IK_DECISION_ASK).
 */
char *ik_policy_denial(const struct ik_policy *policy, const char *tool,
	const struct ik_verdict *verdict);

#endif
