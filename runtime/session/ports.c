/* SPDX-License-Identifier: MIT */
/* ports.c - a graph's inputs and outputs as the application's API describes them. */

#include "config.h"

#include <stdlib.h>
#include <string.h>

#include "session/session.h"
#include "text/text.h"

/* A type and the types inside it (element of a sequence, value of a map). */
static bp_type_info *make_type(struct bp_ports *ports, const struct bp_fact *fact)
{
    uint32_t n_inside = fact->kind == BP_KIND_MAP ? 2 : fact->item ? 1 : 0;
    bp_type_info *type = bp_region_array(&ports->region, 1, sizeof *type);

    if (!type)
        return NULL;
    type->kind = fact->kind;
    type->dtype = fact->dtype;
    if (!fact->item)
        return type;
    if (fact->kind == BP_KIND_MAP)
        type->dtype = fact->item[0].dtype;
    type->item = make_type(ports, &fact->item[n_inside - 1]);
    return type->item ? type : NULL;
}

/*
 * Fills a row of backplane.h. Symbols that the host made ('?...') are not shown: such a size is -1
 * without a name. A sparse tensor has type and shape of the dense tensor that it represents.
 */
static bp_rc set_port(struct bp_ports *ports, const char *name, const struct bp_fact *fact,
                      const struct bp_symbols *symbols, bp_io_info *out, bp_err *err)
{
    bp_dim_info *dims = NULL;

    out->struct_size = sizeof *out;
    out->name = bp_region_string(&ports->region, name);
    out->type = make_type(ports, fact);
    if (fact->kind == BP_KIND_SPARSE && fact->item)
        fact = fact->item;
    out->dtype = fact->dtype;
    out->rank = fact->rank;
    if (fact->rank != BP_RANK_UNKNOWN)
        dims = bp_region_array(&ports->region, fact->rank, sizeof *dims);
    if (!out->name || !out->type || (fact->rank != BP_RANK_UNKNOWN && !dims))
        return bp_fail_nomem(err, "the inputs and outputs");
    for (uint32_t d = 0; dims && d < fact->rank; d++) {
        const char *symbol = bp_symbols_name(symbols, fact->dims[d]);

        dims[d].value = bp_sym_known(fact->dims[d]) ? fact->dims[d].value : -1;
        if (!bp_sym_known(fact->dims[d]) && symbol[0] && symbol[0] != '?') {
            dims[d].symbol = bp_region_string(&ports->region, symbol);
            if (!dims[d].symbol)
                return bp_fail_nomem(err, "the inputs and outputs");
        }
    }
    out->dims = dims;
    return BP_OK;
}

/*
 * Adds the inputs with a default (defaulted) or those without. The caller adds required ones first.
 */
static bp_rc add_inputs(struct bp_ports *ports, const struct bp_ir *ir,
                        const struct bp_symbols *symbols, bool defaulted, bp_err *err)
{
    bp_rc rc = BP_OK;

    for (uint32_t i = 0; rc >= 0 && i < ir->n_inputs; i++) {
        const struct bp_ir_value *value = &ir->values[ir->inputs[i]];
        bp_io_info *row = &ports->inputs[ports->n_inputs];

        if (((value->flags & BP_IR_DEFAULTED) != 0) != defaulted)
            continue;
        rc = set_port(ports, value->name, &value->declared, symbols, row, err);
        row->flags = defaulted ? BP_IO_OPTIONAL : 0;
        ports->n_inputs++;
    }
    return rc;
}

/*
 * Chooses between a declared and an inferred size for the application: the declared one, but a
 * number takes precedence over a name. If both are numbers and differ, the size is unknown (-1).
 */
static struct bp_sym shown_dim(const struct bp_symbols *symbols, struct bp_sym declared,
                               struct bp_sym inferred)
{
    if (bp_sym_known(declared)) {
        if (declared.value < 0 || (bp_sym_known(inferred) && inferred.value == declared.value))
            return inferred;
        return bp_sym_known(inferred) ? bp_sym_of(-1) : declared;
    }
    if (bp_sym_known(inferred) || bp_symbols_is_nameless(symbols, declared))
        return inferred;
    return declared;
}

/*
 * Makes the fact of an output as the application sees it: the rank is unknown if declared and
 * inferred ranks differ.
 */
static bp_rc merge_shown(struct bp_ports *ports, const struct bp_fact *declared,
                         const struct bp_fact *inferred, const struct bp_symbols *symbols,
                         struct bp_fact *out, bp_err *err)
{
    struct bp_sym *dims;

    *out = *inferred;
    if (inferred->kind != BP_KIND_TENSOR || declared->kind != BP_KIND_TENSOR ||
        declared->rank == BP_RANK_UNKNOWN)
        return BP_OK;
    out->rank = declared->rank;
    out->dims = declared->dims;
    if (inferred->rank == BP_RANK_UNKNOWN)
        return BP_OK;
    if (inferred->rank != declared->rank) {
        out->rank = BP_RANK_UNKNOWN;
        return BP_OK;
    }
    dims = bp_region_array(&ports->region, declared->rank, sizeof *dims);
    if (!dims)
        return bp_fail_nomem(err, "the inputs and outputs");
    for (uint32_t d = 0; d < declared->rank; d++)
        dims[d] = shown_dim(symbols, declared->dims[d], inferred->dims[d]);
    out->dims = dims;
    return BP_OK;
}

/* The caller finishes *ports after a failure, too. */
bp_rc bp_ports_init(struct bp_ports *ports, const struct bp_ir *ir, const struct bp_fact *facts,
                    const struct bp_symbols *symbols, bp_err *err)
{
    bp_rc rc;

    *ports = (struct bp_ports){0};
    ports->inputs = bp_region_array(&ports->region, ir->n_inputs, sizeof *ports->inputs);
    ports->outputs = bp_region_array(&ports->region, ir->n_outputs, sizeof *ports->outputs);
    if (!ports->inputs || !ports->outputs)
        return bp_fail_nomem(err, "the inputs and outputs");
    rc = add_inputs(ports, ir, symbols, false, err);
    ports->n_required = ports->n_inputs;
    if (rc >= 0)
        rc = add_inputs(ports, ir, symbols, true, err);
    for (uint32_t i = 0; rc >= 0 && i < ir->n_outputs; i++) {
        const struct bp_ir_value *value = &ir->values[ir->outputs[i]];
        struct bp_fact shown = value->declared;
        bp_io_info *row = &ports->outputs[ports->n_outputs++];

        if (facts)
            rc = merge_shown(ports, &value->declared, &facts[ir->outputs[i]], symbols, &shown, err);
        if (rc >= 0)
            rc = set_port(ports, value->name, &shown, symbols, row, err);
        if ((value->flags & BP_IR_CONSTANT) && value->data && value->data->is_sparse)
            row->flags |= BP_IO_SPARSE;
    }
    return rc;
}

/* All rows and names are in the region. */
void bp_ports_finish(struct bp_ports *ports)
{
    bp_region_finish(&ports->region);
    *ports = (struct bp_ports){0};
}

/*
 * A linear search, because graphs have few inputs and outputs, and applications look each name up
 * once.
 */
bp_rc bp_ports_find(const bp_io_info *rows, uint32_t n, const char *what, const char *name,
                    uint32_t *out, bp_err *err)
{
    const char *near = NULL;
    const char **names;
    bp_rc rc;

    for (uint32_t i = 0; name && i < n; i++) {
        if (strcmp(rows[i].name, name) == 0) {
            *out = i;
            return BP_OK;
        }
    }
    if (!name)
        return bp_fail(err, BP_E_INVALID, "an %s needs a name", what);
    names = calloc((size_t)n + 1, sizeof *names);
    for (uint32_t i = 0; names && i < n; i++)
        names[i] = rows[i].name;
    if (names)
        near = bp_nearest(name, names, n);
    rc = bp_fail(err, BP_E_INVALID, "the model has no %s '%s'%s%s%s", what, name,
                 near ? "; did you mean '" : "", near ? near : "", near ? "'?" : "");
    free(names);
    return rc;
}
