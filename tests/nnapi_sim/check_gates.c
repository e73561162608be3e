/* SPDX-License-Identifier: MIT */
/*
 * check_gates.c - from which feature level on the provider nnapi takes an operator (nnapi.md's table),
 * what it says below, and that the result is the CPU's; and the other conditions of operators.
 */

#include "config.h"

#include <math.h>
#include <stdlib.h>

#include "nnapi_kit.h"

/* rows leave out what a node does not have */
#pragma GCC diagnostic ignored "-Wmissing-field-initializers"

enum { MOST_TENSORS = 5, MOST_ATTRS = 5, MOST_DIMS = 8 };

struct tensor {
    const char *name, *dims; /* "2,3" */
    int is_constant;
    const char *ints; /* "1,-1": an int64 constant with these elements */
    const char *floats;
};

struct attr {
    const char *name;
    uint32_t n; /* 0: one integer */
    int64_t values[6];
    const char *text; /* a string instead */
};

struct row {
    const char *op;
    int64_t opset;
    const char *in, *out;
    struct tensor tensors[MOST_TENSORS];
    struct attr attrs[MOST_ATTRS];
    int level;         /* the first that takes it; 0: none does */
    const char *words; /* of the refusal below that level; NULL: "feature level" */
    int needs_nchw;    /* of use_nchw, the first level; 0: the same */
};

/* ---- models ---------------------------------------------------------------------------------- */

static uint32_t read_dims(const char *text, int64_t *dims)
{
    uint32_t rank = 0;

    while (*text) {
        char *end;

        dims[rank++] = strtoll(text, &end, 10);
        text = *end == ',' ? end + 1 : end;
    }
    dims[rank] = -1;
    return rank;
}

static uint32_t count_of(const struct tensor *tensor)
{
    int64_t dims[MOST_DIMS + 1];

    return (uint32_t)bp_dims_count(dims, read_dims(tensor->dims, dims));
}

/* Multiples of an eighth from 1/8 to 2, of both signs where the name is not "p". */
static float *make_floats(const struct tensor *tensor, uint64_t seed)
{
    uint32_t n = count_of(tensor);
    float *data = calloc(n + 1, sizeof *data);

    ck_assert_ptr_nonnull(data);
    for (uint32_t i = 0; i < n; i++) {
        seed = seed * 6364136223846793005u + 1442695040888963407u;
        data[i] = (float)(1 + (seed >> 33) % 16) / 8;
        if (tensor->name[0] != 'p' && seed >> 40 & 1)
            data[i] = -data[i];
    }
    return data;
}

static void write_tensor(const struct tensor *tensor, uint64_t seed)
{
    int64_t dims[MOST_DIMS + 1], ints[16];
    float *data;

    read_dims(tensor->dims, dims);
    if (tensor->ints) {
        kit_ints(tensor->name, dims, read_dims(tensor->ints, ints), ints);
    } else if (tensor->floats || tensor->is_constant) {
        data = make_floats(tensor, seed);
        for (uint32_t i = 0; tensor->floats && i < count_of(tensor); i++) {
            const char *at = tensor->floats;

            for (uint32_t k = 0; k < i; k++)
                at = strchr(at, ',') + 1;
            data[i] = strtof(at, NULL);
        }
        kit_floats(tensor->name, dims, count_of(tensor), data);
        free(data);
    } else {
        kit_io(KIT_INPUT, tensor->name, BP_DTYPE_F32, tensor->dims);
    }
}

static void write_attrs(const struct row *row)
{
    for (int i = 0; i < MOST_ATTRS && row->attrs[i].name; i++) {
        const struct attr *attr = &row->attrs[i];

        if (attr->text) {
            pw_open_attr(&kit.w, attr->name, 3);
            pw_text(&kit.w, 4, attr->text);
            pw_close(&kit.w);
        } else if (attr->n) {
            kit_ints_attr(attr->name, attr->n, attr->values);
        } else {
            kit_int_attr(attr->name, attr->values[0]);
        }
    }
}

static void write_model(const struct row *row)
{
    kit_start_model_at(row->opset);
    for (int i = 0; i < MOST_TENSORS && row->tensors[i].name; i++)
        write_tensor(&row->tensors[i], (uint64_t)i + 1);
    /* a second node, so that one that only renames is not left alone */
    kit_node("first", "Relu", row->tensors[0].name, "first");
    kit_open_node("node", row->op, row->in, row->out);
    write_attrs(row);
    pw_close(&kit.w);
    kit_io(KIT_OUTPUT, row->out[1] ? "y" : row->out, BP_DTYPE_F32, NULL);
}

static void run_model(const struct row *row, bp_binding *out)
{
    bp_binding in[MOST_TENSORS];
    int64_t dims[MOST_TENSORS][MOST_DIMS + 1];
    uint32_t n = 0;

    for (int i = 0; i < MOST_TENSORS && row->tensors[i].name; i++) {
        const struct tensor *tensor = &row->tensors[i];

        if (tensor->is_constant || tensor->ints || tensor->floats)
            continue;
        in[n] = kit_tensor(n, BP_DTYPE_F32, make_floats(tensor, (uint64_t)i + 1),
                           read_dims(tensor->dims, dims[n]), dims[n]);
        n++;
    }
    *out = kit_wanted(0);
    kit_run(in, n, out, 1);
    for (uint32_t i = 0; i < n; i++)
        free(in[i].tensor.base);
}

static void check_same(const struct row *row, int level, const bp_tensor *got,
                       const bp_tensor *want)
{
    const float *a = bp_tensor_data(got), *b = bp_tensor_data(want);
    int64_t n = bp_dims_count(want->dims, want->rank);

    kit_check_dims(got, want->rank, want->dims);
    ck_assert_int_gt(n, 0);
    for (int64_t i = 0; i < n; i++)
        ck_assert_msg(fabsf(a[i] - b[i]) <= 1e-5f * (1 + fabsf(b[i])),
                      "%s at level %d: element %lld is %.9g, not %.9g", row->op, level,
                      (long long)i, (double)a[i], (double)b[i]);
}

/* On the reference device alone, whose operators are those of the level. */
static void start_at(int level, const char *nchw)
{
    char text[64];

    snprintf(text, sizeof text, "level = %d\ndevices = none\n", level);
    nnapi_configure(text);
    nnapi_session(nchw ? "use_nchw" : NULL, nchw);
}

static void check_at(const struct row *row, int level, int first, const char *nchw,
                     const bp_tensor *want)
{
    bp_binding got;
    bool takes = first != 0 && level >= first;

    start_at(level, nchw);
    ck_assert_msg(strcmp(nnapi_who(1), takes ? "nnapi" : "cpu") == 0, "%s at level %d%s: %s: %s",
                  row->op, level, nchw ? " in NCHW" : "", nnapi_who(1), nnapi_refusal(1));
    if (!takes)
        ck_assert_msg(strstr(nnapi_refusal(1), row->words ? row->words : "feature level"),
                      "%s at level %d%s: %s", row->op, level, nchw ? " in NCHW" : "",
                      nnapi_refusal(1));
    run_model(row, &got);
    check_same(row, level, &got.tensor, want);
    bp_tensor_free(&got.tensor);
    ck_assert_msg((nnapi_counters().runs_started > 0) == (nnapi_counters().compilations > 0), "%s",
                  row->op);
    nnapi_check_left();
}

/* The level before the first one, the first one, and 31; in both layouts. */
static void check_row(const struct row *row)
{
    bp_binding want;
    int nchw = row->needs_nchw ? row->needs_nchw : row->level;

    write_model(row);
    nnapi_new_options();
    kit_session();
    run_model(row, &want);
    for (int level = 27; level <= 31; level++) {
        if (level == row->level || level == row->level - 1 || level == 31)
            check_at(row, level, row->level, NULL, &want.tensor);
        if (level >= 29 && (level == 29 || level == nchw || level == nchw - 1))
            check_at(row, level, nchw, "1", &want.tensor);
    }
    bp_tensor_free(&want.tensor);
}

/* ---- the table of nnapi.md ------------------------------------------------------------------- */

#define X34                                                                                        \
    {                                                                                              \
        "x", "3,4"                                                                                 \
    }
#define IMAGE                                                                                      \
    {                                                                                              \
        "x", "1,2,6,6"                                                                             \
    }
#define W(d)                                                                                       \
    {                                                                                              \
        "w", d, 1                                                                                  \
    }
#define LIST(name, ...)                                                                            \
    {                                                                                              \
        name, sizeof((int64_t[]){__VA_ARGS__}) / sizeof(int64_t),                                  \
        {                                                                                          \
            __VA_ARGS__                                                                            \
        }                                                                                          \
    }
#define INT(name, value)                                                                           \
    {                                                                                              \
        name, 0,                                                                                   \
        {                                                                                          \
            value                                                                                  \
        }                                                                                          \
    }
#define TEXT(name, value)                                                                          \
    {                                                                                              \
        name, 0, {0}, value                                                                        \
    }
#define ONE(op, opset, level)                                                                      \
    {                                                                                              \
        op, opset, "first", "y", {{"p", "2,3,2,2"}}, {{0}}, level                                  \
    }
#define TWO(op, opset, level)                                                                      \
    {                                                                                              \
        op, opset, "first p", "y", {{"p0", "2,3,2,2"}, {"p", "3,1,1", 1}}, {{0}}, level            \
    }

static const struct row table[] = {
    ONE("Abs", 13, 29),
    ONE("Exp", 13, 29),
    ONE("Log", 13, 29),
    ONE("Neg", 13, 29),
    ONE("Sin", 13, 29),
    ONE("Sqrt", 13, 29),
    ONE("Floor", 13, 27),
    ONE("Tanh", 13, 27),
    ONE("Sigmoid", 13, 27),
    ONE("Relu", 13, 27),
    ONE("Elu", 13, 30),
    ONE("Identity", 13, 27),
    {"Clip",
     13,
     "first l h",
     "y",
     {X34, {"l", "", 0, NULL, "0"}, {"h", "", 0, NULL, "6"}},
     {{0}},
     27},
    {"Clip",
     13,
     "first l h",
     "y",
     {X34, {"l", "", 0, NULL, "-1"}, {"h", "", 0, NULL, "1"}},
     {{0}},
     27},
    {"Clip",
     13,
     "first l h",
     "y",
     {X34, {"l", "", 0, NULL, "0"}, {"h", "", 0, NULL, "5"}},
     {{0}},
     0,
     "0 and 6"},
    TWO("Add", 13, 27),
    TWO("Mul", 13, 27),
    TWO("Sub", 13, 28),
    TWO("Div", 13, 28),
    TWO("Pow", 13, 29),
    TWO("Min", 13, 29),
    TWO("Max", 13, 29),
    TWO("PRelu", 13, 29),
    {"Conv", 11, "first w", "y", {IMAGE, W("4,2,3,3")}, {LIST("pads", 1, 0, 2, 1)}, 28, NULL, 29},
    {"Conv",
     11,
     "first w b",
     "y",
     {IMAGE, W("4,2,3,3"), {"b", "4", 1}},
     {LIST("strides", 2, 1), TEXT("auto_pad", "SAME_UPPER")},
     28,
     NULL,
     29},
    {"Conv",
     11,
     "first w",
     "y",
     {IMAGE, W("4,2,3,3")},
     {TEXT("auto_pad", "SAME_LOWER")},
     28,
     NULL,
     29},
    {"Conv", 11, "first w", "y", {IMAGE, W("4,2,3,3")}, {LIST("dilations", 1, 2)}, 29},
    {"Conv", 11, "first w", "y", {IMAGE, W("4,1,3,3")}, {INT("group", 2)}, 28, NULL, 29},
    {"AveragePool",
     11,
     "first",
     "y",
     {IMAGE},
     {LIST("kernel_shape", 3, 2), LIST("pads", 1, 0, 1, 1), LIST("strides", 2, 2)},
     28,
     NULL,
     29},
    {"AveragePool",
     11,
     "first",
     "y",
     {IMAGE},
     {LIST("kernel_shape", 3, 3), INT("count_include_pad", 1)},
     0,
     "leave padding out"},
    {"MaxPool",
     12,
     "first",
     "y",
     {IMAGE},
     {LIST("kernel_shape", 2, 3), LIST("strides", 2, 2)},
     28,
     NULL,
     29},
    {"MaxPool",
     12,
     "first",
     "y",
     {IMAGE},
     {LIST("kernel_shape", 2, 2), INT("ceil_mode", 1)},
     0,
     "round sizes down"},
    {"GlobalAveragePool", 1, "first", "y", {IMAGE}, {{0}}, 28, NULL, 29},
    {"GlobalMaxPool", 1, "first", "y", {IMAGE}, {{0}}, 28, NULL, 29},
    {"BatchNormalization",
     15,
     "first s o m p",
     "y",
     {IMAGE, {"s", "2", 1}, {"o", "2", 1}, {"m", "2", 1}, {"p", "2", 1}},
     {{0}},
     27},
    {"LRN", 13, "first", "y", {{"x", "1,5,3,2"}}, {INT("size", 3)}, 28},
    {"LRN", 13, "first", "y", {{"x", "1,5,3,2"}}, {INT("size", 4)}, 0, "symmetric"},
    {"Softmax", 13, "first", "y", {X34}, {INT("axis", -1)}, 28},
    {"Softmax", 13, "first", "y", {{"x", "2,3,4,2"}}, {INT("axis", 1)}, 29},
    {"Softmax", 11, "first", "y", {{"x", "2,3,4"}}, {INT("axis", 1)}, 28},
    {"Gemm", 13, "first w b", "y", {X34, W("4,5"), {"b", "5", 1}}, {{0}}, 27},
    {"Gemm", 13, "first w b", "y", {X34, W("5,4"), {"b", "1,5", 1}}, {INT("transB", 1)}, 28},
    {"Gemm", 13, "first w", "y", {X34, {"w", "5,4"}}, {INT("transB", 1)}, 27},
    {"Gemm", 13, "first w", "y", {X34, {"w", "4,5"}}, {{0}}, 0, "B without transB"},
    {"Gemm", 13, "first w", "y", {{"x", "4,3"}, W("4,5")}, {INT("transA", 1)}, 0, "transA"},
    {"MatMul", 13, "first w", "y", {X34, W("4,5")}, {{0}}, 27},
    {"MatMul", 13, "first w", "y", {{"x", "3,2,4"}, {"w", "3,4,5"}}, {{0}}, 29},
    {"MatMul", 13, "first w", "y", {X34, {"w", "4,5"}}, {{0}}, 0, "B is not constant"},
    {"Concat", 13, "first p", "y", {{"x", "1,2,3,2"}, {"p", "1,3,3,2"}}, {INT("axis", 1)}, 27},
    {"Slice",
     13,
     "first s e a t",
     "y",
     {{"x", "4,6"}, {"s", "1", 0, "1"}, {"e", "1", 0, "4"}, {"a", "1", 0, "1"}, {"t", "1", 0, "1"}},
     {{0}},
     28},
    {"Slice",
     13,
     "first s e a t",
     "y",
     {{"x", "4,6"},
      {"s", "1", 0, "-1"},
      {"e", "1", 0, "-9"},
      {"a", "1", 0, "1"},
      {"t", "1", 0, "-2"}},
     {{0}},
     28},
    {"Gather", 13, "first i", "y", {{"x", "4,6"}, {"i", "3", 0, "0,-1,2"}}, {INT("axis", 1)}, 29},
    {"Gather", 13, "first i", "y", {{"x", "4,6"}, {"i", "", 0, "-2"}}, {INT("axis", 0)}, 29},
    {"Transpose", 13, "first", "y", {{"x", "2,3,4,5"}}, {LIST("perm", 0, 2, 3, 1)}, 28},
    {"Reshape", 13, "first s", "y", {{"x", "2,3,4"}, {"s", "2", 0, "0,-1"}}, {{0}}, 27},
    {"Flatten", 13, "first", "y", {{"x", "2,3,4"}}, {INT("axis", 2)}, 27},
    {"Squeeze", 13, "first a", "y", {{"x", "2,1,4,1"}, {"a", "1", 0, "1"}}, {{0}}, 28},
    {"Squeeze", 11, "first", "y", {{"x", "2,1,4,1"}}, {{0}}, 28},
    {"Unsqueeze", 13, "first a", "y", {{"x", "2,4"}, {"a", "2", 0, "0,3"}}, {{0}}, 27},
    {"Cast", 13, "first", "y", {X34}, {INT("to", BP_DTYPE_F32)}, 29},
    {"Pad",
     13,
     "first d v",
     "y",
     {{"x", "1,2,3,2"}, {"d", "8", 0, "0,1,2,0,0,0,1,3"}, {"v", "", 0, NULL, "2.5"}},
     {{0}},
     29},
    {"DepthToSpace", 13, "first", "y", {{"x", "1,8,2,3"}}, {INT("blocksize", 2)}, 28, NULL, 29},
    {"DepthToSpace",
     13,
     "first",
     "y",
     {{"x", "1,8,2,3"}},
     {INT("blocksize", 2), TEXT("mode", "CRD")},
     0,
     "not DCR"},
    {"Resize",
     13,
     "first - s",
     "y",
     {IMAGE, {"s", "4", 0, NULL, "1,1,2,2"}},
     {TEXT("mode", "linear"), TEXT("coordinate_transformation_mode", "asymmetric")},
     29},
    {"Resize",
     13,
     "first - s",
     "y",
     {IMAGE, {"s", "4", 0, NULL, "1,1,2,2"}},
     {TEXT("mode", "linear")},
     30},
    {"Resize",
     13,
     "first - s",
     "y",
     {IMAGE, {"s", "4", 0, NULL, "1,1,2,3"}},
     {TEXT("mode", "nearest"), TEXT("coordinate_transformation_mode", "asymmetric"),
      TEXT("nearest_mode", "floor")},
     29},
    {"Resize",
     13,
     "first - s",
     "y",
     {IMAGE, {"s", "4", 0, NULL, "1,1,2,2"}},
     {TEXT("mode", "cubic")},
     0,
     "mode"},
    {"ReduceMean", 13, "first", "y", {{"x", "2,3,4,5"}}, {LIST("axes", 1, 3)}, 28},
    {"ReduceMean",
     13,
     "first",
     "y",
     {{"x", "2,3,4,5"}},
     {LIST("axes", 2, 3), INT("keepdims", 0)},
     28},
    {"ReduceMean",
     18,
     "first a",
     "y",
     {{"x", "2,3,4"}, {"a", "1", 0, "-1"}},
     {INT("keepdims", 0)},
     28},
    {"Erf", 13, "first", "y", {X34}, {{0}}, 0, "not in the provider's table"},
};
enum { N_TABLE = sizeof table / sizeof table[0] };

START_TEST(takes_an_operator_from_its_feature_level_on)
{
    check_row(&table[_i]);
}
END_TEST

/*
 * Where ONNX Runtime's gate and NNAPI disagree, sessions fail there; here the runtime is asked when
 * nodes are claimed, so they go to the CPU.
 */
static const struct row gaps[] = {
    {"LeakyRelu", 13, "first", "y", {{"x", "2,3,2,2"}}, {{0}}, 29, "BAD_DATA"},
    {"Conv",
     11,
     "first w",
     "y",
     {{"x", "1,4,5,5"}, W("4,2,3,3")},
     {INT("group", 2)},
     29,
     "BAD_DATA"},
};

START_TEST(asks_the_runtime_where_the_gate_is_too_wide)
{
    bp_binding want;

    write_model(&gaps[_i]);
    nnapi_new_options();
    kit_session();
    run_model(&gaps[_i], &want);
    check_at(&gaps[_i], 28, 29, NULL, &want.tensor);
    check_at(&gaps[_i], 29, 29, NULL, &want.tensor);
    bp_tensor_free(&want.tensor);
}
END_TEST

/* ---- shapes ---------------------------------------------------------------------------------- */

START_TEST(refuses_a_size_that_only_a_run_knows)
{
    float x[] = {1, -2, 3, -4};
    bp_binding in = KIT_TENSOR(0, BP_DTYPE_F32, x, 2, 2), out = kit_wanted(0);

    kit_start_model();
    kit_io(KIT_INPUT, "x", BP_DTYPE_F32, "N,2");
    kit_node("relu", "Relu", "x", "y");
    kit_io(KIT_OUTPUT, "y", BP_DTYPE_F32, "N,2");
    nnapi_session(NULL, NULL);
    ck_assert_str_eq(nnapi_who(0), "cpu");
    ck_assert_str_eq(nnapi_refusal(0), "size 0 is not known: NNAPI models have fixed shapes");
    kit_run(&in, 1, &out, 1);
    KIT_FLOATS(&out.tensor, 1, 0, 3, 0);
    bp_tensor_free(&out.tensor);
}
END_TEST

START_TEST(refuses_an_empty_tensor)
{
    kit_start_model();
    kit_io(KIT_INPUT, "x", BP_DTYPE_F32, "0,2");
    kit_node("relu", "Relu", "x", "y");
    kit_io(KIT_OUTPUT, "y", BP_DTYPE_F32, "0,2");
    nnapi_session(NULL, NULL);
    ck_assert_str_eq(nnapi_refusal(0), "it has no elements");
}
END_TEST

int main(void)
{
    TCase *all = tcase_create("all");

    tcase_add_loop_test(all, takes_an_operator_from_its_feature_level_on, 0, N_TABLE);
    tcase_add_loop_test(all, asks_the_runtime_where_the_gate_is_too_wide, 0, 2);
    tcase_add_test(all, refuses_a_size_that_only_a_run_knows);
    tcase_add_test(all, refuses_an_empty_tensor);
    tcase_add_checked_fixture(all, nnapi_setup, nnapi_teardown);
    return kit_main("nnapi_gates", &all, 1);
}
