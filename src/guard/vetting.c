#include "guard/vetting.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "util/alloc.h"
#include "util/clock.h"
#include "util/text.h"

/* The loop gets its turn after so much of it. */
enum { SLICE_US = 4000 };
/* One read: large enough for the library, small enough for the slice. */
enum { PIECE = 256 * 1024 };
/* How long a file that is being written is waited for, in all. */
enum { PATIENCE_MS = 3000 };

/* One file on its way. */
struct vetting_file {
	char *path;
	struct ik_identity shown; /* grant: what it must be */
	struct ik_vetted result;
	char digest[IK_SHA256_TEXT]; /* "": not read */
};

struct ik_vetting {
	struct ik_loop *loop;
	struct ik_trust *trust;
	ik_vetting_done *done;
	void *arg;
	struct vetting_file *files;
	size_t count;
	size_t next;
	bool granting, only;
	struct ik_timer *timer;   /* until a file's time has settled */
	int64_t patient_until_ms; /* 0: nothing was waited for yet */
	/* The file that is being read. */
	int fd;
	struct ik_sha256 *sum;
	char *piece;
	struct ik_error error;
};

static void work(void *arg);

/* Go on when the loop has had its turn. */
static void go_on(struct ik_vetting *vetting)
{
	ik_loop_defer(vetting->loop, work, vetting);
}

static void stop_reading(struct ik_vetting *vetting)
{
	vetting->sum = ik_sha256_free(vetting->sum);
	if (vetting->fd >= 0)
		close(vetting->fd);
	vetting->fd = -1;
}

/* The file is done with. */
static void settle(struct ik_vetting *vetting, enum ik_trust_state state, const char *problem)
{
	struct vetting_file *file = &vetting->files[vetting->next];

	file->result.state = state;
	if (problem)
		file->result.problem = ik_strdup(problem);
	stop_reading(vetting);
	vetting->patient_until_ms = 0;
	vetting->next++;
}

/* Is it to be left alone for a moment? Then the timer is set. */
static bool must_wait(struct ik_vetting *vetting, const struct ik_identity *identity)
{
	int64_t now = ik_clock_ms(), wait;
	struct timespec wall;

	(void)clock_gettime(CLOCK_REALTIME, &wall);
	wait = ik_identity_settles_ms(identity, (int64_t)wall.tv_sec * 1000000000 + wall.tv_nsec);
	if (vetting->patient_until_ms == 0)
		vetting->patient_until_ms = now + PATIENCE_MS;
	if (wait == 0 || now >= vetting->patient_until_ms)
		return false;
	ik_timer_start(vetting->timer, wait);
	return true;
}

/* Open the file that is to be read, if it is the one that was examined. */
static enum ik_status open_file(struct ik_vetting *vetting, struct vetting_file *file,
	struct ik_error *error)
{
	struct ik_identity opened;
	struct stat status;

	/* Not blocking, so that a FIFO in its place holds nobody up. */
	vetting->fd = open(file->path, O_RDONLY | O_CLOEXEC | O_NOCTTY | O_NONBLOCK);
	if (vetting->fd < 0 || fstat(vetting->fd, &status) != 0)
		return ik_error_set_errno(error, errno, _("%s cannot be read, so it cannot be trusted"),
			file->path);
	opened = ik_identity_of(&status);
	if (!ik_identity_equal(&opened, &file->result.identity) || !S_ISREG(status.st_mode))
		return ik_error_set(error, IK_INVALID, _("%s is being changed"), file->path);
	vetting->sum = ik_sha256_new(error);
	return vetting->sum ? IK_OK : error->status;
}

/* Decide by what is known of the file, its digest included where it was read. */
static void decide(struct ik_vetting *vetting, struct vetting_file *file)
{
	if (vetting->granting)
		settle(vetting, IK_TRUST_TRUSTED, NULL);
	else
		settle(vetting,
			ik_trust_judge(vetting->trust, file->path, &file->result.identity, file->digest), NULL);
}

/* Look at the next file; read it only if that has to be. False: after a while. */
static bool begin(struct ik_vetting *vetting)
{
	struct vetting_file *file = &vetting->files[vetting->next];
	enum ik_trust_state state;
	struct ik_error error;

	if (ik_identity_read(file->path, &file->result.identity, &error) != IK_OK) {
		settle(vetting, IK_TRUST_NEW, error.text);
		return true;
	}
	if (vetting->granting && !ik_identity_equal(&file->result.identity, &file->shown)) {
		settle(vetting, IK_TRUST_CHANGED, NULL);
		return true;
	}
	if (must_wait(vetting, &file->result.identity))
		return false;
	state = vetting->granting
		? IK_TRUST_UNREAD
		: ik_trust_judge(vetting->trust, file->path, &file->result.identity, NULL);
	if (state != IK_TRUST_UNREAD)
		settle(vetting, state, NULL);
	else if (open_file(vetting, file, &error) != IK_OK)
		settle(vetting, vetting->granting ? IK_TRUST_NEW : IK_TRUST_CHANGED, error.text);
	return true;
}

/* The file is read: was it the same file all the time? */
static void end_reading(struct ik_vetting *vetting, struct vetting_file *file)
{
	struct ik_identity now;
	struct ik_error error;

	if (ik_sha256_end(vetting->sum, file->digest, &error) != IK_OK)
		settle(vetting, vetting->granting ? IK_TRUST_NEW : IK_TRUST_CHANGED, error.text);
	else if (ik_identity_read(file->path, &now, &error) != IK_OK ||
		!ik_identity_equal(&now, &file->result.identity))
		settle(vetting, IK_TRUST_CHANGED, NULL);
	else
		decide(vetting, file);
}

/* Read on. */
static void read_piece(struct ik_vetting *vetting)
{
	struct vetting_file *file = &vetting->files[vetting->next];
	struct ik_error error;
	ssize_t count;

	do
		count = read(vetting->fd, vetting->piece, PIECE);
	while (count < 0 && errno == EINTR);
	if (count > 0) {
		ik_sha256_add(vetting->sum, vetting->piece, (size_t)count);
	} else if (count == 0) {
		end_reading(vetting, file);
	} else {
		(void)ik_error_set_errno(&error, errno, _("%s cannot be read, so it cannot be trusted"),
			file->path);
		settle(vetting, vetting->granting ? IK_TRUST_NEW : IK_TRUST_CHANGED, error.text);
	}
}

/* Note what was found out by reading. */
static void keep(struct ik_vetting *vetting)
{
	struct ik_trust_file *files = ik_alloc_array(NULL, vetting->count + 1, sizeof(*files));
	size_t count = 0, i;

	for (i = 0; i < vetting->count; i++) {
		const struct vetting_file *file = &vetting->files[i];

		if (file->result.state == IK_TRUST_TRUSTED && file->digest[0] != '\0')
			files[count++] = (struct ik_trust_file){ file->path, file->result.identity,
				file->digest };
	}
	if (vetting->granting)
		(void)!ik_trust_grant(vetting->trust, files, count, vetting->only, &vetting->error);
	else if (count > 0)
		ik_trust_seen(vetting->trust, files, count);
	free(files);
}

/* Work for one slice of time. */
static void work(void *arg)
{
	struct ik_vetting *vetting = arg;
	int64_t end = ik_clock_us() + SLICE_US;

	while (vetting->next < vetting->count) {
		if (ik_clock_us() >= end) {
			go_on(vetting);
			return;
		}
		if (vetting->fd >= 0)
			read_piece(vetting);
		else if (!begin(vetting))
			return;
	}
	keep(vetting);
	vetting->done(vetting->arg);
}

static struct ik_vetting *start(struct ik_loop *loop, struct ik_trust *trust,
	const char *const *paths, size_t count, ik_vetting_done *done, void *arg)
{
	struct ik_vetting *vetting = ik_alloc(sizeof(*vetting));
	size_t i;

	vetting->loop = loop;
	vetting->trust = trust;
	vetting->done = done;
	vetting->arg = arg;
	vetting->fd = -1;
	vetting->timer = ik_timer_new(loop, work, vetting);
	vetting->piece = ik_alloc(PIECE);
	vetting->count = count;
	vetting->files = ik_alloc((count + 1) * sizeof(*vetting->files));
	for (i = 0; i < count; i++)
		vetting->files[i].path = ik_strdup(paths[i]);
	go_on(vetting);
	return vetting;
}

struct ik_vetting *ik_vetting_start(struct ik_loop *loop, struct ik_trust *trust,
	const char *const *paths, size_t count, ik_vetting_done *done, void *arg)
{
	struct ik_vetting *vetting = start(loop, trust, paths, count, done, arg);

	if (count > 0)
		(void)!ik_trust_read(trust, &vetting->error);
	return vetting;
}

struct ik_vetting *ik_vetting_grant(struct ik_loop *loop, struct ik_trust *trust,
	const char *const *paths, const struct ik_identity *shown, size_t count, bool only,
	ik_vetting_done *done, void *arg)
{
	struct ik_vetting *vetting = start(loop, trust, paths, count, done, arg);
	size_t i;

	vetting->granting = true;
	vetting->only = only;
	for (i = 0; i < count; i++)
		vetting->files[i].shown = shown[i];
	return vetting;
}

const struct ik_vetted *ik_vetting_at(const struct ik_vetting *vetting, size_t index)
{
	return &vetting->files[index].result;
}

const struct ik_error *ik_vetting_error(const struct ik_vetting *vetting)
{
	return &vetting->error;
}

/* The deferred end: nothing of it is on the stack any more. */
static void release(void *arg)
{
	struct ik_vetting *vetting = arg;
	size_t i;

	for (i = 0; i < vetting->count; i++) {
		free(vetting->files[i].path);
		free(vetting->files[i].result.problem);
	}
	free(vetting->files);
	free(vetting->piece);
	free(vetting);
}

struct ik_vetting *ik_vetting_close(struct ik_vetting *vetting)
{
	if (!vetting)
		return NULL;
	stop_reading(vetting);
	vetting->timer = ik_timer_close(vetting->timer);
	ik_loop_cancel_deferred(vetting->loop, work, vetting);
	ik_loop_defer(vetting->loop, release, vetting);
	return NULL;
}
