/* SPDX-License-Identifier: MIT */
/* check_faces.c - what the faces example does before and after the model: images and boxes. */
#include "config.h"

#include <check.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "common/example.h"
#include "faces/draw.h"
#include "faces/image.h"
#include "faces/pick.h"

const char example_name[] = "check_faces";

/* ---- images -------------------------------------------------------------------------------- */

/* All pixels grey, of the brightness that `value` gives for their place. */
static struct image grey_image(size_t width, size_t height, uint8_t (*value)(size_t x, size_t y))
{
    struct image image;

    ck_assert(image_create(&image, width, height));
    for (size_t y = 0; y < height; y++) {
        for (size_t x = 0; x < width; x++)
            memset(image.rgb + (y * width + x) * IMAGE_CHANNELS, value(x, y), IMAGE_CHANNELS);
    }
    return image;
}

static uint8_t grey_at(const struct image *image, size_t x, size_t y)
{
    const uint8_t *pixel = image->rgb + (y * image->width + x) * IMAGE_CHANNELS;

    ck_assert_uint_eq(pixel[0], pixel[1]);
    ck_assert_uint_eq(pixel[0], pixel[2]);
    return pixel[0];
}

static uint8_t plain(size_t x, size_t y)
{
    (void)x;
    (void)y;
    return 201;
}

static uint8_t left_black_right_white(size_t x, size_t y)
{
    (void)y;
    return x < 1 ? 0 : UINT8_MAX;
}

static uint8_t chequered(size_t x, size_t y)
{
    return (x + y) % 2 ? UINT8_MAX : 0;
}

static uint8_t varied(size_t x, size_t y)
{
    return (uint8_t)(x * 31 + y * 17);
}

START_TEST(refuses_images_without_pixels_or_with_too_many)
{
    struct image image;

    ck_assert(!image_create(&image, 0, 5));
    ck_assert(!image_create(&image, 5, 0));
    ck_assert(!image_create(&image, SIZE_MAX, SIZE_MAX));
    ck_assert(!image_create(&image, 65535, 65535));
    ck_assert_ptr_null(image.rgb);
}
END_TEST

START_TEST(a_uniform_image_stays_uniform_when_resized)
{
    static const size_t sizes[][2] = {{1, 1}, {7, 5}, {13, 40}, {90, 3}, {320, 240}};

    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
        struct image from = grey_image(37, 23, plain);
        struct image to;

        ck_assert(image_create(&to, sizes[i][0], sizes[i][1]));
        ck_assert(image_resize(&from, &to));
        for (size_t y = 0; y < to.height; y++) {
            for (size_t x = 0; x < to.width; x++)
                ck_assert_uint_eq(grey_at(&to, x, y), 201);
        }
        image_destroy(&from);
        image_destroy(&to);
    }
}
END_TEST

START_TEST(the_same_size_gives_the_same_pixels)
{
    struct image from = grey_image(9, 6, varied);
    struct image to;

    ck_assert(image_create(&to, 9, 6));
    ck_assert(image_resize(&from, &to));
    ck_assert_mem_eq(from.rgb, to.rgb, 9 * 6 * IMAGE_CHANNELS);
    image_destroy(&from);
    image_destroy(&to);
}
END_TEST

START_TEST(enlarging_is_bilinear)
{
    static const uint8_t expected[] = {0, 64, 191, 255}; /* 0, 1/4, 3/4 and 1 of white */
    struct image from = grey_image(2, 1, left_black_right_white);
    struct image to;

    ck_assert(image_create(&to, 4, 3));
    ck_assert(image_resize(&from, &to));
    for (size_t y = 0; y < 3; y++) {
        for (size_t x = 0; x < 4; x++)
            ck_assert_uint_eq(grey_at(&to, x, y), expected[x]);
    }
    image_destroy(&from);
    image_destroy(&to);
}
END_TEST

START_TEST(shrinking_counts_every_pixel)
{
    struct image from = grey_image(64, 64, chequered);
    struct image to;

    ck_assert(image_create(&to, 8, 8));
    ck_assert(image_resize(&from, &to));
    for (size_t y = 0; y < 8; y++) {
        for (size_t x = 0; x < 8; x++) {
            ck_assert_uint_ge(grey_at(&to, x, y), 126);
            ck_assert_uint_le(grey_at(&to, x, y), 129);
        }
    }
    image_destroy(&from);
    image_destroy(&to);
}
END_TEST

/* ---- frames ---------------------------------------------------------------------------------- */

/* Pixels that differ between two images of one size. */
static size_t count_changes(const struct image *a, const struct image *b)
{
    size_t n = 0;

    for (size_t i = 0; i < a->width * a->height; i++)
        n += memcmp(a->rgb + i * IMAGE_CHANNELS, b->rgb + i * IMAGE_CHANNELS, IMAGE_CHANNELS) != 0;
    return n;
}

START_TEST(a_frame_is_three_pixels_wide_and_empty)
{
    struct image before = grey_image(100, 100, plain);
    struct image after = grey_image(100, 100, plain);
    struct rectangle at = {20, 40, 60, 90};

    draw_frame(&after, &at, "");
    /* The frame, and above it the narrow ground of a label without characters. */
    ck_assert_uint_eq(count_changes(&before, &after), 40 * 50 - 34 * 44 + 3 * 21);
    for (size_t y = 43; y < 87; y++) {
        for (size_t x = 23; x < 57; x++)
            ck_assert_uint_eq(grey_at(&after, x, y), 201);
    }
    image_destroy(&before);
    image_destroy(&after);
}
END_TEST

START_TEST(digits_differ_from_one_another)
{
    struct rectangle at = {0, 30, 80, 60};
    struct image images[11];

    for (size_t i = 0; i < 11; i++) {
        char number[2] = {i < 10 ? (char)('0' + i) : '.', '\0'};

        images[i] = grey_image(80, 60, plain);
        draw_frame(&images[i], &at, number);
        for (size_t j = 0; j < i; j++)
            ck_assert_uint_gt(count_changes(&images[i], &images[j]), 0);
    }
    for (size_t i = 0; i < 11; i++)
        image_destroy(&images[i]);
}
END_TEST

/* What is outside would be found by valgrind and ASan. */
START_TEST(frames_are_clipped_at_the_border)
{
    static const struct rectangle at[] = {{-50, -50, 200, 200},
                                          {90, 90, 300, 300},
                                          {-30, 2, -10, 20},
                                          {500, 500, 600, 600},
                                          {3, 3, 4, 4}};
    struct image before = grey_image(100, 80, plain);
    struct image after = grey_image(100, 80, plain);

    draw_frame(&after, &at[3], "0.99");
    draw_frame(&after, &at[0], "");
    ck_assert_uint_eq(count_changes(&before, &after), 0);
    for (size_t i = 0; i < sizeof at / sizeof *at; i++)
        draw_frame(&after, &at[i], "0.123456789");
    ck_assert_uint_gt(count_changes(&before, &after), 0);
    image_destroy(&before);
    image_destroy(&after);
}
END_TEST

/* ---- choice of faces ------------------------------------------------------------------------- */

static void expect_float(float value, float expected)
{
    ck_assert_double_eq((double)value, (double)expected);
}

START_TEST(of_overlapping_boxes_the_best_stays)
{
    static const float boxes[] = {0.10f, 0.10f, 0.30f, 0.30f, 0.11f, 0.10f, 0.31f, 0.30f,
                                  0.60f, 0.60f, 0.80f, 0.80f, 0.28f, 0.28f, 0.48f, 0.48f};
    static const float scores[] = {0.2f, 0.8f, 0.1f, 0.9f, 0.25f, 0.75f, 0.05f, 0.95f};
    struct faces faces;

    ck_assert(faces_pick(scores, boxes, 4, 0.7f, &faces));
    ck_assert_uint_eq(faces.count, 3);
    expect_float(faces.list[0].score, 0.95f);
    expect_float(faces.list[0].left, 0.28f);
    expect_float(faces.list[1].score, 0.9f);
    expect_float(faces.list[1].left, 0.11f);
    expect_float(faces.list[2].score, 0.75f);
    expect_float(faces.list[2].bottom, 0.8f);
    faces_finish(&faces);
}
END_TEST

START_TEST(boxes_below_the_threshold_or_without_area_do_not_count)
{
    static const float boxes[] = {0.1f, 0.1f, 0.3f, 0.3f, 0.5f, 0.1f, 0.5f, 0.3f,
                                  0.9f, 0.1f, 0.7f, 0.3f, 1.5f, 0.1f, 1.7f, 0.3f};
    static const float scores[] = {0.4f, 0.6f, 0.1f, 0.9f, 0.1f, 0.9f, 0.1f, 0.9f};
    struct faces faces;

    ck_assert(faces_pick(scores, boxes, 4, 0.7f, &faces));
    ck_assert_uint_eq(faces.count, 0);
    faces_finish(&faces);
    ck_assert(faces_pick(scores, boxes, 0, 0.7f, &faces));
    ck_assert_uint_eq(faces.count, 0);
    faces_finish(&faces);
}
END_TEST

START_TEST(nan_coordinates_stay_within_the_image)
{
    const float boxes[] = {NAN, -INFINITY, INFINITY, 0.5f, 0.1f, 0.1f, 0.2f, 0.2f};
    const float scores[] = {0, 0.9f, 0, NAN};
    struct faces faces;

    ck_assert(faces_pick(scores, boxes, 2, 0.7f, &faces));
    ck_assert_uint_eq(faces.count, 1);
    expect_float(faces.list[0].left, 0);
    expect_float(faces.list[0].top, 0);
    expect_float(faces.list[0].right, 1);
    expect_float(faces.list[0].bottom, 0.5f);
    faces_finish(&faces);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("faces");
    TCase *images = tcase_create("images");
    TCase *boxes = tcase_create("boxes");
    SRunner *runner = srunner_create(suite);
    int n_failed;

    tcase_add_test(images, refuses_images_without_pixels_or_with_too_many);
    tcase_add_test(images, a_uniform_image_stays_uniform_when_resized);
    tcase_add_test(images, the_same_size_gives_the_same_pixels);
    tcase_add_test(images, enlarging_is_bilinear);
    tcase_add_test(images, shrinking_counts_every_pixel);
    tcase_add_test(images, a_frame_is_three_pixels_wide_and_empty);
    tcase_add_test(images, digits_differ_from_one_another);
    tcase_add_test(images, frames_are_clipped_at_the_border);
    tcase_add_test(boxes, of_overlapping_boxes_the_best_stays);
    tcase_add_test(boxes, boxes_below_the_threshold_or_without_area_do_not_count);
    tcase_add_test(boxes, nan_coordinates_stay_within_the_image);
    suite_add_tcase(suite, images);
    suite_add_tcase(suite, boxes);

    srunner_run_all(runner, CK_ENV);
    n_failed = srunner_ntests_failed(runner);
    srunner_free(runner);
    return n_failed == 0 ? EXIT_SUCCESS : EXIT_FAILURE;
}
