# SPDX-License-Identifier: MIT
# runtime/value/ - values that own their memory: tensors, sequences, optionals, maps, sparse tensors.

runtime_libbackplane_core_la_SOURCES += \
	%D%/object.c \
	%D%/object.h \
	%D%/scalars.c \
	%D%/sparse.c \
	%D%/strings.c \
	%D%/tensor.c \
	%D%/tensor.h
