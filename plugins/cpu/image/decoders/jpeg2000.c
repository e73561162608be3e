/* SPDX-License-Identifier: MIT */
/*
 * jpeg2000.c - Decodes JPEG 2000 with OpenJPEG: files (.jp2) and bare code streams (.j2k).
 * Components may be subsampled, and have 1 to 31 bits; they are scaled to 8.
 */

#include "image/decoders/image_file.h"

#ifdef BP_OPENJPEG_SONAME

#include "lazy.h"

#include <string.h>

#include <openjpeg.h>

/* Functions of the library. */
struct calls {
    opj_codec_t *(*create)(OPJ_CODEC_FORMAT);
    void (*defaults)(opj_dparameters_t *);
    OPJ_BOOL (*setup)(opj_codec_t *, opj_dparameters_t *);
    opj_stream_t *(*stream)(OPJ_SIZE_T, OPJ_BOOL);
    void (*set_read)(opj_stream_t *, opj_stream_read_fn);
    void (*set_skip)(opj_stream_t *, opj_stream_skip_fn);
    void (*set_seek)(opj_stream_t *, opj_stream_seek_fn);
    void (*set_user)(opj_stream_t *, void *, opj_stream_free_user_data_fn);
    void (*set_length)(opj_stream_t *, OPJ_UINT64);
    OPJ_BOOL (*header)(opj_stream_t *, opj_codec_t *, opj_image_t **);
    OPJ_BOOL (*decode)(opj_codec_t *, opj_stream_t *, opj_image_t *);
    OPJ_BOOL (*end)(opj_codec_t *, opj_stream_t *);
    void (*image_free)(opj_image_t *);
    void (*stream_free)(opj_stream_t *);
    void (*codec_free)(opj_codec_t *);
};

/* What is looked up in the library. */
static const struct bp_cpu_symbol symbols[] = {
    {"opj_create_decompress", offsetof(struct calls, create)},
    {"opj_set_default_decoder_parameters", offsetof(struct calls, defaults)},
    {"opj_setup_decoder", offsetof(struct calls, setup)},
    {"opj_stream_create", offsetof(struct calls, stream)},
    {"opj_stream_set_read_function", offsetof(struct calls, set_read)},
    {"opj_stream_set_skip_function", offsetof(struct calls, set_skip)},
    {"opj_stream_set_seek_function", offsetof(struct calls, set_seek)},
    {"opj_stream_set_user_data", offsetof(struct calls, set_user)},
    {"opj_stream_set_user_data_length", offsetof(struct calls, set_length)},
    {"opj_read_header", offsetof(struct calls, header)},
    {"opj_decode", offsetof(struct calls, decode)},
    {"opj_end_decompress", offsetof(struct calls, end)},
    {"opj_image_destroy", offsetof(struct calls, image_free)},
    {"opj_stream_destroy", offsetof(struct calls, stream_free)},
    {"opj_destroy_codec", offsetof(struct calls, codec_free)},
};

/* ---- the bytes as a stream ------------------------------------------------------------------- */

/* OpenJPEG reads from a stream: the bytes and the position. */
struct source {
    const uint8_t *bytes;
    size_t size, at;
};

/* OpenJPEG's convention: -1 at the end. */
static OPJ_SIZE_T read_bytes(void *to, OPJ_SIZE_T n, void *u)
{
    struct source *s = u;
    size_t left = s->size - s->at;

    if (left == 0)
        return (OPJ_SIZE_T)-1;
    n = n < left ? n : left;
    memcpy(to, s->bytes + s->at, n);
    s->at += n;
    return n;
}

static OPJ_OFF_T skip_bytes(OPJ_OFF_T n, void *u)
{
    struct source *s = u;

    if (n < 0 || (uint64_t)n > s->size - s->at)
        return -1;
    s->at += (size_t)n;
    return n;
}

static OPJ_BOOL seek_bytes(OPJ_OFF_T to, void *u)
{
    struct source *s = u;

    if (to < 0 || (uint64_t)to > s->size)
        return OPJ_FALSE;
    s->at = (size_t)to;
    return OPJ_TRUE;
}

/* A stream over the bytes; NULL: no memory. */
static opj_stream_t *open_stream(const struct calls *calls, struct source *source)
{
    opj_stream_t *stream = calls->stream(1 << 16, OPJ_TRUE);

    if (!stream)
        return NULL;
    calls->set_read(stream, read_bytes);
    calls->set_skip(stream, skip_bytes);
    calls->set_seek(stream, seek_bytes);
    calls->set_user(stream, source, NULL);
    calls->set_length(stream, source->size);
    return stream;
}

/* ---- pixels ---------------------------------------------------------------------------------- */

/*
 * A pixel of a component scaled to 0..255; components may be subsampled, signed, and of 1 to 31
 * bits.
 */
static int sample(const opj_image_comp_t *c, uint32_t x, uint32_t y)
{
    int64_t value;
    uint32_t row = y / c->dy < c->h ? y / c->dy : c->h - 1;
    uint32_t column = x / c->dx < c->w ? x / c->dx : c->w - 1;

    value = c->data[(size_t)row * c->w + column];
    if (c->sgnd)
        value += INT64_C(1) << (c->prec - 1);
    value = c->prec > 8 ? value >> (c->prec - 8) : value * 255 / ((INT64_C(1) << c->prec) - 1);
    return value < 0 ? 0 : value > 255 ? 255 : (int)value;
}

/* Rounds to 0..255. */
static uint8_t clamp(double v)
{
    return (uint8_t)(v <= 0 ? 0 : v >= 255 ? 255 : v + 0.5);
}

/* OpenJPEG accepts images whose components have no data. */
static bool is_usable(const opj_image_t *decoded)
{
    for (uint32_t i = 0; i < decoded->numcomps && i < 3; i++) {
        const opj_image_comp_t *c = &decoded->comps[i];

        if (!c->data || c->prec < 1 || c->prec > 31 || c->w == 0 || c->h == 0 || c->dx == 0 ||
            c->dy == 0)
            return false;
    }
    return decoded->numcomps > 0;
}

/* One component is grey; YCC is converted to RGB. */
static void write_pixels(const opj_image_t *decoded, struct bp_cpu_image *image)
{
    uint8_t *to = image->rgb;
    bool has_colour = decoded->numcomps >= 3, is_ycc = decoded->color_space == OPJ_CLRSPC_SYCC;

    for (uint32_t y = 0; y < (uint32_t)image->height; y++) {
        for (uint32_t x = 0; x < (uint32_t)image->width; x++, to += 3) {
            int a = sample(&decoded->comps[0], x, y);
            int b = has_colour ? sample(&decoded->comps[1], x, y) : a;
            int c = has_colour ? sample(&decoded->comps[2], x, y) : a;

            to[0] = (uint8_t)a;
            to[1] = (uint8_t)b;
            to[2] = (uint8_t)c;
            if (is_ycc && has_colour) {
                to[0] = clamp(a + 1.402 * (c - 128));
                to[1] = clamp(a - 0.344136 * (b - 128) - 0.714136 * (c - 128));
                to[2] = clamp(a + 1.772 * (b - 128));
            }
        }
    }
}

/* The size is checked before the pixels are decoded. */
static enum bp_cpu_image_rc read_image(const struct calls *calls, opj_codec_t *codec,
                                       opj_stream_t *stream, struct bp_cpu_image *image)
{
    opj_dparameters_t parameters;
    opj_image_t *decoded = NULL;
    enum bp_cpu_image_rc rc = BP_CPU_IMAGE_BROKEN;

    calls->defaults(&parameters);
    if (calls->setup(codec, &parameters) && calls->header(stream, codec, &decoded) && decoded &&
        decoded->x1 > decoded->x0 && decoded->y1 > decoded->y0) {
        rc = bp_cpu_image_size(image, decoded->y1 - decoded->y0, decoded->x1 - decoded->x0);
        if (rc == BP_CPU_IMAGE_OK && !(calls->decode(codec, stream, decoded) &&
                                       calls->end(codec, stream) && is_usable(decoded)))
            rc = BP_CPU_IMAGE_BROKEN;
        if (rc == BP_CPU_IMAGE_OK)
            write_pixels(decoded, image);
    }
    if (decoded)
        calls->image_free(decoded);
    return rc;
}

/* A file starts with a box length whose first byte is 0, a code stream with 0xff. */
static enum bp_cpu_image_rc decode(const void *table, struct bp_cpu_image *image)
{
    const struct calls *calls = table;
    struct source source = {image->bytes, image->size, 0};
    opj_codec_t *codec = calls->create(image->bytes[0] ? OPJ_CODEC_J2K : OPJ_CODEC_JP2);
    opj_stream_t *stream = open_stream(calls, &source);
    enum bp_cpu_image_rc rc = BP_CPU_IMAGE_NO_MEMORY;

    if (codec && stream)
        rc = read_image(calls, codec, stream, image);
    if (stream)
        calls->stream_free(stream);
    if (codec)
        calls->codec_free(codec);
    return rc;
}

const struct bp_cpu_image_decoder bp_cpu_image_jpeg2000 = {
    BP_OPENJPEG_SONAME, symbols, sizeof symbols / sizeof *symbols, decode};

#else

const struct bp_cpu_image_decoder bp_cpu_image_jpeg2000 = {0};

#endif
