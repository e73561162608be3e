/* SPDX-License-Identifier: MIT */
/* options.c - parses and checks provider options. */

#include "config.h"

#include "host/options.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "base/text.h"

static const bp_option *row(const bp_provider *provider, uint32_t i)
{
    return BP_AT(bp_option, provider->options, provider->option_stride, i);
}

static uint32_t find(const bp_provider *provider, const char *key)
{
    for (uint32_t i = 0; i < provider->n_options; i++) {
        if (strcmp(row(provider, i)->key, key) == 0)
            return i;
    }
    return BP_NONE;
}

static bp_rc unknown_key(const bp_provider *provider, const char *key, bp_err *err)
{
    const char **keys = calloc(provider->n_options + 1, sizeof *keys);
    struct bp_text valid = {0};
    const char *near = NULL;
    bp_rc rc;

    for (uint32_t i = 0; i < provider->n_options; i++) {
        bp_text_printf(&valid, "%s%s", i ? ", " : "", row(provider, i)->key);
        if (keys)
            keys[i] = row(provider, i)->key;
    }
    if (keys)
        near = bp_nearest(key, keys, provider->n_options);
    rc = bp_fail(err, BP_E_OPTION, "provider '%s' has no option '%s'%s%s%s; valid: %s",
                 provider->name, key, near ? "; did you mean '" : "", near ? near : "",
                 near ? "'?" : "", valid.data ? valid.data : "none");
    bp_text_finish(&valid);
    free(keys);
    return rc;
}

static bool parse_int(const char *text, int64_t *out)
{
    char *end;
    long long v;

    errno = 0;
    v = strtoll(text, &end, 10);
    if (end == text || *end || errno)
        return false;
    *out = v;
    return true;
}

static bool parse_float(const char *text, double *out)
{
    char *end;

    *out = strtod(text, &end);
    return end != text && !*end && isfinite(*out);
}

static bool parse_bool(const char *text, int64_t *out)
{
    static const char *const words[] = {"0", "1", "false", "true", "off", "on", "no", "yes"};

    for (size_t i = 0; i < sizeof words / sizeof words[0]; i++) {
        if (strcasecmp(text, words[i]) == 0) {
            *out = (int64_t)(i & 1);
            return true;
        }
    }
    return false;
}

static bp_rc check_range(const bp_provider *provider, const bp_option *def, const char *text,
                         double value, bp_err *err)
{
    if (def->min == def->max || (value >= def->min && value <= def->max))
        return BP_OK;
    return bp_fail(err, BP_E_OPTION, "provider '%s': option '%s' is %s, allowed are %.17g to %.17g",
                   provider->name, def->key, text, def->min, def->max);
}

static bp_rc wrong_type(const bp_provider *provider, const bp_option *def, const char *text,
                        const char *wanted, bp_err *err)
{
    return bp_fail(err, BP_E_OPTION, "provider '%s': option '%s' takes %s, not '%s'",
                   provider->name, def->key, wanted, text);
}

static bp_rc parse_choice(const bp_provider *provider, const bp_option *def, const char *text,
                          bp_opt *out, bp_err *err)
{
    struct bp_text valid = {0};
    bp_rc rc;

    for (uint32_t i = 0; i < def->n_choices; i++) {
        if (strcasecmp(def->choices[i], text) == 0) {
            out->i = i;
            out->str = def->choices[i];
            bp_text_finish(&valid);
            return BP_OK;
        }
        bp_text_printf(&valid, "%s%s", i ? ", " : "", def->choices[i]);
    }
    rc = bp_fail(err, BP_E_OPTION, "provider '%s': option '%s' is '%s', allowed are %s",
                 provider->name, def->key, text, valid.data ? valid.data : "no values");
    bp_text_finish(&valid);
    return rc;
}

/* The value `text` of a row, by its type. */
static bp_rc parse(const bp_provider *provider, const bp_option *def, const char *text, bp_opt *out,
                   bp_err *err)
{
    switch (def->type) {
    case BP_OPT_INT:
        if (!parse_int(text, &out->i))
            return wrong_type(provider, def, text, "a whole number", err);
        out->f = (double)out->i;
        return check_range(provider, def, text, out->f, err);
    case BP_OPT_FLOAT:
        if (!parse_float(text, &out->f))
            return wrong_type(provider, def, text, "a number", err);
        return check_range(provider, def, text, out->f, err);
    case BP_OPT_BOOL:
        if (!parse_bool(text, &out->i))
            return wrong_type(provider, def, text, "true or false", err);
        out->str = out->i ? "true" : "false";
        return BP_OK;
    case BP_OPT_CHOICE:
        return parse_choice(provider, def, text, out, err);
    default:
        return BP_OK;
    }
}

static bp_rc set(const bp_provider *provider, uint32_t i, const char *text,
                 struct bp_region *region, bp_opt *out, bp_err *err)
{
    const bp_option *def = row(provider, i);

    out->str = bp_region_string(region, text);
    if (!out->str)
        return bp_fail_nomem(err, "an option");
    return parse(provider, def, text, out, err);
}

bp_rc bp_options_check(const bp_provider *provider, const bp_key_value *kv, uint32_t n_kv,
                       struct bp_region *region, bp_opt **out, bp_err *err)
{
    bp_opt *opts = bp_region_array(region, provider->n_options, sizeof *opts);
    bp_rc rc;

    if (!opts)
        return bp_fail_nomem(err, "options");
    for (uint32_t i = 0; i < n_kv; i++) {
        uint32_t at = find(provider, kv[i].key);

        if (at == BP_NONE)
            return unknown_key(provider, kv[i].key, err);
        rc = set(provider, at, kv[i].value, region, &opts[at], err);
        if (rc < 0)
            return rc;
    }
    for (uint32_t i = 0; i < provider->n_options; i++) {
        const bp_option *def = row(provider, i);

        opts[i].key = def->key;
        if (opts[i].str)
            continue;
        if (!def->def)
            return bp_fail(err, BP_E_OPTION, "provider '%s' needs option '%s': %s", provider->name,
                           def->key, def->help);
        rc = set(provider, i, def->def, region, &opts[i], err);
        if (rc < 0)
            return rc;
    }
    *out = opts;
    return BP_OK;
}

bp_rc bp_options_check_change(const bp_provider *provider, const char *key, const char *value,
                              uint32_t *index, bp_opt *out, bp_err *err)
{
    uint32_t at = find(provider, key);

    if (at == BP_NONE)
        return unknown_key(provider, key, err);
    if (!(row(provider, at)->flags & BP_OPTION_DYNAMIC) || !provider->set_option)
        return bp_fail(err, BP_E_UNSUPPORTED,
                       "provider '%s': option '%s' is fixed once a session is made; set it when "
                       "the provider is added",
                       provider->name, key);
    *index = at;
    *out = (bp_opt){.key = row(provider, at)->key, .str = value};
    return parse(provider, row(provider, at), value, out, err);
}
