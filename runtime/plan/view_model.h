/* SPDX-License-Identifier: MIT */
/* view_model.h - the model that a graph view is of, as providers read it. */
#ifndef BP_PLAN_VIEW_MODEL_H
#define BP_PLAN_VIEW_MODEL_H

#include <bp/abi.h>

/* For bp_graph_owner.about of views (struct bp_graph_view). [any thread] */
extern const bp_ext_model bp_graph_view_about;

#endif
