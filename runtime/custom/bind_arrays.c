/* SPDX-License-Identifier: MIT */
/* bind_arrays.c - shapes and calls of bound functions that take whole arrays. */

#include "config.h"

#include "custom/bind_call.h"

#ifdef HAVE_LIBFFI

#include <inttypes.h>
#include <string.h>

/* Sizes by name, as inputs have them. */
struct named {
    const char *names[BP_BIND_PARAMS * BP_BIND_RANK];
    bp_dim dims[BP_BIND_PARAMS * BP_BIND_RANK];
    uint32_t n;
};

static bp_dim *find(struct named *named, const char *name)
{
    for (uint32_t i = 0; i < named->n; i++) {
        if (strcmp(named->names[i], name) == 0)
            return &named->dims[i];
    }
    return NULL;
}

/* Binds a named size to a dimension of an input; all of one name have to be equal. */
static bp_rc bind_size(struct named *named, const struct bp_bind_param *param, uint32_t d,
                       bp_dim dim, bp_err *err)
{
    const struct bp_bind_size *size = &param->sizes[d];
    bp_dim *known = size->name[0] ? find(named, size->name) : NULL;
    int64_t want = size->name[0] ? known ? known->value : -1 : size->value;

    if (dim.value >= 0 && want >= 0 && dim.value != want)
        return bp_fail(err, BP_E_SHAPE,
                       "dimension %u of '%s' is %" PRId64 ", the signature and the inputs before "
                       "it say %" PRId64,
                       d, param->name, dim.value, want);
    if (!size->name[0])
        return BP_OK;
    if (!known) {
        named->names[named->n] = size->name;
        named->dims[named->n++] = dim;
    } else if (known->value < 0) {
        *known = dim;
    }
    return BP_OK;
}

static bp_rc check_rank(const struct bp_bind_param *param, uint32_t rank, bp_err *err)
{
    if (rank == param->rank)
        return BP_OK;
    return bp_fail(err, BP_E_SHAPE, "'%s' has rank %u, the signature says %u", param->name, rank,
                   param->rank);
}

/*
 * Inputs first, for they bind the sizes by name; then outputs, whose sizes are looked up. A size
 * that no input tells yet is left unknown (-1).
 */
bp_rc bp_bind_whole_shapes(void *user, bp_operator_shapes *shapes, bp_err *err)
{
    const struct bp_bound *bound = user;
    struct named named = {.n = 0};
    uint32_t input = 0, output = 0;
    bp_rc rc = BP_OK;

    for (uint32_t i = 0; rc >= 0 && i < bound->is.n_params; i++) {
        const struct bp_bind_param *param = &bound->is.params[i];
        bp_operator_fact x = {.struct_size = sizeof x};

        if (param->role != BP_BIND_INPUT)
            continue;
        rc = bp_operator_shapes_input(shapes, input++, &x, err);
        if (rc < 0 || x.rank == BP_RANK_UNKNOWN)
            continue;
        rc = check_rank(param, x.rank, err);
        for (uint32_t d = 0; rc >= 0 && d < x.rank; d++)
            rc = bind_size(&named, param, d, x.dims[d], err);
    }
    for (uint32_t i = 0; rc >= 0 && i < bound->is.n_params; i++) {
        const struct bp_bind_param *param = &bound->is.params[i];
        bp_dim dims[BP_BIND_RANK];

        for (uint32_t d = 0; d < param->rank; d++) {
            const bp_dim *known = find(&named, param->sizes[d].name);

            dims[d] = (bp_dim){.value = param->sizes[d].name[0] ? -1 : param->sizes[d].value};
            if (param->sizes[d].name[0] && known)
                dims[d] = *known;
        }
        if (param->role == BP_BIND_OUTPUT)
            rc = bp_operator_shapes_set(shapes, output++, BP_DTYPE_NONE, param->rank, dims, err);
    }
    return rc;
}

/*
 * The same walk with exact sizes; what was unknown at plan time may still contradict the signature.
 */
static bp_rc read_sizes(const struct bp_bound *bound, const bp_operator_call *call,
                        struct named *named, bp_err *err)
{
    uint32_t input = 0;
    bp_rc rc = BP_OK;

    for (uint32_t i = 0; rc >= 0 && i < bound->is.n_params; i++) {
        const struct bp_bind_param *param = &bound->is.params[i];
        const bp_tensor *x;

        if (param->role != BP_BIND_INPUT)
            continue;
        x = bp_operator_input(call, input++);
        rc = check_rank(param, x->rank, err);
        for (uint32_t d = 0; rc >= 0 && d < x->rank; d++)
            rc = bind_size(named, param, d, (bp_dim){.value = x->dims[d]}, err);
    }
    return rc;
}

/* Every name is bound by then: bp_bind_parse() takes only outputs whose sizes inputs have. */
static bp_rc output_of(const struct bp_bind_param *param, bp_operator_call *call, uint32_t i,
                       struct named *named, void **out, bp_err *err)
{
    int64_t dims[BP_BIND_RANK];
    bp_tensor *y;
    bp_rc rc;

    for (uint32_t d = 0; d < param->rank; d++)
        dims[d] = param->sizes[d].name[0] ? find(named, param->sizes[d].name)->value
                                          : param->sizes[d].value;
    rc = bp_operator_size_output(call, i, param->rank, dims, &y, err);
    if (rc >= 0)
        *out = bp_tensor_data(y);
    return rc;
}

/*
 * args[] holds addresses of values, as ffi_call() wants them. The call interface is copied, since
 * libffi takes it without const and threads share it.
 */
bp_rc bp_bind_whole_compute(void *p, bp_operator_call *call, bp_err *err)
{
    struct bp_bound_kernel *kernel = p;
    const struct bp_bound *bound = kernel->bound;
    ffi_cif cif = bound->cif;
    struct named named = {.n = 0};
    union bp_bound_value values[BP_BIND_PARAMS], result = {.u64 = 0};
    void *args[BP_BIND_PARAMS];
    uint32_t input = 0, output = 0;
    bp_rc rc = read_sizes(bound, call, &named, err);

    for (uint32_t i = 0; rc >= 0 && i < bound->is.n_params; i++) {
        const struct bp_bind_param *param = &bound->is.params[i];

        args[i] = &values[i];
        if (param->role == BP_BIND_ATTRIBUTE)
            args[i] = &kernel->attributes[i];
        else if (param->role == BP_BIND_INPUT)
            values[i].p = bp_tensor_data(bp_operator_input(call, input++));
        else if (param->role == BP_BIND_SIZE)
            values[i].i64 = find(&named, param->name)->value;
        else
            rc = output_of(param, call, output++, &named, &values[i].p, err);
    }
    if (rc < 0)
        return rc;
    ffi_call(&cif, bound->function, &result, args);
    if (bound->is.result == BP_DTYPE_I32 && (int32_t)result.whole != 0)
        return bp_fail(err, BP_E_INTERNAL, "function '%s' returned %" PRId32, bound->is.symbol,
                       (int32_t)result.whole);
    return BP_OK;
}

#else

typedef int bp_bind_whole_nothing; /* an empty file is none in C */

#endif
