/* SPDX-License-Identifier: MIT */
/*
 * policy.c - automatic provider selection (SetEpSelectionPolicy, OrtApi since version 22) by ONNX
 * Runtime's rules: devices are sorted by preference, a policy takes the first of its kind, then a CPU
 * device, and the default CPU provider last.
 */

#include "config.h"

#include "ort/devices/policy.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "ort/devices/ep_devices.h"
#include "ort/guarded.h"
#include "ort/session/session.h"
#include "ort/status.h"

enum { SELECTED_MAX = 8 }; /* devices that a delegate may select, as in ONNX Runtime */

/* ---- the order ------------------------------------------------------------------------------- */

/* NPUs first, then GPUs, then CPUs. */
static int kind_rank(const OrtEpDevice *device)
{
    switch (device->hardware->type) {
    case OrtHardwareDeviceType_NPU:
        return 0;
    case OrtHardwareDeviceType_GPU:
        return 1;
    default:
        return 2;
    }
}

static bool is_default_cpu(const OrtEpDevice *device)
{
    return strcmp(device->plain, "cpu") == 0;
}

/* A GPU without that entry in its metadata counts as integrated. */
static bool is_discrete(const OrtEpDevice *device)
{
    const char *value = ort_keys_get(&device->hardware->metadata, "Discrete");

    return device->hardware->type == OrtHardwareDeviceType_GPU && value && strcmp(value, "1") == 0;
}

/* Is the provider by the hardware's vendor? */
static bool is_of_its_vendor(const OrtEpDevice *device)
{
    return strcmp(device->vendor, device->hardware->vendor) == 0;
}

/*
 * NPU, GPU (discrete first), CPU; the vendor's own provider first, the default CPU provider last;
 * then by name.
 */
static int compare(const void *left, const void *right)
{
    const OrtEpDevice *a = *(const OrtEpDevice *const *)left;
    const OrtEpDevice *b = *(const OrtEpDevice *const *)right;
    int names;

    if (kind_rank(a) != kind_rank(b))
        return kind_rank(a) - kind_rank(b);
    if (is_default_cpu(a) != is_default_cpu(b))
        return is_default_cpu(a) ? 1 : -1;
    if (is_discrete(a) != is_discrete(b))
        return is_discrete(a) ? -1 : 1;
    if (is_of_its_vendor(a) != is_of_its_vendor(b))
        return is_of_its_vendor(a) ? -1 : 1;
    names = strcmp(a->name, b->name);
    if (names != 0)
        return names;
    return a->device < b->device ? -1 : a->device > b->device;
}

/* ---- policies -------------------------------------------------------------------------------- */

struct choice {
    const OrtEpDevice **devices; /* in order */
    size_t n_devices;
    const OrtEpDevice *selected[SELECTED_MAX];
    size_t n;
};

/* The sorted list makes the first the best. */
static void take_first(struct choice *choice, OrtHardwareDeviceType type)
{
    for (size_t i = 0; i < choice->n_devices; i++) {
        if (choice->devices[i]->hardware->type == type) {
            choice->selected[choice->n++] = choice->devices[i];
            return;
        }
    }
}

/* DEFAULT, PREFER_CPU and unknown policies take CPU devices only. */
static void choose(struct choice *choice, OrtExecutionProviderDevicePolicy policy)
{
    const OrtEpDevice *last = choice->n_devices ? choice->devices[choice->n_devices - 1] : NULL;

    if (policy == OrtExecutionProviderDevicePolicy_PREFER_NPU ||
        policy == OrtExecutionProviderDevicePolicy_MAX_EFFICIENCY ||
        policy == OrtExecutionProviderDevicePolicy_MIN_OVERALL_POWER)
        take_first(choice, OrtHardwareDeviceType_NPU);
    if (policy == OrtExecutionProviderDevicePolicy_PREFER_GPU ||
        policy == OrtExecutionProviderDevicePolicy_MAX_PERFORMANCE)
        take_first(choice, OrtHardwareDeviceType_GPU);
    take_first(choice, OrtHardwareDeviceType_CPU);
    if (last && is_default_cpu(last) && choice->selected[choice->n - 1] != last)
        choice->selected[choice->n++] = last;
}

/* The metadata of the model that a delegate gets. */
static bool describe_model(const OrtModelMetadata *from, OrtKeyValuePairs *to)
{
    char version[24];

    snprintf(version, sizeof version, "%lld", (long long)from->version);
    return ort_keys_copy(to, &from->custom) && ort_keys_set(to, "producer_name", from->producer) &&
           ort_keys_set(to, "domain", from->domain) && ort_keys_set(to, "model_version", version) &&
           ort_keys_set(to, "doc_string", from->description) &&
           ort_keys_set(to, "graph_name", from->graph_name) &&
           ort_keys_set(to, "graph_description", from->graph_description);
}

/* ORT_FAIL: nothing selected, too many, or a device that was not offered. */
static OrtStatus *check_delegates_choice(const struct choice *choice)
{
    if (choice->n == 0)
        return ort_fail(ORT_FAIL, "EP selection delegate did not select anything.");
    if (choice->n > SELECTED_MAX)
        return ort_fail(ORT_FAIL,
                        "EP selection delegate selected too many EP devices (%zu). The limit is %d "
                        "EP devices.",
                        choice->n, (int)SELECTED_MAX);
    for (size_t i = 0; i < choice->n; i++) {
        size_t d = 0;

        while (d < choice->n_devices && choice->devices[d] != choice->selected[i])
            d++;
        if (d == choice->n_devices)
            return ort_fail(
                ORT_FAIL, "EP selection delegate failed: selection %zu is none of the devices", i);
    }
    return NULL;
}

struct delegated {
    struct choice *choice;
    const OrtSessionOptions *options;
    const OrtEpDevice **shown;
    const OrtKeyValuePairs *model, *runtime;
    OrtStatus *answer;
};

/* The delegate may throw, so it runs under bp_guard(). */
static void call_delegate(void *u)
{
    struct delegated *asked = u;
    struct choice *choice = asked->choice;

    asked->answer = asked->options->delegate(asked->shown, choice->n_devices, asked->model,
                                             asked->runtime, choice->selected, SELECTED_MAX,
                                             &choice->n, asked->options->delegate_state);
}

/* The delegate's status, or its exception, becomes ORT_FAIL. */
static OrtStatus *ask_delegate(struct choice *choice, const OrtSession *session,
                               const OrtSessionOptions *options)
{
    OrtKeyValuePairs model = {0}, runtime = {0};
    const OrtEpDevice **shown = calloc(choice->n_devices + 1, sizeof *shown);
    struct delegated asked = {choice, options, shown, &model, &runtime, NULL};
    OrtStatus *status = NULL, *answer;
    struct bp_thrown thrown;

    if (!shown || !describe_model(&session->metadata, &model)) {
        status = ort_no_memory();
        goto out;
    }
    if (choice->n_devices)
        memcpy(shown, choice->devices, choice->n_devices * sizeof *shown);
    if (!bp_guard(call_delegate, &asked, &thrown)) {
        status = ort_thrown(&thrown, "the EP selection delegate");
        goto out;
    }
    answer = asked.answer;
    if (answer) {
        status =
            ort_fail(ORT_FAIL, "EP selection delegate failed: %s", ort_GetErrorMessage(answer));
        ort_ReleaseStatus(answer);
    } else {
        status = check_delegates_choice(choice);
    }
out:
    ort_keys_finish(&model);
    free(shown);
    return status;
}

/* ---- applying -------------------------------------------------------------------------------- */

/* Options that were set as "ep.<name>.<key>" before the provider was chosen. */
static OrtStatus *preset_options(const OrtSessionOptions *options, const char *name,
                                 OrtKeyValuePairs *kv)
{
    char prefix[160];
    size_t n;

    n = (size_t)snprintf(prefix, sizeof prefix, "ep.%s.", name);
    for (char *p = prefix; *p; p++)
        *p = *p >= 'A' && *p <= 'Z' ? (char)(*p + ('a' - 'A')) : *p;
    for (size_t i = 0; i < options->config.n; i++) {
        const char *key = options->config.keys[i];

        if (strncmp(key, prefix, n) == 0 && key[n] &&
            !ort_keys_set(kv, key + n, options->config.values[i]))
            return ort_no_memory();
    }
    return NULL;
}

/* Devices of one provider are appended together, at the position of the first. */
static OrtStatus *append_all(const struct choice *choice, OrtSessionOptions *to)
{
    OrtStatus *status = NULL;

    for (size_t i = 0; i < choice->n && !status; i++) {
        const OrtEpDevice *same[SELECTED_MAX];
        OrtKeyValuePairs kv = {0};
        size_t n = 0;
        bool is_first = true;

        for (size_t j = 0; j < choice->n; j++) {
            if (strcmp(choice->selected[j]->name, choice->selected[i]->name) != 0)
                continue;
            is_first &= j >= i;
            same[n++] = choice->selected[j];
        }
        if (!is_first || is_default_cpu(choice->selected[i]))
            continue; /* CPU is there by itself, and last */
        status = preset_options(to, choice->selected[i]->name, &kv);
        if (!status)
            status = ort_append_on(to, same, n, &kv, ORT_FAIL);
        ort_keys_finish(&kv);
    }
    return status;
}

/* A named provider, CPU included, switches the policy off. */
OrtStatus *ort_policy_apply(const OrtSession *session, const OrtSessionOptions *options,
                            OrtSessionOptions **out)
{
    const struct ort_devices *all;
    struct choice choice = {0};
    OrtSessionOptions *copy = NULL;
    OrtStatus *status;

    *out = NULL;
    if (!options->has_policy || options->n_providers > 0 || options->cpu_is_named)
        return NULL;
    status = ort_devices_need(session->env, &all);
    if (status)
        return status;
    choice.devices = calloc(all->n + 1, sizeof *choice.devices);
    if (!choice.devices)
        return ort_no_memory();
    choice.n_devices = all->n;
    memcpy(choice.devices, all->list, all->n * sizeof *choice.devices);
    qsort(choice.devices, all->n, sizeof *choice.devices, compare);
    if (options->delegate)
        status = ask_delegate(&choice, session, options);
    else
        choose(&choice, options->policy);
    if (!status)
        status = ort_CloneSessionOptions(options, &copy);
    if (!status)
        status = append_all(&choice, copy);
    free(choice.devices);
    if (status)
        ort_ReleaseSessionOptions(copy);
    else
        *out = copy;
    return status;
}

/* ---- slots ----------------------------------------------------------------------------------- */

/* OrtApi since version 22. */
OrtStatus *ort_SessionOptionsSetEpSelectionPolicy(OrtSessionOptions *session_options,
                                                  OrtExecutionProviderDevicePolicy policy)
{
    int value = (int)policy;

    ORT_NEED(session_options);
    if (value < OrtExecutionProviderDevicePolicy_DEFAULT ||
        value > OrtExecutionProviderDevicePolicy_MIN_OVERALL_POWER)
        return ort_fail(ORT_INVALID_ARGUMENT, "%d is not an OrtExecutionProviderDevicePolicy",
                        value);
    session_options->has_policy = true;
    session_options->policy = policy;
    session_options->delegate = NULL;
    session_options->delegate_state = NULL;
    return NULL;
}

/* OrtApi since version 22. */
OrtStatus *ort_SessionOptionsSetEpSelectionPolicyDelegate(OrtSessionOptions *session_options,
                                                          EpSelectionDelegate delegate,
                                                          void *delegate_state)
{
    ORT_NEED(session_options);
    ORT_NEED(delegate);
    session_options->has_policy = true;
    session_options->delegate = delegate;
    session_options->delegate_state = delegate_state;
    return NULL;
}
