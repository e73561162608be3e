/* SPDX-License-Identifier: MIT */
/* status.c - OrtStatus: a code and its text in one block of memory. */

#include "config.h"

#include "ort/status.h"

#include <bp/sdk.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "ort/error_codes.h"

struct OrtStatus {
    OrtErrorCode code;
    const char *text; /* after the struct in the same block; out_of_memory's is a literal */
};

static struct OrtStatus out_of_memory = {ORT_FAIL, "out of memory"};

bp_err *ort_err_init(struct ort_err *err)
{
    err->err = bp_err_init(err->text, sizeof err->text);
    return &err->err;
}

/* Never NULL: without memory it is the constant out_of_memory. */
static OrtStatus *make(OrtErrorCode code, const char *text)
{
    size_t size = strlen(text) + 1;
    struct OrtStatus *status = malloc(sizeof *status + size);
    char *copy;

    if (!status)
        return &out_of_memory;
    copy = (char *)(status + 1);
    memcpy(copy, text, size);
    status->code = code;
    status->text = copy;
    return status;
}

OrtStatus *ort_fail(OrtErrorCode code, const char *format, ...)
{
    char text[ORT_TEXT_MAX];
    va_list args;

    va_start(args, format);
    vsnprintf(text, sizeof text, format, args);
    va_end(args);
    return make(code, text);
}

/* The exception of an allocator: it explains a NULL of ort_alloc() better than "out of memory". */
static __thread OrtStatus *instead;

OrtStatus *ort_no_memory(void)
{
    OrtStatus *status = instead ? instead : &out_of_memory;

    instead = NULL;
    return status;
}

void ort_set_no_memory(OrtStatus *status)
{
    if (instead)
        ort_ReleaseStatus(instead);
    instead = status;
}

OrtStatus *ort_absent(const char *function)
{
    const char *name = strchr(function, '_'); /* ort_Run, ort_ep_CreateEpDevice */

    return ort_fail(ORT_NOT_IMPLEMENTED, "%s is not implemented in Backplane %s",
                    name ? name + 1 : function, bp_version());
}

OrtStatus *ort_null(const char *function, const char *argument)
{
    const char *name = strchr(function, '_');

    return ort_fail(ORT_INVALID_ARGUMENT, "%s: argument '%s' is NULL, a null pointer",
                    name ? name + 1 : function, argument);
}

/*
 * ONNX Runtime's code for a class of errors: the same bad input is INVALID_PROTOBUF while reading,
 * INVALID_GRAPH while a session is created, INVALID_ARGUMENT when it runs.
 */
static OrtErrorCode code_of(bp_rc rc, enum ort_phase phase)
{
    switch (rc) {
    case BP_E_INVALID:
        return phase == ORT_READING  ? ORT_INVALID_PROTOBUF
               : phase == ORT_MAKING ? ORT_INVALID_GRAPH
                                     : ORT_INVALID_ARGUMENT;
    case BP_E_SHAPE:
        return phase == ORT_MAKING ? ORT_FAIL : ORT_INVALID_ARGUMENT;
    case BP_E_OPTION:
    case BP_E_SPACE:
        return ORT_INVALID_ARGUMENT;
    case BP_E_UNSUPPORTED:
        return ORT_NOT_IMPLEMENTED;
    case BP_E_UNAVAILABLE:
    case BP_E_BUSY:
        return ORT_EP_FAIL;
    case BP_E_DEVICE_LOST:
        return ORT_DEVICE_RESET;
    case BP_E_INTERNAL:
        return ORT_RUNTIME_EXCEPTION;
    default:
        return ORT_FAIL;
    }
}

/* Order: details that error_codes.c knows, a custom operator's own code, the class of the error. */
OrtStatus *ort_from(bp_rc rc, const struct ort_err *err, enum ort_phase phase, const char *prefix)
{
    const struct ort_refusal *refusal;
    const char *text;
    OrtErrorCode code;

    if (rc >= 0)
        return NULL; /* err may be uninitialised */
    text = err->text[0] ? err->text : bp_rc_name(rc);
    if (rc == BP_E_NOMEM && !err->text[0])
        return ort_no_memory();
    refusal = phase == ORT_READING || (phase == ORT_MAKING && !prefix)
                  ? ort_refusal_find(err->err.detail)
                  : NULL;
    if (refusal && rc != BP_E_NOMEM)
        return ort_fail(refusal->code, "%s%s: %s", prefix ? prefix : "", refusal->words, text);
    code = (err->err.native_code & ~INT64_C(0xff)) == ORT_NATIVE_CODE
               ? (OrtErrorCode)(err->err.native_code & 0xff)
               : code_of(rc, phase);
    return ort_fail(code, "%s%s", prefix ? prefix : "", text);
}

/* ---- slots ----------------------------------------------------------------------------------- */

/* OrtApi since version 1. */
OrtStatus *ort_CreateStatus(OrtErrorCode code, const char *msg)
{
    return make(code, msg ? msg : "");
}

/* OrtApi since version 1. */
OrtErrorCode ort_GetErrorCode(const OrtStatus *status)
{
    return status ? status->code : ORT_OK;
}

/* OrtApi since version 1: Valid until the status is released. */
const char *ort_GetErrorMessage(const OrtStatus *status)
{
    return status ? status->text : "";
}

/* OrtApi since version 1. */
void ort_ReleaseStatus(OrtStatus *input)
{
    if (input != &out_of_memory)
        free(input);
}

/* The status is released. Its code travels in native_code, and ort_from() restores it. */
bp_rc ort_to_err(OrtStatus *status, bp_err *err)
{
    OrtErrorCode code;
    bp_rc rc;

    if (!status)
        return BP_OK;
    code = ort_GetErrorCode(status);
    rc = bp_fail(err,
                 code == ORT_INVALID_ARGUMENT  ? BP_E_INVALID
                 : code == ORT_NOT_IMPLEMENTED ? BP_E_UNSUPPORTED
                                               : BP_E_INTERNAL,
                 "%s", ort_GetErrorMessage(status));
    if (err)
        err->native_code = ORT_NATIVE_CODE | (int64_t)code;
    ort_ReleaseStatus(status);
    return rc;
}
