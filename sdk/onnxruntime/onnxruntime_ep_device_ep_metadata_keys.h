/* SPDX-License-Identifier: MIT */
/*
 * onnxruntime_ep_device_ep_metadata_keys.h - keys in the metadata of devices and of compiled
 * models, as ONNX Runtime names them.
 */
#ifndef BP_ONNXRUNTIME_EP_DEVICE_EP_METADATA_KEYS_H
#define BP_ONNXRUNTIME_EP_DEVICE_EP_METADATA_KEYS_H

/* Version of the provider; here that of its manifest. */
static const char *const kOrtEpDevice_EpMetadataKey_Version = "version";
/* Version of the device's driver, where the provider tells it. */
static const char *const kOrtEpDevice_EpMetadataKey_OSDriverVersion = "os_driver_version";
/* Prefix of keys in a compiled model's metadata; the provider's name follows. */
static const char *const kOrtModelMetadata_EpCompatibilityInfoPrefix = "ep_compatibility_info.";
/* Absolute path of the plug-in. */
static const char *const kOrtEpDevice_EpMetadataKey_LibraryPath = "library_path";
/* BNSH or BNHS: layout of GroupQueryAttention's value cache that the provider prefers. */
static const char *const kOrtEpDevice_EpMetadataKey_GqaPreferredValueLayout =
    "gqa_preferred_value_layout";
/* 1: the device is not hardware. */
static const char *const kOrtHardwareDevice_MetadataKey_IsVirtual = "is_virtual";

#endif
