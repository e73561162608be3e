/* SPDX-License-Identifier: MIT */
/* provider_object.h - the object behind OrtCUDAProviderOptionsV2 and the like: keys and values. */
#ifndef BP_ORT_DEVICES_PROVIDER_OBJECT_H
#define BP_ORT_DEVICES_PROVIDER_OBJECT_H

#include "ort/key_values.h"

struct ort_object {
    OrtKeyValuePairs kv;
};

#endif
