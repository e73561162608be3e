/* SPDX-License-Identifier: MIT */
/* detect.h - finds faces in an image with a network of the Ultraface family. */
#ifndef EXAMPLES_DETECT_H
#define EXAMPLES_DETECT_H

#include <backplane.h>

#include "image.h"
#include "pick.h"

struct detector {
    bp_session *session;           /* the caller's */
    uint32_t input, scores, boxes; /* indices in the session */
    size_t width, height;          /* of the image that the network looks at */
};

/*
 * Learns from the session's inputs and outputs how to use it. `name` is the model's, for
 * complaints. False, after one, when the model is not such a network.
 */
bool detector_init(struct detector *detector, bp_session *session, const char *name);

/*
 * The faces whose score reaches the threshold. *out is the caller's, to faces_finish(). False,
 * after a complaint, when the run fails or its results are not what they should be.
 */
bool detector_run(const struct detector *detector, const struct image *image, float threshold,
                  struct faces *out);

#endif
