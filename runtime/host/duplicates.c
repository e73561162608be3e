/* SPDX-License-Identifier: MIT */
/* duplicates.c - resolves duplicates: which of several plug-ins with one id is used. */

#include "config.h"

#include "host/duplicates.h"

#include <stdio.h>
#include <string.h>

/*
 * Compares two files of one id: *order is below 0 if `a` is preferred, and the result is the
 * reason; NULL: they are equal.
 */
static const char *compare(const struct bp_candidate *a, const struct bp_candidate *b, int *order)
{
    *order =
        bp_manifest_compare_versions(b->inspected.manifest.version, a->inspected.manifest.version);
    if (*order != 0)
        return "has a higher version";
    *order = a->dir < b->dir ? -1 : a->dir > b->dir;
    if (*order != 0)
        return "is in a directory that comes earlier";
    *order = b->inspected.level - a->inspected.level;
    if (*order != 0)
        return "is for more of this processor's instructions";
    return NULL;
}

static void lose(struct bp_candidate *loser, const struct bp_candidate *winner, const char *why,
                 const struct bp_log *log)
{
    bp_stage_refuse(&loser->verdict, BP_STAGE_POLICY, BP_E_UNAVAILABLE, NULL,
                    "%s is not used: %s %s", loser->file,
                    winner->file ? winner->file : winner->name, why);
    bp_candidate_set_aside(loser);
    bp_log(log, BP_LOG_INFO, "host", "%s", loser->verdict.reason);
}

/* Marks both as undecided; a third file may still win over them. */
static void refuse_both(struct bp_candidate *a, struct bp_candidate *b)
{
    static const char fix[] = "remove one of them";

    bp_candidate_tie(a);
    bp_candidate_tie(b);
    bp_stage_refuse(&a->verdict, BP_STAGE_POLICY, BP_E_INVALID, fix,
                    "%s and %s hold the same version of '%s', and nothing says which to use",
                    a->file, b->file, a->inspected.manifest.id);
    bp_stage_refuse(&b->verdict, BP_STAGE_POLICY, BP_E_INVALID, fix,
                    "%s and %s hold the same version of '%s', and nothing says which to use",
                    a->file, b->file, a->inspected.manifest.id);
}

/* Does the candidate still compete with others? */
static bool is_open(const struct bp_candidate *candidate)
{
    return candidate->progress != BP_CANDIDATE_OPENED &&
           (candidate->standing == BP_CANDIDATE_TIED ||
            (candidate->standing == BP_CANDIDATE_LISTED && bp_candidate_is_fit(candidate)));
}

/*
 * Are both names of one file? Compared by device and inode, so that links and bind mounts count as
 * the file they lead to.
 */
static bool is_same_file(const struct bp_candidate *a, const struct bp_candidate *b)
{
    return a->inspected.is_there && b->inspected.is_there && a->inspected.dev == b->inspected.dev &&
           a->inspected.ino == b->inspected.ino;
}

static bool is_rival(const struct bp_candidate *a, const struct bp_candidate *b)
{
    return b != a && b->file && is_open(b) &&
           strcmp(a->inspected.manifest.id, b->inspected.manifest.id) == 0;
}

/*
 * Finds the file to use among all with the candidate's id; of equal ones the first. compare() is a
 * total order except for ties, so one pass finds the best.
 */
static struct bp_candidate *best_of(struct bp_candidate *first, struct bp_candidate *candidate)
{
    struct bp_candidate *best = candidate;
    int order;

    for (; first; first = first->next) {
        if (is_rival(best, first) && compare(first, best, &order) && order < 0)
            best = first;
    }
    return best;
}

/*
 * Settles which file of an id is used. It is called for each candidate of the id; a second pass
 * changes nothing.
 */
static void settle_id(struct bp_candidate *first, struct bp_candidate *candidate,
                      const struct bp_log *log)
{
    struct bp_candidate *best = best_of(first, candidate);
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

/* Keeps the first of several names of one file. */
static void settle_file(struct bp_candidate *candidate, const struct bp_log *log)
{
    for (struct bp_candidate *other = candidate->next; other; other = other->next) {
        if (other->file && is_open(other) && is_same_file(candidate, other))
            lose(other, candidate, "is the same file", log);
    }
}

static bool is_same_id(const struct bp_candidate *a, const struct bp_candidate *b)
{
    return a->inspected.manifest.id && b->inspected.manifest.id &&
           strcmp(a->inspected.manifest.id, b->inspected.manifest.id) == 0;
}

/* Returns the linked-in candidate with the name or id of a file; NULL: there is none. */
static const struct bp_candidate *linked_in(const struct bp_candidate *first,
                                            const struct bp_candidate *file)
{
    for (; first; first = first->next) {
        if (!first->file && bp_candidate_is_listed(first) &&
            (strcmp(first->name, file->name) == 0 || is_same_id(first, file)))
            return first;
    }
    return NULL;
}

/* Returns the file of the same provider that was opened here; NULL: there is none. */
static const struct bp_candidate *opened(const struct bp_candidate *first,
                                         const struct bp_candidate *candidate)
{
    for (; first; first = first->next) {
        if (first != candidate && first->file && first->progress == BP_CANDIDATE_OPENED &&
            bp_candidate_is_listed(first) && bp_candidate_is_fit(first) &&
            is_same_id(first, candidate))
            return first;
    }
    return NULL;
}

/* Returns the file of the same provider that is used; NULL: there is none. */
static const struct bp_candidate *used_instead(const struct bp_candidate *first,
                                               const struct bp_candidate *candidate)
{
    for (; first; first = first->next) {
        if (first != candidate && first->file && is_open(first) &&
            strcmp(first->inspected.manifest.id, candidate->inspected.manifest.id) == 0)
            return first;
    }
    return NULL;
}

/* A variant for a better processor is no fault if another variant can run here. */
static void point_to_others(struct bp_candidate *first)
{
    for (struct bp_candidate *candidate = first; candidate; candidate = candidate->next) {
        const struct bp_candidate *other;
        size_t n = strlen(candidate->verdict.reason);

        if (candidate->verdict.stage != BP_STAGE_ISA || !bp_candidate_is_listed(candidate) ||
            !candidate->inspected.manifest.id)
            continue;
        other = used_instead(first, candidate);
        if (!other)
            continue;
        snprintf(candidate->verdict.reason + n, sizeof candidate->verdict.reason - n,
                 "; %s is used instead", other->file);
        bp_candidate_set_aside(candidate);
    }
}

/*
 * Counts, by hash, how many files may have one id or be one file: most are alone and need no
 * comparison.
 */
struct crowd {
    unsigned char ids[4096], files[4096];
    bool has_linked_in;
};

/* FNV-1a, folded, over the id. */
static unsigned char *id_count(struct crowd *crowd, const struct bp_candidate *candidate)
{
    uint32_t hash = 2166136261u;

    for (const char *c = candidate->inspected.manifest.id; c && *c; c++)
        hash = (hash ^ (unsigned char)*c) * 16777619u;
    return &crowd->ids[(hash ^ hash >> 16) % sizeof crowd->ids];
}

static unsigned char *file_count(struct crowd *crowd, const struct bp_candidate *candidate)
{
    return &crowd->files[(size_t)candidate->inspected.ino % sizeof crowd->files];
}

/*
 * Counts saturate at 2, because only "alone or not" is asked. A collision of hashes costs one
 * comparison.
 */
static void count_row(struct crowd *crowd, const struct bp_candidate *candidate)
{
    unsigned char *const counts[] = {id_count(crowd, candidate), file_count(crowd, candidate)};

    crowd->has_linked_in |= !candidate->file;
    for (size_t i = 0; candidate->file && i < sizeof counts / sizeof counts[0]; i++)
        *counts[i] = (unsigned char)(*counts[i] < 2 ? *counts[i] + 1 : 2);
}

/*
 * Compares only candidates whose count is above 1: else a thousand files would take a million
 * comparisons of strings.
 */
void bp_duplicates_settle(struct bp_candidate *first, const struct bp_log *log)
{
    struct crowd crowd = {.has_linked_in = false};

    for (const struct bp_candidate *candidate = first; candidate; candidate = candidate->next)
        count_row(&crowd, candidate);
    for (struct bp_candidate *candidate = first; candidate; candidate = candidate->next) {
        const struct bp_candidate *winner = NULL;

        if (candidate->file && crowd.has_linked_in)
            winner = linked_in(first, candidate);
        if (winner && bp_candidate_is_listed(candidate))
            lose(candidate, winner, "is linked in", log);
        else if (candidate->file && is_open(candidate) && *file_count(&crowd, candidate) > 1)
            settle_file(candidate, log);
        winner = is_open(candidate) && *id_count(&crowd, candidate) > 1 ? opened(first, candidate)
                                                                        : NULL;
        if (winner && candidate->file)
            lose(candidate, winner, "is open in this process", log);
    }
    for (struct bp_candidate *candidate = first; candidate; candidate = candidate->next) {
        if (candidate->file && is_open(candidate) && *id_count(&crowd, candidate) > 1)
            settle_id(first, candidate, log);
    }
    point_to_others(first);
}
