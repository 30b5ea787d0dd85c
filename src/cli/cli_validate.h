/*
 * cli_validate: `ikigai tool validate`: executables held against the protocol.
 *
 * May include: all.
 */
#ifndef IK_CLI_CLI_VALIDATE_H
#define IK_CLI_CLI_VALIDATE_H

#include "core/options.h"
#include "core/setup.h"

/*
 * Ask and run each of the operands, print every finding with its reason and
 * what a model and the providers would see. The exit status: 1 when anything is
 * wrong (advice alone is not), 0 otherwise, 128 + N after signal N.
 */
int ik_cli_validate(const struct ik_options *options, struct ik_setup *setup);

#endif
