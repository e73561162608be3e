/* SPDX-License-Identifier: MIT */
/*
 * model.h - offline models, from the inside. A graph in the making is the records of its model, one
 * after the other; a model is read from them, checked, and planned in the same way whether it was
 * built a moment ago or comes from a file of anybody's.
 */
#ifndef SIM_MDL_H
#define SIM_MDL_H

#include <acl/acl_mdl.h>

#include "single_op/launch.h"

/* ---- bytes.c: numbers of 8 bytes, the lowest first; texts and blocks behind their length ---- */

struct sim_writer {
    unsigned char *data;
    size_t size, capacity;
    bool failed; /* no memory: what is written from then on is lost */
};

struct sim_reader {
    const unsigned char *data;
    size_t size, at;
    bool failed; /* read past the end, or a text that is none */
};

void sim_write(struct sim_writer *writer, const void *data, size_t size);
void sim_write_u64(struct sim_writer *writer, uint64_t number);
void sim_write_block(struct sim_writer *writer, const void *data, size_t size);
void sim_write_string(struct sim_writer *writer, const char *text);
void sim_write_desc(struct sim_writer *writer, const aclTensorDesc *desc);

uint64_t sim_read_u64(struct sim_reader *reader);
/* NULL after a failure, and also for 0 bytes. */
const void *sim_read_block(struct sim_reader *reader, size_t *size);
/* "" after a failure, and valid as long as the bytes. */
const char *sim_read_string(struct sim_reader *reader);
uint64_t sim_checksum(const void *data, size_t size);

/* ---- the container ---- */

#define SIM_MODEL_MAGIC "BPASCOM"
#define SIM_MODEL_VERSION 1
#define SIM_MODEL_HEAD 32 /* magic, version, size of the body and its checksum */

enum { SIM_RECORD_INPUT = 1, SIM_RECORD_CONSTANT, SIM_RECORD_OPERATOR, SIM_RECORD_OUTPUT };

enum { SIM_MODEL_PRECISION, SIM_MODEL_IMPL_MODE, SIM_MODEL_IMPL_LIST, SIM_MODEL_OPTIONS };

/* ---- a model ---- */

enum sim_tensor_kind { SIM_TENSOR_INPUT, SIM_TENSOR_CONSTANT, SIM_TENSOR_WORK, SIM_TENSOR_OUTPUT };

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

struct sim_model_op {
    struct sim_call call;
    void *values[SIM_INPUTS]; /* of small constants, ours */
    uint32_t in[SIM_INPUTS], out[SIM_OUTPUTS];
    bool is_precise; /* by op_select_impl_mode */
};

struct sim_model_io {
    char name[ACL_MAX_TENSOR_NAME_LEN];
    uint32_t tensor;
};

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
 * Reads and plans; *out is to be freed, also its ids and memory are not there yet. The bytes are read
 * only in here, but for constants' and options, which sim_model_load() wants.
 */
aclError sim_model_read(const void *bytes, size_t size, struct sim_model **out);
void sim_model_free(struct sim_model *model); /* NULL is fine */

/* ---- plan.c: places in work memory; those that live at one time do not overlap ---- */

aclError sim_model_plan(struct sim_model *model);

/* ---- load.c ---- */

aclError sim_model_get(uint32_t id, struct sim_model **out); /* [locked] */
void sim_model_unref(struct sim_model *model);               /* [locked] */
size_t sim_models_free(const struct sim_device *device);     /* [locked] how many were left */

/* ---- dataset.c, desc.c ---- */

struct sim_set_entry {
    aclDataBuffer *buffer;
    aclTensorDesc *desc; /* ours, or NULL */
};

struct aclmdlDataset {
    struct sim_set_entry *entries;
    size_t count, capacity;
};

/* Objects of the whole process that live now. Any thread, with the lock or without. */
uint64_t sim_live_datasets(void);
uint64_t sim_live_model_descs(void);

#endif
