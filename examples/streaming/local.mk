# SPDX-License-Identifier: MIT
# examples/streaming/ - detects something in a stream of sound, chunk by chunk, with a state and deadlines.

noinst_PROGRAMS += %D%/streaming
%C%_streaming_CPPFLAGS = $(AM_CPPFLAGS)
%C%_streaming_LDADD = runtime/libbackplane.la $(MATH_LIBS)
%C%_streaming_SOURCES = \
	examples/common/example.c examples/common/example.h \
	%D%/audio.c %D%/audio.h \
	%D%/detector.c %D%/detector.h \
	%D%/streaming.c

nobase_dist_doc_DATA += \
	%D%/README.md \
	%D%/audio.c \
	%D%/audio.h \
	%D%/detector.c \
	%D%/detector.h \
	%D%/model.py \
	%D%/streaming.c \
	%D%/streaming.onnx
