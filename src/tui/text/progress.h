/*
 * progress: how far long work is, how fast it goes, and how long it will still take.
 *
 * Pure.  May include: util.
 */
#ifndef IK_TUI_TEXT_PROGRESS_H
#define IK_TUI_TEXT_PROGRESS_H

#include <stdint.h>

#include "util/buf.h"

struct ik_progress {
	int work; /* private to progress.c; 0: none */
	int64_t done, of;
	int64_t begun_ms, begun_done, now_ms;
};

/* Note how far work is: import, export, or one that ikigai-store(7) names; NULL: it has ended. */
void ik_progress_note(struct ik_progress *progress, const char *work, int64_t done, int64_t of);

/* Append "Importing events: 120,000 of 1,000,000, 23,000/s, 38s left", or for a status bar "indexing
 * 40%, 2m 05s"; false: it does not yet take a second. */
bool ik_progress_put(const struct ik_progress *progress, struct ik_buf *out);
bool ik_progress_put_short(const struct ik_progress *progress, struct ik_buf *out);

#endif
