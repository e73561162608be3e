/* SPDX-License-Identifier: MIT */
/* order.h - BACKPLANE_PROVIDERS: which providers come first, and which are not wanted. */
#ifndef BP_HOST_SEARCH_ORDER_H
#define BP_HOST_SEARCH_ORDER_H

#include "base/status.h"

struct bp_order_entry {
    const char *pattern; /* as a shell has them, for an id or a short name */
    bool is_veto;
};

/* Start from {0}. */
struct bp_order {
    char *text;
    struct bp_order_entry *entries;
    uint32_t count;
};

/* Reads "a,b,!c*"; NULL or "": nothing is said. */
bp_rc bp_order_init(struct bp_order *order, const char *list, bp_err *err) BP_CHECKED;
void bp_order_finish(struct bp_order *order);
/* Does a pattern mean the provider of this short name and id (NULL: it has none)? */
bool bp_order_fits(const char *pattern, const char *name, const char *id);
/* Place of a provider in the list; those that are not in it come last, with order->count. */
uint32_t bp_order_place(const struct bp_order *order, const char *name, const char *id);
/* The pattern that vetoes a provider, without its "!"; NULL: none. */
const char *bp_order_veto(const struct bp_order *order, const char *name, const char *id);

#endif
