/* SPDX-License-Identifier: MIT */
/* object.h - what OrtCUDAProviderOptions and its like are: keys and values. */
#ifndef BP_ORT_OBJECT_H
#define BP_ORT_OBJECT_H

#include "ort/keys.h"

struct ort_object {
    OrtKeyValuePairs kv;
};

#endif
