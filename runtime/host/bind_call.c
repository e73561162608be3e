/* SPDX-License-Identifier: MIT */
/* bind_call.c - calls functions of ordinary C libraries through libffi. */

#include "config.h"

#include "host/bind.h"

#ifdef HAVE_LIBFFI

#include <dlfcn.h>
#include <ffi.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

/* A function that is bound: `user` of its definition. */
struct bound {
    struct bp_bind_function is;
    void *library;
    void (*function)(void);
    ffi_cif cif;
    ffi_type *args[BP_BIND_PARAMS];
};

/* Any value that is passed or returned; small results come widened, as libffi has it. */
union value {
    ffi_arg whole;
    int64_t i64;
    uint64_t u64;
    int32_t i32;
    int16_t i16;
    int8_t i8;
    float f32;
    double f64;
    void *p;
};

struct kernel {
    const struct bound *bound;
    union value attributes[BP_BIND_PARAMS];
};

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

/* A number as an argument of that type. */
static union value value_of(uint32_t dtype, double number)
{
    union value v = {.u64 = 0};

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

/* Result of a call, narrowed into an element. */
static void store(uint32_t dtype, const union value *v, void *to)
{
    size_t width = bp_dtype_width(dtype) / 8;

    memcpy(to, v, width);
}

/* ---- kernels --------------------------------------------------------------------------------- */

static bp_rc read_attribute(const struct bp_bind_param *param, const bp_operator_node *node,
                            union value *out, bp_err *err)
{
    const bp_attr *attr = bp_node_attr(node->graph, node->node, param->name);

    *out = value_of(param->dtype, param->def);
    if (!attr)
        return BP_OK;
    if (attr->flags & BP_ATTR_LIST || (attr->type != BP_ATTR_FLOAT && attr->type != BP_ATTR_INT))
        return bp_fail(err, BP_E_INVALID, "attribute '%s' is no number", param->name);
    if (attr->type == BP_ATTR_FLOAT)
        *out = value_of(param->dtype, (double)*(const float *)attr->data);
    else if (param->dtype == BP_DTYPE_F32 || param->dtype == BP_DTYPE_F64)
        *out = value_of(param->dtype, (double)*(const int64_t *)attr->data);
    else
        out->i64 = *(const int64_t *)attr->data;
    return BP_OK;
}

static bp_rc create(void *user, const bp_operator_node *node, void **out, bp_err *err)
{
    const struct bound *bound = user;
    struct kernel *kernel = calloc(1, sizeof *kernel);
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

/* ---- functions of single elements ------------------------------------------------------------ */

/* What two sizes give when they broadcast; false: they do not. */
static bool broadcast(bp_dim *a, const bp_dim *b)
{
    if (a->value == 1 || (a->value < 0 && b->value > 1)) {
        *a = *b;
        return true;
    }
    if (b->value == 1 || (b->value < 0 && a->value > 1))
        return true;
    if (a->value < 0 && b->value < 0 && a->symbol == b->symbol && a->symbol)
        return true;
    if (a->value >= 0 && a->value == b->value)
        return true;
    if (a->value >= 0 && b->value >= 0)
        return false;
    *a = (bp_dim){.value = -1}; /* known when the run comes to it */
    return true;
}

static bp_rc each_shapes(void *user, bp_operator_shapes *shapes, bp_err *err)
{
    bp_dim dims[64];
    uint32_t rank = 0;

    (void)user;
    for (uint32_t i = 0; i < bp_operator_shapes_inputs(shapes); i++) {
        bp_operator_fact x = {.struct_size = sizeof x};
        bp_rc rc = bp_operator_shapes_input(shapes, i, &x, err);

        if (rc < 0)
            return rc;
        if (x.rank == BP_RANK_UNKNOWN)
            return bp_operator_shapes_set(shapes, 0, BP_DTYPE_NONE, BP_RANK_UNKNOWN, NULL, err);
        for (; rank < x.rank; rank++) {
            memmove(dims + 1, dims, rank * sizeof *dims);
            dims[0] = (bp_dim){.value = 1};
        }
        for (uint32_t d = 0; d < x.rank; d++) {
            if (!broadcast(&dims[rank - x.rank + d], &x.dims[d]))
                return bp_fail(err, BP_E_SHAPE,
                               "input %u does not broadcast with those before it: at dimension %u "
                               "it has %" PRId64 ", they have %" PRId64,
                               i, d, x.dims[d].value, dims[rank - x.rank + d].value);
        }
    }
    return bp_operator_shapes_set(shapes, 0, BP_DTYPE_NONE, rank, dims, err);
}

/* The shape of the output, by which the elements of the inputs are found. */
struct grid {
    int64_t dims[64];
    uint32_t rank;
};

static bp_rc make_grid(const bp_operator_call *call, struct grid *grid, bp_err *err)
{
    for (uint32_t i = 0; i < bp_operator_inputs(call); i++) {
        const bp_tensor *x = bp_operator_input(call, i);

        for (; grid->rank < x->rank; grid->rank++) {
            memmove(grid->dims + 1, grid->dims, grid->rank * sizeof *grid->dims);
            grid->dims[0] = 1;
        }
        for (uint32_t d = 0; d < x->rank; d++) {
            int64_t *size = &grid->dims[grid->rank - x->rank + d];

            if (*size == 1)
                *size = x->dims[d];
            else if (x->dims[d] != 1 && x->dims[d] != *size)
                return bp_fail(err, BP_E_SHAPE, "input %u does not broadcast with those before it",
                               i);
        }
    }
    return BP_OK;
}

/* Address of the element of x at place n of the grid, counted row-major. */
static void *element(const struct grid *grid, const bp_tensor *x, int64_t n)
{
    int64_t at = 0, step = 1;

    for (uint32_t d = 0; d < grid->rank; d++) {
        int64_t index = n % grid->dims[grid->rank - 1 - d];

        n /= grid->dims[grid->rank - 1 - d];
        if (d >= x->rank)
            break;
        if (x->dims[x->rank - 1 - d] != 1)
            at += index * step;
        step *= x->dims[x->rank - 1 - d];
    }
    return (char *)bp_tensor_data(x) + (size_t)at * (bp_dtype_width(x->dtype) / 8);
}

static bp_rc each_compute(void *p, bp_operator_call *call, bp_err *err)
{
    struct kernel *kernel = p;
    const struct bound *bound = kernel->bound;
    struct grid grid = {.rank = 0};
    ffi_cif cif = bound->cif; /* libffi wants one that it may write to */
    size_t width = bp_dtype_width(bound->is.result) / 8;
    bp_tensor *y;
    bp_rc rc = make_grid(call, &grid, err);
    int64_t count;

    if (rc >= 0)
        rc = bp_operator_size_output(call, 0, grid.rank, grid.dims, &y, err);
    if (rc < 0)
        return rc;
    count = bp_dims_count(grid.dims, grid.rank);
    for (int64_t n = 0; n < count; n++) {
        void *args[BP_BIND_PARAMS];
        union value result;
        uint32_t input = 0;

        for (uint32_t i = 0; i < bound->is.n_params; i++) {
            if (bound->is.params[i].role == BP_BIND_ATTRIBUTE)
                args[i] = &kernel->attributes[i];
            else
                args[i] = element(&grid, bp_operator_input(call, input++), n);
        }
        ffi_call(&cif, bound->function, &result, args);
        store(bound->is.result, &result, (char *)bp_tensor_data(y) + (size_t)n * width);
        if (n % 4096 == 4095 && bp_operator_is_cancelled(call))
            return bp_fail(err, BP_E_CANCELLED, "the run was cancelled");
    }
    return BP_OK;
}

/* ---- functions of arrays --------------------------------------------------------------------- */

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

/* Notes one size of an input; all of one name have to be equal. */
static bp_rc note(struct named *named, const struct bp_bind_param *param, uint32_t d, bp_dim dim,
                  bp_err *err)
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

static bp_rc whole_shapes(void *user, bp_operator_shapes *shapes, bp_err *err)
{
    const struct bound *bound = user;
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
            rc = note(&named, param, d, x.dims[d], err);
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

static bp_rc read_sizes(const struct bound *bound, const bp_operator_call *call,
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
            rc = note(named, param, d, (bp_dim){.value = x->dims[d]}, err);
    }
    return rc;
}

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

static bp_rc whole_compute(void *p, bp_operator_call *call, bp_err *err)
{
    struct kernel *kernel = p;
    const struct bound *bound = kernel->bound;
    ffi_cif cif = bound->cif;
    struct named named = {.n = 0};
    union value values[BP_BIND_PARAMS], result = {.u64 = 0};
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

/* ---- definitions ----------------------------------------------------------------------------- */

static void release(void *user)
{
    struct bound *bound = user;

    if (bound->library)
        dlclose(bound->library);
    free(bound);
}

static bp_rc open_function(struct bound *bound, const char *path, bp_err *err)
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

static bp_rc prepare(struct bound *bound, bp_err *err)
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
    struct bound *bound = calloc(1, sizeof *bound);
    bp_operand in[BP_BIND_PARAMS], out[BP_BIND_PARAMS];
    bp_operator_def def = {.struct_size = sizeof def,
                           .domain = domain,
                           .name = function->op,
                           .since = version,
                           .in = in,
                           .out = out,
                           .user = bound,
                           .release = release,
                           .shapes = function->has_arrays ? whole_shapes : each_shapes,
                           .create = create,
                           .compute = function->has_arrays ? whole_compute : each_compute,
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
