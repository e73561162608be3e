/* SPDX-License-Identifier: MIT */
/* exec.c - compiles, prepares and executes what graph.c made, between guards and on poisoned memory. */

#include "config.h"

#include <math.h>
#include <stdlib.h>

#include "check/graph.h"

enum { GUARD = 256, GUARD_BYTE = 0xc5, POISON = 0xff /* NaN in every float type */ };

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

/* Numbers of [low, high], the same for the same seed everywhere; with low NaN, odd ones. */
static void fill(const struct kit_case *c, const struct kit_port *port, void *data, unsigned seed)
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

/* ---- compile and frame ----------------------------------------------------------------------- */

bp_rc kit_compile(struct kit *kit, struct kit_exec *exec, bp_instance *instance,
                  const bp_graph *table)
{
    bp_rc rc;

    memset(exec, 0, sizeof *exec);
    exec->kit = kit;
    rc = kit->p.compile(instance, table, 0, &exec->program, kit_err(kit));
    if (rc >= 0 && !exec->program)
        kit_fail(kit, "compile succeeds without a program");
    return rc;
}

static bp_rc no_alloc_output(void *h, uint32_t out, uint32_t rank, const int64_t *dims, bp_err *err)
{
    struct kit_exec *exec = h;

    (void)rank;
    (void)dims;
    exec->kit->host.broken = "alloc_output was called for an output that has a shape";
    return bp_fail(err, BP_E_INVALID, "output %u has a shape", (unsigned)out);
}

static void set_tensor(struct kit_exec *exec, uint32_t slot, const struct kit_port *port,
                       bp_tensor *tensor)
{
    memset(tensor, 0, sizeof *tensor);
    memcpy(exec->dims[slot], port->dims, sizeof exec->dims[slot]);
    tensor->dims = exec->dims[slot];
    tensor->rank = port->rank;
    tensor->dtype = port->dtype;
}

/* The sizes of every value: inputs and constants as in the case, all others like its output. */
static void set_shapes(struct kit_exec *exec, const bp_graph *table, const struct kit_case *c)
{
    for (uint32_t v = 0; v < table->n_values; v++) {
        const struct kit_port *port = &c->out;

        for (uint32_t n = 0; n < table->n_nodes; n++) {
            for (uint32_t i = 0; i < BP_NODE(table, n)->n_in; i++) {
                if (BP_NODE(table, n)->in[i] == v && BP_VALUE(table, v)->producer == BP_NONE)
                    port = &c->in[i];
            }
        }
        memcpy(exec->shape_dims[v], port->dims, sizeof exec->shape_dims[v]);
        exec->shapes[v].dims = exec->shape_dims[v];
        exec->shapes[v].rank = port->rank;
        exec->shapes[v].dtype = port->dtype;
    }
}

bp_rc kit_frame(struct kit_exec *exec, const bp_graph *table, const struct kit_case *c)
{
    struct kit *kit = exec->kit;
    uint32_t n_in = 0;
    bp_rc rc;

    for (uint32_t i = 0; i < c->n_in; i++) {
        if (!c->in[i].constant) {
            set_tensor(exec, n_in, &c->in[i], &exec->in[n_in]);
            n_in++;
        }
    }
    set_tensor(exec, KIT_PORTS, &c->out, &exec->out[0]);
    set_shapes(exec, table, c);
    exec->desc.struct_size = sizeof exec->desc;
    exec->desc.n_in = n_in;
    exec->desc.n_out = 1;
    exec->desc.n_shapes = table->n_values;
    exec->desc.in = exec->in;
    exec->desc.out = exec->out;
    exec->desc.shapes = exec->shapes;
    exec->desc.h = exec;
    exec->desc.alloc_output = no_alloc_output;
    memset(&exec->needs, 0, sizeof exec->needs);
    exec->needs.struct_size = sizeof exec->needs;
    rc = kit->p.frame_create(exec->program, &exec->desc, &exec->needs, &exec->frame, kit_err(kit));
    exec->desc.shapes = NULL; /* valid during frame_create only */
    memset(exec->shape_dims, POISON, sizeof exec->shape_dims);
    if (rc < 0)
        return rc;
    if (!exec->frame)
        kit_fail(kit, "frame_create succeeds without a frame");
    if (exec->needs.scratch_align & (exec->needs.scratch_align - 1))
        kit_fail(kit, "scratch_align is %zu, no power of two", exec->needs.scratch_align);
    exec->run.struct_size = sizeof exec->run;
    return rc;
}

/* ---- memory ---------------------------------------------------------------------------------- */

/* n bytes between guards at a multiple of 64, plus skew bytes. */
static unsigned char *guarded(unsigned char **block, size_t n, size_t align, size_t skew)
{
    size_t total = GUARD + align + skew + n + GUARD;
    unsigned char *p;

    free(*block);
    *block = malloc(total);
    if (!*block)
        abort();
    memset(*block, GUARD_BYTE, total);
    p = *block + GUARD;
    p += (align - (uintptr_t)p % align) % align;
    return p;
}

static void place_one(struct kit_exec *exec, uint32_t slot, const struct kit_port *port,
                      bp_tensor *tensor, unsigned skew)
{
    size_t offset = (size_t)skew * (bp_dtype_width(port->dtype) / 8);

    tensor->base = guarded(&exec->blocks[slot], kit_bytes(port), 64, offset);
    tensor->offset = offset;
    tensor->bytes = kit_bytes(port);
    memset(bp_tensor_data(tensor), POISON, tensor->bytes);
}

void kit_place(struct kit_exec *exec, const struct kit_case *c, unsigned seed, unsigned skew)
{
    size_t align = exec->needs.scratch_align ? exec->needs.scratch_align : 64;
    uint32_t k = 0;

    exec->seed = seed;
    kit_alloc_pause(true);
    for (uint32_t i = 0; i < c->n_in; i++) {
        if (c->in[i].constant)
            continue;
        place_one(exec, k, &c->in[i], &exec->in[k], skew);
        fill(c, &c->in[i], bp_tensor_data(&exec->in[k]), seed + i);
        k++;
    }
    place_one(exec, KIT_PORTS, &c->out, &exec->out[0], skew);
    exec->desc.scratch = NULL;
    if (exec->needs.scratch_bytes > 0) {
        exec->desc.scratch = guarded(&exec->scratch_block, exec->needs.scratch_bytes, align, 0);
        memset(exec->desc.scratch, POISON, exec->needs.scratch_bytes);
    }
    exec->run.io_epoch++;
    kit_alloc_pause(false);
}

bp_rc kit_execute(struct kit_exec *exec)
{
    struct kit *kit = exec->kit;
    bp_rc rc;

    exec->run.run_id++;
    kit->host.in_execute = true;
    rc = kit->p.execute(exec->frame, &exec->run, kit_err(kit));
    kit->host.in_execute = false;
    return rc;
}

/* ---- results --------------------------------------------------------------------------------- */

static bool guards_are_whole(const unsigned char *block, const unsigned char *p, size_t n)
{
    for (const unsigned char *at = block; at < p; at++) {
        if (*at != GUARD_BYTE)
            return false;
    }
    for (size_t i = 0; i < GUARD; i++) {
        if (p[n + i] != GUARD_BYTE)
            return false;
    }
    return true;
}

static void check_guards(struct kit_exec *exec, const char *what)
{
    for (uint32_t i = 0; i < exec->desc.n_in; i++) {
        if (!guards_are_whole(exec->blocks[i], bp_tensor_data(&exec->in[i]), exec->in[i].bytes))
            kit_fail(exec->kit, "%s: it wrote beside input %u", what, (unsigned)i);
    }
    if (!guards_are_whole(exec->blocks[KIT_PORTS], bp_tensor_data(&exec->out[0]),
                          exec->out[0].bytes))
        kit_fail(exec->kit, "%s: it wrote beside its output", what);
    if (exec->desc.scratch &&
        !guards_are_whole(exec->scratch_block, exec->desc.scratch, exec->needs.scratch_bytes))
        kit_fail(exec->kit, "%s: it wrote beside its scratch memory", what);
}

/* Inputs are only read. */
static void check_inputs(struct kit_exec *exec, const struct kit_case *c, const char *what)
{
    uint32_t k = 0;

    for (uint32_t i = 0; i < c->n_in; i++) {
        const bp_tensor *tensor = &exec->in[k];
        void *fed;
        bool is_same;

        if (c->in[i].constant)
            continue;
        fed = malloc(tensor->bytes + 1);
        if (!fed)
            abort();
        fill(c, &c->in[i], fed, exec->seed + i);
        is_same = memcmp(fed, bp_tensor_data(tensor), tensor->bytes) == 0;
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
            in[i] = loaded(&c->in[i], bp_tensor_data(&exec->in[k++]));
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
        got = kit_load(c->out.dtype, bp_tensor_data(&exec->out[0]), i);
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

void kit_exec_finish(struct kit_exec *exec)
{
    if (exec->frame)
        exec->kit->p.frame_free(exec->frame);
    if (exec->program)
        exec->kit->p.program_free(exec->program);
    kit_alloc_pause(true);
    for (size_t i = 0; i < sizeof exec->blocks / sizeof exec->blocks[0]; i++)
        free(exec->blocks[i]);
    free(exec->scratch_block);
    kit_alloc_pause(false);
    memset(exec, 0, sizeof *exec);
}
