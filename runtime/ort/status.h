/* SPDX-License-Identifier: MIT */
/*
 * status.h - makes OrtStatus objects: from our own texts, from the host's errors, for missing
 * arguments.
 *
 * NULL is success. A status is the caller's, to ReleaseStatus(). Thread rule: any thread.
 */
#ifndef BP_ORT_STATUS_H
#define BP_ORT_STATUS_H

#include <backplane.h>

#include "ort/slots.h"

enum { ORT_TEXT_MAX = 2048 }; /* bytes of a message; longer ones are cut */

/* An error of the host with its buffer. Set it up with ort_err_init(). */
struct ort_err {
    bp_err err;
    char text[ORT_TEXT_MAX];
};

/* What was being done when the host failed: ONNX Runtime's code depends on it. */
enum ort_phase {
    ORT_READING, /* a model's bytes */
    ORT_MAKING,  /* a session */
    ORT_RUNNING,
    ORT_OTHER
};

/*
 * A mark in bp_err.native_code above an OrtErrorCode in the low byte: a custom operator failed with
 * that code, and the run returns it.
 */
#define ORT_NATIVE_CODE (INT64_C(0x4f7274) << 8)

bp_err *ort_err_init(struct ort_err *err);

/* A status that is the caller's to release. Never NULL: without memory, a constant one. */
OrtStatus *ort_fail(OrtErrorCode code, const char *format, ...)
    __attribute__((format(printf, 2, 3)));
OrtStatus *ort_no_memory(void);
/* The thread's next ort_no_memory() returns this status, which is taken over. NULL: the default. */
void ort_set_no_memory(OrtStatus *status);
/* The host's error as a status; NULL when rc is not an error. `prefix` (may be NULL) precedes the text. */
OrtStatus *ort_from(bp_rc rc, const struct ort_err *err, enum ort_phase phase, const char *prefix);
/* ORT_NOT_IMPLEMENTED, and ORT_INVALID_ARGUMENT for a NULL argument; function: the slot's __func__. */
OrtStatus *ort_absent(const char *function);
OrtStatus *ort_null(const char *function, const char *argument);

/* The host's error for a status, which is released. */
bp_rc ort_to_err(OrtStatus *status, bp_err *err);

/* Returns a status from the slot's function when an argument is missing. */
#define ORT_NEED(argument)                                                                         \
    do {                                                                                           \
        if (!(argument))                                                                           \
            return ort_null(__func__, #argument);                                                  \
    } while (0)

#endif
