/* SPDX-License-Identifier: MIT */
/* group_costs.c - memory and time of a plan; see group_costs.h. */

#include "config.h"

#include "report/group_costs.h"

#include <bp/estimate.h>
#include <math.h>
#include <stdlib.h>

#include "value/tensor.h"

/* What is summed up while the groups of one provider in one graph are estimated. */
struct estimating {
    const struct bp_partition *part;
    const struct bp_estimator *estimator;
    const struct bp_asked *asked;
    uint32_t provider, first_group;
    bp_report *report;
    uint32_t *first, *last; /* one a value: 1 + the first and the last group that has it there */
    double *bytes;          /* one a value */
    double *live;           /* one a group, and one: bytes that begin there less those that ended */
    double *inside;         /* one a group: bytes of its scratch */
    bp_report_provider total;
};

/* ---- values on the device -------------------------------------------------------------------- */

/* Bytes of a value's elements; less than 0: its type or a size is not known. */
static double bytes_of(const bp_value *value)
{
    double bits = bp_dtype_width(value->dtype);

    if (bits == 0 || value->rank == BP_RANK_UNKNOWN)
        return -1;
    for (uint32_t d = 0; d < value->rank; d++) {
        if (value->dims[d].value < 0)
            return -1;
        bits *= (double)value->dims[d].value;
    }
    return ceil(bits / 8);
}

/* The value is on the device in this group: its lifetime there begins or goes on. */
static void touch(struct estimating *r, uint32_t group, uint32_t value, double bytes)
{
    r->bytes[value] = bytes;
    if (!r->first[value])
        r->first[value] = group + 1;
    r->last[value] = group + 1;
}

/* Sums the bytes of a group's inputs and outputs; less than 0: one of them has no known size. */
static double touch_all(struct estimating *r, uint32_t g)
{
    const struct bp_graph_view *view = r->part->groups[g].view;
    double sum = 0;

    for (uint32_t i = 0; i < view->graph.n_inputs + view->graph.n_outputs; i++) {
        bool is_input = i < view->graph.n_inputs;
        uint32_t v =
            is_input ? view->graph.inputs[i] : view->graph.outputs[i - view->graph.n_inputs];
        double bytes = bytes_of(BP_VALUE(&view->graph, v));

        touch(r, g, view->value_of[v], bytes);
        sum = bytes < 0 || sum < 0 ? -1 : sum + bytes;
    }
    return sum;
}

/* A value is there from the first of the provider's groups that has it to the last one. */
static double find_peak(struct estimating *r)
{
    double now = 0, peak = 0;

    for (uint32_t v = 0; v < r->part->ir->n_values; v++) {
        if (!r->first[v])
            continue;
        r->live[r->first[v] - 1] += r->bytes[v];
        r->live[r->last[v]] -= r->bytes[v];
    }
    for (uint32_t g = 0; g < r->part->n_groups; g++) {
        now += r->live[g];
        if (now + r->inside[g] > peak)
            peak = now + r->inside[g];
    }
    return peak;
}

/* ---- groups ---------------------------------------------------------------------------------- */

/* Nanoseconds for n copies of bytes in all; -1: the estimator does not tell. */
static double ask_copies(const struct estimating *r, uint32_t n, uint64_t bytes)
{
    return n == 0                 ? 0
           : r->estimator->copies ? r->estimator->copies(r->asked->instance, n, bytes)
                                  : -1;
}

/*
 * What the provider estimates of group g. A failure and a time that is not a number count as unknown.
 */
static void ask(const struct estimating *r, uint32_t g, bp_estimate *out)
{
    char text[256];
    bp_err err = bp_err_init(text, sizeof text);

    *out = (bp_estimate){.struct_size = sizeof *out};
    if (r->estimator->group(r->asked->instance, &r->part->groups[g].view->graph, out, &err) < 0)
        out->known = 0;
    if (!isfinite(out->run_ns) || out->run_ns < 0)
        out->known &= ~(uint32_t)BP_ESTIMATE_TIME;
}

/*
 * BP_ESTIMATED_*: which fields of a group's row mean something. around: bytes of inputs and
 * outputs, less than 0: not known. Memory needs both the weights and the scratch.
 */
static uint32_t known_of(const struct estimating *r, const bp_estimate *estimate, double around,
                         double copy_ns)
{
    uint32_t known = estimate->known & BP_ESTIMATE_WEIGHTS ? BP_ESTIMATED_WEIGHTS : 0;

    if (known && estimate->known & BP_ESTIMATE_SCRATCH && around >= 0)
        known |= BP_ESTIMATED_MEMORY;
    if (estimate->known & BP_ESTIMATE_TIME)
        known |= BP_ESTIMATED_TIME;
    if (around >= 0 && isfinite(copy_ns) && copy_ns >= 0)
        known |= BP_ESTIMATED_COPIES;
    return r->estimator->flags & BP_ESTIMATOR_SIMULATED ? known | BP_ESTIMATED_SIMULATED : known;
}

/*
 * Asks about one group and writes its row. The provider's total keeps only what is known of every
 * group.
 */
static void estimate_group(struct estimating *r, uint32_t g, uint32_t row_index)
{
    bp_report_group row = {.struct_size = sizeof row};
    bp_estimate estimate;
    double around = touch_all(r, g);

    if (bp_report_get_group(r->report, row_index, &row, NULL) < 0)
        return;
    ask(r, g, &estimate);
    row.copy_ns = ask_copies(r, row.n_copies, row.copy_bytes);
    row.known = known_of(r, &estimate, around, row.copy_ns);
    row.weight_bytes = row.known & BP_ESTIMATED_WEIGHTS ? estimate.weight_bytes : 0;
    row.run_bytes = row.known & BP_ESTIMATED_MEMORY ? estimate.scratch_bytes + (uint64_t)around : 0;
    row.run_ns = row.known & BP_ESTIMATED_TIME ? estimate.run_ns : 0;
    row.copy_ns = row.known & BP_ESTIMATED_COPIES ? row.copy_ns : 0;
    bp_report_set_group_estimate(r->report, row_index, &row);
    r->inside[g] = (double)(row.known & BP_ESTIMATED_MEMORY ? estimate.scratch_bytes : 0);
    r->total.known &= row.known;
    r->total.weight_bytes += row.weight_bytes;
    r->total.run_ns += row.run_ns;
    r->total.copy_ns += row.copy_ns;
}

/* ---- providers ------------------------------------------------------------------------------- */

/* Estimates each group of the provider in this graph, then writes the provider's totals. */
static void estimate_groups(struct estimating *r, uint32_t report_row)
{
    uint32_t row = r->first_group;
    bool has_any = false;

    r->total.known = UINT32_MAX;
    for (uint32_t g = 0; g < r->part->n_groups; g++) {
        if (r->part->groups[g].provider == BP_BY_NONE)
            continue; /* has no row */
        if (r->part->groups[g].provider == r->provider) {
            estimate_group(r, g, row);
            has_any = true;
        }
        row++;
    }
    if (!has_any)
        return;
    if (r->total.known & BP_ESTIMATED_MEMORY)
        r->total.peak_bytes = r->total.weight_bytes + (uint64_t)find_peak(r);
    bp_report_add_graph_estimate(r->report, report_row, &r->total);
}

/*
 * Lists are made for each provider anew, as values are on its device only where its groups have
 * them.
 */
static bp_rc estimate_provider(struct estimating *r, uint32_t report_row, bp_err *err)
{
    size_t n_values = r->part->ir->n_values, n_groups = r->part->n_groups;
    bp_rc rc = BP_OK;

    r->first = calloc(n_values + 1, sizeof *r->first);
    r->last = calloc(n_values + 1, sizeof *r->last);
    r->bytes = calloc(n_values + 1, sizeof *r->bytes);
    r->live = calloc(n_groups + 1, sizeof *r->live);
    r->inside = calloc(n_groups + 1, sizeof *r->inside);
    if (r->first && r->last && r->bytes && r->live && r->inside)
        estimate_groups(r, report_row);
    else
        rc = bp_fail_nomem(err, "what a plan takes");
    free(r->first);
    free(r->last);
    free(r->bytes);
    free(r->live);
    free(r->inside);
    return rc;
}

/*
 * Copies the provider's table of estimates, as far as its struct_size goes; NULL: the provider has
 * none.
 */
static const struct bp_estimator *estimator_of(const bp_provider *provider, bp_estimator *own)
{
    const bp_estimator *theirs;

    theirs = provider->extension ? provider->extension(BP_ESTIMATE_ID) : NULL;
    if (!theirs)
        return NULL;
    bp_copy_in(own, sizeof *own, theirs);
    return own->group ? own : NULL;
}

/* Providers without the extension keep what the report says of copies, and nothing else. */
bp_rc bp_report_estimate_groups(const struct bp_partition *part, const struct bp_asked *asked,
                                const uint32_t *rows, bp_report *report, uint32_t first_group,
                                bp_err *err)
{
    bp_rc rc = BP_OK;

    for (uint32_t p = 0; rc >= 0 && p < part->n_asked; p++) {
        bp_estimator own;
        struct estimating r = {
            .part = part,
            .estimator = estimator_of(asked[p].provider, &own),
            .asked = &asked[p],
            .provider = p,
            .first_group = first_group,
            .report = report,
        };

        if (r.estimator)
            rc = estimate_provider(&r, rows[p], err);
    }
    return rc;
}
