/* SPDX-License-Identifier: MIT */
/*
 * provider_options.h - options of providers as C++ programs hold them, named as in ONNX Runtime. It has
 * nothing for C.
 */
#ifndef BP_PROVIDER_OPTIONS_H
#define BP_PROVIDER_OPTIONS_H

#ifdef __cplusplus

#include <string>
#include <unordered_map>
#include <vector>

namespace onnxruntime
{

/* Values by key, for one provider, for several in their order, and by the provider's name. */
using ProviderOptions = std::unordered_map<std::string, std::string>;
using ProviderOptionsVector = std::vector<ProviderOptions>;
using ProviderOptionsMap = std::unordered_map<std::string, ProviderOptions>;

} /* namespace onnxruntime */

#endif

#endif
