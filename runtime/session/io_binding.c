/* SPDX-License-Identifier: MIT */
/* io_binding.c - inputs and outputs that are bound once, for many runs of a session. */

#include "config.h"

#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "session/background/run_async.h"

/* An input with the sizes that it was bound with, or an output. */
struct bound {
    int64_t dims[BP_MAX_RANK];
    size_t cap;                 /* of an output in the caller's memory: its bytes */
    struct bp_kept_output kept; /* of an output without: the library's memory */
};

/*
 * The lists are as long as those of the session's ports, so that binding allocates nothing; they
 * are filled from the front, in the order in which things were bound.
 */
struct side {
    bp_binding *bindings;
    struct bound *bound;
    uint32_t n;
};

struct bp_io_binding {
    bp_session *session;
    struct side in, out;
    struct bp_kept_output **kept; /* one an output that is bound; NULL: the caller's memory */
    bool has_run;                 /* outputs have the results of a run */
    atomic_bool is_running;       /* in the background; nothing else of it may be used */
};

/* Refuses while a run in the background uses it. */
static bp_rc check_idle(const bp_io_binding *io, bp_err *err)
{
    if (!io)
        return bp_fail_null(err, "the io_binding");
    if (atomic_load(&io->is_running))
        return bp_fail(err, BP_E_BUSY,
                       "a run of this io_binding is in flight: wait for its callback");
    return BP_OK;
}

/* Waits for a run in the background. */
static void await_idle(const bp_io_binding *io)
{
    static const struct timespec pause = {.tv_nsec = 200000};

    while (atomic_load(&io->is_running))
        nanosleep(&pause, NULL);
}

/* ---- life ------------------------------------------------------------------------------------ */

static bp_rc make_side(struct side *side, uint32_t n_ports, bp_err *err)
{
    side->bindings = calloc((size_t)n_ports + 1, sizeof *side->bindings);
    side->bound = calloc((size_t)n_ports + 1, sizeof *side->bound);
    return side->bindings && side->bound ? BP_OK : bp_fail_nomem(err, "bound inputs and outputs");
}

static void finish_side(struct side *side)
{
    for (uint32_t i = 0; i < side->n; i++) {
        bp_object_release(side->bindings[i].object);
        bp_tensor_free(&side->bound[i].kept.block);
    }
    free(side->bindings);
    free(side->bound);
}

bp_rc bp_io_binding_create(bp_session *session, bp_io_binding **out, bp_err *err)
{
    bp_io_binding *io;
    bp_rc rc;

    if (!out)
        return bp_fail_null(err, "out");
    *out = NULL;
    if (!session)
        return bp_fail_null(err, "the session");
    io = calloc(1, sizeof *io);
    if (!io)
        return bp_fail_nomem(err, "bound inputs and outputs");
    io->session = bp_session_retain(session);
    io->kept = calloc((size_t)session->ports.n_outputs + 1, sizeof(struct bp_kept_output *));
    rc = io->kept ? BP_OK : bp_fail_nomem(err, "bound inputs and outputs");
    if (rc >= 0)
        rc = make_side(&io->in, session->ports.n_inputs, err);
    if (rc >= 0)
        rc = make_side(&io->out, session->ports.n_outputs, err);
    if (rc < 0) {
        bp_io_binding_destroy(io);
        return rc;
    }
    *out = io;
    return bp_done(err, BP_OK);
}

void bp_io_binding_destroy(bp_io_binding *io)
{
    if (!io)
        return;
    await_idle(io);
    finish_side(&io->in);
    finish_side(&io->out);
    free(io->kept);
    bp_session_destroy(io->session);
    free(io);
}

/* ---- binding --------------------------------------------------------------------------------- */

/* The port of a name, or without one of the value's index. */
static bp_rc find(const bp_io_info *rows, uint32_t n, const char *what, const char *name,
                  const bp_binding *value, uint32_t *out, bp_err *err)
{
    if (name)
        return bp_ports_find(rows, n, what, name, out, err);
    if (!value)
        return bp_fail(err, BP_E_INVALID, "an %s is bound by its name, or by the index of a value",
                       what);
    if (value->index >= n)
        return bp_fail(err, BP_E_INVALID, "the model has %u %ss, there is no %s %u", n, what, what,
                       value->index);
    *out = value->index;
    return BP_OK;
}

/* Position of a port among those that are bound; side->n: it is not. */
static uint32_t position(const struct side *side, uint32_t port)
{
    uint32_t i = 0;

    while (i < side->n && side->bindings[i].index != port)
        i++;
    return i;
}

/* What can be said of an input before a run. */
static bp_rc check_input(const bp_io_binding *io, const bp_io_info *want, const bp_binding *value,
                         bp_err *err)
{
    const bp_tensor *tensor = value->object ? bp_object_tensor(value->object) : &value->tensor;
    size_t bytes;

    if (want->type->kind == BP_KIND_TENSOR && tensor)
        return bp_feed_check(io->session, want, tensor, &bytes, err);
    if (want->type->kind == BP_KIND_OPTIONAL) /* of what it has: the run looks */
        return BP_OK;
    if (!value->object)
        return bp_fail(err, BP_E_INVALID, "input '%s' wants %s, a tensor came", want->name,
                       bp_kind_name(want->type->kind));
    if (!bp_object_is_of(value->object, want->type))
        return bp_fail(err, BP_E_INVALID, "input '%s' wants %s, a value of another type came",
                       want->name, bp_kind_name(want->type->kind));
    return BP_OK;
}

bp_rc bp_io_binding_set_input(bp_io_binding *io, const char *name, const bp_binding *value,
                              bp_err *err)
{
    const struct bp_ports *ports = io ? &io->session->ports : NULL;
    bp_binding *binding;
    uint32_t port, i;
    bp_rc rc = check_idle(io, err);

    if (rc < 0)
        return rc;
    if (!value)
        return bp_fail_null(err, "the value");
    rc = find(ports->inputs, ports->n_inputs, "input", name, value, &port, err);
    if (rc >= 0)
        rc = check_input(io, &ports->inputs[port], value, err);
    if (rc < 0)
        return rc;
    i = position(&io->in, port);
    binding = &io->in.bindings[i];
    io->in.n += i == io->in.n;
    bp_object_retain(value->object);
    bp_object_release(binding->object);
    *binding = (bp_binding){.index = port, .tensor = value->tensor, .object = value->object};
    binding->tensor.dims = io->in.bound[i].dims;
    if (!value->object && value->tensor.rank > 0)
        memcpy(io->in.bound[i].dims, value->tensor.dims, value->tensor.rank * sizeof(int64_t));
    return bp_done(err, BP_OK);
}

/* Is the caller's memory of use for the output? */
static bp_rc check_output(const bp_io_info *port, const bp_tensor *tensor, bp_err *err)
{
    int64_t dims[BP_MAX_RANK];
    size_t bytes;
    bool is_known = port->dtype != BP_DTYPE_NONE && port->dtype != BP_DTYPE_STRING &&
                    port->rank != BP_RANK_UNKNOWN;

    if (port->type->kind != BP_KIND_TENSOR)
        return bp_fail(err, BP_E_INVALID,
                       "output '%s' is %s: bind it without memory, its value is an object",
                       port->name, bp_kind_name(port->type->kind));
    if (tensor->space != BP_SPACE_HOST)
        return bp_fail(err, BP_E_INVALID,
                       "output '%s' is in memory space %u: bring ordinary memory (space 0)",
                       port->name, tensor->space);
    if (tensor->dtype != BP_DTYPE_NONE && port->dtype != BP_DTYPE_NONE &&
        tensor->dtype != port->dtype)
        return bp_fail(err, BP_E_INVALID, "output '%s' has type %s, memory of %s came", port->name,
                       bp_dtype_name(port->dtype), bp_dtype_name(tensor->dtype));
    for (uint32_t d = 0; is_known && d < port->rank; d++) {
        dims[d] = port->dims[d].value;
        is_known = dims[d] >= 0;
    }
    if (is_known && bp_dense_bytes(port->dtype, dims, port->rank, &bytes) && tensor->bytes < bytes)
        return bp_fail(err, BP_E_SPACE, "output '%s' needs %zu bytes, its buffer has %zu",
                       port->name, bytes, tensor->bytes);
    return BP_OK;
}

bp_rc bp_io_binding_set_output(bp_io_binding *io, const char *name, const bp_binding *value,
                               bp_err *err)
{
    const struct bp_ports *ports = io ? &io->session->ports : NULL;
    bool is_brought = value && value->tensor.base;
    bp_binding *binding;
    struct bound *bound;
    uint32_t port, i;
    bp_rc rc = check_idle(io, err);

    if (rc >= 0)
        rc = find(ports->outputs, ports->n_outputs, "output", name, value, &port, err);
    if (rc >= 0 && is_brought)
        rc = check_output(&ports->outputs[port], &value->tensor, err);
    if (rc < 0)
        return rc;
    i = position(&io->out, port);
    binding = &io->out.bindings[i];
    bound = &io->out.bound[i];
    io->out.n += i == io->out.n;
    bp_object_release(binding->object);
    *binding = (bp_binding){.index = port};
    if (is_brought) {
        bp_tensor_free(&bound->kept.block);
        binding->tensor = value->tensor;
        bound->cap = value->tensor.bytes;
    }
    io->kept[i] = is_brought ? NULL : &bound->kept;
    io->has_run = false;
    return bp_done(err, BP_OK);
}

void bp_io_binding_clear_inputs(bp_io_binding *io)
{
    if (io)
        await_idle(io);
    for (uint32_t i = 0; io && i < io->in.n; i++) {
        bp_object_release(io->in.bindings[i].object);
        io->in.bindings[i].object = NULL;
    }
    if (io)
        io->in.n = 0;
}

void bp_io_binding_clear_outputs(bp_io_binding *io)
{
    if (io)
        await_idle(io);
    for (uint32_t i = 0; io && i < io->out.n; i++) {
        bp_object_release(io->out.bindings[i].object);
        io->out.bindings[i].object = NULL;
        bp_tensor_free(&io->out.bound[i].kept.block);
    }
    if (io) {
        io->out.n = 0;
        io->has_run = false;
    }
}

/* ---- runs ------------------------------------------------------------------------------------ */

/* Before a run: all of each output's memory is there again, with space for any sizes. */
static void reset_outputs(bp_io_binding *io)
{
    for (uint32_t i = 0; i < io->out.n; i++) {
        bp_binding *binding = &io->out.bindings[i];
        struct bound *bound = &io->out.bound[i];
        struct bp_kept_output *kept = io->kept[i];
        const bp_io_info *port = &io->session->ports.outputs[binding->index];

        bp_object_release(binding->object);
        binding->object = NULL;
        if (kept) {
            binding->tensor = (bp_tensor){
                .base = kept->block.base, .bytes = kept->block.bytes, .dtype = kept->block.dtype};
        } else {
            binding->tensor.bytes = bound->cap;
            binding->tensor.dtype = port->dtype;
        }
        binding->tensor.dims = kept ? kept->dims : bound->dims;
        binding->tensor.rank = BP_MAX_RANK;
    }
}

/* Results have the bytes of their elements, whatever their memory has. */
static void show_results(bp_io_binding *io)
{
    for (uint32_t i = 0; i < io->out.n; i++) {
        bp_tensor *tensor = &io->out.bindings[i].tensor;

        if (io->out.bindings[i].object)
            *tensor = (bp_tensor){0};
        else
            (void)bp_dense_bytes(tensor->dtype, tensor->dims, tensor->rank, &tensor->bytes);
    }
    io->has_run = true;
}

static bp_rc run(bp_io_binding *io, const bp_run_options *options, bp_err *err)
{
    struct bp_call c = {.session = io->session,
                        .inputs = io->in.bindings,
                        .outputs = io->out.bindings,
                        .kept = (struct bp_kept_output *const *)io->kept,
                        .n_inputs = io->in.n,
                        .n_outputs = io->out.n};
    bp_rc rc;

    io->has_run = false;
    reset_outputs(io);
    rc = bp_call_run(&c, options, err);
    if (rc >= 0)
        show_results(io);
    return rc;
}

/* What a run of any kind needs. */
static bp_rc check_run(const bp_io_binding *io, const bp_run_options *options, bp_run_options *own,
                       bp_err *err)
{
    bp_rc rc = check_idle(io, err);

    if (rc >= 0)
        rc = bp_call_read_options(options, own, err);
    if (rc >= 0 && io->out.n == 0)
        rc = bp_fail(err, BP_E_INVALID,
                     "no output is bound: a run would have no result "
                     "(bp_io_binding_set_output())");
    return rc;
}

bp_rc bp_io_binding_run(bp_io_binding *io, const bp_run_options *options, bp_err *err)
{
    bp_run_options own;
    bp_rc rc = check_run(io, options, &own, err);

    return rc < 0 ? rc : run(io, &own, err);
}

/* From the end on another run may begin, in the callback too. rc: it is over before it begins. */
static bp_rc run_bound(struct bp_async_run *of, bp_rc rc, bp_err *err)
{
    bp_io_binding *io = of->bound;

    io->has_run = false;
    if (rc >= 0)
        rc = run(io, &of->options, err);

    atomic_store(&io->is_running, false);
    return rc;
}

bp_rc bp_io_binding_run_async(bp_io_binding *io, const bp_run_options *options, bp_run_done_fn done,
                              void *user, bp_err *err)
{
    struct bp_async_run of = {.run = run_bound, .done = done, .user = user, .bound = io};
    bp_run_options own;
    bp_rc rc = check_run(io, options, &own, err);

    if (rc < 0)
        return rc;
    if (!done)
        return bp_fail_null(err, "the callback");
    of.session = io->session;
    atomic_store(&io->is_running, true);
    rc = bp_async_submit(&of, &own, err);
    if (rc < 0)
        atomic_store(&io->is_running, false);
    return bp_done(err, rc);
}

bp_rc bp_io_binding_output(const bp_io_binding *io, const char *name, uint32_t index,
                           const bp_binding **out, bp_err *err)
{
    const bp_binding asked = {.index = index};
    const struct bp_ports *ports = io ? &io->session->ports : NULL;
    uint32_t port, i;
    bp_rc rc;

    if (!out)
        return bp_fail_null(err, "out");
    *out = NULL;
    rc = check_idle(io, err);
    if (rc >= 0)
        rc = find(ports->outputs, ports->n_outputs, "output", name, &asked, &port, err);
    if (rc < 0)
        return rc;
    i = position(&io->out, port);
    if (i == io->out.n)
        return bp_fail(err, BP_E_INVALID,
                       "output '%s' is not bound: bp_io_binding_set_output() before the run",
                       ports->outputs[port].name);
    if (!io->has_run)
        return bp_fail(err, BP_E_INVALID,
                       "output '%s' has no value: no run has succeeded since outputs were bound",
                       ports->outputs[port].name);
    *out = &io->out.bindings[i];
    return bp_done(err, BP_OK);
}
