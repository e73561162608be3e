/* SPDX-License-Identifier: MIT */
/*
 * guard.h - memory between pages without access: who reads or writes one byte beside it, or writes where
 * it may only read, is stopped at once, and the test's words say where that was.
 */
#ifndef BP_CHECK_GUARD_H
#define BP_CHECK_GUARD_H

#include "check/kit.h"

/*
 * Maps n bytes that end where a page without access begins, at a multiple of align; one such page lies
 * before them too. *data are the bytes, *mapped is for kit_unmap(). Never NULL.
 */
void *kit_map_tight(size_t n, size_t align, void **data, size_t *mapped);
/* The same, where they begin right after a page without access. */
void *kit_map_after(size_t n, void **data, size_t *mapped);
void kit_unmap(void *block, size_t mapped); /* and forgets what kit_guard_add() said of it */

/* Makes the pages of n bytes read-only, or writable again. */
void kit_protect(void *data, size_t n, bool is_read_only);

/* Takes all access from the pages of n bytes. */
void kit_forbid(void *data, size_t n);

/* What n bytes are, for the words of a test: `what` and a number, or -1 for none. */
void kit_guard_add(const void *data, size_t n, const char *what, int number, bool is_read_only);
/* From now on an access beside such bytes fails the test. Not where a debugger should see it. */
void kit_guard_begin(struct kit *kit);

#endif
