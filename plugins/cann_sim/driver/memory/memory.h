/* SPDX-License-Identifier: MIT */
/*
 * memory.h - what was allocated on devices and pinned on the host.
 *
 * A block of device memory has two mappings: the address that programs get, whose pages are closed
 * for good, and one that only the simulator knows and works on. So a program cannot touch device
 * memory, and no page has to be opened and closed while streams run.
 */
#ifndef SIM_MEMORY_H
#define SIM_MEMORY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <acl/acl_base.h>

struct sim_device;

struct sim_block {
    uint8_t *address;          /* as programs know it */
    uint8_t *data;             /* where the bytes are; of pinned memory the same */
    size_t size;               /* asked for */
    size_t padded;             /* counted */
    size_t mapped;             /* whole pages */
    struct sim_device *device; /* NULL: pinned host memory */
    unsigned pins;             /* tasks that work on it now */
    bool freed;                /* goes with the last pin */
};

enum sim_memory_kind {
    SIM_MEMORY_HOST, /* nothing of ours */
    SIM_MEMORY_PINNED,
    SIM_MEMORY_DEVICE,
    SIM_MEMORY_FREED
};

/* Where an address is; *block is set for the two that live. [locked] */
enum sim_memory_kind sim_memory_kind_of(const void *address, struct sim_block **block);

/*
 * `size` bytes at `address` are live memory of the device and may be worked on until
 * sim_unpin(): *out is where. Else a breach, counted, with `what` in its sentence. [locked]
 */
aclError sim_pin(const struct sim_device *device, const void *address, size_t size, aclError code,
                 const char *what, struct sim_block **block, uint8_t **out);
void sim_unpin(struct sim_block *block); /* [locked]; NULL is fine */
/* The same check without the pin. [locked] */
aclError sim_check_device(const struct sim_device *device, const void *address, size_t size,
                          aclError code, const char *what);
/* `size` bytes at `address` are the host's. [locked] */
aclError sim_check_host(const void *address, size_t size, const char *what);

/* A block with both of its mappings, not yet counted; NULL without memory. [locked] */
struct sim_block *sim_block_create(struct sim_device *device, size_t size, size_t padded);
void sim_block_free(struct sim_block *block); /* [locked] counted, and gone with its last pin */
/* What aclrtMalloc() does on the thread's device: `padded` bytes are counted. [locked] */
aclError sim_allocate(void **out, size_t size, size_t padded);
/* Frees all of a device, or with NULL all pinned memory; returns how many blocks. [locked] */
size_t sim_free_all(const struct sim_device *device);
/* Forgets freed addresses; nothing may live. [locked] */
void sim_memory_finish(void);

#endif
