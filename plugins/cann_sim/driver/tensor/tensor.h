/* SPDX-License-Identifier: MIT */
/* tensor.h - descriptions, buffers and attributes, from the inside. */
#ifndef SIM_TENSOR_H
#define SIM_TENSOR_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <acl/acl.h>
#include <bp_ascend_sim.h>

#define SIM_DESC_DIMS 128

struct aclTensorDesc {
    aclDataType type;
    aclFormat format;
    aclMemType place;
    size_t rank;
    int64_t dims[SIM_DESC_DIMS];
    void *value; /* of a constant, ours */
    size_t value_size;
    char name[128];
};

struct aclDataBuffer {
    void *data;
    size_t size;
};

enum sim_attr_kind {
    SIM_ATTR_BOOL,
    SIM_ATTR_INT,
    SIM_ATTR_FLOAT,
    SIM_ATTR_STRING,
    SIM_ATTR_TYPE,
    SIM_ATTR_BOOLS,
    SIM_ATTR_INTS,
    SIM_ATTR_FLOATS
};

struct sim_attr {
    struct sim_attr *next;
    char *name;
    enum sim_attr_kind kind;
    size_t size; /* bytes of the value, which follows */
    void *value;
};

struct aclopAttr {
    struct sim_attr *first; /* by name, so that equal sets have equal keys */
};

/* Each leaves *out as it is when there is no such attribute; false: it is of another kind. */
bool sim_attr_int(const aclopAttr *attr, const char *name, int64_t *out); /* a bool, too */
bool sim_attr_float(const aclopAttr *attr, const char *name, double *out);
bool sim_attr_string(const aclopAttr *attr, const char *name, const char **out);
/* At most `capacity` numbers; *count is left 0 without the attribute. */
bool sim_attr_ints(const aclopAttr *attr, const char *name, size_t capacity, int64_t *out,
                   size_t *count);
/* Copies name and value, which is what its kind says. */
aclError sim_attr_set(aclopAttr *attr, const char *name, enum sim_attr_kind kind, const void *value,
                      size_t size);
bool sim_attr_has(const aclopAttr *attr, const char *name);

uint64_t sim_live_attributes(void);
void sim_count_descriptions(struct bp_ascend_counters *counters);

#endif
