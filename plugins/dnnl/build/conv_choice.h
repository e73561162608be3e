/* SPDX-License-Identifier: MIT */
/* conv_choice.h - how the convolutions of a program are computed, as autotune measured it. */
#ifndef BP_DNNL_CONV_CHOICE_H
#define BP_DNNL_CONV_CHOICE_H

#include <stdbool.h>
#include <stdint.h>

/* With one set of shapes; the program's, in bp_program.choices. */
struct bp_dnnl_conv_choice {
    struct bp_dnnl_conv_choice *next;
    uint64_t shapes;   /* a hash of them */
    bool is_blocked;   /* on blocks of channels, else channels last */
    bool *is_winograd; /* one a node, of a chain its last: so, where oneDNN has such a kernel */
};

#endif
