#include "chat/chat.h"

#include <fcntl.h>
#include <inttypes.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "guard/trust_check.h"
#include "tui/text/quantity.h"
#include "util/alloc.h"
#include "util/limits.h"
#include "util/path.h"
#include "util/text.h"
#include "util/utf8.h"

/* The answers. */
enum { ANSWER_TRUST, ANSWER_NOT_NOW, ANSWER_NEVER, ANSWER_LOOK };

/* HEAD is enough to recognise a file; CONTENTS is about what anyone would read in a dialog. */
enum { HEAD = 512, HEAD_SHOWN = 60, CONTENTS = 64 * 1024 };

struct ik_chat_trust {
	struct ik_chat *chat;
	struct ik_untrusted_list files; /* that the question is about */
	char *asked;  /* signature of the files when the user was asked or said "not now" */
	int question; /* ID of the question, or 0 */
	struct ik_trust_check *check; /* runs after the answer, until everything is read */
};

/* ---- describing a file, which is read, never run ---- */

/* Read the beginning of the file, if it is still the same file. */
static bool read_head(const struct ik_untrusted *file, size_t most, struct ik_buf *out)
{
	/* Non-blocking, so that a FIFO in its place can't hang us. */
	int fd = open(file->path, O_RDONLY | O_CLOEXEC | O_NOCTTY | O_NONBLOCK);
	struct ik_identity opened;
	struct stat status;
	bool good = false;
	char *room;
	ssize_t count;

	if (fd < 0)
		return false;
	if (fstat(fd, &status) == 0 && S_ISREG(status.st_mode)) {
		opened = ik_identity_of(&status);
		room = ik_identity_equal(&opened, &file->identity) ? ik_buf_reserve(out, most) : NULL;
		count = room ? read(fd, room, most) : -1;
		good = count >= 0;
		if (good)
			ik_buf_commit(out, (size_t)count);
	}
	close(fd);
	return good;
}

static bool is_text(const struct ik_buf *head)
{
	return !memchr(head->data, '\0', head->length);
}

/* Append the kind of file, judged by its first bytes. */
static void put_kind(struct ik_buf *out, const struct ik_buf *head)
{
	size_t line = strcspn(head->data, "\r\n");

	if (ik_text_starts(head->data, "#!")) {
		if (line > HEAD_SHOWN)
			line = ik_utf8_cut(head->data, ik_utf8_valid_prefix(head->data, head->length),
				HEAD_SHOWN);
		ik_buf_append(out, head->data, line);
	} else if (head->length >= 4 && memcmp(head->data, "\177ELF", 4) == 0) {
		ik_buf_puts(out, _("a compiled program"));
	} else if (head->length == 0) {
		ik_buf_puts(out, _("empty"));
	} else {
		ik_buf_puts(out, is_text(head) ? _("text") : _("no text"));
	}
}

/* Append one line: name, new or changed, size, link target, and what it is: the first line of a
 * script, or the kind of a program. */
static void put_file(const struct ik_untrusted *file, const char *name, struct ik_buf *out)
{
	char target[PATH_MAX];
	ssize_t length = readlink(file->path, target, sizeof(target) - 1);
	struct ik_buf head;

	ik_buf_init(&head, HEAD);
	ik_buf_puts(out, name);
	if (length > 0) {
		target[length] = '\0';
		ik_buf_printf(out, " -> %s", target);
	}
	ik_buf_printf(out, "  (%s, ", file->changed ? _("changed") : _("new"));
	ik_size_text(out, file->identity.size);
	if (read_head(file, HEAD, &head)) {
		ik_buf_puts(out, ", ");
		put_kind(out, &head);
	}
	ik_buf_putc(out, ')');
	ik_buf_done(&head);
}

/* Append the file's text, or a line that says why it is not shown. */
static void put_contents(const struct ik_untrusted *file, struct ik_buf *out)
{
	struct ik_buf text;

	ik_buf_init(&text, CONTENTS);
	if (!read_head(file, CONTENTS, &text)) {
		ik_buf_puts(out, _("(cannot be read, or is another file by now)"));
	} else if (!is_text(&text)) {
		ik_buf_puts(out, _("(no text)"));
	} else {
		ik_buf_append(out, text.data, text.length);
		if (file->identity.size > text.length) {
			ik_buf_puts(out, "\n");
			ik_buf_printf(out, _("(and %llu bytes more: open it in an editor)"),
				(unsigned long long)(file->identity.size - text.length));
		}
	}
	ik_buf_done(&text);
}

/* ---- what a scan skipped ---- */

/* Return a signature of the files in their current state; the caller frees it. If it changes,
 * the user is asked again. */
static char *signature(const struct ik_chat_trust *trust)
{
	struct ik_buf out;

	ik_buf_init(&out, IK_LIMIT_TRUST);
	for (size_t i = 0; i < trust->files.count; i++) {
		const struct ik_identity *identity = &trust->files.items[i].identity;

		ik_buf_printf(&out, "%s %" PRIu64 " %" PRIu64 " %" PRId64 "\n", trust->files.items[i].path,
			identity->device, identity->inode, identity->ctime_ns);
	}
	return ik_buf_take(&out, NULL);
}

static void on_answer(struct ik_chat *chat, void *arg, const struct ik_invocation *answer);

/* Ask, showing what the files are, or all their contents. */
static void ask(struct ik_chat_trust *trust, bool contents)
{
	/* The question comes unasked: the first letter of a message must not settle it. */
	const struct ik_choice choices[] = {
		{ .key = 'v', .label = _("View"), .value = ANSWER_LOOK },
		{ .key = 't', .careful = true, .label = _("Trust"), .value = ANSWER_TRUST },
		{ .key = 'n', .label = _("Not now"), .value = ANSWER_NOT_NOW },
		{ .key = 'e', .careful = true, .label = _("Never ask here"), .value = ANSWER_NEVER },
	};
	char *title = ik_format(ngettext("Trust %zu file that came with this directory?",
								"Trust %zu files that came with this directory?",
								trust->files.count),
		trust->files.count);
	struct ik_question question = {
		.title = title,
		.choices = choices + contents,
		.first = contents,
		.choice_count = sizeof(choices) / sizeof(choices[0]) - contents,
		.escape = 2 - contents,
	};

	for (size_t i = 0; i < trust->files.count; i++) {
		const char *name = ik_project_relative(&trust->chat->setup->project,
			trust->files.items[i].path);
		struct ik_buf about;

		ik_buf_init(&about, IK_MIB(1));
		if (contents) {
			ik_question_add_sentence(&question, IK_QUESTION_HEADING, name);
			put_contents(&trust->files.items[i], &about);
		} else {
			put_file(&trust->files.items[i], name, &about);
		}
		ik_question_add(&question, IK_QUESTION_TEXT, about.data, about.length);
		ik_buf_done(&about);
	}
	if (!contents)
		ik_question_add_sentence(&question, IK_QUESTION_HINT,
			_("What you trust can do all that you can. None of it has run or been followed yet."));
	trust->question = ik_agent_ask(trust->chat->agent, &question, on_answer, trust);
	free(title);
}

/* Report the result after everything was read. */
static void on_granted(void *arg)
{
	struct ik_chat_trust *trust = arg;

	ik_core_granted(&trust->chat->core, &trust->files, trust->check);
	trust->check = ik_trust_check_close(trust->check);
	ik_untrusted_clear(&trust->files);
	free(trust->asked);
	trust->asked = NULL;
	ik_screen_set_scan(trust->chat->screen, IK_SCAN_IN_PROGRESS, 0, 0);
}

static void on_answer(struct ik_chat *chat, void *arg, const struct ik_invocation *answer)
{
	struct ik_chat_trust *trust = arg;
	struct ik_error error;

	trust->question = 0;
	if (!answer) {
		/* Its agent is closed, so ask in the one that is shown now, if any. */
		if (chat->agent)
			ask(trust, false);
		return;
	}
	switch (answer->value) {
	case ANSWER_TRUST:
		trust->check = ik_project_grant(&trust->chat->setup->project, chat->loop, &trust->files,
			on_granted, trust);
		break;
	case ANSWER_NEVER:
		if (ik_trust_refuse(trust->chat->setup->project.trust, &error) != IK_OK)
			ik_core_tell(&trust->chat->core, "%s", error.text);
		else
			ik_core_tell(&trust->chat->core,
				_("What this directory brings is not used and not asked about any more; "
				  "\"ikigai tool trust\" trusts it."));
		break;
	case ANSWER_LOOK:
		ask(trust, true);
		break;
	default:
		break;
	}
}

void ik_chat_trust_ask(struct ik_chat *chat, const struct ik_registry *registry)
{
	struct ik_chat_trust *trust = chat->trust;
	char *found;

	if (!trust) {
		trust = chat->trust = ik_alloc(sizeof(*trust));
		trust->chat = chat;
	}
	if (trust->check)
		return; /* another scan follows */
	ik_project_untrusted(&chat->setup->project, registry, &trust->files);
	found = signature(trust);
	if (trust->asked && ik_text_equal(found, trust->asked)) {
		free(found);
		return;
	}
	if (trust->question != 0)
		ik_chat_withdraw(chat, trust->question);
	trust->question = 0;
	free(trust->asked);
	trust->asked = found;
	if (trust->files.count > 0 && !ik_trust_is_refused(chat->setup->project.trust))
		ask(trust, false);
}

void ik_chat_trust_again(struct ik_chat *chat)
{
	if (!chat->trust || chat->trust->question != 0)
		return;
	free(chat->trust->asked);
	chat->trust->asked = NULL;
}

struct ik_chat_trust *ik_chat_trust_free(struct ik_chat_trust *trust)
{
	if (!trust)
		return NULL;
	ik_trust_check_close(trust->check);
	ik_untrusted_clear(&trust->files);
	free(trust->asked);
	free(trust);
	return NULL;
}
