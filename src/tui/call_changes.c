#include "tui/call_changes.h"

#include <string.h>

#include "json/scan.h"
#include "util/diff.h"
#include "util/limits.h"
#include "util/text.h"

bool ik_call_changes(const struct ik_call *call, struct ik_buf *out)
{
	bool edit = ik_text_equal(call->name, "file_edit");
	struct ik_json_span arguments, path;
	struct ik_buf before, after;
	if ((!edit && !ik_text_equal(call->name, "file_write"))
		|| ik_json_check(call->arguments.data, call->arguments.length, &arguments, NULL) != IK_OK)
		return false;
	ik_buf_init(&before, IK_LIMIT_ARGUMENTS);
	ik_buf_init(&after, IK_LIMIT_ARGUMENTS);
	path = ik_json_member(arguments, "file_path");
	bool whole = ik_json_span_type(path) == IK_JSON_STRING
		&& ik_json_string(ik_json_member(arguments, edit ? "new_string" : "content"), &after)
		&& (!edit || ik_json_string(ik_json_member(arguments, "old_string"), &before));
	if (whole) {
		(void)ik_json_string(path, out);
		ik_buf_putc(out, '\n');
		size_t more = ik_diff_lines(out, before.data, before.length, after.data, after.length,
			IK_CHANGES_LINES);
		if (more > 0)
			ik_buf_printf(out, ngettext("... %zu more line\n", "... %zu more lines\n", more),
				more);
	}
	ik_buf_done(&before);
	ik_buf_done(&after);
	return whole;
}
