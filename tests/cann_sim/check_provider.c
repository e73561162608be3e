/* SPDX-License-Identifier: MIT */
/*
 * check_provider.c - the CANN provider's table of operators (B-11, B-13): each row is taken and
 * gives what the CPU gives; under each violated condition the node goes to the next provider, with
 * a reason that names the condition, and the result is right too.
 */

#include "config.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "cann_kit.h"
#include "support/typed.h"

/* rows leave out what a node does not have */
#pragma GCC diagnostic ignored "-Wmissing-field-initializers"

enum { MOST_TENSORS = 5, MOST_ATTRS = 5, MOST_OUTPUTS = 2, MOST_DIMS = 10 };

struct tensor {
    const char *name, *dims; /* "2,3"; "N,3" is made for N = 2 */
    uint32_t dtype;          /* 0: float32 */
    int is_constant;
};

struct attr {
    const char *name;
    uint32_t n; /* 0: one integer, not a list */
    int64_t values[6];
};

struct row {
    const char *op;
    int64_t opset;
    const char *in, *out;
    struct tensor tensors[MOST_TENSORS];
    struct attr attrs[MOST_ATTRS];
    const char *mode; /* attribute auto_pad, or NULL */
    uint32_t out_dtype;
    uint32_t reason;   /* 0: taken */
    const char *words; /* of the refusal */
    uint32_t z_dtype;  /* 0: bool */
};

/* ---- models ---------------------------------------------------------------------------------- */

static uint32_t dtype_of(const struct tensor *tensor)
{
    return tensor->dtype ? tensor->dtype : BP_DTYPE_F32;
}

static uint32_t read_dims(const char *text, int64_t *dims)
{
    uint32_t rank = 0;

    while (*text) {
        char *end = (char *)(uintptr_t)text + 1;

        dims[rank++] = *text == 'N' ? 2 : *text == 'W' ? 4 : strtoll(text, &end, 10);
        text = *end == ',' ? end + 1 : end;
    }
    dims[rank] = -1; /* as lists of dims in models end */
    return rank;
}

/*
 * Multiples of an eighth, which are exact; above 0, so that roots and quotients exist. What
 * is named "shape" is one.
 */
static void *make_data(const struct tensor *tensor, uint64_t seed, size_t *bytes)
{
    uint32_t dtype = dtype_of(tensor);
    int64_t dims[MOST_DIMS];
    size_t n = (size_t)bp_dims_count(dims, read_dims(tensor->dims, dims));
    static const int64_t flat[] = {-1, 2};
    int is_float = dtype == BP_DTYPE_F32 || dtype == BP_DTYPE_F64 || dtype == BP_DTYPE_F16 ||
                   dtype == BP_DTYPE_BF16;
    void *data;

    *bytes = n * bp_dtype_width(dtype) / 8;
    data = calloc(*bytes + 1, 1);
    ck_assert_ptr_nonnull(data);
    if (dtype == BP_DTYPE_I64 && strcmp(tensor->name, "shape") == 0) {
        memcpy(data, flat, sizeof flat);
        return data;
    }
    for (size_t i = 0; i < n; i++) {
        seed = seed * 6364136223846793005u + 1442695040888963407u;
        if (dtype == BP_DTYPE_BOOL)
            typed_put(data, dtype, i, 0); /* of training_mode */
        else
            typed_put(data, dtype, i, (double)(1 + (seed >> 33) % 16) / (is_float ? 8 : 1));
    }
    return data;
}

static void write_constant(const struct tensor *tensor, uint64_t seed)
{
    int64_t dims[MOST_DIMS];
    size_t bytes;
    void *data = make_data(tensor, seed, &bytes);

    read_dims(tensor->dims, dims);
    pw_raw_tensor(&kit.w, 5, tensor->name, (int32_t)dtype_of(tensor), dims, data, bytes);
    free(data);
}

static void write_attrs(const struct row *row)
{
    for (int i = 0; i < MOST_ATTRS && row->attrs[i].name; i++) {
        const struct attr *attr = &row->attrs[i];

        if (attr->n)
            kit_ints_attr(attr->name, attr->n, attr->values);
        else
            kit_int_attr(attr->name, attr->values[0]);
    }
    if (row->mode) {
        pw_open_attr(&kit.w, "auto_pad", 3);
        pw_text(&kit.w, 4, row->mode);
        pw_close(&kit.w);
    }
}

static uint32_t count_outputs(const struct row *row)
{
    return strchr(row->out, ' ') ? 2 : 1;
}

static void write_model(const struct row *row)
{
    uint32_t out = row->out_dtype ? row->out_dtype : dtype_of(&row->tensors[0]);

    kit_start_model_at(row->opset);
    for (int i = 0; i < MOST_TENSORS && row->tensors[i].name; i++) {
        if (row->tensors[i].is_constant)
            write_constant(&row->tensors[i], (uint64_t)i + 1);
        else
            kit_io(KIT_INPUT, row->tensors[i].name, dtype_of(&row->tensors[i]),
                   row->tensors[i].dims);
    }
    kit_open_node("node", row->op, row->in, row->out);
    write_attrs(row);
    pw_close(&kit.w);
    kit_io(KIT_OUTPUT, "y", out, NULL);
    if (count_outputs(row) > 1)
        kit_io(KIT_OUTPUT, "z", row->z_dtype ? row->z_dtype : BP_DTYPE_BOOL, NULL);
}

/* ---- runs ------------------------------------------------------------------------------------ */

static void run_model(const struct row *row, bp_binding *out)
{
    bp_binding in[MOST_TENSORS];
    int64_t dims[MOST_TENSORS][MOST_DIMS];
    uint32_t n = 0;

    for (int i = 0; i < MOST_TENSORS && row->tensors[i].name; i++) {
        size_t bytes;

        if (row->tensors[i].is_constant)
            continue;
        in[n] = kit_tensor(n, dtype_of(&row->tensors[i]),
                           make_data(&row->tensors[i], (uint64_t)i + 1, &bytes),
                           read_dims(row->tensors[i].dims, dims[n]), dims[n]);
        n++;
    }
    for (uint32_t i = 0; i < count_outputs(row); i++)
        out[i] = kit_wanted(i);
    kit_run(in, n, out, count_outputs(row));
    for (uint32_t i = 0; i < n; i++)
        free(in[i].tensor.base);
}

static double tolerance(uint32_t dtype)
{
    if (dtype == BP_DTYPE_BF16)
        return 0.02;
    return dtype == BP_DTYPE_F16 ? 4e-3 : dtype == BP_DTYPE_F32 ? 1e-5 : 1e-11;
}

static void check_same(const char *what, const bp_tensor *got, const bp_tensor *want)
{
    const void *a = bp_tensor_data(got), *b = bp_tensor_data(want);
    int64_t n = bp_dims_count(want->dims, want->rank);

    ck_assert_uint_eq(got->dtype, want->dtype);
    kit_check_dims(got, want->rank, want->dims);
    ck_assert_int_gt(n, 0);
    for (int64_t i = 0; i < n; i++) {
        double x = typed_get(a, got->dtype, (size_t)i), y = typed_get(b, got->dtype, (size_t)i);

        ck_assert_msg(fabs(x - y) <= tolerance(got->dtype) * (1 + fabs(y)),
                      "%s: element %lld is %.9g, not %.9g", what, (long long)i, x, y);
    }
}

static void new_options(void)
{
    cann_forget();
    KIT_OK(bp_session_options_create(&kit.options, &kit.err));
    KIT_OK(bp_session_options_set_optimization(kit.options, BP_OPTIMIZE_NONE, &kit.err));
}

/* The provider that runs the node: "cann" or "cpu". */
static const char *who_runs(bp_report_node *node)
{
    const bp_report *report = bp_session_report(kit.session);

    *node = (bp_report_node){.struct_size = sizeof *node};
    KIT_OK(bp_report_get_node(report, 0, node, &kit.err));
    return cann_report_row(report, node->provider).name;
}

static void check_placing(const char *what, const struct row *row)
{
    bp_report_refusal refusal = {.struct_size = sizeof refusal};
    bp_report_node node;
    const char *who = who_runs(&node);

    if (node.n_refusals)
        KIT_OK(bp_report_get_refusal(bp_session_report(kit.session), 0, 0, &refusal, &kit.err));
    ck_assert_msg(strcmp(who, row->reason ? "cpu" : "cann") == 0, "%s: run by %s: %s", what, who,
                  refusal.text ? refusal.text : "");
    if (!row->reason)
        return;
    ck_assert_uint_eq(node.n_refusals, 1);
    ck_assert_msg(refusal.reason == row->reason, "%s: reason %u: %s", what, refusal.reason,
                  refusal.text);
    ck_assert_msg(refusal.text && strstr(refusal.text, row->words), "%s: %s", what, refusal.text);
}

/* With operators called one by one, or with the node as a model of its own. */
static void check_row_in(const char *what, const struct row *row, const char *profile, bool graph)
{
    bp_binding want[MOST_OUTPUTS], got[MOST_OUTPUTS];

    write_model(row);
    new_options();
    kit_session();
    run_model(row, want);
    bp_ascend_reset_counters();
    new_options();
    (graph ? cann_add_graph : cann_add)(BP_FALLBACK_SILENT, "operators", profile);
    kit_session();
    check_placing(what, row);
    run_model(row, got);
    ck_assert_msg((cann_counters().tasks_run > 0) == !row->reason, "%s: the device", what);
    ck_assert_uint_eq(cann_counters().model_runs, graph && !row->reason);
    for (uint32_t i = 0; i < count_outputs(row); i++) {
        check_same(what, &got[i].tensor, &want[i].tensor);
        bp_tensor_free(&got[i].tensor);
        bp_tensor_free(&want[i].tensor);
    }
    cann_check_left();
}

static void check_row(const char *what, const struct row *row, const char *profile)
{
    check_row_in(what, row, profile, false);
    check_row_in(what, row, profile, true);
}

#define N_ROWS(rows) (sizeof(rows) / sizeof((rows)[0]))

/* ---- what is taken --------------------------------------------------------------------------- */

#define IMAGE                                                                                      \
    {                                                                                              \
        "x", "1,2,7,6"                                                                             \
    }
#define WEIGHT                                                                                     \
    {                                                                                              \
        "w", "4,2,3,3", 0, 1                                                                       \
    }
#define BIAS                                                                                       \
    {                                                                                              \
        "b", "4", 0, 1                                                                             \
    }
#define LIST(name, ...)                                                                            \
    {                                                                                              \
        name, sizeof((int64_t[]){__VA_ARGS__}) / sizeof(int64_t),                                  \
        {                                                                                          \
            __VA_ARGS__                                                                            \
        }                                                                                          \
    }

/* A row that is not taken, and why. */
#define REFUSED(why, text, ...)                                                                    \
    {                                                                                              \
        __VA_ARGS__, .reason = (why), .words = (text)                                              \
    }

/* The sixteen of the documented table. */
static const struct row taken[] = {
    {"Add", 14, "x c", "y", {{"x", "2,3"}, {"c", "2,3"}}},
    {"Add", 14, "x c", "y", {{"x", "2,3"}, {"c", "3"}}},
    {"Add", 14, "x c", "y", {{"x", "2,1", BP_DTYPE_I64}, {"c", "1,3", BP_DTYPE_I64}}},
    {"Add", 7, "x c", "y", {{"x", "N,3"}, {"c", "", 0, 1}}},
    {"Sub", 14, "x c", "y", {{"x", "2,3", BP_DTYPE_F16}, {"c", "2,1", BP_DTYPE_F16}}},
    {"Mul", 13, "x c", "y", {{"x", "2,3", BP_DTYPE_F64}, {"c", "3", BP_DTYPE_F64}}},
    {"Mul", 14, "x c", "y", {{"x", "2,3", BP_DTYPE_U8}, {"c", "2,3", BP_DTYPE_U8}}},
    {"Div", 14, "x c", "y", {{"x", "2,3"}, {"c", "2,3"}}},
    {"Div", 14, "x c", "y", {{"x", "2,3", BP_DTYPE_I32}, {"c", "3", BP_DTYPE_I32}}},
    {"Conv", 11, "x w b", "y", {IMAGE, WEIGHT, BIAS}, {LIST("pads", 1, 0, 2, 1)}},
    {"Conv", 11, "x w", "y", {IMAGE, WEIGHT}, {LIST("strides", 2, 1), LIST("dilations", 1, 2)}},
    {"Conv", 11, "x w", "y", {{"x", "1,2,9"}, {"w", "3,2,3", 0, 1}}, {LIST("pads", 2, 1)}},
    {"Conv", 1, "x w", "y", {{"x", "1,4,5,5"}, {"w", "4,1,3,3", 0, 1}}, {{"group", 0, {4}}}},
    {"Conv", 11, "x w", "y", {IMAGE, WEIGHT}, {LIST("strides", 2, 2)}, "SAME_UPPER"},
    {"Conv", 11, "x w", "y", {IMAGE, WEIGHT}, {LIST("strides", 2, 2)}, "SAME_LOWER"},
    {"Conv", 22, "x w", "y", {{"x", "N,2,7,6"}, WEIGHT}, {LIST("pads", 1, 1, 1, 1)}, "NOTSET"},
    {"AveragePool",
     11,
     "x",
     "y",
     {IMAGE},
     {LIST("kernel_shape", 3, 2), LIST("pads", 1, 0, 1, 1), LIST("strides", 2, 2)}},
    {"AveragePool",
     11,
     "x",
     "y",
     {IMAGE},
     {LIST("kernel_shape", 3, 3), LIST("pads", 1, 1, 1, 1), {"count_include_pad", 0, {1}}}},
    {"AveragePool", 7, "x", "y", {IMAGE}, {LIST("kernel_shape", 3, 3)}, "SAME_LOWER"},
    {"MaxPool", 12, "x", "y", {IMAGE}, {LIST("kernel_shape", 2, 3), LIST("strides", 2, 2)}},
    {"MaxPool",
     12,
     "x",
     "y",
     {IMAGE},
     {LIST("kernel_shape", 2, 2), LIST("strides", 2, 2), {"ceil_mode", 0, {1}}}},
    {"MaxPool", 1, "x", "y", {IMAGE}, {LIST("kernel_shape", 2, 2)}, "VALID"},
    /* ceil_mode makes no difference with VALID, nor where sizes are free */
    {"MaxPool",
     12,
     "x",
     "y",
     {{"x", "1,1,4,4"}},
     {LIST("kernel_shape", 3, 2), LIST("strides", 1, 3), {"ceil_mode", 0, {1}}},
     "VALID"},
    {"MaxPool",
     12,
     "x",
     "y",
     {{"x", "N,1,W,W"}},
     {LIST("kernel_shape", 3, 2), LIST("strides", 1, 3), {"ceil_mode", 0, {1}}},
     "VALID"},
    /* but with pads that are given it may make a window of one that is too large */
    {"MaxPool",
     12,
     "x",
     "y",
     {{"x", "1,1,4,4"}},
     {LIST("kernel_shape", 5, 5), LIST("strides", 2, 2), {"ceil_mode", 0, {1}}}},
    {"AveragePool",
     11,
     "x",
     "y",
     {{"x", "N,1,W,W"}},
     {LIST("kernel_shape", 6, 3),
      LIST("pads", 1, 0, 0, 1),
      LIST("strides", 2, 2),
      {"ceil_mode", 0, {1}}}},
    {"GlobalAveragePool", 1, "x", "y", {IMAGE}},
    {"GlobalMaxPool", 1, "x", "y", {IMAGE}},
    {"BatchNormalization",
     15,
     "x s o m v",
     "y",
     {IMAGE, {"s", "2", 0, 1}, {"o", "2", 0, 1}, {"m", "2", 0, 1}, {"v", "2", 0, 1}}},
    {"BatchNormalization",
     9,
     "x s o m v",
     "y",
     {{"x", "3,2"}, {"s", "2"}, {"o", "2"}, {"m", "2"}, {"v", "2"}}},
    {"Dropout", 7, "x", "y", {{"x", "2,3"}}},
    {"Dropout", 10, "x", "y z", {{"x", "2,3"}}},
    {"Dropout", 13, "x r t", "y z", {{"x", "2,3"}, {"r", "", 0, 1}, {"t", "", BP_DTYPE_BOOL, 1}}},
    {"Flatten", 13, "x", "y", {{"x", "2,3,4"}}, {{"axis", 0, {-1}}}},
    {"Flatten", 9, "x", "y", {{"x", "2,3,4", BP_DTYPE_I64}}, {{"axis", 0, {2}}}},
    {"Gemm", 13, "x w b", "y", {{"x", "2,3"}, {"w", "3,4", 0, 1}, {"b", "4", 0, 1}}},
    {"Gemm",
     11,
     "x w b",
     "y",
     {{"x", "3,2"}, {"w", "4,3", 0, 1}, {"b", "2,1"}},
     {{"transA", 0, {1}}, {"transB", 0, {1}}}},
    {"Gemm", 13, "x w", "y", {{"x", "2,3", BP_DTYPE_F16}, {"w", "3,4", BP_DTYPE_F16, 1}}},
    {"Identity", 16, "x", "y", {{"x", "2,3"}}},
    {"Identity", 16, "x", "y", {{"x", "2,3", BP_DTYPE_I8}}},
    {"MatMul", 13, "x w", "y", {{"x", "2,5,3"}, {"w", "3,4", 0, 1}}},
    {"MatMul", 13, "x w", "y", {{"x", "3"}, {"w", "2,3,4", 0, 1}}},
    {"MatMul", 13, "x w", "y", {{"x", "5,3"}, {"w", "3", 0, 1}}},
    {"MatMul", 9, "x w", "y", {{"x", "3"}, {"w", "3", 0, 1}}},
    {"Relu", 14, "x", "y", {{"x", "2,3"}}},
    {"Relu", 6, "x", "y", {{"x", "2,3", BP_DTYPE_F64}}},
};

/* B-11: one test for each row */
START_TEST(claims_the_documented_operators)
{
    check_row(taken[_i].op, &taken[_i], "documented");
}
END_TEST

/* Those that the code of later releases registers beside the sixteen. */
static const struct row kernels[] = {
    {"Abs", 13, "x", "y", {{"x", "2,3", BP_DTYPE_I32}}},
    {"Cast", 13, "x", "y", {{"x", "2,3"}}, {{"to", 0, {BP_DTYPE_F16}}}, NULL, BP_DTYPE_F16},
    {"Cast", 13, "x", "y", {{"x", "2,3"}}, {{"to", 0, {BP_DTYPE_I32}}}, NULL, BP_DTYPE_I32},
    REFUSED(BP_R_DTYPE, "ACL converts negative", "Cast", 13, "x", "y", {{"x", "2,3"}},
            {{"to", 0, {BP_DTYPE_U8}}}, .out_dtype = BP_DTYPE_U8),
    {"Ceil", 13, "x", "y", {{"x", "2,3"}}},
    {"Cos", 7, "x", "y", {{"x", "2,3"}}},
    {"Erf", 13, "x", "y", {{"x", "2,3"}}},
    {"Exp", 13, "x", "y", {{"x", "2,3", BP_DTYPE_F16}}},
    {"Floor", 13, "x", "y", {{"x", "2,3", BP_DTYPE_F16}}},
    {"Log", 13, "x", "y", {{"x", "2,3"}}},
    {"Neg", 13, "x", "y", {{"x", "2,3", BP_DTYPE_I8}}},
    {"Reciprocal", 13, "x", "y", {{"x", "2,3"}}},
    {"Reshape", 14, "x shape", "y", {{"x", "2,3"}, {"shape", "2", BP_DTYPE_I64, 1}}},
    {"Round", 11, "x", "y", {{"x", "2,3"}}},
    {"Sin", 7, "x", "y", {{"x", "2,3"}}},
    {"Sqrt", 13, "x", "y", {{"x", "2,3"}}},
    {"Transpose", 13, "x", "y", {{"x", "2,3,4", BP_DTYPE_U16}}, {LIST("perm", 2, 0, 1)}},
    {"Transpose", 1, "x", "y", {{"x", "2,3"}}},
    {"Conv", 11, "x w b", "y", {IMAGE, {"w", "4,2,3,3"}, {"b", "4"}}},
    {"Conv", 11, "x w", "y", {{"x", "1,2,4,5,3"}, {"w", "3,2,2,2,2"}}},
    {"MatMul", 13, "x w", "y", {{"x", "2,3", BP_DTYPE_I32}, {"w", "3,4", BP_DTYPE_I32}}},
    {"Gemm", 13, "x w", "y", {{"x", "2,3", BP_DTYPE_F16}, {"w", "3,4", BP_DTYPE_F16}}},
    {"Relu", 14, "x", "y", {{"x", "2,3", BP_DTYPE_I64}}},
    {"MaxPool", 7, "x", "y", {IMAGE}, {LIST("kernel_shape", 2, 2)}},
    /* as registered, so newer versions of these are not */
    REFUSED(BP_R_OPSET, "12", "MaxPool", 12, "x", "y", {IMAGE}, {LIST("kernel_shape", 2, 2)}),
    REFUSED(BP_R_DTYPE, "float16", "Gemm", 13, "x w", "y", {{"x", "2,3"}, {"w", "3,4"}}),
    REFUSED(BP_R_NOT_CONSTANT, "shape is not constant", "Reshape", 14, "x shape", "y",
            {{"x", "2,3"}, {"shape", "2", BP_DTYPE_I64}}),
};

START_TEST(claims_the_operators_of_later_releases)
{
    check_row(kernels[_i].op, &kernels[_i], "kernels");
}
END_TEST

/* Those of graph mode, whose types are not checked as the kernels' are; from opset 8 on. */
static const struct row graphs[] = {
    {"Elu", 8, "x", "y", {{"x", "2,3"}}},
    {"Exp", 13, "x", "y", {{"x", "2,3"}}},
    {"Gemm", 13, "x w", "y", {{"x", "2,3"}, {"w", "3,4"}}},
    {"LeakyRelu", 16, "x", "y", {{"x", "2,3"}}},
    {"MaxPool", 12, "x", "y", {IMAGE}, {LIST("kernel_shape", 2, 2)}},
    {"Pow", 13, "x w", "y", {{"x", "2,3"}, {"w", "3"}}},
    {"Sigmoid", 13, "x", "y", {{"x", "2,3"}}},
    {"Sign", 13, "x", "y", {{"x", "2,3"}}},
    {"Softmax", 13, "x", "y", {{"x", "2,3"}}, {{"axis", 0, {0}}}},
    {"Tanh", 13, "x", "y", {{"x", "2,3"}}},
    REFUSED(BP_R_OPSET, "opset 7, graph mode", "Relu", 7, "x", "y", {{"x", "2,3"}}),
    REFUSED(BP_R_OPSET, "version 11", "Softmax", 12, "x", "y", {{"x", "2,3"}}),
};

START_TEST(claims_the_operators_of_graph_mode)
{
    check_row_in(graphs[_i].op, &graphs[_i], "graph", true);
}
END_TEST

/* ---- what is refused ------------------------------------------------------------------------- */

static const struct row refused[] = {
    /* B-13: this text */
    REFUSED(BP_R_RANK, "spatial rank 3, provider takes 1..2", "Conv", 11, "x w", "y",
            {{"x", "1,2,4,5,3"}, {"w", "3,2,2,2,2", 0, 1}}),
    REFUSED(BP_R_NOT_CONSTANT, "weight is not constant", "Conv", 11, "x w", "y",
            {IMAGE, {"w", "4,2,3,3"}}),
    REFUSED(BP_R_NOT_CONSTANT, "bias is not constant", "Conv", 11, "x w b", "y",
            {IMAGE, WEIGHT, {"b", "4"}}),
    REFUSED(BP_R_RANK, "spatial rank 1, provider takes 2", "AveragePool", 11, "x", "y",
            {{"x", "1,2,7"}}, {LIST("kernel_shape", 3)}),
    REFUSED(BP_R_RANK, "spatial rank 3, provider takes 2", "AveragePool", 11, "x", "y",
            {{"x", "1,2,4,4,4"}}, {LIST("kernel_shape", 2, 2, 2)}),
    REFUSED(BP_R_ATTRIBUTE, "ceil_mode", "AveragePool", 11, "x", "y", {IMAGE},
            {LIST("kernel_shape", 2, 2),
             LIST("pads", 1, 1, 1, 1),
             {"count_include_pad", 0, {1}},
             {"ceil_mode", 0, {1}}}),
    REFUSED(BP_R_RANK, "spatial rank 1, provider takes 2", "MaxPool", 12, "x", "y",
            {{"x", "1,2,7"}}, {LIST("kernel_shape", 3)}),
    REFUSED(BP_R_ATTRIBUTE, "dilations has 2, provider takes 1", "MaxPool", 12, "x", "y", {IMAGE},
            {LIST("kernel_shape", 2, 2), LIST("dilations", 2, 2)}),
    REFUSED(BP_R_RANK, "spatial rank 1, provider takes 2", "GlobalAveragePool", 1, "x", "y",
            {{"x", "1,2,7"}}),
    REFUSED(BP_R_RANK, "spatial rank 3, provider takes 2", "GlobalMaxPool", 1, "x", "y",
            {{"x", "1,2,3,3,3"}}),
    REFUSED(BP_R_RANK, "spatial rank 3, provider takes 2", "GlobalAveragePool", 1, "x", "y",
            {{"x", "1,2,3,3,3"}}),
    REFUSED(BP_R_RANK, "spatial rank 1, provider takes 2", "GlobalMaxPool", 1, "x", "y",
            {{"x", "1,2,7"}}),
    REFUSED(BP_R_RANK, "spatial rank 3, provider takes 2", "MaxPool", 12, "x", "y",
            {{"x", "1,2,4,4,4"}}, {LIST("kernel_shape", 2, 2, 2)}),
    REFUSED(BP_R_OTHER, "ACL gives no indices", "MaxPool", 12, "x", "y z", {IMAGE},
            {LIST("kernel_shape", 2, 2)}, .z_dtype = BP_DTYPE_I64),
    REFUSED(BP_R_OPSET, "version 6 is not in the provider's table", "Add", 6, "x c", "y",
            {{"x", "2,3"}, {"c", "2,3"}}),
    REFUSED(BP_R_OPSET, "version 6 is not in the provider's table", "Div", 6, "x c", "y",
            {{"x", "2,3"}, {"c", "2,3"}}),
    REFUSED(BP_R_DTYPE, "element type uint64", "Mul", 14, "x c", "y",
            {{"x", "2,3", BP_DTYPE_U64}, {"c", "2,3", BP_DTYPE_U64}}),
    REFUSED(BP_R_DTYPE, "element type bfloat16", "Sub", 14, "x c", "y",
            {{"x", "2,3", BP_DTYPE_BF16}, {"c", "2,3", BP_DTYPE_BF16}}),
    REFUSED(BP_R_DTYPE, "element type int32", "Relu", 14, "x", "y", {{"x", "2,3", BP_DTYPE_I32}}),
    REFUSED(BP_R_DTYPE, "element type float64, provider takes float32, float16", "MatMul", 13,
            "x w", "y", {{"x", "2,3", BP_DTYPE_F64}, {"w", "3,4", BP_DTYPE_F64, 1}}),
    REFUSED(BP_R_DTYPE, "element type float64", "Flatten", 13, "x", "y",
            {{"x", "2,3", BP_DTYPE_F64}}),
    REFUSED(BP_R_DTYPE, "mask", "Dropout", 7, "x", "y z", {{"x", "2,3"}}, .z_dtype = BP_DTYPE_F32),
    REFUSED(BP_R_NOT_CONSTANT, "B is not constant", "Gemm", 13, "x w", "y",
            {{"x", "2,3"}, {"w", "3,4"}}),
    REFUSED(BP_R_DTYPE, "element type float64, provider takes float32, float16", "Gemm", 13, "x w",
            "y", {{"x", "2,3", BP_DTYPE_F64}, {"w", "3,4", BP_DTYPE_F64, 1}}),
    REFUSED(BP_R_NOT_CONSTANT, "B is not constant", "MatMul", 13, "x w", "y",
            {{"x", "2,3"}, {"w", "3,4"}}),
    REFUSED(BP_R_OTHER, "training_mode is not a constant false", "Dropout", 13, "x r t", "y",
            {{"x", "2,3"}, {"r", "", 0, 1}, {"t", "", BP_DTYPE_BOOL}}),
    REFUSED(BP_R_DTYPE, "element type float64, provider takes float32", "BatchNormalization", 15,
            "x s o m v", "y",
            {{"x", "3,2", BP_DTYPE_F64},
             {"s", "2", BP_DTYPE_F64},
             {"o", "2", BP_DTYPE_F64},
             {"m", "2", BP_DTYPE_F64},
             {"v", "2", BP_DTYPE_F64}}),
    REFUSED(BP_R_DTYPE, "element type uint32", "Add", 14, "x c", "y",
            {{"x", "2,3", BP_DTYPE_U32}, {"c", "2,3", BP_DTYPE_U32}}),
    REFUSED(BP_R_RANK, "rank 9, provider takes 0..8", "Relu", 14, "x", "y",
            {{"x", "2,1,1,1,1,1,1,1,3"}}),
    /* B-12: a seventeenth operator */
    REFUSED(BP_R_OP, "not in the provider's", "Softmax", 13, "x", "y", {{"x", "2,3"}}),
    REFUSED(BP_R_OP, "operators=kernels has it", "Abs", 13, "x", "y", {{"x", "2,3"}}),
};

/* B-11, B-12, B-13: one test for each violated condition; the next provider gets it right */
START_TEST(refuses_with_the_condition_that_is_not_met)
{
    check_row(refused[_i].op, &refused[_i], "documented");
}
END_TEST

/* B-11: two conditions that no result can be compared under. */
static void check_refusal(const char *shape, uint32_t reason, const char *words)
{
    struct row row = {.reason = reason, .words = words};

    kit_start_model();
    kit_io(KIT_INPUT, "x", BP_DTYPE_F32, shape);
    kit_node("node", "Relu", "x", "y");
    kit_io(KIT_OUTPUT, "y", BP_DTYPE_F32, NULL);
    new_options();
    cann_add(BP_FALLBACK_SILENT, NULL, NULL);
    kit_session();
    check_placing(words, &row);
    cann_check_left();
}

START_TEST(refuses_unknown_ranks_and_empty_tensors)
{
    check_refusal(NULL, BP_R_DYNAMIC_SHAPE, "its rank is not known");
    check_refusal("0,3", BP_R_OTHER, "it has no elements");
}
END_TEST

int main(void)
{
    TCase *cases[] = {tcase_create("taken"), tcase_create("kernels"), tcase_create("refused"),
                      tcase_create("graphs")};

    for (int i = 0; i < 4; i++)
        tcase_add_checked_fixture(cases[i], cann_setup, cann_teardown);
    tcase_add_loop_test(cases[3], claims_the_operators_of_graph_mode, 0, (int)N_ROWS(graphs));
    tcase_add_loop_test(cases[0], claims_the_documented_operators, 0, (int)N_ROWS(taken));
    tcase_add_loop_test(cases[1], claims_the_operators_of_later_releases, 0, (int)N_ROWS(kernels));
    tcase_add_loop_test(cases[2], refuses_with_the_condition_that_is_not_met, 0,
                        (int)N_ROWS(refused));
    tcase_add_test(cases[2], refuses_unknown_ranks_and_empty_tensors);
    return kit_main("cann_provider", cases, 4);
}
