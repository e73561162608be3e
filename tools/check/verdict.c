/* SPDX-License-Identifier: MIT */
/* verdict.c - how a check ends: failed, warned of, left out, passed; each but the last ends it at once. */

#include "config.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "check/kit.h"

static void say(struct kit *kit, enum kit_verdict verdict, const char *fmt, va_list args)
    __attribute__((format(printf, 3, 0)));
static void say(struct kit *kit, enum kit_verdict verdict, const char *fmt, va_list args)
{
    kit_alloc_fail_at(0);
    kit->outcome->verdict = verdict;
    vsnprintf(kit->outcome->text, sizeof kit->outcome->text, fmt, args);
}

void kit_fail(struct kit *kit, const char *fmt, ...)
{
    va_list args;

    va_start(args, fmt);
    say(kit, KIT_FAIL, fmt, args);
    va_end(args);
    longjmp(kit->end, 1);
}

void kit_warn(struct kit *kit, const char *fmt, ...)
{
    va_list args;

    va_start(args, fmt);
    say(kit, KIT_WARN, fmt, args);
    va_end(args);
    longjmp(kit->end, 1);
}

void kit_skip(struct kit *kit, const char *fmt, ...)
{
    va_list args;

    va_start(args, fmt);
    say(kit, KIT_SKIP, fmt, args);
    va_end(args);
    longjmp(kit->end, 1);
}

void kit_note(struct kit *kit, const char *fmt, ...)
{
    va_list args;

    va_start(args, fmt);
    say(kit, KIT_PASS, fmt, args);
    va_end(args);
}

bp_err *kit_err(struct kit *kit)
{
    memset(&kit->err, 0, sizeof kit->err);
    kit->words[0] = '\0';
    kit->err.struct_size = sizeof kit->err;
    kit->err.msg = kit->words;
    kit->err.msg_cap = sizeof kit->words;
    return &kit->err;
}
