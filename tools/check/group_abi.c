/* SPDX-License-Identifier: MIT */
/* group_abi.c - ABI: versions, sizes and flags in both directions. */

#include "config.h"

#include <ctype.h>
#include <stdlib.h>

#include "check/graph.h"

static void module_table(struct kit *kit)
{
    kit_open(kit);
    if (kit->module->struct_size > 65536)
        kit_fail(kit, "the module table says %u bytes", (unsigned)kit->module->struct_size);
    if (kit->module->flags & BP_CRITICAL)
        kit_fail(kit, "the module has critical flags 0x%08x, which ABI %u.%u does not know",
                 (unsigned)(kit->module->flags & BP_CRITICAL), BP_ABI_MAJOR, BP_ABI_MINOR);
    if (kit->module->reserved0 != 0)
        kit_fail(kit, "bp_module.reserved0 is not 0");
    if (kit->module->n_providers > 64)
        kit_fail(kit, "%u providers; a host takes 64", (unsigned)kit->module->n_providers);
}

static bool is_dotted(const char *text)
{
    return isdigit((unsigned char)text[0]) && strspn(text, "0123456789.") == strlen(text);
}

static void provider_table(struct kit *kit)
{
    const bp_provider *p = &kit->p;

    kit_open(kit);
    if (p->flags & BP_CRITICAL)
        kit_fail(kit, "critical flags 0x%08x, which ABI %u.%u does not know",
                 (unsigned)(p->flags & BP_CRITICAL), BP_ABI_MAJOR, BP_ABI_MINOR);
    if (!strchr(p->id, '.') || strchr(p->id, ' '))
        kit_fail(kit, "id '%s' is not a domain name backwards", p->id);
    if (p->name[0] == '\0' || strlen(p->name) > 31 ||
        strspn(p->name, "abcdefghijklmnopqrstuvwxyz0123456789_-") != strlen(p->name))
        kit_fail(kit, "name '%s': small letters, digits, _ and -, 31 at most", p->name);
    if (p->n_options > 0 && p->option_stride < sizeof(bp_option))
        kit_fail(kit, "option_stride is %u, a row has %u bytes", (unsigned)p->option_stride,
                 (unsigned)sizeof(bp_option));
    if (p->save && !p->load)
        kit_fail(kit, "save without load");
    if (!is_dotted(p->version))
        kit_warn(kit, "version '%s' is not integers with dots between", p->version);
}

/* A host with slots that do not exist yet. */
static void newer_host(struct kit *kit)
{
    struct {
        bp_host table;
        void *later[8];
    } host;
    const bp_module *module = NULL;
    bp_rc rc;

    kit_map(kit);
    memset(&host, 0x5a, sizeof host);
    host.table = kit->host.table;
    host.table.struct_size = sizeof host;
    host.table.abi_minor = BP_ABI_MINOR + 8;
    rc = kit->entry(&host.table, &module, kit_err(kit));
    if (rc < 0 || !module)
        kit_fail(kit, "it refuses a host of ABI %u.%u with 8 more slots: %s", BP_ABI_MAJOR,
                 BP_ABI_MINOR + 8, kit->words);
    kit_settle(kit);
}

static void other_major(struct kit *kit)
{
    const bp_module *module = NULL;
    char ours[16], theirs[16];
    bp_rc rc;

    kit_map(kit);
    kit->host.table.abi_major = 77;
    rc = kit->entry(&kit->host.table, &module, kit_err(kit));
    if (rc >= 0)
        kit_fail(kit, "it accepts a host of ABI 77.0");
    snprintf(ours, sizeof ours, "%u", 77U);
    snprintf(theirs, sizeof theirs, "%u", BP_ABI_MAJOR);
    if (rc != BP_E_VERSION)
        kit_fail(kit, "it refuses a host of ABI 77.0 with %d, not BP_E_VERSION", (int)rc);
    if (!strstr(kit->words, ours) || !strstr(kit->words, theirs))
        kit_warn(kit, "its refusal does not name both versions: %s", kit->words);
}

static void wrong_magic(struct kit *kit)
{
    const bp_module *module = NULL;

    kit_map(kit);
    kit->host.table.magic = 0x2badc0de;
    if (kit->entry(&kit->host.table, &module, kit_err(kit)) >= 0)
        kit_fail(kit, "it accepts a table whose magic is not BP_MAGIC");
}

static void critical_host_flag(struct kit *kit)
{
    const bp_module *module = NULL;
    bp_rc rc;

    kit_map(kit);
    kit->host.table.flags = 0x40000000;
    rc = kit->entry(&kit->host.table, &module, kit_err(kit));
    if (rc >= 0)
        kit_fail(kit, "it accepts a host with the undefined critical flag 0x40000000");
}

static void low_host_flag(struct kit *kit)
{
    const bp_module *module = NULL;

    kit_map(kit);
    kit->host.table.flags = 0x4000;
    if (kit->entry(&kit->host.table, &module, kit_err(kit)) < 0)
        kit_fail(kit, "it refuses a host with the flag 0x4000, which it may ignore: %s",
                 kit->words);
}

/* Buffers of every small size, and none at all. */
static void error_buffer(struct kit *kit)
{
    const bp_module *module = NULL;
    char text[64];
    bp_err err;

    kit_map(kit);
    kit->host.table.abi_major = 77;
    for (uint32_t cap = 0; cap <= 40; cap++) {
        memset(text, 0x5a, sizeof text);
        memset(&err, 0, sizeof err);
        err.struct_size = sizeof err;
        err.msg = text;
        err.msg_cap = cap;
        (void)kit->entry(&kit->host.table, &module, &err);
        for (size_t i = cap; i < sizeof text; i++) {
            if (text[i] != 0x5a)
                kit_fail(kit, "it wrote past the end of a bp_err's buffer of %u bytes",
                         (unsigned)cap);
        }
        if (cap > 0 && !memchr(text, 0, cap))
            kit_fail(kit, "its text in a buffer of %u bytes has no end", (unsigned)cap);
        if (err.msg_len >= (cap ? cap : 1))
            kit_fail(kit, "msg_len is %u in a buffer of %u", (unsigned)err.msg_len, (unsigned)cap);
    }
    err.msg = NULL;
    (void)kit->entry(&kit->host.table, &module, &err);
    (void)kit->entry(&kit->host.table, &module, NULL);
}

static void twice(struct kit *kit)
{
    const bp_module *again = NULL;

    kit_open(kit);
    if (kit->entry(&kit->host.table, &again, kit_err(kit)) < 0 || again != kit->module)
        kit_fail(kit, "a second call of the entry does not give the same module");
}

/* Rows that are farther apart than this header says, as a newer host's are. */
static void strides(struct kit *kit)
{
    const struct kit_case *c = NULL;
    struct kit_graph *graph = kit_graph_new_for(KIT_NODES);
    static struct kit_answers near, far;
    const bp_graph *table;
    struct kit_exec exec;
    bp_instance *instance;
    bp_rc rc;

    kit_open_usable(kit);
    instance = kit_instance(kit);
    for (size_t i = 0; i < kit_n_cases; i++)
        kit_graph_add(graph, &kit_cases[i], 0);
    kit_ask(kit, instance, kit_graph_table(graph, false), &near);
    kit_ask(kit, instance, kit_graph_table(graph, true), &far);
    if (memcmp(near.node, far.node, sizeof near.node) != 0)
        kit_fail(kit, "capability answers otherwise when the rows of a graph are wider");
    kit_graph_free(graph);
    c = kit_need_case(kit, instance);
    graph = kit_graph_new();
    kit_graph_add(graph, c, 0);
    table = kit_graph_table(graph, true); /* the program may keep it */
    rc = kit_compile(kit, &exec, instance, table);
    if (rc >= 0)
        rc = kit_frame(&exec, table, c);
    if (rc < 0)
        kit_fail(kit, "%s, with wider rows: %d: %s", c->name, (int)rc, kit->words);
    kit_place(&exec, c, 1, 0);
    rc = kit_execute(&exec);
    if (rc < 0)
        kit_fail(kit, "%s, with wider rows: %d: %s", c->name, (int)rc, kit->words);
    kit_check(&exec, c, "with wider rows");
    kit_exec_finish(&exec);
    kit_graph_free(graph);
    kit->p.destroy(instance);
    kit_settle(kit);
}

/* const is a promise. */
static void host_is_read_only(struct kit *kit)
{
    bp_host before;
    bp_instance *instance;

    kit_open_usable(kit);
    before = kit->host.table;
    instance = kit_instance(kit);
    kit->p.destroy(instance);
    if (memcmp(&before, &kit->host.table, sizeof before) != 0)
        kit_fail(kit, "it wrote to the host's table");
}

static const struct kit_test tests[] = {
    {"BPK-ABI-01", "the module table is in order", "bp_module", module_table},
    {"BPK-ABI-02", "the provider table is in order", "bp_provider", provider_table},
    {"BPK-ABI-03", "it runs under a newer host with unknown slots", "abi.h: tables only grow",
     newer_host},
    {"BPK-ABI-04", "it refuses a host of another major version, and names both versions",
     "bp_entry_fn", other_major},
    {"BPK-ABI-05", "it refuses a table without the magic", "bp_host.magic", wrong_magic},
    {"BPK-ABI-06", "it refuses an unknown critical flag", "BP_CRITICAL", critical_host_flag},
    {"BPK-ABI-07", "it ignores an unknown low flag", "BP_CRITICAL", low_host_flag},
    {"BPK-ABI-08", "errors stay within the caller's buffer; none is fine", "bp_err", error_buffer},
    {"BPK-ABI-09", "a second hello gives the same module", "bp_module: constant", twice},
    {"BPK-ABI-10", "it walks rows by their stride", "abi.h: arrays travel with a stride", strides},
    {"BPK-ABI-11", "it leaves the host's table alone", "bp_host", host_is_read_only},
};

const struct kit_group kit_abi = {"ABI", tests, sizeof tests / sizeof tests[0]};
