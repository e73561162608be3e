# SPDX-License-Identifier: MIT
# runtime/host/ - loader, registry, options, the table handed to providers.

runtime_libbackplane_core_la_SOURCES += \
	%D%/dlopen.c %D%/dlopen.h \
	%D%/elf.c %D%/elf.h \
	%D%/env.c %D%/env.h \
	%D%/loader.c %D%/loader.h \
	%D%/names.c %D%/names.h \
	%D%/note.c %D%/note.h \
	%D%/options.c %D%/options.h \
	%D%/registry.c %D%/registry.h \
	%D%/search.c %D%/search.h \
	%D%/services.c %D%/services.h \
	%D%/spec.c %D%/spec.h \
	%D%/weights.c %D%/weights.h
