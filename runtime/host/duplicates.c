/* SPDX-License-Identifier: MIT */
/* duplicates.c - which of several files that hold one provider is used. */

#include "config.h"

#include "host/duplicates.h"

#include <stdio.h>
#include <string.h>

#include "host/candidates.h"

/* Why one goes before the other; NULL: nothing says which. *order is below 0 when it is `a`. */
static const char *compare(const struct bp_found *a, const struct bp_found *b, int *order)
{
    *order = bp_note_compare_versions(b->vetted.note.version, a->vetted.note.version);
    if (*order != 0)
        return "has a higher version";
    *order = a->dir < b->dir ? -1 : a->dir > b->dir;
    if (*order != 0)
        return "is in a directory that comes earlier";
    *order = b->vetted.level - a->vetted.level;
    if (*order != 0)
        return "is for more of this processor's instructions";
    return NULL;
}

static void lose(struct bp_found *loser, const struct bp_found *winner, const char *why,
                 const struct bp_log *log)
{
    bp_ruling_end(&loser->verdict, BP_STAGE_POLICY, BP_E_UNAVAILABLE, NULL, "%s is not used: %s %s",
                  loser->file, winner->file ? winner->file : winner->name, why);
    loser->is_duplicate = true;
    loser->is_listed = false;
    bp_log(log, BP_LOG_INFO, "host", "%s", loser->verdict.reason);
}

/* They stay open to be beaten by a third. */
static void refuse_both(struct bp_found *a, struct bp_found *b)
{
    static const char fix[] = "remove one of them";

    a->is_draw = b->is_draw = true;
    bp_ruling_end(&a->verdict, BP_STAGE_POLICY, BP_E_INVALID, fix,
                  "%s and %s hold the same version of '%s', and nothing says which to use", a->file,
                  b->file, a->vetted.note.id);
    bp_ruling_end(&b->verdict, BP_STAGE_POLICY, BP_E_INVALID, fix,
                  "%s and %s hold the same version of '%s', and nothing says which to use", a->file,
                  b->file, a->vetted.note.id);
}

/* Is the row still to be told apart from others? */
static bool is_open(const struct bp_found *row)
{
    return row->is_listed && !row->is_duplicate && !row->is_tried &&
           (bp_row_is_fit(row) || row->is_draw);
}

static bool is_same_file(const struct bp_found *a, const struct bp_found *b)
{
    return a->vetted.is_there && b->vetted.is_there && a->vetted.dev == b->vetted.dev &&
           a->vetted.ino == b->vetted.ino;
}

static bool is_rival(const struct bp_found *a, const struct bp_found *b)
{
    return b != a && b->file && is_open(b) && strcmp(a->vetted.note.id, b->vetted.note.id) == 0;
}

/* Of all files with the id of a row, the one to use; the first of several that are alike. */
static struct bp_found *best_of(struct bp_found *first, struct bp_found *row)
{
    struct bp_found *best = row;
    int order;

    for (; first; first = first->next) {
        if (is_rival(best, first) && compare(first, best, &order) && order < 0)
            best = first;
    }
    return best;
}

/* Settles who of all files with the id of a row is used. */
static void settle_id(struct bp_found *first, struct bp_found *row, const struct bp_log *log)
{
    struct bp_found *best = best_of(first, row);
    const char *why;
    int order;

    for (; first; first = first->next) {
        if (!is_rival(best, first))
            continue;
        why = compare(best, first, &order);
        if (why)
            lose(first, best, why, log);
        else
            refuse_both(best, first);
    }
}

/* One file that is there by several names. */
static void settle_file(struct bp_found *row, const struct bp_log *log)
{
    for (struct bp_found *other = row->next; other; other = other->next) {
        if (other->file && is_open(other) && is_same_file(row, other))
            lose(other, row, "is the same file", log);
    }
}

static bool is_same_id(const struct bp_found *a, const struct bp_found *b)
{
    return a->vetted.note.id && b->vetted.note.id &&
           strcmp(a->vetted.note.id, b->vetted.note.id) == 0;
}

/* The row that is linked in with the name or id of a file; NULL: none. */
static const struct bp_found *linked_in(const struct bp_found *first, const struct bp_found *file)
{
    for (; first; first = first->next) {
        if (!first->file && first->is_listed &&
            (strcmp(first->name, file->name) == 0 || is_same_id(first, file)))
            return first;
    }
    return NULL;
}

/* The file of the same provider that is used; NULL: none. */
static const struct bp_found *used_instead(const struct bp_found *first, const struct bp_found *row)
{
    for (; first; first = first->next) {
        if (first != row && first->file && is_open(first) &&
            strcmp(first->vetted.note.id, row->vetted.note.id) == 0)
            return first;
    }
    return NULL;
}

/* A variant that this processor cannot run is no fault where another one can. */
static void point_to_others(struct bp_found *first)
{
    for (struct bp_found *row = first; row; row = row->next) {
        const struct bp_found *other;
        size_t n = strlen(row->verdict.reason);

        if (row->verdict.stage != BP_STAGE_ISA || !row->is_listed || !row->vetted.note.id)
            continue;
        other = used_instead(first, row);
        if (!other)
            continue;
        snprintf(row->verdict.reason + n, sizeof row->verdict.reason - n, "; %s is used instead",
                 other->file);
        row->is_duplicate = true;
        row->is_listed = false;
    }
}

/* How many files may have an id or be one file, by hashes: most are alone, and need no comparing. */
struct crowd {
    unsigned char ids[4096], files[4096];
    bool has_linked_in;
};

static unsigned char *id_count(struct crowd *crowd, const struct bp_found *row)
{
    uint32_t hash = 2166136261u;

    for (const char *c = row->vetted.note.id; c && *c; c++)
        hash = (hash ^ (unsigned char)*c) * 16777619u;
    return &crowd->ids[(hash ^ hash >> 16) % sizeof crowd->ids];
}

static unsigned char *file_count(struct crowd *crowd, const struct bp_found *row)
{
    return &crowd->files[(size_t)row->vetted.ino % sizeof crowd->files];
}

static void count_row(struct crowd *crowd, const struct bp_found *row)
{
    unsigned char *const counts[] = {id_count(crowd, row), file_count(crowd, row)};

    crowd->has_linked_in |= !row->file;
    for (size_t i = 0; row->file && i < sizeof counts / sizeof counts[0]; i++)
        *counts[i] = (unsigned char)(*counts[i] < 2 ? *counts[i] + 1 : 2);
}

void bp_duplicates_settle(struct bp_found *first, const struct bp_log *log)
{
    struct crowd crowd = {.has_linked_in = false};

    for (const struct bp_found *row = first; row; row = row->next)
        count_row(&crowd, row);
    for (struct bp_found *row = first; row; row = row->next) {
        const struct bp_found *winner = NULL;

        if (row->file && crowd.has_linked_in)
            winner = linked_in(first, row);
        if (winner && row->is_listed)
            lose(row, winner, "is linked in", log);
        else if (row->file && is_open(row) && *file_count(&crowd, row) > 1)
            settle_file(row, log);
    }
    for (struct bp_found *row = first; row; row = row->next) {
        if (row->file && is_open(row) && *id_count(&crowd, row) > 1)
            settle_id(first, row, log);
    }
    point_to_others(first);
}
