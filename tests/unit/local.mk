# SPDX-License-Identifier: MIT
# tests/unit/ - check_<module>.c, one program a runtime module. Three lines each:
#   unit_tests += %D%/check_array
#   %C%_check_array_CPPFLAGS = $(unit_cppflags)
#   %C%_check_array_LDADD = $(unit_ldadd)

dist_check_SCRIPTS += %D%/covered.sh

# what tests of host/, plan/ and session/ share
kit_sources = %D%/check_main.h %D%/kit.c %D%/kit.h %D%/proto_writer.h
takers_sources = %D%/takers.c %D%/takers.h %D%/graphs.c %D%/graphs.h

# what tests of providers with memory of their own share
device_sources = $(kit_sources) %D%/device_kit.c %D%/device_kit.h

# what tests of optimize/ share
passes_sources = $(kit_sources) %D%/passes_kit.c %D%/passes_kit.h

# what tests of results that others might give otherwise share
differences_sources = $(kit_sources) %D%/differences_kit.h %D%/typed.c %D%/typed.h

# for programs that let allocations fail, see fail_alloc.h
fail_alloc_ldflags = $(AM_LDFLAGS) -Wl,--wrap=malloc -Wl,--wrap=calloc -Wl,--wrap=realloc

unit_tests += %D%/check_base
%C%_check_base_SOURCES = %D%/check_base.c %D%/fail_alloc.c %D%/fail_alloc.h
%C%_check_base_CPPFLAGS = $(unit_cppflags)
%C%_check_base_LDFLAGS = $(fail_alloc_ldflags)
%C%_check_base_LDADD = $(unit_ldadd)

unit_tests += %D%/check_strikes
%C%_check_strikes_SOURCES = %D%/check_strikes.c %D%/plugin_kit.h %D%/random.h $(kit_sources)
%C%_check_strikes_CPPFLAGS = $(unit_cppflags)
%C%_check_strikes_LDADD = $(unit_ldadd)

unit_tests += %D%/check_symbol
%C%_check_symbol_SOURCES = %D%/check_symbol.c %D%/fail_alloc.c %D%/fail_alloc.h
%C%_check_symbol_CPPFLAGS = $(unit_cppflags)
%C%_check_symbol_LDFLAGS = $(fail_alloc_ldflags)
%C%_check_symbol_LDADD = $(unit_ldadd)

unit_tests += %D%/check_ir
%C%_check_ir_SOURCES = %D%/check_ir.c %D%/graphs.c %D%/graphs.h %D%/fail_alloc.c %D%/fail_alloc.h
%C%_check_ir_CPPFLAGS = $(unit_cppflags)
%C%_check_ir_LDFLAGS = $(fail_alloc_ldflags)
%C%_check_ir_LDADD = $(unit_ldadd)

unit_tests += %D%/check_infer
%C%_check_infer_SOURCES = %D%/check_infer.c %D%/graphs.c %D%/graphs.h %D%/fail_alloc.c \
	%D%/fail_alloc.h
%C%_check_infer_CPPFLAGS = $(unit_cppflags)
%C%_check_infer_LDFLAGS = $(fail_alloc_ldflags)
%C%_check_infer_LDADD = $(unit_ldadd)

unit_tests += %D%/check_schema
%C%_check_schema_CPPFLAGS = $(unit_cppflags)
%C%_check_schema_LDADD = $(unit_ldadd)

unit_tests += %D%/check_rules
%C%_check_rules_SOURCES = %D%/check_rules.c %D%/fail_alloc.c %D%/fail_alloc.h \
	%D%/check_rules.inc \
	%D%/check_rules_elem.inc \
	%D%/check_rules_image.inc \
	%D%/check_rules_index.inc \
	%D%/check_rules_ml.inc \
	%D%/check_rules_ms.inc \
	%D%/check_rules_norm.inc \
	%D%/check_rules_quant.inc
%C%_check_rules_CPPFLAGS = $(unit_cppflags)
%C%_check_rules_LDFLAGS = $(fail_alloc_ldflags)
%C%_check_rules_LDADD = $(unit_ldadd)

unit_tests += %D%/check_wire
%C%_check_wire_SOURCES = %D%/check_wire.c %D%/proto_writer.h
%C%_check_wire_CPPFLAGS = $(unit_cppflags)
%C%_check_wire_LDADD = $(unit_ldadd)

unit_tests += %D%/check_onnx
%C%_check_onnx_SOURCES = %D%/check_onnx.c %D%/model_fixture.h %D%/proto_writer.h
%C%_check_onnx_CPPFLAGS = $(unit_cppflags)
%C%_check_onnx_LDADD = $(unit_ldadd)

unit_tests += %D%/check_ort_file
%C%_check_ort_file_SOURCES = %D%/check_ort_file.c %D%/model_fixture.h %D%/proto_writer.h \
	tests/fuzz/ort_models.h
%C%_check_ort_file_CPPFLAGS = $(unit_cppflags)
%C%_check_ort_file_LDADD = $(unit_ldadd)

unit_tests += %D%/check_model_functions
%C%_check_model_functions_SOURCES = %D%/check_model_functions.c %D%/function_kit.h %D%/model_fixture.h \
	%D%/proto_writer.h
%C%_check_model_functions_CPPFLAGS = $(unit_cppflags)
%C%_check_model_functions_LDADD = $(unit_ldadd)

unit_tests += %D%/check_model_overloads
%C%_check_model_overloads_SOURCES = %D%/check_model_overloads.c %D%/function_kit.h %D%/model_fixture.h \
	%D%/proto_writer.h
%C%_check_model_overloads_CPPFLAGS = $(unit_cppflags)
%C%_check_model_overloads_LDADD = $(unit_ldadd)

unit_tests += %D%/check_model_nodes
%C%_check_model_nodes_SOURCES = %D%/check_model_nodes.c %D%/model_fixture.h %D%/proto_writer.h
%C%_check_model_nodes_CPPFLAGS = $(unit_cppflags)
%C%_check_model_nodes_LDADD = $(unit_ldadd)

unit_tests += %D%/check_model_files
%C%_check_model_files_SOURCES = %D%/check_model_files.c %D%/model_fixture.h %D%/proto_writer.h
%C%_check_model_files_CPPFLAGS = $(unit_cppflags)
%C%_check_model_files_LDADD = $(unit_ldadd)

unit_tests += %D%/check_source
%C%_check_source_SOURCES = %D%/check_source.c %D%/model_fixture.h %D%/proto_writer.h \
	%D%/fail_alloc.c %D%/fail_alloc.h
%C%_check_source_CPPFLAGS = $(unit_cppflags)
%C%_check_source_LDFLAGS = $(fail_alloc_ldflags)
%C%_check_source_LDADD = $(unit_ldadd)

unit_tests += %D%/check_tensor
%C%_check_tensor_SOURCES = %D%/check_tensor.c %D%/proto_writer.h \
	%D%/fail_alloc.c %D%/fail_alloc.h
%C%_check_tensor_CPPFLAGS = $(unit_cppflags)
%C%_check_tensor_LDFLAGS = $(fail_alloc_ldflags)
%C%_check_tensor_LDADD = $(unit_ldadd)

unit_tests += %D%/check_model_fuzz
%C%_check_model_fuzz_SOURCES = %D%/check_model_fuzz.c %D%/model_fixture.h %D%/proto_writer.h \
	%D%/fail_alloc.c %D%/fail_alloc.h
%C%_check_model_fuzz_CPPFLAGS = $(unit_cppflags)
%C%_check_model_fuzz_LDFLAGS = $(fail_alloc_ldflags)
%C%_check_model_fuzz_LDADD = $(unit_ldadd)

unit_tests += %D%/check_pool
%C%_check_pool_SOURCES = %D%/check_pool.c $(kit_sources)
%C%_check_pool_CPPFLAGS = $(unit_cppflags)
%C%_check_pool_LDADD = $(unit_ldadd)

unit_tests += %D%/check_options
%C%_check_options_SOURCES = %D%/check_options.c $(kit_sources) %D%/fail_alloc.c %D%/fail_alloc.h
%C%_check_options_CPPFLAGS = $(unit_cppflags)
%C%_check_options_LDFLAGS = $(fail_alloc_ldflags)
%C%_check_options_LDADD = $(unit_ldadd)

unit_tests += %D%/check_weights
%C%_check_weights_SOURCES = %D%/check_weights.c $(kit_sources) %D%/fail_alloc.c %D%/fail_alloc.h
%C%_check_weights_CPPFLAGS = $(unit_cppflags)
%C%_check_weights_LDFLAGS = $(fail_alloc_ldflags)
%C%_check_weights_LDADD = $(unit_ldadd)

unit_tests += %D%/check_rewrite
%C%_check_rewrite_SOURCES = %D%/check_rewrite.c $(passes_sources)
%C%_check_rewrite_CPPFLAGS = $(unit_cppflags)
%C%_check_rewrite_LDADD = $(unit_ldadd)

unit_tests += %D%/check_registry
%C%_check_registry_SOURCES = %D%/check_registry.c $(kit_sources)
%C%_check_registry_CPPFLAGS = $(unit_cppflags)
%C%_check_registry_LDADD = $(unit_ldadd)

# Linked with plug-ins, by libtool's -dlpreopen.
linked_mocks = tests/mock/static/libbp-few.o tests/mock/static/libbp-gizmo.o
CLEANFILES += $(linked_mocks)
tests/mock/static/libbp-few.o: tests/mock/libbp-few.la tools/backplane-embed
	@$(MKDIR_P) tests/mock/static
	$(AM_V_GEN)$(embed) few -o $@ $(tests_mock_libbp_few_la_OBJECTS)
tests/mock/static/libbp-gizmo.o: tests/mock/libbp-gizmo.la sdk/libbp-sim.a tools/backplane-embed
	@$(MKDIR_P) tests/mock/static
	$(AM_V_GEN)$(embed) gizmo -o $@ $(tests_mock_libbp_gizmo_la_OBJECTS) sdk/libbp-sim.a

unit_tests += %D%/check_known
%C%_check_known_SOURCES = %D%/check_known.c %D%/plugin_kit.h $(kit_sources)
%C%_check_known_CPPFLAGS = $(unit_cppflags)
%C%_check_known_LDADD = $(unit_ldadd)

unit_tests += %D%/check_linked
EXTRA_%C%_check_linked_DEPENDENCIES = $(linked_mocks) $(STATIC_OBJECTS)
%C%_check_linked_SOURCES = %D%/check_linked.c $(kit_sources)
%C%_check_linked_CPPFLAGS = $(unit_cppflags)
%C%_check_linked_LDFLAGS = $(AM_LDFLAGS) $(STATIC_PRELOADS) \
	-dlpreopen tests/mock/static/libbp-few.o -dlpreopen tests/mock/static/libbp-gizmo.o
%C%_check_linked_LDADD = $(unit_ldadd)

unit_tests += %D%/check_loader
%C%_check_loader_SOURCES = %D%/check_loader.c %D%/plugin_kit.h %D%/skip.h $(kit_sources)
%C%_check_loader_CPPFLAGS = $(unit_cppflags)
%C%_check_loader_LDADD = $(unit_ldadd)

unit_tests += %D%/check_note
%C%_check_note_SOURCES = %D%/check_note.c %D%/random.h $(kit_sources)
%C%_check_note_CPPFLAGS = $(unit_cppflags)
%C%_check_note_LDADD = $(unit_ldadd)

unit_tests += %D%/check_notes
%C%_check_notes_SOURCES = %D%/check_notes.c %D%/plugin_kit.h %D%/random.h $(kit_sources)
%C%_check_notes_CPPFLAGS = $(unit_cppflags)
%C%_check_notes_LDADD = $(unit_ldadd)

unit_tests += %D%/check_stages
%C%_check_stages_SOURCES = %D%/check_stages.c %D%/plugin_kit.h $(kit_sources)
%C%_check_stages_CPPFLAGS = $(unit_cppflags)
%C%_check_stages_LDADD = $(unit_ldadd)

unit_tests += %D%/check_partition
%C%_check_partition_SOURCES = %D%/check_partition.c $(kit_sources) $(takers_sources)
%C%_check_partition_CPPFLAGS = $(unit_cppflags)
%C%_check_partition_LDADD = $(unit_ldadd)

unit_tests += %D%/check_report
%C%_check_report_SOURCES = %D%/check_report.c $(kit_sources) $(takers_sources)
%C%_check_report_CPPFLAGS = $(unit_cppflags)
%C%_check_report_LDADD = $(unit_ldadd)

unit_tests += %D%/check_body
%C%_check_body_SOURCES = %D%/check_body.c $(kit_sources) %D%/graphs.c %D%/graphs.h
%C%_check_body_CPPFLAGS = $(unit_cppflags)
%C%_check_body_LDADD = $(unit_ldadd)

unit_tests += %D%/check_optimize
%C%_check_optimize_SOURCES = %D%/check_optimize.c $(passes_sources) %D%/fail_alloc.c \
	%D%/fail_alloc.h
%C%_check_optimize_CPPFLAGS = $(unit_cppflags)
%C%_check_optimize_LDFLAGS = $(fail_alloc_ldflags)
%C%_check_optimize_LDADD = $(unit_ldadd)

unit_tests += %D%/check_model_optimize
%C%_check_model_optimize_SOURCES = %D%/check_model_optimize.c $(passes_sources) %D%/fail_alloc.c \
	%D%/fail_alloc.h
%C%_check_model_optimize_CPPFLAGS = $(unit_cppflags)
%C%_check_model_optimize_LDFLAGS = $(fail_alloc_ldflags)
%C%_check_model_optimize_LDADD = $(unit_ldadd)

unit_tests += %D%/check_passes_conv
%C%_check_passes_conv_SOURCES = %D%/check_passes_conv.c $(passes_sources)
%C%_check_passes_conv_CPPFLAGS = $(unit_cppflags)
%C%_check_passes_conv_LDADD = $(unit_ldadd)

unit_tests += %D%/check_passes_digits
%C%_check_passes_digits_SOURCES = %D%/check_passes_digits.c $(passes_sources)
%C%_check_passes_digits_CPPFLAGS = $(unit_cppflags)
%C%_check_passes_digits_LDADD = $(unit_ldadd)

unit_tests += %D%/check_passes_fused
%C%_check_passes_fused_SOURCES = %D%/check_passes_fused.c $(passes_sources)
%C%_check_passes_fused_CPPFLAGS = $(unit_cppflags)
%C%_check_passes_fused_LDADD = $(unit_ldadd)

unit_tests += %D%/check_passes_nodes
%C%_check_passes_nodes_SOURCES = %D%/check_passes_nodes.c $(passes_sources)
%C%_check_passes_nodes_CPPFLAGS = $(unit_cppflags)
%C%_check_passes_nodes_LDADD = $(unit_ldadd)

unit_tests += %D%/check_passes_old
%C%_check_passes_old_SOURCES = %D%/check_passes_old.c $(passes_sources)
%C%_check_passes_old_CPPFLAGS = $(unit_cppflags)
%C%_check_passes_old_LDADD = $(unit_ldadd)

unit_tests += %D%/check_passes_quantized
%C%_check_passes_quantized_SOURCES = %D%/check_passes_quantized.c $(passes_sources)
%C%_check_passes_quantized_CPPFLAGS = $(unit_cppflags)
%C%_check_passes_quantized_LDADD = $(unit_ldadd)

unit_tests += %D%/check_passes_random
%C%_check_passes_random_SOURCES = %D%/check_passes_random.c $(passes_sources)
%C%_check_passes_random_CPPFLAGS = $(unit_cppflags)
%C%_check_passes_random_LDADD = $(unit_ldadd)

# Many random graphs at every level, some minutes; their seeds are in the log.
check-passes:
	BP_RANDOM_GRAPHS=2000 $(MAKE) check TESTS=%D%/check_passes_random
.PHONY: check-passes

unit_tests += %D%/check_passes_rules
%C%_check_passes_rules_SOURCES = %D%/check_passes_rules.c $(passes_sources)
%C%_check_passes_rules_CPPFLAGS = $(unit_cppflags)
%C%_check_passes_rules_LDADD = $(unit_ldadd)

unit_tests += %D%/check_passes_shapes
%C%_check_passes_shapes_SOURCES = %D%/check_passes_shapes.c $(passes_sources)
%C%_check_passes_shapes_CPPFLAGS = $(unit_cppflags)
%C%_check_passes_shapes_LDADD = $(unit_ldadd)

unit_tests += %D%/check_passes_slices
%C%_check_passes_slices_SOURCES = %D%/check_passes_slices.c $(passes_sources)
%C%_check_passes_slices_CPPFLAGS = $(unit_cppflags)
%C%_check_passes_slices_LDADD = $(unit_ldadd)

unit_tests += %D%/check_feeds
%C%_check_feeds_SOURCES = %D%/check_feeds.c $(kit_sources)
%C%_check_feeds_CPPFLAGS = $(unit_cppflags)
%C%_check_feeds_LDADD = $(unit_ldadd)

unit_tests += %D%/check_passes_loops
%C%_check_passes_loops_SOURCES = %D%/check_passes_loops.c $(passes_sources)
%C%_check_passes_loops_CPPFLAGS = $(unit_cppflags)
%C%_check_passes_loops_LDADD = $(unit_ldadd)

unit_tests += %D%/check_session
%C%_check_session_SOURCES = %D%/check_session.c $(kit_sources)
%C%_check_session_CPPFLAGS = $(unit_cppflags)
%C%_check_session_LDADD = $(unit_ldadd)

unit_tests += %D%/check_choice
%C%_check_choice_SOURCES = %D%/check_choice.c $(kit_sources)
%C%_check_choice_CPPFLAGS = $(unit_cppflags)
%C%_check_choice_LDADD = $(unit_ldadd)

unit_tests += %D%/check_probe
%C%_check_probe_SOURCES = %D%/check_probe.c %D%/plugin_kit.h $(kit_sources)
%C%_check_probe_CPPFLAGS = $(unit_cppflags)
%C%_check_probe_LDADD = $(unit_ldadd)

unit_tests += %D%/check_profile
%C%_check_profile_SOURCES = %D%/check_profile.c %D%/fail_alloc.c %D%/fail_alloc.h $(kit_sources)
%C%_check_profile_CPPFLAGS = $(unit_cppflags)
%C%_check_profile_LDFLAGS = $(fail_alloc_ldflags)
%C%_check_profile_LDADD = $(unit_ldadd) $(PTHREAD_LIBS)

# an ordinary library, whose functions are bound
check_LTLIBRARIES += %D%/libtest-bound.la
%C%_libtest_bound_la_CPPFLAGS = $(AM_CPPFLAGS)
%C%_libtest_bound_la_LDFLAGS = $(AM_LDFLAGS) -module -avoid-version $(PLUGIN_SHARED) -rpath /nowhere \
	-no-undefined
%C%_libtest_bound_la_SOURCES = %D%/bound.c

unit_tests += %D%/check_bind
%C%_check_bind_SOURCES = %D%/check_bind.c $(kit_sources)
%C%_check_bind_CPPFLAGS = $(unit_cppflags)
%C%_check_bind_LDADD = $(unit_ldadd)

unit_tests += %D%/check_custom
%C%_check_custom_SOURCES = %D%/check_custom.c $(kit_sources)
%C%_check_custom_CPPFLAGS = $(unit_cppflags)
%C%_check_custom_LDADD = $(unit_ldadd)

unit_tests += %D%/check_custom_memory
%C%_check_custom_memory_SOURCES = %D%/check_custom_memory.c $(kit_sources) \
	%D%/count_alloc.c %D%/count_alloc.h
%C%_check_custom_memory_CPPFLAGS = $(unit_cppflags)
%C%_check_custom_memory_LDADD = $(unit_ldadd)

unit_tests += %D%/check_confirm
%C%_check_confirm_SOURCES = %D%/check_confirm.c %D%/plugin_kit.h $(kit_sources)
%C%_check_confirm_CPPFLAGS = $(unit_cppflags)
%C%_check_confirm_LDADD = $(unit_ldadd)

unit_tests += %D%/check_control
%C%_check_control_SOURCES = %D%/check_control.c $(kit_sources)
%C%_check_control_CPPFLAGS = $(unit_cppflags)
%C%_check_control_LDADD = $(unit_ldadd)

# text, a token at a time
unit_tests += %D%/check_generate
%C%_check_generate_SOURCES = %D%/check_generate.c %D%/generate_kit.h %D%/random.h $(kit_sources)
%C%_check_generate_CPPFLAGS = $(unit_cppflags)
%C%_check_generate_LDADD = $(unit_ldadd) -lm

unit_tests += %D%/check_generate_refuses
%C%_check_generate_refuses_SOURCES = %D%/check_generate_refuses.c %D%/fail_alloc.c \
	%D%/fail_alloc.h %D%/generate_kit.h %D%/random.h $(kit_sources)
%C%_check_generate_refuses_LDFLAGS = $(fail_alloc_ldflags)
%C%_check_generate_refuses_CPPFLAGS = $(unit_cppflags)
%C%_check_generate_refuses_LDADD = $(unit_ldadd)

unit_tests += %D%/check_gradient
%C%_check_gradient_SOURCES = %D%/check_gradient.c $(kit_sources)
%C%_check_gradient_CPPFLAGS = $(unit_cppflags)
%C%_check_gradient_LDADD = $(unit_ldadd)

unit_tests += %D%/check_hosted
%C%_check_hosted_SOURCES = %D%/check_hosted.c $(kit_sources)
%C%_check_hosted_CPPFLAGS = $(unit_cppflags)
%C%_check_hosted_LDADD = $(unit_ldadd)

unit_tests += %D%/check_sparse
%C%_check_sparse_SOURCES = %D%/check_sparse.c $(kit_sources) %D%/fail_alloc.c %D%/fail_alloc.h \
	%D%/random.h %D%/typed.c %D%/typed.h
%C%_check_sparse_CPPFLAGS = $(unit_cppflags) -I$(srcdir)/plugins
%C%_check_sparse_LDFLAGS = $(fail_alloc_ldflags)
%C%_check_sparse_LDADD = $(unit_ldadd)

if ENABLE_DNNL
differences_cppflags = -DWITH_DNNL=1
else
differences_cppflags = -DWITH_DNNL=0
endif
unit_tests += %D%/check_differences
%C%_check_differences_SOURCES = %D%/check_differences.c $(differences_sources)
%C%_check_differences_CPPFLAGS = $(unit_cppflags) -I$(srcdir)/plugins $(differences_cppflags)
%C%_check_differences_LDADD = $(unit_ldadd)

unit_tests += %D%/check_differences_kept
%C%_check_differences_kept_SOURCES = %D%/check_differences_kept.c $(differences_sources)
%C%_check_differences_kept_CPPFLAGS = $(unit_cppflags) -I$(srcdir)/plugins
%C%_check_differences_kept_LDADD = $(unit_ldadd)

unit_tests += %D%/check_place
%C%_check_place_SOURCES = %D%/check_place.c $(kit_sources) %D%/fail_alloc.c %D%/fail_alloc.h
%C%_check_place_CPPFLAGS = $(unit_cppflags)
%C%_check_place_LDFLAGS = $(fail_alloc_ldflags)
%C%_check_place_LDADD = $(unit_ldadd)

unit_tests += %D%/check_policy
%C%_check_policy_SOURCES = %D%/check_policy.c $(kit_sources)
%C%_check_policy_CPPFLAGS = $(unit_cppflags)
%C%_check_policy_LDADD = $(unit_ldadd)

unit_tests += %D%/check_fallback
%C%_check_fallback_SOURCES = %D%/check_fallback.c $(kit_sources)
%C%_check_fallback_CPPFLAGS = $(unit_cppflags)
%C%_check_fallback_LDADD = $(unit_ldadd)

unit_tests += %D%/check_device
%C%_check_device_SOURCES = %D%/check_device.c $(device_sources)
%C%_check_device_CPPFLAGS = $(unit_cppflags)
%C%_check_device_LDADD = $(unit_ldadd) $(PTHREAD_LIBS)

unit_tests += %D%/check_device_faults
%C%_check_device_faults_SOURCES = %D%/check_device_faults.c $(device_sources)
%C%_check_device_faults_CPPFLAGS = $(unit_cppflags)
%C%_check_device_faults_LDADD = $(unit_ldadd) $(PTHREAD_LIBS)

unit_tests += %D%/check_memory
%C%_check_memory_SOURCES = %D%/check_memory.c $(kit_sources) %D%/count_alloc.c %D%/count_alloc.h
%C%_check_memory_CPPFLAGS = $(unit_cppflags)
%C%_check_memory_LDADD = $(unit_ldadd)

unit_tests += %D%/check_arena
%C%_check_arena_SOURCES = %D%/check_arena.c %D%/random.h
%C%_check_arena_CPPFLAGS = $(unit_cppflags)
%C%_check_arena_LDADD = $(unit_ldadd)

if ENABLE_CPU
# The provider, driven by a host in one file, through the ABI alone: three lines a test.
check_LTLIBRARIES += %D%/libcputest.la
cpu_test_cppflags = $(unit_cppflags) -I$(srcdir)/plugins -I$(srcdir)/plugins/cpu
cpu_test_ldadd = %D%/libcputest.la plugins/cpu/libcpu.la $(unit_ldadd)
%C%_libcputest_la_CPPFLAGS = $(cpu_test_cppflags)
%C%_libcputest_la_SOURCES = \
	%D%/attention_kit.h \
	%D%/cast_kit.h \
	%D%/cpu_case.h \
	%D%/every_kit.h \
	%D%/every.h \
	%D%/forest_kit.h \
	%D%/ml_kit.h \
	%D%/ms_attention_kit.h \
	%D%/ms_kit.h \
	%D%/numbers.c \
	%D%/numbers.h \
	%D%/random.h \
	%D%/shapes.h \
	%D%/test_host.c \
	%D%/test_host.h \
	%D%/typed.c \
	%D%/typed.h

cpu_tests += %D%/check_cpu_attention
%C%_check_cpu_attention_CPPFLAGS = $(cpu_test_cppflags)
%C%_check_cpu_attention_LDADD = $(cpu_test_ldadd)

cpu_tests += %D%/check_cpu_broadcast
%C%_check_cpu_broadcast_CPPFLAGS = $(cpu_test_cppflags)
%C%_check_cpu_broadcast_LDADD = $(cpu_test_ldadd)

cpu_tests += %D%/check_cpu_cast
%C%_check_cpu_cast_CPPFLAGS = $(cpu_test_cppflags)
%C%_check_cpu_cast_LDADD = $(cpu_test_ldadd)

cpu_tests += %D%/check_cpu_cast_text
%C%_check_cpu_cast_text_CPPFLAGS = $(cpu_test_cppflags)
%C%_check_cpu_cast_text_LDADD = $(cpu_test_ldadd)

cpu_tests += %D%/check_cpu_choose
%C%_check_cpu_choose_CPPFLAGS = $(cpu_test_cppflags)
%C%_check_cpu_choose_LDADD = $(cpu_test_ldadd)

cpu_tests += %D%/check_cpu_conv
%C%_check_cpu_conv_CPPFLAGS = $(cpu_test_cppflags)
%C%_check_cpu_conv_LDADD = $(cpu_test_ldadd)

cpu_tests += %D%/check_cpu_curves
%C%_check_cpu_curves_CPPFLAGS = $(cpu_test_cppflags)
%C%_check_cpu_curves_LDADD = $(cpu_test_ldadd)

cpu_tests += %D%/check_cpu_einsum
%C%_check_cpu_einsum_CPPFLAGS = $(cpu_test_cppflags)
%C%_check_cpu_einsum_LDADD = $(cpu_test_ldadd)

cpu_tests += %D%/check_cpu_elements
%C%_check_cpu_elements_CPPFLAGS = $(cpu_test_cppflags)
%C%_check_cpu_elements_LDADD = $(cpu_test_ldadd)

cpu_tests += %D%/check_cpu_every_arithmetic
%C%_check_cpu_every_arithmetic_CPPFLAGS = $(cpu_test_cppflags)
%C%_check_cpu_every_arithmetic_LDADD = $(cpu_test_ldadd)

cpu_tests += %D%/check_cpu_every_choice
%C%_check_cpu_every_choice_CPPFLAGS = $(cpu_test_cppflags)
%C%_check_cpu_every_choice_LDADD = $(cpu_test_ldadd)

cpu_tests += %D%/check_cpu_every_layer
%C%_check_cpu_every_layer_CPPFLAGS = $(cpu_test_cppflags)
%C%_check_cpu_every_layer_LDADD = $(cpu_test_ldadd)

cpu_tests += %D%/check_cpu_every_product
%C%_check_cpu_every_product_CPPFLAGS = $(cpu_test_cppflags)
%C%_check_cpu_every_product_LDADD = $(cpu_test_ldadd)

cpu_tests += %D%/check_cpu_every_quantized
%C%_check_cpu_every_quantized_CPPFLAGS = $(cpu_test_cppflags)
%C%_check_cpu_every_quantized_LDADD = $(cpu_test_ldadd)

cpu_tests += %D%/check_cpu_every_random
%C%_check_cpu_every_random_CPPFLAGS = $(cpu_test_cppflags)
%C%_check_cpu_every_random_LDADD = $(cpu_test_ldadd)

cpu_tests += %D%/check_cpu_every_series
%C%_check_cpu_every_series_CPPFLAGS = $(cpu_test_cppflags)
%C%_check_cpu_every_series_LDADD = $(cpu_test_ldadd)

cpu_tests += %D%/check_cpu_every_move
%C%_check_cpu_every_move_CPPFLAGS = $(cpu_test_cppflags)
%C%_check_cpu_every_move_LDADD = $(cpu_test_ldadd)

cpu_tests += %D%/check_cpu_every_part
%C%_check_cpu_every_part_CPPFLAGS = $(cpu_test_cppflags)
%C%_check_cpu_every_part_LDADD = $(cpu_test_ldadd)

cpu_tests += %D%/check_cpu_every_pick
%C%_check_cpu_every_pick_CPPFLAGS = $(cpu_test_cppflags)
%C%_check_cpu_every_pick_LDADD = $(cpu_test_ldadd)

cpu_tests += %D%/check_cpu_every_sample
%C%_check_cpu_every_sample_CPPFLAGS = $(cpu_test_cppflags)
%C%_check_cpu_every_sample_LDADD = $(cpu_test_ldadd)

cpu_tests += %D%/check_cpu_every_view
%C%_check_cpu_every_view_CPPFLAGS = $(cpu_test_cppflags)
%C%_check_cpu_every_view_LDADD = $(cpu_test_ldadd)

cpu_tests += %D%/check_cpu_flex_parts
%C%_check_cpu_flex_parts_CPPFLAGS = $(cpu_test_cppflags)
%C%_check_cpu_flex_parts_LDADD = $(cpu_test_ldadd)

cpu_tests += %D%/check_cpu_folds
%C%_check_cpu_folds_CPPFLAGS = $(cpu_test_cppflags)
%C%_check_cpu_folds_LDADD = $(cpu_test_ldadd)

cpu_tests += %D%/check_cpu_frame
%C%_check_cpu_frame_CPPFLAGS = $(cpu_test_cppflags)
%C%_check_cpu_frame_LDADD = $(cpu_test_ldadd)

cpu_tests += %D%/check_cpu_image
%C%_check_cpu_image_CPPFLAGS = $(cpu_test_cppflags)
%C%_check_cpu_image_LDADD = $(cpu_test_ldadd)

cpu_tests += %D%/check_cpu_index
%C%_check_cpu_index_CPPFLAGS = $(cpu_test_cppflags)
%C%_check_cpu_index_LDADD = $(cpu_test_ldadd)

cpu_tests += %D%/check_cpu_int8
%C%_check_cpu_int8_CPPFLAGS = $(cpu_test_cppflags)
%C%_check_cpu_int8_LDADD = $(cpu_test_ldadd)

cpu_tests += %D%/check_cpu_matrix
%C%_check_cpu_matrix_CPPFLAGS = $(cpu_test_cppflags)
%C%_check_cpu_matrix_LDADD = $(cpu_test_ldadd)

cpu_tests += %D%/check_cpu_ml
%C%_check_cpu_ml_CPPFLAGS = $(cpu_test_cppflags)
%C%_check_cpu_ml_LDADD = $(cpu_test_ldadd)

cpu_tests += %D%/check_cpu_ml_models
%C%_check_cpu_ml_models_CPPFLAGS = $(cpu_test_cppflags)
%C%_check_cpu_ml_models_LDADD = $(cpu_test_ldadd)

cpu_tests += %D%/check_cpu_moves
%C%_check_cpu_moves_CPPFLAGS = $(cpu_test_cppflags)
%C%_check_cpu_moves_LDADD = $(cpu_test_ldadd)

cpu_tests += %D%/check_cpu_ms
%C%_check_cpu_ms_CPPFLAGS = $(cpu_test_cppflags)
%C%_check_cpu_ms_LDADD = $(cpu_test_ldadd)

cpu_tests += %D%/check_cpu_ms_attention
%C%_check_cpu_ms_attention_CPPFLAGS = $(cpu_test_cppflags)
%C%_check_cpu_ms_attention_LDADD = $(cpu_test_ldadd)

cpu_tests += %D%/check_cpu_ms_embed
%C%_check_cpu_ms_embed_CPPFLAGS = $(cpu_test_cppflags)
%C%_check_cpu_ms_embed_LDADD = $(cpu_test_ldadd)

cpu_tests += %D%/check_cpu_ms_group_query
%C%_check_cpu_ms_group_query_CPPFLAGS = $(cpu_test_cppflags)
%C%_check_cpu_ms_group_query_LDADD = $(cpu_test_ldadd)

cpu_tests += %D%/check_cpu_ms_quant
%C%_check_cpu_ms_quant_CPPFLAGS = $(cpu_test_cppflags)
%C%_check_cpu_ms_quant_LDADD = $(cpu_test_ldadd)

cpu_tests += %D%/check_cpu_ms_small
%C%_check_cpu_ms_small_CPPFLAGS = $(cpu_test_cppflags)
%C%_check_cpu_ms_small_LDADD = $(cpu_test_ldadd)

cpu_tests += %D%/check_cpu_norms
%C%_check_cpu_norms_CPPFLAGS = $(cpu_test_cppflags)
%C%_check_cpu_norms_LDADD = $(cpu_test_ldadd)

cpu_tests += %D%/check_cpu_placed
%C%_check_cpu_placed_CPPFLAGS = $(cpu_test_cppflags)
%C%_check_cpu_placed_LDADD = $(cpu_test_ldadd)

cpu_tests += %D%/check_cpu_pool
%C%_check_cpu_pool_CPPFLAGS = $(cpu_test_cppflags)
%C%_check_cpu_pool_LDADD = $(cpu_test_ldadd)

cpu_tests += %D%/check_cpu_quantize
%C%_check_cpu_quantize_CPPFLAGS = $(cpu_test_cppflags)
%C%_check_cpu_quantize_LDADD = $(cpu_test_ldadd)

cpu_tests += %D%/check_cpu_random
%C%_check_cpu_random_CPPFLAGS = $(cpu_test_cppflags)
%C%_check_cpu_random_LDADD = $(cpu_test_ldadd)

cpu_tests += %D%/check_cpu_rearrange
%C%_check_cpu_rearrange_CPPFLAGS = $(cpu_test_cppflags)
%C%_check_cpu_rearrange_LDADD = $(cpu_test_ldadd)

cpu_tests += %D%/check_cpu_recall
%C%_check_cpu_recall_CPPFLAGS = $(cpu_test_cppflags)
%C%_check_cpu_recall_LDADD = $(cpu_test_ldadd)

cpu_tests += %D%/check_cpu_recurrent
%C%_check_cpu_recurrent_CPPFLAGS = $(cpu_test_cppflags)
%C%_check_cpu_recurrent_LDADD = $(cpu_test_ldadd)

cpu_tests += %D%/check_cpu_reduce
%C%_check_cpu_reduce_CPPFLAGS = $(cpu_test_cppflags)
%C%_check_cpu_reduce_LDADD = $(cpu_test_ldadd)

cpu_tests += %D%/check_cpu_region
%C%_check_cpu_region_CPPFLAGS = $(cpu_test_cppflags)
%C%_check_cpu_region_LDADD = $(cpu_test_ldadd)

cpu_tests += %D%/check_cpu_shapes
%C%_check_cpu_shapes_CPPFLAGS = $(cpu_test_cppflags)
%C%_check_cpu_shapes_LDADD = $(cpu_test_ldadd)

cpu_tests += %D%/check_cpu_signal
%C%_check_cpu_signal_CPPFLAGS = $(cpu_test_cppflags)
%C%_check_cpu_signal_LDADD = $(cpu_test_ldadd)

cpu_tests += %D%/check_cpu_text
%C%_check_cpu_text_CPPFLAGS = $(cpu_test_cppflags)
%C%_check_cpu_text_LDADD = $(cpu_test_ldadd)

cpu_tests += %D%/check_cpu_tree_lists
%C%_check_cpu_tree_lists_CPPFLAGS = $(cpu_test_cppflags)
%C%_check_cpu_tree_lists_LDADD = $(cpu_test_ldadd)

cpu_tests += %D%/check_cpu_trees
%C%_check_cpu_trees_CPPFLAGS = $(cpu_test_cppflags)
%C%_check_cpu_trees_LDADD = $(cpu_test_ldadd)

cpu_tests += %D%/check_cpu_types
%C%_check_cpu_types_CPPFLAGS = $(cpu_test_cppflags)
%C%_check_cpu_types_LDADD = $(cpu_test_ldadd)

if ENABLE_DNNL
# Against the CPU provider, which is opened from providers/.
dnnl_kit = %D%/dnnl_isa.h %D%/dnnl_kit.h %D%/skip.h
dnnl_test_ldadd = %D%/libcputest.la plugins/dnnl/libdnnlprovider.la $(unit_ldadd) $(DL_LIBS) -lm

unit_tests += %D%/check_dnnl_areas
%C%_check_dnnl_areas_SOURCES = %D%/check_dnnl_areas.c $(dnnl_kit)
%C%_check_dnnl_areas_CPPFLAGS = $(cpu_test_cppflags)
%C%_check_dnnl_areas_LDADD = $(dnnl_test_ldadd)

unit_tests += %D%/check_dnnl_bf16
%C%_check_dnnl_bf16_SOURCES = %D%/check_dnnl_bf16.c $(dnnl_kit) %D%/dnnl_networks.h
%C%_check_dnnl_bf16_CPPFLAGS = $(cpu_test_cppflags)
%C%_check_dnnl_bf16_LDADD = $(dnnl_test_ldadd)

unit_tests += %D%/check_dnnl_f16
%C%_check_dnnl_f16_SOURCES = %D%/check_dnnl_f16.c $(dnnl_kit) %D%/dnnl_networks.h
%C%_check_dnnl_f16_CPPFLAGS = $(cpu_test_cppflags)
%C%_check_dnnl_f16_LDADD = $(dnnl_test_ldadd)

unit_tests += %D%/check_dnnl_groups
%C%_check_dnnl_groups_SOURCES = %D%/check_dnnl_groups.c $(dnnl_kit)
%C%_check_dnnl_groups_CPPFLAGS = $(cpu_test_cppflags)
%C%_check_dnnl_groups_LDADD = $(dnnl_test_ldadd) $(PTHREAD_LIBS)

unit_tests += %D%/check_dnnl_int8
%C%_check_dnnl_int8_SOURCES = %D%/check_dnnl_int8.c $(dnnl_kit)
%C%_check_dnnl_int8_CPPFLAGS = $(cpu_test_cppflags)
%C%_check_dnnl_int8_LDADD = $(dnnl_test_ldadd)

unit_tests += %D%/check_dnnl_kept
%C%_check_dnnl_kept_SOURCES = %D%/check_dnnl_kept.c $(dnnl_kit)
%C%_check_dnnl_kept_CPPFLAGS = $(cpu_test_cppflags)
%C%_check_dnnl_kept_LDADD = $(dnnl_test_ldadd)

unit_tests += %D%/check_dnnl_layouts
%C%_check_dnnl_layouts_SOURCES = %D%/check_dnnl_layouts.c $(dnnl_kit)
%C%_check_dnnl_layouts_CPPFLAGS = $(cpu_test_cppflags)
%C%_check_dnnl_layouts_LDADD = $(dnnl_test_ldadd)

unit_tests += %D%/check_dnnl_ops
%C%_check_dnnl_ops_SOURCES = %D%/check_dnnl_ops.c $(dnnl_kit)
%C%_check_dnnl_ops_CPPFLAGS = $(cpu_test_cppflags)
%C%_check_dnnl_ops_LDADD = $(dnnl_test_ldadd)

unit_tests += %D%/check_dnnl_passes
%C%_check_dnnl_passes_SOURCES = %D%/check_dnnl_passes.c %D%/dnnl_isa.h %D%/skip.h $(passes_sources)
%C%_check_dnnl_passes_CPPFLAGS = $(unit_cppflags)
%C%_check_dnnl_passes_LDADD = $(unit_ldadd)

unit_tests += %D%/check_dnnl_products
%C%_check_dnnl_products_SOURCES = %D%/check_dnnl_products.c $(dnnl_kit)
%C%_check_dnnl_products_CPPFLAGS = $(cpu_test_cppflags)
%C%_check_dnnl_products_LDADD = $(dnnl_test_ldadd)

unit_tests += %D%/check_dnnl_rnn
%C%_check_dnnl_rnn_SOURCES = %D%/check_dnnl_rnn.c $(dnnl_kit)
%C%_check_dnnl_rnn_CPPFLAGS = $(cpu_test_cppflags)
%C%_check_dnnl_rnn_LDADD = $(dnnl_test_ldadd)

unit_tests += %D%/check_dnnl_transposed
%C%_check_dnnl_transposed_SOURCES = %D%/check_dnnl_transposed.c $(dnnl_kit)
%C%_check_dnnl_transposed_CPPFLAGS = $(cpu_test_cppflags)
%C%_check_dnnl_transposed_LDADD = $(dnnl_test_ldadd)
endif

unit_tests += $(cpu_tests)

# what of it all they have run: behind them
check_PROGRAMS += %D%/uncovered
%C%_uncovered_CPPFLAGS = $(unit_cppflags)
%C%_uncovered_LDADD = $(unit_ldadd)
TESTS += %D%/covered.sh
%D%/covered.log: $(cpu_tests:=.log)
endif

# operators that are written as other nodes
unit_tests += %D%/check_flex_attention
%C%_check_flex_attention_SOURCES = %D%/check_flex_attention.c %D%/fail_alloc.c \
	%D%/fail_alloc.h %D%/numbers.c %D%/numbers.h %D%/typed.c %D%/typed.h $(kit_sources)
%C%_check_flex_attention_LDFLAGS = $(fail_alloc_ldflags)
%C%_check_flex_attention_CPPFLAGS = $(unit_cppflags) -I$(srcdir)/plugins -I$(srcdir)/plugins/cpu
%C%_check_flex_attention_LDADD = $(unit_ldadd)

# shapes that a model declares and that are not so
unit_tests += %D%/check_declared
%C%_check_declared_SOURCES = %D%/check_declared.c $(kit_sources)
%C%_check_declared_CPPFLAGS = $(unit_cppflags)
%C%_check_declared_LDADD = $(unit_ldadd)
# operator sets that a model imports, attributes and names that it should not have
unit_tests += %D%/check_imports
%C%_check_imports_SOURCES = %D%/check_imports.c $(kit_sources)
%C%_check_imports_CPPFLAGS = $(unit_cppflags)
%C%_check_imports_LDADD = $(unit_ldadd)
# values of all kinds through bodies
unit_tests += %D%/check_hosted_bodies
%C%_check_hosted_bodies_SOURCES = %D%/check_hosted_bodies.c $(kit_sources)
%C%_check_hosted_bodies_CPPFLAGS = $(unit_cppflags)
%C%_check_hosted_bodies_LDADD = $(unit_ldadd)
# models made up from the schema table
unit_tests += %D%/check_operator_fuzz
%C%_check_operator_fuzz_SOURCES = %D%/check_operator_fuzz.c %D%/operator_fuzz.h \
	%D%/operator_fuzz_attrs.c %D%/operator_fuzz_bodies.c %D%/operator_fuzz_check.c \
	%D%/operator_fuzz_check.h %D%/operator_fuzz_data.c %D%/operator_fuzz_files.c \
	%D%/operator_fuzz_hints.inc %D%/operator_fuzz_make.c %D%/random.h $(kit_sources)
%C%_check_operator_fuzz_CPPFLAGS = $(unit_cppflags)
%C%_check_operator_fuzz_LDADD = $(unit_ldadd) -lm

if ENABLE_CPU
unit_tests += %D%/check_found
%C%_check_found_SOURCES = %D%/check_found.c $(kit_sources)
%C%_check_found_CPPFLAGS = $(unit_cppflags)
%C%_check_found_LDADD = $(unit_ldadd)
endif
