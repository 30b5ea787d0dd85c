/*
 * pick: things of which the person is to choose one, as whoever asks hands them over.
 *
 * May include: util.
 */
#ifndef IK_TUI_PANE_PICK_H
#define IK_TUI_PANE_PICK_H

#include <stdbool.h>
#include <stddef.h>

struct ik_pick {
	int number;        /* stands before it; written into the filter it selects this one */
	const char *id;    /* what it is known by when the list is told again */
	const char *title; /* in one line */
	const char *aside; /* at the end of that: an age, a state */
	const char *text;  /* all of it, to be read beneath the list */
	const char *line;  /* the command line that takes it */
};

struct ik_pick_list {
	const char *title; /* what is chosen: " Go back to before… ", translated */
	const char *take;  /* what taking one does, for the keys: an N_() text, static */
	const char *empty; /* what to say where there is none */
	const struct ik_pick *picks;
	size_t count;
	bool fills_editor; /* what comes of it is written into the editor, which has to be empty */
};

#endif
