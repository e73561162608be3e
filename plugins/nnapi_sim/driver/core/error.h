/* SPDX-License-Identifier: MIT */
/* error.h - refusing a call: its code, and the sentence that Android writes to its log. */
#ifndef NN_ERROR_H
#define NN_ERROR_H

#include <stddef.h>

/*
 * Keeps the sentence for bp_nnapi_last_error() of this thread and returns the code. Call it where
 * the facts are; callers pass the code on. Any thread.
 */
int nn_fail(int code, const char *format, ...) __attribute__((format(printf, 2, 3)));
/* The last sentence of this thread; "" when nothing failed. */
const char *nn_error_text(void);

#endif
