/* SPDX-License-Identifier: MIT */
/* session.c - a session of any library that has OrtGetApiBase(), with made-up inputs. */

#include "config.h"

#include "bench.h"

#include <dlfcn.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { MOST_RANK = 16, MOST_OPTIONS = 8, TEXT = 256 };

static double clock_ms(clockid_t which)
{
    struct timespec now;

    clock_gettime(which, &now);
    return (double)now.tv_sec * 1e3 + (double)now.tv_nsec * 1e-6;
}

double bench_now_ms(void)
{
    return clock_ms(CLOCK_MONOTONIC);
}

double bench_cpu_ms(void)
{
    return clock_ms(CLOCK_PROCESS_CPUTIME_ID);
}

static bool complain(const struct bench_case *which, const char *words)
{
    fprintf(stderr, "bench: %s on %s of %s: %s\n", which->model, which->provider, which->library,
            words);
    return false;
}

static bool is_good(const struct bench_case *which, const OrtApi *api, OrtStatus *status)
{
    if (!status)
        return true;
    complain(which, api->GetErrorMessage(status));
    api->ReleaseStatus(status);
    return false;
}

/* ---- the library and its options ------------------------------------------------------------- */

static const OrtApiBase *open_base(const char *path)
{
    const OrtApiBase *(*base)(void);
    void *library = dlopen(path, RTLD_NOW | RTLD_LOCAL);
    void *symbol = library ? dlsym(library, "OrtGetApiBase") : NULL;

    if (!symbol) {
        fprintf(stderr, "bench: %s\n", dlerror());
        return NULL;
    }
    memcpy(&base, &symbol, sizeof base);
    return base();
}

const char *bench_version(const char *library)
{
    const OrtApiBase *base = open_base(library);

    return base ? base->GetVersionString() : NULL;
}

static const OrtApi *open_library(const struct bench_case *which)
{
    const OrtApiBase *base = open_base(which->library);
    const OrtApi *api = base ? base->GetApi(ORT_API_VERSION) : NULL;

    if (base && !api)
        complain(which, "the library does not speak this version of the interface");
    return api;
}

/* "dnnl:math_mode=fast": the provider and its options. */
static bool add_provider(const struct bench_case *which, const OrtApi *api,
                         OrtSessionOptions *options)
{
    const char *keys[MOST_OPTIONS], *values[MOST_OPTIONS];
    char text[TEXT], *rest = text, *name;
    size_t n = 0;

    if (!which->provider[0])
        return true;
    snprintf(text, sizeof text, "%s", which->provider);
    name = strsep(&rest, ":");
    while (rest && n < MOST_OPTIONS) {
        char *value = strsep(&rest, ":");

        keys[n] = strsep(&value, "=");
        values[n++] = value ? value : "";
    }
    return is_good(which, api,
                   api->SessionOptionsAppendExecutionProvider(options, name, keys, values, n));
}

static bool create(const struct bench_case *which, struct bench_session *s)
{
    const OrtApi *api = s->api;
    OrtSessionOptions *options = NULL;
    bool ok = is_good(which, api, api->CreateEnv(ORT_LOGGING_LEVEL_ERROR, "bench", &s->env)) &&
              is_good(which, api, api->CreateSessionOptions(&options)) &&
              is_good(which, api, api->SetIntraOpNumThreads(options, (int)which->threads)) &&
              add_provider(which, api, options);
    double start = bench_now_ms();

    ok = ok && is_good(which, api, api->CreateSession(s->env, which->model, options, &s->session));
    s->create_ms = bench_now_ms() - start;
    if (options)
        api->ReleaseSessionOptions(options);
    return ok;
}

/* ---- inputs ---------------------------------------------------------------------------------- */

/* What is behind that name and '=' in "a=1,b=2"; NULL if it is not there. */
static const char *given(const char *dims, const char *name)
{
    size_t length = strlen(name);

    for (const char *at = dims; at && *at && length > 0; at = strchr(at, ',')) {
        at += *at == ',';
        if (strncmp(at, name, length) == 0 && at[length] == '=')
            return at + length + 1;
    }
    return NULL;
}

/* The number of that name; 1 if there is none. */
static int64_t number_of(const char *dims, const char *name)
{
    const char *number = given(dims, name);

    return number ? strtoll(number, NULL, 10) : 1;
}

/* Bytes of an element; 0: no such type is made up here. */
static size_t width_of(ONNXTensorElementDataType type)
{
    switch (type) {
    case ONNX_TENSOR_ELEMENT_DATA_TYPE_FLOAT:
    case ONNX_TENSOR_ELEMENT_DATA_TYPE_INT32:
        return 4;
    case ONNX_TENSOR_ELEMENT_DATA_TYPE_INT64:
        return 8;
    case ONNX_TENSOR_ELEMENT_DATA_TYPE_BOOL:
    case ONNX_TENSOR_ELEMENT_DATA_TYPE_INT8:
    case ONNX_TENSOR_ELEMENT_DATA_TYPE_UINT8:
        return 1;
    default:
        return 0;
    }
}

/* Floats within 0 .. 1; integers `whole`; bytes are 1. */
static void make_up(void *data, ONNXTensorElementDataType type, size_t n, int64_t whole)
{
    uint32_t state = 12345;

    for (size_t i = 0; i < n; i++) {
        if (type == ONNX_TENSOR_ELEMENT_DATA_TYPE_FLOAT) {
            state = state * 1664525u + 1013904223u;
            ((float *)data)[i] = (float)(state >> 8) / 16777216.0f;
        } else if (type == ONNX_TENSOR_ELEMENT_DATA_TYPE_INT64) {
            ((int64_t *)data)[i] = whole;
        } else if (type == ONNX_TENSOR_ELEMENT_DATA_TYPE_INT32) {
            ((int32_t *)data)[i] = (int32_t)whole;
        } else {
            ((uint8_t *)data)[i] = 1;
        }
    }
}

/*
 * Sizes that vary: of the input as a whole, "input=1x576", where the model has no names for them; else
 * by name; else 1. Returns how many elements there are.
 */
static size_t set_sizes(const struct bench_case *which, const char *input, const char *const *names,
                        int64_t *dims, size_t rank)
{
    const char *whole = given(which->dims, input);
    size_t n = 1;
    char *end;

    for (size_t i = 0; i < rank; i++) {
        if (whole) {
            dims[i] = strtoll(whole, &end, 10);
            whole = *end == 'x' ? end + 1 : NULL;
        } else if (dims[i] < 0) {
            dims[i] = number_of(which->dims, names[i]);
        }
        n *= (size_t)dims[i];
    }
    return n;
}

/* Integers are 1, an index, a length and a mask alike; a scalar is what the list says. */
static bool make_tensor(const struct bench_case *which, const OrtApi *api, const char *input,
                        const OrtTensorTypeAndShapeInfo *info, OrtValue **out)
{
    ONNXTensorElementDataType type;
    const char *names[MOST_RANK];
    int64_t dims[MOST_RANK];
    OrtMemoryInfo *memory;
    size_t rank, n;
    void *data;

    if (!is_good(which, api, api->GetTensorElementType(info, &type)) ||
        !is_good(which, api, api->GetDimensionsCount(info, &rank)))
        return false;
    if (rank > MOST_RANK || width_of(type) == 0)
        return complain(which, "an input is of a type or rank that is not made up here");
    if (!is_good(which, api, api->GetDimensions(info, dims, rank)) ||
        !is_good(which, api, api->GetSymbolicDimensions(info, names, rank)) ||
        !is_good(which, api,
                 api->CreateCpuMemoryInfo(OrtDeviceAllocator, OrtMemTypeDefault, &memory)))
        return false;
    n = set_sizes(which, input, names, dims, rank);
    data = calloc(n > 0 ? n : 1, width_of(type)); /* the process ends with the session */
    if (!data)
        return complain(which, "no memory for its inputs");
    make_up(data, type, n, rank == 0 ? number_of(which->dims, input) : 1);
    return is_good(which, api,
                   api->CreateTensorWithDataAsOrtValue(memory, data, n * width_of(type), dims, rank,
                                                       type, out));
}

static bool make_input(const struct bench_case *which, const struct bench_session *s, size_t i)
{
    const OrtTensorTypeAndShapeInfo *info = NULL;
    OrtTypeInfo *type = NULL;
    bool ok = is_good(which, s->api, s->api->SessionGetInputTypeInfo(s->session, i, &type)) &&
              is_good(which, s->api, s->api->CastTypeInfoToTensorInfo(type, &info)) &&
              (info ? make_tensor(which, s->api, s->in_names[i], info, &s->in[i])
                    : complain(which, "no tensor input"));

    if (type)
        s->api->ReleaseTypeInfo(type);
    return ok;
}

static bool fill(const struct bench_case *which, struct bench_session *s)
{
    OrtAllocator *allocator;

    if (!is_good(which, s->api, s->api->GetAllocatorWithDefaultOptions(&allocator)) ||
        !is_good(which, s->api, s->api->SessionGetInputCount(s->session, &s->n_in)) ||
        !is_good(which, s->api, s->api->SessionGetOutputCount(s->session, &s->n_out)))
        return false;
    s->in_names = calloc(s->n_in + 1, sizeof *s->in_names);
    s->out_names = calloc(s->n_out + 1, sizeof *s->out_names);
    s->in = calloc(s->n_in + 1, sizeof *s->in);
    s->out = calloc(s->n_out + 1, sizeof *s->out);
    if (!s->in_names || !s->out_names || !s->in || !s->out)
        return complain(which, "no memory");
    for (size_t i = 0; i < s->n_in; i++) {
        if (!is_good(which, s->api,
                     s->api->SessionGetInputName(s->session, i, allocator, &s->in_names[i])) ||
            !make_input(which, s, i))
            return false;
    }
    for (size_t i = 0; i < s->n_out; i++) {
        if (!is_good(which, s->api,
                     s->api->SessionGetOutputName(s->session, i, allocator, &s->out_names[i])))
            return false;
    }
    return true;
}

/* ---- all together ---------------------------------------------------------------------------- */

bool bench_open(const struct bench_case *which, struct bench_session *out)
{
    memset(out, 0, sizeof *out);
    out->api = open_library(which);
    return out->api && create(which, out) && fill(which, out);
}

bool bench_run(struct bench_session *s)
{
    OrtStatus *status = s->api->Run(s->session, NULL, (const char *const *)s->in_names,
                                    (const OrtValue *const *)s->in, s->n_in,
                                    (const char *const *)s->out_names, s->n_out, s->out);

    if (status) {
        fprintf(stderr, "bench: %s\n", s->api->GetErrorMessage(status));
        s->api->ReleaseStatus(status);
        return false;
    }
    for (size_t i = 0; i < s->n_out; i++) {
        s->api->ReleaseValue(s->out[i]);
        s->out[i] = NULL;
    }
    return true;
}

void bench_close(struct bench_session *s)
{
    if (s->session)
        s->api->ReleaseSession(s->session);
    if (s->env)
        s->api->ReleaseEnv(s->env);
}
