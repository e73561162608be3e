# SPDX-License-Identifier: MIT
# tests/bench/ - how fast models run, beside ONNX Runtime where its library is given.

check_PROGRAMS += %D%/compare
dist_check_SCRIPTS += %D%/bench_test.sh
TESTS += %D%/bench_test.sh
%C%_compare_CPPFLAGS = -I. $(AM_CPPFLAGS) -isystem $(srcdir)/sdk/onnxruntime
%C%_compare_SOURCES = \
	%D%/bench.h \
	%D%/compare.c \
	%D%/peak.c \
	%D%/session.c
%C%_compare_LDADD = $(DL_LIBS) -lm

EXTRA_DIST += \
	%D%/bench.sh \
	%D%/memory.awk \
	%D%/memory.sh \
	%D%/memory.txt \
	%D%/models.txt \
	%D%/page.awk \
	%D%/page.sh \
	%D%/plot.awk

# make bench BENCH_MODELS=FOLDER [BENCH_PEER=.../libonnxruntime.so] [BENCH_SECONDS=2] [BENCH_THREADS='1 2']
#   [BENCH_PROVIDERS='cpu dnnl dnnl:math_mode=fast'] [BENCH_LIST=FILE] [BENCH_OUT=FOLDER]
#   [BENCH_BASELINE=NAME], what the picture calls the peer, where that is not ONNX Runtime
# writes performance.md, .svg and .tsv into BENCH_OUT, by default bench/ of the build. docs/performance.md
# and its picture come from BENCH_OUT=$(srcdir)/docs.
# make bench-memory with the same variables measures the peaks of resident memory alone: memory.tsv, and
# a section of performance.md, which has the figures of both that are in BENCH_OUT.
bench bench-memory: all %D%/compare$(EXEEXT)
	@BACKPLANE_PROVIDER_PATH='$(abs_builddir)/providers'; export BACKPLANE_PROVIDER_PATH; \
	BACKPLANE_PROBE_HELPER='$(abs_builddir)/runtime/backplane-probe'; export BACKPLANE_PROBE_HELPER; \
	BP_SRCDIR='$(abs_srcdir)' BP_BUILDDIR='$(abs_builddir)' \
	$(SHELL) $(srcdir)/%D%/$(subst bench-,,$@).sh
.PHONY: bench bench-memory
