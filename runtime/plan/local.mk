# SPDX-License-Identifier: MIT
# runtime/plan/ - claims -> groups -> stages, and the report.

runtime_libbackplane_core_la_SOURCES += \
	%D%/apply_placement.c \
	%D%/apply_placement.h \
	%D%/body_view.c \
	%D%/body_view.h \
	%D%/claims.c \
	%D%/claims.h \
	%D%/contexts.c \
	%D%/contexts.h \
	%D%/copies.c \
	%D%/copies.h \
	%D%/graph_view.c \
	%D%/graph_view.h \
	%D%/groups.c \
	%D%/groups.h \
	%D%/make_partition.c \
	%D%/make_partition.h \
	%D%/node_cost.c \
	%D%/partition.h \
	%D%/per_sample.c \
	%D%/per_sample.h \
	%D%/placement_rules.c \
	%D%/placement_rules.h \
	%D%/prefused.c \
	%D%/prefused.h \
	%D%/reassign.c \
	%D%/reassign.h \
	%D%/refused.c \
	%D%/refused.h \
	%D%/together.c \
	%D%/together.h \
	%D%/view_model.c \
	%D%/view_model.h
