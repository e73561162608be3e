/* SPDX-License-Identifier: MIT */
/* exec.c - compiles, prepares and executes what graph.c made. */

#include "config.h"

#include <stdlib.h>
#include <sys/mman.h>
#include <time.h>

#include "check/graph.h"
#include "check/guard.h"

/* ---- compile and frame ----------------------------------------------------------------------- */

/* Keeps the device of the first node that is taken. */
static void note_device(void *h, uint32_t node, const bp_claim *claim)
{
    uint32_t *device = h;

    (void)node;
    if (claim->verdict != BP_NO && *device == BP_NONE)
        *device = claim->device;
}

uint32_t kit_device_for(struct kit *kit, bp_instance *instance, const bp_graph *table)
{
    uint32_t device = BP_NONE;
    bp_claims claims = {sizeof claims, 0, &device, note_device};
    bp_device second = {.struct_size = sizeof second};

    if (!kit->p.device || kit->p.device(&kit->host.table, 1, &second, NULL) < 0 ||
        kit->p.capability(instance, table, &claims, NULL) < 0 || device == BP_NONE)
        return 0;
    return device;
}

bp_rc kit_compile(struct kit *kit, struct kit_exec *exec, bp_instance *instance,
                  const bp_graph *table)
{
    bp_compile what = {.struct_size = sizeof what,
                       .device = kit_device_for(kit, instance, table),
                       .name = "check"};
    bp_rc rc;

    memset(exec, 0, sizeof *exec);
    exec->kit = kit;
    exec->instance = instance;
    exec->placing = kit->placing;
    rc = kit->p.compile(instance, table, &what, &exec->program, kit_err(kit));
    if (rc >= 0 && !exec->program)
        kit_fail(kit, "compile succeeds without a program");
    return rc;
}

/* bp_run's alloc_output: gives a dynamic output the buffer that kit_place() made for it. */
static bp_rc alloc_output(void *h, uint32_t out, uint32_t rank, const int64_t *dims, bp_err *err)
{
    struct kit_exec *exec = h;
    bp_tensor *tensor = &exec->out[0];
    size_t n;

    if (exec->capacity == 0) {
        exec->kit->host.broken = "alloc_output was called for an output that has a shape";
        return bp_fail(
            err, BP_E_INVALID,
            "output %u was given with its shape; write to bp_run.outputs instead of asking "
            "for memory",
            (unsigned)out);
    }
    if (out != 0 || rank > KIT_RANK || (rank > 0 && !dims)) {
        exec->kit->host.broken = "alloc_output was called for no output, or with an odd rank";
        return bp_fail(err, BP_E_INVALID,
                       "output %u of rank %u: ask for output 0, with dims, of rank %d at most",
                       (unsigned)out, (unsigned)rank, KIT_RANK);
    }
    n = (size_t)bp_dims_count(dims, rank) * (bp_dtype_width(tensor->dtype) / 8);
    if (n > exec->capacity) {
        exec->kit->host.broken = "alloc_output was asked for more than any input can need";
        return bp_fail(
            err, BP_E_NOMEM,
            "output %u has %zu bytes, but %zu hold any result of this case; compute the dims "
            "again",
            (unsigned)out, n, exec->capacity);
    }
    tensor->rank = rank;
    if (rank > 0)
        memcpy(tensor->dims, dims, rank * sizeof *dims);
    tensor->base = exec->out_block.base ? exec->out_block.base : exec->out_block.data;
    tensor->offset = exec->out_block.base ? KIT_GUARD : 0;
    tensor->bytes = n;
    return BP_OK;
}

/* Whether the output's shape is known at plan time. */
static bool has_static_shape(const struct kit_port *port)
{
    for (uint32_t d = 0; d < port->rank; d++) {
        if (port->dims[d] < 0)
            return false;
    }
    return true;
}

static void set_tensor(struct kit_exec *exec, uint32_t slot, const struct kit_port *port,
                       bp_tensor *tensor)
{
    int64_t *dims = exec->view->dims[slot];

    memset(tensor, 0, sizeof *tensor);
    memcpy(dims, port->dims, sizeof exec->view->dims[slot]);
    tensor->dims = dims;
    tensor->rank = has_static_shape(port) ? port->rank : BP_RANK_UNKNOWN;
    tensor->dtype = port->dtype;
    tensor->space = exec->kit->p.dev ? 1 : BP_SPACE_HOST;
}

/* Rows of shapes with their sizes after them; on pages of their own, for frame_create only. */
struct shapes {
    bp_shape *rows;
    void *block;
    size_t mapped, n;
};

/* Of a graph of one node the sizes are those of the case, which may be others than the graph's. */
static void set_shape(const bp_graph *table, const struct kit_case *c, uint32_t v, int64_t *dims,
                      bp_shape *out)
{
    const int64_t *known = kit_graph_dims(table, v, &out->rank);
    const struct kit_port *port = NULL;
    const bp_node *node = BP_NODE(table, 0);

    if (table->n_nodes == 1) {
        for (uint32_t i = 0; i < node->n_in; i++)
            port = node->in[i] == v ? &c->in[i] : port;
        port = node->out[0] == v ? &c->out : port;
    }
    if (port) {
        known = port->dims;
        out->rank = has_static_shape(port) ? port->rank : BP_RANK_UNKNOWN;
    }
    memcpy(dims, known, sizeof(int64_t[KIT_RANK]));
    out->dims = dims;
    out->dtype = BP_VALUE(table, v)->dtype;
}

static struct shapes make_shapes(const bp_graph *table, const struct kit_case *c)
{
    struct shapes shapes = {.n = table->n_values * (sizeof(bp_shape) + sizeof(int64_t[KIT_RANK]))};
    int64_t(*dims)[KIT_RANK];
    void *data;

    shapes.block = kit_map_after(shapes.n, &data, &shapes.mapped);
    shapes.rows = data;
    dims = (int64_t(*)[KIT_RANK])(void *)(shapes.rows + table->n_values);
    for (uint32_t v = 0; v < table->n_values; v++)
        set_shape(table, c, v, dims[v], &shapes.rows[v]);
    return shapes;
}

/* Checks the result of frame_create. */
static void check_frame(struct kit_exec *exec)
{
    struct kit *kit = exec->kit;
    const size_t align = exec->needs.scratch_align;

    if (!exec->frame)
        kit_fail(kit, "frame_create succeeds without a frame");
    if (align & (align - 1))
        kit_fail(kit, "scratch_align is %zu, which is not a power of two", align);
    if (exec->needs.io_align & (exec->needs.io_align - 1) || exec->needs.io_align > 4096)
        kit_fail(kit, "io_align is %u, which is not a power of two up to 4096",
                 (unsigned)exec->needs.io_align);
    if (exec->needs.in_slack > 4096 || exec->needs.out_slack > 4096)
        kit_fail(kit, "in_slack is %u and out_slack %u; 4096 are the most",
                 (unsigned)exec->needs.in_slack, (unsigned)exec->needs.out_slack);
    if (!kit->p.dev && exec->needs.scratch_space != BP_SPACE_HOST)
        kit_fail(kit, "scratch_space is %u, but it has no memory of its own",
                 (unsigned)exec->needs.scratch_space);
    if (!kit->p.dev) {
        for (uint32_t i = 0; i < exec->desc->n_in; i++) {
            if (exec->in[i].space != BP_SPACE_HOST)
                kit_fail(kit, "a space of its own, but it has no memory of its own");
        }
    }
}

/* The tensors of the frame, without memory yet. */
static void set_desc(struct kit_exec *exec, const bp_graph *table, const struct kit_case *c)
{
    bp_frame_desc *desc = &exec->view->desc;
    uint32_t n_in = 0;

    exec->desc = desc;
    exec->in = exec->view->in;
    exec->out = exec->view->out;
    exec->run = &exec->view->run;
    for (uint32_t i = 0; i < c->n_in; i++) {
        if (kit_is_fed(&c->in[i])) {
            set_tensor(exec, n_in, &c->in[i], &exec->in[n_in]);
            n_in++;
        }
    }
    set_tensor(exec, KIT_PORTS, &c->out, &exec->out[0]);
    desc->struct_size = sizeof *desc;
    desc->n_in = n_in;
    desc->n_out = 1;
    desc->n_shapes = table->n_values;
    desc->in = exec->in;
    desc->out = exec->out;
    desc->h = exec;
    desc->alloc_output = alloc_output;
    exec->capacity =
        has_static_shape(&c->out) ? 0 : kit_count(&c->in[0]) * c->out.rank * sizeof(double);
}

/* Of in[] and out[] a provider may write the spaces, in frame_create; all else it only reads. */
static void check_view(struct kit_exec *exec, const struct kit_view *before)
{
    struct kit_view now = *exec->view;

    for (uint32_t i = 0; i < KIT_PORTS; i++)
        now.in[i].space = before->in[i].space;
    now.out[0].space = before->out[0].space;
    if (memcmp(&now, before, sizeof now) != 0)
        kit_fail(exec->kit, "%s: frame_create writes to the frame's description",
                 exec->kit->doing ? exec->kit->doing : "a frame");
}

static void open_view(struct kit_exec *exec)
{
    void *view =
        mmap(NULL, sizeof *exec->view, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

    if (view == MAP_FAILED)
        abort();
    exec->view = view;
    if (exec->placing != KIT_LOOSE)
        kit_guard_add(view, sizeof *exec->view, "the description of the frame and the run", -1,
                      true);
}

static void close_view(struct kit_exec *exec)
{
    if (exec->view)
        kit_unmap(exec->view, sizeof *exec->view);
    exec->view = NULL;
}

bp_rc kit_frame(struct kit_exec *exec, const bp_graph *table, const struct kit_case *c)
{
    struct kit *kit = exec->kit;
    struct kit_view before;
    struct shapes shapes;
    bp_rc rc;

    kit_alloc_pause(true);
    close_view(exec);
    open_view(exec);
    set_desc(exec, table, c);
    shapes = make_shapes(table, c);
    exec->desc->shapes = shapes.rows;
    kit_protect(shapes.rows, shapes.n, true);
    before = *exec->view;
    memset(&exec->needs, 0, sizeof exec->needs);
    exec->needs.struct_size = sizeof exec->needs;
    kit_alloc_pause(false);
    rc = kit->p.frame_create(exec->program, exec->desc, &exec->needs, &exec->frame, kit_err(kit));
    kit_alloc_pause(true);
    kit_unmap(shapes.block, shapes.mapped); /* valid during frame_create only */
    kit_alloc_pause(false);
    check_view(exec, &before);
    exec->desc->shapes = NULL;
    if (rc < 0)
        return rc;
    check_frame(exec);
    exec->run->struct_size = sizeof *exec->run;
    return kit_stream_open(exec);
}

/* ---- memory ---------------------------------------------------------------------------------- */

/* Keeps the first failure. */
static void note_placed(struct kit_exec *exec, bp_rc rc)
{
    if (exec->placed >= 0)
        exec->placed = rc;
}

/* In host memory as the frame asks for it: bp_frame_needs.io_align and the bytes behind. */
static void place_one(struct kit_exec *exec, struct kit_block *block, size_t bytes,
                      bp_tensor *tensor, size_t slack, unsigned skew)
{
    bool is_here = tensor->space == BP_SPACE_HOST;
    size_t unit = is_here ? bp_dtype_width(tensor->dtype) / 8 : KIT_GUARD, align = 64;

    if (is_here && exec->needs.io_align > unit)
        unit = exec->needs.io_align;
    if (exec->placing != KIT_LOOSE || unit > align)
        align = unit;
    note_placed(exec, kit_block_make_slack(exec, block, tensor->space, bytes, is_here ? slack : 0,
                                           align, skew * unit));
    tensor->base = block->base ? block->base : block->data - skew * unit;
    tensor->offset = block->base ? (uint64_t)(block->data - block->image) : skew * unit;
    tensor->bytes = bytes;
}

static void place_scratch(struct kit_exec *exec)
{
    size_t align = exec->needs.scratch_align ? exec->needs.scratch_align : 64;

    exec->desc->scratch = NULL;
    exec->desc->scratch_offset = 0;
    if (exec->needs.scratch_bytes == 0)
        return;
    note_placed(exec, kit_block_make(exec, &exec->scratch, exec->needs.scratch_space,
                                     exec->needs.scratch_bytes, align, 0));
    exec->desc->scratch = exec->scratch.base ? exec->scratch.base : exec->scratch.data;
    if (exec->scratch.base)
        exec->desc->scratch_offset = (uint64_t)(exec->scratch.data - exec->scratch.image);
}

void kit_refill(struct kit_exec *exec, const struct kit_case *c, unsigned seed)
{
    uint32_t k = 0;

    exec->seed = seed;
    for (uint32_t i = 0; i < c->n_in; i++) {
        if (kit_is_fed(&c->in[i]))
            kit_fill(c, &c->in[i], exec->in_block[k++].data, seed + i);
    }
}

void kit_overwrite(struct kit_exec *exec, int byte)
{
    if (exec->desc->scratch)
        memset(exec->scratch.data, byte, exec->scratch.bytes);
    memset(exec->out_block.data, byte, exec->out_block.bytes);
}

void kit_place(struct kit_exec *exec, const struct kit_case *c, unsigned seed, unsigned skew)
{
    uint32_t k = 0;

    exec->placed = BP_OK;
    kit_alloc_pause(true);
    for (uint32_t i = 0; i < c->n_in; i++) {
        if (!kit_is_fed(&c->in[i]))
            continue;
        place_one(exec, &exec->in_block[k], kit_bytes(&c->in[i]), &exec->in[k],
                  exec->needs.in_slack, skew ? skew + k : 0);
        if (exec->placing != KIT_LOOSE && !exec->in_block[k].base)
            kit_guard_add(exec->in_block[k].data, exec->in_block[k].bytes, "input", (int)k, true);
        k++;
    }
    kit_refill(exec, c, seed);
    if (exec->capacity > 0)
        note_placed(exec, kit_block_make(exec, &exec->out_block, exec->out[0].space, exec->capacity,
                                         64, 0));
    else
        place_one(exec, &exec->out_block, kit_bytes(&c->out), &exec->out[0], exec->needs.out_slack,
                  skew);
    if (exec->placing != KIT_LOOSE && !exec->out_block.base)
        kit_guard_add(exec->out_block.data, exec->out_block.bytes, "the output", -1, false);
    place_scratch(exec);
    if (exec->placing != KIT_LOOSE && exec->desc->scratch && !exec->scratch.base)
        kit_guard_add(exec->scratch.data, exec->scratch.bytes, "scratch memory", -1, false);
    exec->run->io_epoch++;
    kit_alloc_pause(false);
}

/* ---- execute --------------------------------------------------------------------------------- */

enum { SLICE_NS = 5000000 }; /* nanoseconds between looks whether the run should end */

/* All images, up or down. */
static bp_rc copy_all(struct kit_exec *exec, bool is_up)
{
    bp_rc rc = BP_OK;

    for (uint32_t i = 0; rc >= 0 && i < exec->desc->n_in; i++)
        rc = kit_block_copy(exec, &exec->in_block[i], is_up, exec->run->stream);
    if (rc >= 0)
        rc = kit_block_copy(exec, &exec->out_block, is_up, exec->run->stream);
    if (rc >= 0 && exec->desc->scratch)
        rc = kit_block_copy(exec, &exec->scratch, is_up, exec->run->stream);
    return rc;
}

/* What execute may only read, where frames are placed so that this is noticed. */
static void protect(struct kit_exec *exec, bool is_read_only)
{
    if (exec->placing == KIT_LOOSE)
        return;
    for (uint32_t i = 0; i < exec->desc->n_in; i++)
        kit_block_protect(&exec->in_block[i], is_read_only);
    if (exec->capacity == 0) /* alloc_output writes to the output's tensor */
        kit_protect(exec->view, sizeof *exec->view, is_read_only);
}

/* The words of the failure before it stay. */
static void renew_stream(struct kit_exec *exec)
{
    char words[KIT_TEXT];

    memcpy(words, exec->kit->words, sizeof words);
    kit_stream_close(exec);
    (void)kit_stream_open(exec);
    memcpy(exec->kit->words, words, sizeof words);
}

bp_rc kit_put(struct kit_exec *exec)
{
    struct kit *kit = exec->kit;
    bp_rc rc = exec->placed;

    if (rc < 0)
        return rc;
    if (exec->capacity > 0) { /* a dynamic output: its size is not known yet */
        exec->out[0].base = NULL;
        exec->out[0].rank = BP_RANK_UNKNOWN;
    }
    exec->run->run_id++;
    exec->run->stream = exec->stream;
    kit_alloc_pause(true);
    rc = copy_all(exec, true);
    kit_alloc_pause(false);
    if (rc >= 0) {
        protect(exec, true);
        kit->host.in_execute = true;
        rc = kit->p.execute(exec->frame, exec->run, kit_err(kit));
        kit->host.in_execute = false;
        protect(exec, false);
    }
    kit_alloc_pause(true);
    if (rc == BP_PENDING && exec->stream)
        rc = BP_OK;
    if (rc == BP_OK)
        rc = copy_all(exec, false);
    if (rc < 0 && exec->stream) /* as a host does, so that no work is pending */
        renew_stream(exec);
    kit_alloc_pause(false);
    return rc;
}

/* Should the run end? By its cancel and its deadline, as bp_stop_check() has it. */
static bp_rc check_stop(const bp_run *run)
{
    struct timespec now;

    if (bp_is_cancelled(run->cancel))
        return BP_E_CANCELLED;
    clock_gettime(CLOCK_MONOTONIC, &now);
    if (run->deadline_ns != 0 && (int64_t)now.tv_sec * 1000000000 + now.tv_nsec >= run->deadline_ns)
        return BP_E_TIMEOUT;
    return BP_OK;
}

/* Has the run a limit? Copies that belong to no run have none. */
static bool has_limit(const struct kit_exec *exec)
{
    return exec->run && (exec->run->cancel || exec->run->deadline_ns != 0);
}

/* In slices where the run may have to end, as the host waits. */
static bp_rc wait_event(struct kit_exec *exec)
{
    const struct kit *kit = exec->kit;
    bool may_stop = has_limit(exec);
    bp_rc rc;

    for (;;) {
        rc = kit->p.dev->event_wait(exec->instance, exec->event, may_stop ? SLICE_NS : -1,
                                    kit_err(exec->kit));
        if (rc != BP_E_TIMEOUT || !may_stop)
            return rc;
        rc = check_stop(exec->run);
        if (rc < 0)
            return rc;
    }
}

/* After a failure the stream is another one, so that no work is pending. */
bp_rc kit_wait(struct kit_exec *exec)
{
    struct kit *kit = exec->kit;
    bp_rc rc;

    if (!exec->stream)
        return BP_OK;
    kit_alloc_pause(true);
    rc = kit->p.dev->event_record(exec->instance, exec->stream, exec->event, kit_err(kit));
    if (rc >= 0)
        rc = wait_event(exec);
    if (rc < 0 && has_limit(exec))
        renew_stream(exec);
    kit_alloc_pause(false);
    return rc < 0 ? rc : BP_OK;
}

bp_rc kit_execute(struct kit_exec *exec)
{
    bp_rc rc = kit_put(exec);

    return rc == BP_OK ? kit_wait(exec) : rc;
}

void kit_exec_finish(struct kit_exec *exec)
{
    kit_stream_close(exec);
    if (exec->frame)
        exec->kit->p.frame_free(exec->frame);
    if (exec->program)
        exec->kit->p.program_free(exec->program);
    kit_alloc_pause(true);
    for (uint32_t i = 0; i < KIT_PORTS; i++)
        kit_block_free(exec, &exec->in_block[i]);
    kit_block_free(exec, &exec->out_block);
    kit_block_free(exec, &exec->scratch);
    close_view(exec);
    kit_alloc_pause(false);
    memset(exec, 0, sizeof *exec);
}
