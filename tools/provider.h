/* SPDX-License-Identifier: MIT */
/* provider.h - a provider's state and options, as text and as JSON. */
#ifndef BP_TOOLS_PROVIDER_H
#define BP_TOOLS_PROVIDER_H

#include "cli.h"
#include "json.h"
#include "table.h"

bool provider_is_usable(const bp_provider_info *row);
/* "usable", "not usable", or "not opened" where nothing speaks against it so far. */
const char *provider_state(const bp_provider_info *row);
/* "integer" for BP_OPT_INT. */
const char *provider_option_type(uint32_t type);

/* A row of the list: name, state, version, file, what is wrong. */
void provider_add_row(struct table *table, const bp_provider_info *row);
/* All there is to know of one. */
void provider_print(const struct cli *cli, const bp_provider_info *row);
/* The directories that were searched, and why; variables that do not count. */
void provider_print_dirs(const struct cli *cli);

void provider_json(struct json *json, const bp_provider_info *row);
/* The members of that object alone. */
void provider_json_facts(struct json *json, const bp_provider_info *row);
void provider_json_dirs(const struct cli *cli, struct json *json);
/* Variables that are set and do not count. */
void provider_json_ignored(const struct cli *cli, struct json *json);

#endif
