/* SPDX-License-Identifier: MIT */
/*
 * image_decoder.c - ImageDecoder (opset 20).
 * Input is [bytes], uint8: a file of BMP, PNM, JPEG, PNG, TIFF, WebP or JPEG 2000.
 * Y is [height, width, channels], uint8, by pixel_format RGB, BGR or Grayscale.
 * Bytes that are not an image give [0, 0, channels], as ONNX asks. A missing library is an error.
 */

#include "image/decoders/image_file.h"
#include "kernels/runtime_shape.h"
#include "kernels/tensor_data.h"

#include <stdlib.h>

/* Values of pixel_format. */
enum format { RGB, BGR, GRAY };

/* Index of pixel_format; -1: it is unknown. */
static int format_of(const bp_graph *graph, const bp_node *node)
{
    static const char *const names[] = {"RGB", "BGR", "Grayscale"};

    for (int i = 0; i < 3; i++) {
        if (bp_node_string_is(graph, node, "pixel_format", "RGB", names[i]))
            return i;
    }
    return -1;
}

static void claim(const struct bp_cpu_op *op, const struct bp_cpu_query *query)
{
    if (format_of(query->graph, query->node) < 0)
        bp_cpu_refuse(query, BP_R_ATTRIBUTE, "pixel_format", "is none of RGB, BGR and Grayscale");
    else
        bp_cpu_claim_types(op, query);
}

/* Libraries are opened with the first image that needs them, and stay open as long as the node. */
static bp_rc pack(struct bp_cpu_node *node, bp_err *err)
{
    struct bp_cpu_image_libraries *libraries = bp_cpu_node_memory(node, sizeof *libraries);

    if (!libraries)
        return bp_cpu_fail(node, err, BP_E_NOMEM, "no memory for the node");
    node->packed = libraries;
    return BP_OK;
}

/* Closes the libraries. */
static void unpack(struct bp_cpu_node *node)
{
    if (node->packed)
        bp_cpu_image_libraries_finish(node->packed);
    node->packed = NULL;
}

/* Nothing is known before run(): Y's shape comes from the file. */
static bp_rc prepare(struct bp_cpu_call *call, bp_err *err)
{
    return bp_cpu_runtime_shape_state(call, sizeof(struct bp_cpu_runtime_shape), 1, 0, err);
}

/* The system zeroes large memory page by page, as it is used: all at once would outlast a deadline. */
static void *take(void *u, size_t bytes)
{
    (void)u;
    return calloc(bytes, 1);
}

static bool should_stop(void *u)
{
    const struct bp_cpu_call *call = u;

    return bp_cpu_should_stop(call->stop);
}

/* RGB to the node's format; grey by the weights of ITU-R BT.601 in 1/65536. */
static void convert_some(const uint8_t *rgb, int64_t pixels, enum format format, uint8_t *out)
{
    if (format == RGB) {
        memcpy(out, rgb, (size_t)pixels * 3);
        return;
    }
    for (int64_t i = 0; i < pixels; i++, rgb += 3) {
        if (format == GRAY) {
            out[i] =
                (uint8_t)((rgb[0] * 19595u + rgb[1] * 38470u + rgb[2] * 7471u + 0x8000u) >> 16);
        } else {
            out[3 * i] = rgb[2];
            out[3 * i + 1] = rgb[1];
            out[3 * i + 2] = rgb[0];
        }
    }
}

/* Pixels of the whole image, as long as the run goes on. */
static void convert(struct bp_cpu_call *call, const uint8_t *rgb, int64_t pixels,
                    enum format format, uint8_t *out)
{
    enum { BLOCK = 1 << 20 };
    int64_t channels = format == GRAY ? 1 : 3;

    for (int64_t i = 0; i < pixels && !should_stop(call); i += BLOCK)
        convert_some(rgb + 3 * i, pixels - i < BLOCK ? pixels - i : BLOCK, format,
                     out + channels * i);
}

/* Turns a decoder's result into an error. */
static bp_rc fail(const struct bp_cpu_call *call, enum bp_cpu_image_rc rc, const char *name,
                  bp_err *err)
{
    if (rc == BP_CPU_IMAGE_NO_LIBRARY)
        return bp_cpu_fail(call->node, err, BP_E_UNAVAILABLE,
                           "the image is %s, whose library is missing", name);
    if (rc == BP_CPU_IMAGE_NO_MEMORY)
        return bp_cpu_fail(call->node, err, BP_E_NOMEM, "no memory for the %s image", name);
    if (rc == BP_CPU_IMAGE_TOO_MANY_SCANS)
        return bp_cpu_fail(call->node, err, BP_E_INVALID,
                           "the %s image has too many scans for its size: save it with fewer",
                           name);
    return bp_cpu_fail(call->node, err, BP_E_INVALID, "the %s image has more than %lld pixels",
                       name, (long long)BP_CPU_IMAGE_PIXELS);
}

/* The size is known only once the header is decoded. */
static bp_rc run(struct bp_cpu_call *call, bp_err *err)
{
    const bp_tensor *x = call->in[0];
    enum format format = (enum format)format_of(call->node->graph, call->node->node);
    struct bp_cpu_image image = {.bytes = bp_cpu_data(x),
                                 .size = (size_t)bp_cpu_count(x),
                                 .alloc = take,
                                 .should_stop = should_stop,
                                 .may_stop = call->stop && call->stop->run,
                                 .u = call};
    enum bp_cpu_image_rc rc = bp_cpu_image_decode(call->node->packed, &image);
    int64_t dims[3] = {0, 0, format == GRAY ? 1 : 3};
    bp_rc result;

    if (rc != BP_CPU_IMAGE_OK && rc != BP_CPU_IMAGE_BROKEN) {
        free(image.rgb);
        return fail(call, rc, bp_cpu_image_name(bp_cpu_image_kind(image.bytes, image.size)), err);
    }
    if (rc == BP_CPU_IMAGE_OK) {
        dims[0] = image.height;
        dims[1] = image.width;
    }
    result = bp_cpu_runtime_shape_output(call, 3, dims, err);
    if (result >= 0 && rc == BP_CPU_IMAGE_OK)
        convert(call, image.rgb, dims[0] * dims[1], format, bp_cpu_data(call->out[0]));
    free(image.rgb);
    return result;
}

const struct bp_cpu_op bp_cpu_op_image_decoder = {
    .name = "ImageDecoder",
    .since = 20,
    .flags = BP_CPU_RUNTIME_SHAPE,
    .types = UINT64_C(1) << BP_DTYPE_U8,
    .claim = claim,
    .pack = pack,
    .unpack = unpack,
    .prepare = prepare,
    .run = run,
};
