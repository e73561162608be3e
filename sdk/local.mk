# SPDX-License-Identifier: MIT
# sdk/ - the headers we install, and how pkg-config finds us.

include_HEADERS = \
	%D%/backplane.h \
	%D%/backplane.hpp \
	%D%/backplane_operators.h

bpincludedir = $(includedir)/bp
bpinclude_HEADERS = \
	%D%/bp/abi.h \
	%D%/bp/arena.h \
	%D%/bp/einsum.h \
	%D%/bp/estimate.h \
	%D%/bp/manifest.h \
	%D%/bp/sdk.h \
	%D%/bp/sim.h

# what a plug-in's link needs: backplane-sdk.pc names it as exportmap
sdkdatadir = $(datadir)/backplane
dist_sdkdata_DATA = \
	%D%/provider.map

pkgconfig_DATA = \
	%D%/backplane.pc \
	%D%/backplane-sdk.pc \
	%D%/backplane-sim.pc

# find_package(backplane) of CMake
bpcmakedir = $(libdir)/cmake/backplane
bpcmake_DATA = \
	%D%/backplaneConfig.cmake \
	%D%/backplaneConfigVersion.cmake

# The simulated accelerator: an archive, so that a plug-in which was linked with it needs no other file;
# never with sanitizers, which a stranger's compiler would have to have as well.
sdklibdir = $(libdir)
sdklib_LIBRARIES = %D%/libbp-sim.a
%C%_libbp_sim_a_CPPFLAGS = $(AM_CPPFLAGS) -D_GNU_SOURCE
%C%_libbp_sim_a_CFLAGS = -std=c11 -fPIC -fvisibility=hidden $(WARNING_CFLAGS)
%C%_libbp_sim_a_SOURCES = \
	%D%/sim/memory.c \
	%D%/sim/parts.h \
	%D%/sim/stream.c

# ONNX Runtime's C ABI, for libonnxruntime
ortincludedir = $(includedir)/onnxruntime
ortinclude_HEADERS = \
	%D%/onnxruntime/cpu_provider_factory.h \
	%D%/onnxruntime/dnnl_provider_options.h \
	%D%/onnxruntime/onnxruntime_c_api.h \
	%D%/onnxruntime/onnxruntime_env_config_keys.h \
	%D%/onnxruntime/onnxruntime_ep_c_api.h \
	%D%/onnxruntime/onnxruntime_ep_device_ep_metadata_keys.h \
	%D%/onnxruntime/onnxruntime_error_code.h \
	%D%/onnxruntime/onnxruntime_macros.h \
	%D%/onnxruntime/onnxruntime_run_options_config_keys.h \
	%D%/onnxruntime/onnxruntime_session_options_config_keys.h \
	%D%/onnxruntime/provider_options.h

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
templatedevicedir = $(templatedir)/device
dist_templatedevice_DATA = \
	%D%/template/device/CMakeLists.txt \
	%D%/template/device/Makefile \
	%D%/template/device/README.md \
	%D%/template/device/provider.c
templatecommondir = $(templatedir)/common
dist_templatecommon_DATA = \
	%D%/template/common/README.md \
	%D%/template/common/kit.yml \
	%D%/template/common/provider.map

# The SDK alone: headers, export map, templates, the simulated accelerator, tools, docs; no host, no
# provider. The kit links none of ours, so it is copied as it is: automake's own rule would install all
# libraries first.
install-sdk: tools/backplane-embed tools/backplane-new tools/backplane-check$(EXEEXT)
	$(MAKE) $(AM_MAKEFLAGS) install-includeHEADERS install-bpincludeHEADERS install-pkgconfigDATA \
	    install-dist_sdkdataDATA install-sdklibLIBRARIES install-dist_templatecDATA \
	    install-dist_templatecppDATA install-dist_templatedeviceDATA install-dist_templatecommonDATA \
	    install-binSCRIPTS install-nobase_dist_docDATA install-man \
	    install-man-links
	$(LIBTOOL) --mode=install $(INSTALL_PROGRAM) tools/backplane-check$(EXEEXT) \
	    "$(DESTDIR)$(bindir)/backplane-check$(EXEEXT)"
.PHONY: install-sdk
