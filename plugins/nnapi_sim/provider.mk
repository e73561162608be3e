# SPDX-License-Identifier: MIT
# plugins/nnapi_sim/provider.mk - the provider, which needs no library to be built.

if ENABLE_NNAPI_SIM
# All of it is a library that tests can link too.
noinst_LTLIBRARIES += %D%/libnnapiprovider.la
%C%_libnnapiprovider_la_CPPFLAGS = $(provider_cppflags) $(nnapi_cppflags) -I$(srcdir)/%D%
%C%_libnnapiprovider_la_LIBADD = plugins/common/libbp-common.la $(DL_LIBS) $(PTHREAD_LIBS) \
	$(MATH_LIBS)
%C%_libnnapiprovider_la_SOURCES = \
	%D%/build.c \
	%D%/build.h \
	%D%/capability.c \
	%D%/capability.h \
	%D%/claim.c \
	%D%/compile.c \
	%D%/estimate.c \
	%D%/facts.c \
	%D%/frame.c \
	%D%/library.c \
	%D%/library.h \
	%D%/lower.c \
	%D%/lower.h \
	%D%/model.c \
	%D%/model.h \
	%D%/nn.h \
	%D%/operator.h \
	%D%/options.c \
	%D%/program.h \
	%D%/provider.c \
	%D%/provider.h \
	%D%/runtime_model.c \
	%D%/runtime_model.h \
	%D%/save.c \
	%D%/trial.c \
	%D%/ops/binary.c \
	%D%/ops/conv.c \
	%D%/ops/elementwise.c \
	%D%/ops/families.h \
	%D%/ops/matmul.c \
	%D%/ops/norm.c \
	%D%/ops/pool.c \
	%D%/ops/quantize.c \
	%D%/ops/resize.c \
	%D%/ops/shape.c \
	%D%/ops/slice.c \
	%D%/ops/table.c \
	%D%/ops/window.c

if PLUGIN_FILES
provider_LTLIBRARIES += %D%/libbp-nnapi.la
else
EXTRA_LTLIBRARIES += %D%/libbp-nnapi.la
endif
%C%_libbp_nnapi_la_LDFLAGS = $(provider_ldflags)
%C%_libbp_nnapi_la_SOURCES =
%C%_libbp_nnapi_la_LIBADD = %D%/libnnapiprovider.la

plugins/static/libbp-nnapi.o: %D%/libnnapiprovider.la tools/backplane-embed
	@$(MKDIR_P) plugins/static
	$(AM_V_GEN)$(embed) nnapi -o $@ %D%/libnnapiprovider.la
endif
