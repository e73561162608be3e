/* SPDX-License-Identifier: MIT */
/*
 * random.c - draws operators, sizes and attributes. A node is written as a line of cases/cases.c and read by
 * parse.c; what ONNX forbids is not drawn. Values stay small and functions are continuous, so that a graph of
 * several nodes amplifies rounding little.
 */

#include "config.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <bp/sdk.h>

#include "check/cases/reference.h"
#include "check/random/random.h"

static uint64_t state;

void kit_random_begin(uint32_t seed)
{
    state = seed;
}

/* SplitMix64 */
uint32_t kit_below(uint32_t n)
{
    uint64_t z = state += 0x9e3779b97f4a7c15u;

    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
    return (uint32_t)((z ^ (z >> 31)) >> 16) % n;
}

int64_t kit_between(int64_t low, int64_t high)
{
    return low + (int64_t)kit_below((uint32_t)(high - low + 1));
}

void kit_random_port(struct kit_port *out)
{
    static const int64_t sizes[] = {1, 2, 3, 4, 5, 7, 8, 9, 13, 16, 17, 20};
    int64_t n = 1;

    memset(out, 0, sizeof *out);
    out->dtype = BP_DTYPE_F32;
    out->rank = 1 + kit_below(KIT_RANK);
    for (uint32_t d = 0; d < out->rank; d++) {
        int64_t size = sizes[kit_below(sizeof sizes / sizeof sizes[0])];

        out->dims[d] = n * size > 6000 ? 1 : size;
        n *= out->dims[d];
    }
}

/* ---- a line that is written ------------------------------------------------------------------ */

enum {
    LINE = 512,
    MOST_ELEMENTS = 20000, /* of an output */
    MOST_PRODUCTS =
        5000000 /* elements in times elements out, where the reference looks at each pair */
};

struct draft {
    const struct kit_port *x; /* the first input */
    char text[LINE];
    size_t n;
    kit_reference reference;
    double tolerance;
    double low, high; /* of the inputs */
};

static void put(struct draft *d, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
static void put(struct draft *d, const char *fmt, ...)
{
    va_list args;

    va_start(args, fmt);
    d->n += (size_t)vsnprintf(d->text + d->n, LINE - d->n, fmt, args);
    va_end(args);
    if (d->n >= LINE)
        abort();
}

/* "[2,3]" */
static void put_list(struct draft *d, const int64_t *list, uint32_t n)
{
    put(d, "[");
    for (uint32_t i = 0; i < n; i++)
        put(d, "%s%lld", i ? "," : "", (long long)list[i]);
    put(d, "]");
}

static void put_ints(struct draft *d, const char *name, const int64_t *list, uint32_t n)
{
    put(d, " %s=", name);
    put_list(d, list, n);
}

static void put_shape(struct draft *d, const char *before, const int64_t *dims, uint32_t rank)
{
    put(d, "%sf32", before);
    put_list(d, dims, rank);
}

/* "Relu-14 f32[2,3]" */
static void begin(struct draft *d, const char *op)
{
    put(d, "%s", op);
    put_shape(d, " ", d->x->dims, d->x->rank);
}

static void arrow(struct draft *d, const int64_t *dims, uint32_t rank)
{
    put_shape(d, " -> ", dims, rank);
}

static void same_out(struct draft *d)
{
    arrow(d, d->x->dims, d->x->rank);
}

static size_t volume(const int64_t *dims, uint32_t rank)
{
    size_t n = 1;

    for (uint32_t i = 0; i < rank; i++)
        n *= (size_t)dims[i];
    return n;
}

/* ---- operators ------------------------------------------------------------------------------- */

static bool unary(struct draft *d)
{
    static const char *const ops[][2] = {
        {"Relu-14", ""},
        {"Abs-13", ""},
        {"Neg-13", ""},
        {"Tanh-13", ""},
        {"Sigmoid-13", ""},
        {"Erf-13", ""},
        {"Atan-7", ""},
        {"Sin-7", ""},
        {"Cos-7", ""},
        {"Softplus-1", ""},
        {"Softsign-1", ""},
        {"Mish-18", ""},
        {"HardSwish-14", ""},
        {"Identity-14", ""},
        {"LeakyRelu-16", " | alpha=0.25"},
        {"Elu-6", " | alpha=1.5"},
        {"Celu-12", " | alpha=0.5"},
        {"HardSigmoid-6", " | alpha=0.3 beta=0.25"},
        {"Gelu-20", " | approximate='none'"},
        {"Gelu-20", " | approximate='tanh'"},
    };
    uint32_t i = kit_below(sizeof ops / sizeof ops[0]);

    begin(d, ops[i][0]);
    same_out(d);
    put(d, "%s", ops[i][1]);
    d->reference = ref_unary;
    return true;
}

/* The second input is broadcast: some of its axes have size 1, some first ones are not there. */
static bool binary(struct draft *d)
{
    static const char *const ops[] = {"Add-14", "Sub-14", "Mul-14", "Max-13", "Min-13"};
    uint32_t first = kit_below(d->x->rank + 1);
    int64_t dims[KIT_RANK];

    for (uint32_t a = first; a < d->x->rank; a++)
        dims[a - first] = kit_below(3) ? d->x->dims[a] : 1;
    begin(d, ops[kit_below(sizeof ops / sizeof ops[0])]);
    put_shape(d, kit_below(2) ? " " : " w:", dims, d->x->rank - first);
    same_out(d);
    d->reference = ref_binary;
    return true;
}

static bool matmul(struct draft *d)
{
    const struct kit_port *x = d->x;
    int64_t w[KIT_RANK], out[KIT_RANK], columns = kit_between(1, 20);
    bool is_stack = kit_below(3) == 0;

    if (x->rank < 2)
        return false;
    memcpy(w, x->dims, sizeof w);
    memcpy(out, x->dims, sizeof out);
    w[x->rank - 2] = x->dims[x->rank - 1];
    w[x->rank - 1] = out[x->rank - 1] = columns;
    begin(d, "MatMul-13");
    put_shape(d, " w:", is_stack ? w : w + x->rank - 2, is_stack ? x->rank : 2);
    put(d, "(-0.5,0.5)");
    arrow(d, out, x->rank);
    d->reference = ref_matmul;
    return true;
}

static bool gemm(struct draft *d)
{
    const struct kit_port *x = d->x;
    bool trans_a = kit_below(2), trans_b = kit_below(2);
    int64_t rows, inner, columns = kit_between(1, 20), bias;

    if (x->rank != 2)
        return false;
    rows = x->dims[trans_a];
    inner = x->dims[!trans_a];
    bias = kit_below(2) ? columns : 1;
    begin(d, "Gemm-13");
    put_shape(d, " w:", trans_b ? (int64_t[]){columns, inner} : (int64_t[]){inner, columns}, 2);
    put(d, "(-0.5,0.5)");
    put_shape(d, " w:", &bias, 1);
    arrow(d, (int64_t[]){rows, columns}, 2);
    put(d, " | alpha=%s beta=%s transA=%d transB=%d", kit_below(2) ? "1.0" : "0.5",
        kit_below(2) ? "1.0" : "2.0", trans_a, trans_b);
    d->reference = ref_gemm;
    return true;
}

/* A window on the spatial axes of x. */
struct window {
    int64_t kernel[KIT_RANK], strides[KIT_RANK], dilations[KIT_RANK], pads[2 * KIT_RANK];
    int64_t out[KIT_RANK]; /* sizes after it; the first two are x's */
    uint32_t rank;         /* spatial axes */
};

/*
 * False: x is too small for it. is_pool: pads are smaller than the kernel, so that each window touches the
 * data.
 */
static bool draw_window(const struct kit_port *x, bool is_pool, bool has_dilations,
                        struct window *w)
{
    if (x->rank < 3)
        return false;
    w->rank = x->rank - 2;
    memcpy(w->out, x->dims, sizeof w->out);
    for (uint32_t a = 0; a < w->rank; a++) {
        int64_t most, span, size;

        w->kernel[a] = kit_between(1, 3);
        w->strides[a] = kit_between(1, 2);
        w->dilations[a] = has_dilations ? kit_between(1, 2) : 1;
        most = !is_pool ? 2 : w->dilations[a] == 1 ? w->kernel[a] - 1 : 0;
        w->pads[a] = kit_between(0, most);
        w->pads[a + w->rank] = kit_between(0, most);
        span = (w->kernel[a] - 1) * w->dilations[a] + 1;
        size = x->dims[a + 2] + w->pads[a] + w->pads[a + w->rank];
        if (size < span)
            return false;
        w->out[a + 2] = (size - span) / w->strides[a] + 1;
    }
    return true;
}

static void put_window(struct draft *d, const struct window *w, bool has_dilations)
{
    put(d, " |");
    put_ints(d, "kernel_shape", w->kernel, w->rank);
    put_ints(d, "strides", w->strides, w->rank);
    if (has_dilations)
        put_ints(d, "dilations", w->dilations, w->rank);
    put_ints(d, "pads", w->pads, 2 * w->rank);
    put(d, " auto_pad='NOTSET'");
}

static bool conv(struct draft *d)
{
    const struct kit_port *x = d->x;
    int64_t groups, weights[KIT_RANK], bias;
    struct window w;

    if (!draw_window(x, false, true, &w))
        return false;
    groups = kit_below(2) ? 1 : x->dims[1] % 2 == 0 && kit_below(2) ? 2 : x->dims[1];
    bias = w.out[1] = groups * kit_between(1, 4);
    weights[0] = w.out[1];
    weights[1] = x->dims[1] / groups;
    memcpy(weights + 2, w.kernel, w.rank * sizeof(int64_t));
    begin(d, "Conv-11");
    put_shape(d, " w:", weights, x->rank);
    put(d, "(-0.5,0.5)");
    if (kit_below(3))
        put_shape(d, " w:", &bias, 1);
    arrow(d, w.out, x->rank);
    put_window(d, &w, true);
    put(d, " group=%lld", (long long)groups);
    d->reference = ref_conv;
    return true;
}

/* AveragePool has no dilations before opset 19. */
static bool pool(struct draft *d)
{
    bool is_max = kit_below(2);
    struct window w;

    if (!draw_window(d->x, true, is_max, &w))
        return false;
    begin(d, is_max ? "MaxPool-12" : "AveragePool-11");
    arrow(d, w.out, d->x->rank);
    put_window(d, &w, is_max);
    if (is_max)
        put(d, " ceil_mode=0 storage_order=0");
    else
        put(d, " ceil_mode=0 count_include_pad=%u", kit_below(2));
    d->reference = ref_pool;
    return true;
}

static bool global_pool(struct draft *d)
{
    int64_t out[KIT_RANK] = {d->x->dims[0], d->x->dims[1], 1, 1, 1};

    if (d->x->rank < 3)
        return false;
    begin(d, kit_below(2) ? "GlobalAveragePool-1" : "GlobalMaxPool-1");
    arrow(d, out, d->x->rank);
    d->reference = ref_global_pool;
    return true;
}

static bool softmax(struct draft *d)
{
    begin(d, kit_below(2) ? "Softmax-13" : "LogSoftmax-13");
    same_out(d);
    put(d, " | axis=%d", (int)kit_below(d->x->rank) - (kit_below(2) ? (int)d->x->rank : 0));
    d->reference = ref_softmax;
    return true;
}

/* Some axes, in order. */
static bool reduce(struct draft *d)
{
    static const char *const ops[] = {"ReduceMean-18", "ReduceMax-18", "ReduceMin-18",
                                      "ReduceSum-13", "ReduceL1-18"};
    int64_t axes[KIT_RANK], out[KIT_RANK];
    uint32_t n = 0, rank = 0;
    bool keeps = kit_below(2);

    for (uint32_t a = 0; a < d->x->rank; a++) {
        bool is_reduced = kit_below(2);

        if (is_reduced)
            axes[n++] = a;
        if (!is_reduced || keeps)
            out[rank++] = is_reduced ? 1 : d->x->dims[a];
    }
    if (n == 0 || rank == 0 || kit_count(d->x) > MOST_PRODUCTS / volume(out, rank))
        return false;
    begin(d, ops[kit_below(sizeof ops / sizeof ops[0])]);
    put(d, " c:i64[%u]={", (unsigned)n);
    for (uint32_t i = 0; i < n; i++)
        put(d, "%s%lld", i ? "," : "", (long long)axes[i]);
    put(d, "}");
    arrow(d, out, rank);
    put(d, " | keepdims=%d noop_with_empty_axes=0", keeps);
    d->reference = ref_reduce;
    return true;
}

static bool transpose(struct draft *d)
{
    int64_t perm[KIT_RANK], out[KIT_RANK];

    for (uint32_t a = 0; a < d->x->rank; a++) {
        uint32_t other = kit_below(a + 1);

        perm[a] = perm[other];
        perm[other] = a;
    }
    for (uint32_t a = 0; a < d->x->rank; a++)
        out[a] = d->x->dims[perm[a]];
    begin(d, "Transpose-13");
    arrow(d, out, d->x->rank);
    put(d, " |");
    put_ints(d, "perm", perm, d->x->rank);
    d->reference = ref_transpose;
    return true;
}

static bool concat(struct draft *d)
{
    uint32_t axis = kit_below(d->x->rank);
    int64_t other[KIT_RANK], out[KIT_RANK];

    memcpy(other, d->x->dims, sizeof other);
    memcpy(out, d->x->dims, sizeof out);
    other[axis] = kit_between(1, 5);
    out[axis] += other[axis];
    begin(d, "Concat-13");
    put_shape(d, kit_below(2) ? " " : " w:", other, d->x->rank);
    arrow(d, out, d->x->rank);
    put(d, " | axis=%d", (int)axis - (kit_below(2) ? (int)d->x->rank : 0));
    d->reference = ref_concat;
    return true;
}

/* One axis, forwards or backwards. */
static bool slice(struct draft *d)
{
    uint32_t axis = kit_below(d->x->rank);
    int64_t size = d->x->dims[axis], out[KIT_RANK], step = kit_between(1, 3);
    int64_t start = kit_between(0, size - 1), end = kit_between(start + 1, size + 2);
    int64_t last = end < size ? end : size;

    memcpy(out, d->x->dims, sizeof out);
    out[axis] = (last - start + step - 1) / step;
    if (kit_below(3) == 0) { /* all of it, the last one first */
        start = size - 1;
        end = -100000;
        step = -step;
        out[axis] = (size - step - 1) / -step;
    }
    begin(d, "Slice-13");
    put(d, " c:i64[1]={%lld} c:i64[1]={%lld} c:i64[1]={%d} c:i64[1]={%lld}", (long long)start,
        (long long)end, (int)axis, (long long)step);
    arrow(d, out, d->x->rank);
    d->reference = ref_slice;
    return true;
}

static bool pad(struct draft *d)
{
    int64_t pads[2 * KIT_RANK] = {0}, out[KIT_RANK] = {0};
    uint32_t rank = d->x->rank;

    for (uint32_t a = 0; a < rank; a++) {
        pads[a] = kit_between(0, 2);
        pads[a + rank] = kit_between(0, 2);
        out[a] = d->x->dims[a] + pads[a] + pads[a + rank];
    }
    begin(d, "Pad-13");
    put(d, " c:i64[%u]={", (unsigned)(2 * rank));
    for (uint32_t i = 0; i < 2 * rank; i++)
        put(d, "%s%lld", i ? "," : "", (long long)pads[i]);
    put(d, "}");
    arrow(d, out, rank);
    put(d, " | mode='%s'", kit_below(2) ? "constant" : "edge");
    d->reference = ref_pad;
    return true;
}

static bool batch_norm(struct draft *d)
{
    if (d->x->rank < 2)
        return false;
    begin(d, "BatchNormalization-15");
    for (int i = 0; i < 4; i++)
        put(d, " w:f32[%lld]%s", (long long)d->x->dims[1], i == 3 ? "(0.5,2)" : "");
    same_out(d);
    put(d, " | epsilon=0.%s1 momentum=0.9 training_mode=0", kit_below(2) ? "000" : "0");
    d->reference = ref_batch_norm;
    return true;
}

static bool layer_norm(struct draft *d)
{
    uint32_t axis = kit_below(d->x->rank);

    if (volume(d->x->dims + axis, d->x->rank - axis) < 2)
        return false;
    begin(d, "LayerNormalization-17");
    put_shape(d, " w:", d->x->dims + axis, d->x->rank - axis);
    if (kit_below(2))
        put_shape(d, " w:", d->x->dims + axis, d->x->rank - axis);
    same_out(d);
    put(d, " | axis=%d epsilon=0.01 stash_type=1", (int)axis);
    d->reference = ref_layer_norm;
    return true;
}

static bool instance_norm(struct draft *d)
{
    if (d->x->rank < 3)
        return false;
    begin(d, "InstanceNormalization-6");
    put(d, " w:f32[%lld] w:f32[%lld]", (long long)d->x->dims[1], (long long)d->x->dims[1]);
    same_out(d);
    put(d, " | epsilon=0.01");
    d->reference = ref_instance_norm;
    return true;
}

static bool clip(struct draft *d)
{
    begin(d, "Clip-13");
    put(d, " w:f32[]={-0.%u} w:f32[]={0.%u}", kit_below(9) + 1, kit_below(9) + 1);
    same_out(d);
    d->reference = ref_clip;
    return true;
}

static bool prelu(struct draft *d)
{
    int64_t slopes[KIT_RANK] = {1, 1, 1, 1, 1};
    uint32_t first = d->x->rank > 1 ? 1 : 0;

    slopes[0] = d->x->dims[first];
    begin(d, "PRelu-16");
    put_shape(d, " w:", slopes, d->x->rank - first);
    same_out(d);
    d->reference = ref_prelu;
    return true;
}

static bool reshape(struct draft *d)
{
    int64_t out[2] = {d->x->dims[0], (int64_t)volume(d->x->dims + 1, d->x->rank - 1)};

    if (kit_below(2)) {
        begin(d, "Flatten-13");
        arrow(d, out, 2);
        put(d, " | axis=1");
    } else {
        begin(d, "Reshape-14");
        put(d, " c:i64[2]={%lld,-1}", (long long)out[0]);
        arrow(d, out, 2);
        put(d, " | allowzero=0");
    }
    d->reference = ref_same;
    return true;
}

static bool resize(struct draft *d)
{
    static const char *const modes[] = {"nearest", "linear"};
    static const char *const coordinates[] = {"half_pixel", "asymmetric", "align_corners"};
    int64_t out[KIT_RANK] = {d->x->dims[0], d->x->dims[1], 0, 0};
    uint32_t mode = kit_below(2);

    if (d->x->rank != 4)
        return false;
    for (uint32_t a = 2; a < 4; a++)
        out[a] = d->x->dims[a] * kit_between(1, 2); /* sizes that all agree about the nearest */
    begin(d, "Resize-13");
    put(d, " - - c:i64[4]={%lld,%lld,%lld,%lld}", (long long)out[0], (long long)out[1],
        (long long)out[2], (long long)out[3]);
    arrow(d, out, 4);
    put(d,
        " | mode='%s' coordinate_transformation_mode='%s' nearest_mode='floor' cubic_coeff_a=-0.75 "
        "exclude_outside=0 extrapolation_value=0.0",
        modes[mode], mode ? coordinates[kit_below(3)] : "asymmetric");
    d->reference = ref_resize;
    return true;
}

static bool expand(struct draft *d)
{
    int64_t out[KIT_RANK], extra = kit_between(1, 3);

    if (d->x->rank == KIT_RANK || kit_count(d->x) > 3000)
        return false;
    out[0] = extra;
    memcpy(out + 1, d->x->dims, d->x->rank * sizeof(int64_t));
    begin(d, "Expand-13");
    put(d, " c:i64[%u]={", (unsigned)(d->x->rank + 1));
    for (uint32_t a = 0; a <= d->x->rank; a++)
        put(d, "%s%lld", a ? "," : "", (long long)out[a]);
    put(d, "}");
    arrow(d, out, d->x->rank + 1);
    d->reference = ref_expand;
    return true;
}

static bool gather(struct draft *d)
{
    uint32_t axis = kit_below(d->x->rank);
    int64_t size = d->x->dims[axis], out[KIT_RANK];

    memcpy(out, d->x->dims, sizeof out);
    out[axis] = 3;
    begin(d, "Gather-13");
    put(d, " c:i64[3]={%lld,%lld,%lld}", (long long)kit_between(0, size - 1),
        (long long)kit_between(-size, size - 1), (long long)kit_between(0, size - 1));
    arrow(d, out, d->x->rank);
    put(d, " | axis=%d", (int)axis);
    d->reference = ref_gather;
    return true;
}

bool kit_random_node(const struct kit_port *x, struct kit_case *out)
{
    /* drawn as often as they stand here */
    static bool (*const all[])(struct draft *) = {
        unary,      unary,         unary,   binary, binary,    matmul, gemm,   conv,   conv,
        pool,       global_pool,   softmax, reduce, transpose, concat, slice,  pad,    batch_norm,
        layer_norm, instance_norm, clip,    prelu,  reshape,   resize, expand, gather,
    };
    struct draft d = {.x = x, .tolerance = 4e-5, .low = -2, .high = 2};
    struct kit_row row;

    if (x->rank == 0 || kit_count(x) == 0 || !all[kit_below(sizeof all / sizeof all[0])](&d))
        return false;
    row = (struct kit_row){strdup(d.text), d.reference, d.tolerance, d.low, d.high};
    if (!row.text)
        abort();
    kit_case_parse(&row, out);
    if (kit_count(&out->out) > MOST_ELEMENTS)
        return false;
    for (uint32_t i = 0; i < out->n_in; i++)
        out->in[i].seed = kit_below(1 << 20);
    if (out->has_weights && kit_below(2))
        *out = kit_case_with_constants(out, kit_below(1 << 20));
    return true;
}
