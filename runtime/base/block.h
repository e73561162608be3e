/* SPDX-License-Identifier: MIT */
/* block.h - memory of runs: of the allocator that a session was given, or of the C library. */
#ifndef BP_BASE_BLOCK_H
#define BP_BASE_BLOCK_H

#include "base/status.h"

enum { BP_BLOCK_ALIGN = 64 };

/* Reads what an application says. BP_E_INVALID: it makes no sense. */
bp_rc bp_allocator_read(const bp_allocator *theirs, bp_allocator *out, bp_err *err) BP_CHECKED;

/*
 * Calls the application's functions. *out has that many bytes, and no alignment that one could rely on.
 * BP_E_NOMEM where it gave NULL, BP_E_INTERNAL for an exception, and what it says itself. [any thread]
 */
bp_rc bp_allocator_get(const bp_allocator *allocator, size_t bytes, void **out,
                       bp_err *err) BP_CHECKED;
/* An exception ends here, because free() returns no status. NULL is fine. [any thread] */
void bp_allocator_put(const bp_allocator *allocator, void *memory);

/*
 * A block that is aligned to BP_BLOCK_ALIGN, also for no bytes. allocator NULL: of the C library. An
 * allocator is asked for up to 72 bytes more, for the alignment and for where its memory begins.
 */
bp_rc bp_block_alloc(const bp_allocator *allocator, size_t bytes, void **out,
                     bp_err *err) BP_CHECKED;
/* With the allocator that it came from. NULL is fine. */
void bp_block_free(const bp_allocator *allocator, void *block);

/*
 * Bytes of a block, rounded to pages, that nothing was written to yet: the system has given no memory
 * for them. 0 for a block of less than 1 MiB, of an allocator, NULL, and where the system does not say.
 */
size_t bp_block_untouched(const bp_allocator *allocator, const void *block);

#endif
