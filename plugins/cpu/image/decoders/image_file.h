/* SPDX-License-Identifier: MIT */
/*
 * image_file.h - Decoders of image files.
 * Each turns bytes, which may be anything, into rows of red, green and blue.
 * Decoders that use a library open it with the first such image, so that a missing library matters
 * only then. Libraries are closed with the node.
 * Decoders have no state of their own: any thread may run them. Where a run has a deadline, a thread of
 * its own does (image_job.c).
 */
#ifndef BP_CPU_IMAGE_DECODERS_IMAGE_FILE_H
#define BP_CPU_IMAGE_DECODERS_IMAGE_FILE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "lazy.h"

/* File formats. */
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

/* Results of a decoder. */
enum bp_cpu_image_rc {
    BP_CPU_IMAGE_OK,
    BP_CPU_IMAGE_BROKEN,    /* the bytes are not an image, or it is truncated */
    BP_CPU_IMAGE_TOO_LARGE, /* more than BP_CPU_IMAGE_PIXELS */
    BP_CPU_IMAGE_TOO_MANY_SCANS,
    BP_CPU_IMAGE_NO_LIBRARY,
    BP_CPU_IMAGE_NO_MEMORY
};

/* Images of more pixels are refused: a few bytes can claim any size. */
#define BP_CPU_IMAGE_PIXELS (INT64_C(1) << 27)

/* The input and output of a decoder. */
struct bp_cpu_image {
    const uint8_t *bytes;
    size_t size;
    /*
     * Returns zeroed memory for the rows, to free(), or NULL; called at most once. Where the image
     * may be stopped, u is NULL.
     */
    void *(*alloc)(void *u, size_t bytes);
    bool (*should_stop)(void *u); /* asked while an image takes long: then it is BROKEN */
    bool may_stop;                /* false: should_stop() never says yes */
    void *u;
    int64_t height, width;
    uint8_t *rgb; /* height * width * 3; set even where decoding failed later */
};

struct bp_cpu_image_job;

/* Threads that decode and that their runs gave up; {0}: there are none. */
struct bp_cpu_image_jobs {
    _Atomic(struct bp_cpu_image_job *) given_up;
};

/* Libraries of the decoders, by format; {0}: none is open. */
struct bp_cpu_image_libraries {
    bp_cpu_lazy of[BP_CPU_IMAGES];
    struct bp_cpu_image_jobs jobs;
};

/* Waits for what outlasted its run, and closes all libraries. */
void bp_cpu_image_libraries_finish(struct bp_cpu_image_libraries *libraries);

/* The format by the file's signature. */
enum bp_cpu_image_kind bp_cpu_image_kind(const uint8_t *bytes, size_t size);
const char *bp_cpu_image_name(enum bp_cpu_image_kind kind);
/* Decodes image->bytes to image->rgb, opening the library if need be. [any thread] */
enum bp_cpu_image_rc bp_cpu_image_decode(struct bp_cpu_image_libraries *libraries,
                                         struct bp_cpu_image *image);

/* ---- for the decoders ------------------------------------------------------------------------ */

/* Sets the size and allocates the rows. BP_CPU_IMAGE_TOO_LARGE, _NO_MEMORY. */
enum bp_cpu_image_rc bp_cpu_image_size(struct bp_cpu_image *image, uint64_t height, uint64_t width);

/* A decoder: its library (NULL: none, or not built in) and its function. */
struct bp_cpu_image_decoder {
    const char *soname;
    const struct bp_cpu_symbol *symbols;
    size_t n_symbols;
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
