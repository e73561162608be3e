# SPDX-License-Identifier: MIT
# tests/fuzz/ - targets for libFuzzer. `make check` runs each on its seeds and 30,000 changed ones.

fuzz_sources = %D%/drive.c %D%/fuzz.h tests/unit/support/proto_writer.h tests/unit/support/model_bytes.h

fuzz_tests = %D%/check_fuzz_ort
check_PROGRAMS += $(fuzz_tests)
TESTS += $(fuzz_tests)
%C%_check_fuzz_ort_SOURCES = %D%/fuzz_ort.c %D%/ort_models.h $(fuzz_sources)
%C%_check_fuzz_ort_CPPFLAGS = $(runtime_cppflags) -I$(srcdir)/tests/unit
%C%_check_fuzz_ort_LDADD = runtime/libbackplane-core.la $(runtime_libs)

EXTRA_PROGRAMS += %D%/fuzz_ort
%C%_fuzz_ort_SOURCES = %D%/fuzz_ort.c %D%/fuzz.h %D%/ort_models.h tests/unit/support/proto_writer.h tests/unit/support/model_bytes.h
%C%_fuzz_ort_CPPFLAGS = $(runtime_cppflags) -I$(srcdir)/tests/unit
%C%_fuzz_ort_LDFLAGS = $(AM_LDFLAGS) -fsanitize=fuzzer
%C%_fuzz_ort_LDADD = runtime/libbackplane-core.la $(runtime_libs)

# make fuzz [FUZZ=ort] [FUZZ_CC=clang] [FUZZ_RUNS=10000000]: builds the target of that name with
# libFuzzer, ASan and UBSan in fuzz-build/ and runs it, from its seeds in fuzz-build/corpus-ort.
FUZZ = ort
FUZZ_CC = clang
FUZZ_RUNS = 10000000
fuzz: %D%/check_fuzz_$(FUZZ)$(EXEEXT)
	@$(MKDIR_P) fuzz-build/corpus-$(FUZZ)
	@test -f fuzz-build/Makefile || (cd fuzz-build && '$(abs_top_srcdir)/configure' --quiet \
	    --enable-sanitizers --disable-shared CC='$(FUZZ_CC)' \
	    CFLAGS='-g1 -O1 -fsanitize=fuzzer-no-link')
	cd fuzz-build && $(MAKE) $(AM_MAKEFLAGS) %D%/fuzz_$(FUZZ)$(EXEEXT)
	$(SHELL) ./libtool --mode=execute %D%/check_fuzz_$(FUZZ)$(EXEEXT) -w fuzz-build/corpus-$(FUZZ)
	cd fuzz-build && ASAN_OPTIONS=allocator_may_return_null=1 %D%/fuzz_$(FUZZ)$(EXEEXT) \
	    -max_len=4096 -timeout=25 -rss_limit_mb=4096 -runs=$(FUZZ_RUNS) -print_final_stats=1 \
	    corpus-$(FUZZ)
.PHONY: fuzz
