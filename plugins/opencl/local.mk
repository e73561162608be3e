# SPDX-License-Identifier: MIT
# plugins/opencl/ - groups of nodes on a device behind an OpenCL driver.

opencl_kernels = \
	%D%/kernels/attention.cl \
	%D%/kernels/chain.cl \
	%D%/kernels/elementwise.cl \
	%D%/kernels/gather.cl \
	%D%/kernels/gemm.cl \
	%D%/kernels/implicit.cl \
	%D%/kernels/int_gemm.cl \
	%D%/kernels/lines.cl \
	%D%/kernels/move.cl \
	%D%/kernels/normalize.cl \
	%D%/kernels/pad.cl \
	%D%/kernels/pool.cl \
	%D%/kernels/quantize.cl \
	%D%/kernels/recurrent.cl \
	%D%/kernels/reduce.cl \
	%D%/kernels/resize.cl \
	%D%/kernels/scatter.cl \
	%D%/kernels/types.cl \
	%D%/kernels/window.cl \
	%D%/kernels/winograd.cl

EXTRA_DIST += %D%/README.md %D%/operators.md %D%/plan.svg %D%/speed.svg $(opencl_kernels)

if ENABLE_OPENCL
# The texts of kernels/*.cl as arrays with a NUL at the end.
%D%/kernels.c: $(opencl_kernels)
	@$(MKDIR_P) %D%
	$(AM_V_GEN){ echo '#include "build/kernels.h"'; \
	    for file in $^; do \
	        echo "const char bp_opencl_$$(basename $$file .cl)_cl[] = {"; \
	        od -An -v -td1 $$file | sed 's/  */,/g;s/^,//;s/$$/,/'; \
	        echo '0};'; \
	    done; } >$@.new && mv $@.new $@
CLEANFILES += %D%/kernels.c

# All of it is a library that tests can link too.
noinst_LTLIBRARIES += %D%/libopenclprovider.la
%C%_libopenclprovider_la_CPPFLAGS = $(provider_cppflags) -I$(srcdir)/%D%
%C%_libopenclprovider_la_LIBADD = plugins/common/libbp-common.la $(DL_LIBS) $(PTHREAD_LIBS) -lm
nodist_%C%_libopenclprovider_la_SOURCES = %D%/kernels.c
%C%_libopenclprovider_la_SOURCES = \
	%D%/base/bytes.h \
	%D%/base/claim.c \
	%D%/base/claim.h \
	%D%/base/instance.h \
	%D%/base/library.c \
	%D%/base/library.h \
	%D%/base/memory.c \
	%D%/base/memory.h \
	%D%/base/operator.h \
	%D%/base/own_graph.c \
	%D%/base/own_graph.h \
	%D%/base/program.h \
	%D%/base/shared.c \
	%D%/base/shared.h \
	%D%/base/status.c \
	%D%/base/surroundings.c \
	%D%/base/surroundings.h \
	%D%/build/build_frame.c \
	%D%/build/build_frame.h \
	%D%/build/builder.c \
	%D%/build/builder.h \
	%D%/build/chain.c \
	%D%/build/chain.h \
	%D%/build/chain_kernel.c \
	%D%/build/chain_kernel.h \
	%D%/build/frame.h \
	%D%/build/kernels.c \
	%D%/build/kernels.h \
	%D%/build/tune.c \
	%D%/build/tune.h \
	%D%/capability.c \
	%D%/capability.h \
	%D%/compile.c \
	%D%/compile.h \
	%D%/operators.c \
	%D%/operators.h \
	%D%/ops/attention.c \
	%D%/ops/binary.c \
	%D%/ops/conv.c \
	%D%/ops/conv.h \
	%D%/ops/elementwise.c \
	%D%/ops/elementwise.h \
	%D%/ops/gather.c \
	%D%/ops/gemm.c \
	%D%/ops/gemm.h \
	%D%/ops/int_conv.c \
	%D%/ops/int_matmul.c \
	%D%/ops/lines.c \
	%D%/ops/list.h \
	%D%/ops/matmul.c \
	%D%/ops/move.c \
	%D%/ops/move.h \
	%D%/ops/normalize.c \
	%D%/ops/pad.c \
	%D%/ops/pool.c \
	%D%/ops/quantize.c \
	%D%/ops/quantized.h \
	%D%/ops/recurrent.c \
	%D%/ops/reduce.c \
	%D%/ops/resize.c \
	%D%/ops/scatter.c \
	%D%/ops/unary.c \
	%D%/ops/views.c \
	%D%/ops/window.c \
	%D%/ops/window.h \
	%D%/ops/winograd.c \
	%D%/provider.c \
	%D%/run/device.c \
	%D%/run/device.h \
	%D%/run/events.c \
	%D%/run/events.h \
	%D%/run/execute.c \
	%D%/run/execute.h \
	%D%/save.c \
	%D%/save.h

if PLUGIN_FILES
provider_LTLIBRARIES += %D%/libbp-opencl.la
else
EXTRA_LTLIBRARIES += %D%/libbp-opencl.la
endif
%C%_libbp_opencl_la_LDFLAGS = $(provider_ldflags)
%C%_libbp_opencl_la_SOURCES =
%C%_libbp_opencl_la_LIBADD = %D%/libopenclprovider.la

plugins/static/libbp-opencl.o: %D%/libopenclprovider.la tools/backplane-embed
	@$(MKDIR_P) plugins/static
	$(AM_V_GEN)$(embed) opencl -o $@ %D%/libopenclprovider.la
endif
