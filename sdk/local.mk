# SPDX-License-Identifier: MIT
# sdk/ - the headers we install, and how pkg-config finds us.

include_HEADERS = \
	%D%/backplane.h

bpincludedir = $(includedir)/bp
bpinclude_HEADERS = \
	%D%/bp/abi.h \
	%D%/bp/arena.h \
	%D%/bp/einsum.h \
	%D%/bp/note.h \
	%D%/bp/sdk.h

pkgconfig_DATA = \
	%D%/backplane.pc \
	%D%/backplane-sdk.pc

# ONNX Runtime's C ABI, for libonnxruntime
ortincludedir = $(includedir)/onnxruntime
ortinclude_HEADERS = \
	%D%/onnxruntime/onnxruntime_c_api.h \
	%D%/onnxruntime/onnxruntime_ep_c_api.h
