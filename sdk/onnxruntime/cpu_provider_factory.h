/* SPDX-License-Identifier: MIT */
/*
 * cpu_provider_factory.h - for programs that include it: providers by symbol, such as
 * OrtSessionOptionsAppendExecutionProvider_CPU(), are in onnxruntime_c_api.h.
 */
#ifndef BP_CPU_PROVIDER_FACTORY_H
#define BP_CPU_PROVIDER_FACTORY_H

#include "onnxruntime_c_api.h"

#endif
