/* SPDX-License-Identifier: MIT */
/*
 * check_passes_random.c - random graphs, of float32, float64 and integers, with sizes that are known
 * and that are not, compute the same at every level. Results of float32 may differ by 1e-4 relative
 * to 1 + the result, others not at all. BP_RANDOM_GRAPHS says how many (`make check-passes`: 2,000)
 * and BP_RANDOM_FIRST with which seed they begin; each seed is printed.
 */

#include "config.h"

#include <stdio.h>

#include "optimize/passes_kit.h"
#include "support/random.h"

enum { FEW = 60, MOST_VALUES = 64, BATCH = 3 /* what passes_run() takes for an unknown size */ };

struct value {
    char name[16];
    uint32_t dtype, rank;
    int64_t dims[4];
};

static struct wild {
    uint64_t state;
    struct value values[MOST_VALUES];
    uint32_t n;
    uint32_t n_names;
} g;

/* ---- pieces ---------------------------------------------------------------------------------- */

static uint32_t below(uint32_t n)
{
    return random_below(&g.state, n);
}

/* A name that is not taken yet, in one of some buffers that serve in turn. */
static char *fresh(void)
{
    static char names[32][16];
    char *name = names[g.n_names % 32];

    snprintf(name, sizeof names[0], "v%u", g.n_names++);
    return name;
}

/* Writes a node that reads one or two values, and gives the name of its output. */
static char *node(const char *op, const char *a, const char *b)
{
    char in[48], *out = fresh();

    snprintf(in, sizeof in, "%s%s%s", a, b ? " " : "", b ? b : "");
    kit_node(out, op, in, out);
    return out;
}

static char *node_int(const char *op, const char *in, const char *attr, int64_t number)
{
    char *out = fresh();

    kit_open_node(out, op, in, out);
    kit_int_attr(attr, number);
    pw_close(&kit.w);
    return out;
}

/* A constant in the type of a value: of float32, or cast by a node. */
static char *constant(const struct value *like, const int64_t *dims)
{
    char *name = fresh();

    passes_floats(name, dims, g.state);
    return like->dtype == BP_DTYPE_F32 ? name : node_int("Cast", name, "to", like->dtype);
}

static char *scalar(const struct value *like, float x)
{
    char *name = fresh();

    passes_scalar(name, x);
    return like->dtype == BP_DTYPE_F32 ? name : node_int("Cast", name, "to", like->dtype);
}

static char *ints(uint32_t n, const int64_t *numbers)
{
    char *name = fresh();

    kit_ints(name, PW_DIMS(n), n, numbers);
    return name;
}

static struct value *add(const char *name, const struct value *like)
{
    struct value *value = &g.values[g.n++];

    *value = *like;
    snprintf(value->name, sizeof value->name, "%s", name);
    return value;
}

static bool is_float(const struct value *v)
{
    return v->dtype == BP_DTYPE_F32 || v->dtype == BP_DTYPE_F64;
}

/* ---- steps: each adds one value -------------------------------------------------------------- */

static void plain(const struct value *v)
{
    static const char *const floats[] = {"Relu", "Sigmoid", "Tanh",     "Erf",
                                         "Neg",  "Abs",     "Identity", "Dropout"};
    static const char *const whole[] = {"Neg", "Abs", "Identity"};

    add(node(is_float(v) ? floats[below(8)] : whole[below(3)], v->name, NULL), v);
}

static void with_number(const struct value *v)
{
    static const char *const ops[] = {"Add", "Sub", "Mul", "Div"};
    const char *op = ops[below(is_float(v) ? 4 : 3)];
    int64_t last = v->dims[v->rank - 1];
    const char *other = below(2) ? scalar(v, 0.75f + (float)below(3)) : constant(v, PW_DIMS(last));

    if (op[0] == 'D')
        other = scalar(v, 1.5f);
    add(below(2) && op[0] != 'D' ? node(op, other, v->name) : node(op, v->name, other), v);
}

/* A value of the same type and shape, perhaps the same. */
static void with_another(const struct value *v)
{
    const struct value *other = &g.values[below(g.n)];
    bool fits = other->dtype == v->dtype && other->rank == v->rank;

    for (uint32_t d = 0; fits && d < v->rank; d++)
        fits = other->dims[d] == v->dims[d];
    add(node(is_float(v) && below(2) ? "Mul" : "Add", v->name, fits ? other->name : v->name), v);
}

static void product(const struct value *v)
{
    int64_t last = v->dims[v->rank - 1], wide = 1 + below(5);
    char *out = node("MatMul", v->name, constant(v, PW_DIMS(last, wide)));
    struct value *made;

    if (below(2))
        out = node("Add", out, constant(v, PW_DIMS(wide)));
    made = add(below(2) ? node("Tanh", out, NULL) : out, v);
    made->dims[v->rank - 1] = wide;
}

/* x times its transposed, with a scale. */
static void square(const struct value *v)
{
    int64_t perm[4] = {0, 1, 2, 3}, rows = v->dims[v->rank - 2];
    char *turned = fresh(), *out;
    struct value *made;

    perm[v->rank - 1] = v->rank - 2;
    perm[v->rank - 2] = v->rank - 1;
    kit_open_node(turned, "Transpose", v->name, turned);
    kit_ints_attr("perm", v->rank, perm);
    pw_close(&kit.w);
    out = node("MatMul", v->name, turned);
    made = add(node("Div", out, scalar(v, 4)), v);
    made->dims[v->rank - 1] = rows;
}

static void turn(const struct value *v)
{
    int64_t perm[4] = {0, 1, 2, 3};
    char *out = fresh();
    struct value *made;

    for (uint32_t i = v->rank; i-- > 1;) {
        uint32_t other = below(i + 1);
        int64_t kept = perm[i];

        perm[i] = perm[other];
        perm[other] = kept;
    }
    kit_open_node(out, "Transpose", v->name, out);
    kit_ints_attr("perm", v->rank, perm);
    pw_close(&kit.w);
    made = add(out, v);
    for (uint32_t d = 0; d < v->rank; d++)
        made->dims[d] = v->dims[perm[d]];
}

/* The last axis in two, or the last two in one; the first size as computed from the shape. */
static void reshape(const struct value *v)
{
    const int64_t zero = 0;
    char *at = ints(1, &zero), *first = node("Gather", node("Shape", v->name, NULL), at);
    char *rest, *shape = fresh(), in[48];
    int64_t sizes[3], all = 1;
    struct value made = *v;

    for (uint32_t d = 1; d < v->rank; d++)
        all *= v->dims[d];
    sizes[0] = all % 2 == 0 ? 2 : 1;
    sizes[1] = all / sizes[0];
    rest = ints(2, sizes);
    snprintf(in, sizeof in, "%s %s", first, rest);
    kit_open_node(shape, "Concat", in, shape);
    kit_int_attr("axis", 0);
    pw_close(&kit.w);
    made.rank = 3;
    made.dims[1] = sizes[0];
    made.dims[2] = sizes[1];
    add(node("Reshape", v->name, shape), &made);
}

static char *cut(const struct value *v, const char *in, int64_t axis, int64_t start, int64_t end)
{
    char all[80], *out = fresh(), *from = ints(1, &start), *to = ints(1, &end);

    if (below(2))
        axis -= v->rank;
    snprintf(all, sizeof all, "%s %s %s %s", in, from, to, ints(1, &axis));
    kit_node(out, "Slice", all, out);
    return out;
}

/* v concatenated with itself, or a slice of it, with indices from the start or the end. */
static char *cut_joined(const struct value *v, const char *joined, uint32_t axis,
                        struct value *made)
{
    int64_t size = v->dims[axis], first = below(2) * size, last = first + size;

    if (below(2)) { /* anywhere else */
        first = below((uint32_t)size * 2);
        last = first + 1 + below((uint32_t)(size * 2 - first));
    }
    made->dims[axis] = last - first;
    if (last == size * 2 && below(2))
        last = below(2) ? INT64_MAX : last + 1;
    else if (last < size * 2 && below(2))
        last -= size * 2;
    return cut(v, joined, axis, below(2) ? first : first - size * 2, last);
}

/* v joined with another, and cut or split along that axis; perhaps a part of that is taken, too. */
static void join_and_part(const struct value *v)
{
    uint32_t axis = below(v->rank);
    struct value made = *v;
    char *joined = fresh(), *out, *rest, in[40], outs[40];

    snprintf(in, sizeof in, "%s %s", v->name, node("Neg", v->name, NULL));
    kit_node_int(joined, "Concat", in, joined, "axis", axis);
    if (below(3) == 0) {
        out = fresh();
        rest = fresh();
        snprintf(outs, sizeof outs, "%s %s", out, rest);
        kit_node_int(out, "Split", joined, outs, "axis", axis);
        add(node("Add", out, rest), v);
        return;
    }
    out = cut_joined(v, joined, axis, &made);
    if (made.dims[axis] > 1 && below(3) == 0) {
        out = cut(v, out, axis, below(2) ? 1 : 1 - made.dims[axis], INT64_MAX);
        made.dims[axis]--;
    }
    add(out, &made);
}

static void gelu(const struct value *v)
{
    char *e = node("Erf", node("Div", v->name, scalar(v, 1.41421356f)), NULL);
    char *f = node("Add", e, scalar(v, 1));

    add(node("Mul", node("Mul", v->name, f), scalar(v, 0.5f)), v);
}

static void fast_gelu(const struct value *v)
{
    char *cube = node("Pow", v->name, scalar(v, 3));
    char *sum = node("Add", v->name, node("Mul", cube, scalar(v, 0.044715f)));
    char *tanh = node("Tanh", node("Mul", sum, scalar(v, 0.79788456f)), NULL);
    char *half = node("Mul", v->name, scalar(v, 0.5f));

    add(node("Mul", half, node("Add", tanh, scalar(v, 1))), v);
}

static void silu(const struct value *v)
{
    add(node("Mul", v->name, node("Sigmoid", v->name, NULL)), v);
}

static char *mean(const char *in)
{
    const int64_t last = -1;
    char *out = fresh();

    kit_open_node(out, "ReduceMean", in, out);
    kit_ints_attr("axes", 1, &last);
    pw_close(&kit.w);
    return out;
}

/* LayerNormalization in its parts, or without the mean. */
static void norm(const struct value *v)
{
    int64_t last = v->dims[v->rank - 1];
    bool has_mean = below(2);
    char *d = has_mean ? node("Sub", v->name, mean(v->name)) : node("Abs", v->name, NULL);
    char *q = mean(node("Pow", d, scalar(v, 2)));
    char *root = node("Sqrt", node("Add", q, scalar(v, 0.01f)), NULL);
    char *out = node("Mul", node("Div", d, root), constant(v, PW_DIMS(last)));

    add(has_mean ? node("Add", out, constant(v, PW_DIMS(last))) : out, v);
}

/* One value for each channel of a Conv output, with or without an axis for the batch. */
static char *channels(const struct value *v, bool is_row)
{
    int64_t dims[] = {v->dims[1], is_row ? -1 : 1, v->rank > 3 ? 1 : -1, -1};

    below(2); /* other values each time */
    return constant(v, dims);
}

static char *batch_norm(char *x, const struct value *made)
{
    char *scale = channels(made, true), *shift = channels(made, true);
    char *mean = channels(made, true), *root = channels(made, true);
    char *square = node("Mul", root, root), *variance = node("Add", square, scalar(made, 0.5f));
    char in[96], *out = fresh();

    snprintf(in, sizeof in, "%s %s %s %s %s", x, scale, shift, mean, variance);
    kit_node(out, "BatchNormalization", in, out);
    return out;
}

/* A norm, a scale or a per-channel value after a Conv, or nothing; returns its output. */
static char *behind_conv(char *out, const struct value *made)
{
    switch (below(4)) {
    case 0:
        return node("Mul", out, channels(made, false));
    case 1:
        return node("Add", channels(made, false), out);
    case 2:
        return batch_norm(out, made);
    default:
        return out;
    }
}

/* Conv along the axes after the second, with weights for `maps` output channels. */
static char *convolution(const struct value *v, struct value *made, int64_t maps)
{
    int64_t dims[] = {maps, v->dims[1], -1, -1, -1}, pads[4] = {0};
    uint32_t n = v->rank - 2;
    char in[64], *w, *out;

    for (uint32_t d = 0; d < n; d++) {
        dims[2 + d] = 1 + below(v->dims[2 + d] < 3 ? (uint32_t)v->dims[2 + d] : 3);
        pads[d] = below(2);
        pads[n + d] = below(2);
        made->dims[2 + d] = v->dims[2 + d] + pads[d] + pads[n + d] - dims[2 + d] + 1;
    }
    made->dims[1] = maps;
    w = constant(v, dims);
    if (below(2))
        snprintf(in, sizeof in, "%s %s %s", v->name, w, channels(made, true));
    else
        snprintf(in, sizeof in, "%s %s", v->name, w);
    out = fresh();
    kit_open_node(out, "Conv", in, out);
    kit_ints_attr("pads", 2 * n, pads);
    pw_close(&kit.w);
    return out;
}

/* Weights of one test constant at most, so not of what has many channels. */
static void conv(const struct value *v)
{
    struct value made = *v;
    char *out;

    if (v->rank < 3 || v->dims[1] > 24) {
        plain(v);
        return;
    }
    out = behind_conv(convolution(v, &made, 1 + below(4)), &made);
    add(below(2) ? node("Relu", out, NULL) : out, &made);
}

static void softmax(const struct value *v)
{
    add(node_int("Softmax", v->name, "axis", -1), v);
}

static void widen(const struct value *v)
{
    uint32_t to = v->dtype == BP_DTYPE_F32 ? BP_DTYPE_F64 : BP_DTYPE_F32;

    add(node_int("Cast", v->name, "to", to), v)->dtype = to;
}

static void grow(void)
{
    static void (*const steps[])(const struct value *) = {
        plain,   plain,       with_number, with_another, turn,      reshape, join_and_part,
        product, square,      gelu,        silu,         fast_gelu, norm,    norm,
        softmax, with_number, widen,       conv,         conv,      conv};
    struct value v = g.values[below(3) ? g.n - 1 : below(g.n)]; /* a copy: the list grows */
    uint32_t step = below(sizeof steps / sizeof steps[0]);

    steps[is_float(&v) ? step : step % 7](&v);
}

/* ---- the test -------------------------------------------------------------------------------- */

/* x, and perhaps integers of it: they depend on nothing that may be rounded in another way. */
static void begin(void)
{
    struct value x = {.name = "x", .dtype = BP_DTYPE_F32, .rank = 2 + below(3)};
    bool is_open = below(2);
    char shape[64];
    size_t used;

    x.dims[0] = is_open ? BATCH : 1 + below(4);
    used = (size_t)snprintf(shape, sizeof shape, is_open ? "n" : "%d", (int)x.dims[0]);
    for (uint32_t d = 1; d < x.rank; d++) {
        x.dims[d] = 1 + below(6);
        used += (size_t)snprintf(shape + used, sizeof shape - used, ",%d", (int)x.dims[d]);
    }
    kit_io(KIT_INPUT, "x", BP_DTYPE_F32, shape);
    add("x", &x);
    if (below(3) == 0) {
        uint32_t to = below(2) ? BP_DTYPE_I32 : BP_DTYPE_I64;

        add(node_int("Cast", node("Mul", "x", scalar(&x, 8)), "to", to), &x)->dtype = to;
    }
}

static void output(const struct value *v)
{
    char *name = v->dtype == BP_DTYPE_F32 ? node("Identity", v->name, NULL)
                                          : node_int("Cast", v->name, "to", BP_DTYPE_F32);

    kit_io(KIT_OUTPUT, name, BP_DTYPE_F32, NULL);
}

static void one_graph(uint64_t seed)
{
    uint32_t n;

    g = (struct wild){.state = seed * 977 + 1};
    for (int i = 0; i < 4; i++)
        below(2); /* seeds beside each other begin alike */
    kit_start_model();
    begin();
    n = 3 + below(20);
    for (uint32_t i = 0; i < n; i++)
        grow();
    output(&g.values[g.n - 1]);
    if (g.n > 3 && below(2))
        output(&g.values[g.n - 3]);
    passes_same();
}

static uint64_t from_environment(const char *name, uint64_t otherwise)
{
    const char *text = getenv(name);

    return text ? strtoull(text, NULL, 10) : otherwise;
}

/* What such graphs must come by, else they say little. */
static const char *const met[] = {
    "fold-constants", "drop-no-ops",     "merge-moves",     "write-shapes",     "fuse-gelu",
    "fuse-fast-gelu", "fuse-quick-gelu", "fuse-layer-norm", "fuse-simple-norm", "fuse-product",
    "fold-norm",      "fold-scale",      "fold-bias",       "fuse-conv",        "merge-slices"};

enum { N_MET = sizeof met / sizeof met[0] };

static void count(uint32_t *counts)
{
    for (size_t i = 0; i < N_MET; i++)
        counts[i] += passes_matches(met[i]);
}

START_TEST(random_graphs_compute_the_same_after_every_pass)
{
    uint64_t first = from_environment("BP_RANDOM_FIRST", 0);
    uint64_t n = from_environment("BP_RANDOM_GRAPHS", FEW);
    uint32_t counts[N_MET] = {0};

    for (uint64_t seed = first; seed < first + n; seed++) {
        printf("seed %llu\n", (unsigned long long)seed);
        fflush(stdout); /* it is to be read when the test fails */
        one_graph(seed);
        count(counts);
    }
    for (size_t i = 0; i < N_MET; i++) {
        printf("%s matched %u times\n", met[i], counts[i]);
        ck_assert_msg(counts[i] > 0 || n < FEW, "no graph came by %s", met[i]);
    }
}
END_TEST

int main(void)
{
    TCase *all = tcase_create("all");

    tcase_add_test(all, random_graphs_compute_the_same_after_every_pass);
    tcase_add_checked_fixture(all, kit_setup, kit_teardown);
    tcase_set_timeout(all, 1200);
    return kit_main("passes_random", &all, 1);
}
