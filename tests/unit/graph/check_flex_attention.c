/* SPDX-License-Identifier: MIT */
/*
 * check_flex_attention.c - FlexAttention (ai.onnx.preview 1) with score_mod and prob_mod, which the
 * host writes as other nodes, against loops over single scores, in double.
 */

#include "config.h"

#include <check.h>
#include <math.h>

#include "support/fail_alloc.h"
#include "support/random_data.h"
#include "support/session_kit.h"
#include "support/typed.h"

/* Of Q (batch, heads, rows, head), K (.., kv_heads, keys, head) and V (.., .., .., v_head). */
struct sizes {
    int64_t batch, heads, kv_heads, rows, keys, head, v_head;
};

/* What a subgraph does to a score or probability, as plain C; b is its element of a captured tensor. */
typedef double (*mod_fn)(double x, double b, int64_t row, int64_t key);

static const struct sizes usual = {2, 4, 2, 3, 5, 8, 6};

static const struct sizes all_sizes[] = {
    {2, 4, 2, 3, 5, 8, 6}, {1, 1, 1, 1, 1, 1, 1}, {3, 2, 2, 4, 4, 3, 5}, {1, 6, 1, 2, 7, 4, 1},
    {0, 4, 2, 3, 5, 8, 6}, {2, 0, 0, 3, 5, 8, 6}, {2, 4, 2, 0, 5, 8, 6}, {2, 4, 2, 3, 5, 0, 6},
    {2, 4, 2, 3, 5, 8, 0}, {2, 3, 3, 3, 0, 8, 6},
};

/* ---- models ---------------------------------------------------------------------------------- */

/* Q, K, V and bias (rows, keys) as inputs of those shapes; NULL: of a type alone. */
static void start(uint32_t dtype, uint32_t bias_dtype, bool has_shapes)
{
    kit_start_model_at(18);
    kit_io(KIT_INPUT, "Q", dtype, has_shapes ? "B,H,L,E" : NULL);
    kit_io(KIT_INPUT, "K", dtype, has_shapes ? "B,G,S,E" : NULL);
    kit_io(KIT_INPUT, "V", dtype, has_shapes ? "B,G,S,F" : NULL);
    kit_io(KIT_INPUT, "bias", bias_dtype, has_shapes ? "L,S" : NULL);
}

static void open_flex(const char *in, const char *out)
{
    kit_open_node("flex", "FlexAttention", in, out);
    pw_text(&kit.w, 7, "ai.onnx.preview");
}

static void float_attr(const char *name, float value)
{
    pw_open_attr(&kit.w, name, 1);
    pw_float(&kit.w, 2, value);
    pw_close(&kit.w);
}

static void finish(uint32_t dtype)
{
    kit_io(KIT_OUTPUT, "Y", dtype, NULL);
    pw_close(&kit.w);
    pw_open(&kit.w, 8);
    pw_text(&kit.w, 1, "ai.onnx.preview");
    pw_int(&kit.w, 2, 1);
    pw_close(&kit.w);
    kit.is_closed = true;
}

/* A subgraph of one node, which may read "x" and what is around it. */
static void simple_subgraph(const char *attr, uint32_t dtype, const char *op, const char *in)
{
    kit_open_subgraph(attr);
    kit_io(KIT_INPUT, "x", dtype, NULL);
    kit_node("mod", op, in, "modified");
    kit_io(KIT_OUTPUT, "modified", dtype, NULL);
    kit_close_subgraph();
}

/* ---- reference ------------------------------------------------------------------------------- */

struct values {
    double *q, *k, *v, *bias;
};

static struct values make_values(const struct sizes *s, uint32_t dtype, uint32_t bias_dtype)
{
    return (struct values){
        data_make((size_t)(s->batch * s->heads * s->rows * s->head), dtype),
        data_make((size_t)(s->batch * s->kv_heads * s->keys * s->head), dtype),
        data_make((size_t)(s->batch * s->kv_heads * s->keys * s->v_head), dtype),
        data_make((size_t)(s->rows * s->keys), bias_dtype),
    };
}

static void free_values(struct values *n)
{
    free(n->q);
    free(n->k);
    free(n->v);
    free(n->bias);
}

/* Row `row` of head h: weights of the keys. */
static void expect_weights(const struct sizes *s, const struct values *n, double scale,
                           mod_fn score, mod_fn prob, const int64_t *at, double *weights)
{
    int64_t b = at[0], h = at[1], row = at[2], kv = h / (s->heads / s->kv_heads);
    const double *q = n->q + ((b * s->heads + h) * s->rows + row) * s->head;
    double sum = 0;

    for (int64_t key = 0; key < s->keys; key++) {
        const double *k = n->k + ((b * s->kv_heads + kv) * s->keys + key) * s->head;
        double dot = 0;

        for (int64_t e = 0; e < s->head; e++)
            dot += q[e] * k[e];
        dot *= scale;
        weights[key] = exp(score ? score(dot, n->bias[row * s->keys + key], row, key) : dot);
        sum += weights[key];
    }
    for (int64_t key = 0; key < s->keys; key++) {
        weights[key] /= sum;
        if (prob)
            weights[key] = prob(weights[key], n->bias[row * s->keys + key], row, key);
    }
}

static double *expect(const struct sizes *s, const struct values *n, double scale, mod_fn score,
                      mod_fn prob)
{
    double *y = calloc((size_t)(s->batch * s->heads * s->rows * s->v_head) + 1, sizeof *y);
    double weights[16], *to = y;

    for (int64_t i = 0; i < s->batch * s->heads * s->rows; i++) {
        int64_t at[] = {i / s->rows / s->heads, i / s->rows % s->heads, i % s->rows};

        expect_weights(s, n, scale, score, prob, at, weights);
        for (int64_t f = 0; f < s->v_head; f++, to++) {
            int64_t kv = at[1] / (s->heads / s->kv_heads);

            for (int64_t key = 0; key < s->keys; key++)
                *to += weights[key] *
                       n->v[((at[0] * s->kv_heads + kv) * s->keys + key) * s->v_head + f];
        }
    }
    return y;
}

/* ---- running --------------------------------------------------------------------------------- */

static bp_binding encode(uint32_t index, const double *values, uint32_t dtype, int64_t *dims,
                         uint32_t rank)
{
    void *data = typed_encode(values, (size_t)bp_dims_count(dims, rank), dtype);

    return kit_tensor(index, dtype, data, rank, dims);
}

static void free_data(bp_binding *in, uint32_t n)
{
    for (uint32_t i = 0; i < n; i++)
        free(in[i].tensor.base);
}

/* The distance of a type's values at 1. */
static double step_of(uint32_t dtype)
{
    return ldexp(1, dtype == BP_DTYPE_F64   ? -52
                    : dtype == BP_DTYPE_F32 ? -23
                    : dtype == BP_DTYPE_F16 ? -10
                                            : -7);
}

static void compare(const struct sizes *s, const bp_tensor *y, const double *want, uint32_t dtype,
                    uint32_t precision)
{
    bool is_double = dtype == BP_DTYPE_F64 || precision == BP_DTYPE_F64;
    double computed = step_of(is_double ? BP_DTYPE_F64 : BP_DTYPE_F32);
    double most = step_of(dtype) / 2 + step_of(precision) * 3 + computed * 20;

    KIT_DIMS(y, s->batch, s->heads, s->rows, s->v_head);
    ck_assert_uint_eq(y->dtype, dtype);
    for (int64_t i = 0; i < bp_dims_count(y->dims, 4); i++) {
        double got = typed_get(y->base, dtype, (size_t)i);

        ck_assert_msg(fabs(got - want[i]) <= most, "element %lld is %.17g, not %.17g", (long long)i,
                      got, want[i]);
    }
}

/* Runs the session; scale 0: none was given. */
static void check(const struct sizes *s, uint32_t dtype, uint32_t precision, double scale,
                  mod_fn score, mod_fn prob)
{
    int64_t q[] = {s->batch, s->heads, s->rows, s->head};
    int64_t k[] = {s->batch, s->kv_heads, s->keys, s->head};
    int64_t v[] = {s->batch, s->kv_heads, s->keys, s->v_head};
    int64_t bias[] = {s->rows, s->keys};
    struct values n = make_values(s, dtype, precision);
    bp_binding in[] = {encode(0, n.q, dtype, q, 4), encode(1, n.k, dtype, k, 4),
                       encode(2, n.v, dtype, v, 4), encode(3, n.bias, precision, bias, 2)};
    bp_binding out = kit_wanted(0);
    double *want;

    if (scale == 0)
        scale = s->head > 0 ? 1 / sqrt((double)s->head) : 1;
    want = expect(s, &n, scale, score, prob);
    kit_run(in, 4, &out, 1);
    compare(s, &out.tensor, want, dtype, precision);
    bp_tensor_free(&out.tensor);
    free_data(in, 4);
    free_values(&n);
    free(want);
}

static double add_bias(double x, double b, int64_t row, int64_t key)
{
    (void)row;
    (void)key;
    return x + b;
}

static double times_bias(double x, double b, int64_t row, int64_t key)
{
    (void)row;
    (void)key;
    return x * b;
}

/* ---- types and shapes ------------------------------------------------------------------------ */

static const uint32_t dtypes[] = {BP_DTYPE_F32, BP_DTYPE_F64, BP_DTYPE_F16, BP_DTYPE_BF16};

/* The type of subgraphs without softmax_precision. */
static uint32_t wide(uint32_t dtype)
{
    return dtype == BP_DTYPE_F64 ? BP_DTYPE_F64 : BP_DTYPE_F32;
}

START_TEST(flex_attention_subgraphs_change_scores_and_probabilities)
{
    uint32_t dtype = dtypes[_i / 2], in_subgraphs = wide(dtype);

    start(dtype, in_subgraphs, _i % 2);
    open_flex("Q K V", "Y");
    simple_subgraph("score_mod", in_subgraphs, "Add", "x bias");
    simple_subgraph("prob_mod", in_subgraphs, "Mul", "bias x");
    pw_close(&kit.w);
    finish(dtype);
    kit_session();
    for (size_t i = 0; i < sizeof all_sizes / sizeof all_sizes[0]; i++) {
        data_seed(i);
        check(&all_sizes[i], dtype, in_subgraphs, 0, add_bias, times_bias);
    }
}
END_TEST

START_TEST(flex_attention_subgraphs_get_the_requested_precision)
{
    uint32_t dtype = dtypes[_i / 4], precision = dtypes[_i % 4];

    start(dtype, precision, true);
    open_flex("Q K V", "Y");
    float_attr("scale", 0.25f);
    kit_int_attr("softmax_precision", precision);
    simple_subgraph("score_mod", precision, "Add", "x bias");
    pw_close(&kit.w);
    finish(dtype);
    kit_session();
    check(&usual, dtype, precision, 0.25, add_bias, NULL);
}
END_TEST

/* The type of Q is unknown until shapes are inferred, and subgraphs need not declare theirs. */
START_TEST(flex_attention_infers_types_of_its_subgraphs)
{
    uint32_t dtype = dtypes[_i];

    start(dtype, wide(dtype), false);
    kit_node("same_q", "Identity", "Q", "Q2");
    kit_node("same_k", "Identity", "K", "K2");
    open_flex("Q2 K2 V", "Y");
    simple_subgraph("prob_mod", BP_DTYPE_NONE, "Mul", "x bias");
    pw_close(&kit.w);
    finish(dtype);
    kit_session();
    check(&usual, dtype, wide(dtype), 0, NULL, times_bias);
}
END_TEST

/* ---- subgraphs ----------------------------------------------------------------------------- */

static double masked(double x, double b, int64_t row, int64_t key)
{
    (void)b;
    return key > row ? -(double)INFINITY : x;
}

/* Nodes, initializers and Range in a subgraph: a causal mask. */
START_TEST(flex_attention_subgraphs_have_constants_and_read_shapes)
{
    static const float none = -INFINITY;
    static const int64_t zero = 0, one = 1, column[] = {-1, 1};

    start(BP_DTYPE_F32, BP_DTYPE_F32, true);
    open_flex("Q K V", "Y");
    kit_open_subgraph("score_mod");
    kit_io(KIT_INPUT, "x", BP_DTYPE_F32, "a,b,c,d");
    kit_floats("none", PW_SCALAR, 1, &none);
    kit_ints("zero", PW_SCALAR, 1, &zero);
    kit_ints("one", PW_SCALAR, 1, &one);
    kit_ints("column", PW_DIMS(2), 2, column);
    for (int i = 0; i < 2; i++) {
        kit_open_node("", "Shape", "x", i == 0 ? "l1" : "s1");
        kit_int_attr("start", 2 + i);
        kit_int_attr("end", 3 + i);
        pw_close(&kit.w);
    }
    kit_node("", "Squeeze", "l1", "l");
    kit_node("", "Squeeze", "s1", "s");
    kit_node("", "Range", "zero l one", "rows1");
    kit_node("", "Reshape", "rows1 column", "rows");
    kit_node("", "Range", "zero s one", "keys");
    kit_node("", "GreaterOrEqual", "rows keys", "sees");
    kit_node("", "Where", "sees x none", "y");
    kit_io(KIT_OUTPUT, "y", BP_DTYPE_F32, "a,b,c,d");
    kit_close_subgraph();
    pw_close(&kit.w);
    finish(BP_DTYPE_F32);
    kit_session();
    for (size_t i = 0; i < 4; i++)
        check(&all_sizes[i], BP_DTYPE_F32, BP_DTYPE_F32, 0, masked, NULL);
}
END_TEST

/* A branch of an If that is in a subgraph reads the subgraph's value and one around it. */
static void branch(const char *attr, const char *op, const char *in)
{
    kit_open_subgraph(attr);
    kit_node("in_branch", op, in, "r");
    kit_io(KIT_OUTPUT, "r", BP_DTYPE_F32, NULL);
    kit_close_subgraph();
}

static double doubled_then_bias(double x, double b, int64_t row, int64_t key)
{
    (void)row;
    (void)key;
    return x + x + b;
}

START_TEST(flex_attention_nested_subgraphs_keep_captured_values)
{
    static const uint8_t yes = 1;

    start(BP_DTYPE_F32, BP_DTYPE_F32, true);
    pw_raw_tensor(&kit.w, 5, "yes", BP_DTYPE_BOOL, PW_SCALAR, &yes, 1);
    kit_node("same", "Identity", "bias", "around");
    open_flex("Q K V", "Y");
    kit_open_subgraph("score_mod");
    kit_io(KIT_INPUT, "x", BP_DTYPE_F32, NULL);
    kit_node("twice", "Add", "x x", "x2");
    kit_node("not", "Identity", "yes", "go");
    kit_open_node("if", "If", "go", "y");
    branch("then_branch", "Add", "x2 around");
    branch("else_branch", "Sub", "x around");
    pw_close(&kit.w);
    kit_io(KIT_OUTPUT, "y", BP_DTYPE_F32, NULL);
    kit_close_subgraph();
    pw_close(&kit.w);
    finish(BP_DTYPE_F32);
    kit_session();
    for (size_t i = 0; i < 4; i++)
        check(&all_sizes[i], BP_DTYPE_F32, BP_DTYPE_F32, 0, doubled_then_bias, NULL);
}
END_TEST

/* FlexAttention in a branch, and values of that name in the graph around it. */
START_TEST(flex_attention_runs_inside_an_if_branch)
{
    static const uint8_t yes = 1;

    start(BP_DTYPE_F32, BP_DTYPE_F32, true);
    pw_raw_tensor(&kit.w, 5, "yes", BP_DTYPE_BOOL, PW_SCALAR, &yes, 1);
    kit_node("same", "Identity", "yes", "go");
    kit_open_node("if", "If", "go", "Y");
    for (int i = 0; i < 2; i++) {
        kit_open_subgraph(i == 0 ? "then_branch" : "else_branch");
        open_flex("Q K V", "r");
        simple_subgraph("score_mod", BP_DTYPE_F32, i == 0 ? "Add" : "Sub", "x bias");
        pw_close(&kit.w);
        kit_io(KIT_OUTPUT, "r", BP_DTYPE_F32, NULL);
        kit_close_subgraph();
    }
    pw_close(&kit.w);
    finish(BP_DTYPE_F32);
    kit_session();
    check(&usual, BP_DTYPE_F32, BP_DTYPE_F32, 0, add_bias, NULL);
}
END_TEST

/* Two nodes and their subgraphs have the same names; the first node's name is generated. */
START_TEST(flex_attention_expansion_makes_unique_names)
{
    start(BP_DTYPE_F32, BP_DTYPE_F32, true);
    kit_node("a", "Identity", "Q", "Y/0");
    kit_node("b", "Identity", "Y/0", "Y/modified");
    for (int i = 0; i < 2; i++) {
        open_flex("Y/modified K V", i == 0 ? "unused" : "Y");
        simple_subgraph("score_mod", BP_DTYPE_F32, i == 0 ? "Sub" : "Add", "x bias");
        simple_subgraph("prob_mod", BP_DTYPE_F32, "Mul", "x bias");
        pw_close(&kit.w);
    }
    finish(BP_DTYPE_F32);
    kit_session();
    check(&usual, BP_DTYPE_F32, BP_DTYPE_F32, 0, add_bias, times_bias);
}
END_TEST

/* Subgraphs without nodes: the output is the input, or a captured value. */
START_TEST(flex_attention_accepts_subgraphs_without_nodes)
{
    start(BP_DTYPE_F32, BP_DTYPE_F32, true);
    open_flex("Q K V", "Y");
    for (int i = 0; i < 2; i++) {
        kit_open_subgraph(i == 0 ? "score_mod" : "prob_mod");
        kit_io(KIT_INPUT, "x", BP_DTYPE_F32, NULL);
        kit_io(KIT_OUTPUT, "x", BP_DTYPE_F32, NULL);
        kit_close_subgraph();
    }
    pw_close(&kit.w);
    finish(BP_DTYPE_F32);
    kit_session();
    check(&usual, BP_DTYPE_F32, BP_DTYPE_F32, 0, NULL, NULL);
}
END_TEST

/* ---- what cannot be -------------------------------------------------------------------------- */

static bp_rc try_model(void)
{
    bp_model *model = NULL;

    return bp_model_open_memory(kit.env, kit.w.data, kit.w.size, NULL, &model, &kit.err);
}

START_TEST(flex_attention_rejects_subgraphs_of_another_signature)
{
    start(BP_DTYPE_F32, BP_DTYPE_F32, true);
    open_flex("Q K V", "Y");
    kit_open_subgraph("score_mod");
    kit_io(KIT_INPUT, "x", BP_DTYPE_F32, NULL);
    kit_io(KIT_INPUT, "batch", BP_DTYPE_I64, "");
    kit_io(KIT_OUTPUT, "x", BP_DTYPE_F32, NULL);
    kit_close_subgraph();
    pw_close(&kit.w);
    finish(BP_DTYPE_F32);
    KIT_FAILS(try_model(), BP_E_INVALID, "node 'flex' (FlexAttention)", "score_mod", "2 inputs");
}
END_TEST

START_TEST(flex_attention_rejects_subgraphs_of_another_type)
{
    start(BP_DTYPE_F16, BP_DTYPE_F16, true);
    open_flex("Q K V", "Y");
    simple_subgraph("score_mod", BP_DTYPE_F16, "Add", "x bias"); /* scores are float32 */
    pw_close(&kit.w);
    finish(BP_DTYPE_F16);
    KIT_FAILS(kit_try_session(), BP_E_INVALID, "float16", "float32");
}
END_TEST

START_TEST(flex_attention_rejects_a_subgraph_that_changes_the_shape)
{
    static const float some[3 * 4] = {0};
    static const int64_t axis = 2;
    bp_binding in[] = {
        KIT_TENSOR(0, BP_DTYPE_F32, some, 1, 1, 3, 4),
        KIT_TENSOR(1, BP_DTYPE_F32, some, 1, 1, 2, 4),
        KIT_TENSOR(2, BP_DTYPE_F32, some, 1, 1, 2, 4),
        KIT_TENSOR(3, BP_DTYPE_F32, some, 3, 2),
    };
    bp_binding out = kit_wanted(0);

    start(BP_DTYPE_F32, BP_DTYPE_F32, true);
    open_flex("Q K V", "Y");
    kit_open_subgraph("prob_mod");
    kit_io(KIT_INPUT, "x", BP_DTYPE_F32, NULL);
    kit_ints("axis", PW_DIMS(1), 1, &axis);
    kit_node("max", "ReduceMax", "x axis", "y");
    kit_io(KIT_OUTPUT, "y", BP_DTYPE_F32, NULL);
    kit_close_subgraph();
    pw_close(&kit.w);
    finish(BP_DTYPE_F32);
    kit_session();
    KIT_FAILS(bp_session_run(kit.session, in, 4, &out, 1, NULL, &kit.err), BP_E_SHAPE,
              "FlexWeights", "probabilities", "size 1 at dimension 2");
}
END_TEST

static void fails_with_shapes(const char *q, const char *k, const char *v, const char *words)
{
    kit_start_model_at(18);
    kit_io(KIT_INPUT, "Q", BP_DTYPE_F32, q);
    kit_io(KIT_INPUT, "K", BP_DTYPE_F32, k);
    kit_io(KIT_INPUT, "V", BP_DTYPE_F32, v);
    open_flex("Q K V", "Y");
    simple_subgraph("score_mod", BP_DTYPE_F32, "Neg", "x");
    pw_close(&kit.w);
    finish(BP_DTYPE_F32);
    KIT_FAILS(kit_try_session(), BP_E_SHAPE, "node 'flex'", words);
}

START_TEST(flex_attention_rejects_shapes_that_do_not_fit)
{
    fails_with_shapes("1,4,3,8", "1,3,5,8", "1,3,5,8", "4 heads of Q are not a multiple of 3");
    fails_with_shapes("1,3,8", "1,3,5,8", "1,3,5,8", "Q has rank 3");
    fails_with_shapes("1,4,3,8", "1,4,5,7", "1,4,5,8", "K has size 7");
    fails_with_shapes("1,4,3,8", "1,4,5,8", "1,4,6,8", "V has size 6");
    fails_with_shapes("1,4,3,8", "1,0,5,8", "1,0,5,8", "not a multiple of 0");
}
END_TEST

/* An error of the node itself names FlexAttention, not a node of its expansion. */
START_TEST(flex_attention_rejects_a_node_that_lacks_inputs)
{
    start(BP_DTYPE_F32, BP_DTYPE_F32, true);
    open_flex("Q K", "Y");
    simple_subgraph("score_mod", BP_DTYPE_F32, "Neg", "x");
    pw_close(&kit.w);
    finish(BP_DTYPE_F32);
    KIT_FAILS(try_model(), BP_E_INVALID, "node 'flex' (FlexAttention) has 2 inputs");
}
END_TEST

START_TEST(flex_attention_expansion_survives_every_failing_allocation)
{
    bool failed = true;

    start(BP_DTYPE_F32, BP_DTYPE_F32, true);
    open_flex("Q K V", "Y");
    simple_subgraph("score_mod", BP_DTYPE_F32, "Add", "x bias");
    simple_subgraph("prob_mod", BP_DTYPE_F32, "Mul", "x bias");
    pw_close(&kit.w);
    finish(BP_DTYPE_F32);
    for (unsigned n = 1; failed; n++) {
        bp_model *model = NULL;
        bp_rc rc;

        fail_alloc_at(n);
        rc = bp_model_open_memory(kit.env, kit.w.data, kit.w.size, NULL, &model, &kit.err);
        failed = fail_alloc_stop();
        ck_assert_int_eq(rc, failed ? BP_E_NOMEM : BP_OK);
        bp_model_close(model);
    }
}
END_TEST

int main(void)
{
    TCase *runs = tcase_create("runs"), *refuses = tcase_create("refuses");
    TCase *const cases[] = {runs, refuses};

    tcase_add_checked_fixture(runs, kit_setup, kit_teardown);
    tcase_add_checked_fixture(refuses, kit_setup, kit_teardown);
    tcase_add_loop_test(runs, flex_attention_subgraphs_change_scores_and_probabilities, 0, 8);
    tcase_add_loop_test(runs, flex_attention_subgraphs_get_the_requested_precision, 0, 16);
    tcase_add_loop_test(runs, flex_attention_infers_types_of_its_subgraphs, 0, 4);
    tcase_add_test(runs, flex_attention_subgraphs_have_constants_and_read_shapes);
    tcase_add_test(runs, flex_attention_nested_subgraphs_keep_captured_values);
    tcase_add_test(runs, flex_attention_runs_inside_an_if_branch);
    tcase_add_test(runs, flex_attention_expansion_makes_unique_names);
    tcase_add_test(runs, flex_attention_accepts_subgraphs_without_nodes);
    tcase_add_test(refuses, flex_attention_rejects_subgraphs_of_another_signature);
    tcase_add_test(refuses, flex_attention_rejects_subgraphs_of_another_type);
    tcase_add_test(refuses, flex_attention_rejects_a_subgraph_that_changes_the_shape);
    tcase_add_test(refuses, flex_attention_rejects_shapes_that_do_not_fit);
    tcase_add_test(refuses, flex_attention_rejects_a_node_that_lacks_inputs);
    tcase_add_test(refuses, flex_attention_expansion_survives_every_failing_allocation);
    return kit_main("flex_attention", cases, 2);
}
