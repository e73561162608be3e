/* SPDX-License-Identifier: MIT */
/* requests.c - requests of random batches, each with a deadline. */
#include "requests.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../common/example.h"

enum { RING = 1 << 16 }; /* times that are kept */

/* One worker's buffers: for the largest batch, and for whatever the model makes of it. */
struct worker {
    struct load *load;
    uint32_t seed;
    float *in, *out;
    size_t n_item, n_out; /* floats of an item of the input; of `out` */
};

static uint32_t next_random(uint32_t *state)
{
    *state = *state * 1664525u + 1013904223u;
    return *state >> 8;
}

static int64_t now_ns(void)
{
    return (int64_t)(example_now_ms() * 1e6);
}

/* Buffers for the largest batch, by what the session says of its input and its first output. */
static bool make_buffers(struct worker *worker, bp_session *session)
{
    char text[EXAMPLE_TEXT];
    bp_err err = bp_err_init(text, sizeof text);
    bp_io_info input = {.struct_size = sizeof input};
    int64_t dims[MAX_RANK], out_dims[MAX_RANK];
    bp_binding in = {.index = 0}, out = {.index = 0};
    const bp_run_shapes shapes = {.inputs = &in, .n_inputs = 1};

    if (bp_session_input(session, 0, &input, &err) < 0)
        return example_fail("%s", text);
    worker->n_item = 1;
    dims[0] = worker->load->max_batch;
    for (uint32_t d = 1; d < input.rank; d++) {
        dims[d] = input.dims[d].value;
        worker->n_item *= (size_t)dims[d];
    }
    in.tensor = (bp_tensor){.dims = dims, .rank = input.rank};
    out.tensor = (bp_tensor){.dims = out_dims, .rank = MAX_RANK};
    if (bp_session_output_shapes(session, &shapes, &out, 1, &err) < 0)
        return example_fail("%s", text);
    worker->n_out = out.tensor.bytes / sizeof(float);
    worker->in = calloc(worker->n_item * worker->load->max_batch, sizeof(float));
    worker->out = calloc(worker->n_out, sizeof(float));
    if (!worker->in || !worker->out)
        return example_fail("no memory for a worker");
    for (size_t i = 0; i < worker->n_item * worker->load->max_batch; i++)
        worker->in[i] = (float)(next_random(&worker->seed) & 255) / 255;
    return true;
}

/* One run of `batch` items, into the worker's buffer: with known shapes it allocates nothing. */
static bp_rc ask(struct worker *worker, bp_session *session, uint32_t batch, int64_t deadline_ns,
                 bp_err *err)
{
    bp_run_options options = {.struct_size = sizeof options, .deadline_ns = deadline_ns};
    bp_io_info input = {.struct_size = sizeof input};
    int64_t dims[MAX_RANK], out_dims[MAX_RANK];
    bp_binding in = {.index = 0}, out = {.index = 0};
    bp_rc rc = bp_session_input(session, 0, &input, err);

    if (rc < 0)
        return rc;
    dims[0] = batch;
    for (uint32_t d = 1; d < input.rank; d++)
        dims[d] = input.dims[d].value;
    in.tensor = (bp_tensor){.base = worker->in,
                            .dims = dims,
                            .bytes = batch * worker->n_item * sizeof(float),
                            .rank = input.rank,
                            .dtype = BP_DTYPE_F32};
    out.tensor = (bp_tensor){.base = worker->out,
                             .dims = out_dims,
                             .bytes = worker->n_out * sizeof(float),
                             .rank = MAX_RANK};
    return bp_session_run(session, &in, 1, &out, 1, &options, err);
}

static void note(struct load *load, bp_rc rc, uint32_t batch, double ms, const char *text)
{
    atomic_fetch_add(&load->n_requests, 1);
    atomic_fetch_add(&load->n_items, batch);
    if (rc == BP_E_TIMEOUT)
        atomic_fetch_add(&load->n_late, 1);
    else if (rc < 0 && atomic_fetch_add(&load->n_failed, 1) == 0)
        example_fail("%s", text);
    pthread_mutex_lock(&load->lock);
    load->times[load->n_times++ % RING] = ms;
    pthread_mutex_unlock(&load->lock);
}

static void *work(void *argument)
{
    struct worker *worker = argument;
    struct load *load = worker->load;

    while (!atomic_load(&load->is_over)) {
        uint32_t batch = 1 + next_random(&worker->seed) % load->max_batch;
        int64_t deadline = load->deadline_ms ? now_ns() + load->deadline_ms * 1000000 : 0;
        char text[EXAMPLE_TEXT];
        bp_err err = bp_err_init(text, sizeof text);
        double start = example_now_ms();
        bp_session *session = current_take(load->current);
        bp_rc rc = ask(worker, session, batch, deadline, &err);

        bp_session_destroy(session);
        note(load, rc, batch, example_now_ms() - start, text);
    }
    free(worker->in);
    free(worker->out);
    free(worker);
    return NULL;
}

static bool start_one(struct load *load, uint32_t i)
{
    struct worker *worker = calloc(1, sizeof *worker);
    bp_session *session = current_take(load->current);
    bool is_good = worker != NULL || example_fail("no memory for a worker");

    if (is_good) {
        worker->load = load;
        worker->seed = i + 1;
        is_good = make_buffers(worker, session);
    }
    bp_session_destroy(session);
    if (is_good && pthread_create(&load->threads[i], NULL, work, worker) != 0)
        is_good = example_fail("a thread cannot be started");
    if (!is_good && worker) {
        free(worker->in);
        free(worker->out);
        free(worker);
    }
    return is_good;
}

static void join(struct load *load, uint32_t n)
{
    atomic_store(&load->is_over, true);
    for (uint32_t i = 0; i < n; i++)
        pthread_join(load->threads[i], NULL);
}

bool load_start(struct load *load)
{
    load->times = calloc(RING, sizeof *load->times);
    if (!load->times)
        return example_fail("no memory for the times");
    pthread_mutex_init(&load->lock, NULL);
    for (uint32_t i = 0; i < load->n_workers; i++) {
        if (!start_one(load, i)) {
            join(load, i);
            pthread_mutex_destroy(&load->lock);
            free(load->times);
            return false;
        }
    }
    return true;
}

static int compare(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;

    return (x > y) - (x < y);
}

bool load_finish(struct load *load)
{
    size_t n;

    join(load, load->n_workers);
    n = load->n_times < RING ? load->n_times : RING;
    qsort(load->times, n, sizeof *load->times, compare);
    printf("%lu requests with %lu items: %lu too late, %lu failed\n", load->n_requests,
           load->n_items, load->n_late, load->n_failed);
    if (n > 0)
        printf("time of a request: median %.2f ms, 99 %% within %.2f ms\n", load->times[n / 2],
               load->times[n - 1 - n / 100]);
    pthread_mutex_destroy(&load->lock);
    free(load->times);
    return load->n_failed == 0;
}
