# SPDX-License-Identifier: MIT
# runtime/host/ - loader, registry, options, the table handed to providers.

runtime_libbackplane_core_la_SOURCES += \
	%D%/allow.c %D%/allow.h \
	%D%/bind.h \
	%D%/bind_call.c %D%/bind_call.h \
	%D%/bind_each.c \
	%D%/bind_file.c \
	%D%/bind_parse.c \
	%D%/bind_whole.c \
	%D%/conf.c %D%/conf.h \
	%D%/confirm.c %D%/confirm.h \
	%D%/depends.c %D%/depends.h \
	%D%/devices.c \
	%D%/dlopen.c %D%/dlopen.h \
	%D%/duplicates.c %D%/duplicates.h \
	%D%/elf.c %D%/elf.h \
	%D%/env.c %D%/env.h \
	%D%/isa.c %D%/isa.h \
	%D%/keep.c %D%/keep.h \
	%D%/known.c \
	%D%/linked.c %D%/linked.h \
	%D%/loader.c %D%/loader.h \
	%D%/mapped.c %D%/mapped.h \
	%D%/names.c %D%/names.h \
	%D%/note.c %D%/note.h \
	%D%/notes.c %D%/notes.h \
	%D%/options.c %D%/options.h \
	%D%/order.c %D%/order.h \
	%D%/override.c %D%/override.h \
	%D%/probe.c %D%/probe.h %D%/probe_page.h \
	%D%/registry.c %D%/registry.h \
	%D%/rows.c %D%/rows.h \
	%D%/screen.c %D%/screen.h \
	%D%/search.c %D%/search.h \
	%D%/services.c %D%/services.h \
	%D%/spec.c %D%/spec.h \
	%D%/settings.c %D%/settings.h \
	%D%/states.h \
	%D%/strikes.c %D%/strikes.h \
	%D%/trust.c %D%/trust.h \
	%D%/vet.c %D%/vet.h \
	%D%/weights.c %D%/weights.h

# What opens a plug-in in a process of its own before a host does.
pkglibexec_PROGRAMS += runtime/backplane-probe
runtime_backplane_probe_CPPFLAGS = $(runtime_cppflags)
runtime_backplane_probe_LDADD = runtime/libbackplane-core.la $(runtime_libs)
runtime_backplane_probe_SOURCES = %D%/probe_main.c
