/* SPDX-License-Identifier: MIT */
/*
 * threading.c - OrtThreadingOptions: settings of the environment's thread pool, read once by
 * CreateEnvWithGlobalThreadPools.
 */

#include "config.h"

#include <stdlib.h>
#include <string.h>

#include "ort/env.h"
#include "ort/status.h"

/* OrtApi since version 3. */
OrtStatus *ort_CreateThreadingOptions(OrtThreadingOptions **out)
{
    ORT_NEED(out);
    *out = calloc(1, sizeof **out);
    return *out ? NULL : ort_no_memory();
}

/* OrtApi since version 3. */
void ort_ReleaseThreadingOptions(OrtThreadingOptions *input)
{
    if (!input)
        return;
    free(input->affinity);
    free(input);
}

/* OrtApi since version 5: 0: as many as there are processors; 1: the caller's thread alone. */
OrtStatus *ort_SetGlobalIntraOpNumThreads(OrtThreadingOptions *tp_options, int intra_op_num_threads)
{
    ORT_NEED(tp_options);
    tp_options->intra_op = intra_op_num_threads;
    return NULL;
}

/* OrtApi since version 5: Kept and not used: operators of one run are not parallel here. */
OrtStatus *ort_SetGlobalInterOpNumThreads(OrtThreadingOptions *tp_options, int inter_op_num_threads)
{
    ORT_NEED(tp_options);
    tp_options->inter_op = inter_op_num_threads;
    return NULL;
}

/* OrtApi since version 5: Kept and not used: the host decides how workers wait. */
OrtStatus *ort_SetGlobalSpinControl(OrtThreadingOptions *tp_options, int allow_spinning)
{
    ORT_NEED(tp_options);
    if (allow_spinning != 0 && allow_spinning != 1)
        return ort_fail(ORT_INVALID_ARGUMENT, "allow_spinning is %d; it can be 0 or 1",
                        allow_spinning);
    tp_options->spin = allow_spinning;
    return NULL;
}

/*
 * OrtApi since version 6: Kept and not used: it would change the float mode of the caller's
 * threads.
 */
OrtStatus *ort_SetGlobalDenormalAsZero(OrtThreadingOptions *tp_options)
{
    ORT_NEED(tp_options);
    tp_options->denormal_as_zero = true;
    return NULL;
}

/* OrtApi since version 14. */
OrtStatus *ort_SetGlobalIntraOpThreadAffinity(OrtThreadingOptions *tp_options,
                                              const char *affinity_string)
{
    char *copy;

    ORT_NEED(tp_options);
    ORT_NEED(affinity_string);
    if (!affinity_string[0] || strlen(affinity_string) > ORT_AFFINITY_MAX)
        return ort_fail(ORT_INVALID_ARGUMENT,
                        "Size of affinity string must be between 1 and %d; it is %zu",
                        ORT_AFFINITY_MAX, strlen(affinity_string));
    copy = strdup(affinity_string);
    if (!copy)
        return ort_no_memory();
    free(tp_options->affinity);
    tp_options->affinity = copy;
    return NULL;
}

/*
 * OrtApi since version 10: Called for each worker when the environment is created; join when it is
 * destroyed.
 */
OrtStatus *ort_SetGlobalCustomCreateThreadFn(OrtThreadingOptions *tp_options,
                                             OrtCustomCreateThreadFn ort_custom_create_thread_fn)
{
    ORT_NEED(tp_options);
    tp_options->create_thread = ort_custom_create_thread_fn;
    return NULL;
}

/* OrtApi since version 10. */
OrtStatus *ort_SetGlobalCustomThreadCreationOptions(OrtThreadingOptions *tp_options,
                                                    void *ort_custom_thread_creation_options)
{
    ORT_NEED(tp_options);
    tp_options->thread_options = ort_custom_thread_creation_options;
    return NULL;
}

/* OrtApi since version 10. */
OrtStatus *ort_SetGlobalCustomJoinThreadFn(OrtThreadingOptions *tp_options,
                                           OrtCustomJoinThreadFn ort_custom_join_thread_fn)
{
    ORT_NEED(tp_options);
    tp_options->join_thread = ort_custom_join_thread_fn;
    return NULL;
}
