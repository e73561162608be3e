/* SPDX-License-Identifier: MIT */
/* model_services.h - the extension BP_EXT_MODEL: what a provider reads of a graph's model. */
#ifndef BP_HOST_LOAD_MODEL_SERVICES_H
#define BP_HOST_LOAD_MODEL_SERVICES_H

#include <bp/abi.h>

/*
 * Each function asks the owner of the graph (struct bp_graph_owner.about), and answers as for a
 * graph without a model where the owner has nothing to say. [any thread]
 */
extern const bp_ext_model bp_model_services;

#endif
