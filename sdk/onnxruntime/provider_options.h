/* SPDX-License-Identifier: MIT */
/*
 * provider_options.h - options of providers as C++ programs hold them, named as in ONNX Runtime. It
 * has nothing for C.
 */
#ifndef BP_PROVIDER_OPTIONS_H
#define BP_PROVIDER_OPTIONS_H

#ifdef __cplusplus

#include <string>
#include <unordered_map>
#include <vector>

namespace onnxruntime
{

/*
 * Values by key, for one provider. Keys and values are those of AppendExecutionProvider functions.
 */
using ProviderOptions = std::unordered_map<std::string, std::string>;
/* Options of several providers, in their order. */
using ProviderOptionsVector = std::vector<ProviderOptions>;
/* Options of several providers, by their names. */
using ProviderOptionsMap = std::unordered_map<std::string, ProviderOptions>;

} /* namespace onnxruntime */

#endif

#endif
