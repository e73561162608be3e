/* SPDX-License-Identifier: MIT */
/*
 * device_choice.h - which devices of a provider a text means: the value of the option "device", that
 * the host has for every provider whose own schema has none of that name.
 */
#ifndef BP_HOST_OPTIONS_DEVICE_CHOICE_H
#define BP_HOST_OPTIONS_DEVICE_CHOICE_H

#include "base/status.h"

#define BP_DEVICE_OPTION "device"

/*
 * Finds the devices that `text` names among n: words with + or , between, each an index, an id, a
 * kind (cpu, gpu, npu, other), a name, or "all". Letters compare in either case. A word means all
 * devices that match it, in their order; a device named twice counts once. *out_n indices go to
 * out, which has space for n. BP_E_OPTION: a word that matches none; the error lists the devices.
 */
bp_rc bp_device_choice_parse(const char *text, const bp_device *devices, uint32_t n, uint32_t *out,
                             uint32_t *out_n, bp_err *err) BP_CHECKED;

#endif
