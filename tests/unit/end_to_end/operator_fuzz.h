/* SPDX-License-Identifier: MIT */
/*
 * operator_fuzz.h - models of one node, made up from a row of the schema table and a seed: some are
 * sound, most are nearly so, some are nonsense. The same seed makes the same model.
 */
#ifndef BP_TESTS_OPERATOR_FUZZ_H
#define BP_TESTS_OPERATOR_FUZZ_H

#include "graph/schema.h"
#include "support/random.h"
#include "support/session_kit.h"
#include "text/text.h"

enum {
    FUZZ_RANK = 8,
    FUZZ_VALUES = 16,
    FUZZ_LETTERS = 26,
    FUZZ_MOST = 1 << 17 /* elements of a tensor that is really made */
};

/* How an input comes to the node. */
enum fuzz_form {
    FUZZ_ABSENT,
    FUZZ_CONSTANT, /* an initializer */
    FUZZ_DEFAULT,  /* an initializer that is an input too */
    FUZZ_SHAPED,   /* fed; the model declares its sizes */
    FUZZ_SYMBOLS,  /* fed; the model declares its rank */
    FUZZ_UNSHAPED, /* fed; the model declares its type */
    FUZZ_UNTYPED,  /* fed; the model declares its name */
    FUZZ_FORMS
};

/* An input of the node, with the feed for it. */
struct fuzz_value {
    char name[16],
        fed[16]; /* as the node calls it, and as it is fed: an Identity may lie between */
    const struct bp_param *param;
    enum fuzz_form form;
    uint32_t kind, dtype, rank;
    int64_t dims[FUZZ_RANK];
    size_t count; /* elements */
    bool is_huge; /* too large to be made: what is fed has other sizes */
    bool is_tame; /* its numbers are likely indices */
    void *data;   /* `count` elements, in storage of just that size */
    char *text;   /* bytes of strings */
    bp_object *object;
};

struct fuzz {
    uint64_t state; /* of the random numbers */
    const struct bp_schema *row;
    struct pw w;          /* the model */
    struct bp_text words; /* describes it */
    struct fuzz_value in[FUZZ_VALUES];
    uint32_t n_in, n_out;
    uint32_t wanted;               /* bit by output */
    uint32_t n_names;              /* of graph outputs */
    int64_t letters[FUZZ_LETTERS]; /* sizes that the inputs have in common, 'A' to 'Z' */
    int64_t spatial[4], window[4];
    uint32_t n_spatial;
    uint32_t list; /* what many lists of attributes have as their length */
    uint32_t n_subgraphs;
    bool is_wild;  /* attributes may be anything; otherwise they are mostly sound */
    bool is_large; /* has sizes or numbers that may well take their time */
};

/* operator_fuzz_make.c */
void fuzz_make(struct fuzz *fuzz, const struct bp_schema *row, uint64_t seed);
void fuzz_finish(struct fuzz *fuzz);
/* New contents for the feeds of the same shapes. */
void fuzz_refill(struct fuzz *fuzz);

/* operator_fuzz_attrs.c: the attributes of the node that is open, and tensors */
void fuzz_attributes(struct fuzz *fuzz);
void fuzz_tensor_attribute(struct fuzz *fuzz, uint32_t field, const char *name);

/* operator_fuzz_subgraphs.c: a subgraph for the attribute */
void fuzz_subgraph(struct fuzz *fuzz, const char *attr);
/* A value's declaration. shape NULL: no rank; dtype NONE: no type. */
void fuzz_declare(struct fuzz *fuzz, uint32_t field, const char *name, uint32_t dtype,
                  uint32_t rank, const int64_t *dims, const char *symbols);

/* operator_fuzz_data.c: sizes and contents */
int64_t fuzz_size(struct fuzz *fuzz);
uint32_t fuzz_dtype(struct fuzz *fuzz, uint64_t types);
/* Also says whether the hints leave the input out. */
void fuzz_set_shape(struct fuzz *fuzz, struct fuzz_value *value, uint32_t i, bool *is_left_out);
/* Inputs that the hint for the operator names; 0: there is none. */
uint32_t fuzz_hinted(struct fuzz *fuzz);
void fuzz_fill(struct fuzz *fuzz, struct fuzz_value *value);
int64_t fuzz_edge(struct fuzz *fuzz);

/* ---- dice ------------------------------------------------------------------------------------ */

static inline uint32_t fuzz_below(struct fuzz *fuzz, uint32_t n)
{
    return n ? random_below(&fuzz->state, n) : 0;
}

static inline bool fuzz_chance(struct fuzz *fuzz, uint32_t percent)
{
    return random_below(&fuzz->state, 100) < percent;
}

#define FUZZ_PICK(fuzz, list) ((list)[fuzz_below(fuzz, sizeof(list) / sizeof(list)[0])])

#endif
