/* SPDX-License-Identifier: MIT */
/*
 * sha256.h - SHA-256 (FIPS 180-4). Our own, not a library's: it is small, has test vectors, and a
 * host of plug-ins should not map a cryptographic library into every process to check a pinned
 * file.
 */
#ifndef BP_BASE_SHA256_H
#define BP_BASE_SHA256_H

#include "base/status.h"

enum { BP_SHA256_TEXT = 65 }; /* 64 digits and a NUL */

struct bp_sha256 {
    uint32_t state[8];
    uint64_t n_bytes;
    uint8_t block[64];
};

void bp_sha256_init(struct bp_sha256 *sha);
void bp_sha256_add(struct bp_sha256 *sha, const void *bytes, size_t n);
/* Ends it; digits from 0 to 9 and a to f. */
void bp_sha256_text(struct bp_sha256 *sha, char out[BP_SHA256_TEXT]);
/* Of all bytes of an open file, whose offset stays. BP_E_IO: they cannot be read. */
bp_rc bp_sha256_of_file(int fd, char out[BP_SHA256_TEXT], bp_err *err) BP_CHECKED;

#endif
