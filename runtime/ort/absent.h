/* SPDX-License-Identifier: MIT */
/*
 * absent.h - functions for slots that are not implemented: ORT_NOT_IMPLEMENTED with the function's
 * name. A table must have a function in every slot, because programs call slots without looking.
 */
#ifndef BP_ORT_ABSENT_H
#define BP_ORT_ABSENT_H

#include "ort/slots.h"
#include "ort/status.h"

/* Parameters are named as in the tables, and not used. */
#pragma GCC diagnostic ignored "-Wunused-parameter"

#define ABSENT(name, parameters)                                                                   \
    OrtStatus *name parameters                                                                     \
    {                                                                                              \
        return ort_absent(__func__);                                                               \
    }

/* The release of something that nothing here hands out. */
#define ABSENT_VOID(name, parameters)                                                              \
    void name parameters                                                                           \
    {                                                                                              \
    }

/* A function that cannot fail: zero is its "nothing". */
#define ABSENT_VALUE(type, name, parameters)                                                       \
    type name parameters                                                                           \
    {                                                                                              \
        return (type)0;                                                                            \
    }

#endif
