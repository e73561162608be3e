/* SPDX-License-Identifier: MIT */
/* report.h - what the kit found, as text, JSON and JUnit. */
#ifndef BP_CHECK_REPORT_H
#define BP_CHECK_REPORT_H

#include <stdio.h>

#include "check/kit.h"

/* A test that was run, or left out because the plug-in does not load. */
struct result {
    const struct kit_group *group;
    const struct kit_test *test;
    struct kit_outcome outcome;
    double seconds;
    bool was_run;
};

struct report {
    const char *file;
    char build_id[48]; /* hexadecimal; "" when the file has none */
    struct result *results;
    size_t n;
    bool is_whole;       /* all groups were asked for, so that cases must have run */
    const char *stopped; /* the test after which the rest was left out, or NULL */
};

/* "pass", "skip", "warn", "fail", "died", "timeout" */
const char *verdict_name(uint32_t verdict);
/* Exit level: 0 conformant, 1 failed, 2 not loadable, 3 warnings only, 5 nothing was tested. */
int report_level(const struct report *report);

void report_line(FILE *out, const struct result *result, bool quiet);
/* quiet: without coverage */
void report_summary(FILE *out, const struct report *report, bool quiet);
/* A JSON string with its quotes. Bytes that are not ASCII become U+FFFD, the replacement character. */
void report_json_string(FILE *out, const char *text);
void report_json(FILE *out, const struct report *report);
void report_junit(FILE *out, const struct report *report);

/* The GNU build-id of an ELF file, "" when it has none. */
void read_build_id(const char *path, char out[48]);

#endif
