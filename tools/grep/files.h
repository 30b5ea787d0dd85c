/*
 * files: search many files and report the results in order.
 *
 *     path:12: a line that matches
 *     path-13- a line of its context
 *     --                        between lines that are not adjacent, with context
 *     path: binary file matches
 *
 * Files are queued as they are found.  If that or the search takes long, a helper process is forked
 * that searches from the first file on, while this one finds the rest and then searches from the
 * last file on, until the two meet.  One process would not keep up with ripgrep, which uses all
 * processors.
 *
 * May include: util, json, tools/common/answer.h, tools/grep/search.h.
 */
#ifndef IK_TOOLS_GREP_FILES_H
#define IK_TOOLS_GREP_FILES_H

#include "tools/common/answer.h"
#include "tools/grep/search.h"

struct files;

struct files_options {
	bool groups;        /* lines come with context */
	uint64_t most;      /* limit on matching lines; UINT64_MAX: none */
	bool name_binaries; /* report only the name of a binary file that matches */
};

/* Search with search, report into the open string of answer. */
struct files *files_new(struct search *search, const struct files_options *options,
	struct ik_tool_answer *answer);

/* Queue a file; type is a DT_... of <dirent.h>. Links are followed only if it is DT_LNK. */
void files_add(struct files *files, const char *path, unsigned char type);

/* Search, free files and return the number of matching lines; *ret_more: there are more than the
 * limit. */
int64_t files_finish(struct files *files, bool *ret_more);

#endif
