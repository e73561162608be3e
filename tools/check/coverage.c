/* SPDX-License-Identifier: MIT */
/* coverage.c - counts what of a provider's operators the kit has run. */

#include "config.h"

#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include <bp/sdk.h>

#include "check/coverage.h"
#include "check/onnx/operators.h"
#include "check/report.h"

enum { ROWS = 512, NEWEST = 1 << 20 /* a version that is newer than all */ };

/* An operator that was taken. */
struct row {
    char domain[64], op[64];
    uint32_t has_run;
    uint64_t
        attrs; /* bit i: attribute i of its newest version had another value than its default */
};

static struct {
    uint32_t n;
    struct row rows[ROWS];
} * table;

void kit_coverage_begin(void)
{
    table = mmap(NULL, sizeof *table, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (table == MAP_FAILED)
        abort();
}

void kit_coverage_end(void)
{
    if (table)
        munmap(table, sizeof *table);
    table = NULL;
}

static struct row *find(const char *domain, const char *op)
{
    for (uint32_t i = 0; table && i < table->n; i++) {
        if (strcmp(table->rows[i].op, op) == 0 && strcmp(table->rows[i].domain, domain) == 0)
            return &table->rows[i];
    }
    return NULL;
}

void kit_coverage_declared(const char *domain, const char *op)
{
    struct row *row;

    if (!table || table->n == ROWS || find(domain, op))
        return;
    row = &table->rows[table->n];
    snprintf(row->domain, sizeof row->domain, "%s", domain);
    snprintf(row->op, sizeof row->op, "%s", op);
    table->n++;
}

static const char *domain_of(const struct kit_case *c)
{
    return c->domain ? c->domain : "";
}

void kit_coverage_took(const struct kit_case *c)
{
    if (c->second) {
        kit_coverage_took(c->first);
        kit_coverage_took(c->second);
    } else {
        kit_coverage_declared(domain_of(c), c->op);
    }
}

/* ---- attributes ------------------------------------------------------------------------------ */

static bool is_default_text(const struct kit_attr *attr, const struct kit_attr_def *def)
{
    const bp_span *span = attr->data;
    const char *text = attr->data ? span->data : attr->text;
    size_t size = attr->data ? span->size : strlen(attr->text);

    return size == def->def_size && memcmp(text, def->def, size) == 0;
}

static bool is_default(const struct kit_attr *attr, const struct kit_attr_def *def)
{
    if (!def->def)
        return false;
    switch (def->type) {
    case 'i':
        return (attr->data ? *(const int64_t *)attr->data : attr->ints[0]) ==
               strtoll(def->def, NULL, 10);
    case 'f':
        /* bits: the default was written so that it reads back as it was */
        return memcmp(attr->data ? attr->data : &attr->number, &(float){strtof(def->def, NULL)},
                      sizeof(float)) == 0;
    case 's':
        return is_default_text(attr, def);
    default:
        return false;
    }
}

static const struct kit_attr *attr_of(const struct kit_case *c, const char *name)
{
    for (uint32_t a = 0; a < KIT_ATTRS && c->attrs[a].name; a++) {
        if (strcmp(c->attrs[a].name, name) == 0)
            return &c->attrs[a];
    }
    return NULL;
}

static uint64_t attrs_of(const struct kit_case *c)
{
    const struct kit_operator *op = kit_operator_find(domain_of(c), c->op, NEWEST);
    struct kit_attr_def def;
    uint64_t bits = 0;

    for (uint32_t i = 0; op && i < 64 && kit_operator_attr(op, i, &def); i++) {
        const struct kit_attr *attr = attr_of(c, def.name);

        if (attr && !is_default(attr, &def))
            bits |= UINT64_C(1) << i;
    }
    return bits;
}

void kit_coverage_ran(const struct kit_case *c)
{
    struct row *row;

    if (c->second) {
        kit_coverage_ran(c->first);
        kit_coverage_ran(c->second);
        return;
    }
    row = find(domain_of(c), c->op);
    if (!row)
        return;
    __atomic_store_n(&row->has_run, 1, __ATOMIC_RELAXED);
    __atomic_fetch_or(&row->attrs, attrs_of(c), __ATOMIC_RELAXED);
}

/* ---- words ----------------------------------------------------------------------------------- */

/* Attribute i of a row's operator that never was other than its default; false: there are no more. */
static bool next_untested(const struct row *row, uint32_t *i, struct kit_attr_def *out)
{
    const struct kit_operator *op = kit_operator_find(row->domain, row->op, NEWEST);

    for (; op && *i < 64 && kit_operator_attr(op, *i, out); ++*i) {
        if (row->has_run && !(row->attrs >> *i & 1)) {
            ++*i;
            return true;
        }
    }
    return false;
}

static uint32_t count_run(void)
{
    uint32_t n = 0;

    for (uint32_t i = 0; i < table->n; i++)
        n += table->rows[i].has_run;
    return n;
}

static const char *dot(const struct row *row)
{
    return row->domain[0] ? "." : "";
}

void kit_coverage_print(FILE *out, const char *file)
{
    const char *comma = "";

    if (!table || table->n == 0)
        return;
    fprintf(out, "%s: %u operators taken, %u of them run\n", file, (unsigned)table->n,
            (unsigned)count_run());
    for (uint32_t i = 0; i < table->n; i++) {
        const struct row *row = &table->rows[i];

        if (row->has_run)
            continue;
        fprintf(out, "%s%s%s%s", *comma ? comma : "never run: ", row->domain, dot(row), row->op);
        comma = ", ";
    }
    fputs(*comma ? "\n" : "", out);
    for (uint32_t i = 0, a = 0; i < table->n; i++, a = 0) {
        const struct row *row = &table->rows[i];
        struct kit_attr_def def;

        comma = ": ";
        while (next_untested(row, &a, &def)) {
            if (*comma == ':')
                fprintf(out, "only with the default of %s%s%s", row->domain, dot(row), row->op);
            fprintf(out, "%s%s", comma, def.name);
            comma = ", ";
        }
        fputs(*comma == ':' ? "" : "\n", out);
    }
}

void kit_coverage_json(FILE *out)
{
    const char *comma = "";

    if (!table) {
        fputs("null", out);
        return;
    }
    fprintf(out, "{\"taken\": %u, \"run\": %u, \"operators\": [", (unsigned)table->n,
            (unsigned)count_run());
    for (uint32_t i = 0, a = 0; i < table->n; i++, a = 0) {
        const struct row *row = &table->rows[i];
        struct kit_attr_def def;

        fprintf(out, "%s\n    {\"domain\": ", comma);
        report_json_string(out, row->domain);
        fputs(", \"name\": ", out);
        report_json_string(out, row->op);
        fprintf(out, ", \"run\": %s, \"untested\": [", row->has_run ? "true" : "false");
        for (comma = ""; next_untested(row, &a, &def); comma = ", ")
            fprintf(out, "%s\"%s\"", comma, def.name);
        fputs("]}", out);
        comma = ",";
    }
    fputs("\n  ]}", out);
}
