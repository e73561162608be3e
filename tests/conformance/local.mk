# SPDX-License-Identifier: MIT
# tests/conformance/ - one suite of operator cases, run on every provider that was built.

dist_check_SCRIPTS += %D%/cann.sh %D%/device.sh %D%/dnnl.sh %D%/models.sh %D%/onnx.sh %D%/onnx_new.sh
EXTRA_DIST += %D%/onnx.expect %D%/onnx_new.expect
TESTS += %D%/cann.sh %D%/device.sh %D%/dnnl.sh %D%/models.sh %D%/onnx.sh %D%/onnx_new.sh

dist_check_SCRIPTS += %D%/dnnl_threads.sh
TESTS += %D%/dnnl_threads.sh
check_PROGRAMS += %D%/dnnl_threads
%C%_dnnl_threads_SOURCES = %D%/dnnl_threads.c
%C%_dnnl_threads_CPPFLAGS = -I. $(AM_CPPFLAGS)
%C%_dnnl_threads_LDADD = runtime/libbackplane.la -lm
