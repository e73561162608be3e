/* SPDX-License-Identifier: MIT */
/*
 * embed_app.c - what embed.sh links plug-ins into: `app MODEL NAME...` lists its providers and has each of
 * those names run the model, whose x and y are 3 floats each, alone.
 */

#include <backplane.h>
#include <stdio.h>

static char words[1024];
static bp_err err = {.struct_size = sizeof(bp_err), .msg = words, .msg_cap = sizeof words};

static bp_rc list(bp_env *env)
{
    bp_provider_info info = {.struct_size = sizeof info};
    uint32_t n;
    bp_rc rc = bp_env_provider_count(env, &n, &err);

    for (uint32_t i = 0; rc >= 0 && i < n; i++) {
        rc = bp_env_provider_peek(env, i, &info, &err);
        if (rc >= 0)
            printf("%s %s %s\n", info.name, info.id, info.file ? info.file : "built in");
    }
    return rc;
}

static bp_rc run(bp_env *env, const char *model, const char *name)
{
    bp_session_options *options = NULL;
    bp_session *session = NULL;
    float x[] = {-1, 0.5f, 2}, y[3] = {0};
    int64_t dims[] = {1, 3}, dims_out[] = {0, 0};
    bp_binding in = {
        .tensor = {.base = x, .bytes = sizeof x, .dims = dims, .rank = 2, .dtype = BP_DTYPE_F32}};
    bp_binding out = {.tensor = {.base = y, .bytes = sizeof y, .dims = dims_out, .rank = 2}};
    bp_rc rc = bp_session_options_create(&options, &err);

    if (rc >= 0)
        rc = bp_session_options_add_provider(options, name, NULL, 0, BP_FALLBACK_REQUIRE, &err);
    if (rc >= 0)
        rc = bp_session_create(env, model, options, &session, &err);
    if (rc >= 0)
        rc = bp_session_run(session, &in, 1, &out, 1, NULL, &err);
    if (rc >= 0)
        printf("%s: %g %g %g\n", name, (double)y[0], (double)y[1], (double)y[2]);
    bp_session_destroy(session);
    bp_session_options_destroy(options);
    return rc;
}

int main(int argc, char **argv)
{
    bp_env *env = NULL;
    bp_rc rc = bp_env_create(NULL, &env, &err);

    if (rc >= 0)
        rc = list(env);
    for (int i = 2; rc >= 0 && i < argc; i++)
        rc = run(env, argv[1], argv[i]);
    if (rc >= 0)
        rc = bp_env_destroy(env, &err);
    if (rc < 0)
        fprintf(stderr, "embed_app: %s\n", words);
    return rc < 0;
}
