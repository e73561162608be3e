/* SPDX-License-Identifier: MIT */
/* key.h - the key of a compiled program: a hash of all that decides what compiling gives. */
#ifndef BP_CACHE_KEY_H
#define BP_CACHE_KEY_H

#include "base/sha256.h"

/* Who compiles a group, and with what settings. Borrowed. */
struct bp_compiler {
    const bp_provider *provider;
    const bp_opt *options; /* as create() got them */
    uint32_t n_options;
    const uint32_t *devices; /* that the application chose, for bp_provider.device */
    uint32_t n_devices;
    const char *fingerprint; /* of driver, device and library */
    const bp_host *host;     /* the provider's, which gives the constants' bytes */
};

/*
 * SHA-256 over the version of this host and its ABI; the provider with its version, options, devices
 * and fingerprint; and the group: its nodes with their attributes, its values with their shapes, and
 * the bytes of its constants. Sizes that are not known count by which of them are equal. device: of
 * the group, see bp_compile.device. Fails as bp_host.constant does.
 */
bp_rc bp_program_key(const struct bp_compiler *compiler, const bp_graph *graph, uint32_t device,
                     char out[BP_SHA256_TEXT], bp_err *err) BP_CHECKED;

#endif
