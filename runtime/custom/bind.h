/* SPDX-License-Identifier: MIT */
/* bind.h - functions of ordinary C libraries as operators: what a line of a bind file says. */
#ifndef BP_CUSTOM_BIND_H
#define BP_CUSTOM_BIND_H

#include "base/status.h"

enum { BP_BIND_NAME = 64, BP_BIND_PARAMS = 32, BP_BIND_RANK = 8 };

enum bp_bind_role {
    BP_BIND_INPUT,
    BP_BIND_OUTPUT,   /* an array that the function fills */
    BP_BIND_SIZE,     /* the size that is called as the parameter is */
    BP_BIND_ATTRIBUTE /* of the node, with a default */
};

struct bp_bind_size {
    char name[BP_BIND_NAME]; /* "": a number */
    int64_t value;
};

struct bp_bind_param {
    size_t at; /* of its name in the line, in bytes */
    enum bp_bind_role role;
    uint32_t dtype; /* BP_DTYPE_* */
    bool is_array;
    char name[BP_BIND_NAME];
    struct bp_bind_size sizes[BP_BIND_RANK]; /* of an array */
    uint32_t rank;
    double def; /* of an attribute */
};

/*
 * "Name: type function(parameters)". Without arrays it is called for each element, and its result
 * is the output; with arrays it is called once, and an int that it returns is 0 where all went
 * well.
 */
struct bp_bind_function {
    char op[BP_BIND_NAME], symbol[BP_BIND_NAME];
    size_t symbol_at; /* in the line, in bytes */
    uint32_t result;  /* BP_DTYPE_*; NONE: void */
    bool has_arrays;
    struct bp_bind_param params[BP_BIND_PARAMS];
    uint32_t n_params;
};

/*
 * Reads such a line. BP_E_INVALID says what is wrong with it, and *wrong is how many bytes of the
 * line come before that.
 */
bp_rc bp_bind_parse(const char *line, struct bp_bind_function *out, size_t *wrong,
                    bp_err *err) BP_CHECKED;

/*
 * Adds the operator to a set; keeps the library at `path` open. BP_E_IO: no such library;
 * BP_E_INVALID: it has no such function. Only where libffi is.
 */
bp_rc bp_bind_define(bp_operators *set, const struct bp_bind_function *function, const char *path,
                     const char *domain, uint32_t version, bp_err *err) BP_CHECKED;

#endif
