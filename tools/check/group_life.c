/* SPDX-License-Identifier: MIT */
/* group_life.c - LIFE: coming and going, with and without memory. */

#include "config.h"

#include <dirent.h>
#include <dlfcn.h>
#include <pthread.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

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
};

const struct kit_group kit_life = {"LIFE", tests, sizeof tests / sizeof tests[0]};
