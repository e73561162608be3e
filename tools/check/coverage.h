/* SPDX-License-Identifier: MIT */
/*
 * coverage.h - which operators the provider took, and which of them ran with which attributes. In memory
 * that the kit's process shares with those of its tests.
 */
#ifndef BP_CHECK_COVERAGE_H
#define BP_CHECK_COVERAGE_H

#include <stdio.h>

#include "check/cases/case.h"

/* Begins to count; what is counted before is lost. Ends the process if there is no memory. */
void kit_coverage_begin(void);
void kit_coverage_end(void);

/* The provider takes the node of a case, or both of a pair. [one thread of a test] */
void kit_coverage_took(const struct kit_case *c);
/* A case gave what it should. [any thread] */
void kit_coverage_ran(const struct kit_case *c);
/* An operator of the provider's own, of which the kit has no case. */
void kit_coverage_declared(const char *domain, const char *op);

/* Prints how many operators were taken and run, those that never ran, and attributes that never did. */
void kit_coverage_print(FILE *out, const char *file);
/* The same as a JSON object. */
void kit_coverage_json(FILE *out);

#endif
