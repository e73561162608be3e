/* SPDX-License-Identifier: MIT */
/* weights.c - constants in oneDNN's layouts, one copy a process through the host's service. */

#include "quant.h"

#include <inttypes.h>

struct bp_dnnl_weight {
    struct bp_dnnl_weight *next;
    const void *bytes;
};

/* A constant on its way into another layout. */
struct packing {
    const struct bp_dnnl_build *b;
    uint32_t value;
    const struct bp_dnnl_rows *rows; /* bytes that are dequantised on the way; NULL: as they are */
    const char *name;
    bp_span bytes;
    const dnnl_memory_desc_t *seen, *want;
};

/* FNV-1a from a start of its own, so that two of them are 128 bits. */
static uint64_t hash(uint64_t h, const void *bytes, size_t n)
{
    const unsigned char *p = bytes;

    for (size_t i = 0; i < n; i++)
        h = (h ^ p[i]) * UINT64_C(0x100000001b3);
    return h;
}

/* Goes on with all that the packing does to the bytes. */
static uint64_t hash_packing(uint64_t h, const struct packing *p)
{
    h = hash(hash(h, p->seen, sizeof *p->seen), p->want, sizeof *p->want);
    if (!p->rows)
        return h;
    h = hash(h, p->rows->quant.scales, p->rows->quant.n * sizeof *p->rows->quant.scales);
    h = hash(h, p->rows->quant.zeros, p->rows->quant.n * sizeof *p->rows->quant.zeros);
    return hash(h, &p->rows->width, sizeof p->rows->width);
}

static void make_key(const struct packing *p, char *key, size_t cap)
{
    snprintf(key, cap, "%" PRIx64 ":%016" PRIx64 "%016" PRIx64,
             BP_VALUE(p->b->graph, p->value)->const_id,
             hash_packing(UINT64_C(0xcbf29ce484222325), p),
             hash_packing(UINT64_C(0x9e3779b97f4a7c15), p));
}

/* One reorder, here and now. */
static dnnl_status_t reorder_now(const struct packing *p, const void *from, void *to)
{
    dnnl_engine_t engine = bp_dnnl.engine;
    dnnl_memory_t memories[2] = {NULL, NULL};
    dnnl_primitive_desc_t pd = NULL;
    dnnl_primitive_t primitive = NULL;
    dnnl_status_t status =
        bp_dnnl.reorder_primitive_desc_create(&pd, p->seen, engine, p->want, engine, NULL);

    if (status == dnnl_success)
        status = bp_dnnl.primitive_create(&primitive, pd);
    if (status == dnnl_success)
        status = bp_dnnl.memory_create(&memories[0], p->seen, engine, (void *)(uintptr_t)from);
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

/* oneDNN's loops want floats at multiples of 4, as any C does. */
static bp_rc pack(void *u, void *dst, size_t n, bp_err *err)
{
    const struct packing *p = u;
    const bp_host *host = p->b->host;
    const void *from = p->bytes.data;
    size_t size = bp_dnnl.memory_desc_get_size(p->seen);
    void *copy = NULL;
    dnnl_status_t status;

    (void)n;
    if (p->rows || (uintptr_t)from % sizeof(float) != 0) {
        copy = host->alloc(host->h, size, 64);
        if (!copy)
            return bp_fail(err, BP_E_NOMEM, "dnnl: no memory for a copy of '%s'", p->name);
        if (p->rows)
            bp_dnnl_dequantize(p->rows, from, copy, size / sizeof(float));
        else
            memcpy(copy, from, size);
        from = copy;
    }
    status = reorder_now(p, from, dst);
    if (copy)
        host->free(host->h, copy, size, 64);
    if (status != dnnl_success)
        return bp_dnnl_fail(err, status, "a new layout of '%s'", p->name);
    if (p->b->instance->constants.done)
        p->b->instance->constants.done(host->h, p->b->graph, p->value);
    return BP_OK;
}

bp_rc bp_dnnl_constant(struct bp_dnnl_build *b, uint32_t value, const dnnl_memory_desc_t *seen,
                       const dnnl_memory_desc_t *want, const void **out, bp_err *err)
{
    const struct bp_dnnl_rows *rows = b->values[value].rows;
    const bp_value *v = BP_VALUE(b->graph, rows ? rows->from : value);
    struct packing p = {.b = b,
                        .value = rows ? rows->from : value,
                        .rows = rows,
                        .name = v->name,
                        .seen = seen,
                        .want = want};
    size_t bytes = bp_dnnl.memory_desc_get_size(want);
    struct bp_dnnl_weight *weight;
    char key[64];
    bp_rc rc;

    rc = b->host->constant(b->host->h, b->graph, p.value, &p.bytes, err);
    if (rc < 0)
        return rc;
    if (p.bytes.size < bp_dnnl.memory_desc_get_size(seen) / (rows ? sizeof(float) : 1)) {
        return bp_fail(err, BP_E_INVALID,
                       "constant '%s' has %zu bytes, which is not what its shape says", v->name,
                       p.bytes.size);
    }
    if (!rows && bp_dnnl_same(seen, want) && (uintptr_t)p.bytes.data % sizeof(float) == 0) {
        *out = p.bytes.data;
        return BP_OK;
    }
    weight = bp_dnnl_memory_get(b->memory, 1, sizeof *weight);
    if (!weight)
        return bp_fail(err, BP_E_NOMEM, "dnnl: no memory for '%s'", v->name);
    make_key(&p, key, sizeof key);
    rc = b->host->weight_get(b->host->h, key, bytes, 64, pack, &p, &weight->bytes, err);
    if (rc < 0)
        return rc;
    weight->next = b->frame->weights;
    b->frame->weights = weight;
    *out = weight->bytes;
    return BP_OK;
}

void bp_dnnl_weights_put(bp_frame *frame)
{
    const bp_host *host = &frame->program->instance->host;

    for (struct bp_dnnl_weight *weight = frame->weights; weight; weight = weight->next)
        host->weight_put(host->h, weight->bytes);
    frame->weights = NULL;
}
