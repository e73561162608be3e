/* SPDX-License-Identifier: MIT */
/* order.c - reads BACKPLANE_PROVIDERS: the order and vetoes of providers. */

#include "config.h"

#include "host/search/order.h"

#include <fnmatch.h>
#include <stdlib.h>
#include <string.h>

static uint32_t count_entries(const char *list)
{
    uint32_t n = 1;

    for (; *list; list++)
        n += *list == ',';
    return n;
}

static void add_entry(struct bp_order *order, char *word)
{
    bool is_veto;

    word += strspn(word, " \t");
    word[strcspn(word, " \t")] = '\0';
    is_veto = *word == '!';
    word += is_veto;
    if (*word)
        order->entries[order->count++] = (struct bp_order_entry){word, is_veto};
}

bp_rc bp_order_init(struct bp_order *order, const char *list, bp_err *err)
{
    char *word, *next;

    *order = (struct bp_order){0};
    if (!list || !*list)
        return BP_OK;
    order->text = strdup(list);
    order->entries = calloc(count_entries(list), sizeof *order->entries);
    if (!order->text || !order->entries) {
        bp_order_finish(order);
        return bp_fail_nomem(err, "the order of providers");
    }
    for (word = order->text; word; word = next) {
        next = strchr(word, ',');
        if (next)
            *next++ = '\0';
        add_entry(order, word);
    }
    return BP_OK;
}

void bp_order_finish(struct bp_order *order)
{
    free(order->text);
    free(order->entries);
    *order = (struct bp_order){0};
}

/* fnmatch(3) without flags: "*" passes dots, so "org.acme.*" means all of a vendor's. */
bool bp_order_fits(const char *pattern, const char *name, const char *id)
{
    return fnmatch(pattern, name, 0) == 0 || (id && fnmatch(pattern, id, 0) == 0);
}

uint32_t bp_order_place(const struct bp_order *order, const char *name, const char *id)
{
    for (uint32_t i = 0; i < order->count; i++) {
        if (!order->entries[i].is_veto && bp_order_fits(order->entries[i].pattern, name, id))
            return i;
    }
    return order->count;
}

const char *bp_order_veto(const struct bp_order *order, const char *name, const char *id)
{
    for (uint32_t i = 0; i < order->count; i++) {
        if (order->entries[i].is_veto && bp_order_fits(order->entries[i].pattern, name, id))
            return order->entries[i].pattern;
    }
    return NULL;
}
