/*
 * cli_validate: `ikigai tool validate`: check executables against the protocol.
 *
 * May include: all.
 */
#ifndef IK_CLI_CLI_VALIDATE_H
#define IK_CLI_CLI_VALIDATE_H

#include "core/options.h"
#include "core/setup.h"

/*
 * Ask and run each operand, and print every finding with its reason and what a model and the
 * providers would see. Return 1 if anything is wrong (advice isn't), 128 + N after signal N, else
 * 0.
 */
int ik_cli_validate(const struct ik_options *options, struct ik_setup *setup);

#endif
