/* SPDX-License-Identifier: MIT */
/* open.c - maps a plug-in, calls its entry point, and makes instances with its options. */

#include "config.h"

#include <dlfcn.h>
#include <errno.h>
#include <stdarg.h>
#include <stdlib.h>
#include <strings.h>

#include "check/cases/case.h"
#include "check/guard.h"

void kit_settle(struct kit *kit)
{
    if (kit->host.broken)
        kit_fail(kit, "%s", kit->host.broken);
}

/* ---- opening --------------------------------------------------------------------------------- */

bp_rc kit_is_available(struct kit *kit, bp_avail *out, bp_err *err)
{
    bp_rc rc;

    kit->outcome->stage = KIT_AVAILABLE;
    rc = kit->p.is_available(&kit->host.table, out, err);
    kit->outcome->stage = KIT_BEYOND;
    return rc;
}

void kit_map(struct kit *kit)
{
    void *symbol;

    kit->outcome->stage = KIT_LOADING;
    kit->handle = dlopen(kit->path, RTLD_NOW | RTLD_LOCAL);
    kit->outcome->stage = KIT_BEYOND;
    if (!kit->handle)
        kit_fail(kit, "%s", dlerror());
    symbol = dlsym(kit->handle, BP_ENTRY_SYMBOL);
    if (!symbol)
        kit_fail(kit, "no symbol %s", BP_ENTRY_SYMBOL);
    memcpy(&kit->entry, &symbol, sizeof kit->entry);
    kit_host_init(&kit->host, kit->path);
}

/* The slots without which nothing can be tested. */
static bool is_complete(const bp_provider *p)
{
    return p->id && p->name && p->version && p->create && p->destroy && p->capability &&
           p->compile && p->program_free && p->frame_create && p->frame_free && p->execute &&
           (p->options || p->n_options == 0) &&
           (!p->dev || (p->dev->alloc && p->dev->free && p->dev->copy));
}

static const bp_provider *choose(const struct kit *kit)
{
    for (uint32_t i = 0; i < kit->module->n_providers; i++) {
        const bp_provider *p = kit->module->providers[i];

        if (!kit->provider || (p->name && strcmp(p->name, kit->provider) == 0))
            return p;
    }
    return NULL;
}

void kit_open(struct kit *kit)
{
    const bp_provider *theirs;
    bp_rc rc;

    kit_map(kit);
    kit->outcome->stage = KIT_ENTRY;
    rc = kit->entry(&kit->host.table, &kit->module, kit_err(kit));
    kit->outcome->stage = KIT_BEYOND;
    if (rc < 0)
        kit_fail(kit, "the entry refuses a host of ABI %u.%u with %d: %s", BP_ABI_MAJOR,
                 BP_ABI_MINOR, (int)rc, kit->words);
    if (!kit->module)
        kit_fail(kit, "the entry succeeds but gives no module");
    if (kit->module->magic != BP_MAGIC || kit->module->abi_major != BP_ABI_MAJOR ||
        kit->module->struct_size < BP_LEAST_MODULE)
        kit_fail(kit, "module: magic 0x%08x, ABI %u.%u, %u bytes; the kit speaks 0x%08x, %u.%u, %u",
                 (unsigned)kit->module->magic, kit->module->abi_major, kit->module->abi_minor,
                 (unsigned)kit->module->struct_size, BP_MAGIC, BP_ABI_MAJOR, BP_ABI_MINOR,
                 (unsigned)BP_LEAST_MODULE);
    if (kit->module->n_providers == 0 || !kit->module->providers)
        kit_fail(kit, "the module holds no provider");
    theirs = choose(kit);
    if (!theirs)
        kit_fail(kit, "there is no provider '%s' in it", kit->provider ? kit->provider : "");
    if (theirs->struct_size < BP_LEAST_PROVIDER)
        kit_fail(kit, "the provider table has %u bytes; ABI 1.0 has %u",
                 (unsigned)theirs->struct_size, (unsigned)BP_LEAST_PROVIDER);
    bp_copy_in(&kit->p, sizeof kit->p, theirs);
    if (kit->p.dev) {
        bp_copy_in(&kit->dev, sizeof kit->dev, kit->p.dev);
        kit->p.dev = &kit->dev;
    }
    if (!is_complete(&kit->p))
        kit_fail(kit, "the provider table lacks a required slot");
    if (kit->p.flags & BP_PROVIDER_NHWC)
        kit_cases_channels_last();
}

void kit_open_usable(struct kit *kit)
{
    char reason[256] = "", fix[256] = "";
    bp_avail avail;

    kit_open(kit);
    if (!kit->p.is_available)
        return;
    memset(&avail, 0, sizeof avail);
    avail.struct_size = sizeof avail;
    avail.reason = reason;
    avail.reason_cap = sizeof reason;
    avail.fix = fix;
    avail.fix_cap = sizeof fix;
    if (kit_is_available(kit, &avail, kit_err(kit)) < 0 || avail.state != BP_AVAIL_YES)
        kit_skip(kit, "not usable here: %s", reason[0] ? reason : kit->words);
}

/* ---- options --------------------------------------------------------------------------------- */

const bp_option *kit_option(const struct kit *kit, uint32_t i)
{
    return BP_AT(bp_option, kit->p.options, kit->p.option_stride, i);
}

static bool parse_bool(const char *text, bp_opt *out)
{
    static const char *const words[] = {"0", "1", "false", "true", "off", "on", "no", "yes"};

    for (size_t i = 0; i < sizeof words / sizeof words[0]; i++) {
        if (strcasecmp(text, words[i]) == 0) {
            out->i = i % 2;
            out->str = out->i ? "true" : "false";
            return true;
        }
    }
    return false;
}

/* Parses an integer with an optional suffix K, M, G or T; its canonical text has digits only. */
static bool parse_integer(const char *text, bp_opt *out)
{
    static const char units[] = "KMGT";
    static char digits[64][24]; /* of as many options; texts live as long as the test */
    static unsigned next;
    const char *unit;
    char *end;

    out->i = strtoll(text, &end, 10);
    if (end == text || errno)
        return false;
    if (!*end)
        return true;
    unit = strchr(units, *end);
    if (!unit || end[1])
        return false;
    for (const char *u = units; u <= unit; u++) {
        if (out->i > INT64_MAX / 1024 || out->i < INT64_MIN / 1024)
            return false;
        out->i *= 1024;
    }
    next = (next + 1) % 64;
    snprintf(digits[next], sizeof digits[next], "%lld", (long long)out->i);
    out->str = digits[next];
    return true;
}

static bool parse_number(const bp_option *option, const char *text, bp_opt *out)
{
    char *end;

    errno = 0;
    if (option->type == BP_OPT_INT) {
        if (!parse_integer(text, out))
            return false;
        out->f = (double)out->i;
    } else {
        out->f = strtod(text, &end);
        if (end == text || *end || errno)
            return false;
    }
    return option->min >= option->max || (out->f >= option->min && out->f <= option->max);
}

static bool parse_choice(const bp_option *option, const char *text, bp_opt *out)
{
    for (uint32_t i = 0; i < option->n_choices; i++) {
        if (strcmp(option->choices[i], text) == 0) {
            out->i = i;
            return true;
        }
    }
    return false;
}

bool kit_parse(const bp_option *option, const char *text, bp_opt *out)
{
    memset(out, 0, sizeof *out);
    out->key = option->key;
    out->str = text;
    switch (option->type) {
    case BP_OPT_STRING:
        return true;
    case BP_OPT_INT:
    case BP_OPT_FLOAT:
        return parse_number(option, text, out);
    case BP_OPT_BOOL:
        return parse_bool(text, out);
    case BP_OPT_CHOICE:
        return parse_choice(option, text, out);
    default:
        return false;
    }
}

/* What the user gives, else the default; of an option without one the least of its kind. */
static const char *some_value(const struct kit *kit, const bp_option *option)
{
    for (uint32_t i = 0; i < kit->n_given; i++) {
        if (strcmp(kit->given[i].key, option->key) == 0)
            return kit->given[i].text;
    }
    if (option->def)
        return option->def;
    if (option->type == BP_OPT_CHOICE)
        return option->choices[0];
    return option->type == BP_OPT_STRING ? "kit" : "1";
}

bp_opt *kit_option_values(struct kit *kit, uint32_t row, const char *text)
{
    bp_opt *opts = calloc(kit->p.n_options + 1u, sizeof *opts);

    if (!opts)
        abort();
    for (uint32_t i = 0; i < kit->p.n_options; i++) {
        const bp_option *option = kit_option(kit, i);
        const char *value = i == row ? text : some_value(kit, option);

        if (!kit_parse(option, value, &opts[i])) {
            free(opts);
            kit_skip(kit, "option '%s': '%s' is not a valid value (BPK-OPTIONS-02)", option->key,
                     value);
        }
    }
    return opts;
}

static const bp_option *find_option(const struct kit *kit, const char *key)
{
    for (uint32_t i = 0; i < kit->p.n_options; i++) {
        if (strcmp(kit_option(kit, i)->key, key) == 0)
            return kit_option(kit, i);
    }
    return NULL;
}

void kit_check_given(struct kit *kit)
{
    kit_open(kit);
    for (uint32_t i = 0; i < kit->n_given; i++) {
        const struct kit_given *given = &kit->given[i];
        const bp_option *option = find_option(kit, given->key);
        bp_opt value;

        if (!option)
            kit_warn(kit, "provider '%s' has no option '%s'", kit->p.name, given->key);
        if (!kit_parse(option, given->text, &value))
            kit_warn(kit, "provider '%s', option '%s': '%s' is not a valid value", kit->p.name,
                     given->key, given->text);
    }
}

/* create() with defaults, but for one row (BP_NONE: none). */
static bp_rc create(struct kit *kit, uint32_t row, const char *text, const uint32_t *devs,
                    uint32_t n_devs, bp_instance **out)
{
    bp_opt *opts = kit_option_values(kit, row, text);
    bp_rc rc;

    *out = NULL;
    kit->outcome->stage = KIT_CREATE;
    rc = kit->p.create(&kit->host.table, opts, kit->p.n_options, devs, n_devs, out, kit_err(kit));
    kit->outcome->stage = KIT_BEYOND;
    free(opts); /* what create() wants to keep, it copied */
    return rc;
}

bp_rc kit_create(struct kit *kit, uint32_t row, const char *text, bp_instance **out)
{
    return create(kit, row, text, NULL, 0, out);
}

bp_rc kit_create_on(struct kit *kit, uint32_t device, bp_instance **out)
{
    return create(kit, BP_NONE, NULL, &device, 1, out);
}

bp_instance *kit_instance(struct kit *kit)
{
    bp_instance *instance;
    bp_rc rc = kit_create(kit, BP_NONE, NULL, &instance);

    if (rc < 0)
        kit_fail(kit, "create with default options gives %d: %s", (int)rc, kit->words);
    if (!instance)
        kit_fail(kit, "create succeeds without an instance");
    return instance;
}

/* A copy of a text at *at, which moves past it. */
static const char *move_text(char **at, const char *text)
{
    char *copy = *at;
    size_t n = text ? strlen(text) + 1 : 0;

    if (!text)
        return NULL;
    memcpy(copy, text, n);
    *at += n;
    return copy;
}

bp_instance *kit_instance_without_texts(struct kit *kit)
{
    bp_opt *opts = kit_option_values(kit, BP_NONE, NULL), *moved;
    size_t n = kit->p.n_options * sizeof *opts + 1, mapped;
    bp_instance *instance = NULL;
    void *data, *block;
    char *at;
    bp_rc rc;

    for (uint32_t i = 0; i < kit->p.n_options; i++)
        n += strlen(opts[i].key) + strlen(opts[i].str ? opts[i].str : "") + 2;
    block = kit_map_after(n, &data, &mapped);
    (void)block; /* stays, as long as the process */
    moved = data;
    at = (char *)(moved + kit->p.n_options);
    for (uint32_t i = 0; i < kit->p.n_options; i++) {
        moved[i] = opts[i];
        moved[i].key = move_text(&at, opts[i].key);
        moved[i].str = move_text(&at, opts[i].str);
    }
    rc = kit->p.create(&kit->host.table, moved, kit->p.n_options, NULL, 0, &instance, kit_err(kit));
    kit_guard_add(data, n, "options that were lent for create", -1, false);
    kit_forbid(data, n);
    free(opts);
    if (rc < 0 || !instance)
        kit_fail(kit, "create with default options gives %d: %s", (int)rc, kit->words);
    return instance;
}
