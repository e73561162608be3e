/* SPDX-License-Identifier: MIT */
/* call.c - what a kernel of the application may ask for while it runs. */

#include "config.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "custom/frame_host.h"
#include "custom/provider.h"
#include "value/object.h"

static const bp_node *node_of(const bp_operator_call *call)
{
    return call->node->view.node;
}

uint32_t bp_operator_inputs(const bp_operator_call *call)
{
    return node_of(call)->n_in;
}

uint32_t bp_operator_outputs(const bp_operator_call *call)
{
    return node_of(call)->n_out;
}

/* NULL where an optional input is left out (ONNX: an empty name). */
static const struct bp_custom_place *input_of(const bp_operator_call *call, uint32_t i)
{
    const bp_node *node = node_of(call);

    if (i >= node->n_in || node->in[i] == BP_NONE)
        return NULL;
    return &call->frame->places[node->in[i]];
}

const bp_tensor *bp_operator_input(const bp_operator_call *call, uint32_t i)
{
    const struct bp_custom_place *place = input_of(call, i);

    return place && !place->object ? place->tensor : NULL;
}

const bp_object *bp_operator_input_object(const bp_operator_call *call, uint32_t i)
{
    const struct bp_custom_place *place = input_of(call, i);

    return place ? place->object : NULL;
}

/* NULL: absent. */
static struct bp_custom_place *place_of(const bp_operator_call *call, uint32_t i)
{
    const bp_node *node = node_of(call);

    return i < node->n_out && node->out[i] != BP_NONE ? &call->frame->places[node->out[i]] : NULL;
}

uint32_t bp_operator_wants(const bp_operator_call *call, uint32_t i)
{
    return place_of(call, i) != NULL;
}

/* NULL also before an output of dynamic size has been given one. */
bp_tensor *bp_operator_output(const bp_operator_call *call, uint32_t i)
{
    struct bp_custom_place *place = place_of(call, i);

    return place && place->tensor->rank != BP_RANK_UNKNOWN ? place->tensor : NULL;
}

const bp_tensor *bp_operator_given(const bp_operator_call *call, uint32_t i)
{
    const struct bp_custom_place *place = place_of(call, i);
    const bp_frame_desc *desc = call->frame->desc;

    if (!place || place->out == BP_NONE)
        return NULL;
    return ((const struct bp_frame_host *)desc->h)->given(desc, place->out);
}

/* ---- sizes of outputs ------------------------------------------------------------------------ */

static bp_rc check_planned(const bp_tensor *tensor, uint32_t i, uint32_t rank, const int64_t *dims,
                           bp_err *err)
{
    if (tensor->rank != rank)
        return bp_fail(err, BP_E_SHAPE,
                       "output %u is made with rank %u, the operator's shapes say rank %u", i, rank,
                       tensor->rank);
    for (uint32_t d = 0; d < rank; d++) {
        if (tensor->dims[d] != dims[d])
            return bp_fail(err, BP_E_SHAPE,
                           "output %u is made with %" PRId64 " as size of dimension %u, the "
                           "operator's shapes say %" PRId64,
                           i, dims[d], d, tensor->dims[d]);
    }
    return BP_OK;
}

/*
 * Storage of a dynamic output without a reader. The storage is kept for the next run and only ever
 * grows, so that steady runs allocate nothing. 64 bytes are a cache line, and the widest vector.
 */
static bp_rc reserve(struct bp_custom_place *place, uint32_t rank, const int64_t *dims, bp_err *err)
{
    bp_tensor *own = &place->own;
    size_t bytes;
    void *data;

    if (!bp_dense_bytes(own->dtype, dims, rank, &bytes))
        return bp_fail(err, BP_E_NOMEM, "an output is too large for this machine");
    if (!place->storage || place->cap < bytes) {
        if (posix_memalign(&data, 64, bytes ? bytes : 1) != 0)
            return bp_fail(err, BP_E_NOMEM, "no memory for %zu bytes", bytes);
        free(place->storage);
        place->storage = data;
        place->cap = bytes;
    }
    if (rank > 0)
        memcpy(place->dims, dims, rank * sizeof *dims);
    own->base = place->storage;
    own->bytes = bytes;
    own->rank = rank;
    return BP_OK;
}

/* The sizes come from code of the application: all are checked before any is multiplied. */
static bp_rc check_sizes(uint32_t i, uint32_t rank, const int64_t *dims, bp_err *err)
{
    if (rank > BP_MAX_RANK || (rank > 0 && !dims))
        return bp_fail(err, BP_E_INVALID, "output %u: rank %u without dims, or beyond %d", i, rank,
                       BP_MAX_RANK);
    for (uint32_t d = 0; d < rank; d++) {
        if (dims[d] < 0)
            return bp_fail(err, BP_E_SHAPE,
                           "output %u is made with %" PRId64 " as size of "
                           "dimension %u",
                           i, dims[d], d);
    }
    return BP_OK;
}

/*
 * Three cases: the size is planned, and has to be that; the value stays in the group, in storage of
 * the frame; or it leaves the group, and the host has the storage. Strings begin empty, as a kernel
 * may set some of them only.
 */
bp_rc bp_operator_size_output(bp_operator_call *call, uint32_t i, uint32_t rank,
                              const int64_t *dims, bp_tensor **out, bp_err *err)
{
    struct bp_custom_place *place = place_of(call, i);
    const bp_frame_desc *desc = call->frame->desc;
    bp_rc rc;

    if (!out)
        return bp_fail_null(err, "out");
    *out = NULL;
    if (i >= node_of(call)->n_out)
        return bp_fail(err, BP_E_INVALID, "the node has %u outputs, there is no output %u",
                       node_of(call)->n_out, i);
    if (place && place->is_object)
        return bp_fail(err, BP_E_INVALID,
                       "output %u is no tensor and has no size: bp_operator_set_object() gives it",
                       i);
    rc = check_sizes(i, rank, dims, err);
    if (rc < 0 || !place)
        return bp_done(err, rc);
    if (!place->is_open)
        rc = check_planned(place->tensor, i, rank, dims, err);
    else if (place->out == BP_NONE)
        rc = reserve(place, rank, dims, err);
    else
        rc = desc->alloc_output(desc->h, place->out, rank, dims, err);
    if (rc < 0)
        return rc;
    if (place->is_open && place->tensor->dtype == BP_DTYPE_STRING && place->tensor->bytes > 0)
        memset(bp_tensor_data(place->tensor), 0, place->tensor->bytes);
    *out = place->tensor;
    return bp_done(err, BP_OK);
}

/*
 * Copied, as the kernel's text may be gone when the run's caller reads it; copies live until the
 * next run of the frame.
 */
bp_rc bp_operator_set_text(bp_operator_call *call, uint32_t i, size_t index, const void *text,
                           size_t size, bp_err *err)
{
    bp_tensor *tensor = bp_operator_output(call, i);
    char *copy;

    if (!tensor || tensor->dtype != BP_DTYPE_STRING)
        return bp_fail(err, BP_E_INVALID,
                       "output %u is absent, has no size yet, or is not a tensor of strings", i);
    if (index >= tensor->bytes / sizeof(bp_span))
        return bp_fail(err, BP_E_INVALID, "output %u has %zu strings, there is no string %zu", i,
                       tensor->bytes / sizeof(bp_span), index);
    if (size > 0 && !text)
        return bp_fail(err, BP_E_INVALID, "string %zu of output %u has a size and no text", index,
                       i);
    copy = bp_region_text(&call->frame->text, size > 0 ? text : "", size);
    if (!copy)
        return bp_fail_nomem(err, "a string");
    ((bp_span *)bp_tensor_data(tensor))[index] = (bp_span){copy, size};
    return bp_done(err, BP_OK);
}

/* ---- outputs that are no tensors ------------------------------------------------------------- */

/* The kind that the operator says; what an optional holds is checked when the run takes it. */
static bp_rc check_object(const bp_operator_call *call, uint32_t i, const bp_object *object,
                          bp_err *err)
{
    const struct bp_param *param = bp_schema_out(&call->node->custom->schema, i);
    uint32_t kind =
        param && param->kinds >> BP_KIND_OPTIONAL & 1 ? BP_KIND_OPTIONAL : BP_KIND_SEQUENCE;

    if (!object)
        return bp_fail_null(err, "object");
    if (!param || !param->kinds)
        return bp_fail(err, BP_E_INVALID,
                       "output %u is a tensor: bp_operator_size_output() gives its storage", i);
    if (bp_object_kind(object) != kind)
        return bp_fail(err, BP_E_INVALID, "output %u is given %s, by its operator it is %s", i,
                       bp_kind_name(bp_object_kind(object)), bp_kind_name(kind));
    return BP_OK;
}

bp_rc bp_operator_set_object(bp_operator_call *call, uint32_t i, bp_object *object, bp_err *err)
{
    struct bp_custom_place *place = place_of(call, i);
    bp_rc rc = check_object(call, i, object, err);

    if (rc < 0 || !place) {
        bp_object_release(object);
        return bp_done(err, rc);
    }
    bp_object_release(place->object);
    place->object = object;
    return bp_done(err, BP_OK);
}

/* ---- threads and time ------------------------------------------------------------------------ */

uint32_t bp_operator_threads(const bp_operator_call *call)
{
    const bp_host *host = call->frame->program->host;

    return host->pool_width(host->h);
}

/*
 * A function of the application that threads share. What a call of bp_operator_parallel_for()
 * shares among its threads.
 */
struct job {
    bp_operator_call *call;
    void (*fn)(void *u, uint32_t i, uint32_t worker);
    void *u;
};
struct index {
    const struct job *job;
    uint32_t i, worker;
};

static void call_index(void *u)
{
    const struct index *index = u;

    index->job->fn(index->job->u, index->i, index->worker);
}

/*
 * The first exception is kept; after it no more is begun. The exchange picks one of several threads
 * that caught an exception at once; the join at the end of the job orders its write before the
 * read.
 */
static void run_index(void *u, uint32_t i, uint32_t worker)
{
    const struct job *job = u;
    struct index index = {.job = job, .i = i, .worker = worker};
    struct bp_thrown thrown;

    if (atomic_load_explicit(&job->call->has_thrown, memory_order_relaxed) ||
        bp_guard(call_index, &index, &thrown))
        return;
    if (!atomic_exchange(&job->call->has_thrown, true))
        job->call->frame->thrown = thrown; /* read when all threads have come back */
}

/* Returns when all indices have been called, or passed over after an exception. */
void bp_operator_parallel_for(bp_operator_call *call, uint32_t n,
                              void (*fn)(void *u, uint32_t i, uint32_t worker), void *u)
{
    const bp_host *host = call->frame->program->host;
    struct job job = {.call = call, .fn = fn, .u = u};

    host->parallel_for(host->h, n, run_index, &job);
}

/* The deadline is a time of CLOCK_MONOTONIC, so that setting the clock does not end a run. */
uint32_t bp_operator_is_cancelled(const bp_operator_call *call)
{
    const bp_run *run = call->run;
    struct timespec t;

    if (run->cancel && *run->cancel)
        return 1;
    if (!run->deadline_ns)
        return 0;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (int64_t)t.tv_sec * 1000000000 + t.tv_nsec > run->deadline_ns;
}
