# SPDX-License-Identifier: MIT
# examples/service/ - serves a model to several threads, with deadlines, reloads and a memory limit.

noinst_PROGRAMS += %D%/service
%C%_service_CPPFLAGS = $(AM_CPPFLAGS)
%C%_service_LDADD = runtime/libbackplane.la $(MATH_LIBS)
%C%_service_SOURCES = \
	examples/common/example.c examples/common/example.h \
	%D%/current.c %D%/current.h \
	%D%/requests.c %D%/requests.h \
	%D%/service.c

nobase_dist_doc_DATA += \
	%D%/README.md \
	%D%/current.c \
	%D%/current.h \
	%D%/requests.c \
	%D%/requests.h \
	%D%/service.c
