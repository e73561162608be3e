/* SPDX-License-Identifier: MIT */
/*
 * parse.c - reads cases from text:
 *
 *     Conv-11 f32[1,2,5,5] w:f32[3,2,3,3] w:f32[3] -> f32[1,3,5,5] | pads=[1,1,1,1] group=1
 *
 * Operator and the version of it; inputs; output; attributes. An input is a type with sizes. Before it
 * may stand w: (a weight) or c: (always an initializer), after it its elements ={1,2} or their range
 * (0.5,2). '-' is an input that is left out. An attribute is an integer, a number with a point, a
 * list, or a 'text'.
 */

#include "config.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <bp/sdk.h>

#include "check/cases/case.h"

struct kit_case *kit_cases;
size_t kit_n_cases;

/* A line that is being read. */
struct reader {
    const char *line, *at;
};

static _Noreturn void wrong(const struct reader *r, const char *what)
{
    fprintf(stderr, "backplane-check: case '%s': %s at '%s'\n", r->line, what, r->at);
    abort();
}

static void skip_space(struct reader *r)
{
    while (*r->at == ' ')
        r->at++;
}

static bool accept(struct reader *r, const char *text)
{
    size_t n = strlen(text);

    if (strncmp(r->at, text, n) != 0)
        return false;
    r->at += n;
    return true;
}

/* A copy that lives as long as the process. */
static char *keep(const char *text, size_t n)
{
    char *copy = malloc(n + 1);

    if (!copy)
        abort();
    memcpy(copy, text, n);
    copy[n] = '\0';
    return copy;
}

static int64_t integer(struct reader *r)
{
    char *end;
    long long value = strtoll(r->at, &end, 10);

    if (end == r->at)
        wrong(r, "no integer");
    r->at = end;
    return value;
}

static double number(struct reader *r)
{
    char *end;
    double value = strtod(r->at, &end);

    if (end == r->at)
        wrong(r, "no number");
    r->at = end;
    return value;
}

static uint32_t dtype(struct reader *r)
{
    static const struct {
        const char *name;
        uint32_t dtype;
    } names[] = {
        {"f32[", BP_DTYPE_F32},   {"f64[", BP_DTYPE_F64}, {"f16[", BP_DTYPE_F16},
        {"bf16[", BP_DTYPE_BF16}, {"i32[", BP_DTYPE_I32}, {"i64[", BP_DTYPE_I64},
        {"i8[", BP_DTYPE_I8},     {"u8[", BP_DTYPE_U8},   {"bool[", BP_DTYPE_BOOL},
    };

    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
        if (accept(r, names[i].name))
            return names[i].dtype;
    }
    wrong(r, "no type");
}

static void port(struct reader *r, struct kit_port *out)
{
    memset(out, 0, sizeof *out);
    if (accept(r, "-")) {
        out->is_absent = true;
        return;
    }
    if (accept(r, "w:"))
        out->role = KIT_WEIGHT;
    else if (accept(r, "c:"))
        out->role = KIT_CONSTANT;
    out->dtype = dtype(r);
    while (!accept(r, "]")) {
        if (out->rank == KIT_RANK)
            wrong(r, "too many sizes");
        out->dims[out->rank++] = accept(r, "?") ? -1 : integer(r);
        (void)accept(r, ",");
    }
    if (accept(r, "={")) {
        while (!accept(r, "}")) {
            if (out->n_fixed == KIT_VALUES_OF_PORT)
                wrong(r, "too many elements");
            out->fixed[out->n_fixed++] = number(r);
            (void)accept(r, ",");
        }
    } else if (accept(r, "(")) {
        out->has_range = true;
        out->low = number(r);
        (void)accept(r, ",");
        out->high = number(r);
        if (!accept(r, ")"))
            wrong(r, "no ')'");
    }
}

static void attribute(struct reader *r, struct kit_attr *out)
{
    size_t n = strcspn(r->at, "=");
    const char *end;

    memset(out, 0, sizeof *out);
    out->name = keep(r->at, n);
    r->at += n;
    if (!accept(r, "="))
        wrong(r, "no '='");
    out->type = BP_ATTR_INT;
    if (accept(r, "'")) {
        n = strcspn(r->at, "'");
        out->type = BP_ATTR_STRING;
        out->text = keep(r->at, n);
        r->at += n + 1;
    } else if (accept(r, "[")) {
        while (!accept(r, "]")) {
            if (out->count == 2 * KIT_RANK)
                wrong(r, "too many elements");
            out->ints[out->count++] = integer(r);
            (void)accept(r, ",");
        }
    } else {
        end = r->at + strcspn(r->at, " ");
        if (memchr(r->at, '.', (size_t)(end - r->at))) {
            out->type = BP_ATTR_FLOAT;
            out->number = (float)number(r);
        } else {
            out->ints[0] = integer(r);
        }
    }
}

void kit_case_parse(const struct kit_row *row, struct kit_case *out)
{
    struct reader r = {row->text, row->text};
    size_t n = strcspn(r.at, "-");
    uint32_t n_attrs = 0;

    memset(out, 0, sizeof *out);
    out->name = row->text;
    out->op = keep(r.at, n);
    r.at += n + 1;
    out->since = out->opset = (uint32_t)integer(&r);
    out->reference = row->reference;
    out->tolerance = row->tolerance;
    out->low = row->low;
    out->high = row->high;
    for (skip_space(&r); !accept(&r, "-> "); skip_space(&r)) {
        if (out->n_in == KIT_PORTS)
            wrong(&r, "too many inputs");
        port(&r, &out->in[out->n_in]);
        out->has_weights = out->has_weights || out->in[out->n_in].role == KIT_WEIGHT;
        out->n_in++;
    }
    port(&r, &out->out);
    skip_space(&r);
    if (accept(&r, "|")) {
        for (skip_space(&r); *r.at; skip_space(&r)) {
            if (n_attrs == KIT_ATTRS)
                wrong(&r, "too many attributes");
            attribute(&r, &out->attrs[n_attrs++]);
        }
    }
    if (*r.at)
        wrong(&r, "more than attributes");
    for (uint32_t i = 0; i < out->n_in; i++)
        out->is_large = out->is_large || (!out->in[i].is_absent && kit_count(&out->in[i]) > 100000);
    out->is_large = out->is_large || (out->out.dims[0] >= 0 && kit_count(&out->out) > 100000);
}

/* ---- the table ------------------------------------------------------------------------------- */

struct kit_case kit_case_with_constants(const struct kit_case *c, uint32_t seed)
{
    struct kit_case copy = *c;

    for (uint32_t i = 0; i < copy.n_in; i++) {
        if (copy.in[i].role == KIT_WEIGHT)
            copy.in[i].role = KIT_CONSTANT;
        copy.in[i].seed = seed + i;
    }
    copy.has_constants = copy.has_weights;
    return copy;
}

/* The second copy of a case, after the first. */
static void add_second_copy(const struct kit_case *c, uint32_t seed)
{
    static const char suffix[] = ", weights as initializers";
    size_t size = strlen(c->name) + sizeof suffix;
    char *name = malloc(size);

    if (!name)
        abort();
    snprintf(name, size, "%s%s", c->name, suffix);
    kit_cases[kit_n_cases] = kit_case_with_constants(c, seed);
    kit_cases[kit_n_cases++].name = name;
}

void kit_cases_read(void)
{
    if (kit_cases)
        return;
    kit_cases = calloc(2 * kit_n_rows, sizeof *kit_cases);
    if (!kit_cases)
        abort();
    for (size_t i = 0; i < kit_n_rows; i++) {
        struct kit_case *c = &kit_cases[kit_n_cases++];
        uint32_t seed = 1000 + (uint32_t)(2 * KIT_PORTS * i);

        kit_case_parse(&kit_rows[i], c);
        for (uint32_t k = 0; k < c->n_in; k++)
            c->in[k].seed = seed + k;
        if (c->has_weights)
            add_second_copy(c, seed);
    }
}

void kit_cases_channels_last(void)
{
    for (size_t i = 0; i < kit_n_cases; i++)
        kit_case_channels_last(&kit_cases[i]);
}

/* ---- two nodes ------------------------------------------------------------------------------- */

/* The first node's inputs come first, then those of the second but for its first. */
static void ref_pair(const struct kit_case *c, const double *const *in, double *out)
{
    const double *second[KIT_PORTS] = {NULL};
    double *between = malloc((kit_count(&c->first->out) + 1) * sizeof *between);

    if (!between)
        abort();
    c->first->reference(c->first, in, between);
    second[0] = between;
    for (uint32_t i = 1; i < c->second->n_in; i++)
        second[i] = in[c->first->n_in + i - 1];
    c->second->reference(c->second, second, out);
    free(between);
}

bool kit_case_pair(const struct kit_case *first, const struct kit_case *second,
                   struct kit_case *out)
{
    if (first->n_in + second->n_in - 1 > KIT_PORTS)
        return false;
    *out = *first;
    out->n_in = first->n_in + second->n_in - 1;
    for (uint32_t i = 1; i < second->n_in; i++)
        out->in[first->n_in + i - 1] = second->in[i];
    for (uint32_t i = 0; i < out->n_in; i++) {
        const struct kit_case *of = i < first->n_in ? first : second;

        if (out->in[i].has_range)
            continue;
        out->in[i].has_range = true; /* that of the case which the input is from */
        out->in[i].low = of->low;
        out->in[i].high = of->high;
    }
    out->out = second->out;
    out->reference = ref_pair;
    out->tolerance = first->tolerance > second->tolerance ? first->tolerance : second->tolerance;
    out->tolerance *= 20; /* errors of the first node are amplified by the second */
    out->first = first;
    out->second = second;
    return true;
}
