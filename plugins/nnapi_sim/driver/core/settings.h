/* SPDX-License-Identifier: MIT */
/*
 * settings.h - the simulator's configuration: its level, devices with their limits and costs,
 * faults. driver/README.md has the keys.
 */
#ifndef NN_SETTINGS_H
#define NN_SETTINGS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <bp_nnapi_sim.h>

#include "core/names.h"

/* Devices that there can be, and lines "fault = ..." that a configuration can have. */
#define NN_DEVICES 8
#define NN_FAULTS 32

struct nn_device_config {
    char name[64], version[32];
    int32_t type;  /* a DeviceTypeCode */
    int64_t level; /* a FeatureLevelCode; 0: the runtime's */
    bool operations[NN_OPERATIONS];
    bool types[NN_OPERAND_TYPES]; /* of tensors */
    bool nchw;
    uint32_t alignment, padding;
    uint64_t power;  /* for LOW_POWER: what a nanosecond costs, next to other devices */
    uint64_t run_us; /* real microseconds that a run takes longer */
    uint32_t state;  /* BP_NNAPI_OK... to begin with */
    struct bp_nnapi_rates rates;
};

struct nn_config {
    struct nn_config *older; /* those of before, whose strings programs may hold */
    int64_t level;
    bool strict;     /* a model that is too new is refused */
    bool reference;  /* there is the device nnapi-reference, the last one */
    uint64_t memory; /* bytes that memory objects may have in all; 0: no limit */
    uint32_t device_count;
    struct nn_device_config devices[NN_DEVICES];
    char faults[NN_FAULTS][96]; /* words after "fault = " */
    size_t fault_count;
};

/* Level 31; a GPU, an NPU and the reference CPU. Any thread. */
void nn_config_default(struct nn_config *config);
/*
 * Reads lines "key = value" over what *config has. False: a line is wrong; *why is then a sentence
 * with its number, and the config half read. Any thread.
 */
bool nn_config_parse(struct nn_config *config, const char *text, char *why, size_t why_size);

#endif
