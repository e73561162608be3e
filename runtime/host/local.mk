# SPDX-License-Identifier: MIT
# runtime/host/ - finds, inspects, probes and loads plug-ins; provider options; the host table.

runtime_libbackplane_core_la_SOURCES += \
	%D%/candidate.c \
	%D%/candidate.h \
	%D%/candidates.c \
	%D%/candidates.h \
	%D%/check_provider.c \
	%D%/check_provider.h \
	%D%/devices.c \
	%D%/duplicates.c \
	%D%/duplicates.h \
	%D%/env.c \
	%D%/env.h \
	%D%/known_providers.c \
	%D%/forget_provider.c \
	%D%/forget_provider.h \
	%D%/linked.c \
	%D%/linked.h \
	%D%/probe_candidates.c \
	%D%/probe_candidates.h \
	%D%/probe_policy.c \
	%D%/probe_policy.h \
	%D%/provider_states.h \
	%D%/recheck.c \
	%D%/recheck.h \
	%D%/registry.c \
	%D%/registry.h \
	%D%/registry_state.h \
	%D%/task_queue.c \
	%D%/task_queue.h \
	%D%/inspect/dependencies.c \
	%D%/inspect/dependencies.h \
	%D%/inspect/elf.c \
	%D%/inspect/elf.h \
	%D%/inspect/inspect.c \
	%D%/inspect/inspect.h \
	%D%/inspect/isa.c \
	%D%/inspect/isa.h \
	%D%/inspect/manifest.c \
	%D%/inspect/manifest.h \
	%D%/inspect/manifest_cache.c \
	%D%/inspect/manifest_cache.h \
	%D%/inspect/plugin_conf.c \
	%D%/inspect/plugin_conf.h \
	%D%/load/allow_list.c \
	%D%/load/allow_list.h \
	%D%/load/dlopen.c \
	%D%/load/dlopen.h \
	%D%/load/file_id.h \
	%D%/load/loader.c \
	%D%/load/loader.h \
	%D%/load/mapped.c \
	%D%/load/mapped.h \
	%D%/load/model_services.c \
	%D%/load/model_services.h \
	%D%/load/services.c \
	%D%/load/services.h \
	%D%/load/shared_weights.c \
	%D%/load/shared_weights.h \
	%D%/options/override.c \
	%D%/options/override.h \
	%D%/options/conf_file.c \
	%D%/options/conf_file.h \
	%D%/options/default_providers.c \
	%D%/options/default_providers.h \
	%D%/options/device_choice.c \
	%D%/options/device_choice.h \
	%D%/options/provider_names.c \
	%D%/options/provider_names.h \
	%D%/options/provider_options.c \
	%D%/options/provider_options.h \
	%D%/options/provider_spec.c \
	%D%/options/provider_spec.h \
	%D%/options/settings.c \
	%D%/options/settings.h \
	%D%/probe/probe.c \
	%D%/probe/probe.h \
	%D%/probe/quarantine.c \
	%D%/probe/quarantine.h \
	%D%/probe/shared_page.h \
	%D%/search/directories.c \
	%D%/search/directories.h \
	%D%/search/order.c \
	%D%/search/order.h

# What opens a plug-in in a process of its own before a host does.
pkglibexec_PROGRAMS += runtime/backplane-probe
runtime_backplane_probe_CPPFLAGS = $(runtime_cppflags)
runtime_backplane_probe_LDADD = runtime/libbackplane-core.la $(runtime_libs)
runtime_backplane_probe_SOURCES = %D%/probe/main.c
