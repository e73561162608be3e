/* SPDX-License-Identifier: MIT */
/*
 * guarded.h - what the application's functions throw, as ONNX Runtime gives it on: a std::exception is
 * ORT_RUNTIME_EXCEPTION with its what(), anything else ORT_FAIL.
 */
#ifndef BP_ORT_GUARDED_H
#define BP_ORT_GUARDED_H

#include "base/guard.h"
#include "ort/slots.h"

/* A status that is the caller's to release; `whose`: the function that threw. */
OrtStatus *ort_thrown(const struct bp_thrown *thrown, const char *whose);
/* The same where ONNX Runtime makes one code of all. */
OrtStatus *ort_thrown_as(OrtErrorCode code, const struct bp_thrown *thrown, const char *whose);
/* Where no status can be returned: a line of the log. env NULL: the process's, else standard error. */
void ort_thrown_log(OrtEnv *env, const struct bp_thrown *thrown, const char *whose);

/*
 * Functions of an allocator, which may be the application's. NULL after a throw: ort_no_memory(), called
 * by the same thread before it allocates again, then tells of that instead.
 */
void *ort_alloc(OrtAllocator *allocator, size_t size);
/* The status of an ort_alloc() that the caller asked for by size. */
OrtStatus *ort_no_bytes(size_t size);
/* p NULL is fine. A throw is a line of the log. */
void ort_free(OrtAllocator *allocator, void *p);
OrtStatus *ort_try_free(OrtAllocator *allocator, void *p);
/* *out is never NULL after success. */
OrtStatus *ort_info_of(const OrtAllocator *allocator, const OrtMemoryInfo **out);
OrtStatus *ort_stats_of(const OrtAllocator *allocator, OrtKeyValuePairs **out);

#endif
