/* SPDX-License-Identifier: MIT */
/*
 * guarded.h - exceptions of the application's callbacks as statuses, with ONNX Runtime's codes: a
 * std::exception is ORT_RUNTIME_EXCEPTION with its what(), anything else ORT_FAIL.
 *
 * Thread rule: any thread.
 */
#ifndef BP_ORT_GUARDED_H
#define BP_ORT_GUARDED_H

#include "base/guard.h"
#include "ort/slots.h"

/* A status that is the caller's to release; `whose`: the function that threw. */
OrtStatus *ort_thrown(const struct bp_thrown *thrown, const char *whose);
/* The same with another code, where ONNX Runtime has one for all exceptions. */
OrtStatus *ort_thrown_as(OrtErrorCode code, const struct bp_thrown *thrown, const char *whose);
/* Logs an exception where no status can be returned. env NULL: the process's, else standard error. */
void ort_thrown_log(OrtEnv *env, const struct bp_thrown *thrown, const char *whose);

/*
 * Allocates from an allocator, which may be the application's. NULL after an exception: the same
 * thread's next ort_no_memory() then returns that exception as a status.
 */
void *ort_alloc(OrtAllocator *allocator, size_t size);
/* The status of an ort_alloc() that the caller asked for by size. */
OrtStatus *ort_no_bytes(size_t size);
/* p NULL is fine. An exception is logged; ort_try_free() returns it. */
void ort_free(OrtAllocator *allocator, void *p);
OrtStatus *ort_try_free(OrtAllocator *allocator, void *p);
/* *out is never NULL after success. */
OrtStatus *ort_info_of(const OrtAllocator *allocator, const OrtMemoryInfo **out);
OrtStatus *ort_stats_of(const OrtAllocator *allocator, OrtKeyValuePairs **out);

#endif
