/* SPDX-License-Identifier: MIT */
/* memory.h - tells for whom a session's runs hold memory. */
#ifndef BP_TOOLS_MEMORY_H
#define BP_TOOLS_MEMORY_H

#include "lib/cli.h"
#include "lib/json.h"
#include "lib/text.h"

/*
 * A table: what is in use, idle until the next runs, and was held at most, by each provider, by the
 * host and by all; memory of devices beside it where a provider has some. Returns an exit code.
 */
int memory_print(struct cli *cli, const bp_session *session);
/* "12.3 MB: dnnl 10.0 MB, cpu 2.3 MB; gizmo 4.0 MB of its own": what is held now. */
void memory_words(struct bp_text *out, const bp_session *session);
/* The same as an object, "memory". */
void memory_json(struct json *json, const bp_session *session);

#endif
