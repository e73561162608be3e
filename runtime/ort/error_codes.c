/* SPDX-License-Identifier: MIT */
/*
 * error_codes.c - maps the host's refusals of a model (BP_DETAIL_*) to ONNX Runtime's code and
 * sentence, which are those of its release 1.30.
 *
 * The host's own text is never looked at, so that it may change.
 */

#include "config.h"

#include "ort/error_codes.h"

#include <backplane.h>

/*
 * Programs search messages for these sentences. The message is the sentence, then the host's text,
 * which names the node or value.
 */
static const struct ort_refusal refusals[BP_DETAIL_END] = {
    [BP_DETAIL_NO_SUCH_FILE] = {ORT_FAIL, "External data path does not exist"},
    [BP_DETAIL_NO_LOCATION] = {ORT_FAIL, "External data location cannot be empty"},
    [BP_DETAIL_NO_DIRECTORY] = {ORT_FAIL, "External data path validation failed"},
    [BP_DETAIL_ABSOLUTE_PATH] = {ORT_FAIL,
                                 "External data path validation failed: Absolute path not allowed"},
    [BP_DETAIL_PATH_OUTSIDE] = {ORT_FAIL, "External data path escapes model directory"},
    [BP_DETAIL_DATA_RANGE] = {ORT_FAIL, "External data out of bounds"},
    [BP_DETAIL_NO_PRODUCER] = {ORT_INVALID_ARGUMENT,
                               "Invalid model. Node input is not a graph input, initializer, or "
                               "output of a previous node"},
    [BP_DETAIL_DEFINED_TWICE] = {ORT_FAIL,
                                 "This is an invalid model. Duplicate definition of name"},
    [BP_DETAIL_CYCLE] = {ORT_FAIL, "This is an invalid model. The graph is not acyclic"},
    [BP_DETAIL_UNKNOWN_ATTRIBUTE] = {ORT_INVALID_GRAPH,
                                     "This is an invalid model. Unrecognized attribute"},
    [BP_DETAIL_NODE_ARITY] = {ORT_INVALID_GRAPH,
                              "This is an invalid model. Number of inputs or outputs not in range"},
    [BP_DETAIL_NODE_TYPE] =
        {ORT_INVALID_GRAPH, "This is an invalid model. Type Error: Type of a parameter is invalid"},
    [BP_DETAIL_TYPES_DIFFER] = {ORT_FAIL, "Type Error: parameter bound to different types"},
    [BP_DETAIL_AFFINITY_COUNT] =
        {ORT_FAIL, "Number of affinities does not equal to thread_pool_size minus one"},
};

const struct ort_refusal *ort_refusal_find(uint32_t detail)
{
    return detail < BP_DETAIL_END && refusals[detail].words ? &refusals[detail] : NULL;
}
