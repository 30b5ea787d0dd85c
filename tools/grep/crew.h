/*
 * crew: a row of files searched by two processes, reported in order.
 *
 * Files are added as they are found.  When there is enough work, a helper
 * process is made, which takes files from the row as this process does; what
 * it finds comes back through a file in memory.  If the helper cannot be made,
 * or dies, this process does it all.  A large file is a row of its own: its
 * parts, searched by two processes when its turn in the answer comes.
 *
 * Owns the helper.  May include: util, tools/common/answer.h,
 * tools/grep/search.h, tools/grep/report.h.
 */
#ifndef IK_TOOLS_GREP_CREW_H
#define IK_TOOLS_GREP_CREW_H

#include "tools/common/answer.h"
#include "tools/grep/search.h"

struct crew;

struct crew_options {
	uint64_t context;   /* lines around each that matches */
	uint64_t most;      /* lines that match to report; 0: all */
	bool name_binaries; /* of a binary file that matches only the name is reported */
};

/* Search with search, report into the open string of answer. */
struct crew *crew_new(struct search *search, const struct crew_options *options,
	struct ik_tool_answer *answer);

/* Add a file; the type is a DT_... of <dirent.h>. False: no more are needed. */
bool crew_add(struct crew *crew, const char *path, unsigned char type);

/* Search one file at once, behind symbolic links too; before any was added. */
void crew_search_named(struct crew *crew, const char *path);

/* How it ended. */
struct crew_end {
	bool more;    /* more lines match than were to be reported */
	char *unread; /* a file with a line that did not fit into memory, to be freed; NULL: none */
};

/* Search all that is left and free the crew; the number of lines that match. */
int64_t crew_finish(struct crew *crew, struct crew_end *ret_end);

#endif
