/*
 * server_source: a source that is no directory: one process that stays alive,
 * announces many tools in one message, says when they change and runs their
 * calls itself.  Shows that the interface of a source (tool/source.h) is wide
 * enough; the process is forked from the test and spoken to in lines:
 *
 *   to it      LIST                    from it    TOOLS [SCHEMA, ...]
 *              CALL ID NAME JSON                  OUTPUT ID TEXT
 *              CANCEL ID                          ANSWER ID JSON
 *                                                 CHANGED
 *
 * Its tools are tool_000 to tool_099, and each answers with its name, the number
 * of calls so far and the pid.  tool_000 does not answer; tool_001 makes it take
 * tool_099 away and bring tool_100; tool_002 ends it; tool_003 answers with what
 * is no JSON; tool_004 answers only when another was called after it; tool_005
 * prints before it answers.
 */
#ifndef IK_TEST_SERVER_SOURCE_H
#define IK_TEST_SERVER_SOURCE_H

#include "tool/source.h"

struct ik_source *server_source_new(struct ik_loop *loop);

/* The pid of the process. */
int server_source_pid(const struct ik_source *source);

#endif
