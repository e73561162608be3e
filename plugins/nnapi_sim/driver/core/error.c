/* SPDX-License-Identifier: MIT */
/* error.c - the last sentence of each thread. */
#include "core/error.h"

#include <stdarg.h>
#include <stdio.h>

static _Thread_local char last[512];

int nn_fail(int code, const char *format, ...)
{
    va_list args;

    va_start(args, format);
    vsnprintf(last, sizeof last, format, args);
    va_end(args);
    return code;
}

const char *nn_error_text(void)
{
    return last;
}
