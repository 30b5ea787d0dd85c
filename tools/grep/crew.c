#include "tools/grep/crew.h"

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

/* Room for files and their names. Memory that is not touched costs nothing;
 * when it is full, what is there is searched first. */
#define FILES_MAX ((size_t)1 << 21)
#define NAMES_MAX IK_MIB(512)
/* A helper is made as soon as there are so many files, or, when all are known,
 * when the work has taken so long and there are still some left. */
#define HELP_FILES 400
#define HELP_US 3000
/* Results that wait for their turn: above this much, nothing is searched ahead. */
#define WAITING_MAX IK_MIB(64)
#define PAUSE_NS 50000
/* A large file is searched by two processes in such parts. */
#define LARGE ((off_t)IK_MIB(32))
#define PART ((off_t)IK_MIB(4))
/* So much is looked at to see whether a file is a binary one. */
#define PROBE IK_KIB(256)

enum owner { OWNER_NONE, OWNER_SELF, OWNER_HELPER };

/* One file of the row, or one part of the file. */
struct crew_item {
	size_t name; /* offset in the names */
	off_t from;  /* where the part begins */
	unsigned char type;
	unsigned char owner; /* who searched it */
	bool again;          /* what was found does not count: search it when its turn comes */
	bool more;           /* not all that match were reported */
	bool unread;         /* a line of it does not fit into memory */
	atomic_bool finished;
	uint64_t lines;  /* in the part */
	int64_t count;   /* lines found */
	uint64_t length; /* of the report; it lies behind the owner's reports before it */
};

/* What both processes see. */
struct shared {
	atomic_size_t known;           /* files in the row */
	atomic_size_t next;            /* the next one to search */
	atomic_bool complete;          /* no more will be added */
	atomic_uint_least64_t given;   /* bytes of the helper's reports */
	atomic_uint_least64_t emitted; /* of these, in the answer */
	struct crew_item items[FILES_MAX];
	char names[];
};

struct crew {
	struct search *search;
	struct crew_options options;
	struct ik_tool_answer *answer;
	struct shared *shared;
	size_t names_length;
	struct report report; /* of this process */
	uint64_t own_emitted; /* bytes of report.text that are in the answer */
	size_t emitted;       /* files whose report is in the answer */
	int64_t count;        /* lines that match, in the answer */
	bool more;            /* there is one more than were wanted: the search is over */
	char *unread;         /* the first file with a line that does not fit into memory */
	pid_t helper;         /* 0: none */
	int results;          /* the helper's reports, -1: there may be no helper */
	bool tried;           /* to make one */
	int fd;               /* the one file of which the items are parts, or -1 */
	off_t size;           /* of it */
	const char *path;
	uint64_t lines; /* of it, before the part that is next in the answer */
};

static void *shared_map(void)
{
	void *shared = mmap(NULL, sizeof(struct shared) + NAMES_MAX, PROT_READ | PROT_WRITE,
		MAP_SHARED | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);

	return shared != MAP_FAILED ? shared : NULL;
}

/* How many processors this process may use. */
static int processors(void)
{
	cpu_set_t set;

	return sched_getaffinity(0, sizeof(set), &set) == 0 ? CPU_COUNT(&set) : 1;
}

struct crew *crew_new(struct search *search, const struct crew_options *options,
	struct ik_tool_answer *answer)
{
	struct crew *crew = ik_alloc(sizeof(*crew));

	search_set_context(search, options->context);
	crew->search = search;
	crew->options = *options;
	crew->answer = answer;
	crew->results = crew->fd = -1;
	crew->shared = shared_map();
	report_init(&crew->report, true, options->context > 0);
	return crew;
}

/* Is there nothing more to do? */
static bool is_over(const struct crew *crew)
{
	return crew->more || ik_answer_lost(crew->answer);
}

/* Where the lines of a file go. */
struct crew_reader {
	struct report *report;
	int fd;       /* to look whether the file is a binary one; -1: it does not matter */
	bool is_text; /* it was looked, and is none */
};

/* Is there a NUL in so many bytes of the file from an offset on? */
static bool has_nul(int fd, off_t offset, size_t length)
{
	char *block = ik_alloc_array(NULL, length, 1);
	ssize_t count = pread(fd, block, length, offset);
	bool found = count > 0 && memchr(block, '\0', (size_t)count);

	free(block);
	return found;
}

/* Is it a binary file: is there a NUL at its beginning, or in a large one in its middle or end? */
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
	struct crew_reader *reader = arg;
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

static void search_rest(struct crew *crew, int fd, const struct search_part *rest, off_t size,
	struct report *report);

/* Search a part of a file, and note when that cannot be done. */
static enum search_end search_noting(struct crew *crew, struct crew_item *item, int fd,
	struct search_part *part, struct crew_reader *reader)
{
	enum search_end end = search_part(crew->search, fd, part, take_line, reader);

	item->unread |= end == SEARCH_NO_MEMORY;
	return end;
}

/* Remember the first file that was not read to its end. */
static void note_unread(struct crew *crew, const struct crew_item *item, const char *path)
{
	if (item->unread && !crew->unread)
		crew->unread = ik_strdup(crew->fd >= 0 ? crew->path : path);
}

/* Can two processes search the file, if it is large? */
static bool is_divisible(const struct crew *crew, const struct crew_reader *reader)
{
	return processors() > 1 && crew->options.context == 0 && crew->options.most == 0 &&
		(reader->fd < 0 || !is_binary(reader->fd));
}

/* Search one file, if it is a regular one that can be opened. Links are not followed, unless
 * the type is that of a link. A large one is only marked, unless the report goes straight
 * into the answer. */
static void search_path(struct crew *crew, struct crew_item *item, const char *path, uint64_t most,
	struct report *report)
{
	struct search_part part = { .to = PART, .most = most };
	struct crew_reader reader = { .report = report, .fd = -1 };
	struct stat status = { .st_size = 0 };
	int fd = ik_open_path(path,
		O_RDONLY | O_NONBLOCK | O_NOCTTY | (item->type == DT_LNK ? 0 : O_NOFOLLOW));

	if (fd < 0)
		return;
	report_file(report, path);
	if (crew->options.name_binaries)
		reader.fd = fd;
	if (crew->options.context > 0 || most > 0)
		part.to = SEARCH_ALL;
	if ((item->type == DT_REG || (fstat(fd, &status) == 0 && S_ISREG(status.st_mode))) &&
		search_noting(crew, item, fd, &part, &reader) == SEARCH_PART_END) {
		item->again = fstat(fd, &status) == 0 && status.st_size >= LARGE &&
			is_divisible(crew, &reader);
		part.from = PART;
		part.to = SEARCH_ALL;
		if (!item->again)
			(void)search_noting(crew, item, fd, &part, &reader);
		else if (report->answer)
			search_rest(crew, fd, &part, status.st_size, report);
	}
	item->more = part.more;
	close(fd);
}

/* Search what an item stands for, for at most so many matches (0: all); there are so many lines
 * before it. */
static void search_into(struct crew *crew, struct crew_item *item, const char *path, uint64_t lines,
	uint64_t most, struct report *report)
{
	struct crew_reader reader = { .report = report, .fd = -1 };
	struct search_part part = { .from = item->from, .to = item->from + PART, .lines = lines };

	if (crew->fd < 0) {
		search_path(crew, item, path, most, report);
		return;
	}
	if (part.to >= crew->size)
		part.to = SEARCH_ALL;
	report_file(report, crew->path);
	(void)search_noting(crew, item, crew->fd, &part, &reader);
	item->lines = part.lines - lines;
}

static void pause_shortly(void)
{
	nanosleep(&(struct timespec){ .tv_nsec = PAUSE_NS }, NULL);
}

/* Take the next file that is known; false at the end of the row. */
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
static void help(struct crew *crew)
{
	struct shared *shared = crew->shared;
	struct report report;
	size_t index;

	report_init(&report, true, crew->options.context > 0);
	report.fd = crew->results;
	report.relative = crew->fd >= 0;
	while (next_item(shared, &index)) {
		struct crew_item *item = &shared->items[index];
		uint64_t written = report.written;
		int64_t count = report.count;

		item->owner = OWNER_HELPER;
		search_into(crew, item, shared->names + item->name, 0, crew->options.most, &report);
		report_flush(&report);
		if (report.failed)
			return;
		item->count = report.count - count;
		item->length = report.written - written;
		atomic_store(&item->finished, true);
		atomic_store(&shared->given, report.written);
		while (report.written - atomic_load(&shared->emitted) > WAITING_MAX)
			pause_shortly();
	}
}

/* Make the helper, if it is of use and can be had. */
static void call_helper(struct crew *crew)
{
	pid_t self = getpid();

	crew->tried = true;
	if (processors() < 2)
		return;
	crew->results = memfd_create("results", MFD_CLOEXEC);
	if (crew->results < 0)
		return;
	crew->helper = fork();
	if (crew->helper < 0)
		crew->helper = 0;
	else if (crew->helper == 0) {
		/* Nobody is to be left behind when this process is killed. */
		prctl(PR_SET_PDEATHSIG, SIGKILL);
		if (getppid() == self)
			help(crew);
		_exit(0);
	}
}

/* Has the helper ended, and not because there was no more work for it? */
static bool helper_lost(struct crew *crew)
{
	if (crew->helper == 0)
		return true;
	if (waitpid(crew->helper, NULL, WNOHANG) == 0)
		return false;
	crew->helper = 0;
	return true;
}

/* Put text from a report into the answer; the numbers of parts are known only now. */
static void emit_text(struct crew *crew, bool first, const char *text, size_t length)
{
	struct report report;

	if (crew->fd < 0) {
		report_answer(crew->answer, first, crew->options.context > 0, text, length);
		return;
	}
	report_init(&report, !first, false);
	report.answer = crew->answer;
	report_file(&report, crew->path);
	report_relative(&report, crew->lines, text, length);
	report_flush(&report);
	report_done(&report);
}

/* Put a report of the helper into the answer: that on a part at once, others in blocks. */
static void emit_from_helper(struct crew *crew, const struct crew_item *item)
{
	uint64_t at = atomic_load(&crew->shared->emitted);
	uint64_t left = item->again ? 0 : item->length;
	size_t size = crew->fd < 0 ? IK_KIB(16) : item->length;
	char *block = ik_alloc_array(NULL, size, 1);
	bool first = crew->count == 0;

	while (left > 0) {
		ssize_t count = pread(crew->results, block, left < size ? (size_t)left : size, (off_t)at);

		if (count <= 0)
			break;
		emit_text(crew, first, block, (size_t)count);
		first = false;
		at += (uint64_t)count;
		left -= (uint64_t)count;
	}
	free(block);
	at = atomic_load(&crew->shared->emitted) + item->length;
	if (item->length >= IK_MIB(1))
		fallocate(crew->results, FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE,
			(off_t)(at - item->length), (off_t)item->length);
	atomic_store(&crew->shared->emitted, at);
}

/* Put a report of this process into the answer. */
static void emit_own(struct crew *crew, const struct crew_item *item)
{
	struct ik_buf *text = &crew->report.text;

	if (!item->again)
		emit_text(crew, crew->count == 0, text->data + crew->own_emitted, item->length);
	crew->own_emitted += item->length;
	if (crew->own_emitted == text->length) {
		ik_buf_clear(text);
		crew->own_emitted = 0;
	}
}

/* Search what is next in the answer, straight into it. */
static void search_directly(struct crew *crew, struct crew_item *item, const char *path)
{
	uint64_t left = crew->options.most - (uint64_t)crew->count;
	/* Then it only matters whether there is one more. */
	bool full = crew->options.most > 0 && left == 0;
	struct report report;

	report_init(&report, crew->count > 0, crew->options.context > 0);
	report.answer = full ? NULL : crew->answer;
	search_into(crew, item, path, crew->lines,
		full                         ? 1
			: crew->options.most > 0 ? left
									 : 0,
		&report);
	if (full) {
		crew->more = report.count > 0;
	} else {
		report_flush(&report);
		crew->count += report.count;
		crew->lines += item->lines;
		crew->more = item->more;
	}
	note_unread(crew, item, path);
	report_done(&report);
}

/* Put the reports that are finished and next into the answer. */
static void emit_finished(struct crew *crew)
{
	size_t known = atomic_load(&crew->shared->known);
	uint64_t most = crew->options.most;

	while (crew->emitted < known && !is_over(crew)) {
		struct crew_item *item = &crew->shared->items[crew->emitted];

		if (!atomic_load(&item->finished))
			return;
		/* More than there is room for. */
		if (most > 0 && (item->more || (uint64_t)(crew->count + item->count) > most))
			item->again = true;
		if (item->length > 0 && item->owner == OWNER_HELPER)
			emit_from_helper(crew, item);
		else if (item->length > 0)
			emit_own(crew, item);
		if (item->again) {
			search_directly(crew, item, crew->shared->names + item->name);
		} else {
			crew->count += item->count;
			crew->lines += item->lines;
			note_unread(crew, item, crew->shared->names + item->name);
		}
		crew->emitted++;
	}
}

/* Search a file of the row. */
static void search_item(struct crew *crew, struct crew_item *item, size_t index)
{
	const char *path = crew->shared->names + item->name;
	size_t length = crew->report.text.length;
	int64_t count = crew->report.count;

	item->owner = OWNER_SELF;
	if (crew->emitted == index) {
		search_directly(crew, item, path);
		crew->emitted++;
		return;
	}
	search_into(crew, item, path, 0, crew->options.most, &crew->report);
	item->count = crew->report.count - count;
	item->length = crew->report.text.length - length;
	atomic_store(&item->finished, true);
}

/* Wait for the file that is next in the answer; search it here if nobody does. */
static void await_next(struct crew *crew)
{
	struct crew_item *item = &crew->shared->items[crew->emitted];

	if (atomic_load(&item->finished))
		return;
	if (!helper_lost(crew)) {
		pause_shortly();
		return;
	}
	/* It may have finished this one before it ended. */
	if (!atomic_load(&item->finished))
		search_item(crew, item, crew->emitted);
}

/* Search until the row is empty and everything is in the answer. */
static void work(struct crew *crew)
{
	struct shared *shared = crew->shared;
	int64_t start = ik_clock_us();
	size_t index;

	atomic_store(&shared->complete, true);
	if (crew->fd >= 0 && !crew->tried)
		call_helper(crew);
	while (!is_over(crew) && next_item(shared, &index)) {
		search_item(crew, &shared->items[index], index);
		emit_finished(crew);
		while (crew->report.text.length - crew->own_emitted > WAITING_MAX && !is_over(crew)) {
			await_next(crew);
			emit_finished(crew);
		}
		if (!crew->tried && index + 2 < shared->known && ik_clock_us() - start > HELP_US)
			call_helper(crew);
	}
	while (!is_over(crew) && crew->emitted < shared->known) {
		await_next(crew);
		emit_finished(crew);
	}
}

/* End the helper, of which nothing more is needed. */
static void dismiss_helper(struct crew *crew)
{
	if (crew->helper != 0) {
		kill(crew->helper, SIGKILL);
		waitpid(crew->helper, NULL, 0);
	}
	crew->helper = 0;
	if (crew->results >= 0)
		close(crew->results);
	crew->results = -1;
}

/* Add a file, or a part of the one. */
static void add_item(struct crew *crew, const char *path, struct crew_item item)
{
	struct shared *shared = crew->shared;
	size_t length = strlen(path) + 1;

	/* The full row is searched and emptied; the helper's end goes with it. */
	if (shared && (shared->known == FILES_MAX || length > NAMES_MAX - crew->names_length)) {
		work(crew);
		dismiss_helper(crew);
		munmap(shared, sizeof(*shared) + NAMES_MAX);
		crew->shared = shared = shared_map();
		crew->emitted = crew->names_length = 0;
		crew->tried = false;
	}
	if (!shared) {
		search_directly(crew, &item, path);
		return;
	}
	size_t known = shared->known;
	memcpy(shared->names + crew->names_length, path, length);
	shared->items[known].name = crew->names_length;
	shared->items[known].type = item.type;
	shared->items[known].from = item.from;
	crew->names_length += length;
	atomic_store(&shared->known, known + 1);
	if (known >= HELP_FILES && !crew->tried)
		call_helper(crew);
}

bool crew_add(struct crew *crew, const char *path, unsigned char type)
{
	if (type == DT_REG || type == DT_UNKNOWN)
		add_item(crew, path, (struct crew_item){ .type = type });
	return !is_over(crew);
}

void crew_search_named(struct crew *crew, const char *path)
{
	search_directly(crew, &(struct crew_item){ .type = DT_LNK }, path);
}

/* Search what follows the first part of a large file, with a crew of its own whose row is the
 * other parts; the report goes straight into the answer. */
static void search_rest(struct crew *crew, int fd, const struct search_part *rest, off_t size,
	struct report *report)
{
	struct crew *parts = crew_new(crew->search, &(struct crew_options){ .most = 0 }, crew->answer);
	int64_t before = report->separate;

	report_flush(report);
	parts->fd = fd;
	parts->size = size;
	parts->path = report->path;
	parts->lines = rest->lines;
	parts->count = before;
	parts->report.relative = true;
	for (off_t from = rest->from; from < size; from += PART)
		add_item(parts, "", (struct crew_item){ .from = from });
	struct crew_end end;
	int64_t found = crew_finish(parts, &end) - before;

	if (!crew->unread)
		crew->unread = end.unread;
	else
		free(end.unread);
	report->count += found;
	report->separate = report->separate || found > 0;
}

int64_t crew_finish(struct crew *crew, struct crew_end *ret_end)
{
	int64_t count;

	if (crew->shared) {
		work(crew);
		dismiss_helper(crew);
		munmap(crew->shared, sizeof(*crew->shared) + NAMES_MAX);
	}
	count = crew->count;
	*ret_end = (struct crew_end){ .more = crew->more, .unread = crew->unread };
	report_done(&crew->report);
	free(crew);
	return count;
}
