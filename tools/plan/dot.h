/* SPDX-License-Identifier: MIT */
/* dot.h - what a plan's picture looks like, in Graphviz's language. */
#ifndef BP_TOOLS_DOT_H
#define BP_TOOLS_DOT_H

#include "lib/text.h"
#include "plan/diagram.h"

#define INK "#1f2328"
#define FAINT_INK "#57606a"
#define HOST "#8c959f"   /* what the host runs itself */
#define ORPHAN "#cf222e" /* what nobody runs */

/* Text for a quoted attribute: entities for what HTML reserves, backslashes doubled. */
void dot_quoted(struct bp_text *out, const char *string);
/*
 * A name to show in an HTML label; the beginning of a long one is left out, for ends differ
 * more.
 */
void dot_name(struct bp_text *out, const char *name);
/* "1 node", "2 nodes" */
void dot_count(struct bp_text *out, uint32_t n, const char *noun);
/*
 * The attributes fillcolor and color of what a provider runs, `percent` of its own colour inside.
 * provider BP_NONE: the host or, is_orphan, nobody.
 */
void dot_fill(struct bp_text *out, uint32_t provider, unsigned percent, bool is_orphan);
/* All that comes before the first node: the title with its legend, and the defaults. */
void dot_head(struct bp_text *out, const struct picture *p, const char *title);

#endif
