/* SPDX-License-Identifier: MIT */
/*
 * raised.c - a small program to be made set-user-id by attacks.sh. It does what an application does
 * with providers, and says which BACKPLANE_* variables it heeds: a line "NAME: heeded" or "NAME: why
 * not". Linked with the library's objects, for such a program finds no library in a build directory.
 *
 *     raised [PROVIDER-DIRECTORY [NAME]]
 */

#include "config.h"

#include <stdio.h>

#include <backplane.h>

int main(int argc, char **argv)
{
    const char *const *dirs = (const char *const *)(argv + 1);
    bp_env_config config = {.struct_size = sizeof config,
                            .log_level = BP_LOG_ERROR,
                            .provider_dirs = dirs,
                            .n_provider_dirs = argc > 1 ? 1 : 0};
    char words[512] = "";
    bp_err err = bp_err_init(words, sizeof words);
    const char *name, *value, *ignored;
    bp_provider_info row = {.struct_size = sizeof row};
    bp_env *env = NULL;

    if (bp_env_create(&config, &env, &err) < 0) {
        fprintf(stderr, "raised: %s\n", words);
        return 1;
    }
    for (uint32_t i = 0; (name = bp_env_variable(env, i, &value, &ignored)) != NULL; i++)
        printf("%s: %s\n", name, ignored ? ignored : "heeded");
    for (uint32_t i = 0; bp_env_provider_info(env, i, &row, NULL) >= 0; i++)
        printf("%s %s: %s\n", row.name, bp_stage_name(row.stage),
               row.reason ? row.reason : "usable");
    if (argc > 2)
        printf("%s: %s\n", argv[2], bp_env_is_available(env, argv[2], &err) < 0 ? words : "usable");
    return bp_env_destroy(env, &err) < 0;
}
