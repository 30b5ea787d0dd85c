#include "server_process.h"

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* Describe the tools, all in one line. */
static void list(FILE *out, bool changed)
{
	fputs("TOOLS [", out);
	for (int i = 0; i < 100; i++)
		fprintf(out, "%s{\"name\":\"tool_%03d\",\"description\":\"Number %d\","
			"\"parameters\":{\"n\":{\"type\":\"integer\"}}}", i > 0 ? "," : "",
			changed && i == 99 ? 100 : i, i);
	fputs("]\n", out);
}

/* Answer one call, except those that behave in their own way. */
static void answer(FILE *out, int id, int tool, int calls)
{
	fprintf(out, "ANSWER %d {\"tool\":%d,\"calls\":%d,\"pid\":%d}\n", id, tool, calls,
		(int)getpid());
}

void server_process(int fd)
{
	FILE *in = fdopen(fd, "r"), *out = fdopen(dup(fd), "w");
	bool changed = false;
	int calls = 0, held = -1, id, tool;
	char *line = NULL;
	size_t room = 0;

	while (getline(&line, &room, in) > 0) {
		if (strcmp(line, "LIST\n") == 0) {
			list(out, changed);
		} else if (sscanf(line, "CALL %d tool_%d ", &id, &tool) == 2) {
			calls++;
			if (tool == 2)
				break;
			if (tool == 5)
				fprintf(out, "OUTPUT %d on the way\n", id);
			if (tool == 3)
				fprintf(out, "ANSWER %d nonsense\n", id);
			else if (tool == 4)
				held = id;
			else if (tool != 0)
				answer(out, id, tool, calls);
			if (tool != 4 && held >= 0) {
				answer(out, held, 4, calls);
				held = -1;
			}
			if (tool == 1) {
				changed = true;
				fputs("CHANGED\n", out);
			}
		}
		fflush(out);
	}
	_exit(0);
}
