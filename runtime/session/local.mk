# SPDX-License-Identifier: MIT
# runtime/session/ - create, bind, run.

runtime_libbackplane_core_la_SOURCES += \
	%D%/all_sessions.c \
	%D%/call.h \
	%D%/background/called_back.c \
	%D%/background/called_back.h \
	%D%/background/run_async.c \
	%D%/background/run_async.h \
	%D%/channels_last.c \
	%D%/channels_last.h \
	%D%/contexts.c \
	%D%/contexts.h \
	%D%/declare.c \
	%D%/declare.h \
	%D%/dynamic_options.c \
	%D%/engine.c \
	%D%/engine.h \
	%D%/engine_create.c \
	%D%/engine_frames.c \
	%D%/feeds.c \
	%D%/io_binding.c \
	%D%/model_api.c \
	%D%/open_cache.c \
	%D%/open_cache.h \
	%D%/operators.c \
	%D%/options.c \
	%D%/ports.c \
	%D%/prepare.c \
	%D%/prepare_created.c \
	%D%/run_passes.c \
	%D%/run_passes.h \
	%D%/session.c \
	%D%/session.h \
	%D%/session_engines.c \
	%D%/session_memory.c \
	%D%/session_run.c \
	%D%/shape_list.c \
	%D%/shape_list.h \
	%D%/state.c \
	%D%/state.h \
	%D%/state_api.c \
	%D%/variants.c \
	%D%/verdicts.c \
	%D%/verdicts.h
