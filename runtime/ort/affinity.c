/* SPDX-License-Identifier: MIT */
/* affinity.c - reads on which processors threads are to run: "1,2;3-5". */

#include "config.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "ort/status.h"
#include "ort/workers.h"

/* The host has no use for larger ones; of those in a range some are enough to be told of. */
enum { PROCESSORS = 1 << 11 };

/* Part of a text; what is between separators, and not empty. */
struct piece {
    const char *text;
    size_t n;
};

/* Takes the next piece off `rest`; false: there is none. */
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

static OrtStatus *wrong(const char *what, struct piece piece)
{
    enum { SHOWN = 200 };

    return ort_fail(ORT_FAIL, "%s: %.*s%s", what, piece.n < SHOWN ? (int)piece.n : SHOWN,
                    piece.text, piece.n > SHOWN ? "..." : "");
}

/* A processor, from 1; a failure speaks of `whole`. */
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

/* Processors of all groups so far; the host counts them from 0. */
struct numbers {
    uint32_t *list;
    size_t n, capacity;
};

static bool add(struct numbers *numbers, uint32_t processor)
{
    if (numbers->n == numbers->capacity) {
        size_t capacity = numbers->capacity * 2 + 64;
        uint32_t *list = realloc(numbers->list, capacity * sizeof *list);

        if (!list)
            return false;
        numbers->list = list;
        numbers->capacity = capacity;
    }
    numbers->list[numbers->n++] = processor - 1;
    return true;
}

static OrtStatus *read_range(struct piece group, struct numbers *numbers)
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
        if (!add(numbers, i))
            return ort_no_memory();
    }
    return NULL;
}

static OrtStatus *read_list(struct piece group, struct numbers *numbers)
{
    struct piece piece;
    uint32_t processor = 0;

    while (next(&group, ',', &piece)) {
        OrtStatus *status = read_number(piece, piece, &processor);

        if (status)
            return status;
        if (!add(numbers, processor))
            return ort_no_memory();
    }
    return NULL;
}

/* All groups; rows have their lengths only, as the numbers may still move. */
static OrtStatus *read_groups(struct piece rest, bp_processors *rows, struct numbers *numbers)
{
    struct piece group;
    OrtStatus *status = NULL;

    for (uint32_t i = 0; !status && next(&rest, ';', &group); i++) {
        size_t before = numbers->n;

        status = count(group, '-') == 2 ? read_range(group, numbers) : read_list(group, numbers);
        rows[i] = (bp_processors){.n = (uint32_t)(numbers->n - before)};
    }
    return status;
}

/* Rows and numbers in one block. */
static bp_processors *join(const bp_processors *rows, uint32_t n, const struct numbers *numbers)
{
    bp_processors *block = malloc(n * sizeof *rows + numbers->n * sizeof *numbers->list);
    uint32_t *list = block ? (uint32_t *)(block + n) : NULL;

    if (!block)
        return NULL;
    if (numbers->n > 0)
        memcpy(list, numbers->list, numbers->n * sizeof *list);
    for (uint32_t i = 0; i < n; i++) {
        block[i] = (bp_processors){.list = list, .n = rows[i].n};
        list += rows[i].n;
    }
    return block;
}

OrtStatus *ort_workers_read(struct ort_workers *workers, const char *affinities)
{
    struct piece all = {affinities, strlen(affinities)};
    uint32_t n = count(all, ';');
    bp_processors *rows, *block = NULL;
    struct numbers numbers = {0};
    OrtStatus *status;

    if (n == 0)
        return wrong("Number of affinities does not equal to thread_pool_size minus one, "
                     "affinities: 0, in affinity string",
                     all);
    rows = calloc(n, sizeof *rows);
    status = rows ? read_groups(all, rows, &numbers) : ort_no_memory();
    if (!status) {
        block = join(rows, n, &numbers);
        status = block ? NULL : ort_no_memory();
    }
    free(rows);
    free(numbers.list);
    if (status)
        return status;
    ort_workers_finish(workers);
    workers->processors = block;
    workers->n_processors = n;
    return NULL;
}
