/* SPDX-License-Identifier: MIT */
/*
 * error_codes.c - maps the host's refusals of a model to ONNX Runtime's code and sentence, by words
 * of the host's text.
 *
 * A changed sentence of the host needs its row here: tests/ort/check_codes covers each. The first
 * row that matches counts.
 */

#include "config.h"

#include "ort/error_codes.h"

#include <string.h>

/* The message is ONNX Runtime's sentence, then the host's text, which names the node or value. */
static const struct ort_refusal refusals[] = {
    /* words of the host's text; the code; the sentence that programs look for */
    {"no node, input or initializer provides", ORT_INVALID_ARGUMENT,
     "Invalid model. Node input is not a graph input, initializer, or output of a previous node"},
    {"is defined twice", ORT_FAIL, "This is an invalid model. Duplicate definition of name"},
    {"reads its own output", ORT_FAIL, "This is an invalid model. The graph is not acyclic"},
    {"read each other's output", ORT_FAIL, "This is an invalid model. The graph is not acyclic"},
    {"wait for each other in a circle", ORT_FAIL,
     "This is an invalid model. The graph is not acyclic"},
    {"of the operator has no attribute", ORT_INVALID_GRAPH,
     "This is an invalid model. Unrecognized attribute"},
    {"; the operator has", ORT_INVALID_GRAPH,
     "This is an invalid model. Number of inputs or outputs not in range"},
    {"; the operator needs", ORT_INVALID_GRAPH,
     "This is an invalid model. Number of inputs or outputs not in range"},
    {" of the operator takes ", ORT_INVALID_GRAPH,
     "This is an invalid model. Type Error: Type of a parameter is invalid"},
    {"both must be the same", ORT_FAIL, "Type Error: parameter bound to different types"},
    {"its '..' leads out of", ORT_FAIL, "External data path escapes model directory"},
    {"is a link to", ORT_FAIL, "External data path escapes model directory"},
    {"must be a name relative to", ORT_FAIL,
     "External data path validation failed: Absolute path not allowed"},
    {"a model in memory has no directory", ORT_FAIL, "External data path validation failed"},
    {"its external", ORT_FAIL, "External data out of bounds"},
    {"external_data has no location", ORT_FAIL, "External data location cannot be empty"},
    {"No such file or directory", ORT_FAIL, "External data path does not exist"},
    {" affinities for ", ORT_FAIL,
     "Number of affinities does not equal to thread_pool_size minus one"},
    {"its data is", ORT_FAIL, "External data out of bounds"},
};

const struct ort_refusal *ort_refusal_find(const char *words)
{
    for (size_t i = 0; i < sizeof refusals / sizeof *refusals; i++) {
        if (strstr(words, refusals[i].host))
            return &refusals[i];
    }
    return NULL;
}
