/* SPDX-License-Identifier: MIT */
/* group_life.c - LIFE: coming and going, with and without memory. */

#include "config.h"

#include <dirent.h>
#include <dlfcn.h>
#include <pthread.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

#include "check/graph.h"

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

static void nothing_is_left(struct kit *kit, const char *when)
{
    kit_settle(kit);
    if (kit->host.live_blocks > 0)
        kit_fail(kit, "%s: %zu blocks of host memory, %zu bytes, are not freed", when,
                 kit->host.live_blocks, kit->host.live_bytes);
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
    nothing_is_left(kit, "after 1000 instances");
}

static void frees_all(struct kit *kit)
{
    bp_instance *instance;
    unsigned n = 0;

    kit_open_usable(kit);
    instance = kit_instance(kit);
    (void)kit_need_case(kit, instance);
    for (size_t i = 0; i < kit_n_cases; i++) {
        struct kit_exec exec;
        struct kit_graph *graph;

        if (!kit_takes(kit, instance, &kit_cases[i], 0))
            continue;
        graph = kit_ready(kit, &exec, instance, &kit_cases[i], 0);
        kit_place(&exec, &kit_cases[i], 1, 0);
        if (kit_execute(&exec) < 0)
            kit_fail(kit, "%s: %s", kit_cases[i].name, kit->words);
        kit_exec_finish(&exec);
        kit_graph_free(graph);
        n++;
    }
    kit->p.destroy(instance);
    nothing_is_left(kit, "after programs and frames");
    kit_note(kit, "%u programs", n);
}

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
    nothing_is_left(kit, "after two instances");
}

/* ---- no memory ------------------------------------------------------------------------------- */

/* Everything from create to destroy, of which any step may say that there is no memory. */
static bp_rc whole_life(struct kit *kit, const struct kit_case *c, bool *ran)
{
    struct kit_graph *graph = kit_graph_new();
    const bp_graph *table;
    bp_instance *instance = NULL;
    struct kit_exec exec;
    bp_rc rc;

    memset(&exec, 0, sizeof exec);
    exec.kit = kit;
    kit_graph_add(graph, c, 0);
    table = kit_graph_table(graph, false);
    rc = kit_create(kit, BP_NONE, NULL, &instance);
    if (rc >= 0)
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
    if (instance)
        kit->p.destroy(instance);
    kit_graph_free(graph);
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

static void check_starved(struct kit *kit, bp_rc rc, bool ran, unsigned n)
{
    if (rc < 0 && rc != BP_E_NOMEM)
        kit_fail(kit, "without memory at allocation %u it gives %d, not BP_E_NOMEM: %s", n, (int)rc,
                 kit->words);
    if (rc >= 0 && !ran)
        kit_fail(kit, "without memory at allocation %u it neither ran nor said so", n);
    nothing_is_left(kit, "after a failed allocation");
}

static void host_has_none(struct kit *kit)
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

/* Only what the plug-in itself asks of malloc fails: the kit's own calls are paused by their makers. */
static void malloc_has_none(struct kit *kit)
{
    const struct kit_case *c = case_to_starve(kit);
    bp_instance *instance;
    unsigned n = 1;

    if (!kit_alloc_works())
        kit_skip(kit, "allocations cannot be made to fail in this build");
    for (; n < 1000; n++) {
        bp_opt *opts = calloc(kit->p.n_options + 1u, sizeof *opts);
        bp_rc rc;

        for (uint32_t i = 0; i < kit->p.n_options; i++) {
            if (!kit_parse(kit_option(kit, i),
                           kit_option(kit, i)->def ? kit_option(kit, i)->def : "1", &opts[i]))
                kit_skip(kit, "option '%s' has no default", kit_option(kit, i)->key);
        }
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
        nothing_is_left(kit, "after a failed malloc");
    }
    (void)c;
    kit_note(kit, "%u allocations of create, each failed once", n - 1);
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
    {"BPK-LIFE-05", "each allocation of the host may fail", "BP_E_NOMEM", host_has_none},
    {"BPK-LIFE-06", "each malloc of create may fail", "BP_E_NOMEM", malloc_has_none},
    {"BPK-LIFE-07", "the process may exit on any thread", "abi.h: no exit crosses",
     exits_elsewhere},
    {"BPK-LIFE-08", "what says that it can be unloaded can be", "BP_PROVIDER_UNLOADABLE", unloads},
};

const struct kit_group kit_life = {"LIFE", tests, sizeof tests / sizeof tests[0]};
