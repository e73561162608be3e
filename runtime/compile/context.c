/* SPDX-License-Identifier: MIT */
/* context.c - programs in nodes EPContext: read with every check, and saved into memory. */

#include "config.h"

#include "compile/context.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "model/onnx.h"
#include "plan/contexts.h"

/* ---- reading --------------------------------------------------------------------------------- */

/* Returns the attribute with the program, or with the name of its file. */
static bp_rc get_attribute(const struct bp_ir_node *node, bp_span *out, bp_err *err)
{
    const bp_attr *attr = bp_ir_attr(node, "ep_cache_context");
    const bp_span *text = attr && attr->type == BP_ATTR_STRING ? attr->data : NULL;

    if (bp_ir_attr_int(node, "main_context", 1) != 1)
        return bp_fail(
            err, BP_E_UNSUPPORTED,
            "its attribute main_context is not 1, so that its program is part of another "
            "node's; Backplane gives each node a program of its own");
    if (!text || text->size == 0)
        return bp_fail(err, BP_E_INVALID, "its attribute ep_cache_context is missing or empty");
    *out = *text;
    return BP_OK;
}

/*
 * Reads the file's bytes; the function that opens it checks that the name stays inside the model's
 * directory.
 */
static bp_rc read_file(const struct bp_onnx *onnx, const bp_span *name, uint8_t **out, size_t *size,
                       bp_err *err)
{
    char *text;
    bp_rc rc;

    if (memchr(name->data, 0, name->size))
        return bp_fail(
            err, BP_E_INVALID,
            "its attribute ep_cache_context is not the name of a file, though embed_mode "
            "is 0");
    text = strndup(name->data, name->size);
    if (!text)
        return bp_fail_nomem(err, "a saved program");
    rc = bp_onnx_read_beside(onnx, text, out, size, err);
    free(text);
    return rc;
}

/*
 * Copies the program to memory of the host: the provider gets exactly the bytes that were checked,
 * even if a file changes meanwhile, and at an aligned address.
 */
static bp_rc read_bytes(const struct bp_onnx *onnx, const struct bp_ir_node *node, uint8_t **out,
                        size_t *size, bp_err *err)
{
    int64_t mode = bp_ir_attr_int(node, "embed_mode", 1);
    bp_span span = {0};
    bp_rc rc = get_attribute(node, &span, err);

    if (rc < 0)
        return rc;
    if (mode != 0 && mode != 1)
        return bp_fail(err, BP_E_INVALID, "its attribute embed_mode is %lld, not 0 or 1",
                       (long long)mode);
    if (mode == 0)
        return read_file(onnx, &span, out, size, err);
    *out = malloc(span.size);
    if (!*out)
        return bp_fail_nomem(err, "a saved program");
    memcpy(*out, span.data, span.size);
    *size = span.size;
    return BP_OK;
}

static bp_rc load(const struct bp_active *active, const bp_graph *graph, bp_compile *what,
                  const uint8_t *bytes, size_t size, struct bp_store_file *file, bp_program **out,
                  bp_err *err)
{
    const bp_node *node = BP_NODE(graph, 0);
    bp_rc rc = bp_store_unwrap(bytes, size, "its program", file, err);

    if (rc < 0)
        return rc;
    if (graph->n_inputs != node->n_in || graph->n_outputs != node->n_out)
        return bp_fail(
            err, BP_E_STALE,
            "an input of the node is a constant or comes twice, or an output is not named");
    if (strcmp(file->labels[BP_STORE_PROVIDER], active->provider->id) != 0)
        return bp_fail(err, BP_E_STALE, "its program was saved by provider '%.64s'",
                       file->labels[BP_STORE_PROVIDER]);
    what->flags = BP_COMPILE_CONTEXT;
    return bp_program_load(active, graph, what, file->blob, out, err);
}

/* Writes the error: which provider cannot load which program, and what to do about it. */
static bp_rc fail_load(const struct bp_active *active, const struct bp_ir_node *node,
                       const struct bp_store_file *file, bp_rc rc, const bp_err *own, bp_err *err)
{
    char driver[256], words[64];
    bp_err ignored = bp_err_init(words, sizeof words);
    const char *version = file->labels[BP_STORE_VERSION], *host = file->labels[BP_STORE_HOST];
    bool has_driver = bp_program_fingerprint(active, driver, sizeof driver, &ignored) >= 0;

    bp_fail(
        err, rc,
        "node '%s' (EPContext): provider '%s' %s%s%.200s%s cannot load its compiled program%s%.24s"
        "%s%.24s%s: %s; compile the model again with this provider (backplane compile), or use "
        "the model that it was compiled from",
        node->name, active->name, active->provider->version, has_driver && driver[0] ? " (" : "",
        has_driver ? driver : "", has_driver && driver[0] ? ")" : "",
        version ? ", saved by version " : "", version ? version : "",
        host ? " with Backplane " : "", host ? host : "", version ? "" : "", own->msg);
    return bp_err_copy_codes(err, rc, own);
}

bp_rc bp_context_load(const struct bp_onnx *onnx, const struct bp_ir_node *node,
                      const struct bp_active *active, const bp_graph *graph, bp_compile *what,
                      bp_program **out, struct bp_program_origin *origin, bp_err *err)
{
    struct bp_store_file file = {0};
    uint8_t *bytes = NULL;
    size_t size = 0;
    char text[512] = "";
    bp_err own = bp_err_init(text, sizeof text);
    uint64_t start = bp_program_clock();
    bp_rc rc = read_bytes(onnx, node, &bytes, &size, &own);

    *out = NULL;
    if (rc >= 0)
        rc = load(active, graph, what, bytes, size, &file, out, &own);
    if (rc < 0)
        rc = fail_load(active, node, &file, rc, &own, err);
    free(bytes);
    origin->how = BP_PROGRAM_LOADED;
    origin->ns = bp_program_clock() - start;
    snprintf(origin->text, sizeof origin->text, "loaded out of the model");
    return rc;
}

/* ---- saving ---------------------------------------------------------------------------------- */

/* A buffer that grows. */
struct memory {
    uint8_t *data;
    size_t size, cap;
    bool failed;
};

/* bp_sink.write: appends to the buffer */
static bp_rc put(void *h, const void *bytes, size_t n)
{
    struct memory *memory = h;

    if (n > memory->cap - memory->size) {
        size_t cap = memory->cap > SIZE_MAX / 4 ? 0 : memory->cap * 2;
        uint8_t *grown;

        if (n > SIZE_MAX / 4 || memory->size > SIZE_MAX / 4) {
            memory->failed = true;
            return BP_E_NOMEM;
        }
        cap = cap < memory->size + n ? memory->size + n : cap;
        grown = realloc(memory->data, cap);
        if (!grown) {
            memory->failed = true;
            return BP_E_NOMEM;
        }
        memory->data = grown;
        memory->cap = cap;
    }
    if (n > 0)
        memcpy(memory->data + memory->size, bytes, n);
    memory->size += n;
    return BP_OK;
}

bool bp_context_can_save(const bp_provider *provider)
{
    return provider->flags & BP_PROVIDER_CONTEXTS && provider->save && provider->load;
}

bp_rc bp_context_save(const struct bp_active *active, bp_program *program, const bp_compile *what,
                      const char *model, struct bp_saved_program *out, bp_err *err)
{
    const char *labels[BP_STORE_LABELS] = {
        [BP_STORE_PROVIDER] = active->provider->id,
        [BP_STORE_VERSION] = active->provider->version,
        [BP_STORE_GROUP] = what->name,
        [BP_STORE_HOST] = bp_version(),
        [BP_STORE_MODEL] = model,
    };
    struct memory memory = {0};
    const bp_sink sink = {.struct_size = sizeof sink, .h = &memory, .write = put};
    struct bp_sha256 sha;
    bp_rc rc = active->provider->save(program, &sink, err);

    rc = bp_err_complete(err, rc);
    if (memory.failed)
        rc = bp_fail_nomem(err, "a saved program");
    if (rc >= 0) {
        bp_sha256_init(&sha);
        bp_sha256_add(&sha, memory.data, memory.size);
        bp_sha256_text(&sha, out->hash);
        rc = bp_store_wrap(out->hash, labels, memory.data, memory.size, &out->bytes, &out->size,
                           err);
    }
    free(memory.data);
    return rc;
}
