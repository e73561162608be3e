/* SPDX-License-Identifier: MIT */
/* window.c - strides, dilations and padding. */

#include "window.h"

static bool has_count(const struct bp_dnnl_query *query, const char *name, uint32_t count)
{
    uint32_t n;
    const int64_t *values = bp_node_ints(query->graph, query->node, name, &n);

    return !values || n == 0 || n == count;
}

static bool is_positive(const struct bp_dnnl_query *query, const char *name, int64_t low)
{
    uint32_t n;
    const int64_t *values = bp_node_ints(query->graph, query->node, name, &n);

    for (uint32_t i = 0; i < n; i++) {
        if (values[i] < low || values[i] > INT32_MAX)
            return bp_dnnl_refuse(query, BP_R_ATTRIBUTE, name,
                                  "%s has %lld, at least %lld is taken", name, (long long)values[i],
                                  (long long)low);
    }
    return true;
}

bool bp_dnnl_claims_window(const struct bp_dnnl_query *query, uint32_t n)
{
    static const char *const each[] = {"kernel_shape", "strides", "dilations"};

    for (uint32_t i = 0; i < 3; i++) {
        if (!has_count(query, each[i], n))
            return bp_dnnl_refuse(query, BP_R_ATTRIBUTE, each[i], "%s has not %u entries", each[i],
                                  n);
        if (!is_positive(query, each[i], 1))
            return false;
    }
    if (!has_count(query, "pads", 2 * n))
        return bp_dnnl_refuse(query, BP_R_ATTRIBUTE, "pads", "pads has not %u entries", 2 * n);
    return is_positive(query, "pads", 0);
}

static int64_t entry(const int64_t *values, uint32_t n, uint32_t i, int64_t def)
{
    return i < n ? values[i] : def;
}

void bp_dnnl_window_make(const struct bp_dnnl_build *b, const bp_node *node, uint32_t n,
                         const dnnl_dim_t *large, const dnnl_dim_t *small,
                         struct bp_dnnl_window *window)
{
    bool is_upper = bp_node_string_is(b->graph, node, "auto_pad", "NOTSET", "SAME_UPPER");
    bool is_lower = bp_node_string_is(b->graph, node, "auto_pad", "NOTSET", "SAME_LOWER");
    bool is_given = bp_node_string_is(b->graph, node, "auto_pad", "NOTSET", "NOTSET");
    uint32_t n_strides, n_dilations, n_pads;
    const int64_t *strides = bp_node_ints(b->graph, node, "strides", &n_strides);
    const int64_t *dilations = bp_node_ints(b->graph, node, "dilations", &n_dilations);
    const int64_t *pads = bp_node_ints(b->graph, node, "pads", &n_pads);

    for (uint32_t i = 0; i < n; i++) {
        int64_t dilation = entry(dilations, n_dilations, i, 1), total;

        window->strides[i] = entry(strides, n_strides, i, 1);
        window->dilates[i] = dilation - 1;
        /* what all windows together need beyond the large size; negative: they leave some of it */
        total =
            (small[i] - 1) * window->strides[i] + (window->kernel[i] - 1) * dilation + 1 - large[i];
        window->before[i] = is_given ? entry(pads, n_pads, i, 0) : 0;
        if (total > 0 && (is_upper || is_lower))
            window->before[i] = is_upper ? total / 2 : total - total / 2;
        window->after[i] = total - window->before[i];
    }
}
