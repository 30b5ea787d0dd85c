#include "guard/trust_check.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "util/alloc.h"
#include "util/clock.h"
#include "util/text.h"

/* Limit on the work between two turns of the loop. */
enum { SLICE_US = 4000 };
/* Size of one read: large enough to be efficient, small enough for the slice. */
enum { PIECE = 256 * 1024 };
/* Limit on the wait for a file that is being written. */
enum { PATIENCE_MS = 3000 };

/* One file of the check. */
struct check_file {
	char *path;
	struct ik_identity shown; /* grant: the identity it must have */
	struct ik_checked_file result;
	char digest[IK_SHA256_TEXT]; /* "": not read */
};

struct ik_trust_check {
	struct ik_loop *loop;
	struct ik_trust *trust;
	ik_trust_check_done *done;
	void *arg;
	struct check_file *files;
	size_t count;
	size_t next;
	bool granting;
	struct ik_timer *timer;   /* runs until a file's times have settled */
	int64_t patient_until_ms; /* 0: not waiting */
	/* The file being read. */
	int fd;
	struct ik_sha256 *sum;
	char *piece;
	struct ik_error error;
};

static void work(void *arg);

/* Continue after a turn of the loop. */
static void go_on(struct ik_trust_check *check)
{
	ik_loop_defer(check->loop, work, check);
}

static void stop_reading(struct ik_trust_check *check)
{
	check->sum = ik_sha256_free(check->sum);
	if (check->fd >= 0)
		close(check->fd);
	check->fd = -1;
}

/* Finish the current file. */
static void settle(struct ik_trust_check *check, enum ik_trust_state state, const char *problem)
{
	struct check_file *file = &check->files[check->next];

	file->result.state = state;
	if (problem)
		file->result.problem = ik_strdup(problem);
	stop_reading(check);
	check->patient_until_ms = 0;
	check->next++;
}

/* Finish the current file, which cannot be read. */
static void give_up(struct ik_trust_check *check, const struct ik_error *error)
{
	settle(check, check->granting ? IK_TRUST_NEW : IK_TRUST_CHANGED, error->text);
}

/* Must the check wait before it looks at the file? Then the timer is started. */
static bool must_wait(struct ik_trust_check *check, const struct ik_identity *identity)
{
	int64_t now = ik_clock_ms(), wait = ik_identity_settles_ms(identity, ik_clock_wall_ns());

	if (check->patient_until_ms == 0)
		check->patient_until_ms = now + PATIENCE_MS;
	if (wait == 0 || now >= check->patient_until_ms)
		return false;
	ik_timer_start(check->timer, wait);
	return true;
}

/* Open the file for reading, if it is the one that was examined. */
static enum ik_status open_file(struct ik_trust_check *check, struct check_file *file,
	struct ik_error *error)
{
	struct ik_identity opened;
	struct stat status;

	/* O_NONBLOCK, so that a FIFO in its place does not block. */
	check->fd = open(file->path, O_RDONLY | O_CLOEXEC | O_NOCTTY | O_NONBLOCK);
	if (check->fd < 0 || fstat(check->fd, &status) != 0)
		return ik_error_set_errno(error, errno, _("%s cannot be read, so it cannot be trusted"),
			file->path);
	opened = ik_identity_of(&status);
	if (!ik_identity_equal(&opened, &file->result.identity) || !S_ISREG(status.st_mode))
		return ik_error_set(error, IK_INVALID, _("%s is being changed"), file->path);
	check->sum = ik_sha256_new();
	return IK_OK;
}

/* Begin with the next file, and open it only if it must be read. False: later. */
static bool begin(struct ik_trust_check *check)
{
	struct check_file *file = &check->files[check->next];
	enum ik_trust_state state;
	struct ik_error error;

	if (ik_identity_read(file->path, &file->result.identity, &error) != IK_OK) {
		settle(check, IK_TRUST_NEW, error.text);
		return true;
	}
	if (check->granting && !ik_identity_equal(&file->result.identity, &file->shown)) {
		settle(check, IK_TRUST_CHANGED, NULL);
		return true;
	}
	if (must_wait(check, &file->result.identity))
		return false;
	state = check->granting ? IK_TRUST_UNREAD : ik_trust_judge(check->trust, file->path, NULL);
	if (state != IK_TRUST_UNREAD)
		settle(check, state, NULL);
	else if (open_file(check, file, &error) != IK_OK)
		give_up(check, &error);
	return true;
}

/* The file was read: has it been the same file all the time? */
static void end_reading(struct ik_trust_check *check, struct check_file *file)
{
	struct ik_identity now;
	struct ik_error error;

	ik_sha256_end(check->sum, file->digest);
	if (ik_identity_read(file->path, &now, &error) != IK_OK ||
		!ik_identity_equal(&now, &file->result.identity))
		settle(check, IK_TRUST_CHANGED, NULL);
	else
		settle(check,
			check->granting ? IK_TRUST_TRUSTED
							: ik_trust_judge(check->trust, file->path, file->digest),
			NULL);
}

/* Read the next piece. */
static void read_piece(struct ik_trust_check *check)
{
	struct check_file *file = &check->files[check->next];
	struct ik_error error;
	ssize_t count;

	do
		count = read(check->fd, check->piece, PIECE);
	while (count < 0 && errno == EINTR);
	if (count > 0) {
		ik_sha256_add(check->sum, check->piece, (size_t)count);
	} else if (count == 0) {
		end_reading(check, file);
	} else {
		(void)ik_error_set_errno(&error, errno, _("%s cannot be read, so it cannot be trusted"),
			file->path);
		give_up(check, &error);
	}
}

/* Trust what was read. */
static void grant(struct ik_trust_check *check)
{
	struct ik_trust_file *files = ik_alloc_array(NULL, check->count + 1, sizeof(*files));
	size_t count = 0, i;

	for (i = 0; i < check->count; i++) {
		const struct check_file *file = &check->files[i];

		if (file->result.state == IK_TRUST_TRUSTED)
			files[count++] = (struct ik_trust_file){ file->path, file->digest };
	}
	(void)!ik_trust_grant(check->trust, files, count, false, &check->error);
	free(files);
}

/* Work for one slice. */
static void work(void *arg)
{
	struct ik_trust_check *check = arg;
	int64_t end = ik_clock_us() + SLICE_US;

	while (check->next < check->count) {
		if (ik_clock_us() >= end) {
			go_on(check);
			return;
		}
		if (check->fd >= 0)
			read_piece(check);
		else if (!begin(check))
			return;
	}
	if (check->granting)
		grant(check);
	check->done(check->arg);
}

struct ik_trust_check *ik_trust_check_start(struct ik_loop *loop, struct ik_trust *trust,
	const char *const *paths, const struct ik_identity *shown, size_t count,
	ik_trust_check_done *done, void *arg)
{
	struct ik_trust_check *check = ik_alloc(sizeof(*check));

	check->loop = loop;
	check->trust = trust;
	check->granting = shown;
	check->done = done;
	check->arg = arg;
	check->fd = -1;
	check->timer = ik_timer_new(loop, work, check);
	check->piece = ik_alloc(PIECE);
	check->count = count;
	check->files = ik_alloc((count + 1) * sizeof(*check->files));
	for (size_t i = 0; i < count; i++) {
		check->files[i].path = ik_strdup(paths[i]);
		if (shown)
			check->files[i].shown = shown[i];
	}
	if (!shown && count > 0)
		(void)!ik_trust_read(trust, &check->error);
	go_on(check);
	return check;
}

const struct ik_checked_file *ik_trust_check_at(const struct ik_trust_check *check, size_t index)
{
	return &check->files[index].result;
}

const struct ik_error *ik_trust_check_error(const struct ik_trust_check *check)
{
	return &check->error;
}

/* Deferred: free the memory. */
static void release(void *arg)
{
	struct ik_trust_check *check = arg;
	size_t i;

	for (i = 0; i < check->count; i++) {
		free(check->files[i].path);
		free(check->files[i].result.problem);
	}
	free(check->files);
	free(check->piece);
	free(check);
}

struct ik_trust_check *ik_trust_check_close(struct ik_trust_check *check)
{
	if (!check)
		return NULL;
	stop_reading(check);
	check->timer = ik_timer_close(check->timer);
	ik_loop_cancel_deferred(check->loop, work, check);
	ik_loop_defer(check->loop, release, check);
	return NULL;
}
