/* SPDX-License-Identifier: MIT */
/* schema_table.c - the rows of all operator versions, which are defined in rules/, and how one is found. */

#include "config.h"

#include "graph/schema_table.h"

#include <string.h>

#include "graph/rules/common.h"

static const struct bp_schema *const rows[] = {
#define BP_SCHEMA(op, since) &bp_schema_##op##_##since,
#include "graph/rules/list.inc"
#undef BP_SCHEMA
};

enum { N_ROWS = sizeof rows / sizeof *rows };

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
    return strcmp(row->op, op) == 0 && strcmp(row->domain, domain) == 0 ? row : NULL;
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
