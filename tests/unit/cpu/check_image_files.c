/* SPDX-License-Identifier: MIT */
/*
 * check_image_files.c - ImageDecoder on files that are made here, of one colour and of any size: it
 * gives their pixels, and stops soon after a deadline, however many pixels a few bytes stand for.
 */

#include "config.h"

#include <check.h>
#include <stdbool.h>
#include <stdlib.h>
#include <time.h>

#include "cpu/cpu_case.h"
#include "support/skip.h"

static void start(void)
{
    setup();
    th_allow_alloc(t);
}

/* ---- bytes ----------------------------------------------------------------------------------- */

/* A file in the making. */
struct file {
    uint8_t *bytes;
    size_t n, cap;
    uint32_t bits, n_bits; /* that do not fill a byte yet, the first one lowest */
};

static void put(struct file *f, const void *bytes, size_t n)
{
    while (f->n + n > f->cap) {
        f->cap = f->cap ? 2 * f->cap : 4096;
        f->bytes = realloc(f->bytes, f->cap);
        ck_assert_ptr_nonnull(f->bytes);
    }
    memcpy(f->bytes + f->n, bytes, n);
    f->n += n;
}

static void put_big(struct file *f, uint64_t value, int bytes)
{
    for (int i = bytes - 1; i >= 0; i--)
        put(f, &(uint8_t){(uint8_t)(value >> 8 * i)}, 1);
}

static void put_little(struct file *f, uint64_t value, int bytes)
{
    for (int i = 0; i < bytes; i++)
        put(f, &(uint8_t){(uint8_t)(value >> 8 * i)}, 1);
}

/* n bits, the lowest one first. */
static void put_bits(struct file *f, uint32_t bits, uint32_t n)
{
    f->bits |= bits << f->n_bits;
    f->n_bits += n;
    for (; f->n_bits >= 8; f->n_bits -= 8, f->bits >>= 8)
        put(f, &(uint8_t){(uint8_t)f->bits}, 1);
}

static void end_bits(struct file *f)
{
    if (f->n_bits > 0)
        put_bits(f, 0, 8 - f->n_bits);
}

/* A Huffman code of deflate, whose highest bit comes first (RFC 1951, 3.1.1). */
static void put_code(struct file *f, uint32_t code, uint32_t n)
{
    while (n-- > 0)
        put_bits(f, code >> n & 1, 1);
}

/* n zeros as a zlib stream (RFC 1950) with fixed codes: 13 bits for each 258 of them. */
static void put_zeros(struct file *f, uint64_t n)
{
    uint64_t left = n;

    put(f, "\x78\x01", 2);
    put_bits(f, 3, 3);    /* the last block, fixed codes */
    put_code(f, 0x30, 8); /* 0 */
    left--;
    for (; left >= 258; left -= 258) {
        put_code(f, 0xc5, 8); /* 258 bytes, */
        put_code(f, 0, 5);    /* as the one before */
    }
    for (; left > 0; left--)
        put_code(f, 0x30, 8);
    put_code(f, 0, 7); /* the end */
    end_bits(f);
    put_big(f, n % 65521 << 16 | 1, 4); /* Adler-32 of n zeros */
}

/* ---- files ----------------------------------------------------------------------------------- */

static uint32_t crc_of(const uint8_t *bytes, size_t n)
{
    static uint32_t table[256];
    uint32_t crc = UINT32_MAX;

    for (uint32_t i = 0; i < 256; i++) {
        table[i] = i;
        for (int bit = 0; bit < 8; bit++)
            table[i] = table[i] & 1 ? 0xedb88320 ^ table[i] >> 1 : table[i] >> 1;
    }
    for (size_t i = 0; i < n; i++)
        crc = table[(crc ^ bytes[i]) & 255] ^ crc >> 8;
    return ~crc;
}

static void put_chunk(struct file *f, const char *name, const struct file *content)
{
    size_t at;

    put_big(f, content->n, 4);
    at = f->n;
    put(f, name, 4);
    if (content->n > 0)
        put(f, content->bytes, content->n);
    put_big(f, crc_of(f->bytes + at, f->n - at), 4);
}

/* PNG of 16-bit red, green, blue and alpha, all 0. */
static void make_png(struct file *f, uint32_t size, bool is_interlaced)
{
    struct file head = {0}, pixels = {0}, none = {0};
    uint64_t bytes = (uint64_t)size * (1 + 8 * (uint64_t)size);

    if (is_interlaced) { /* seven passes of Adam7; size is a multiple of 8 */
        static const uint32_t across[] = {8, 8, 4, 4, 2, 2, 1}, down[] = {8, 8, 8, 4, 4, 2, 2};

        bytes = 0;
        for (int i = 0; i < 7; i++)
            bytes += (uint64_t)(size / down[i]) * (1 + 8 * (uint64_t)(size / across[i]));
    }
    put_big(&head, size, 4);
    put_big(&head, size, 4);
    put(&head, "\x10\x06\0\0", 4);
    put_big(&head, is_interlaced, 1);
    put_zeros(&pixels, bytes);
    put(f, "\x89PNG\r\n\x1a\n", 8);
    put_chunk(f, "IHDR", &head);
    put_chunk(f, "IDAT", &pixels);
    put_chunk(f, "IEND", &none);
    free(head.bytes);
    free(pixels.bytes);
}

static void make_plain_png(struct file *f, uint32_t size)
{
    make_png(f, size, false);
}

static void make_interlaced_png(struct file *f, uint32_t size)
{
    make_png(f, size, true);
}

/* TIFF of grey pixels, all 0, in one strip that is deflated, or in strips of that many rows. */
static void make_tiff(struct file *f, uint32_t size, uint32_t rows)
{
    struct file strip = {0};
    uint32_t n = size / rows;
    const uint32_t tags[][3] = {{256, 4, size}, {257, 4, size}, {258, 3, 8},
                                {259, 3, 8},    {262, 3, 1},    {273, 4, 0},
                                {277, 3, 1},    {278, 4, rows}, {279, 4, 0}};
    uint32_t n_tags = COUNT(tags), lists, data;

    put_zeros(&strip, (uint64_t)size * rows);
    put(f, "II*\0\x08\0\0\0", 8);
    put_little(f, n_tags, 2);
    lists = 8 + 2 + n_tags * 12 + 4;
    data = lists + (n > 1 ? n * 8 : 0);
    for (uint32_t i = 0; i < n_tags; i++) {
        bool is_list = tags[i][0] == 273 || tags[i][0] == 279;
        uint32_t value = tags[i][2];

        if (is_list)
            value = n > 1               ? lists + (tags[i][0] == 279 ? 4 * n : 0)
                    : tags[i][0] == 273 ? data
                                        : (uint32_t)strip.n;
        put_little(f, tags[i][0], 2);
        put_little(f, tags[i][1], 2);
        put_little(f, is_list ? n : 1, 4);
        put_little(f, value, 4);
    }
    put_little(f, 0, 4);
    for (uint32_t i = 0; n > 1 && i < n; i++)
        put_little(f, data, 4); /* all strips are the same bytes */
    for (uint32_t i = 0; n > 1 && i < n; i++)
        put_little(f, strip.n, 4);
    put(f, strip.bytes, strip.n);
    free(strip.bytes);
}

static void make_strip_tiff(struct file *f, uint32_t size)
{
    make_tiff(f, size, size);
}

static void make_strips_tiff(struct file *f, uint32_t size)
{
    make_tiff(f, size, 8);
}

/* JPEG 2000 code stream of one component, one tile and five levels, whose packets are empty. */
static void make_jpeg2000(struct file *f, uint32_t size)
{
    put(f, "\xff\x4f\xff\x51\0\x29\0\0", 8);
    put_big(f, size, 4);
    put_big(f, size, 4);
    put_big(f, 0, 8);
    put_big(f, size, 4);
    put_big(f, size, 4);
    put_big(f, 0, 8);
    put(f, "\0\x01\x07\x01\x01", 5);
    put(f, "\xff\x52\0\x0c\0\0\0\x01\0\x05\x04\x04\0\x01", 14);
    put(f, "\xff\x5c\0\x13\x40", 5);
    for (int i = 0; i < 16; i++)
        put(f, "\x48", 1);
    put(f, "\xff\x90\0\x0a\0\0\0\0\0\x14\0\x01\xff\x93", 14);
    put(f, "\0\0\0\0\0\0\xff\xd9", 8);
}

/* TIFF of three planes of bytes, all 0, each in a deflated strip of its own. */
static void make_planes_tiff(struct file *f, uint32_t size)
{
    struct file strip = {0};
    const uint32_t lists =
        8 + 2 + 10 * 12 + 4; /* three bytes a sample as words, then offsets, sizes */
    const uint32_t tags[][4] = {{256, 4, 1, size}, {257, 4, 1, size}, {258, 3, 3, lists + 24},
                                {259, 3, 1, 8},    {262, 3, 1, 2},    {273, 4, 3, lists},
                                {277, 3, 1, 3},    {278, 4, 1, size}, {279, 4, 3, lists + 12},
                                {284, 3, 1, 2}};

    put_zeros(&strip, (uint64_t)size * size);
    put(f, "II*\0\x08\0\0\0", 8);
    put_little(f, COUNT(tags), 2);
    for (uint32_t i = 0; i < COUNT(tags); i++) {
        put_little(f, tags[i][0], 2);
        put_little(f, tags[i][1], 2);
        put_little(f, tags[i][2], 4);
        put_little(f, tags[i][3], 4);
    }
    put_little(f, 0, 4);
    for (int i = 0; i < 3; i++)
        put_little(f, lists + 24 + 6, 4); /* all planes are the same bytes */
    for (int i = 0; i < 3; i++)
        put_little(f, strip.n, 4);
    for (int i = 0; i < 3; i++)
        put_little(f, 8, 2);
    put(f, strip.bytes, strip.n);
    free(strip.bytes);
}

/*
 * Lossless WebP of that many bits a pixel, 1 or 0: green has two symbols or one, and the other codes
 * have one.
 */
static void make_webp_of(struct file *f, uint32_t size, uint32_t bits)
{
    struct file data = {0};

    put(&data, "\x2f", 1);
    put_bits(&data, size - 1, 14);
    put_bits(&data, size - 1, 14);
    put_bits(&data, 0, 4); /* no alpha, version 0 */
    put_bits(&data, 0, 3); /* no transform, no colour cache, no meta codes */
    if (bits == 1) {
        put_bits(&data, 3, 3); /* green: simple, two symbols, */
        put_bits(&data, 0, 1); /* 0, in one bit, */
        put_bits(&data, 1, 8); /* and 1 */
    }
    for (uint32_t i = bits; i < 5; i++)
        put_bits(&data, 1, 4); /* simple, one symbol, which is 0 */
    for (uint64_t i = 0; bits == 1 && i < (uint64_t)size * size; i += 8)
        put_bits(&data, 0, 8);
    end_bits(&data);
    if (data.n % 2)
        put(&data, "", 1);
    put(f, "RIFF", 4);
    put_little(f, 4 + 8 + data.n, 4);
    put(f, "WEBPVP8L", 8);
    put_little(f, data.n, 4);
    put(f, data.bytes, data.n);
    free(data.bytes);
}

static void make_webp(struct file *f, uint32_t size)
{
    make_webp_of(f, size, 1);
}

static void make_tiny_webp(struct file *f, uint32_t size)
{
    make_webp_of(f, size, 0);
}

static const struct kind {
    const char *name;
    void (*make)(struct file *f, uint32_t size);
    uint32_t large; /* a size that takes far more than the deadline */
    uint8_t value;  /* of its pixels */
} kinds[] = {
    {"PNG", make_plain_png, 8192, 0},     {"PNG", make_interlaced_png, 8192, 0},
    {"TIFF", make_strip_tiff, 11264, 0},  {"TIFF", make_strips_tiff, 11264, 0},
    {"TIFF", make_planes_tiff, 11264, 0}, {"JPEG 2000", make_jpeg2000, 8192, 128},
    {"WebP", make_webp, 4096, 0},         {"WebP", make_tiny_webp, 11264, 0},
};

static int64_t now_ns(void)
{
    struct timespec now;

    clock_gettime(CLOCK_MONOTONIC, &now);
    return (int64_t)now.tv_sec * 1000000000 + now.tv_nsec;
}

/* ---- tests ----------------------------------------------------------------------------------- */

static void add_decoder(const struct file *f)
{
    char dims[24];

    sprintf(dims, "%zu", f->n);
    th_input(t, "x", BP_DTYPE_U8, dims, f->bytes);
    th_output(t, "y", BP_DTYPE_U8, NULL);
    th_node(t, "ImageDecoder", 20, "x", "y");
    th_string(t, "pixel_format", "RGB");
}

/* This build has no such library, so its images are refused: nothing to test. */
static bool is_missing(void)
{
    return strstr(th_message(t), "library is missing") != NULL;
}

START_TEST(image_of_one_colour_has_its_pixels)
{
    struct file f = {0};
    const uint8_t *pixels;

    kinds[_i].make(&f, 64);
    add_decoder(&f);
    if (th_run(t) < 0) {
        ck_assert_msg(is_missing(), "%s: %s", kinds[_i].name, th_message(t));
    } else {
        ck_assert_str_eq(th_dims(t, "y"), "64,64,3");
        pixels = th_data(t, "y");
        for (size_t i = 0; i < 64 * 64 * 3; i++)
            ck_assert_msg(pixels[i] == kinds[_i].value, "%s: value %zu is %u", kinds[_i].name, i,
                          pixels[i]);
    }
    free(f.bytes);
}
END_TEST

/* A few bytes stand for up to 2^27 pixels, whose decoding took seconds whatever the deadline was. */
START_TEST(image_decoder_stops_at_its_deadline)
{
    struct file f = {0};
    int64_t late = INT64_MAX;
    bp_rc rc = BP_E_TIMEOUT;

    kinds[_i].make(&f, kinds[_i].large);
    add_decoder(&f);
    /* other programs may hold this one up, but not each time */
    for (int turn = 0; turn < 4 && rc == BP_E_TIMEOUT && late >= 50 * 1000000; turn++) {
        int64_t deadline = now_ns() + 50 * 1000000;

        th_limits(t, NULL, deadline, NULL);
        rc = th_run(t);
        late = now_ns() - deadline;
    }
    if (rc == BP_E_UNAVAILABLE && is_missing()) {
        free(f.bytes);
        return;
    }
    ck_assert_msg(rc == BP_E_TIMEOUT, "%s: %d: %s", kinds[_i].name, rc, th_message(t));
    if (!skip_is_slowed())
        ck_assert_msg(late < 50 * 1000000, "%s: stopped %lld ms after its deadline", kinds[_i].name,
                      (long long)late / 1000000);
    free(f.bytes);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("cpu_image_files");
    TCase *tcase = tcase_create("image_files");
    SRunner *runner = srunner_create(suite);
    int failed;

    suite_add_tcase(suite, tcase);
    tcase_set_timeout(tcase, 120);
    tcase_add_checked_fixture(tcase, start, teardown);
    tcase_add_loop_test(tcase, image_of_one_colour_has_its_pixels, 0, COUNT(kinds));
    tcase_add_loop_test(tcase, image_decoder_stops_at_its_deadline, 0, COUNT(kinds));
    srunner_run_all(runner, CK_NORMAL);
    failed = srunner_ntests_failed(runner);
    srunner_free(runner);
    return failed ? EXIT_FAILURE : EXIT_SUCCESS;
}
