# SPDX-License-Identifier: MIT
# examples/ascend/ - programs of ACL alone, on the simulated driver.

if ENABLE_ASCEND_SIM
noinst_PROGRAMS += %D%/layer
%C%_layer_CPPFLAGS = $(ascend_cppflags)
%C%_layer_LDADD = plugins/cann_sim/driver/libbp-ascend-sim.la
%C%_layer_SOURCES = %D%/layer.c

noinst_PROGRAMS += %D%/model
%C%_model_CPPFLAGS = $(ascend_cppflags)
%C%_model_LDADD = plugins/cann_sim/driver/libbp-ascend-sim.la
%C%_model_SOURCES = %D%/model.c
endif

nobase_dist_doc_DATA += \
	%D%/layer.c \
	%D%/model.c
