/*
 * program: what every tool is beside its own work.
 *
 * A tool describes itself in one const table; ik_program_main() does the rest
 * of the protocol: --schema, --help and --version, reading the one JSON object
 * from stdin, checking it against the table, and printing one JSON object.
 * Wrong input is answered with INVALID_ARG and a sentence that names the
 * parameter, what came and what is wanted.
 *
 * May include: util, json, tools/common/answer.h.
 */
#ifndef IK_TOOLS_PROGRAM_H
#define IK_TOOLS_PROGRAM_H

#include "tools/common/answer.h"

enum ik_parameter_type {
	IK_PARAMETER_STRING, /* any bytes */
	IK_PARAMETER_NAME,   /* a string for the operating system or a C library: no NUL */
	IK_PARAMETER_COUNT,  /* an integer of at least 1 */
	IK_PARAMETER_NUMBER, /* an integer of at least 0 */
	IK_PARAMETER_BOOLEAN
};

struct ik_parameter {
	const char *name;
	enum ik_parameter_type type;
	bool required;
	const char *description;
};

/* What came for the parameter of the same index. */
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
	const char *example; /* an input, for --help */
	bool read_only;      /* changes nothing */
	const char *writes;  /* the parameter that is the file it writes, and the only one; or NULL */
	size_t parameter_count;
	const struct ik_parameter *parameters;
	void (*run)(const struct ik_argument *arguments, struct ik_tool_answer *answer);
};

/* The tool, which its main.c defines and tools/common/main.c runs. */
extern const struct ik_program ik_program;

/* Run a tool: all of its main(). */
int ik_program_main(const struct ik_program *program, int argc, char **argv);

#endif
