/* SPDX-License-Identifier: MIT */
/*
 * guard.h - calls code of the application, which may be C++ and throw: the exception ends here.
 *
 * No frame of ours is ever unwound but those between bp_guard() and the application's function, so
 * nothing that a caller of bp_guard() holds is lost. A call that nothing throws from costs a jump more
 * than a plain one.
 */
#ifndef BP_BASE_GUARD_H
#define BP_BASE_GUARD_H

#include <stdbool.h>

#include <backplane.h>

enum { BP_THROWN_TEXT = 480 };

/* What came out of the application's code instead of a return. */
struct bp_thrown {
    bool is_std;               /* a std::exception, or of a class made from it */
    char text[BP_THROWN_TEXT]; /* its what(); of others, what they are */
};

/*
 * Calls fn(arg). False: it threw. The exception has been destroyed and *thrown tells of it; else *thrown
 * is left as it is. `fn` must hold nothing itself when it calls the application. What another language
 * threw is caught and never destroyed. Where there is no guard for the processor (guard.c), C++ ends the
 * process with its own message, as it does for an exception that is not caught.
 */
bool bp_guard(void (*fn)(void *), void *arg, struct bp_thrown *thrown);

/* The error of a callback that threw; `whose` names it, e.g. "compute". */
bp_rc bp_thrown_fail(const struct bp_thrown *thrown, const char *whose, bp_err *err);

#endif
