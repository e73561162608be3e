# SPDX-License-Identifier: MIT
# tests/unit/ - check_<module>.c, one program a runtime module. Three lines each:
#   unit_tests += %D%/check_array
#   %C%_check_array_CPPFLAGS = $(unit_cppflags)
#   %C%_check_array_LDADD = $(unit_ldadd)

dist_check_SCRIPTS += %D%/cpu/types/covered.sh

# what tests of host/, plan/ and session/ share
kit_sources = %D%/support/check_main.h %D%/support/session_kit.c %D%/support/session_kit.h %D%/support/proto_writer.h
fakes_sources = %D%/support/fake_providers.c %D%/support/fake_providers.h %D%/support/graphs.c %D%/support/graphs.h

# what tests of providers with memory of their own share
device_sources = $(kit_sources) %D%/support/device_kit.c %D%/support/device_kit.h

# what tests of optimize/ share
passes_sources = $(kit_sources) %D%/optimize/passes_kit.c %D%/optimize/passes_kit.h

# what tests of results that others might give otherwise share
differences_sources = $(kit_sources) %D%/end_to_end/differences_kit.h %D%/support/typed.c %D%/support/typed.h

# for programs that let allocations fail, see fail_alloc.h
fail_alloc_ldflags = $(AM_LDFLAGS) -Wl,--wrap=malloc -Wl,--wrap=calloc -Wl,--wrap=realloc

unit_tests += %D%/base/check_base
%C%_base_check_base_SOURCES = %D%/base/check_base.c %D%/support/fail_alloc.c %D%/support/fail_alloc.h
%C%_base_check_base_CPPFLAGS = $(unit_cppflags)
%C%_base_check_base_LDFLAGS = $(fail_alloc_ldflags)
%C%_base_check_base_LDADD = $(unit_ldadd)

unit_tests += %D%/host/check_quarantine
%C%_host_check_quarantine_SOURCES = %D%/host/check_quarantine.c %D%/support/plugin_kit.h %D%/support/random.h $(kit_sources)
%C%_host_check_quarantine_CPPFLAGS = $(unit_cppflags)
%C%_host_check_quarantine_LDADD = $(unit_ldadd)

unit_tests += %D%/graph/check_symbol
%C%_graph_check_symbol_SOURCES = %D%/graph/check_symbol.c %D%/support/fail_alloc.c %D%/support/fail_alloc.h
%C%_graph_check_symbol_CPPFLAGS = $(unit_cppflags)
%C%_graph_check_symbol_LDFLAGS = $(fail_alloc_ldflags)
%C%_graph_check_symbol_LDADD = $(unit_ldadd)

unit_tests += %D%/graph/check_ir
%C%_graph_check_ir_SOURCES = %D%/graph/check_ir.c %D%/support/graphs.c %D%/support/graphs.h %D%/support/fail_alloc.c %D%/support/fail_alloc.h
%C%_graph_check_ir_CPPFLAGS = $(unit_cppflags)
%C%_graph_check_ir_LDFLAGS = $(fail_alloc_ldflags)
%C%_graph_check_ir_LDADD = $(unit_ldadd)

unit_tests += %D%/graph/check_infer
%C%_graph_check_infer_SOURCES = %D%/graph/check_infer.c %D%/support/graphs.c %D%/support/graphs.h %D%/support/fail_alloc.c \
	%D%/support/fail_alloc.h
%C%_graph_check_infer_CPPFLAGS = $(unit_cppflags)
%C%_graph_check_infer_LDFLAGS = $(fail_alloc_ldflags)
%C%_graph_check_infer_LDADD = $(unit_ldadd)

unit_tests += %D%/graph/check_schema
%C%_graph_check_schema_CPPFLAGS = $(unit_cppflags)
%C%_graph_check_schema_LDADD = $(unit_ldadd)

unit_tests += %D%/graph/check_rules
%C%_graph_check_rules_SOURCES = %D%/graph/check_rules.c %D%/support/fail_alloc.c %D%/support/fail_alloc.h \
	%D%/graph/check_rules.inc \
	%D%/graph/check_rules_elementwise.inc \
	%D%/graph/check_rules_image.inc \
	%D%/graph/check_rules_gather_scatter.inc \
	%D%/graph/check_rules_ml.inc \
	%D%/graph/check_rules_microsoft.inc \
	%D%/graph/check_rules_normalization.inc \
	%D%/graph/check_rules_quantized.inc
%C%_graph_check_rules_CPPFLAGS = $(unit_cppflags)
%C%_graph_check_rules_LDFLAGS = $(fail_alloc_ldflags)
%C%_graph_check_rules_LDADD = $(unit_ldadd)

unit_tests += %D%/base/check_wire
%C%_base_check_wire_SOURCES = %D%/base/check_wire.c %D%/support/proto_writer.h
%C%_base_check_wire_CPPFLAGS = $(unit_cppflags)
%C%_base_check_wire_LDADD = $(unit_ldadd)

unit_tests += %D%/model/check_onnx
%C%_model_check_onnx_SOURCES = %D%/model/check_onnx.c %D%/support/model_bytes.h %D%/support/model_fixture.h %D%/support/proto_writer.h
%C%_model_check_onnx_CPPFLAGS = $(unit_cppflags)
%C%_model_check_onnx_LDADD = $(unit_ldadd)

unit_tests += %D%/model/check_ort_file
%C%_model_check_ort_file_SOURCES = %D%/model/check_ort_file.c %D%/support/model_bytes.h %D%/support/model_fixture.h %D%/support/proto_writer.h \
	tests/fuzz/ort_models.h
%C%_model_check_ort_file_CPPFLAGS = $(unit_cppflags)
%C%_model_check_ort_file_LDADD = $(unit_ldadd)

unit_tests += %D%/model/check_functions
%C%_model_check_functions_SOURCES = %D%/model/check_functions.c %D%/model/function_kit.h %D%/support/model_bytes.h %D%/support/model_fixture.h \
	%D%/support/proto_writer.h
%C%_model_check_functions_CPPFLAGS = $(unit_cppflags)
%C%_model_check_functions_LDADD = $(unit_ldadd)

unit_tests += %D%/model/check_function_overloads
%C%_model_check_function_overloads_SOURCES = %D%/model/check_function_overloads.c %D%/model/function_kit.h %D%/support/model_bytes.h %D%/support/model_fixture.h \
	%D%/support/proto_writer.h
%C%_model_check_function_overloads_CPPFLAGS = $(unit_cppflags)
%C%_model_check_function_overloads_LDADD = $(unit_ldadd)

unit_tests += %D%/model/check_nodes
%C%_model_check_nodes_SOURCES = %D%/model/check_nodes.c %D%/support/model_bytes.h %D%/support/model_fixture.h %D%/support/proto_writer.h
%C%_model_check_nodes_CPPFLAGS = $(unit_cppflags)
%C%_model_check_nodes_LDADD = $(unit_ldadd)

unit_tests += %D%/model/check_files
%C%_model_check_files_SOURCES = %D%/model/check_files.c %D%/support/model_bytes.h %D%/support/model_fixture.h %D%/support/proto_writer.h
%C%_model_check_files_CPPFLAGS = $(unit_cppflags)
%C%_model_check_files_LDADD = $(unit_ldadd)

unit_tests += %D%/model/check_source
%C%_model_check_source_SOURCES = %D%/model/check_source.c %D%/support/model_bytes.h %D%/support/model_fixture.h %D%/support/proto_writer.h \
	%D%/support/fail_alloc.c %D%/support/fail_alloc.h
%C%_model_check_source_CPPFLAGS = $(unit_cppflags)
%C%_model_check_source_LDFLAGS = $(fail_alloc_ldflags)
%C%_model_check_source_LDADD = $(unit_ldadd)

unit_tests += %D%/base/check_tensor
%C%_base_check_tensor_SOURCES = %D%/base/check_tensor.c %D%/support/proto_writer.h \
	%D%/support/fail_alloc.c %D%/support/fail_alloc.h
%C%_base_check_tensor_CPPFLAGS = $(unit_cppflags)
%C%_base_check_tensor_LDFLAGS = $(fail_alloc_ldflags)
%C%_base_check_tensor_LDADD = $(unit_ldadd)

unit_tests += %D%/model/check_fuzz
%C%_model_check_fuzz_SOURCES = %D%/model/check_fuzz.c %D%/support/model_bytes.h %D%/support/model_fixture.h %D%/support/proto_writer.h \
	%D%/support/fail_alloc.c %D%/support/fail_alloc.h
%C%_model_check_fuzz_CPPFLAGS = $(unit_cppflags)
%C%_model_check_fuzz_LDFLAGS = $(fail_alloc_ldflags)
%C%_model_check_fuzz_LDADD = $(unit_ldadd)

unit_tests += %D%/base/check_pool
%C%_base_check_pool_SOURCES = %D%/base/check_pool.c $(kit_sources)
%C%_base_check_pool_CPPFLAGS = $(unit_cppflags)
%C%_base_check_pool_LDADD = $(unit_ldadd)

unit_tests += %D%/host/check_provider_options
%C%_host_check_provider_options_SOURCES = %D%/host/check_provider_options.c $(kit_sources) %D%/support/fail_alloc.c %D%/support/fail_alloc.h
%C%_host_check_provider_options_CPPFLAGS = $(unit_cppflags)
%C%_host_check_provider_options_LDFLAGS = $(fail_alloc_ldflags)
%C%_host_check_provider_options_LDADD = $(unit_ldadd)

unit_tests += %D%/host/check_shared_weights
%C%_host_check_shared_weights_SOURCES = %D%/host/check_shared_weights.c $(kit_sources) %D%/support/fail_alloc.c %D%/support/fail_alloc.h
%C%_host_check_shared_weights_CPPFLAGS = $(unit_cppflags)
%C%_host_check_shared_weights_LDFLAGS = $(fail_alloc_ldflags)
%C%_host_check_shared_weights_LDADD = $(unit_ldadd)

unit_tests += %D%/optimize/check_rewrite
%C%_optimize_check_rewrite_SOURCES = %D%/optimize/check_rewrite.c $(passes_sources)
%C%_optimize_check_rewrite_CPPFLAGS = $(unit_cppflags)
%C%_optimize_check_rewrite_LDADD = $(unit_ldadd)

unit_tests += %D%/host/check_registry
%C%_host_check_registry_SOURCES = %D%/host/check_registry.c $(kit_sources)
%C%_host_check_registry_CPPFLAGS = $(unit_cppflags)
%C%_host_check_registry_LDADD = $(unit_ldadd)

# Linked with plug-ins, by libtool's -dlpreopen.
linked_mocks = tests/mock/static/libbp-few.o tests/mock/static/libbp-gizmo.o
CLEANFILES += $(linked_mocks)
tests/mock/static/libbp-few.o: tests/mock/libbp-few.la tools/backplane-embed
	@$(MKDIR_P) tests/mock/static
	$(AM_V_GEN)$(embed) few -o $@ $(tests_mock_libbp_few_la_OBJECTS)
tests/mock/static/libbp-gizmo.o: tests/mock/libbp-gizmo.la sdk/libbp-sim.a tools/backplane-embed
	@$(MKDIR_P) tests/mock/static
	$(AM_V_GEN)$(embed) gizmo -o $@ $(tests_mock_libbp_gizmo_la_OBJECTS) sdk/libbp-sim.a

unit_tests += %D%/host/check_known_providers
%C%_host_check_known_providers_SOURCES = %D%/host/check_known_providers.c %D%/support/plugin_kit.h $(kit_sources)
%C%_host_check_known_providers_CPPFLAGS = $(unit_cppflags)
%C%_host_check_known_providers_LDADD = $(unit_ldadd)

unit_tests += %D%/host/check_linked
EXTRA_%C%_host_check_linked_DEPENDENCIES = $(linked_mocks) $(STATIC_OBJECTS)
%C%_host_check_linked_SOURCES = %D%/host/check_linked.c $(kit_sources)
%C%_host_check_linked_CPPFLAGS = $(unit_cppflags)
%C%_host_check_linked_LDFLAGS = $(AM_LDFLAGS) $(STATIC_PRELOADS) \
	-dlpreopen tests/mock/static/libbp-few.o -dlpreopen tests/mock/static/libbp-gizmo.o
%C%_host_check_linked_LDADD = $(unit_ldadd)

unit_tests += %D%/host/check_loader
%C%_host_check_loader_SOURCES = %D%/host/check_loader.c %D%/support/plugin_kit.h %D%/support/skip.h $(kit_sources)
%C%_host_check_loader_CPPFLAGS = $(unit_cppflags)
%C%_host_check_loader_LDADD = $(unit_ldadd)

unit_tests += %D%/host/check_manifest
%C%_host_check_manifest_SOURCES = %D%/host/check_manifest.c %D%/support/random.h $(kit_sources)
%C%_host_check_manifest_CPPFLAGS = $(unit_cppflags)
%C%_host_check_manifest_LDADD = $(unit_ldadd)

unit_tests += %D%/host/check_manifest_cache
%C%_host_check_manifest_cache_SOURCES = %D%/host/check_manifest_cache.c %D%/support/plugin_kit.h %D%/support/random.h $(kit_sources)
%C%_host_check_manifest_cache_CPPFLAGS = $(unit_cppflags)
%C%_host_check_manifest_cache_LDADD = $(unit_ldadd)

unit_tests += %D%/host/check_provider_stages
%C%_host_check_provider_stages_SOURCES = %D%/host/check_provider_stages.c %D%/support/plugin_kit.h $(kit_sources)
%C%_host_check_provider_stages_CPPFLAGS = $(unit_cppflags)
%C%_host_check_provider_stages_LDADD = $(unit_ldadd)

unit_tests += %D%/plan/check_partition
%C%_plan_check_partition_SOURCES = %D%/plan/check_partition.c $(kit_sources) $(fakes_sources)
%C%_plan_check_partition_CPPFLAGS = $(unit_cppflags)
%C%_plan_check_partition_LDADD = $(unit_ldadd)

unit_tests += %D%/plan/check_report
%C%_plan_check_report_SOURCES = %D%/plan/check_report.c $(kit_sources) $(fakes_sources)
%C%_plan_check_report_CPPFLAGS = $(unit_cppflags)
%C%_plan_check_report_LDADD = $(unit_ldadd)

unit_tests += %D%/exec/check_dynamic_outputs
%C%_exec_check_dynamic_outputs_SOURCES = %D%/exec/check_dynamic_outputs.c $(kit_sources) %D%/support/graphs.c %D%/support/graphs.h
%C%_exec_check_dynamic_outputs_CPPFLAGS = $(unit_cppflags)
%C%_exec_check_dynamic_outputs_LDADD = $(unit_ldadd)

unit_tests += %D%/optimize/check_optimize
%C%_optimize_check_optimize_SOURCES = %D%/optimize/check_optimize.c $(passes_sources) %D%/support/fail_alloc.c \
	%D%/support/fail_alloc.h
%C%_optimize_check_optimize_CPPFLAGS = $(unit_cppflags)
%C%_optimize_check_optimize_LDFLAGS = $(fail_alloc_ldflags)
%C%_optimize_check_optimize_LDADD = $(unit_ldadd)

unit_tests += %D%/model/check_optimized_model
%C%_model_check_optimized_model_SOURCES = %D%/model/check_optimized_model.c $(passes_sources) %D%/support/fail_alloc.c \
	%D%/support/fail_alloc.h
%C%_model_check_optimized_model_CPPFLAGS = $(unit_cppflags)
%C%_model_check_optimized_model_LDFLAGS = $(fail_alloc_ldflags)
%C%_model_check_optimized_model_LDADD = $(unit_ldadd)

unit_tests += %D%/optimize/check_passes_conv
%C%_optimize_check_passes_conv_SOURCES = %D%/optimize/check_passes_conv.c $(passes_sources)
%C%_optimize_check_passes_conv_CPPFLAGS = $(unit_cppflags)
%C%_optimize_check_passes_conv_LDADD = $(unit_ldadd)

unit_tests += %D%/optimize/check_passes_mnist
%C%_optimize_check_passes_mnist_SOURCES = %D%/optimize/check_passes_mnist.c $(passes_sources)
%C%_optimize_check_passes_mnist_CPPFLAGS = $(unit_cppflags)
%C%_optimize_check_passes_mnist_LDADD = $(unit_ldadd)

unit_tests += %D%/optimize/check_passes_fused
%C%_optimize_check_passes_fused_SOURCES = %D%/optimize/check_passes_fused.c $(passes_sources)
%C%_optimize_check_passes_fused_CPPFLAGS = $(unit_cppflags)
%C%_optimize_check_passes_fused_LDADD = $(unit_ldadd)

unit_tests += %D%/optimize/check_passes_nodes
%C%_optimize_check_passes_nodes_SOURCES = %D%/optimize/check_passes_nodes.c $(passes_sources)
%C%_optimize_check_passes_nodes_CPPFLAGS = $(unit_cppflags)
%C%_optimize_check_passes_nodes_LDADD = $(unit_ldadd)

unit_tests += %D%/optimize/check_passes_old_opsets
%C%_optimize_check_passes_old_opsets_SOURCES = %D%/optimize/check_passes_old_opsets.c $(passes_sources)
%C%_optimize_check_passes_old_opsets_CPPFLAGS = $(unit_cppflags)
%C%_optimize_check_passes_old_opsets_LDADD = $(unit_ldadd)

unit_tests += %D%/optimize/check_passes_quantized
%C%_optimize_check_passes_quantized_SOURCES = %D%/optimize/check_passes_quantized.c $(passes_sources)
%C%_optimize_check_passes_quantized_CPPFLAGS = $(unit_cppflags)
%C%_optimize_check_passes_quantized_LDADD = $(unit_ldadd)

unit_tests += %D%/optimize/check_passes_random
%C%_optimize_check_passes_random_SOURCES = %D%/optimize/check_passes_random.c $(passes_sources)
%C%_optimize_check_passes_random_CPPFLAGS = $(unit_cppflags)
%C%_optimize_check_passes_random_LDADD = $(unit_ldadd)

# prints the table of docs/passes.md, for tests/cli/passes.sh and `make update-passes`
check_PROGRAMS += %D%/optimize/print_passes
%C%_optimize_print_passes_SOURCES = %D%/optimize/print_passes.c
%C%_optimize_print_passes_CPPFLAGS = $(runtime_cppflags)
%C%_optimize_print_passes_LDADD = runtime/libbackplane-core.la $(runtime_libs)

# Many random graphs at every level, some minutes; their seeds are in the log.
check-passes:
	BP_RANDOM_GRAPHS=2000 $(MAKE) check TESTS=%D%/optimize/check_passes_random
.PHONY: check-passes

unit_tests += %D%/optimize/check_passes_rules
%C%_optimize_check_passes_rules_SOURCES = %D%/optimize/check_passes_rules.c $(passes_sources)
%C%_optimize_check_passes_rules_CPPFLAGS = $(unit_cppflags)
%C%_optimize_check_passes_rules_LDADD = $(unit_ldadd)

unit_tests += %D%/optimize/check_passes_shapes
%C%_optimize_check_passes_shapes_SOURCES = %D%/optimize/check_passes_shapes.c $(passes_sources)
%C%_optimize_check_passes_shapes_CPPFLAGS = $(unit_cppflags)
%C%_optimize_check_passes_shapes_LDADD = $(unit_ldadd)

unit_tests += %D%/optimize/check_passes_slices
%C%_optimize_check_passes_slices_SOURCES = %D%/optimize/check_passes_slices.c $(passes_sources)
%C%_optimize_check_passes_slices_CPPFLAGS = $(unit_cppflags)
%C%_optimize_check_passes_slices_LDADD = $(unit_ldadd)

unit_tests += %D%/session/check_details
%C%_session_check_details_SOURCES = %D%/session/check_details.c $(kit_sources)
%C%_session_check_details_CPPFLAGS = $(unit_cppflags)
%C%_session_check_details_LDADD = $(unit_ldadd)

unit_tests += %D%/session/check_feeds
%C%_session_check_feeds_SOURCES = %D%/session/check_feeds.c $(kit_sources)
%C%_session_check_feeds_CPPFLAGS = $(unit_cppflags)
%C%_session_check_feeds_LDADD = $(unit_ldadd)

unit_tests += %D%/exec/check_bodies
%C%_exec_check_bodies_SOURCES = %D%/exec/check_bodies.c $(kit_sources)
%C%_exec_check_bodies_CPPFLAGS = $(unit_cppflags)
%C%_exec_check_bodies_LDADD = $(unit_ldadd)

unit_tests += %D%/optimize/check_to_channels_last
%C%_optimize_check_to_channels_last_SOURCES = %D%/optimize/check_to_channels_last.c %D%/support/graphs.c \
	%D%/support/graphs.h %D%/support/fail_alloc.c %D%/support/fail_alloc.h
%C%_optimize_check_to_channels_last_CPPFLAGS = $(unit_cppflags)
%C%_optimize_check_to_channels_last_LDFLAGS = $(fail_alloc_ldflags)
%C%_optimize_check_to_channels_last_LDADD = $(unit_ldadd)

unit_tests += %D%/session/check_channels_last
%C%_session_check_channels_last_SOURCES = %D%/session/check_channels_last.c $(kit_sources)
%C%_session_check_channels_last_CPPFLAGS = $(unit_cppflags)
%C%_session_check_channels_last_LDADD = $(unit_ldadd) $(MATH_LIBS)

unit_tests += %D%/exec/check_handover
%C%_exec_check_handover_SOURCES = %D%/exec/check_handover.c $(device_sources)
%C%_exec_check_handover_CPPFLAGS = $(unit_cppflags)
%C%_exec_check_handover_LDADD = $(unit_ldadd) $(PTHREAD_LIBS)

unit_tests += %D%/exec/check_places
%C%_exec_check_places_SOURCES = %D%/exec/check_places.c $(kit_sources)
%C%_exec_check_places_CPPFLAGS = $(unit_cppflags)
%C%_exec_check_places_LDADD = $(unit_ldadd)

unit_tests += %D%/exec/check_slices
%C%_exec_check_slices_SOURCES = %D%/exec/check_slices.c $(kit_sources)
%C%_exec_check_slices_CPPFLAGS = $(unit_cppflags)
%C%_exec_check_slices_LDADD = $(unit_ldadd)

unit_tests += %D%/session/check_fork
%C%_session_check_fork_SOURCES = %D%/session/check_fork.c $(kit_sources)
%C%_session_check_fork_CPPFLAGS = $(unit_cppflags)
%C%_session_check_fork_LDADD = $(unit_ldadd) $(PTHREAD_LIBS)

unit_tests += %D%/session/check_frames
%C%_session_check_frames_SOURCES = %D%/session/check_frames.c $(kit_sources)
%C%_session_check_frames_CPPFLAGS = $(unit_cppflags)
%C%_session_check_frames_LDADD = $(unit_ldadd) $(PTHREAD_LIBS)

unit_tests += %D%/session/check_stop
%C%_session_check_stop_SOURCES = %D%/session/check_stop.c %D%/support/skip.h $(kit_sources)
%C%_session_check_stop_CPPFLAGS = $(unit_cppflags)
%C%_session_check_stop_LDADD = $(unit_ldadd)

unit_tests += %D%/session/check_default_providers
%C%_session_check_default_providers_SOURCES = %D%/session/check_default_providers.c $(kit_sources)
%C%_session_check_default_providers_CPPFLAGS = $(unit_cppflags)
%C%_session_check_default_providers_LDADD = $(unit_ldadd)

unit_tests += %D%/session/check_missing
%C%_session_check_missing_SOURCES = %D%/session/check_missing.c $(kit_sources)
%C%_session_check_missing_CPPFLAGS = $(unit_cppflags)
%C%_session_check_missing_LDADD = $(unit_ldadd)

unit_tests += %D%/session/check_session_threads
%C%_session_check_session_threads_SOURCES = %D%/session/check_session_threads.c $(kit_sources)
%C%_session_check_session_threads_CPPFLAGS = $(unit_cppflags)
%C%_session_check_session_threads_LDADD = $(unit_ldadd)

unit_tests += %D%/session/check_codes
%C%_session_check_codes_SOURCES = %D%/session/check_codes.c $(kit_sources)
%C%_session_check_codes_CPPFLAGS = $(unit_cppflags)
%C%_session_check_codes_LDADD = $(unit_ldadd)

unit_tests += %D%/session/check_misuse
%C%_session_check_misuse_SOURCES = %D%/session/check_misuse.c $(kit_sources)
%C%_session_check_misuse_CPPFLAGS = $(unit_cppflags)
%C%_session_check_misuse_LDADD = $(unit_ldadd)

unit_tests += %D%/session/check_stale
%C%_session_check_stale_SOURCES = %D%/session/check_stale.c $(kit_sources)
%C%_session_check_stale_CPPFLAGS = $(unit_cppflags)
%C%_session_check_stale_LDADD = $(unit_ldadd)

unit_tests += %D%/session/check_prepare
%C%_session_check_prepare_SOURCES = %D%/session/check_prepare.c $(kit_sources)
%C%_session_check_prepare_CPPFLAGS = $(unit_cppflags)
%C%_session_check_prepare_LDADD = $(unit_ldadd)

unit_tests += %D%/session/check_async
%C%_session_check_async_SOURCES = %D%/session/check_async.c %D%/support/skip.h $(kit_sources)
%C%_session_check_async_CPPFLAGS = $(unit_cppflags)
%C%_session_check_async_LDADD = $(unit_ldadd)

unit_tests += %D%/session/check_io_binding
%C%_session_check_io_binding_SOURCES = %D%/session/check_io_binding.c $(kit_sources) %D%/support/count_alloc.c %D%/support/count_alloc.h
%C%_session_check_io_binding_CPPFLAGS = $(unit_cppflags)
%C%_session_check_io_binding_LDADD = $(unit_ldadd)

unit_tests += %D%/session/check_memory_limit
%C%_session_check_memory_limit_SOURCES = %D%/session/check_memory_limit.c $(kit_sources)
%C%_session_check_memory_limit_CPPFLAGS = $(unit_cppflags)
%C%_session_check_memory_limit_LDADD = $(unit_ldadd)

unit_tests += %D%/session/check_memory_growth
%C%_session_check_memory_growth_SOURCES = %D%/session/check_memory_growth.c %D%/support/skip.h $(kit_sources)
%C%_session_check_memory_growth_CPPFLAGS = $(unit_cppflags)
%C%_session_check_memory_growth_LDADD = $(unit_ldadd)

unit_tests += %D%/session/check_state
%C%_session_check_state_SOURCES = %D%/session/check_state.c %D%/support/skip.h $(kit_sources) \
	%D%/support/count_alloc.c %D%/support/count_alloc.h
%C%_session_check_state_CPPFLAGS = $(unit_cppflags)
%C%_session_check_state_LDADD = $(unit_ldadd) $(PTHREAD_LIBS)

unit_tests += %D%/session/check_provider_ops
%C%_session_check_provider_ops_SOURCES = %D%/session/check_provider_ops.c $(kit_sources)
%C%_session_check_provider_ops_CPPFLAGS = $(unit_cppflags)
%C%_session_check_provider_ops_LDADD = $(unit_ldadd)

unit_tests += %D%/session/check_requests
%C%_session_check_requests_SOURCES = %D%/session/check_requests.c $(kit_sources)
%C%_session_check_requests_CPPFLAGS = $(unit_cppflags)
%C%_session_check_requests_LDADD = $(unit_ldadd) $(PTHREAD_LIBS)

unit_tests += %D%/optimize/check_passes_loops
%C%_optimize_check_passes_loops_SOURCES = %D%/optimize/check_passes_loops.c $(passes_sources)
%C%_optimize_check_passes_loops_CPPFLAGS = $(unit_cppflags)
%C%_optimize_check_passes_loops_LDADD = $(unit_ldadd)

unit_tests += %D%/session/check_cache
%C%_session_check_cache_SOURCES = %D%/session/check_cache.c $(kit_sources) \
	%D%/support/random.h
%C%_session_check_cache_CPPFLAGS = $(unit_cppflags)
%C%_session_check_cache_LDADD = $(unit_ldadd)

unit_tests += %D%/session/check_session
%C%_session_check_session_SOURCES = %D%/session/check_session.c $(kit_sources)
%C%_session_check_session_CPPFLAGS = $(unit_cppflags)
%C%_session_check_session_LDADD = $(unit_ldadd)

unit_tests += %D%/host/check_device_choice
%C%_host_check_device_choice_SOURCES = %D%/host/check_device_choice.c $(kit_sources)
%C%_host_check_device_choice_CPPFLAGS = $(unit_cppflags)
%C%_host_check_device_choice_LDADD = $(unit_ldadd)

unit_tests += %D%/host/check_env_threads
%C%_host_check_env_threads_SOURCES = %D%/host/check_env_threads.c %D%/support/plugin_kit.h $(kit_sources)
%C%_host_check_env_threads_CPPFLAGS = $(unit_cppflags)
%C%_host_check_env_threads_LDADD = $(unit_ldadd)

unit_tests += %D%/host/check_probe
%C%_host_check_probe_SOURCES = %D%/host/check_probe.c %D%/support/plugin_kit.h $(kit_sources)
%C%_host_check_probe_CPPFLAGS = $(unit_cppflags)
%C%_host_check_probe_LDADD = $(unit_ldadd)

unit_tests += %D%/exec/check_profile
%C%_exec_check_profile_SOURCES = %D%/exec/check_profile.c %D%/support/fail_alloc.c %D%/support/fail_alloc.h $(kit_sources)
%C%_exec_check_profile_CPPFLAGS = $(unit_cppflags)
%C%_exec_check_profile_LDFLAGS = $(fail_alloc_ldflags)
%C%_exec_check_profile_LDADD = $(unit_ldadd) $(PTHREAD_LIBS)

# an ordinary library, whose functions are bound
check_LTLIBRARIES += %D%/libtest-bound.la
%C%_libtest_bound_la_CPPFLAGS = $(AM_CPPFLAGS)
%C%_libtest_bound_la_LDFLAGS = $(AM_LDFLAGS) -module -avoid-version $(PLUGIN_SHARED) -rpath /nowhere \
	-no-undefined
%C%_libtest_bound_la_SOURCES = %D%/session/c_functions.c

unit_tests += %D%/session/check_bind
%C%_session_check_bind_SOURCES = %D%/session/check_bind.c $(kit_sources)
%C%_session_check_bind_CPPFLAGS = $(unit_cppflags)
%C%_session_check_bind_LDADD = $(unit_ldadd)

unit_tests += %D%/session/check_custom
%C%_session_check_custom_SOURCES = %D%/session/check_custom.c $(kit_sources)
%C%_session_check_custom_CPPFLAGS = $(unit_cppflags)
%C%_session_check_custom_LDADD = $(unit_ldadd)

unit_tests += %D%/session/check_custom_memory
%C%_session_check_custom_memory_SOURCES = %D%/session/check_custom_memory.c $(kit_sources) \
	%D%/support/count_alloc.c %D%/support/count_alloc.h
%C%_session_check_custom_memory_CPPFLAGS = $(unit_cppflags)
%C%_session_check_custom_memory_LDADD = $(unit_ldadd)

unit_tests += %D%/session/check_custom_objects
%C%_session_check_custom_objects_SOURCES = %D%/session/check_custom_objects.c $(kit_sources)
%C%_session_check_custom_objects_CPPFLAGS = $(unit_cppflags)
%C%_session_check_custom_objects_LDADD = $(unit_ldadd)

unit_tests += %D%/host/check_recheck
%C%_host_check_recheck_SOURCES = %D%/host/check_recheck.c %D%/support/plugin_kit.h $(kit_sources)
%C%_host_check_recheck_CPPFLAGS = $(unit_cppflags)
%C%_host_check_recheck_LDADD = $(unit_ldadd)

unit_tests += %D%/host/check_check_provider
%C%_host_check_check_provider_SOURCES = %D%/host/check_check_provider.c %D%/support/plugin_kit.h $(kit_sources)
%C%_host_check_check_provider_CPPFLAGS = $(unit_cppflags)
%C%_host_check_check_provider_LDADD = $(unit_ldadd)

unit_tests += %D%/host/check_forget_provider
%C%_host_check_forget_provider_SOURCES = %D%/host/check_forget_provider.c %D%/support/plugin_kit.h $(kit_sources)
%C%_host_check_forget_provider_CPPFLAGS = $(unit_cppflags)
%C%_host_check_forget_provider_LDADD = $(unit_ldadd)

unit_tests += %D%/host/check_unload
%C%_host_check_unload_SOURCES = %D%/host/check_unload.c $(kit_sources)
%C%_host_check_unload_CPPFLAGS = $(unit_cppflags)
%C%_host_check_unload_LDADD = $(unit_ldadd)

unit_tests += %D%/exec/check_control
%C%_exec_check_control_SOURCES = %D%/exec/check_control.c $(kit_sources)
%C%_exec_check_control_CPPFLAGS = $(unit_cppflags)
%C%_exec_check_control_LDADD = $(unit_ldadd)

# text, a token at a time
unit_tests += %D%/exec/check_generate
%C%_exec_check_generate_SOURCES = %D%/exec/check_generate.c %D%/exec/generate_kit.h %D%/support/random.h $(kit_sources)
%C%_exec_check_generate_CPPFLAGS = $(unit_cppflags)
%C%_exec_check_generate_LDADD = $(unit_ldadd) -lm

unit_tests += %D%/exec/check_generate_errors
%C%_exec_check_generate_errors_SOURCES = %D%/exec/check_generate_errors.c %D%/support/fail_alloc.c \
	%D%/support/fail_alloc.h %D%/exec/generate_kit.h %D%/support/random.h $(kit_sources)
%C%_exec_check_generate_errors_LDFLAGS = $(fail_alloc_ldflags)
%C%_exec_check_generate_errors_CPPFLAGS = $(unit_cppflags)
%C%_exec_check_generate_errors_LDADD = $(unit_ldadd)

unit_tests += %D%/graph/check_gradient
%C%_graph_check_gradient_SOURCES = %D%/graph/check_gradient.c $(kit_sources)
%C%_graph_check_gradient_CPPFLAGS = $(unit_cppflags)
%C%_graph_check_gradient_LDADD = $(unit_ldadd)

unit_tests += %D%/exec/check_host_ops
%C%_exec_check_host_ops_SOURCES = %D%/exec/check_host_ops.c $(kit_sources)
%C%_exec_check_host_ops_CPPFLAGS = $(unit_cppflags)
%C%_exec_check_host_ops_LDADD = $(unit_ldadd)

unit_tests += %D%/exec/check_sparse
%C%_exec_check_sparse_SOURCES = %D%/exec/check_sparse.c $(kit_sources) %D%/support/fail_alloc.c %D%/support/fail_alloc.h \
	%D%/support/random.h %D%/support/typed.c %D%/support/typed.h
%C%_exec_check_sparse_CPPFLAGS = $(unit_cppflags) -I$(srcdir)/plugins
%C%_exec_check_sparse_LDFLAGS = $(fail_alloc_ldflags)
%C%_exec_check_sparse_LDADD = $(unit_ldadd)

if ENABLE_DNNL
differences_cppflags = -DWITH_DNNL=1
else
differences_cppflags = -DWITH_DNNL=0
endif
unit_tests += %D%/end_to_end/check_differences
%C%_end_to_end_check_differences_SOURCES = %D%/end_to_end/check_differences.c $(differences_sources)
%C%_end_to_end_check_differences_CPPFLAGS = $(unit_cppflags) -I$(srcdir)/plugins $(differences_cppflags)
%C%_end_to_end_check_differences_LDADD = $(unit_ldadd)

unit_tests += %D%/end_to_end/check_differences_kept
%C%_end_to_end_check_differences_kept_SOURCES = %D%/end_to_end/check_differences_kept.c $(differences_sources)
%C%_end_to_end_check_differences_kept_CPPFLAGS = $(unit_cppflags) -I$(srcdir)/plugins
%C%_end_to_end_check_differences_kept_LDADD = $(unit_ldadd)

unit_tests += %D%/end_to_end/check_newest_opset
%C%_end_to_end_check_newest_opset_SOURCES = %D%/end_to_end/check_newest_opset.c $(differences_sources)
%C%_end_to_end_check_newest_opset_CPPFLAGS = $(unit_cppflags) -I$(srcdir)/plugins
%C%_end_to_end_check_newest_opset_LDADD = $(unit_ldadd)

unit_tests += %D%/plan/check_placement_rules
%C%_plan_check_placement_rules_SOURCES = %D%/plan/check_placement_rules.c $(kit_sources) %D%/support/fail_alloc.c %D%/support/fail_alloc.h
%C%_plan_check_placement_rules_CPPFLAGS = $(unit_cppflags)
%C%_plan_check_placement_rules_LDFLAGS = $(fail_alloc_ldflags)
%C%_plan_check_placement_rules_LDADD = $(unit_ldadd)

unit_tests += %D%/host/check_policy
%C%_host_check_policy_SOURCES = %D%/host/check_policy.c $(kit_sources)
%C%_host_check_policy_CPPFLAGS = $(unit_cppflags)
%C%_host_check_policy_LDADD = $(unit_ldadd)

unit_tests += %D%/host/check_fallback
%C%_host_check_fallback_SOURCES = %D%/host/check_fallback.c $(kit_sources)
%C%_host_check_fallback_CPPFLAGS = $(unit_cppflags)
%C%_host_check_fallback_LDADD = $(unit_ldadd)

unit_tests += %D%/exec/check_device
%C%_exec_check_device_SOURCES = %D%/exec/check_device.c $(device_sources)
%C%_exec_check_device_CPPFLAGS = $(unit_cppflags)
%C%_exec_check_device_LDADD = $(unit_ldadd) $(PTHREAD_LIBS)

unit_tests += %D%/exec/check_device_faults
%C%_exec_check_device_faults_SOURCES = %D%/exec/check_device_faults.c $(device_sources)
%C%_exec_check_device_faults_CPPFLAGS = $(unit_cppflags)
%C%_exec_check_device_faults_LDADD = $(unit_ldadd) $(PTHREAD_LIBS)

unit_tests += %D%/exec/check_allocator
%C%_exec_check_allocator_SOURCES = %D%/exec/check_allocator.c $(kit_sources)
%C%_exec_check_allocator_CPPFLAGS = $(unit_cppflags)
%C%_exec_check_allocator_LDADD = $(unit_ldadd)

unit_tests += %D%/exec/check_memory
%C%_exec_check_memory_SOURCES = %D%/exec/check_memory.c $(kit_sources) %D%/support/count_alloc.c %D%/support/count_alloc.h
%C%_exec_check_memory_CPPFLAGS = $(unit_cppflags)
%C%_exec_check_memory_LDADD = $(unit_ldadd)

unit_tests += %D%/base/check_arena
%C%_base_check_arena_SOURCES = %D%/base/check_arena.c %D%/support/random.h
%C%_base_check_arena_CPPFLAGS = $(unit_cppflags)
%C%_base_check_arena_LDADD = $(unit_ldadd)

if ENABLE_CPU
# The provider, driven by a host in one file, through the ABI alone: three lines a test.
check_LTLIBRARIES += %D%/libcputest.la
cpu_test_cppflags = $(unit_cppflags) -I$(srcdir)/plugins -I$(srcdir)/plugins/cpu
cpu_test_ldadd = %D%/libcputest.la plugins/cpu/libcpu.la $(unit_ldadd)
%C%_libcputest_la_CPPFLAGS = $(cpu_test_cppflags)
%C%_libcputest_la_SOURCES = \
	%D%/cpu/attention/attention_kit.h \
	%D%/cpu/cast_kit.h \
	%D%/cpu/cpu_case.h \
	%D%/cpu/types/element_types.h \
	%D%/cpu/types/all_types.h \
	%D%/cpu/ml/trees_kit.h \
	%D%/cpu/ml/ml_kit.h \
	%D%/cpu/attention/ms_attention_kit.h \
	%D%/cpu/ms_kit.h \
	%D%/support/random_data.c \
	%D%/support/random_data.h \
	%D%/support/random.h \
	%D%/support/shapes.h \
	%D%/support/test_host.c \
	%D%/support/test_host.h \
	%D%/support/typed.c \
	%D%/support/typed.h

cpu_tests += %D%/cpu/attention/check_attention
%C%_cpu_attention_check_attention_CPPFLAGS = $(cpu_test_cppflags)
%C%_cpu_attention_check_attention_LDADD = $(cpu_test_ldadd)

cpu_tests += %D%/cpu/check_elementwise_broadcast
%C%_cpu_check_elementwise_broadcast_CPPFLAGS = $(cpu_test_cppflags)
%C%_cpu_check_elementwise_broadcast_LDADD = $(cpu_test_ldadd)

cpu_tests += %D%/cpu/check_elementwise_cast
%C%_cpu_check_elementwise_cast_CPPFLAGS = $(cpu_test_cppflags)
%C%_cpu_check_elementwise_cast_LDADD = $(cpu_test_ldadd)

cpu_tests += %D%/cpu/check_elementwise_cast_text
%C%_cpu_check_elementwise_cast_text_CPPFLAGS = $(cpu_test_cppflags)
%C%_cpu_check_elementwise_cast_text_LDADD = $(cpu_test_ldadd)

cpu_tests += %D%/cpu/check_gather_scatter_select
%C%_cpu_check_gather_scatter_select_CPPFLAGS = $(cpu_test_cppflags)
%C%_cpu_check_gather_scatter_select_LDADD = $(cpu_test_ldadd)

cpu_tests += %D%/cpu/check_conv_pool_conv
%C%_cpu_check_conv_pool_conv_CPPFLAGS = $(cpu_test_cppflags)
%C%_cpu_check_conv_pool_conv_LDADD = $(cpu_test_ldadd)

cpu_tests += %D%/cpu/check_elementwise_functions
%C%_cpu_check_elementwise_functions_CPPFLAGS = $(cpu_test_cppflags)
%C%_cpu_check_elementwise_functions_LDADD = $(cpu_test_ldadd)

cpu_tests += %D%/cpu/check_matmul_einsum
%C%_cpu_check_matmul_einsum_CPPFLAGS = $(cpu_test_cppflags)
%C%_cpu_check_matmul_einsum_LDADD = $(cpu_test_ldadd)

cpu_tests += %D%/cpu/check_elementwise
%C%_cpu_check_elementwise_CPPFLAGS = $(cpu_test_cppflags)
%C%_cpu_check_elementwise_LDADD = $(cpu_test_ldadd)

cpu_tests += %D%/cpu/types/check_elementwise
%C%_cpu_types_check_elementwise_CPPFLAGS = $(cpu_test_cppflags)
%C%_cpu_types_check_elementwise_LDADD = $(cpu_test_ldadd)

cpu_tests += %D%/cpu/types/check_gather_scatter_select
%C%_cpu_types_check_gather_scatter_select_CPPFLAGS = $(cpu_test_cppflags)
%C%_cpu_types_check_gather_scatter_select_LDADD = $(cpu_test_ldadd)

cpu_tests += %D%/cpu/types/check_normalization
%C%_cpu_types_check_normalization_CPPFLAGS = $(cpu_test_cppflags)
%C%_cpu_types_check_normalization_LDADD = $(cpu_test_ldadd)

cpu_tests += %D%/cpu/types/check_matmul
%C%_cpu_types_check_matmul_CPPFLAGS = $(cpu_test_cppflags)
%C%_cpu_types_check_matmul_LDADD = $(cpu_test_ldadd)

cpu_tests += %D%/cpu/types/check_quantized
%C%_cpu_types_check_quantized_CPPFLAGS = $(cpu_test_cppflags)
%C%_cpu_types_check_quantized_LDADD = $(cpu_test_ldadd)

cpu_tests += %D%/cpu/types/check_random
%C%_cpu_types_check_random_CPPFLAGS = $(cpu_test_cppflags)
%C%_cpu_types_check_random_LDADD = $(cpu_test_ldadd)

cpu_tests += %D%/cpu/types/check_tensor_create
%C%_cpu_types_check_tensor_create_CPPFLAGS = $(cpu_test_cppflags)
%C%_cpu_types_check_tensor_create_LDADD = $(cpu_test_ldadd)

cpu_tests += %D%/cpu/types/check_tensor_move
%C%_cpu_types_check_tensor_move_CPPFLAGS = $(cpu_test_cppflags)
%C%_cpu_types_check_tensor_move_LDADD = $(cpu_test_ldadd)

cpu_tests += %D%/cpu/types/check_tensor_concat_split
%C%_cpu_types_check_tensor_concat_split_CPPFLAGS = $(cpu_test_cppflags)
%C%_cpu_types_check_tensor_concat_split_LDADD = $(cpu_test_ldadd)

cpu_tests += %D%/cpu/types/check_gather_scatter
%C%_cpu_types_check_gather_scatter_CPPFLAGS = $(cpu_test_cppflags)
%C%_cpu_types_check_gather_scatter_LDADD = $(cpu_test_ldadd)

cpu_tests += %D%/cpu/types/check_image
%C%_cpu_types_check_image_CPPFLAGS = $(cpu_test_cppflags)
%C%_cpu_types_check_image_LDADD = $(cpu_test_ldadd)

cpu_tests += %D%/cpu/types/check_tensor_view
%C%_cpu_types_check_tensor_view_CPPFLAGS = $(cpu_test_cppflags)
%C%_cpu_types_check_tensor_view_LDADD = $(cpu_test_ldadd)

cpu_tests += %D%/cpu/attention/check_attention_flex
%C%_cpu_attention_check_attention_flex_CPPFLAGS = $(cpu_test_cppflags)
%C%_cpu_attention_check_attention_flex_LDADD = $(cpu_test_ldadd)

cpu_tests += %D%/cpu/check_reduction_types
%C%_cpu_check_reduction_types_CPPFLAGS = $(cpu_test_cppflags)
%C%_cpu_check_reduction_types_LDADD = $(cpu_test_ldadd)

cpu_tests += %D%/cpu/check_provider
%C%_cpu_check_provider_CPPFLAGS = $(cpu_test_cppflags)
%C%_cpu_check_provider_LDADD = $(cpu_test_ldadd)

cpu_tests += %D%/cpu/check_image_resize
%C%_cpu_check_image_resize_CPPFLAGS = $(cpu_test_cppflags)
%C%_cpu_check_image_resize_LDADD = $(cpu_test_ldadd)

cpu_tests += %D%/cpu/check_gather_scatter
%C%_cpu_check_gather_scatter_CPPFLAGS = $(cpu_test_cppflags)
%C%_cpu_check_gather_scatter_LDADD = $(cpu_test_ldadd)

cpu_tests += %D%/cpu/check_quantized_matmul_conv
%C%_cpu_check_quantized_matmul_conv_CPPFLAGS = $(cpu_test_cppflags)
%C%_cpu_check_quantized_matmul_conv_LDADD = $(cpu_test_ldadd)

cpu_tests += %D%/cpu/check_matmul
%C%_cpu_check_matmul_CPPFLAGS = $(cpu_test_cppflags)
%C%_cpu_check_matmul_LDADD = $(cpu_test_ldadd)

cpu_tests += %D%/cpu/ml/check_ml_features
%C%_cpu_ml_check_ml_features_CPPFLAGS = $(cpu_test_cppflags)
%C%_cpu_ml_check_ml_features_LDADD = $(cpu_test_ldadd)

cpu_tests += %D%/cpu/ml/check_ml_models
%C%_cpu_ml_check_ml_models_CPPFLAGS = $(cpu_test_cppflags)
%C%_cpu_ml_check_ml_models_LDADD = $(cpu_test_ldadd)

cpu_tests += %D%/cpu/check_tensor_move
%C%_cpu_check_tensor_move_CPPFLAGS = $(cpu_test_cppflags)
%C%_cpu_check_tensor_move_LDADD = $(cpu_test_ldadd)

cpu_tests += %D%/cpu/check_matmul_microsoft
%C%_cpu_check_matmul_microsoft_CPPFLAGS = $(cpu_test_cppflags)
%C%_cpu_check_matmul_microsoft_LDADD = $(cpu_test_ldadd)

cpu_tests += %D%/cpu/attention/check_attention_microsoft
%C%_cpu_attention_check_attention_microsoft_CPPFLAGS = $(cpu_test_cppflags)
%C%_cpu_attention_check_attention_microsoft_LDADD = $(cpu_test_ldadd)

cpu_tests += %D%/cpu/attention/check_attention_embed
%C%_cpu_attention_check_attention_embed_CPPFLAGS = $(cpu_test_cppflags)
%C%_cpu_attention_check_attention_embed_LDADD = $(cpu_test_ldadd)

cpu_tests += %D%/cpu/attention/check_attention_group_query
%C%_cpu_attention_check_attention_group_query_CPPFLAGS = $(cpu_test_cppflags)
%C%_cpu_attention_check_attention_group_query_LDADD = $(cpu_test_ldadd)

cpu_tests += %D%/cpu/check_quantized_microsoft
%C%_cpu_check_quantized_microsoft_CPPFLAGS = $(cpu_test_cppflags)
%C%_cpu_check_quantized_microsoft_LDADD = $(cpu_test_ldadd)

cpu_tests += %D%/cpu/check_normalization_microsoft
%C%_cpu_check_normalization_microsoft_CPPFLAGS = $(cpu_test_cppflags)
%C%_cpu_check_normalization_microsoft_LDADD = $(cpu_test_ldadd)

cpu_tests += %D%/cpu/check_normalization
%C%_cpu_check_normalization_CPPFLAGS = $(cpu_test_cppflags)
%C%_cpu_check_normalization_LDADD = $(cpu_test_ldadd)

cpu_tests += %D%/cpu/check_elementwise_bits
%C%_cpu_check_elementwise_bits_CPPFLAGS = $(cpu_test_cppflags)
%C%_cpu_check_elementwise_bits_LDADD = $(cpu_test_ldadd)

cpu_tests += %D%/cpu/check_conv_pool_pool
%C%_cpu_check_conv_pool_pool_CPPFLAGS = $(cpu_test_cppflags)
%C%_cpu_check_conv_pool_pool_LDADD = $(cpu_test_ldadd)

cpu_tests += %D%/cpu/check_quantized
%C%_cpu_check_quantized_CPPFLAGS = $(cpu_test_cppflags)
%C%_cpu_check_quantized_LDADD = $(cpu_test_ldadd)

cpu_tests += %D%/cpu/check_random
%C%_cpu_check_random_CPPFLAGS = $(cpu_test_cppflags)
%C%_cpu_check_random_LDADD = $(cpu_test_ldadd)

cpu_tests += %D%/cpu/check_tensor_rearrange
%C%_cpu_check_tensor_rearrange_CPPFLAGS = $(cpu_test_cppflags)
%C%_cpu_check_tensor_rearrange_LDADD = $(cpu_test_ldadd)

cpu_tests += %D%/cpu/attention/check_attention_linear
%C%_cpu_attention_check_attention_linear_CPPFLAGS = $(cpu_test_cppflags)
%C%_cpu_attention_check_attention_linear_LDADD = $(cpu_test_ldadd)

cpu_tests += %D%/cpu/check_recurrent
%C%_cpu_check_recurrent_CPPFLAGS = $(cpu_test_cppflags)
%C%_cpu_check_recurrent_LDADD = $(cpu_test_ldadd)

cpu_tests += %D%/cpu/check_reduction
%C%_cpu_check_reduction_CPPFLAGS = $(cpu_test_cppflags)
%C%_cpu_check_reduction_LDADD = $(cpu_test_ldadd)

cpu_tests += %D%/cpu/check_image_regions
%C%_cpu_check_image_regions_CPPFLAGS = $(cpu_test_cppflags)
%C%_cpu_check_image_regions_LDADD = $(cpu_test_ldadd)

cpu_tests += %D%/cpu/check_tensor_shape
%C%_cpu_check_tensor_shape_CPPFLAGS = $(cpu_test_cppflags)
%C%_cpu_check_tensor_shape_LDADD = $(cpu_test_ldadd)

cpu_tests += %D%/cpu/check_signal
%C%_cpu_check_signal_CPPFLAGS = $(cpu_test_cppflags)
%C%_cpu_check_signal_LDADD = $(cpu_test_ldadd)

cpu_tests += %D%/cpu/check_image_files
%C%_cpu_check_image_files_CPPFLAGS = $(cpu_test_cppflags)
%C%_cpu_check_image_files_LDADD = $(cpu_test_ldadd)

cpu_tests += %D%/cpu/check_text
%C%_cpu_check_text_CPPFLAGS = $(cpu_test_cppflags)
%C%_cpu_check_text_LDADD = $(cpu_test_ldadd)

cpu_tests += %D%/cpu/ml/check_ml_tree_ensemble
%C%_cpu_ml_check_ml_tree_ensemble_CPPFLAGS = $(cpu_test_cppflags)
%C%_cpu_ml_check_ml_tree_ensemble_LDADD = $(cpu_test_ldadd)

cpu_tests += %D%/cpu/ml/check_ml_trees
%C%_cpu_ml_check_ml_trees_CPPFLAGS = $(cpu_test_cppflags)
%C%_cpu_ml_check_ml_trees_LDADD = $(cpu_test_ldadd)

cpu_tests += %D%/cpu/check_types
%C%_cpu_check_types_CPPFLAGS = $(cpu_test_cppflags)
%C%_cpu_check_types_LDADD = $(cpu_test_ldadd)

if ENABLE_DNNL
# Against the CPU provider, which is opened from providers/.
dnnl_kit = %D%/dnnl/dnnl_isa.h %D%/dnnl/dnnl_kit.h %D%/support/skip.h
dnnl_test_ldadd = %D%/libcputest.la plugins/dnnl/libdnnlprovider.la $(unit_ldadd) $(DL_LIBS) -lm

unit_tests += %D%/dnnl/check_spatial
%C%_dnnl_check_spatial_SOURCES = %D%/dnnl/check_spatial.c $(dnnl_kit)
%C%_dnnl_check_spatial_CPPFLAGS = $(cpu_test_cppflags)
%C%_dnnl_check_spatial_LDADD = $(dnnl_test_ldadd)

unit_tests += %D%/dnnl/check_split
%C%_dnnl_check_split_SOURCES = %D%/dnnl/check_split.c $(dnnl_kit)
%C%_dnnl_check_split_CPPFLAGS = $(cpu_test_cppflags)
%C%_dnnl_check_split_LDADD = $(dnnl_test_ldadd)

unit_tests += %D%/dnnl/check_bf16
%C%_dnnl_check_bf16_SOURCES = %D%/dnnl/check_bf16.c $(dnnl_kit) %D%/dnnl/dnnl_networks.h
%C%_dnnl_check_bf16_CPPFLAGS = $(cpu_test_cppflags)
%C%_dnnl_check_bf16_LDADD = $(dnnl_test_ldadd)

unit_tests += %D%/dnnl/check_f16
%C%_dnnl_check_f16_SOURCES = %D%/dnnl/check_f16.c $(dnnl_kit) %D%/dnnl/dnnl_networks.h
%C%_dnnl_check_f16_CPPFLAGS = $(cpu_test_cppflags)
%C%_dnnl_check_f16_LDADD = $(dnnl_test_ldadd)

unit_tests += %D%/dnnl/check_groups
%C%_dnnl_check_groups_SOURCES = %D%/dnnl/check_groups.c $(dnnl_kit)
%C%_dnnl_check_groups_CPPFLAGS = $(cpu_test_cppflags)
%C%_dnnl_check_groups_LDADD = $(dnnl_test_ldadd) $(PTHREAD_LIBS)

unit_tests += %D%/dnnl/check_int8
%C%_dnnl_check_int8_SOURCES = %D%/dnnl/check_int8.c $(dnnl_kit)
%C%_dnnl_check_int8_CPPFLAGS = $(cpu_test_cppflags)
%C%_dnnl_check_int8_LDADD = $(dnnl_test_ldadd)

unit_tests += %D%/dnnl/check_autotune_cache
%C%_dnnl_check_autotune_cache_SOURCES = %D%/dnnl/check_autotune_cache.c $(dnnl_kit)
%C%_dnnl_check_autotune_cache_CPPFLAGS = $(cpu_test_cppflags)
%C%_dnnl_check_autotune_cache_LDADD = $(dnnl_test_ldadd)

unit_tests += %D%/dnnl/check_layouts
%C%_dnnl_check_layouts_SOURCES = %D%/dnnl/check_layouts.c $(dnnl_kit)
%C%_dnnl_check_layouts_CPPFLAGS = $(cpu_test_cppflags)
%C%_dnnl_check_layouts_LDADD = $(dnnl_test_ldadd)

unit_tests += %D%/dnnl/check_ops
%C%_dnnl_check_ops_SOURCES = %D%/dnnl/check_ops.c $(dnnl_kit)
%C%_dnnl_check_ops_CPPFLAGS = $(cpu_test_cppflags)
%C%_dnnl_check_ops_LDADD = $(dnnl_test_ldadd)

unit_tests += %D%/dnnl/check_passes
%C%_dnnl_check_passes_SOURCES = %D%/dnnl/check_passes.c %D%/dnnl/dnnl_isa.h %D%/support/skip.h $(passes_sources)
%C%_dnnl_check_passes_CPPFLAGS = $(unit_cppflags)
%C%_dnnl_check_passes_LDADD = $(unit_ldadd)

unit_tests += %D%/dnnl/check_matmul
%C%_dnnl_check_matmul_SOURCES = %D%/dnnl/check_matmul.c $(dnnl_kit)
%C%_dnnl_check_matmul_CPPFLAGS = $(cpu_test_cppflags)
%C%_dnnl_check_matmul_LDADD = $(dnnl_test_ldadd)

unit_tests += %D%/dnnl/check_rnn
%C%_dnnl_check_rnn_SOURCES = %D%/dnnl/check_rnn.c $(dnnl_kit)
%C%_dnnl_check_rnn_CPPFLAGS = $(cpu_test_cppflags)
%C%_dnnl_check_rnn_LDADD = $(dnnl_test_ldadd)

unit_tests += %D%/dnnl/check_conv_transpose
%C%_dnnl_check_conv_transpose_SOURCES = %D%/dnnl/check_conv_transpose.c $(dnnl_kit)
%C%_dnnl_check_conv_transpose_CPPFLAGS = $(cpu_test_cppflags)
%C%_dnnl_check_conv_transpose_LDADD = $(dnnl_test_ldadd)
endif

unit_tests += $(cpu_tests)

# what of it all they have run: behind them
check_PROGRAMS += %D%/cpu/types/uncovered
%C%_cpu_types_uncovered_CPPFLAGS = $(unit_cppflags)
%C%_cpu_types_uncovered_LDADD = $(unit_ldadd)
TESTS += %D%/cpu/types/covered.sh
%D%/cpu/types/covered.log: $(cpu_tests:=.log)
endif

# operators that are written as other nodes
unit_tests += %D%/graph/check_flex_attention
%C%_graph_check_flex_attention_SOURCES = %D%/graph/check_flex_attention.c %D%/support/fail_alloc.c \
	%D%/support/fail_alloc.h %D%/support/random_data.c %D%/support/random_data.h %D%/support/typed.c %D%/support/typed.h $(kit_sources)
%C%_graph_check_flex_attention_LDFLAGS = $(fail_alloc_ldflags)
%C%_graph_check_flex_attention_CPPFLAGS = $(unit_cppflags) -I$(srcdir)/plugins -I$(srcdir)/plugins/cpu
%C%_graph_check_flex_attention_LDADD = $(unit_ldadd)

# shapes that a model declares and that are not so
unit_tests += %D%/graph/check_declared
%C%_graph_check_declared_SOURCES = %D%/graph/check_declared.c $(kit_sources)
%C%_graph_check_declared_CPPFLAGS = $(unit_cppflags)
%C%_graph_check_declared_LDADD = $(unit_ldadd)
# operator sets that a model imports, attributes and names that it should not have
unit_tests += %D%/graph/check_imports
%C%_graph_check_imports_SOURCES = %D%/graph/check_imports.c $(kit_sources)
%C%_graph_check_imports_CPPFLAGS = $(unit_cppflags)
%C%_graph_check_imports_LDADD = $(unit_ldadd)
# values of all kinds through subgraphs
unit_tests += %D%/exec/check_host_op_subgraphs
%C%_exec_check_host_op_subgraphs_SOURCES = %D%/exec/check_host_op_subgraphs.c $(kit_sources)
%C%_exec_check_host_op_subgraphs_CPPFLAGS = $(unit_cppflags)
%C%_exec_check_host_op_subgraphs_LDADD = $(unit_ldadd)
# models made up from the schema table
unit_tests += %D%/end_to_end/check_operator_fuzz
%C%_end_to_end_check_operator_fuzz_SOURCES = %D%/end_to_end/check_operator_fuzz.c %D%/end_to_end/operator_fuzz.h \
	%D%/end_to_end/operator_fuzz_attrs.c %D%/end_to_end/operator_fuzz_subgraphs.c %D%/end_to_end/operator_fuzz_check.c \
	%D%/end_to_end/operator_fuzz_check.h %D%/end_to_end/operator_fuzz_data.c %D%/end_to_end/operator_fuzz_files.c \
	%D%/end_to_end/operator_fuzz_hints.inc %D%/end_to_end/operator_fuzz_make.c %D%/support/random.h $(kit_sources)
%C%_end_to_end_check_operator_fuzz_CPPFLAGS = $(unit_cppflags)
%C%_end_to_end_check_operator_fuzz_LDADD = $(unit_ldadd) -lm

if ENABLE_CPU
unit_tests += %D%/end_to_end/check_fuzz_findings
%C%_end_to_end_check_fuzz_findings_SOURCES = %D%/end_to_end/check_fuzz_findings.c $(kit_sources)
%C%_end_to_end_check_fuzz_findings_CPPFLAGS = $(unit_cppflags)
%C%_end_to_end_check_fuzz_findings_LDADD = $(unit_ldadd)
endif

# the sources themselves, since libonnxruntime hides what these test
unit_tests += %D%/ort/check_hardware
%C%_ort_check_hardware_CPPFLAGS = $(unit_cppflags)
%C%_ort_check_hardware_LDADD = runtime/ort/libonnxruntime.la runtime/libbackplane.la $(CHECK_LIBS)
%C%_ort_check_hardware_SOURCES = \
	%D%/ort/check_hardware.c runtime/ort/devices/hardware.c runtime/ort/key_values.c runtime/ort/status.c \
	runtime/ort/error_codes.c

unit_tests += %D%/ort/check_error_codes
%C%_ort_check_error_codes_CPPFLAGS = $(unit_cppflags)
%C%_ort_check_error_codes_LDADD = runtime/ort/libonnxruntime.la runtime/libbackplane.la $(CHECK_LIBS)
%C%_ort_check_error_codes_SOURCES = %D%/ort/check_error_codes.c runtime/ort/status.c runtime/ort/error_codes.c
