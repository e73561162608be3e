/* SPDX-License-Identifier: MIT */
/* claim.c - conditions that operators share, each with the refusal that says what was not met. */

#include "operator.h"

bool bp_nn_refuse(const struct bp_nn_query *query, uint32_t reason, const char *subject,
                  const char *fmt, ...)
{
    char text[256];
    va_list args;

    if (!query->claims)
        return false;
    va_start(args, fmt);
    vsnprintf(text, sizeof text, fmt, args);
    va_end(args);
    bp_refuse(query->claims, query->unit->index, reason, subject, text);
    return false;
}

bool bp_nn_needs_level(const struct bp_nn_query *query, int64_t level, const char *what)
{
    if (query->instance->level >= level)
        return true;
    return bp_nn_refuse(query, BP_R_DEVICE_FEATURE, NULL,
                        "%s needs NNAPI feature level %lld, this is %lld", what, (long long)level,
                        (long long)query->instance->level);
}

bool bp_nn_needs_constant(const struct bp_nn_query *query, uint32_t i, const char *what)
{
    uint32_t value = i < query->unit->n_in ? query->unit->in[i].value : BP_NONE;

    if (value == BP_NONE || BP_VALUE(query->graph, value)->flags & BP_VALUE_CONSTANT)
        return true;
    return bp_nn_refuse(query, BP_R_NOT_CONSTANT, BP_VALUE(query->graph, value)->name,
                        "%s is not constant", what);
}

bool bp_nn_needs_ints(const struct bp_nn_query *query, uint32_t i, const char *what, int64_t *out,
                      uint32_t cap, uint32_t *n)
{
    *n = 0;
    if (i >= query->node->n_in || query->node->in[i] == BP_NONE ||
        bp_nn_ints(query->instance, query->graph, query->node->in[i], out, cap, n))
        return true;
    return bp_nn_refuse(query, BP_R_NOT_CONSTANT, what, "%s is not a constant of at most %u", what,
                        cap);
}

bool bp_nn_needs_rank(const struct bp_nn_query *query, uint32_t i, uint32_t least, uint32_t most)
{
    const struct bp_nn_arg *arg = &query->unit->in[i];
    uint32_t rank;

    if (i >= query->unit->n_in || arg->value == BP_NONE)
        return bp_nn_refuse(query, BP_R_OTHER, NULL, "input %u is absent", i);
    rank = bp_nn_rank(query->graph, arg);
    if (rank >= least && rank <= most)
        return true;
    return bp_nn_refuse(query, BP_R_RANK, BP_VALUE(query->graph, arg->value)->name,
                        "rank %u, provider takes %u..%u", rank, least, most);
}

bool bp_nn_needs_axes(const struct bp_nn_query *query, const int64_t *axes, uint32_t n)
{
    int64_t rank = bp_nn_rank(query->graph, &query->unit->in[0]);
    uint32_t seen = 0;

    for (uint32_t i = 0; i < n; i++) {
        int64_t axis = axes[i] < 0 ? axes[i] + rank : axes[i];

        if (axis < 0 || axis >= rank || seen >> axis & 1)
            return bp_nn_refuse(query, BP_R_ATTRIBUTE, "axis", "axis %lld of rank %lld, or twice",
                                (long long)axes[i], (long long)rank);
        seen |= 1u << axis;
    }
    return true;
}

bool bp_nn_needs_axis(const struct bp_nn_query *query, const char *name, int64_t def)
{
    int64_t axis = bp_node_int(query->graph, query->node, name, def);

    return bp_nn_needs_axes(query, &axis, 1);
}

bool bp_nn_needs_window(const struct bp_nn_query *query)
{
    static const char *const names[] = {"pads", "kernel_shape", "strides", "dilations"};

    for (uint32_t k = 0; k < 4; k++) {
        int64_t least = k > 0;
        uint32_t n;
        const int64_t *values = bp_node_ints(query->graph, query->node, names[k], &n);

        if (n != 0 && n != (k == 0 ? 4 : 2))
            return bp_nn_refuse(query, BP_R_ATTRIBUTE, names[k], "%s has %u numbers", names[k], n);
        for (uint32_t i = 0; i < n; i++) {
            if (values[i] < least || values[i] > UINT16_MAX)
                return bp_nn_refuse(query, BP_R_ATTRIBUTE, names[k],
                                    "%s has %lld, provider takes %lld to 65535", names[k],
                                    (long long)values[i], (long long)least);
        }
    }
    return true;
}

/* ---- shapes and types ------------------------------------------------------------------------ */

/* NNAPI reads a size of 0 as one that is not known, so an empty tensor is refused too. */
static bool has_sizes(const struct bp_nn_query *query, uint32_t index)
{
    const bp_value *value;

    if (index == BP_NONE)
        return true;
    value = BP_VALUE(query->graph, index);
    if (value->rank == BP_RANK_UNKNOWN)
        return bp_nn_refuse(query, BP_R_DYNAMIC_SHAPE, value->name,
                            "its rank is not known: NNAPI models have fixed shapes");
    if (value->rank > BP_NN_MAX_RANK)
        return bp_nn_refuse(query, BP_R_RANK, value->name, "rank %u, provider takes 0..4",
                            value->rank);
    for (uint32_t i = 0; i < value->rank; i++) {
        if (value->dims[i].value < 0)
            return bp_nn_refuse(query, BP_R_DYNAMIC_SHAPE, value->name,
                                "size %u is not known: NNAPI models have fixed shapes", i);
        if (value->dims[i].value == 0)
            return bp_nn_refuse(query, BP_R_OTHER, value->name, "it has no elements");
        if (value->dims[i].value > INT32_MAX)
            return bp_nn_refuse(query, BP_R_OTHER, value->name, "size %u is beyond int32", i);
    }
    return true;
}

static bool has_all_sizes(const struct bp_nn_query *query)
{
    bool computed = false;

    for (uint32_t i = 0; i < query->unit->n_in; i++) {
        uint32_t value = query->unit->in[i].value;

        if (value == BP_NONE)
            continue;
        if (!has_sizes(query, value))
            return false;
        computed |= !(BP_VALUE(query->graph, value)->flags & BP_VALUE_CONSTANT);
    }
    if (!computed)
        return bp_nn_refuse(query, BP_R_OTHER, NULL, "all its inputs are constant");
    for (uint32_t i = 0; i < query->node->n_out; i++) {
        if (!has_sizes(query, query->node->out[i]))
            return false;
    }
    return true;
}

static bool takes_type(const struct bp_nn_op *op, const struct bp_nn_query *query)
{
    const bp_value *value = BP_VALUE(query->graph, query->unit->in[0].value);
    uint32_t types = query->unit->is_qdq ? BP_NN_U8 : op->types;

    if (value->dtype < 32 && types & BP_NN_TYPE(value->dtype))
        return true;
    return bp_nn_refuse(
        query, BP_R_DTYPE, value->name, "element type %u, provider takes %s%s%s here", value->dtype,
        types & BP_NN_F32 ? "float32" : "", types == (BP_NN_F32 | BP_NN_U8) ? " and " : "",
        types & BP_NN_U8 ? "quantized uint8" : "");
}

/* ---- quantization ---------------------------------------------------------------------------- */

static bool all_zero(const struct bp_nn_query *query, uint32_t value)
{
    int64_t zeros[64];
    uint32_t n = 0;
    const bp_value *row = value == BP_NONE ? NULL : BP_VALUE(query->graph, value);
    bp_span span;

    if (!row)
        return true;
    if (bp_nn_ints(query->instance, query->graph, value, zeros, 64, &n)) {
        for (uint32_t i = 0; i < n; i++) {
            if (zeros[i] != 0)
                return false;
        }
        return true;
    }
    if (!(row->flags & BP_VALUE_CONSTANT) || row->dtype != BP_DTYPE_I8 ||
        query->instance->host.constant(query->instance->host.h, query->graph, value, &span, NULL) <
            0)
        return false;
    for (size_t i = 0; i < span.size; i++) {
        if (((const unsigned char *)span.data)[i] != 0)
            return false;
    }
    return true;
}

/* A scale a channel: of Conv's int8 weights, by their dimension 0, around zero. */
static bool takes_channels(const struct bp_nn_query *query, const struct bp_nn_arg *arg)
{
    const bp_value *value = BP_VALUE(query->graph, arg->value);
    const bp_value *scale = arg->scale == BP_NONE ? NULL : BP_VALUE(query->graph, arg->scale);

    if (!scale || !(scale->flags & BP_VALUE_CONSTANT))
        return bp_nn_refuse(query, BP_R_NOT_CONSTANT, value->name, "its scale is not constant");
    if (strcmp(query->node->op, "Conv") != 0 && strcmp(query->node->op, "QLinearConv") != 0)
        return bp_nn_refuse(query, BP_R_OTHER, value->name,
                            "scales a channel, which NNAPI has for Conv only");
    if (value->dtype != BP_DTYPE_I8 || scale->dtype != BP_DTYPE_F32 || arg->axis != 0 ||
        value->rank != 4 || scale->const_bytes != sizeof(float) * (uint64_t)value->dims[0].value ||
        !all_zero(query, arg->zero))
        return bp_nn_refuse(query, BP_R_OTHER, value->name,
                            "scales a channel: NNAPI has them for int8 weights, for dimension 0, "
                            "with zero points 0");
    return bp_nn_needs_level(query, BP_NN_FL3, "a scale a channel");
}

/* What readers and producers say of a value has to be the same: NNAPI knows one scale of it. */
static bool takes_operand(const struct bp_nn_query *query, const struct bp_nn_arg *arg,
                          bool is_weight)
{
    const bp_value *value = BP_VALUE(query->graph, arg->value);
    const struct bp_nn_quant *known = &query->facts->quants[arg->value];
    struct bp_nn_quant quant;

    if (value->dtype == BP_DTYPE_I32)
        return true; /* a bias */
    if (value->dtype != BP_DTYPE_U8 && !(is_weight && value->dtype == BP_DTYPE_I8))
        return bp_nn_refuse(query, BP_R_DTYPE, value->name,
                            "quantized as element type %u, provider takes uint8", value->dtype);
    if (is_weight && value->dtype == BP_DTYPE_I8 && !(value->flags & BP_VALUE_CONSTANT))
        return bp_nn_refuse(query, BP_R_NOT_CONSTANT, value->name, "int8 weights are not constant");
    if (!bp_nn_quant_of(query->facts, arg, &quant))
        return is_weight ? takes_channels(query, arg)
                         : bp_nn_refuse(query, BP_R_NOT_CONSTANT, value->name,
                                        "its scale is not one constant, or not known here");
    if (!(quant.scale > 0))
        return bp_nn_refuse(query, BP_R_OTHER, value->name, "its scale is not above 0");
    if (value->dtype == BP_DTYPE_U8 && known->scale != 0 &&
        (known->scale != quant.scale || known->zero != quant.zero))
        return bp_nn_refuse(query, BP_R_OTHER, value->name,
                            "another node reads or makes it with another scale");
    return true;
}

/* A constant that is dequantized for readers outside of units too would have to be there twice. */
static bool has_own_constants(const struct bp_nn_query *query)
{
    for (uint32_t i = 0; query->unit->is_qdq && i < query->unit->n_in; i++) {
        uint32_t value = query->unit->in[i].value;

        if (value != BP_NONE && BP_VALUE(query->graph, value)->flags & BP_VALUE_CONSTANT &&
            query->facts->is_shared[BP_VALUE(query->graph, query->node->in[i])->producer])
            return bp_nn_refuse(query, BP_R_OTHER, BP_VALUE(query->graph, value)->name,
                                "others read the constant as float32 too");
    }
    return true;
}

static bool takes_quantization(const struct bp_nn_op *op, const struct bp_nn_query *query)
{
    const struct bp_nn_unit *unit = query->unit;

    for (uint32_t i = 0; i < unit->n_in; i++) {
        if (unit->in[i].is_quantized && unit->in[i].value != BP_NONE &&
            !takes_operand(query, &unit->in[i], op->weight != 0 && i == op->weight))
            return false;
    }
    return !unit->out.is_quantized || takes_operand(query, &unit->out, false);
}

/* ---- all ------------------------------------------------------------------------------------- */

static bool takes_version(const struct bp_nn_op *op, const struct bp_nn_query *query)
{
    uint32_t since = query->node->since;

    if (since >= op->first && (op->domain || since <= BP_NN_LAST_OPSET))
        return true;
    return bp_nn_refuse(query, BP_R_OPSET, NULL, "version %u, provider takes %u..%d", since,
                        op->first, BP_NN_LAST_OPSET);
}

/* A model may be wrong: inputs that the operator cannot do without are looked for. */
static bool has_inputs(const struct bp_nn_op *op, const struct bp_nn_query *query)
{
    uint32_t n = op->n_needed ? op->n_needed : 1;

    for (uint32_t i = 0; i < n; i++) {
        if (i >= query->node->n_in || query->node->in[i] == BP_NONE)
            return bp_nn_refuse(query, BP_R_OTHER, NULL, "input %u is absent", i);
    }
    return true;
}

/* What nobody can change about the model comes before its sizes, which a user may fix. */
bool bp_nn_takes(const struct bp_nn_op *op, const struct bp_nn_query *query)
{
    bool is_nchw = bp_nn_is_nchw(query->instance);
    int64_t level = is_nchw && op->nchw_level ? op->nchw_level : op->level;

    if (!bp_nn_needs_level(query, level,
                           level != op->level ? "it in NCHW layout (use_nchw)" : "the operator"))
        return false;
    if (query->unit->is_qdq && !op->takes_qdq)
        return bp_nn_refuse(query, BP_R_OTHER, NULL, "not taken in quantized form");
    if (query->unit->out.value == BP_NONE)
        return bp_nn_refuse(query, BP_R_OTHER, NULL, "its first output is not used");
    return has_inputs(op, query) && query->unit->n_in > 0 && query->unit->in[0].value != BP_NONE &&
           takes_type(op, query) && takes_version(op, query) && has_all_sizes(query) &&
           has_own_constants(query) && takes_quantization(op, query) &&
           (!op->claim || op->claim(op, query));
}
