#include "tools/grep/files.h"

#include <dirent.h>
#include <fcntl.h>
#include <inttypes.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "util/alloc.h"
#include "util/clock.h"
#include "util/limits.h"

/* Start the helper when the search has taken this long and is not done. */
#define HELP_US 3000
/* Room for what the helper finds; when it is full, the helper ends. */
#define FINDINGS_MAX IK_MIB(64)
/* When text is passed on to the answer. */
#define FLUSH_AT IK_KIB(256)
/* A file of this size is probed for NULs in its middle and at its end, too. */
#define LARGE ((off_t)IK_MIB(32))
/* Bytes of one probe for NULs. */
#define PROBE IK_KIB(256)

/* What comes before each line, and before each group of lines. */
#define SEPARATOR "\n"
#define GROUP_SEPARATOR "\n--\n"

/* One file, whose path is at an offset in the names. */
struct queued_file {
	size_t name;
	unsigned char type;
};

/* What the helper found in a file, after the text about it. */
struct finding {
	size_t index;  /* of the file */
	int64_t count; /* lines found */
	size_t length; /* of the text */
	bool more;     /* there is more than was reported */
};

/* Memory that is shared with the helper. */
struct findings {
	atomic_size_t taken;  /* files that either process has taken */
	atomic_size_t done;   /* files that the helper has searched, from the end of the queue */
	atomic_size_t length; /* of what it found */
	char text[FINDINGS_MAX];
};

struct files {
	struct search *search;
	struct files_options options;
	struct ik_tool_answer *answer;
	struct ik_buf names;
	struct ik_buf queue; /* of struct queued_file */
	int64_t count;       /* matching lines in the answer */
	bool more;           /* there is one more than the limit: the search is over */
};

struct files *files_new(struct search *search, const struct files_options *options,
	struct ik_tool_answer *answer)
{
	struct files *files = ik_alloc(sizeof(*files));

	*files = (struct files){ .search = search, .options = *options, .answer = answer };
	ik_buf_init(&files->names, SIZE_MAX / 2);
	ik_buf_init(&files->queue, SIZE_MAX / 2);
	return files;
}

/* Is there nothing more to do? */
static bool is_over(const struct files *files)
{
	return files->more || ik_answer_lost(files->answer);
}

/* ---- one file ---- */

/* The lines of a file, as they are found. */
struct report {
	struct ik_buf text;
	const char *path;
	int64_t count;                 /* matching lines */
	uint64_t last;                 /* number of the last line, 0: none yet */
	bool groups;                   /* "--" goes between lines that are not adjacent */
	bool separate;                 /* the first line follows another one, too */
	int fd;                        /* of the file, to see whether it is binary; -1: that does not
	                                  matter, or is known */
	struct ik_tool_answer *answer; /* gets the text when there is much of it; NULL: it stays */
};

/* Is there a NUL within length bytes of the file from offset on? */
static bool has_nul(int fd, off_t offset, size_t length)
{
	char *block = ik_alloc_array(NULL, length, 1);
	ssize_t count = pread(fd, block, length, offset);
	bool found = count > 0 && memchr(block, '\0', (size_t)count);

	free(block);
	return found;
}

/* Is the file binary, that is: is there a NUL at its start or, in a large one, in its middle or at
 * its end? */
static bool is_binary(int fd)
{
	struct stat status;

	if (has_nul(fd, 0, PROBE))
		return true;
	return fstat(fd, &status) == 0 && status.st_size >= LARGE &&
		(has_nul(fd, status.st_size / 2, PROBE) || has_nul(fd, status.st_size - PROBE, PROBE));
}

/* Pass the text on to the answer. */
static void report_flush(struct report *report)
{
	if (ik_buf_status(&report->text) != IK_OK)
		ik_alloc_fail();
	ik_answer_piece(report->answer, report->text.data, report->text.length);
	ik_buf_clear(&report->text);
}

/* Append the separator from the line before, and the file's name. */
static void begin_line(struct report *report, uint64_t number)
{
	bool group = report->groups && (report->last == 0 || number != report->last + 1);

	if (report->separate)
		ik_buf_puts(&report->text, group ? GROUP_SEPARATOR : SEPARATOR);
	ik_buf_puts(&report->text, report->path);
	report->separate = true;
	report->last = number;
}

/* Report a line; if the file is binary, only that, instead of its first line. */
static bool take_line(void *arg, const struct search_line *line)
{
	struct report *report = arg;
	char mark = line->context ? '-' : ':';
	bool binary = report->fd >= 0 && is_binary(report->fd);

	begin_line(report, line->number);
	report->fd = -1;
	report->count += binary || !line->context;
	if (binary) {
		ik_buf_puts(&report->text, ": binary file matches");
		return false;
	}
	ik_buf_printf(&report->text, "%c%" PRIu64 "%c ", mark, line->number, mark);
	ik_buf_append(&report->text, line->text, line->length);
	if (!report->answer)
		return report->text.length <= FINDINGS_MAX;
	if (report->text.length >= FLUSH_AT)
		report_flush(report);
	return !ik_answer_lost(report->answer);
}

static size_t queue_length(const struct files *files)
{
	return files->queue.length / sizeof(struct queued_file);
}

/* Search a file for at most so many matches (0: all), if it is a regular file that can be opened.
 * Follow links only where the type is that of a link. Return whether there is one more. */
static bool search_queued(const struct files *files, size_t index, uint64_t most,
	struct report *report)
{
	const struct queued_file *file = (const struct queued_file *)(const void *)files->queue.data +
		index;
	struct stat status;
	bool more = false;

	report->path = files->names.data + file->name;
	report->groups = files->options.groups;
	ik_buf_init(&report->text, SIZE_MAX / 2);
	int fd = open(report->path,
		O_RDONLY | O_NONBLOCK | O_NOCTTY | O_CLOEXEC | (file->type == DT_LNK ? 0 : O_NOFOLLOW));
	if (fd < 0)
		return false;
	report->fd = files->options.name_binaries ? fd : -1;
	if (file->type == DT_REG || (fstat(fd, &status) == 0 && S_ISREG(status.st_mode)))
		more = search_file(files->search, fd, most, take_line, report);
	close(fd);
	return more;
}

/* Search a file straight into the answer. */
static void search_directly(struct files *files, size_t index)
{
	uint64_t most = files->options.most, left = most - (uint64_t)files->count;
	/* Then all that matters is whether there is one more match. */
	bool full = most > 0 && left == 0;
	struct report report = { .separate = files->count > 0, .answer = full ? NULL : files->answer };
	bool more = search_queued(files, index, most == 0 ? 0 : full ? 1 : left, &report);

	if (full) {
		files->more = report.count > 0;
	} else {
		report_flush(&report);
		files->count += report.count;
		files->more = more;
	}
	ik_buf_done(&report.text);
}

/* ---- two processes ---- */

/* The helper's whole life: search files from the end of the queue on. */
static void help(const struct files *files, size_t left, struct findings *findings)
{
	bool room = true;

	for (size_t done = 1; room && atomic_fetch_add(&findings->taken, 1) < left; done++) {
		struct finding finding = { .index = queue_length(files) - done };
		struct report report = { .separate = true };
		char *to = findings->text + findings->length;

		finding.more = search_queued(files, finding.index, files->options.most, &report);
		finding.count = report.count;
		finding.length = report.text.length;
		room = ik_buf_status(&report.text) == IK_OK &&
			finding.length + sizeof(finding) <= FINDINGS_MAX - findings->length;
		if (room && report.count > 0) {
			memcpy(to, report.text.data, finding.length);
			memcpy(to + finding.length, &finding, sizeof(finding));
			findings->length += finding.length + sizeof(finding);
		}
		if (room)
			findings->done = done;
		ik_buf_done(&report.text);
	}
}

/* Put what the helper found into the answer, the last first. */
static void take_findings(struct files *files, const struct findings *findings)
{
	size_t skipped = strlen(files->options.groups ? GROUP_SEPARATOR : SEPARATOR);
	size_t end = findings->length, first = queue_length(files) - findings->done;
	uint64_t most = files->options.most;
	struct finding finding;

	while (end > 0 && !is_over(files)) {
		end -= sizeof(finding);
		memcpy(&finding, findings->text + end, sizeof(finding));
		end -= finding.length;
		if (finding.index < first)
			continue; /* it was killed before it was done with that */
		if (finding.more || (most > 0 && (uint64_t)(files->count + finding.count) > most)) {
			search_directly(files, finding.index);
			continue;
		}
		size_t from = files->count == 0 ? skipped : 0;
		ik_answer_piece(files->answer, findings->text + end + from, finding.length - from);
		files->count += finding.count;
	}
}

/* Start the helper; -1 if that is impossible. */
static pid_t start_helper(const struct files *files, size_t left, struct findings *findings)
{
	pid_t self = getpid(), helper = fork();

	if (helper == 0) {
		/* Die with this process, even if it is killed. */
		prctl(PR_SET_PDEATHSIG, SIGKILL);
		if (getppid() == self)
			help(files, left, findings);
		_exit(0);
	}
	return helper;
}

/* Search the files from that index on, while a helper takes them from the other end. */
static void search_together(struct files *files, size_t index)
{
	size_t left = queue_length(files) - index;
	struct findings *findings = mmap(NULL, sizeof(*findings), PROT_READ | PROT_WRITE,
		MAP_SHARED | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
	pid_t helper = findings != MAP_FAILED ? start_helper(files, left, findings) : -1;

	while (!is_over(files) && helper > 0 && atomic_fetch_add(&findings->taken, 1) < left)
		search_directly(files, index++);
	if (helper > 0) {
		if (is_over(files))
			kill(helper, SIGKILL);
		waitpid(helper, NULL, 0);
	}
	/* What the helper has left out, if it could not be started, was killed or had no room. */
	size_t end = queue_length(files) - (helper > 0 ? findings->done : 0);

	while (!is_over(files) && index < end)
		search_directly(files, index++);
	if (helper > 0)
		take_findings(files, findings);
	if (findings != MAP_FAILED)
		munmap(findings, sizeof(*findings));
}

void files_add(struct files *files, const char *path, unsigned char type)
{
	struct queued_file file = { files->names.length, type };

	ik_buf_append(&files->names, path, strlen(path) + 1);
	ik_buf_append(&files->queue, (const char *)&file, sizeof(file));
}

int64_t files_finish(struct files *files, bool *ret_more)
{
	int64_t start = ik_clock_us(), count;
	size_t index = 0;

	if (ik_buf_status(&files->names) != IK_OK || ik_buf_status(&files->queue) != IK_OK)
		ik_alloc_fail();
	while (index < queue_length(files) && !is_over(files) && ik_clock_us() - start <= HELP_US)
		search_directly(files, index++);
	if (index < queue_length(files) && !is_over(files))
		search_together(files, index);
	count = files->count;
	*ret_more = files->more;
	ik_buf_done(&files->names);
	ik_buf_done(&files->queue);
	free(files);
	return count;
}
