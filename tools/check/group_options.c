/* SPDX-License-Identifier: MIT */
/* group_options.c - OPTIONS and DOCS: a schema that can be read, kept and explained. */

#include "config.h"

#include <ctype.h>
#include <stdlib.h>

#include "check/graph.h"

static void need_options(struct kit *kit)
{
    kit_open(kit);
    if (kit->p.n_options == 0)
        kit_skip(kit, "it has no options");
}

static void check_key(struct kit *kit, uint32_t i)
{
    const char *key = kit_option(kit, i)->key;

    if (!key || !key[0])
        kit_fail(kit, "option row %u has no key", (unsigned)i);
    for (const char *p = key; *p; p++) {
        if (!islower((unsigned char)*p) && !isdigit((unsigned char)*p) && !strchr("_.-", *p))
            kit_fail(kit, "option key '%s': small letters, digits, _, . and - only", key);
    }
    for (uint32_t j = 0; j < i; j++) {
        if (strcmp(kit_option(kit, j)->key, key) == 0)
            kit_fail(kit, "option '%s' is there twice", key);
    }
}

static void check_row(struct kit *kit, const bp_option *o)
{
    if (o->struct_size < sizeof *o)
        kit_fail(kit, "option '%s': struct_size is %u, a row has %u", o->key,
                 (unsigned)o->struct_size, (unsigned)sizeof *o);
    if (o->type < BP_OPT_STRING || o->type > BP_OPT_CHOICE)
        kit_fail(kit, "option '%s': type %u is none of BP_OPT_*", o->key, (unsigned)o->type);
    if (o->flags & BP_CRITICAL)
        kit_fail(kit, "option '%s': unknown critical flags", o->key);
    if ((o->type == BP_OPT_CHOICE) != (o->n_choices > 0 && o->choices))
        kit_fail(kit, "option '%s': choices are for BP_OPT_CHOICE, which needs them", o->key);
    for (uint32_t i = 0; i < o->n_choices; i++) {
        if (!o->choices[i] || !o->choices[i][0])
            kit_fail(kit, "option '%s': choice %u is empty", o->key, (unsigned)i);
    }
    if (o->min > o->max)
        kit_fail(kit, "option '%s': its least, %g, is above its most, %g", o->key, o->min, o->max);
}

static void rows(struct kit *kit)
{
    need_options(kit);
    if (kit->p.option_stride < sizeof(bp_option))
        kit_fail(kit, "option_stride is %u, a row has %u bytes", (unsigned)kit->p.option_stride,
                 (unsigned)sizeof(bp_option));
    for (uint32_t i = 0; i < kit->p.n_options; i++) {
        check_key(kit, i);
        check_row(kit, kit_option(kit, i));
    }
    kit_note(kit, "%u options", (unsigned)kit->p.n_options);
}

static void defaults(struct kit *kit)
{
    need_options(kit);
    for (uint32_t i = 0; i < kit->p.n_options; i++) {
        const bp_option *o = kit_option(kit, i);
        bp_opt value;

        if (!o->def && !(o->flags & BP_OPTION_REQUIRED))
            kit_fail(kit, "option '%s' has no default and is not required", o->key);
        if (o->def && !kit_parse(o, o->def, &value))
            kit_fail(kit, "option '%s': its default '%s' is not a valid value", o->key, o->def);
    }
}

static void create_with_defaults(struct kit *kit)
{
    bp_instance *instance;

    kit_open_usable(kit);
    instance = kit_instance(kit);
    kit->p.destroy(instance);
    kit_settle(kit);
}

/* A valid value either works or is refused with words. */
static void try_value(struct kit *kit, uint32_t row, const char *text)
{
    bp_instance *instance;
    bp_rc rc = kit_create(kit, row, text, &instance);

    if (rc >= 0 && !instance)
        kit_fail(kit, "option '%s' = '%s': create succeeds without an instance",
                 kit_option(kit, row)->key, text);
    if (rc >= 0) {
        kit->p.destroy(instance);
        return;
    }
    if (instance)
        kit_fail(kit, "option '%s' = '%s': create fails, but set its result",
                 kit_option(kit, row)->key, text);
    if (!kit->words[0])
        kit_fail(kit, "option '%s' = '%s': create gives %d without a word",
                 kit_option(kit, row)->key, text, (int)rc);
    if (rc == BP_E_INTERNAL)
        kit_fail(kit, "option '%s' = '%s': %s", kit_option(kit, row)->key, text, kit->words);
}

static void bounds(struct kit *kit)
{
    unsigned n = 0;

    kit_open_usable(kit);
    for (uint32_t i = 0; i < kit->p.n_options; i++) {
        const bp_option *o = kit_option(kit, i);
        char text[2][64] = {"false", "true"};
        uint32_t count = o->type == BP_OPT_CHOICE ? o->n_choices : 2;

        if (o->type == BP_OPT_STRING || (o->min >= o->max && o->type <= BP_OPT_FLOAT))
            continue;
        if (o->type == BP_OPT_INT || o->type == BP_OPT_FLOAT) {
            snprintf(text[0], sizeof text[0], o->type == BP_OPT_INT ? "%.0f" : "%.17g", o->min);
            snprintf(text[1], sizeof text[1], o->type == BP_OPT_INT ? "%.0f" : "%.17g", o->max);
        }
        for (uint32_t k = 0; k < count; k++, n++)
            try_value(kit, i, o->type == BP_OPT_CHOICE ? o->choices[k] : text[k]);
    }
    kit_settle(kit);
    if (n == 0)
        kit_skip(kit, "no option has bounds or choices");
    kit_note(kit, "%u values", n);
}

static void dynamic(struct kit *kit)
{
    bp_instance *instance;
    unsigned n = 0;

    kit_open_usable(kit);
    instance = kit_instance(kit);
    for (uint32_t i = 0; i < kit->p.n_options; i++) {
        const bp_option *o = kit_option(kit, i);
        bp_opt value;

        if (!(o->flags & BP_OPTION_DYNAMIC))
            continue;
        if (!kit->p.set_option)
            kit_fail(kit, "option '%s' is dynamic, but there is no set_option", o->key);
        if (!o->def || !kit_parse(o, o->def, &value))
            continue;
        if (kit->p.set_option(instance, &value, kit_err(kit)) < 0)
            kit_fail(kit, "set_option of '%s' to its default: %s", o->key, kit->words);
        n++;
    }
    kit->p.destroy(instance);
    if (n == 0)
        kit_skip(kit, "no option is dynamic");
}

static void wrong_device(struct kit *kit)
{
    bp_instance *instance = NULL;
    bp_rc rc;

    kit_open_usable(kit);
    rc = kit_create_on(kit, 9999, &instance);
    if (rc >= 0)
        kit_fail(kit, "create accepts device 9999");
    if (instance)
        kit_fail(kit, "create fails for device 9999, but sets its result");
    if (!kit->words[0])
        kit_fail(kit, "create refuses device 9999 with %d and no word", (int)rc);
}

/* Everything that a provider may do with its options happens after their texts are gone. */
static void texts_are_copied(struct kit *kit)
{
    bp_instance *instance;
    unsigned n = 0;

    need_options(kit);
    kit_open_usable(kit);
    instance = kit_instance_without_texts(kit);
    for (const struct kit_case *c = kit_first_taken(kit, instance); c;
         c = kit_next_taken(kit, instance, c + 1)) {
        kit_run_case(kit, instance, c, 0, 0);
        n++;
    }
    kit->p.destroy(instance);
    kit_note(kit, "%u programs", n);
}

static void help_texts(struct kit *kit)
{
    need_options(kit);
    for (uint32_t i = 0; i < kit->p.n_options; i++) {
        const bp_option *o = kit_option(kit, i);

        if (!o->help || strlen(o->help) < 4)
            kit_fail(kit, "option '%s' has no help", o->key ? o->key : "");
        if (strchr(o->help, '\n'))
            kit_fail(kit, "option '%s': a newline in its help", o->key);
    }
}

static void who_made_it(struct kit *kit)
{
    kit_open(kit);
    if (!kit->p.vendor || !kit->p.vendor[0])
        kit_warn(kit, "vendor is empty: users want to know whom to ask");
}

static void why_not(struct kit *kit)
{
    char reason[256] = "", fix[256] = "";
    bp_avail avail;

    kit_open(kit);
    if (!kit->p.is_available)
        kit_skip(kit, "no is_available");
    memset(&avail, 0, sizeof avail);
    avail.struct_size = sizeof avail;
    avail.reason = reason;
    avail.reason_cap = sizeof reason;
    avail.fix = fix;
    avail.fix_cap = sizeof fix;
    if (kit->p.is_available(&kit->host.table, &avail, kit_err(kit)) >= 0 &&
        avail.state == BP_AVAIL_YES)
        kit_skip(kit, "it is usable here");
    if (!reason[0] && !kit->words[0])
        kit_fail(kit, "it is not usable and does not say why");
    if (!fix[0])
        kit_fail(kit, "it says '%s', but not what to do about it", reason);
}

static const struct kit_test tests[] = {
    {"BPK-OPTIONS-01", "the rows of the schema are in order", "bp_option", rows},
    {"BPK-OPTIONS-02", "every default is a value of its option", "bp_option.def", defaults},
    {"BPK-OPTIONS-03", "defaults make an instance", "bp_provider.create", create_with_defaults},
    {"BPK-OPTIONS-04", "bounds and choices work, or are refused in words", "bp_provider.create",
     bounds},
    {"BPK-OPTIONS-05", "dynamic options can be set", "bp_provider.set_option", dynamic},
    {"BPK-OPTIONS-06", "a device that is not there is refused", "bp_provider.create", wrong_device},
    {"BPK-OPTIONS-07", "what it keeps of options is a copy", "bp_opt: lent for the call",
     texts_are_copied},
};

const struct kit_group kit_options = {"OPTIONS", tests, sizeof tests / sizeof tests[0]};

static const struct kit_test docs[] = {
    {"BPK-DOCS-01", "every option has help", "bp_option.help", help_texts},
    {"BPK-DOCS-02", "it says who made it", "bp_provider.vendor", who_made_it},
    {"BPK-DOCS-03", "what is not usable says why, and what to do", "bp_avail", why_not},
};

const struct kit_group kit_docs = {"DOCS", docs, sizeof docs / sizeof docs[0]};
