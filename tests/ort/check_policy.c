/* SPDX-License-Identifier: MIT */
/*
 * check_policy.c - choosing among devices, and options that change, through ONNX Runtime's C ABI. The
 * environment finds CPU and the mock "gadget" alone, which has a GPU, on which Relu is Relu, and an
 * NPU, on which it gives twice as much.
 */

#include "config.h"

#include <limits.h>
#include <unistd.h>

#include "ort/kit.h"

static const OrtEpDevice *const *devices;
static size_t n_devices;
static char dir[64];

static bool link_to(const char *from_dir, const char *name)
{
    char from[PATH_MAX], to[256];

    snprintf(from, sizeof from, "%s/%s", from_dir ? from_dir : "", name);
    snprintf(to, sizeof to, "%s/%s", dir, name);
    return symlink(from, to) == 0;
}

/* The folder lives as long as the program: a plug-in stays loaded from where it was found first. */
static bool make_dir(void)
{
    const char *build = getenv("BP_BUILDDIR");
    char built[PATH_MAX], full[PATH_MAX];

    snprintf(built, sizeof built, "%s/providers", build ? build : "");
    snprintf(dir, sizeof dir, "devices-XXXXXX");
    return mkdtemp(dir) && link_to(getenv("BP_MOCK_DIR"), "libbp-gadget.so") &&
           link_to(built, "libbp-cpu.so") && realpath(dir, full) &&
           setenv("BACKPLANE_PROVIDER_PATH", full, 1) == 0;
}

static void remove_dir(void)
{
    static const char *const names[] = {"libbp-gadget.so", "libbp-cpu.so"};
    char path[256];

    for (int i = 0; i < 2; i++) {
        snprintf(path, sizeof path, "%s/%s", dir, names[i]);
        unlink(path);
    }
    rmdir(dir);
}

static void set_up(void)
{
    setup();
    ok(ort->GetEpDevices(env, &devices, &n_devices));
}

/* The gadget's device of this type. */
static const OrtEpDevice *gadget(OrtHardwareDeviceType type)
{
    for (size_t i = 0; i < n_devices; i++) {
        if (strcmp(ort->EpDevice_EpName(devices[i]), "gadgetExecutionProvider") == 0 &&
            ort->HardwareDevice_Type(ort->EpDevice_Device(devices[i])) == type)
            return devices[i];
    }
    ck_abort_msg("the gadget has no device of type %d", (int)type);
    return NULL;
}

static void relu_model(struct pw *w)
{
    model_begin(w);
    NODE(w, "Relu", "Y", "X");
    model_end(w, 11, "X", TENSOR, 1, DIMS(1));
    model_end(w, 12, "Y", TENSOR, 1, DIMS(1));
}

static OrtSession *open_relu(const OrtSessionOptions *options)
{
    struct pw w;

    relu_model(&w);
    return model_open(&w, options);
}

/* What Relu of 1 gives. */
static float relu_of_one(OrtSession *session)
{
    static const char *const in_names[] = {"X"};
    static const char *const out_names[] = {"Y"};
    static const int64_t one[] = {1};
    float x[] = {1}, y;
    OrtValue *in = floats(x, 1, one, 1), *out = NULL;
    const OrtValue *ins[] = {in};

    ok(ort->Run(session, NULL, in_names, ins, 1, out_names, 1, &out));
    y = float_data(out)[0];
    ort->ReleaseValue(in);
    ort->ReleaseValue(out);
    return y;
}

/* The session computes this, and has its input and output on that device. */
static void check_session(OrtSession *session, float want, const OrtEpDevice *device)
{
    const OrtEpDevice *in = NULL, *out = NULL;

    ck_assert(relu_of_one(session) == want);
    ok(ort->SessionGetEpDeviceForInputs(session, &in, 1));
    ok(ort->SessionGetEpDeviceForOutputs(session, &out, 1));
    ck_assert_ptr_eq(in, device);
    ck_assert_ptr_eq(out, device);
    fails(ort->SessionGetEpDeviceForInputs(session, &in, 2), ORT_INVALID_ARGUMENT, "there are 1");
    ort->ReleaseSession(session);
}

/* ---- devices --------------------------------------------------------------------------------- */

START_TEST(GetEpDevices_lists_the_devices_of_each_provider)
{
    const OrtEpDevice *gpu = gadget(OrtHardwareDeviceType_GPU);
    const OrtHardwareDevice *hardware = ort->EpDevice_Device(gpu);
    const OrtHardwareDevice *all[64] = {NULL};
    size_t n = 0, found = 0;

    ck_assert_uint_eq(n_devices, 3);
    ck_assert_str_eq(ort->EpDevice_EpName(devices[0]), "CPUExecutionProvider");
    ck_assert_str_eq(ort->GetKeyValue(ort->EpDevice_EpMetadata(gpu), "os_driver_version"), "1.2");
    ck_assert_ptr_null(ort->EpDevice_MemoryInfo(gpu, OrtDeviceMemoryType_DEFAULT));
    ck_assert_str_eq(ort->HardwareDevice_Vendor(hardware), "AMD");
    ck_assert_uint_eq(ort->HardwareDevice_VendorId(hardware), 0x1002);
    ck_assert_str_eq(ort->GetKeyValue(ort->HardwareDevice_Metadata(hardware), "Description"),
                     "Mock GPU");
    ck_assert_str_eq(ort->GetKeyValue(ort->HardwareDevice_Metadata(hardware), "memory"),
                     "4294967296");
    ok(ort->GetNumHardwareDevices(env, &n));
    ck_assert_uint_ge(n, 3);
    ck_assert_uint_le(n, 64);
    fails(ort->GetHardwareDevices(env, all, n - 1), ORT_INVALID_ARGUMENT, "the array holds");
    ok(ort->GetHardwareDevices(env, all, n));
    for (size_t i = 0; i < n; i++)
        found += all[i] == hardware;
    ck_assert_uint_eq(found, 1);
}
END_TEST

static int times_available(const char *name)
{
    char **names = NULL;
    int n = 0, n_found = 0;

    ok(ort->GetAvailableProviders(&names, &n));
    for (int i = 0; i < n; i++)
        n_found += strcmp(names[i], name) == 0;
    ok(ort->ReleaseAvailableProviders(names, n));
    return n_found;
}

/*
 * P3: a plug-in shows its devices, and can be appended by its name. Among the available providers, where
 * bindings allow ONNX Runtime's own names alone, it is for who names it.
 */
START_TEST(a_plug_in_can_be_appended_and_is_available_where_it_is_named)
{
    const char *name = ort->EpDevice_EpName(gadget(OrtHardwareDeviceType_GPU));
    OrtSessionOptions *options = NULL;

    ck_assert_int_eq(times_available("CPUExecutionProvider"), 1);
    ck_assert_int_eq(times_available(name), 0);
    ok(ort->CreateSessionOptions(&options));
    ok(ort->SessionOptionsAppendExecutionProvider(options, name, NULL, NULL, 0));
    ort->ReleaseSessionOptions(options);
    ck_assert_int_eq(setenv("BACKPLANE_PROVIDERS", "gadget", 1), 0);
    ck_assert_int_eq(times_available(name), 1);
    ck_assert_int_eq(unsetenv("BACKPLANE_PROVIDERS"), 0);
}
END_TEST

START_TEST(session_runs_on_the_device_appended_by_V2)
{
    const OrtEpDevice *npu = gadget(OrtHardwareDeviceType_NPU);
    const OrtEpDevice *both[] = {npu, gadget(OrtHardwareDeviceType_GPU)};
    const OrtEpDevice *mixed[] = {npu, devices[0]};
    OrtSessionOptions *options = NULL, *copy = NULL;

    ok(ort->CreateSessionOptions(&options));
    fails(ort->SessionOptionsAppendExecutionProvider_V2(options, env, mixed, 2, NULL, NULL, 0),
          ORT_INVALID_ARGUMENT, "CPUExecutionProvider");
    ok(ort->SessionOptionsAppendExecutionProvider_V2(options, env, both, 2, NULL, NULL, 0));
    ok(ort->CloneSessionOptions(options, &copy));
    ort->ReleaseSessionOptions(options);
    check_session(open_relu(copy), 2, npu);
    ort->ReleaseSessionOptions(copy);
}
END_TEST

START_TEST(incompatibility_details_say_why_a_device_does_not_fit_a_provider)
{
    const OrtEpDevice *npu = gadget(OrtHardwareDeviceType_NPU);
    OrtDeviceEpIncompatibilityDetails *details = NULL;
    const char *notes = "";
    uint32_t reasons = 1;
    int32_t code = 1;

    ok(ort->GetHardwareDeviceEpIncompatibilityDetails(env, "gadgetExecutionProvider",
                                                      ort->EpDevice_Device(npu), &details));
    ok(ort->DeviceEpIncompatibilityDetails_GetReasonsBitmask(details, &reasons));
    ok(ort->DeviceEpIncompatibilityDetails_GetNotes(details, &notes));
    ok(ort->DeviceEpIncompatibilityDetails_GetErrorCode(details, &code));
    ck_assert_uint_eq(reasons, 0);
    ck_assert_ptr_null(notes);
    ck_assert_int_eq(code, 0);
    ort->ReleaseDeviceEpIncompatibilityDetails(details);
    ok(ort->GetHardwareDeviceEpIncompatibilityDetails(env, "CPUExecutionProvider",
                                                      ort->EpDevice_Device(npu), &details));
    ok(ort->DeviceEpIncompatibilityDetails_GetReasonsBitmask(details, &reasons));
    ok(ort->DeviceEpIncompatibilityDetails_GetNotes(details, &notes));
    ck_assert_uint_eq(reasons, OrtDeviceEpIncompatibility_DEVICE_INCOMPATIBLE);
    ck_assert_ptr_nonnull(strstr(notes, "'cpu'"));
    ort->ReleaseDeviceEpIncompatibilityDetails(details);
    fails(ort->GetHardwareDeviceEpIncompatibilityDetails(env, "Nobody", ort->EpDevice_Device(npu),
                                                         &details),
          ORT_INVALID_ARGUMENT, "Nobody");
}
END_TEST

/* ---- policies -------------------------------------------------------------------------------- */

static const struct {
    OrtExecutionProviderDevicePolicy policy;
    OrtHardwareDeviceType type;
    float relu;
} policies[] = {
    {OrtExecutionProviderDevicePolicy_DEFAULT, OrtHardwareDeviceType_CPU, 1},
    {OrtExecutionProviderDevicePolicy_PREFER_CPU, OrtHardwareDeviceType_CPU, 1},
    {OrtExecutionProviderDevicePolicy_PREFER_GPU, OrtHardwareDeviceType_GPU, 1},
    {OrtExecutionProviderDevicePolicy_PREFER_NPU, OrtHardwareDeviceType_NPU, 2},
    {OrtExecutionProviderDevicePolicy_MAX_PERFORMANCE, OrtHardwareDeviceType_GPU, 1},
    {OrtExecutionProviderDevicePolicy_MAX_EFFICIENCY, OrtHardwareDeviceType_NPU, 2},
    {OrtExecutionProviderDevicePolicy_MIN_OVERALL_POWER, OrtHardwareDeviceType_NPU, 2},
};

START_TEST(selection_policy_chooses_the_device)
{
    OrtSessionOptions *options = NULL;
    bool is_cpu = policies[_i].type == OrtHardwareDeviceType_CPU;

    ok(ort->CreateSessionOptions(&options));
    ok(ort->SessionOptionsSetEpSelectionPolicy(options, policies[_i].policy));
    check_session(open_relu(options), policies[_i].relu,
                  is_cpu ? devices[0] : gadget(policies[_i].type));
    ort->ReleaseSessionOptions(options);
}
END_TEST

START_TEST(selection_policy_keeps_provider_options_and_yields_to_appended_devices)
{
    const OrtEpDevice *gpu = gadget(OrtHardwareDeviceType_GPU);
    OrtSessionOptions *options = NULL;

    ok(ort->CreateSessionOptions(&options));
    fails(ort->SessionOptionsSetEpSelectionPolicy(options, (OrtExecutionProviderDevicePolicy)9),
          ORT_INVALID_ARGUMENT, "9");
    ok(ort->SessionOptionsSetEpSelectionPolicy(options,
                                               OrtExecutionProviderDevicePolicy_PREFER_NPU));
    ok(ort->AddSessionConfigEntry(options, "ep.gadgetexecutionprovider.gain", "3"));
    check_session(open_relu(options), 6, gadget(OrtHardwareDeviceType_NPU));
    ok(ort->SessionOptionsAppendExecutionProvider_V2(options, env, &gpu, 1, NULL, NULL, 0));
    check_session(open_relu(options), 1, gpu);
    ort->ReleaseSessionOptions(options);
}
END_TEST

/* What the delegate is to do. */
enum way { TAKE_NPU, TAKE_NOTHING, TAKE_TOO_MANY, TAKE_STRANGER, COMPLAIN };

static OrtStatus *delegate(const OrtEpDevice **shown, size_t n_shown, const OrtKeyValuePairs *model,
                           const OrtKeyValuePairs *runtime, const OrtEpDevice **selected,
                           size_t max, size_t *n_selected, void *state)
{
    enum way way = *(enum way *)state;

    (void)runtime;
    ck_assert_uint_eq(n_shown, 3);
    ck_assert_uint_eq(max, 8);
    ck_assert_ptr_eq(shown[2], devices[0]); /* CPU is the last resort */
    ck_assert_str_eq(ort->GetKeyValue(model, "producer_name"), "kit");
    ck_assert_str_eq(ort->GetKeyValue(model, "colour"), "blue");
    if (way == COMPLAIN)
        return ort->CreateStatus(ORT_EP_FAIL, "not today");
    selected[0] = shown[0];
    if (way == TAKE_STRANGER)
        selected[0] = (const OrtEpDevice *)(const void *)state;
    *n_selected = way == TAKE_NOTHING ? 0 : way == TAKE_TOO_MANY ? 9 : 1;
    return NULL;
}

START_TEST(selection_delegate_chooses_the_device)
{
    static const struct {
        enum way way;
        const char *words;
    } bad[] = {
        {TAKE_NOTHING, "did not select anything"},
        {TAKE_TOO_MANY, "too many EP devices (9)"},
        {TAKE_STRANGER, "none of the devices"},
        {COMPLAIN, "not today"},
    };
    enum way way = TAKE_NPU;
    OrtSessionOptions *options = NULL;
    OrtSession *session = NULL;
    struct pw w;

    ok(ort->CreateSessionOptions(&options));
    ok(ort->SessionOptionsSetEpSelectionPolicyDelegate(options, delegate, &way));
    check_session(open_relu(options), 2, gadget(OrtHardwareDeviceType_NPU));
    relu_model(&w);
    pw_close(&w);
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        way = bad[i].way;
        fails(ort->CreateSessionFromArray(env, w.data, w.size, options, &session), ORT_FAIL,
              bad[i].words);
    }
    pw_free(&w);
    ort->ReleaseSessionOptions(options);
}
END_TEST

/* ---- options that change --------------------------------------------------------------------- */

static OrtStatus *change(OrtSession *session, const char *key, const char *value)
{
    const char *const keys[] = {key}, *const values[] = {value};

    return ort->SetEpDynamicOptions(session, keys, values, 1);
}

START_TEST(SetEpDynamicOptions_changes_options_of_a_session)
{
    const OrtEpDevice *gpu = gadget(OrtHardwareDeviceType_GPU);
    OrtSessionOptions *options = NULL;
    OrtSession *session;

    ok(ort->CreateSessionOptions(&options));
    ok(ort->SessionOptionsAppendExecutionProvider_V2(options, env, &gpu, 1, NULL, NULL, 0));
    session = open_relu(options);
    ort->ReleaseSessionOptions(options);
    ok(change(session, "gain", "2"));
    ck_assert(relu_of_one(session) == 2);
    ok(change(session, "ep.dynamic.gain", "3"));
    ck_assert(relu_of_one(session) == 3);
    ok(change(session, "ep.dynamic.workload_type", "Efficient"));
    fails(change(session, "ep.dynamic.workload_type", "Lazy"), ORT_INVALID_ARGUMENT,
          "Default, Efficient");
    fails(change(session, "level", "2"), ORT_INVALID_ARGUMENT, "'level' is fixed once");
    fails(change(session, "gain", "5"), ORT_INVALID_ARGUMENT, "0.25 to 4");
    fails(change(session, "gain", "3.5"), ORT_FAIL, "amplifier");
    fails(change(session, "colour", "red"), ORT_INVALID_ARGUMENT, "no provider of the session");
    fails(change(session, "", "red"), ORT_INVALID_ARGUMENT, "key");
    fails(ort->SetEpDynamicOptions(session, NULL, NULL, 0), ORT_INVALID_ARGUMENT, "no dynamic");
    ck_assert(relu_of_one(session) == 3);
    ort->ReleaseSession(session);
    session = open_relu(NULL); /* CPU alone: a hint is a hint */
    ok(change(session, "ep.dynamic.workload_type", "Efficient"));
    ort->ReleaseSession(session);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("policy");
    TCase *tcase = tcase_create("policy");
    SRunner *runner;
    int failed;

    if (!make_dir()) {
        fprintf(stderr, "no folder with the mock and CPU in it: run this through make check\n");
        return 1;
    }
    tcase_add_checked_fixture(tcase, set_up, teardown);
    tcase_add_test(tcase, GetEpDevices_lists_the_devices_of_each_provider);
    tcase_add_test(tcase, a_plug_in_can_be_appended_and_is_available_where_it_is_named);
    tcase_add_test(tcase, session_runs_on_the_device_appended_by_V2);
    tcase_add_test(tcase, incompatibility_details_say_why_a_device_does_not_fit_a_provider);
    tcase_add_loop_test(tcase, selection_policy_chooses_the_device, 0,
                        (int)(sizeof policies / sizeof *policies));
    tcase_add_test(tcase, selection_policy_keeps_provider_options_and_yields_to_appended_devices);
    tcase_add_test(tcase, selection_delegate_chooses_the_device);
    tcase_add_test(tcase, SetEpDynamicOptions_changes_options_of_a_session);
    suite_add_tcase(suite, tcase);
    runner = srunner_create(suite);
    srunner_run_all(runner, CK_NORMAL);
    failed = srunner_ntests_failed(runner);
    srunner_free(runner);
    remove_dir();
    return failed ? 1 : 0;
}
