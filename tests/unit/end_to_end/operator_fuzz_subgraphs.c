/* SPDX-License-Identifier: MIT */
/* operator_fuzz_subgraphs.c - small subgraphs for If, Loop, Scan and the like; and declarations. */

#include "config.h"

#include "end_to_end/operator_fuzz.h"

#include <stdio.h>

void fuzz_declare(struct fuzz *fuzz, uint32_t field, const char *name, uint32_t dtype,
                  uint32_t rank, const int64_t *dims, const char *symbols)
{
    struct pw *w = &fuzz->w;

    pw_open(w, field);
    pw_text(w, 1, name);
    if (dtype != BP_DTYPE_NONE) {
        pw_open(w, 2); /* type */
        pw_open(w, 1); /* tensor_type */
        pw_int(w, 1, dtype);
        if (rank != BP_RANK_UNKNOWN) {
            pw_open(w, 2); /* shape */
            for (uint32_t d = 0; d < rank; d++) {
                pw_open(w, 1);
                if (symbols && fuzz_chance(fuzz, 70))
                    pw_bytes(w, 2, symbols + d, 1);
                else if (!symbols)
                    pw_int(w, 1, dims[d]);
                pw_close(w);
            }
            pw_close(w);
        }
        pw_close(w);
        pw_close(w);
    }
    pw_close(w);
}

/* How many inputs a subgraph needs, and outputs. */
static void count_ports(const struct fuzz *fuzz, uint32_t *n_in, uint32_t *n_out)
{
    const char *op = fuzz->row->op;
    uint32_t n = fuzz->n_in;

    *n_in = n;
    *n_out = fuzz->n_out;
    if (strcmp(op, "If") == 0) {
        *n_in = 0;
    } else if (strcmp(op, "Loop") == 0) {
        *n_in = n > 2 ? n : 2;
        *n_out = 1 + fuzz->n_out;
    } else if (strcmp(op, "Scan") == 0 && fuzz->row->since < 9) {
        *n_in = n ? n - 1 : 0;
    }
}

static void write_input(struct fuzz *fuzz, uint32_t i, const char *name)
{
    const struct fuzz_value *like = &fuzz->in[i];
    bool is_loop = strcmp(fuzz->row->op, "Loop") == 0;
    uint32_t dtype = like->kind == BP_KIND_TENSOR ? like->dtype : BP_DTYPE_NONE;
    uint32_t rank = like->rank;

    if (is_loop && i < 2) {
        dtype = i ? BP_DTYPE_BOOL : BP_DTYPE_I64;
        rank = 0;
    }
    if (fuzz_chance(fuzz, 3))
        dtype = fuzz_dtype(fuzz, BP_T_ANY);
    if (fuzz_chance(fuzz, 30))
        dtype = BP_DTYPE_NONE;
    if (fuzz_chance(fuzz, 60) || strcmp(fuzz->row->op, "Scan") == 0)
        rank = BP_RANK_UNKNOWN;
    fuzz_declare(fuzz, 11, name, dtype, rank, like->dims, NULL);
}

/* A name of the graph around. */
static const char *captured(struct fuzz *fuzz)
{
    const struct fuzz_value *value = &fuzz->in[fuzz_below(fuzz, fuzz->n_in)];

    for (uint32_t i = 0; i < 20 && value->form == FUZZ_ABSENT; i++)
        value = &fuzz->in[fuzz_below(fuzz, fuzz->n_in)];
    return value->name;
}

/* A name that is known in the subgraph. */
static void pick_name(struct fuzz *fuzz, uint32_t subgraph, uint32_t n_in, uint32_t i, char *out)
{
    uint32_t k = fuzz_chance(fuzz, 70) ? i : fuzz_below(fuzz, n_in);

    if (n_in > 0 && k < n_in && fuzz_chance(fuzz, 85))
        snprintf(out, 16, "b%u_%u", subgraph, k);
    else
        snprintf(out, 16, "%s", captured(fuzz));
}

static void write_output(struct fuzz *fuzz, uint32_t subgraph, uint32_t n_in, uint32_t i)
{
    static const char *const ops[] = {"Identity", "Neg",     "Not",      "Add",
                                      "Concat",   "Shape",   "NonZero",  "SequenceInsert",
                                      "Mul",      "Reshape", "Optional", "SequenceConstruct"};
    bool is_loop = strcmp(fuzz->row->op, "Loop") == 0;
    const char *op = ops[fuzz_chance(fuzz, 60) ? 0 : fuzz_below(fuzz, sizeof ops / sizeof ops[0])];
    char in[40], out[16], a[16], b[16];

    snprintf(out, sizeof out, "o%u_%u", subgraph, i);
    pick_name(fuzz, subgraph, n_in, i + is_loop, a);
    pick_name(fuzz, subgraph, n_in, i + is_loop, b);
    if (is_loop && i == 0 && fuzz_chance(fuzz, 90)) {
        snprintf(a, sizeof a, "b%u_1", subgraph);
        op = fuzz_chance(fuzz, 70) ? "Identity" : "Not";
    }
    bp_text_printf(&fuzz->words, " %s=%s(%s,%s)", out, op, a, b);
    if (strcmp(op, "Identity") == 0 && fuzz_chance(fuzz, 30)) {
        snprintf(out, sizeof out, "%s", a); /* the output is an input */
    } else {
        bool is_two = strcmp(op, "Add") == 0 || strcmp(op, "Mul") == 0 ||
                      strcmp(op, "Concat") == 0 || strcmp(op, "SequenceInsert") == 0 ||
                      strcmp(op, "Reshape") == 0;

        snprintf(in, sizeof in, is_two ? "%s %s" : "%s", a, b);
        pw_open_node(&fuzz->w, op, in, out);
        if (strcmp(op, "Concat") == 0) {
            pw_open_attr(&fuzz->w, "axis", 2);
            pw_int(&fuzz->w, 3, 0);
            pw_close(&fuzz->w);
        }
        pw_close(&fuzz->w);
    }
    fuzz_declare(fuzz, 12, out, BP_DTYPE_NONE, 0, NULL, NULL);
}

void fuzz_subgraph(struct fuzz *fuzz, const char *attr)
{
    uint32_t subgraph = fuzz->n_subgraphs++, n_in, n_out;
    char name[16];

    count_ports(fuzz, &n_in, &n_out);
    if (fuzz_chance(fuzz, 3))
        n_in += 1 - 2 * fuzz_below(fuzz, n_in ? 2 : 1);
    if (fuzz_chance(fuzz, 3))
        n_out += 1 - 2 * fuzz_below(fuzz, n_out ? 2 : 1);
    if (n_in > FUZZ_VALUES)
        n_in = FUZZ_VALUES;
    pw_open_attr(&fuzz->w, attr, 5);
    pw_open(&fuzz->w, 6);
    pw_text(&fuzz->w, 2, attr);
    bp_text_printf(&fuzz->words, "{%u in:", n_in);
    for (uint32_t i = 0; i < n_in; i++) {
        snprintf(name, sizeof name, "b%u_%u", subgraph, i);
        write_input(fuzz, i, name);
    }
    for (uint32_t i = 0; i < n_out; i++)
        write_output(fuzz, subgraph, n_in, i);
    bp_text_add(&fuzz->words, "}");
    pw_close(&fuzz->w);
    pw_close(&fuzz->w);
}
