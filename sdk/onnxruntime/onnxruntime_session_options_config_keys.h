/* SPDX-License-Identifier: MIT */
/*
 * onnxruntime_session_options_config_keys.h - keys for AddSessionConfigEntry(), as ONNX Runtime names
 * them.
 *
 * docs/onnxruntime.md says which act here; the others are kept and can be read again.
 */
#ifndef BP_ONNXRUNTIME_SESSION_OPTIONS_CONFIG_KEYS_H
#define BP_ONNXRUNTIME_SESSION_OPTIONS_CONFIG_KEYS_H

/* 1 stops kernels from repacking constant weights at load time */
static const char *const kOrtSessionOptionsConfigDisablePrepacking = "session.disable_prepacking";
/* 1 takes allocators registered on the environment instead of session-own ones */
static const char *const kOrtSessionOptionsConfigUseEnvAllocators = "session.use_env_allocators";
/* Forces how the model bytes are read */
static const char *const kOrtSessionOptionsConfigLoadModelFormat = "session.load_model_format";
/* Container used when the optimized model is written */
static const char *const kOrtSessionOptionsConfigSaveModelFormat = "session.save_model_format";
/* Flush subnormal floats to zero in the session threads */
static const char *const kOrtSessionOptionsConfigSetDenormalAsZero = "session.set_denormal_as_zero";
/* 1 turns the quantize/dequantize fusions off */
static const char *const kOrtSessionOptionsDisableQuantQDQ = "session.disable_quant_qdq";
/* 1 never folds dequantize nodes into constants */
static const char *const kOrtSessionOptionsDisableQDQConstantFolding =
    "session.disable_qdq_constant_folding";
/* 1 keeps back-to-back quantize pairs */
static const char *const kOrtSessionOptionsDisableDoubleQDQRemover =
    "session.disable_double_qdq_remover";
/* 1 drops quantize/dequantize pairs left after fusions; may change accuracy */
static const char *const kOrtSessionOptionsEnableQuantQDQCleanup =
    "session.enable_quant_qdq_cleanup";
/* Allows an approximate Gelu rewrite */
static const char *const kOrtSessionOptionsEnableGeluApproximation =
    "optimization.enable_gelu_approximation";
/* Allows collapsing chains of casts */
static const char *const kOrtSessionOptionsEnableCastChainElimination =
    "optimization.enable_cast_chain_elimination";
/* 1 leaves model-local functions un-inlined before partitioning */
static const char *const kOrtSessionOptionsDisableAheadOfTimeFunctionInlining =
    "session.disable_aot_function_inlining";
static const char *const kOrtSessionOptionsMemoryOptimizerApplyConfig =
    "optimization.memory_optimizer_config";
static const char *const kOrtSessionOptionsMemoryOptimizerProbeConfig =
    "optimization.enable_memory_probe_recompute_config";
/* Named graph passes are skipped */
static const char *const kOrtSessionOptionsDisableSpecifiedOptimizers =
    "optimization.disable_specified_optimizers";
/* A fold whose result is larger is not done */
static const char *const kOrtSessionOptionsConstantFoldingMaxOutputSizeInBytes =
    "optimization.constant_folding_max_output_size_in_bytes";
/* How far later passes may restart earlier ones */
static const char *const kOrtSessionOptionsGraphOptimizationsLoopLevel =
    "session.graph_optimizations_loop_level";
/* 1 takes weight memory straight from the device allocator, not from an arena */
static const char *const kOrtSessionOptionsUseDeviceAllocatorForInitializers =
    "session.use_device_allocator_for_initializers";
/* Workers spin before sleeping */
static const char *const kOrtSessionOptionsConfigAllowInterOpSpinning =
    "session.inter_op.allow_spinning";
/* Workers spin before sleeping */
static const char *const kOrtSessionOptionsConfigAllowIntraOpSpinning =
    "session.intra_op.allow_spinning";
/* Target spin time in microseconds */
static const char *const kOrtSessionOptionsConfigIntraOpSpinDurationUs =
    "session.intra_op.spin_duration_us";
/* Target spin time in microseconds */
static const char *const kOrtSessionOptionsConfigInterOpSpinDurationUs =
    "session.inter_op.spin_duration_us";
/* Upper bound of exponential pause back-off */
static const char *const kOrtSessionOptionsConfigIntraOpSpinBackoffMax =
    "session.intra_op.spin_backoff_max";
/* Upper bound of exponential pause back-off */
static const char *const kOrtSessionOptionsConfigInterOpSpinBackoffMax =
    "session.inter_op.spin_backoff_max";
/* 1 reads an in-memory ORT-format model in place; caller keeps the bytes alive */
static const char *const kOrtSessionOptionsConfigUseORTModelBytesDirectly =
    "session.use_ort_model_bytes_directly";
/* 1 also lets weights point into those bytes */
static const char *const kOrtSessionOptionsConfigUseORTModelBytesForInitializers =
    "session.use_ort_model_bytes_for_initializers";
/* 1 maps an .ort file instead of reading it */
static const char *const kOrtSessionOptionsConfigUseMemoryMappedOrtModel =
    "session.use_memory_mapped_ort_model";
/* 1 when exporting for ARM */
static const char *const kOrtSessionOptionsQDQIsInt8Allowed = "session.qdqisint8allowed";
/* Slower but overflow-free 8-bit matrix products on AVX2/AVX512 */
static const char *const kOrtSessionOptionsAvx2PrecisionMode = "session.x64quantprecision";
/* Only about reduced builds */
static const char *const kOrtSessionOptionsConfigMinimalBuildOptimizations =
    "optimization.minimal_build_optimizations";
/* NNAPI does not take these ops nor what follows them */
static const char *const kOrtSessionOptionsConfigNnapiEpPartitioningStopOps =
    "ep.nnapi.partitioning_stop_ops";
/* Starting granularity of adaptive work splitting */
static const char *const kOrtSessionOptionsConfigDynamicBlockBase = "session.dynamic_block_base";
/* 1 ends spinning when the last running call returns */
static const char *const kOrtSessionOptionsConfigForceSpinningStop = "session.force_spinning_stop";
/* 1 makes inference contradictions fatal */
static const char *const kOrtSessionOptionsConfigStrictShapeTypeInference =
    "session.strict_shape_type_inference";
/* 0 accepts opsets newer than the newest known release */
static const char *const kOrtSessionOptionsConfigStrictAllowReleasedOpsetsOnly =
    "session.allow_released_opsets_only";
/* Logic stream assignment file */
static const char *const kNodePartitionConfigFile = "session.node_partition_config_file";
/* Processor sets for workers; count must be threads minus 1, numbering from 1 */
static const char *const kOrtSessionOptionsConfigIntraOpThreadAffinities =
    "session.intra_op_thread_affinities";
/* Writes intermediate models of the layout pass */
static const char *const kDebugLayoutTransformation = "session.debug_layout_transformation";
/*
 * 1 fails session creation (code 1) if any node lands on the default CPU EP; clashes with naming
 * the CPU EP
 */
static const char *const kOrtSessionOptionsDisableCPUEPFallback = "session.disable_cpu_ep_fallback";
/* Side file for weights of the saved optimized model */
static const char *const kOrtSessionOptionsOptimizedModelExternalInitializersFileName =
    "session.optimized_model_external_initializers_file_name";
/* Size threshold for that side file */
static const char *const kOrtSessionOptionsOptimizedModelExternalInitializersMinSizeInBytes =
    "session.optimized_model_external_initializers_min_size_in_bytes";
/* Where external weight files lie when the model came from memory */
static const char *const kOrtSessionOptionsModelExternalInitializersFileFolderPath =
    "session.model_external_initializers_file_folder_path";
/* 1 stores repacked weights in the side file */
static const char *const kOrtSessionOptionsSavePrePackedConstantInitializers =
    "session.save_external_prepacked_constant_initializers";
/* Per-node memory figures are written there */
static const char *const kOrtSessionOptionsCollectNodeMemoryStatsToFile =
    "session.collect_node_memory_stats_to_file";
/* Budgeted placement; despite the name it also drives plug-in EP budgets */
static const char *const kOrtSessionOptionsResourceCudaPartitioningSettings =
    "session.resource_cuda_partitioning_settings";
/* Placement hints matched against the layer_ann node metadata; = means exact */
static const char *const kOrtSessionOptionsLayerAssignmentSettings =
    "session.layer_assignment_settings";
/* The same, matched as parts of the nodes' names */
static const char *const kOrtSessionOptionsNameBasedLayerAssignment =
    "session.name_based_layer_assignment";
/* Largest shapes of inputs (`name:[d,d];name:[d]`), to estimate workspace with */
static const char *const kOrtSessionOptionsMaxShapeOverride = "session.max_shape_override";
/* BNSH or BNHS: how the value cache lies that is bound to GroupQueryAttention */
static const char *const kOrtSessionOptionsGqaValueLayout = "session.gqa_value_layout";
/* 1 asks EPs for EPContext nodes and writes the compiled model */
static const char *const kOrtSessionOptionEpContextEnable = "ep.context_enable";
/* Where the compiled model goes */
static const char *const kOrtSessionOptionEpContextFilePath = "ep.context_file_path";
/* 1 puts the blob into the model, 0 beside it */
static const char *const kOrtSessionOptionEpContextEmbedMode = "ep.context_embed_mode";
/* Prefix for EPContext node names */
static const char *const kOrtSessionOptionEpContextNodeNamePrefix = "ep.context_node_name_prefix";
/* EP resources shared over sessions */
static const char *const kOrtSessionOptionShareEpContexts = "ep.share_ep_contexts";
/* Ends that sharing */
static const char *const kOrtSessionOptionStopShareEpContexts = "ep.stop_share_ep_contexts";
/* Side file for weights that stay in the compiled model */
static const char *const kOrtSessionOptionsEpContextModelExternalInitializersFileName =
    "ep.context_model_external_initializers_file_name";
/* Set by the compile API: compile, write the model, build no compute state */
static const char *const kOrtSessionOptionCompileOnly = "session.compile_only";
/* Bfloat16 shortcut for float products on arm64 */
static const char *const kOrtSessionOptionsMlasGemmFastMathArm64Bfloat16 =
    "mlas.enable_gemm_fastmath_arm64_bfloat16";
/* Table-driven low-bit products */
static const char *const kOrtSessionOptionsMlasLutGemm = "mlas.use_lut_gemm";
/* Arm kernel library off */
static const char *const kOrtSessionOptionsMlasDisableKleidiAi = "mlas.disable_kleidiai";
static const char *const kOrtSessionOptionsMlasKleidiAiConvIgemmMaxWork =
    "mlas.kleidiai.conv_igemm_max_work";
/* Accuracy level given to fused n-bit matrix products */
static const char *const kOrtSessionOptionsQDQMatMulNBitsAccuracyLevel =
    "session.qdq_matmulnbits_accuracy_level";
/* Block size for that fusion */
static const char *const kOrtSessionOptionsQDQMatMulNBitsBlockSize =
    "session.qdq_matmulnbits_block_size";
/* Turns that fusion on */
static const char *const kOrtSessionOptionsEnableDQMatMulNBitsFusion =
    "session.enable_dq_matmulnbits_fusion";
/* Sent through SetEpDynamicOptions after session creation */
static const char *const kOrtEpDynamicOptionsWorkloadType = "ep.dynamic.workload_type";
/* 1 fails with code 13 if any EP would have to compile */
static const char *const kOrtSessionOptionsDisableModelCompile = "session.disable_model_compile";
/* 1 refuses compiled models that the EP calls usable but not optimal */
static const char *const kOrtSessionOptionsFailOnSuboptimalCompiledModel =
    "session.fail_on_suboptimal_compiled_model";
/* QNN only */
static const char *const kOrtEpDynamicOptionsQnnHtpPerformanceMode =
    "ep.dynamic.qnn_htp_performance_mode";
/* 1 makes Session_GetEpGraphAssignmentInfo answer */
static const char *const kOrtSessionOptionsRecordEpGraphAssignmentInfo =
    "session.record_ep_graph_assignment_info";
/* 1 compiles a model without copies of its weights; the compile API sets it too */
static const char *const kOrtSessionOptionEpEnableWeightless = "ep.enable_weightless";
/* Older spelling of the same wish */
static const char *const kOrtSessionOptionEpEnableWeightlessEpContextNodes =
    "ep.enable_weightless_ep_context_nodes";

#endif
