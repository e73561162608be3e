/* SPDX-License-Identifier: MIT */
/* scalars.c - tensors of rank 0 as values. */

#include "config.h"

#include <string.h>

#include "value/object.h"

/* An object with a copy of the one element. */
static bp_rc make(uint32_t dtype, void *element, size_t bytes, bp_object **out, bp_err *err)
{
    bp_tensor tensor = {.base = element, .bytes = bytes, .dtype = dtype};

    if (!out)
        return bp_fail_null(err, "out");
    return bp_done(err, bp_object_copy_tensor(NULL, &tensor, out, err));
}

bp_rc bp_object_from_int64(int64_t value, bp_object **out, bp_err *err)
{
    return make(BP_DTYPE_I64, &value, sizeof value, out, err);
}

bp_rc bp_object_from_float(float value, bp_object **out, bp_err *err)
{
    return make(BP_DTYPE_F32, &value, sizeof value, out, err);
}

bp_rc bp_object_from_bool(uint32_t value, bp_object **out, bp_err *err)
{
    uint8_t element = value != 0;

    return make(BP_DTYPE_BOOL, &element, sizeof element, out, err);
}

bp_rc bp_object_from_string(const char *text, bp_object **out, bp_err *err)
{
    bp_span element;

    if (out)
        *out = NULL;
    if (!text)
        return bp_fail_null(err, "the text");
    element = (bp_span){.data = text, .size = strlen(text)};
    return make(BP_DTYPE_STRING, &element, sizeof element, out, err);
}
