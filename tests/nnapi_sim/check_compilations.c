/* SPDX-License-Identifier: MIT */
/*
 * check_compilations.c - what the simulated runtime compiles for which device, what that costs, and
 * what it finds in its cache.
 */
#include "nn_kit.h"

#include <dirent.h>
#include <unistd.h>

static const struct operand square_in[] = {
    {F32, .given = true, DIMS(2)}, {F32, DIMS(2), V(3, 4)}, INT(0)};
static const struct operand square_out[] = {{F32, DIMS(2)}};
static ANeuralNetworksModel *model;
static ANeuralNetworksCompilation *compilation;

static void make_mul(void)
{
    OK(build(ANEURALNETWORKS_MUL, square_in, 3, square_out, 1, false, &model));
}

static void release(void)
{
    ANeuralNetworksCompilation_free(compilation);
    ANeuralNetworksModel_free(model);
    compilation = NULL;
    model = NULL;
}

static void create_for(uint32_t device)
{
    ANeuralNetworksDevice *chosen;

    OK(ANeuralNetworks_getDevice(device, &chosen));
    OK(ANeuralNetworksCompilation_createForDevices(
        model, (const ANeuralNetworksDevice *const *)&chosen, 1, &compilation));
}

/* ---- devices -------------------------------------------------------------------------------- */

/* RELU, then the operation, of float32. */
static void make_chain(int32_t operation)
{
    static const uint32_t dims[] = {2};
    ANeuralNetworksOperandType type = {F32, 1, dims, 0, 0};

    OK(ANeuralNetworksModel_create(&model));
    for (int i = 0; i < 3; i++)
        OK(ANeuralNetworksModel_addOperand(model, &type));
    OK(ANeuralNetworksModel_addOperation(model, ANEURALNETWORKS_RELU, 1, &(uint32_t){0}, 1,
                                         &(uint32_t){1}));
    OK(ANeuralNetworksModel_addOperation(model, operation, 1, &(uint32_t){1}, 1, &(uint32_t){2}));
    OK(ANeuralNetworksModel_identifyInputsAndOutputs(model, 1, &(uint32_t){0}, 1, &(uint32_t){2}));
    OK(ANeuralNetworksModel_finish(model));
}

static uint32_t device_of(uint32_t operation)
{
    uint32_t device = 99;

    OK(bp_nnapi_device_of(compilation, operation, &device));
    return device;
}

START_TEST(devices_describe_themselves)
{
    static const int32_t types[] = {ANEURALNETWORKS_DEVICE_GPU, ANEURALNETWORKS_DEVICE_ACCELERATOR,
                                    ANEURALNETWORKS_DEVICE_CPU};
    static const char *const names[] = {"sim-gpu", "tiny", "nnapi-reference"};
    ANeuralNetworksDevice *device;

    configure("devices = gpu\ndevice = tiny npu\nversion = 7b\nlevel = 28\nstate = dead");
    for (uint32_t i = 0; i < 3; i++) {
        const char *name, *version;
        int64_t level;
        int32_t type;

        OK(ANeuralNetworks_getDevice(i, &device));
        OK(ANeuralNetworksDevice_getName(device, &name));
        OK(ANeuralNetworksDevice_getVersion(device, &version));
        OK(ANeuralNetworksDevice_getType(device, &type));
        OK(ANeuralNetworksDevice_getFeatureLevel(device, &level));
        ck_assert_str_eq(name, names[i]);
        ck_assert_str_eq(version, i == 1 ? "7b" : "1");
        ck_assert_int_eq(type, types[i]);
        ck_assert_int_eq(level, i == 1 ? 28 : 31);
        FAILS(i == 1 ? ANEURALNETWORKS_DEAD_OBJECT : 0, ANeuralNetworksDevice_wait(device));
    }
    OK(bp_nnapi_set_state(1, BP_NNAPI_OK));
    OK(ANeuralNetworks_getDevice(1, &device));
    OK(ANeuralNetworksDevice_wait(device));
    FAILS(BAD_DATA, ANeuralNetworks_getDevice(3, &device));
    FAILS(BAD_DATA, bp_nnapi_set_state(3, BP_NNAPI_OK));
    FAILS(BAD_DATA, bp_nnapi_set_state(0, 5));
}
END_TEST

START_TEST(operations_go_to_the_fastest_device_that_takes_them)
{
    uint32_t device;

    configure("");
    make_chain(ANEURALNETWORKS_CAST); /* which the GPU has not */
    OK(ANeuralNetworksCompilation_create(model, &compilation));
    FAILS(BAD_STATE, bp_nnapi_device_of(compilation, 0, &device));
    OK(ANeuralNetworksCompilation_finish(compilation));
    ck_assert_uint_eq(device_of(0), 0);
    ck_assert_uint_eq(device_of(1), 2);
    ck_assert_uint_eq(counters().partitions, 2);
    FAILS(BAD_DATA, bp_nnapi_device_of(compilation, 2, &device));
    FAILS(IS_NULL, bp_nnapi_device_of(compilation, 0, NULL));
    release();
    /* with LOW_POWER to the one that spends least: 120 G / 4 beside 2 G / 3, and 120 G / 400 */
    for (int i = 0; i < 2; i++) {
        configure(i ? "device = sim-gpu\npower = 400" : "");
        make_chain(ANEURALNETWORKS_EXP);
        OK(ANeuralNetworksCompilation_create(model, &compilation));
        OK(ANeuralNetworksCompilation_setPreference(compilation, ANEURALNETWORKS_PREFER_LOW_POWER));
        OK(ANeuralNetworksCompilation_finish(compilation));
        ck_assert_uint_eq(device_of(0), i ? 2 : 0);
        ck_assert_uint_eq(counters().partitions, 1);
        release();
    }
    nothing_lives();
}
END_TEST

START_TEST(chosen_devices_have_to_take_the_model)
{
    bool takes[2], supported;
    ANeuralNetworksDevice *gpu;
    char why[128];

    configure("");
    make_chain(ANEURALNETWORKS_CAST);
    OK(ANeuralNetworks_getDevice(0, &gpu));
    OK(ANeuralNetworksModel_getSupportedOperationsForDevices(
        model, (const ANeuralNetworksDevice *const *)&gpu, 1, takes));
    ck_assert(takes[0] && !takes[1]);
    OK(bp_nnapi_why_unsupported(model, 1, 0, &supported, why, sizeof why));
    ck_assert(!supported);
    ck_assert_str_eq(why, "sim-gpu has no CAST");
    OK(bp_nnapi_why_unsupported(model, 0, 1, &supported, why, sizeof why));
    ck_assert_str_eq(why, "sim-npu has no TENSOR_FLOAT32 for RELU");
    create_for(0);
    FAILS(BAD_DATA, ANeuralNetworksCompilation_finish(compilation));
    ck_assert_ptr_nonnull(strstr(last_error(), "sim-gpu has no CAST"));
    release();
    nothing_lives();
}
END_TEST

START_TEST(estimates_are_what_a_run_takes)
{
    struct bp_nnapi_times times = {.struct_size = sizeof times};
    struct bp_nnapi_rates rates = {.struct_size = sizeof rates};
    struct operand y = {F32, DIMS(2)};
    uint64_t gpu[2], npu[2], none;
    char results[4][512];

    configure("");
    make_chain(ANEURALNETWORKS_EXP);
    OK(bp_nnapi_estimate(model, 0, gpu));
    OK(bp_nnapi_estimate(model, 1, npu));
    ck_assert_uint_eq(npu[0], UINT64_MAX);
    FAILS(BAD_DATA, bp_nnapi_estimate(model, 3, &none));
    OK(bp_nnapi_get_rates(0, &rates));
    ck_assert_uint_eq(rates.launch_ns, 150000);
    create_for(0);
    OK(ANeuralNetworksCompilation_finish(compilation));
    OK(execute(compilation, square_in, 1, &y, 1, results));
    OK(bp_nnapi_get_times(0, &times));
    ck_assert_uint_eq(times.compute, rates.launch_ns + gpu[0] + gpu[1]);
    ck_assert_uint_eq(times.compile, 2 * rates.compile_ns);
    release();
    nothing_lives();
}
END_TEST

/* A device that cannot compile: another steps in, unless the program chose it. */
START_TEST(reference_cpu_steps_in_when_a_device_cannot_compile)
{
    static const struct {
        const char *config;
        int code;
    } troubles[] = {
        {"devices = gpu\ndevice = sim-gpu\nstate = dead", ANEURALNETWORKS_DEAD_OBJECT},
        {"devices = gpu\ndevice = sim-gpu\nstate = gone", ANEURALNETWORKS_UNAVAILABLE_DEVICE},
        {"devices = gpu\ndevice = sim-gpu\nstate = busy",
         ANEURALNETWORKS_RESOURCE_EXHAUSTED_TRANSIENT},
        {"devices = gpu\ndevice = sim-gpu\nmemory = 8",
         ANEURALNETWORKS_RESOURCE_EXHAUSTED_PERSISTENT},
        {"devices = gpu\nfault = compile device 0", OP_FAILED},
    };

    configure(troubles[_i].config);
    make_mul();
    OK(ANeuralNetworksCompilation_create(model, &compilation));
    OK(ANeuralNetworksCompilation_finish(compilation));
    ck_assert_uint_eq(device_of(0), 1);
    ck_assert_uint_eq(counters().fallbacks_compile, 1);
    ANeuralNetworksCompilation_free(compilation);
    create_for(0);
    FAILS(troubles[_i].code, ANeuralNetworksCompilation_finish(compilation));
    FAILS(BAD_STATE, ANeuralNetworksCompilation_finish(compilation)); /* for good */
    release();
    nothing_lives();
}
END_TEST

START_TEST(time_limits_of_compilers_are_missed)
{
    static const struct {
        uint64_t ns;
        int code;
    } limits[] = {{1, ANEURALNETWORKS_MISSED_DEADLINE_PERSISTENT},
                  {10000000, ANEURALNETWORKS_MISSED_DEADLINE_TRANSIENT},
                  {20000000, 0},
                  {0, 0}};

    configure("");
    make_mul();
    for (int i = 0; i < 4; i++) {
        create_for(0);
        OK(ANeuralNetworksCompilation_setTimeout(compilation, limits[i].ns));
        FAILS(limits[i].code, ANeuralNetworksCompilation_finish(compilation));
        ANeuralNetworksCompilation_free(compilation);
    }
    OK(ANeuralNetworksCompilation_create(model, &compilation));
    FAILS(BAD_DATA, ANeuralNetworksCompilation_setTimeout(compilation, 1)); /* no chosen device */
    FAILS(BAD_DATA, ANeuralNetworksCompilation_setPriority(compilation, 95));
    FAILS(BAD_DATA, ANeuralNetworksCompilation_setPreference(compilation, 3));
    release();
    nothing_lives();
}
END_TEST

/* ---- cache ---------------------------------------------------------------------------------- */

static char folder[] = "/tmp/nnapi-cache-XXXXXX";

static void make_folder(void)
{
    memcpy(folder + sizeof folder - 7, "XXXXXX", 6);
    ck_assert_ptr_nonnull(mkdtemp(folder));
}

/* The path of the only file in the folder; "" if there is none. */
static const char *entry(void)
{
    static char path[512];
    DIR *dir = opendir(folder);
    int n = 0;

    ck_assert_ptr_nonnull(dir);
    path[0] = '\0';
    for (struct dirent *e; (e = readdir(dir));)
        if (e->d_name[0] != '.') {
            snprintf(path, sizeof path, "%s/%s", folder, e->d_name);
            n++;
        }
    closedir(dir);
    ck_assert_int_le(n, 1);
    return path;
}

static void remove_folder(void)
{
    if (*entry())
        unlink(entry());
    ck_assert_int_eq(rmdir(folder), 0);
}

/* Compiles MUL with a cache, for a device; the hits, misses and writes that it was, as "hmw". */
static const char *compile_cached(uint32_t device, uint8_t token)
{
    static char text[16];
    uint8_t tokens[ANEURALNETWORKS_BYTE_SIZE_OF_CACHE_TOKEN] = {token};
    struct bp_nnapi_counters c;

    bp_nnapi_reset_counters();
    make_mul();
    create_for(device);
    OK(ANeuralNetworksCompilation_setCaching(compilation, folder, tokens));
    OK(ANeuralNetworksCompilation_finish(compilation));
    release();
    c = counters();
    snprintf(text, sizeof text, "%d%d%d", (int)c.cache_hits, (int)c.cache_misses,
             (int)c.cache_writes);
    return text;
}

static uint64_t compile_time(void)
{
    struct bp_nnapi_times times = {.struct_size = sizeof times};

    OK(bp_nnapi_get_times(0, &times));
    return times.compile;
}

START_TEST(compiled_models_are_found_again)
{
    configure("");
    make_folder();
    ck_assert_str_eq(compile_cached(0, 1), "011");
    ck_assert_uint_eq(compile_time(), 20000000);
    ck_assert_str_eq(compile_cached(0, 1), "100");
    ck_assert_uint_eq(compile_time(), 22000000);
    ck_assert_str_eq(compile_cached(2, 1), "000"); /* the reference CPU has none */
    OK(bp_nnapi_fault(BP_NNAPI_AT_CACHE, 0, 0, 1, 0));
    ck_assert_str_eq(compile_cached(0, 1), "011"); /* as if corrupt: written anew */
    ck_assert_str_eq(compile_cached(0, 1), "100");
    remove_folder();
    ck_assert_str_eq(compile_cached(0, 1), "010"); /* no folder: nothing is said, as on Android */
    nothing_lives();
}
END_TEST

START_TEST(torn_and_foreign_entries_are_compiled_again)
{
    FILE *file;

    configure("");
    make_folder();
    ck_assert_str_eq(compile_cached(0, 1), "011");
    ck_assert_int_eq(truncate(entry(), 10), 0);
    ck_assert_str_eq(compile_cached(0, 1), "011");
    file = fopen(entry(), "r+e");
    ck_assert_ptr_nonnull(file);
    ck_assert_int_eq(fseek(file, 20, SEEK_SET), 0);
    ck_assert_int_ne(fputc('#', file), EOF);
    ck_assert_int_eq(fclose(file), 0);
    ck_assert_str_eq(compile_cached(0, 1), "011");
    ck_assert_str_eq(compile_cached(0, 1), "100");
    configure("device = sim-gpu\nversion = 2"); /* another driver */
    ck_assert_str_eq(compile_cached(0, 1), "011");
    remove_folder();
    make_folder();
    ck_assert_str_eq(compile_cached(0, 1), "011");
    ck_assert_int_eq(unlink(entry()), 0);
    ck_assert_str_eq(compile_cached(0, 2), "011"); /* another token */
    remove_folder();
    nothing_lives();
}
END_TEST

int main(void)
{
    TCase *cases[] = {tcase_create("compilations")};

    tcase_add_test(cases[0], devices_describe_themselves);
    tcase_add_test(cases[0], operations_go_to_the_fastest_device_that_takes_them);
    tcase_add_test(cases[0], chosen_devices_have_to_take_the_model);
    tcase_add_test(cases[0], estimates_are_what_a_run_takes);
    tcase_add_loop_test(cases[0], reference_cpu_steps_in_when_a_device_cannot_compile, 0, 5);
    tcase_add_test(cases[0], time_limits_of_compilers_are_missed);
    tcase_add_test(cases[0], compiled_models_are_found_again);
    tcase_add_test(cases[0], torn_and_foreign_entries_are_compiled_again);
    return check_main("nnapi_sim compilations", cases, 1);
}
