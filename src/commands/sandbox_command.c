#include "commands/sandbox_command.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "commands/commands.h"
#include "util/alloc.h"
#include "util/limits.h"
#include "util/path.h"
#include "util/text.h"

/* The kernel's limit on links in a path. */
enum { MOST_LINKS = 40 };

static const char *const meanings[IK_SANDBOX_MODE_COUNT] = {
	[IK_SANDBOX_OFF] = N_("tools may write wherever you may"),
	[IK_SANDBOX_PROJECT] =
		N_("tools may write to the session's directory, temporary files and sandbox.write"),
	[IK_SANDBOX_READ_ONLY] = N_("tools may write temporary files only"),
};

bool ik_sandbox_kernel(struct ik_buf *out)
{
	static const struct {
		int abi;
		const char *lack;
	} lacks[] = {
		{ 2, N_("files cannot be moved to another directory") },
		{ 3, N_("truncate(2) is not held back") },
		{ 4, N_("without network a filter of system calls has to do") },
		{ 5, N_("ioctl(2) on devices is not held back") },
		{ 6, N_("signals to other processes are not held back without network") },
	};
	int abi = ik_confine_abi();
	static const char *const ways[] = {
		[IK_MOUNT_MASK_NONE] = N_("it does not let hidden places be covered by mounts"),
		[IK_MOUNT_MASK_MOUNTS] = N_("hidden places are covered by mounts"),
		[IK_MOUNT_MASK_USER_NAMESPACE] =
			N_("hidden places are covered by mounts in a user namespace"),
	};
	bool whole = abi > 0;

	if (abi == 0) {
		ik_buf_puts(out,
			_("this kernel has no Landlock, so tools cannot be confined (Linux 5.13 and later have "
			  "it, if \"landlock\" is in /sys/kernel/security/lsm)"));
		return false;
	}
	ik_buf_printf(out, _("the kernel can confine tools (Landlock, ABI %d)"), abi);
	ik_buf_printf(out, "; %s", _(ways[ik_mount_mask_method()]));
	for (size_t i = 0; i < sizeof(lacks) / sizeof(lacks[0]); i++) {
		if (abi >= lacks[i].abi)
			continue;
		ik_buf_printf(out, "; %s", _(lacks[i].lack));
		whole = false;
	}
	if (!ik_confine_has_filter()) {
		ik_buf_printf(out, "; %s",
			_("there is no filter of system calls for this processor: without network, only "
			  "TCP is held back"));
		whole = false;
	}
	return whole;
}

const char *ik_sandbox_mark(const struct ik_sandbox *sandbox, bool *ret_strong)
{
	enum ik_sandbox_state state = ik_sandbox_state(sandbox);

	*ret_strong = state == IK_SANDBOX_BROKEN;
	switch (state) {
	case IK_SANDBOX_NOT_WANTED:
		return NULL;
	case IK_SANDBOX_IN_PART:
		/* Translators: in the status bar: some places are hidden from tools */
		return _("sandbox: in part");
	case IK_SANDBOX_BROKEN:
		/* Translators: in the status bar: the kernel cannot do it, so no tool is run */
		return _("no sandbox: no tool runs");
	case IK_SANDBOX_ON:
		break;
	}
	/* Translators: in the status bar; project and read-only are what a person types */
	return ik_sandbox_mode(sandbox) == IK_SANDBOX_PROJECT ? _("sandbox: project")
														  : _("sandbox: read-only");
}

/* Append the places where a limit applies. */
static void put_limits(const struct ik_sandbox *sandbox, enum ik_confine_left left,
	const char *heading, struct ik_buf *out)
{
	const struct ik_sandbox_limit *limit;
	bool any = false;

	for (size_t i = 0; (limit = ik_sandbox_limit_at(sandbox, i)); i++) {
		if (limit->left != left)
			continue;
		if (!any)
			ik_buf_printf(out, "%s\n", heading);
		any = true;
		if (limit->rule > 0)
			ik_buf_printf(out, _("  %s (rule %zu of policy)\n"), limit->path, limit->rule);
		else
			ik_buf_printf(out, "  %s (sandbox.hide)\n", limit->path);
	}
}

/* May tools write to a directory in the current mode? */
static bool is_writable(const struct ik_sandbox *sandbox, const char *directory)
{
	const char *writable;

	for (size_t i = 0; (writable = ik_sandbox_writable(sandbox, i)); i++)
		if (ik_path_below(directory, writable))
			return true;
	return false;
}

/* Does a path lead through a symbolic link that tools can replace? Follows at most links links. */
static bool is_replaceable(const struct ik_sandbox *sandbox, const char *path, int links)
{
	for (const char *end = path; *end != '\0' && links > 0;) {
		char target[PATH_MAX], *prefix, *parent, *directory, *next;
		ssize_t length;
		bool replaceable;

		end += 1 + strcspn(end + 1, "/");
		prefix = ik_strndup(path, (size_t)(end - path));
		length = readlink(prefix, target, sizeof(target));
		parent = ik_path_directory(prefix);
		free(prefix);
		if (length < 0) {
			free(parent);
			continue;
		}
		directory = ik_path_canonical(parent);
		prefix = ik_strndup(target, (size_t)length);
		next = ik_path_join(directory, prefix);
		free(prefix);
		prefix = ik_format("%s%s", next, end);
		replaceable = is_writable(sandbox, directory) || is_replaceable(sandbox, prefix, links - 1);
		free(prefix);
		free(next);
		free(directory);
		free(parent);
		return replaceable;
	}
	return false;
}

/* Append a gap if tools can replace ikigai's home. */
static void put_home_gap(const struct ik_setup *setup, struct ik_buf *out)
{
	if (setup->places.home && ik_sandbox_mode(setup->sandbox) != IK_SANDBOX_OFF &&
		is_replaceable(setup->sandbox, setup->places.home, MOST_LINKS))
		ik_buf_printf(out,
			_("%s: tools can replace a link on the way there, and so the configuration of the next "
			  "session; set IKIGAI_HOME to where the link leads\n"),
			setup->places.home);
}

void ik_sandbox_put_gaps(const struct ik_setup *setup, struct ik_buf *out)
{
	const struct ik_sandbox_limit *limit;
	const struct ik_sandbox_gap *gap;
	struct stat status;

	for (size_t i = 0; (gap = ik_sandbox_gap_at(setup->sandbox, i)); i++) {
		switch (gap->reason) {
		case IK_SANDBOX_PATTERN:
			ik_buf_printf(out,
				_("rule %zu of policy: its pattern is not one place; bash can get round it\n"),
				gap->rule);
			break;
		case IK_SANDBOX_CONDITION:
			ik_buf_printf(out,
				_("rule %zu of policy: it goes by other arguments as well; bash can get round "
				  "it\n"),
				gap->rule);
			break;
		case IK_SANDBOX_EARLIER:
			ik_buf_printf(out,
				_("rule %zu of policy: rule %zu before it decides about some of that place; bash "
				  "can get round it\n"),
				gap->rule, gap->other);
			break;
		case IK_SANDBOX_FOUND:
			ik_buf_printf(out,
				_("rule %zu of policy: a pattern is held for what it names in the session's "
				  "directory when a tool starts (the nearest 10,000 names are looked at); bash can "
				  "get round it elsewhere\n"),
				gap->rule);
			break;
		case IK_SANDBOX_INSIDE:
			ik_buf_printf(out,
				_("rule %zu of policy: it is about the session's directory; bash can get round it, "
				  "unless sandbox.hide names the place too (then nothing can be made or removed "
				  "beside it)\n"),
				gap->rule);
			break;
		}
	}
	put_home_gap(setup, out);
	for (size_t i = 0; (limit = ik_sandbox_limit_at(setup->sandbox, i)); i++)
		if (lstat(limit->path, &status) == 0 && !S_ISDIR(status.st_mode) && status.st_nlink > 1)
			ik_buf_printf(out, _("%s has further names (hard links), which are not hidden\n"),
				limit->path);
}

/* Append where tools may write. */
static void put_writable(const struct ik_setup *setup, struct ik_buf *out)
{
	const char *path;
	bool own = false;

	ik_buf_printf(out, "%s\n", _("Tools, and all that they start, may write to:"));
	for (size_t i = 0; (path = ik_sandbox_writable(setup->sandbox, i)); i++) {
		ik_buf_printf(out, "  %s\n", path);
		own = own || (setup->places.home && ik_path_below(setup->places.home, path));
	}
	if (own && ik_sandbox_mode(setup->sandbox) != IK_SANDBOX_OFF)
		ik_buf_printf(out,
			_("  (%s lies there: tools could change the configuration, and so the next session's "
			  "sandbox)\n"),
			setup->places.home);
}

void ik_sandbox_text(const struct ik_setup *setup, enum ik_sandbox_mode mode, struct ik_buf *out)
{
	const struct ik_string_list *except = &setup->config->sandbox_except;
	struct ik_buf gaps;

	ik_buf_printf(out, "%s\n\n", _(meanings[mode]));
	if (mode != ik_sandbox_mode(setup->sandbox))
		return;
	put_writable(setup, out);
	put_limits(setup->sandbox, IK_CONFINE_NOTHING, _("Hidden from them:"), out);
	put_limits(setup->sandbox, IK_CONFINE_NAMES, _("They may list, but neither read nor write:"),
		out);
	put_limits(setup->sandbox, IK_CONFINE_READING, _("They may read, but not write:"), out);
	if (ik_sandbox_limit_at(setup->sandbox, 0) && ik_mount_mask_method() == IK_MOUNT_MASK_NONE)
		ik_buf_printf(out, "%s\n",
			_("They can make or remove nothing directly in the directories above these places."));
	if (!setup->config->sandbox_network)
		ik_buf_printf(out, "%s\n", _("They have no network (sandbox.network)."));
	for (size_t i = 0; i < except->count; i++)
		ik_buf_printf(out, _("%s runs outside of the sandbox (sandbox.except).\n"),
			except->items[i]);
	ik_buf_init(&gaps, IK_MIB(1));
	ik_sandbox_put_gaps(setup, &gaps);
	if (gaps.length > 0)
		ik_buf_printf(out, "%s\n%s", _("Not held by the kernel:"), gaps.data);
	ik_buf_done(&gaps);
	if (ik_sandbox_state(setup->sandbox) == IK_SANDBOX_BROKEN)
		ik_buf_printf(out, "%s\n",
			_("No tool is run until this can be held: /sandbox off does without."));
	(void)ik_sandbox_kernel(out);
}

/* Change the mode, and append what it means. */
static void set_mode(struct ik_core *core, enum ik_sandbox_mode mode, struct ik_buf *out)
{
	const struct ik_setup *setup = core->setup;

	ik_sandbox_set_mode(setup->sandbox, mode);
	ik_buf_printf(out, "%s: %s\n", ik_sandbox_mode_name(mode), _(meanings[mode]));
	put_writable(setup, out);
	if (ik_sandbox_state(setup->sandbox) == IK_SANDBOX_BROKEN)
		(void)ik_sandbox_kernel(out);
	for (size_t i = 0; i < core->session_count; i++)
		ik_session_sandbox_changed(core->sessions[i]->session);
	ik_core_policy_changed(core);
}

void ik_command_sandbox(struct ik_core *core, const struct ik_invocation *invocation,
	struct ik_buf *answer)
{
	const char *argument = invocation->text;
	enum ik_sandbox_mode mode;

	if (ik_sandbox_mode_find(argument, &mode)) {
		set_mode(core, mode, answer);
		if (invocation->keep)
			ik_command_keep(core, "sandbox.mode", argument, answer);
	} else {
		ik_buf_printf(answer,
			_("There is no sandbox \"%s\": /sandbox off, /sandbox project or /sandbox read-only."),
			argument);
	}
}
