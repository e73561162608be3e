/* SPDX-License-Identifier: MIT */
/* services.c - the services of a plug-in: log, memory, threads, constants and shared weights. */

#include "config.h"

#include "host/load/services.h"

#include <stdatomic.h>
#include <stdlib.h>
#include <time.h>

#include "host/load/model_services.h"

static void log_line(void *h, uint32_t level, const char *domain, const char *text)
{
    static const struct bp_log standard = {0};
    const struct bp_services *services = h;

    bp_log(services ? services->log : &standard, level, domain, "%s", text);
}

/* posix_memalign() wants a power of two that is a multiple of sizeof(void *). */
static void *alloc(void *h, size_t n, size_t align)
{
    void *p = NULL;

    (void)h;
    if (align < sizeof(void *))
        align = sizeof(void *);
    if (n == 0 || posix_memalign(&p, align, n) != 0)
        return NULL;
    return p;
}

static void release(void *h, void *p, size_t n, size_t align)
{
    (void)h;
    (void)n;
    (void)align;
    free(p);
}

static uint32_t pool_width(void *h)
{
    const struct bp_services *services = h;
    uint32_t width;

    if (!services || !services->pool)
        return 1;
    width = bp_pool_width(services->pool);
    return services->threads && services->threads < width ? services->threads : width;
}

static void parallel_for(void *h, uint32_t n, void (*fn)(void *u, uint32_t i, uint32_t worker),
                         void *u)
{
    const struct bp_services *services = h;

    if (services && services->pool) {
        bp_pool_run(services->pool, services->threads, n, fn, u);
        return;
    }
    for (uint32_t i = 0; i < n; i++)
        fn(u, i, 0);
}

/*
 * Reads a constant by the functions in graph->host, which the graph's maker has set, so that this
 * file needs no knowledge of graphs.
 */
static bp_rc constant(void *h, const bp_graph *graph, uint32_t value, bp_span *out, bp_err *err)
{
    const struct bp_graph_owner *owner = graph->host;

    (void)h;
    return owner->constant(graph, value, out, err);
}

/* Keys are the plug-in's own; its id, the scope, keeps the keys of different plug-ins apart. */
static bp_rc weight_get(void *h, const char *key, size_t n, size_t align,
                        bp_rc (*pack)(void *u, void *dst, size_t n, bp_err *err), void *u,
                        const void **out, bp_err *err)
{
    struct bp_services *services = h;
    bp_rc rc;

    if (!services || !services->weights)
        return bp_fail(err, BP_E_UNSUPPORTED,
                       "weights are shared by instances only, not by a plug-in's entry");
    rc =
        bp_shared_weights_get(services->weights, services->scope, key, n, align, pack, u, out, err);
    if (rc >= 0) {
        atomic_fetch_add(&services->n_weights, 1);
        atomic_fetch_add(&services->weight_bytes, (int64_t)n);
    }
    return rc;
}

static void weight_put(void *h, const void *p)
{
    struct bp_services *services = h;
    int64_t bytes;

    if (!services || !services->weights || !p)
        return;
    bytes = bp_shared_weights_put(services->weights, p);
    if (bytes < 0)
        return;
    atomic_fetch_sub(&services->n_weights, 1);
    atomic_fetch_sub(&services->weight_bytes, bytes);
}

static void constant_done(void *h, const bp_graph *graph, uint32_t value)
{
    const struct bp_graph_owner *owner = graph->host;

    (void)h;
    if (owner->constant_done)
        owner->constant_done(graph, value);
}

/* Returns NULL for an unknown id, which the ABI defines as "not here" and not as an error. */
static const void *extension(void *h, const char *id)
{
    static const bp_ext_constants constants = {.struct_size = sizeof constants,
                                               .done = constant_done};

    (void)h;
    if (strcmp(id, BP_EXT_CONSTANTS) == 0)
        return &constants;
    return strcmp(id, BP_EXT_MODEL) == 0 ? &bp_model_services : NULL;
}

static int64_t now_ns(void *h)
{
    struct timespec now;

    (void)h;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (int64_t)now.tv_sec * 1000000000 + now.tv_nsec;
}

static void fill(bp_host *host, void *h, const char *module_path)
{
    *host = (bp_host){
        .struct_size = sizeof *host,
        .abi_major = BP_ABI_MAJOR,
        .abi_minor = BP_ABI_MINOR,
        .magic = BP_MAGIC,
        .name = "backplane",
        .version = PACKAGE_VERSION,
        .module_path = module_path ? module_path : "",
        .h = h,
        .log = log_line,
        .alloc = alloc,
        .free = release,
        .pool_width = pool_width,
        .parallel_for = parallel_for,
        .constant = constant,
        .weight_get = weight_get,
        .weight_put = weight_put,
        .extension = extension,
        .now_ns = now_ns,
    };
}

void bp_services_init(struct bp_services *services, const char *module_path)
{
    fill(&services->host, services, module_path);
}

void bp_services_for_module(bp_host *out, const char *module_path)
{
    fill(out, NULL, module_path);
}
