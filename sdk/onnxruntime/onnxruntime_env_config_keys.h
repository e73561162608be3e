/* SPDX-License-Identifier: MIT */
/*
 * onnxruntime_env_config_keys.h - keys for the configuration of an environment, as ONNX Runtime names them.
 */
#ifndef BP_ONNXRUNTIME_ENV_CONFIG_KEYS_H
#define BP_ONNXRUNTIME_ENV_CONFIG_KEYS_H

/*
 * EP libraries may create devices that are not hardware; switched on by a registration name ending
 * in .virtual
 */
static const char *const kOrtEnvAllowVirtualDevices = "allow_virtual_devices";

#endif
