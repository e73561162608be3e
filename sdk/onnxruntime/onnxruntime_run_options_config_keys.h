/* SPDX-License-Identifier: MIT */
/*
 * onnxruntime_run_options_config_keys.h - keys for AddRunConfigEntry(), as ONNX Runtime names them.
 */
#ifndef BP_ONNXRUNTIME_RUN_OPTIONS_CONFIG_KEYS_H
#define BP_ONNXRUNTIME_RUN_OPTIONS_CONFIG_KEYS_H

/*
 * Named arenas give memory back at the end of the run; for a plug-in EP it calls
 * OrtAllocator.Shrink
 */
static const char *const kOrtRunOptionsConfigEnableMemoryArenaShrinkage =
    "memory.enable_memory_arena_shrinkage";
/* 1 skips the device wait at the end of a run (OnRunEnd gets sync_stream=false) */
static const char *const kOrtRunOptionsConfigDisableSynchronizeExecutionProviders =
    "disable_synchronize_execution_providers";
/* QNN only */
static const char *const kOrtRunOptionsConfigQnnPerfMode = "qnn.htp_perf_mode";
/* QNN only */
static const char *const kOrtRunOptionsConfigQnnPerfModePostRun = "qnn.htp_perf_mode_post_run";
/* QNN only */
static const char *const kOrtRunOptionsConfigQnnRpcControlLatency = "qnn.rpc_control_latency";
/* QNN only */
static const char *const kOrtRunOptionsConfigQnnLoraConfig = "qnn.lora_config";
/* Graph-capture annotation id, passed to IsGraphCaptured and ReplayGraph */
static const char *const kOrtRunOptionsConfigCudaGraphAnnotation = "gpu_graph_id";

#endif
