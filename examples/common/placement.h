/* SPDX-License-Identifier: MIT */
/* placement.h - prints which provider runs what, and why the others do not. */
#ifndef EXAMPLES_PLACEMENT_H
#define EXAMPLES_PLACEMENT_H

#include <stdbool.h>

#include <backplane.h>

/* A line a provider: how many nodes it got, or why it is not in use. */
bool example_print_providers(const bp_report *report);
/* A line a node: who runs it, in which group; and why providers that were asked before do not. */
bool example_print_placement(const bp_report *report);

#endif
