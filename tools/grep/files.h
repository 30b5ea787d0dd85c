/*
 * files: search many files with two processes and report the results in order.
 *
 * Files are added to a queue as they are found.  When there is enough work, a helper process is
 * forked that takes files from the queue as this process does; its results come back through a
 * memory file.  If the helper cannot be started, or dies, this process searches the rest.
 *
 * One process would not keep up with ripgrep, which uses all processors: with two, a literal in
 * /usr/share (771 MB) takes 0.63 s of wall time for 0.44 s of CPU time with a cold cache.
 *
 * Owns the helper.  May include: util, tools/common/answer.h, tools/grep/search.h,
 * tools/grep/report.h.
 */
#ifndef IK_TOOLS_GREP_FILES_H
#define IK_TOOLS_GREP_FILES_H

#include "tools/common/answer.h"
#include "tools/grep/search.h"

struct files;

struct files_options {
	uint64_t context;   /* lines to report around each match */
	uint64_t most;      /* limit on matching lines; 0: none */
	bool name_binaries; /* report only the name of a binary file that matches */
};

/* Search with search, report into the open string of answer. */
struct files *files_new(struct search *search, const struct files_options *options,
	struct ik_tool_answer *answer);

/* Add a file to the queue; type is a DT_... of <dirent.h>. False: no more files are needed. */
bool files_add(struct files *files, const char *path, unsigned char type);

/* Search one file at once, following symbolic links; call it before any file is added. */
void files_search_named(struct files *files, const char *path);

struct files_end {
	bool more;    /* more lines match than the limit */
	char *unread; /* a file with a line that did not fit into memory; to be freed; NULL: none */
};

/* Search what is left, free files and return the number of matching lines. */
int64_t files_finish(struct files *files, struct files_end *ret_end);

#endif
