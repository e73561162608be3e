/* SPDX-License-Identifier: MIT */
/* operators.h - the parts of `backplane operators`: a list of operators, and where they come from. */
#ifndef BP_TOOLS_OPERATORS_OPERATORS_H
#define BP_TOOLS_OPERATORS_OPERATORS_H

#include "lib/load.h"

/* An operator at a version of its domain's operator set. */
struct operator_row {
    char *domain, *op;
    char *types; /* {"inputs": ...} as a file has it; NULL: all types */
    uint32_t version;
    bool is_unknown; /* no table here has it */
};

struct operator_list {
    struct operator_row *rows;
    size_t n, cap;
    char *global;  /* element types that a file allows to all operators, "float,int64_t"; or NULL */
    bool is_all;   /* a file without operators means all */
    size_t models; /* that were read */
};

/* Adds an operator once; one without types replaces one with types. */
void operator_list_add(struct operator_list *list, const char *domain, const char *op,
                       uint32_t version, const char *types, bool is_unknown);
/*
 * Reads a file of operators in the format of ONNX Runtime's tools. Prints what is wrong in it; returns
 * an exit code.
 */
int operator_list_read(const struct cli *cli, const char *path, struct operator_list *list);
/* Prints the list in that format. */
void operator_list_print(struct operator_list *list);
void operator_list_finish(struct operator_list *list);

/*
 * Adds what a model has and what passes make of it, at each level and without each pass that finds
 * something, for the providers of the arguments. Prints what fails; returns an exit code.
 */
int operators_of_model(struct cli *cli, const struct load_args *args, const char *path,
                       struct operator_list *list);

#endif
