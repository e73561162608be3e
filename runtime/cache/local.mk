# SPDX-License-Identifier: MIT
# runtime/cache/ - files of compiled programs, and the keys that name them.

runtime_libbackplane_core_la_SOURCES += \
	%D%/key.c \
	%D%/key.h \
	%D%/store.c \
	%D%/store.h \
	%D%/store_dir.c \
	%D%/store_write.c
