/* SPDX-License-Identifier: MIT */
/*
 * channels_last.c - cases of a provider with BP_PROVIDER_NHWC: the channels of operators with a
 * layout are in the last dimension, as the host gives it such nodes (bp-provider(7), "Channels-last
 * data").
 */

#include "config.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "check/cases/reference.h"

/* Of the kit's cases; input 0 and the output have the layout. */
static const char *const operators[] = {
    "AveragePool",
    "BatchNormalization",
    "Conv",
    "ConvInteger",
    "ConvTranspose",
    "DepthToSpace",
    "GlobalAveragePool",
    "GlobalLpPool",
    "GlobalMaxPool",
    "InstanceNormalization",
    "LRN",
    "LpPool",
    "MaxPool",
    "QLinearConv",
    "SpaceToDepth",
};

/* Moves the second dimension to the end, or the last one to the second place. */
static void move_dims(struct kit_port *port, bool to_last)
{
    struct kit_port from = *port;

    for (uint32_t d = 0; d < port->rank; d++) {
        uint32_t last = d == 0 ? 0 : d == 1 ? port->rank - 1 : d - 1;

        port->dims[to_last ? last : d] = from.dims[to_last ? d : last];
    }
}

/* Elements in the other layout; `plain` is the port in ONNX's. */
static void move_elements(const struct kit_port *plain, const double *from, double *to,
                          bool to_last)
{
    size_t channels = (size_t)plain->dims[1], places = 1;

    for (uint32_t d = 2; d < plain->rank; d++)
        places *= (size_t)plain->dims[d];
    for (size_t n = 0; n < (size_t)plain->dims[0]; n++) {
        for (size_t c = 0; c < channels; c++) {
            for (size_t p = 0; p < places; p++) {
                size_t first = (n * channels + c) * places + p;
                size_t last = (n * places + p) * channels + c;

                to[to_last ? last : first] = from[to_last ? first : last];
            }
        }
    }
}

void ref_channels_last_in(const struct kit_case *c, const double *const *in, double *out,
                          double *buffer)
{
    struct kit_case plain = *c;
    const double *moved[KIT_PORTS];
    double *x = buffer, *y = buffer + kit_count(&c->in[0]);

    move_dims(&plain.in[0], false);
    move_dims(&plain.out, false);
    plain.reference = c->plain;
    memcpy(moved, in, sizeof moved);
    move_elements(&plain.in[0], in[0], x, false);
    moved[0] = x;
    plain.reference(&plain, moved, y);
    move_elements(&plain.out, y, out, true);
}

void ref_channels_last(const struct kit_case *c, const double *const *in, double *out)
{
    double *buffer = malloc((kit_count(&c->in[0]) + kit_count(&c->out) + 1) * sizeof *buffer);

    if (!buffer)
        abort();
    ref_channels_last_in(c, in, out, buffer);
    free(buffer);
}

bool kit_case_has_layout(const struct kit_case *c)
{
    for (size_t i = 0; i < sizeof operators / sizeof operators[0]; i++) {
        if (strcmp(c->op, operators[i]) == 0)
            return c->in[0].rank > 2;
    }
    return false;
}

void kit_case_channels_last(struct kit_case *c)
{
    static const char suffix[] = ", channels-last";
    size_t size = strlen(c->name) + sizeof suffix;
    char *name;

    if (c->plain || !kit_case_has_layout(c))
        return;
    name = malloc(size);
    if (!name)
        abort();
    snprintf(name, size, "%s%s", c->name, suffix);
    c->name = name;
    c->domain = KIT_CHANNELS_LAST;
    c->plain = c->reference;
    c->reference = ref_channels_last;
    move_dims(&c->in[0], true);
    move_dims(&c->out, true);
}
