/* SPDX-License-Identifier: MIT */
/* starved.c - of LIFE: every allocation fails once, of the host, of malloc and of a device. */

#include "config.h"

#include <stdlib.h>

#include "check/starved.h"

/* ---- no memory ------------------------------------------------------------------------------- */

/* Everything that an instance is for, of which any step may say that there is no memory. */
static bp_rc life_of(struct kit *kit, bp_instance *instance, const struct kit_case *c, bool *ran)
{
    struct kit_graph *graph = kit_graph_new();
    const bp_graph *table;
    struct kit_exec exec;
    bp_rc rc;

    memset(&exec, 0, sizeof exec);
    exec.kit = kit;
    kit_graph_add(graph, c, 0);
    table = kit_graph_table(graph, false);
    rc = kit_compile(kit, &exec, instance, table);
    if (rc >= 0)
        rc = kit_frame(&exec, table, c);
    if (rc >= 0) {
        kit_place(&exec, c, 1, 0);
        rc = kit_execute(&exec);
        if (rc >= 0)
            kit_check(&exec, c, c->name);
        *ran = rc >= 0;
    }
    kit_exec_finish(&exec);
    kit_graph_free(graph);
    return rc;
}

/* The same from create to destroy. */
static bp_rc whole_life(struct kit *kit, const struct kit_case *c, bool *ran)
{
    bp_instance *instance = NULL;
    bp_rc rc = kit_create(kit, BP_NONE, NULL, &instance);

    if (rc >= 0)
        rc = life_of(kit, instance, c, ran);
    if (instance)
        kit->p.destroy(instance);
    return rc;
}

static const struct kit_case *case_to_starve(struct kit *kit)
{
    bp_instance *instance;
    const struct kit_case *c;

    kit_open_usable(kit);
    instance = kit_instance(kit);
    c = kit_need_case(kit, instance);
    kit->p.destroy(instance);
    return c;
}

static void check_words(struct kit *kit, bp_rc rc, bool ran, unsigned n)
{
    if (rc < 0 && rc != BP_E_NOMEM)
        kit_fail(kit, "without memory at allocation %u it gives %d, not BP_E_NOMEM: %s", n, (int)rc,
                 kit->words);
    if (rc >= 0 && !ran)
        kit_fail(kit, "without memory at allocation %u it neither ran nor said so", n);
}

static void check_starved(struct kit *kit, bp_rc rc, bool ran, unsigned n)
{
    check_words(kit, rc, ran, n);
    kit_nothing_is_left(kit, "after a failed allocation");
}

void kit_host_has_none(struct kit *kit)
{
    const struct kit_case *c = case_to_starve(kit);
    unsigned n = 1;

    for (;; n++) {
        bool ran = false;
        bp_rc rc;

        kit->host.allocs = 0;
        kit->host.fail_at = n;
        rc = whole_life(kit, c, &ran);
        if (kit->host.allocs < n)
            break; /* there was none to fail any more */
        check_starved(kit, rc, ran, n);
    }
    if (n == 1)
        kit_skip(kit, "it asks the host for no memory");
    kit_note(kit, "%u allocations of the host, each failed once", n - 1);
}

/*
 * Only what the plug-in itself asks of malloc fails: the kit's own calls are paused by their
 * makers.
 */
void kit_malloc_has_none(struct kit *kit)
{
    const struct kit_case *c = case_to_starve(kit);
    bp_instance *instance;
    unsigned n = 1;

    if (!kit_alloc_works())
        kit_skip(kit, "allocations cannot be made to fail in this build");
    for (; n < 1000; n++) {
        bp_opt *opts = kit_option_values(kit, BP_NONE, NULL);
        bp_rc rc;

        instance = NULL;
        kit_alloc_fail_at(n);
        rc = kit->p.create(&kit->host.table, opts, kit->p.n_options, NULL, 0, &instance,
                           kit_err(kit));
        kit_alloc_fail_at(0);
        free(opts);
        if (instance)
            kit->p.destroy(instance);
        if (rc < 0 && rc != BP_E_NOMEM && rc != BP_E_UNAVAILABLE)
            kit_fail(kit, "create without memory at allocation %u gives %d: %s", n, (int)rc,
                     kit->words);
        if (!kit_alloc_failed())
            break;
        kit_nothing_is_left(kit, "after a failed malloc");
    }
    (void)c;
    kit_note(kit, "%u allocations of create, each failed once", n - 1);
}

/* ---- no memory on a device ------------------------------------------------------------------- */

enum { CALL_ALLOC, CALL_COPY, CALL_STREAM, CALL_EVENT, N_CALLS };

static const char *const call_names[] = {"alloc", "copy", "stream_create", "event_create"};

/*
 * Calls one function of the device's table while its n-th malloc fails, then releases the result.
 */
static bp_rc starve_call(struct kit *kit, struct kit_exec *exec, int call, unsigned n)
{
    const bp_device_ops *dev = kit->p.dev;
    void *made = NULL;
    bp_rc rc;

    kit_alloc_fail_at(n);
    if (call == CALL_ALLOC)
        rc = dev->alloc(exec->instance, 0, 1, 4096, KIT_GUARD, &made, kit_err(kit));
    else if (call == CALL_COPY)
        rc = kit_block_copy(exec, &exec->scratch, true, NULL);
    else if (call == CALL_STREAM)
        rc = dev->stream_create(exec->instance, 0, 0, &made, kit_err(kit));
    else
        rc = dev->event_create(exec->instance, 0, 0, &made, kit_err(kit));
    kit_alloc_fail_at(0);
    if (rc < 0 && rc != BP_E_NOMEM)
        kit_fail(kit, "%s without memory at allocation %u gives %d, not BP_E_NOMEM: %s",
                 call_names[call], n, (int)rc, kit->words);
    if ((rc < 0 && made) || (rc >= 0 && !made && call != CALL_COPY))
        kit_fail(kit, "%s without memory at allocation %u gives %d, and %s handle",
                 call_names[call], n, (int)rc, made ? "a" : "no");
    if (made && call == CALL_ALLOC)
        dev->free(exec->instance, 0, 1, made);
    else if (made && call == CALL_STREAM)
        dev->stream_destroy(exec->instance, made);
    else if (made)
        dev->event_destroy(exec->instance, made);
    return rc;
}

/* Makes each malloc of a call fail once. Returns how many there were. */
static unsigned sweep_call(struct kit *kit, struct kit_exec *exec, int call)
{
    unsigned n = 1;

    for (; n < 1000; n++) {
        (void)starve_call(kit, exec, call, n);
        if (!kit_alloc_failed())
            break;
    }
    if (starve_call(kit, exec, call, 0) < 0)
        kit_fail(kit, "%s after calls without memory: %s", call_names[call], kit->words);
    return n - 1;
}

void kit_device_calls_have_none(struct kit *kit)
{
    struct kit_exec exec = {.kit = kit};
    unsigned n = 0;

    kit_open_usable(kit);
    if (!kit->p.dev)
        kit_skip(kit, "it has no memory of its own");
    if (!kit_alloc_works())
        kit_skip(kit, "allocations cannot be made to fail in this build");
    exec.instance = kit_instance(kit);
    if (kit_block_make(&exec, &exec.scratch, 1, 4096, 64, 0) < 0)
        kit_fail(kit, "alloc of some KiB: %s", kit->words);
    for (int call = 0; call < N_CALLS; call++) {
        if (call < CALL_STREAM || (kit->p.dev->stream_create && kit->p.dev->event_create))
            n += sweep_call(kit, &exec, call);
    }
    kit_block_free(&exec, &exec.scratch);
    kit->p.destroy(exec.instance);
    kit_nothing_is_left(kit, "after failed allocations of a device's calls");
    kit_note(kit, "%u allocations, each failed once", n);
}

enum { MAX_FILL = 256 };

/* Blocks that fill the memory of device 0, the largest first. */
struct fill {
    bp_instance *instance;
    void *blocks[MAX_FILL];
    unsigned n;
};

/* Fills at most 512 MiB, because some devices keep their memory in the host's. */
static void fill_up(struct kit *kit, struct fill *fill)
{
    const size_t most = (size_t)512 << 20;
    size_t total = 0, size = most;

    while (size >= KIT_GUARD && fill->n < MAX_FILL && total < most) {
        void *base = NULL;

        if (kit->p.dev->alloc(fill->instance, 0, 1, size, KIT_GUARD, &base, kit_err(kit)) >= 0) {
            fill->blocks[fill->n++] = base;
            total += size;
        } else {
            size /= 2;
        }
    }
    if (size >= KIT_GUARD)
        kit_skip(kit, "its memory is not full with %zu MiB in %u blocks", total >> 20, fill->n);
}

/* Frees the smallest block that is left; false: there is none. */
static bool give_back(struct kit *kit, struct fill *fill)
{
    if (fill->n == 0)
        return false;
    kit->p.dev->free(fill->instance, 0, 1, fill->blocks[--fill->n]);
    return true;
}

/*
 * Compiles and runs on a full device, and frees one block after each failure, until the run
 * succeeds.
 */
void kit_device_is_full(struct kit *kit)
{
    const struct kit_case *c = case_to_starve(kit);
    struct fill fill = {0};
    unsigned n_starved = 0;
    bool ran = false;
    bp_rc rc;

    if (!kit->p.dev)
        kit_skip(kit, "it has no memory of its own");
    fill.instance = kit_instance(kit);
    fill_up(kit, &fill);
    for (;;) {
        rc = life_of(kit, fill.instance, c, &ran);
        check_words(kit, rc, ran, n_starved + 1);
        if (rc >= 0)
            break;
        n_starved++;
        if (!give_back(kit, &fill))
            kit_fail(kit, "all memory is free again, and it still gives BP_E_NOMEM: %s",
                     kit->words);
    }
    while (give_back(kit, &fill))
        ;
    kit->p.destroy(fill.instance);
    kit_nothing_is_left(kit, "after a full device");
    if (n_starved == 0)
        kit_fail(kit, "a device without a free byte runs %s", c->name);
    kit_note(kit, "%u times without enough memory, then with it", n_starved);
}
