/* SPDX-License-Identifier: MIT */
/* constants.h - a model in which inputs are initializers, with the elements that test data give them. */
#ifndef BP_TOOLS_CONSTANTS_H
#define BP_TOOLS_CONSTANTS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <backplane.h>

struct constants {
    char path[32];     /* of the model that was made, in this process; "" when there is none */
    int fd;            /* of the file without a name, -1 when there is none */
    bool *is_constant; /* one an input of the model that was read: no input any more */
    uint32_t n;
};

/*
 * Makes of DIR/model.onnx a model in which each input_N.pb of `set` but input_0.pb is an initializer;
 * values that are not tensors stay inputs. *out is to be finished with constants_finish(), also after
 * an error. BP_E_INVALID: the model is malformed. BP_E_IO: a file cannot be read.
 */
bp_rc constants_make(const char *dir, const char *set, struct constants *out,
                     bp_err *err) BP_CHECKED;
void constants_finish(struct constants *constants);

#endif
