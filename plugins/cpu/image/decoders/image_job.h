/* SPDX-License-Identifier: MIT */
/* image_job.h - Decoding with a deadline, on a thread that may outlast the run; for image_file.c. */
#ifndef BP_CPU_IMAGE_DECODERS_IMAGE_JOB_H
#define BP_CPU_IMAGE_DECODERS_IMAGE_JOB_H

#include "image/decoders/image_file.h"

/*
 * Decodes a copy of image->bytes on a thread, and returns BROKEN as soon as image->should_stop() says yes;
 * the thread then ends by itself. image->alloc must not need `u`. The library of `calls` stays open
 * until bp_cpu_image_jobs_finish(). [any thread]
 */
enum bp_cpu_image_rc bp_cpu_image_decode_in_time(struct bp_cpu_image_jobs *jobs,
                                                 struct bp_cpu_image *image,
                                                 const struct bp_cpu_image_decoder *decoder,
                                                 const void *calls);
/* Waits for threads that outlasted their runs: a second or two in the worst case. */
void bp_cpu_image_jobs_finish(struct bp_cpu_image_jobs *jobs);

#endif
