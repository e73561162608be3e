/* SPDX-License-Identifier: MIT */
/*
 * trees_run.c - Runs ensembles of trees: threads share the rows, or the trees if there are few
 * rows; see trees_run.h.
 */

#include "ml/trees/trees_run.h"
#include "kernels/tensor_data.h"

/* Limits of a block of rows, and of a thread's share of the trees. */
enum {
    MOST_ROWS = 512,
    LEAST_ROWS = 8, /* so many are walked at once */
    LEAST_BYTES = 16 * 1024,
    MOST_BYTES = 128 * 1024,
    LEAST_TREES = 8
};

struct job {
    struct bp_cpu_call *call;
    const struct bp_cpu_trees_run *run;
    const void *x; /* if the threads share the trees: all rows, in the trees' type */
    double *sums;  /* and the sums, one set for each part */
};

/* ---- plans ----------------------------------------------------------------------------------- */

static size_t x_width(const struct bp_cpu_trees *trees)
{
    return trees->is_double ? sizeof(double) : sizeof(float);
}

static bool is_converted(const struct bp_cpu_call *call, const struct bp_cpu_trees *trees)
{
    return call->in[0]->dtype != (trees->is_double ? BP_DTYPE_F64 : BP_DTYPE_F32);
}

/*
 * Bytes for `rows` rows of X (0 if X needs no conversion) and for their sums, rounded up to 64.
 * False: too large.
 */
static bool row_bytes(const struct bp_cpu_call *call, const struct bp_cpu_trees_run *r, size_t rows,
                      size_t *x, size_t *sums)
{
    size_t width = is_converted(call, r->trees) ? x_width(r->trees) : 0;

    if (__builtin_mul_overflow((size_t)r->cols * width, rows, x) ||
        __builtin_mul_overflow((size_t)r->trees->n_targets * sizeof(double), rows, sums) ||
        *x > SIZE_MAX / 4 || *sums > SIZE_MAX / 4)
        return false;
    *x = (*x + 63) / 64 * 64;
    *sums = (*sums + 63) / 64 * 64;
    return true;
}

/*
 * Rows of a block, which walk down one tree after the other. The block and its sums should stay in
 * the cache beside a tree; the larger the tree, the more rows should share the cost of loading it.
 */
static size_t plan_rows(const struct bp_cpu_trees_run *r)
{
    const struct bp_cpu_trees *trees = r->trees;
    size_t tree = trees->n_trees > 0 ? trees->bytes / trees->n_trees : 0;
    size_t budget = tree < LEAST_BYTES ? LEAST_BYTES : tree > MOST_BYTES ? MOST_BYTES : tree;
    size_t rows = budget / (trees->n_targets * sizeof(double));

    if ((uint64_t)r->cols > budget / x_width(trees) / LEAST_ROWS)
        rows = LEAST_ROWS;
    else if (r->cols > 0 && budget / ((size_t)r->cols * x_width(trees)) < rows)
        rows = budget / ((size_t)r->cols * x_width(trees));
    rows = rows / LEAST_ROWS * LEAST_ROWS;
    return rows < LEAST_ROWS ? LEAST_ROWS : rows > MOST_ROWS ? MOST_ROWS : rows;
}

/*
 * Few rows and many trees: the threads share the trees, and their sums are merged. Else they share
 * the rows. False: a size overflows.
 */
static bool plan(struct bp_cpu_call *call, struct bp_cpu_trees_run *r)
{
    size_t sums;
    uint32_t wanted = bp_cpu_slices(call, r->rows, 2 * r->trees->steps + r->trees->n_targets);

    if (wanted > 1 && r->rows / LEAST_ROWS < wanted && r->trees->n_trees >= 2 * LEAST_TREES) {
        r->slices = 1;
        r->parts = r->trees->n_trees / LEAST_TREES;
        r->parts = r->parts < wanted ? r->parts : wanted;
        if (!row_bytes(call, r, (size_t)r->rows, &r->x_bytes, &r->worker_bytes) ||
            __builtin_mul_overflow(r->worker_bytes, r->parts, &sums))
            return false;
        return !__builtin_add_overflow(r->x_bytes, sums, &call->scratch_bytes);
    }
    r->slices = wanted;
    r->parts = 1;
    r->block_rows = plan_rows(r);
    if ((uint64_t)r->rows < r->block_rows)
        r->block_rows = (size_t)r->rows;
    if (!row_bytes(call, r, r->block_rows, &r->x_bytes, &sums))
        return false;
    r->worker_bytes = r->x_bytes + sums;
    return !__builtin_mul_overflow(r->worker_bytes, call->width, &call->scratch_bytes);
}

bp_rc bp_cpu_trees_prepare(struct bp_cpu_call *call, size_t bytes, const struct bp_cpu_trees *trees,
                           bp_cpu_trees_fn finish, bp_err *err)
{
    struct bp_cpu_trees_run *r;
    bp_rc rc = bp_cpu_state(call, bytes, err);

    if (rc < 0)
        return rc;
    r = call->state;
    rc = bp_cpu_rows(call, &r->rows, &r->cols, err);
    if (rc < 0)
        return rc;
    if (r->cols < (int64_t)trees->n_features)
        return bp_cpu_fail(call->node, err, BP_E_SHAPE,
                           "its trees compare feature %u, but X has %lld", trees->n_features - 1,
                           (long long)r->cols);
    r->trees = trees;
    r->finish = finish;
    if (!plan(call, r))
        return bp_cpu_fail(call->node, err, BP_E_NOMEM, "the scratch memory is too large");
    return BP_OK;
}

/* ---- runs ------------------------------------------------------------------------------------ */

/* n rows of X in the trees' type: X itself, or a converted copy. */
static const void *rows_of_x(const struct bp_cpu_call *call, const struct bp_cpu_trees_run *r,
                             int64_t first, size_t n, void *copy)
{
    const bp_tensor *x = call->in[0];
    size_t count = n * (size_t)r->cols;
    const char *from =
        (const char *)bp_cpu_data(x) + (size_t)(first * r->cols) * bp_cpu_width(x->dtype);

    if (!is_converted(call, r->trees))
        return from;
    if (r->trees->is_double)
        bp_cpu_to_f64(x->dtype, from, copy, count);
    else
        bp_cpu_to_f32(x->dtype, from, copy, count);
    return copy;
}

/* A slice of the rows, block by block: all trees, then the outputs. */
static void do_rows(void *u, uint32_t i, uint32_t worker)
{
    const struct job *job = u;
    const struct bp_cpu_trees_run *r = job->run;
    char *scratch = bp_cpu_worker_scratch(job->call->scratch, worker, r->worker_bytes);
    double *sums = (double *)(scratch + r->x_bytes);
    int64_t first = r->rows / r->slices * i + r->rows % r->slices * i / r->slices;
    int64_t end = r->rows / r->slices * (i + 1) + r->rows % r->slices * (i + 1) / r->slices;
    size_t n;

    for (; first < end; first += (int64_t)n) {
        n = (size_t)(end - first) < r->block_rows ? (size_t)(end - first) : r->block_rows;
        bp_cpu_trees_start(r->trees, sums, n);
        bp_cpu_trees_add(r->trees, 0, r->trees->n_trees, rows_of_x(job->call, r, first, n, scratch),
                         (size_t)r->cols, n, sums);
        bp_cpu_trees_end(r->trees, sums, n);
        r->finish(job->call, sums, first, n);
    }
}

static double *sums_of_part(const struct job *job, uint32_t part)
{
    return job->sums + part * (job->run->worker_bytes / sizeof(double));
}

/* A part of the trees, for all rows. */
static void do_trees(void *u, uint32_t i, uint32_t worker)
{
    const struct job *job = u;
    const struct bp_cpu_trees_run *r = job->run;
    uint64_t n = r->trees->n_trees;
    double *sums = sums_of_part(job, i);

    (void)worker;
    bp_cpu_trees_start(r->trees, sums, (size_t)r->rows);
    bp_cpu_trees_add(r->trees, (uint32_t)(n * i / r->parts), (uint32_t)(n * (i + 1) / r->parts),
                     job->x, (size_t)r->cols, (size_t)r->rows, sums);
}

bp_rc bp_cpu_trees_run(struct bp_cpu_call *call, bp_err *err)
{
    const struct bp_cpu_trees_run *r = call->state;
    struct job job = {.call = call, .run = r};
    size_t n = (size_t)r->rows;

    (void)err;
    if (r->rows == 0)
        return BP_OK;
    if (r->parts == 1) {
        bp_cpu_parallel(call, r->slices, do_rows, &job);
        return BP_OK;
    }
    job.x = rows_of_x(call, r, 0, n, call->scratch);
    job.sums = (double *)((char *)call->scratch + r->x_bytes);
    bp_cpu_parallel(call, r->parts, do_trees, &job);
    for (uint32_t part = 1; part < r->parts; part++)
        bp_cpu_trees_merge(r->trees, job.sums, sums_of_part(&job, part), n);
    bp_cpu_trees_end(r->trees, job.sums, n);
    r->finish(call, job.sums, 0, n);
    return BP_OK;
}

/* ---- attributes ------------------------------------------------------------------------------ */

bp_rc bp_cpu_trees_targets(const struct bp_cpu_node *node, const char *name, uint32_t *out,
                           bp_err *err)
{
    uint32_t count;
    const int64_t *ids = bp_cpu_ints(node, name, &count);
    int64_t n = 1;

    for (uint32_t i = 0; i < count; i++)
        n = ids[i] >= n && ids[i] < INT64_MAX ? ids[i] + 1 : n;
    n = bp_cpu_int(node, "n_targets", n);
    if (n < 1 || n > INT32_MAX)
        return bp_cpu_fail(node, err, BP_E_INVALID, "n_targets is %lld", (long long)n);
    *out = (uint32_t)n;
    return BP_OK;
}

bool bp_cpu_trees_are_double(const struct bp_cpu_node *node)
{
    const bp_value *x = bp_node_in(node->graph, node->node, 0);

    return x && x->dtype != BP_DTYPE_F32 && x->dtype != BP_DTYPE_F16;
}
