/* SPDX-License-Identifier: MIT */
/* plugin_kit.h - plug-ins that tests compile while they run, in a directory of their own. */
#ifndef BP_TESTS_PLUGIN_KIT_H
#define BP_TESTS_PLUGIN_KIT_H

#include <ftw.h>
#include <sys/stat.h>
#include <unistd.h>

#include "support/session_kit.h"

/* A code that ends the process as soon as anything of it runs. */
#define PLUGIN_TRAP "__attribute__((constructor)) static void trap(void) { __builtin_trap(); }\n"

static char plugin_dir[64]; /* of the test that runs */

static inline void plugin_setup(void)
{
    kit_setup();
    setenv("BACKPLANE_PROVIDER_PATH", "", 1); /* nothing but what the test makes */
    unsetenv("BACKPLANE_PROVIDERS");
    unsetenv("BACKPLANE_STRICT");
    snprintf(plugin_dir, sizeof plugin_dir, "/tmp/bp-plugin-XXXXXX");
    ck_assert_ptr_nonnull(mkdtemp(plugin_dir));
}

static inline int plugin_remove(const char *path, const struct stat *st, int type, struct FTW *ftw)
{
    (void)st;
    (void)type;
    (void)ftw;
    return remove(path);
}

static inline void plugin_teardown(void)
{
    kit_teardown();
    nftw(plugin_dir, plugin_remove, 16, FTW_DEPTH | FTW_PHYS);
}

/*
 * Does a promise in milliseconds count as it is written? BP_LIMITS=strict says so, on a quiet machine
 * (`make prove`); otherwise tests only fail where something is wrong by far.
 */
static inline bool plugin_limits_are_strict(void)
{
    const char *limits = getenv("BP_LIMITS");

    return limits && strcmp(limits, "strict") == 0;
}

/* "<directory of the test>/<name>"; eight at a time. */
static inline const char *plugin_path(const char *name)
{
    static char paths[8][256];
    static unsigned turn;
    char *path = paths[turn++ % 8];

    snprintf(path, sizeof paths[0], "%s/%s", plugin_dir, name);
    return path;
}

static inline void plugin_write(const char *name, const char *text)
{
    FILE *file = fopen(plugin_path(name), "w");

    ck_assert_ptr_nonnull(file);
    ck_assert_int_ge(fputs(text, file), 0);
    ck_assert_int_eq(fclose(file), 0);
}

__attribute__((format(printf, 1, 2))) static inline void plugin_shell(const char *fmt, ...)
{
    char command[4096];
    va_list args;

    va_start(args, fmt);
    vsnprintf(command, sizeof command, fmt, args);
    va_end(args);
    ck_assert_msg(system(command) == 0, "%s", command);
}

/* Compiles a shared object: its manifest (NULL: none; with an escaped newline between lines), more code, flags of the linker. */
static inline void plugin_make(const char *name, const char *manifest, const char *code,
                               const char *flags)
{
    char text[4096];

    snprintf(text, sizeof text, "#include <bp/sdk.h>\n%s%s%s\n%s\n",
             manifest ? "BP_MANIFEST(\"" : "", manifest ? manifest : "", manifest ? "\");" : "",
             code);
    plugin_write("source.c", text);
    plugin_shell("%s -std=gnu11 -I%s/sdk -shared -fPIC -o %s %s %s", getenv("CC"),
                 getenv("BP_SRCDIR"), plugin_path(name), plugin_path("source.c"), flags);
    unlink(plugin_path("source.c"));
}

/* An environment that looks only into the test's directory. */
static inline bp_env *plugin_env(uint32_t flags)
{
    const char *dirs[] = {plugin_dir};
    bp_env_config config = {.struct_size = sizeof config,
                            .flags = flags,
                            .log_level = BP_LOG_ERROR,
                            .provider_dirs = dirs,
                            .n_provider_dirs = 1,
                            .probe = BP_PROBE_OFF};
    bp_env *env = NULL;

    KIT_OK(bp_env_create(&config, &env, &kit.err));
    return env;
}

#endif
