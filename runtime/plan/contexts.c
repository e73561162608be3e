/* SPDX-License-Identifier: MIT */
/* contexts.c - decides which provider runs a node EPContext. */

#include "config.h"

#include "plan/contexts.h"

#include <string.h>

enum { MOST_TEXT = 128 };

const char *bp_context_text(const struct bp_ir_node *node, const char *name, char *buf, size_t cap)
{
    const bp_attr *attr = bp_ir_attr(node, name);
    const bp_span *text = attr && attr->type == BP_ATTR_STRING ? attr->data : NULL;
    size_t n = text ? strnlen(text->data, text->size) : 0;

    n = n < cap ? n : cap - 1;
    if (n > 0)
        memcpy(buf, text->data, n);
    buf[n] = '\0';
    return buf;
}

/* Compares the source; that of other runtimes is a name, "QNNExecutionProvider". */
static bool is_source(const bp_provider *provider, const char *source)
{
    return strcmp(source, provider->id) == 0 || strcmp(source, provider->name) == 0;
}

/* Finds, by its id, the device that the program was compiled for. */
static uint32_t find_device(const struct bp_asked *asked, const struct bp_ir_node *node)
{
    char id[MOST_TEXT];

    (void)bp_context_text(node, "hardware_architecture", id, sizeof id);
    for (uint32_t i = 0; i < asked->n_devices; i++) {
        if (asked->devices[i].id && strcmp(asked->devices[i].id, id) == 0)
            return i;
    }
    return 0;
}

struct bp_verdict bp_context_verdict(const struct bp_asked *asked, const struct bp_ir_node *node,
                                     struct bp_region *region)
{
    struct bp_verdict verdict = {.verdict = BP_NO, .reason = BP_R_OP, .subject = "source"};
    char source[MOST_TEXT];

    (void)bp_context_text(node, "source", source, sizeof source);
    if (!source[0]) {
        verdict.text = "the node does not say which provider compiled its program, so that no "
                       "provider can load it: use the model that it was compiled from";
    } else if (!is_source(asked->provider, source)) {
        verdict.text =
            bp_region_printf(region,
                             "its program was compiled by '%s', and no other provider can load it: "
                             "add that provider "
                             "to the session, or use the model that it was compiled from",
                             source);
    } else if (!(asked->provider->flags & BP_PROVIDER_CONTEXTS) || !asked->provider->load) {
        verdict.reason = BP_R_OTHER;
        verdict.text = bp_region_printf(
            region,
            "version %s of the provider loads no programs out of models: install the one that "
            "compiled it, or use the model that it was compiled from",
            asked->provider->version);
    } else {
        verdict = (struct bp_verdict){.verdict = BP_YES, .device = find_device(asked, node)};
    }
    return verdict;
}
