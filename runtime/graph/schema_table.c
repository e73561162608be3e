/* SPDX-License-Identifier: MIT */
/* schema_table.c - the rows of all operator versions, which are defined in rules/, and how one is found. */

#include "config.h"

#include "graph/schema_table.h"

#include <string.h>

#include "graph/rules/common.h"
#include "selected/selected.h"

#ifdef BP_SELECTED_OPERATORS
#define LIST "selected/schemas.inc" /* ./configure --with-operators made it of the whole list */
#else
#define LIST "graph/rules/list.inc"
#endif

static const struct bp_schema *const rows[] = {
#define BP_SCHEMA(op, since) &bp_schema_##op##_##since,
#define BP_LEFT_OUT(domain, op, since)
#include LIST
#undef BP_SCHEMA
#undef BP_LEFT_OUT
};

enum { N_ROWS = sizeof rows / sizeof *rows };

/* The versions that this build does not have; their names are all that is left of them. */
static const struct left_out {
    const char *domain, *op;
    uint32_t since;
} left_out[] = {
#define BP_SCHEMA(op, since)
#define BP_LEFT_OUT(domain, op, since) {domain, op, since},
#include LIST
#undef BP_SCHEMA
#undef BP_LEFT_OUT
    {"", "", UINT32_MAX}, /* C has no arrays without elements */
};

enum { N_LEFT_OUT = sizeof left_out / sizeof left_out[0] };

/* "ai.onnx" is another name of the domain that is usually written "". */
static const char *plain_domain(const char *domain)
{
    return strcmp(domain, "ai.onnx") == 0 ? "" : domain;
}

/* Does the row come after that version of that operator? */
static bool is_after(const struct bp_schema *row, const char *domain, const char *op,
                     uint32_t opset)
{
    int order = strcmp(row->domain, domain);

    if (order == 0)
        order = strcmp(row->op, op);
    return order > 0 || (order == 0 && row->since > opset);
}

const struct bp_schema *bp_schema_find(const char *domain, const char *op, uint32_t opset)
{
    size_t low = 0;
    size_t high = N_ROWS;
    const struct bp_schema *row;

    domain = plain_domain(domain);
    while (low < high) { /* rows before low are not after it, rows from high on are */
        size_t middle = low + (high - low) / 2;

        if (is_after(rows[middle], domain, op, opset))
            high = middle;
        else
            low = middle + 1;
    }
    if (low == 0)
        return NULL;
    row = rows[low - 1];
    if (strcmp(row->op, op) != 0 || strcmp(row->domain, domain) != 0)
        return NULL;
    /* a newer version that is left out is in force, not this one */
    return bp_schema_left_out(domain, op, opset) > row->since ? NULL : row;
}

/* Only builds with --with-operators have rows to look at, and a few hundred at most. */
uint32_t bp_schema_left_out(const char *domain, const char *op, uint32_t opset)
{
    uint32_t found = 0;

    domain = plain_domain(domain);
    for (size_t i = 0; i < N_LEFT_OUT; i++) {
        if (left_out[i].since <= opset && left_out[i].since > found &&
            strcmp(left_out[i].op, op) == 0 && strcmp(left_out[i].domain, domain) == 0)
            found = left_out[i].since;
    }
    return found;
}

bool bp_schema_is_complete(void)
{
    return N_LEFT_OUT == 1;
}

uint32_t bp_schema_newest(const char *domain)
{
    static const struct {
        const char *domain;
        uint32_t version;
    } newest[] = {
        {"", 28},
        {"ai.onnx.ml", 5},
        {"ai.onnx.preview", 1},
        {"ai.onnx.preview.training", 1},
        {"com.microsoft", 1},
        {"org.backplane", 1},
    };

    domain = plain_domain(domain);
    for (size_t i = 0; i < sizeof newest / sizeof newest[0]; i++) {
        if (strcmp(newest[i].domain, domain) == 0)
            return newest[i].version;
    }
    return 0;
}

const struct bp_schema *const *bp_schema_all(uint32_t *count)
{
    *count = N_ROWS;
    return rows;
}
