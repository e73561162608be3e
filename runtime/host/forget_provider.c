/* SPDX-License-Identifier: MIT */
/*
 * forget_provider.c - forgets the files of a provider.
 *
 * Their candidates leave the list, but live on with the registry: sessions run what they opened,
 * other threads may be asking them, and applications have their strings. So nothing is unmapped
 * here.
 */

#include "config.h"

#include "host/forget_provider.h"

#include <string.h>

/* Is the candidate a file of that path, id or short name? */
static bool is_meant(const struct bp_candidate *candidate, const char *name, const char *short_name)
{
    const char *id = candidate->inspected.manifest.id;

    if (!candidate->file)
        return false;
    if (name[0] == '/')
        return strcmp(candidate->file, name) == 0;
    return strcmp(candidate->name, short_name) == 0 || (id && strcmp(id, name) == 0);
}

/* Marks the other files of an id: which of them is used was settled among all. */
static void mark_rivals(struct bp_candidate *first, const char *id)
{
    for (; first; first = first->next) {
        const char *other = first->inspected.manifest.id;

        if (first->file && other && strcmp(other, id) == 0)
            first->is_to_forget = true;
    }
}

/*
 * Marks what is to be forgotten. The rivals of a file that is meant have its id, and so no other
 * rivals: each id needs one pass.
 */
static void mark(struct bp_registry *registry, const char *name, const char *short_name)
{
    for (struct bp_candidate *candidate = registry->first; candidate; candidate = candidate->next) {
        const char *id = candidate->inspected.manifest.id;

        if (!is_meant(candidate, name, short_name) || candidate->is_to_forget)
            continue;
        candidate->is_to_forget = true;
        if (id)
            mark_rivals(registry->first, id);
    }
}

/* Is only a provider that is linked in meant? There is no file to look for again. */
static bool is_linked_in(const struct bp_registry *registry, const char *name,
                         const char *short_name)
{
    bool is_linked = false;

    for (const struct bp_candidate *c = registry->first; c; c = c->next) {
        if (c->is_to_forget)
            return false;
        if (!c->file && (strcmp(c->name, short_name) == 0 || strcmp(bp_candidate_id(c), name) == 0))
            is_linked = true;
    }
    return is_linked;
}

/*
 * Finds an opened file whose place another has taken. The old one works as long as it is listed; the
 * new one could not be opened beside it.
 */
static const struct bp_candidate *find_replaced(const struct bp_registry *registry)
{
    for (const struct bp_candidate *c = registry->first; c; c = c->next) {
        if (c->is_to_forget && c->progress == BP_CANDIDATE_OPENED && bp_candidate_is_fit(c) &&
            bp_loader_is_replaced(c->file))
            return c;
    }
    return NULL;
}

/* Moves what is marked to the list of the forgotten. */
static void take_out(struct bp_registry *registry)
{
    struct bp_candidate **link = &registry->first;

    while (*link) {
        struct bp_candidate *candidate = *link;

        if (!candidate->is_to_forget) {
            link = &candidate->next;
            continue;
        }
        *link = candidate->next;
        candidate->next = registry->forgotten;
        registry->forgotten = candidate;
    }
}

static void unmark(struct bp_registry *registry)
{
    for (struct bp_candidate *candidate = registry->first; candidate; candidate = candidate->next)
        candidate->is_to_forget = false;
}

bp_rc bp_forget_provider(struct bp_registry *registry, const char *name, bp_err *err)
{
    char short_name[BP_NAME_MAX] = "";
    const struct bp_candidate *replaced;

    if (name[0] != '/' && !bp_provider_names_short(name, short_name))
        return bp_fail(err, BP_E_INVALID, "a provider's name is too long: %.40s...", name);
    mark(registry, name, short_name);
    if (is_linked_in(registry, name, short_name))
        return bp_fail(err, BP_E_INVALID,
                       "provider '%s' is linked into this program; only files can be forgotten",
                       name);
    replaced = find_replaced(registry);
    if (replaced) {
        unmark(registry);
        return bp_fail(err, BP_E_BUSY,
                       "%s is open in this process, and another file has taken its place; the one "
                       "that is open goes on to work; start the program anew to use the new one",
                       replaced->file);
    }
    take_out(registry);
    bp_trust_forget(&registry->inspector.trust);
    registry->is_scanned = false;
    return BP_OK;
}
