# SPDX-License-Identifier: MIT
# runtime/custom/ - operators that an application defines, and functions of C libraries as operators.

runtime_libbackplane_core_la_SOURCES += \
	%D%/bind.h \
	%D%/bind_arrays.c \
	%D%/bind_call.c \
	%D%/bind_call.h \
	%D%/bind_elementwise.c \
	%D%/bind_file.c \
	%D%/bind_signature.c \
	%D%/call.c \
	%D%/frame.c \
	%D%/frame_host.h \
	%D%/provider.c \
	%D%/provider.h
