/* SPDX-License-Identifier: MIT */
/* plugin.c - a plug-in's row, and what checks say of it. */

#include "config.h"

#include "plugins/plugin.h"

#include <stdlib.h>
#include <string.h>

bool plugin_is_path(const char *operand)
{
    size_t n = strlen(operand);

    return strchr(operand, '/') || (n > 3 && strcmp(operand + n - 3, ".so") == 0);
}

char *plugin_name(const char *operand)
{
    return plugin_is_path(operand) ? cli_absolute(operand) : xstrdup(operand);
}

static char *copy(const char *text)
{
    return text ? xstrdup(text) : NULL;
}

static void take(char **at, const char *text)
{
    free(*at);
    *at = copy(text);
}

/*
 * What POLICY refuses with BP_E_UNAVAILABLE before the file is read again is a decision, not a fault:
 * a veto, a conf file that disables it, a file that comes first.
 */
bp_rc plugin_peek(bp_env *env, uint32_t index, struct plugin *out, bp_err *err)
{
    bp_provider_info info = {.struct_size = sizeof info};
    bp_rc rc = bp_env_provider_peek(env, index, &info, err);

    *out = (struct plugin){.index = index};
    if (rc < 0)
        return rc;
    *out = (struct plugin){.index = index,
                           .stage = info.stage,
                           .code = info.code,
                           .is_set_aside =
                               info.stage == BP_STAGE_POLICY && info.code == BP_E_UNAVAILABLE,
                           .name = copy(info.name),
                           .id = copy(info.id),
                           .version = copy(info.version),
                           .file = copy(info.file),
                           .reason = copy(info.reason),
                           .fix = copy(info.fix)};
    return BP_OK;
}

bp_rc plugin_check(bp_env *env, uint32_t index, bool is_probed, struct plugin *out, bp_err *err)
{
    bp_provider_check check = {.struct_size = sizeof check};
    bp_rc rc = plugin_peek(env, index, out, err);

    if (rc >= 0 && !out->is_set_aside)
        rc = bp_env_check_provider(env, index, is_probed, &check, err);
    if (rc < 0 || out->is_set_aside)
        return rc;
    out->stage = check.stage;
    out->code = check.code;
    out->is_probed = check.is_probed;
    out->is_listed = check.is_listed;
    take(&out->reason, check.reason);
    take(&out->fix, check.fix);
    take(&out->sha256, check.sha256);
    return BP_OK;
}

void plugin_finish(struct plugin *plugin)
{
    free(plugin->name);
    free(plugin->id);
    free(plugin->version);
    free(plugin->file);
    free(plugin->reason);
    free(plugin->fix);
    free(plugin->sha256);
    *plugin = (struct plugin){0};
}

void plugin_put_fault(struct bp_text *out, const struct plugin *plugin)
{
    if (plugin->code >= 0)
        return;
    text_printf(out, "%s: ", bp_stage_name(plugin->stage));
    text_clean(out, plugin->reason ? plugin->reason : bp_rc_name(plugin->code));
    if (plugin->fix) {
        text_put(out, "; ");
        text_clean(out, plugin->fix);
    }
}

void plugin_put_allow_line(struct bp_text *out, const struct plugin *plugin)
{
    text_printf(out, "%s  %s", plugin->sha256 ? plugin->sha256 : "?",
                plugin->id ? plugin->id : "?");
}
