# SPDX-License-Identifier: MIT
# runtime/session/ - create, bind, run.

runtime_libbackplane_core_la_SOURCES += \
	%D%/body.c %D%/body.h \
	%D%/body_stages.c \
	%D%/cell.c \
	%D%/custom.h \
	%D%/custom_call.c \
	%D%/custom_frame.c \
	%D%/custom_provider.c \
	%D%/hosted/branch.c \
	%D%/hosted/dictionary.c \
	%D%/hosted/generate.c %D%/hosted/generate.h \
	%D%/hosted/generate_beams.c \
	%D%/hosted/generate_feeds.c \
	%D%/hosted/generate_params.c \
	%D%/hosted/generate_run.c \
	%D%/hosted/generate_sample.c \
	%D%/hosted/generate_scores.c \
	%D%/hosted/hosted.c \
	%D%/hosted/hosted.h \
	%D%/hosted/loop.c \
	%D%/hosted/loop.h \
	%D%/hosted/map.c \
	%D%/hosted/optional.c \
	%D%/hosted/pieces.c \
	%D%/hosted/scan.c \
	%D%/hosted/sequence.c \
	%D%/hosted/sparse.c \
	%D%/device.h \
	%D%/device_layout.c \
	%D%/device_plan.c \
	%D%/device_planning.h \
	%D%/device_queue.c \
	%D%/device_run.c \
	%D%/dynamic.c \
	%D%/engine.c %D%/engine.h \
	%D%/explain.c %D%/explain.h \
	%D%/frame.c %D%/frame.h \
	%D%/judging.c %D%/judging.h \
	%D%/lineup.c %D%/lineup.h \
	%D%/lineup_options.c \
	%D%/memory.c \
	%D%/memory.h \
	%D%/model_api.c \
	%D%/operator_query.c %D%/operator_query.h \
	%D%/operators.c \
	%D%/optimizing.c %D%/optimizing.h \
	%D%/options.c \
	%D%/plan_layout.c \
	%D%/plan_shapes.c \
	%D%/plan_units.c \
	%D%/planning.h \
	%D%/ports.c \
	%D%/profile.c %D%/profile.h \
	%D%/profile_read.c \
	%D%/run.c %D%/run.h \
	%D%/session.c %D%/session.h \
	%D%/session_run.c \
	%D%/stage.c \
	%D%/variants.c \
	%D%/why.c
