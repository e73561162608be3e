# SPDX-License-Identifier: MIT
# runtime/plan/ - claims -> groups -> stages, and the report.

runtime_libbackplane_core_la_SOURCES += \
	%D%/claims.c %D%/claims.h \
	%D%/copies.c %D%/copies.h \
	%D%/cuts.c %D%/cuts.h \
	%D%/estimate.c \
	%D%/groups.c %D%/groups.h \
	%D%/partition.c %D%/partition.h \
	%D%/place.c %D%/place.h \
	%D%/placing.c %D%/placing.h \
	%D%/reckon.c %D%/reckon.h \
	%D%/report.c %D%/report.h \
	%D%/report_json.c \
	%D%/view.c %D%/view.h \
	%D%/weigh.c %D%/weigh.h
