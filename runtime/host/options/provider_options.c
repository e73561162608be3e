/* SPDX-License-Identifier: MIT */
/* provider_options.c - parses and checks provider options. */

#include "config.h"

#include "host/options/provider_options.h"

#include <ctype.h>
#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "host/options/device_choice.h"
#include "host/options/override.h"
#include "text/text.h"

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

/* Returns the key of "?key" without the mark, and whether the key may be unknown. */
static const char *bare_key(const char *key, bool *may_be_unknown)
{
    *may_be_unknown = key[0] == '?';
    return key + *may_be_unknown;
}

/*
 * Fails for an unknown key with the names of all valid ones, so that the caller need not look them
 * up.
 */
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

/* Returns the power of 1024 that a size's suffix means: 0 for no suffix, -1 for an invalid one. */
static int suffix_power(const char *text)
{
    static const char letters[] = "KMGT";
    const char *at;

    if (!*text)
        return 0;
    at = strchr(letters, toupper((unsigned char)*text));
    return at && !text[1] ? (int)(at - letters) + 1 : -1;
}

/* Parses "64", "-3", "16M"; only a sign may precede the digits. */
bool bp_options_parse_int(const char *text, int64_t *out)
{
    char *end;
    long long v;
    int power;

    if (!isdigit((unsigned char)text[*text == '-' || *text == '+']))
        return false;
    errno = 0;
    v = strtoll(text, &end, 10);
    power = suffix_power(end);
    if (errno || power < 0 || __builtin_mul_overflow(v, INT64_C(1) << 10 * power, &v))
        return false;
    *out = v;
    return true;
}

static bool parse_float(const char *text, double *out)
{
    char *end;

    *out = strtod(text, &end);
    return end != text && !isspace((unsigned char)text[0]) && !*end && isfinite(*out);
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

/* Returns the value as messages show it. */
static const char *shown(const bp_option *def, const char *text)
{
    return def->flags & BP_OPTION_SECRET ? BP_OPTION_HIDDEN : text;
}

/* Writes a bound as people do: 67108864 is "64M". */
static const char *bound_text(const bp_option *def, double bound, char *out, size_t cap)
{
    static const char letters[] = " KMGT";
    double v = bound;
    int power = 0;

    while (def->type == BP_OPT_INT && power < 4 && v != 0 && fmod(v, 1024) == 0) {
        v /= 1024;
        power++;
    }
    if (power > 0)
        snprintf(out, cap, "%.15g%c", v, letters[power]);
    else
        snprintf(out, cap, "%.15g", bound);
    return out;
}

/* Checks the range; equal bounds mean that there is none (bp_option). */
static bp_rc check_range(const bp_provider *provider, const bp_option *def, const char *text,
                         double value, bp_err *err)
{
    char min[32], max[32];

    if (def->min == def->max || (value >= def->min && value <= def->max))
        return BP_OK;
    return bp_fail(err, BP_E_OPTION, "provider '%s': option '%s' is %s, allowed are %s to %s",
                   provider->name, def->key, shown(def, text),
                   bound_text(def, def->min, min, sizeof min),
                   bound_text(def, def->max, max, sizeof max));
}

static bp_rc wrong_type(const bp_provider *provider, const bp_option *def, const char *text,
                        const char *wanted, bp_err *err)
{
    return bp_fail(err, BP_E_OPTION, "provider '%s': option '%s' takes %s, not '%s'",
                   provider->name, def->key, wanted, shown(def, text));
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
                 provider->name, def->key, shown(def, text), valid.data ? valid.data : "no values");
    bp_text_finish(&valid);
    return rc;
}

/*
 * Parses a number and writes its text anew: a provider that reads the string gets "16777216" for
 * "16M".
 */
static bp_rc parse_number(const bp_provider *provider, const bp_option *def, const char *text,
                          struct bp_region *region, bp_opt *out, bp_err *err)
{
    if (!bp_options_parse_int(text, &out->i))
        return wrong_type(provider, def, text,
                          "a whole number (K, M, G and T after it are powers of 1024)", err);
    out->f = (double)out->i;
    out->str = bp_region_printf(region, "%" PRId64, out->i);
    if (!out->str)
        return bp_fail_nomem(err, "an option");
    return check_range(provider, def, text, out->f, err);
}

/* Parses the value of a row by its type. */
static bp_rc parse(const bp_provider *provider, const bp_option *def, const char *text,
                   struct bp_region *region, bp_opt *out, bp_err *err)
{
    switch (def->type) {
    case BP_OPT_INT:
        return parse_number(provider, def, text, region, out, err);
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

    out->key = def->key;
    out->str = bp_region_string(region, text);
    if (!out->str)
        return bp_fail_nomem(err, "an option");
    return parse(provider, def, text, region, out, err);
}

static bool takes_any(const bp_provider *provider)
{
    return provider->flags & BP_PROVIDER_ANY_OPTION;
}

static bp_rc given_twice(const bp_provider *provider, const char *key, bp_err *err)
{
    return bp_fail(err, BP_E_OPTION, "provider '%s': option '%s' is given twice", provider->name,
                   key);
}

/* Adds a key outside of the schema, with its value as it is. */
static bp_rc add_any(const bp_provider *provider, const char *key, const char *value,
                     struct bp_region *region, struct bp_checked_options *out, bp_err *err)
{
    bp_opt *opt = &out->rows[out->count];

    for (uint32_t i = provider->n_options; i < out->count; i++) {
        if (strcmp(out->rows[i].key, key) == 0)
            return given_twice(provider, key, err);
    }
    opt->key = bp_region_string(region, key);
    opt->str = bp_region_string(region, value);
    if (!opt->key || !opt->str)
        return bp_fail_nomem(err, "an option");
    out->count++;
    return BP_OK;
}

/* Takes one pair of the caller's: a row of the schema, or a key outside of it. */
static bp_rc take(const bp_provider *provider, const bp_key_value *kv, struct bp_region *region,
                  struct bp_checked_options *out, bp_err *err)
{
    bool may_be_unknown;
    const char *key = bare_key(kv->key, &may_be_unknown);
    uint32_t at = find(provider, key);

    if (at == BP_NONE && strcmp(key, BP_DEVICE_OPTION) == 0)
        return BP_OK;
    if (at == BP_NONE && takes_any(provider))
        return add_any(provider, key, kv->value, region, out, err);
    if (at == BP_NONE)
        return may_be_unknown ? BP_OK : unknown_key(provider, key, err);
    if (out->rows[at].str)
        return given_twice(provider, key, err);
    return set(provider, at, kv->value, region, &out->rows[at], err);
}

/*
 * Two passes: what is given, then defaults. A default is parsed like a given value, so a provider's
 * own mistake shows here.
 */
bp_rc bp_options_check(const bp_provider *provider, const bp_key_value *kv, uint32_t n_kv,
                       struct bp_region *region, struct bp_checked_options *out, bp_err *err)
{
    size_t cap = (size_t)provider->n_options + (takes_any(provider) ? n_kv : 0);
    struct bp_checked_options own = {.rows = bp_region_array(region, cap, sizeof *own.rows),
                                     .count = provider->n_options};
    bp_rc rc = BP_OK;

    if (!own.rows)
        return bp_fail_nomem(err, "options");
    for (uint32_t i = 0; rc >= 0 && i < n_kv; i++)
        rc = take(provider, &kv[i], region, &own, err);
    for (uint32_t i = 0; rc >= 0 && i < provider->n_options; i++) {
        const bp_option *def = row(provider, i);

        own.rows[i].key = def->key;
        if (own.rows[i].str)
            continue;
        if (!def->def)
            return bp_fail(err, BP_E_OPTION, "provider '%s' needs option '%s': %s", provider->name,
                           def->key, def->help);
        rc = set(provider, i, def->def, region, &own.rows[i], err);
    }
    if (rc >= 0)
        *out = own;
    return rc;
}

void bp_options_warn(const bp_provider *provider, const bp_key_value *kv, uint32_t n_kv,
                     const struct bp_log *log)
{
    for (uint32_t i = 0; i < n_kv; i++) {
        bool may_be_unknown;
        const char *key = bare_key(kv[i].key, &may_be_unknown);
        uint32_t at = find(provider, key);

        if (at == BP_NONE && !takes_any(provider) && strcmp(key, BP_DEVICE_OPTION) != 0)
            bp_log(log, BP_LOG_INFO, "host", "provider '%s' has no option '%s', which may be so",
                   provider->name, key);
        else if (at != BP_NONE && row(provider, at)->flags & BP_OPTION_DEPRECATED)
            bp_log(log, BP_LOG_WARN, "host", "provider '%s': option '%s' is deprecated: %s",
                   provider->name, key, row(provider, at)->help);
    }
}

/* A provider that has an option "device" itself gets it. */
const char *bp_options_device(const bp_provider *provider, const bp_key_value *kv, uint32_t n_kv)
{
    const bp_key_value *found = bp_key_values_find(kv, n_kv, BP_DEVICE_OPTION);

    return found && find(provider, BP_DEVICE_OPTION) == BP_NONE ? found->value : NULL;
}

const char *bp_options_shown(const bp_provider *provider, uint32_t i, const bp_opt *opt)
{
    return i < provider->n_options ? shown(row(provider, i), opt->str) : opt->str;
}

/* Fails for a key that can't be changed any more, and names those that can. */
static bp_rc not_dynamic(const bp_provider *provider, const char *key, bp_err *err)
{
    struct bp_text valid = {0};
    bp_rc rc;

    for (uint32_t i = 0; i < provider->n_options; i++) {
        if (row(provider, i)->flags & BP_OPTION_DYNAMIC)
            bp_text_printf(&valid, "%s%s", valid.len ? ", " : "", row(provider, i)->key);
    }
    rc = bp_fail(err, BP_E_UNSUPPORTED,
                 "provider '%s': option '%s' is fixed once a session is made, so set it when the "
                 "provider is added; may be changed: %s",
                 provider->name, key, valid.data ? valid.data : "none");
    bp_text_finish(&valid);
    return rc;
}

/* "?key" has no meaning here: a caller that changes an option knows that it exists. */
bp_rc bp_options_check_change(const bp_provider *provider, const char *key, const char *value,
                              struct bp_region *region, uint32_t *at, bp_opt *out, bp_err *err)
{
    *at = find(provider, key);
    if (*at == BP_NONE)
        return unknown_key(provider, key, err);
    if (!(row(provider, *at)->flags & BP_OPTION_DYNAMIC) || !provider->set_option)
        return not_dynamic(provider, key, err);
    return set(provider, *at, value, region, out, err);
}
