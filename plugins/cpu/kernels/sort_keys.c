/* SPDX-License-Identifier: MIT */
/*
 * sort_keys.c - see sort_keys.h.
 *
 * A stable radix sort by bytes, at most 8 passes, of which those over equal bytes are skipped;
 * insertion sort for few items; a heap for the first k. Items that only a callback can order are
 * merge-sorted.
 */

#include "kernels/sort_keys.h"
#include "kernels/types/loops.h"

#include <stdbool.h>
#include <string.h>

#include <bp/abi.h>

/* ---- keys ------------------------------------------------------------------------------------ */

/*
 * The bits of a float in the order of its values: negative ones inverted, others with the sign bit
 * set. NaN is last.
 */
static inline uint64_t keyf(float v)
{
    uint32_t bits, sign;

    v += 0.0f; /* -0 + 0 is +0 */
    memcpy(&bits, &v, sizeof bits);
    sign = 0u - (bits >> 31);
    return v != v ? UINT32_MAX : bits ^ (sign | UINT32_C(1) << 31);
}

static inline uint64_t key(double v)
{
    uint64_t bits, sign;

    v += 0.0;
    memcpy(&bits, &v, sizeof bits);
    sign = UINT64_C(0) - (bits >> 63);
    return v != v ? UINT64_MAX : bits ^ (sign | UINT64_C(1) << 63);
}

#define TEMPLATE "kernels/sort_keys.inc"
#define KEY(v) M(key)(v)
#include "kernels/types/float.inc"
#undef KEY
/* only as many bits as T has: bytes that all keys share cost no pass of the sort */
#define KEY(v) ((uint64_t)(v) + (UINT64_C(1) << (8 * sizeof(T) - 1)))
#include "kernels/types/int.inc"
#undef KEY
#define KEY(v) ((uint64_t)(v))
#include "kernels/types/bool.inc"
#include "kernels/types/uint.inc"
#undef KEY
#undef TEMPLATE

bp_cpu_sort_keys_fn bp_cpu_sort_keys_of(uint32_t dtype)
{
    static const bp_cpu_sort_keys_fn loops[BP_DTYPE_END] = {
#define NAME keys
#define TEMPLATE "kernels/types/loop_entry.inc"
#include "kernels/types/bool.inc"
#include "kernels/types/number.inc"
#undef TEMPLATE
#undef NAME
    };

    return dtype < BP_DTYPE_END ? loops[dtype] : NULL;
}

/* ---- sorting keys ---------------------------------------------------------------------------- */

enum { INSERTION_MOST = 40 }; /* up to so many items insertion sort is faster than counting */

static void insertion_sort(struct bp_cpu_sort_key *items, int64_t n)
{
    for (int64_t i = 1; i < n; i++) {
        struct bp_cpu_sort_key item = items[i];
        int64_t at = i;

        for (; at > 0 && items[at - 1].key > item.key; at--)
            items[at] = items[at - 1];
        items[at] = item;
    }
}

/*
 * One stable counting pass by the byte at `shift`. False: all keys have the same byte, and `to` is
 * not written.
 */
static bool sort_byte(const struct bp_cpu_sort_key *from, struct bp_cpu_sort_key *to, int64_t n,
                      int shift)
{
    int64_t starts[256] = {0}, sum = 0;

    for (int64_t i = 0; i < n; i++)
        starts[from[i].key >> shift & 255]++;
    if (starts[from[0].key >> shift & 255] == n)
        return false;
    for (int b = 0; b < 256; b++) {
        int64_t count = starts[b];

        starts[b] = sum;
        sum += count;
    }
    for (int64_t i = 0; i < n; i++)
        to[starts[from[i].key >> shift & 255]++] = from[i];
    return true;
}

void bp_cpu_sort_keys_sort(struct bp_cpu_sort_key *items, struct bp_cpu_sort_key *spare, int64_t n)
{
    struct bp_cpu_sort_key *from = items, *to = spare;
    uint64_t varying = 0;

    if (n <= INSERTION_MOST) {
        insertion_sort(items, n);
        return;
    }
    for (int64_t i = 1; i < n; i++)
        varying |= items[i].key ^ items[0].key;
    for (int shift = 0; shift < 64; shift += 8) {
        if ((varying >> shift & 255) != 0 && sort_byte(from, to, n, shift)) {
            struct bp_cpu_sort_key *other = from;

            from = to;
            to = other;
        }
    }
    if (from != items)
        memcpy(items, from, (size_t)n * sizeof *items);
}

/* Does a come after b, by key and then by index? */
static inline bool is_after(struct bp_cpu_sort_key a, struct bp_cpu_sort_key b)
{
    return a.key != b.key ? a.key > b.key : a.at > b.at;
}

/* Puts `item` into the max-heap whose root is free. */
static void sift(struct bp_cpu_sort_key *heap, int64_t n, int64_t root, struct bp_cpu_sort_key item)
{
    for (;;) {
        int64_t child = 2 * root + 1;

        if (child >= n)
            break;
        if (child + 1 < n && is_after(heap[child + 1], heap[child]))
            child++;
        if (!is_after(heap[child], item))
            break;
        heap[root] = heap[child];
        root = child;
    }
    heap[root] = item;
}

void bp_cpu_sort_keys_first(const uint64_t *keys, int64_t n, struct bp_cpu_sort_key *items,
                            int64_t k)
{
    for (int64_t i = 0; i < k; i++)
        items[i] = (struct bp_cpu_sort_key){keys[i], i};
    for (int64_t i = k / 2; i-- > 0;)
        sift(items, k, i, items[i]);
    for (int64_t i = k; i < n; i++) {
        if (keys[i] < items[0].key) /* of equal keys the earlier index stays */
            sift(items, k, 0, (struct bp_cpu_sort_key){keys[i], i});
    }
    for (int64_t end = k - 1; end > 0; end--) {
        struct bp_cpu_sort_key last = items[0];

        sift(items, end, 0, items[end]);
        items[end] = last;
    }
}

/* ---- sorting anything ------------------------------------------------------------------------ */

/* Merges from[0..middle) and from[middle..end) into `to`; the left one comes first when equal. */
static void merge(const int64_t *from, int64_t *to, int64_t middle, int64_t end,
                  bp_cpu_order_fn order, const void *u)
{
    int64_t left = 0, right = middle;

    for (int64_t i = 0; i < end; i++) {
        if (left < middle && (right >= end || order(u, from[left], from[right]) <= 0))
            to[i] = from[left++];
        else
            to[i] = from[right++];
    }
}

void bp_cpu_order_sort(int64_t *items, int64_t *spare, int64_t n, bp_cpu_order_fn order,
                       const void *u)
{
    int64_t *from = items, *to = spare;

    for (int64_t width = 1; width < n; width *= 2) {
        int64_t *other = from;

        for (int64_t i = 0; i < n; i += 2 * width) {
            int64_t rest = n - i, end = rest < 2 * width ? rest : 2 * width;

            merge(from + i, to + i, end < width ? end : width, end, order, u);
        }
        from = to;
        to = other;
    }
    if (from != items)
        memcpy(items, from, (size_t)n * sizeof *items);
}
