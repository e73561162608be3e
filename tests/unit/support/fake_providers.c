/* SPDX-License-Identifier: MIT */
/* fake_providers.c - providers that answer by the names of nodes; see fake_providers.h. */

#include "config.h"

#include "support/fake_providers.h"

#include <check.h>

#include "text/text.h"

static bp_rc capability(bp_instance *instance, const bp_graph *g, const bp_claims *claims,
                        bp_err *err)
{
    bp_claim taken = {.struct_size = sizeof taken, .verdict = BP_YES, .cost = instance->cost};
    bp_claim in_group = {
        .struct_size = sizeof in_group, .verdict = BP_ONLY_IN_GROUP, .cost = instance->cost};

    for (uint32_t n = 0; n < g->n_nodes; n++) {
        char letter = BP_NODE(g, n)->name[0];

        taken.device = in_group.device = instance->second && strchr(instance->second, letter);
        if (instance->twice)
            bp_refuse(claims, n, BP_R_MEMORY, "device", "changed its mind");
        if (instance->only && strchr(instance->only, letter))
            claims->node(claims->h, n, &in_group);
        else if (strchr(instance->takes, letter))
            claims->node(claims->h, n, &taken);
        else if (letter != '_') /* about those it says nothing */
            bp_refuse(claims, n, BP_R_OP, BP_NODE(g, n)->op, "not this one");
    }
    for (uint32_t i = 0; i < instance->beyond; i++)
        bp_accept(claims, g->n_nodes + i);
    return instance->fails < 0 ? bp_fail(err, instance->fails, "fell silent") : BP_OK;
}

static const bp_provider provider = {.struct_size = sizeof provider, .capability = capability};

static const bp_device_ops memory = {.struct_size = sizeof memory};
static const bp_provider device = {
    .struct_size = sizeof device, .capability = capability, .dev = &memory};

void fakes_setup(struct fakes *t)
{
    memset(t, 0, sizeof *t);
    graphs_setup(&t->g);
}

void fakes_teardown(struct fakes *t)
{
    bp_region_finish(&t->region);
    graphs_teardown(&t->g);
}

struct bp_instance *fakes_add(struct fakes *t, const char *name, const char *takes)
{
    struct bp_instance *instance = &t->instances[t->n_asked];

    instance->takes = takes;
    t->asked[t->n_asked++] =
        (struct bp_asked){.provider = &provider, .instance = instance, .name = name};
    return instance;
}

struct bp_instance *fakes_add_device(struct fakes *t, const char *name, const char *takes)
{
    struct bp_instance *instance = fakes_add(t, name, takes);

    t->asked[t->n_asked - 1].provider = &device;
    return instance;
}

void fakes_partition(struct fakes *t)
{
    bp_rc rc = graphs_seal(&t->g);

    if (t->special)
        t->g.main->nodes[fakes_node(t, t->special)].schema = t->schema;
    if (rc >= 0)
        rc = bp_infer_start(t->g.main, NULL, &t->g.symbols, &t->region, &t->facts, &t->g.err);
    if (rc >= 0)
        rc = bp_infer_run(t->g.main, NULL, t->g.main->n_nodes, t->facts, &t->g.symbols, &t->region,
                          &t->g.err);
    if (rc >= 0)
        rc = bp_partition_create(t->g.main, t->facts, &t->g.symbols, t->asked, t->n_asked,
                                 &t->region, &t->part, t->failed, &t->g.err);
    ck_assert_msg(rc == BP_OK, "%s", t->g.words);
}

uint32_t fakes_node(const struct fakes *t, const char *name)
{
    for (uint32_t n = 0; n < t->g.main->n_nodes; n++) {
        if (strcmp(t->g.main->nodes[n].name, name) == 0)
            return n;
    }
    ck_abort_msg("no node '%s'", name);
    return BP_NONE;
}

const char *fakes_groups(const struct fakes *t)
{
    static char text[1024];
    size_t len = 0;

    text[0] = '\0';
    for (uint32_t g = 0; g < t->part.n_groups; g++) {
        for (uint32_t i = 0; i < t->part.groups[g].n_nodes && len < sizeof text; i++)
            len += (size_t)snprintf(text + len, sizeof text - len, "%s%s",
                                    i   ? " "
                                    : g ? "|"
                                        : "",
                                    t->g.main->nodes[t->part.groups[g].nodes[i]].name);
    }
    return text;
}
