# SPDX-License-Identifier: MIT
# examples/decode/ - continues tokens with a language model and its key/value cache.

noinst_PROGRAMS += %D%/decode
%C%_decode_CPPFLAGS = $(AM_CPPFLAGS)
%C%_decode_LDADD = runtime/libbackplane.la $(MATH_LIBS)
%C%_decode_SOURCES = \
	examples/common/example.c examples/common/example.h \
	%D%/cache.c %D%/cache.h \
	%D%/decode.c
EXTRA_DIST += %D%/README.md %D%/decode.onnx %D%/model.py
