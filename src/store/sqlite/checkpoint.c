#include "store/sqlite/checkpoint.h"

#include <stdlib.h>
#include <sys/stat.h>

#include "loop/child.h"
#include "loop/spawn.h"
#include "util/alloc.h"
#include "util/log.h"

/* A log that is opened with so many bytes is taken in, but not before the first frame. */
#define LEFT_BYTES (IK_CHECKPOINT_PAGES * INT64_C(4096))
#define AFTER_OPENING_MS 1000
/* Pages until it is tried again where somebody was reading. */
#define AGAIN_PAGES (IK_CHECKPOINT_PAGES / 4)
/* What can wait waits for the helper from here on; further still it is done here. */
#define BEHIND_PAGES (4 * IK_CHECKPOINT_PAGES)
#define OWN_PAGES (8 * IK_CHECKPOINT_PAGES)

struct ik_checkpoint {
	struct ik_loop *loop;
	char *path;
	char *program; /* NULL: no helper */
	struct ik_child *child;
	struct ik_timer *timer; /* runs: the helper is to be started */
	int pages;              /* of the log, as far as is known */
	bool anew;              /* they are of one that has begun anew since the helper was started */
	int due;                /* it is to be taken in when it has so many */
	int own_due;            /* by this process */
	bool failed;            /* the helper: this time it is done here */
	bool merging;           /* it was asked to put the index together */
	void (*relieved)(void *arg);
	void *arg;
};

static void done(void *arg, const struct ik_child_result *result)
{
	struct ik_checkpoint *checkpoint = arg;
	int code = result->exited ? result->exit_code : IK_CHECKPOINT_FAILED;

	checkpoint->child = ik_child_close(checkpoint->child);
	checkpoint->merging = false;
	if (code == IK_CHECKPOINT_DONE && !checkpoint->anew)
		checkpoint->pages = 0;
	checkpoint->due = code == IK_CHECKPOINT_DONE ? IK_CHECKPOINT_PAGES
												 : checkpoint->pages + AGAIN_PAGES;
	if (checkpoint->pages >= checkpoint->due)
		ik_timer_start(checkpoint->timer, 0); /* so much was written meanwhile */
	checkpoint->failed = code != IK_CHECKPOINT_DONE && code != IK_CHECKPOINT_HELD;
	if (checkpoint->failed)
		ik_log(IK_LOG_ERROR, "checkpoint: the helper failed (%s %d)",
			result->exited ? "status" : "signal",
			result->exited ? result->exit_code : result->signal_number);
	checkpoint->relieved(checkpoint->arg);
}

/* Start the helper. */
static void start(void *arg)
{
	static const struct ik_child_events events = { .done = done };
	struct ik_checkpoint *checkpoint = arg;
	const char **environment;
	const char *const argv[] = { "ikigai", IK_CHECKPOINT_OPTION, checkpoint->path, NULL };
	struct ik_child_spec spec = {
		.path = checkpoint->program,
		.argv = argv,
		.discard_stderr = true,
	};
	struct ik_error error;

	if (checkpoint->child || !checkpoint->program)
		return;
	environment = ik_spawn_helper_environment();
	spec.environment = environment;
	checkpoint->anew = false;
	checkpoint->failed = ik_child_start(checkpoint->loop, &spec, &events, checkpoint,
							 &checkpoint->child, &error) != IK_OK;
	if (checkpoint->failed) {
		checkpoint->merging = false;
		ik_log(IK_LOG_ERROR, "checkpoint: %s", error.text);
	}
	free(environment);
}

struct ik_checkpoint *ik_checkpoint_new(struct ik_loop *loop, const char *path,
	void (*relieved)(void *arg), void *arg)
{
	struct ik_checkpoint *checkpoint = ik_alloc(sizeof(*checkpoint));

	checkpoint->loop = loop;
	checkpoint->path = ik_strdup(path);
	checkpoint->timer = ik_timer_new(loop, start, checkpoint);
	checkpoint->due = IK_CHECKPOINT_PAGES;
	checkpoint->own_due = OWN_PAGES;
	checkpoint->relieved = relieved;
	checkpoint->arg = arg;
	return checkpoint;
}

struct ik_checkpoint *ik_checkpoint_close(struct ik_checkpoint *checkpoint)
{
	if (!checkpoint)
		return NULL;
	(void)ik_checkpoint_stop(checkpoint);
	ik_timer_close(checkpoint->timer);
	free(checkpoint->program);
	free(checkpoint->path);
	free(checkpoint);
	return NULL;
}

bool ik_checkpoint_stop(struct ik_checkpoint *checkpoint)
{
	bool works = checkpoint->child;

	checkpoint->merging = false;
	checkpoint->child = ik_child_close(checkpoint->child);
	ik_timer_stop(checkpoint->timer);
	return works;
}

void ik_checkpoint_set_program(struct ik_checkpoint *checkpoint, const char *program)
{
	free(checkpoint->program);
	checkpoint->program = program ? ik_strdup(program) : NULL;
}

bool ik_checkpoint_grown(struct ik_checkpoint *checkpoint, int pages)
{
	checkpoint->anew = checkpoint->anew || pages < checkpoint->pages;
	checkpoint->pages = pages;
	if (pages < IK_CHECKPOINT_PAGES) { /* it has begun anew */
		checkpoint->due = IK_CHECKPOINT_PAGES;
		checkpoint->own_due = OWN_PAGES;
	}
	if (pages < checkpoint->due)
		return false;
	if (!checkpoint->program || checkpoint->failed) {
		checkpoint->failed = false;
		checkpoint->due = pages + AGAIN_PAGES;
		return true;
	}
	if (!checkpoint->child && !ik_timer_running(checkpoint->timer))
		ik_timer_start(checkpoint->timer, 0);
	if (pages < checkpoint->own_due)
		return false;
	checkpoint->own_due = pages + AGAIN_PAGES;
	return true;
}

void ik_checkpoint_opened(struct ik_checkpoint *checkpoint)
{
	char *log = ik_format("%s-wal", checkpoint->path);
	struct stat facts;

	if (checkpoint->program && stat(log, &facts) == 0 && facts.st_size >= LEFT_BYTES)
		ik_timer_start(checkpoint->timer, AFTER_OPENING_MS);
	free(log);
}

bool ik_checkpoint_merge(struct ik_checkpoint *checkpoint)
{
	if (!checkpoint->program || checkpoint->failed)
		return false;
	checkpoint->merging = true;
	if (!checkpoint->child && !ik_timer_running(checkpoint->timer))
		ik_timer_start(checkpoint->timer, 0);
	return true;
}

bool ik_checkpoint_is_merging(const struct ik_checkpoint *checkpoint)
{
	return checkpoint->merging;
}

bool ik_checkpoint_is_behind(const struct ik_checkpoint *checkpoint)
{
	return checkpoint->child && checkpoint->pages >= BEHIND_PAGES;
}
