# SPDX-License-Identifier: MIT
# examples/digits/ - reads handwritten digits; says how well, how fast and where.

noinst_PROGRAMS += %D%/digits
%C%_digits_CPPFLAGS = $(AM_CPPFLAGS) -DDIGITS_DATA='"$(abs_srcdir)/%D%"'
%C%_digits_LDADD = runtime/libbackplane.la $(MATH_LIBS)
%C%_digits_SOURCES = \
	examples/common/example.c examples/common/example.h \
	examples/common/placement.c examples/common/placement.h \
	%D%/data.c %D%/data.h \
	%D%/digits.c \
	%D%/npy.c %D%/npy.h

nobase_dist_doc_DATA += \
	%D%/README.md \
	%D%/data.c \
	%D%/data.h \
	%D%/digits.c \
	%D%/digits.onnx \
	%D%/digits_labels.npy \
	%D%/digits_test.npy \
	%D%/npy.c \
	%D%/npy.h \
	%D%/train.py
