/*
 * cli_trust: `ikigai tool trust`: trust a project without the chat.
 *
 * May include: all.
 */
#ifndef IK_CLI_CLI_TRUST_H
#define IK_CLI_CLI_TRUST_H

#include "core/options.h"
#include "core/setup.h"

/*
 * Trust the directory's files as they are now, or none of them any more (--revoke), and print what
 * changed. Nothing is run. Return the exit status.
 */
int ik_cli_trust(const struct ik_options *options, struct ik_setup *setup);

#endif
