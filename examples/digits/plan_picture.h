/* SPDX-License-Identifier: MIT */
/* plan_picture.h - draws who runs which node as an SVG picture. */
#ifndef EXAMPLES_PLAN_PICTURE_H
#define EXAMPLES_PLAN_PICTURE_H

#include <stdbool.h>

#include <backplane.h>

/*
 * Writes the graph from top to bottom, each node a box in its provider's colour; reasons of
 * refusals show when the mouse rests on a box. False, after a complaint, when the file cannot be
 * written.
 */
bool plan_picture_write(const bp_report *report, const char *title, const char *path);

#endif
