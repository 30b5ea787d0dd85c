#include "tool/returned_files.h"

#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "json/write.h"
#include "util/alloc.h"
#include "util/base64.h"
#include "util/limits.h"
#include "util/text.h"

static const char too_many[] = "a result can have at most 20 files, of 14 MB together";

/* A file in the result. */
struct returned_file {
	struct ik_json_span image; /* the string that contains or names it */
	char *name;
	char *path; /* NULL: it is these bytes: */
	struct ik_buf bytes;
	char *type; /* of a file that is kept; NULL: it is attached */
	char *line; /* what takes the place of the string; NULL: not known yet */
};

struct ik_returned_files {
	struct ik_fit_options options;
	struct ik_output_files *outputs;
	ik_returned_files_done *done;
	void *arg;
	char *copy; /* of the result */
	struct ik_json_span value;
	struct returned_file *files;
	size_t count, at;
	struct ik_fit *fit; /* of the file at at; or NULL */
	struct ik_attachments attachments;
	struct ik_buf out; /* the new result */
};

/* ---- finding them ---- */

static bool is_named_like_file(const char *text)
{
	static const char *const ends[] = { ".png", ".jpg", ".jpeg", ".gif", ".webp", ".pdf" };
	size_t length = strlen(text);

	for (size_t i = 0; i < sizeof(ends) / sizeof(*ends); i++)
		if (length > strlen(ends[i]) && strcasecmp(text + length - strlen(ends[i]), ends[i]) == 0)
			return true;
	return false;
}

/* Decode base64, or a data: URL with it. Return false if it is neither, or of no known file. */
static bool decode(const char *text, struct ik_buf *bytes)
{
	const char *comma = ik_text_starts(text, "data:") ? strchr(text, ',') : NULL;
	const char *base64 = comma ? comma + 1 : text;

	return ik_base64_read(bytes, base64, strlen(base64)) &&
		ik_fit_begins(bytes->data, bytes->length);
}

/* Take over a file that was found in an object, or as a string by itself: then it has no name. */
static void push(struct ik_returned_files *files, struct returned_file file,
	struct ik_json_span object, const char *standard)
{
	file.name = ik_json_text_new(ik_json_member(object, "name"));
	if (!file.name)
		file.name = ik_strdup(standard);
	files->files = ik_alloc_more(files->files, files->count, sizeof(file));
	files->files[files->count++] = file;
}

/* Add the file of a string if that is one. object surrounds it, or has no value. */
static void add(struct ik_returned_files *files, struct ik_json_span image,
	struct ik_json_span object)
{
	char *text = ik_json_text_new(image);
	struct returned_file file = { .image = image };
	bool meant;

	if (!text)
		return;
	ik_buf_init(&file.bytes, IK_LIMIT_PICTURE);
	meant = decode(text, &file.bytes);
	if (!meant && !ik_text_starts(text, "data:") &&
		(is_named_like_file(text) || ik_json_member(object, "media_type").text)) {
		meant = true;
		file.path = ik_strdup(text);
	}
	if (meant)
		push(files, file, object, file.path ? file.path : "image");
	else
		ik_buf_done(&file.bytes);
	free(text);
}

static void add_object(struct ik_returned_files *files, struct ik_json_span object)
{
	if (ik_json_span_type(object) == IK_JSON_OBJECT)
		add(files, ik_json_member(object, "image"), object);
}

/* Add the file of an object that is to be kept, if it is one. */
static void add_kept(struct ik_returned_files *files, struct ik_json_span object)
{
	struct returned_file file = { .image = ik_json_member(object, "file") };
	char *text = ik_json_text_new(file.image);

	file.type = ik_json_text_new(ik_json_member(object, "media_type"));
	ik_buf_init(&file.bytes, IK_LIMIT_PICTURE);
	if (text && file.type && ik_base64_read(&file.bytes, text, strlen(text))) {
		push(files, file, object, "file");
	} else {
		ik_buf_done(&file.bytes);
		free(file.type);
	}
	free(text);
}

static void find(struct ik_returned_files *files)
{
	static const struct ik_json_span none = { NULL, 0 };
	struct ik_json_span images = ik_json_member(files->value, "images");
	struct ik_json_span kept = ik_json_member(files->value, "files");

	add_object(files, files->value);
	for (struct ik_json_walk walk = ik_json_walk(files->value); ik_json_next(&walk);)
		add_object(files, walk.value);
	for (struct ik_json_walk walk = ik_json_elements(images); ik_json_next(&walk);) {
		add_object(files, walk.value);
		add(files, walk.value, none);
	}
	for (struct ik_json_walk walk = ik_json_elements(kept); ik_json_next(&walk);)
		add_kept(files, walk.value);
}

/* ---- replacing them ---- */

/* Write the result with a line in the place of each string. */
static void put_value(struct ik_returned_files *files)
{
	const char *at = files->value.text, *end = at + files->value.length;

	for (size_t i = 0; i < files->count; i++) {
		const struct returned_file *file = &files->files[i];

		ik_buf_append(&files->out, at, (size_t)(file->image.text - at));
		ik_json_put_text(&files->out, file->line);
		at = file->image.text + file->image.length;
	}
	ik_buf_append(&files->out, at, (size_t)(end - at));
}

static void fit_next(void *arg);

static void on_fit(void *arg, const struct ik_attached_file *fitting, const char *problem)
{
	struct ik_returned_files *files = arg;
	struct returned_file *file = &files->files[files->at++];

	if (!fitting || !ik_attachments_fits(&files->attachments, fitting)) {
		file->line = ik_format("%s (not attached: %s)", file->name, fitting ? too_many : problem);
	} else {
		ik_attachments_add_file(&files->attachments, file->name, fitting);
		file->line = fitting->width > 0
			? ik_format("%s (attached: %s, %lldx%lld, %zu bytes)", file->name, fitting->media_type,
				  (long long)fitting->width, (long long)fitting->height,
				  ik_bytes_length(fitting->bytes))
			: ik_format("%s (attached: %s, %zu bytes)", file->name, fitting->media_type,
				  ik_bytes_length(fitting->bytes));
	}
	files->fit = ik_fit_close(files->fit);
	fit_next(files);
}

/* Keep a file, and return the line about it. Its name ends in the second part of its type. */
static char *keep(struct ik_returned_files *files, const struct returned_file *file)
{
	static const char plain[] = "abcdefghijklmnopqrstuvwxyz0123456789";
	const char *slash = strchr(file->type, '/'), *part = slash ? slash + 1 : "", *path;
	bool usable = part[0] != '\0' && strlen(part) <= 8 && part[strspn(part, plain)] == '\0';
	char *end = ik_format(".%s", usable ? part : "bin"), *line;

	path = ik_output_files_add(files->outputs, end, file->bytes.data, file->bytes.length);
	line = ik_format("%s (%s, %zu bytes%s%s)", file->name, file->type, file->bytes.length,
		path ? ": " : ", not kept", path ? path : "");
	free(end);
	return line;
}

/* Make the next file fit, or report that all are. Reading more than are attached could take hours. */
static void fit_next(void *arg)
{
	struct ik_returned_files *files = arg;
	struct ik_fit_options options = files->options;

	for (; files->at < files->count; files->at++) {
		struct returned_file *file = &files->files[files->at];

		if (file->type)
			file->line = keep(files, file);
		else if (files->at >= IK_MESSAGE_FILES_MOST)
			file->line = ik_format("%s (not attached: %s)", file->name, too_many);
		else
			break;
	}
	if (files->at == files->count) {
		put_value(files);
		files->done(files->arg, (struct ik_json_span){ files->out.data, files->out.length },
			&files->attachments);
		return;
	}
	options.path = files->files[files->at].path;
	options.bytes = files->files[files->at].bytes.data;
	options.length = files->files[files->at].bytes.length;
	files->fit = ik_fit_start(&options, on_fit, files);
}

static int compare(const void *one, const void *other)
{
	const struct returned_file *first = one, *second = other;

	return first->image.text < second->image.text ? -1 : first->image.text > second->image.text;
}

struct ik_returned_files *ik_returned_files_start(struct ik_json_span value,
	const struct ik_fit_options *options, struct ik_output_files *outputs,
	ik_returned_files_done *done, void *arg)
{
	struct ik_returned_files *files;

	/* Most results have none, and need not be copied. */
	if (!memmem(value.text, value.length, "\"image", 6) &&
		!memmem(value.text, value.length, "\"media_type\"", 12))
		return NULL;
	files = ik_alloc(sizeof(*files));
	files->options = *options;
	files->outputs = outputs;
	files->done = done;
	files->arg = arg;
	files->copy = ik_strndup(value.text, value.length);
	files->value = (struct ik_json_span){ files->copy, value.length };
	ik_attachments_init(&files->attachments);
	ik_buf_init(&files->out, IK_LIMIT_JSON_ANSWER + IK_LIMIT_ARGUMENTS);
	find(files);
	if (files->count == 0)
		return ik_returned_files_close(files);
	qsort(files->files, files->count, sizeof(*files->files), compare);
	ik_loop_defer(options->loop, fit_next, files);
	return files;
}

/* Free it (deferred: the fit borrows what is in it). */
static void release(void *arg)
{
	struct ik_returned_files *files = arg;

	for (size_t i = 0; i < files->count; i++) {
		free(files->files[i].name);
		free(files->files[i].path);
		free(files->files[i].type);
		free(files->files[i].line);
		ik_buf_done(&files->files[i].bytes);
	}
	free(files->files);
	free(files->copy);
	ik_attachments_done(&files->attachments);
	ik_buf_done(&files->out);
	free(files);
}

struct ik_returned_files *ik_returned_files_close(struct ik_returned_files *files)
{
	if (!files)
		return NULL;
	files->fit = ik_fit_close(files->fit);
	ik_loop_cancel_deferred(files->options.loop, fit_next, files);
	ik_loop_defer(files->options.loop, release, files);
	return NULL;
}
