# SPDX-License-Identifier: MIT
# sdk/ - the headers we install, and how pkg-config finds us.

include_HEADERS = \
	%D%/backplane.h \
	%D%/backplane_operators.h

bpincludedir = $(includedir)/bp
bpinclude_HEADERS = \
	%D%/bp/abi.h \
	%D%/bp/arena.h \
	%D%/bp/einsum.h \
	%D%/bp/note.h \
	%D%/bp/sdk.h

# what a plug-in's link needs: backplane-sdk.pc names it as exportmap
sdkdatadir = $(datadir)/backplane
dist_sdkdata_DATA = \
	%D%/provider.map

pkgconfig_DATA = \
	%D%/backplane.pc \
	%D%/backplane-sdk.pc

# ONNX Runtime's C ABI, for libonnxruntime
ortincludedir = $(includedir)/onnxruntime
ortinclude_HEADERS = \
	%D%/onnxruntime/onnxruntime_c_api.h \
	%D%/onnxruntime/onnxruntime_ep_c_api.h

# what backplane-new copies
templatedir = $(datadir)/backplane/template
templatecdir = $(templatedir)/c
dist_templatec_DATA = \
	%D%/template/c/CMakeLists.txt \
	%D%/template/c/Makefile \
	%D%/template/c/provider.c
templatecppdir = $(templatedir)/cpp
dist_templatecpp_DATA = \
	%D%/template/cpp/CMakeLists.txt \
	%D%/template/cpp/Makefile \
	%D%/template/cpp/provider.cpp
templatecommondir = $(templatedir)/common
dist_templatecommon_DATA = \
	%D%/template/common/README.md \
	%D%/template/common/kit.yml \
	%D%/template/common/provider.map

# The SDK alone: headers, export map, templates, tools, docs; no library, no provider. The kit links
# none of ours, so it is copied as it is: automake's own rule would install all libraries first.
install-sdk: tools/backplane-new tools/backplane-check$(EXEEXT)
	$(MAKE) $(AM_MAKEFLAGS) install-includeHEADERS install-bpincludeHEADERS install-pkgconfigDATA \
	    install-dist_sdkdataDATA install-dist_templatecDATA install-dist_templatecppDATA \
	    install-dist_templatecommonDATA install-binSCRIPTS install-dist_docDATA install-man
	$(LIBTOOL) --mode=install $(INSTALL_PROGRAM) tools/backplane-check$(EXEEXT) \
	    "$(DESTDIR)$(bindir)/backplane-check$(EXEEXT)"
.PHONY: install-sdk
