/* SPDX-License-Identifier: MIT */
/*
 * metadata.c - OrtModelMetadata (ModelProto's producer_name, domain, doc_string, model_version and
 * metadata_props).
 */

#include "config.h"

#include <stdlib.h>
#include <string.h>

#include "ort/guarded.h"
#include "ort/session/session.h"
#include "ort/status.h"
#include "ort/values/memory.h"

/* A copy; NULL is "". False: no memory. */
static bool set(char **to, const char *text)
{
    *to = strdup(text ? text : "");
    return *to != NULL;
}

bool ort_metadata_init(OrtModelMetadata *metadata, const bp_model *model)
{
    bp_model_info info = {.struct_size = sizeof info};
    const char *key;
    const char *value;

    if (bp_model_get_info(model, &info, NULL) < 0)
        return false;
    metadata->version = info.model_version ? info.model_version : INT64_MAX; /* absent */
    if (!set(&metadata->producer, info.producer) || !set(&metadata->graph_name, info.graph_name) ||
        !set(&metadata->domain, info.domain) || !set(&metadata->description, info.doc) ||
        !set(&metadata->graph_description, info.graph_doc))
        return false;
    for (uint32_t i = 0; (key = bp_model_metadata(model, i, &value)) != NULL; i++) {
        if (!ort_keys_set(&metadata->custom, key, value ? value : ""))
            return false;
    }
    return true;
}

void ort_metadata_finish(OrtModelMetadata *metadata)
{
    free(metadata->producer);
    free(metadata->graph_name);
    free(metadata->domain);
    free(metadata->description);
    free(metadata->graph_description);
    ort_keys_finish(&metadata->custom);
    *metadata = (OrtModelMetadata){0};
}

/* ---- slots ----------------------------------------------------------------------------------- */

/* OrtApi since version 2: A copy, which outlives the session; ReleaseModelMetadata frees it. */
OrtStatus *ort_SessionGetModelMetadata(const OrtSession *session, OrtModelMetadata **out)
{
    const OrtModelMetadata *from;
    OrtModelMetadata *copy;

    ORT_NEED(session);
    ORT_NEED(out);
    from = &session->metadata;
    copy = calloc(1, sizeof *copy);
    if (!copy)
        return ort_no_memory();
    copy->version = from->version;
    if (!set(&copy->producer, from->producer) || !set(&copy->graph_name, from->graph_name) ||
        !set(&copy->domain, from->domain) || !set(&copy->description, from->description) ||
        !set(&copy->graph_description, from->graph_description) ||
        !ort_keys_copy(&copy->custom, &from->custom)) {
        ort_ReleaseModelMetadata(copy);
        return ort_no_memory();
    }
    *out = copy;
    return NULL;
}

/* OrtApi since version 2. */
void ort_ReleaseModelMetadata(OrtModelMetadata *input)
{
    if (!input)
        return;
    ort_metadata_finish(input);
    free(input);
}

/*
 * A slot that returns one text as a copy from the caller's allocator (OrtApi since version 2, the
 * graph's description since 7).
 */
#define TEXT(slot, member)                                                                         \
    OrtStatus *ort_ModelMetadataGet##slot(const OrtModelMetadata *model_metadata,                  \
                                          OrtAllocator *allocator, char **value)                   \
    {                                                                                              \
        ORT_NEED(model_metadata);                                                                  \
        ORT_NEED(allocator);                                                                       \
        ORT_NEED(value);                                                                           \
        *value = ort_dup(allocator, model_metadata->member);                                       \
        return *value ? NULL : ort_no_memory();                                                    \
    }

TEXT(ProducerName, producer)
TEXT(GraphName, graph_name)
TEXT(Domain, domain)
TEXT(Description, description)
TEXT(GraphDescription, graph_description)

/* OrtApi since version 2. */
OrtStatus *ort_ModelMetadataGetVersion(const OrtModelMetadata *model_metadata, int64_t *value)
{
    ORT_NEED(model_metadata);
    ORT_NEED(value);
    *value = model_metadata->version;
    return NULL;
}

/* OrtApi since version 2: A missing key gives NULL and no error. */
OrtStatus *ort_ModelMetadataLookupCustomMetadataMap(const OrtModelMetadata *model_metadata,
                                                    OrtAllocator *allocator, const char *key,
                                                    char **value)
{
    const char *found;

    ORT_NEED(model_metadata);
    ORT_NEED(allocator);
    ORT_NEED(key);
    ORT_NEED(value);
    found = ort_keys_get(&model_metadata->custom, key);
    *value = found ? ort_dup(allocator, found) : NULL;
    return found && !*value ? ort_no_memory() : NULL;
}

/* OrtApi since version 3: The list and each key come from the allocator. */
OrtStatus *ort_ModelMetadataGetCustomMetadataMapKeys(const OrtModelMetadata *model_metadata,
                                                     OrtAllocator *allocator, char ***keys,
                                                     int64_t *num_keys)
{
    const OrtKeyValuePairs *custom;
    char **list;

    ORT_NEED(model_metadata);
    ORT_NEED(allocator);
    ORT_NEED(keys);
    ORT_NEED(num_keys);
    custom = &model_metadata->custom;
    *keys = NULL;
    *num_keys = 0;
    if (custom->n == 0)
        return NULL;
    list = ort_alloc(allocator, custom->n * sizeof *list);
    for (size_t i = 0; list && i < custom->n; i++) {
        list[i] = ort_dup(allocator, custom->keys[i]);
        if (list[i])
            continue;
        while (i > 0)
            ort_free(allocator, list[--i]);
        ort_free(allocator, list);
        list = NULL;
    }
    if (!list)
        return ort_no_memory();
    *keys = list;
    *num_keys = (int64_t)custom->n;
    return NULL;
}
