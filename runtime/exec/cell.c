/* SPDX-License-Identifier: MIT */
/* cell.c - conversion between cells and objects, and checks of cells against inferred types. */

#include "config.h"

#include <stdlib.h>
#include <string.h>

#include "exec/frame.h"

struct bp_cell bp_cell_of_object(bp_object *object)
{
    const bp_tensor *tensor = &object->tensor;

    if (object->kind != BP_KIND_TENSOR)
        return (struct bp_cell){.base = object, .object = object};
    return (struct bp_cell){.base = tensor->base,
                            .object = object,
                            .dims = tensor->dims,
                            .bytes = tensor->bytes,
                            .rank = tensor->rank,
                            .dtype = tensor->dtype};
}

/* A cell without an object is a tensor in memory of the frame or of the caller. */
uint32_t bp_cell_kind(const struct bp_cell *cell)
{
    return cell->object ? cell->object->kind : BP_KIND_TENSOR;
}

/* A blank fact says nothing: the kind is known only now. */
bp_rc bp_cell_check(const struct bp_cell *cell, const struct bp_fact *fact, const char *name,
                    bp_err *err)
{
    uint32_t kind = bp_cell_kind(cell);

    if (bp_fact_is_blank(fact))
        return BP_OK;
    if (kind != fact->kind)
        return bp_fail(err, BP_E_INVALID, "'%s' is %s now, by the model it is %s", name,
                       bp_kind_name(kind), bp_kind_name(fact->kind));
    if (kind == BP_KIND_TENSOR && fact->dtype && cell->dtype != fact->dtype)
        return bp_fail(err, BP_E_INVALID, "'%s' has type %s now, by the model it has %s", name,
                       bp_dtype_name(cell->dtype), bp_dtype_name(fact->dtype));
    return BP_OK;
}

bp_tensor bp_cell_tensor(const struct bp_cell *cell)
{
    return (bp_tensor){.base = cell->base,
                       .dims = (int64_t *)(uintptr_t)cell->dims, /* never written */
                       .bytes = cell->bytes,
                       .rank = cell->rank,
                       .dtype = cell->dtype};
}

/*
 * A cell that has an object shares it; a tensor in a frame's memory is copied, as that is used
 * again.
 */
bp_rc bp_cell_to_object(const bp_allocator *allocator, const struct bp_cell *cell, bp_object **out,
                        bp_err *err)
{
    bp_tensor tensor = bp_cell_tensor(cell);

    *out = bp_object_retain(cell->object);
    return *out ? BP_OK : bp_object_copy_tensor(allocator, &tensor, out, err);
}
