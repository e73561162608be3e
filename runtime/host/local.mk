# SPDX-License-Identifier: MIT
# runtime/host/ - loader, registry, options, the table handed to providers.

runtime_libbackplane_core_la_SOURCES += \
	%D%/devices.c \
	%D%/bind.h \
	%D%/bind_call.c %D%/bind_call.h \
	%D%/bind_each.c \
	%D%/bind_file.c \
	%D%/bind_parse.c \
	%D%/bind_whole.c \
	%D%/dlopen.c %D%/dlopen.h \
	%D%/env.c %D%/env.h \
	%D%/loader.c %D%/loader.h \
	%D%/names.c %D%/names.h \
	%D%/options.c %D%/options.h \
	%D%/registry.c %D%/registry.h \
	%D%/search.c %D%/search.h \
	%D%/services.c %D%/services.h \
	%D%/spec.c %D%/spec.h \
	%D%/states.h \
	%D%/settings.c %D%/settings.h \
	%D%/weights.c %D%/weights.h
