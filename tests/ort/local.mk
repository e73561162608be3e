# SPDX-License-Identifier: MIT
# tests/ort/ - libonnxruntime as programs written for ONNX Runtime see it.

ort_test_cppflags = -I. $(AM_CPPFLAGS) -I$(srcdir)/tests -I$(srcdir)/tests/unit $(CHECK_CFLAGS)
ort_test_ldadd = runtime/ort/libonnxruntime.la $(CHECK_LIBS)

check_PROGRAMS += %D%/abi/layout
%C%_abi_layout_CPPFLAGS = -I. $(AM_CPPFLAGS)
%C%_abi_layout_SOURCES = %D%/abi/layout.c %D%/abi/layout.inc
TESTS += %D%/abi/layout

unit_tests += %D%/check_slots
%C%_check_slots_CPPFLAGS = $(ort_test_cppflags)
%C%_check_slots_LDADD = $(ort_test_ldadd)
%C%_check_slots_SOURCES = %D%/check_slots.c %D%/returns.inc

unit_tests += %D%/check_alike
%C%_check_alike_CPPFLAGS = $(ort_test_cppflags)
%C%_check_alike_LDADD = $(ort_test_ldadd) $(PTHREAD_LIBS)
%C%_check_alike_SOURCES = %D%/check_alike.c %D%/editor_kit.h %D%/kit.h tests/unit/support/proto_writer.h

unit_tests += %D%/check_workers
%C%_check_workers_CPPFLAGS = $(ort_test_cppflags)
%C%_check_workers_LDADD = $(ort_test_ldadd) $(PTHREAD_LIBS)
%C%_check_workers_SOURCES = \
	%D%/check_workers.c %D%/editor_kit.h %D%/kit.h tests/unit/support/proto_writer.h

unit_tests += %D%/check_workers_memory
%C%_check_workers_memory_CPPFLAGS = $(ort_test_cppflags)
%C%_check_workers_memory_LDADD = $(ort_test_ldadd) $(PTHREAD_LIBS)
%C%_check_workers_memory_SOURCES = \
	%D%/check_workers_memory.c %D%/kit.h tests/unit/support/count_alloc.c \
	tests/unit/support/count_alloc.h tests/unit/support/proto_writer.h

unit_tests += %D%/check_feeds
%C%_check_feeds_CPPFLAGS = $(ort_test_cppflags)
%C%_check_feeds_LDADD = $(ort_test_ldadd) $(PTHREAD_LIBS)
%C%_check_feeds_SOURCES = %D%/async.h %D%/check_feeds.c %D%/kit.h tests/unit/support/proto_writer.h

unit_tests += %D%/check_run
%C%_check_run_CPPFLAGS = $(ort_test_cppflags)
%C%_check_run_LDADD = $(ort_test_ldadd) $(PTHREAD_LIBS)
%C%_check_run_SOURCES = %D%/async.h %D%/check_run.c %D%/kit.h tests/unit/support/proto_writer.h

unit_tests += %D%/check_values
%C%_check_values_CPPFLAGS = $(ort_test_cppflags)
%C%_check_values_LDADD = $(ort_test_ldadd)
%C%_check_values_SOURCES = %D%/check_values.c %D%/kit.h tests/unit/support/proto_writer.h

unit_tests += %D%/check_sparse
%C%_check_sparse_CPPFLAGS = $(ort_test_cppflags)
%C%_check_sparse_LDADD = $(ort_test_ldadd)
%C%_check_sparse_SOURCES = %D%/check_sparse.c %D%/kit.h tests/unit/support/proto_writer.h

unit_tests += %D%/check_options
%C%_check_options_CPPFLAGS = $(ort_test_cppflags)
%C%_check_options_LDADD = $(ort_test_ldadd)
%C%_check_options_SOURCES = %D%/check_options.c %D%/kit.h tests/unit/support/proto_writer.h

dist_check_SCRIPTS += %D%/abi/versions.sh %D%/ort_format.sh
EXTRA_DIST += %D%/ort_format.py
TESTS += %D%/abi/versions.sh %D%/ort_format.sh

unit_tests += %D%/check_devices
%C%_check_devices_CPPFLAGS = $(ort_test_cppflags)
%C%_check_devices_LDADD = $(ort_test_ldadd)
%C%_check_devices_SOURCES = %D%/check_devices.c %D%/kit.h tests/unit/support/proto_writer.h

# ONNX's test data through the C ABI: `backplane conform`, but for what makes and runs sessions.
check_PROGRAMS += %D%/conform/conform
%C%_conform_conform_CPPFLAGS = -I. -I$(srcdir) $(AM_CPPFLAGS) -I$(srcdir)/tests -I$(srcdir)/tests/unit -I$(srcdir)/tools
%C%_conform_conform_LDADD = \
	runtime/ort/libonnxruntime.la runtime/libbackplane.la $(DL_LIBS) $(MATH_LIBS)
%C%_conform_conform_SOURCES = \
	%D%/conform/conform.h \
	%D%/conform/empty.c \
	%D%/conform/ends.c \
	%D%/conform/main.c \
	%D%/conform/values.c \
	tests/unit/support/proto_writer.h \
	$(text_sources) $(conform_sources)
dist_check_SCRIPTS += %D%/conform.sh
TESTS += %D%/conform.sh

unit_tests += %D%/check_threads
%C%_check_threads_CPPFLAGS = $(ort_test_cppflags)
%C%_check_threads_LDADD = $(ort_test_ldadd) $(PTHREAD_LIBS)
%C%_check_threads_SOURCES = %D%/check_threads.c %D%/kit.h tests/unit/support/proto_writer.h

check_PROGRAMS += %D%/cycles
%C%_cycles_CPPFLAGS = -I. $(AM_CPPFLAGS) -I$(srcdir)/tests -I$(srcdir)/tests/unit
%C%_cycles_LDADD = runtime/ort/libonnxruntime.la $(PTHREAD_LIBS)
%C%_cycles_SOURCES = %D%/cycles.c tests/unit/support/count_alloc.c tests/unit/support/count_alloc.h
TESTS += %D%/cycles

# A million sessions, made, run and released; it prints what they cost.
cycles: all %D%/cycles
	@$(AM_TESTS_ENVIRONMENT) BP_CYCLES="$${BP_CYCLES:-1000000}" ./%D%/cycles
.PHONY: cycles

dist_check_SCRIPTS += %D%/abi/prefixes.sh
EXTRA_DIST += %D%/abi/prefix.c
TESTS += %D%/abi/prefixes.sh

unit_tests += %D%/check_misuse
%C%_check_misuse_CPPFLAGS = $(ort_test_cppflags)
%C%_check_misuse_LDADD = $(ort_test_ldadd)
%C%_check_misuse_SOURCES = \
	%D%/args.inc \
	%D%/check_misuse.c \
	%D%/editor_kit.h \
	%D%/kit.h \
	%D%/returns.inc \
	%D%/world.h \
	tests/unit/support/proto_writer.h

unit_tests += %D%/check_variadic
%C%_check_variadic_CPPFLAGS = $(ort_test_cppflags)
%C%_check_variadic_LDADD = $(ort_test_ldadd)
%C%_check_variadic_SOURCES = %D%/check_variadic.c %D%/kit.h tests/unit/support/proto_writer.h

unit_tests += %D%/check_codes
%C%_check_codes_CPPFLAGS = $(ort_test_cppflags)
%C%_check_codes_LDADD = $(ort_test_ldadd)
%C%_check_codes_SOURCES = \
	%D%/check_codes.c %D%/editor_kit.h %D%/kit.h %D%/world.h tests/unit/support/proto_writer.h

unit_tests += %D%/check_declared
%C%_check_declared_CPPFLAGS = $(ort_test_cppflags)
%C%_check_declared_LDADD = $(ort_test_ldadd)
%C%_check_declared_SOURCES = %D%/check_declared.c %D%/kit.h tests/unit/support/proto_writer.h

unit_tests += %D%/check_samples
%C%_check_samples_CPPFLAGS = $(ort_test_cppflags)
%C%_check_samples_LDADD = $(ort_test_ldadd)
%C%_check_samples_SOURCES = %D%/check_samples.c %D%/kit.h tests/unit/support/proto_writer.h

unit_tests += %D%/check_ownership
%C%_check_ownership_CPPFLAGS = $(ort_test_cppflags)
%C%_check_ownership_LDADD = $(ort_test_ldadd)
%C%_check_ownership_SOURCES = %D%/check_ownership.c %D%/kit.h tests/unit/support/proto_writer.h

unit_tests += %D%/check_weights
%C%_check_weights_CPPFLAGS = $(ort_test_cppflags)
%C%_check_weights_LDADD = $(ort_test_ldadd)
%C%_check_weights_SOURCES = %D%/check_weights.c %D%/kit.h tests/unit/support/proto_writer.h

unit_tests += %D%/check_editor
%C%_check_editor_CPPFLAGS = $(ort_test_cppflags)
%C%_check_editor_LDADD = $(ort_test_ldadd)
%C%_check_editor_SOURCES = %D%/check_editor.c %D%/editor_kit.h %D%/kit.h tests/unit/support/proto_writer.h

unit_tests += %D%/check_graphs
%C%_check_graphs_CPPFLAGS = $(ort_test_cppflags)
%C%_check_graphs_LDADD = $(ort_test_ldadd)
%C%_check_graphs_SOURCES = %D%/check_graphs.c %D%/editor_kit.h %D%/kit.h tests/unit/support/proto_writer.h

unit_tests += %D%/check_compile
%C%_check_compile_CPPFLAGS = $(ort_test_cppflags)
%C%_check_compile_LDADD = $(ort_test_ldadd)
%C%_check_compile_SOURCES = %D%/check_compile.c %D%/editor_kit.h %D%/kit.h tests/unit/support/proto_writer.h \
	tests/unit/support/skip.h

unit_tests += %D%/check_allocators
%C%_check_allocators_CPPFLAGS = $(ort_test_cppflags)
%C%_check_allocators_LDADD = $(ort_test_ldadd)
%C%_check_allocators_SOURCES = %D%/check_allocators.c %D%/kit.h tests/unit/support/proto_writer.h

unit_tests += %D%/check_lora
%C%_check_lora_CPPFLAGS = $(ort_test_cppflags)
%C%_check_lora_LDADD = $(ort_test_ldadd)
%C%_check_lora_SOURCES = %D%/adapter_writer.h %D%/check_lora.c %D%/kit.h tests/unit/support/proto_writer.h

unit_tests += %D%/check_preallocated
%C%_check_preallocated_CPPFLAGS = $(ort_test_cppflags)
%C%_check_preallocated_LDADD = $(ort_test_ldadd)
%C%_check_preallocated_SOURCES = %D%/check_preallocated.c %D%/kit.h tests/unit/support/proto_writer.h

unit_tests += %D%/check_policy
%C%_check_policy_CPPFLAGS = $(ort_test_cppflags)
%C%_check_policy_LDADD = $(ort_test_ldadd)
%C%_check_policy_SOURCES = %D%/check_policy.c %D%/kit.h tests/unit/support/proto_writer.h

unit_tests += %D%/check_profile
%C%_check_profile_CPPFLAGS = $(ort_test_cppflags)
%C%_check_profile_LDADD = $(ort_test_ldadd)
%C%_check_profile_SOURCES = %D%/check_profile.c %D%/kit.h tests/unit/support/proto_writer.h

# libraries of operators, as others compile them: against the header alone
operators_ldflags = $(AM_LDFLAGS) -module -avoid-version $(PLUGIN_SHARED) -rpath /nowhere
check_LTLIBRARIES += %D%/libtest-operators.la
%C%_libtest_operators_la_CPPFLAGS = $(AM_CPPFLAGS)
%C%_libtest_operators_la_LDFLAGS = $(operators_ldflags) -no-undefined
%C%_libtest_operators_la_SOURCES = %D%/operators.c

check_LTLIBRARIES += %D%/libtest-operators-refusing.la
%C%_libtest_operators_refusing_la_CPPFLAGS = $(AM_CPPFLAGS) -DREFUSING
%C%_libtest_operators_refusing_la_LDFLAGS = $(operators_ldflags) -no-undefined
%C%_libtest_operators_refusing_la_SOURCES = %D%/operators.c

check_LTLIBRARIES += %D%/libtest-operators-silent.la
%C%_libtest_operators_silent_la_CPPFLAGS = $(AM_CPPFLAGS) -DSILENT
%C%_libtest_operators_silent_la_LDFLAGS = $(operators_ldflags) -no-undefined
%C%_libtest_operators_silent_la_SOURCES = %D%/operators.c

unit_tests += %D%/check_operators
%C%_check_operators_CPPFLAGS = $(ort_test_cppflags)
%C%_check_operators_LDADD = $(ort_test_ldadd) $(DL_LIBS)
%C%_check_operators_SOURCES = %D%/check_operators.c %D%/kit.h tests/unit/support/proto_writer.h
