/* SPDX-License-Identifier: MIT */
/*
 * memory.h - blocks: what was allocated on devices, or pinned on the host (page-locked, in ACL's
 * words).
 *
 * A block of device memory has two mappings: the address that programs get, whose pages are closed
 * for good, and one that only the simulator knows and works on. So a program that touches device
 * memory dies by SIGSEGV, and no page has to be opened and closed while streams run.
 */
#ifndef SIM_MEMORY_H
#define SIM_MEMORY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <acl/acl_base.h>

struct sim_device;

/*
 * One allocation. A block that is freed while a task works on it keeps its bytes until the last pin
 * is gone, as a device would go on using them.
 */
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

/* What an address belongs to. */
enum sim_memory_kind {
    SIM_MEMORY_HOST, /* ordinary host memory, or no memory at all */
    SIM_MEMORY_PINNED,
    SIM_MEMORY_DEVICE,
    SIM_MEMORY_FREED
};

/*
 * Finds what an address belongs to; *block is set for pinned and device memory, else NULL. Any
 * address, also in the middle of a block. [locked]
 */
enum sim_memory_kind sim_memory_kind_of(const void *address, struct sim_block **block);

/*
 * Checks that `size` bytes at `address` are live memory of the device (NULL: of any), and keeps
 * them until sim_unpin(): *out is where the simulator works on them. Else a violation is counted,
 * with `what` in its sentence, and `code` returned. [locked]
 */
aclError sim_pin(const struct sim_device *device, const void *address, size_t size, aclError code,
                 const char *what, struct sim_block **block, uint8_t **out);
/* NULL is fine. [locked] */
void sim_unpin(struct sim_block *block);
/* The same check without the pin. [locked] */
aclError sim_check_device(const struct sim_device *device, const void *address, size_t size,
                          aclError code, const char *what);
/*
 * Checks that `size` bytes at `address` are not a device's, nor freed, and within their block if
 * pinned. ACL_ERROR_RT_PARAM_INVALID. [locked]
 */
aclError sim_check_host(const void *address, size_t size, const char *what);

/*
 * A block of `size` bytes, `padded` of which are counted, with its mappings; device NULL: pinned
 * memory. Not yet in any counter. For sim_block_free(); NULL: no memory. [locked]
 */
struct sim_block *sim_block_create(struct sim_device *device, size_t size, size_t padded);
/* Counts it as freed; its bytes go with its last pin. [locked] */
void sim_block_free(struct sim_block *block);
/*
 * What aclrtMalloc() does on the thread's device, `padded` bytes being counted. As sim_current(),
 * an injected fault, ACL_ERROR_RT_MEMORY_ALLOCATION, ACL_ERROR_RT_DRV_INTERNAL_ERROR. [locked]
 */
aclError sim_allocate(void **out, size_t size, size_t padded);
/*
 * Frees all blocks of a device, or with NULL all pinned memory; returns how many there were.
 * [locked]
 */
size_t sim_free_all(const struct sim_device *device);
/* Forgets freed addresses and the table; no block may live. [locked] */
void sim_memory_finish(void);

#endif
