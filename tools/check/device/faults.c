/* SPDX-License-Identifier: MIT */
/*
 * faults.c - of DEVICE: a device that fails. The ABI cannot make one fail, so a variable of the
 * environment does: by default that of libbp-sim, else the one that --device-fault gives.
 */

#include "config.h"

#include <stdlib.h>

#include "check/device/device.h"
#include "check/starved.h"

enum { N_TIMES = 8, DEADLINE_NS = 60 };

/* How a run waits for the device. */
enum manner_of_waiting { FOR_EVER, IN_SLICES, IN_THE_CALLS, N_MANNERS };

static const char *const manners[N_MANNERS] = {
    "a wait without a limit",
    "a wait with a limit",
    "a call without a stream",
};

/* A device that fails, and what came of it. */
struct failing {
    struct kit *kit;
    char how[256];       /* "BP_SIM_FAIL=late:3" */
    unsigned n_reported; /* failures that a call returned */
};

static void set_fault(struct failing *failing, const struct kit_given *fault)
{
    snprintf(failing->how, sizeof failing->how, "%s=%s", fault->key, fault->text);
    if (setenv(fault->key, fault->text, 1) != 0)
        abort();
}

/* A failure has a code of its own and words. */
static void check_report(struct failing *failing, bp_rc rc, const char *what)
{
    if (rc == BP_E_TIMEOUT || rc == BP_E_CANCELLED)
        kit_fail(failing->kit,
                 "%s: %s: a failure of the device gives %d, as a run that was stopped",
                 failing->how, what, (int)rc);
    if (!failing->kit->words[0] && rc != BP_E_NOMEM) /* LIFE has tests of those words */
        kit_fail(failing->kit, "%s: %s: a failure of the device gives %d without a word",
                 failing->how, what, (int)rc);
    failing->n_reported++;
}

/* One run. Where all calls succeed, the result has to be right. */
static bp_rc run_once(struct failing *failing, struct kit_exec *exec, const struct kit_case *c,
                      enum manner_of_waiting manner)
{
    struct kit *kit = failing->kit;
    char what[512];
    bp_rc rc;

    if (manner == IN_THE_CALLS)
        kit_stream_close(exec);
    if (manner == IN_SLICES)
        exec->run->deadline_ns =
            kit->host.table.now_ns(kit->host.table.h) + DEADLINE_NS * INT64_C(1000000000);
    kit_place(exec, c, 1, 0);
    rc = kit_execute(exec);
    if (rc > 0)
        kit_fail(kit, "%s: %s: without a stream execute gives BP_PENDING", failing->how, c->name);
    if (rc < 0)
        return rc;
    snprintf(what, sizeof what, "%s: %s: %s reports no failure", failing->how, c->name,
             manners[manner]);
    kit_check(exec, c, what);
    return rc;
}

/* From create to destroy, as any of these calls may report the failure. */
static void live(struct failing *failing, const struct kit_case *c, enum manner_of_waiting manner)
{
    struct kit *kit = failing->kit;
    struct kit_graph *graph = kit_graph_new();
    const bp_graph *table;
    struct kit_exec exec = {.kit = kit};
    bp_instance *instance = NULL;
    bp_rc rc = kit_create(kit, BP_NONE, NULL, &instance);

    kit_graph_add(graph, c, 0);
    table = kit_graph_table(graph, false);
    if (rc >= 0)
        rc = kit_compile(kit, &exec, instance, table);
    if (rc >= 0)
        rc = kit_frame(&exec, table, c);
    if (rc >= 0)
        rc = run_once(failing, &exec, c, manner);
    if (rc < 0)
        check_report(failing, rc, c->name);
    kit_exec_finish(&exec);
    kit_graph_free(graph);
    if (instance)
        kit->p.destroy(instance);
    kit_nothing_is_left(kit, failing->how);
}

/* A case without weights and one with, which compile may have to copy. */
enum { N_CASES = 2 };

/* false: create has reported the failure, so that there is nothing to run. */
static bool choose_cases(struct failing *failing, const struct kit_case *out[N_CASES])
{
    struct kit *kit = failing->kit;
    bp_instance *instance = NULL;
    bp_rc rc = kit_create(kit, BP_NONE, NULL, &instance);

    if (rc < 0) {
        check_report(failing, rc, "create");
        return false;
    }
    out[0] = kit_need_case(kit, instance);
    out[1] = NULL;
    for (const struct kit_case *c = out[0]; c && !out[1];
         c = kit_next_taken(kit, instance, c + 1)) {
        for (uint32_t i = 0; i < c->n_in; i++) {
            if (!kit_is_fed(&c->in[i]) && !c->in[i].is_absent)
                out[1] = c;
        }
    }
    kit->p.destroy(instance);
    return true;
}

/* Lets the device fail in one way. */
static void fail_so(struct failing *failing, const struct kit_case *const cases[N_CASES],
                    const struct kit_given *fault)
{
    set_fault(failing, fault);
    for (int i = 0; i < N_CASES && cases[i]; i++) {
        for (enum manner_of_waiting manner = 0; manner < N_MANNERS; manner++) {
            if (failing->kit->p.dev->stream_create || manner == IN_THE_CALLS)
                live(failing, cases[i], manner);
        }
    }
}

/* Each kind of failure: at every time; then, if there is any, at the first alone, at the second... */
static void fail_in_sim(struct failing *failing, const struct kit_case *const cases[N_CASES])
{
    static const char *const kinds[] = {"late", "copy", "launch"};
    char text[32];
    const struct kit_given fault = {"BP_SIM_FAIL", text};

    for (size_t i = 0; i < sizeof kinds / sizeof kinds[0]; i++) {
        unsigned before = failing->n_reported;

        snprintf(text, sizeof text, "%s", kinds[i]);
        fail_so(failing, cases, &fault);
        for (int n = 1; n <= N_TIMES && failing->n_reported > before; n++) {
            snprintf(text, sizeof text, "%s:%d", kinds[i], n);
            fail_so(failing, cases, &fault);
        }
    }
}

void kit_device_fails(struct kit *kit)
{
    const struct kit_case *cases[N_CASES];
    struct failing failing = {.kit = kit};

    if (kit->fault.key) /* a vendor's library may read it when it is loaded */
        set_fault(&failing, &kit->fault);
    kit_need_memory(kit);
    if (choose_cases(&failing, cases) && kit->fault.key)
        fail_so(&failing, cases, &kit->fault);
    else if (!kit->fault.key)
        fail_in_sim(&failing, cases);
    if (failing.n_reported == 0 && kit->fault.key)
        kit_skip(kit, "with %s its device does not fail", failing.how);
    if (failing.n_reported == 0)
        kit_skip(kit, "it has no libbp-sim, whose devices fail on demand; --device-fault names "
                      "another way");
    kit_note(kit, "%u failures, each reported", failing.n_reported);
}
