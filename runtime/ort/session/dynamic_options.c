/* SPDX-License-Identifier: MIT */
/*
 * dynamic_options.c - options of a session's providers that change while it lives.
 *
 * A key, with or without the prefix "ep.dynamic.", sets the dynamic option of that name in every
 * provider of the session that has one.
 */

#include "config.h"

#include <string.h>

#include "ort/session/session.h"
#include "ort/status.h"

#define PREFIX "ep.dynamic."
#define WORKLOAD "ep.dynamic.workload_type"

static bool has_option(const bp_session *session, uint32_t provider, const char *key)
{
    const char *value, *name;

    for (uint32_t j = 0; (name = bp_session_provider_option(session, provider, j, &value)); j++) {
        if (strcmp(name, key) == 0)
            return true;
    }
    return false;
}

/* ORT_INVALID_ARGUMENT: no provider has the option, or it refuses the value. */
static OrtStatus *set(OrtSession *session, const char *full_key, const char *value)
{
    size_t skip = strncmp(full_key, PREFIX, sizeof PREFIX - 1) == 0 ? sizeof PREFIX - 1 : 0;
    const char *key = full_key + skip, *provider;
    struct ort_err err;
    bool is_taken = false;

    for (uint32_t i = 0; (provider = bp_session_provider(session->host, i)) != NULL; i++) {
        bp_rc rc;

        if (!has_option(session->host, i, key))
            continue;
        rc = bp_session_set_option(session->host, provider, key, value, ort_err_init(&err));
        if (rc < 0)
            return ort_fail(rc == BP_E_OPTION || rc == BP_E_UNSUPPORTED ? ORT_INVALID_ARGUMENT
                                                                        : ORT_FAIL,
                            "%s: %s", full_key, err.text);
        is_taken = true;
    }
    if (is_taken || strcmp(full_key, WORKLOAD) == 0) /* a hint: providers may ignore it */
        return NULL;
    return ort_fail(ORT_INVALID_ARGUMENT, "%s: no provider of the session has an option '%s'",
                    full_key, key);
}

/*
 * ORT_INVALID_ARGUMENT: no key, no value, or a workload type that is neither Default nor Efficient.
 */
static OrtStatus *check(const char *key, const char *value, size_t i)
{
    if (!key || !key[0] || !value)
        return ort_fail(ORT_INVALID_ARGUMENT, "dynamic option %zu lacks its %s", i,
                        key && key[0] ? "value" : "key");
    if (strcmp(key, WORKLOAD) == 0 && strcmp(value, "Default") != 0 &&
        strcmp(value, "Efficient") != 0)
        return ort_fail(ORT_INVALID_ARGUMENT, "%s is '%s', allowed are Default, Efficient", key,
                        value);
    return NULL;
}

/* OrtApi since version 20: All keys are checked before the first is set. */
OrtStatus *ort_SetEpDynamicOptions(OrtSession *sess, const char *const *keys,
                                   const char *const *values, size_t kv_len)
{
    OrtStatus *status = NULL;

    ORT_NEED(sess);
    if (kv_len == 0)
        return ort_fail(ORT_INVALID_ARGUMENT, "no dynamic options were given");
    ORT_NEED(keys);
    ORT_NEED(values);
    for (size_t i = 0; i < kv_len && !status; i++)
        status = check(keys[i], values[i], i);
    pthread_mutex_lock(&sess->lock); /* of the host's session one thread may change options */
    for (size_t i = 0; i < kv_len && !status; i++)
        status = set(sess, keys[i], values[i]);
    pthread_mutex_unlock(&sess->lock);
    return status;
}
