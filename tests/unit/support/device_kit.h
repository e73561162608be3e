/* SPDX-License-Identifier: MIT */
/*
 * device_kit.h - what tests of providers with memory of their own share: the mocks "gizmo", whose
 * streams work asynchronously, "trinket", the same with exclusive frames, and "widget", which returns
 * when all is done; and a model that crosses.
 */
#ifndef BP_TESTS_DEVICE_KIT_H
#define BP_TESTS_DEVICE_KIT_H

#include <bp/sim.h>

#include "support/session_kit.h"

enum { N_DEVICE_NAMES = 3, DEVICE_MAX_ROWS = 40 };
extern const char *const device_names[N_DEVICE_NAMES];

/* kit_setup(), and accelerators that have counted nothing yet. */
void device_setup(void);
/* Adds a provider that is required, with up to two options; NULL: none. */
void device_add(const char *name, const char *key, const char *value, const char *key2,
                const char *value2);
/* Counters of its accelerator. */
bp_sim_counters *device_sim(const char *name);
/* Ends kit.session: nothing of the provider is left. */
void device_check_left(const char *name);

/*
 * On the device: r = Relu(x), m = r w, a = g + m; on the CPU: g = -m, b = |r|. So a is 0, and what
 * it is made of crosses in both directions. x is [N,4], w [4,3]; the outputs are a, b, m.
 * rows: "N", or a number.
 */
void device_mixed_model(const char *rows);
/* Elements of these outputs that are wrong. */
uint32_t device_wrong_mixed(const float *x, const bp_binding *out, uint32_t rows);
/* One run of up to DEVICE_MAX_ROWS rows, other ones for another start; asserts nothing. */
bp_rc device_run_mixed(uint32_t rows, float start, const bp_run_options *options, uint32_t *n_wrong,
                       bp_err *err);
/* One that has to be right. */
void device_check_mixed(uint32_t rows, float start);

#endif
