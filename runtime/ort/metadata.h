/* SPDX-License-Identifier: MIT */
/*
 * metadata.h - OrtModelMetadata: producer, graph name, domain, description and custom entries of a
 * model.
 */
#ifndef BP_ORT_METADATA_H
#define BP_ORT_METADATA_H

#include <backplane.h>

#include "ort/key_values.h"

/* All texts are owned; absent ones are "". version INT64_MAX: absent. Start from {0}. */
struct OrtModelMetadata {
    char *producer, *graph_name, *domain, *description, *graph_description;
    int64_t version;
    OrtKeyValuePairs custom;
};

/* Fills an empty struct from the model. False: no memory; finish it then, too. */
bool ort_metadata_init(OrtModelMetadata *metadata, const bp_model *model);
void ort_metadata_finish(OrtModelMetadata *metadata);

#endif
