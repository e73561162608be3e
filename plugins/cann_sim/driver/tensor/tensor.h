/* SPDX-License-Identifier: MIT */
/*
 * tensor.h - tensor descriptions, data buffers and attributes of operators, from the inside.
 *
 * One thread at a time may use an object, as with ACL; the functions take no lock.
 */
#ifndef SIM_TENSOR_H
#define SIM_TENSOR_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <acl/acl.h>
#include <bp_ascend_sim.h>

/* Dimensions that a description can have, as with the vendor's; operators take 8. */
#define SIM_DESC_DIMS 128

/*
 * Type, layout and shape of a tensor, without its bytes. A dimension of -1 is not known. `place` is
 * where the bytes of the tensor will be; `value` are those of a constant, copied.
 */
struct aclTensorDesc {
    aclDataType type;
    aclFormat format;
    aclMemType place;
    size_t rank;
    int64_t dims[SIM_DESC_DIMS];
    void *value; /* of a constant, owned */
    size_t value_size;
    char name[128];
};

/* An address and its bytes; the memory is the caller's. */
struct aclDataBuffer {
    void *data;
    size_t size;
};

/*
 * The kind of an attribute's value: a bool is one byte, integers and types are int64_t, floats are
 * float, a string has its final 0; the plural ones are lists of them. Also in files of models, so
 * numbers stay.
 */
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

/* One attribute; name and value are its own. */
struct sim_attr {
    struct sim_attr *next;
    char *name;
    enum sim_attr_kind kind;
    size_t size; /* bytes of the value, which follows */
    void *value;
};

/* A set of attributes, sorted by name, so that equal sets have equal keys in the cache. */
struct aclopAttr {
    struct sim_attr *first; /* by name, so that equal sets have equal keys */
};

/*
 * Reads a single integer, type or bool. This and the next ones: *out stays as it is when there is
 * no such attribute (attr may be NULL); false: it is of another kind.
 */
bool sim_attr_int(const aclopAttr *attr, const char *name, int64_t *out); /* a bool, too */
/* Reads a single float. */
bool sim_attr_float(const aclopAttr *attr, const char *name, double *out);
/* Reads a string, which is valid as long as the attribute. */
bool sim_attr_string(const aclopAttr *attr, const char *name, const char **out);
/*
 * Reads a list of integers into out[capacity]; *count is 0 without the attribute. False also for a
 * list that is longer.
 */
bool sim_attr_ints(const aclopAttr *attr, const char *name, size_t capacity, int64_t *out,
                   size_t *count);
/*
 * Copies name and value, which is as its kind says; replaces an earlier one.
 * ACL_ERROR_INVALID_PARAM, ACL_ERROR_BAD_ALLOC.
 */
aclError sim_attr_set(aclopAttr *attr, const char *name, enum sim_attr_kind kind, const void *value,
                      size_t size);
/* Is there an attribute of that name, of whatever kind? */
bool sim_attr_has(const aclopAttr *attr, const char *name);

/* Sets of attributes that live in the process. Any thread. */
uint64_t sim_live_attributes(void);
/*
 * Fills in how many descriptions, buffers and sets of attributes live in the process. Any thread.
 */
void sim_count_descriptions(struct bp_ascend_counters *counters);

#endif
