/* SPDX-License-Identifier: MIT */
/* status.h - makes OrtStatus objects: of our own words, of the host's errors, of missing arguments. */
#ifndef BP_ORT_STATUS_H
#define BP_ORT_STATUS_H

#include <backplane.h>

#include "ort/slots.h"

enum { ORT_TEXT_MAX = 2048 };

/* Room for the host's words. Set up with ort_err_init(). */
struct ort_err {
    bp_err err;
    char text[ORT_TEXT_MAX];
};

/* What was being done when the host failed: ONNX Runtime's codes differ by that. */
enum ort_phase {
    ORT_READING, /* a model's bytes */
    ORT_MAKING,  /* a session */
    ORT_RUNNING,
    ORT_OTHER
};

/*
 * In bp_err.native_code, above the code of an OrtStatus: an operator of the application failed with
 * that, and so does the run.
 */
#define ORT_NATIVE_CODE (INT64_C(0x4f7274) << 8)

bp_err *ort_err_init(struct ort_err *err);

/* A status that is the caller's to release. Never NULL: without memory, a constant one. */
OrtStatus *ort_fail(OrtErrorCode code, const char *format, ...)
    __attribute__((format(printf, 2, 3)));
OrtStatus *ort_no_memory(void);
/* What the thread's next ort_no_memory() gives instead; takes it. NULL: nothing else. */
void ort_set_no_memory(OrtStatus *status);
/* NULL when rc is no error. `prefix` (may be NULL) goes before the words. */
OrtStatus *ort_from(bp_rc rc, const struct ort_err *err, enum ort_phase phase, const char *prefix);
/* function: __func__ of the slot's function. */
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
