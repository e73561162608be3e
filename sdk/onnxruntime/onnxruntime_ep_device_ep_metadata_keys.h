/* SPDX-License-Identifier: MIT */
/*
 * onnxruntime_ep_device_ep_metadata_keys.h - keys in the metadata of devices and of compiled models, as
 * ONNX Runtime names them.
 */
#ifndef BP_ONNXRUNTIME_EP_DEVICE_EP_METADATA_KEYS_H
#define BP_ONNXRUNTIME_EP_DEVICE_EP_METADATA_KEYS_H

/* An EP built for 23 or later must not put it there itself (error) */
static const char *const kOrtEpDevice_EpMetadataKey_Version = "version";
/* Driver version told by the EP */
static const char *const kOrtEpDevice_EpMetadataKey_OSDriverVersion = "os_driver_version";
static const char *const kOrtModelMetadata_EpCompatibilityInfoPrefix = "ep_compatibility_info.";
/* Absolute path of the plug-in library */
static const char *const kOrtEpDevice_EpMetadataKey_LibraryPath = "library_path";
/* BNSH or BNHS: how the EP prefers the value cache of GroupQueryAttention to lie */
static const char *const kOrtEpDevice_EpMetadataKey_GqaPreferredValueLayout =
    "gqa_preferred_value_layout";
/* Device made by an EP */
static const char *const kOrtHardwareDevice_MetadataKey_IsVirtual = "is_virtual";

#endif
