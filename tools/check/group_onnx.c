/* SPDX-License-Identifier: MIT */
/*
 * group_onnx.c - ONNX: the ONNX project's own tests of operators, those that are one node. apart.c has each
 * test here run for KIT_ONNX_AT_ONCE of them, from number kit->seed on, and goes on after one that fails.
 */

#include "config.h"

#include <stdlib.h>

#include "check/graph.h"
#include "check/group_onnx.h"
#include "check/onnx/model.h"
#include "onnx/tests.h"

static struct {
    char **dirs, **names;
    uint32_t n;
} found;

static void add(void *user, const char *dir, const char *name)
{
    (void)user;
    found.dirs = realloc(found.dirs, (found.n + 1) * sizeof *found.dirs);
    found.names = realloc(found.names, (found.n + 1) * sizeof *found.names);
    if (!found.dirs || !found.names)
        abort();
    found.dirs[found.n] = strdup(dir);
    found.names[found.n] = strdup(name);
    if (!found.dirs[found.n] || !found.names[found.n])
        abort();
    found.n++;
}

bool kit_onnx_find(const char *dir)
{
    char *bad = NULL;
    int failed = tests_find(dir, add, NULL, &bad);

    if (failed != 0)
        fprintf(stderr, "backplane-check: error: %s: %s\n", bad ? bad : dir, strerror(failed));
    else if (found.n == 0)
        fprintf(stderr,
                "backplane-check: error: %s: there is no test in it, which is a directory with a "
                "model.onnx\n",
                dir);
    free(bad);
    return failed == 0 && found.n > 0;
}

uint32_t kit_onnx_count(void)
{
    return found.n;
}

const char *kit_onnx_name(uint32_t i)
{
    return found.names[i];
}

/* All inputs but the first become initializers. False: there is none that could. */
static bool make_constant(struct kit_case *c)
{
    bool is_changed = false, has_fed = false;

    for (uint32_t i = 0; i < c->n_in; i++) {
        if (!kit_is_fed(&c->in[i]))
            continue;
        if (has_fed)
            c->in[i].role = KIT_CONSTANT;
        is_changed = is_changed || has_fed;
        has_fed = true;
    }
    return is_changed;
}

static void run_one(struct kit *kit, bp_instance *instance, uint32_t i, bool is_constant,
                    uint32_t flags)
{
    static struct kit_onnx onnx; /* not on the stack, which longjmp may leave in disorder */

    kit->doing = found.names[i];
    kit_onnx_finish(&onnx); /* of a test that failed in this process */
    kit_onnx_read(found.dirs[i], found.names[i], &onnx);
    if (!onnx.why[0] && (!is_constant || make_constant(&onnx.c))) {
        kit->outcome->n_cases++;
        if (kit_takes(kit, instance, &onnx.c, flags)) {
            kit_run_case(kit, instance, &onnx.c, flags, 0);
            kit_settle(kit);
            kit->outcome->n_ran++;
        }
    }
    kit_onnx_finish(&onnx);
}

void kit_onnx_list(struct kit *kit, bp_instance *instance)
{
    for (uint32_t i = 0; i < found.n; i++) {
        struct kit_onnx onnx;

        kit_onnx_read(found.dirs[i], found.names[i], &onnx);
        if (onnx.why[0])
            printf("not run  %s: %s\n", found.names[i], onnx.why);
        else
            kit_list_refusal(kit, instance, &onnx.c);
        kit_onnx_finish(&onnx);
    }
}

static void run_some(struct kit *kit, bool is_constant, uint32_t flags)
{
    uint32_t end = kit->seed + KIT_ONNX_AT_ONCE < found.n ? kit->seed + KIT_ONNX_AT_ONCE : found.n;
    bp_instance *instance;

    kit->outcome->at = kit->seed;
    instance = kit_begin(kit);
    kit->host.may_allocate = true; /* scales and axes are fed here; RUN-01 is about allocations */
    for (uint32_t i = kit->seed; i < end; i++) {
        kit->outcome->at = i;
        run_one(kit, instance, i, is_constant, flags);
    }
    kit->p.destroy(instance);
    kit_settle(kit);
    kit->outcome->at = end;
}

static void fed(struct kit *kit)
{
    run_some(kit, false, 0);
}

static void constant(struct kit *kit)
{
    run_some(kit, true, 0);
}

static void dynamic(struct kit *kit)
{
    run_some(kit, false, KIT_DYNAMIC);
}

static const struct kit_test tests[] = {
    {"BPK-ONNX-01", "ONNX's own tests of operators", "ONNX operators", fed},
    {"BPK-ONNX-02", "ONNX's own tests, all inputs but the first as initializers",
     "ONNX operators; bp_host.constant", constant},
    {"BPK-ONNX-03", "ONNX's own tests, with sizes that only the frame knows",
     "ONNX operators; bp_provider.frame_create", dynamic},
};

const struct kit_group kit_onnx_group = {"ONNX", tests, sizeof tests / sizeof tests[0]};
