/* SPDX-License-Identifier: MIT */
/* contract.c - Batches of matrix products; see contract.h. */

#include "matmul/contract.h"
#include "kernels/tensor_data.h"

enum { GEMM_LEAST = 1024 }; /* multiplications of a product that pay for gemm's packing */

#define JOIN_(a, b) a##_##b
#define JOIN(a, b) JOIN_(a, b)
#define FN(name) JOIN(name, SUFFIX)

#define A float
#define SUFFIX f32
#include "matmul/contract.inc"
#undef A
#undef SUFFIX

#define A double
#define SUFFIX f64
#include "matmul/contract.inc"
#undef A
#undef SUFFIX

#define A uint32_t
#define SUFFIX i32
#include "matmul/contract.inc"
#undef A
#undef SUFFIX

#define A uint64_t
#define SUFFIX i64
#include "matmul/contract.inc"
#undef A
#undef SUFFIX

/* One run of the products, for the threads. */
struct job {
    const struct bp_cpu_contract *contract;
    const char *a, *b;
    char *c, *scratch;
    size_t width;
    struct bp_cpu_stop *stop;
};

struct row_sums {
    const char *x;
    char *y;
    int64_t rows, n;
    size_t width;
    uint32_t slices;
    void (*sum)(const void *from, void *to, int64_t rows, int64_t n);
};

/* Many products run on one thread each; few share the threads within gemm. */
bp_rc bp_cpu_contract_plan(const struct bp_cpu_call *call, struct bp_cpu_contract *contract,
                           bp_err *err)
{
    bool is_float = contract->dtype == BP_DTYPE_F32 || contract->dtype == BP_DTYPE_F64;
    int64_t work;

    if (__builtin_mul_overflow(contract->m, contract->n, &work) ||
        __builtin_mul_overflow(work, contract->k, &work))
        work = INT64_MAX;
    contract->by_gemm = is_float && work >= GEMM_LEAST && contract->k > 1;
    contract->slices = bp_cpu_slices(call, contract->batches, work);
    if (contract->slices > contract->batches)
        contract->slices = contract->batches > 0 ? (uint32_t)contract->batches : 1;
    if (!contract->by_gemm)
        return BP_OK;
    contract->gemm = (struct bp_cpu_gemm){
        .m = (size_t)contract->m,
        .n = (size_t)contract->n,
        .k = (size_t)contract->k,
        .dtype = contract->dtype,
        .trans_a = contract->a_col != 1 && contract->k > 1,
        .trans_b = contract->b_col != 1 && contract->n > 1,
        .alpha = 1,
        .width = contract->batches >= 2 * (int64_t)call->width ? 1 : call->width,
    };
    bp_cpu_gemm_plan(&contract->gemm);
    contract->scratch_bytes = contract->gemm.scratch_bytes;
    if (contract->batches > UINT32_MAX / contract->gemm.tasks)
        return bp_cpu_fail(call->node, err, BP_E_SHAPE, "there are too many products");
    return BP_OK;
}

/* Task i is a part of product i / tasks. */
static void run_gemm(void *u, uint32_t i, uint32_t worker)
{
    const struct job *job = u;
    const struct bp_cpu_gemm *gemm = &job->contract->gemm;
    size_t batch = i / gemm->tasks;
    struct bp_cpu_operands operands = {
        .a = job->a + batch * gemm->m * gemm->k * job->width,
        .b = job->b + batch * gemm->k * gemm->n * job->width,
        .c = job->c + batch * gemm->m * gemm->n * job->width,
        .stop = job->stop,
    };

    bp_cpu_gemm_task(gemm, &operands, i % gemm->tasks,
                     bp_cpu_worker_scratch(job->scratch, worker, gemm->scratch_bytes));
}

/* Slice i of the products, on one thread. */
static void run_slice(void *u, uint32_t i, uint32_t worker)
{
    const struct job *job = u;
    const struct bp_cpu_contract *p = job->contract;
    int64_t n = p->slices, from = p->batches / n * i + p->batches % n * i / n;
    int64_t to = p->batches / n * (i + 1) + p->batches % n * (i + 1) / n;

    (void)worker;
    if (p->dtype == BP_DTYPE_F32)
        products_f32(p, job->a, job->b, job->c, from, to);
    else if (p->dtype == BP_DTYPE_F64)
        products_f64(p, job->a, job->b, job->c, from, to);
    else if (job->width == sizeof(uint32_t))
        products_i32(p, job->a, job->b, job->c, from, to);
    else
        products_i64(p, job->a, job->b, job->c, from, to);
}

/* By gemm, or by the loops of contract.inc, as planned. */
void bp_cpu_contract_run(const struct bp_cpu_call *call, const struct bp_cpu_contract *contract,
                         const void *a, const void *b, void *c, void *scratch)
{
    struct job job = {contract, a, b, c, scratch, bp_cpu_width(contract->dtype), call->stop};

    if (contract->batches == 0 || contract->m == 0 || contract->n == 0)
        return;
    if (contract->by_gemm)
        bp_cpu_parallel_stoppable(call, (uint32_t)contract->batches * contract->gemm.tasks,
                                  run_gemm, &job);
    else
        bp_cpu_parallel(call, contract->slices, run_slice, &job);
}

/* Slice i of the rows to sum. */
static void run_rows(void *u, uint32_t i, uint32_t worker)
{
    const struct row_sums *job = u;
    int64_t from = bp_cpu_slice_at(job->rows, i, job->slices);
    int64_t to = bp_cpu_slice_at(job->rows, i + 1, job->slices);

    (void)worker;
    job->sum(job->x + (size_t)(from * job->n) * job->width, job->y + (size_t)from * job->width,
             to - from, job->n);
}

/* Chooses the loop by type; integers need their width only. */
void bp_cpu_sum_rows(const struct bp_cpu_call *call, uint32_t dtype, const void *x, void *y,
                     int64_t rows, int64_t n)
{
    struct row_sums job = {.x = x, .y = y, .rows = rows, .n = n, .width = bp_cpu_width(dtype)};

    if (rows == 0)
        return;
    job.sum = dtype == BP_DTYPE_F32   ? sum_rows_f32
              : dtype == BP_DTYPE_F64 ? sum_rows_f64
              : job.width == 4        ? sum_rows_i32
                                      : sum_rows_i64;
    job.slices = bp_cpu_slices(call, rows, n);
    bp_cpu_parallel(call, job.slices, run_rows, &job);
}
