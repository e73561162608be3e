/* SPDX-License-Identifier: MIT */
/*
 * group_process.c - PROCESS: the process is the application's. Each call of a plug-in leaves it as it
 * was: modes of floating point, signals, limits, output and the rest. Only threads and descriptors may
 * come with an instance, and go with it.
 */

#include "config.h"

#include <unistd.h>

#include "check/graph.h"
#include "check/process/surroundings.h"

static struct kit_surroundings before, after;

/* Looks again after a call; what changed is its doing. */
static void leaves(struct kit *kit, unsigned parts, const char *call)
{
    kit_look(&after);
    kit_compare(kit, &before, &after, parts, call);
    before = after;
}

/* One case from compile to the end of its program. */
static void run_one(struct kit *kit, bp_instance *instance, const struct kit_case *c,
                    unsigned parts)
{
    struct kit_graph *graph = kit_graph_new();
    struct kit_answers answers;
    const bp_graph *table;
    struct kit_exec exec;

    kit_graph_add(graph, c, 0);
    table = kit_graph_table(graph, false);
    kit_ask(kit, instance, table, &answers);
    leaves(kit, parts, "capability");
    if (kit_compile(kit, &exec, instance, table) < 0)
        kit_fail(kit, "%s: taken, but compile says: %s", c->name, kit->words);
    leaves(kit, parts, "compile");
    if (kit_frame(&exec, table, c) < 0)
        kit_fail(kit, "%s: taken, but frame_create says: %s", c->name, kit->words);
    leaves(kit, parts, "frame_create");
    kit_place(&exec, c, 1, 0);
    kit_execute_well(&exec, c);
    leaves(kit, parts, "execute");
    kit_check(&exec, c, c->name);
    kit_exec_finish(&exec);
    leaves(kit, parts, "frame_free or program_free");
    kit_graph_free(graph);
}

/* All that a provider is for, with a look after each call. */
static void whole_life(struct kit *kit, unsigned parts)
{
    bp_instance *instance;
    unsigned n = 0;

    kit_open_usable(kit);
    kit_look(&before);
    instance = kit_instance(kit);
    leaves(kit, parts, "create");
    for (const struct kit_case *c = kit_need_case(kit, instance); c;
         c = kit_next_taken(kit, instance, c + 1)) {
        leaves(kit, parts, "capability"); /* which looked for the case */
        run_one(kit, instance, c, parts);
        n++;
    }
    leaves(kit, parts, "capability");
    kit->p.destroy(instance);
    leaves(kit, parts, "destroy");
    kit_note(kit, "%u programs", n);
}

static void floats(struct kit *kit)
{
    whole_life(kit, KIT_OF_FLOATS);
}

static void signals(struct kit *kit)
{
    whole_life(kit, KIT_OF_SIGNALS);
}

static void place(struct kit *kit)
{
    whole_life(kit, KIT_OF_PLACE);
}

static void limits(struct kit *kit)
{
    whole_life(kit, KIT_OF_LIMITS);
}

static void no_children(struct kit *kit)
{
    whole_life(kit, KIT_OF_CHILDREN);
}

/* Everything else of the test's own goes through memory, so that only the plug-in writes here. */
static void no_output(struct kit *kit)
{
    if (kit->in_process)
        kit_skip(kit, "standard output is the kit's own in this process");
    if (!kit_catch_output())
        kit_skip(kit, "standard output cannot be caught here");
    whole_life(kit, KIT_OF_OUTPUT);
}

static void no_exit_handlers(struct kit *kit)
{
    kit_watch_exit_handlers(kit->path);
    whole_life(kit, KIT_OF_EXIT);
}

static const struct kit_test tests[] = {
    {"BPK-PROCESS-01", "rounding and flush-to-zero modes stay", "bp-provider(7), The process",
     floats},
    {"BPK-PROCESS-02", "signals, their stack and timers stay", "bp-provider(7), The process",
     signals},
    {"BPK-PROCESS-03", "locale, directory, environment and umask stay",
     "bp-provider(7), The process", place},
    {"BPK-PROCESS-04", "priority, limits and affinity stay", "bp-provider(7), The process", limits},
    {"BPK-PROCESS-05", "no child process is left", "bp-provider(7), The process", no_children},
    {"BPK-PROCESS-06", "nothing is written to standard output or error", "bp_host.log", no_output},
    {"BPK-PROCESS-07", "no handler waits for the process to exit", "bp-provider(7), The process",
     no_exit_handlers},
};

const struct kit_group kit_process = {"PROCESS", tests, sizeof tests / sizeof tests[0]};
