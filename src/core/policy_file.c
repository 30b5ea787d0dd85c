#include "core/policy_file.h"

#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "util/alloc.h"
#include "util/limits.h"
#include "util/path.h"
#include "util/text.h"

/* Limit on renamed invalid files that stay. */
#define ASIDE_MOST 100

/* Rename an invalid file. The error says why, and gives the new name. */
static enum ik_status put_aside(const char *path, const char *why, struct ik_error *error)
{
	enum ik_status status;
	char *aside = NULL;

	for (int i = 0; i < ASIDE_MOST; i++) {
		free(aside);
		aside = i == 0 ? ik_format("%s.damaged", path) : ik_format("%s.damaged-%d", path, i);
		if (access(aside, F_OK) != 0)
			break;
	}
	if (rename(path, aside) == 0)
		status = ik_error_set(error, IK_INVALID,
			_("%s. The rules in it are not used; the file was put aside as %s."), why, aside);
	else
		status = ik_error_set(error, IK_INVALID, _("%s. The rules in it are not used."), why);
	free(aside);
	return status;
}

/* Return the first rule that doesn't allow, or NULL. Such rules belong in config.json, where their
 * order matters. */
static const struct ik_rule *find_other(const struct ik_rules *rules)
{
	for (size_t i = 0; i < rules->count; i++)
		if (rules->items[i].action != IK_RULE_ALLOW)
			return &rules->items[i];
	return NULL;
}

/* Read the rules in a text. The error names file and line. */
static enum ik_status read_text(const char *path, struct ik_buf *text, struct ik_rules *rules,
	struct ik_error *error)
{
	struct ik_json_span list;
	struct ik_error reason;
	const char *place;

	ik_json_blank_comments(text->data, text->length);
	if (ik_json_check(text->data, text->length, &list, &reason) != IK_OK)
		return ik_error_set(error, IK_INVALID, "%s: %s", path, reason.text);
	if (ik_rules_read(rules, list, &place, &reason) != IK_OK)
		return ik_error_set(error, IK_INVALID, "%s:%d: %s", path, ik_json_line(text->data, place),
			reason.text);
	if (find_other(rules)) {
		size_t number = (size_t)(find_other(rules) - rules->items) + 1;

		return ik_error_set(error, IK_INVALID,
			_("%s: rule %zu does not allow; rules that ask or deny belong under \"policy\" in "
			  "config.json"),
			path, number);
	}
	return IK_OK;
}

/* Read the rules. *ret_unread: the file exists, but is unreadable. */
static enum ik_status read_file(const char *path, struct ik_rules *rules, bool *ret_unread,
	struct ik_error *error)
{
	enum ik_status status = IK_NOT_FOUND;
	struct ik_error reason;
	struct ik_buf text;

	ik_rules_done(rules);
	ik_buf_init(&text, IK_LIMIT_CONFIG);
	if (path)
		status = ik_file_read(path, &text, &reason);
	*ret_unread = status != IK_OK && status != IK_NOT_FOUND;
	if (status == IK_NOT_FOUND) {
		status = IK_OK;
	} else if (status != IK_OK) {
		status = ik_error_set(error, status, "%s", reason.text);
	} else if (read_text(path, &text, rules, &reason) != IK_OK) {
		ik_rules_done(rules);
		status = put_aside(path, reason.text, error);
	}
	ik_buf_done(&text);
	return status;
}

enum ik_status ik_policy_file_read(const char *path, struct ik_rules *rules, struct ik_error *error)
{
	bool unread;

	return read_file(path, rules, &unread, error);
}

/* Write all rules, one per line. */
static enum ik_status write_rules(const char *path, const struct ik_rules *rules,
	struct ik_error *error)
{
	struct ik_buf out;
	enum ik_status status;

	ik_buf_init(&out, IK_LIMIT_CONFIG);
	ik_buf_puts(&out, "[\n");
	for (size_t i = 0; i < rules->count; i++) {
		ik_rule_put(&out, &rules->items[i]);
		ik_buf_puts(&out, i + 1 < rules->count ? ",\n" : "\n");
	}
	ik_buf_puts(&out, "]\n");
	status = ik_buf_check(&out, path, error);
	if (status == IK_OK)
		status = ik_file_write(path, out.data, out.length, 0600, error);
	ik_buf_done(&out);
	return status;
}

/* Read the file again, save or remove a rule in it, and set *rules to the new content. */
static enum ik_status change(const char *path, const struct ik_rule *rule, bool keep,
	struct ik_rules *rules, struct ik_error *error)
{
	struct ik_rules fresh = { NULL, 0 };
	enum ik_status status;
	bool unread;
	size_t at;

	if (!path)
		return ik_error_set(error, IK_FAILED,
			_("there is no directory of your own to keep rules in"));
	status = read_file(path, &fresh, &unread, error);
	/* An invalid file was renamed, so the rule begins a new file. */
	if (unread || (status != IK_OK && !keep))
		return status;
	at = ik_rules_find(&fresh, rule);
	if (keep && at == fresh.count)
		ik_rules_add(&fresh, rule);
	else if (!keep && at < fresh.count)
		ik_rules_remove(&fresh, at);
	status = write_rules(path, &fresh, error);
	if (status != IK_OK) {
		ik_rules_done(&fresh);
		return status;
	}
	ik_rules_done(rules);
	*rules = fresh;
	return IK_OK;
}

enum ik_status ik_policy_file_keep(const char *path, const struct ik_rule *rule,
	struct ik_rules *rules, struct ik_error *error)
{
	return change(path, rule, true, rules, error);
}

enum ik_status ik_policy_file_forget(const char *path, size_t index, struct ik_rules *rules,
	struct ik_error *error)
{
	return change(path, &rules->items[index], false, rules, error);
}
