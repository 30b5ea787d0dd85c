/*
 * cli_trust: `ikigai tool trust`, for scripts and for those who know the project.
 *
 * May include: all.
 */
#ifndef IK_CLI_CLI_TRUST_H
#define IK_CLI_CLI_TRUST_H

#include "core/options.h"
#include "core/setup.h"

/*
 * Trust what the directory brings along as it is now, or nothing of it any more
 * (--revoke), and print what that changed; nothing is run. The exit status.
 */
int ik_cli_trust(const struct ik_options *options, struct ik_setup *setup);

#endif
