/* SPDX-License-Identifier: MIT */
/* dot.h - the style of a plan diagram in DOT: colours, labels, legend. */
#ifndef BP_TOOLS_DOT_H
#define BP_TOOLS_DOT_H

#include "lib/text.h"
#include "plan/diagram.h"

#define INK "#1f2328"
#define FAINT_INK "#57606a"
#define HOST "#8c959f"   /* host operators */
#define ORPHAN "#cf222e" /* nodes without a provider */

/* Escapes text for a quoted DOT attribute: HTML entities, and doubled backslashes. */
void dot_quoted(struct bp_text *out, const char *string);
/*
 * Escapes a name for an HTML label. A long name loses its beginning, because names of nodes differ
 * at their ends.
 */
void dot_name(struct bp_text *out, const char *name);
/* "1 node", "2 nodes" */
void dot_count(struct bp_text *out, uint32_t n, const char *noun);
/*
 * Writes the attributes fillcolor and color of a provider; the fill has `percent` of its colour.
 * provider BP_NONE: a host operator or, with is_orphan, a node without a provider.
 */
void dot_fill(struct bp_text *out, uint32_t provider, unsigned percent, bool is_orphan);
/* Writes what comes before the first node: the title with the legend, and default attributes. */
void dot_head(struct bp_text *out, const struct plan_diagram *p, const char *title);

#endif
