# SPDX-License-Identifier: MIT
# runtime/exec/ - runs of compiled subgraphs: frames, plans of stages, devices, control flow, profiles.

runtime_libbackplane_core_la_SOURCES += \
	%D%/cell.c \
	%D%/device.h \
	%D%/device_layout.c \
	%D%/device_plan.c \
	%D%/device_planning.h \
	%D%/device_queue.c \
	%D%/device_run.c \
	%D%/dynamic_output.c \
	%D%/frame.c \
	%D%/frame.h \
	%D%/operator_frame.c \
	%D%/plan_in_place.c \
	%D%/plan_layout.c \
	%D%/plan_lifetimes.c \
	%D%/plan_places.c \
	%D%/plan_shapes.c \
	%D%/plan_slices.c \
	%D%/plan_units.c \
	%D%/planning.h \
	%D%/prepare.c \
	%D%/profile.c \
	%D%/profile.h \
	%D%/profile_read.c \
	%D%/run.c \
	%D%/run.h \
	%D%/run_shared.c \
	%D%/run_shared.h \
	%D%/stage_arena.c \
	%D%/stage_plan.c \
	%D%/control/custom_operator.c \
	%D%/control/generate.c \
	%D%/control/generate.h \
	%D%/control/generate_beams.c \
	%D%/control/generate_feeds.c \
	%D%/control/generate_params.c \
	%D%/control/generate_run.c \
	%D%/control/generate_sample.c \
	%D%/control/generate_scores.c \
	%D%/control/host_op.c \
	%D%/control/host_op.h \
	%D%/control/if.c \
	%D%/control/loop.c \
	%D%/control/loop.h \
	%D%/control/map_values.c \
	%D%/control/optional.c \
	%D%/control/scan.c \
	%D%/control/sequence.c \
	%D%/control/sequence_map.c \
	%D%/control/sparse_matmul.c \
	%D%/control/split_to_sequence.c \
	%D%/control/list.inc \
	%D%/control/table.c \
	%D%/control/table.h
