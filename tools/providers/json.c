/* SPDX-License-Identifier: MIT */
/* json.c - a provider's state and options, as JSON. */

#include "config.h"

#include "providers/provider.h"

/* Secret options show no default: the output ends up in logs and bug reports. */
static void json_options(struct json *json, const bp_provider_info *row)
{
    json_array(json, "options");
    for (uint32_t i = 0; i < row->n_options; i++) {
        const bp_option *option = BP_AT(bp_option, row->options, row->option_stride, i);

        json_object(json, NULL);
        json_string(json, "key", option->key);
        json_string(json, "type", provider_option_type(option->type));
        json_string(json, "default", option->flags & BP_OPTION_SECRET ? NULL : option->def);
        if (option->max > option->min) {
            json_number(json, "min", option->min);
            json_number(json, "max", option->max);
        }
        if (option->type == BP_OPT_CHOICE) {
            json_list(json, "choices");
            for (uint32_t c = 0; c < option->n_choices; c++)
                json_string(json, NULL, option->choices[c]);
            json_list_end(json);
        }
        json_bool(json, "required", option->flags & BP_OPTION_REQUIRED);
        json_bool(json, "dynamic", option->flags & BP_OPTION_DYNAMIC);
        json_bool(json, "deprecated", option->flags & BP_OPTION_DEPRECATED);
        json_bool(json, "secret", option->flags & BP_OPTION_SECRET);
        json_string(json, "help", option->help);
        json_object_end(json);
    }
    json_array_end(json);
}

static void json_names(struct json *json, const char *name, const bp_operand *rows, uint32_t n)
{
    json_list(json, name);
    for (uint32_t i = 0; i < n; i++)
        json_string(json, NULL, rows[i].name);
    json_list_end(json);
}

/* Operators that the provider declares. */
static void json_schemas(struct json *json, const bp_provider_info *row)
{
    json_array(json, "own_operators");
    for (uint32_t i = 0; i < row->n_schemas; i++) {
        const bp_op_schema *schema = BP_AT(bp_op_schema, row->schemas, row->schema_stride, i);

        json_object(json, NULL);
        json_string(json, "domain", schema->domain);
        json_string(json, "op", schema->name);
        json_uint(json, "since", schema->since);
        json_uint(json, "until", schema->until);
        json_names(json, "inputs", schema->in, schema->n_in);
        json_names(json, "outputs", schema->out, schema->n_out);
        json_list(json, "attributes");
        for (uint32_t a = 0; a < schema->n_attrs; a++)
            json_string(json, NULL, BP_AT(bp_op_attr, schema->attrs, schema->attr_stride, a)->name);
        json_list_end(json);
        json_object_end(json);
    }
    json_array_end(json);
}

static void json_devices(const struct cli *cli, struct json *json, uint32_t index,
                         const bp_provider_info *row)
{
    bp_device device;

    json_array(json, "device_list");
    for (uint32_t i = 0; provider_is_usable(row) && i < row->n_devices; i++) {
        if (!provider_device(cli, index, i, &device))
            continue;
        json_object(json, NULL);
        json_uint(json, "device", i);
        json_string(json, "kind", provider_device_kind(device.kind));
        json_string(json, "id", device.id);
        json_string(json, "name", device.name);
        json_string(json, "driver", device.driver);
        json_uint(json, "memory_bytes", device.mem_total);
        json_object_end(json);
    }
    json_array_end(json);
}

/* What opening it brought into the process, its own file first. */
static void json_libraries(const struct cli *cli, struct json *json, uint32_t index)
{
    const char *path;

    json_list(json, "files");
    for (uint32_t j = 0; (path = bp_env_provider_library(cli->env, index, j)) != NULL; j++)
        json_string(json, NULL, path);
    json_list_end(json);
}

void provider_json_facts(const struct cli *cli, struct json *json, uint32_t index,
                         const bp_provider_info *row)
{
    json_string(json, "name", row->name);
    json_string(json, "id", row->id);
    json_string(json, "version", row->version);
    json_string(json, "vendor", row->vendor);
    json_string(json, "file", row->file);
    json_libraries(cli, json, index);
    json_bool(json, "usable", provider_is_usable(row));
    json_string(json, "state", provider_state(row));
    json_string(json, "stage", bp_stage_name(row->stage));
    json_string(json, "code", bp_rc_name(row->code));
    json_string(json, "reason", row->reason);
    json_string(json, "fix", row->fix);
    json_uint(json, "devices", row->n_devices);
    json_devices(cli, json, index, row);
    json_options(json, row);
    json_schemas(json, row);
}

void provider_json(const struct cli *cli, struct json *json, uint32_t index,
                   const bp_provider_info *row)
{
    json_object(json, NULL);
    provider_json_facts(cli, json, index, row);
    json_object_end(json);
}

void provider_json_dirs(const struct cli *cli, struct json *json)
{
    const char *dir, *why = NULL;

    json_array(json, "searched");
    for (uint32_t i = 0; (dir = bp_env_provider_dir(cli->env, i, &why)) != NULL; i++) {
        json_object(json, NULL);
        json_string(json, "directory", dir);
        json_string(json, "why", why);
        json_object_end(json);
    }
    json_array_end(json);
}

void provider_json_ignored(const struct cli *cli, struct json *json)
{
    const char *name, *ignored;

    json_list(json, "ignored_variables");
    for (uint32_t i = 0; (name = bp_env_variable(cli->env, i, NULL, &ignored)) != NULL; i++) {
        if (ignored)
            json_string(json, NULL, name);
    }
    json_list_end(json);
}

void provider_json_allow(const struct cli *cli, struct json *json)
{
    const char *dir;
    uint32_t n, mode = bp_env_allow(cli->env, &dir, &n);

    json_object(json, "allow_list");
    json_string(json, "mode", provider_allow_mode(mode));
    json_string(json, "directory", dir);
    json_uint(json, "plug_ins", n);
    json_object_end(json);
}
