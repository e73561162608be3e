/* SPDX-License-Identifier: MIT */
/* provider.h - a provider's state and options, as text and as JSON. */
#ifndef BP_TOOLS_PROVIDER_H
#define BP_TOOLS_PROVIDER_H

#include "cli.h"
#include "json.h"
#include "table.h"

bool provider_is_usable(const bp_provider_info *row);
/* "GPU" for BP_DEVICE_GPU. */
const char *provider_device_kind(uint32_t kind);
/* Device i of a usable provider; false: it could not tell. */
bool provider_device(const struct cli *cli, const bp_provider_info *row, uint32_t i,
                     bp_device *out);
/* "integer" for BP_OPT_INT. */
const char *provider_option_type(uint32_t type);

/* A row of the list: name, state, version, file, what is wrong. */
void provider_add_row(struct table *table, const bp_provider_info *row);
/* All there is to know of one. */
void provider_print(const struct cli *cli, const bp_provider_info *row);
/* The directories that were searched, and why. */
void provider_print_dirs(const struct cli *cli);

void provider_json(const struct cli *cli, struct json *json, const bp_provider_info *row);
/* The members of that object alone. */
void provider_json_facts(const struct cli *cli, struct json *json, const bp_provider_info *row);
void provider_json_dirs(const struct cli *cli, struct json *json);

#endif
