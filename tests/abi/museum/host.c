/* SPDX-License-Identifier: MIT */
/*
 * host.c - a host as small as can be, to be built with the headers of any draft: it runs Relu of three
 * numbers on the plug-in that it is given. Exit status: 0 it ran and is right, 1 it is wrong, 2 the
 * plug-in refused; then standard output has its words.
 */

#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <bp/abi.h>

enum { RUNS = 0, WRONG = 1, REFUSED = 2 };

static void *stay_here; /* the handle of what is linked nowhere: the table's h */

static void host_log(void *h, uint32_t level, const char *domain, const char *text)
{
    (void)h;
    (void)level;
    printf("%s: %s\n", domain, text);
}

static void *host_alloc(void *h, size_t n, size_t align)
{
    (void)h;
    return n ? aligned_alloc(align, (n + align - 1) / align * align) : NULL;
}

static void host_free(void *h, void *p, size_t n, size_t align)
{
    (void)h;
    (void)n;
    (void)align;
    free(p);
}

static uint32_t host_width(void *h)
{
    (void)h;
    return 1;
}

static void host_for(void *h, uint32_t n, void (*fn)(void *u, uint32_t i, uint32_t worker), void *u)
{
    (void)h;
    for (uint32_t i = 0; i < n; i++)
        fn(u, i, 0);
}

static bp_rc host_constant(void *h, const bp_graph *graph, uint32_t value, bp_span *out,
                           bp_err *err)
{
    (void)h;
    (void)graph;
    (void)value;
    (void)out;
    (void)err;
    return BP_E_INVALID; /* the model has none */
}

static bp_rc host_weight_get(void *h, const char *key, size_t n, size_t align,
                             bp_rc (*pack)(void *u, void *dst, size_t n, bp_err *err), void *u,
                             const void **out, bp_err *err)
{
    (void)h;
    (void)key;
    (void)n;
    (void)align;
    (void)pack;
    (void)u;
    (void)out;
    (void)err;
    return BP_E_NOMEM;
}

static void host_weight_put(void *h, const void *p)
{
    (void)h;
    (void)p;
}

static const void *host_extension(void *h, const char *id)
{
    (void)h;
    (void)id;
    return NULL;
}

static const bp_host host = {
    .struct_size = sizeof(bp_host),
    .abi_major = BP_ABI_MAJOR,
    .abi_minor = BP_ABI_MINOR,
    .magic = BP_MAGIC,
    .name = "a host of the museum",
    .version = "1",
    .module_path = "",
    .h = &stay_here,
    .log = host_log,
    .alloc = host_alloc,
    .free = host_free,
    .pool_width = host_width,
    .parallel_for = host_for,
    .constant = host_constant,
    .weight_get = host_weight_get,
    .weight_put = host_weight_put,
    .extension = host_extension,
};

/* ---- y = Relu(x), float32[3] ----------------------------------------------------------------- */

static const bp_dim dims[] = {{3, 0, 0}};
static const bp_value values[] = {
    {.name = "x",
     .dims = dims,
     .rank = 1,
     .dtype = BP_DTYPE_F32,
     .flags = BP_VALUE_INPUT,
     .producer = BP_NONE},
    {.name = "y", .dims = dims, .rank = 1, .dtype = BP_DTYPE_F32, .flags = BP_VALUE_OUTPUT},
};
static const uint32_t in_index = 0, out_index = 1;
static const bp_node node = {
    .name = "n",
    .op = "Relu",
    .domain = "",
    .in = &in_index,
    .out = &out_index,
    .n_in = 1,
    .n_out = 1,
    .opset = 14,
    .since = 14,
};
static const bp_graph graph = {
    .struct_size = sizeof(bp_graph),
    .n_nodes = 1,
    .node_stride = sizeof(bp_node),
    .n_values = 2,
    .value_stride = sizeof(bp_value),
    .attr_stride = sizeof(bp_attr),
    .nodes = &node,
    .values = values,
    .inputs = &in_index,
    .outputs = &out_index,
    .n_inputs = 1,
    .n_outputs = 1,
};

/* Drafts, the magic of which is "BP01", had no bp_claim and no bp_compile. */
#if BP_MAGIC == 0x31304250u
#define COMPILE_AS 0

static void claim(void *h, uint32_t n, uint32_t verdict, uint32_t reason, const char *subject,
                  const char *text, const bp_cost *cost)
{
    (void)n;
    (void)reason;
    (void)subject;
    (void)text;
    (void)cost;
    *(uint32_t *)h = verdict;
}
#else
static const bp_compile compile_as = {.struct_size = sizeof compile_as, .name = "museum"};
#define COMPILE_AS &compile_as

static void claim(void *h, uint32_t n, const bp_claim *theirs)
{
    (void)n;
    *(uint32_t *)h = theirs->verdict;
}
#endif

/* ---- the run --------------------------------------------------------------------------------- */

static char words[512];
static bp_err err = {.struct_size = sizeof err, .msg = words, .msg_cap = sizeof words};

static int ends(const char *what, bp_rc rc)
{
    printf("%s gives %d: %s\n", what, (int)rc, words);
    return rc == BP_E_VERSION ? REFUSED : WRONG;
}

static int run_frame(const bp_provider *p, bp_program *program)
{
    static int64_t sizes[] = {3};
    static float x[] = {-1, 0, 2}, y[] = {9, 9, 9};
    bp_tensor in = {NULL, 0, sizes, sizeof x, 1, BP_DTYPE_F32, BP_SPACE_HOST, 0}, out = in;
    bp_shape shapes[] = {{sizes, 1, BP_DTYPE_F32}, {sizes, 1, BP_DTYPE_F32}};
    bp_frame_desc desc = {.struct_size = sizeof desc, .n_in = 1, .n_out = 1, .n_shapes = 2};
    bp_frame_needs needs = {.struct_size = sizeof needs};
    bp_run run = {.struct_size = sizeof run, .run_id = 1, .io_epoch = 1};
    bp_frame *frame = NULL;
    bp_rc rc;

    desc.in = &in;
    desc.out = &out;
    desc.shapes = shapes;
    rc = p->frame_create(program, &desc, &needs, &frame, &err);
    if (rc < 0)
        return ends("frame_create", rc);
    in.base = x;
    out.base = y;
    rc = p->execute(frame, &run, &err);
    p->frame_free(frame);
    if (rc != BP_OK)
        return ends("execute", rc);
    return y[0] == 0 && y[1] == 0 && y[2] == 2 ? RUNS : WRONG;
}

static int run(const bp_provider *p)
{
    bp_opt opts[2] = {{"chunk", "65536", 65536, 65536}, {"double", "true", 1, 0}};
    uint32_t verdict = BP_NO;
    bp_claims claims = {sizeof claims, 0, &verdict, claim};
    bp_instance *instance = NULL;
    bp_program *program = NULL;
    int status;
    bp_rc rc = p->create(&host, opts, 2, NULL, 0, &instance, &err);

    if (rc < 0)
        return ends("create", rc);
    rc = p->capability(instance, &graph, &claims, &err);
    if (rc < 0 || verdict != BP_YES)
        return ends("capability", rc);
    rc = p->compile(instance, &graph, COMPILE_AS, &program, &err);
    if (rc < 0)
        return ends("compile", rc);
    status = run_frame(p, program);
    p->program_free(program);
    p->destroy(instance);
    return status;
}

int main(int argc, char **argv)
{
    void *handle = argc == 2 ? dlopen(argv[1], RTLD_NOW | RTLD_LOCAL) : NULL;
    void *symbol = handle ? dlsym(handle, BP_ENTRY_SYMBOL) : NULL;
    const bp_module *module = NULL;
    bp_entry_fn entry;
    bp_rc rc;

    if (!symbol) {
        printf("%s\n", argc == 2 ? dlerror() : "one plug-in is needed");
        return WRONG;
    }
    memcpy(&entry, &symbol, sizeof entry);
    rc = entry(&host, &module, &err);
    if (rc < 0)
        return ends("the entry", rc);
    return run(module->providers[0]);
}
