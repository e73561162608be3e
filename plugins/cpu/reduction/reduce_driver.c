/* SPDX-License-Identifier: MIT */
/*
 * reduce_driver.c - the driver of the Reduce operators.
 *
 * A plan turns axes and shape into few merged dimensions and a contiguous innermost run. If that
 * run is reduced, a loop folds it into one accumulator, with 16 independent lanes; otherwise up to
 * 256 adjacent results are accumulated row by row. Both read X in the order of memory. Threads
 * share the results, never one result, so that the order of additions and with it every bit does
 * not depend on the number of threads.
 */

#include "reduction/reduce_driver.h"
#include "kernels/tensor_data.h"

struct dim {
    int64_t size, step; /* step: distance in x, in elements */
};

/*
 * The axes and the shape of x after merging: dimensions of size 1 are dropped, adjacent ones that
 * are both kept or both reduced become one.
 */
struct plan {
    struct dim kept[BP_CPU_MAX_RANK], reduced[BP_CPU_MAX_RANK];
    uint32_t n_kept, n_reduced;
    int64_t inner;         /* contiguous elements: the merged last dimension */
    bool is_inner_reduced; /* else each of them belongs to another result */
    int64_t outer, rest;   /* products of the sizes in kept and in reduced, without inner */
    int64_t count;         /* elements of x that one element of y comes from */
    bool has_rows;         /* consecutive rows of few elements are reduced */
    bool is_copy;          /* nothing is reduced and the operator keeps a single element as it is */
};

struct state {
    const struct bp_cpu_reduce_loops *loops;
    struct plan plan;
    bool is_planned; /* else the axes are read in each run */
};

/* What the threads of one run share. */
struct job {
    const struct state *state;
    const struct bp_cpu_reduction *reduction;
    const char *x;
    char *y;
    size_t width;   /* of an element */
    int64_t strips; /* of BP_CPU_REDUCE_COLUMNS results in a row of y */
    uint32_t slices;
};

static const struct bp_cpu_reduction *reduction_of(const struct bp_cpu_call *call)
{
    return call->node->op->loops;
}

/* Marks the reduced dimensions; false: an axis is out of range. */
static bool mark_axes(const int64_t *axes, int64_t n, uint32_t rank, bool *is_reduced)
{
    for (int64_t i = 0; i < n; i++) {
        int64_t axis = axes[i] < 0 ? axes[i] + rank : axes[i];

        if (axis < 0 || axis >= rank)
            return false;
        is_reduced[axis] = true;
    }
    return true;
}

/*
 * Adds a dimension in front of those that the plan has; merges it where it continues the last one
 * of its kind.
 */
static void add_dim(struct plan *plan, int64_t size, int64_t step, bool is_reduced)
{
    struct dim *dims = is_reduced ? plan->reduced : plan->kept;
    uint32_t *n = is_reduced ? &plan->n_reduced : &plan->n_kept;

    if (step == plan->inner && plan->n_kept + plan->n_reduced == 0 &&
        (step == 1 || plan->is_inner_reduced == is_reduced)) {
        plan->inner *= size;
        plan->is_inner_reduced = is_reduced;
    } else if (*n > 0 && dims[*n - 1].size * dims[*n - 1].step == step) {
        dims[*n - 1].size *= size;
    } else {
        dims[(*n)++] = (struct dim){size, step};
    }
    if (is_reduced)
        plan->count *= size;
}

/* Builds the plan from the last dimension to the first. */
static void make_plan(const bp_tensor *x, const bool *is_reduced, struct plan *plan)
{
    int64_t step = 1;

    plan->n_kept = plan->n_reduced = 0;
    plan->inner = plan->count = plan->outer = plan->rest = 1;
    plan->is_inner_reduced = true;
    for (uint32_t i = x->rank; i-- > 0;) {
        if (x->dims[i] != 1)
            add_dim(plan, x->dims[i], step, is_reduced[i]);
        step *= x->dims[i];
    }
    for (uint32_t i = 0; i < plan->n_kept; i++)
        plan->outer *= plan->kept[i].size;
    for (uint32_t i = 0; i < plan->n_reduced; i++)
        plan->rest *= plan->reduced[i].size;
    plan->has_rows = plan->is_inner_reduced && plan->n_reduced == 0 && plan->n_kept <= 1 &&
                     plan->inner > 0 && plan->inner <= BP_CPU_REDUCE_ROW;
}

/* Are the axes input 1 in this version, and not an attribute? */
static bool has_axes_input(const struct bp_cpu_call *call)
{
    return call->node->node->since >= reduction_of(call)->axes_input_since;
}

/* With noop_with_empty_axes each element is reduced by itself: is the result that element? */
static bool is_identity(const struct bp_cpu_reduction *reduction)
{
    return reduction->step != BP_CPU_SUM_ABS && reduction->step != BP_CPU_SUM_SQUARE &&
           reduction->last != BP_CPU_LOG;
}

/*
 * Plans for these axes. The shape of y is left in dims and *rank. BP_E_INVALID: an axis is out of
 * range.
 */
static bp_rc plan_axes(const struct bp_cpu_call *call, const int64_t *axes, int64_t n,
                       struct plan *plan, uint32_t *rank, int64_t *dims, bp_err *err)
{
    const bp_tensor *x = call->in[0];
    bool keeps = bp_cpu_int(call->node, "keepdims", 1) != 0;
    bool is_reduced[BP_CPU_MAX_RANK] = {false}, keeps_all;

    memset(plan, 0, sizeof *plan);
    *rank = 0;
    keeps_all = n == 0 && bp_cpu_int(call->node, "noop_with_empty_axes", 0) != 0;
    plan->is_copy = keeps_all && is_identity(reduction_of(call));
    if (!mark_axes(axes, n, x->rank, is_reduced))
        return bp_cpu_fail(call->node, err, BP_E_INVALID, "an axis is out of range for rank %u",
                           x->rank);
    for (uint32_t i = 0; i < x->rank; i++) {
        is_reduced[i] = is_reduced[i] || (n == 0 && !keeps_all);
        if (!is_reduced[i] || keeps)
            dims[(*rank)++] = is_reduced[i] ? 1 : x->dims[i];
    }
    make_plan(x, is_reduced, plan);
    return BP_OK;
}

bp_rc bp_cpu_reduce_prepare(struct bp_cpu_call *call, bp_err *err)
{
    int64_t dims[BP_CPU_MAX_RANK], n = 0;
    const int64_t *axes = NULL;
    const bp_tensor *input = bp_cpu_in(call, 1), *y = call->out[0];
    struct state *state;
    uint32_t rank, count = 0;
    bp_rc rc = bp_cpu_state(call, sizeof *state, err);

    if (rc < 0)
        return rc;
    state = call->state;
    state->loops = &bp_cpu_reduce_loops[call->in[0]->dtype];
    if (has_axes_input(call) && input && bp_cpu_count(input) > 0) {
        axes = bp_cpu_constant(call->node, 1).data;
        n = bp_cpu_count(input);
        if (!axes)
            return BP_OK; /* run reads them */
    } else if (!has_axes_input(call)) {
        axes = bp_cpu_ints(call->node, "axes", &count);
        n = count;
    }
    rc = plan_axes(call, axes, n, &state->plan, &rank, dims, err);
    if (rc < 0)
        return rc;
    if (y->rank == BP_RANK_UNKNOWN || bp_cpu_count(y) != bp_dims_count(dims, rank))
        return bp_cpu_fail(call->node, err, BP_E_SHAPE, "the output has another size");
    state->is_planned = true;
    return BP_OK;
}

bp_rc bp_cpu_reduce_prepare_to(struct bp_cpu_call *call, bp_err *err)
{
    const bp_tensor *x = call->in[0], *y = call->out[0];
    uint32_t more = x->rank - y->rank;
    bool is_reduced[BP_CPU_MAX_RANK] = {false};
    struct state *state;
    bp_rc rc = bp_cpu_state(call, sizeof *state, err);

    if (rc < 0)
        return rc;
    state = call->state;
    state->loops = &bp_cpu_reduce_loops[x->dtype];
    state->is_planned = true;
    state->plan.is_copy = x->rank == y->rank;
    for (uint32_t i = 0; i < x->rank; i++) {
        is_reduced[i] = i < more || (y->dims[i - more] == 1 && x->dims[i] != 1);
        if (!is_reduced[i] && y->dims[i - more] != x->dims[i])
            return bp_cpu_fail(call->node, err, BP_E_SHAPE,
                               "dimension %u cannot come from broadcasting", i);
        state->plan.is_copy = state->plan.is_copy && !is_reduced[i];
    }
    if (!state->plan.is_copy)
        make_plan(x, is_reduced, &state->plan);
    return BP_OK;
}

/* Offset in x, in elements, of combination i of the given dimensions. */
static int64_t offset_of(const struct dim *dims, uint32_t n, int64_t i)
{
    int64_t offset = 0;

    for (uint32_t d = 0; d < n; d++) {
        offset += i % dims[d].size * dims[d].step;
        i /= dims[d].size;
    }
    return offset;
}

/*
 * Accumulates everything that belongs to n adjacent results, whose first element is x, into `sums`.
 */
static void pass(const struct job *job, int step, const char *x, size_t n, union bp_cpu_sums *sums,
                 const double *shift)
{
    const struct plan *plan = &job->state->plan;
    const struct bp_cpu_reduce_loops *loops = job->state->loops;

    loops->start(step, sums, n);
    for (int64_t i = 0; i < plan->rest; i++) {
        int64_t offset = offset_of(plan->reduced, plan->n_reduced, i);
        const char *from = x + (size_t)offset * job->width;

        if (plan->is_inner_reduced)
            loops->run(step, from, (size_t)plan->inner, sums, shift[0]);
        else
            loops->row(step, from, n, sums, shift);
    }
}

/*
 * Results first..end where each comes from a contiguous row of few elements: the calls for one row would cost
 * more than its elements, so that one call takes up to BP_CPU_REDUCE_COLUMNS rows.
 */
static void reduce_rows(const struct job *job, int64_t first, int64_t end)
{
    const struct bp_cpu_reduction *reduction = job->reduction;
    const struct bp_cpu_reduce_loops *loops = job->state->loops;
    size_t count = (size_t)job->state->plan.inner;
    double shift[BP_CPU_REDUCE_COLUMNS];
    union bp_cpu_sums sums;

    for (int64_t i = first; i < end; i += BP_CPU_REDUCE_COLUMNS) {
        size_t n = (size_t)(end - i < BP_CPU_REDUCE_COLUMNS ? end - i : BP_CPU_REDUCE_COLUMNS);
        const char *x = job->x + (size_t)i * count * job->width;

        memset(shift, 0, n * sizeof *shift);
        if (reduction->step == BP_CPU_SUM_EXP) {
            loops->rows(BP_CPU_MAX, x, n, count, &sums, shift);
            loops->shift(&sums, n, shift);
        }
        loops->rows(reduction->step, x, n, count, &sums, shift);
        loops->finish(reduction->last, reduction->step, &sums, n, (int64_t)count, shift,
                      job->y + (size_t)i * job->width);
    }
}

/*
 * n adjacent results. Sums of exponentials take two passes: the maximum first, which is then
 * subtracted so that exp() does not overflow.
 */
static void reduce(const struct job *job, const char *x, char *y, size_t n)
{
    const struct bp_cpu_reduction *reduction = job->reduction;
    double shift[BP_CPU_REDUCE_COLUMNS];
    union bp_cpu_sums sums;

    memset(shift, 0, n * sizeof *shift);
    if (reduction->step == BP_CPU_SUM_EXP) {
        pass(job, BP_CPU_MAX, x, n, &sums, shift);
        job->state->loops->shift(&sums, n, shift);
    }
    pass(job, reduction->step, x, n, &sums, shift);
    job->state->loops->finish(reduction->last, reduction->step, &sums, n, job->state->plan.count,
                              shift, y);
}

/* A slice is a range of strips of results, or of rows when they are short. */
static void run_slice(void *u, uint32_t slice, uint32_t worker)
{
    const struct job *job = u;
    const struct plan *plan = &job->state->plan;
    int64_t columns = plan->is_inner_reduced ? 1 : plan->inner, n = job->slices;
    int64_t total = plan->outer * job->strips;
    int64_t first = total / n * slice + total % n * slice / n;
    int64_t end = total / n * (slice + 1) + total % n * (slice + 1) / n;

    (void)worker;
    if (plan->has_rows) {
        reduce_rows(job, first, end);
        return;
    }
    for (int64_t i = first; i < end; i++) {
        int64_t outer = i / job->strips, column = i % job->strips * BP_CPU_REDUCE_COLUMNS;
        int64_t count =
            columns - column < BP_CPU_REDUCE_COLUMNS ? columns - column : BP_CPU_REDUCE_COLUMNS;
        int64_t from = offset_of(plan->kept, plan->n_kept, outer) + column;

        reduce(job, job->x + (size_t)from * job->width,
               job->y + (size_t)(outer * columns + column) * job->width, (size_t)count);
    }
}

/*
 * Reads the axes of this run; the output is allocated, or its shape compared with the prepared one.
 */
static bp_rc plan_run(struct bp_cpu_call *call, struct state *state, bp_err *err)
{
    const bp_tensor *axes = call->in[1];
    int64_t dims[BP_CPU_MAX_RANK];
    uint32_t rank;
    bp_rc rc =
        plan_axes(call, bp_cpu_data(axes), bp_cpu_count(axes), &state->plan, &rank, dims, err);

    if (rc < 0)
        return rc;
    if (call->out[0]->rank == BP_RANK_UNKNOWN)
        return bp_cpu_alloc_output(call, 0, rank, dims, err);
    if (bp_cpu_count(call->out[0]) != bp_dims_count(dims, rank))
        return bp_cpu_fail(call->node, err, BP_E_SHAPE,
                           "these axes give another shape than was prepared");
    return BP_OK;
}

/* A reduction of bool runs on bytes, where any value but 0 is true; the result is 0 or 1. */
static void make_bool(const bp_tensor *y)
{
    uint8_t *data = bp_cpu_data(y);
    int64_t n = bp_cpu_count(y);

    for (int64_t i = 0; i < n; i++)
        data[i] = data[i] != 0;
}

bp_rc bp_cpu_reduce_run(struct bp_cpu_call *call, bp_err *err)
{
    struct state *state = call->state;
    const bp_tensor *x = call->in[0], *y = call->out[0];
    struct job job = {
        .state = state,
        .reduction = reduction_of(call),
        .width = bp_cpu_width(x->dtype),
    };
    const struct plan *plan = &state->plan;
    bp_rc rc = state->is_planned ? BP_OK : plan_run(call, state, err);

    if (rc < 0 || bp_cpu_count(y) == 0)
        return rc;
    job.x = bp_cpu_data(x);
    job.y = bp_cpu_data(y);
    if (plan->is_copy) {
        memcpy(job.y, job.x, (size_t)bp_cpu_count(x) * job.width);
        return BP_OK;
    }
    job.strips = plan->is_inner_reduced
                     ? 1
                     : (plan->inner + BP_CPU_REDUCE_COLUMNS - 1) / BP_CPU_REDUCE_COLUMNS;
    job.slices = bp_cpu_slices(call, bp_cpu_count(x), 2);
    bp_cpu_parallel(call, job.slices, run_slice, &job);
    if (y->dtype == BP_DTYPE_BOOL)
        make_bool(y);
    return BP_OK;
}
