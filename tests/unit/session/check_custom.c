/* SPDX-License-Identifier: MIT */
/*
 * check_custom.c - operators that an application defines: in models, plans, subgraphs and errors. The
 * definitions are written against backplane.h alone.
 */

#include "config.h"

#include <ctype.h>
#include <stdatomic.h>

#include "support/session_kit.h"

#define DOMAIN "com.example"

/* Kernels alive, definitions released, and threads seen: what tests count. */
static atomic_int kernels, released;

/* ---- the operators --------------------------------------------------------------------------- */

struct scale {
    float factor, offset;
};

static bp_rc scale_create(void *user, const bp_operator_node *node, void **kernel, bp_err *err)
{
    const bp_attr *factor = bp_node_attr(node->graph, node->node, "factor");
    struct scale *scale;

    if (!factor)
        return bp_fail(err, BP_E_INVALID, "attribute 'factor' is missing");
    scale = malloc(sizeof *scale);
    if (!scale)
        return bp_fail(err, BP_E_NOMEM, "no memory");
    scale->factor = *(const float *)factor->data;
    scale->offset = *(const float *)user;
    if (node->constants[0]) /* a constant input is seen when the kernel is made */
        scale->offset += 1000;
    atomic_fetch_add(&kernels, 1);
    *kernel = scale;
    return BP_OK;
}

static void scale_destroy(void *kernel)
{
    atomic_fetch_sub(&kernels, 1);
    free(kernel);
}

static bp_rc same_shape(void *user, bp_operator_shapes *shapes, bp_err *err)
{
    bp_operator_fact x = {.struct_size = sizeof x};
    bp_rc rc = bp_operator_shapes_input(shapes, 0, &x, err);

    (void)user;
    return rc < 0 ? rc : bp_operator_shapes_set(shapes, 0, BP_DTYPE_NONE, x.rank, x.dims, err);
}

static bp_rc scale_compute(void *kernel, bp_operator_call *call, bp_err *err)
{
    const struct scale *scale = kernel;
    const bp_tensor *x = bp_operator_input(call, 0);
    bp_tensor *y;
    bp_rc rc = bp_operator_size_output(call, 0, x->rank, x->dims, &y, err);

    for (int64_t i = 0; rc >= 0 && i < bp_dims_count(x->dims, x->rank); i++)
        ((float *)bp_tensor_data(y))[i] =
            scale->factor * ((const float *)bp_tensor_data(x))[i] + scale->offset;
    return rc;
}

/* All inputs one after the other; the size is their sum where all are known. */
static bp_rc pack_shapes(void *user, bp_operator_shapes *shapes, bp_err *err)
{
    bp_dim sum = {0};

    (void)user;
    for (uint32_t i = 0; i < bp_operator_shapes_inputs(shapes); i++) {
        bp_operator_fact x = {.struct_size = sizeof x};
        bp_rc rc = bp_operator_shapes_input(shapes, i, &x, err);

        if (rc < 0)
            return rc;
        if (x.rank != 1)
            return bp_fail(err, BP_E_SHAPE, "input %u has rank %u, must have 1", i, x.rank);
        sum.value = sum.value < 0 || x.dims[0].value < 0 ? -1 : sum.value + x.dims[0].value;
    }
    return bp_operator_shapes_set(shapes, 0, BP_DTYPE_NONE, 1, &sum, err);
}

static bp_rc pack_compute(void *kernel, bp_operator_call *call, bp_err *err)
{
    int64_t n = 0;
    bp_tensor *y;
    char *to;
    bp_rc rc;

    ck_assert_str_eq(kernel, "pack"); /* without create the kernel is `user` */
    for (uint32_t i = 0; i < bp_operator_inputs(call); i++)
        n += bp_operator_input(call, i)->dims[0];
    rc = bp_operator_size_output(call, 0, 1, &n, &y, err);
    if (rc < 0)
        return rc;
    to = bp_tensor_data(y);
    for (uint32_t i = 0; i < bp_operator_inputs(call); i++) {
        const bp_tensor *x = bp_operator_input(call, i);
        size_t bytes = (size_t)x->dims[0] * bp_dtype_bits(x->dtype) / 8;

        memcpy(to, bp_tensor_data(x), bytes);
        to += bytes;
    }
    return BP_OK;
}

/* The positive elements; how many is known only from them. A second output counts the others. */
static bp_rc positive_compute(void *kernel, bp_operator_call *call, bp_err *err)
{
    const bp_tensor *x = bp_operator_input(call, 0);
    int64_t count = bp_dims_count(x->dims, x->rank), n = 0;
    const float *from = bp_tensor_data(x);
    bp_tensor *y, *rest;
    float *to;
    bp_rc rc;

    (void)kernel;
    for (int64_t i = 0; i < count; i++)
        n += from[i] > 0;
    rc = bp_operator_size_output(call, 0, 1, &n, &y, err);
    if (rc >= 0)
        rc = bp_operator_size_output(call, 1, 0, NULL, &rest, err);
    if (rc < 0)
        return rc;
    to = bp_tensor_data(y);
    for (int64_t i = 0; i < count; i++) {
        if (from[i] > 0)
            *to++ = from[i];
    }
    ck_assert((rest != NULL) == (bp_operator_wants(call, 1) != 0));
    if (rest)
        *(int64_t *)bp_tensor_data(rest) = count - n;
    return BP_OK;
}

static bp_rc shout_compute(void *kernel, bp_operator_call *call, bp_err *err)
{
    const bp_tensor *x = bp_operator_input(call, 0);
    const bp_span *from = bp_tensor_data(x);
    bp_tensor *y;
    bp_rc rc = bp_operator_size_output(call, 0, x->rank, x->dims, &y, err);

    (void)kernel;
    for (int64_t i = 0; rc >= 0 && i < bp_dims_count(x->dims, x->rank); i++) {
        char text[64];

        ck_assert_uint_lt(from[i].size, sizeof text);
        for (size_t k = 0; k < from[i].size; k++)
            text[k] = (char)toupper(((const unsigned char *)from[i].data)[k]);
        rc = bp_operator_set_text(call, 0, (size_t)i, text, from[i].size, err);
    }
    return rc;
}

static void count_release(void *user)
{
    (void)user;
    atomic_fetch_add(&released, 1);
}

static const bp_operand f32_x = {.name = "X", .types = UINT64_C(1) << BP_DTYPE_F32};
static const bp_operand f32_y = {.name = "Y", .types = UINT64_C(1) << BP_DTYPE_F32};
static const bp_operand list = {
    .name = "parts", .flags = BP_OPERAND_VARIADIC, .type_var = 1, .min_count = 2};
static const bp_operand packed = {.name = "Y", .type_var = 1};
static const bp_operand text = {.name = "T", .types = UINT64_C(1) << BP_DTYPE_STRING};
static const bp_operand positive_out[] = {
    {.name = "Y", .types = UINT64_C(1) << BP_DTYPE_F32},
    {.name = "rest", .types = UINT64_C(1) << BP_DTYPE_I64, .flags = BP_OPERAND_OPTIONAL},
};
static float no_offset = 0, ten = 10, hundred = 100;
static char pack_word[] = "pack";

static bp_operator_def scale_def(uint32_t since, float *offset)
{
    return (bp_operator_def){.struct_size = sizeof(bp_operator_def),
                             .domain = DOMAIN,
                             .name = "Scale",
                             .since = since,
                             .in = &f32_x,
                             .out = &f32_y,
                             .n_in = 1,
                             .n_out = 1,
                             .user = offset,
                             .release = count_release,
                             .shapes = same_shape,
                             .create = scale_create,
                             .compute = scale_compute,
                             .destroy = scale_destroy};
}

static bp_operator_def plain_def(const char *name, const bp_operand *in, const bp_operand *out,
                                 uint32_t n_out,
                                 bp_rc (*compute)(void *, bp_operator_call *, bp_err *))
{
    return (bp_operator_def){.struct_size = sizeof(bp_operator_def),
                             .domain = DOMAIN,
                             .name = name,
                             .since = 1,
                             .in = in,
                             .out = out,
                             .n_in = 1,
                             .n_out = n_out,
                             .compute = compute};
}

static bp_operators *set_of(const bp_operator_def *defs, uint32_t n)
{
    bp_operators *set;

    KIT_OK(bp_operators_create(&set, &kit.err));
    for (uint32_t i = 0; i < n; i++)
        KIT_OK(bp_operators_add(set, &defs[i], &kit.err));
    return set;
}

/* Scale in two versions, Pack, Positive, Shout. */
static bp_operators *all(void)
{
    bp_operator_def defs[] = {
        scale_def(1, &no_offset),
        scale_def(3, &ten),
        plain_def("Pack", &list, &packed, 1, pack_compute),
        plain_def("Positive", &f32_x, positive_out, 2, positive_compute),
        plain_def("Shout", &text, &text, 1, shout_compute),
    };

    defs[2].user = pack_word;
    defs[2].shapes = pack_shapes;
    return set_of(defs, sizeof defs / sizeof *defs);
}

/* Gives the set to kit.options and forgets it. */
static void give(bp_operators *set)
{
    if (!kit.options)
        KIT_OK(bp_session_options_create(&kit.options, &kit.err));
    KIT_OK(bp_session_options_add_operators(kit.options, set, &kit.err));
    bp_operators_release(set);
}

/* ---- models ---------------------------------------------------------------------------------- */

static void open_custom(const char *name, const char *op, const char *in, const char *out)
{
    kit_open_node(name, op, in, out);
    pw_text(&kit.w, 7, DOMAIN);
}

static void custom(const char *name, const char *op, const char *in, const char *out)
{
    open_custom(name, op, in, out);
    pw_close(&kit.w);
}

static void scale(const char *name, const char *in, const char *out, float factor)
{
    open_custom(name, "Scale", in, out);
    pw_open_attr(&kit.w, "factor", 1);
    pw_float(&kit.w, 2, factor);
    pw_close(&kit.w);
    pw_close(&kit.w);
}

/* Ends the graph; imports the domain at a version, unless it is 0. */
static void end_model(int64_t version)
{
    pw_close(&kit.w);
    if (version) {
        pw_open(&kit.w, 8);
        pw_text(&kit.w, 1, DOMAIN);
        pw_int(&kit.w, 2, version);
        pw_close(&kit.w);
    }
    kit.is_closed = true;
}

/* x[N] -> Scale "s" -> y[N] */
static void scale_model(int64_t version)
{
    kit_start_model();
    kit_io(KIT_INPUT, "x", BP_DTYPE_F32, "N");
    scale("s", "x", "y", 2);
    kit_io(KIT_OUTPUT, "y", BP_DTYPE_F32, "N");
    end_model(version);
}

static void check_scale(float want_a, float want_b)
{
    float x[] = {1, -2};
    bp_binding in = KIT_TENSOR(0, BP_DTYPE_F32, x, 2), out = kit_wanted(0);

    kit_run(&in, 1, &out, 1);
    KIT_DIMS(&out.tensor, 2);
    KIT_FLOATS(&out.tensor, want_a, want_b);
    bp_tensor_free(&out.tensor);
}

/* ---- sessions -------------------------------------------------------------------------------- */

START_TEST(custom_operator_runs_like_any_other_node)
{
    bp_report_node node = {.struct_size = sizeof node};
    bp_report_provider row = {.struct_size = sizeof row};
    bp_io_info y = {.struct_size = sizeof y};

    give(all());
    scale_model(1);
    kit_session();
    KIT_OK(bp_session_output(kit.session, 0, &y, &kit.err));
    ck_assert_str_eq(y.dims[0].symbol, "N"); /* the symbol came through the callback */
    check_scale(2, -4);
    check_scale(2, -4);
    ck_assert_uint_eq(bp_report_node_count(bp_session_report(kit.session)), 1);
    KIT_OK(bp_report_get_node(bp_session_report(kit.session), 0, &node, &kit.err));
    ck_assert_str_eq(node.op, "Scale");
    ck_assert_str_eq(node.domain, DOMAIN);
    KIT_OK(bp_report_get_provider(bp_session_report(kit.session), node.provider, &row, &kit.err));
    ck_assert_str_eq(row.name, "custom");
    ck_assert_uint_eq(row.stage, BP_STAGE_RUN);
    ck_assert_str_eq(bp_session_provider(kit.session, 0), "custom");
    ck_assert_str_eq(bp_session_provider(kit.session, 1), "cpu");
    ck_assert_uint_eq(kit_warnings(), 0);
    ck_assert_int_eq(atomic_load(&kernels), 1);
    bp_session_destroy(kit.session);
    kit.session = NULL;
    ck_assert_int_eq(atomic_load(&kernels), 0);
}
END_TEST

START_TEST(opset_import_selects_the_custom_operator_version)
{
    give(all());
    scale_model(2);
    kit_session();
    check_scale(2, -4);
    scale_model(7);
    kit_session();
    check_scale(12, 6);
}
END_TEST

START_TEST(custom_operator_definition_may_have_a_last_version)
{
    bp_operator_def def = scale_def(2, &no_offset);

    def.until = 4;
    give(set_of(&def, 1));
    scale_model(4);
    kit_session();
    scale_model(5);
    KIT_FAILS(kit_try_session(), BP_E_UNSUPPORTED, "com.example.Scale-5", "knows no such operator");
    scale_model(1);
    KIT_FAILS(kit_try_session(), BP_E_UNSUPPORTED, "com.example.Scale-1");
}
END_TEST

START_TEST(all_unknown_custom_operators_are_named_at_once)
{
    give(all());
    kit_start_model();
    kit_io(KIT_INPUT, "x", BP_DTYPE_F32, "N");
    scale("s", "x", "a", 2);
    custom("u1", "Unheard", "a", "b");
    custom("u2", "Unseen", "b", "y");
    kit_io(KIT_OUTPUT, "y", BP_DTYPE_F32, "N");
    end_model(1);
    KIT_FAILS(kit_try_session(), BP_E_UNSUPPORTED, "2 nodes", "com.example.Unheard-1", "'u1'",
              "com.example.Unseen-1");
}
END_TEST

/* As ONNX Runtime has it. */
START_TEST(domain_without_an_import_has_version_1)
{
    give(all());
    scale_model(0);
    kit_session();
    check_scale(2, -4);
}
END_TEST

START_TEST(sessions_have_separate_operator_sets)
{
    bp_operator_def other = scale_def(1, &hundred);
    bp_session *first;

    give(all());
    scale_model(1);
    first = kit_session();
    kit.session = NULL;
    bp_session_options_destroy(kit.options);
    kit.options = NULL;
    give(set_of(&other, 1));
    kit_session();
    check_scale(102, 96);
    bp_session_destroy(kit.session);
    kit.session = first;
    check_scale(2, -4);
    bp_session_options_destroy(kit.options);
    kit.options = NULL;
    ck_assert_int_eq(atomic_load(&released), 1); /* `other`; the first session keeps its own */
}
END_TEST

START_TEST(operator_set_of_the_session_precedes_that_of_the_environment)
{
    bp_operator_def other = scale_def(1, &hundred);
    bp_operators *set = set_of(&other, 1);
    bp_op_info op = {.struct_size = sizeof op};

    KIT_OK(bp_env_add_operators(kit.env, set, &kit.err));
    KIT_FAILS(bp_env_add_operators(kit.env, NULL, &kit.err), BP_E_INVALID, "no set");
    bp_operators_release(set);
    scale_model(1);
    kit_session();
    check_scale(102, 96);
    KIT_OK(bp_model_op(kit.model, 0, &op, &kit.err));
    ck_assert_uint_eq(op.since, 1);
    give(all());
    kit_session();
    check_scale(2, -4);
}
END_TEST

START_TEST(custom_operator_in_two_sets_is_an_error)
{
    bp_operator_def other = scale_def(3, &hundred);

    give(all());
    give(set_of(&other, 1));
    scale_model(1);
    KIT_FAILS(kit_try_session(), BP_E_INVALID, "'Scale'", DOMAIN, "two sets");
}
END_TEST

/* ---- shapes ---------------------------------------------------------------------------------- */

START_TEST(custom_operators_take_variadic_inputs_and_give_dynamic_sizes)
{
    float x[] = {1, -2, 3}, more[] = {-4, 5};
    bp_binding in[] = {KIT_TENSOR(0, BP_DTYPE_F32, x, 3), KIT_TENSOR(1, BP_DTYPE_F32, more, 2)};
    bp_binding out[2];

    give(all());
    kit_start_model();
    kit_io(KIT_INPUT, "x", BP_DTYPE_F32, "N");
    kit_io(KIT_INPUT, "more", BP_DTYPE_F32, "M");
    scale("s", "x", "a", 2);
    scale("t", "a", "b", 1);
    custom("pack", "Pack", "b more x", "c");
    custom("pos", "Positive", "c", "d rest");
    kit_node("neg", "Neg", "d", "e");
    scale("u", "e", "y", 10);
    kit_io(KIT_OUTPUT, "y", BP_DTYPE_F32, "?");
    kit_io(KIT_OUTPUT, "rest", BP_DTYPE_I64, "");
    end_model(1);
    kit_session();
    for (int round = 0; round < 3; round++) {
        out[0] = kit_wanted(0);
        out[1] = kit_wanted(1);
        kit_run(in, 2, out, 2);
        KIT_FLOATS(&out[0].tensor, -20, -60, -50, -10, -30);
        ck_assert_int_eq(*(int64_t *)bp_tensor_data(&out[1].tensor), 3);
        bp_tensor_free(&out[0].tensor);
        bp_tensor_free(&out[1].tensor);
        in[1].tensor.dims[0] = 2;
    }
    x[0] = -1;
    x[2] = -3;
    out[0] = kit_wanted(0);
    kit_run(in, 2, out, 1);
    KIT_FLOATS(&out[0].tensor, -50);
    bp_tensor_free(&out[0].tensor);
}
END_TEST

START_TEST(custom_kernel_computes_unread_outputs)
{
    float x[] = {1, -2, 3};
    bp_binding in = KIT_TENSOR(0, BP_DTYPE_F32, x, 3), out = kit_wanted(0);

    give(all());
    kit_start_model();
    kit_io(KIT_INPUT, "x", BP_DTYPE_F32, "N");
    custom("pos", "Positive", "x", "y rest");
    kit_io(KIT_OUTPUT, "y", BP_DTYPE_F32, "?");
    end_model(1);
    kit_session();
    for (int round = 0; round < 2; round++) {
        kit_run(&in, 1, &out, 1);
        KIT_FLOATS(&out.tensor, 1, 3);
        bp_tensor_free(&out.tensor);
    }
}
END_TEST

START_TEST(custom_operator_passes_strings)
{
    bp_span words[] = {{"one", 3}, {"", 0}, {"Three", 5}};
    bp_binding in = KIT_TENSOR(0, BP_DTYPE_STRING, words, 3), out = kit_wanted(0);

    give(all());
    kit_start_model();
    kit_io(KIT_INPUT, "x", BP_DTYPE_STRING, "N");
    custom("a", "Shout", "x", "b");
    kit_node("id", "Identity", "b", "c");
    custom("d", "Shout", "c", "y");
    kit_io(KIT_OUTPUT, "y", BP_DTYPE_STRING, "N");
    end_model(1);
    kit_session();
    for (int round = 0; round < 2; round++) {
        const bp_span *got;

        kit_run(&in, 1, &out, 1);
        got = bp_tensor_data(&out.tensor);
        ck_assert_uint_eq(got[0].size, 3);
        ck_assert_mem_eq(got[0].data, "ONE", 3);
        ck_assert_uint_eq(got[1].size, 0);
        ck_assert_mem_eq(got[2].data, "THREE", 5);
        bp_tensor_free(&out.tensor);
    }
}
END_TEST

START_TEST(custom_operator_runs_in_subgraphs_and_sees_constants)
{
    float x[] = {1, -2}, c[] = {5, 6};
    bool yes = true;
    bp_binding in[] = {KIT_TENSOR(0, BP_DTYPE_F32, x, 2),
                       kit_tensor(1, BP_DTYPE_BOOL, &yes, 0, NULL)};
    bp_binding out = kit_wanted(0);

    give(all());
    kit_start_model();
    kit_io(KIT_INPUT, "x", BP_DTYPE_F32, "2");
    kit_io(KIT_INPUT, "if", BP_DTYPE_BOOL, "");
    kit_floats("c", PW_DIMS(2), 2, c);
    kit_open_node("branch", "If", "if", "y");
    kit_open_subgraph("then_branch");
    scale("s", "x", "a", 3);
    kit_io(KIT_OUTPUT, "a", BP_DTYPE_F32, "2");
    kit_close_subgraph();
    kit_open_subgraph("else_branch");
    scale("t", "c", "b", 1);
    kit_io(KIT_OUTPUT, "b", BP_DTYPE_F32, "2");
    kit_close_subgraph();
    pw_close(&kit.w);
    kit_io(KIT_OUTPUT, "y", BP_DTYPE_F32, "2");
    end_model(1);
    kit_session();
    kit_run(in, 2, &out, 1);
    KIT_FLOATS(&out.tensor, 3, -6);
    bp_tensor_free(&out.tensor);
    yes = false;
    out = kit_wanted(0);
    kit_run(in, 2, &out, 1);
    KIT_FLOATS(&out.tensor, 1005, 1006);
    bp_tensor_free(&out.tensor);
}
END_TEST

/* ---- domains of others ----------------------------------------------------------------------- */

START_TEST(reserved_domains_require_a_flag)
{
    static const char *const domains[] = {"", "ai.onnx", "ai.onnx.ml", "com.microsoft",
                                          "ai.onnx.training"};
    bp_operators *set = set_of(NULL, 0);
    bp_operator_def def = scale_def(1, &no_offset);

    for (size_t i = 0; i < sizeof domains / sizeof *domains; i++) {
        def.domain = domains[i];
        KIT_FAILS(bp_operators_add(set, &def, &kit.err), BP_E_INVALID, "'Scale'",
                  domains[i][0] ? domains[i] : "ai.onnx", "BP_OPERATOR_REPLACE");
    }
    def.domain = "org.backplane";
    def.flags = BP_OPERATOR_REPLACE;
    KIT_FAILS(bp_operators_add(set, &def, &kit.err), BP_E_INVALID, "the host's own");
    bp_operators_release(set);
}
END_TEST

/* x[N] -> Relu "r", with an attribute that ONNX's has not, or without -> y[N] */
static void relu_model(bool with_factor)
{
    kit_start_model();
    kit_io(KIT_INPUT, "x", BP_DTYPE_F32, "N");
    kit_open_node("r", "Relu", "x", "y");
    if (with_factor) {
        pw_open_attr(&kit.w, "factor", 1);
        pw_float(&kit.w, 2, 2);
        pw_close(&kit.w);
    }
    pw_close(&kit.w);
    kit_io(KIT_OUTPUT, "y", BP_DTYPE_F32, "N");
}

START_TEST(custom_operator_replaces_one_of_onnx_by_flag)
{
    bp_operator_def def = scale_def(6, &hundred);
    bp_operators *set;

    def.domain = "";
    def.name = "Relu";
    def.flags = BP_OPERATOR_REPLACE;
    set = set_of(&def, 1);
    relu_model(false);
    kit_session();
    check_scale(1, 0); /* without the set it is ONNX's */
    KIT_OK(bp_env_add_operators(kit.env, set, &kit.err));
    bp_operators_release(set);
    KIT_FAILS(kit_try_session(), BP_E_INVALID, "'r' (Relu)", "attribute 'factor' is missing");
    relu_model(true);
    kit_provider("few", BP_FALLBACK_WARN); /* takes Relu, but comes after */
    kit_session();
    check_scale(102, 96);
    ck_assert_uint_gt(kit_lines_with(BP_LOG_INFO, "operator Relu (node 'r') is the application's"),
                      0);
}
END_TEST

/* ---- errors ---------------------------------------------------------------------------------- */

static bp_rc refuse(void *user, const bp_operator_node *node, bp_err *err)
{
    (void)user;
    ck_assert_ptr_null(node->constants[0]);
    return bp_fail(err, BP_E_UNSUPPORTED, "not on a %s", "Sunday");
}

START_TEST(custom_operator_may_refuse_a_node_with_a_reason)
{
    bp_operator_def def = scale_def(1, &no_offset);
    bp_report_refusal refusal = {.struct_size = sizeof refusal};
    bp_report_node node = {.struct_size = sizeof node};
    bp_report *report;

    def.claim = refuse;
    give(set_of(&def, 1));
    scale_model(1);
    KIT_FAILS(kit_try_session(), BP_E_UNSUPPORTED, "com.example.Scale-1 (node 's'");
    KIT_OK(bp_plan_create(kit.env, kit_model(), kit.options, &report, &kit.err));
    KIT_OK(bp_report_get_node(report, 0, &node, &kit.err));
    ck_assert_uint_eq(node.provider, BP_NONE);
    KIT_OK(bp_report_get_refusal(report, 0, 0, &refusal, &kit.err));
    ck_assert_str_eq(refusal.text, "not on a Sunday");
    bp_report_destroy(report);
}
END_TEST

START_TEST(failed_creation_of_a_kernel_is_reported)
{
    give(all());
    kit_start_model();
    kit_io(KIT_INPUT, "x", BP_DTYPE_F32, "N");
    scale("fine", "x", "a", 1);
    custom("bare", "Scale", "a", "y");
    kit_io(KIT_OUTPUT, "y", BP_DTYPE_F32, "N");
    end_model(1);
    KIT_FAILS(kit_try_session(), BP_E_INVALID, "'bare' (Scale)", "attribute 'factor' is missing");
    ck_assert_int_eq(atomic_load(&kernels), 0); /* the kernel of "fine" was released too */
}
END_TEST

static bp_rc wrong_shape(void *kernel, bp_operator_call *call, bp_err *err)
{
    int64_t n = bp_operator_input(call, 0)->dims[0] + 1;
    bp_tensor *y;

    (void)kernel;
    return bp_operator_size_output(call, 0, 1, &n, &y, err);
}

static bp_rc no_output(void *kernel, bp_operator_call *call, bp_err *err)
{
    (void)kernel;
    (void)call;
    (void)err;
    return BP_OK;
}

static bp_rc bad_calls(void *kernel, bp_operator_call *call, bp_err *err)
{
    int64_t negative = -1, two = 2;
    bp_tensor *y;

    (void)kernel;
    (void)err;
    ck_assert_ptr_null(bp_operator_input(call, 7));
    ck_assert_ptr_null(bp_operator_output(call, 0));
    KIT_FAILS(bp_operator_size_output(call, 4, 1, &two, &y, &kit.err), BP_E_INVALID, "output 4");
    KIT_FAILS(bp_operator_size_output(call, 0, 1, &negative, &y, &kit.err), BP_E_SHAPE, "-1");
    KIT_FAILS(bp_operator_size_output(call, 0, 1, NULL, &y, &kit.err), BP_E_INVALID,
              "without dims");
    KIT_FAILS(bp_operator_set_text(call, 0, 0, "a", 1, &kit.err), BP_E_INVALID, "no size yet");
    KIT_OK(bp_operator_size_output(call, 0, 1, &two, &y, &kit.err));
    KIT_FAILS(bp_operator_set_text(call, 0, 0, "a", 1, &kit.err), BP_E_INVALID, "strings");
    return bp_fail(&kit.err, BP_E_CANCELLED, "done");
}

static bp_rc no_words(void *kernel, bp_operator_call *call, bp_err *err)
{
    (void)kernel;
    (void)call;
    (void)err;
    return BP_E_DEVICE_LOST;
}

static void try_compute(bp_rc (*compute)(void *, bp_operator_call *, bp_err *),
                        bp_rc (*shapes)(void *, bp_operator_shapes *, bp_err *), bp_rc rc,
                        const char *words)
{
    bp_operator_def def = plain_def("Scale", &f32_x, &f32_y, 1, compute);
    float x[] = {1, 2};
    bp_binding in = KIT_TENSOR(0, BP_DTYPE_F32, x, 2), out = kit_wanted(0);

    def.shapes = shapes;
    bp_session_options_destroy(kit.options);
    kit.options = NULL;
    give(set_of(&def, 1));
    scale_model(1);
    kit_session();
    KIT_FAILS(bp_session_run(kit.session, &in, 1, &out, 1, NULL, &kit.err), rc, words);
    ck_assert_ptr_null(out.tensor.base);
}

START_TEST(failed_kernel_ends_the_run_with_a_message)
{
    try_compute(wrong_shape, same_shape, BP_E_SHAPE, "'s' (Scale): output 0 is made with 3");
    try_compute(no_output, NULL, BP_E_INTERNAL, "'s' (Scale): the kernel returned without");
    try_compute(no_words, same_shape, BP_E_DEVICE_LOST, "no reason given (BP_E_DEVICE_LOST)");
    try_compute(bad_calls, NULL, BP_E_CANCELLED, "done");
}
END_TEST

START_TEST(nodes_that_contradict_the_definition_are_rejected)
{
    give(all());
    kit_start_model();
    kit_io(KIT_INPUT, "x", BP_DTYPE_I64, "N");
    scale("s", "x", "y", 1);
    kit_io(KIT_OUTPUT, "y", BP_DTYPE_F32, "N");
    end_model(1);
    KIT_FAILS(kit_try_session(), BP_E_INVALID, "'s' (Scale)", "input X has type int64", "float32");
    kit_start_model();
    kit_io(KIT_INPUT, "x", BP_DTYPE_F32, "N");
    custom("p", "Pack", "x", "y");
    kit_io(KIT_OUTPUT, "y", BP_DTYPE_F32, "N");
    end_model(1);
    KIT_FAILS(kit_try_session(), BP_E_INVALID, "'p' (Pack)", "1 inputs of the list parts", "2");
    kit_start_model();
    kit_io(KIT_INPUT, "x", BP_DTYPE_F32, "N,2");
    custom("p", "Pack", "x x", "y");
    kit_io(KIT_OUTPUT, "y", BP_DTYPE_F32, "N");
    end_model(1);
    KIT_FAILS(kit_try_session(), BP_E_SHAPE, "'p' (Pack)", "input 0 has rank 2");
    kit_start_model();
    kit_io(KIT_INPUT, "x", BP_DTYPE_F32, "N");
    custom("p", "Positive", "x x", "y");
    kit_io(KIT_OUTPUT, "y", BP_DTYPE_F32, "N");
    end_model(1);
    KIT_FAILS(kit_try_session(), BP_E_INVALID, "'p' (Positive) has 2 inputs", "1 input");
}
END_TEST

START_TEST(invalid_custom_operator_definitions_are_rejected)
{
    bp_operator_def good = scale_def(1, &no_offset), def;
    bp_operand twice[] = {list, packed}, bad = f32_x;
    bp_operators *set = set_of(&good, 1);

#define REFUSED(change, ...)                                                                       \
    do {                                                                                           \
        def = scale_def(2, &no_offset);                                                            \
        change;                                                                                    \
        KIT_FAILS(bp_operators_add(set, &def, &kit.err), BP_E_INVALID, __VA_ARGS__);               \
    } while (0)
    REFUSED(def.name = "", "needs a name");
    REFUSED(def.domain = NULL, "needs a domain");
    REFUSED(def.since = 0, "not a range");
    REFUSED(def.until = 1, "not a range");
    REFUSED(def.compute = NULL, "no compute");
    REFUSED(def.create = NULL, "create is NULL");
    REFUSED(def.n_out = 0, "no outputs");
    REFUSED(def.in = NULL, "without a list");
    REFUSED(def.flags = 64, "unknown flags");
    REFUSED((def.in = twice, def.n_in = 2), "input 0 is variadic");
    REFUSED((bad.name = NULL, def.in = &bad), "has no name");
    REFUSED((bad = f32_x, bad.types = 1, def.in = &bad), "not an element type");
    REFUSED((bad = f32_x, bad.type_var = 100, def.in = &bad), "99");
    REFUSED((bad = f32_x, bad.flags = 1u << 9, def.in = &bad), "unknown flag");
    REFUSED((bad = f32_x, bad.flags = BP_OPERAND_MIXED, def.in = &bad), "not variadic");
    REFUSED(def.since = 1, "defined twice");
    REFUSED(def.struct_size = 0, "struct_size");
#undef REFUSED
    KIT_FAILS(bp_operators_add(NULL, &good, &kit.err), BP_E_INVALID, "a set");
    give(set);
    scale_model(1);
    kit_session();
    def = scale_def(2, &no_offset);
    KIT_FAILS(bp_operators_add(set, &def, &kit.err), BP_E_INVALID, "in use by a session");
    bp_session_destroy(kit.session);
    kit.session = NULL;
    KIT_OK(bp_operators_add(set, &def, &kit.err));
}
END_TEST

static void setup(void)
{
    atomic_store(&kernels, 0);
    atomic_store(&released, 0);
    kit_setup();
}

int main(void)
{
    TCase *tcase = tcase_create("custom");

    tcase_add_checked_fixture(tcase, setup, kit_teardown);
    tcase_add_test(tcase, custom_operator_runs_like_any_other_node);
    tcase_add_test(tcase, opset_import_selects_the_custom_operator_version);
    tcase_add_test(tcase, custom_operator_definition_may_have_a_last_version);
    tcase_add_test(tcase, all_unknown_custom_operators_are_named_at_once);
    tcase_add_test(tcase, domain_without_an_import_has_version_1);
    tcase_add_test(tcase, sessions_have_separate_operator_sets);
    tcase_add_test(tcase, operator_set_of_the_session_precedes_that_of_the_environment);
    tcase_add_test(tcase, custom_operator_in_two_sets_is_an_error);
    tcase_add_test(tcase, custom_operators_take_variadic_inputs_and_give_dynamic_sizes);
    tcase_add_test(tcase, custom_kernel_computes_unread_outputs);
    tcase_add_test(tcase, custom_operator_passes_strings);
    tcase_add_test(tcase, custom_operator_runs_in_subgraphs_and_sees_constants);
    tcase_add_test(tcase, reserved_domains_require_a_flag);
    tcase_add_test(tcase, custom_operator_replaces_one_of_onnx_by_flag);
    tcase_add_test(tcase, custom_operator_may_refuse_a_node_with_a_reason);
    tcase_add_test(tcase, failed_creation_of_a_kernel_is_reported);
    tcase_add_test(tcase, failed_kernel_ends_the_run_with_a_message);
    tcase_add_test(tcase, nodes_that_contradict_the_definition_are_rejected);
    tcase_add_test(tcase, invalid_custom_operator_definitions_are_rejected);
    return kit_main("custom", &tcase, 1);
}
