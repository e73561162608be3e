/* SPDX-License-Identifier: MIT */
/* surroundings.h - what of the process a plug-in must leave as it is. */
#ifndef BP_CHECK_SURROUNDINGS_H
#define BP_CHECK_SURROUNDINGS_H

#include <sched.h>
#include <signal.h>
#include <stdbool.h>
#include <sys/resource.h>
#include <sys/time.h>

#include "check/kit.h"

enum { KIT_ENVIRONMENT_MAX = 65536, KIT_SIGNALS = 32, KIT_TIMERS = 3 };

/* Parts of the surroundings, to look at some only. */
enum {
    KIT_OF_THREADS = 1u << 0, /* their number, and that of descriptors */
    KIT_OF_SIGNALS = 1u << 1, /* mask, handlers, alternate stack, timers */
    KIT_OF_FLOATS = 1u << 2,  /* rounding and flush-to-zero modes */
    KIT_OF_PLACE = 1u << 3,   /* locale, working directory, environment, umask */
    KIT_OF_LIMITS = 1u << 4,  /* priority, limits, affinity */
    KIT_OF_CHILDREN = 1u << 5,
    KIT_OF_OUTPUT = 1u << 6, /* what was written to standard output and error */
    KIT_OF_EXIT = 1u << 7,   /* handlers of atexit() */
    KIT_OF_ALL = 0xff
};

struct kit_surroundings {
    unsigned threads, fds, children;
    sigset_t mask;
    struct sigaction actions[KIT_SIGNALS];
    stack_t stack;
    struct itimerval timers[KIT_TIMERS];
    char locale[256], dir[4096];
    char environment[KIT_ENVIRONMENT_MAX];
    unsigned mode; /* of floating point */
    unsigned file_mask;
    int priority;
    struct rlimit limits[RLIM_NLIMITS];
    cpu_set_t affinity;
    long written; /* bytes, where kit_catch_output() was called */
    unsigned exit_handlers;
};

/* Looks at all of it. */
void kit_look(struct kit_surroundings *now);
/* Fails the test where `what` changed one of the parts: KIT_OF_*. */
void kit_compare(struct kit *kit, const struct kit_surroundings *before,
                 const struct kit_surroundings *after, unsigned parts, const char *what);
/* From now on handlers that the shared object of this path registers with atexit() are counted. */
void kit_watch_exit_handlers(const char *path);
/* From now on standard output and error of the process go to a file that counts; false: they do not. */
bool kit_catch_output(void);

#endif
