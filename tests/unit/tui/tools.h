/* tools: a registry with the displays of bash, file_edit, file_write, glob and a tool that removes files. */
#ifndef IK_TESTS_TUI_TOOLS_H
#define IK_TESTS_TUI_TOOLS_H

#include "tool/registry.h"
#include "tui/scrollback/calls.h"

/* Show calls as these tools want. */
void tools_use(struct ik_calls *calls);

#endif
