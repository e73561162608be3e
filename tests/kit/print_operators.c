/* SPDX-License-Identifier: MIT */
/*
 * print_operators.c - prints ONNX's operators with their attributes as the kit's table,
 * tools/check/onnx/operators.inc: `make update-kit-operators`.
 */

#include "config.h"

#include <stdio.h>
#include <string.h>

#include "graph/schema_table.h"

static char type_letter(const struct bp_attr_def *attr)
{
    static const char single[] = "?fistg", list[] = "?FISTG";

    return attr->type > BP_ATTR_GRAPH ? '?' : (attr->is_list ? list : single)[attr->type];
}

/* "alpha:f=0.01" */
static void print_attr(const struct bp_attr_def *attr, const char *blank)
{
    printf("%s%s:%c", blank, attr->name, type_letter(attr));
    if (!attr->has_default)
        return;
    if (attr->type == BP_ATTR_FLOAT)
        printf("=%.9g", (double)attr->def_float);
    else if (attr->type == BP_ATTR_INT)
        printf("=%lld", (long long)attr->def_int);
    else
        printf("=%s", attr->def_string);
}

int main(void)
{
    uint32_t n;
    const struct bp_schema *const *rows = bp_schema_all(&n);

    puts("/* SPDX-License-Identifier: MIT */");
    puts("/* operators.inc - made by make update-kit-operators of the host's schemas; see "
         "operators.h. */");
    puts("/* clang-format off */");
    for (uint32_t i = 0; i < n; i++) {
        const struct bp_schema *row = rows[i];

        if (strcmp(row->domain, "") != 0 && strcmp(row->domain, "ai.onnx.ml") != 0)
            continue;
        printf("{\"%s\", \"%s\", %u, %d, \"", row->domain, row->op, (unsigned)row->since,
               row->sizes_from_data);
        for (uint32_t a = 0; a < row->n_attrs; a++)
            print_attr(&row->attrs[a], a ? " " : "");
        puts("\"},");
    }
    return 0;
}
