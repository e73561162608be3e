/* SPDX-License-Identifier: MIT */
/* results.c - what frames are fed, and whether what came out is right. */

#include "config.h"

#include <math.h>
#include <stdlib.h>

#include "check/coverage.h"
#include "check/graph.h"

/* ---- results --------------------------------------------------------------------------------- */

static void check_guards(struct kit_exec *exec, const char *what)
{
    for (uint32_t i = 0; i < exec->desc->n_in; i++) {
        if (!kit_block_is_whole(&exec->in_block[i]))
            kit_fail(exec->kit, "%s: it wrote beside input %u", what, (unsigned)i);
    }
    if (!kit_block_is_whole(&exec->out_block))
        kit_fail(exec->kit, "%s: it wrote beside its output", what);
    if (exec->desc->scratch && !kit_block_is_whole(&exec->scratch))
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

        if (!kit_is_fed(&c->in[i]))
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

static double *load_constant(const struct kit_case *c, const struct kit_port *port)
{
    void *data = malloc(kit_bytes(port) + 1);
    double *values;

    if (!data)
        abort();
    kit_fill(c, port, data, port->seed);
    values = loaded(port, data);
    free(data);
    return values;
}

/* The inputs as the reference wants them; those of the frame must still be what was fed. */
static void load_inputs(const struct kit_exec *exec, const struct kit_case *c, double **in)
{
    uint32_t k = 0;

    for (uint32_t i = 0; i < c->n_in; i++) {
        if (kit_is_fed(&c->in[i]))
            in[i] = loaded(&c->in[i], exec->in_block[k++].data);
        else if (!c->in[i].is_absent)
            in[i] = load_constant(c, &c->in[i]);
    }
}

/* Of integers: how far off, where rounding may differ. */
static double tolerance_of(const struct kit_case *c)
{
    switch (c->out.dtype) {
    case BP_DTYPE_F64:
        return c->tolerance * 1e-6;
    case BP_DTYPE_F32:
    case BP_DTYPE_F16:
    case BP_DTYPE_BF16:
        return c->tolerance;
    default:
        return c->tolerance >= 1 ? c->tolerance : 0;
    }
}

static bool is_near(const struct kit_case *c, double got, double want)
{
    if (isnan(want) || isnan(got))
        return isnan(want) && isnan(got);
    if (isinf(want) || isinf(got))
        return want == got;
    if (kit_is_float(c->out.dtype) && c->absolute > 0)
        return fabs(got - want) <= c->absolute + c->tolerance * fabs(want);
    if (!kit_is_float(c->out.dtype))
        return fabs(got - want) <= tolerance_of(c);
    return fabs(got - want) <= tolerance_of(c) * (1 + fabs(want));
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
        if (!is_near(c, got, expected))
            bad = i;
    }
    for (uint32_t i = 0; i < KIT_PORTS; i++)
        free(in[i]);
    free(want);
    kit_alloc_pause(false);
    if (bad < n)
        kit_fail(exec->kit, "%s: element %zu is %.9g, not %.9g", what, bad, got, expected);
    kit_coverage_ran(c);
}
