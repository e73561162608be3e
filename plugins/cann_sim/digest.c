/* SPDX-License-Identifier: MIT */
/*
 * digest.c - MurmurHash3 for x86 of 128 bits (Austin Appleby's, public domain) with the seed 0:
 * four lanes of 32 bits, mixed with 16 bytes at a time.
 */

#include "model.h"

static uint32_t rotate(uint32_t x, unsigned by)
{
    return x << by | x >> (32 - by);
}

/* The final mix of a lane: each bit of h changes half of the result's bits on average. */
static uint32_t mix(uint32_t h)
{
    h = (h ^ h >> 16) * 0x85ebca6bu;
    h = (h ^ h >> 13) * 0xc2b2ae35u;
    return h ^ h >> 16;
}

/* Constants of the algorithm, one for each of the four lanes. */
static const uint32_t multipliers[4] = {0x239b961bu, 0xab0e9789u, 0x38b34ae5u, 0xa1e38b93u};
static const uint32_t addends[4] = {0x561ccd1bu, 0x0bcaa747u, 0x96cd1c35u, 0x32ac3b17u};
static const unsigned rotations[4] = {15, 16, 17, 18};
static const unsigned outer_rotations[4] = {19, 17, 15, 13};

/* Four bytes of a lane, before they go into its state. */
static uint32_t scramble(uint32_t k, int lane)
{
    return rotate(k * multipliers[lane], rotations[lane]) * multipliers[(lane + 1) % 4];
}

/* The last bytes, fewer than 16, the highest lane first. */
static void mix_tail(uint32_t h[4], const unsigned char *tail, size_t n)
{
    for (int lane = 3; lane >= 0; lane--) {
        uint32_t k = 0;

        if (n <= (size_t)lane * 4)
            continue;
        for (size_t i = 0; i < 4 && (size_t)lane * 4 + i < n; i++)
            k |= (uint32_t)tail[lane * 4 + (int)i] << 8 * i;
        h[lane] ^= scramble(k, lane);
    }
}

/* Each lane gets something of all others. */
static void add_up(uint32_t h[4])
{
    h[0] += h[1] + h[2] + h[3];
    for (int lane = 1; lane < 4; lane++)
        h[lane] += h[0];
}

/* Bytes are read one by one, so that the hash is the same on every machine. */
uint64_t bp_cann_digest(const void *data, size_t size)
{
    const unsigned char *bytes = data;
    uint32_t h[4] = {0};

    for (size_t at = 0; at + 16 <= size; at += 16) {
        for (int lane = 0; lane < 4; lane++) {
            const unsigned char *p = bytes + at + (size_t)lane * 4;
            uint32_t k =
                (uint32_t)p[0] | (uint32_t)p[1] << 8 | (uint32_t)p[2] << 16 | (uint32_t)p[3] << 24;

            h[lane] =
                rotate(h[lane] ^ scramble(k, lane), outer_rotations[lane]) + h[(lane + 1) % 4];
            h[lane] = h[lane] * 5 + addends[lane];
        }
    }
    mix_tail(h, bytes + size / 16 * 16, size % 16);
    for (int lane = 0; lane < 4; lane++)
        h[lane] ^= (uint32_t)size;
    add_up(h);
    for (int lane = 0; lane < 4; lane++)
        h[lane] = mix(h[lane]);
    add_up(h);
    return (uint64_t)h[1] << 32 | h[0];
}
