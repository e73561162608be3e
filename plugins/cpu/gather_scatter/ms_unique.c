/* SPDX-License-Identifier: MIT */
/*
 * ms_unique.c - Unique (com.microsoft, version 1).
 *
 * Input: 1-D X of n elements. Outputs: the distinct elements in the order of their first
 * occurrence; for each element of X its index among them (int64, n); how often each occurs (int64).
 * Elements are equal when their bytes are, so that 0 and -0 differ. Types: all of 8 bits and more.
 *
 * A hash table with open addressing gives O(n); ONNX's Unique sorts instead (unique.c), because its
 * output is sorted.
 */

#include "kernels/runtime_outputs.h"
#include "kernels/tensor_data.h"

struct state {
    uint32_t dynamic;
    size_t width, slots; /* bytes of an element; size of the hash table, a power of two >= 2n */
};

static bp_rc prepare(struct bp_cpu_call *call, bp_err *err)
{
    const bp_tensor *x = call->in[0];
    size_t n = (size_t)bp_cpu_count(x);
    struct state *s;
    bp_rc rc = bp_cpu_state(call, sizeof *s, err);

    if (rc < 0)
        return rc;
    s = call->state;
    s->dynamic = bp_cpu_runtime_outputs_note(call);
    s->width = bp_cpu_width(x->dtype);
    if (x->rank != 1 || n > SIZE_MAX / 64)
        return bp_cpu_fail(call->node, err, BP_E_SHAPE, "x is not a vector, or too long");
    for (s->slots = 4; s->slots < 2 * n; s->slots *= 2)
        ;
    call->scratch_bytes = (s->slots + 3 * n) * sizeof(int64_t);
    return BP_OK;
}

/* The bytes of element i; those of a string without its header. */
static bp_span bytes_of(const struct state *s, const bp_tensor *x, int64_t i)
{
    const char *data = bp_cpu_data(x);

    if (x->dtype == BP_DTYPE_STRING)
        return ((const bp_span *)bp_cpu_data(x))[i];
    return (bp_span){data + (size_t)i * s->width, s->width};
}

/* FNV-1a over the bytes, then mixed, as the table uses the low bits. */
static size_t hash(bp_span bytes)
{
    const uint8_t *p = bytes.data;
    uint64_t h = UINT64_C(14695981039346656037);

    for (size_t i = 0; i < bytes.size; i++)
        h = (h ^ p[i]) * UINT64_C(1099511628211);
    h ^= h >> 32;
    return (size_t)(h * UINT64_C(0x9e3779b97f4a7c15) >> 20);
}

/*
 * Assigns group[i], the index among the distinct elements, to each element; first[g] is the first
 * element of group g and counts[g] its size. Returns the number of groups.
 */
static int64_t number(const struct bp_cpu_call *call, int64_t *slots, int64_t *group,
                      int64_t *first, int64_t *counts)
{
    const struct state *s = call->state;
    const bp_tensor *x = call->in[0];
    int64_t n = bp_cpu_count(x), groups = 0;

    for (size_t i = 0; i < s->slots; i++)
        slots[i] = -1;
    for (int64_t i = 0; i < n; i++) {
        bp_span own = bytes_of(s, x, i);
        size_t at = hash(own) & (s->slots - 1);

        for (; slots[at] >= 0; at = (at + 1) & (s->slots - 1)) {
            bp_span other = bytes_of(s, x, first[slots[at]]);

            if (own.size == other.size &&
                (own.size == 0 || memcmp(own.data, other.data, own.size) == 0))
                break;
        }
        if (slots[at] < 0) {
            slots[at] = groups;
            counts[groups] = 0;
            first[groups++] = i;
        }
        group[i] = slots[at];
        counts[group[i]]++;
    }
    return groups;
}

static bp_rc run(struct bp_cpu_call *call, bp_err *err)
{
    const struct state *s = call->state;
    const bp_tensor *x = call->in[0];
    int64_t n = bp_cpu_count(x), groups, *slots = call->scratch, *group = slots + s->slots;
    int64_t *first = group + n, *counts = first + n;
    bp_rc rc;

    groups = number(call, slots, group, first, counts);
    rc = bp_cpu_runtime_outputs_give(call, s->dynamic, 0, 1, &groups, err);
    if (rc >= 0)
        rc = bp_cpu_runtime_outputs_give(call, s->dynamic, 1, 1, &n, err);
    if (rc >= 0)
        rc = bp_cpu_runtime_outputs_give(call, s->dynamic, 2, 1, &groups, err);
    if (rc < 0 || n == 0)
        return rc;
    for (int64_t g = 0; g < groups && bp_cpu_out(call, 0); g++)
        memcpy((char *)bp_cpu_data(call->out[0]) + (size_t)g * s->width,
               (const char *)bp_cpu_data(x) + (size_t)first[g] * s->width, s->width);
    if (bp_cpu_out(call, 1))
        memcpy(bp_cpu_data(call->out[1]), group, (size_t)n * sizeof *group);
    if (bp_cpu_out(call, 2))
        memcpy(bp_cpu_data(call->out[2]), counts, (size_t)groups * sizeof *counts);
    return BP_OK;
}

const struct bp_cpu_op bp_cpu_op_ms_unique = {
    .name = "Unique",
    .domain = "com.microsoft",
    .since = 1,
    .flags = BP_CPU_RUNTIME_SHAPE,
    .types = BP_CPU_MOVABLE,
    .prepare = prepare,
    .run = run,
};
