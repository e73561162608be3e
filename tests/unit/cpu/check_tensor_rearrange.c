/* SPDX-License-Identifier: MIT */
/*
 * check_tensor_rearrange.c - operators of the CPU provider that put elements in another order:
 * ReverseSequence, DepthToSpace, SpaceToDepth, CenterCropPad, Col2Im, MaxUnpool and Split.
 */

#include "config.h"

#include "cpu/cpu_case.h"
#include "support/shapes.h"
#include "support/typed.h"

/* ---- ReverseSequence ------------------------------------------------------------------------- */

START_TEST(reverse_sequence_matches_its_definition)
{
    uint64_t seed = (uint64_t)_i;
    uint32_t dtype = typed_all[_i % TYPED_ALL], batch = random_below(&seed, 2);
    struct shape x = shape_random(&seed, 2, 4);
    double *values, *want, *lengths;

    values = elem_random(&seed, shape_count(&x), 99, dtype);
    want = kept_zeros(shape_count(&x) + 1, sizeof *want);
    lengths =
        elem_random(&seed, (size_t)x.dims[batch], (uint32_t)x.dims[1 - batch] + 1, BP_DTYPE_I64);
    for (size_t i = 0; i < shape_count(&x); i++) {
        int64_t index[SHAPE_RANK], *time = &index[1 - batch], length;

        shape_index(&x, i, index);
        length = (int64_t)lengths[index[batch]];
        *time = *time < length ? length - 1 - *time : *time;
        want[i] = values[shape_at(&x, index)];
    }
    th_input(t, "x", dtype, shape_text(&x), kept_encode(values, shape_count(&x), dtype));
    th_input(t, "n", BP_DTYPE_I64, shape_text(&(struct shape){1, {x.dims[batch]}}),
             kept_encode(lengths, (size_t)x.dims[batch], BP_DTYPE_I64));
    th_output(t, "y", dtype, shape_text(&x));
    th_node(t, "ReverseSequence", dtype == BP_DTYPE_BF16 ? 28 : 10, "x n", "y");
    if (batch == 0 || random_below(&seed, 2)) {
        th_int(t, "batch_axis", batch);
        th_int(t, "time_axis", 1 - batch);
    }
    ck_run();
    elem_compare(th_data(t, "y"), want, shape_count(&x), dtype);
}
END_TEST

START_TEST(reverse_sequence_rejects_a_length_beyond_the_axis)
{
    th_input(t, "x", BP_DTYPE_F32, "2,1", (float[]){1, 2});
    th_input(t, "n", BP_DTYPE_I64, "1", (int64_t[]){_i ? -1 : 3});
    th_output(t, "y", BP_DTYPE_F32, "2,1");
    th_node(t, "ReverseSequence", 10, "x n", "y");
    ck_assert_int_eq(th_run(t), BP_E_INVALID);
    ck_assert_ptr_nonnull(strstr(th_message(t), "sequence_lens"));
}
END_TEST

/* ---- DepthToSpace, SpaceToDepth -------------------------------------------------------------- */

START_TEST(depth_to_space_and_space_to_depth_match_their_definition)
{
    uint64_t seed = (uint64_t)_i;
    uint32_t dtype = typed_all[_i % TYPED_ALL], kind = random_below(&seed, 4);
    bool is_crd = kind % 2, to_depth = kind >= 2;
    int64_t b = 1 + random_below(&seed, 3), c = 1 + random_below(&seed, 3);
    int64_t h = 1 + random_below(&seed, 4), w = random_below(&seed, 4);
    struct shape deep = {4, {2, c * b * b, h, w}}, wide = {4, {2, c, h * b, w * b}};
    size_t n = shape_count(&deep);
    double *values = elem_random(&seed, n, 99, dtype), *want = kept_zeros(n + 1, sizeof *want);

    for (size_t i = 0; i < n; i++) { /* element i of the wide one */
        int64_t at[SHAPE_RANK], from[SHAPE_RANK], block;
        size_t k;

        shape_index(&wide, i, at);
        block = at[2] % b * b + at[3] % b;
        from[0] = at[0];
        from[1] = is_crd ? at[1] * b * b + block : block * c + at[1];
        from[2] = at[2] / b;
        from[3] = at[3] / b;
        k = shape_at(&deep, from);
        if (to_depth)
            want[k] = values[i];
        else
            want[i] = values[k];
    }
    th_input(t, "x", dtype, shape_text(to_depth ? &wide : &deep), kept_encode(values, n, dtype));
    th_output(t, "y", dtype, shape_text(to_depth ? &deep : &wide));
    th_node(t, to_depth ? "SpaceToDepth" : "DepthToSpace", kind == 3 ? 28 : 13, "x", "y");
    th_int(t, "blocksize", b);
    if (kind != 2) /* SpaceToDepth-13 has no mode */
        th_string(t, "mode", is_crd ? "CRD" : "DCR");
    ck_run();
    elem_compare(th_data(t, "y"), want, n, dtype);
}
END_TEST

/* ---- CenterCropPad --------------------------------------------------------------------------- */

START_TEST(center_crop_pad_matches_its_definition)
{
    uint64_t seed = (uint64_t)_i;
    uint32_t dtype = typed_all[_i % TYPED_ALL];
    struct shape x = shape_random(&seed, 0, 4), y = x;
    double *values = elem_random(&seed, shape_count(&x), 99, dtype), *want;
    int64_t axes[SHAPE_RANK], sizes[SHAPE_RANK];
    uint32_t n = 0;

    for (uint32_t d = x.rank; d-- > 0;) {
        if (random_below(&seed, 3) == 0)
            continue;
        y.dims[d] = random_below(&seed, 2 * (uint32_t)x.dims[d] + 1);
        axes[n] = (int64_t)d - (random_below(&seed, 2) ? (int64_t)x.rank : 0);
        sizes[n++] = y.dims[d];
    }
    want = kept_zeros(shape_count(&y) + 1, sizeof *want);
    for (size_t i = 0; i < shape_count(&y); i++) {
        int64_t index[SHAPE_RANK];
        bool is_inside = true;

        shape_index(&y, i, index);
        for (uint32_t d = 0; d < x.rank; d++) {
            int64_t a = x.dims[d], b = y.dims[d];

            index[d] += a > b ? (a - b) / 2 : -((b - a) / 2);
            is_inside = is_inside && index[d] >= 0 && index[d] < a;
        }
        want[i] = is_inside ? values[shape_at(&x, index)] : 0;
    }
    th_input(t, "x", dtype, shape_text(&x), kept_encode(values, shape_count(&x), dtype));
    th_const(t, "sizes", BP_DTYPE_I64, shape_text(&(struct shape){1, {n}}), sizes);
    th_output(t, "y", dtype, shape_text(&y));
    th_node(t, "CenterCropPad", 18, "x sizes", "y");
    th_ints(t, "axes", n, axes);
    ck_run();
    elem_compare(th_data(t, "y"), want, shape_count(&y), dtype);
}
END_TEST

/* ---- Col2Im ---------------------------------------------------------------------------------- */

struct blocks {
    uint32_t n; /* spatial dimensions */
    int64_t image[3], block[3], stride[3], dilation[3], pads[6], blocks[3];
    int64_t taps, columns, pixels;
};

static struct blocks random_blocks(uint64_t *seed)
{
    struct blocks s = {.n = 1 + random_below(seed, 3), .taps = 1, .columns = 1, .pixels = 1};

    for (uint32_t d = 0; d < s.n; d++) {
        int64_t extent;

        s.block[d] = 1 + random_below(seed, 3);
        s.stride[d] = 1 + random_below(seed, 2);
        s.dilation[d] = 1 + random_below(seed, 2);
        s.pads[d] = random_below(seed, 2);
        s.pads[s.n + d] = random_below(seed, 2);
        s.image[d] = (s.block[d] - 1) * s.dilation[d] + 1 + random_below(seed, 4);
        extent = s.image[d] + s.pads[d] + s.pads[s.n + d] - (s.block[d] - 1) * s.dilation[d] - 1;
        s.blocks[d] = extent / s.stride[d] + 1;
        s.taps *= s.block[d];
        s.columns *= s.blocks[d];
        s.pixels *= s.image[d];
    }
    return s;
}

/* Pixel that tap k of the block at place l is; -1: it is in the padding. */
static int64_t pixel(const struct blocks *s, int64_t k, int64_t l)
{
    int64_t at = 0, step = 1;

    for (uint32_t d = s->n; d-- > 0; step *= s->image[d], k /= s->block[d], l /= s->blocks[d]) {
        int64_t p = l % s->blocks[d] * s->stride[d] + k % s->block[d] * s->dilation[d] - s->pads[d];

        if (p < 0 || p >= s->image[d])
            return -1;
        at += p * step;
    }
    return at;
}

START_TEST(col2im_adds_overlapping_blocks)
{
    uint64_t seed = (uint64_t)_i;
    uint32_t dtype = typed_all[_i % (TYPED_ALL - 1)];
    struct blocks s = random_blocks(&seed);
    struct shape x = {3, {2, 3 * s.taps, s.columns}}, y = {.rank = 2 + s.n, .dims = {2, 3}};
    double *values = elem_random(&seed, shape_count(&x), 4, dtype), *want;

    for (uint32_t d = 0; d < s.n; d++)
        y.dims[2 + d] = s.image[d];
    want = kept_zeros(shape_count(&y) + 1, sizeof *want);
    for (size_t i = 0; i < shape_count(&x); i++) {
        int64_t l = (int64_t)i % s.columns, k = (int64_t)i / s.columns % s.taps;
        int64_t at = pixel(&s, k, l), plane = (int64_t)i / s.columns / s.taps;

        if (at >= 0)
            want[plane * s.pixels + at] += values[i];
    }
    for (size_t i = 0; dtype == BP_DTYPE_BOOL && i < shape_count(&y); i++)
        want[i] = want[i] != 0;
    th_input(t, "x", dtype, shape_text(&x), kept_encode(values, shape_count(&x), dtype));
    th_const(t, "image", BP_DTYPE_I64, shape_text(&(struct shape){1, {s.n}}), s.image);
    th_const(t, "block", BP_DTYPE_I64, shape_text(&(struct shape){1, {s.n}}), s.block);
    th_output(t, "y", dtype, shape_text(&y));
    th_node(t, "Col2Im", 18, "x image block", "y");
    th_ints(t, "strides", s.n, s.stride);
    th_ints(t, "dilations", s.n, s.dilation);
    th_ints(t, "pads", 2 * s.n, s.pads);
    ck_run();
    elem_compare(th_data(t, "y"), want, shape_count(&y), dtype);
}
END_TEST

START_TEST(col2im_rejects_a_wrong_count_of_columns)
{
    th_input(t, "x", BP_DTYPE_F32, "1,4,5", (float[20]){0});
    th_input(t, "image", BP_DTYPE_I64, "2", (int64_t[]){3, 3});
    th_input(t, "block", BP_DTYPE_I64, "2", _i ? (int64_t[]){-2, -2} : (int64_t[]){2, 2});
    th_output(t, "y", BP_DTYPE_F32, "1,1,3,3");
    th_node(t, "Col2Im", 18, "x image block", "y");
    ck_assert_int_eq(th_run(t), _i ? BP_E_INVALID : BP_E_SHAPE);
    ck_assert_ptr_nonnull(strstr(th_message(t), "block"));
}
END_TEST

/* ---- MaxUnpool ------------------------------------------------------------------------------- */

START_TEST(max_unpool_matches_its_definition)
{
    uint64_t seed = (uint64_t)_i;
    uint32_t dtype = typed_all[_i % 4], n = 1 + random_below(&seed, 3);
    struct shape x = {.rank = 2 + n, .dims = {2, 2}}, inner, y;
    int64_t kernel[3], stride[3], pads[6] = {0}, output_shape[5];
    bool is_larger = random_below(&seed, 2);
    double *values, *want;
    int64_t *at;

    for (uint32_t d = 0; d < n; d++) {
        kernel[d] = 1 + random_below(&seed, 3);
        stride[d] = 1 + random_below(&seed, 3);
        pads[d] = random_below(&seed, 2) && kernel[d] > 1;
        x.dims[2 + d] = 2 + random_below(&seed, 3);
    }
    inner = x;
    for (uint32_t d = 0; d < n; d++)
        inner.dims[2 + d] = (x.dims[2 + d] - 1) * stride[d] + kernel[d] - pads[d];
    y = inner;
    for (uint32_t d = 0; d < y.rank; d++)
        output_shape[d] = y.dims[d] += is_larger && d > 1 ? random_below(&seed, 3) : 0;
    values = elem_random(&seed, shape_count(&x), 99, dtype);
    want = kept_zeros(shape_count(&y) + 1, sizeof *want);
    at = kept_zeros(shape_count(&x) + 1, sizeof *at);
    for (size_t i = 0; i < shape_count(&x); i++) {
        int64_t index[SHAPE_RANK];

        at[i] = random_below(&seed, (uint32_t)shape_count(&inner));
        shape_index(&inner, (size_t)at[i], index);
        want[shape_at(&y, index)] = values[i];
    }
    th_input(t, "x", dtype, shape_text(&x), kept_encode(values, shape_count(&x), dtype));
    th_input(t, "i", BP_DTYPE_I64, shape_text(&x), at);
    th_const(t, "output_shape", BP_DTYPE_I64, shape_text(&(struct shape){1, {y.rank}}),
             output_shape);
    th_output(t, "y", dtype, shape_text(&y));
    th_node(t, "MaxUnpool", 11, is_larger ? "x i output_shape" : "x i", "y");
    th_ints(t, "kernel_shape", n, kernel);
    th_ints(t, "strides", n, stride);
    th_ints(t, "pads", 2 * n, pads);
    ck_run();
    elem_compare(th_data(t, "y"), want, shape_count(&y), dtype);
}
END_TEST

START_TEST(max_unpool_rejects_an_index_out_of_range)
{
    th_input(t, "x", BP_DTYPE_F32, "1,1,2", (float[]){1, 2});
    th_input(t, "i", BP_DTYPE_I64, "1,1,2", (int64_t[]){0, _i ? -1 : 4});
    th_output(t, "y", BP_DTYPE_F32, "1,1,4");
    th_node(t, "MaxUnpool", 11, "x i", "y");
    th_ints(t, "kernel_shape", 1, (int64_t[]){2});
    th_ints(t, "strides", 1, (int64_t[]){2});
    ck_assert_int_eq(th_run(t), BP_E_INVALID);
    ck_assert_ptr_nonnull(strstr(th_message(t), _i ? "-1" : "4"));
}
END_TEST

/* ---- Split ----------------------------------------------------------------------------------- */

START_TEST(split_checks_the_sizes_of_unread_outputs)
{
    const float *y;

    th_input(t, "x", BP_DTYPE_F32, "6", (float[]){1, 2, 3, 4, 5, 6});
    th_input(t, "split", BP_DTYPE_I64, "4", (int64_t[]){1, 2, 2, 1});
    th_output(t, "y", BP_DTYPE_F32, "2");
    th_node(t, "Split", 13, "x split", _i ? "- - y -" : "- y - -");
    ck_run();
    y = th_data(t, "y");
    ck_assert(y[0] == (_i ? 4 : 2) && y[1] == y[0] + 1);
    th_feed(t, "split", (int64_t[]){1, 3, 1, 1});
    ck_assert_int_eq(th_run(t), BP_E_SHAPE);
}
END_TEST

START_TEST(split_1_reads_float_sizes)
{
    const float *y;

    th_input(t, "x", BP_DTYPE_F32, "4", (float[]){1, 2, 3, 4});
    th_input(t, "split", BP_DTYPE_F32, "2", (float[]){1, 3});
    th_output(t, "a", BP_DTYPE_F32, "1");
    th_output(t, "y", BP_DTYPE_F32, "3");
    th_node(t, "Split", 1, "x split", "a y");
    ck_run();
    y = th_data(t, "y");
    ck_assert(y[0] == 2 && y[1] == 3 && y[2] == 4);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("cpu_rearrange");
    TCase *tcase = tcase_create("rearrange");
    SRunner *runner = srunner_create(suite);
    int failed;

    suite_add_tcase(suite, tcase);
    tcase_add_checked_fixture(tcase, setup, teardown);
    tcase_add_loop_test(tcase, reverse_sequence_matches_its_definition, 0, 5 * TYPED_ALL);
    tcase_add_loop_test(tcase, reverse_sequence_rejects_a_length_beyond_the_axis, 0, 2);
    tcase_add_loop_test(tcase, depth_to_space_and_space_to_depth_match_their_definition, 0,
                        5 * TYPED_ALL);
    tcase_add_loop_test(tcase, center_crop_pad_matches_its_definition, 0, 10 * TYPED_ALL);
    tcase_add_loop_test(tcase, col2im_adds_overlapping_blocks, 0, 10 * (TYPED_ALL - 1));
    tcase_add_loop_test(tcase, col2im_rejects_a_wrong_count_of_columns, 0, 2);
    tcase_add_loop_test(tcase, max_unpool_matches_its_definition, 0, 60);
    tcase_add_loop_test(tcase, max_unpool_rejects_an_index_out_of_range, 0, 2);
    tcase_add_loop_test(tcase, split_checks_the_sizes_of_unread_outputs, 0, 2);
    tcase_add_test(tcase, split_1_reads_float_sizes);
    srunner_run_all(runner, CK_NORMAL);
    failed = srunner_ntests_failed(runner);
    srunner_free(runner);
    return failed ? EXIT_FAILURE : EXIT_SUCCESS;
}
