/* SPDX-License-Identifier: MIT */
/* lora.h - OrtLoraAdapter: named tensors that runs feed to the inputs of these names; immutable. */
#ifndef BP_ORT_SESSION_LORA_H
#define BP_ORT_SESSION_LORA_H

#include "ort/slots.h"

struct OrtLoraAdapter {
    char **names;
    OrtValue **values;
    uint32_t n;
};

#endif
