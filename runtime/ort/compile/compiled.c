/* SPDX-License-Identifier: MIT */
/* compiled.c - compatibility information of compiled models, and OrtExternalInitializerInfo. */

#include "config.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "ort/env.h"
#include "ort/status.h"
#include "ort/values/memory.h"

/*
 * Providers store it in metadata_props as "ep_compatibility_info.<EP>"; *out is NULL when there is
 * none.
 */
static OrtStatus *look_up(const bp_model *model, const char *ep, OrtAllocator *allocator,
                          char **out)
{
    char wanted[256];
    const char *key;
    const char *value = NULL;

    snprintf(wanted, sizeof wanted, "ep_compatibility_info.%s", ep);
    *out = NULL;
    for (uint32_t i = 0; (key = bp_model_metadata(model, i, &value)) != NULL; i++) {
        if (strcmp(key, wanted) != 0)
            continue;
        *out = ort_dup(allocator, value ? value : "");
        return *out ? NULL : ort_no_memory();
    }
    return NULL;
}

/*
 * OrtApi since version 24: The text comes from the allocator; the model is only opened, not
 * planned.
 */
OrtStatus *ort_GetCompatibilityInfoFromModel(const char *model_path, const char *ep_type,
                                             OrtAllocator *allocator, char **compatibility_info)
{
    struct ort_err err;
    OrtEnv *env = NULL;
    bp_model *model = NULL;
    OrtStatus *status;

    ORT_NEED(model_path);
    ORT_NEED(ep_type);
    ORT_NEED(allocator);
    ORT_NEED(compatibility_info);
    status = ort_env_acquire(&env);
    if (status)
        return status;
    status = ort_from(bp_model_open(env->host, model_path, &model, ort_err_init(&err)), &err,
                      ORT_READING, NULL);
    if (!status)
        status = look_up(model, ep_type, allocator, compatibility_info);
    bp_model_close(model);
    ort_env_release(env);
    return status;
}

/* OrtApi since version 24. */
OrtStatus *ort_GetCompatibilityInfoFromModelBytes(const void *model_data, size_t model_data_length,
                                                  const char *ep_type, OrtAllocator *allocator,
                                                  char **compatibility_info)
{
    struct ort_err err;
    OrtEnv *env = NULL;
    bp_model *model = NULL;
    OrtStatus *status;

    ORT_NEED(model_data);
    ORT_NEED(ep_type);
    ORT_NEED(allocator);
    ORT_NEED(compatibility_info);
    status = ort_env_acquire(&env);
    if (status)
        return status;
    status = ort_from(bp_model_open_memory(env->host, model_data, model_data_length, NULL, &model,
                                           ort_err_init(&err)),
                      &err, ORT_READING, NULL);
    if (!status)
        status = look_up(model, ep_type, allocator, compatibility_info);
    bp_model_close(model);
    ort_env_release(env);
    return status;
}

/* ---- locations of external initializers ------------------------------------------------------------ */

struct OrtExternalInitializerInfo {
    char *path;
    int64_t offset;
    size_t bytes;
};

/* OrtApi since version 23. */
OrtStatus *ort_CreateExternalInitializerInfo(const char *filepath, int64_t file_offset,
                                             size_t byte_size, OrtExternalInitializerInfo **out)
{
    OrtExternalInitializerInfo *info;

    ORT_NEED(filepath);
    ORT_NEED(out);
    info = calloc(1, sizeof *info);
    if (info)
        info->path = strdup(filepath);
    if (!info || !info->path) {
        free(info);
        return ort_no_memory();
    }
    info->offset = file_offset;
    info->bytes = byte_size;
    *out = info;
    return NULL;
}

/* OrtApi since version 23. */
void ort_ReleaseExternalInitializerInfo(OrtExternalInitializerInfo *input)
{
    if (!input)
        return;
    free(input->path);
    free(input);
}

/* OrtApi since version 23. */
const char *ort_ExternalInitializerInfo_GetFilePath(const OrtExternalInitializerInfo *info)
{
    return info ? info->path : NULL;
}

/* OrtApi since version 23. */
int64_t ort_ExternalInitializerInfo_GetFileOffset(const OrtExternalInitializerInfo *info)
{
    return info ? info->offset : 0;
}

/* OrtApi since version 23. */
size_t ort_ExternalInitializerInfo_GetByteSize(const OrtExternalInitializerInfo *info)
{
    return info ? info->bytes : 0;
}
