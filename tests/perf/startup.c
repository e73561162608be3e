/* SPDX-License-Identifier: MIT */
/*
 * startup.c - time and memory from dlopen of the library to the first result of a small model, in
 * new processes. Limits: 12 MiB resident; 3 ms in the median, or BACKPLANE_STARTUP_MS on slow
 * machines.
 *
 *   startup [MODEL.onnx]    default: the digits example's
 */

#include "config.h"

#include <dlfcn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <backplane.h>

#include "perf.h"

enum { PROCESSES = 21, ATTEMPTS = 3 };

#define LIMIT_MIB 12.0
#define LIMIT_MS 3.0

struct sample {
    double ms, mib;
};

/* The functions of the library that a small program needs. */
struct api {
    bp_rc (*env_create)(const bp_env_config *, bp_env **, bp_err *);
    bp_rc (*session_create)(bp_env *, const char *, const bp_session_options *, bp_session **,
                            bp_err *);
    bp_rc (*session_input)(const bp_session *, uint32_t, bp_io_info *, bp_err *);
    bp_rc (*session_run)(bp_session *, const bp_binding *, uint32_t, bp_binding *, uint32_t,
                         const bp_run_options *, bp_err *);
};

static int find(void *library, const char *name, void *out)
{
    void *symbol = dlsym(library, name);

    memcpy(out, &symbol, sizeof symbol);
    return symbol != NULL;
}

static int load(struct api *api, const char *path)
{
    void *library = dlopen(path, RTLD_NOW | RTLD_LOCAL);

    if (!library) {
        fprintf(stderr, "%s\n", dlerror());
        return 0;
    }
    return find(library, "bp_env_create", &api->env_create) &&
           find(library, "bp_session_create", &api->session_create) &&
           find(library, "bp_session_input", &api->session_input) &&
           find(library, "bp_session_run", &api->session_run);
}

/* From nothing to a result; 0 is success. */
static int start(const char *library, const char *model)
{
    static float data[1 << 16];
    char text[512];
    bp_err err = bp_err_init(text, sizeof text);
    bp_env *env = NULL;
    bp_session *session = NULL;
    bp_io_info info = {.struct_size = sizeof info};
    bp_binding in = {.tensor = {.base = data, .bytes = sizeof data, .dtype = BP_DTYPE_F32}};
    bp_binding out = {0};
    int64_t dims[8];
    struct api api;

    if (!load(&api, library))
        return 1;
    if (api.env_create(NULL, &env, &err) < 0 ||
        api.session_create(env, model, NULL, &session, &err) < 0 ||
        api.session_input(session, 0, &info, &err) < 0 || info.rank > 8)
        goto failed;
    for (uint32_t d = 0; d < info.rank; d++)
        dims[d] = info.dims[d].value < 0 ? 1 : info.dims[d].value;
    in.tensor.dims = dims;
    in.tensor.rank = info.rank;
    if (api.session_run(session, &in, 1, &out, 1, NULL, &err) < 0)
        goto failed;
    return 0;
failed:
    fprintf(stderr, "%s\n", text);
    return 1;
}

/* One process; its sample comes through a pipe. */
static int measure(const char *library, const char *model, struct sample *out)
{
    int ends[2], status = 1;
    pid_t child;

    if (pipe(ends) != 0)
        return 1;
    child = fork();
    if (child == 0) {
        struct sample own = {.ms = now_ms()};

        status = start(library, model);
        own.ms = now_ms() - own.ms;
        own.mib = status_mib("VmHWM:");
        if (write(ends[1], &own, sizeof own) != (ssize_t)sizeof own)
            status = 1;
        _exit(status);
    }
    close(ends[1]);
    if (read(ends[0], out, sizeof *out) != (ssize_t)sizeof *out)
        status = 1;
    close(ends[0]);
    if (child < 0 || waitpid(child, &status, 0) != child)
        return 1;
    return status;
}

static int by_ms(const void *a, const void *b)
{
    const struct sample *x = a;
    const struct sample *y = b;

    return (x->ms > y->ms) - (x->ms < y->ms);
}

/* One attempt: the median time and the largest memory. */
static int attempt(const char *library, const char *model, struct sample *out)
{
    struct sample samples[PROCESSES];

    for (int i = 0; i < PROCESSES; i++) {
        if (measure(library, model, &samples[i]) != 0)
            return 1;
    }
    qsort(samples, PROCESSES, sizeof *samples, by_ms);
    *out = samples[PROCESSES / 2];
    for (int i = 0; i < PROCESSES; i++)
        out->mib = samples[i].mib > out->mib ? samples[i].mib : out->mib;
    printf("startup: %d processes, minimum %.2f ms, median %.2f ms, peak %.1f MiB\n", PROCESSES,
           samples[0].ms, out->ms, out->mib);
    return 0;
}

int main(int argc, char **argv)
{
    const char *limit = getenv("BACKPLANE_STARTUP_MS");
    const char *build = getenv("BP_BUILDDIR");
    const char *source = getenv("BP_SRCDIR");
    double limit_ms = limit ? strtod(limit, NULL) : LIMIT_MS;
    char library[4096], model[4096];
    struct sample got = {0};

    if (BP_SANITIZED) {
        puts("startup: skipped, sanitizers change time and memory");
        return SKIP;
    }
    snprintf(library, sizeof library, "%s/runtime/.libs/libbackplane.so.0", build ? build : ".");
    snprintf(model, sizeof model, "%s/examples/digits/digits.onnx", source ? source : ".");
    for (int i = 0; i < ATTEMPTS; i++) {
        if (attempt(library, argc > 1 ? argv[1] : model, &got) != 0)
            return 1;
        if (got.ms <= limit_ms && got.mib <= LIMIT_MIB)
            return 0;
    }
    printf("startup: beyond the limits of %.1f ms, %.0f MiB\n", limit_ms, LIMIT_MIB);
    return 1;
}
