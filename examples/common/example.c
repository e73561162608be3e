/* SPDX-License-Identifier: MIT */
/* example.c - what the example programs share: complaints, a clock, providers by name. */
#define _POSIX_C_SOURCE 200809L /* clock_gettime */

#include "example.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

bool example_fail(const char *format, ...)
{
    va_list args;

    fprintf(stderr, "%s: ", example_name);
    va_start(args, format);
    vfprintf(stderr, format, args);
    va_end(args);
    fputc('\n', stderr);
    return false;
}

double example_now_ms(void)
{
    struct timespec now;

    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec * 1e3 + (double)now.tv_nsec / 1e6;
}

static int compare_doubles(const void *a, const void *b)
{
    double x = *(const double *)a;
    double y = *(const double *)b;

    return (x > y) - (x < y);
}

double example_median(double *values, size_t n)
{
    qsort(values, n, sizeof *values, compare_doubles);
    return values[n / 2];
}

static bool add_providers(bp_session_options *options, const char *list, uint32_t fallback)
{
    char text[EXAMPLE_TEXT];
    bp_err err = bp_err_init(text, sizeof text);
    char name[4096]; /* it may be the path of a plug-in */

    for (const char *rest = list;;) {
        size_t length = strcspn(rest, ",");

        if (length == 0 || length >= sizeof name)
            return example_fail("\"%s\": a name in this list is empty or too long; separate the "
                                "providers' names by single commas",
                                list);
        memcpy(name, rest, length);
        name[length] = '\0';
        if (bp_session_options_add_provider(options, name, NULL, 0, fallback, &err) < 0)
            return example_fail("%s", text);
        if (rest[length] == '\0')
            return true;
        rest += length + 1;
    }
}

bool example_options_create(const char *providers, uint32_t fallback, bp_session_options **out)
{
    char text[EXAMPLE_TEXT];
    bp_err err = bp_err_init(text, sizeof text);
    bp_session_options *options = NULL;

    *out = NULL;
    if (bp_session_options_create(&options, &err) < 0)
        return example_fail("%s", text);
    if (providers && !add_providers(options, providers, fallback)) {
        bp_session_options_destroy(options);
        return false;
    }
    *out = options;
    return true;
}

bool example_join(const char *dir, const char *name, char path[FILENAME_MAX])
{
    int n = snprintf(path, FILENAME_MAX, "%s/%s", dir, name);

    return (n > 0 && n < FILENAME_MAX) || example_fail("%s/%s: a name too long", dir, name);
}

/* The name of output number `which` of those that begin with `prefix`; NULL: there is none. */
static const char *find_output(const bp_model *model, const char *prefix, uint32_t which)
{
    bp_io_info info = {.struct_size = sizeof info};

    for (uint32_t i = 0; bp_model_output(model, i, &info, NULL) == BP_OK; i++)
        if (strncmp(info.name, prefix, strlen(prefix)) == 0 && which-- == 0)
            return info.name;
    return NULL;
}

bool example_add_states(const bp_model *model, const char *input, const char *output,
                        bp_session_options *options)
{
    char text[EXAMPLE_TEXT];
    bp_err err = bp_err_init(text, sizeof text);
    bp_io_info info = {.struct_size = sizeof info};
    uint32_t n = 0;

    for (uint32_t i = 0; bp_model_input(model, i, &info, NULL) == BP_OK; i++) {
        const char *next;

        if (strncmp(info.name, input, strlen(input)) != 0)
            continue;
        next = find_output(model, output, n++);
        if (!next)
            return example_fail("the model has fewer outputs \"%s...\" than inputs \"%s...\"",
                                output, input);
        if (bp_session_options_add_state(options, info.name, next, &err) < 0)
            return example_fail("%s", text);
    }
    return n > 0 || example_fail("the model has no input \"%s...\" to keep", input);
}
