#include "record.h"

#include <ctype.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>

#include "json/write.h"
#include "util/alloc.h"
#include "util/limits.h"
#include "util/path.h"

/* One line of a head: where the name ends, where the value begins and ends. */
struct field {
	const char *name, *colon, *value, *end;
};

/* Read the field after *at, and move *at to its end. False: there is none. */
static bool next_field(const char **at, struct field *ret_field)
{
	const char *line = strstr(*at, "\r\n");

	if (!line)
		return false;
	line += 2;
	const char *end = strstr(line, "\r\n");
	end = end ? end : line + strlen(line);
	*at = end;
	*ret_field = (struct field){
		.name = line, .end = end, .colon = memchr(line, ':', (size_t)(end - line))
	};
	if (!ret_field->colon)
		return next_field(at, ret_field);
	ret_field->value = ret_field->colon + 1 + strspn(ret_field->colon + 1, " \t");
	return true;
}

char *request_header(const char *head, const char *name)
{
	size_t length = strlen(name);
	struct field field;

	while (next_field(&head, &field)) {
		if ((size_t)(field.colon - field.name) == length &&
			strncasecmp(field.name, name, length) == 0)
			return ik_strndup(field.value, (size_t)(field.end - field.value));
	}
	return NULL;
}

/* Write a line and release it. */
static void write_line(int fd, struct ik_buf *line)
{
	ik_buf_putc(line, '\n');
	if (ik_write_all(fd, line->data, line->length) != 0)
		perror("loopback_server: record");
	ik_buf_done(line);
}

void record_request(int fd, int request, int connection, const char *head, const char *body,
	size_t body_length, int answer, const char *refusal)
{
	size_t method = strcspn(head, " \r");
	const char *path = head + method + (head[method] == ' ');
	struct ik_buf line, name;
	struct field field;

	if (fd < 0)
		return;
	ik_buf_init(&line, IK_LIMIT_REQUEST);
	ik_buf_init(&name, IK_KIB(64));
	ik_json_open(&line, '{');
	ik_json_key(&line, "request");
	ik_json_put_integer(&line, request);
	ik_json_key(&line, "connection");
	ik_json_put_integer(&line, connection);
	ik_json_key(&line, "method");
	ik_json_put_string(&line, head, method);
	ik_json_key(&line, "path");
	ik_json_put_string(&line, path, strcspn(path, " \r"));
	ik_json_key(&line, "headers");
	ik_json_open(&line, '{');
	while (next_field(&head, &field)) {
		ik_buf_clear(&name);
		for (const char *letter = field.name; letter < field.colon; letter++)
			ik_buf_putc(&name, (char)tolower((unsigned char)*letter));
		ik_json_key(&line, name.data);
		ik_json_put_string(&line, field.value, (size_t)(field.end - field.value));
	}
	ik_json_close(&line, '}');
	ik_json_key(&line, "body");
	ik_json_put_string(&line, body, body_length);
	ik_json_key(&line, "answer");
	ik_json_put_integer(&line, answer);
	if (refusal) {
		ik_json_key(&line, "refused");
		ik_json_put_text(&line, refusal);
	}
	ik_json_close(&line, '}');
	write_line(fd, &line);
	ik_buf_done(&name);
}

void record_end(int fd, int request, const char *how, size_t bytes)
{
	struct ik_buf line;

	if (fd < 0)
		return;
	ik_buf_init(&line, IK_KIB(4));
	ik_json_open(&line, '{');
	ik_json_key(&line, "request");
	ik_json_put_integer(&line, request);
	ik_json_key(&line, "end");
	ik_json_put_text(&line, how);
	ik_json_key(&line, "bytes");
	ik_json_put_integer(&line, (int64_t)bytes);
	ik_json_close(&line, '}');
	write_line(fd, &line);
}
