/* SPDX-License-Identifier: MIT */
/*
 * blocked_attention.c - Attention in blocks of rows and keys; see blocked_attention.h.
 * For each row the largest score so far and the sum of exponentials are kept; when a larger score
 * comes, the sum and the output row are scaled down (online softmax).
 * A block of scores is 128 KiB, so that it stays in the L2 cache between the two products.
 */

#include "attention/blocked_attention.h"

#include <float.h>
#include <math.h>

#include "kernels/tensor_data.h"

enum { ROWS = BP_CPU_ATTENTION_ROWS, KEYS = BP_CPU_ATTENTION_KEYS };

static const struct bp_cpu_params none;

#define T float
#define FN(name) name##_f32
#include "attention/blocked_attention.inc"
#undef T
#undef FN

#define T double
#define FN(name) name##_f64
#include "attention/blocked_attention.inc"

/* ---- a task ---------------------------------------------------------------------------------- */

/* Rows first .. first + rows of the heads that share a key. */
struct task {
    const struct bp_cpu_attention_run *run;
    const struct bp_cpu_attention *plan;
    int64_t batch, kv_head, first, rows;
    char *q, *scores, *out, *mask, *gemm, *kept;
    double max[ROWS], sum[ROWS];
    int64_t first_seen[ROWS]; /* the first key that a row may look at */
    int64_t visible[ROWS];    /* and the end of them; not after the first: there is none */
};

/* A block of keys: `count` from `from` of the part, `at` of all. */
struct keys {
    uint32_t part;
    int64_t from, count, at;
};

/* The head of Q that row i of the task belongs to. */
static int64_t head_of(const struct task *t, int64_t i)
{
    const struct bp_cpu_attention *p = t->plan;

    return t->kv_head * (p->q_heads / p->kv_heads) + (t->first + i) / p->q.length;
}

/* The position of row i within its head. */
static int64_t position_of(const struct task *t, int64_t i)
{
    return (t->first + i) % t->plan->q.length;
}

/* Offset in elements of a vector. */
static int64_t offset_of(const struct bp_cpu_heads *heads, int64_t batch, int64_t head, int64_t i)
{
    return batch * heads->batch_step + head * heads->head_step + i * heads->step;
}

/* a, but not below 0 and not above end. */
static int64_t clamp(int64_t a, int64_t end)
{
    return a < 0 ? 0 : a > end ? end : a;
}

/*
 * Which keys each row may see. Causal: position i sees itself and earlier ones; the last position
 * is aligned with the last key. A window counts from the same position.
 */
static void set_visible(struct task *t)
{
    const struct bp_cpu_attention *p = t->plan;
    int64_t valid = t->run->lengths ? t->run->lengths[t->batch] : p->total;
    int64_t before = p->k[BP_CPU_PAST].length;

    if (t->run->lengths && before == 0)
        before = valid - p->q.length;
    for (int64_t i = 0; i < t->rows; i++) {
        int64_t position = before + position_of(t, i), end = valid;

        if (p->right != BP_CPU_NO_WINDOW)
            end = clamp(position + p->right + 1, end);
        if (p->is_causal)
            end = clamp(position + 1, end);
        t->visible[i] = end;
        t->first_seen[i] = p->left == BP_CPU_NO_WINDOW ? 0 : clamp(position - p->left, end);
    }
}

/* Loads the rows of Q, scaled, and clears sums and maxima. */
static void start(struct task *t)
{
    const struct bp_cpu_attention *p = t->plan;
    size_t n = (size_t)p->head, width = bp_cpu_width(p->q_dtype);

    for (int64_t i = 0; i < t->rows; i++) {
        int64_t at = offset_of(&p->q, t->batch, head_of(t, i), position_of(t, i));
        char *to = t->q + (size_t)i * n * p->width;

        p->load_q(to, (const char *)t->run->q + (size_t)at * width, n, &none);
        p->simd->scale(to, to, n, p->scale, 0);
        t->max[i] = -(double)INFINITY;
        t->sum[i] = 0;
    }
    memset(t->out, 0, (size_t)(t->rows * p->v_head) * p->width);
    set_visible(t);
}

/* The product on this thread. */
static void multiply(const struct task *t, const struct bp_cpu_gemm *gemm, const void *a,
                     const void *b, void *c)
{
    struct bp_cpu_operands operands = {.a = a, .b = b, .c = c};

    for (uint32_t i = 0; i < gemm->tasks; i++)
        bp_cpu_gemm_task(gemm, &operands, i, t->gemm);
}

/* The plan for this block's size. */
static const struct bp_cpu_gemm *choose(const struct task *t, const struct keys *keys,
                                        const struct bp_cpu_gemm (*products)[2][2])
{
    return &products[keys->part][keys->count < KEYS][t->rows < ROWS];
}

/* Writes a row of scores to the output. */
static void emit(const struct task *t, const struct keys *keys, int64_t i, const char *row)
{
    const struct bp_cpu_attention *p = t->plan;
    int64_t at = (t->batch * p->q_heads + head_of(t, i)) * p->q.length + position_of(t, i);

    at = at * p->total + keys->at;
    p->store_scores((char *)t->run->scores + (size_t)at * bp_cpu_width(p->scores_dtype), row,
                    (size_t)keys->count, &none);
}

/* Sets scores from..to of a row to v. */
static void fill(const struct bp_cpu_attention *p, char *row, int64_t from, int64_t to, double v)
{
    if (from >= to)
        return;
    if (p->width == sizeof(float))
        fill_f32(row + (size_t)from * p->width, to - from, v);
    else
        fill_f64(row + (size_t)from * p->width, to - from, v);
}

/* Adds the mask to a row of scores; keys beyond its end are masked. */
static void add_mask(const struct task *t, const struct keys *keys, int64_t i, char *row)
{
    const struct bp_cpu_attention *p = t->plan;
    int64_t left = p->mask_length - keys->at, n = left < keys->count ? left : keys->count;
    int64_t at = t->batch * p->mask_steps[0] + head_of(t, i) * p->mask_steps[1] +
                 position_of(t, i) * p->mask_steps[2] + keys->at;
    const char *mask = (const char *)t->run->mask;
    bool is_float = p->width == sizeof(float);

    n = n > 0 ? n : 0;
    fill(p, row, n, keys->count, -(double)INFINITY);
    if (n == 0)
        return;
    mask += (size_t)at * bp_cpu_width(p->mask_dtype);
    if (p->mask_dtype == BP_DTYPE_BOOL) {
        (is_float ? choose_f32 : choose_f64)(row, mask, n);
        return;
    }
    p->load_mask(t->mask, mask, (size_t)n, &none);
    (is_float ? add_f32 : add_f64)(row, t->mask, n);
}

/* Softcap and mask on a row of raw scores; writes the stage that output `scores` asks for. */
static void finish_scores(const struct task *t, const struct keys *keys, int64_t i, char *row)
{
    const struct bp_cpu_attention *p = t->plan;
    size_t n = (size_t)keys->count;

    /* output `scores` is written at the stage that qk_matmul_output_mode names */
    if (p->wants_scores && p->scores_mode == BP_CPU_SCORES_RAW)
        emit(t, keys, i, row);
    if (p->softcap > 0) {
        p->simd->scale(row, row, n, 1 / p->softcap, 0);
        p->simd->tanh(row, row, n);
        p->simd->scale(row, row, n, p->softcap, 0);
    }
    if (p->wants_scores && p->scores_mode == BP_CPU_SCORES_CAPPED)
        emit(t, keys, i, row);
    if (p->has_mask)
        add_mask(t, keys, i, row);
    if (!p->wants_scores || p->scores_mode < BP_CPU_SCORES_MASKED)
        return;
    fill(p, row, 0, clamp(t->first_seen[i] - keys->at, keys->count), -(double)INFINITY);
    fill(p, row, clamp(t->visible[i] - keys->at, keys->count), keys->count, -(double)INFINITY);
    if (p->scores_mode == BP_CPU_SCORES_MASKED)
        emit(t, keys, i, row);
    else
        memcpy(t->kept + (size_t)(i * p->total + keys->at) * p->width, row, n * p->width);
}

/*
 * Replaces a row of scores by exp(score - max), where max is the largest score so far; if it grew,
 * earlier sums are scaled down.
 */
static void exponentiate_row(struct task *t, const struct keys *keys, int64_t i, char *row)
{
    const struct bp_cpu_attention *p = t->plan;
    int64_t n = keys->count, end = clamp(t->visible[i] - keys->at, n);
    int64_t from = clamp(t->first_seen[i] - keys->at, end);
    char *seen = row + (size_t)from * p->width;
    size_t v_head = (size_t)p->v_head;
    double max, shrink;

    max = p->simd->max(seen, (size_t)(end - from));
    max = t->max[i] > max || t->max[i] != t->max[i] ? t->max[i] : max;
    if (max >= -DBL_MAX || max != max) {
        shrink = exp(t->max[i] - max);
        if (!(t->max[i] >= max) && t->sum[i] != 0) {
            t->sum[i] *= shrink;
            p->simd->scale(t->out + (size_t)i * v_head * p->width,
                           t->out + (size_t)i * v_head * p->width, v_head, shrink, 0);
        }
        t->sum[i] += p->simd->exp_sum(seen, seen, (size_t)(end - from), max);
        t->max[i] = max;
    } else {
        end = from;
    }
    memset(row, 0, (size_t)from * p->width);
    memset(row + (size_t)end * p->width, 0, (size_t)(n - end) * p->width);
}

/* One block of keys: scores, exponentials, their product with V added to the output. */
static void run_keys(struct task *t, const struct keys *keys)
{
    const struct bp_cpu_attention *p = t->plan;
    int64_t k = offset_of(&p->k[keys->part], t->batch, t->kv_head, keys->from);
    int64_t v = offset_of(&p->v[keys->part], t->batch, t->kv_head, keys->from);

    if (p->head > 0)
        multiply(t, choose(t, keys, p->score), t->q,
                 (const char *)t->run->k[keys->part] + (size_t)k * p->width, t->scores);
    else
        memset(t->scores, 0, (size_t)(t->rows * KEYS) * p->width);
    for (int64_t i = 0; i < t->rows; i++) {
        char *row = t->scores + (size_t)(i * KEYS) * p->width;

        finish_scores(t, keys, i, row);
        exponentiate_row(t, keys, i, row);
    }
    if (p->v_head > 0)
        multiply(t, choose(t, keys, p->value), t->scores,
                 (const char *)t->run->v[keys->part] + (size_t)v * p->width, t->out);
}

/*
 * Divides by the sums and stores the rows; the softmax's scores are completed here if they are
 * wanted.
 */
static void finish(const struct task *t)
{
    const struct bp_cpu_attention *p = t->plan;
    struct keys all = {.count = p->total};

    for (int64_t i = 0; i < t->rows; i++) {
        int64_t at = offset_of(&p->y, t->batch, head_of(t, i), position_of(t, i));
        char *row = t->out + (size_t)(i * p->v_head) * p->width, *kept;
        double sum = t->sum[i];

        /* a row that saw no key is 0 */
        p->simd->scale(row, row, (size_t)p->v_head, sum != 0 ? 1 / sum : 0, 0);
        p->store_y((char *)t->run->y + (size_t)at * bp_cpu_width(p->y_dtype), row,
                   (size_t)p->v_head, &none);
        if (!p->wants_scores || p->scores_mode != BP_CPU_SCORES_SOFTMAX)
            continue;
        kept = t->kept + (size_t)(i * p->total) * p->width;
        if (sum != 0) {
            sum = p->simd->exp_sum(kept, kept, (size_t)p->total, t->max[i]);
            p->simd->scale(kept, kept, (size_t)p->total, 1 / sum, 0);
        } else {
            fill(p, kept, 0, p->total, 0);
        }
        emit(t, &all, i, kept);
    }
}

/* Whether any row sees these keys, or all scores are wanted. */
static bool has_visible_keys(const struct task *t, const struct keys *keys)
{
    if (t->plan->wants_scores)
        return true;
    for (int64_t i = 0; i < t->rows; i++) {
        if (t->visible[i] > keys->at && t->first_seen[i] < keys->at + keys->count)
            return true;
    }
    return false;
}

/* All blocks of keys, the past first. */
static void run_task(struct task *t)
{
    const struct bp_cpu_attention *p = t->plan;
    int64_t at = 0;

    start(t);
    for (uint32_t part = BP_CPU_PAST; part <= BP_CPU_NEW; part++) {
        for (int64_t from = 0; from < p->k[part].length; from += KEYS) {
            int64_t left = p->k[part].length - from;
            struct keys keys = {part, from, left < KEYS ? left : KEYS, at};

            if (has_visible_keys(t, &keys))
                run_keys(t, &keys);
            at += keys.count;
        }
    }
    finish(t);
}

/* ---- run ------------------------------------------------------------------------------------- */

/* One run, for the threads. */
struct job {
    const struct bp_cpu_attention_run *run;
    int64_t tasks;
    uint32_t slices;
};

/* Tasks are blocks of rows of all kv heads and batches. */
static void run_slice(void *u, uint32_t i, uint32_t worker)
{
    const struct job *job = u;
    const struct bp_cpu_attention *p = job->run->plan;
    char *scratch = job->run->scratch + worker * p->worker_bytes;
    int64_t n = job->slices, end = job->tasks / n * (i + 1) + job->tasks % n * (i + 1) / n;
    struct task t = {
        .run = job->run,
        .plan = p,
        .q = scratch,
        .scores = scratch + p->scores_at,
        .out = scratch + p->out_at,
        .mask = scratch + p->mask_at,
        .gemm = scratch + p->gemm_at,
        .kept = scratch + p->kept_at,
    };

    for (int64_t k = job->tasks / n * i + job->tasks % n * i / n; k < end; k++) {
        t.batch = k / p->blocks / p->kv_heads;
        t.kv_head = k / p->blocks % p->kv_heads;
        t.first = k % p->blocks * ROWS;
        t.rows = p->rows - t.first < ROWS ? p->rows - t.first : ROWS;
        run_task(&t);
    }
}

/* Tasks are independent: each writes rows of its own. */
void bp_cpu_attention_run(const struct bp_cpu_call *call, const struct bp_cpu_attention_run *run)
{
    const struct bp_cpu_attention *p = run->plan;
    struct job job = {.run = run, .tasks = p->batch * p->kv_heads * p->blocks};
    int64_t scores;

    if (job.tasks == 0)
        return;
    if (__builtin_mul_overflow(p->batch * p->q_heads * p->q.length, p->total + 1, &scores))
        scores = INT64_MAX;
    job.slices = bp_cpu_slices(call, scores, (p->head + p->v_head + 8) / 4);
    if (job.slices > job.tasks)
        job.slices = (uint32_t)job.tasks;
    bp_cpu_parallel(call, job.slices, run_slice, &job);
}
