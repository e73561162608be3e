/* SPDX-License-Identifier: MIT */
/* jpeg_reader.c - reads JPEG files. */
#include "jpeg_reader.h"

#include <errno.h>
#include <setjmp.h>
#include <stdio.h>
#include <string.h>

#include <jpeglib.h> /* needs stdio.h before it */

#include "../common/example.h"

/*
 * libjpeg reports an error by calling a function that must not return; jumping back is the way out
 * that its manual gives. What has to survive the jump is in here, not in variables of a function.
 */
struct reader {
    struct jpeg_error_mgr errors; /* first: libjpeg hands back a pointer to it */
    jmp_buf back;
    struct jpeg_decompress_struct jpeg;
    struct image image;
    const char *path;
    FILE *file;
    char text[JMSG_LENGTH_MAX];
};

_Noreturn static void jump_back(j_common_ptr jpeg)
{
    struct reader *reader = (struct reader *)jpeg->err;

    jpeg->err->format_message(jpeg, reader->text);
    longjmp(reader->back, 1);
}

/* Damage that libjpeg reads past comes here (level below 0), as does what traces its work. */
static void keep_warning(j_common_ptr jpeg, int level)
{
    struct reader *reader = (struct reader *)jpeg->err;

    if (level < 0 && jpeg->err->num_warnings++ == 0)
        jpeg->err->format_message(jpeg, reader->text);
}

static bool read_rows(struct reader *reader)
{
    struct jpeg_decompress_struct *jpeg = &reader->jpeg;
    size_t stride;

    jpeg_create_decompress(jpeg);
    jpeg_stdio_src(jpeg, reader->file);
    jpeg_read_header(jpeg, TRUE);
    jpeg->out_color_space = JCS_RGB;
    jpeg_start_decompress(jpeg);

    if (!image_create(&reader->image, jpeg->output_width, jpeg->output_height))
        return false;
    stride = reader->image.width * IMAGE_CHANNELS;
    while (jpeg->output_scanline < jpeg->output_height) {
        JSAMPROW row = reader->image.rgb + jpeg->output_scanline * stride;

        jpeg_read_scanlines(jpeg, &row, 1);
    }
    jpeg_finish_decompress(jpeg);
    return true;
}

/* The one function that libjpeg jumps back to. */
static bool read_or_jump(struct reader *reader)
{
    reader->jpeg.err = jpeg_std_error(&reader->errors);
    reader->errors.error_exit = jump_back;
    reader->errors.emit_message = keep_warning;
    if (setjmp(reader->back))
        return example_fail("%s: cannot be read as JPEG: %s", reader->path, reader->text);
    return read_rows(reader);
}

bool image_read_jpeg(const char *path, struct image *out)
{
    struct reader reader = {.path = path, .file = fopen(path, "rb")};
    bool is_good;

    *out = (struct image){0};
    if (!reader.file)
        return example_fail("%s: %s", path, strerror(errno));

    is_good = read_or_jump(&reader);
    if (is_good) {
        if (reader.errors.num_warnings > 0)
            fprintf(stderr, "%s: %s: damaged, but used as it is: %s\n", example_name, path,
                    reader.text);
        *out = reader.image;
        reader.image.rgb = NULL; /* the caller's now */
    }
    image_destroy(&reader.image);
    jpeg_destroy_decompress(&reader.jpeg);
    fclose(reader.file);
    return is_good;
}
