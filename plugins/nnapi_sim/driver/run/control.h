/* SPDX-License-Identifier: MIT */
/* control.h - IF and WHILE, which run the models that they name. */
#ifndef NN_CONTROL_H
#define NN_CONTROL_H

#include "run/engine.h"

/* Results are the caller's: it frees what is owned, whatever the code. */
int nn_run_if(struct nn_run *run, const struct nn_call *call, struct nn_result *results);
int nn_run_while(struct nn_run *run, const struct nn_call *call, struct nn_result *results);

#endif
