# SPDX-License-Identifier: MIT
# runtime/value/ - values that own their memory: tensors, sequences, optionals, maps.

runtime_libbackplane_core_la_SOURCES += \
	%D%/object.c \
	%D%/object.h \
	%D%/tensor.c \
	%D%/tensor.h
