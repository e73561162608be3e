/* SPDX-License-Identifier: MIT */
/*
 * provider_list_options.c - merges the options of an instance: the application's override the
 * operator's, and the user's override both. The report shows for each option where its value came
 * from.
 */

#include "config.h"

#include "compile/provider_list.h"
#include "host/options/provider_options.h"

/*
 * Returns whose value is in force: the user's variable, the application, the operator's file, or
 * the default.
 */
static uint32_t origin_of(const struct bp_provider_list *providers,
                          const struct bp_candidate *found, const struct bp_spec *spec,
                          const char *key)
{
    if (bp_override_has(&providers->env->override, found->name, found->provider->id, key))
        return BP_ORIGIN_VARIABLE;
    if (bp_key_values_find(spec->options, spec->n_options, key))
        return spec->is_of_file ? BP_ORIGIN_FILE : BP_ORIGIN_APPLICATION;
    if (bp_key_values_find(found->conf.options, found->conf.n_options, key))
        return BP_ORIGIN_FILE;
    return BP_ORIGIN_DEFAULT;
}

/* Sets active->origins, one for each option of the provider. */
static bp_rc find_origins(struct bp_provider_list *providers, const struct bp_candidate *found,
                          const struct bp_spec *spec, struct bp_active *active, bp_err *err)
{
    uint32_t n = active->n_options;

    active->origins = bp_region_array(&providers->region, n, sizeof *active->origins);
    if (!active->origins)
        return bp_fail_nomem(err, "a provider's options");
    for (uint32_t i = 0; i < n; i++)
        active->origins[i] = origin_of(providers, found, spec, active->options[i].key);
    return BP_OK;
}

/*
 * Later sources override earlier ones: the operator's file, then the application, then the user's
 * variable.
 */
bp_rc bp_provider_list_gather_options(struct bp_provider_list *providers,
                                      const struct bp_candidate *found, const struct bp_spec *spec,
                                      struct bp_active *active, const char **device, bp_err *err)
{
    const struct bp_override *override = &providers->env->override;
    const bp_key_value *options;
    struct bp_checked_options checked = {0};
    uint32_t n, n_own = 0;
    bp_rc rc = bp_plugin_conf_merge(&found->conf, spec->options, spec->n_options,
                                    &providers->region, &options, &n, err);

    if (rc >= 0)
        rc = bp_override_merge(override, found->name, found->provider->id, options, n,
                               &providers->region, &options, &n, &n_own, err);
    if (rc >= 0)
        rc = bp_options_check(found->provider, options, n, &providers->region, &checked, err);
    active->options = checked.rows;
    active->n_options = checked.count;
    if (rc >= 0)
        *device = bp_options_device(found->provider, options, n);
    if (rc >= 0)
        rc = find_origins(providers, found, spec, active, err);
    if (n_own == 0)
        return rc;
    bp_log(providers->log, BP_LOG_INFO, "session",
           "provider '%s': %u options are those of BACKPLANE_PROVIDER_OPTIONS", found->name, n_own);
    return rc < 0 ? bp_fail_in(err, rc, "with BACKPLANE_PROVIDER_OPTIONS") : rc;
}

/*
 * Adds the options to the report; secrets are shown as the option's table says, see
 * bp_options_shown().
 */
bp_rc bp_provider_list_record_options(const struct bp_active *active, bp_report *report,
                                      bp_err *err)
{
    bp_rc rc = BP_OK;

    for (uint32_t i = 0; rc >= 0 && i < active->n_options; i++) {
        bp_report_option row = {
            .origin = active->origins[i],
            .key = active->options[i].key,
            .value = bp_options_shown(active->provider, i, &active->options[i]),
        };

        rc = bp_report_add_option(report, active->row, &row, err);
    }
    return rc;
}
