# SPDX-License-Identifier: MIT
# examples/strings/ - classifies sentences: text and a map in, text and a sequence of maps out.

noinst_PROGRAMS += %D%/strings
%C%_strings_CPPFLAGS = $(AM_CPPFLAGS)
%C%_strings_LDADD = runtime/libbackplane.la $(MATH_LIBS)
%C%_strings_SOURCES = \
	examples/common/example.c examples/common/example.h \
	%D%/strings.c

nobase_dist_doc_DATA += \
	%D%/README.md \
	%D%/model.py \
	%D%/strings.c \
	%D%/strings.onnx
