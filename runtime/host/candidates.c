/* SPDX-License-Identifier: MIT */
/* candidates.c - the rows of a registry: found, judged, in the order of use. */

#include "config.h"

#include "host/candidates.h"

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "host/duplicates.h"

bool bp_row_is_fit(const struct bp_found *row)
{
    return row->verdict.code >= 0;
}

/* ---- order ----------------------------------------------------------------------------------- */

/* Linked in before files, CPU behind all, then those that are not listed. */
static int rank(const struct bp_found *row)
{
    if (!row->is_listed)
        return 3;
    if (strcmp(row->name, "cpu") == 0)
        return 2;
    return row->file ? 1 : 0;
}

static const char *id_of(const struct bp_found *row)
{
    return row->vetted.note.id ? row->vetted.note.id : row->name;
}

static int priority_of(const struct bp_found *row)
{
    return row->vetted.note.id ? row->vetted.note.priority : BP_NOTE_PRIORITY;
}

/* What is wanted first by whom: the user, the operator, the plug-in; then ids decide. */
static int compare(const struct bp_found *a, const struct bp_found *b)
{
    int order = rank(a) - rank(b);

    if (order == 0)
        order = a->place < b->place ? -1 : a->place > b->place;
    if (order == 0)
        order = b->conf.priority - a->conf.priority;
    if (order == 0)
        order = priority_of(b) - priority_of(a);
    if (order == 0)
        order = strcmp(id_of(a), id_of(b));
    if (order == 0)
        order = a->dir < b->dir ? -1 : a->dir > b->dir;
    if (order == 0 && a->file && b->file)
        order = strcmp(a->file, b->file);
    return order;
}

static void put_in_place(struct bp_found **first, struct bp_found *row)
{
    while (*first && compare(row, *first) >= 0)
        first = &(*first)->next;
    row->next = *first;
    *first = row;
}

static void sort(struct bp_registry *registry)
{
    struct bp_found *row = registry->first, *sorted = NULL, *last = NULL;

    while (row) {
        struct bp_found *next = row->next;

        /* a directory's files mostly are in order already */
        put_in_place(last && compare(row, last) >= 0 ? &last->next : &sorted, row);
        if (!row->next)
            last = row;
        row = next;
    }
    registry->first = sorted;
}

/* ---- one row --------------------------------------------------------------------------------- */

/* "dnnl" of "libbp-dnnl.so" and of "libbp-dnnl.x86-64-v3.so", whose *level is 3; false: another file. */
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

static void destroy(struct bp_found *row)
{
    bp_conf_finish(&row->conf);
    bp_vetted_finish(&row->vetted);
    free(row->file);
    free(row);
}

void bp_rows_finish(struct bp_registry *registry)
{
    while (registry->first) {
        struct bp_found *next = registry->first->next;

        destroy(registry->first);
        registry->first = next;
    }
}

static struct bp_found *create(const char *name, const char *file)
{
    struct bp_found *row = calloc(1, sizeof *row);

    if (row && file)
        row->file = strdup(file);
    if (!row || (file && !row->file)) {
        free(row);
        return NULL;
    }
    snprintf(row->name, sizeof row->name, "%s", name);
    row->conf.priority = BP_CONF_PRIORITY;
    return row;
}

/* What the user says of it. CPU cannot be vetoed, or nothing would be left, unless that is wanted. */
static void apply_order(const struct bp_registry *registry, struct bp_found *row)
{
    const char *id = row->vetted.note.id;
    const char *veto = bp_order_veto(&registry->order, row->name, id);

    row->place = bp_order_place(&registry->order, row->name, id);
    if (!bp_row_is_fit(row) || !veto || (rank(row) == 2 && !registry->is_strict))
        return;
    bp_ruling_end(&row->verdict, BP_STAGE_POLICY, BP_E_UNAVAILABLE,
                  "take it out of the environment variable BACKPLANE_PROVIDERS",
                  "%s is vetoed: BACKPLANE_PROVIDERS has '!%.60s'",
                  row->file ? row->file : row->name, veto);
}

/* What NAME.conf beside the file says of it. */
static void apply_conf(struct bp_registry *registry, struct bp_found *row)
{
    const char *slash = strrchr(row->file, '/');
    char path[PATH_MAX], name[BP_NAME_MAX];
    int level;

    if (!bp_row_is_fit(row) || !name_of_file(slash + 1, name, &level) ||
        (size_t)snprintf(path, sizeof path, "%.*s/%s.conf", (int)(slash - row->file), row->file,
                         name) >= sizeof path)
        return;
    bp_conf_read(path, &registry->vet.trust, &row->conf, &row->verdict);
    if (bp_row_is_fit(row) && row->conf.is_disabled)
        bp_ruling_end(&row->verdict, BP_STAGE_POLICY, BP_E_UNAVAILABLE, NULL,
                      "%s is disabled by %s", row->file, path);
}

/* Everything that can be said of a file without opening it, duplicates apart. */
static void judge(struct bp_registry *registry, struct bp_found *row, int level, bool may_have_conf)
{
    bp_vet_file(&registry->vet, row->file, level, &row->vetted, &row->verdict);
    if (row->vetted.note.name)
        snprintf(row->name, sizeof row->name, "%s", row->vetted.note.name);
    if (may_have_conf)
        apply_conf(registry, row);
    apply_order(registry, row);
    if (bp_row_is_fit(row))
        row->verdict.stage = BP_STAGE_POLICY;
}

/* ---- all of them ----------------------------------------------------------------------------- */

static int by_bytes(const struct dirent **a, const struct dirent **b)
{
    return strcmp((*a)->d_name, (*b)->d_name); /* whatever the locale */
}

static int find_by_bytes(const void *name, const void *entry)
{
    return strcmp(name, (*(struct dirent *const *)entry)->d_name);
}

/* Is there a NAME.conf among the n entries? */
static bool has_conf(struct dirent *const *entries, int n, const char *name)
{
    char file[BP_NAME_MAX + 8];

    snprintf(file, sizeof file, "%s.conf", name);
    return bsearch(file, entries, (size_t)n, sizeof entries[0], find_by_bytes) != NULL;
}

static void scan_dir(struct bp_registry *registry, uint32_t dir, struct bp_found ***end)
{
    const char *where = registry->search.dirs[dir].path;
    struct dirent **entries = NULL;
    int n = scandir(where, &entries, NULL, by_bytes);

    for (int i = 0; i < n; i++) {
        char path[PATH_MAX], name[BP_NAME_MAX];
        struct bp_found *row;
        int level;

        if (name_of_file(entries[i]->d_name, name, &level) &&
            (size_t)snprintf(path, sizeof path, "%s/%s", where, entries[i]->d_name) < sizeof path) {
            row = create(name, path);
            if (row) {
                row->is_listed = true;
                row->dir = dir;
                judge(registry, row, level, has_conf(entries, n, name));
                **end = row;
                *end = &row->next;
            } else {
                bp_log(registry->log, BP_LOG_ERROR, "host", "%s: no memory to list it", path);
            }
        }
    }
    for (int i = 0; i < n; i++)
        free(entries[i]);
    free(entries);
}

void bp_rows_scan(struct bp_registry *registry)
{
    struct bp_found **end = &registry->first;

    if (registry->is_scanned)
        return;
    while (*end)
        end = &(*end)->next;
    for (uint32_t i = 0; i < registry->search.count; i++)
        scan_dir(registry, i, &end);
    bp_notes_save(&registry->notes, registry->log);
    bp_duplicates_settle(registry->first, registry->log);
    sort(registry);
    registry->is_scanned = true;
}

static void add_name(struct bp_text *out, const char *intro, unsigned *n, const char *name)
{
    bp_text_printf(out, "%s%s", (*n)++ ? ", " : intro, name);
}

static bool is_installed(const struct bp_registry *registry, const char *name)
{
    return bp_rows_find(registry, name, name) != NULL;
}

char *bp_rows_names(const struct bp_registry *registry)
{
    struct bp_text out = {0};
    unsigned n = 0;
    const char *name;

    for (const struct bp_found *row = registry->first; row; row = row->next) {
        if (row->is_listed && !row->is_duplicate)
            add_name(&out, "installed are ", &n, row->name);
    }
    if (n == 0)
        bp_text_add(&out, "none is installed");
    n = 0;
    for (size_t i = 0; (name = bp_names_known(i)) != NULL; i++) {
        if (!is_installed(registry, name))
            add_name(&out, "; known, but not installed: ", &n, name);
    }
    return bp_text_take(&out);
}

static bool has_id(const struct bp_found *row, const char *id)
{
    return row->vetted.note.id && strcmp(row->vetted.note.id, id) == 0;
}

struct bp_found *bp_rows_find(const struct bp_registry *registry, const char *name, const char *id)
{
    struct bp_found *unfit = NULL;

    for (struct bp_found *row = registry->first; row; row = row->next) {
        if (row->is_listed && has_id(row, id))
            return row;
    }
    for (struct bp_found *row = registry->first; row; row = row->next) {
        if (!row->is_listed || strcmp(row->name, name) != 0)
            continue;
        if (bp_row_is_fit(row))
            return row;
        if (!unfit)
            unfit = row;
    }
    return unfit;
}

struct bp_found *bp_rows_add_entry(struct bp_registry *registry, const char *name,
                                   bp_entry_fn entry)
{
    struct bp_found *row = create(name, NULL);

    if (!row)
        return NULL;
    row->entry = entry;
    row->is_listed = true;
    row->verdict.stage = BP_STAGE_FOUND;
    apply_order(registry, row);
    put_in_place(&registry->first, row);
    if (registry->is_scanned) {
        bp_duplicates_settle(registry->first, registry->log);
        sort(registry);
    }
    return row;
}

/* Two of one name or id: nothing says which is meant, and the first is there already. */
static void refuse_second(const struct bp_registry *registry, struct bp_found *row)
{
    const struct bp_found *first = bp_rows_find(registry, row->name, id_of(row));

    if (!first)
        return;
    bp_ruling_end(&row->verdict, BP_STAGE_POLICY, BP_E_INVALID, "link one of them only",
                  "a provider '%s' of the id '%s' is linked in already", first->name, id_of(first));
    row->is_duplicate = true;
    row->is_listed = false;
}

struct bp_found *bp_rows_add_linked(struct bp_registry *registry, const char *module,
                                    const void *note, bp_entry_fn entry)
{
    size_t n = strlen(BP_PLUGIN_PREFIX);
    bool is_usual = strncmp(module, BP_PLUGIN_PREFIX, n) == 0 && module[n];
    struct bp_found *row = create(is_usual ? module + n : module, NULL);

    if (!row)
        return NULL;
    row->entry = entry;
    row->is_listed = true;
    bp_vet_linked(&registry->vet, module, note, &row->vetted, &row->verdict);
    if (row->vetted.note.name)
        snprintf(row->name, sizeof row->name, "%s", row->vetted.note.name);
    refuse_second(registry, row);
    apply_order(registry, row);
    if (bp_row_is_fit(row))
        row->verdict.stage = BP_STAGE_POLICY;
    put_in_place(&registry->first, row);
    return row;
}

struct bp_found *bp_rows_of_path(struct bp_registry *registry, const char *path)
{
    const char *slash = strrchr(path, '/');
    char name[BP_NAME_MAX];
    struct bp_found *row;
    int level;

    for (row = registry->first; row; row = row->next) {
        if (row->file && !row->is_duplicate && strcmp(row->file, path) == 0)
            return row;
    }
    if (!name_of_file(slash + 1, name, &level))
        snprintf(name, sizeof name, "%.63s", slash + 1);
    row = create(name, path);
    if (!row)
        return NULL;
    judge(registry, row, level, true);
    put_in_place(&registry->first, row);
    return row;
}
