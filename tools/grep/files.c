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
#include <time.h>
#include <unistd.h>

#include "tools/common/open_path.h"
#include "tools/grep/report.h"

#include "util/alloc.h"
#include "util/clock.h"
#include "util/limits.h"

/* Room for files and their names. Untouched memory costs nothing; when the queue is full, it is
 * searched and emptied first. */
#define FILES_MAX ((size_t)1 << 21)
#define NAMES_MAX IK_MIB(512)
/* Start the helper when this many files are queued or, once all files are known, when the search
 * has taken this long and is not done. */
#define HELP_FILES 400
#define HELP_US 3000
/* Limit on results that wait for their turn; a process with more stops searching ahead. */
#define WAITING_MAX IK_MIB(64)
#define PAUSE_NS 50000
/* A file of this size is probed for NULs in its middle and at its end, too. */
#define LARGE ((off_t)IK_MIB(32))
/* Bytes of one probe for NULs. */
#define PROBE IK_KIB(256)

enum owner { OWNER_NONE, OWNER_SELF, OWNER_HELPER };

/* One file of the queue. */
struct queued_file {
	size_t name; /* offset in the names */
	unsigned char type;
	unsigned char owner; /* the process that searched it */
	bool again;          /* discard the result and search it when its turn comes */
	bool more;           /* it has more matches than were reported */
	bool unread;         /* one of its lines does not fit into memory */
	atomic_bool finished;
	int64_t count;   /* lines found */
	uint64_t length; /* of its report, which follows the owner's earlier reports */
};

/* What both processes see. */
struct shared {
	atomic_size_t known;           /* files in the queue */
	atomic_size_t next;            /* the next one to search */
	atomic_bool complete;          /* no more will be added */
	atomic_uint_least64_t emitted; /* bytes of the helper's reports that are in the answer */
	struct queued_file items[FILES_MAX];
	char names[];
};

struct files {
	struct search *search;
	struct files_options options;
	struct ik_tool_answer *answer;
	struct shared *shared;
	size_t names_length;
	struct report report; /* of this process */
	uint64_t own_emitted; /* bytes of report.text that are in the answer */
	size_t emitted;       /* files whose report is in the answer */
	int64_t count;        /* matching lines in the answer */
	bool more;            /* there is one more than the limit: the search is over */
	char *unread;         /* the first file with a line that does not fit into memory */
	pid_t helper;         /* 0: none */
	int results;          /* the helper's reports, -1: there may be no helper */
	bool tried;           /* to start one */
};

static void *shared_map(void)
{
	void *shared = mmap(NULL, sizeof(struct shared) + NAMES_MAX, PROT_READ | PROT_WRITE,
		MAP_SHARED | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);

	return shared != MAP_FAILED ? shared : NULL;
}

/* Return how many processors this process may use. */
static int processors(void)
{
	cpu_set_t set;

	return sched_getaffinity(0, sizeof(set), &set) == 0 ? CPU_COUNT(&set) : 1;
}

struct files *files_new(struct search *search, const struct files_options *options,
	struct ik_tool_answer *answer)
{
	struct files *files = ik_alloc(sizeof(*files));

	search_set_context(search, options->context);
	files->search = search;
	files->options = *options;
	files->answer = answer;
	files->results = -1;
	files->shared = shared_map();
	report_init(&files->report, true, options->context > 0);
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
	return !report->answer || !ik_answer_lost(report->answer);
}

/* Remember the first file that was not read to its end. */
static void note_unread(struct files *files, const struct queued_file *item, const char *path)
{
	if (item->unread && !files->unread)
		files->unread = ik_strdup(path);
}

/* Search one file for at most so many matches (0: all), if it is a regular file that can be opened.
 * Follow links only where the type is that of a link. */
static void search_path(struct files *files, struct queued_file *item, const char *path,
	uint64_t most, struct report *report)
{
	struct file_reader reader = { .report = report, .fd = -1 };
	struct stat status = { .st_size = 0 };
	int fd = ik_open_path(path,
		O_RDONLY | O_NONBLOCK | O_NOCTTY | (item->type == DT_LNK ? 0 : O_NOFOLLOW));

	if (fd < 0)
		return;
	report_file(report, path);
	if (files->options.name_binaries)
		reader.fd = fd;
	if (item->type == DT_REG || (fstat(fd, &status) == 0 && S_ISREG(status.st_mode)))
		item->unread = search_file(files->search, fd, most, take_line, &reader, &item->more) ==
			SEARCH_NO_MEMORY;
	close(fd);
}

static void pause_shortly(void)
{
	nanosleep(&(struct timespec){ .tv_nsec = PAUSE_NS }, NULL);
}

/* Take the next file of the queue; false at its end. */
static bool next_item(struct shared *shared, size_t *ret_index)
{
	size_t index = atomic_fetch_add(&shared->next, 1);

	while (index >= atomic_load(&shared->known)) {
		if (atomic_load(&shared->complete) && index >= atomic_load(&shared->known))
			return false;
		pause_shortly();
	}
	*ret_index = index;
	return true;
}

/* The helper's whole life. */
static void help(struct files *files)
{
	struct shared *shared = files->shared;
	struct report report;
	size_t index;

	report_init(&report, true, files->options.context > 0);
	report.fd = files->results;
	while (next_item(shared, &index)) {
		struct queued_file *item = &shared->items[index];
		uint64_t written = report.written;
		int64_t count = report.count;

		item->owner = OWNER_HELPER;
		search_path(files, item, shared->names + item->name, files->options.most, &report);
		report_flush(&report);
		if (report.failed)
			return;
		item->count = report.count - count;
		item->length = report.written - written;
		atomic_store(&item->finished, true);
		while (report.written - atomic_load(&shared->emitted) > WAITING_MAX)
			pause_shortly();
	}
}

/* Start the helper, if there is a processor for it. */
static void start_helper(struct files *files)
{
	pid_t self = getpid();

	files->tried = true;
	if (processors() < 2)
		return;
	files->results = memfd_create("results", MFD_CLOEXEC);
	if (files->results < 0)
		return;
	files->helper = fork();
	if (files->helper < 0)
		files->helper = 0;
	else if (files->helper == 0) {
		/* Die with this process, even if it is killed. */
		prctl(PR_SET_PDEATHSIG, SIGKILL);
		if (getppid() == self)
			help(files);
		_exit(0);
	}
}

/* Has the helper ended, or was there none? */
static bool helper_lost(struct files *files)
{
	if (files->helper == 0)
		return true;
	if (waitpid(files->helper, NULL, WNOHANG) == 0)
		return false;
	files->helper = 0;
	return true;
}

/* Put a report of the helper into the answer. */
static void emit_from_helper(struct files *files, const struct queued_file *item)
{
	uint64_t at = atomic_load(&files->shared->emitted);
	uint64_t left = item->again ? 0 : item->length;
	bool first = files->count == 0;
	char block[IK_KIB(16)];

	while (left > 0) {
		ssize_t count = pread(files->results, block, left < sizeof(block) ? left : sizeof(block),
			(off_t)at);

		if (count <= 0)
			break;
		report_answer(files->answer, first, files->options.context > 0, block, (size_t)count);
		first = false;
		at += (uint64_t)count;
		left -= (uint64_t)count;
	}
	at = atomic_load(&files->shared->emitted) + item->length;
	if (item->length >= IK_MIB(1))
		fallocate(files->results, FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE,
			(off_t)(at - item->length), (off_t)item->length);
	atomic_store(&files->shared->emitted, at);
}

/* Put a report of this process into the answer. */
static void emit_own(struct files *files, const struct queued_file *item)
{
	struct ik_buf *text = &files->report.text;

	if (!item->again)
		report_answer(files->answer, files->count == 0, files->options.context > 0,
			text->data + files->own_emitted, item->length);
	files->own_emitted += item->length;
	if (files->own_emitted == text->length) {
		ik_buf_clear(text);
		files->own_emitted = 0;
	}
}

/* Search the file whose turn it is, straight into the answer. */
static void search_directly(struct files *files, struct queued_file *item, const char *path)
{
	uint64_t left = files->options.most - (uint64_t)files->count;
	/* Then all that matters is whether there is one more match. */
	bool full = files->options.most > 0 && left == 0;
	struct report report;

	report_init(&report, files->count > 0, files->options.context > 0);
	report.answer = full ? NULL : files->answer;
	search_path(files, item, path, full ? 1 : files->options.most > 0 ? left : 0, &report);
	if (full) {
		files->more = report.count > 0;
	} else {
		report_flush(&report);
		files->count += report.count;
		files->more = item->more;
	}
	note_unread(files, item, path);
	report_done(&report);
}

/* Put finished reports into the answer, up to the first file that is not finished. */
static void emit_finished(struct files *files)
{
	size_t known = atomic_load(&files->shared->known);
	uint64_t most = files->options.most;

	while (files->emitted < known && !is_over(files)) {
		struct queued_file *item = &files->shared->items[files->emitted];

		if (!atomic_load(&item->finished))
			return;
		/* It has more matches than the limit leaves room for. */
		if (most > 0 && (item->more || (uint64_t)(files->count + item->count) > most))
			item->again = true;
		if (item->length > 0 && item->owner == OWNER_HELPER)
			emit_from_helper(files, item);
		else if (item->length > 0)
			emit_own(files, item);
		if (item->again) {
			search_directly(files, item, files->shared->names + item->name);
		} else {
			files->count += item->count;
			note_unread(files, item, files->shared->names + item->name);
		}
		files->emitted++;
	}
}

/* Search a file of the queue. */
static void search_item(struct files *files, struct queued_file *item, size_t index)
{
	const char *path = files->shared->names + item->name;
	size_t length = files->report.text.length;
	int64_t count = files->report.count;

	item->owner = OWNER_SELF;
	if (files->emitted == index) {
		search_directly(files, item, path);
		files->emitted++;
		return;
	}
	search_path(files, item, path, files->options.most, &files->report);
	item->count = files->report.count - count;
	item->length = files->report.text.length - length;
	atomic_store(&item->finished, true);
}

/* Wait for the file whose turn it is; search it here if the helper is gone. */
static void await_next(struct files *files)
{
	struct queued_file *item = &files->shared->items[files->emitted];

	if (atomic_load(&item->finished))
		return;
	if (!helper_lost(files)) {
		pause_shortly();
		return;
	}
	/* The helper may have finished this file before it ended. */
	if (!atomic_load(&item->finished))
		search_item(files, item, files->emitted);
}

/* Search until the queue is empty and everything is in the answer. */
static void work(struct files *files)
{
	struct shared *shared = files->shared;
	int64_t start = ik_clock_us();
	size_t index;

	atomic_store(&shared->complete, true);
	while (!is_over(files) && next_item(shared, &index)) {
		search_item(files, &shared->items[index], index);
		emit_finished(files);
		while (files->report.text.length - files->own_emitted > WAITING_MAX && !is_over(files)) {
			await_next(files);
			emit_finished(files);
		}
		if (!files->tried && index + 2 < shared->known && ik_clock_us() - start > HELP_US)
			start_helper(files);
	}
	while (!is_over(files) && files->emitted < shared->known) {
		await_next(files);
		emit_finished(files);
	}
}

/* End the helper. */
static void dismiss_helper(struct files *files)
{
	if (files->helper != 0) {
		kill(files->helper, SIGKILL);
		waitpid(files->helper, NULL, 0);
	}
	files->helper = 0;
	if (files->results >= 0)
		close(files->results);
	files->results = -1;
}

bool files_add(struct files *files, const char *path, unsigned char type)
{
	struct shared *shared = files->shared;
	size_t length = strlen(path) + 1, known;

	if (type != DT_REG && type != DT_UNKNOWN)
		return !is_over(files);
	/* Search a full queue and start with an empty one; the helper ends with the old one. */
	if (shared && (shared->known == FILES_MAX || length > NAMES_MAX - files->names_length)) {
		work(files);
		dismiss_helper(files);
		munmap(shared, sizeof(*shared) + NAMES_MAX);
		files->shared = shared = shared_map();
		files->emitted = files->names_length = 0;
		files->tried = false;
	}
	if (!shared) {
		search_directly(files, &(struct queued_file){ .type = type }, path);
		return !is_over(files);
	}
	known = shared->known;
	memcpy(shared->names + files->names_length, path, length);
	shared->items[known].name = files->names_length;
	shared->items[known].type = type;
	files->names_length += length;
	atomic_store(&shared->known, known + 1);
	if (known >= HELP_FILES && !files->tried)
		start_helper(files);
	return !is_over(files);
}

void files_search_named(struct files *files, const char *path)
{
	search_directly(files, &(struct queued_file){ .type = DT_LNK }, path);
}

int64_t files_finish(struct files *files, struct files_end *ret_end)
{
	int64_t count;

	if (files->shared) {
		work(files);
		dismiss_helper(files);
		munmap(files->shared, sizeof(*files->shared) + NAMES_MAX);
	}
	count = files->count;
	*ret_end = (struct files_end){ .more = files->more, .unread = files->unread };
	report_done(&files->report);
	free(files);
	return count;
}
