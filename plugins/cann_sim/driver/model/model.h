/* SPDX-License-Identifier: MIT */
/*
 * model.h - offline models, from the inside.
 *
 * A model is bytes first: a header, then records of inputs, constants, operators and outputs in the
 * order in which bp_ascend_graph.h adds them. A graph in the making is the records of its model. A
 * model is read from its bytes, checked, and planned in the same way whether it was built a moment
 * ago or comes from a file of unknown origin.
 */
#ifndef SIM_MDL_H
#define SIM_MDL_H

#include <acl/acl_mdl.h>

#include "single_op/launch.h"

/* ---- bytes.c ---- */

/*
 * Bytes that grow; .data is the owner's to free(). Integers are 8 bytes, the lowest first; strings
 * and blocks come after their length.
 */
struct sim_writer {
    unsigned char *data;
    size_t size, capacity;
    bool failed; /* no memory: what is written from then on is lost */
};

/* Bytes that are read; they are borrowed. After a failure all that is read is 0, NULL or "". */
struct sim_reader {
    const unsigned char *data;
    size_t size, at;
    bool failed; /* read past the end, or a text that is none */
};

/* Appends bytes; this and the next ones do nothing after a failure. One thread at a time. */
void sim_write(struct sim_writer *writer, const void *data, size_t size);
void sim_write_u64(struct sim_writer *writer, uint64_t number);
void sim_write_block(struct sim_writer *writer, const void *data, size_t size);
/* With its final 0. */
void sim_write_string(struct sim_writer *writer, const char *text);
/* Type, layout, rank and dimensions; no value and no name. */
void sim_write_desc(struct sim_writer *writer, const aclTensorDesc *desc);

uint64_t sim_read_u64(struct sim_reader *reader);
/* The bytes, where they lie; NULL after a failure, and also for 0 bytes. */
const void *sim_read_block(struct sim_reader *reader, size_t *size);
/*
 * "" after a failure; valid as long as the bytes. A string without a final 0, or with one inside,
 * fails.
 */
const char *sim_read_string(struct sim_reader *reader);
/* Of a model's records. FNV-1a: against a file that was cut or spoilt, not against malice. */
uint64_t sim_checksum(const void *data, size_t size);

/* ---- the header of a file: magic, version, bytes and checksum of the records ---- */

#define SIM_MODEL_MAGIC "BPASCOM"
#define SIM_MODEL_VERSION 1
#define SIM_MODEL_HEAD 32 /* magic, version, size of the body and its checksum */

/* Kinds of records, and options of a model; numbers in files, so they stay. */
enum { SIM_RECORD_INPUT = 1, SIM_RECORD_CONSTANT, SIM_RECORD_OPERATOR, SIM_RECORD_OUTPUT };

enum { SIM_MODEL_PRECISION, SIM_MODEL_IMPL_MODE, SIM_MODEL_IMPL_LIST, SIM_MODEL_OPTIONS };

/* ---- a model ---- */

/*
 * Where a tensor lies in a run: in a buffer of the caller's, among the weights, or in work memory.
 */
enum sim_tensor_kind { SIM_TENSOR_INPUT, SIM_TENSOR_CONSTANT, SIM_TENSOR_WORK, SIM_TENSOR_OUTPUT };

/* A tensor of a model. It lives from the operator that writes it to the last one that reads it. */
struct sim_model_tensor {
    enum sim_tensor_kind kind;
    aclDataType type;
    aclFormat format;
    struct sim_shape shape;
    size_t count, bytes;
    size_t index;       /* of the input or output */
    size_t offset;      /* in weights or work */
    size_t first, last; /* operators between which it lives */
    const void *data;   /* of a constant, in the bytes that are read */
};

/*
 * An operator of a model, compiled. Inputs and outputs are indices of tensors; UINT32_MAX: absent.
 */
struct sim_model_op {
    struct sim_call call;
    void *values[SIM_INPUTS]; /* of small constants, owned */
    uint32_t in[SIM_INPUTS], out[SIM_OUTPUTS];
    bool is_precise; /* by op_select_impl_mode */
};

/* An input or output of the model, which programs know by its index or name. */
struct sim_model_io {
    char name[ACL_MAX_TENSOR_NAME_LEN];
    uint32_t tensor;
};

/*
 * A model: read by sim_model_read(), then loaded onto a device by load.c, from when on it is
 * [locked]. Counted: the table refers to it, and each task.
 */
struct sim_model {
    struct sim_model *next;
    uint32_t id;
    struct sim_device *device;
    unsigned refs; /* the table, tasks */
    bool is_running;
    const char *options[SIM_MODEL_OPTIONS]; /* in the bytes, while they are read */
    const char *soc;                        /* so too */
    struct sim_model_tensor *tensors;
    struct sim_model_op *ops;
    struct sim_model_io *inputs, *outputs;
    size_t n_tensors, n_ops, n_inputs, n_outputs;
    size_t work_size, weight_size;
    void *work, *weights;         /* on the device; NULL: needs none */
    bool owns_work, owns_weights; /* else the program's */
};

/*
 * Reads and plans; *out is for sim_model_free(), and is not on a device yet: no id, no memory.
 * `bytes` have to stay as long as constants' data and options are looked at, which loading does
 * last. ACL_ERROR_GE_LOAD_MODEL: it is not a model; ACL_ERROR_GE_EXEC_MODEL_DATA_SIZE_INVALID: it is
 * cut off; as sim_prepare() for its operators. Any thread.
 */
aclError sim_model_read(const void *bytes, size_t size, struct sim_model **out);
/* One that is not loaded. NULL is fine. */
void sim_model_free(struct sim_model *model);

/* ---- plan.c ---- */

/*
 * Sets each tensor's offset in weights or work memory, and the sizes of both; tensors that live at
 * the same time do not overlap. ACL_ERROR_BAD_ALLOC, ACL_ERROR_RT_MEMORY_ALLOCATION: it is too
 * large.
 */
aclError sim_model_plan(struct sim_model *model);

/* ---- load.c ---- */

/* A loaded model. As sim_need_init(), and ACL_ERROR_GE_EXEC_MODEL_ID_INVALID. [locked] */
aclError sim_model_get(uint32_t id, struct sim_model **out);
/* The last one frees it, and its device memory. NULL is fine. [locked] */
void sim_model_unref(struct sim_model *model);
/* Unloads the models of a device; returns how many there were. [locked] */
size_t sim_models_free(const struct sim_device *device);

/* ---- dataset.c, desc.c ---- */

/* A buffer of a data set, which is the program's; the description is the set's, or NULL. */
struct sim_set_entry {
    aclDataBuffer *buffer;
    aclTensorDesc *desc; /* owned, or NULL */
};

struct aclmdlDataset {
    struct sim_set_entry *entries;
    size_t count, capacity;
};

/* Objects of the whole process that live now. Any thread, with the lock or without. */
uint64_t sim_live_datasets(void);
uint64_t sim_live_model_descs(void);

#endif
