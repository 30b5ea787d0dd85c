/*
 * program: everything that tools have in common.
 *
 * A tool describes itself in one const table; ik_program_main() does the rest of the protocol:
 * --schema, --help and --version, reading the JSON object from stdin, checking it against the
 * table, and printing the answer. Invalid input is answered with INVALID_ARG and a sentence that
 * names the parameter, the value and what is expected.
 *
 * May include: util, json, tools/common/answer.h.
 */
#ifndef IK_TOOLS_PROGRAM_H
#define IK_TOOLS_PROGRAM_H

#include "tools/common/answer.h"

enum ik_parameter_type {
	IK_PARAMETER_STRING, /* any bytes */
	IK_PARAMETER_NAME,   /* a string for the system or a C library: no NUL */
	IK_PARAMETER_COUNT,  /* an integer of at least 1 */
	IK_PARAMETER_NUMBER, /* an integer of at least 0 */
	IK_PARAMETER_BOOLEAN
};

/* Names of these types: JSON Schema's, and in words. */
struct ik_parameter_kind {
	const char *schema, *words;
};
extern const struct ik_parameter_kind ik_parameter_kinds[];

struct ik_parameter {
	const char *name;
	enum ik_parameter_type type;
	bool required;
	const char *description;
};

/* The value of the parameter with the same index. */
struct ik_argument {
	bool given;
	char *text; /* NUL-terminated; NULL unless a string was given */
	size_t length;
	int64_t number; /* 0 unless given */
	bool truth;     /* false unless given */
};

#define IK_PARAMETERS_MAX 8

struct ik_program {
	const char *name;   /* as the model sees it: file_read */
	const char *binary; /* as it is installed: file-read */
	const char *description;
	const char *example; /* sample input, for --help */
	bool read_only;      /* changes nothing */
	const char *writes;  /* the parameter that names the only file it writes, or NULL */
	/* How calls are shown: members of "display" (ikigai-writing-tools(7)), ends with a NULL. */
	const char *display[10][2];
	size_t parameter_count;
	const struct ik_parameter *parameters;
	void (*run)(const struct ik_argument *arguments, struct ik_tool_answer *answer);
};

/* The tool, defined in its main.c and run by tools/common/main.c. */
extern const struct ik_program ik_program;

/* Run a tool: its whole main(). */
int ik_program_main(const struct ik_program *program, int argc, char **argv);

#endif
