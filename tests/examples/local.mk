# SPDX-License-Identifier: MIT
# tests/examples/ - do the example programs do what they say?

unit_tests += %D%/check_faces
%C%_check_faces_CPPFLAGS = $(unit_cppflags) -I$(srcdir)/examples
%C%_check_faces_LDADD = runtime/libbackplane.la $(CHECK_LIBS) $(MATH_LIBS)
%C%_check_faces_SOURCES = %D%/check_faces.c \
	examples/common/example.c \
	examples/faces/draw.c \
	examples/faces/image.c \
	examples/faces/pick.c

unit_tests += %D%/check_npy
%C%_check_npy_CPPFLAGS = $(unit_cppflags) -I$(srcdir)/examples
%C%_check_npy_LDADD = runtime/libbackplane.la $(CHECK_LIBS)
%C%_check_npy_SOURCES = %D%/check_npy.c \
	examples/common/example.c \
	examples/digits/npy.c

dist_check_SCRIPTS += %D%/decode.sh %D%/digits.sh %D%/embed.sh %D%/faces.sh %D%/faces_errors.sh %D%/guide.sh %D%/readme.sh %D%/service.sh %D%/streaming.sh %D%/strings.sh
EXTRA_DIST += %D%/embed_app.c
TESTS += %D%/decode.sh %D%/digits.sh %D%/embed.sh %D%/guide.sh %D%/readme.sh %D%/service.sh %D%/streaming.sh %D%/strings.sh
if HAVE_FACES
TESTS += %D%/faces.sh %D%/faces_errors.sh
endif
