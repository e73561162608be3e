/* SPDX-License-Identifier: MIT */
/*
 * node.c - what pack, prepare and run ask of their node and call: errors, memory, threads.
 *
 * All of it may be called by the thread that runs the call; bp_cpu_parallel() is the only function
 * that uses others.
 */

#include "cpu.h"

#include <common/blocks.h>

enum {
    PARALLEL_COST = 16 * 1024, /* simple operations that pay for waking a thread */
    SLICES_A_THREAD = 4,       /* more slices than threads: a delayed thread then holds up little */
    SLICE_COST = 16 << 20 /* operations after which a slice ends, to ask whether to stop: 10 ms */
};

bp_rc bp_cpu_fail(const struct bp_cpu_node *node, bp_err *err, bp_rc rc, const char *fmt, ...)
{
    char text[512];
    va_list args;

    va_start(args, fmt);
    vsnprintf(text, sizeof text, fmt, args);
    va_end(args);
    return bp_fail(err, rc, "%s '%s': %s", node->node->op, node->node->name, text);
}

void *bp_cpu_node_memory(struct bp_cpu_node *node, size_t bytes)
{
    return bp_blocks_get(node->memory, bytes);
}

bp_span bp_cpu_constant(const struct bp_cpu_node *node, uint32_t input)
{
    if (input >= node->node->n_in || node->node->in[input] == BP_NONE)
        return (bp_span){NULL, 0};
    return node->constants[node->node->in[input]];
}

bp_rc bp_cpu_state(struct bp_cpu_call *call, size_t bytes, bp_err *err)
{
    call->state = bp_blocks_get(call->memory, bytes);
    if (!call->state)
        return bp_cpu_fail(call->node, err, BP_E_NOMEM, "no memory for the state of the node");
    return BP_OK;
}

void *bp_cpu_call_memory(struct bp_cpu_call *call, size_t bytes)
{
    return bp_blocks_get(call->memory, bytes);
}

bool bp_cpu_should_stop(struct bp_cpu_stop *stop)
{
    if (!stop || !stop->run)
        return false;
    if (__atomic_load_n(&stop->is_found, __ATOMIC_RELAXED))
        return true;
    if (bp_stop_check(stop->host, stop->run) == BP_OK)
        return false;
    __atomic_store_n(&stop->is_found, 1, __ATOMIC_RELAXED);
    return true;
}

/* Tasks of a run that may be stopped. */
struct stoppable {
    struct bp_cpu_stop *stop;
    void (*fn)(void *u, uint32_t i, uint32_t worker);
    void *u;
};

static void run_unless_stopped(void *u, uint32_t i, uint32_t worker)
{
    const struct stoppable *tasks = u;

    if (!bp_cpu_should_stop(tasks->stop))
        tasks->fn(tasks->u, i, worker);
}

void bp_cpu_parallel_stoppable(const struct bp_cpu_call *call, uint32_t n,
                               void (*fn)(void *u, uint32_t i, uint32_t worker), void *u)
{
    struct stoppable tasks = {call->stop, fn, u};

    if (call->stop && call->stop->run)
        bp_cpu_parallel(call, n, run_unless_stopped, &tasks);
    else
        bp_cpu_parallel(call, n, fn, u);
}

void bp_cpu_parallel(const struct bp_cpu_call *call, uint32_t n,
                     void (*fn)(void *u, uint32_t i, uint32_t worker), void *u)
{
    const bp_host *host = call->node->host;

    if (n == 1)
        fn(u, 0, 0);
    else if (n > 1)
        host->parallel_for(host->h, n, fn, u);
}

uint32_t bp_cpu_slices(const struct bp_cpu_call *call, int64_t elements, int64_t cost)
{
    int64_t work, slices, least, most;

    if (elements < 1)
        return 1;
    if (__builtin_mul_overflow(elements, cost, &work))
        work = INT64_MAX;
    least = work / SLICE_COST + 1;
    if (work < PARALLEL_COST)
        return 1;
    most = call->width < 2 ? 1 : (int64_t)call->width * SLICES_A_THREAD;
    slices = work / (PARALLEL_COST / 2);
    slices = slices > most ? most : slices;
    slices = slices < least ? least : slices;
    slices = slices > elements ? elements : slices;
    return slices < UINT16_MAX ? (uint32_t)slices : UINT16_MAX;
}
