/* SPDX-License-Identifier: MIT */
/*
 * check_custom_objects.c - operators that an application defines on sequences and optionals: in models,
 * subgraphs, plans and errors.
 */

#include "config.h"

#include <pthread.h>

#include "support/session_kit.h"

#define DOMAIN "com.example"

enum {
    TENSOR = 1u << BP_KIND_TENSOR,
    SEQUENCE = 1u << BP_KIND_SEQUENCE,
    OPTIONAL = 1u << BP_KIND_OPTIONAL
};

/* ---- the operators --------------------------------------------------------------------------- */

/* The items in the other order. */
static bp_rc reverse(void *kernel, bp_operator_call *call, bp_err *err)
{
    const bp_object *from = bp_operator_input_object(call, 0);
    uint32_t n = bp_object_count(from);
    bp_object *items[16] = {0}, *to;
    bp_rc rc;

    (void)kernel;
    ck_assert_ptr_null(bp_operator_input(call, 0));
    ck_assert_uint_le(n, 16);
    for (uint32_t i = 0; i < n; i++)
        items[i] = bp_object_item(from, n - 1 - i);
    rc = bp_object_sequence(items, n, &to, err);
    return rc < 0 ? rc : bp_operator_set_object(call, 0, to, err);
}

/* The sum of all elements, and how many items there were. */
static bp_rc sum(void *kernel, bp_operator_call *call, bp_err *err)
{
    const bp_object *from = bp_operator_input_object(call, 0);
    bp_tensor *total, *count = NULL;
    bp_rc rc = bp_operator_size_output(call, 0, 0, NULL, &total, err);

    (void)kernel;
    if (rc >= 0 && bp_operator_wants(call, 1))
        rc = bp_operator_size_output(call, 1, 0, NULL, &count, err);
    if (rc < 0)
        return rc;
    *(float *)bp_tensor_data(total) = 0;
    for (uint32_t i = 0; i < bp_object_count(from); i++) {
        const bp_tensor *item = bp_object_tensor(bp_object_item(from, i));

        for (int64_t k = 0; k < bp_dims_count(item->dims, item->rank); k++)
            *(float *)bp_tensor_data(total) += ((const float *)bp_tensor_data(item))[k];
    }
    if (count)
        *(int64_t *)bp_tensor_data(count) = bp_object_count(from);
    return BP_OK;
}

static bp_rc sum_shapes(void *user, bp_operator_shapes *shapes, bp_err *err)
{
    bp_operator_fact x = {.struct_size = sizeof x};
    bp_rc rc = bp_operator_shapes_input(shapes, 0, &x, err);

    (void)user;
    ck_assert_uint_eq(x.kind, BP_KIND_SEQUENCE);
    ck_assert_uint_eq(x.dtype, BP_DTYPE_F32);
    ck_assert_uint_eq(x.rank, BP_RANK_UNKNOWN);
    if (rc >= 0)
        rc = bp_operator_shapes_set(shapes, 0, BP_DTYPE_NONE, 0, NULL, err);
    return rc < 0 ? rc : bp_operator_shapes_set(shapes, 1, BP_DTYPE_NONE, 0, NULL, err);
}

/* What an optional or a tensor has, else the second input; a text that tells what it was. */
static bp_rc get_or(void *kernel, bp_operator_call *call, bp_err *err)
{
    const bp_object *optional = bp_operator_input_object(call, 0);
    const bp_tensor *from = bp_operator_input(call, 0);
    const char *word = from ? "tensor" : "other";
    const int64_t one = 1;
    bp_tensor *to, *what;
    bp_rc rc;

    (void)kernel;
    if (optional && bp_object_count(optional) > 0) {
        from = bp_object_tensor(bp_object_item(optional, 0));
        word = "optional";
    }
    if (!from)
        from = bp_operator_input(call, 1);
    rc = bp_operator_size_output(call, 0, from->rank, from->dims, &to, err);
    if (rc >= 0)
        rc = bp_operator_size_output(call, 1, 1, &one, &what, err);
    if (rc < 0)
        return rc;
    memcpy(bp_tensor_data(to), bp_tensor_data(from), from->bytes);
    return bp_operator_set_text(call, 1, 0, word, strlen(word), err);
}

/* An optional of the tensor where its first element is positive, else of nothing. */
static bp_rc positive(void *kernel, bp_operator_call *call, bp_err *err)
{
    const bp_tensor *from = bp_operator_input(call, 0);
    bp_object *item = NULL, *optional;
    bp_rc rc = BP_OK;

    (void)kernel;
    if (*(const float *)bp_tensor_data(from) > 0)
        rc = bp_object_from_tensor(from, &item, err);
    if (rc >= 0)
        rc = bp_object_optional(item, &optional, err);
    bp_object_release(item);
    return rc < 0 ? rc : bp_operator_set_object(call, 0, optional, err);
}

#define TYPE(dtype) (UINT64_C(1) << BP_DTYPE_##dtype)

static const bp_operand any_sequence = {.name = "S", .kinds = SEQUENCE, .type_var = 1};
static const bp_operand floats = {.name = "S", .kinds = SEQUENCE, .types = TYPE(F32)};
static const bp_operand sums[] = {
    {.name = "total", .types = TYPE(F32)},
    {.name = "count", .types = TYPE(I64), .flags = BP_OPERAND_OPTIONAL},
};
static const bp_operand maybe_in[] = {
    {.name = "X", .kinds = TENSOR | OPTIONAL, .type_var = 1},
    {.name = "default", .kinds = TENSOR, .type_var = 1},
};
static const bp_operand maybe_out[] = {
    {.name = "Y", .type_var = 1},
    {.name = "what", .types = TYPE(STRING)},
};
static const bp_operand tensor = {.name = "X", .types = TYPE(F32)};
static const bp_operand optional = {.name = "O", .kinds = OPTIONAL, .types = TYPE(F32)};

typedef bp_rc compute_fn(void *kernel, bp_operator_call *call, bp_err *err);

static bp_operator_def def_of(const char *name, const bp_operand *in, uint32_t n_in,
                              const bp_operand *out, uint32_t n_out, compute_fn *compute)
{
    return (bp_operator_def){.struct_size = sizeof(bp_operator_def),
                             .domain = DOMAIN,
                             .name = name,
                             .since = 1,
                             .in = in,
                             .out = out,
                             .n_in = n_in,
                             .n_out = n_out,
                             .compute = compute};
}

/* Gives a set of these definitions to the session's options. */
static void give(const bp_operator_def *defs, uint32_t n)
{
    bp_operators *set;

    KIT_OK(bp_operators_create(&set, &kit.err));
    for (uint32_t i = 0; i < n; i++)
        KIT_OK(bp_operators_add(set, &defs[i], &kit.err));
    KIT_OK(bp_session_options_create(&kit.options, &kit.err));
    KIT_OK(bp_session_options_add_operators(kit.options, set, &kit.err));
    bp_operators_release(set);
}

static void give_all(void)
{
    bp_operator_def defs[] = {
        def_of("Reverse", &any_sequence, 1, &any_sequence, 1, reverse),
        def_of("Total", &floats, 1, sums, 2, sum),
        def_of("GetOr", maybe_in, 2, maybe_out, 2, get_or),
        def_of("Positive", &tensor, 1, &optional, 1, positive),
    };

    defs[1].shapes = sum_shapes;
    give(defs, sizeof defs / sizeof *defs);
}

/* ---- models ---------------------------------------------------------------------------------- */

static void custom(const char *name, const char *op, const char *in, const char *out)
{
    kit_open_node(name, op, in, out);
    pw_text(&kit.w, 7, DOMAIN);
    pw_close(&kit.w);
}

/* s, a sequence of float32, -> op -> out */
static void one_node_model(const char *op, const char *out)
{
    kit_start_model();
    kit_io_of(KIT_INPUT, "s", BP_KIND_SEQUENCE, 0, BP_DTYPE_F32);
    custom("n", op, "s", out);
}

/* A sequence of vectors {1}, {2, 2}, {3, 3, 3}, ... */
static bp_object *vectors(uint32_t n)
{
    bp_object *items[16] = {0}, *sequence;

    for (uint32_t i = 0; i < n; i++) {
        float values[16];
        bp_binding binding;

        for (uint32_t k = 0; k <= i; k++)
            values[k] = (float)(i + 1);
        binding = KIT_TENSOR(0, BP_DTYPE_F32, values, (int64_t)i + 1);
        KIT_OK(bp_object_from_tensor(&binding.tensor, &items[i], &kit.err));
    }
    KIT_OK(bp_object_sequence(items, n, &sequence, &kit.err));
    for (uint32_t i = 0; i < n; i++)
        bp_object_release(items[i]);
    return sequence;
}

/* ---- runs ------------------------------------------------------------------------------------ */

START_TEST(operator_takes_and_gives_sequences)
{
    bp_io_info info = {.struct_size = sizeof info};

    give_all();
    one_node_model("Reverse", "r");
    kit_io_of(KIT_OUTPUT, "r", BP_KIND_SEQUENCE, 0, BP_DTYPE_F32);
    kit_session();
    KIT_OK(bp_session_output(kit.session, 0, &info, &kit.err));
    ck_assert_uint_eq(info.type->kind, BP_KIND_SEQUENCE);
    for (uint32_t n = 0; n < 4; n++) {
        bp_binding in = {.object = vectors(n)}, out = kit_wanted(0);

        kit_run(&in, 1, &out, 1);
        ck_assert_ptr_nonnull(out.object);
        ck_assert_uint_eq(bp_object_count(out.object), n);
        for (uint32_t i = 0; i < n; i++) {
            const bp_tensor *item = bp_object_tensor(bp_object_item(out.object, i));

            ck_assert_int_eq(item->dims[0], (int64_t)(n - i));
            ck_assert(((const float *)bp_tensor_data(item))[0] == (float)(n - i));
        }
        bp_object_release(in.object);
        bp_object_release(out.object);
    }
}
END_TEST

/* Types go through the operator: what follows is planned as if the host had made the sequence. */
START_TEST(operator_stands_between_the_hosts_own)
{
    float x[] = {1, 2, 3};
    bp_binding in = KIT_TENSOR(0, BP_DTYPE_F32, x, 3), out[3];

    give_all();
    kit_start_model();
    kit_io(KIT_INPUT, "x", BP_DTYPE_F32, "N");
    kit_node("neg", "Neg", "x", "y");
    kit_node("make", "SequenceConstruct", "x y", "s");
    custom("r", "Reverse", "s", "t");
    kit_ints("zero", (int64_t[]){-1}, 1, (int64_t[]){0});
    kit_node("at", "SequenceAt", "t zero", "first");
    kit_node("relu", "Relu", "first", "z");
    custom("sum", "Total", "t", "total count");
    kit_io(KIT_OUTPUT, "z", BP_DTYPE_F32, NULL);
    kit_io(KIT_OUTPUT, "total", BP_DTYPE_F32, "");
    kit_io(KIT_OUTPUT, "count", BP_DTYPE_I64, "");
    kit_session();
    for (int round = 0; round < 2; round++) {
        for (uint32_t i = 0; i < 3; i++)
            out[i] = kit_wanted(i);
        kit_run(&in, 1, out, 3);
        KIT_FLOATS(&out[0].tensor, 0, 0, 0);
        KIT_FLOATS(&out[1].tensor, 0);
        ck_assert_int_eq(*(const int64_t *)bp_tensor_data(&out[2].tensor), 2);
        for (uint32_t i = 0; i < 3; i++)
            bp_tensor_free(&out[i].tensor);
    }
}
END_TEST

/* One operand of two kinds; tensors and strings beside objects. */
START_TEST(operator_takes_optionals_and_tensors)
{
    float x[] = {5}, d[] = {7, 8};
    bp_binding in[] = {KIT_TENSOR(0, BP_DTYPE_F32, x, 1), KIT_TENSOR(1, BP_DTYPE_F32, d, 2)};
    static const char *const words[] = {"optional", "other"};

    give_all();
    kit_start_model();
    kit_io(KIT_INPUT, "x", BP_DTYPE_F32, "N");
    kit_io(KIT_INPUT, "d", BP_DTYPE_F32, "M");
    custom("p", "Positive", "x", "o");
    custom("g", "GetOr", "o d", "y what");
    custom("h", "GetOr", "x d", "z kind");
    kit_io(KIT_OUTPUT, "y", BP_DTYPE_F32, NULL);
    kit_io(KIT_OUTPUT, "what", BP_DTYPE_STRING, NULL);
    kit_io(KIT_OUTPUT, "kind", BP_DTYPE_STRING, NULL);
    kit_io_of(KIT_OUTPUT, "o", BP_KIND_OPTIONAL, 0, BP_DTYPE_F32);
    kit_session();
    for (int round = 0; round < 4; round++) {
        bp_binding out[4];
        bool has = round % 2 == 0;
        const bp_span *text;

        x[0] = has ? 5 : -5;
        for (uint32_t i = 0; i < 4; i++)
            out[i] = kit_wanted(i);
        kit_run(in, 2, out, 4);
        if (has)
            KIT_FLOATS(&out[0].tensor, 5);
        else
            KIT_FLOATS(&out[0].tensor, 7, 8);
        text = bp_tensor_data(&out[1].tensor);
        ck_assert_uint_eq(text->size, strlen(words[!has]));
        ck_assert_mem_eq(text->data, words[!has], text->size);
        text = bp_tensor_data(&out[2].tensor);
        ck_assert_mem_eq(text->data, "tensor", 6);
        ck_assert_uint_eq(bp_object_count(out[3].object), has);
        bp_object_release(out[3].object);
        for (uint32_t i = 0; i < 3; i++)
            bp_tensor_free(&out[i].tensor);
    }
}
END_TEST

/* In a branch, on a sequence of the graph around it. */
START_TEST(operator_runs_in_subgraphs)
{
    uint8_t yes = 1;
    bp_binding in[] = {{.object = vectors(3)}, KIT_TENSOR(1, BP_DTYPE_BOOL, &yes, 1)};
    bp_binding out = kit_wanted(0);

    give_all();
    kit_start_model();
    kit_io_of(KIT_INPUT, "s", BP_KIND_SEQUENCE, 0, BP_DTYPE_F32);
    kit_io(KIT_INPUT, "c", BP_DTYPE_BOOL, "1");
    kit_open_node("if", "If", "c", "y");
    kit_open_subgraph("then_branch");
    custom("sum", "Total", "s", "a");
    kit_io(KIT_OUTPUT, "a", BP_DTYPE_F32, "");
    kit_close_subgraph();
    kit_open_subgraph("else_branch");
    custom("r", "Reverse", "s", "t");
    custom("sum", "Total", "t", "b");
    kit_node("neg", "Neg", "b", "e");
    kit_io(KIT_OUTPUT, "e", BP_DTYPE_F32, "");
    kit_close_subgraph();
    pw_close(&kit.w);
    kit_io(KIT_OUTPUT, "y", BP_DTYPE_F32, "");
    kit_session();
    for (int round = 0; round < 4; round++) {
        yes = round % 2 == 0;
        kit_run(in, 2, &out, 1);
        KIT_FLOATS(&out.tensor, yes ? 14 : -14);
    }
    bp_tensor_free(&out.tensor);
    bp_object_release(in[0].object);
}
END_TEST

/* Takes the place of ONNX's own. */
START_TEST(operator_replaces_one_of_onnx)
{
    bp_operator_def def = def_of("SequenceErase", &floats, 1, &floats, 1, reverse);
    bp_binding in = {.object = vectors(2)}, out = kit_wanted(0);

    def.domain = "";
    def.flags = BP_OPERATOR_REPLACE;
    give(&def, 1);
    kit_start_model();
    kit_io_of(KIT_INPUT, "s", BP_KIND_SEQUENCE, 0, BP_DTYPE_F32);
    kit_node("n", "SequenceErase", "s", "r");
    kit_io_of(KIT_OUTPUT, "r", BP_KIND_SEQUENCE, 0, BP_DTYPE_F32);
    kit_session();
    kit_run(&in, 1, &out, 1);
    ck_assert_int_eq(bp_object_tensor(bp_object_item(out.object, 0))->dims[0], 2);
    bp_object_release(in.object);
    bp_object_release(out.object);
}
END_TEST

static void *run_often(void *u)
{
    (void)u;
    for (uint32_t i = 0; i < 50; i++) {
        char text[256];
        bp_err err = bp_err_init(text, sizeof text);
        bp_binding in = {.object = vectors(4)}, out = kit_wanted(0);

        ck_assert_int_eq(bp_session_run(kit.session, &in, 1, &out, 1, NULL, &err), BP_OK);
        KIT_FLOATS(&out.tensor, 30);
        bp_tensor_free(&out.tensor);
        bp_object_release(in.object);
    }
    return NULL;
}

START_TEST(runs_overlap)
{
    pthread_t threads[4];

    give_all();
    one_node_model("Total", "y");
    kit_io(KIT_OUTPUT, "y", BP_DTYPE_F32, "");
    kit_session();
    for (uint32_t i = 0; i < 4; i++)
        ck_assert_int_eq(pthread_create(&threads[i], NULL, run_often, NULL), 0);
    for (uint32_t i = 0; i < 4; i++)
        ck_assert_int_eq(pthread_join(threads[i], NULL), 0);
}
END_TEST

/* ---- errors ---------------------------------------------------------------------------------- */

/* What the kernel of `Odd` does wrong. */
static int fault;

static bp_rc odd(void *kernel, bp_operator_call *call, bp_err *err)
{
    bp_object *item, *object = NULL;
    bp_tensor *y;
    bp_rc rc;

    (void)kernel;
    if (fault == 0)
        return BP_OK; /* nothing given */
    if (fault == 1)
        return bp_operator_size_output(call, 0, 0, NULL, &y, err);
    if (fault == 2)
        return bp_operator_set_object(call, 0, NULL, err);
    rc = bp_object_from_int64(3, &item, err);
    if (rc >= 0 && fault == 3)
        rc = bp_object_optional(item, &object, err);
    if (rc >= 0 && fault == 4)
        rc = bp_object_sequence(&item, 1, &object, err);
    bp_object_release(item);
    return rc < 0 ? rc : bp_operator_set_object(call, 0, object, err);
}

START_TEST(wrong_answers_of_a_kernel_fail_the_run)
{
    static const char *const words[] = {
        "without giving output 0 ('r') a value",
        "output 0 is no tensor",
        "object",
        "output 0 is given an optional, by its operator it is a sequence",
        "output 0 has another type inside",
    };
    bp_operator_def def = def_of("Odd", &floats, 1, &floats, 1, odd);
    bp_binding in = {.object = vectors(1)}, out = kit_wanted(0);

    give(&def, 1);
    one_node_model("Odd", "r");
    kit_io_of(KIT_OUTPUT, "r", BP_KIND_SEQUENCE, 0, BP_DTYPE_F32);
    kit_session();
    for (fault = 0; fault < 5; fault++) {
        bp_rc rc = bp_session_run(kit.session, &in, 1, &out, 1, NULL, &kit.err);

        ck_assert_msg(rc < 0 && strstr(kit.text, words[fault]) && strstr(kit.text, "'n' (Odd)"),
                      "fault %d: %d, %s", fault, rc, kit.text);
        ck_assert_ptr_null(out.object);
    }
    bp_object_release(in.object);
}
END_TEST

static bp_rc refuse(void *user, const bp_operator_node *node, bp_err *err)
{
    (void)user;
    (void)node;
    return bp_fail(err, BP_E_UNSUPPORTED, "not on a %s", "Sunday");
}

START_TEST(refusal_of_the_application_is_the_reason)
{
    bp_operator_def def = def_of("Odd", &floats, 1, &floats, 1, odd);
    bp_report_node node = {.struct_size = sizeof node};
    bp_report *report;

    def.claim = refuse;
    give(&def, 1);
    one_node_model("Odd", "r");
    kit_io_of(KIT_OUTPUT, "r", BP_KIND_SEQUENCE, 0, BP_DTYPE_F32);
    KIT_FAILS(kit_try_session(), BP_E_UNSUPPORTED, "com.example.Odd-1", "not on a Sunday");
    KIT_OK(bp_plan_create(kit.env, kit_model(), kit.options, &report, &kit.err));
    KIT_OK(bp_report_get_node(report, 0, &node, &kit.err));
    ck_assert_uint_eq(node.provider, BP_NONE);
    bp_report_destroy(report);
}
END_TEST

START_TEST(nodes_of_another_kind_are_rejected)
{
    give_all();
    kit_start_model();
    kit_io(KIT_INPUT, "x", BP_DTYPE_F32, "N");
    custom("n", "Reverse", "x", "y");
    kit_io_of(KIT_OUTPUT, "y", BP_KIND_SEQUENCE, 0, BP_DTYPE_F32);
    KIT_FAILS(kit_try_session(), BP_E_INVALID, "'n' (Reverse)", "which the operator does not take");
    kit_start_model();
    kit_io_of(KIT_INPUT, "s", BP_KIND_SEQUENCE, 0, BP_DTYPE_I32);
    custom("n", "Total", "s", "y");
    kit_io(KIT_OUTPUT, "y", BP_DTYPE_F32, "");
    KIT_FAILS(kit_try_session(), BP_E_INVALID, "'n' (Total)", "int32");
}
END_TEST

START_TEST(definitions_of_impossible_kinds_are_rejected)
{
    bp_operand bad = floats;
    bp_operator_def def = def_of("Odd", &bad, 1, &floats, 1, odd);
    bp_operators *set;

    KIT_OK(bp_operators_create(&set, &kit.err));
    bad.kinds = 1u << BP_KIND_MAP;
    KIT_FAILS(bp_operators_add(set, &def, &kit.err), BP_E_INVALID, "input 0", "`kinds`");
    bad.kinds = TENSOR | SEQUENCE;
    def.out = &bad;
    KIT_FAILS(bp_operators_add(set, &def, &kit.err), BP_E_INVALID, "output 0", "several kinds");
    bp_operators_release(set);
}
END_TEST

int main(void)
{
    TCase *tcase = tcase_create("custom_objects");

    tcase_add_checked_fixture(tcase, kit_setup, kit_teardown);
    tcase_add_test(tcase, operator_takes_and_gives_sequences);
    tcase_add_test(tcase, operator_stands_between_the_hosts_own);
    tcase_add_test(tcase, operator_takes_optionals_and_tensors);
    tcase_add_test(tcase, operator_runs_in_subgraphs);
    tcase_add_test(tcase, operator_replaces_one_of_onnx);
    tcase_add_test(tcase, runs_overlap);
    tcase_add_test(tcase, wrong_answers_of_a_kernel_fail_the_run);
    tcase_add_test(tcase, refusal_of_the_application_is_the_reason);
    tcase_add_test(tcase, nodes_of_another_kind_are_rejected);
    tcase_add_test(tcase, definitions_of_impossible_kinds_are_rejected);
    return kit_main("custom_objects", &tcase, 1);
}
