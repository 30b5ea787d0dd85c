#include "tools/grep/files.h"

#include <dirent.h>
#include <fcntl.h>
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

#include "json/write.h"

/* Start the helper when this time has passed and there is more to search. */
#define HELP_US 3000
/* How long the helper waits for files that have yet to be found. */
#define WAIT_US 500
/* Room for the names of files; when it is full, these are searched first. */
#define NAMES_MAX IK_MIB(4)
/* Room for what each of the two finds before it is known what comes before it. */
#define FINDINGS_MAX IK_MIB(64)
/* When text is passed on to the answer. */
#define FLUSH_AT IK_KIB(256)
/* A file of this size is probed for NULs in its middle and at its end, too. */
#define LARGE ((off_t)IK_MIB(32))
/* Bytes of one probe for NULs. */
#define PROBE IK_KIB(256)

/* The texts before each line, and before each group of lines. */
#define SEPARATOR "\n"
#define GROUP_SEPARATOR "\n--\n"
#define ESCAPED_SEPARATOR "\\n"
#define ESCAPED_GROUP_SEPARATOR "\\n--\\n"

/* The files to search, shared with the helper. For each, names has its type (plus one, so that it
 * is not NUL) and its path. */
struct queue {
	atomic_size_t found;  /* files */
	atomic_size_t taken;  /* of them, by either process */
	atomic_bool complete; /* no more are added */
	size_t length;        /* of the names */
	char names[NAMES_MAX];
};

/* Findings apart from the answer. */
struct finding {
	int64_t count; /* matching lines */
	size_t length; /* of the text about them, escaped, with a separator before each line */
};

/* The helper's results. */
struct findings {
	/* The place in the names of the first file that it has not searched; 0 until all this is
	 * complete. */
	atomic_size_t next;
	struct finding finding;
	char text[FINDINGS_MAX];
};

struct files {
	struct search *search;
	struct files_options options;
	struct ik_tool_answer *answer;
	struct queue *queue;
	size_t next;        /* the place in the names of the next file to search, in order */
	int64_t count;      /* matching lines in the answer */
	bool more;          /* there is one more than the limit: the search is over */
	struct ik_buf text; /* of the file that is searched */
	int64_t start;
	pid_t helper;              /* 0: not started; -1: it cannot be started */
	struct findings *findings; /* of the helper */
};

/* Map memory shared with the helper; NULL if that fails. */
static void *map_shared(size_t size)
{
	void *memory = mmap(NULL, size, PROT_READ | PROT_WRITE,
		MAP_SHARED | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);

	return memory != MAP_FAILED ? memory : NULL;
}

struct files *files_new(struct search *search, const struct files_options *options,
	struct ik_tool_answer *answer)
{
	struct files *files = ik_alloc(sizeof(*files));

	*files = (struct files){ .search = search,
		.options = *options,
		.answer = answer,
		.queue = map_shared(sizeof(*files->queue)),
		.start = ik_clock_us() };
	if (!files->queue)
		ik_alloc_fail();
	ik_buf_init(&files->text, SIZE_MAX / 2);
	return files;
}

static bool is_over(const struct files *files)
{
	return files->more || ik_answer_lost(files->answer);
}

/* ---- one file ---- */

/* The lines of a file, as they are found. */
struct report {
	struct ik_buf *text;
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

static void report_flush(struct report *report)
{
	if (ik_buf_status(report->text) != IK_OK)
		ik_alloc_fail();
	ik_answer_piece(report->answer, report->text->data, report->text->length);
	ik_buf_clear(report->text);
}

/* Append the separator from the line before, and the file's name. */
static void begin_line(struct report *report, uint64_t number)
{
	bool group = report->groups && (report->last == 0 || number != report->last + 1);

	if (report->separate)
		ik_buf_puts(report->text, group ? GROUP_SEPARATOR : SEPARATOR);
	ik_buf_puts(report->text, report->path);
	report->separate = true;
	report->last = number;
}

/* Append a line's number between two marks; printf() would take longer than the search. */
static void append_number(struct ik_buf *text, char mark, uint64_t number)
{
	char digits[24], *at = digits + sizeof(digits);

	*--at = ' ';
	*--at = mark;
	do {
		*--at = (char)('0' + number % 10);
		number /= 10;
	} while (number > 0);
	*--at = mark;
	ik_buf_append(text, at, (size_t)(digits + sizeof(digits) - at));
}

/* Report a line; if the file is binary, only that, instead of its first line. */
static bool take_line(void *arg, const struct search_line *line)
{
	struct report *report = arg;
	bool binary = report->fd >= 0 && is_binary(report->fd);

	begin_line(report, line->number);
	report->fd = -1;
	report->count += binary || !line->context;
	if (binary) {
		ik_buf_puts(report->text, ": binary file matches");
		return false;
	}
	append_number(report->text, line->context ? '-' : ':', line->number);
	ik_buf_append(report->text, line->text, line->length);
	if (!report->answer)
		return report->text->length <= FINDINGS_MAX;
	if (report->text->length >= FLUSH_AT)
		report_flush(report);
	return !ik_answer_lost(report->answer);
}

/* Search the file whose name is at that place for at most this many matches, if it is a regular
 * file that can be opened. Follow it only if its type is a link. Return whether there are more
 * matches. */
static bool search_queued(const struct files *files, size_t place, uint64_t most,
	struct report *report)
{
	unsigned char type = (unsigned char)(files->queue->names[place] - 1);
	struct stat status;
	bool more = false;

	report->path = files->queue->names + place + 1;
	report->groups = files->options.groups;
	int fd = open(report->path,
		O_RDONLY | O_NONBLOCK | O_NOCTTY | O_CLOEXEC | (type == DT_LNK ? 0 : O_NOFOLLOW));
	if (fd < 0)
		return false;
	report->fd = files->options.name_binaries ? fd : -1;
	if (type == DT_REG || (fstat(fd, &status) == 0 && S_ISREG(status.st_mode)))
		more = search_file(files->search, fd, most, take_line, report);
	close(fd);
	return more;
}

static size_t next_place(struct files *files)
{
	size_t place = files->next;

	files->next += strlen(files->queue->names + place) + 1;
	return place;
}

/* Search the next file straight into the answer. */
static void search_next(struct files *files)
{
	struct report report = {
		.text = &files->text, .separate = files->count > 0, .answer = files->answer
	};

	ik_buf_clear(&files->text);
	files->more = search_queued(files, next_place(files),
		files->options.most - (uint64_t)files->count, &report);
	report_flush(&report);
	files->count += report.count;
}

/* ---- two processes ---- */

/* Take one more of the files in the queue. While files are still added, only the helper takes
 * any. */
static bool take(struct queue *queue)
{
	while (queue->taken >= queue->found && !queue->complete)
		usleep(WAIT_US);
	return atomic_fetch_add(&queue->taken, 1) < queue->found;
}

/* Append the findings in a file to found, escaped. Return false and append nothing if there is no
 * room. */
static bool search_apart(struct files *files, size_t place, struct ik_buf *found,
	struct finding *ret_finding)
{
	struct report report = { .text = &files->text, .separate = true };
	size_t start = found->length;

	ik_buf_clear(&files->text);
	search_queued(files, place, UINT64_MAX, &report);
	if (ik_buf_status(&files->text) != IK_OK || files->text.length > FINDINGS_MAX - start)
		return false;
	ik_json_escape(found, files->text.data, files->text.length);
	*ret_finding = (struct finding){ report.count, found->length - start };
	return ik_buf_status(found) == IK_OK;
}

/* The helper's whole life: search files in order. */
static void help(struct files *files)
{
	struct findings *findings = files->findings;
	struct finding finding, sum = { 0 };
	size_t searched = files->next;
	struct ik_buf found;

	ik_buf_init(&found, SIZE_MAX / 2);
	while (take(files->queue) && search_apart(files, next_place(files), &found, &finding) &&
		finding.length <= FINDINGS_MAX - sum.length) {
		memcpy(findings->text + sum.length, found.data, finding.length);
		sum.count += finding.count;
		sum.length += finding.length;
		searched = files->next;
		ik_buf_clear(&found);
	}
	findings->finding = sum;
	findings->next = searched;
}

/* Start the helper when enough time has passed. A search with a limit usually ends early, so one
 * process does it. */
static void consider_helper(struct files *files)
{
	pid_t self = getpid();

	if (files->helper != 0 || files->options.most != UINT64_MAX ||
		ik_clock_us() - files->start <= HELP_US)
		return;
	files->findings = map_shared(sizeof(*files->findings));
	files->helper = files->findings ? fork() : -1;
	if (files->helper == 0) {
		/* Die with this process, even if it is killed. */
		prctl(PR_SET_PDEATHSIG, SIGKILL);
		if (getppid() == self)
			help(files);
		_exit(0);
	}
}

/* Search files from the end of the queue until none is left or there is no room: append to found
 * the text about each file and its finding. Return the place of the last one. */
static size_t search_backwards(struct files *files, struct ik_buf *found)
{
	const char *names = files->queue->names;
	size_t place = files->queue->length;

	while (!is_over(files) && take(files->queue)) {
		const char *before = memrchr(names, '\0', place - 1);
		size_t start = before ? (size_t)(before + 1 - names) : 0;
		struct finding finding;

		if (!search_apart(files, start, found, &finding))
			break;
		if (finding.length > 0)
			ik_buf_append(found, (const char *)&finding, sizeof(finding));
		place = start;
	}
	if (ik_buf_status(found) != IK_OK)
		ik_alloc_fail();
	return place;
}

/* Put what was found apart into the answer. */
static void put_finding(struct files *files, const char *text, const struct finding *finding)
{
	size_t skipped = strlen(files->options.groups ? ESCAPED_GROUP_SEPARATOR : ESCAPED_SEPARATOR);

	if (finding->length == 0)
		return;
	if (files->count > 0)
		skipped = 0;
	ik_answer_escaped(files->answer, text + skipped, finding->length - skipped);
	files->count += finding->count;
}

/* Search the queue together with the helper: put all into the answer but for what found gets, which
 * follows it. */
static void search_together(struct files *files, struct ik_buf *found)
{
	struct findings *findings = files->findings;
	size_t end = search_backwards(files, found);

	waitpid(files->helper, NULL, 0);
	if (findings->next > 0) {
		put_finding(files, findings->text, &findings->finding);
		files->next = findings->next;
	}
	munmap(findings, sizeof(*findings));
	/* The files that the helper left out, because it was killed or had no room. */
	while (files->next < end && !is_over(files))
		search_next(files);
}

/* Search all files in the queue, and empty it. */
static void search_queue(struct files *files)
{
	struct queue *queue = files->queue;
	struct ik_buf found;

	ik_buf_init(&found, SIZE_MAX / 2);
	queue->complete = true;
	while (files->helper <= 0 && files->next < queue->length && !is_over(files)) {
		queue->taken++;
		search_next(files);
		consider_helper(files);
	}
	if (files->helper > 0)
		search_together(files, &found);
	for (size_t end = found.length; end > 0;) {
		struct finding finding;

		end -= sizeof(finding);
		memcpy(&finding, found.data + end, sizeof(finding));
		end -= finding.length;
		put_finding(files, found.data + end, &finding);
	}
	ik_buf_done(&found);
	files->helper = 0;
	files->next = 0;
	queue->length = 0;
	queue->found = 0;
	queue->taken = 0;
	queue->complete = false;
}

void files_add(struct files *files, const char *path, unsigned char type)
{
	struct queue *queue = files->queue;
	size_t size = strlen(path) + 1;

	if (size + 1 > NAMES_MAX - queue->length)
		search_queue(files);
	queue->names[queue->length] = (char)(type + 1);
	memcpy(queue->names + queue->length + 1, path, size);
	queue->length += size + 1;
	queue->found++;
	consider_helper(files);
}

int64_t files_finish(struct files *files, bool *ret_more)
{
	search_queue(files);
	int64_t count = files->count;

	*ret_more = files->more;
	munmap(files->queue, sizeof(*files->queue));
	ik_buf_done(&files->text);
	free(files);
	return count;
}
