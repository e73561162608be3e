/* SPDX-License-Identifier: MIT */
/* providers.c - providers by name: GetAvailableProviders, and appending them to session options. */

#include "config.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include <bp/estimate.h>

#include "ort/devices/ep_devices.h"
#include "ort/env.h"
#include "ort/session/options.h"
#include "ort/status.h"

#define SUFFIX "ExecutionProvider"

/* ---- names ------------------------------------------------------------------------------------ */

/* The host's names are lower case, without the suffix "ExecutionProvider". */
void ort_short_name(const char *name, char *out, size_t size)
{
    size_t n = strlen(name);
    size_t tail = sizeof SUFFIX - 1;

    if (n > tail && strcasecmp(name + n - tail, SUFFIX) == 0)
        n -= tail;
    if (n >= size)
        n = size - 1;
    for (size_t i = 0; i < n; i++)
        out[i] = (char)tolower((unsigned char)name[i]);
    out[n] = '\0';
}

/* ---- appending --------------------------------------------------------------------------------- */

/* Options are also config entries "ep.<long name in lower case>.<key>", as in ONNX Runtime. */
static OrtStatus *keep_entries(OrtSessionOptions *options, const char *name,
                               const OrtKeyValuePairs *kv)
{
    char prefix[128];
    char key[1200];

    bp_provider_long_name(name, prefix, sizeof prefix);
    for (char *p = prefix; *p; p++)
        *p = (char)tolower((unsigned char)*p);
    for (size_t i = 0; i < kv->n; i++) {
        snprintf(key, sizeof key, "ep.%s.%s", prefix, kv->keys[i]);
        if (!ort_keys_set(&options->config, key, kv->values[i]))
            return ort_no_memory();
    }
    return NULL;
}

/* Rows that borrow their texts, to free(); NULL: no memory. */
static bp_key_value *host_options(const OrtKeyValuePairs *kv)
{
    bp_key_value *rows = calloc(kv->n + 1, sizeof *rows);

    for (size_t i = 0; rows && i < kv->n; i++)
        rows[i] = (bp_key_value){kv->keys[i], kv->values[i]};
    return rows;
}

/*
 * Registers the provider with the host on trial: it is opened and its options are checked. `code`:
 * it is missing.
 */
static OrtStatus *try(const char *name, const OrtKeyValuePairs *kv, OrtErrorCode code)
{
    bp_session_options *trial = NULL;
    bp_key_value *rows = host_options(kv);
    struct ort_err err;
    OrtEnv *env = NULL;
    OrtStatus *status = rows ? ort_env_acquire(&env) : ort_no_memory();
    bp_rc rc;

    if (!status) {
        rc = bp_session_options_create(&trial, ort_err_init(&err));
        if (rc >= 0)
            rc = bp_session_options_add_provider_now(trial, env->host, name, rows, (uint32_t)kv->n,
                                                     BP_FALLBACK_DEFAULT, &err.err);
        if (rc < 0 && (rc == BP_E_UNAVAILABLE || rc == BP_E_IO || rc == BP_E_VERSION))
            status = ort_fail(code, "%s", err.text);
        else
            status = ort_from(rc, &err, ORT_OTHER, NULL);
    }
    bp_session_options_destroy(trial);
    ort_env_release(env);
    free(rows);
    return status;
}

OrtStatus *ort_need_provider(const char *name)
{
    static const OrtKeyValuePairs none;

    return try(name, &none, ORT_FAIL);
}

bool ort_provider_set_devices(struct ort_provider *provider, const uint32_t *devices, uint32_t n)
{
    if (n == 0)
        return true;
    provider->devices = calloc(n, sizeof *devices);
    if (!provider->devices)
        return false;
    memcpy(provider->devices, devices, n * sizeof *devices);
    provider->n_devices = n;
    return true;
}

/* A copy of name and options. */
static OrtStatus *push(OrtSessionOptions *options, const char *name, const OrtKeyValuePairs *kv)
{
    size_t n = options->n_providers;
    struct ort_provider *grown = realloc(options->providers, (n + 1) * sizeof *grown);

    if (!grown)
        return ort_no_memory();
    options->providers = grown;
    grown[n] = (struct ort_provider){.name = strdup(name)};
    if (!grown[n].name || !ort_keys_copy(&grown[n].options, kv)) {
        free(grown[n].name);
        ort_keys_finish(&grown[n].options);
        return ort_no_memory();
    }
    options->n_providers++;
    return NULL;
}

/*
 * CPU is only marked, because it is always the last provider of a session. Named alone it means that
 * no default provider comes before it.
 */
OrtStatus *ort_append(OrtSessionOptions *options, const char *name, const OrtKeyValuePairs *kv,
                      OrtErrorCode code)
{
    char plain[64];
    OrtStatus *status;

    ort_short_name(name, plain, sizeof plain);
    if (strcmp(plain, "cpu") == 0) {
        options->cpu_is_named = true;
        return keep_entries(options, plain, kv);
    }
    status = try(name, kv, code);
    if (!status)
        status = push(options, name, kv);
    return status ? status : keep_entries(options, plain, kv);
}

/* CPU is not listed, so devices are only set for others. */
OrtStatus *ort_append_on(OrtSessionOptions *options, const OrtEpDevice *const *devices, size_t n,
                         const OrtKeyValuePairs *kv, OrtErrorCode code)
{
    size_t before = options->n_providers;
    uint32_t *numbers = calloc(n + 1, sizeof *numbers);
    OrtStatus *status = numbers ? NULL : ort_no_memory();

    for (size_t i = 0; i < n && !status; i++)
        numbers[i] = devices[i]->device;
    if (!status)
        status = ort_append(options, devices[0]->name, kv, code);
    if (!status && options->n_providers > before && /* not CPU, which is not listed */
        !ort_provider_set_devices(&options->providers[before], numbers, (uint32_t)n))
        status = ort_no_memory();
    free(numbers);
    return status;
}

/* ---- what sessions need ------------------------------------------------------------------------- */

/* Providers in the order in which they were appended, with their devices. */
static OrtStatus *add_all(const OrtSessionOptions *options, bp_session_options *to)
{
    struct ort_err err;

    for (size_t i = 0; i < options->n_providers; i++) {
        const struct ort_provider *provider = &options->providers[i];
        bp_key_value *rows = host_options(&provider->options);
        bp_rc rc;

        if (!rows)
            return ort_no_memory();
        rc =
            bp_session_options_add_provider(to, provider->name, rows, (uint32_t)provider->options.n,
                                            BP_FALLBACK_DEFAULT, ort_err_init(&err));
        if (rc >= 0 && provider->n_devices > 0)
            rc = bp_session_options_set_devices(to, provider->name, provider->devices,
                                                provider->n_devices, &err.err);
        free(rows);
        if (rc < 0)
            return ort_from(rc, &err, ORT_OTHER, NULL);
    }
    if (options->n_providers > 0 || !options->cpu_is_named)
        return NULL;
    return ort_from(bp_session_options_add_provider(to, "cpu", NULL, 0, BP_FALLBACK_DEFAULT,
                                                    ort_err_init(&err)),
                    &err, ORT_OTHER, NULL);
}

/* ONNX Runtime's optimisation levels; ORT_ENABLE_ALL is the host's default. */
static uint32_t host_level(GraphOptimizationLevel level)
{
    switch (level) {
    case ORT_DISABLE_ALL:
        return BP_OPTIMIZE_NONE;
    case ORT_ENABLE_BASIC:
        return BP_OPTIMIZE_BASIC;
    case ORT_ENABLE_EXTENDED:
        return BP_OPTIMIZE_EXTENDED;
    case ORT_ENABLE_LAYOUT:
        return BP_OPTIMIZE_LAYOUT;
    default:
        return BP_OPTIMIZE_DEFAULT;
    }
}

/*
 * May a model import operator sets that are newer than the known ones? A session's entry other than
 * 1 says so, or ONNX Runtime's environment variable, which is 0 or 1.
 */
static OrtStatus *newer_opsets(const OrtSessionOptions *options, bool *out)
{
    static const char name[] = "ALLOW_RELEASED_ONNX_OPSET_ONLY";
    const char *entry = ort_keys_get(&options->config, "session.allow_released_opsets_only");
    const char *variable = secure_getenv(name);

    *out = (entry && strcmp(entry, "1") != 0) || (variable && strcmp(variable, "0") == 0);
    if (!*out && variable && variable[0] && strcmp(variable, "1") != 0)
        return ort_fail(ORT_FAIL, "The environment variable %s is \"%s\", not 0 or 1", name,
                        variable);
    return NULL;
}

OrtStatus *ort_options_to_host(const OrtSessionOptions *options, bp_session_options **out)
{
    bp_session_options *made = NULL;
    bool has_newer_opsets;
    struct ort_err err;
    OrtStatus *status = newer_opsets(options, &has_newer_opsets);
    bp_rc rc;

    if (status)
        return status;
    rc = bp_session_options_create(&made, ort_err_init(&err));
    if (rc < 0)
        return ort_from(rc, &err, ORT_OTHER, NULL);
    if (options->intra_op > 0 && !options->env_threads)
        bp_session_options_set_threads(made, (uint32_t)options->intra_op);
    bp_session_options_set_strict_shapes(
        made, ort_keys_is_on(&options->config, "session.strict_shape_type_inference"));
    bp_session_options_set_newer_opsets(made, has_newer_opsets);
    rc = bp_session_options_set_optimization(made, host_level(options->level), ort_err_init(&err));
    status = rc < 0 ? ort_from(rc, &err, ORT_OTHER, NULL) : add_all(options, made);
    if (status) {
        bp_session_options_destroy(made);
        return status;
    }
    *out = made;
    return NULL;
}

/* ---- slots ----------------------------------------------------------------------------------- */

/* OrtApi since version 12. */
OrtStatus *ort_SessionOptionsAppendExecutionProvider(OrtSessionOptions *options,
                                                     const char *provider_name,
                                                     const char *const *provider_options_keys,
                                                     const char *const *provider_options_values,
                                                     size_t num_keys)
{
    OrtKeyValuePairs kv = {0};
    OrtStatus *status;

    ORT_NEED(options);
    ORT_NEED(provider_name);
    status = ort_keys_set_all(&kv, provider_options_keys, provider_options_values, num_keys);
    if (!status)
        status = ort_append(options, provider_name, &kv, ORT_INVALID_ARGUMENT);
    ort_keys_finish(&kv);
    return status;
}

/* Does BACKPLANE_PROVIDERS name the provider? */
static bool is_asked_for(const char *name)
{
    const char *list = secure_getenv("BACKPLANE_PROVIDERS");
    char asked[128], plain[64];

    for (; list && *list; list += strcspn(list, ","), list += *list == ',') {
        size_t size = strcspn(list, ",");

        if (size >= sizeof asked)
            continue;
        memcpy(asked, list, size);
        asked[size] = '\0';
        ort_short_name(asked, plain, sizeof plain);
        if (strcmp(plain, name) == 0)
            return true;
    }
    return false;
}

/* Are all devices of the provider simulated? */
static bool is_simulator(OrtEnv *env, uint32_t i, const bp_provider_info *info)
{
    for (uint32_t d = 0; d < info->n_devices; d++) {
        bp_device device = {.struct_size = sizeof device};

        if (bp_env_provider_device(env->host, i, d, &device, NULL) < 0 ||
            !(device.flags & BP_DEVICE_SIMULATED))
            return false;
    }
    return info->n_devices > 0;
}

/*
 * Has ONNX Runtime a provider of that name? Its GetAvailableProviders has no others: plug-ins are found
 * by GetEpDevices. Bindings have lists of these names, and Java's does not start when it meets
 * another one.
 */
static bool is_of_onnxruntime(const char *name)
{
    static const char *const names[] = {
        "acl",    "armnn",  "azure", "cann",     "coreml",   "cpu",           "cuda",
        "dml",    "dnnl",   "js",    "migraphx", "nnapi",    "nvtensorrtrtx", "openvino",
        "qnn",    "rknpu",  "rocm",  "snpe",     "tensorrt", "tvm",           "vitisai",
        "vsinpu", "webgpu", "webnn", "xnnpack"};
    bool found = false;

    for (size_t i = 0; !found && i < sizeof names / sizeof names[0]; i++)
        found = strcmp(name, names[i]) == 0;
    return found;
}

/*
 * Usable providers in the host's order, CPU last; `names` has space for all. Unless the user names them,
 * simulators are left out, because language bindings take every name for hardware, and names that
 * bindings cannot know.
 */
static OrtStatus *list(OrtEnv *env, uint32_t n, char **names, int *count)
{
    struct ort_err err;
    char name[128];

    *count = 0;
    for (uint32_t i = 0; i < n; i++) {
        bp_provider_info info = {.struct_size = sizeof info};
        bp_rc rc = bp_env_provider_info(env->host, i, &info, ort_err_init(&err));

        if (rc < 0)
            return ort_from(rc, &err, ORT_OTHER, NULL);
        if (info.code < 0 || (!is_asked_for(info.name) &&
                              (!is_of_onnxruntime(info.name) || is_simulator(env, i, &info))))
            continue;
        names[*count] = strdup(bp_provider_long_name(info.name, name, sizeof name));
        if (!names[*count])
            return ort_no_memory();
        (*count)++;
    }
    return NULL;
}

/* OrtApi since version 4: ReleaseAvailableProviders frees names and array. */
OrtStatus *ort_GetAvailableProviders(char ***out_ptr, int *provider_length)
{
    struct ort_err err;
    OrtEnv *env = NULL;
    char **names = NULL;
    uint32_t n = 0;
    OrtStatus *status;

    ORT_NEED(out_ptr);
    ORT_NEED(provider_length);
    status = ort_env_acquire(&env);
    if (status)
        return status;
    status = ort_from(bp_env_probe(env->host, ort_err_init(&err)), &err, ORT_OTHER, NULL);
    if (!status)
        status = ort_from(bp_env_provider_count(env->host, &n, ort_err_init(&err)), &err, ORT_OTHER,
                          NULL);
    if (!status) {
        names = calloc(n + 1, sizeof *names);
        status = names ? list(env, n, names, provider_length) : ort_no_memory();
    }
    if (status && names)
        (void)ort_ReleaseAvailableProviders(names, *provider_length);
    else if (!status)
        *out_ptr = names;
    ort_env_release(env);
    return status;
}

/* OrtApi since version 4. */
OrtStatus *ort_ReleaseAvailableProviders(char **ptr, int providers_length)
{
    for (int i = 0; ptr && i < providers_length; i++)
        free(ptr[i]);
    free(ptr);
    return NULL;
}

/* ---- plug-ins of ONNX Runtime ------------------------------------------------------------------ */

/*
 * OrtApi since version 22: ONNX Runtime's plug-ins have another ABI. ORT_FAIL, because programs
 * that continue without the plug-in expect that code.
 */
OrtStatus *ort_RegisterExecutionProviderLibrary(OrtEnv *env, const char *registration_name,
                                                const char *path)
{
    ORT_NEED(env);
    ORT_NEED(registration_name);
    ORT_NEED(path);
    return ort_fail(ORT_FAIL,
                    "RegisterExecutionProviderLibrary: Failed to load library %s with error: "
                    "Backplane's providers have an ABI of their own, plug-ins of ONNX Runtime are "
                    "not loaded",
                    path);
}

/* OrtApi since version 22. */
OrtStatus *ort_UnregisterExecutionProviderLibrary(OrtEnv *env, const char *registration_name)
{
    ORT_NEED(env);
    ORT_NEED(registration_name);
    return ort_fail(ORT_FAIL, "Execution provider library: %s was not registered.",
                    registration_name);
}
