/* SPDX-License-Identifier: MIT */
/* plugin_conf.c - NAME.conf beside a plug-in: lines "key = value", # begins a comment. */

#include "config.h"

#include "host/inspect/plugin_conf.h"

#include <stdlib.h>
#include <string.h>

#include "host/options/conf_file.h"

#define OPTION "option."

/* Reads two digits at most; the range is the manifest's. */
static const char *take_priority(struct bp_plugin_conf *conf, const char *value)
{
    size_t n = strspn(value, "0123456789");

    if (n < 1 || n > 2 || value[n])
        return "the priority is a number from 0 to 99";
    conf->priority = atoi(value);
    return NULL;
}

/*
 * Reads a yes or no. Another word makes the whole file invalid: a typing error must not enable what
 * was to be disabled.
 */
static const char *take_disabled(struct bp_plugin_conf *conf, const char *value)
{
    conf->is_disabled = strcmp(value, "true") == 0;
    return conf->is_disabled || strcmp(value, "false") == 0 ? NULL : "disabled is true or false";
}

static const char *take_deps(struct bp_plugin_conf *conf, const char *value)
{
    conf->wants_trusted = strcmp(value, "trusted") == 0;
    return conf->wants_trusted || strcmp(value, "any") == 0 ? NULL : "deps is any or trusted";
}

/* Is it a hash in lower case? sha256sum writes it so, and hashes are compared as bytes. */
static const char *take_hash(struct bp_plugin_conf *conf, const char *value)
{
    if (strlen(value) != 64 || strspn(value, "0123456789abcdef") != 64)
        return "sha256 has 64 digits from 0 to 9 and a to f";
    conf->sha256 = value;
    return NULL;
}

static const char *take_option(struct bp_plugin_conf *conf, const char *key, const char *value)
{
    bp_key_value *grown;

    if (!*key)
        return "an option has a name";
    for (uint32_t i = 0; i < conf->n_options; i++) {
        if (strcmp(conf->options[i].key, key) == 0)
            return "the option is given twice";
    }
    grown = realloc(conf->options, (conf->n_options + 1) * sizeof *grown);
    if (!grown)
        return "no memory for an option";
    conf->options = grown;
    conf->options[conf->n_options++] = (bp_key_value){key, value};
    return NULL;
}

static const char *take(void *user, char *key, char *value)
{
    struct bp_plugin_conf *conf = user;

    if (strcmp(key, "priority") == 0)
        return take_priority(conf, value);
    if (strcmp(key, "disabled") == 0)
        return take_disabled(conf, value);
    if (strcmp(key, "deps") == 0)
        return take_deps(conf, value);
    if (strcmp(key, "sha256") == 0)
        return take_hash(conf, value);
    if (strncmp(key, OPTION, strlen(OPTION)) == 0)
        return take_option(conf, key + strlen(OPTION), value);
    return "unknown key; possible are priority, disabled, deps, sha256 and option.NAME";
}

void bp_plugin_conf_read(const char *path, struct bp_trust *trust, struct bp_plugin_conf *conf,
                         struct bp_stage_verdict *verdict)
{
    char text[sizeof verdict->reason], fix[sizeof verdict->fix];
    bp_err err = bp_err_init(text, sizeof text);
    bp_rc rc = bp_conf_file_read(path, trust, take, conf, &conf->text, fix, sizeof fix, &err);

    if (rc < 0)
        bp_stage_refuse(verdict, rc == BP_E_INVALID ? BP_STAGE_POLICY : BP_STAGE_SECURITY, rc,
                        fix[0] ? fix : NULL, "%s", text);
}

bp_rc bp_plugin_conf_check_pin(const struct bp_plugin_conf *conf, const char *path,
                               const char *sha256, bp_err *err)
{
    if (!conf->sha256 || strcmp(sha256, conf->sha256) == 0)
        return BP_OK;
    return bp_fail(err, BP_E_UNAVAILABLE,
                   "%s is not the file that its conf file pins: its SHA-256 is %s, wanted is %s",
                   path, sha256, conf->sha256);
}

static bool is_given(const bp_key_value *options, uint32_t n, const char *key)
{
    for (uint32_t i = 0; i < n; i++) {
        if (options[i].key && strcmp(options[i].key, key) == 0)
            return true;
    }
    return false;
}

/* Merges options; the caller's take precedence over the file's, which are defaults. */
bp_rc bp_plugin_conf_merge(const struct bp_plugin_conf *conf, const bp_key_value *options,
                           uint32_t n, struct bp_region *region, const bp_key_value **out,
                           uint32_t *out_n, bp_err *err)
{
    bp_key_value *all;

    *out = options;
    *out_n = n;
    if (conf->n_options == 0)
        return BP_OK;
    all = bp_region_alloc(region, (n + conf->n_options) * sizeof *all);
    if (!all)
        return bp_fail_nomem(err, "a provider's options");
    if (n > 0)
        memcpy(all, options, n * sizeof *all);
    for (uint32_t i = 0; i < conf->n_options; i++) {
        if (!is_given(options, n, conf->options[i].key))
            all[(*out_n)++] = conf->options[i];
    }
    *out = all;
    return BP_OK;
}

void bp_plugin_conf_finish(struct bp_plugin_conf *conf)
{
    free(conf->text);
    free(conf->options);
    *conf = (struct bp_plugin_conf){0};
}
