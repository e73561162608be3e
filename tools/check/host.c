/* SPDX-License-Identifier: MIT */
/*
 * host.c - the table that the kit hands to a plug-in: it holds the plug-in to the rules of abi.h.
 */

#include "config.h"

#include <pthread.h>
#include <stdlib.h>
#include <time.h>

#include "check/graph.h"
#include "check/guard.h"

enum { GUARD = 64, GUARD_BYTE = 0xc5 };

struct kit_weight {
    struct kit_weight *next;
    char *key;
    void *p, *block; /* mapped, and read-only once it is packed */
    size_t n, mapped;
    uint32_t users;
};

/* In front of each block: what alloc was asked for. */
struct block {
    void *start; /* of the malloc'ed bytes */
    size_t n, align;
};

static void breaks(struct kit_host *host, const char *rule)
{
    if (!host->broken)
        host->broken = rule;
}

static void host_log(void *h, uint32_t level, const char *domain, const char *text)
{
    struct kit_host *host = h;

    if (level < BP_LOG_ERROR || level > BP_LOG_DEBUG)
        breaks(host, "log: a level that is none of BP_LOG_*");
    if (!domain || !text)
        breaks(host, "log: no domain or no text");
    else if (strchr(text, '\n'))
        breaks(host, "log: a newline in the text");
    if (host->in_execute)
        breaks(host, "execute called log although all is well");
}

/* Bytes filled with junk, between guards. */
static void *fresh(size_t n, size_t align)
{
    size_t total = sizeof(struct block) + GUARD + align + n + GUARD;
    unsigned char *start, *p;
    struct block *block;

    if (n > SIZE_MAX / 4 || align > SIZE_MAX / 4)
        return NULL;
    start = malloc(total);
    if (!start)
        return NULL;
    memset(start, GUARD_BYTE, total);
    p = start + sizeof(struct block) + GUARD;
    p += (align - (uintptr_t)p % align) % align;
    memset(p, 0xa5, n);
    block = (struct block *)(void *)start;
    block->start = start;
    block->n = n;
    block->align = align;
    memcpy(p - sizeof(void *), &block, sizeof block);
    return p;
}

static bool tail_is_whole(const unsigned char *p, size_t n)
{
    for (size_t i = 0; i < GUARD; i++) {
        if (p[n + i] != GUARD_BYTE)
            return false;
    }
    return true;
}

static void *host_alloc(void *h, size_t n, size_t align)
{
    struct kit_host *host = h;
    void *p;

    if (host->in_execute && !host->may_allocate)
        breaks(host, "execute called alloc");
    if (align == 0 || (align & (align - 1)) != 0) {
        breaks(host, "alloc: the alignment is not a power of two");
        return NULL;
    }
    host->allocs++;
    if (n == 0 || (host->fail_at > 0 && host->allocs == host->fail_at))
        return NULL;
    kit_alloc_pause(true);
    p = fresh(n, align < sizeof(void *) ? sizeof(void *) : align);
    kit_alloc_pause(false);
    if (p) {
        host->live_bytes += n;
        host->live_blocks++;
    }
    return p;
}

static void host_free(void *h, void *p, size_t n, size_t align)
{
    struct kit_host *host = h;
    struct block *block;

    if (!p)
        return;
    if (host->in_execute)
        breaks(host, "execute called free");
    memcpy(&block, (char *)p - sizeof(void *), sizeof block);
    if (block->n != n || block->align != (align < sizeof(void *) ? sizeof(void *) : align)) {
        breaks(host, "free: size or alignment are not those of alloc");
        return;
    }
    if (!tail_is_whole(p, n))
        breaks(host, "it wrote past the end of a block that alloc gave");
    host->live_bytes -= n;
    host->live_blocks--;
    kit_alloc_pause(true);
    free(block->start);
    kit_alloc_pause(false);
}

static uint32_t host_pool_width(void *h)
{
    return ((struct kit_host *)h)->width;
}

/* The worker that computes index i. */
static uint32_t worker_of(const struct kit_host *host, uint32_t i)
{
    switch (host->order) {
    case KIT_FIRST_WORKER:
        return 0;
    case KIT_LAST_WORKER:
        return host->width - 1;
    case KIT_ANY_WORKER:
        return (i * 2654435761u >> 16) % host->width;
    default:
        return (i + 1) % host->width;
    }
}

/* One thread of those that compute at once. */
struct lane {
    pthread_t thread;
    void (*fn)(void *u, uint32_t i, uint32_t worker);
    void *u;
    uint32_t n, worker, width;
    bool is_started;
};

static void *run_lane(void *u)
{
    struct lane *lane = u;

    for (uint32_t i = lane->worker; i < lane->n; i += lane->width)
        lane->fn(lane->u, i, lane->worker);
    return NULL;
}

/* Really at once: each worker is a thread, and the caller is the last. */
static void run_lanes(struct kit_host *host, uint32_t n,
                      void (*fn)(void *u, uint32_t i, uint32_t worker), void *u)
{
    struct lane lanes[KIT_MAX_WIDTH];

    kit_alloc_pause(true);
    for (uint32_t w = 0; w < host->width; w++) {
        lanes[w] = (struct lane){.fn = fn, .u = u, .n = n, .worker = w, .width = host->width};
        if (w + 1 < host->width)
            lanes[w].is_started = pthread_create(&lanes[w].thread, NULL, run_lane, &lanes[w]) == 0;
        if (!lanes[w].is_started)
            run_lane(&lanes[w]);
    }
    for (uint32_t w = 0; w < host->width; w++) {
        if (lanes[w].is_started)
            pthread_join(lanes[w].thread, NULL);
    }
    kit_alloc_pause(false);
}

/*
 * Any order and any division among workers is allowed, so by default an unusual one is tested:
 * backwards, with worker indices that rotate.
 */
static void host_parallel_for(void *h, uint32_t n, void (*fn)(void *u, uint32_t i, uint32_t worker),
                              void *u)
{
    struct kit_host *host = h;

    if (host->order == KIT_THREADS) {
        run_lanes(host, n, fn, u);
        return;
    }
    for (uint32_t k = 0; k < n; k++) {
        uint32_t i = host->order == KIT_FIRST_WORKER ? k : n - 1 - k;

        fn(u, i, worker_of(host, i));
    }
}

static bp_rc host_constant(void *h, const bp_graph *graph, uint32_t value, bp_span *out,
                           bp_err *err)
{
    struct kit_host *host = h;

    if (host->in_execute)
        breaks(host, "execute called constant");
    if (value >= graph->n_values || !(BP_VALUE(graph, value)->flags & BP_VALUE_CONSTANT))
        return bp_fail(
            err, BP_E_INVALID,
            "value %u of %u is not a constant; ask for values that have BP_VALUE_CONSTANT",
            (unsigned)value, (unsigned)graph->n_values);
    *out = kit_graph_constant(graph, value);
    return BP_OK;
}

static bp_rc host_weight_get(void *h, const char *key, size_t n, size_t align,
                             bp_rc (*pack)(void *u, void *dst, size_t n, bp_err *err), void *u,
                             const void **out, bp_err *err)
{
    struct kit_host *host = h;
    struct kit_weight *row;
    bp_rc rc;

    for (row = host->weights; row && strcmp(row->key, key) != 0; row = row->next)
        ;
    if (row && row->n != n)
        return bp_fail(
            err, BP_E_INVALID,
            "weight '%s' has %zu bytes, but %zu were asked for; put what decides the size "
            "into the key",
            key, row->n, n);
    if (!row) {
        kit_alloc_pause(true);
        row = calloc(1, sizeof *row);
        if (row) {
            row->key = strdup(key);
            row->block = kit_map_tight(n, align < 4096 ? align : 4096, &row->p, &row->mapped);
        }
        kit_alloc_pause(false);
        if (!row || !row->key || !row->p)
            return bp_fail(err, BP_E_NOMEM, "no memory for weight '%s'", key);
        rc = pack(u, row->p, n, err);
        if (rc < 0)
            return rc; /* the row stays out of the list: a leak in a test process at most */
        kit_guard_add(row->p, n, "a packed weight", -1, true);
        kit_protect(row->p, n, true);
        host->n_packed++;
        row->n = n;
        row->next = host->weights;
        host->weights = row;
    }
    row->users++;
    *out = row->p;
    return BP_OK;
}

/* Memory without a user is unmapped, so that a later access faults. */
static void drop_weight(struct kit_host *host, struct kit_weight *gone)
{
    struct kit_weight **link = &host->weights;

    while (*link != gone)
        link = &(*link)->next;
    *link = gone->next;
    kit_alloc_pause(true);
    kit_unmap(gone->block, gone->mapped);
    free(gone->key);
    free(gone);
    kit_alloc_pause(false);
}

static int64_t host_now(void *h)
{
    struct timespec now;

    (void)h;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (int64_t)now.tv_sec * 1000000000 + now.tv_nsec;
}

static void host_weight_put(void *h, const void *p)
{
    struct kit_host *host = h;

    for (struct kit_weight *row = host->weights; row; row = row->next) {
        if (row->p != p)
            continue;
        if (--row->users == 0)
            drop_weight(host, row);
        return;
    }
    breaks(host, "weight_put: of what weight_get did not give, or more often than it gave it");
}

bool kit_host_has_packed(const struct kit_host *host)
{
    return host->n_packed > 0;
}

bool kit_host_has_users(const struct kit_host *host)
{
    return host->weights != NULL;
}

static const void *host_extension(void *h, const char *id)
{
    (void)h;
    (void)id;
    return NULL;
}

void kit_host_init(struct kit_host *host, const char *path)
{
    memset(host, 0, sizeof *host);
    host->width = 3;
    host->table.struct_size = sizeof host->table;
    host->table.abi_major = BP_ABI_MAJOR;
    host->table.abi_minor = BP_ABI_MINOR;
    host->table.magic = BP_MAGIC;
    host->table.name = "backplane-check";
    host->table.version = KIT_VERSION;
    host->table.module_path = path;
    host->table.h = host;
    host->table.log = host_log;
    host->table.alloc = host_alloc;
    host->table.free = host_free;
    host->table.pool_width = host_pool_width;
    host->table.parallel_for = host_parallel_for;
    host->table.constant = host_constant;
    host->table.weight_get = host_weight_get;
    host->table.weight_put = host_weight_put;
    host->table.now_ns = host_now;
    host->table.extension = host_extension;
}
