/* SPDX-License-Identifier: MIT */
/*
 * image_file.h - decoders of image files: each turns bytes, which may be anything, into rows of
 * red, green and blue. Those that use a library open it when the first such image comes.
 */
#ifndef BP_CPU_IMAGE_DECODERS_IMAGE_FILE_H
#define BP_CPU_IMAGE_DECODERS_IMAGE_FILE_H

#include <pthread.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum bp_cpu_image_kind {
    BP_CPU_IMAGE_UNKNOWN,
    BP_CPU_IMAGE_BMP,
    BP_CPU_IMAGE_PNM,
    BP_CPU_IMAGE_JPEG,
    BP_CPU_IMAGE_PNG,
    BP_CPU_IMAGE_TIFF,
    BP_CPU_IMAGE_WEBP,
    BP_CPU_IMAGE_JPEG2000,
    BP_CPU_IMAGES
};

enum bp_cpu_image_rc {
    BP_CPU_IMAGE_OK,
    BP_CPU_IMAGE_BROKEN,    /* the bytes are no image, or one that breaks off */
    BP_CPU_IMAGE_TOO_LARGE, /* more than BP_CPU_IMAGE_PIXELS */
    BP_CPU_IMAGE_NO_LIBRARY,
    BP_CPU_IMAGE_NO_MEMORY
};

/* An image beyond this many pixels is refused: a few bytes can claim any number. */
#define BP_CPU_IMAGE_PIXELS (INT64_C(1) << 27)

/* An image in the making. */
struct bp_cpu_image {
    const uint8_t *bytes;
    size_t size;
    /* gives memory for the rows, and is called at most once; NULL: none */
    void *(*alloc)(void *u, size_t bytes);
    void *u;
    int64_t height, width;
    uint8_t *rgb; /* height * width * 3 */
};

/* Libraries that are open; start from zeros, lock made. */
struct bp_cpu_image_libraries {
    pthread_mutex_t lock;
    void *handle[BP_CPU_IMAGES];
    void *calls[BP_CPU_IMAGES]; /* tables of the decoders, malloc'ed */
};

void bp_cpu_image_libraries_start(struct bp_cpu_image_libraries *libraries);
void bp_cpu_image_libraries_finish(struct bp_cpu_image_libraries *libraries);

/* What the first bytes say. */
enum bp_cpu_image_kind bp_cpu_image_kind(const uint8_t *bytes, size_t size);
const char *bp_cpu_image_name(enum bp_cpu_image_kind kind);
/* Decodes; [any thread]. */
enum bp_cpu_image_rc bp_cpu_image_decode(struct bp_cpu_image_libraries *libraries,
                                         struct bp_cpu_image *image);

/* ---- for the decoders ------------------------------------------------------------------------ */

/* Takes memory for the rows of that size. */
enum bp_cpu_image_rc bp_cpu_image_size(struct bp_cpu_image *image, uint64_t height, uint64_t width);

/* A decoder: its library (NULL: none, or not built in) and what it does. */
struct bp_cpu_image_decoder {
    const char *soname;
    const struct bp_cpu_symbol *symbols;
    size_t n_symbols, table_bytes;
    enum bp_cpu_image_rc (*decode)(const void *calls, struct bp_cpu_image *image);
};

extern const struct bp_cpu_image_decoder bp_cpu_image_bmp;
extern const struct bp_cpu_image_decoder bp_cpu_image_pnm;
extern const struct bp_cpu_image_decoder bp_cpu_image_jpeg;
extern const struct bp_cpu_image_decoder bp_cpu_image_png;
extern const struct bp_cpu_image_decoder bp_cpu_image_tiff;
extern const struct bp_cpu_image_decoder bp_cpu_image_webp;
extern const struct bp_cpu_image_decoder bp_cpu_image_jpeg2000;

#endif
