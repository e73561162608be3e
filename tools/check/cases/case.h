/* SPDX-License-Identifier: MIT */
/*
 * case.h - cases: a node with sizes, its weights, and what it should give. They are written as text,
 * a line each, and read once when the kit starts.
 */
#ifndef BP_CHECK_CASE_H
#define BP_CHECK_CASE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { KIT_RANK = 5, KIT_PORTS = 9, KIT_ATTRS = 12, KIT_VALUES_OF_PORT = 16 };

/* What becomes of an input. */
enum kit_role {
    KIT_FED,     /* always an input of the graph */
    KIT_WEIGHT,  /* an input of the graph here, an initializer in the case's second copy */
    KIT_CONSTANT /* always an initializer */
};

/* An input or output of a case. */
struct kit_port {
    uint32_t dtype;
    uint32_t rank;
    int64_t dims[KIT_RANK];
    uint32_t role;    /* enum kit_role */
    uint32_t seed;    /* of an initializer's elements */
    bool is_absent;   /* an optional input that is left out */
    bool has_range;   /* elements lie in [low, high], not in the case's range */
    uint32_t n_fixed; /* elements that are given; 0: they come from a seed */
    double low, high;
    double fixed[KIT_VALUES_OF_PORT];
    const void *data; /* elements of a file; NULL: those above. The case's owner frees them */
};

/* An attribute with `count` values in ints, or one in number or text, as `type` says. {0} ends a list. */
struct kit_attr {
    const char *name;
    uint32_t type;  /* BP_ATTR_INT, BP_ATTR_FLOAT or BP_ATTR_STRING */
    uint32_t count; /* 0: a single number, no list */
    int64_t ints[2 * KIT_RANK];
    float number;
    const char *text;
    const void *data; /* of a file: all values as bp_attr has them; NULL: those above */
    bool is_list;     /* of data: count may be 0 */
};

struct kit_case;
/* Computes the output from the inputs, all as double; an absent input is NULL. */
typedef void (*kit_reference)(const struct kit_case *c, const double *const *in, double *out);

/* A node with sizes, and what it should give. */
struct kit_case {
    const char *name, *op;
    const char *domain; /* NULL: ONNX's own */
    uint32_t opset, since;
    uint32_t n_in;
    struct kit_port in[KIT_PORTS];
    struct kit_port out;
    struct kit_attr attrs[KIT_ATTRS];
    kit_reference reference;
    kit_reference plain; /* of a channels-last case: the reference in ONNX's layout; else NULL */
    double tolerance;    /* relative and absolute, for float32; of integers: how far off, if >= 1 */
    double absolute;     /* > 0: `tolerance` is the relative one, for every floating-point type */
    double low, high;    /* elements that are fed */
    bool has_weights;    /* of its inputs some are weights */
    bool has_constants;  /* its weights are initializers: the second copy of a case */
    bool is_large;       /* takes long; for the tests that are about that */
    const struct kit_case *first, *second; /* of two nodes in a row, see kit_case_pair() */
};

/* All cases, in the order of the table; a case with weights is followed by its second copy. */
extern struct kit_case *kit_cases;
extern size_t kit_n_cases;

/* Reads the table, once. Ends the process if a line of it is wrong. */
void kit_cases_read(void);

#define KIT_CHANNELS_LAST "com.ms.internal.nhwc"
/* Has the operator a layout, and its data more than two dimensions? */
bool kit_case_has_layout(const struct kit_case *c);
/*
 * Makes a case that has a layout channels-last; or all of the table. Twice is as once. What names
 * point to stays. Not for cases with elements of a file, which are in ONNX's layout.
 */
void kit_case_channels_last(struct kit_case *c);
void kit_cases_channels_last(void);

/* One line of the table. */
struct kit_row {
    const char *text; /* as in "Gemm-13 f32[3,4] w:f32[4,5] -> f32[3,5] | alpha=0.5" */
    kit_reference reference;
    double tolerance, low, high;
};

extern const struct kit_row kit_rows[];
extern const size_t kit_n_rows;

/* Reads one line into a case; what it points to stays. Ends the process if the line is wrong. */
void kit_case_parse(const struct kit_row *row, struct kit_case *out);

/* The case with its weights as initializers, whose elements come from a seed. */
struct kit_case kit_case_with_constants(const struct kit_case *c, uint32_t seed);

/*
 * Two nodes in a row: input `port` of `second` is the output of `first`. As a case it has the inputs of
 * both but for that one, and the output of `second`. False: it has too many inputs. Both cases are
 * borrowed.
 */
bool kit_case_pair(const struct kit_case *first, const struct kit_case *second,
                   struct kit_case *out);

size_t kit_count(const struct kit_port *port);            /* elements */
size_t kit_bytes(const struct kit_port *port);            /* bytes */
double kit_load(uint32_t dtype, const void *p, size_t i); /* element i; beyond 2^53 rounded */
void kit_store(uint32_t dtype, void *p, size_t i, double value);
bool kit_is_float(uint32_t dtype);
/*
 * Fills with elements in the port's range or the case's, which depend only on the seed. If the case's
 * low is NaN: with NaN, infinities, zeros and other special values.
 */
void kit_fill(const struct kit_case *c, const struct kit_port *port, void *data, unsigned seed);

#endif
