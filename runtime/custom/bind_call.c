/* SPDX-License-Identifier: MIT */
/* bind_call.c - calls functions of ordinary C libraries through libffi. */

#include "config.h"

#include "custom/bind_call.h"

#ifdef HAVE_LIBFFI

#include <dlfcn.h>
#include <stdlib.h>
#include <string.h>

static ffi_type *ffi_of(uint32_t dtype)
{
    switch (dtype) {
    case BP_DTYPE_F32:
        return &ffi_type_float;
    case BP_DTYPE_F64:
        return &ffi_type_double;
    case BP_DTYPE_I8:
        return &ffi_type_sint8;
    case BP_DTYPE_I16:
        return &ffi_type_sint16;
    case BP_DTYPE_I32:
        return &ffi_type_sint32;
    case BP_DTYPE_I64:
        return &ffi_type_sint64;
    case BP_DTYPE_U16:
        return &ffi_type_uint16;
    case BP_DTYPE_U32:
        return &ffi_type_uint32;
    case BP_DTYPE_U64:
        return &ffi_type_uint64;
    case BP_DTYPE_NONE:
        return &ffi_type_void;
    default:
        return &ffi_type_uint8; /* and bool */
    }
}

/*
 * A number as an argument of that type. libffi reads an argument through a pointer to its own type,
 * so the number must lie at the start of the union.
 */
static union bp_bound_value value_of(uint32_t dtype, double number)
{
    union bp_bound_value v = {.u64 = 0};

    switch (dtype) {
    case BP_DTYPE_F32:
        v.f32 = (float)number;
        return v;
    case BP_DTYPE_F64:
        v.f64 = number;
        return v;
    case BP_DTYPE_BOOL:
        v.i8 = number != 0;
        return v;
    default:
        v.i64 = (int64_t)number; /* the low bytes are the smaller types': little-endian */
        return v;
    }
}

/* ---- kernels --------------------------------------------------------------------------------- */

/*
 * ONNX has int64 and float attributes only; either serves for a parameter of any number type. A
 * whole number for an integer parameter does not pass through double, which would round beyond
 * 2^53.
 */
static bp_rc read_attribute(const struct bp_bind_param *param, const bp_operator_node *node,
                            union bp_bound_value *out, bp_err *err)
{
    const bp_attr *attr = bp_node_attr(node->graph, node->node, param->name);

    *out = value_of(param->dtype, param->def);
    if (!attr)
        return BP_OK;
    if (attr->flags & BP_ATTR_LIST || (attr->type != BP_ATTR_FLOAT && attr->type != BP_ATTR_INT))
        return bp_fail(err, BP_E_INVALID, "attribute '%s' is not a number", param->name);
    if (attr->type == BP_ATTR_FLOAT)
        *out = value_of(param->dtype, (double)*(const float *)attr->data);
    else if (param->dtype == BP_DTYPE_F32 || param->dtype == BP_DTYPE_F64)
        *out = value_of(param->dtype, (double)*(const int64_t *)attr->data);
    else
        out->i64 = *(const int64_t *)attr->data;
    return BP_OK;
}

/* Attributes are read once a node, not once a call. */
static bp_rc create(void *user, const bp_operator_node *node, void **out, bp_err *err)
{
    const struct bp_bound *bound = user;
    struct bp_bound_kernel *kernel = calloc(1, sizeof *kernel);
    bp_rc rc = kernel ? BP_OK : bp_fail_nomem(err, "a kernel");

    for (uint32_t i = 0; rc >= 0 && i < bound->is.n_params; i++) {
        if (bound->is.params[i].role == BP_BIND_ATTRIBUTE)
            rc = read_attribute(&bound->is.params[i], node, &kernel->attributes[i], err);
    }
    if (rc < 0) {
        free(kernel);
        return rc;
    }
    kernel->bound = bound;
    *out = kernel;
    return BP_OK;
}

/* ---- definitions ----------------------------------------------------------------------------- */

/* The set is gone and with it every kernel, so no call can be under way in the library. */
static void release(void *user)
{
    struct bp_bound *bound = user;

    if (bound->library)
        dlclose(bound->library);
    free(bound);
}

/* Each function opens the library anew: dlopen(3) counts, so that each can close it for itself. */
static bp_rc open_function(struct bp_bound *bound, const char *path, bp_err *err)
{
    void *symbol;

    bound->library = dlopen(path, RTLD_NOW | RTLD_LOCAL);
    if (!bound->library)
        return bp_fail(err, BP_E_IO, "operator '%s': %s", bound->is.op, dlerror());
    symbol = dlsym(bound->library, bound->is.symbol);
    if (!symbol)
        return bp_fail(err, BP_E_INVALID, "operator '%s': %s has no function '%s'", bound->is.op,
                       path, bound->is.symbol);
    memcpy(&bound->function, &symbol, sizeof symbol);
    return BP_OK;
}

static bp_rc prepare(struct bp_bound *bound, bp_err *err)
{
    for (uint32_t i = 0; i < bound->is.n_params; i++) {
        const struct bp_bind_param *param = &bound->is.params[i];

        bound->args[i] = param->is_array ? &ffi_type_pointer : ffi_of(param->dtype);
    }
    if (ffi_prep_cif(&bound->cif, FFI_DEFAULT_ABI, bound->is.n_params, ffi_of(bound->is.result),
                     bound->args) != FFI_OK)
        return bp_fail(err, BP_E_UNSUPPORTED, "operator '%s': libffi cannot call such a function",
                       bound->is.op);
    return BP_OK;
}

static uint32_t list_operands(const struct bp_bind_function *function, enum bp_bind_role role,
                              bp_operand *rows)
{
    uint32_t n = 0;

    for (uint32_t i = 0; i < function->n_params; i++) {
        if (function->params[i].role == role)
            rows[n++] = (bp_operand){.name = function->params[i].name,
                                     .types = UINT64_C(1) << function->params[i].dtype};
    }
    return n;
}

bp_rc bp_bind_define(bp_operators *set, const struct bp_bind_function *function, const char *path,
                     const char *domain, uint32_t version, bp_err *err)
{
    struct bp_bound *bound = calloc(1, sizeof *bound);
    bp_operand in[BP_BIND_PARAMS], out[BP_BIND_PARAMS];
    bp_operator_def def = {
        .struct_size = sizeof def,
        .domain = domain,
        .name = function->op,
        .since = version,
        .in = in,
        .out = out,
        .user = bound,
        .release = release,
        .shapes = function->has_arrays ? bp_bind_whole_shapes : bp_bind_each_shapes,
        .create = create,
        .compute = function->has_arrays ? bp_bind_whole_compute : bp_bind_each_compute,
        .destroy = free};
    bp_rc rc;

    if (!bound)
        return bp_fail_nomem(err, "an operator");
    bound->is = *function;
    rc = open_function(bound, path, err);
    if (rc >= 0)
        rc = prepare(bound, err);
    if (rc < 0) {
        release(bound);
        return rc;
    }
    def.n_in = list_operands(function, BP_BIND_INPUT, in);
    def.n_out = list_operands(function, BP_BIND_OUTPUT, out);
    if (!function->has_arrays) {
        out[0] = (bp_operand){.name = "result", .types = UINT64_C(1) << function->result};
        def.n_out = 1;
    }
    return bp_operators_add(set, &def, err); /* takes `bound`, come what may */
}

#else

bp_rc bp_bind_define(bp_operators *set, const struct bp_bind_function *function, const char *path,
                     const char *domain, uint32_t version, bp_err *err)
{
    (void)set;
    (void)path;
    (void)domain;
    (void)version;
    return bp_fail(err, BP_E_UNSUPPORTED,
                   "operator '%s': this library was built without libffi, which calls functions of "
                   "other libraries",
                   function->op);
}

#endif
