/*
 * policy: may this call be made?  Rules, a mode and a call in; allow, ask or
 * deny out, with what decided.
 *
 * There are three lists of rules (config/rules.h): `policy` of the
 * configuration; those that the person keeps for good (policy.json), and those
 * kept for this session.  In `policy` the first rule that fits a call decides.
 * The other two hold rules that allow, and answer where the person would be asked.
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
 *   * the first for a tool that only reads (ik_tool_reads_only()),
 *     the second for the others; under "ask" the other way round: such a tool is
 *     allowed.
 *
 * When a rule fits: its `tool` matches the name, and each of its `args` matches
 * the call's argument of that name.  A call that lacks the argument does not
 * fit.  NAME may be a path into objects, "edits.file"; lists on the way are gone
 * through.  (An argument whose own name is the whole of NAME comes first.)
 *
 * GLOB: * is any characters, / among them; ? is one; [a-z] one of a set, [!a-z]
 * one that is not in it; \ takes the special meaning from the next.  All of the
 * argument must match.  What is compared:
 * - a string: its characters;
 * - a list: fits when its elements do, or as the next;
 * - anything else (a number, true, an object): its JSON without blanks, numbers
 *   as the model wrote them.
 *
 * One text can be read in more than one way, and a rule should not be got round
 * by that.  So a rule that denies or asks fits when one of the ways matches (and
 * one of the elements of a list, one of two arguments of the same name); a rule
 * that allows only when all of them do.  The ways are:
 * - of a path: made absolute, with . and .. and // taken out; where symbolic
 *   links lead; and, for rules that deny or ask, as it stands.  An argument is a path when its name is one of
 *   path, file, directory, dir, cwd, or ends in _path, _file, _dir, Path; or
 *   when the glob begins with /, ~/, ./ or ../.  A glob that begins with ~/ means
 *   the home directory; one that begins neither with / nor with a special
 *   character is below the session's directory.  DIR/[*] (without the brackets)
 *   means the directory itself too.
 * - of an argument named command: as it stands, and each part of it between
 *   ; & | ( ) ` $ and line ends, in quotes or not.  In a rule that denies or asks, each part also
 *   from the program that it starts on: past redirections, assignments and words such as
 *   "if" or "!", with one blank for any number of blanks and tabs, and with the program's name
 *   without quotes, backslashes and directory.  After a word that starts other programs ("sudo",
 *   "xargs", "find", "sh") each further word of its command may be one; after 64 of them the rule
 *   fits.
 *   In a rule that allows, * and ? do not match the characters between parts, nor <
 *   and >: "git *" does not allow "git log; rm x".  ("*" alone is every command.)
 * - of a string with a NUL: whole, and to the NUL.
 * A rule judges a call by its arguments, not by what a tool does with them: a
 * tool that goes through a whole tree is judged by where it begins, and a shell
 * has more ways than a glob can name.
 *
 * Pure but for where symbolic links lead, which is asked of the caller.  Owns
 * its rules.  May include: util, json, config.
 */
#ifndef IK_GUARD_POLICY_H
#define IK_GUARD_POLICY_H

#include "config/rules.h"
#include "json/scan.h"

#include <stdbool.h>
#include <stddef.h>

struct ik_policy;

enum ik_mode { IK_MODE_AUTO, IK_MODE_ASK, IK_MODE_READ_ONLY, IK_MODE_COUNT };

/* "auto", "ask", "read-only": what a person types and sees. */
const char *ik_mode_name(enum ik_mode mode);
/* False when there is no mode of that name. */
bool ik_mode_find(const char *name, enum ik_mode *ret_mode);

enum ik_decision { IK_DECISION_ALLOW, IK_DECISION_ASK, IK_DECISION_DENY };

/* What decided. */
enum ik_reason {
	IK_REASON_NO_RULE, /* nothing speaks against it; in the mode ask: for it */
	IK_REASON_RULE,    /* rule number of policy */
	IK_REASON_KEPT,    /* rule number of those kept for good */
	IK_REASON_SESSION, /* rule number of those kept for the session */
	IK_REASON_MODE
};

struct ik_verdict {
	enum ik_decision decision;
	enum ik_reason reason;
	size_t number;              /* of the rule in its list, from 1; 0: none */
	const struct ik_rule *rule; /* borrowed until rules change; NULL: none */
};

struct ik_policy_options {
	const char *rules;     /* `policy`, as it was checked when it was loaded; NULL: none */
	const char *directory; /* the session's: where relative paths begin */
	const char *home;      /* the person's, for ~; NULL: not known */
	/* Where an absolute path (which may hold . and ..) leads when all links are
	 * followed, in new memory; NULL: not known. May itself be NULL. */
	char *(*resolve)(const char *path);
};

/* Strings are copied. */
struct ik_policy *ik_policy_new(const struct ik_policy_options *options);
struct ik_policy *ik_policy_free(struct ik_policy *policy);

enum ik_mode ik_policy_mode(const struct ik_policy *policy);
void ik_policy_set_mode(struct ik_policy *policy, enum ik_mode mode);

/* Judge a call: arguments is checked JSON, or what is none (it fits no rule with
 * args; no tool is ever run with it). */
struct ik_verdict ik_policy_judge(const struct ik_policy *policy, const char *tool, bool read_only,
	const char *arguments, size_t length);

/* The lists; those kept may be changed by their owner: rules that allow. */
const struct ik_rules *ik_policy_rules(const struct ik_policy *policy);
struct ik_rules *ik_policy_kept(struct ik_policy *policy);
struct ik_rules *ik_policy_session(struct ik_policy *policy);

/*
 * A rule that allows calls like this one, for the person to keep. Written to
 * *ret_rule (ik_rule_done()); false when there is none of that width that
 * differs from the next wider one.
 */
enum ik_width {
	IK_WIDTH_CALL, /* the same short arguments; long ones may be anything */
	IK_WIDTH_LIKE, /* files below the same directory; commands of the same program
	                   (or "git log"), if it's known to start and write nothing */
	IK_WIDTH_TOOL  /* any arguments */
};
bool ik_policy_suggest(const struct ik_policy *policy, const char *tool, const char *arguments,
	size_t length, enum ik_width width, struct ik_rule *ret_rule);

/*
 * Why a call is not made, as the sentence of its envelope (new memory): what
 * denied it, or that there is nobody to ask (an unanswered IK_DECISION_ASK).
 */
char *ik_policy_denial(const struct ik_policy *policy, const char *tool,
	const struct ik_verdict *verdict);

#endif
