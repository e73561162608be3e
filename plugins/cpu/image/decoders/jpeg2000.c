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
    OPJ_BOOL (*area)(opj_codec_t *, opj_image_t *, OPJ_INT32, OPJ_INT32, OPJ_INT32, OPJ_INT32);
    opj_codestream_info_v2_t *(*info)(opj_codec_t *);
    void (*info_free)(opj_codestream_info_v2_t **);
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
    {"opj_set_decode_area", offsetof(struct calls, area)},
    {"opj_get_cstr_info", offsetof(struct calls, info)},
    {"opj_destroy_cstr_info", offsetof(struct calls, info_free)},
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

/* A part of an image. */
struct area {
    uint32_t x0, y0, x1, y1; /* from the image's own left upper corner */
};

/* Column x of the image in a component, whose data begins at `first` and has n columns. */
static uint32_t index_of(uint32_t x, uint32_t step, uint32_t first, uint32_t n)
{
    uint32_t i = x / step;

    i = i < first ? 0 : i - first;
    return i < n ? i : n - 1;
}

/*
 * A pixel of a component scaled to 0..255; components may be subsampled, signed, and of 1 to 31
 * bits.
 */
static int sample(const opj_image_comp_t *c, const struct area *area, uint32_t x, uint32_t y)
{
    int64_t value;
    uint32_t row = index_of(y, c->dy, area->y0 / c->dy, c->h);
    uint32_t column = index_of(x, c->dx, area->x0 / c->dx, c->w);

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
static void write_pixels(const opj_image_t *decoded, const struct area *area,
                         struct bp_cpu_image *image)
{
    bool has_colour = decoded->numcomps >= 3, is_ycc = decoded->color_space == OPJ_CLRSPC_SYCC;

    for (uint32_t y = area->y0; y < area->y1; y++) {
        uint8_t *to = image->rgb + ((size_t)y * (size_t)image->width + area->x0) * 3;

        for (uint32_t x = area->x0; x < area->x1; x++, to += 3) {
            int a = sample(&decoded->comps[0], area, x, y);
            int b = has_colour ? sample(&decoded->comps[1], area, x, y) : a;
            int c = has_colour ? sample(&decoded->comps[2], area, x, y) : a;

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

/* ---- decoding -------------------------------------------------------------------------------- */

/* Pixels across and down of a part, where a run may stop: some 10 ms; a multiple of code blocks. */
enum { PART = 512 };

/* A decoder of the image, from its first byte on. */
struct decoding {
    const struct calls *calls;
    struct source source;
    opj_codec_t *codec;
    opj_stream_t *stream;
    opj_image_t *decoded;
    uint32_t x0, y0;  /* of the image, on OpenJPEG's grid */
    bool is_reusable; /* another part can be decoded by the same codec */
};

static void end_decoding(struct decoding *d)
{
    if (d->decoded)
        d->calls->image_free(d->decoded);
    if (d->stream)
        d->calls->stream_free(d->stream);
    if (d->codec)
        d->calls->codec_free(d->codec);
    d->decoded = NULL;
    d->stream = NULL;
    d->codec = NULL;
}

/* OpenJPEG decodes several parts after each other only of an image that is one tile. */
static bool has_one_tile(const struct decoding *d)
{
    opj_codestream_info_v2_t *info = d->calls->info(d->codec);
    bool is_one = info && info->tw == 1 && info->th == 1;

    if (info)
        d->calls->info_free(&info);
    return is_one;
}

/*
 * Reads the header. A file starts with a box length whose first byte is 0, a code stream with 0xff.
 */
static enum bp_cpu_image_rc begin_decoding(struct decoding *d, const struct bp_cpu_image *image)
{
    opj_dparameters_t parameters;

    d->source = (struct source){image->bytes, image->size, 0};
    d->codec = d->calls->create(image->bytes[0] ? OPJ_CODEC_J2K : OPJ_CODEC_JP2);
    d->stream = open_stream(d->calls, &d->source);
    if (!d->codec || !d->stream)
        return BP_CPU_IMAGE_NO_MEMORY;
    d->calls->defaults(&parameters);
    if (!d->calls->setup(d->codec, &parameters) ||
        !d->calls->header(d->stream, d->codec, &d->decoded) || !d->decoded ||
        d->decoded->x1 <= d->decoded->x0 || d->decoded->y1 <= d->decoded->y0)
        return BP_CPU_IMAGE_BROKEN;
    d->x0 = d->decoded->x0;
    d->y0 = d->decoded->y0;
    d->is_reusable = has_one_tile(d);
    return BP_CPU_IMAGE_OK;
}

/* Parts beyond INT32_MAX cannot be named. */
static bool choose_area(const struct decoding *d, const struct area *area)
{
    uint64_t x1 = (uint64_t)d->x0 + area->x1, y1 = (uint64_t)d->y0 + area->y1;

    return x1 <= INT32_MAX && y1 <= INT32_MAX &&
           d->calls->area(d->codec, d->decoded, (OPJ_INT32)(d->x0 + area->x0),
                          (OPJ_INT32)(d->y0 + area->y0), (OPJ_INT32)x1, (OPJ_INT32)y1);
}

/*
 * Decodes one part. A palette makes more components of one, after which the codec no longer fits its
 * image.
 */
static enum bp_cpu_image_rc decode_part(struct decoding *d, const struct area *area,
                                        struct bp_cpu_image *image)
{
    enum bp_cpu_image_rc rc = BP_CPU_IMAGE_OK;
    uint32_t n;

    if (!d->codec)
        rc = begin_decoding(d, image);
    if (rc != BP_CPU_IMAGE_OK)
        return rc;
    n = d->decoded->numcomps;
    if (!choose_area(d, area) || !d->calls->decode(d->codec, d->stream, d->decoded) ||
        !is_usable(d->decoded))
        return BP_CPU_IMAGE_BROKEN;
    write_pixels(d->decoded, area, image);
    if (!d->is_reusable || d->decoded->numcomps != n)
        end_decoding(d);
    return BP_CPU_IMAGE_OK;
}

static enum bp_cpu_image_rc decode_in_parts(struct decoding *d, struct bp_cpu_image *image)
{
    uint32_t width = (uint32_t)image->width, height = (uint32_t)image->height;
    enum bp_cpu_image_rc rc = BP_CPU_IMAGE_OK;

    for (uint32_t y = 0; y < height; y += PART) {
        for (uint32_t x = 0; x < width; x += PART) {
            struct area area = {x, y, x + (width - x < PART ? width - x : PART),
                                y + (height - y < PART ? height - y : PART)};

            if (image->should_stop(image->u))
                return BP_CPU_IMAGE_BROKEN;
            rc = decode_part(d, &area, image);
            if (rc != BP_CPU_IMAGE_OK)
                return rc;
        }
    }
    return rc;
}

static enum bp_cpu_image_rc decode_at_once(struct decoding *d, struct bp_cpu_image *image)
{
    struct area area = {0, 0, (uint32_t)image->width, (uint32_t)image->height};

    if (!d->calls->decode(d->codec, d->stream, d->decoded) || !d->calls->end(d->codec, d->stream) ||
        !is_usable(d->decoded))
        return BP_CPU_IMAGE_BROKEN;
    write_pixels(d->decoded, &area, image);
    return BP_CPU_IMAGE_OK;
}

/* The size is checked before the pixels are decoded. */
static enum bp_cpu_image_rc decode(const void *table, struct bp_cpu_image *image)
{
    struct decoding d = {.calls = table};
    enum bp_cpu_image_rc rc = begin_decoding(&d, image);

    if (rc == BP_CPU_IMAGE_OK)
        rc = bp_cpu_image_size(image, d.decoded->y1 - d.decoded->y0, d.decoded->x1 - d.decoded->x0);
    if (rc == BP_CPU_IMAGE_OK)
        rc = image->may_stop && image->width * image->height > PART * PART
                 ? decode_in_parts(&d, image)
                 : decode_at_once(&d, image);
    end_decoding(&d);
    return rc;
}

const struct bp_cpu_image_decoder bp_cpu_image_jpeg2000 = {
    BP_OPENJPEG_SONAME, symbols, sizeof symbols / sizeof *symbols, decode};

#else

const struct bp_cpu_image_decoder bp_cpu_image_jpeg2000 = {0};

#endif
