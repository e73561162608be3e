/* SPDX-License-Identifier: MIT */
/* provider.h - a provider's state and options, as text and as JSON. */
#ifndef BP_TOOLS_PROVIDER_H
#define BP_TOOLS_PROVIDER_H

#include "lib/cli.h"
#include "lib/json.h"
#include "lib/table.h"
#include "lib/text.h"

bool provider_is_usable(const bp_provider_info *row);
/* "usable", "not usable", or "not opened" where nothing speaks against it so far. */
const char *provider_state(const bp_provider_info *row);
/* "GPU" for BP_DEVICE_GPU. */
const char *provider_device_kind(uint32_t kind);
/* Device i of a usable provider; false: it could not tell. index: of the provider, as below. */
bool provider_device(const struct cli *cli, uint32_t index, uint32_t i, bp_device *out);
/* "integer" for BP_OPT_INT. */
const char *provider_option_type(uint32_t type);
/* What values an option takes: "1M to 64G", "fast, exact"; nothing for text. */
void provider_option_range(struct bp_text *out, const bp_option *option);
/* Its default, or a word where there is none to show. */
const char *provider_option_default(const bp_option *option);

/* A row of the list: name, state, version, file, what is wrong. */
void provider_add_row(struct table *table, const bp_provider_info *row);
/* Prints all facts of the provider whose row has that index in the environment. */
void provider_print(const struct cli *cli, uint32_t index, const bp_provider_info *row);
/* The same as a manual page: the source of backplane-NAME(7), for man(1). */
void provider_man(const bp_provider_info *row);
/* "enforce" for BP_ALLOW_ENFORCE. */
const char *provider_allow_mode(uint32_t mode);
/* The allow list in force. */
void provider_print_allow(const struct cli *cli);
/* The directories that were searched, and why. */
void provider_print_dirs(const struct cli *cli);
/* Every provider with a known name, and what of it is installed here. */
void provider_print_known(const struct cli *cli);
/* Variables that are set and do not count, and why. */
void provider_print_ignored(const struct cli *cli);

/* Writes the same as an object. */
void provider_json(const struct cli *cli, struct json *json, uint32_t index,
                   const bp_provider_info *row);
/* Writes the members of that object alone. */
void provider_json_facts(const struct cli *cli, struct json *json, uint32_t index,
                         const bp_provider_info *row);
void provider_json_allow(const struct cli *cli, struct json *json);
void provider_json_dirs(const struct cli *cli, struct json *json);
/* Each known provider with the same, as a member "known_providers". */
void provider_json_known(const struct cli *cli, struct json *json);
/* Variables that are set and do not count. */
void provider_json_ignored(const struct cli *cli, struct json *json);

#endif
