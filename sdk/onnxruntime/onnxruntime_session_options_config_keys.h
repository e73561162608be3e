/* SPDX-License-Identifier: MIT */
/*
 * onnxruntime_session_options_config_keys.h - keys for AddSessionConfigEntry(), as ONNX Runtime
 * names them.
 *
 * Values are text. A key that is not set has its default. "Without effect": the entry is kept and
 * can be read again, and changes nothing here. Keys that are not listed are kept likewise.
 */
#ifndef BP_ONNXRUNTIME_SESSION_OPTIONS_CONFIG_KEYS_H
#define BP_ONNXRUNTIME_SESSION_OPTIONS_CONFIG_KEYS_H

/* 0 (default) or 1: no packing of constant weights. Without effect: providers decide. */
static const char *const kOrtSessionOptionsConfigDisablePrepacking = "session.disable_prepacking";
/* 0 (default) or 1: CreateAllocator() and outputs take allocators of the environment. */
static const char *const kOrtSessionOptionsConfigUseEnvAllocators = "session.use_env_allocators";
/* ONNX or ORT: the model must have this format. Default: recognized by its bytes. */
static const char *const kOrtSessionOptionsConfigLoadModelFormat = "session.load_model_format";
/* ONNX or ORT: the format of the optimized model. Default: by the file's name. */
static const char *const kOrtSessionOptionsConfigSaveModelFormat = "session.save_model_format";
/* 0 (default) or 1: subnormal numbers become zero. Without effect. */
static const char *const kOrtSessionOptionsConfigSetDenormalAsZero = "session.set_denormal_as_zero";
/* 0 (default) or 1: no fusions with QuantizeLinear and DequantizeLinear. Without effect. */
static const char *const kOrtSessionOptionsDisableQuantQDQ = "session.disable_quant_qdq";
/* 0 (default) or 1: DequantizeLinear of constants is not folded. Without effect. */
static const char *const kOrtSessionOptionsDisableQDQConstantFolding =
    "session.disable_qdq_constant_folding";
/* 0 (default) or 1: pairs of quantization that follow each other stay. Without effect. */
static const char *const kOrtSessionOptionsDisableDoubleQDQRemover =
    "session.disable_double_qdq_remover";
/* 0 (default) or 1: drops pairs that fusions left, which may change results. Without effect. */
static const char *const kOrtSessionOptionsEnableQuantQDQCleanup =
    "session.enable_quant_qdq_cleanup";
/* 0 (default) or 1: Gelu may become an approximation. Without effect. */
static const char *const kOrtSessionOptionsEnableGeluApproximation =
    "optimization.enable_gelu_approximation";
/* 0 (default) or 1: chains of Cast may become one. Without effect. */
static const char *const kOrtSessionOptionsEnableCastChainElimination =
    "optimization.enable_cast_chain_elimination";
/*
 * 0 (default) or 1: functions of the model stay until providers saw them. Without effect: they are
 * always inlined.
 */
static const char *const kOrtSessionOptionsDisableAheadOfTimeFunctionInlining =
    "session.disable_aot_function_inlining";
/* Training only: which results are computed again to save memory. Without effect. */
static const char *const kOrtSessionOptionsMemoryOptimizerApplyConfig =
    "optimization.memory_optimizer_config";
/* Training only: how such results are looked for. Without effect. */
static const char *const kOrtSessionOptionsMemoryOptimizerProbeConfig =
    "optimization.enable_memory_probe_recompute_config";
/*
 * Names of ONNX Runtime's passes with `;` between, to be skipped. Without effect: the passes are
 * Backplane's.
 */
static const char *const kOrtSessionOptionsDisableSpecifiedOptimizers =
    "optimization.disable_specified_optimizers";
/* Bytes: larger results are not folded into constants. Without effect. */
static const char *const kOrtSessionOptionsConstantFoldingMaxOutputSizeInBytes =
    "optimization.constant_folding_max_output_size_in_bytes";
/* 0, 1 or 2: how far passes run again. Without effect. */
static const char *const kOrtSessionOptionsGraphOptimizationsLoopLevel =
    "session.graph_optimizations_loop_level";
/* 0 (default) or 1: weights lie outside of arenas. Without effect: they lie in the file. */
static const char *const kOrtSessionOptionsUseDeviceAllocatorForInitializers =
    "session.use_device_allocator_for_initializers";
/* 0 or 1: workers between operators wait awake. Without effect: there are none. */
static const char *const kOrtSessionOptionsConfigAllowInterOpSpinning =
    "session.inter_op.allow_spinning";
/* 0 or 1: workers wait awake. Without effect: they do for 0.1 ms. */
static const char *const kOrtSessionOptionsConfigAllowIntraOpSpinning =
    "session.intra_op.allow_spinning";
/* Microseconds that workers wait awake. Without effect. */
static const char *const kOrtSessionOptionsConfigIntraOpSpinDurationUs =
    "session.intra_op.spin_duration_us";
/* Microseconds that workers between operators wait awake. Without effect. */
static const char *const kOrtSessionOptionsConfigInterOpSpinDurationUs =
    "session.inter_op.spin_duration_us";
/* Most pauses between two looks of a worker that waits awake. Without effect. */
static const char *const kOrtSessionOptionsConfigIntraOpSpinBackoffMax =
    "session.intra_op.spin_backoff_max";
/* The same for workers between operators. Without effect. */
static const char *const kOrtSessionOptionsConfigInterOpSpinBackoffMax =
    "session.inter_op.spin_backoff_max";
/*
 * 0 (default) or 1: an .ort model in memory is read in place; only together with the next key. The
 * bytes must outlive the session.
 */
static const char *const kOrtSessionOptionsConfigUseORTModelBytesDirectly =
    "session.use_ort_model_bytes_directly";
/* 0 (default) or 1: its weights are used in place; only together with the key before. */
static const char *const kOrtSessionOptionsConfigUseORTModelBytesForInitializers =
    "session.use_ort_model_bytes_for_initializers";
/* 0 (default) or 1: an .ort file is mapped. Without effect: files are always mapped. */
static const char *const kOrtSessionOptionsConfigUseMemoryMappedOrtModel =
    "session.use_memory_mapped_ort_model";
/* 0 or 1: int8 kernels for quantized nodes, for Arm. Without effect. */
static const char *const kOrtSessionOptionsQDQIsInt8Allowed = "session.qdqisint8allowed";
/* 0 (default) or 1: 8-bit products that cannot overflow, but are slower. Without effect. */
static const char *const kOrtSessionOptionsAvx2PrecisionMode = "session.x64quantprecision";
/* save, apply or empty: passes of builds without all of them. Without effect. */
static const char *const kOrtSessionOptionsConfigMinimalBuildOptimizations =
    "optimization.minimal_build_optimizations";
/*
 * Operators with `,` between, which NNAPI does not take, nor what follows them; to be set before
 * OrtSessionOptionsAppendExecutionProvider_Nnapi(). Default: NonMaxSuppression; empty: none.
 */
static const char *const kOrtSessionOptionsConfigNnapiEpPartitioningStopOps =
    "ep.nnapi.partitioning_stop_ops";
/* 0 (default) or more: parts that work is first cut into. Without effect. */
static const char *const kOrtSessionOptionsConfigDynamicBlockBase = "session.dynamic_block_base";
/* 0 (default) or 1: workers sleep when the last run ended. Without effect. */
static const char *const kOrtSessionOptionsConfigForceSpinningStop = "session.force_spinning_stop";
/* 0 (default) or 1: a shape that the model declares wrongly is an error, also during a run. */
static const char *const kOrtSessionOptionsConfigStrictShapeTypeInference =
    "session.strict_shape_type_inference";
/* 1 (default) or 0: operator sets newer than the newest known ones are accepted. */
static const char *const kOrtSessionOptionsConfigStrictAllowReleasedOpsetsOnly =
    "session.allow_released_opsets_only";
/* File that says which stream runs which node. Without effect. */
static const char *const kNodePartitionConfigFile = "session.node_partition_config_file";
/*
 * Processors of each worker of the session's own pool: `1,2;3` or `1-4;5-8`, numbered from 1, one
 * group for each thread but the caller's. Checked at session creation.
 */
static const char *const kOrtSessionOptionsConfigIntraOpThreadAffinities =
    "session.intra_op_thread_affinities";
/* 0 (default) or 1: writes models between steps of the layout pass. Without effect. */
static const char *const kDebugLayoutTransformation = "session.debug_layout_transformation";
/*
 * 0 (default) or 1: session creation fails with ORT_FAIL if a node falls to the CPU provider.
 * ORT_INVALID_ARGUMENT when that provider is named.
 */
static const char *const kOrtSessionOptionsDisableCPUEPFallback = "session.disable_cpu_ep_fallback";
/* File beside the optimized model that gets its weights. Default: none. */
static const char *const kOrtSessionOptionsOptimizedModelExternalInitializersFileName =
    "session.optimized_model_external_initializers_file_name";
/* Bytes: smaller weights stay in the model. */
static const char *const kOrtSessionOptionsOptimizedModelExternalInitializersMinSizeInBytes =
    "session.optimized_model_external_initializers_min_size_in_bytes";
/* Folder of external data files of a model that comes from memory. */
static const char *const kOrtSessionOptionsModelExternalInitializersFileFolderPath =
    "session.model_external_initializers_file_folder_path";
/* 0 (default) or 1: packed weights are written too. Without effect. */
static const char *const kOrtSessionOptionsSavePrePackedConstantInitializers =
    "session.save_external_prepacked_constant_initializers";
/* File that gets the memory of each node. Without effect; bp_session_get_stats() counts. */
static const char *const kOrtSessionOptionsCollectNodeMemoryStatsToFile =
    "session.collect_node_memory_stats_to_file";
/* Budget of memory by which nodes are placed. Without effect. */
static const char *const kOrtSessionOptionsResourceCudaPartitioningSettings =
    "session.resource_cuda_partitioning_settings";
/*
 * Devices of nodes by the metadata `layer_ann` of each; `=` in front: the whole text. Without
 * effect.
 */
static const char *const kOrtSessionOptionsLayerAssignmentSettings =
    "session.layer_assignment_settings";
/* The same by parts of nodes' names. Without effect. */
static const char *const kOrtSessionOptionsNameBasedLayerAssignment =
    "session.name_based_layer_assignment";
/* Largest shapes of inputs (`name:[d,d];name:[d]`), to estimate memory with. Without effect. */
static const char *const kOrtSessionOptionsMaxShapeOverride = "session.max_shape_override";
/* BNSH or BNHS: layout of the value cache that is bound to GroupQueryAttention. Without effect. */
static const char *const kOrtSessionOptionsGqaValueLayout = "session.gqa_value_layout";
/*
 * 0 (default) or 1: the compiled model is written, and the session runs it. Where no provider saved
 * a program, a log line says so and nothing is written; the path below is checked first.
 */
static const char *const kOrtSessionOptionEpContextEnable = "ep.context_enable";
/*
 * Path of the compiled model; default `<model>_ctx.onnx`. It must not exist. Needed for a model
 * from memory.
 */
static const char *const kOrtSessionOptionEpContextFilePath = "ep.context_file_path";
/* 1: compiled programs lie in the model; 0 (default): in files beside it. */
static const char *const kOrtSessionOptionEpContextEmbedMode = "ep.context_embed_mode";
/* Prefix of the names of EPContext nodes. */
static const char *const kOrtSessionOptionEpContextNodeNamePrefix = "ep.context_node_name_prefix";
/* 0 (default) or 1: sessions share what providers hold. Without effect. */
static const char *const kOrtSessionOptionShareEpContexts = "ep.share_ep_contexts";
/* 0 (default) or 1: ends that sharing. Without effect. */
static const char *const kOrtSessionOptionStopShareEpContexts = "ep.stop_share_ep_contexts";
/* File beside the compiled model that gets the weights which stay in it. */
static const char *const kOrtSessionOptionsEpContextModelExternalInitializersFileName =
    "ep.context_model_external_initializers_file_name";
/*
 * 0 (default) or 1, set by the compile API: nothing is made that only a run needs. Without effect.
 */
static const char *const kOrtSessionOptionCompileOnly = "session.compile_only";
/* 0 (default) or 1: products of float32 in bfloat16 on Arm. Without effect. */
static const char *const kOrtSessionOptionsMlasGemmFastMathArm64Bfloat16 =
    "mlas.enable_gemm_fastmath_arm64_bfloat16";
/* 0 (default) or 1: products of few bits by tables. Without effect. */
static const char *const kOrtSessionOptionsMlasLutGemm = "mlas.use_lut_gemm";
/* 0 (default) or 1: Arm's kernel library is not used. Without effect. */
static const char *const kOrtSessionOptionsMlasDisableKleidiAi = "mlas.disable_kleidiai";
/* Largest convolution for one of that library's algorithms. Without effect. */
static const char *const kOrtSessionOptionsMlasKleidiAiConvIgemmMaxWork =
    "mlas.kleidiai.conv_igemm_max_work";
/* 0 to 4: accuracy of MatMulNBits nodes that fusions make. Without effect. */
static const char *const kOrtSessionOptionsQDQMatMulNBitsAccuracyLevel =
    "session.qdq_matmulnbits_accuracy_level";
/* Elements of a block in these nodes. Without effect. */
static const char *const kOrtSessionOptionsQDQMatMulNBitsBlockSize =
    "session.qdq_matmulnbits_block_size";
/* 0 (default) or 1: that fusion is done. Without effect. */
static const char *const kOrtSessionOptionsEnableDQMatMulNBitsFusion =
    "session.enable_dq_matmulnbits_fusion";
/* Default or Efficient, for SetEpDynamicOptions(): a hint, always accepted. */
static const char *const kOrtEpDynamicOptionsWorkloadType = "ep.dynamic.workload_type";
/*
 * 0 (default) or 1: fails with ORT_MODEL_REQUIRES_COMPILATION if a provider would compile. Without
 * effect.
 */
static const char *const kOrtSessionOptionsDisableModelCompile = "session.disable_model_compile";
/* 0 (default) or 1: refuses compiled models that are usable but not optimal. Without effect. */
static const char *const kOrtSessionOptionsFailOnSuboptimalCompiledModel =
    "session.fail_on_suboptimal_compiled_model";
/*
 * For QNN and SetEpDynamicOptions(): performance of its processor. An error here, because no
 * provider has it.
 */
static const char *const kOrtEpDynamicOptionsQnnHtpPerformanceMode =
    "ep.dynamic.qnn_htp_performance_mode";
/* 0 (default) or 1: Session_GetEpGraphAssignmentInfo() works. */
static const char *const kOrtSessionOptionsRecordEpGraphAssignmentInfo =
    "session.record_ep_graph_assignment_info";
/*
 * 0 (default) or 1: compiled models have no copies of weights; the compile API sets it too. Without
 * effect.
 */
static const char *const kOrtSessionOptionEpEnableWeightless = "ep.enable_weightless";
/* An older name of the same setting. Without effect. */
static const char *const kOrtSessionOptionEpEnableWeightlessEpContextNodes =
    "ep.enable_weightless_ep_context_nodes";

#endif
