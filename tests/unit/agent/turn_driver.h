/*
 * turn_driver: drives the state machine by a script and watches its promises.
 *
 * A script is words with blanks between:
 *   u:TEXT  a message       T t  tools ready, loading    H h  history ready, loading
 *   x:TEXT  text            k:TEXT  thinking             cSLOT:ID:NAME  a call begins
 *   w:TEXT  a search of the web (nothing: not known yet)
 *   aSLOT:TEXT  arguments   g:IN:OUT  usage              s:end|calls|length|refused|paused
 *   ok:JSON ox:JSON oSLOT:JSON  the provider's own data of thinking, text, a call
 *   .  the stream ends      F:CODE  it fails             R:CODE  it fails and is sent again
 *   L  it fails, and another model gets it               O:on O:off  the turn has to yield a text
 *                                                        that begins with =
 *   d:ID D:ID  a tool has answered, well or not          C  cancel
 *   y:ID n:ID  the person allows a call, or denies it
 *   J:allow J:ask J:deny  the rules say so now of calls whose name begins with ask
 *   j:allow j:ask j:deny  the same, but the turn is not told
 *   V:ID  there is a ruling on a call                    E:on E:off  the end of a turn is ruled on
 *   X: X:TEXT  it may end, or not, because of TEXT       Z:TEXT  a message is refused
 * (At first they say ask. Calls whose name begins with deny are denied, all others
 * allowed; that of calls whose name begins with wait comes later. Calls whose name ends in w may change something, all others are read-only.)
 * Every effect is checked when it comes (promises of agent/turn/turn.h) and noted as
 * a word in the log.
 */
#ifndef TURN_DRIVER_H
#define TURN_DRIVER_H

#include "agent/turn/turn.h"
#include "util/buf.h"

struct driver_call {
	char id[64];
	char name[80];
	int number;    /* of its run */
	bool run, running, resulted, asking, ruled;
	char envelope[600];
};

struct driver {
	struct ik_turn *turn;
	struct ik_buf log;
	struct driver_call calls[4096];
	size_t call_count;
	size_t results_in_order; /* results appended so far */
	bool in_turn, request_out;
	int request;
	bool demands;               /* the turn has to yield something */
	bool rules_ends;            /* somebody has to say whether it may end */
	enum ik_turn_verdict asked; /* what the rules say of calls named ask... */
	size_t turns_done, users;
	char said[IK_UUID_TEXT]; /* id of the last text of the model's */
};

struct driver *driver_new(int concurrency, int max_tool_turns, bool ask_repeated);
struct driver *driver_free(struct driver *driver);

/* One word of a script. False when it is no word. */
void driver_word(struct driver *driver, const char *word);
void driver_script(struct driver *driver, const char *script);

/* Let every running tool answer. */
void driver_finish_runs(struct driver *driver);

#endif
