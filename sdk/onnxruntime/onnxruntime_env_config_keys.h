/* SPDX-License-Identifier: MIT */
/*
 * onnxruntime_env_config_keys.h - keys for the configuration of an environment, as ONNX Runtime
 * names them.
 */
#ifndef BP_ONNXRUNTIME_ENV_CONFIG_KEYS_H
#define BP_ONNXRUNTIME_ENV_CONFIG_KEYS_H

/*
 * 0 (default) or 1: plug-in EPs may create devices that are not hardware. Without effect: none are
 * loaded.
 */
static const char *const kOrtEnvAllowVirtualDevices = "allow_virtual_devices";

#endif
