/* SPDX-License-Identifier: MIT */
/* audio.h - sound of one channel and 16 bits, from a WAV file or as bare samples, bit by bit. */
#ifndef EXAMPLES_STREAMING_AUDIO_H
#define EXAMPLES_STREAMING_AUDIO_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

struct audio {
    FILE *file;
    uint32_t rate;          /* samples a second */
    uint64_t left;          /* samples until the end; UINT64_MAX: as long as there are some */
    unsigned char ahead[4]; /* bytes that were read to tell the two formats apart */
    size_t n_ahead;
};

/*
 * Opens a file, or standard input for NULL. What does not begin as a WAV file is bare samples, little
 * endian, of this rate. False, after a complaint. *audio is for audio_close() in any case.
 */
bool audio_open(struct audio *audio, const char *path, uint32_t rate);
void audio_close(struct audio *audio);

/*
 * The next n samples, from -1 to 1. *n_read is less than n at the end only, and the rest is silence.
 * False, after a complaint, when reading fails.
 */
bool audio_read(struct audio *audio, float *samples, size_t n, size_t *n_read);

#endif
