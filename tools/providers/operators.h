/* SPDX-License-Identifier: MIT */
/* operators.h - the operators that a provider takes, as a table, as Markdown and as JSON. */
#ifndef BP_TOOLS_OPERATORS_H
#define BP_TOOLS_OPERATORS_H

#include "lib/cli.h"
#include "lib/json.h"

/* Of provider `index` of the environment. They print what fails and return an exit code. */
int operators_print(struct cli *cli, uint32_t index);
/* The same as a page, with a head that says of whom it is and how it was made. */
int operators_markdown(struct cli *cli, uint32_t index, const char *name);
/* An array "operators". */
int operators_json(struct cli *cli, uint32_t index, struct json *json);

#endif
