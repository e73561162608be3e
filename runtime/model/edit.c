/* SPDX-License-Identifier: MIT */
/*
 * edit.c - edits of a model: ModelProtos whose content is merged into it before it is read.
 *
 * Nodes, initializers, value_info and opset imports are appended; inputs and outputs replace the
 * model's if the edit has any. The model's own message is not changed: a copy of its head has the
 * merged lists.
 */

#include "config.h"

#include "model/model.h"
#include "model/wire/unpack.h"

/*
 * Appends n pointers to a list, whose old array stays in the region. `list` is the address of the
 * array; it is read and written by memcpy, because it is a pointer to a pointer of any type.
 */
static bool append(struct bp_region *region, void *list, size_t *count, const void *more, size_t n)
{
    void **old, **all;

    if (n == 0)
        return true;
    all = bp_region_array(region, *count + n, sizeof *all);
    if (!all)
        return false;
    memcpy(&old, list, sizeof old);
    if (*count > 0)
        memcpy(all, old, *count * sizeof *all);
    memcpy(all + *count, more, n * sizeof *all);
    memcpy(list, &all, sizeof all);
    *count += n;
    return true;
}

#define APPEND(to, from, field)                                                                    \
    append(region, &(to)->field, &(to)->n_##field, (from)->field, (from)->n_##field)

/* A graph in an edit needs no nodes: new inputs or outputs alone are an edit too. */
static bool merge_graph(struct bp_region *region, Bp__GraphProto *to, const Bp__GraphProto *from)
{
    if (from->n_input > 0) {
        to->input = from->input;
        to->n_input = from->n_input;
    }
    if (from->n_output > 0) {
        to->output = from->output;
        to->n_output = from->n_output;
    }
    return APPEND(to, from, node) && APPEND(to, from, initializer) && APPEND(to, from, value_info);
}

/* Tensor data in an edit would need a table of chunks of its own: it must come as a weight. */
static bp_rc merge(struct bp_onnx *onnx, Bp__ModelProto *to, const bp_span *edit, bp_err *err)
{
    struct bp_region *region = &onnx->region;
    struct bp_wire wire = {0};
    const Bp__ModelProto *from = NULL;
    uint32_t n_chunks;
    bp_rc rc = bp_unpack_model(edit->data, edit->size, &wire, region, &from, err);

    if (rc < 0)
        return rc;
    n_chunks = wire.n_chunks;
    bp_wire_finish(&wire);
    if (n_chunks > 0)
        return bp_fail(err, BP_E_INVALID,
                       "a tensor in it has data; that must be given as a weight");
    if (!APPEND(to, from, opset_import) ||
        (from->graph && !merge_graph(region, to->graph, from->graph)))
        return bp_fail_nomem(err, "the edited model");
    return BP_OK;
}

bp_rc bp_onnx_edit(struct bp_onnx *onnx, const bp_span *edits, uint32_t n, bp_err *err)
{
    Bp__ModelProto *proto;
    bp_span *copy;
    bp_rc rc = BP_OK;

    if (n == 0)
        return BP_OK;
    proto = bp_region_alloc(&onnx->region, sizeof *proto);
    copy = bp_region_array(&onnx->region, n, sizeof *copy);
    if (!proto || !copy)
        return bp_fail_nomem(err, "the edited model");
    memcpy(proto, onnx->proto, sizeof *proto);
    for (uint32_t i = 0; i < n && rc >= 0; i++) {
        copy[i] = edits[i];
        rc = merge(onnx, proto, &edits[i], err);
        if (rc < 0)
            rc = bp_fail_in(err, rc, "edit %u", i);
    }
    onnx->proto = proto;
    onnx->edits = copy;
    onnx->n_edits = n;
    return rc;
}
