/* SPDX-License-Identifier: MIT */
/*
 * op.c - translates OrtCustomOp of any version to operator definitions of the host
 * (bp_operator_def).
 *
 * ONNX Runtime lets several OrtCustomOp share a name and differ in element types; the host has one
 * definition, so they form a family, and the kernel is chosen by the node's types.
 */

#include "config.h"

#include "ort/custom/op_queries.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "ort/status.h"
#include "ort/values/types.h"

enum { OPERAND_NAME = 32 };

/* The operands of a definition, and storage for their names. */
struct operands {
    bp_operand *rows;
    char (*names)[OPERAND_NAME];
    uint32_t n;
};

/* No name of a provider means any provider, so also this one. */
bool ort_op_is_for_cpu(const struct ort_op *op)
{
    const char *type = ort_op_provider(op);

    return !type || !type[0] || strcmp(type, "CPUExecutionProvider") == 0;
}

/* Variadic inputs have the type of the last one. */
uint32_t ort_op_input_type(const struct ort_op *op, size_t i)
{
    size_t n = ort_op_count(op, true);

    return n ? ort_host_dtype(ort_op_type(op, true, i < n ? i : n - 1)) : BP_DTYPE_NONE;
}

/* The same for outputs. */
uint32_t ort_op_output_type(const struct ort_op *op, size_t i)
{
    size_t n = ort_op_count(op, false);

    return n ? ort_host_dtype(ort_op_type(op, false, i < n ? i : n - 1)) : BP_DTYPE_NONE;
}

/* ---- operands -------------------------------------------------------------------------------- */

/* A variadic operand: minimal count, and whether all have one type. */
static void describe_list(const struct ort_op *op, bool is_input, bp_operand *row)
{
    int n = ort_op_min_arity(op, is_input);

    row->flags |= BP_OPERAND_VARIADIC;
    row->min_count = n > 0 ? (uint32_t)n : 0;
    if (!ort_op_is_homogeneous(op, is_input))
        row->flags |= BP_OPERAND_MIXED;
}

/* The types that any operator of the family takes at this position, as a bit set; 0: all types. */
static uint64_t types_at(const struct ort_family *family, bool is_input, size_t i)
{
    uint64_t types = 0;

    for (size_t k = 0; k < family->n_ops; k++) {
        const struct ort_op *op = &family->ops[k];
        uint32_t dtype = is_input ? ort_op_input_type(op, i) : ort_op_output_type(op, i);

        if (dtype == BP_DTYPE_NONE)
            return 0;
        types |= UINT64_C(1) << dtype;
    }
    return types;
}

/*
 * OrtCustomOp has no names of operands: they are Input0, Input1, ..., Output0, ... False: no
 * memory.
 */
static bool describe(const struct ort_family *family, bool is_input, size_t n, struct operands *out)
{
    const struct ort_op *op = &family->ops[0];

    out->rows = calloc(n + 1, sizeof *out->rows);
    out->names = calloc(n + 1, sizeof *out->names);
    if (!out->rows || !out->names)
        return false;
    out->n = (uint32_t)n;
    for (size_t i = 0; i < n; i++) {
        OrtCustomOpInputOutputCharacteristic how = ort_op_characteristic(op, is_input, i);

        snprintf(out->names[i], sizeof out->names[i], "%s%zu", is_input ? "Input" : "Output", i);
        out->rows[i].name = out->names[i];
        out->rows[i].types = types_at(family, is_input, i);
        if (how == INPUT_OUTPUT_OPTIONAL)
            out->rows[i].flags |= BP_OPERAND_OPTIONAL;
        if (how == INPUT_OUTPUT_VARIADIC)
            describe_list(op, is_input, &out->rows[i]);
    }
    return true;
}

static void finish_operands(struct operands *operands)
{
    free(operands->rows);
    free(operands->names);
}

/* ---- definitions ----------------------------------------------------------------------------- */

/* The first opset version (OrtCustomOp since version 17); 1 without that function. */
static uint32_t start_version(const struct ort_op *op)
{
    int version = ort_op_start_version(op);

    return version > 0 ? (uint32_t)version : 1;
}

/* The last opset version (OrtCustomOp since version 17); 0: no end. */
static uint32_t end_version(const struct ort_op *op)
{
    int version = ort_op_end_version(op);

    return version > 0 && version < INT_MAX ? (uint32_t)version : 0;
}

/* Adds the family to the set, which frees it with its last reference; frees it on failure. */
static OrtStatus *define(struct ort_family *family, const char *domain, bp_operators *set)
{
    const struct ort_op *op = &family->ops[0];
    struct operands in = {0}, out = {0};
    bp_operator_def def = {
        .struct_size = sizeof def,
        .flags = BP_OPERATOR_REPLACE, /* a custom operator may replace ONNX's; it is logged */
        .domain = domain,
        .name = ort_op_name(op),
        .since = start_version(op),
        .until = end_version(op),
        .user = family,
        .release = free,
        .claim = ort_custom_claim,
        .shapes = ort_custom_shapes,
        .create = ort_custom_create,
        .compute = ort_custom_compute,
        .destroy = ort_custom_destroy};
    struct ort_err err;
    bp_rc rc;

    if (!describe(family, true, ort_op_count(op, true), &in) ||
        !describe(family, false, ort_op_count(op, false), &out)) {
        finish_operands(&in);
        finish_operands(&out);
        free(family);
        return ort_no_memory();
    }
    def.in = in.rows;
    def.n_in = in.n;
    def.out = out.rows;
    def.n_out = out.n;
    rc = bp_operators_add(set, &def, ort_err_init(&err)); /* owns the family also on failure */
    finish_operands(&in);
    finish_operands(&out);
    return ort_from(rc, &err, ORT_OTHER, NULL);
}

/* ---- families -------------------------------------------------------------------------------- */

struct named_op {
    const OrtCustomOpDomain *domain;
    struct ort_op op;
    bool is_done;
};

/* Same domain, name and start version. */
static bool are_family(const struct named_op *a, const struct named_op *b)
{
    return strcmp(a->domain->name, b->domain->name) == 0 &&
           strcmp(ort_op_name(&a->op), ort_op_name(&b->op)) == 0 &&
           start_version(&a->op) == start_version(&b->op);
}

/* ORT_FAIL: only the last input or output may be variadic. */
static OrtStatus *check_lists(const struct ort_op *op)
{
    for (int side = 0; side < 2; side++) {
        bool is_input = side == 0;
        size_t n = ort_op_count(op, is_input);

        for (size_t i = 0; i + 1 < n; i++) {
            if (ort_op_characteristic(op, is_input, i) == INPUT_OUTPUT_VARIADIC)
                return ort_fail(ORT_FAIL,
                                "custom op '%s', place %zu: Only the last %s to a custom op may be "
                                "marked variadic.",
                                ort_op_name(op), i, is_input ? "input" : "output");
        }
    }
    return NULL;
}

/* Members of a family must have equally many inputs and outputs. */
static OrtStatus *check_alike(const struct ort_family *family)
{
    const struct ort_op *a = &family->ops[0];

    for (size_t i = 1; i < family->n_ops; i++) {
        const struct ort_op *b = &family->ops[i];

        if (ort_op_count(a, true) != ort_op_count(b, true) ||
            ort_op_count(a, false) != ort_op_count(b, false))
            return ort_fail(ORT_INVALID_ARGUMENT,
                            "custom ops of the name '%s' differ in their numbers of inputs or "
                            "outputs",
                            ort_op_name(a));
    }
    return NULL;
}

/* Defines the family of ops[first], with its members among the later ones. */
static OrtStatus *define_family(const OrtSession *session, struct named_op *ops, size_t n,
                                size_t first, bp_operators *set)
{
    struct ort_family *family = calloc(1, sizeof *family + n * sizeof family->ops[0]);
    OrtStatus *status;

    if (!family)
        return ort_no_memory();
    family->session = session;
    for (size_t i = first; i < n; i++) {
        if (ops[i].is_done || !are_family(&ops[first], &ops[i]))
            continue;
        ops[i].is_done = true;
        family->ops[family->n_ops++] = ops[i].op;
    }
    status = check_alike(family);
    for (size_t i = 0; i < family->n_ops && !status; i++)
        status = check_lists(&family->ops[i]);
    if (!status)
        return define(family, ops[first].domain->name, set);
    free(family);
    return status;
}

/* All operators of all domains in one list. */
static struct named_op *list_ops(const struct ort_custom *custom, size_t *n)
{
    struct named_op *ops;

    *n = 0;
    for (size_t d = 0; d < custom->n_domains; d++)
        *n += custom->domains[d]->n;
    ops = calloc(*n + 1, sizeof *ops);
    *n = 0;
    for (size_t d = 0; ops && d < custom->n_domains; d++) {
        const OrtCustomOpDomain *domain = custom->domains[d];

        for (size_t i = 0; i < domain->n; i++)
            ops[(*n)++] = (struct named_op){
                domain, {domain->ops[i], ort_custom_op_read(domain->ops[i])}, false};
    }
    return ops;
}

/*
 * All operators are checked before the first is defined, because later an exception is only logged.
 */
OrtStatus *ort_custom_to_host(OrtSession *session, const struct ort_custom *custom,
                              bp_session_options *host)
{
    bp_operators *set = NULL;
    struct named_op *ops;
    struct ort_err err;
    OrtStatus *status;
    size_t n;

    if (custom->n_domains == 0)
        return NULL;
    ops = list_ops(custom, &n);
    if (!ops)
        return ort_no_memory();
    status = ort_from(bp_operators_create(&set, ort_err_init(&err)), &err, ORT_OTHER, NULL);
    for (size_t i = 0; !status && i < n; i++)
        status = ort_op_check(&ops[i].op);
    for (size_t i = 0; !status && i < n; i++) {
        if (!ops[i].is_done)
            status = define_family(session, ops, n, i, set);
    }
    if (!status)
        status = ort_from(bp_session_options_add_operators(host, set, ort_err_init(&err)), &err,
                          ORT_OTHER, NULL);
    bp_operators_release(set);
    free(ops);
    return status;
}
