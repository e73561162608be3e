/* SPDX-License-Identifier: MIT */
/*
 * affinity.c - parses thread affinities: "1,2;3-5" is one group of logical processors for each
 * worker, separated by ';'. Processors are counted from 1, as in
 * session.intra_op_thread_affinities.
 *
 * All refusals are ORT_FAIL with ONNX Runtime's sentences, because programs compare them.
 */

#include "config.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "ort/status.h"
#include "ort/workers.h"

/* The host's mask ends there; of a longer range only the first is kept, so that it gets refused. */
enum { PROCESSORS = 1 << 11 };

/* A part of the text between separators; not empty, not NUL-terminated. */
struct piece {
    const char *text;
    size_t n;
};

/* Takes the next piece off `rest`; false: none is left. */
static bool next(struct piece *rest, char separator, struct piece *out)
{
    while (rest->n > 0 && *rest->text == separator) {
        rest->text++;
        rest->n--;
    }
    *out = (struct piece){rest->text, 0};
    while (out->n < rest->n && out->text[out->n] != separator)
        out->n++;
    rest->text += out->n;
    rest->n -= out->n;
    return out->n > 0;
}

static uint32_t count(struct piece rest, char separator)
{
    struct piece piece;
    uint32_t n = 0;

    while (next(&rest, separator, &piece))
        n++;
    return n;
}

/* At most 200 characters of the text are quoted. */
static OrtStatus *wrong(const char *what, struct piece piece)
{
    enum { SHOWN = 200 };

    return ort_fail(ORT_FAIL, "%s: %.*s%s", what, piece.n < SHOWN ? (int)piece.n : SHOWN,
                    piece.text, piece.n > SHOWN ? "..." : "");
}

/* A processor, from 1; the message quotes `whole`. */
static OrtStatus *read_number(struct piece piece, struct piece whole, uint32_t *out)
{
    uint64_t value = 0;

    for (size_t i = 0; i < piece.n; i++) {
        if (piece.text[i] < '0' || piece.text[i] > '9')
            return wrong("Processor id must consist of only digits", whole);
        if (value <= INT_MAX)
            value = value * 10 + (uint64_t)(piece.text[i] - '0');
    }
    if (value > INT_MAX)
        return wrong("Failed to read affinities from affinity string, processor id is too large",
                     whole);
    if (value == 0)
        return wrong("Processor id must start from 1", whole);
    *out = (uint32_t)value;
    return NULL;
}

/* Processors of all groups, one after another; the host counts from 0. */
struct processor_list {
    uint32_t *list;
    size_t n, capacity;
};

static bool add(struct processor_list *found, uint32_t processor)
{
    if (found->n == found->capacity) {
        size_t capacity = found->capacity * 2 + 64;
        uint32_t *list = realloc(found->list, capacity * sizeof *list);

        if (!list)
            return false;
        found->list = list;
        found->capacity = capacity;
    }
    found->list[found->n++] = processor - 1;
    return true;
}

/* "first-last", both included. */
static OrtStatus *read_range(struct piece group, struct processor_list *found)
{
    struct piece rest = group, piece;
    uint32_t from = 0, to = 0;
    OrtStatus *status;

    next(&rest, '-', &piece);
    status = read_number(piece, group, &from);
    next(&rest, '-', &piece);
    if (!status)
        status = read_number(piece, group, &to);
    if (status)
        return status;
    if (from > to)
        return wrong("Invalid processor interval", group);
    for (uint32_t i = from; i <= to && (i == from || i <= PROCESSORS); i++) {
        if (!add(found, i))
            return ort_no_memory();
    }
    return NULL;
}

/* "1,2,3": single processors. */
static OrtStatus *read_list(struct piece group, struct processor_list *found)
{
    struct piece piece;
    uint32_t processor = 0;

    while (next(&group, ',', &piece)) {
        OrtStatus *status = read_number(piece, piece, &processor);

        if (status)
            return status;
        if (!add(found, processor))
            return ort_no_memory();
    }
    return NULL;
}

/* All groups; rows get their lengths only, because the list may still be reallocated. */
static OrtStatus *read_groups(struct piece rest, bp_processors *rows, struct processor_list *found)
{
    struct piece group;
    OrtStatus *status = NULL;

    for (uint32_t i = 0; !status && next(&rest, ';', &group); i++) {
        size_t before = found->n;

        status = count(group, '-') == 2 ? read_range(group, found) : read_list(group, found);
        rows[i] = (bp_processors){.n = (uint32_t)(found->n - before)};
    }
    return status;
}

/* Rows and processors in one block, which one free() releases. */
static bp_processors *make_block(const bp_processors *rows, uint32_t n,
                                 const struct processor_list *found)
{
    bp_processors *block = malloc(n * sizeof *rows + found->n * sizeof *found->list);
    uint32_t *list = block ? (uint32_t *)(block + n) : NULL;

    if (!block)
        return NULL;
    if (found->n > 0)
        memcpy(list, found->list, found->n * sizeof *list);
    for (uint32_t i = 0; i < n; i++) {
        block[i] = (bp_processors){.list = list, .n = rows[i].n};
        list += rows[i].n;
    }
    return block;
}

/* The host checks the number of groups against the number of workers. */
OrtStatus *ort_workers_read(struct ort_workers *workers, const char *affinities)
{
    struct piece all = {affinities, strlen(affinities)};
    uint32_t n = count(all, ';');
    bp_processors *rows, *block = NULL;
    struct processor_list found = {0};
    OrtStatus *status;

    if (n == 0)
        return wrong("Number of affinities does not equal to thread_pool_size minus one, "
                     "affinities: 0, in affinity string",
                     all);
    rows = calloc(n, sizeof *rows);
    status = rows ? read_groups(all, rows, &found) : ort_no_memory();
    if (!status) {
        block = make_block(rows, n, &found);
        status = block ? NULL : ort_no_memory();
    }
    free(rows);
    free(found.list);
    if (status)
        return status;
    ort_workers_finish(workers);
    workers->processors = block;
    workers->n_processors = n;
    return NULL;
}
