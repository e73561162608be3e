/* SPDX-License-Identifier: MIT */
/*
 * faulty.c - a provider with one fault, chosen by -DFAULT=NAME when it is compiled; otherwise it
 * takes every node and computes zeroes. MOCK_NAME is its short name, which says what the fault is.
 */

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <bp/sdk.h>

enum fault {
    ABSENT,     /* is_available: no, with reason and fix */
    REFUSING,   /* the entry fails */
    SILENT,     /* the entry succeeds without a module */
    MAJOR,      /* speaks another ABI */
    MAGIC,      /* bad magic */
    SHORT,      /* the provider table is too short */
    INCOMPLETE, /* the provider table lacks execute */
    CRITICAL,   /* a critical flag that no host has */
    UNCREATED,  /* create fails */
    WORDLESS,   /* create fails and says nothing */
    EMPTY,      /* create succeeds without an instance */
    SPEECHLESS, /* capability fails */
    BEYOND,     /* claims a node that is not there */
    COSTLY,     /* takes everything, and says that it takes a second for each node */
    UNCOMPILED, /* takes everything, and compile fails */
    DECLINING,  /* takes everything, and refuses each group with an Add when it compiles */
    UNFRAMED,   /* frame_create fails */
    UNEXECUTED, /* execute fails */
    PENDING,    /* execute answers that it is not done */
    CRASHING,   /* execute ends the process */
    ENDLESS,    /* execute does not end */
    MEDDLING,   /* reserves an output that has a buffer */
    COUNTING,   /* no fault; the rest take NonZero of vectors alone, whose output it sizes */
    FORGETFUL,  /* does so at the first run only */
    GARBAGE,    /* sizes it by itself, past the host */
    OVERSIZED   /* asks for an output of rank 1000 */
};

struct bp_instance {
    const bp_host *host;
};

struct bp_program {
    uint32_t n_nodes;
};

struct bp_frame {
    const bp_frame_desc *desc;
    uint32_t n_runs;
};

static bp_rc is_available(const bp_host *host, bp_avail *out, bp_err *err)
{
    (void)host;
    (void)err;
    out->state = BP_AVAIL_YES;
    out->n_devices = 1;
    if (FAULT == ABSENT) {
        out->state = BP_AVAIL_NO;
        out->n_devices = 0;
        strncpy(out->reason, "driver too old: 535.54 < 550.0", out->reason_cap - 1);
        strncpy(out->fix, "update the driver", out->fix_cap - 1);
    }
    return BP_OK;
}

static bp_rc create(const bp_host *host, const bp_opt *opts, uint32_t n_opts, const uint32_t *devs,
                    uint32_t n_devs, bp_instance **out, bp_err *err)
{
    bp_instance *instance;

    (void)opts;
    (void)n_opts;
    (void)devs;
    (void)n_devs;
    if (FAULT == UNCREATED)
        return bp_fail(err, BP_E_UNAVAILABLE, "libmock.so.1 is not installed");
    if (FAULT == WORDLESS)
        return BP_E_DEVICE_LOST;
    if (FAULT == EMPTY)
        return BP_OK;
    instance = (bp_instance *)calloc(1, sizeof *instance);
    if (!instance)
        return bp_fail(err, BP_E_NOMEM, "no memory for an instance");
    instance->host = host;
    *out = instance;
    return BP_OK;
}

static void destroy(bp_instance *instance)
{
    free(instance);
}

/* Is the fault one of dynamic outputs? Such a provider claims only nodes with those. */
static int takes_dynamic_outputs(void)
{
    return FAULT >= COUNTING;
}

static bp_rc capability(bp_instance *instance, const bp_graph *g, const bp_claims *claims,
                        bp_err *err)
{
    static const bp_cost second = {.struct_size = sizeof second, .known = 1, .run_ns = 1e9};
    static const bp_claim costly = {
        .struct_size = sizeof costly, .verdict = BP_YES, .cost = &second};

    (void)instance;
    if (FAULT == SPEECHLESS)
        return bp_fail(err, BP_E_INTERNAL, "lost the thread");
    for (uint32_t n = 0; n < g->n_nodes; n++) {
        if (FAULT == COSTLY)
            claims->node(claims->h, n, &costly);
        else if (!takes_dynamic_outputs() || strcmp(BP_NODE(g, n)->op, "NonZero") == 0)
            bp_accept(claims, n);
    }
    if (FAULT == BEYOND)
        bp_accept(claims, g->n_nodes);
    return BP_OK;
}

static bp_rc compile(bp_instance *instance, const bp_graph *g, const bp_compile *what,
                     bp_program **out, bp_err *err)
{
    bp_program *program;

    (void)instance;
    (void)what;
    if (FAULT == UNCOMPILED)
        return bp_fail(err, BP_E_INTERNAL, "the compiler gave up on %u nodes", g->n_nodes);
    for (uint32_t n = 0; FAULT == DECLINING && n < g->n_nodes; n++) {
        if (strcmp(BP_NODE(g, n)->op, "Add") == 0)
            return bp_fail(err, BP_E_UNSUPPORTED, "no Add in a group of %u nodes", g->n_nodes);
    }
    program = (bp_program *)calloc(1, sizeof *program);
    if (!program)
        return bp_fail(err, BP_E_NOMEM, "no memory for a program");
    program->n_nodes = g->n_nodes;
    *out = program;
    return BP_OK;
}

static void program_free(bp_program *program)
{
    free(program);
}

static bp_rc frame_create(bp_program *program, const bp_frame_desc *desc, bp_frame_needs *needs,
                          bp_frame **out, bp_err *err)
{
    bp_frame *frame;

    (void)program;
    (void)needs;
    if (FAULT == UNFRAMED)
        return bp_fail(err, BP_E_DEVICE_LOST, "no frame today");
    frame = (bp_frame *)calloc(1, sizeof *frame);
    if (!frame)
        return bp_fail(err, BP_E_NOMEM, "no memory for a frame");
    frame->desc = desc;
    *out = frame;
    return BP_OK;
}

static void frame_free(bp_frame *frame)
{
    free(frame);
}

/* ONNX NonZero of a vector: the indices of what is not 0, as a row. */
static bp_rc run_nonzero(const bp_frame_desc *desc, bp_err *err)
{
    const float *x = (const float *)bp_tensor_data(&desc->in[0]);
    int64_t dims[2] = {1, 0}, n = desc->in[0].dims[0], *y;
    bp_rc rc;

    for (int64_t i = 0; i < n; i++)
        dims[1] += x[i] < 0 || x[i] > 0;
    rc = desc->alloc_output(desc->h, 0, 2, dims, err);
    if (rc < 0)
        return rc;
    y = (int64_t *)bp_tensor_data(&desc->out[0]);
    for (int64_t i = 0; i < n; i++) {
        if (x[i] < 0 || x[i] > 0)
            *y++ = i;
    }
    return BP_OK;
}

/* An output of unknown size, made rightly or wrongly. */
static bp_rc make_dynamic_output(bp_frame *frame, bp_err *err)
{
    static int64_t dims[1000];
    const bp_frame_desc *desc = frame->desc;

    if (FAULT == GARBAGE) {
        desc->out[0].rank = 1000;
        desc->out[0].dims = dims;
        desc->out[0].bytes = SIZE_MAX / 2;
        desc->out[0].base = dims;
        return BP_OK;
    }
    if (FAULT == OVERSIZED)
        return desc->alloc_output(desc->h, 0, 1000, dims, err);
    if (FAULT == FORGETFUL && frame->n_runs++ > 0)
        return BP_OK;
    return run_nonzero(desc, err);
}

static bp_rc execute(bp_frame *frame, const bp_run *run, bp_err *err)
{
    const bp_frame_desc *desc = frame->desc;

    (void)run;
    if (FAULT == UNEXECUTED)
        return bp_fail(err, BP_E_DEVICE_LOST, "the device fell off the bus");
    if (FAULT == CRASHING)
        abort();
    while (FAULT == ENDLESS)
        sleep(1);
    if (FAULT == MEDDLING)
        return desc->alloc_output(desc->h, 0, desc->out[0].rank, desc->out[0].dims, err);
    if (takes_dynamic_outputs())
        return make_dynamic_output(frame, err);
    for (uint32_t i = 0; i < desc->n_out; i++) {
        if (desc->out[i].bytes > 0)
            memset(bp_tensor_data(&desc->out[i]), 0, desc->out[i].bytes);
    }
    return FAULT == PENDING ? BP_PENDING : BP_OK;
}

static const bp_provider provider = {
    .struct_size = FAULT == SHORT ? 64 : sizeof(bp_provider),
    .flags = FAULT == CRITICAL ? BP_CRITICAL & 0x40000000u : 0,
    .id = "org.backplane." MOCK_NAME,
    .name = MOCK_NAME,
    .version = "0.1",
    .vendor = "Backplane's tests",
    .is_available = is_available,
    .create = create,
    .destroy = destroy,
    .capability = capability,
    .compile = compile,
    .program_free = program_free,
    .frame_create = frame_create,
    .frame_free = frame_free,
    .execute = FAULT == INCOMPLETE ? NULL : execute,
};

static const bp_provider *const providers[] = {&provider};

static const bp_module module = {
    .struct_size = sizeof(bp_module),
    .abi_major = FAULT == MAJOR ? 99 : BP_ABI_MAJOR,
    .abi_minor = BP_ABI_MINOR,
    .magic = FAULT == MAGIC ? 0xbadc0de : BP_MAGIC,
    .providers = providers,
    .n_providers = 1,
};

BP_MANIFEST("id=org.backplane." MOCK_NAME "\n"
            "name=" MOCK_NAME "\n"
            "version=0.1\n"
            "license=MIT");

BP_EXPORT bp_rc bp_provider_entry_v1(const bp_host *host, const bp_module **out, bp_err *err);
bp_rc bp_provider_entry_v1(const bp_host *host, const bp_module **out, bp_err *err)
{
    if (FAULT == REFUSING)
        return bp_fail(err, BP_E_VERSION, "needs a host of ABI 9.0, this one has %u.%u",
                       host->abi_major, host->abi_minor);
    if (FAULT != SILENT)
        *out = &module;
    return BP_OK;
}
