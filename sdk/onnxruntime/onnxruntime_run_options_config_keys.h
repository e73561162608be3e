/* SPDX-License-Identifier: MIT */
/*
 * onnxruntime_run_options_config_keys.h - keys for AddRunConfigEntry(), as ONNX Runtime names them.
 *
 * Values are text. "Without effect": the entry is kept, GetRunConfigEntry() reads it, and it
 * changes nothing here.
 */
#ifndef BP_ONNXRUNTIME_RUN_OPTIONS_CONFIG_KEYS_H
#define BP_ONNXRUNTIME_RUN_OPTIONS_CONFIG_KEYS_H

/*
 * Arenas with `;` between (`cpu:0`) that give memory back after the run. Without effect;
 * bp_session_trim() does.
 */
static const char *const kOrtRunOptionsConfigEnableMemoryArenaShrinkage =
    "memory.enable_memory_arena_shrinkage";
/* 0 (default) or 1: the run does not wait for devices. Without effect: it waits. */
static const char *const kOrtRunOptionsConfigDisableSynchronizeExecutionProviders =
    "disable_synchronize_execution_providers";
/* For QNN: performance during the run. Without effect. */
static const char *const kOrtRunOptionsConfigQnnPerfMode = "qnn.htp_perf_mode";
/* For QNN: performance after the run. Without effect. */
static const char *const kOrtRunOptionsConfigQnnPerfModePostRun = "qnn.htp_perf_mode_post_run";
/* For QNN: latency of its calls, in microseconds. Without effect. */
static const char *const kOrtRunOptionsConfigQnnRpcControlLatency = "qnn.rpc_control_latency";
/* For QNN: file that says which adapters are used. Without effect. */
static const char *const kOrtRunOptionsConfigQnnLoraConfig = "qnn.lora_config";
/* Number of the captured graph; -1: none. Without effect: no provider captures graphs. */
static const char *const kOrtRunOptionsConfigCudaGraphAnnotation = "gpu_graph_id";

#endif
