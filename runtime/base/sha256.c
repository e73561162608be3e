/* SPDX-License-Identifier: MIT */
/* sha256.c - SHA-256, after FIPS 180-4. */

#include "config.h"

#include "base/sha256.h"

#include <errno.h>
#include <string.h>
#include <unistd.h>

/* fractions of the cube roots of the first 64 primes */
static const uint32_t constants[64] = {
    0x428a2f98, 0x71374491, 0xb5c0fbcf, 0xe9b5dba5, 0x3956c25b, 0x59f111f1, 0x923f82a4, 0xab1c5ed5,
    0xd807aa98, 0x12835b01, 0x243185be, 0x550c7dc3, 0x72be5d74, 0x80deb1fe, 0x9bdc06a7, 0xc19bf174,
    0xe49b69c1, 0xefbe4786, 0x0fc19dc6, 0x240ca1cc, 0x2de92c6f, 0x4a7484aa, 0x5cb0a9dc, 0x76f988da,
    0x983e5152, 0xa831c66d, 0xb00327c8, 0xbf597fc7, 0xc6e00bf3, 0xd5a79147, 0x06ca6351, 0x14292967,
    0x27b70a85, 0x2e1b2138, 0x4d2c6dfc, 0x53380d13, 0x650a7354, 0x766a0abb, 0x81c2c92e, 0x92722c85,
    0xa2bfe8a1, 0xa81a664b, 0xc24b8b70, 0xc76c51a3, 0xd192e819, 0xd6990624, 0xf40e3585, 0x106aa070,
    0x19a4c116, 0x1e376c08, 0x2748774c, 0x34b0bcb5, 0x391c0cb3, 0x4ed8aa4a, 0x5b9cca4f, 0x682e6ff3,
    0x748f82ee, 0x78a5636f, 0x84c87814, 0x8cc70208, 0x90befffa, 0xa4506ceb, 0xbef9a3f7, 0xc67178f2};

/* fractions of the square roots of the first 8 primes */
static const uint32_t start[8] = {0x6a09e667, 0xbb67ae85, 0x3c6ef372, 0xa54ff53a,
                                  0x510e527f, 0x9b05688c, 0x1f83d9ab, 0x5be0cd19};

static uint32_t rotate(uint32_t x, unsigned n)
{
    return x >> n | x << (32 - n);
}

/* The 64 words of a block's schedule. */
static void spread(const uint8_t *block, uint32_t w[64])
{
    for (size_t i = 0; i < 16; i++) {
        uint32_t a = block[4 * i], b = block[4 * i + 1], c = block[4 * i + 2], d = block[4 * i + 3];

        w[i] = a << 24 | b << 16 | c << 8 | d;
    }
    for (size_t i = 16; i < 64; i++) {
        uint32_t x = w[i - 15], y = w[i - 2];

        w[i] = w[i - 16] + (rotate(x, 7) ^ rotate(x, 18) ^ x >> 3) + w[i - 7] +
               (rotate(y, 17) ^ rotate(y, 19) ^ y >> 10);
    }
}

/* One round a pass; the working variables a to h of the standard are s[0] to s[7]. */
static void take_block(uint32_t state[8], const uint8_t *block)
{
    uint32_t w[64], s[8];

    spread(block, w);
    memcpy(s, state, sizeof s);
    for (size_t i = 0; i < 64; i++) {
        uint32_t a = s[0], e = s[4];
        uint32_t choice = (e & s[5]) ^ (~e & s[6]);
        uint32_t majority = (a & s[1]) ^ (a & s[2]) ^ (s[1] & s[2]);
        uint32_t t1 =
            s[7] + (rotate(e, 6) ^ rotate(e, 11) ^ rotate(e, 25)) + choice + constants[i] + w[i];
        uint32_t t2 = (rotate(a, 2) ^ rotate(a, 13) ^ rotate(a, 22)) + majority;

        memmove(s + 1, s, 7 * sizeof s[0]);
        s[4] += t1;
        s[0] = t1 + t2;
    }
    for (size_t i = 0; i < 8; i++)
        state[i] += s[i];
}

void bp_sha256_init(struct bp_sha256 *sha)
{
    memcpy(sha->state, start, sizeof start);
    sha->n_bytes = 0;
}

void bp_sha256_add(struct bp_sha256 *sha, const void *bytes, size_t n)
{
    const uint8_t *from = bytes;

    while (n > 0) {
        size_t at = (size_t)(sha->n_bytes % sizeof sha->block);
        size_t part = sizeof sha->block - at < n ? sizeof sha->block - at : n;

        memcpy(sha->block + at, from, part);
        sha->n_bytes += part;
        from += part;
        n -= part;
        if (at + part == sizeof sha->block)
            take_block(sha->state, sha->block);
    }
}

/*
 * Padding of FIPS 180-4, 5.1.1: a bit 1, zeros up to 56 bytes of a block, and the length in bits.
 * It changes the state, so this is the last call.
 */
void bp_sha256_text(struct bp_sha256 *sha, char out[BP_SHA256_TEXT])
{
    static const char digits[] = "0123456789abcdef";
    uint64_t n_bits = sha->n_bytes * 8;
    uint8_t length[8];

    for (unsigned i = 0; i < 8; i++)
        length[i] = (uint8_t)(n_bits >> (56 - 8 * i));
    bp_sha256_add(sha, "\x80", 1);
    while (sha->n_bytes % sizeof sha->block != 56)
        bp_sha256_add(sha, "", 1);
    bp_sha256_add(sha, length, sizeof length);
    for (unsigned i = 0; i < 64; i++)
        out[i] = digits[sha->state[i / 8] >> (28 - 4 * (i % 8)) & 15];
    out[64] = '\0';
}

/* pread(), so that the descriptor's position is left for whoever reads next. */
bp_rc bp_sha256_of_file(int fd, char out[BP_SHA256_TEXT], bp_err *err)
{
    struct bp_sha256 sha;
    char bytes[16384];
    off_t at = 0;

    bp_sha256_init(&sha);
    for (;;) {
        ssize_t n = pread(fd, bytes, sizeof bytes, at);

        if (n < 0 && errno == EINTR)
            continue;
        if (n < 0)
            return bp_fail(err, BP_E_IO, "it cannot be read: %s", strerror(errno));
        if (n == 0)
            break;
        bp_sha256_add(&sha, bytes, (size_t)n);
        at += n;
    }
    bp_sha256_text(&sha, out);
    return BP_OK;
}
