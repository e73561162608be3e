/* SPDX-License-Identifier: MIT */
/* check_attention_flex.c - what the CPU provider does of a FlexAttention that has become nodes. */

#include "config.h"

#include "support/random_data.h"
#include "support/shapes.h"

#include <math.h>

/* Adds an input of random numbers and the output that they go to, in the type computed in. */
static double *add_pair(const char *in, const char *out, uint32_t dtype, uint32_t wide,
                        const struct shape *from, const struct shape *to)
{
    double *values = kept_values(shape_count(from), dtype);

    th_input(t, in, dtype, shape_text(from), kept_encode(values, shape_count(from), dtype));
    th_output(t, out, wide, shape_text(to));
    return values;
}

/* Q is scaled, by an attribute or 1 / sqrt(size); rows of heads that share keys are one. */
START_TEST(flex_inputs_are_cast_to_the_compute_type_and_query_is_scaled)
{
    uint32_t dtype = typed_all[_i % TYPED_FLOATS];
    bool has_scale = _i / 4 % 2, is_double = _i / 8 % 2 || dtype == BP_DTYPE_F64;
    uint32_t wide = is_double ? BP_DTYPE_F64 : BP_DTYPE_F32;
    int64_t heads, shared, size, rows, keys;
    struct shape q, k, v, wide_q;
    double *q_values, *k_values, *v_values, scale;

    data_seed((uint64_t)_i);
    heads = data_pick(1, 3);
    shared = data_pick(1, 3);
    size = data_pick(1, 9);
    rows = data_pick(0, 5);
    keys = data_pick(0, 5);
    q = (struct shape){4, {2, heads * shared, rows, size}};
    wide_q = (struct shape){4, {2, heads, shared * rows, size}};
    k = (struct shape){4, {2, heads, keys, size}};
    v = (struct shape){4, {2, heads, keys, data_pick(1, 9)}};
    q_values = add_pair("Q", "q", dtype, wide, &q, &wide_q);
    k_values = add_pair("K", "k", dtype, wide, &k, &k);
    v_values = add_pair("V", "v", dtype, wide, &v, &v);
    th_node(t, "FlexInputs", 1, "Q K V", "q k v");
    th_domain(t, "org.backplane");
    if (has_scale)
        th_float(t, "scale", 0.3f);
    if (is_double)
        th_int(t, "softmax_precision", BP_DTYPE_F64);
    ck_run();
    scale = has_scale ? (double)0.3f : 1 / sqrt((double)size);
    for (size_t i = 0; i < shape_count(&q); i++)
        q_values[i] *= scale;
    data_compare("q", th_data(t, "q"), q_values, shape_count(&q), wide, 0);
    elem_compare(th_data(t, "k"), k_values, shape_count(&k), wide);
    elem_compare(th_data(t, "v"), v_values, shape_count(&v), wide);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("cpu_flex_parts");
    TCase *tcase = tcase_create("parts");
    SRunner *runner = srunner_create(suite);
    int failed;

    suite_add_tcase(suite, tcase);
    tcase_add_checked_fixture(tcase, setup, teardown);
    tcase_add_loop_test(tcase, flex_inputs_are_cast_to_the_compute_type_and_query_is_scaled, 0, 96);
    srunner_run_all(runner, CK_NORMAL);
    failed = srunner_ntests_failed(runner);
    srunner_free(runner);
    return failed ? EXIT_FAILURE : EXIT_SUCCESS;
}
