/* SPDX-License-Identifier: MIT */
/*
 * museum.c - runs a plug-in of an earlier draft on this host. "museum linked FILE" hands the entry
 * over, as of one that is linked in; "museum file FILE" names the file, as users do. Exit status: 0 it
 * ran and is right, 1 it is wrong, 2 it was refused; then standard output has the words.
 */

#include "config.h"

#include <dlfcn.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include <backplane.h>

enum { RUNS = 0, WRONG = 1, REFUSED = 2 };

/* y = Relu(x), float32[3], at opset 13, as an ONNX ModelProto. */
static const unsigned char model_bytes[] =
    "\x08\x08\x3a\x36\x0a\x0f\x0a\x01x\x12\x01y\x1a\x01n\x22\x04Relu\x12\x01g"
    "\x5a\x0f\x0a\x01x\x12\x0a\x0a\x08\x08\x01\x12\x04\x0a\x02\x08\x03"
    "\x62\x0f\x0a\x01y\x12\x0a\x0a\x08\x08\x01\x12\x04\x0a\x02\x08\x03\x42\x02\x10\x0d";

static bp_rc run(bp_session *session, bp_err *err)
{
    float x[3] = {-1, 0, 2}, y[3] = {9, 9, 9};
    int64_t dims[1] = {3}, out_dims[1] = {0};
    bp_binding in = {0}, out = {0};
    bp_rc rc;

    in.tensor = (bp_tensor){.base = x, .dims = dims, .rank = 1, .bytes = sizeof x, .dtype = 1};
    out.tensor = (bp_tensor){.base = y, .dims = out_dims, .rank = 1, .bytes = sizeof y};
    rc = bp_session_run(session, &in, 1, &out, 1, NULL, err);
    if (rc >= 0 && (y[0] != 0.0F || y[1] != 0.0F || y[2] != 2.0F)) {
        printf("the result is wrong\n");
        return BP_E_INTERNAL;
    }
    return rc;
}

/* On that provider alone. */
static bp_rc try_provider(bp_env *env, const char *name, bp_err *err)
{
    bp_session_options *options = NULL;
    bp_session *session = NULL;
    bp_model *model = NULL;
    bp_rc rc = bp_model_open_memory(env, model_bytes, sizeof model_bytes - 1, NULL, &model, err);

    if (rc >= 0)
        rc = bp_session_options_create(&options, err);
    if (rc >= 0)
        rc = bp_session_options_add_provider(options, name, NULL, 0, BP_FALLBACK_REQUIRE, err);
    if (rc >= 0)
        rc = bp_session_create_from_model(env, model, options, &session, err);
    if (rc >= 0)
        rc = run(session, err);
    bp_session_destroy(session);
    bp_session_options_destroy(options);
    bp_model_close(model);
    return rc;
}

static bp_rc hand_over(bp_env *env, const char *file, bp_err *err)
{
    void *handle = dlopen(file, RTLD_NOW | RTLD_LOCAL);
    void *symbol = handle ? dlsym(handle, BP_ENTRY_SYMBOL) : NULL;
    bp_entry_fn entry;

    if (!symbol) {
        printf("%s\n", dlerror());
        return BP_E_INTERNAL;
    }
    memcpy(&entry, &symbol, sizeof entry);
    return bp_env_add_entry(env, "exhibit", entry, err);
}

int main(int argc, char **argv)
{
    char words[1024] = "";
    bp_err err = bp_err_init(words, sizeof words);
    bp_env *env = NULL;
    bool is_linked = argc == 3 && strcmp(argv[1], "linked") == 0;
    bp_rc rc;

    if (argc != 3 || (!is_linked && strcmp(argv[1], "file") != 0)) {
        puts("usage: museum linked|file FILE");
        return WRONG;
    }
    rc = bp_env_create(NULL, &env, &err);
    if (rc >= 0 && is_linked)
        rc = hand_over(env, argv[2], &err);
    if (rc >= 0)
        rc = try_provider(env, is_linked ? "exhibit" : argv[2], &err);
    if (env)
        (void)bp_env_destroy(env, NULL);
    if (rc >= 0)
        return RUNS;
    puts(words);
    return rc == BP_E_INTERNAL || !words[0] ? WRONG : REFUSED;
}
