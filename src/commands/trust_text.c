#include "commands/trust_text.h"

#include <fcntl.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "util/limits.h"
#include "util/path.h"
#include "util/text.h"
#include "util/utf8.h"

/* Enough to tell what it is; as much as somebody reads before he opens an editor. */
enum { HEAD = 512, HEAD_SHOWN = 60, CONTENTS = 64 * 1024 };

/* Read the beginning of the file, if it is still the one that is meant. */
static bool read_head(const struct ik_untrusted *file, size_t most, struct ik_buf *out)
{
	/* Not blocking, so that a FIFO in its place holds nobody up. */
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

/* Is it something to read? */
static bool is_text(const struct ik_buf *head)
{
	return !memchr(head->data, '\0', head->length);
}

static void put_size(struct ik_buf *out, uint64_t size)
{
	if (size < 1000)
		ik_buf_printf(out, ngettext("%d byte", "%d bytes", (unsigned long)size), (int)size);
	else if (size < 1000 * 1000)
		ik_buf_printf(out, _("%d kB"), (int)((size + 500) / 1000));
	else
		ik_buf_printf(out, _("%llu MB"), (unsigned long long)((size + 500000) / 1000000));
}

/* What kind of file the first bytes are of. */
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

void ik_trust_text_line(const struct ik_untrusted *file, struct ik_buf *out)
{
	char target[PATH_MAX];
	ssize_t length = readlink(file->path, target, sizeof(target) - 1);
	struct ik_buf head;

	ik_buf_init(&head, HEAD);
	ik_buf_puts(out, file->name);
	if (length > 0) {
		target[length] = '\0';
		ik_buf_printf(out, " -> %s", target);
	}
	ik_buf_printf(out, "  (%s, ", file->changed ? _("changed") : _("new"));
	put_size(out, file->identity.size);
	if (read_head(file, HEAD, &head)) {
		ik_buf_puts(out, ", ");
		put_kind(out, &head);
	}
	ik_buf_puts(out, ")\n");
	ik_buf_done(&head);
}

void ik_trust_text_contents(const struct ik_untrusted *file, struct ik_buf *out)
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
	ik_buf_puts(out, "\n");
	ik_buf_done(&text);
}
