/* SPDX-License-Identifier: MIT */
/* perf.h - what the tests of time and memory share. */
#ifndef BP_TESTS_PERF_H
#define BP_TESTS_PERF_H

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { SKIP = 77 };

/* Sanitizers change time and memory so much that limits say nothing. */
#define BP_SANITIZED (WITH_ASAN || WITH_TSAN)

static inline double now_ms(void)
{
    struct timespec t;

    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec * 1e3 + (double)t.tv_nsec / 1e6;
}

/* A line of /proc/self/status in MiB: "VmHWM:", "VmRSS:". */
static inline double status_mib(const char *key)
{
    FILE *file = fopen("/proc/self/status", "re");
    char line[256];
    double mib = 0;

    while (file && fgets(line, sizeof line, file)) {
        if (strncmp(line, key, strlen(key)) == 0)
            mib = strtod(line + strlen(key), NULL) / 1024;
    }
    if (file)
        fclose(file);
    return mib;
}

#endif
