/* SPDX-License-Identifier: MIT */
/* example.h - what the example programs share: complaints, a clock, providers by name. */
#ifndef EXAMPLES_EXAMPLE_H
#define EXAMPLES_EXAMPLE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

#include <backplane.h>

/* A buffer for the message of a library error. */
enum { EXAMPLE_TEXT = 1024 };

/* What complaints begin with; each program defines it. */
extern const char example_name[];

/* Prints a sentence to standard error. Always false, so that callers can return it. */
#if defined(__GNUC__)
__attribute__((format(printf, 1, 2)))
#endif
bool example_fail(const char *format, ...);

/* Milliseconds on a clock that only goes forward. */
double example_now_ms(void);
/* Sorts the n > 0 values and returns the one in the middle. */
double example_median(double *values, size_t n);

/*
 * Session options with the providers of a list such as "dnnl,cpu", highest priority first; NULL is
 * an empty list. `fallback` (BP_FALLBACK_*) says what happens when one of them cannot be used. *out
 * is the caller's, to bp_session_options_destroy(). False, after a complaint, when a name is wrong.
 */
bool example_options_create(const char *providers, uint32_t fallback, bp_session_options **out);

/*
 * Has sessions keep the model's inputs whose names begin with `input`: each gets what the output with the
 * same number among those that begin with `output` had in the run before. False, after a complaint: there
 * are none, or too few outputs.
 */
bool example_add_states(const bp_model *model, const char *input, const char *output,
                        bp_session_options *options);

/* "dir/name" into `path`. False, after a complaint, when it does not fit. */
bool example_join(const char *dir, const char *name, char path[FILENAME_MAX]);

#endif
