/* SPDX-License-Identifier: MIT */
/* tensor.c - tensors of the calls in the making: type and bytes, locations in scratch, padding. */

#include "cann.h"

#include "common/float16.h"

/* Types that have no entry would read as 0, which is ACL_FLOAT: no operator claims them. */
aclDataType bp_cann_type(uint32_t dtype)
{
    static const aclDataType types[BP_DTYPE_END] = {
        [BP_DTYPE_F32] = ACL_FLOAT,  [BP_DTYPE_U8] = ACL_UINT8,   [BP_DTYPE_I8] = ACL_INT8,
        [BP_DTYPE_U16] = ACL_UINT16, [BP_DTYPE_I16] = ACL_INT16,  [BP_DTYPE_I32] = ACL_INT32,
        [BP_DTYPE_I64] = ACL_INT64,  [BP_DTYPE_BOOL] = ACL_BOOL,  [BP_DTYPE_F16] = ACL_FLOAT16,
        [BP_DTYPE_F64] = ACL_DOUBLE, [BP_DTYPE_U32] = ACL_UINT32, [BP_DTYPE_U64] = ACL_UINT64,
        [BP_DTYPE_BF16] = ACL_BF16,
    };

    return dtype < BP_DTYPE_END ? types[dtype] : ACL_DT_UNDEFINED;
}

/* set_shape() has made sure that this can be counted. */
size_t bp_cann_bytes(const struct bp_cann_tensor *tensor)
{
    return (size_t)bp_dims_count(tensor->dims, (uint32_t)tensor->rank) *
           bp_dtype_width(tensor->dtype) / 8;
}

const struct bp_cann_tensor *bp_cann_value(const struct bp_cann_build *b, uint32_t value)
{
    return value == BP_NONE ? NULL : &b->values[value];
}

const struct bp_cann_tensor *bp_cann_in(const struct bp_cann_build *b, uint32_t i)
{
    const bp_node *node = BP_NODE(b->graph, b->node);

    return i < node->n_in ? bp_cann_value(b, node->in[i]) : NULL;
}

const struct bp_cann_tensor *bp_cann_out(const struct bp_cann_build *b, uint32_t i)
{
    const bp_node *node = BP_NODE(b->graph, b->node);

    return i < node->n_out ? bp_cann_value(b, node->out[i]) : NULL;
}

/* It lives from the next step on; each step that touches it makes it live until then. */
void bp_cann_scratch(struct bp_cann_build *b, struct bp_cann_tensor *tensor)
{
    tensor->location = (struct bp_cann_location){.kind = BP_CANN_ITEM, .index = b->n_items};
    b->items[b->n_items++] =
        (bp_arena_item){.bytes = bp_cann_bytes(tensor), .first = b->n_steps, .last = b->n_steps};
}

size_t bp_cann_encode(float value, uint32_t dtype, void *out)
{
    uint16_t half;
    double wide = (double)value;

    switch (dtype) {
    case BP_DTYPE_F16:
        half = bp_f16_store(value);
        memcpy(out, &half, sizeof half);
        return sizeof half;
    case BP_DTYPE_F64:
        memcpy(out, &wide, sizeof wide);
        return sizeof wide;
    default:
        memcpy(out, &value, sizeof value);
        return sizeof value;
    }
}

/*
 * What the input lacks so that the output is the input divided by the stride, rounded up:
 * SAME_UPPER and SAME_LOWER of ONNX.
 */
static int64_t missing(int64_t in, int64_t kernel, int64_t stride, int64_t dilation)
{
    int64_t out = (in + stride - 1) / stride;
    int64_t pads = (out - 1) * stride + dilation * (kernel - 1) + 1 - in;

    return pads > 0 ? pads : 0;
}

/* An odd sum puts the larger half at the end, or with SAME_LOWER at the start. */
void bp_cann_window_pads(const struct bp_cann_build *b, const int64_t *kernel, int spatial,
                         int64_t *pads)
{
    const bp_node *node = BP_NODE(b->graph, b->node);
    bool is_upper = bp_node_string_is(b->graph, node, "auto_pad", "NOTSET", "SAME_UPPER");
    bool is_lower = bp_node_string_is(b->graph, node, "auto_pad", "NOTSET", "SAME_LOWER");
    bool is_valid = bp_node_string_is(b->graph, node, "auto_pad", "NOTSET", "VALID");
    uint32_t n_given, n_strides, n_dilations;
    const int64_t *given = bp_node_ints(b->graph, node, "pads", &n_given);
    const int64_t *strides = bp_node_ints(b->graph, node, "strides", &n_strides);
    const int64_t *dilations = bp_node_ints(b->graph, node, "dilations", &n_dilations);

    for (int i = 0; i < spatial; i++) {
        int64_t all = missing(bp_cann_in(b, 0)->dims[i + 2], kernel[i], n_strides ? strides[i] : 1,
                              n_dilations ? dilations[i] : 1);

        pads[2 * i] = pads[2 * i + 1] = 0;
        if (is_upper || is_lower) {
            pads[2 * i] = (all + is_lower) / 2;
            pads[2 * i + 1] = all - pads[2 * i];
        } else if (n_given && !is_valid) {
            pads[2 * i] = given[i];
            pads[2 * i + 1] = given[spatial + i];
        }
    }
}
