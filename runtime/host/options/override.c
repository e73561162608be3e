/* SPDX-License-Identifier: MIT */
/* override.c - reads BACKPLANE_FALLBACK and BACKPLANE_PROVIDER_OPTIONS, and applies the latter. */

#include "config.h"

#include "host/options/override.h"

#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "host/options/provider_names.h"

#define FALLBACK "BACKPLANE_FALLBACK"
#define OPTIONS "BACKPLANE_PROVIDER_OPTIONS"

bool bp_override_parse_fallback(const char *word, uint32_t *out)
{
    static const struct {
        const char *word;
        uint32_t policy;
    } words[] = {
        {"silent", BP_FALLBACK_SILENT},
        {"warn", BP_FALLBACK_WARN},
        {"require", BP_FALLBACK_REQUIRE},
        {"error", BP_FALLBACK_REQUIRE},
    };

    for (size_t i = 0; i < sizeof words / sizeof words[0]; i++) {
        if (strcasecmp(word, words[i].word) == 0) {
            *out = words[i].policy;
            return true;
        }
    }
    return false;
}

static bp_rc take_fallback(struct bp_override *override, const char *word, bp_err *err)
{
    if (bp_override_parse_fallback(word, &override->fallback))
        return BP_OK;
    return bp_fail(err, BP_E_INVALID, FALLBACK " is silent, warn, require or error, not '%.40s'",
                   word);
}

/* Splits "NAME:KEY=VALUE" in place. */
static bp_rc take_option(struct bp_override *override, char *entry, bp_err *err)
{
    char *colon = strchr(entry, ':'), *equals = strchr(entry, '=');

    if (!colon || !equals || equals < colon || colon == entry || equals == colon + 1)
        return bp_fail(err, BP_E_INVALID,
                       OPTIONS ": '%.60s' is not NAME:KEY=VALUE; several have ; between them",
                       entry);
    *colon = *equals = '\0';
    for (uint32_t i = 0; i < override->n_options; i++) {
        if (bp_provider_names_equal(override->options[i].name, entry) &&
            strcmp(override->options[i].key, colon + 1) == 0)
            return bp_fail(err, BP_E_INVALID,
                           OPTIONS ": the option '%.40s' of '%.40s' is given twice", colon + 1,
                           entry);
    }
    override->options[override->n_options++] =
        (struct bp_override_option){entry, colon + 1, equals + 1};
    return BP_OK;
}

static bp_rc take_options(struct bp_override *override, const char *list, bp_err *err)
{
    uint32_t most = 1;
    bp_rc rc = BP_OK;
    char *next;

    for (const char *c = list; *c; c++)
        most += *c == ';';
    override->text = next = strdup(list);
    override->options = calloc(most, sizeof *override->options);
    if (!override->text || !override->options)
        return bp_fail_nomem(err, "the options of " OPTIONS);
    while (rc >= 0 && next) {
        char *entry = next + strspn(next, " \t");

        next = strchr(entry, ';');
        if (next)
            *next++ = '\0';
        if (*entry)
            rc = take_option(override, entry, err);
    }
    return rc;
}

/* A malformed variable is an error and not a warning, because its user wanted it to take effect. */
bp_rc bp_override_init(struct bp_override *override, const struct bp_settings *settings,
                       bp_err *err)
{
    const char *fallback = bp_settings_get(settings, FALLBACK);
    const char *options = bp_settings_get(settings, OPTIONS);
    bp_rc rc = BP_OK;

    if (fallback)
        rc = take_fallback(override, fallback, err);
    if (rc >= 0 && options)
        rc = take_options(override, options, err);
    return rc;
}

void bp_override_finish(struct bp_override *override)
{
    free(override->text);
    free(override->options);
    *override = (struct bp_override){0};
}

const bp_key_value *bp_key_values_find(const bp_key_value *options, uint32_t n, const char *key)
{
    for (uint32_t i = 0; i < n; i++) {
        const char *own = options[i].key;

        if (own && strcmp(own[0] == '?' ? own + 1 : own, key) == 0)
            return &options[i];
    }
    return NULL;
}

static bool is_of(const struct bp_override_option *option, const char *name, const char *id)
{
    return bp_provider_names_equal(option->name, name) || strcmp(option->name, id) == 0;
}

bool bp_override_has(const struct bp_override *override, const char *name, const char *id,
                     const char *key)
{
    for (uint32_t i = 0; i < override->n_options; i++) {
        const struct bp_override_option *option = &override->options[i];

        if (is_of(option, name, id) && strcmp(option->key, key) == 0)
            return true;
    }
    return false;
}

/* The variable takes precedence over the program, because the user sets it for this run. */
bp_rc bp_override_merge(const struct bp_override *override, const char *name, const char *id,
                        const bp_key_value *options, uint32_t n, struct bp_region *region,
                        const bp_key_value **out, uint32_t *out_n, uint32_t *out_n_own, bp_err *err)
{
    bp_key_value *all;

    *out = options;
    *out_n = n;
    *out_n_own = 0;
    if (override->n_options == 0)
        return BP_OK;
    all = bp_region_alloc(region, (n + override->n_options) * sizeof *all);
    if (!all)
        return bp_fail_nomem(err, "a provider's options");
    if (n > 0)
        memcpy(all, options, n * sizeof *all);
    for (uint32_t i = 0; i < override->n_options; i++) {
        const struct bp_override_option *option = &override->options[i];
        const bp_key_value *row;

        if (!is_of(option, name, id))
            continue;
        row = bp_key_values_find(all, *out_n, option->key);
        all[row ? (uint32_t)(row - all) : (*out_n)++] = (bp_key_value){option->key, option->value};
        ++*out_n_own;
    }
    *out = all;
    return BP_OK;
}
