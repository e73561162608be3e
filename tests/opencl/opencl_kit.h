/* SPDX-License-Identifier: MIT */
/*
 * opencl_kit.h - what tests of the provider opencl share that let calls of its driver fail: sessions of
 * a model whose results are known, and that after each test the driver's objects are released.
 */
#ifndef BP_TESTS_OPENCL_KIT_H
#define BP_TESTS_OPENCL_KIT_H

#include "faults/fault_driver.h"
#include "support/session_kit.h"
#include "support/skip.h"

enum { OCL_MAX_ROWS = 12, OCL_OUTPUTS = 3 };

/* The driver between provider and real driver; of ocl_setup(). */
extern const struct fault_driver *ocl;

/* Why tests cannot run here, or NULL. Opens no driver in this process. */
const char *ocl_missing(void);

void ocl_setup(void);
void ocl_teardown(void); /* ends the sessions; nothing of the driver is left */
/* Ends kit.session, and checks that nothing of the driver is left. */
void ocl_check_left(void);
/* Forgets the providers that were added, and adds opencl with up to one option. */
void ocl_add(uint32_t fallback, const char *key, const char *value);

/*
 * Two groups of opencl with one of cpu between, which copy, and read constants and tables. `rows` of the
 * input is "N", or a number.
 */
void ocl_model(const char *rows);
/* ocl_model() with a session that requires opencl. */
void ocl_session(const char *rows, const char *key, const char *value);
/* Makes the session of cpu that results are compared with; else the first run does. */
void ocl_need_reference(void);
/*
 * One run; n_wrong: elements that differ from those of cpu. Other values for another start. [any thread,
 * after ocl_need_reference()]
 */
bp_rc ocl_run(uint32_t rows, float start, const bp_run_options *options, uint32_t *n_wrong,
              bp_err *err);
/* One that has to be right. */
void ocl_check_run(uint32_t rows, float start, const bp_run_options *options);

/* The end of main(): skips, or runs the cases with ocl_setup() and ocl_teardown(). */
int ocl_main(const char *name, TCase *const *cases, uint32_t n_cases);

#endif
