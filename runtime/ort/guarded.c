/* SPDX-License-Identifier: MIT */
/* guarded.c - calls of the application's functions that may throw, and of its allocators. */

#include "config.h"

#include "ort/guarded.h"

#include <stdio.h>

#include "ort/env.h"
#include "ort/status.h"

/* ---- statuses -------------------------------------------------------------------------------- */

/* The text names the function that threw. */
OrtStatus *ort_thrown_as(OrtErrorCode code, const struct bp_thrown *thrown, const char *whose)
{
    return ort_fail(code, "%s%s (thrown by %s)",
                    thrown->is_std ? "" : "Unknown Exception: ", thrown->text, whose);
}

/* ONNX Runtime's codes: ORT_RUNTIME_EXCEPTION for a std::exception, ORT_FAIL for anything else. */
OrtStatus *ort_thrown(const struct bp_thrown *thrown, const char *whose)
{
    return ort_thrown_as(thrown->is_std ? ORT_RUNTIME_EXCEPTION : ORT_FAIL, thrown, whose);
}

/* env NULL: the process's environment, or standard error if there is none. */
void ort_thrown_log(OrtEnv *env, const struct bp_thrown *thrown, const char *whose)
{
    OrtEnv *found = env ? NULL : ort_env_current();
    char text[BP_THROWN_TEXT + 128];

    snprintf(text, sizeof text, "%s threw an exception, which ends here: %s", whose, thrown->text);
    if (env || found)
        ort_env_log(env ? env : found, ORT_LOGGING_LEVEL_ERROR, "application", text);
    else
        fprintf(stderr, "[E:onnxruntime:, application] %s\n", text);
    ort_env_release(found);
}

/* ---- allocators ------------------------------------------------------------------------------ */

/* Arguments and result of one call under bp_guard(); each call uses some of them. */
struct request {
    OrtAllocator *allocator;
    const OrtAllocator *asked;
    size_t size;
    void *p;
    const OrtMemoryInfo *info;
};

static void call_alloc(void *u)
{
    struct request *request = u;

    request->p = request->allocator->Alloc(request->allocator, request->size);
}

/* The exception of Alloc becomes the thread's next ort_no_memory(), as this returns only NULL. */
void *ort_alloc(OrtAllocator *allocator, size_t size)
{
    struct request request = {.allocator = allocator, .size = size};
    struct bp_thrown thrown;

    if (bp_guard(call_alloc, &request, &thrown)) {
        ort_set_no_memory(NULL);
        return request.p;
    }
    ort_set_no_memory(ort_thrown(&thrown, "Alloc of an allocator"));
    return NULL;
}

/* An exception of Alloc is preferred to the plain message. */
OrtStatus *ort_no_bytes(size_t size)
{
    OrtStatus *status = ort_no_memory();

    return status != ort_no_memory()
               ? status
               : ort_fail(ORT_FAIL,
                          "the allocator has no %zu bytes: Failed to allocate memory for "
                          "requested buffer of size %zu",
                          size, size);
}

static void call_free(void *u)
{
    struct request *request = u;

    request->allocator->Free(request->allocator, request->p);
}

void ort_free(OrtAllocator *allocator, void *p)
{
    struct request request = {.allocator = allocator, .p = p};
    struct bp_thrown thrown;

    if (!bp_guard(call_free, &request, &thrown))
        ort_thrown_log(NULL, &thrown, "Free of an allocator");
}

OrtStatus *ort_try_free(OrtAllocator *allocator, void *p)
{
    struct request request = {.allocator = allocator, .p = p};
    struct bp_thrown thrown;

    return bp_guard(call_free, &request, &thrown) ? NULL
                                                  : ort_thrown(&thrown, "Free of an allocator");
}

static void call_info(void *u)
{
    struct request *request = u;

    request->info = request->asked->Info(request->asked);
}

/* OrtAllocator::Info, since version 1; NULL is refused. */
OrtStatus *ort_info_of(const OrtAllocator *allocator, const OrtMemoryInfo **out)
{
    struct request request = {.asked = allocator};
    struct bp_thrown thrown;

    *out = NULL;
    if (!bp_guard(call_info, &request, &thrown))
        return ort_thrown(&thrown, "Info of an allocator");
    if (!request.info)
        return ort_fail(ORT_INVALID_ARGUMENT, "the allocator does not say what memory it has");
    *out = request.info;
    return NULL;
}

struct asked_stats {
    const OrtAllocator *allocator;
    OrtKeyValuePairs **out;
    OrtStatus *status;
};

static void call_stats(void *u)
{
    struct asked_stats *asked = u;

    asked->status = asked->allocator->GetStats(asked->allocator, asked->out);
}

/* OrtAllocator::GetStats, since version 23; the caller checked that it exists. */
OrtStatus *ort_stats_of(const OrtAllocator *allocator, OrtKeyValuePairs **out)
{
    struct asked_stats asked = {.allocator = allocator, .out = out};
    struct bp_thrown thrown;

    return bp_guard(call_stats, &asked, &thrown) ? asked.status
                                                 : ort_thrown(&thrown, "GetStats of an allocator");
}
