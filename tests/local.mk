# SPDX-License-Identifier: MIT
# tests/ - what `make check` runs. Exit status 77 is a skip.

TEST_EXTENSIONS = .sh
SH_LOG_COMPILER = $(SHELL)

# What a test finds in its environment: of the caller's BACKPLANE_* only what names data. BACKPLANE_MODELS, a folder of larger models, and
# BACKPLANE_ONNX_TESTS, newer tests of ONNX, may come from outside; tests that need them skip without.
# ASan must let an allocation fail, as other builds do, and not watch how thread-local memory of opened
# libraries is made: clang 14 guesses its size, and LeakSanitizer crashes there (LLVM's D147459).
AM_TESTS_ENVIRONMENT = \
	for name in `env | sed -n 's/^\(BACKPLANE_[A-Z0-9_]*\)=.*/\1/p'`; do \
	    case $$name in \
	    BACKPLANE_CACHE | BACKPLANE_DIFFERENCES | BACKPLANE_MODELS | BACKPLANE_ONNX_TESTS | \
	    BACKPLANE_ORT_* | BACKPLANE_STARTUP_MS) ;; \
	    *) unset $$name ;; \
	    esac; \
	done; \
	BACKPLANE_PROVIDER_PATH='$(abs_builddir)/providers'; export BACKPLANE_PROVIDER_PATH; \
	BACKPLANE_PROBE_HELPER='$(abs_builddir)/runtime/backplane-probe'; \
	export BACKPLANE_PROBE_HELPER; \
	XDG_CONFIG_HOME='$(abs_srcdir)/tests/config'; export XDG_CONFIG_HOME; \
	BP_SRCDIR='$(abs_srcdir)'; export BP_SRCDIR; \
	BP_BUILDDIR='$(abs_builddir)'; export BP_BUILDDIR; \
	BP_MOCK_DIR='$(abs_builddir)/tests/mock/.libs'; export BP_MOCK_DIR; \
	BP_COVERED_DIR='$(abs_builddir)/tests/unit/ran'; export BP_COVERED_DIR; \
	$(MKDIR_P) "$$BP_COVERED_DIR"; \
	CK_DEFAULT_TIMEOUT=120; export CK_DEFAULT_TIMEOUT; \
	ASAN_OPTIONS="allocator_may_return_null=1:intercept_tls_get_addr=0:$$ASAN_OPTIONS"; \
	export ASAN_OPTIONS; \
	CC='$(CC)'; export CC; \
	CXX='$(CXX)'; export CXX;

# where a test that takes long tells how far it is
AM_TESTS_FD_REDIRECT = 8>&2

unit_tests =
cpu_tests =
unit_cppflags = $(runtime_cppflags) -I$(srcdir)/tests -I$(srcdir)/tests/unit $(CHECK_CFLAGS)
unit_ldadd = runtime/libbackplane-core.la $(runtime_libs) $(CHECK_LIBS)

include %D%/unit/local.mk
include %D%/mock/local.mk
include %D%/cann_sim/local.mk
include %D%/nnapi_sim/local.mk
include %D%/nnapi_sim/provider.mk
include %D%/conformance/local.mk
include %D%/abi/local.mk
include %D%/cli/local.mk
include %D%/cxx/local.mk
include %D%/bench/local.mk
include %D%/perf/local.mk
include %D%/proofs/local.mk
include %D%/reduced/local.mk
include %D%/docs/local.mk
include %D%/examples/local.mk
include %D%/fuzz/local.mk
include %D%/kit/local.mk
include %D%/opencl/local.mk
include %D%/ort/local.mk
include %D%/clients/local.mk
include %D%/differential/local.mk
include %D%/style/local.mk

if HAVE_CHECK
check_PROGRAMS += $(unit_tests)
TESTS += $(unit_tests)
else
check-local:
	@echo "make check: the unit tests need the Check library: install Debian's check and configure anew" >&2
	@exit 1
endif

EXTRA_DIST += %D%/config/backplane/providers.conf
EXTRA_DIST += %D%/built.sh %D%/memcheck.sh %D%/memcheck.supp %D%/tsan.supp

# Unit tests under valgrind: those of TESTS, which by default has all of them, less those that
# $MEMCHECK_SKIP, an extended regular expression, matches. Only they are built.
memcheck: all $(check_LTLIBRARIES)
	@test -n "$(VALGRIND)" || { \
	    echo "make memcheck: no valgrind: install Debian's valgrind and configure anew" >&2; exit 1; }
	@chosen=; for test in $(unit_tests); do \
	    case " $(TESTS) " in *" $$test "*) \
	        echo "$$test" | grep -Eq "$${MEMCHECK_SKIP:-^$$}" || chosen="$$chosen $$test" ;; \
	    esac; \
	done; \
	test -n "$$chosen" || { echo "make memcheck: TESTS names no unit test to run" >&2; exit 1; }; \
	$(MAKE) $(AM_MAKEFLAGS) $$chosen || exit 1; \
	$(AM_TESTS_ENVIRONMENT) VALGRIND='$(VALGRIND)'; export VALGRIND; \
	printf '%s\n' $$chosen | xargs -n 1 -P "$${JOBS:-2}" $(SHELL) $(srcdir)/tests/memcheck.sh
.PHONY: memcheck

# What threads do at once, of a build with --enable-sanitizers=thread.
thread_tests = \
	%D%/ort/check_run \
	%D%/ort/check_threads \
	%D%/ort/check_values \
	%D%/proofs/exits \
	%D%/unit/base/check_pool \
	%D%/unit/exec/check_handover \
	%D%/unit/host/check_env_threads \
	%D%/unit/host/check_registry \
	%D%/unit/session/check_async \
	%D%/unit/session/check_frames \
	%D%/unit/session/check_io_binding \
	%D%/unit/session/check_memory_limit \
	%D%/unit/session/check_session \
	%D%/unit/session/check_session_threads \
	%D%/unit/host/check_shared_weights
if ENABLE_ASCEND_SIM
thread_tests += %D%/cann_sim/check_streams
if ENABLE_CANN_SIM
thread_tests += %D%/cann_sim/check_soak
endif
endif
if ENABLE_NEURALNETWORKS_SIM
thread_tests += %D%/nnapi_sim/check_results %D%/nnapi_sim/check_runs
endif
thread_scripts = %D%/kit/threads.sh
threadcheck:
	@$(MAKE) check TESTS='$(thread_tests) $(thread_scripts)' check_PROGRAMS='$(thread_tests)' check_LTLIBRARIES='$(check_LTLIBRARIES)'
.PHONY: threadcheck
