/* SPDX-License-Identifier: MIT */
/* device_kit.c - models and checks of providers with memory of their own. */

#include "config.h"

#include "support/device_kit.h"

#include <stdio.h>

const char *const device_names[] = {"gizmo", "widget", "trinket"};

void device_add(const char *name, const char *key, const char *value, const char *key2,
                const char *value2)
{
    bp_key_value rows[] = {{key, value}, {key2, value2}};

    if (!kit.options)
        KIT_OK(bp_session_options_create(&kit.options, &kit.err));
    KIT_OK(bp_session_options_add_provider(kit.options, name, rows,
                                           key2  ? 2
                                           : key ? 1
                                                 : 0,
                                           BP_FALLBACK_REQUIRE, &kit.err));
}

bp_sim_counters *device_sim(const char *name)
{
    struct bp_candidate *row;

    KIT_OK(bp_registry_open(&kit.env->registry, name, &row, NULL, &kit.err));
    return (bp_sim_counters *)(uintptr_t)row->provider->extension(MOCK_SIM_ID);
}

void device_setup(void)
{
    kit_setup();
    for (int i = 0; i < N_DEVICE_NAMES; i++) {
        bp_sim_counters *sim = device_sim(device_names[i]);

        sim->uploads = sim->downloads = 0;
        sim->bytes_up = sim->bytes_down = 0;
        sim->exchanges = 0;
        sim->peak = 0;
    }
}

void device_check_left(const char *name)
{
    const bp_sim_counters *sim = device_sim(name);
    const struct mock_counters *mock = kit_counters(name);

    kit_end_session();
    ck_assert_uint_eq(sim->allocations, 0);
    ck_assert_uint_eq(sim->bytes, 0);
    ck_assert_uint_eq(sim->streams, 0);
    ck_assert_uint_eq(sim->events, 0);
    ck_assert_uint_eq(mock->frames, 0);
    ck_assert_uint_eq(mock->programs, 0);
    ck_assert_uint_eq(mock->instances, 0);
}

void device_mixed_model(const char *rows)
{
    char three[16], four[16];

    static const float w[] = {1, 0, 0, 0, 1, 0, 0, 0, 1, 1, 1, 1};

    snprintf(three, sizeof three, "%s,3", rows);
    snprintf(four, sizeof four, "%s,4", rows);
    kit_io(KIT_INPUT, "x", BP_DTYPE_F32, four);
    kit_floats("w", PW_DIMS(4, 3), 12, w);
    kit_node("relu", "Relu", "x", "r");
    kit_node("matmul", "MatMul", "r w", "m");
    kit_node("neg", "Neg", "m", "g");
    kit_node("add", "Add", "g m", "a");
    kit_node("abs", "Abs", "r", "b");
    kit_io(KIT_OUTPUT, "a", BP_DTYPE_F32, three);
    kit_io(KIT_OUTPUT, "b", BP_DTYPE_F32, four);
    kit_io(KIT_OUTPUT, "m", BP_DTYPE_F32, three);
}

static float relu(float x)
{
    return x > 0 ? x : 0;
}

uint32_t device_wrong_mixed(const float *x, const bp_binding *out, uint32_t rows)
{
    const float *a = out[0].tensor.base, *b = out[1].tensor.base, *m = out[2].tensor.base;
    uint32_t n_wrong = 0;

    for (uint32_t i = 0; i < rows; i++) {
        for (uint32_t j = 0; j < 4; j++)
            n_wrong += b[i * 4 + j] != relu(x[i * 4 + j]);
        for (uint32_t j = 0; j < 3; j++) {
            n_wrong += a[i * 3 + j] != 0;
            n_wrong += m[i * 3 + j] != relu(x[i * 4 + j]) + relu(x[i * 4 + 3]);
        }
    }
    return n_wrong;
}

bp_rc device_run_mixed(uint32_t rows, float start, const bp_run_options *options, uint32_t *n_wrong,
                       bp_err *err)
{
    bp_binding out[] = {kit_wanted(0), kit_wanted(1), kit_wanted(2)};
    int64_t dims[] = {rows, 4};
    float x[DEVICE_MAX_ROWS * 4];
    bp_binding in = kit_tensor(0, BP_DTYPE_F32, x, 2, dims);
    bp_rc rc;

    for (uint32_t i = 0; i < rows * 4; i++)
        x[i] = start + (float)(i % 7) - 3;
    rc = bp_session_run(kit.session, &in, 1, out, 3, options, err);
    *n_wrong = rc < 0 ? 0 : device_wrong_mixed(x, out, rows);
    for (int i = 0; i < 3; i++)
        bp_tensor_free(&out[i].tensor);
    return rc;
}

void device_check_mixed(uint32_t rows, float start)
{
    uint32_t n_wrong;

    KIT_OK(device_run_mixed(rows, start, NULL, &n_wrong, &kit.err));
    ck_assert_uint_eq(n_wrong, 0);
}
