/* SPDX-License-Identifier: MIT */
/* worker_config.c - checks and copies a bp_worker_config of the application. */

#include "config.h"

#include "base/worker_config.h"

#include <stdlib.h>
#include <string.h>

#include <bp/sdk.h>

bp_rc bp_worker_config_read(const bp_worker_config *theirs, bp_worker_config *out, bp_err *err)
{
    if (theirs->struct_size < sizeof(uint32_t) || theirs->struct_size > 4096)
        return bp_fail(err, BP_E_INVALID, "bp_worker_config: struct_size is %u; set it to sizeof",
                       theirs->struct_size);
    bp_copy_in(out, sizeof *out, theirs);
    if (!out->create != !out->join)
        return bp_fail(err, BP_E_INVALID,
                       "bp_worker_config: a function that %s threads is set, but none that %s",
                       out->create ? "creates" : "joins",
                       out->create ? "joins them" : "creates them");
    if (out->n_affinities > 0 && !out->affinities)
        return bp_fail(err, BP_E_INVALID, "bp_worker_config: %u affinities, but the list is NULL",
                       out->n_affinities);
    for (uint32_t i = 0; i < out->n_affinities; i++) {
        if (out->affinities[i].n > 0 && !out->affinities[i].list)
            return bp_fail(err, BP_E_INVALID,
                           "bp_worker_config: affinity %u has %u processors, but the list is NULL",
                           i, out->affinities[i].n);
    }
    return BP_OK;
}

bp_rc bp_worker_config_copy(const bp_worker_config *theirs, bp_worker_config **out, bp_err *err)
{
    bp_worker_config own, *copy;
    bp_processors *rows;
    uint32_t *numbers;
    size_t n = 0;
    bp_rc rc;

    *out = NULL;
    if (!theirs)
        return BP_OK;
    rc = bp_worker_config_read(theirs, &own, err);
    if (rc < 0)
        return rc;
    for (uint32_t i = 0; i < own.n_affinities; i++)
        n += own.affinities[i].n;
    copy = malloc(sizeof own + own.n_affinities * sizeof *rows + n * sizeof *numbers);
    if (!copy)
        return bp_fail_nomem(err, "the affinities of threads");
    rows = (bp_processors *)(copy + 1);
    numbers = (uint32_t *)(rows + own.n_affinities);
    for (uint32_t i = 0; i < own.n_affinities; i++) {
        rows[i] = (bp_processors){.list = numbers, .n = own.affinities[i].n};
        if (rows[i].n > 0)
            memcpy(numbers, own.affinities[i].list, rows[i].n * sizeof *numbers);
        numbers += rows[i].n;
    }
    own.struct_size = sizeof own;
    own.affinities = rows;
    *copy = own;
    *out = copy;
    return BP_OK;
}
