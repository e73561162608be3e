/* SPDX-License-Identifier: MIT */
/* candidates.c - finds plug-ins in the search path, inspects them, and sorts them by priority. */

#include "config.h"

#include "host/candidates.h"

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "host/duplicates.h"

enum {
    MAX_NAMED = 12
}; /* names in an error: more do not fit into a buffer of 1 KiB, nor are they read */

/* ---- order ----------------------------------------------------------------------------------- */

/* Ranks: linked in, then files, then CPU, then candidates that are not listed. */
static int rank(const struct bp_candidate *candidate)
{
    if (!bp_candidate_is_listed(candidate))
        return 3;
    if (strcmp(candidate->name, "cpu") == 0)
        return 2;
    return candidate->file ? 1 : 0;
}

/* A linked-in provider without a manifest has the default priority. */
static int priority_of(const struct bp_candidate *candidate)
{
    return candidate->inspected.manifest.id ? candidate->inspected.manifest.priority
                                            : BP_MANIFEST_PRIORITY;
}

/*
 * Compares by who decides: the user (place in BACKPLANE_PROVIDERS), the operator (NAME.conf), the
 * plug-in's manifest, then the id.
 */
static int compare(const struct bp_candidate *a, const struct bp_candidate *b)
{
    int order = rank(a) - rank(b);

    if (order == 0)
        order = a->place < b->place ? -1 : a->place > b->place;
    if (order == 0)
        order = b->conf.priority - a->conf.priority;
    if (order == 0)
        order = priority_of(b) - priority_of(a);
    if (order == 0)
        order = strcmp(bp_candidate_id(a), bp_candidate_id(b));
    if (order == 0)
        order = a->dir < b->dir ? -1 : a->dir > b->dir;
    if (order == 0 && a->file && b->file)
        order = strcmp(a->file, b->file);
    return order;
}

/* Inserts after equal candidates, so that these keep the order in which they came. */
static void put_in_place(struct bp_candidate **first, struct bp_candidate *candidate)
{
    while (*first && compare(candidate, *first) >= 0)
        first = &(*first)->next;
    candidate->next = *first;
    *first = candidate;
}

/*
 * Insertion sort, because scandir() has sorted most of the list: with the shortcut below a
 * directory of n files takes n comparisons.
 */
static void sort(struct bp_registry *registry)
{
    struct bp_candidate *candidate = registry->first, *sorted = NULL, *last = NULL;

    while (candidate) {
        struct bp_candidate *next = candidate->next;

        /* most files of a directory are in order already */
        put_in_place(last && compare(candidate, last) >= 0 ? &last->next : &sorted, candidate);
        if (!candidate->next)
            last = candidate;
        candidate = next;
    }
    registry->first = sorted;
}

/* ---- one candidate --------------------------------------------------------------------------------- */

/*
 * Finds the short name: "dnnl" of "libbp-dnnl.so" and of "libbp-dnnl.x86-64-v3.so", whose *level is
 * 3; false: it is another kind of file. A level is spelled as in glibc's glibc-hwcaps directories;
 * inspection compares it with the processor, as it does with the level of the manifest.
 */
static bool name_of_file(const char *file, char out[BP_NAME_MAX], int *level)
{
    size_t n = strlen(file);
    size_t fixed = strlen(BP_PLUGIN_PREFIX) + strlen(BP_PLUGIN_SUFFIX);
    char *dot;

    *level = 0;
    if (n <= fixed || n - fixed >= BP_NAME_MAX ||
        strncmp(file, BP_PLUGIN_PREFIX, strlen(BP_PLUGIN_PREFIX)) != 0 ||
        strcmp(file + n - strlen(BP_PLUGIN_SUFFIX), BP_PLUGIN_SUFFIX) != 0)
        return false;
    memcpy(out, file + strlen(BP_PLUGIN_PREFIX), n - fixed);
    out[n - fixed] = '\0';
    dot = strchr(out, '.');
    if (dot && bp_isa_level_of(dot + 1) > 1) {
        *level = bp_isa_level_of(dot + 1);
        *dot = '\0';
    }
    return true;
}

static void destroy_list(struct bp_candidate *candidate)
{
    while (candidate) {
        struct bp_candidate *next = candidate->next;

        bp_candidate_destroy(candidate);
        candidate = next;
    }
}

void bp_candidates_finish(struct bp_registry *registry)
{
    destroy_list(registry->first);
    destroy_list(registry->forgotten);
    registry->first = registry->forgotten = NULL;
}

/*
 * Applies the user's order and vetoes. CPU cannot be vetoed outside strict mode, as nothing would
 * be left. Patterns are compared with short name and id, because users know the one and packages
 * the other.
 */
static void apply_order(const struct bp_registry *registry, struct bp_candidate *candidate)
{
    const char *id = candidate->inspected.manifest.id;
    const char *veto = bp_order_veto(&registry->order, candidate->name, id);

    candidate->place = bp_order_place(&registry->order, candidate->name, id);
    if (!bp_candidate_is_fit(candidate) || !veto || (rank(candidate) == 2 && !registry->is_strict))
        return;
    bp_stage_refuse(&candidate->verdict, BP_STAGE_POLICY, BP_E_UNAVAILABLE,
                    "take it out of the environment variable BACKPLANE_PROVIDERS",
                    "%s is vetoed: BACKPLANE_PROVIDERS has '!%.60s'",
                    candidate->file ? candidate->file : candidate->name, veto);
}

/*
 * Applies NAME.conf beside the file. All variants of a plug-in share one file, which is named after
 * the plug-in without the level.
 */
static void apply_conf(struct bp_registry *registry, struct bp_candidate *candidate)
{
    const char *slash = strrchr(candidate->file, '/');
    char path[PATH_MAX], name[BP_NAME_MAX];
    int level;

    if (!bp_candidate_is_fit(candidate) || !name_of_file(slash + 1, name, &level) ||
        (size_t)snprintf(path, sizeof path, "%.*s/%s.conf", (int)(slash - candidate->file),
                         candidate->file, name) >= sizeof path)
        return;
    bp_plugin_conf_read(path, &registry->inspector.trust, &candidate->conf, &candidate->verdict);
    if (bp_candidate_is_fit(candidate) && candidate->conf.is_disabled)
        bp_stage_refuse(&candidate->verdict, BP_STAGE_POLICY, BP_E_UNAVAILABLE, NULL,
                        "%s is disabled by %s", candidate->file, path);
}

/*
 * Settles everything about a file that needs no opening, except duplicates. Policy comes last, so
 * that a file that is both broken and vetoed is shown as broken.
 */
static void inspect(struct bp_registry *registry, struct bp_candidate *candidate, int level,
                    bool may_have_conf)
{
    bp_inspect_file(&registry->inspector, candidate->file, level, &candidate->inspected,
                    &candidate->verdict);
    if (candidate->inspected.manifest.name)
        snprintf(candidate->name, sizeof candidate->name, "%s", candidate->inspected.manifest.name);
    if (may_have_conf)
        apply_conf(registry, candidate);
    apply_order(registry, candidate);
    if (bp_candidate_is_fit(candidate))
        candidate->verdict.stage = BP_STAGE_POLICY;
}

/* ---- all of them ----------------------------------------------------------------------------- */

static int by_bytes(const struct dirent **a, const struct dirent **b)
{
    return strcmp((*a)->d_name, (*b)->d_name); /* strcmp() does not depend on the locale */
}

static int find_by_bytes(const void *name, const void *entry)
{
    return strcmp(name, (*(struct dirent *const *)entry)->d_name);
}

/*
 * Is there a NAME.conf among the n entries? The directory has been read already, so this saves a
 * failing open() for each plug-in.
 */
static bool has_conf(struct dirent *const *entries, int n, const char *name)
{
    char file[BP_NAME_MAX + 8];

    snprintf(file, sizeof file, "%s.conf", name);
    return bsearch(file, entries, (size_t)n, sizeof entries[0], find_by_bytes) != NULL;
}

/* Files that are listed, by their paths, for a second search. */
struct listed {
    struct bp_candidate **rows;
    size_t count;
};

/* Of two rows of one path the one that was asked for by its path comes last. */
static int by_file(const void *a, const void *b)
{
    const struct bp_candidate *one = *(struct bp_candidate *const *)a;
    const struct bp_candidate *other = *(struct bp_candidate *const *)b;
    int order = strcmp(one->file, other->file);

    return order ? order
                 : (one->standing == BP_CANDIDATE_BY_PATH) -
                       (other->standing == BP_CANDIDATE_BY_PATH);
}

static int find_by_file(const void *path, const void *row)
{
    return strcmp(path, (*(struct bp_candidate *const *)row)->file);
}

/* Sorted, with one row a path. False: no memory. */
static bool list_files(const struct bp_registry *registry, struct listed *out)
{
    size_t n = 0, kept = 0;

    *out = (struct listed){0};
    for (const struct bp_candidate *c = registry->first; c; c = c->next)
        n += c->file != NULL;
    if (n == 0)
        return true;
    out->rows = calloc(n, sizeof(struct bp_candidate *));
    if (!out->rows)
        return false;
    for (struct bp_candidate *c = registry->first; c; c = c->next) {
        if (c->file)
            out->rows[out->count++] = c;
    }
    qsort(out->rows, n, sizeof(struct bp_candidate *), by_file);
    for (size_t i = 0; i < n; i++) {
        if (kept == 0 || strcmp(out->rows[kept - 1]->file, out->rows[i]->file) != 0)
            out->rows[kept++] = out->rows[i];
    }
    out->count = kept;
    return true;
}

/*
 * Is the file of a path listed already? One that was asked for by its path before it was in a
 * directory that is searched is from now on.
 */
static bool keep_listed(const struct listed *listed, const char *path, uint32_t dir)
{
    struct bp_candidate **row = listed->count > 0
                                    ? bsearch(path, listed->rows, listed->count,
                                              sizeof(struct bp_candidate *), find_by_file)
                                    : NULL;

    if (row && (*row)->standing == BP_CANDIDATE_BY_PATH) {
        bp_candidate_list(*row);
        (*row)->dir = dir;
    }
    return row != NULL;
}

/* When memory is short one candidate is lost, not the list; the log names it. */
static void scan_dir(struct bp_registry *registry, uint32_t dir, const struct listed *listed,
                     struct bp_candidate ***end)
{
    const char *where = registry->search.dirs[dir].path;
    struct dirent **entries = NULL;
    int n = scandir(where, &entries, NULL, by_bytes);

    for (int i = 0; i < n; i++) {
        char path[PATH_MAX], name[BP_NAME_MAX];
        struct bp_candidate *candidate;
        int level;

        if (name_of_file(entries[i]->d_name, name, &level) &&
            (size_t)snprintf(path, sizeof path, "%s/%s", where, entries[i]->d_name) < sizeof path &&
            !keep_listed(listed, path, dir)) {
            candidate = bp_candidate_create(name, path);
            if (candidate) {
                bp_candidate_list(candidate);
                candidate->dir = dir;
                inspect(registry, candidate, level, has_conf(entries, n, name));
                **end = candidate;
                *end = &candidate->next;
            } else {
                bp_log(registry->log, BP_LOG_ERROR, "host", "%s: no memory to list it", path);
            }
        }
    }
    for (int i = 0; i < n; i++)
        free(entries[i]);
    free(entries);
}

/* Adds the files to the linked-in candidates, settles duplicates over all, then sorts all. */
void bp_candidates_scan(struct bp_registry *registry)
{
    struct bp_candidate **end = &registry->first;
    struct listed listed;

    if (registry->is_scanned)
        return;
    if (!list_files(registry, &listed)) {
        bp_log(registry->log, BP_LOG_ERROR, "host", "no memory to search for plug-ins again");
        return;
    }
    while (*end)
        end = &(*end)->next;
    for (uint32_t i = 0; i < registry->search.count; i++)
        scan_dir(registry, i, &listed, &end);
    free(listed.rows);
    bp_manifest_cache_save(&registry->cache, registry->log);
    bp_duplicates_settle(registry->first, registry->log);
    sort(registry);
    registry->is_scanned = true;
}

/* Adds a name to a list, as long as the list is short enough to be read; *n counts all names. */
static void add_name(struct bp_text *out, const char *intro, unsigned *n, const char *name)
{
    if ((*n)++ < MAX_NAMED)
        bp_text_printf(out, "%s%s", *n > 1 ? ", " : intro, name);
}

static void add_rest(struct bp_text *out, unsigned n, const char *command)
{
    if (n > MAX_NAMED)
        bp_text_printf(out, " and %u more ('%s' lists them)", n - MAX_NAMED, command);
}

static bool is_installed(const struct bp_registry *registry, const char *name)
{
    return bp_candidates_find(registry, name, name) != NULL;
}

/* For the error of an unknown name, so that it answers the next question as well. */
char *bp_candidates_names(const struct bp_registry *registry)
{
    struct bp_text out = {0};
    unsigned n = 0;
    const char *name;

    for (const struct bp_candidate *candidate = registry->first; candidate;
         candidate = candidate->next) {
        if (bp_candidate_is_listed(candidate))
            add_name(&out, "installed are ", &n, candidate->name);
    }
    if (n == 0)
        bp_text_add(&out, "none is installed");
    add_rest(&out, n, "backplane providers");
    n = 0;
    for (size_t i = 0; (name = bp_provider_names_known(i)) != NULL; i++) {
        if (!is_installed(registry, name))
            add_name(&out, "; known, but not installed: ", &n, name);
    }
    add_rest(&out, n, "backplane providers --known");
    return bp_text_take(&out);
}

static bool has_id(const struct bp_candidate *candidate, const char *id)
{
    return candidate->inspected.manifest.id && strcmp(candidate->inspected.manifest.id, id) == 0;
}

/*
 * Finds a candidate by id or, if no id matches, by name. Of several with one name the first usable
 * one is meant, else the first, whose verdict then gives the reason.
 */
struct bp_candidate *bp_candidates_find(const struct bp_registry *registry, const char *name,
                                        const char *id)
{
    struct bp_candidate *unfit = NULL;

    for (struct bp_candidate *candidate = registry->first; candidate; candidate = candidate->next) {
        if (bp_candidate_is_listed(candidate) && has_id(candidate, id))
            return candidate;
    }
    for (struct bp_candidate *candidate = registry->first; candidate; candidate = candidate->next) {
        if (!bp_candidate_is_listed(candidate) || strcmp(candidate->name, name) != 0)
            continue;
        if (bp_candidate_is_fit(candidate))
            return candidate;
        if (!unfit)
            unfit = candidate;
    }
    return unfit;
}

/* A linked-in provider has no file to inspect; its faults show when it is opened. */
struct bp_candidate *bp_candidates_add_entry(struct bp_registry *registry, const char *name,
                                             bp_entry_fn entry)
{
    struct bp_candidate *candidate = bp_candidate_create(name, NULL);

    if (!candidate)
        return NULL;
    candidate->entry = entry;
    bp_candidate_list(candidate);
    candidate->verdict.stage = BP_STAGE_FOUND;
    apply_order(registry, candidate);
    put_in_place(&registry->first, candidate);
    if (registry->is_scanned) {
        bp_duplicates_settle(registry->first, registry->log);
        sort(registry);
    }
    return candidate;
}

/* Of two with one name or id the first is kept, because nothing tells which is meant. */
static void refuse_second(const struct bp_registry *registry, struct bp_candidate *candidate)
{
    const struct bp_candidate *first =
        bp_candidates_find(registry, candidate->name, bp_candidate_id(candidate));

    if (!first)
        return;
    bp_stage_refuse(&candidate->verdict, BP_STAGE_POLICY, BP_E_INVALID, "link one of them only",
                    "a provider '%s' of the id '%s' is linked in already", first->name,
                    bp_candidate_id(first));
    bp_candidate_set_aside(candidate);
}

struct bp_candidate *bp_candidates_add_linked(struct bp_registry *registry, const char *module,
                                              const void *manifest, bp_entry_fn entry)
{
    size_t n = strlen(BP_PLUGIN_PREFIX);
    bool is_usual = strncmp(module, BP_PLUGIN_PREFIX, n) == 0 && module[n];
    struct bp_candidate *candidate = bp_candidate_create(is_usual ? module + n : module, NULL);

    if (!candidate)
        return NULL;
    candidate->entry = entry;
    bp_candidate_list(candidate);
    bp_inspect_linked(&registry->inspector, module, manifest, &candidate->inspected,
                      &candidate->verdict);
    if (candidate->inspected.manifest.name)
        snprintf(candidate->name, sizeof candidate->name, "%s", candidate->inspected.manifest.name);
    refuse_second(registry, candidate);
    apply_order(registry, candidate);
    if (bp_candidate_is_fit(candidate))
        candidate->verdict.stage = BP_STAGE_POLICY;
    put_in_place(&registry->first, candidate);
    return candidate;
}

/*
 * A path outside the search names exactly this file: no duplicate takes its place, and no list
 * mentions it.
 */
struct bp_candidate *bp_candidates_of_path(struct bp_registry *registry, const char *path)
{
    const char *slash = strrchr(path, '/');
    char name[BP_NAME_MAX];
    struct bp_candidate *candidate;
    int level;

    for (candidate = registry->first; candidate; candidate = candidate->next) {
        if (candidate->file && candidate->standing != BP_CANDIDATE_DUPLICATE &&
            strcmp(candidate->file, path) == 0)
            return candidate;
    }
    if (!name_of_file(slash + 1, name, &level))
        snprintf(name, sizeof name, "%.63s", slash + 1);
    candidate = bp_candidate_create(name, path);
    if (!candidate)
        return NULL;
    inspect(registry, candidate, level, true);
    put_in_place(&registry->first, candidate);
    return candidate;
}
