/* SPDX-License-Identifier: MIT */
/* plugin.h - what install, remove and verify share: a plug-in's row, by its name or its file. */
#ifndef BP_TOOLS_PLUGIN_H
#define BP_TOOLS_PLUGIN_H

#include "lib/cli.h"
#include "lib/text.h"

/* What is known of a plug-in. Strings are copies; end with plugin_finish(). */
struct plugin {
    uint32_t index; /* in the environment */
    uint32_t stage; /* BP_STAGE_* */
    bp_rc code;
    bool is_probed, is_listed;
    bool is_set_aside; /* the user or the operator forbids it, or another file is used */
    char *name, *id, *version, *file; /* NULL: unknown; file: linked in */
    char *reason, *fix;               /* NULL with BP_OK */
    char *sha256;                     /* NULL: not asked for */
};

/* Is an operand the path of a file, and not the name of a provider? */
bool plugin_is_path(const char *operand);
/* The operand as bp_env_find_provider() takes it, to be freed. */
char *plugin_name(const char *operand);

/* Row `index` of an environment without further checks; then with them. */
bp_rc plugin_peek(bp_env *env, uint32_t index, struct plugin *out, bp_err *err);
bp_rc plugin_check(bp_env *env, uint32_t index, bool is_probed, struct plugin *out, bp_err *err);
void plugin_finish(struct plugin *plugin);

/* Appends "STAGE: reason; fix"; nothing where it has no fault. */
void plugin_put_fault(struct bp_text *out, const struct plugin *plugin);
/* Appends the line that an allow list needs for it, "SHA-256  id". */
void plugin_put_allow_line(struct bp_text *out, const struct plugin *plugin);

#endif
