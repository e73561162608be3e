# SPDX-License-Identifier: MIT
# runtime/ - libbackplane. All of it is in a convenience library, so that unit tests reach what the
# shared library hides; each folder adds its sources to that.

runtime_cppflags = -I. -I$(srcdir) -Iruntime -I$(srcdir)/runtime $(AM_CPPFLAGS) $(PROTOBUF_C_CFLAGS) \
	$(LIBFFI_CFLAGS)
runtime_libs = $(PROTOBUF_C_LIBS) $(LIBFFI_LIBS) $(LTDL_LIBS) $(PTHREAD_LIBS) $(DL_LIBS) $(MATH_LIBS)

noinst_LTLIBRARIES += %D%/libbackplane-core.la
%C%_libbackplane_core_la_CPPFLAGS = $(runtime_cppflags) \
	-DBP_CONFIG_DIR='"$(sysconfdir)/backplane"' \
	-DBP_ALLOW_DIR='"$(sysconfdir)/backplane/allow.d"' \
	-DBP_PROVIDER_DIR='"$(providerdir)"' \
	-DBP_PROBE_PATH='"$(pkglibexecdir)/backplane-probe"'
%C%_libbackplane_core_la_SOURCES = $(text_sources)
%C%_libbackplane_core_la_LIBADD =

include %D%/base/local.mk
include %D%/value/local.mk
include %D%/cache/local.mk
include %D%/graph/local.mk
include %D%/model/local.mk
include %D%/host/local.mk
include %D%/optimize/local.mk
include %D%/plan/local.mk
include %D%/custom/local.mk
include %D%/report/local.mk
include %D%/compile/local.mk
include %D%/exec/local.mk
include %D%/session/local.mk

lib_LTLIBRARIES += %D%/libbackplane.la
%C%_libbackplane_la_SOURCES =
%C%_libbackplane_la_LIBADD = %D%/libbackplane-core.la $(runtime_libs)
%C%_libbackplane_la_LDFLAGS = $(AM_LDFLAGS) -version-info 0:0:0 -no-undefined $(PROVIDER_LDFLAGS)
EXTRA_DIST += %D%/libbackplane.map
if HAVE_VERSION_SCRIPT
%C%_libbackplane_la_LDFLAGS += -Wl,--version-script=$(srcdir)/%D%/libbackplane.map
EXTRA_%C%_libbackplane_la_DEPENDENCIES = %D%/libbackplane.map
endif

include %D%/ort/local.mk
