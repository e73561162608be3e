/* SPDX-License-Identifier: MIT */
/*
 * main.c - tests/ort/conform/conform: runs ONNX's test data as `backplane conform` does, with its
 * arguments, but through OrtApi alone. $BP_ORT_LIBRARY names another library to test, ONNX Runtime's
 * own for one.
 */

#include "config.h"

#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "ort/conform/conform.h"

/* ---- the library ----------------------------------------------------------------------------- */

static const OrtApiBase *find_base(struct cli *cli)
{
    const char *path = getenv("BP_ORT_LIBRARY");
    const OrtApiBase *(*get)(void) = NULL;
    void *library, *symbol;

    if (!path)
        return OrtGetApiBase();
    library = dlopen(path, RTLD_NOW | RTLD_LOCAL);
    symbol = library ? dlsym(library, "OrtGetApiBase") : NULL;
    if (!symbol) {
        snprintf(cli->words, sizeof cli->words, "BP_ORT_LIBRARY: %s", dlerror());
        return NULL;
    }
    memcpy(&get, &symbol, sizeof get);
    return get();
}

bool face_ok(const struct face *face, OrtStatus *status)
{
    struct cli *cli = face->cli;

    if (!status)
        return true;
    snprintf(cli->words, sizeof cli->words, "code %d: %s", (int)face->api->GetErrorCode(status),
             face->api->GetErrorMessage(status));
    face->api->ReleaseStatus(status);
    return false;
}

static bool face_open(struct face *face, struct cli *cli)
{
    const OrtApiBase *base = find_base(cli);

    *face = (struct face){.cli = cli};
    if (!base)
        return false;
    face->api = base->GetApi(ORT_API_VERSION);
    if (!face->api) {
        snprintf(cli->words, sizeof cli->words, "the library has no API version %d",
                 ORT_API_VERSION);
        return false;
    }
    return face_ok(face, face->api->CreateEnv(ORT_LOGGING_LEVEL_WARNING, "conform", &face->env)) &&
           face_ok(face, face->api->GetAllocatorWithDefaultOptions(&face->heap)) &&
           face_ok(face, face->api->CreateCpuMemoryInfo(OrtDeviceAllocator, OrtMemTypeDefault,
                                                        &face->memory));
}

static void face_close(struct face *face)
{
    if (!face->api)
        return;
    face->api->ReleaseMemoryInfo(face->memory);
    face->api->ReleaseEnv(face->env);
}

/* ---- one run --------------------------------------------------------------------------------- */

/* A session and all that one run of it needs. */
struct runner {
    struct face face;
    OrtSession *session;
    struct ends ends;
    const char **in_names, **out_names;
    OrtValue **in, **out;
};

static void drop_values(const struct runner *r)
{
    for (uint32_t i = 0; i < r->ends.n_inputs; i++) {
        r->face.api->ReleaseValue(r->in[i]);
        r->in[i] = NULL;
    }
    for (uint32_t i = 0; i < r->ends.n_outputs; i++) {
        r->face.api->ReleaseValue(r->out[i]);
        r->out[i] = NULL;
    }
}

static bool run_values(struct runner *r, const bp_binding *inputs, uint32_t n, bp_binding *results)
{
    const bp_io_info *outputs = r->ends.rows + r->ends.n_inputs;

    for (uint32_t i = 0; i < n; i++) {
        const bp_io_info *input = &r->ends.rows[inputs[i].index];

        r->in_names[i] = input->name;
        r->in[i] = value_make(&r->face, &inputs[i], input->type);
        if (!r->in[i])
            return false;
    }
    if (!face_ok(&r->face,
                 r->face.api->Run(r->session, NULL, r->in_names, (const OrtValue *const *)r->in, n,
                                  r->out_names, r->ends.n_outputs, r->out)))
        return false;
    for (uint32_t i = 0; i < r->ends.n_outputs; i++) {
        results[i].index = i;
        if (!value_read(&r->face, r->out[i], outputs[i].type, &results[i]))
            return false;
    }
    return true;
}

static int run(struct suite *suite, void *self, const bp_binding *inputs, uint32_t n_inputs,
               struct results *out)
{
    struct runner *r = self;
    bool is_done;

    (void)suite;
    out->n = r->ends.n_outputs;
    out->bindings = xalloc(out->n, sizeof *out->bindings);
    is_done = run_values(r, inputs, n_inputs, out->bindings);
    drop_values(r);
    if (!is_done)
        results_finish(out);
    return is_done ? CLI_OK : CLI_RUN;
}

/* ---- one directory --------------------------------------------------------------------------- */

static bool open_session(struct runner *r, const struct suite *suite, const char *path)
{
    const OrtApi *api = r->face.api;
    OrtSessionOptions *options = NULL;
    bool is_open =
        face_ok(&r->face, api->CreateSessionOptions(&options)) &&
        face_ok(&r->face, api->SetIntraOpNumThreads(options, (int)suite->args->threads)) &&
        face_ok(&r->face, api->CreateSession(r->face.env, path, options, &r->session));

    api->ReleaseSessionOptions(options);
    return is_open;
}

static int run_sets(struct runner *r, struct suite *suite, const char *dir)
{
    struct subject subject = {.self = r,
                              .run = run,
                              .inputs = r->ends.rows,
                              .outputs = r->ends.rows + r->ends.n_inputs,
                              .n_inputs = r->ends.n_inputs,
                              .n_outputs = r->ends.n_outputs};
    int code;

    r->in = xalloc(r->ends.n_inputs, sizeof *r->in);
    r->out = xalloc(r->ends.n_outputs, sizeof *r->out);
    r->in_names = xalloc(r->ends.n_inputs, sizeof *r->in_names);
    r->out_names = xalloc(r->ends.n_outputs, sizeof *r->out_names);
    for (uint32_t i = 0; i < r->ends.n_outputs; i++)
        r->out_names[i] = subject.outputs[i].name;
    code = suite_run_sets(suite, &subject, dir);
    free(r->in);
    free(r->out);
    free(r->in_names);
    free(r->out_names);
    return code;
}

int suite_run_directory(struct suite *suite, const char *dir, bool *is_skipped)
{
    struct runner r = {0};
    int code;

    *is_skipped = false;
    if (!face_open(&r.face, suite->cli))
        code = suite_blame(suite, CLI_PROVIDER, NULL, suite->cli->words);
    else if (!open_session(&r, suite, suite->model) || !ends_read(&r.face, r.session, &r.ends))
        code = suite_blame(suite, CLI_MODEL, NULL, suite->cli->words);
    else
        code = run_sets(&r, suite, dir);
    ends_finish(&r.ends);
    if (r.session)
        r.face.api->ReleaseSession(r.session);
    face_close(&r.face);
    return code;
}

int main(int argc, char **argv)
{
    struct cli cli;
    int code;

    cli_init(&cli);
    code = cmd_conform.run(&cli, argc, argv);
    cli_finish(&cli);
    return code;
}
