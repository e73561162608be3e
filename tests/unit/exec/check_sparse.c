/* SPDX-License-Identifier: MIT */
/* check_sparse.c - sparse tensors as values, through runs, and SparseToDenseMatMul. */

#include "config.h"

#include <check.h>
#include <stdlib.h>
#include <string.h>

#include "support/fail_alloc.h"
#include "support/random.h"
#include "support/session_kit.h"
#include "support/typed.h"

#define COUNT(a) (sizeof(a) / sizeof(a)[0])

enum { MOST = 8, MOST_VALUES = MOST * MOST };

/* ---- objects --------------------------------------------------------------------------------- */

/* A vector of elements, or a matrix of `columns` columns if that is not 0. */
static bp_object *list(uint32_t dtype, const void *data, int64_t n, int64_t columns)
{
    int64_t dims[2] = {columns ? n / columns : n, columns};
    bp_tensor tensor = {.base = (void *)(uintptr_t)data,
                        .dims = dims,
                        .rank = columns ? 2 : 1,
                        .bytes = (size_t)n * (bp_dtype_width(dtype) / 8),
                        .dtype = dtype};
    bp_object *out;

    KIT_OK(bp_object_from_tensor(&tensor, &out, &kit.err));
    return out;
}

static bp_tensor shape(uint32_t dtype, uint32_t rank, int64_t *dims)
{
    return (bp_tensor){.dims = dims, .rank = rank, .dtype = dtype};
}

static bp_rc make(uint32_t format, uint32_t rank, int64_t *dims, bp_object **parts, uint32_t n,
                  bp_object **out)
{
    bp_tensor dense = shape(BP_DTYPE_F32, rank, dims);

    return bp_object_sparse(format, &dense, parts, n, out, &kit.err);
}

static const float two[] = {5, 6};

static const struct {
    const char *why; /* NULL: it is fine */
    uint32_t format, rank;
    int64_t dims[3], columns; /* of the indices */
    int64_t n_at, at[6], n_rows, rows[5];
} objects[] = {
    {NULL, BP_SPARSE_COO, 2, {3, 4}, 0, 2, {1, 11}, 0, {0}},
    {NULL, BP_SPARSE_COO, 2, {3, 4}, 2, 4, {2, 3, 0, 0}, 0, {0}},
    {NULL, BP_SPARSE_COO, 3, {2, 2, 2}, 3, 6, {1, 1, 1, 0, 0, 1}, 0, {0}},
    {"index 12 of a sparse tensor is not in 0..11",
     BP_SPARSE_COO,
     2,
     {3, 4},
     0,
     2,
     {1, 12},
     0,
     {0}},
    {"index -1", BP_SPARSE_COO, 2, {3, 4}, 2, 4, {2, -1, 0, 0}, 0, {0}},
    {"index 3 of a sparse tensor is not in 0..2",
     BP_SPARSE_COO,
     2,
     {3, 4},
     2,
     4,
     {3, 3, 0, 0},
     0,
     {0}},
    {"have to be int64 and of shape", BP_SPARSE_COO, 3, {2, 2, 2}, 2, 4, {0, 1, 1, 0}, 0, {0}},
    {"have to be int64 and of shape", BP_SPARSE_COO, 1, {9}, 0, 3, {0, 1, 1}, 0, {0}},
    {NULL, BP_SPARSE_CSR, 2, {3, 4}, 0, 2, {3, 0}, 4, {0, 1, 2, 2}},
    {"index 4 of a sparse tensor", BP_SPARSE_CSR, 2, {3, 4}, 0, 2, {4, 0}, 4, {0, 1, 2, 2}},
    {"the 2th is 0", BP_SPARSE_CSR, 2, {3, 4}, 0, 2, {3, 0}, 4, {0, 1, 0, 2}},
    {"the 0th is 1", BP_SPARSE_CSR, 2, {3, 4}, 0, 2, {3, 0}, 4, {1, 1, 2, 2}},
    {"the 3th is 1", BP_SPARSE_CSR, 2, {3, 4}, 0, 2, {3, 0}, 4, {0, 1, 1, 1}},
    {"has to be a matrix", BP_SPARSE_CSR, 2, {3, 4}, 0, 2, {3, 0}, 3, {0, 1, 2}},
    {"has to be a matrix", BP_SPARSE_CSR, 1, {3}, 0, 2, {2, 0}, 4, {0, 1, 2, 2}},
    {"is not a format", 7, 2, {3, 4}, 0, 2, {1, 2}, 0, {0}},
};

START_TEST(sparse_tensor_checks_values_indices_and_shape)
{
    uint32_t n = objects[_i].format == BP_SPARSE_CSR ? 3 : 2;
    int64_t dims[3];
    bp_object *parts[3], *made = NULL;

    memcpy(dims, objects[_i].dims, sizeof dims);
    parts[0] = list(BP_DTYPE_F32, two, 2, 0);
    parts[1] = list(BP_DTYPE_I64, objects[_i].at, objects[_i].n_at, objects[_i].columns);
    parts[2] = list(BP_DTYPE_I64, objects[_i].rows, objects[_i].n_rows, 0);
    if (objects[_i].why) {
        KIT_FAILS(make(objects[_i].format, objects[_i].rank, dims, parts, n, &made), BP_E_INVALID,
                  objects[_i].why);
        ck_assert_ptr_null(made);
    } else {
        KIT_OK(make(objects[_i].format, objects[_i].rank, dims, parts, n, &made));
        ck_assert_uint_eq(bp_object_kind(made), BP_KIND_SPARSE);
        ck_assert_uint_eq(bp_object_format(made), objects[_i].format);
        ck_assert_uint_eq(bp_object_count(made), n);
        ck_assert_ptr_eq(bp_object_item(made, 0), parts[0]);
        ck_assert_ptr_null(bp_object_tensor(made));
        ck_assert_uint_eq(bp_object_dense(made)->dtype, BP_DTYPE_F32);
        kit_check_dims(bp_object_dense(made), objects[_i].rank, dims);
    }
    bp_object_release(made);
    for (int i = 0; i < 3; i++)
        bp_object_release(parts[i]);
}
END_TEST

START_TEST(sparse_tensor_rejects_values_of_another_type)
{
    static const int32_t whole[] = {1, 2};
    static const int64_t at[] = {0, 1};
    int64_t dims[1] = {4};
    bp_object *parts[] = {list(BP_DTYPE_I32, whole, 2, 0), list(BP_DTYPE_I64, at, 2, 0)};
    bp_object *made = NULL;

    KIT_FAILS(make(BP_SPARSE_COO, 1, dims, parts, 2, &made), BP_E_INVALID,
              "type float32 are int32");
    KIT_FAILS(make(BP_SPARSE_COO, 1, dims, parts, 1, &made), BP_E_INVALID, "no 1 parts");
    KIT_FAILS(make(BP_SPARSE_COO, 1, NULL, parts, 2, &made), BP_E_INVALID, "needs a type");
    dims[0] = -1;
    KIT_FAILS(make(BP_SPARSE_COO, 1, dims, parts, 2, &made), BP_E_INVALID, "negative");
    ck_assert_uint_eq(bp_object_format(parts[0]), 0);
    ck_assert_ptr_null(bp_object_dense(parts[0]));
    bp_object_release(parts[0]);
    bp_object_release(parts[1]);
}
END_TEST

START_TEST(sparse_tensor_survives_every_failing_allocation)
{
    static const int64_t at[] = {0, 1};
    int64_t dims[1] = {4};
    bp_object *parts[] = {list(BP_DTYPE_F32, two, 2, 0), list(BP_DTYPE_I64, at, 2, 0)};
    bool failed = true;

    for (unsigned n = 1; failed; n++) {
        bp_object *made = NULL;
        bp_rc rc;

        fail_alloc_at(n);
        rc = make(BP_SPARSE_COO, 1, dims, parts, 2, &made);
        failed = fail_alloc_stop();
        ck_assert_int_eq(rc, failed ? BP_E_NOMEM : BP_OK);
        ck_assert(failed == (made == NULL));
        bp_object_release(made);
    }
    bp_object_release(parts[0]);
    bp_object_release(parts[1]);
}
END_TEST

/* ---- SparseToDenseMatMul --------------------------------------------------------------------- */

/* An input or output that is a sparse matrix; sizes of 0 are free. */
static void sparse_io(uint32_t field, const char *name, uint32_t dtype, int64_t rows,
                      int64_t columns)
{
    const int64_t dims[] = {rows, columns};

    pw_open(&kit.w, field);
    pw_text(&kit.w, 1, name);
    pw_open(&kit.w, 2);
    pw_open(&kit.w, 8); /* sparse_tensor_type */
    pw_int(&kit.w, 1, dtype);
    pw_open(&kit.w, 2);
    for (int i = 0; i < 2; i++) {
        pw_open(&kit.w, 1);
        if (dims[i])
            pw_int(&kit.w, 1, dims[i]);
        pw_close(&kit.w);
    }
    for (int i = 0; i < 4; i++)
        pw_close(&kit.w);
}

/* y = alpha * A B; the graph's own parts. `dense` B's shape as text. */
static void product_model(uint32_t dtype, int64_t rows, int64_t columns, const char *dense,
                          float alpha, bool turn_a, bool turn_b)
{
    sparse_io(KIT_INPUT, "a", dtype, rows, columns);
    kit_io(KIT_INPUT, "b", dtype, dense);
    kit_open_node("mul", "SparseToDenseMatMul", "a b", "y");
    pw_text(&kit.w, 7, "com.microsoft");
    pw_open_attr(&kit.w, "alpha", 1);
    pw_float(&kit.w, 2, alpha);
    pw_close(&kit.w);
    kit_int_attr("transA", turn_a);
    kit_int_attr("transB", turn_b);
    pw_close(&kit.w);
    kit_io(KIT_OUTPUT, "y", dtype, NULL);
    pw_close(&kit.w);
    pw_open(&kit.w, 8);
    pw_text(&kit.w, 1, "com.microsoft");
    pw_int(&kit.w, 2, 1);
    pw_close(&kit.w);
    kit.is_closed = true;
}

/* A of a case: the sparse tensor that is fed, and the dense matrix that it represents. */
struct matrix {
    uint32_t dtype;
    int64_t rows, columns, n;
    double dense[MOST_VALUES];
    int64_t at[MOST_VALUES], pairs[2 * MOST_VALUES], inner[MOST_VALUES], outer[MOST + 1];
    _Alignas(8) char values[8 * MOST_VALUES];
};

static void draw(struct matrix *m, uint64_t *seed)
{
    m->rows = 1 + random_below(seed, MOST);
    m->columns = 1 + random_below(seed, MOST);
    for (int64_t i = 0; i < m->rows * m->columns; i++) {
        m->dense[i] = random_below(seed, 3) ? 0 : 1 + random_below(seed, 9);
        if (i % m->columns == 0)
            m->outer[i / m->columns] = m->n;
        if (m->dense[i] == 0)
            continue;
        typed_put(m->values, m->dtype, (size_t)m->n, m->dense[i]);
        m->at[m->n] = i;
        m->pairs[2 * m->n] = i / m->columns;
        m->pairs[2 * m->n + 1] = m->inner[m->n] = i % m->columns;
        m->n++;
    }
    m->outer[m->rows] = m->n;
}

/* format 0: COO, flat indices; 1: COO, row and column; 2: CSR. */
static bp_object *sparse(const struct matrix *m, int format)
{
    int64_t dims[] = {m->rows, m->columns};
    bp_tensor dense = shape(m->dtype, 2, dims);
    bp_object *parts[3] = {list(m->dtype, m->values, m->n, 0)}, *out;

    parts[1] = format == 1 ? list(BP_DTYPE_I64, m->pairs, 2 * m->n, 2)
                           : list(BP_DTYPE_I64, format ? m->inner : m->at, m->n, 0);
    parts[2] = list(BP_DTYPE_I64, m->outer, m->rows + 1, 0);
    KIT_OK(bp_object_sparse(format == 2 ? BP_SPARSE_CSR : BP_SPARSE_COO, &dense, parts,
                            format == 2 ? 3 : 2, &out, &kit.err));
    for (int i = 0; i < 3; i++)
        bp_object_release(parts[i]);
    return out;
}

static const uint32_t types[] = {BP_DTYPE_F32, BP_DTYPE_F64, BP_DTYPE_I32,
                                 BP_DTYPE_I64, BP_DTYPE_U32, BP_DTYPE_U64};

START_TEST(sparse_to_dense_matmul_matches_a_dense_product)
{
    uint64_t seed = (uint64_t)_i + 3;
    struct matrix a = {.dtype = types[_i % 6]};
    bool turn_a = _i & 1, turn_b = _i & 2;
    int64_t k, m, n = 1 + random_below(&seed, MOST);
    double b[MOST_VALUES], alpha = a.dtype == BP_DTYPE_F32 ? 0.5 : 1; /* others have none */
    _Alignas(8) char bytes[8 * MOST_VALUES];
    char text[32];
    bp_binding in[2] = {{.index = 0}}, out = kit_wanted(0);

    draw(&a, &seed);
    k = turn_a ? a.rows : a.columns;
    m = turn_a ? a.columns : a.rows;
    for (int64_t i = 0; i < k * n; i++) {
        b[i] = 1 + random_below(&seed, 9);
        typed_put(bytes, a.dtype, (size_t)i, b[i]);
    }
    snprintf(text, sizeof text, "%s", _i & 4 ? "p,q" : turn_b ? "q,p" : "p,r");
    product_model(a.dtype, _i & 8 ? a.rows : 0, _i & 8 ? a.columns : 0, text, 0.5f, turn_a, turn_b);
    kit_session();
    in[0].object = sparse(&a, _i % 3);
    in[1] = kit_tensor(1, a.dtype, bytes, 2, turn_b ? (int64_t[]){n, k} : (int64_t[]){k, n});
    kit_run(in, 2, &out, 1);
    KIT_DIMS(&out.tensor, m, n);
    for (int64_t i = 0; i < m * n; i++) {
        double want = 0;

        for (int64_t p = 0; p < k; p++)
            want += alpha * a.dense[turn_a ? p * a.columns + i / n : i / n * a.columns + p] *
                    b[turn_b ? i % n * k + p : p * n + i % n];
        ck_assert_double_eq_tol(typed_get(bp_tensor_data(&out.tensor), a.dtype, (size_t)i), want,
                                1e-6);
    }
    bp_tensor_free(&out.tensor);
    bp_object_release(in[0].object);
}
END_TEST

START_TEST(sparse_to_dense_matmul_rejects_matrices_that_do_not_fit)
{
    static const float b[16] = {0};
    struct matrix a = {.dtype = BP_DTYPE_F32, .rows = 3, .columns = 4};
    struct matrix wide = {.dtype = BP_DTYPE_F64, .rows = 3, .columns = 4};
    bp_binding in[2] = {{.index = 0}, KIT_TENSOR(1, BP_DTYPE_F32, b, 4, 2)}, out = kit_wanted(0);
    bp_io_info io = {.struct_size = sizeof io};

    product_model(BP_DTYPE_F32, 3, 0, "p,q", 1, false, false);
    kit_session();
    KIT_OK(bp_session_input(kit.session, 0, &io, &kit.err));
    ck_assert_uint_eq(io.type->kind, BP_KIND_SPARSE);
    ck_assert_uint_eq(io.dtype, BP_DTYPE_F32);
    ck_assert_uint_eq(io.rank, 2);
    ck_assert_int_eq(io.dims[0].value, 3);

    in[0].object = sparse(&a, 1);
    kit_run(in, 2, &out, 1);
    KIT_FLOATS(&out.tensor, 0, 0, 0, 0, 0, 0);
    bp_tensor_free(&out.tensor);
    in[1] = KIT_TENSOR(1, BP_DTYPE_F32, b, 3, 2);
    KIT_FAILS(bp_session_run(kit.session, in, 2, &out, 1, NULL, &kit.err), BP_E_SHAPE,
              "inner dimensions do not match: A has 4, B 3");
    bp_object_release(in[0].object);

    in[0].object = sparse(&wide, 1);
    KIT_FAILS(bp_session_run(kit.session, in, 2, &out, 1, NULL, &kit.err), BP_E_INVALID, "'a'",
              "another type");
    bp_object_release(in[0].object);
    a.rows = 2;
    in[0].object = sparse(&a, 1);
    KIT_FAILS(bp_session_run(kit.session, in, 2, &out, 1, NULL, &kit.err), BP_E_SHAPE, "'a'");
    bp_object_release(in[0].object);
    in[0] = KIT_TENSOR(0, BP_DTYPE_F32, b, 3, 4);
    KIT_FAILS(bp_session_run(kit.session, in, 2, &out, 1, NULL, &kit.err), BP_E_INVALID, "'a'",
              "a sparse tensor");
}
END_TEST

START_TEST(other_operators_reject_sparse_inputs)
{
    sparse_io(KIT_INPUT, "a", BP_DTYPE_F32, 3, 4);
    kit_node("neg", "Neg", "a", "y");
    kit_io(KIT_OUTPUT, "y", BP_DTYPE_F32, NULL);
    KIT_FAILS(kit_try_session(), BP_E_INVALID, "'neg'", "sparse_tensor(float32[3,4])");
}
END_TEST

/* As in ONNX Runtime, nodes read a sparse constant as dense; outputs report that it was sparse. */
START_TEST(sparse_constant_is_dense_to_nodes_and_reported_for_outputs)
{
    bp_binding out[2] = {kit_wanted(0), kit_wanted(1)};
    bp_io_info io = {.struct_size = sizeof io};

    pw_open(&kit.w, 1);
    pw_text(&kit.w, 2, "c");
    pw_text(&kit.w, 4, "Constant");
    pw_open_attr(&kit.w, "sparse_value", 11);
    pw_sparse(&kit.w, 22, PW_DIMS(2), (const int64_t[]){0, 2}, 2, PW_DIMS(3));
    pw_close(&kit.w);
    pw_close(&kit.w);
    kit_node("neg", "Neg", "c", "y");
    kit_io(KIT_OUTPUT, "c", BP_DTYPE_F32, "3");
    kit_io(KIT_OUTPUT, "y", BP_DTYPE_F32, "3");
    kit_session();
    KIT_OK(bp_session_output(kit.session, 0, &io, &kit.err));
    ck_assert_uint_eq(io.flags, BP_IO_SPARSE);
    KIT_OK(bp_session_output(kit.session, 1, &io, &kit.err));
    ck_assert_uint_eq(io.flags, 0);
    kit_run(NULL, 0, out, 2);
    KIT_FLOATS(&out[0].tensor, 5, 0, 6);
    KIT_FLOATS(&out[1].tensor, -5, -0.0f, -6);
    bp_tensor_free(&out[0].tensor);
    bp_tensor_free(&out[1].tensor);
}
END_TEST

int main(void)
{
    TCase *tcase = tcase_create("sparse");

    tcase_add_checked_fixture(tcase, kit_setup, kit_teardown);
    tcase_add_loop_test(tcase, sparse_tensor_checks_values_indices_and_shape, 0, COUNT(objects));
    tcase_add_test(tcase, sparse_tensor_rejects_values_of_another_type);
    tcase_add_test(tcase, sparse_tensor_survives_every_failing_allocation);
    tcase_add_loop_test(tcase, sparse_to_dense_matmul_matches_a_dense_product, 0, 96);
    tcase_add_test(tcase, sparse_to_dense_matmul_rejects_matrices_that_do_not_fit);
    tcase_add_test(tcase, other_operators_reject_sparse_inputs);
    tcase_add_test(tcase, sparse_constant_is_dense_to_nodes_and_reported_for_outputs);
    return kit_main("sparse", &tcase, 1);
}
