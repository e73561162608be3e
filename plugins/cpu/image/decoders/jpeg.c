/* SPDX-License-Identifier: MIT */
/*
 * jpeg.c - Decodes JPEG with libjpeg.
 * libjpeg reports errors by calling a function that must not return: it jumps back to decode().
 * CMYK and YCCK images are converted here, because libjpeg gives them as CMYK.
 */

#include "image/decoders/image_file.h"

#ifdef BP_JPEG_SONAME

#include "lazy.h"

#include <setjmp.h>
#include <stdio.h>

#include <jpeglib.h>

/* Each scan of a progressive image costs a pass over the whole image; encoders make about ten. */
enum { MOST_SCANS = 1000, ANY_SCANS = 32 };
/* Pixels that more scans than ANY_SCANS may pass over, all of them together: about two seconds. */
#define MOST_PASSED (INT64_C(1) << 32)

/* Functions of the library. */
struct calls {
    struct jpeg_error_mgr *(*std_error)(struct jpeg_error_mgr *);
    void (*create)(j_decompress_ptr, int, size_t);
    void (*mem_src)(j_decompress_ptr, const unsigned char *, unsigned long);
    int (*read_header)(j_decompress_ptr, boolean);
    boolean (*start)(j_decompress_ptr);
    JDIMENSION (*read_scanlines)(j_decompress_ptr, JSAMPARRAY, JDIMENSION);
    boolean (*finish)(j_decompress_ptr);
    void (*destroy)(j_decompress_ptr);
};

/* What is looked up in the library. */
static const struct bp_cpu_symbol symbols[] = {
    {"jpeg_std_error", offsetof(struct calls, std_error)},
    {"jpeg_CreateDecompress", offsetof(struct calls, create)},
    {"jpeg_mem_src", offsetof(struct calls, mem_src)},
    {"jpeg_read_header", offsetof(struct calls, read_header)},
    {"jpeg_start_decompress", offsetof(struct calls, start)},
    {"jpeg_read_scanlines", offsetof(struct calls, read_scanlines)},
    {"jpeg_finish_decompress", offsetof(struct calls, finish)},
    {"jpeg_destroy_decompress", offsetof(struct calls, destroy)},
};

/* libjpeg's error manager, and where to jump. */
struct trap {
    struct jpeg_error_mgr mgr; /* first */
    struct jpeg_progress_mgr progress;
    jmp_buf back;
    struct bp_cpu_image *image;
    enum bp_cpu_image_rc rc; /* of a jump */
};

/* Ends the decoding from within libjpeg. */
static void jump(j_common_ptr info)
{
    longjmp(((struct trap *)(void *)info->err)->back, 1);
}

/* libjpeg prints its warnings by default. */
static void silent(j_common_ptr info)
{
    (void)info;
}

/* Called for each row of blocks: stops images with too many scans, and runs that are to stop. */
static void watch(j_common_ptr info)
{
    struct trap *trap = (struct trap *)(void *)info->err;
    const struct jpeg_decompress_struct *d = (j_decompress_ptr)info;
    int64_t scans = d->input_scan_number;

    if (scans > MOST_SCANS ||
        (scans > ANY_SCANS && scans * d->image_width * d->image_height > MOST_PASSED)) {
        trap->rc = BP_CPU_IMAGE_TOO_MANY_SCANS;
        jump(info);
    }
    if (trap->image->should_stop(trap->image->u))
        jump(info);
}

/* Adobe's programs store CMYK inverted, and say so with a marker. */
static void cmyk_to_rgb(uint8_t *row, const uint8_t *cmyk, JDIMENSION width, bool is_inverted)
{
    for (JDIMENSION i = 0; i < width; i++) {
        for (int c = 0; c < 3; c++) {
            unsigned ink = cmyk[4 * i + (unsigned)c], black = cmyk[4 * i + 3];

            if (!is_inverted) {
                ink = 255 - ink;
                black = 255 - black;
            }
            row[3 * i + (unsigned)c] = (uint8_t)((ink * black + 127) / 255);
        }
    }
}

/* Everything that may jump; what it changes is in *info and *image. */
static enum bp_cpu_image_rc read_rows(const struct calls *calls, j_decompress_ptr info,
                                      struct bp_cpu_image *image)
{
    enum bp_cpu_image_rc rc;
    JSAMPARRAY cmyk = NULL;
    bool is_cmyk;

    calls->mem_src(info, image->bytes, image->size);
    if (calls->read_header(info, TRUE) != JPEG_HEADER_OK)
        return BP_CPU_IMAGE_BROKEN;
    is_cmyk = info->jpeg_color_space == JCS_CMYK || info->jpeg_color_space == JCS_YCCK;
    info->out_color_space = is_cmyk ? JCS_CMYK : JCS_RGB;
    rc = bp_cpu_image_size(image, info->image_height, info->image_width);
    if (rc != BP_CPU_IMAGE_OK)
        return rc;
    (void)calls->start(info);
    if (is_cmyk)
        cmyk = info->mem->alloc_sarray((j_common_ptr)info, JPOOL_IMAGE, info->output_width * 4, 1);
    while (info->output_scanline < info->output_height) {
        JSAMPROW row = image->rgb + (size_t)info->output_scanline * info->output_width * 3;

        (void)calls->read_scanlines(info, is_cmyk ? cmyk : &row, 1);
        if (is_cmyk)
            cmyk_to_rgb(row, cmyk[0], info->output_width, info->saw_Adobe_marker);
    }
    return calls->finish(info) ? BP_CPU_IMAGE_OK : BP_CPU_IMAGE_BROKEN;
}

static enum bp_cpu_image_rc decode(const void *table, struct bp_cpu_image *image)
{
    const struct calls *calls = table;
    struct jpeg_decompress_struct info = {0};
    struct trap trap = {.image = image, .rc = BP_CPU_IMAGE_BROKEN};
    enum bp_cpu_image_rc rc;

    info.err = calls->std_error(&trap.mgr);
    trap.mgr.error_exit = jump;
    trap.mgr.output_message = silent;
    trap.progress.progress_monitor = watch;
    if (setjmp(trap.back) == 0) {
        calls->create(&info, JPEG_LIB_VERSION, sizeof info);
        info.progress = &trap.progress;
        rc = read_rows(calls, &info, image);
        if (trap.mgr.num_warnings > 0 && rc == BP_CPU_IMAGE_OK)
            rc = BP_CPU_IMAGE_BROKEN; /* truncated: libjpeg fills the rest with grey */
    } else {
        rc = trap.rc;
    }
    calls->destroy(&info);
    return rc;
}

const struct bp_cpu_image_decoder bp_cpu_image_jpeg = {BP_JPEG_SONAME, symbols,
                                                       sizeof symbols / sizeof *symbols, decode};

#else

const struct bp_cpu_image_decoder bp_cpu_image_jpeg = {0};

#endif
