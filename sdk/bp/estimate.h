/* SPDX-License-Identifier: MIT */
/*
 * estimate.h - an extension of providers: what a group would take on the device, told before anything
 * is compiled or run. `backplane plan` shows it, and a report has it; it decides nothing. (bp_cost, of
 * a claim, is what decides.)
 *
 *     static const void *extension(const char *id)
 *     {
 *         return strcmp(id, BP_ESTIMATE_ID) == 0 ? &estimator : NULL;
 *     }
 */
#ifndef BP_ESTIMATE_H
#define BP_ESTIMATE_H

#include <bp/abi.h>

#ifdef __cplusplus
extern "C" {
#endif

/*
 * The number after the slash is the version of the extension: another one has another table.
 */
#define BP_ESTIMATE_ID "bp.estimate/1"

/* Which members of bp_estimate are known. */
enum { BP_ESTIMATE_WEIGHTS = 1u << 0, BP_ESTIMATE_SCRATCH = 1u << 1, BP_ESTIMATE_TIME = 1u << 2 };

/*
 * Of one group. The host sets struct_size, and zeroes the rest. A member counts only if its bit is
 * in `known`. A provider writes at most struct_size bytes, and adds up what it can: weights without
 * padding are an estimate, too.
 */
typedef struct bp_estimate {
    uint32_t struct_size;
    uint32_t known;         /* BP_ESTIMATE_* */
    uint64_t weight_bytes;  /* device memory that its program holds: constants */
    uint64_t scratch_bytes; /* more, during a run; inputs and outputs are not counted */
    double run_ns;          /* a run on the device, without copies between memories */
} bp_estimate;

/* In bp_device.flags: there is no such hardware, software stands in for it. */
enum { BP_DEVICE_SIMULATED = 1u << 0 };

enum { BP_ESTIMATOR_SIMULATED = 1u << 0 }; /* its times are a simulation's, not a device's */

/*
 * What provider->extension(BP_ESTIMATE_ID) gives. Constant, in the plug-in's read-only data, until
 * teardown.  An error of group() leaves the plan without estimates for that group.
 */
typedef struct bp_estimator {
    uint32_t struct_size;
    uint32_t flags; /* BP_ESTIMATOR_* */
    /*
     * [instance] The graph is one that compile() could be handed. What depends on sizes that the
     * graph does not have is not known, which is not a failure.
     */
    bp_rc (*group)(bp_instance *, const bp_graph *, bp_estimate *out, bp_err *err);
    /*
     * (opt) [instance] nanoseconds that n copies of together so many bytes take between the host's
     * memory and the device's; below 0: not known
     */
    double (*copies)(bp_instance *, uint32_t n, uint64_t bytes);
} bp_estimator;

#ifdef __cplusplus
}
#endif

#endif
