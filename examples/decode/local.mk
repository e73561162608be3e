# SPDX-License-Identifier: MIT
# examples/decode/ - continues tokens with a language model and its key/value cache.

noinst_PROGRAMS += %D%/decode
%C%_decode_CPPFLAGS = $(AM_CPPFLAGS)
%C%_decode_LDADD = runtime/libbackplane.la $(MATH_LIBS)
%C%_decode_SOURCES = \
	examples/common/example.c examples/common/example.h \
	%D%/decode.c

nobase_dist_doc_DATA += \
	%D%/README.md \
	%D%/decode.c \
	%D%/decode.onnx \
	%D%/model.py
