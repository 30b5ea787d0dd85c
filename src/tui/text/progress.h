/*
 * progress: progress, speed and remaining time of long work.
 *
 * Pure.  May include: util.
 */
#ifndef IK_TUI_TEXT_PROGRESS_H
#define IK_TUI_TEXT_PROGRESS_H

#include <stdint.h>

#include "util/buf.h"

struct ik_progress {
	int work; /* private to progress.c; 0 for none */
	int64_t done, of;
	int64_t begun_ms, begun_done, now_ms;
};

/* Set the progress of work: import, export, or one that ikigai-store(7) names; NULL ends it. */
void ik_progress_note(struct ik_progress *progress, const char *work, int64_t done, int64_t of);

/* Append "Importing events: 120,000 of 1,000,000, 23,000/s, 38s left", or for a status bar
 * "indexing 40%, 2m 05s". Return false if the work hasn't taken a second yet. */
bool ik_progress_put(const struct ik_progress *progress, struct ik_buf *out);
bool ik_progress_put_short(const struct ik_progress *progress, struct ik_buf *out);

#endif
