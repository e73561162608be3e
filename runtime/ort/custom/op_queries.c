/* SPDX-License-Identifier: MIT */
/*
 * op_queries.c - asks a custom operator for its name, types and versions, through functions that
 * may throw.
 *
 * Each query is a struct question; the answer is preset to ONNX Runtime's default for a missing
 * function.
 */

#include "config.h"

#include "ort/custom/op_queries.h"

#include <limits.h>

#include "ort/guarded.h"
#include "ort/status.h"

enum what { NAME, PROVIDER, COUNT, TYPE, CHARACTERISTIC, MIN_ARITY, HOMOGENEITY, START, END, N };

/* For messages: the function for outputs, and the one for inputs. */
static const char *const functions[N][2] = {
    {"GetName", "GetName"},
    {"GetExecutionProviderType", "GetExecutionProviderType"},
    {"GetOutputTypeCount", "GetInputTypeCount"},
    {"GetOutputType", "GetInputType"},
    {"GetOutputCharacteristic", "GetInputCharacteristic"},
    {"GetVariadicOutputMinArity", "GetVariadicInputMinArity"},
    {"GetVariadicOutputHomogeneity", "GetVariadicInputHomogeneity"},
    {"GetStartVersion", "GetStartVersion"},
    {"GetEndVersion", "GetEndVersion"},
};

struct question {
    const struct ort_op *op;
    enum what what;
    bool is_input;
    size_t i;
    /* the answer; set before to that of a missing function */
    const char *text;
    size_t count;
    ONNXTensorElementDataType type;
    OrtCustomOpInputOutputCharacteristic characteristic;
    int number;
};

/* GetInputCharacteristic exists since version 8; without it an operand is required. */
static void ask_of_operand(struct question *q)
{
    const OrtCustomOp *fn = &q->op->fn, *at = q->op->at;

    switch (q->what) {
    case COUNT:
        q->count = q->is_input ? fn->GetInputTypeCount(at) : fn->GetOutputTypeCount(at);
        break;
    case TYPE:
        q->type = q->is_input ? fn->GetInputType(at, q->i) : fn->GetOutputType(at, q->i);
        break;
    default:
        if (q->is_input && fn->GetInputCharacteristic)
            q->characteristic = fn->GetInputCharacteristic(at, q->i);
        else if (!q->is_input && fn->GetOutputCharacteristic)
            q->characteristic = fn->GetOutputCharacteristic(at, q->i);
        break;
    }
}

/* The function of a query that has an int as answer; NULL: the library has none. */
static int (*number_function(const struct question *q))(const OrtCustomOp *)
{
    const OrtCustomOp *fn = &q->op->fn;

    switch (q->what) {
    case MIN_ARITY:
        return q->is_input ? fn->GetVariadicInputMinArity : fn->GetVariadicOutputMinArity;
    case HOMOGENEITY:
        return q->is_input ? fn->GetVariadicInputHomogeneity : fn->GetVariadicOutputHomogeneity;
    case START:
        return fn->GetStartVersion;
    default:
        return fn->GetEndVersion;
    }
}

/* Runs under bp_guard(): no resources are held here. */
static void ask(void *u)
{
    struct question *q = u;
    const OrtCustomOp *fn = &q->op->fn, *at = q->op->at;
    int (*get)(const OrtCustomOp *);

    switch (q->what) {
    case NAME:
        q->text = fn->GetName(at);
        break;
    case PROVIDER:
        q->text = fn->GetExecutionProviderType ? fn->GetExecutionProviderType(at) : NULL;
        break;
    case COUNT:
    case TYPE:
    case CHARACTERISTIC:
        ask_of_operand(q);
        break;
    default:
        get = number_function(q);
        if (get)
            q->number = get(at);
        break;
    }
}

/* An exception is logged, and the default is the answer: ort_op_check() reported it before. */
static struct question answered(struct question q)
{
    struct bp_thrown thrown;

    if (!bp_guard(ask, &q, &thrown))
        ort_thrown_log(NULL, &thrown, functions[q.what][q.is_input]);
    return q;
}

/* ---- checking -------------------------------------------------------------------------------- */

/* The status of an exception; *count: the answer of COUNT. */
static OrtStatus *check(struct question q, size_t *count)
{
    struct bp_thrown thrown;

    if (!bp_guard(ask, &q, &thrown))
        return ort_thrown(&thrown, functions[q.what][q.is_input]);
    if (count)
        *count = q.count;
    return NULL;
}

/* All queries about inputs or outputs, once. */
static OrtStatus *check_operands(const struct ort_op *op, bool is_input)
{
    struct question q = {.op = op, .is_input = is_input, .what = COUNT};
    size_t count = 0;
    OrtStatus *status = check(q, &count);

    for (q.i = 0; !status && q.i < count; q.i++) {
        q.what = TYPE;
        status = check(q, NULL);
        q.what = CHARACTERISTIC;
        if (!status)
            status = check(q, NULL);
    }
    for (q.what = MIN_ARITY; !status && q.what <= HOMOGENEITY; q.what++)
        status = check(q, NULL);
    return status;
}

OrtStatus *ort_op_check_name(const struct ort_op *op)
{
    return check((struct question){.op = op, .what = NAME}, NULL);
}

/* Name, provider and versions first, then inputs, then outputs. */
OrtStatus *ort_op_check(const struct ort_op *op)
{
    static const enum what once[] = {NAME, PROVIDER, START, END};
    OrtStatus *status = NULL;

    for (size_t i = 0; !status && i < sizeof once / sizeof *once; i++)
        status = check((struct question){.op = op, .what = once[i]}, NULL);
    if (!status)
        status = check_operands(op, true);
    return status ? status : check_operands(op, false);
}

/* ---- answers --------------------------------------------------------------------------------- */

/* "" instead of NULL. */
const char *ort_op_name(const struct ort_op *op)
{
    const char *name = answered((struct question){.op = op, .what = NAME}).text;

    return name ? name : "";
}

const char *ort_op_provider(const struct ort_op *op)
{
    return answered((struct question){.op = op, .what = PROVIDER}).text;
}

size_t ort_op_count(const struct ort_op *op, bool is_input)
{
    return answered((struct question){.op = op, .what = COUNT, .is_input = is_input}).count;
}

ONNXTensorElementDataType ort_op_type(const struct ort_op *op, bool is_input, size_t i)
{
    return answered((struct question){.op = op, .what = TYPE, .is_input = is_input, .i = i}).type;
}

OrtCustomOpInputOutputCharacteristic ort_op_characteristic(const struct ort_op *op, bool is_input,
                                                           size_t i)
{
    return answered(
               (struct question){.op = op, .what = CHARACTERISTIC, .is_input = is_input, .i = i})
        .characteristic;
}

static int number(const struct ort_op *op, enum what what, bool is_input, int otherwise)
{
    return answered(
               (struct question){.op = op, .what = what, .is_input = is_input, .number = otherwise})
        .number;
}

/* Default 1 (OrtCustomOp since version 14). */
int ort_op_min_arity(const struct ort_op *op, bool is_input)
{
    return number(op, MIN_ARITY, is_input, 1);
}

/* Default true (OrtCustomOp since version 14). */
bool ort_op_is_homogeneous(const struct ort_op *op, bool is_input)
{
    return number(op, HOMOGENEITY, is_input, 1) != 0;
}

/* Default 1 (OrtCustomOp since version 17). */
int ort_op_start_version(const struct ort_op *op)
{
    return number(op, START, false, 1);
}

/* Default INT_MAX, no end (OrtCustomOp since version 17). */
int ort_op_end_version(const struct ort_op *op)
{
    return number(op, END, false, INT_MAX);
}
