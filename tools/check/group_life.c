/* SPDX-License-Identifier: MIT */
/* group_life.c - LIFE: coming and going, with and without memory. */

#include "config.h"

#include <dirent.h>
#include <dlfcn.h>
#include <malloc.h>
#include <pthread.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

#include "check/process/sanitizer.h"
#include "check/starved.h"

static unsigned entries(const char *path)
{
    DIR *dir = opendir(path);
    unsigned n = 0;

    while (dir && readdir(dir))
        n++;
    if (dir)
        closedir(dir);
    return n;
}

void kit_nothing_is_left(struct kit *kit, const char *when)
{
    kit_settle(kit);
    if (kit->host.live_blocks > 0)
        kit_fail(kit, "%s: %zu blocks of host memory, %zu bytes, are not freed", when,
                 kit->host.live_blocks, kit->host.live_bytes);
    if (kit_host_has_users(&kit->host))
        kit_fail(kit, "%s: a weight of weight_get was not put back by weight_put", when);
}

static void comes_and_goes(struct kit *kit)
{
    unsigned fds, threads;

    kit_open_usable(kit);
    kit->p.destroy(kit_instance(kit)); /* what is made once may stay */
    fds = entries("/proc/self/fd");
    threads = entries("/proc/self/task");
    for (int i = 0; i < 1000; i++)
        kit->p.destroy(kit_instance(kit));
    if (entries("/proc/self/fd") != fds)
        kit_fail(kit, "1000 instances leave %d descriptors open",
                 (int)(entries("/proc/self/fd") - fds));
    if (entries("/proc/self/task") != threads)
        kit_fail(kit, "destroy does not join its threads");
    kit_nothing_is_left(kit, "after 1000 instances");
}

static void frees_all(struct kit *kit)
{
    bp_instance *instance;
    unsigned n = 0;

    kit_open_usable(kit);
    instance = kit_instance(kit);
    for (const struct kit_case *c = kit_need_case(kit, instance); c;
         c = kit_next_taken(kit, instance, c + 1)) {
        struct kit_exec exec;
        struct kit_graph *graph = kit_ready(kit, &exec, instance, c, 0);

        kit_place(&exec, c, 1, 0);
        if (kit_execute(&exec) < 0)
            kit_fail(kit, "%s: %s", c->name, kit->words);
        kit_exec_finish(&exec);
        kit_graph_free(graph);
        n++;
    }
    kit->p.destroy(instance);
    kit_nothing_is_left(kit, "after programs and frames");
    kit_note(kit, "%u programs", n);
}

/* ---- cycles ---------------------------------------------------------------------------------- */

/*
 * Cycles are measured in four quarters, after some that fill caches. A leak grows by at least a
 * pointer a cycle, and by much the same in each quarter; what threads and caches of the allocator
 * keep differs from quarter to quarter.
 */
enum { QUARTERS = 4, CYCLES = 60, LEAK = 8, MAX_CYCLE_CASES = 3, CYCLES_NS = 1000000000 };

/* What the process has taken of the system. */
struct footprint {
    size_t heap; /* bytes that malloc() has given and free() has not got; 0: not known */
    unsigned maps, fds, threads;
};

static unsigned lines(const char *path)
{
    FILE *file = fopen(path, "r");
    unsigned n = 0;

    for (int c; file && (c = getc(file)) != EOF;)
        n += c == '\n';
    if (file)
        fclose(file);
    return n;
}

static struct footprint measure(void)
{
    struct footprint out = {0};

#if defined(__GLIBC__) && defined(__GLIBC_PREREQ)
#if __GLIBC_PREREQ(2, 33)
    struct mallinfo2 heap = mallinfo2();

    out.heap = heap.uordblks + heap.hblkhd;
#endif
#endif
    out.maps = lines("/proc/self/maps");
    out.fds = entries("/proc/self/fd");
    out.threads = entries("/proc/self/task");
    return out;
}

/* An instance that compiles some cases, runs each once, and goes. */
static void cycle(struct kit *kit)
{
    bp_instance *instance = kit_instance(kit);
    const struct kit_case *c = kit_need_case(kit, instance);

    for (unsigned i = 0; c && i < MAX_CYCLE_CASES; i++, c = kit_next_taken(kit, instance, c + 1)) {
        struct kit_exec exec;
        struct kit_graph *graph = kit_ready(kit, &exec, instance, c, 0);

        kit_place(&exec, c, 1, 0);
        kit_execute_well(&exec, c);
        kit_exec_finish(&exec);
        kit_graph_free(graph);
    }
    kit_settle(kit);
    kit->p.destroy(instance);
}

/* Does it grow by at least so much in each quarter, and in none by twice as much as in another? */
static bool grows(const size_t at[QUARTERS + 1], size_t least)
{
    size_t low = SIZE_MAX, high = 0;

    for (int q = 0; q < QUARTERS; q++) {
        size_t more = at[q + 1] > at[q] ? at[q + 1] - at[q] : 0;

        low = more < low ? more : low;
        high = more > high ? more : high;
    }
    return low >= least && high < 2 * low;
}

static void cycles_leave_nothing(struct kit *kit)
{
    static const char *const cycles = "cycles of create, compile, run and destroy leave";
    struct footprint at[QUARTERS + 1];
    size_t heap[QUARTERS + 1], maps[QUARTERS + 1], fds[QUARTERS + 1], threads[QUARTERS + 1];
    int64_t begin;
    unsigned n = CYCLES;

    kit_open_usable(kit);
    begin = kit->host.table.now_ns(kit->host.table.h);
    cycle(kit);
    if (kit->host.table.now_ns(kit->host.table.h) - begin > CYCLES_NS / CYCLES)
        n = 6; /* a slow compiler */
    for (unsigned i = 0; i < n; i++)
        cycle(kit);
    for (int q = 0; q <= QUARTERS; q++) {
        at[q] = measure();
        heap[q] = at[q].heap;
        maps[q] = at[q].maps;
        fds[q] = at[q].fds;
        threads[q] = at[q].threads;
        for (unsigned i = 0; q < QUARTERS && i < n; i++)
            cycle(kit);
    }
    if (grows(heap, (size_t)n * LEAK))
        kit_fail(kit, "%u %s %zu bytes of malloc()", n, cycles, heap[1] - heap[0]);
    if (grows(maps, n) && !sanitizer_of_threads()) /* which keeps mappings of threads that ended */
        kit_fail(kit, "%u %s %zu mappings", n, cycles, maps[1] - maps[0]);
    if (grows(fds, n))
        kit_fail(kit, "%u %s %zu descriptors open", n, cycles, fds[1] - fds[0]);
    if (grows(threads, n))
        kit_fail(kit, "%u %s %zu threads", n, cycles, threads[1] - threads[0]);
    kit_note(kit, "%u cycles", n * (QUARTERS + 1) + 1);
}

/* ---- what an instance says that it holds ----------------------------------------------------- */

/* As a host of an older ABI asks: no member lies beyond the size that it says. */
static bp_instance_memory ask_memory(struct kit *kit, bp_instance *instance)
{
    struct {
        bp_instance_memory said;
        unsigned char after[64];
    } asked = {.said = {.struct_size = sizeof asked.said}};

    memset(asked.after, 0xa5, sizeof asked.after);
    if (kit->p.memory(instance, &asked.said, &kit->err) < 0)
        kit_fail(kit, "memory fails: %s", kit->words);
    for (size_t i = 0; i < sizeof asked.after; i++) {
        if (asked.after[i] != 0xa5)
            kit_fail(kit, "memory writes past the %u bytes that struct_size says",
                     (unsigned)sizeof asked.said);
    }
    if (asked.said.struct_size != sizeof asked.said)
        kit_fail(kit, "memory changes struct_size");
    return asked.said;
}

static void says_what_it_holds(struct kit *kit)
{
    bp_instance *instance = kit_begin(kit);
    const struct kit_case *c = kit_need_case(kit, instance);
    bp_instance_memory first, second;
    struct kit_exec exec;
    struct kit_graph *graph;

    if (!kit->p.memory)
        kit_skip(kit, "it has no memory slot");
    graph = kit_ready(kit, &exec, instance, c, 0);
    kit_place(&exec, c, 1, 0);
    kit_execute_well(&exec, c);
    first = ask_memory(kit, instance);
    second = ask_memory(kit, instance);
    if (memcmp(&first, &second, sizeof first) != 0)
        kit_fail(kit, "two calls of memory, with nothing between them, differ");
    if (kit->p.trim) {
        kit->p.trim(instance);
        second = ask_memory(kit, instance);
        if (second.host_caches > first.host_caches || second.device_caches > first.device_caches)
            kit_fail(kit, "after trim its caches hold more than before");
        kit_place(&exec, c, 1, 0);
        kit_execute_well(&exec, c);
        kit_check(&exec, c, "after trim");
    }
    kit_exec_finish(&exec);
    kit_graph_free(graph);
    kit->p.destroy(instance);
}

/* ---- instances that come and go -------------------------------------------------------------- */

static void null_is_fine(struct kit *kit)
{
    kit_open_usable(kit);
    kit->p.frame_free(NULL);
    kit->p.program_free(NULL);
}

/* Two instances, of which one goes while the other works. */
static void two_instances(struct kit *kit)
{
    bp_instance *a, *b;
    const struct kit_case *c;
    struct kit_exec exec;
    struct kit_graph *graph;

    kit_open_usable(kit);
    a = kit_instance(kit);
    b = kit_instance(kit);
    if (a == b)
        kit_fail(kit, "two calls of create give one instance");
    c = kit_need_case(kit, b);
    graph = kit_ready(kit, &exec, b, c, 0);
    kit->p.destroy(a);
    kit_place(&exec, c, 1, 0);
    if (kit_execute(&exec) < 0)
        kit_fail(kit, "after another instance was destroyed: %s", kit->words);
    kit_check(&exec, c, "after another instance was destroyed");
    kit_exec_finish(&exec);
    kit_graph_free(graph);
    kit->p.destroy(b);
    kit_nothing_is_left(kit, "after two instances");
}

/* ---- the end --------------------------------------------------------------------------------- */

static void *end_process(void *unused)
{
    (void)unused;
    exit(0);
}

/* exit() on another thread while an instance, a program and a frame live. */
static void exits_elsewhere(struct kit *kit)
{
    bp_instance *instance;
    const struct kit_case *c;
    struct kit_exec exec;
    int status = 0;
    pid_t child;

    kit_open_usable(kit);
    instance = kit_instance(kit);
    c = kit_need_case(kit, instance);
    child = fork();
    if (child == 0) {
        static struct kit_graph *volatile graph; /* lives to the end, where leak checkers see it */
        pthread_t thread;

        graph = kit_ready(kit, &exec, instance, c, 0);
        (void)graph;
        kit_place(&exec, c, 1, 0);
        (void)kit_execute(&exec);
        if (pthread_create(&thread, NULL, end_process, NULL) != 0)
            _exit(0);
        pthread_join(thread, NULL);
        _exit(9);
    }
    if (child < 0 || waitpid(child, &status, 0) != child)
        kit_skip(kit, "no second process");
    if (WIFSIGNALED(status))
        kit_fail(kit, "exit on another thread ends in signal %d", WTERMSIG(status));
    if (!WIFEXITED(status) || WEXITSTATUS(status) != 0)
        kit_fail(kit, "exit on another thread ends with %d", WEXITSTATUS(status));
    kit->p.destroy(instance);
}

static void unloads(struct kit *kit)
{
    unsigned threads = entries("/proc/self/task");
    struct kit fresh = *kit;

    kit_open_usable(kit);
    if (!(kit->p.flags & BP_PROVIDER_UNLOADABLE))
        kit_skip(kit, "it does not say BP_PROVIDER_UNLOADABLE");
    for (int i = 0; i < 20; i++) {
        kit->p.destroy(kit_instance(kit));
        if (entries("/proc/self/task") != threads)
            kit_fail(kit, "it says that it is unloadable, but leaves threads");
        if (kit->module->teardown)
            kit->module->teardown();
        dlclose(kit->handle);
        kit->handle = dlopen(kit->path, RTLD_NOW | RTLD_LOCAL | RTLD_NOLOAD);
        if (kit->handle)
            kit_fail(kit, "it says that it is unloadable, but stays mapped");
        kit->module = fresh.module;
        kit_open(kit);
    }
}

static const struct kit_test tests[] = {
    {"BPK-LIFE-01", "1000 instances come and go", "bp_provider.destroy", comes_and_goes},
    {"BPK-LIFE-02", "programs and frames give back all that they took", "bp_host.free", frees_all},
    {"BPK-LIFE-03", "freeing nothing is fine", "program_free, frame_free", null_is_fine},
    {"BPK-LIFE-04", "instances do not know each other", "bp_instance", two_instances},
    {"BPK-LIFE-05", "each allocation of the host may fail", "BP_E_NOMEM", kit_host_has_none},
    {"BPK-LIFE-06", "each malloc of create may fail", "BP_E_NOMEM", kit_malloc_has_none},
    {"BPK-LIFE-07", "the process may exit on any thread", "abi.h: no exit crosses",
     exits_elsewhere},
    {"BPK-LIFE-08", "what says that it can be unloaded can be", "BP_PROVIDER_UNLOADABLE", unloads},
    {"BPK-LIFE-09", "each malloc of a device's calls may fail", "bp_device_ops, BP_E_NOMEM",
     kit_device_calls_have_none},
    {"BPK-LIFE-10", "a device that is full says so at every step",
     "bp_device_ops.alloc, BP_E_NOMEM", kit_device_is_full},
    {"BPK-LIFE-11", "cycles of create, compile, run and destroy leave nothing behind",
     "program_free, frame_free, destroy", cycles_leave_nothing},
    {"BPK-LIFE-12", "what it says that it holds is so, and a trim frees caches",
     "bp_provider.memory, trim", says_what_it_holds},
};

const struct kit_group kit_life = {"LIFE", tests, sizeof tests / sizeof tests[0]};
