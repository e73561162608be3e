# SPDX-License-Identifier: MIT
# plugins/common/ - helpers that providers share, linked into each.

noinst_LTLIBRARIES += %D%/libbp-common.la
%C%_libbp_common_la_CPPFLAGS = $(provider_cppflags)
%C%_libbp_common_la_SOURCES = \
	%D%/blocks.c \
	%D%/blocks.h \
	%D%/broadcast.c \
	%D%/broadcast.h \
	%D%/float16.h \
	%D%/refuse.h \
	%D%/resize_axis.c \
	%D%/resize_axis.h \
	%D%/resize_rule.c
