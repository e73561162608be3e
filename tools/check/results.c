/* SPDX-License-Identifier: MIT */
/* results.c - what frames are fed, and whether what came out is right. */

#include "config.h"

#include <math.h>
#include <stdlib.h>

#include "check/graph.h"

/* ---- elements -------------------------------------------------------------------------------- */

size_t kit_count(const struct kit_port *port)
{
    return (size_t)bp_dims_count(port->dims, port->rank);
}

size_t kit_bytes(const struct kit_port *port)
{
    return kit_count(port) * (bp_dtype_width(port->dtype) / 8);
}

double kit_load(uint32_t dtype, const void *p, size_t i)
{
    switch (dtype) {
    case BP_DTYPE_F32:
        return (double)((const float *)p)[i];
    case BP_DTYPE_F64:
        return ((const double *)p)[i];
    case BP_DTYPE_I32:
        return ((const int32_t *)p)[i];
    case BP_DTYPE_I64:
        return (double)((const int64_t *)p)[i];
    default:
        return ((const uint8_t *)p)[i]; /* BP_DTYPE_U8, BP_DTYPE_BOOL */
    }
}

void kit_store(uint32_t dtype, void *p, size_t i, double value)
{
    switch (dtype) {
    case BP_DTYPE_F32:
        ((float *)p)[i] = (float)value;
        return;
    case BP_DTYPE_F64:
        ((double *)p)[i] = value;
        return;
    case BP_DTYPE_I32:
        ((int32_t *)p)[i] = (int32_t)value;
        return;
    case BP_DTYPE_I64:
        ((int64_t *)p)[i] = (int64_t)value;
        return;
    default:
        ((uint8_t *)p)[i] = (uint8_t)value;
    }
}

void kit_fill(const struct kit_case *c, const struct kit_port *port, void *data, unsigned seed)
{
    static const double odd[] = {(double)NAN, HUGE_VAL, -HUGE_VAL, -0.0, 0.0, -1.0, 1e-30};
    uint32_t state = seed * 2654435761u + 12345u;
    size_t n = kit_count(port);

    for (size_t i = 0; i < n; i++) {
        double x;

        state = state * 1664525u + 1013904223u;
        x = c->low + (c->high - c->low) * (double)(state >> 8) / 16777216.0;
        if (port->dtype != BP_DTYPE_F32 && port->dtype != BP_DTYPE_F64)
            x = floor(x);
        if (port->dtype == BP_DTYPE_BOOL)
            x = state >> 31;
        if (isnan(c->low))
            x = odd[i % (sizeof odd / sizeof odd[0])];
        kit_store(port->dtype, data, i, x);
    }
}

/* ---- results --------------------------------------------------------------------------------- */

static void check_guards(struct kit_exec *exec, const char *what)
{
    for (uint32_t i = 0; i < exec->desc.n_in; i++) {
        if (!kit_block_is_whole(&exec->in_block[i]))
            kit_fail(exec->kit, "%s: it wrote beside input %u", what, (unsigned)i);
    }
    if (!kit_block_is_whole(&exec->out_block))
        kit_fail(exec->kit, "%s: it wrote beside its output", what);
    if (exec->desc.scratch && !kit_block_is_whole(&exec->scratch))
        kit_fail(exec->kit, "%s: it wrote beside its scratch memory", what);
}

/* Inputs are only read. */
static void check_inputs(struct kit_exec *exec, const struct kit_case *c, const char *what)
{
    uint32_t k = 0;

    for (uint32_t i = 0; i < c->n_in; i++) {
        const struct kit_block *block = &exec->in_block[k];
        void *fed;
        bool is_same;

        if (c->in[i].constant)
            continue;
        fed = malloc(block->bytes + 1);
        if (!fed)
            abort();
        kit_fill(c, &c->in[i], fed, exec->seed + i);
        is_same = memcmp(fed, block->data, block->bytes) == 0;
        free(fed);
        if (!is_same)
            kit_fail(exec->kit, "%s: it wrote to its input %u", what, (unsigned)k);
        k++;
    }
}

static bool is_near(double got, double want, double tolerance)
{
    if (isnan(want) || isnan(got))
        return isnan(want) && isnan(got);
    if (isinf(want) || isinf(got))
        return want == got;
    return fabs(got - want) <= tolerance * (1 + fabs(want));
}

static double *loaded(const struct kit_port *port, const void *data)
{
    size_t n = kit_count(port);
    double *values = malloc((n + 1) * sizeof *values);

    if (!values)
        abort();
    for (size_t i = 0; i < n; i++)
        values[i] = kit_load(port->dtype, data, i);
    return values;
}

/* The inputs as the reference wants them; those of the frame must still be what was fed. */
static void load_inputs(const struct kit_exec *exec, const struct kit_case *c, double **in)
{
    uint32_t k = 0;

    for (uint32_t i = 0; i < c->n_in; i++) {
        if (c->in[i].constant)
            in[i] = loaded(&c->in[i], c->in[i].constant);
        else
            in[i] = loaded(&c->in[i], exec->in_block[k++].data);
    }
}

static double tolerance_of(const struct kit_case *c)
{
    if (c->out.dtype == BP_DTYPE_F32)
        return c->tolerance;
    return c->out.dtype == BP_DTYPE_F64 ? c->tolerance * 1e-6 : 0;
}

void kit_check(struct kit_exec *exec, const struct kit_case *c, const char *what)
{
    double *in[KIT_PORTS] = {NULL}, *want = NULL;
    size_t n = kit_count(&c->out), bad = n;
    double got = 0, expected = 0;

    check_guards(exec, what);
    check_inputs(exec, c, what);
    kit_alloc_pause(true);
    load_inputs(exec, c, in);
    want = malloc((n + 1) * sizeof *want);
    if (!want)
        abort();
    c->reference(c, (const double *const *)in, want);
    for (size_t i = 0; i < n && bad == n; i++) {
        got = kit_load(c->out.dtype, exec->out_block.data, i);
        if (c->out.dtype == BP_DTYPE_F32)
            want[i] = (double)(float)want[i];
        expected = want[i];
        if (!is_near(got, expected, tolerance_of(c)))
            bad = i;
    }
    for (uint32_t i = 0; i < KIT_PORTS; i++)
        free(in[i]);
    free(want);
    kit_alloc_pause(false);
    if (bad < n)
        kit_fail(exec->kit, "%s: element %zu is %.9g, not %.9g", what, bad, got, expected);
}
