/* SPDX-License-Identifier: MIT */
/*
 * settings.h - the simulator's configuration: devices and their costs, delays, faults. README.md
 * has the keys.
 */
#ifndef SIM_SETTINGS_H
#define SIM_SETTINGS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Devices that there can be, and lines "fault = ..." that a configuration can have. */
#define SIM_DEVICES 16
#define SIM_FAULTS 32

/*
 * One device. Rates are per second, times in nanoseconds of the simulated time. A task takes its
 * launch, and the longer of what its bytes and its arithmetic take.
 */
struct sim_device_config {
    char soc[64];
    uint64_t memory;          /* bytes */
    uint64_t queue_depth;     /* tasks that a stream holds */
    uint64_t streams, events; /* how many there can be */
    uint64_t submit_ns;       /* of the host, a call that queues */
    uint64_t launch_ns;       /* of the device, a task */
    uint64_t compile_ns;      /* of the host, an operator that was not kept */
    uint64_t copy_rate;       /* bytes a second between host and device */
    uint64_t memory_rate;     /* bytes a second on the device */
    uint64_t cube_rate;       /* operations a second on float16: convolution, product */
    uint64_t vector_rate;     /* operations a second of everything else */
    uint32_t state;           /* BP_ASCEND_OK... to begin with */
};

/* The whole configuration, in force from one aclInit() to the next. */
struct sim_config {
    uint32_t device_count;
    struct sim_device_config devices[SIM_DEVICES];
    uint64_t late_us;      /* real microseconds that each task waits before it starts */
    uint64_t compile_us;   /* real microseconds that building a model takes for each operator */
    bool fatal_violations; /* of ACL's rules: the process ends at the first one */
    bool real_event_time;  /* aclrtEventElapsedTime() tells the wall's */
    uint64_t max_opqueue_num;
    char faults[SIM_FAULTS][96]; /* words after "fault = " */
    size_t fault_count;
};

/* One Ascend910B3, no faults, no delays. Any thread. */
void sim_config_default(struct sim_config *config);
/*
 * Reads lines "key = value" over what *config has. False: a line is wrong; *why is then a sentence
 * with its number, and the config half read. Any thread.
 */
bool sim_config_parse(struct sim_config *config, const char *text, char *why, size_t why_size);

#endif
