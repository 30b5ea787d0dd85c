#include "acp/buffers.h"

#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "guard/policy_match.h"
#include "json/write.h"
#include "tool/display.h"
#include "util/alloc.h"
#include "util/limits.h"
#include "util/path.h"
#include "util/text.h"

struct ik_preparation {
	const struct ik_buffers *buffers;
	int64_t question; /* number of the request; 0: none */
	ik_prepared *ready;
	void *arg;
	bool edits;         /* the call changes the file */
	char *path;         /* absolute */
	char *copy;         /* a file with the unsaved text; NULL: none */
	struct ik_buf head; /* the arguments up to the path, and after it */
	struct ik_buf tail;
};

/* Let the call start. */
static void go_on(struct ik_preparation *preparation, struct ik_json_span arguments)
{
	preparation->ready(preparation->arg, arguments);
}

/* Let it start with its own arguments. */
static void go_on_as_it_is(struct ik_preparation *preparation)
{
	go_on(preparation, (struct ik_json_span){ NULL, 0 });
}

/* Is this what is in the file? */
static bool is_saved(const char *path, const struct ik_buf *text)
{
	struct ik_buf saved;
	struct ik_error error;
	bool same;

	ik_buf_init(&saved, IK_LIMIT_USER_TEXT);
	same = ik_file_read(path, &saved, &error) == IK_OK && saved.length == text->length &&
		memcmp(saved.data, text->data, text->length) == 0;
	ik_buf_done(&saved);
	return same;
}

static void on_saved(void *arg, struct ik_json_span result, const char *error)
{
	struct ik_preparation *preparation = arg;

	preparation->question = 0;
	go_on_as_it_is(preparation);
}

/* Have the editor save what it has. */
static void save(struct ik_preparation *preparation, const struct ik_buf *text)
{
	const struct ik_viewer *viewer = preparation->buffers->viewer;
	struct ik_buf params;

	ik_peer_open(&params);
	ik_json_printf(&params, "'sessionId':'%s','path':'%s'", viewer->session, preparation->path);
	ik_json_key(&params, "content");
	ik_json_put_string(&params, text->data, text->length);
	preparation->question = ik_peer_ask(viewer->peer, "fs/write_text_file", &params, on_saved,
		preparation);
}

/* Let the call read a copy of what the editor has. */
static void use_copy(struct ik_preparation *preparation, const struct ik_buf *text)
{
	char *copy = ik_format("%s/ikigai-buffer-XXXXXX", ik_path_temporary());
	int fd = mkostemp(copy, O_CLOEXEC);
	bool written = fd >= 0 && ik_write_all(fd, text->data, text->length) == 0;
	struct ik_buf arguments;

	if (fd >= 0) {
		preparation->copy = copy;
		(void)close(fd);
	} else {
		free(copy);
	}
	if (!written) {
		go_on_as_it_is(preparation);
		return;
	}
	ik_buf_init(&arguments, IK_LIMIT_ARGUMENTS);
	ik_buf_append(&arguments, preparation->head.data, preparation->head.length);
	ik_json_put_text(&arguments, preparation->copy);
	ik_buf_append(&arguments, preparation->tail.data, preparation->tail.length);
	go_on(preparation, (struct ik_json_span){ arguments.data, arguments.length });
	ik_buf_done(&arguments);
}

static void on_read(void *arg, struct ik_json_span result, const char *error)
{
	struct ik_preparation *preparation = arg;
	struct ik_buf text;

	preparation->question = 0;
	ik_buf_init(&text, IK_LIMIT_USER_TEXT);
	if (error || !ik_json_string(ik_json_member(result, "content"), &text) ||
		ik_buf_status(&text) != IK_OK || is_saved(preparation->path, &text) ||
		(preparation->edits && !preparation->buffers->writes))
		go_on_as_it_is(preparation);
	else if (preparation->edits)
		save(preparation, &text);
	else
		use_copy(preparation, &text);
	ik_buf_done(&text);
}

/* Is a file hidden from a tool? Then its text must not get into a copy. */
static bool is_hidden(const struct ik_buffers *buffers, const struct ik_tool *tool,
	const char *path)
{
	char *real = ik_path_canonical(path);
	bool hidden = ik_sandbox_hides(buffers->sandbox, tool->name, real);

	free(real);
	return hidden;
}

struct ik_preparation *ik_buffers_prepare(const struct ik_buffers *buffers,
	const struct ik_tool *tool, struct ik_json_span arguments, ik_prepared *ready, void *arg)
{
	struct ik_json_span display = { tool->display, tool->display ? strlen(tool->display) : 0 };
	struct ik_json_span path = ik_display_value(display, "path", arguments);
	enum ik_display_kind kind = ik_display_kind(display);
	const struct ik_policy_place place = { .directory = buffers->viewer->directory };
	struct ik_preparation *preparation;
	char *name = ik_json_text_new(path);
	char *file = name ? ik_policy_absolute(&place, name) : NULL;
	struct ik_buf params;

	free(name);
	if (!buffers->reads || !file || tool->source != IK_SOURCE_SYSTEM ||
		(kind != IK_DISPLAY_READ && kind != IK_DISPLAY_EDIT) || is_hidden(buffers, tool, file)) {
		free(file);
		return NULL;
	}
	preparation = ik_alloc(sizeof(*preparation));
	*preparation = (struct ik_preparation){ .buffers = buffers, .ready = ready, .arg = arg };
	preparation->edits = kind == IK_DISPLAY_EDIT;
	preparation->path = file;
	ik_buf_init(&preparation->head, IK_LIMIT_ARGUMENTS);
	ik_buf_init(&preparation->tail, IK_LIMIT_ARGUMENTS);
	ik_buf_append(&preparation->head, arguments.text, (size_t)(path.text - arguments.text));
	ik_buf_append(&preparation->tail, path.text + path.length,
		(size_t)(arguments.text + arguments.length - path.text - path.length));
	ik_peer_open(&params);
	ik_json_printf(&params, "'sessionId':'%s','path':'%s'", buffers->viewer->session,
		preparation->path);
	preparation->question = ik_peer_ask(buffers->viewer->peer, "fs/read_text_file", &params,
		on_read, preparation);
	return preparation;
}

void ik_buffers_close(struct ik_preparation *preparation)
{
	if (preparation->question != 0)
		ik_peer_take_back(preparation->buffers->viewer->peer, preparation->question);
	if (preparation->copy)
		(void)unlink(preparation->copy);
	free(preparation->copy);
	free(preparation->path);
	ik_buf_done(&preparation->head);
	ik_buf_done(&preparation->tail);
	free(preparation);
}
