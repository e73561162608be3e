# SPDX-License-Identifier: MIT
# examples/faces/ - finds the faces in a photograph; needs libjpeg and libpng.

if HAVE_FACES
noinst_PROGRAMS += %D%/faces
%C%_faces_CPPFLAGS = $(AM_CPPFLAGS) $(FACES_CFLAGS)
%C%_faces_LDADD = runtime/libbackplane.la $(FACES_LIBS) $(MATH_LIBS)
%C%_faces_SOURCES = \
	examples/common/example.c examples/common/example.h \
	examples/common/placement.c examples/common/placement.h \
	%D%/detect.c %D%/detect.h \
	%D%/draw.c %D%/draw.h \
	%D%/image.c %D%/image.h \
	%D%/jpeg_reader.c %D%/jpeg_reader.h \
	%D%/main.c \
	%D%/pick.c %D%/pick.h \
	%D%/png_writer.c %D%/png_writer.h
endif

nobase_dist_doc_DATA += \
	%D%/README.md \
	%D%/detect.c \
	%D%/detect.h \
	%D%/draw.c \
	%D%/draw.h \
	%D%/image.c \
	%D%/image.h \
	%D%/jpeg_reader.c \
	%D%/jpeg_reader.h \
	%D%/main.c \
	%D%/pick.c \
	%D%/pick.h \
	%D%/png_writer.c \
	%D%/png_writer.h
