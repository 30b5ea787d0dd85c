#include "tools/grep/files.h"

#include <dirent.h>
#include <fcntl.h>
#include <sched.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "tools/common/open_path.h"
#include "tools/grep/report.h"

#include "util/alloc.h"
#include "util/clock.h"
#include "util/limits.h"
#include "util/path.h"

/* Start the workers when the search has taken this long and is not done. */
#define HELP_US 3000
#define WORKERS 2
/* When a worker passes its reports on, and what it may be ahead by. */
#define FLUSH_AT IK_KIB(64)
#define PIPE_SIZE IK_MIB(1)
/* A longer report of a file is not kept: the file is searched when its turn comes. */
#define REPORT_MAX IK_MIB(64)
/* A file of this size is probed for NULs in its middle and at its end, too. */
#define LARGE ((off_t)IK_MIB(32))
/* Bytes of one probe for NULs. */
#define PROBE IK_KIB(256)

/* One file, whose path is at an offset in the names. */
struct queued_file {
	size_t name;
	unsigned char type;
};

/* What a worker found in a file, before the text of its report. */
struct finding {
	size_t index;  /* of the file; DONE after the last one */
	int64_t count; /* lines found */
	size_t length; /* of the text */
	bool more;     /* there is more than was reported */
};

#define DONE SIZE_MAX

/* A process that searches. It reports the files with matches, in order, to a pipe. */
struct worker {
	pid_t pid;
	int fd;
	struct ik_buf input;
	size_t start; /* of what is not used in input */
	bool waiting; /* the finding has been read, its text is at start, and it is not used */
	struct finding finding;
};

struct files {
	struct search *search;
	struct files_options options;
	struct ik_tool_answer *answer;
	struct ik_buf names;
	struct ik_buf queue; /* of struct queued_file */
	int64_t count;       /* matching lines in the answer */
	bool more;           /* there is one more than the limit: the search is over */
	struct worker workers[WORKERS];
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

/* Where the lines of a file go. */
struct file_reader {
	struct report *report;
	int fd;       /* of the file, to see whether it is binary; -1: that does not matter */
	bool is_text; /* it is known not to be */
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

static bool take_line(void *arg, const struct search_line *line)
{
	struct file_reader *reader = arg;
	struct report *report = reader->report;

	if (reader->fd >= 0 && !reader->is_text) {
		if (is_binary(reader->fd)) {
			report_binary(report);
			return false;
		}
		reader->is_text = true;
	}
	report_line(report, line);
	return report->answer ? !ik_answer_lost(report->answer) : report->text.length <= REPORT_MAX;
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
	const char *path = files->names.data + file->name;
	struct file_reader reader = { .report = report, .fd = -1 };
	struct stat status;
	bool more = false;
	int fd = ik_open_path(path,
		O_RDONLY | O_NONBLOCK | O_NOCTTY | (file->type == DT_LNK ? 0 : O_NOFOLLOW));

	if (fd < 0)
		return false;
	report_file(report, path);
	if (files->options.name_binaries)
		reader.fd = fd;
	if (file->type == DT_REG || (fstat(fd, &status) == 0 && S_ISREG(status.st_mode)))
		more = search_file(files->search, fd, most, take_line, &reader);
	close(fd);
	return more;
}

/* Search a file straight into the answer. */
static void search_directly(struct files *files, size_t index)
{
	uint64_t left = files->options.most - (uint64_t)files->count;
	bool limited = files->options.most > 0;
	/* Then all that matters is whether there is one more match. */
	bool full = limited && left == 0;
	struct report report;

	report_init(&report, files->count > 0, files->options.groups, full ? NULL : files->answer);
	bool more = search_queued(files, index, full ? 1 : limited ? left : 0, &report);

	if (full) {
		files->more = report.count > 0;
	} else {
		report_flush(&report);
		files->count += report.count;
		files->more = more;
	}
	report_done(&report);
}

/* Search the file whose turn it is, and append what was found to the report; false after the last
 * one. */
static bool search_next(const struct files *files, atomic_size_t *next, struct report *report)
{
	struct finding finding = { .index = atomic_fetch_add(next, 1) };
	struct ik_buf *text = &report->text;
	size_t start = text->length;
	int64_t count = report->count;
	bool done = finding.index >= queue_length(files);

	ik_buf_append(text, (const char *)&finding, sizeof(finding));
	if (done)
		finding.index = DONE;
	else
		finding.more = search_queued(files, finding.index, files->options.most, report);
	if (ik_buf_status(text) != IK_OK)
		ik_alloc_fail();
	finding.count = report->count - count;
	finding.length = text->length - start - sizeof(finding);
	if (finding.length > REPORT_MAX) {
		finding.more = true;
		finding.length = 0;
	}
	memcpy(text->data + start, &finding, sizeof(finding));
	ik_buf_truncate(text,
		finding.count > 0 || done ? start + sizeof(finding) + finding.length : start);
	return !done;
}

/* A worker's whole life. */
static void work(const struct files *files, atomic_size_t *next, int fd)
{
	struct report report;
	bool going = true, taken = true;

	report_init(&report, true, files->options.groups, NULL);
	while (going && taken) {
		going = search_next(files, next, &report);
		if (going && report.text.length < FLUSH_AT)
			continue;
		taken = ik_write_all(fd, report.text.data, report.text.length) == 0;
		ik_buf_clear(&report.text);
	}
}

/* Start a worker; false if that is impossible. */
static bool start_worker(struct files *files, struct worker *worker, atomic_size_t *next)
{
	pid_t self = getpid();
	int ends[2];

	if (pipe2(ends, O_CLOEXEC) != 0)
		return false;
	(void)fcntl(ends[1], F_SETPIPE_SZ, (int)PIPE_SIZE);
	worker->pid = fork();
	if (worker->pid == 0) {
		/* Die with this process, even if it is killed. */
		prctl(PR_SET_PDEATHSIG, SIGKILL);
		if (getppid() == self)
			work(files, next, ends[1]);
		_exit(0);
	}
	close(ends[1]);
	if (worker->pid < 0) {
		close(ends[0]);
		return false;
	}
	worker->fd = ends[0];
	ik_buf_init(&worker->input, SIZE_MAX / 2);
	return true;
}

static void stop_worker(struct worker *worker)
{
	kill(worker->pid, SIGKILL);
	waitpid(worker->pid, NULL, 0);
	close(worker->fd);
	ik_buf_done(&worker->input);
}

/* Read until there are so many unused bytes; false if the worker has ended before. */
static bool receive(struct worker *worker, size_t wanted)
{
	struct ik_buf *input = &worker->input;

	while (input->length - worker->start < wanted) {
		ik_buf_consume(input, worker->start);
		worker->start = 0;
		char *to = ik_buf_reserve(input, wanted + FLUSH_AT);

		if (!to)
			ik_alloc_fail();
		ssize_t count = read(worker->fd, to, wanted + FLUSH_AT);

		if (count <= 0)
			return false;
		ik_buf_commit(input, (size_t)count);
	}
	return true;
}

/* Read a worker's next finding, with its text; false if the worker has ended before. */
static bool next_finding(struct worker *worker)
{
	if (!receive(worker, sizeof(worker->finding)))
		return false;
	memcpy(&worker->finding, worker->input.data + worker->start, sizeof(worker->finding));
	worker->start += sizeof(worker->finding);
	worker->waiting = receive(worker, worker->finding.length);
	return worker->waiting;
}

/* Put what a worker found into the answer. */
static void take_finding(struct files *files, struct worker *worker)
{
	const struct finding *finding = &worker->finding;
	uint64_t most = files->options.most;

	if (finding->more || (most > 0 && (uint64_t)(files->count + finding->count) > most)) {
		search_directly(files, finding->index);
	} else {
		report_answer(files->answer, files->count == 0, files->options.groups,
			worker->input.data + worker->start, finding->length);
		files->count += finding->count;
	}
	worker->start += finding->length;
	worker->waiting = false;
}

/* Put the findings of all workers into the answer, in order, from the file *index on, and move
 * *index past what is in the answer: not to the end of the queue if a worker has died. */
static void take_findings(struct files *files, size_t *index)
{
	while (!is_over(files)) {
		struct worker *first = files->workers;

		for (struct worker *worker = first; worker < files->workers + WORKERS; worker++) {
			if (!worker->waiting && !next_finding(worker))
				return;
			if (worker->finding.index < first->finding.index)
				first = worker;
		}
		if (first->finding.index == DONE) {
			*index = queue_length(files);
			return;
		}
		take_finding(files, first);
		*index = first->finding.index + 1;
	}
}

/* Let workers search from the file *index on, as take_findings(). */
static void search_together(struct files *files, size_t *index)
{
	atomic_size_t *next = mmap(NULL, sizeof(*next), PROT_READ | PROT_WRITE,
		MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	size_t started = 0;

	if (next == MAP_FAILED)
		return;
	atomic_init(next, *index);
	while (started < WORKERS && start_worker(files, &files->workers[started], next))
		started++;
	if (started == WORKERS)
		take_findings(files, index);
	while (started > 0)
		stop_worker(&files->workers[--started]);
	munmap(next, sizeof(*next));
}

/* May this process use several processors? */
static bool has_processors(void)
{
	cpu_set_t set;

	return sched_getaffinity(0, sizeof(set), &set) == 0 && CPU_COUNT(&set) > 1;
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
	bool alone = !has_processors();

	if (ik_buf_status(&files->names) != IK_OK || ik_buf_status(&files->queue) != IK_OK)
		ik_alloc_fail();
	for (size_t index = 0; index < queue_length(files) && !is_over(files);) {
		search_directly(files, index++);
		if (!alone && index + 2 < queue_length(files) && ik_clock_us() - start > HELP_US) {
			search_together(files, &index);
			alone = true;
		}
	}
	count = files->count;
	*ret_more = files->more;
	ik_buf_done(&files->names);
	ik_buf_done(&files->queue);
	free(files);
	return count;
}
