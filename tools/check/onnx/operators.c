/* SPDX-License-Identifier: MIT */
/* operators.c - looks up ONNX's operators. */

#include "config.h"

#include <stdio.h>
#include <string.h>

#include "check/onnx/operators.h"

static const struct kit_operator rows[] = {
#include "check/onnx/operators.inc"
};

const struct kit_operator *kit_operator_find(const char *domain, const char *op, uint32_t opset)
{
    const struct kit_operator *best = NULL;

    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        if (rows[i].since <= opset && (!best || rows[i].since > best->since) &&
            strcmp(rows[i].op, op) == 0 && strcmp(rows[i].domain, domain) == 0)
            best = &rows[i];
    }
    return best;
}

/* Attribute i of "name:type=default name:type"; NULL: there are fewer. */
static const char *nth(const char *attrs, uint32_t i)
{
    while (i > 0 && *attrs) {
        attrs += strcspn(attrs, " ");
        attrs += *attrs == ' ';
        i--;
    }
    return *attrs ? attrs : NULL;
}

bool kit_operator_attr(const struct kit_operator *op, uint32_t i, struct kit_attr_def *out)
{
    const char *text = nth(op->attrs, i);
    size_t size, name;

    if (!text)
        return false;
    size = strcspn(text, " ");
    name = strcspn(text, ":");
    memset(out, 0, sizeof *out);
    snprintf(out->name, sizeof out->name, "%.*s", (int)name, text);
    out->type = text[name + 1];
    if (size > name + 2) {
        out->def = text + name + 3;
        out->def_size = size - name - 3;
    }
    return true;
}
