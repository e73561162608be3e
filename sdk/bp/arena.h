/* SPDX-License-Identifier: MIT */
/*
 * arena.h - lays out buffers of known lifetimes in one block of memory, for provider authors.
 *
 * Steps are numbered in the order in which they run. A buffer is live from the step that writes it
 * first to the one that reads it last, both included; buffers that are live at the same step get
 * disjoint places. The layout is greedy: large buffers first, each at the lowest place where it
 * fits. That is not always the smallest arena, but seldom far from it.
 *
 *     bp_arena_item items[] = {{.bytes = 4096, .first = 0, .last = 1}, ...};
 *     void *work = host->alloc(host->h, bp_arena_work(n), sizeof(size_t));
 *     size_t bytes = bp_arena_plan(items, n, 64, work); ... base + items[i].offset ...
 *
 * bp_arena_work() and bp_arena_plan() are for providers; the other functions are their parts. All
 * of it is inline, allocates nothing, keeps no state and cannot fail but for SIZE_MAX. [any thread]
 */
#ifndef BP_ARENA_H
#define BP_ARENA_H

#include <stddef.h>
#include <stdint.h>

/*
 * A buffer: the caller sets all but offset, which bp_arena_plan() writes. bytes need not be a
 * multiple of the alignment. last is below UINT32_MAX. A buffer without a reader is live at its
 * own step: last equals first.
 */
typedef struct bp_arena_item {
    size_t bytes;         /* 0 takes no place */
    uint32_t first, last; /* steps, first <= last */
    size_t offset;        /* the answer: a multiple of the alignment */
} bp_arena_item;

/*
 * The planner's own: a key to sort by, and what it belongs to. Three arrays of them lie in `work`:
 * items by size, items by first step, and rows (offset, end) of neighbours.
 */
typedef struct bp_arena_key {
    size_t key;
    size_t value;
} bp_arena_key;

enum {
    /* neighbours in time that are searched for a gap; past that an item goes on top of the arena */
    BP_ARENA_NEIGHBOURS = 256
};

/*
 * Smallest power of two that is not below n. 1 for 0 and 1. n is at most 2^31, as the answer has to
 * fit in 32 bits.
 */
static inline uint32_t bp_arena_leaves(uint32_t n)
{
    uint32_t leaves = 1;

    while (leaves < n)
        leaves *= 2;
    return leaves;
}

/* Rows that one item's search can give: those of all other items, up to BP_ARENA_NEIGHBOURS. */
static inline uint32_t bp_arena_rows(uint32_t n)
{
    return n < BP_ARENA_NEIGHBOURS ? n : (uint32_t)BP_ARENA_NEIGHBOURS;
}

/*
 * Bytes of `work` that bp_arena_plan() needs for n items; n is below 2^28. 1000 items take 48,288
 * bytes where size_t has 64 bits. With n below 2^28 nothing overflows there. The memory is the
 * caller's again as soon as bp_arena_plan() has returned.
 */
static inline size_t bp_arena_work(uint32_t n)
{
    return sizeof(bp_arena_key) * ((size_t)n * 2 + bp_arena_rows(n)) +
           sizeof(uint32_t) * ((size_t)n + 2 * (size_t)bp_arena_leaves(n));
}

/*
 * Heapsort by key, ascending: no memory, no recursion, no bad case. Not stable, but deterministic:
 * the same keys give the same order, so plans are reproducible.
 */
static inline void bp_arena_sort(bp_arena_key *keys, size_t n)
{
    for (size_t end = n, start = n / 2; end > 1;) {
        bp_arena_key moved;
        size_t at, child;

        if (start > 0) {
            at = --start;
            moved = keys[at];
        } else {
            moved = keys[--end];
            keys[end] = keys[0];
            at = 0;
        }
        while ((child = 2 * at + 1) < end) {
            if (child + 1 < end && keys[child + 1].key > keys[child].key)
                child++;
            if (keys[child].key <= moved.key)
                break;
            keys[at] = keys[child];
            at = child;
        }
        keys[at] = moved;
    }
}

/*
 * The placed items that are live within item's life, as (offset, end) rows. by_first has all items
 * in the order of their first step; tree is a binary heap of maxima over that order, of last step +
 * 1 for placed items and 0 for others. Gives the number of rows, or BP_ARENA_NEIGHBOURS + 1 for too
 * many.
 * Two lives overlap when neither ends before the other begins; both ends are included. rows has
 * space for bp_arena_rows(n) rows, which come unsorted by offset. The search descends only into
 * subtrees that hold a placed item which ends at or after item's first step.
 */
static inline uint32_t bp_arena_neighbours(const bp_arena_item *items, uint32_t n,
                                           const bp_arena_key *by_first, const uint32_t *tree,
                                           uint32_t leaves, const bp_arena_item *item,
                                           bp_arena_key *rows)
{
    uint32_t n_rows = 0, node = 1;

    /*
     * walk the tree in order; a subtree without anything that lasts into item's life is passed over
     */
    for (;;) {
        uint32_t low = node, skip;

        while (low < leaves)
            low *= 2; /* the subtree's first leaf */
        if (low - leaves >= n || by_first[low - leaves].key > item->last)
            return n_rows; /* it and all behind it begin too late */
        skip = tree[node] <= item->first;
        if (!skip && node < leaves) {
            node *= 2;
            continue;
        }
        if (!skip) {
            const bp_arena_item *other = &items[by_first[node - leaves].value];

            if (n_rows == BP_ARENA_NEIGHBOURS)
                return n_rows + 1;
            rows[n_rows].key = other->offset;
            rows[n_rows].value = other->offset + other->bytes;
            n_rows++;
        }
        while (node & 1) {
            node /= 2;
            if (node <= 1)
                return n_rows;
        }
        node++;
    }
}

/*
 * Lowest multiple of align where `bytes` fit between rows that are sorted by offset. First fit: the
 * gaps are tried from offset 0 up; when none is large enough the answer is the aligned end of the
 * highest row. The result plus bytes may exceed what fits: the caller checks.
 */
static inline size_t bp_arena_gap(const bp_arena_key *rows, uint32_t n_rows, size_t bytes,
                                  size_t align)
{
    size_t at = 0;

    for (uint32_t i = 0; i < n_rows; i++) {
        if (rows[i].key >= at && rows[i].key - at >= bytes)
            break;
        if (rows[i].value > at)
            at = (rows[i].value + align - 1) / align * align;
    }
    return at;
}

/*
 * Sets the offset of each item and gives the size of the arena. align is a power of two. work has
 * bp_arena_work(n) bytes, aligned for size_t. SIZE_MAX: the arena does not fit in the address
 * space. Time is n log n, times the number of items that are live beside each other.
 * n may be 0: the arena then has 0 bytes. The size is a multiple of align, so arenas can follow
 * each other in one block; the block itself has to be aligned by the caller. Items of 0 bytes get
 * offset 0. On SIZE_MAX the offsets are undefined. An arena may have at most SIZE_MAX / 2 bytes, so
 * that an offset plus a size never wraps. The same items give the same layout on every machine with
 * the same width of size_t.
 */
static inline size_t bp_arena_plan(bp_arena_item *items, uint32_t n, size_t align, void *work)
{
    uint32_t leaves = bp_arena_leaves(n);
    bp_arena_key *by_size = (bp_arena_key *)work, *by_first = by_size + n, *rows = by_first + n;
    uint32_t *leaf_of = (uint32_t *)(void *)(rows + bp_arena_rows(n)), *tree = leaf_of + n;
    size_t total = 0;
    uint32_t n_full = 0;

    for (uint32_t i = 0; i < n; i++) {
        items[i].offset = 0;
        n_full += items[i].bytes > 0;
        total = items[i].bytes > total ? items[i].bytes : total;
    }
    if (n_full <= 1) /* as in most groups of few nodes: nothing lies beside it */
        return total > SIZE_MAX / 2 ? SIZE_MAX : (total + align - 1) / align * align;
    total = 0;
    for (uint32_t i = 0; i < n; i++) {
        by_size[i].key = SIZE_MAX - items[i].bytes;
        by_size[i].value = i;
        by_first[i].key = items[i].first;
        by_first[i].value = i;
    }
    for (uint32_t i = 0; i < 2 * leaves; i++)
        tree[i] = 0;
    bp_arena_sort(by_size, n);
    bp_arena_sort(by_first, n);
    for (uint32_t i = 0; i < n; i++)
        leaf_of[by_first[i].value] = i;

    for (uint32_t i = 0; i < n && items[by_size[i].value].bytes > 0; i++) {
        bp_arena_item *item = &items[by_size[i].value];
        uint32_t n_rows = bp_arena_neighbours(items, n, by_first, tree, leaves, item, rows);

        if (n_rows > BP_ARENA_NEIGHBOURS) {
            item->offset = total;
        } else {
            bp_arena_sort(rows, n_rows);
            item->offset = bp_arena_gap(rows, n_rows, item->bytes, align);
        }
        if (item->offset > SIZE_MAX / 2 || item->bytes > SIZE_MAX / 2 - item->offset)
            return SIZE_MAX;
        if (item->offset + item->bytes > total)
            total = (item->offset + item->bytes + align - 1) / align * align;
        for (uint32_t at = leaves + leaf_of[by_size[i].value]; at > 0; at /= 2) {
            if (tree[at] < item->last + 1)
                tree[at] = item->last + 1;
        }
    }
    return total;
}

#endif
