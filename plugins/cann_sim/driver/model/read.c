/* SPDX-License-Identifier: MIT */
/*
 * read.c - reads the bytes of a model, which may be anything, into one that can run.
 *
 * Nothing of the file is trusted: lengths, indices and kinds are checked before they are used, and
 * operators are compiled as those of a program are. An operator can only read tensors that come
 * before it, so the order of records is an order of running.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/error.h"
#include "model/model.h"

/* Bytes up to which operators see a constant's value when they are compiled: shapes, axes. */
#define MAX_KNOWN_BYTES 1024 /* bytes up to which operators see a constant's value: shapes, axes */

/* For whatever is wrong with the bytes. */
static aclError fail(const char *why)
{
    return sim_fail(ACL_ERROR_GE_LOAD_MODEL, "not a valid model: %s", why);
}

/*
 * Appends a zeroed row of `each` bytes to the array that `rows` points to; NULL without memory.
 * Capacities are powers of 2, so that they need not be kept.
 */
static void *add_row(void *rows, size_t *n, size_t each)
{
    void *more;

    memcpy(&more, rows, sizeof more); /* an array of whatever */
    /* capacities are powers of 2, so that they need not be kept */
    if ((*n & (*n - 1)) == 0)
        more = realloc(more, (*n ? 2 * *n : 1) * each);
    if (!more)
        return NULL;
    memcpy(rows, &more, sizeof more);
    return memset((char *)more + each * (*n)++, 0, each);
}

static aclError no_memory(void)
{
    return sim_fail(ACL_ERROR_BAD_ALLOC, "no memory for a model");
}

/* ---- descriptions, tensors ------------------------------------------------------------------ */

/* Dimensions are known and not 0, as a model's shapes are fixed. NULL: bad_desc() says why. */
static aclTensorDesc *read_desc(struct sim_reader *reader)
{
    int64_t type = (int64_t)sim_read_u64(reader), format = (int64_t)sim_read_u64(reader);
    uint64_t rank = sim_read_u64(reader);
    int64_t dims[SIM_RANK];

    if (rank > SIM_RANK || type < -1 || type > ACL_BF16 || format < -1 || format > ACL_FORMAT_NCL)
        reader->failed = true;
    for (uint64_t i = 0; i < rank && !reader->failed; i++) {
        dims[i] = (int64_t)sim_read_u64(reader);
        if (dims[i] < 1)
            reader->failed = true;
    }
    if (reader->failed)
        return NULL;
    return aclCreateTensorDesc((aclDataType)type, (int)rank, dims, (aclFormat)format);
}

/* Why read_desc() gave NULL. */
static aclError bad_desc(const struct sim_reader *reader)
{
    return reader->failed ? fail("a description") : no_memory();
}

/* The tensor's life begins with the last operator that was read. */
static aclError add_tensor(struct sim_model *model, const aclTensorDesc *desc,
                           enum sim_tensor_kind kind)
{
    struct sim_model_tensor *tensor;

    if (model->n_tensors >= UINT32_MAX)
        return fail("too many tensors");
    tensor = add_row(&model->tensors, &model->n_tensors, sizeof *tensor);
    if (!tensor)
        return no_memory();
    tensor->kind = kind;
    tensor->type = desc->type;
    tensor->format = desc->format;
    tensor->shape.rank = desc->rank;
    for (size_t i = 0; i < desc->rank; i++)
        tensor->shape.dims[i] = desc->dims[i];
    tensor->count = aclGetTensorDescElementCount(desc);
    tensor->bytes = aclGetTensorDescSize(desc);
    tensor->first = tensor->last = model->n_ops ? model->n_ops - 1 : 0;
    return tensor->bytes ? 0 : fail("a tensor without a size");
}

/* ---- records -------------------------------------------------------------------------------- */

static aclError add_io(struct sim_model_io **list, size_t *n, const char *name, uint32_t tensor)
{
    struct sim_model_io *entry = add_row(list, n, sizeof *entry);

    if (!entry)
        return no_memory();
    snprintf(entry->name, sizeof entry->name, "%s", name);
    entry->tensor = tensor;
    return 0;
}

/* Inputs are numbered in the order of their records. */
static aclError read_input(struct sim_reader *reader, struct sim_model *model)
{
    const char *name = sim_read_string(reader);
    aclTensorDesc *desc = read_desc(reader);
    size_t n = model->n_tensors, index = model->n_inputs;
    aclError rc;

    if (!desc)
        return bad_desc(reader);
    rc = add_tensor(model, desc, SIM_TENSOR_INPUT);
    if (!rc)
        rc = add_io(&model->inputs, &model->n_inputs, name, (uint32_t)n);
    if (!rc)
        model->tensors[n].index = index;
    aclDestroyTensorDesc(desc);
    return rc;
}

/* The data stays where it is in the bytes, until loading copies it. */
static aclError read_constant(struct sim_reader *reader, struct sim_model *model)
{
    aclTensorDesc *desc = read_desc(reader);
    size_t n = model->n_tensors, size;
    const void *data;
    aclError rc;

    if (!desc)
        return bad_desc(reader);
    rc = add_tensor(model, desc, SIM_TENSOR_CONSTANT);
    aclDestroyTensorDesc(desc);
    data = sim_read_block(reader, &size);
    if (rc)
        return rc;
    if (!data || size != model->tensors[n].bytes)
        return fail("a constant");
    model->tensors[n].data = data;
    return 0;
}

/* An intermediate tensor becomes an output: then the caller's buffer is where it lies. */
static aclError read_output(struct sim_reader *reader, struct sim_model *model)
{
    const char *name = sim_read_string(reader);
    uint64_t tensor = sim_read_u64(reader);

    if (reader->failed || tensor >= model->n_tensors ||
        model->tensors[tensor].kind != SIM_TENSOR_WORK)
        return fail("an output");
    model->tensors[tensor].kind = SIM_TENSOR_OUTPUT;
    model->tensors[tensor].index = model->n_outputs;
    return add_io(&model->outputs, &model->n_outputs, name, (uint32_t)tensor);
}

/* ---- operators ------------------------------------------------------------------------------ */

/* An operator as its record has it. The descriptions and attributes are its own. */
struct op_record {
    const char *type;
    size_t inputs, outputs;
    uint32_t in[SIM_INPUTS];
    aclTensorDesc *in_desc[SIM_INPUTS], *out_desc[SIM_OUTPUTS];
    aclopAttr *attr;
};

/* Also one that was read in part only. */
static void free_record(struct op_record *record)
{
    for (size_t i = 0; i < SIM_INPUTS; i++)
        aclDestroyTensorDesc(record->in_desc[i]);
    for (size_t i = 0; i < SIM_OUTPUTS; i++)
        aclDestroyTensorDesc(record->out_desc[i]);
    aclopDestroyAttr(record->attr);
}

/*
 * The tensor comes before the operator and is what the description says, but for its shape:
 * operators may see the same elements in another. A small constant's value goes into the
 * description.
 */
static aclError read_operand(struct sim_reader *reader, const struct sim_model *model,
                             struct op_record *record, size_t i)
{
    uint64_t at = sim_read_u64(reader);
    aclTensorDesc *desc = read_desc(reader);
    const struct sim_model_tensor *tensor;

    if (!desc)
        return bad_desc(reader);
    record->in_desc[i] = desc;
    record->in[i] = (uint32_t)at;
    if (at == UINT32_MAX)
        return desc->type == ACL_DT_UNDEFINED ? 0 : fail("an input that is absent");
    if (at >= model->n_tensors)
        return fail("an operator's input");
    tensor = &model->tensors[at];
    if (desc->type != tensor->type || aclGetTensorDescElementCount(desc) != tensor->count)
        return fail("an operator's input");
    if (tensor->data && tensor->bytes <= MAX_KNOWN_BYTES)
        return aclSetTensorConst(desc, (void *)(uintptr_t)tensor->data, tensor->bytes);
    return 0;
}

/* Has the value the size of its kind, so that readers of attributes need not check? */
static bool is_valid_attr(uint64_t kind, const unsigned char *value, size_t size)
{
    switch (kind) {
    case SIM_ATTR_BOOL:
        return size == 1;
    case SIM_ATTR_INT:
    case SIM_ATTR_TYPE:
        return size == sizeof(int64_t);
    case SIM_ATTR_FLOAT:
        return size == sizeof(float);
    case SIM_ATTR_STRING:
        return size > 0 && value[size - 1] == 0;
    case SIM_ATTR_BOOLS:
        return true;
    case SIM_ATTR_INTS:
        return size % sizeof(int64_t) == 0;
    case SIM_ATTR_FLOATS:
        return size % sizeof(float) == 0;
    default:
        return false;
    }
}

/* In a set of its own, as programs make them. */
static aclError read_attributes(struct sim_reader *reader, struct op_record *record)
{
    uint64_t n = sim_read_u64(reader);
    aclError rc = 0;

    record->attr = aclopCreateAttr();
    if (!record->attr)
        return no_memory();
    for (uint64_t i = 0; i < n && !rc; i++) {
        const char *name = sim_read_string(reader);
        uint64_t kind = sim_read_u64(reader);
        size_t size;
        const void *value = sim_read_block(reader, &size);

        if (reader->failed || !is_valid_attr(kind, value, size))
            return fail("an attribute");
        rc = sim_attr_set(record->attr, name, (enum sim_attr_kind)kind, value, size);
    }
    return rc;
}

/* Counts are checked against the limits before descriptions are read into arrays. */
static aclError read_op_record(struct sim_reader *reader, const struct sim_model *model,
                               struct op_record *record)
{
    uint64_t inputs, outputs;
    aclError rc = 0;

    record->type = sim_read_string(reader);
    inputs = sim_read_u64(reader);
    if (reader->failed || inputs > SIM_INPUTS)
        return fail("an operator");
    record->inputs = (size_t)inputs;
    for (size_t i = 0; i < record->inputs && !rc; i++)
        rc = read_operand(reader, model, record, i);
    if (rc)
        return rc;
    outputs = sim_read_u64(reader);
    if (outputs < 1 || outputs > SIM_OUTPUTS)
        return fail("an operator's outputs");
    record->outputs = (size_t)outputs;
    for (size_t i = 0; i < record->outputs; i++) {
        record->out_desc[i] = read_desc(reader);
        if (!record->out_desc[i])
            return bad_desc(reader);
    }
    return read_attributes(reader, record);
}

/* Is the type in a list with commas between? An empty list has all types. */
static bool is_listed(const char *list, const char *type)
{
    size_t n = strlen(type);

    if (!*list)
        return true;
    for (const char *at = list; at; at = strchr(at, ',')) {
        at += *at == ',';
        if (strncmp(at, type, n) == 0 && (at[n] == ',' || at[n] == 0))
            return true;
    }
    return false;
}

/* op_select_impl_mode: modes "..._for_all" ignore the list of types. */
static bool is_precise(const struct sim_model *model, const char *type)
{
    const char *mode = model->options[SIM_MODEL_IMPL_MODE];

    if (strcmp(mode, "high_precision_for_all") == 0)
        return true;
    return strcmp(mode, "high_precision") == 0 &&
           is_listed(model->options[SIM_MODEL_IMPL_LIST], type);
}

/* The model's own precision mode counts, not the compile option of the moment. */
static aclError compile(const struct sim_model *model, const struct op_record *record,
                        struct sim_model_op *op)
{
    struct sim_request request = {record->type,
                                  record->inputs,
                                  record->outputs,
                                  (const aclTensorDesc *const *)record->in_desc,
                                  (const aclTensorDesc *const *)record->out_desc,
                                  record->attr};
    aclError rc = sim_prepare(&request, true, &op->call, op->values);

    if (rc)
        return rc;
    memcpy(op->in, record->in, sizeof op->in);
    op->call.force_fp16 = strcmp(model->options[SIM_MODEL_PRECISION], "force_fp16") == 0 &&
                          op->call.in[0].type == ACL_FLOAT;
    op->is_precise = is_precise(model, record->type);
    return 0;
}

/* Lengthens the lives of its inputs, and adds its outputs as intermediate tensors. */
static aclError read_operator(struct sim_reader *reader, struct sim_model *model)
{
    struct op_record record = {.inputs = 0};
    aclError rc = read_op_record(reader, model, &record);
    struct sim_model_op *op = NULL;

    if (!rc) {
        op = add_row(&model->ops, &model->n_ops, sizeof *op);
        rc = op ? compile(model, &record, op) : no_memory();
    }
    for (size_t i = 0; i < record.inputs && !rc; i++)
        if (op->in[i] != UINT32_MAX)
            model->tensors[op->in[i]].last = model->n_ops - 1;
    for (size_t i = 0; i < record.outputs && !rc; i++) {
        op->out[i] = (uint32_t)model->n_tensors;
        rc = add_tensor(model, record.out_desc[i], SIM_TENSOR_WORK);
    }
    free_record(&record);
    return rc;
}

/* ---- the whole ------------------------------------------------------------------------------ */

/* A record of any kind. */
static aclError read_record(struct sim_reader *reader, struct sim_model *model)
{
    switch (sim_read_u64(reader)) {
    case SIM_RECORD_INPUT:
        return read_input(reader, model);
    case SIM_RECORD_CONSTANT:
        return read_constant(reader, model);
    case SIM_RECORD_OPERATOR:
        return read_operator(reader, model);
    case SIM_RECORD_OUTPUT:
        return read_output(reader, model);
    default:
        return fail("a record");
    }
}

/* The name is for people who look at the file. A model without outputs is cut off. */
static aclError read_body(struct sim_reader *reader, struct sim_model *model)
{
    aclError rc = 0;

    model->soc = sim_read_string(reader);
    for (int i = 0; i < SIM_MODEL_OPTIONS; i++)
        model->options[i] = sim_read_string(reader);
    sim_read_string(reader); /* the name is for who looks at the file */
    while (!rc && !reader->failed && reader->at < reader->size)
        rc = read_record(reader, model);
    if (!rc && (reader->failed || model->n_outputs == 0))
        rc = fail("it ends too soon");
    return rc ? rc : sim_model_plan(model);
}

/* Checks the header: magic, version, length and checksum. *body: the records after it. */
static aclError open_container(const void *bytes, size_t size, struct sim_reader *body)
{
    struct sim_reader head = {bytes, size, sizeof SIM_MODEL_MAGIC, size < SIM_MODEL_HEAD};
    uint64_t version, length, sum;

    if (head.failed)
        return sim_fail(ACL_ERROR_GE_EXEC_MODEL_DATA_SIZE_INVALID,
                        "%zu bytes are too few for a model", size);
    if (memcmp(bytes, SIM_MODEL_MAGIC, sizeof SIM_MODEL_MAGIC) != 0)
        return fail("it is not of the simulator's format; the vendor's cannot be read");
    version = sim_read_u64(&head);
    length = sim_read_u64(&head);
    sum = sim_read_u64(&head);
    if (version != SIM_MODEL_VERSION)
        return fail("it is of another version of the simulator");
    if (length != size - SIM_MODEL_HEAD)
        return sim_fail(ACL_ERROR_GE_EXEC_MODEL_DATA_SIZE_INVALID,
                        "the model has %zu bytes, and says it has %llu", size - SIM_MODEL_HEAD,
                        (unsigned long long)length);
    *body = (struct sim_reader){(const unsigned char *)bytes + SIM_MODEL_HEAD, (size_t)length, 0,
                                false};
    return sum == sim_checksum(body->data, body->size) ? 0 : fail("its checksum is wrong");
}

aclError sim_model_read(const void *bytes, size_t size, struct sim_model **out)
{
    struct sim_model *model;
    struct sim_reader body;
    aclError rc = open_container(bytes, size, &body);

    *out = NULL;
    if (rc)
        return rc;
    model = calloc(1, sizeof *model);
    if (!model)
        return no_memory();
    model->refs = 1;
    rc = read_body(&body, model);
    if (rc) {
        sim_model_free(model);
        return rc;
    }
    *out = model;
    return 0;
}

void sim_model_free(struct sim_model *model)
{
    if (!model)
        return;
    for (size_t i = 0; i < model->n_ops; i++)
        for (size_t j = 0; j < SIM_INPUTS; j++)
            free(model->ops[i].values[j]);
    free(model->ops);
    free(model->tensors);
    free(model->inputs);
    free(model->outputs);
    free(model);
}
