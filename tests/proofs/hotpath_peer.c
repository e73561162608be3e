/* SPDX-License-Identifier: MIT */
/*
 * hotpath_peer.c - the loop of hotpath.c through ONNX Runtime's own plug-in interface, for its
 * figures beside ours: hotpath_peer LIBRARY PLUGIN, with the real libonnxruntime.so and peer_ep.so.
 * Nothing is promised of it, so it fails only where it could not be measured.
 */

#include "config.h"

#include <dlfcn.h>
#include <onnxruntime_c_api.h>

#include "perf/perf.h"
#include "proofs/hotpath.h"
#include "proofs/peer_ep.h"
#include "support/count_alloc.h"

static const OrtApi *api;

/* Ends the program with the words of a failure. */
static void must(OrtStatus *status, const char *what)
{
    if (!status)
        return;
    fprintf(stderr, "hotpath_peer: %s: %s\n", what, api->GetErrorMessage(status));
    exit(1);
}

static void *symbol(const char *library, const char *name)
{
    void *handle = dlopen(library, RTLD_NOW | RTLD_LOCAL);
    void *found = handle ? dlsym(handle, name) : NULL;

    if (found)
        return found;
    fprintf(stderr, "hotpath_peer: %s\n", dlerror());
    exit(1);
}

static const OrtEpDevice *find_device(const OrtEnv *env)
{
    const OrtEpDevice *const *devices;
    size_t n;

    must(api->GetEpDevices(env, &devices, &n), "devices");
    for (size_t i = 0; i < n; i++) {
        if (strcmp(api->EpDevice_EpName(devices[i]), PEER_EP) == 0)
            return devices[i];
    }
    fprintf(stderr, "hotpath_peer: the library has no device for %s\n", PEER_EP);
    exit(1);
}

static OrtSession *open_session(OrtEnv *env, const OrtEpDevice *device, int n_groups)
{
    struct pw w = write_alternating(n_groups);
    OrtSessionOptions *options;
    OrtSession *session;

    must(api->CreateSessionOptions(&options), "options");
    must(api->SetIntraOpNumThreads(options, 1), "threads");
    must(api->SetSessionGraphOptimizationLevel(options, ORT_DISABLE_ALL), "level");
    must(api->SessionOptionsAppendExecutionProvider_V2(options, env, &device, 1, NULL, NULL, 0),
         "provider");
    must(api->CreateSessionFromArray(env, w.data, w.size, options, &session), "session");
    api->ReleaseSessionOptions(options);
    pw_free(&w);
    return session;
}

static OrtValue *value_on(const OrtMemoryInfo *memory, float *data)
{
    const int64_t dims[] = {COUNT};
    OrtValue *value;

    must(api->CreateTensorWithDataAsOrtValue(memory, data, COUNT * sizeof *data, dims, 1,
                                             ONNX_TENSOR_ELEMENT_DATA_TYPE_FLOAT, &value),
         "value");
    return value;
}

/* What the runs of both sessions work with. */
struct loop {
    OrtValue *x[BUFFERS], *y[BUFFERS];
    unsigned long (*calls)(void);
};

static struct figures run_slice(const struct loop *loop, OrtSession *session)
{
    static const char *const in[] = {"x"}, *const out[] = {"y"};
    unsigned long allocations = count_alloc_calls(), before = loop->calls();
    double start = cpu_ns();

    for (unsigned i = 0; i < SLICE; i++) {
        const OrtValue *x = loop->x[i % BUFFERS];
        OrtValue *y = loop->y[(i * 7) % BUFFERS];

        must(api->Run(session, NULL, in, &x, 1, out, 1, &y), "run");
    }
    return (struct figures){.ns = (cpu_ns() - start) / SLICE,
                            .allocations = count_alloc_calls() - allocations,
                            .crossings = loop->calls() - before};
}

static void print(const struct figures *one, const struct figures *three)
{
    const double runs = (double)n_slices() * SLICE;

    printf("hotpath: ONNX Runtime's plug-in interface: 3 groups %.1f ns a run, %g crossings and %g "
           "allocations and frees a run\n",
           three->ns, (double)three->crossings / runs, (double)three->allocations / runs);
    printf("hotpath: ONNX Runtime's plug-in interface: 1 group %.1f ns a run; each crossing more "
           "takes %.1f ns\n",
           one->ns, (three->ns - one->ns) / 2);
}

static void measure(struct loop *loop, OrtSession *const *sessions)
{
    struct figures one = {.ns = 1e12}, three = {.ns = 1e12};

    for (int i = 0; i < 4; i++)
        run_slice(loop, sessions[i % 2]);
    for (int i = 0; i < 2 * n_slices(); i++) {
        struct figures slice = run_slice(loop, sessions[i % 2]);

        add_slice(i % 2 ? &three : &one, &slice);
    }
    print(&one, &three);
}

int main(int argc, char **argv)
{
    static float x[BUFFERS][COUNT], y[BUFFERS][COUNT];
    struct loop loop;
    const OrtApiBase *(*base)(void);
    const OrtEpDevice *device;
    OrtMemoryInfo *memory;
    OrtSession *sessions[2];
    OrtEnv *env;

    if (argc != 3) {
        fputs("usage: hotpath_peer LIBONNXRUNTIME PLUGIN\n", stderr);
        return 2;
    }
    *(void **)&base = symbol(argv[1], "OrtGetApiBase");
    *(void **)&loop.calls = symbol(argv[2], "peer_ep_calls");
    api = base()->GetApi(ORT_API_VERSION);
    if (!api) {
        fprintf(stderr, "hotpath_peer: %s is %s, this needs 1.%d\n", argv[1],
                base()->GetVersionString(), ORT_API_VERSION);
        return 1;
    }
    must(api->CreateEnv(ORT_LOGGING_LEVEL_ERROR, "hotpath", &env), "environment");
    must(api->RegisterExecutionProviderLibrary(env, PEER_EP, argv[2]), "registration");
    must(api->CreateCpuMemoryInfo(OrtArenaAllocator, OrtMemTypeDefault, &memory), "memory");
    device = find_device(env);
    sessions[0] = open_session(env, device, 1);
    sessions[1] = open_session(env, device, 3);
    for (int i = 0; i < BUFFERS; i++) {
        loop.x[i] = value_on(memory, x[i]);
        loop.y[i] = value_on(memory, y[i]);
    }
    measure(&loop, sessions);
    for (int i = 0; i < BUFFERS; i++) {
        api->ReleaseValue(loop.x[i]);
        api->ReleaseValue(loop.y[i]);
    }
    api->ReleaseSession(sessions[0]);
    api->ReleaseSession(sessions[1]);
    api->ReleaseMemoryInfo(memory);
    must(api->UnregisterExecutionProviderLibrary(env, PEER_EP), "deregistration");
    api->ReleaseEnv(env);
    return 0;
}
