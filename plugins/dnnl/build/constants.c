/* SPDX-License-Identifier: MIT */
/*
 * constants.c - constants in oneDNN's layouts, one copy a process through the host's weight
 * service.
 */

#include "build/constants.h"

#include "base/hash.h"
#include "base/instance.h"
#include "base/library.h"
#include "base/program.h"
#include "build/builder.h"
#include "build/frame.h"
#include "build/layout.h"
#include "kernels/quantize.h"

#include <common/float16.h>

#include <inttypes.h>

struct bp_dnnl_weight {
    struct bp_dnnl_weight *next;
    const void *bytes;
};

/* A constant that is brought into another layout; lasts as long as the call that packs it. */
struct packing {
    const struct bp_dnnl_builder *b;
    uint32_t value;
    const char *name;
    bp_span bytes;
    bool is_half;                            /* float16, to be widened first */
    const struct bp_dnnl_rearrangement *how; /* NULL: as it lies */
    const dnnl_memory_desc_t *stored, *want;
};

/*
 * The name of the copy for the host: the constant's id, which is one for equal bytes, and 128 bits
 * of hash of what is done to them: the layouts, the rearrangement and what that depends on.
 */
static void make_key(const bp_value *value, const struct packing *p, char *key, size_t cap)
{
    const char *name = p->how ? p->how->name : "";
    uint64_t known = p->how ? p->how->hash : 0;
    uint64_t a = bp_dnnl_hash(BP_DNNL_HASH_START, p->stored, sizeof *p->stored);
    uint64_t b = bp_dnnl_hash(UINT64_C(0x9e3779b97f4a7c15), p->stored, sizeof *p->stored);

    a = bp_dnnl_hash(bp_dnnl_hash(a, name, strlen(name)), &known, sizeof known);
    b = bp_dnnl_hash(bp_dnnl_hash(b, name, strlen(name)), &known, sizeof known);
    snprintf(key, cap, "%" PRIx64 ":%016" PRIx64 "%016" PRIx64, value->const_id,
             bp_dnnl_hash(a, p->want, sizeof *p->want), bp_dnnl_hash(b, p->want, sizeof *p->want));
}

/* One reorder, run at once on the frame's stream, with the thread team held. */
static dnnl_status_t reorder_now(const struct packing *p, const void *from, void *to)
{
    dnnl_engine_t engine = bp_dnnl.engine;
    dnnl_memory_t memories[2] = {NULL, NULL};
    dnnl_primitive_desc_t pd = NULL;
    dnnl_primitive_t primitive = NULL;
    dnnl_status_t status =
        bp_dnnl.reorder_primitive_desc_create(&pd, p->stored, engine, p->want, engine, NULL);

    if (status == dnnl_success)
        status = bp_dnnl.primitive_create(&primitive, pd);
    if (status == dnnl_success)
        status = bp_dnnl.memory_create(&memories[0], p->stored, engine, (void *)(uintptr_t)from);
    if (status == dnnl_success)
        status = bp_dnnl.memory_create(&memories[1], p->want, engine, to);
    if (status == dnnl_success) {
        dnnl_exec_arg_t args[2] = {{DNNL_ARG_FROM, memories[0]}, {DNNL_ARG_TO, memories[1]}};

        status = bp_dnnl.primitive_execute(primitive, p->b->frame->stream, 2, args);
    }
    for (int i = 0; i < 2; i++) {
        if (memories[i])
            bp_dnnl.memory_destroy(memories[i]);
    }
    if (primitive)
        bp_dnnl.primitive_destroy(primitive);
    if (pd)
        bp_dnnl.primitive_desc_destroy(pd);
    return status;
}

/* The elements as `stored` says, in memory of their own. */
static void fill(const struct packing *p, void *out)
{
    if (p->how)
        p->how->fill(p->how, p->bytes.data, out);
    else
        memcpy(out, p->bytes.data, p->bytes.size);
}

/*
 * Packs float32 or bytes. A constant whose address is not a multiple of 4 is copied first: oneDNN's
 * kernels want floats aligned, as any C does.
 */
static bp_rc pack_elements(const struct packing *p, void *dst, bp_err *err)
{
    const bp_host *host = p->b->host;
    size_t bytes = p->how ? bp_dnnl.memory_desc_get_size(p->stored) : p->bytes.size;
    const void *from = p->bytes.data;
    void *copy = NULL;
    dnnl_status_t status;

    if (p->how || (uintptr_t)from % sizeof(float) != 0) {
        copy = host->alloc(host->h, bytes, 64);
        if (!copy)
            return bp_fail(err, BP_E_NOMEM, "dnnl: no memory for a copy of '%s'", p->name);
        fill(p, copy);
        from = copy;
    }
    status = reorder_now(p, from, dst);
    if (copy)
        host->free(host->h, copy, bytes, 64);
    if (status != dnnl_success)
        return bp_dnnl_fail(err, status, "a reorder of '%s'", p->name);
    if (p->b->instance->constants.done)
        p->b->instance->constants.done(host->h, p->b->graph, p->value);
    return BP_OK;
}

/* n elements of float16 at any address. */
static void to_float(const void *from, float *to, size_t n)
{
    const char *bytes = from;

    for (size_t i = 0; i < n; i++) {
        uint16_t half; /* it may lie at an odd address */

        memcpy(&half, bytes + i * sizeof half, sizeof half);
        to[i] = bp_f16_load(half);
    }
}

/*
 * The host calls it if no session has the copy yet. float16 is converted before all else, so that
 * rearrangements see float32 only.
 */
static bp_rc pack(void *u, void *dst, size_t n, bp_err *err)
{
    const struct packing *p = u;
    const bp_host *host = p->b->host;
    size_t elements = p->bytes.size / sizeof(uint16_t), bytes = elements * sizeof(float);
    struct packing widened = *p;
    float *floats;
    bp_rc rc;

    (void)n;
    if (!p->is_half)
        return pack_elements(p, dst, err);
    floats = host->alloc(host->h, bytes, 64);
    if (!floats)
        return bp_fail(err, BP_E_NOMEM, "dnnl: no memory to widen '%s'", p->name);
    to_float(p->bytes.data, floats, elements);
    widened.bytes = (bp_span){.data = floats, .size = bytes};
    rc = pack_elements(&widened, dst, err);
    host->free(host->h, floats, bytes, 64);
    return rc;
}

/* ---- bytes that a node dequantises ----------------------------------------------------------- */

/* A rearrangement that makes float32 of constant bytes. */
static void fill_dequantized(const struct bp_dnnl_rearrangement *how, const char *in, float *out)
{
    bp_dnnl_dequantize(how->u, in, out, how->from_bytes);
}

/* Copies of the same bytes with other scales must not share a name. */
static uint64_t hash_rows(const struct bp_dnnl_quant_rows *rows)
{
    const struct bp_dnnl_quant *quant = &rows->quant;
    uint64_t h = BP_DNNL_HASH_START;

    h = bp_dnnl_hash(h, quant->scales, quant->n * sizeof *quant->scales);
    h = bp_dnnl_hash(h, quant->zeros, quant->n * sizeof *quant->zeros);
    h = bp_dnnl_hash(h, &rows->width, sizeof rows->width);
    return bp_dnnl_hash(h, &rows->type, sizeof rows->type);
}

/* ---- one copy for all ------------------------------------------------------------------------ */

/* Weights that a DequantizeLinear makes of constant bytes are dequantised while they are packed. */
bp_rc bp_dnnl_constant(struct bp_dnnl_builder *b, uint32_t value, const dnnl_memory_desc_t *stored,
                       const dnnl_memory_desc_t *want, const void **out, bp_err *err)
{
    const struct bp_dnnl_quant_rows *rows = b->values[value].quantized;
    struct bp_dnnl_rearrangement how;

    if (!rows)
        return bp_dnnl_rearranged_constant(b, value, NULL, stored, want, out, err);
    how = (struct bp_dnnl_rearrangement){.name = "dequantised",
                                         .from_bytes =
                                             bp_dnnl.memory_desc_get_size(stored) / sizeof(float),
                                         .fill = fill_dequantized,
                                         .u = rows,
                                         .hash = hash_rows(rows)};
    return bp_dnnl_rearranged_constant(b, rows->from, &how, stored, want, out, err);
}

/*
 * Bytes in the wanted layout are used where they lie, in the model's file. All others are a copy of
 * the host's, counted by frames.
 */
bp_rc bp_dnnl_rearranged_constant(struct bp_dnnl_builder *b, uint32_t value,
                                  const struct bp_dnnl_rearrangement *how,
                                  const dnnl_memory_desc_t *stored, const dnnl_memory_desc_t *want,
                                  const void **out, bp_err *err)
{
    const bp_value *v = BP_VALUE(b->graph, value);
    struct packing p = {.b = b,
                        .value = value,
                        .name = v->name,
                        .is_half = v->dtype == BP_DTYPE_F16,
                        .how = how,
                        .stored = stored,
                        .want = want};
    size_t bytes = bp_dnnl.memory_desc_get_size(want);
    struct bp_dnnl_weight *weight;
    char key[64];
    bp_rc rc;

    rc = b->host->constant(b->host->h, b->graph, p.value, &p.bytes, err);
    if (rc < 0)
        return rc;
    if (p.bytes.size * (p.is_half ? 2 : 1) <
        (how ? how->from_bytes : bp_dnnl.memory_desc_get_size(stored))) {
        return bp_fail(err, BP_E_INVALID,
                       "constant '%s' has %zu bytes, which does not match its shape", v->name,
                       p.bytes.size);
    }
    if (!how && !p.is_half && bp_dnnl_same_layout(stored, want) &&
        (uintptr_t)p.bytes.data % sizeof(float) == 0) {
        *out = p.bytes.data;
        return BP_OK;
    }
    weight = bp_blocks_array(b->memory, 1, sizeof *weight);
    if (!weight)
        return bp_fail(err, BP_E_NOMEM, "dnnl: no memory for '%s'", v->name);
    make_key(v, &p, key, sizeof key);
    rc = b->host->weight_get(b->host->h, key, bytes, 64, pack, &p, &weight->bytes, err);
    if (rc < 0)
        return rc;
    weight->next = b->frame->weights;
    b->frame->weights = weight;
    *out = weight->bytes;
    return BP_OK;
}

void bp_dnnl_constants_release(bp_frame *frame)
{
    const bp_host *host = &frame->program->instance->host;

    for (struct bp_dnnl_weight *weight = frame->weights; weight; weight = weight->next)
        host->weight_put(host->h, weight->bytes);
    frame->weights = NULL;
}
