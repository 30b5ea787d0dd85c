/*
 * queue: the messages that wait to be sent, as rows over the line over the editor.
 *
 * May include: util, tui/term.
 */
#ifndef IK_TUI_SCREEN_QUEUE_H
#define IK_TUI_SCREEN_QUEUE_H

#include "tui/term/cells.h"

struct ik_queue;

struct ik_queue *ik_queue_new(void);
struct ik_queue *ik_queue_free(struct ik_queue *queue);

/* Replace the messages, a line each; held: until the user sends them. */
void ik_queue_set(struct ik_queue *queue, size_t count, const char *text, size_t length, bool held);
bool ik_queue_is_held(const struct ik_queue *queue);

/* Return how many rows they may have on a screen of that many. */
int ik_queue_rows(const struct ik_queue *queue, int screen_rows);
void ik_queue_draw(const struct ik_queue *queue, struct ik_cells *cells, struct ik_rectangle area);

#endif
