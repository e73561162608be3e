/* SPDX-License-Identifier: MIT */
/* provider.c - the opencl provider's entry, tables and options; devices and instances. */

#define _GNU_SOURCE /* pthread, as C11 alone hides it */

#include "base/instance.h"
#include "base/shared.h"
#include "build/build_frame.h"
#include "build/kernels.h"
#include "build/tune.h"
#include "capability.h"
#include "compile.h"
#include "run/device.h"
#include "run/events.h"
#include "run/execute.h"
#include "save.h"

enum { ALIGN = 64 };

/* ---- options --------------------------------------------------------------------------------- */

enum {
    OPT_FP16,
    OPT_MEMORY_LIMIT,
    OPT_CACHE_DIR,
    OPT_BUILD_FLAGS,
    OPT_PROFILING,
    OPT_FUSE,
    OPT_KERNELS,
    OPT_CONVOLUTIONS,
    OPT_TUNE,
    N_OPTIONS
};

/* In the order of BP_OPENCL_KERNELS_* and BP_OPENCL_CONV_*. */
static const char *const kernel_classes[] = {"auto", "processor", "gpu"};
static const char *const convolutions[] = {"auto", "columns", "implicit", "winograd"};

#define CHOICES(names) .choices = (names), .n_choices = sizeof(names) / sizeof((names)[0])

static const bp_option options[N_OPTIONS] = {
    [OPT_FP16] =
        {
            .struct_size = sizeof(bp_option),
            .type = BP_OPT_BOOL,
            .key = "fp16",
            .help = "Takes nodes of float16 too: stored as such, computed in float32.",
            .def = "false",
        },
    [OPT_MEMORY_LIMIT] =
        {
            .struct_size = sizeof(bp_option),
            .type = BP_OPT_INT,
            .key = "memory_limit",
            .help = "Bytes of device memory that a session may hold; 0 leaves it to the device.",
            .def = "0",
            .min = 0,
            .max = 1e15,
        },
    [OPT_CACHE_DIR] =
        {
            .struct_size = sizeof(bp_option),
            .type = BP_OPT_STRING,
            .key = "cache_dir",
            .help = "A folder in which compiled kernels are kept for later processes; it is made "
                    "if only its own name is missing. Empty: nothing is written.",
            .def = "",
        },
    [OPT_BUILD_FLAGS] =
        {
            .struct_size = sizeof(bp_option),
            .type = BP_OPT_STRING,
            .key = "build_flags",
            .help = "Options of clBuildProgram for all kernels, such as -cl-mad-enable.",
            .def = "",
        },
    [OPT_PROFILING] =
        {
            .struct_size = sizeof(bp_option),
            .type = BP_OPT_BOOL,
            .key = "profiling",
            .help = "Lets the device time each kernel, for runs that are profiled; such a run "
                    "waits for its end.",
            .def = "false",
        },
    [OPT_FUSE] =
        {
            .struct_size = sizeof(bp_option),
            .type = BP_OPT_BOOL,
            .key = "fuse",
            .help = "Makes one kernel of element-wise nodes that follow each other, or a product "
                    "of matrices or a convolution.",
            .def = "true",
        },
    [OPT_KERNELS] =
        {
            .struct_size = sizeof(bp_option),
            .type = BP_OPT_CHOICE,
            .key = "kernels",
            .help = "Kernels for which kind of device: vectors in registers, or work-items that "
                    "share local memory; auto: by what the device says it is.",
            .def = "auto",
            CHOICES(kernel_classes),
        },
    [OPT_CONVOLUTIONS] =
        {
            .struct_size = sizeof(bp_option),
            .type = BP_OPT_CHOICE,
            .key = "convolutions",
            .help = "Algorithm of convolutions that it fits: columns of windows in memory, the "
                    "same in local memory (implicit), or Winograd's F(2x2, 3x3), whose results "
                    "differ most; auto: by kind of device and sizes.",
            .def = "auto",
            CHOICES(convolutions),
        },
    [OPT_TUNE] =
        {
            .struct_size = sizeof(bp_option),
            .type = BP_OPT_BOOL,
            .key = "tune",
            .help = "Times algorithms and sizes of groups where a session first meets a "
                    "convolution or product of matrices, which takes seconds, and keeps the "
                    "answers in cache_dir.",
            .def = "false",
        },
};

/* ---- devices --------------------------------------------------------------------------------- */

static bp_rc is_available(const bp_host *host, bp_avail *avail, bp_err *err)
{
    const struct bp_opencl_listing *listing = bp_opencl_list();

    (void)host;
    (void)err;
    avail->state = listing->n_devices > 0 ? BP_AVAIL_YES : BP_AVAIL_NO;
    avail->n_devices = listing->n_devices;
    if (listing->n_devices > 0)
        return BP_OK;
    if (avail->reason && avail->reason_cap > 0)
        snprintf(avail->reason, avail->reason_cap, "%s", listing->why);
    if (avail->fix && avail->fix_cap > 0)
        snprintf(avail->fix, avail->fix_cap, "%s", listing->fix);
    return BP_OK;
}

static bp_rc device(const bp_host *host, uint32_t i, bp_device *out, bp_err *err)
{
    const struct bp_opencl_listing *listing = bp_opencl_list();
    const struct bp_opencl_device *device;

    (void)host;
    if (i >= listing->n_devices)
        return bp_fail(err, BP_E_INVALID, "opencl: there is no device %u, of %u", i,
                       listing->n_devices);
    device = &listing->devices[i];
    out->kind = device->type & CL_DEVICE_TYPE_GPU   ? BP_DEVICE_GPU
                : device->type & CL_DEVICE_TYPE_CPU ? BP_DEVICE_CPU
                                                    : BP_DEVICE_OTHER;
    out->vendor_id = device->vendor_id;
    out->numa = BP_NONE;
    out->spaces = 1;
    out->id = device->key;
    out->name = device->name;
    out->driver = device->driver;
    out->mem_total = device->memory;
    return BP_OK;
}

/* GPUs first, the processor last. */
static uint32_t best_device(const struct bp_opencl_listing *listing)
{
    static const cl_device_type order[] = {CL_DEVICE_TYPE_GPU, CL_DEVICE_TYPE_ACCELERATOR,
                                           CL_DEVICE_TYPE_CUSTOM, CL_DEVICE_TYPE_CPU};

    for (uint32_t k = 0; k < sizeof order / sizeof order[0]; k++) {
        for (uint32_t i = 0; i < listing->n_devices; i++) {
            if (listing->devices[i].type & order[k])
                return i;
        }
    }
    return 0;
}

static bp_rc choose_device(bp_instance *instance, const uint32_t *devs, uint32_t n_devs,
                           bp_err *err)
{
    const struct bp_opencl_listing *listing = &instance->cl->listing;
    uint32_t i = n_devs > 0 ? devs[0] : best_device(listing);

    if (listing->n_devices == 0)
        return bp_fail(err, BP_E_UNAVAILABLE, "opencl: %s", listing->why);
    if (n_devs > 1)
        return bp_fail(err, BP_E_OPTION,
                       "opencl: %u devices for a session, which has one; give "
                       "each session its own by the option 'device'",
                       n_devs);
    if (i >= listing->n_devices)
        return bp_fail(err, BP_E_INVALID, "opencl: there is no device %u, of %u", i,
                       listing->n_devices);
    instance->device = &listing->devices[i];
    instance->claimed_device = n_devs > 0 ? 0 : i;
    instance->is_processor = (instance->device->type & CL_DEVICE_TYPE_CPU) != 0;
    return BP_OK;
}

/* ---- instances ------------------------------------------------------------------------------- */

static void free_text(const bp_instance *instance, char *text)
{
    if (text)
        instance->host.free(instance->host.h, text, strlen(text) + 1, ALIGN);
}

static void destroy(bp_instance *instance)
{
    bp_host host;

    if (!instance)
        return;
    bp_opencl_built_free(instance);
    bp_opencl_tuned_free(instance);
    if (instance->queue) {
        instance->cl->clFinish(instance->queue);
        instance->cl->clReleaseCommandQueue(instance->queue);
    }
    bp_opencl_shared_close(instance->shared);
    free_text(instance, instance->build_flags);
    free_text(instance, instance->cache_dir);
    bp_opencl_events_finish(instance);
    pthread_mutex_destroy(&instance->lock);
    host = instance->host;
    host.free(host.h, instance, sizeof *instance, ALIGN);
}

/* A copy of an option's text, which lasts only as long as create(); NULL for an empty one. */
static bp_rc copy_text(bp_instance *instance, const bp_opt *opt, char **out, bp_err *err)
{
    size_t n = opt && opt->str ? strlen(opt->str) + 1 : 0;

    if (n <= 1)
        return BP_OK;
    *out = instance->host.alloc(instance->host.h, n, ALIGN);
    if (!*out)
        return bp_fail(err, BP_E_NOMEM, "opencl: no memory for the provider's instance");
    memcpy(*out, opt->str, n);
    return BP_OK;
}

static bp_rc read_options(bp_instance *instance, const bp_opt *opts, uint32_t n_opts, bp_err *err)
{
    const bp_opt *given[N_OPTIONS];
    bp_rc rc;

    for (uint32_t i = 0; i < N_OPTIONS; i++)
        given[i] = bp_opt_find(opts, n_opts, options[i].key);
    instance->takes_f16 = given[OPT_FP16] && given[OPT_FP16]->i;
    instance->profiles = given[OPT_PROFILING] && given[OPT_PROFILING]->i;
    instance->fuses = !given[OPT_FUSE] || given[OPT_FUSE]->i;
    if (given[OPT_KERNELS] && given[OPT_KERNELS]->i != BP_OPENCL_KERNELS_AUTO)
        instance->is_processor = given[OPT_KERNELS]->i == BP_OPENCL_KERNELS_PROCESSOR;
    if (given[OPT_CONVOLUTIONS])
        instance->convolutions = (uint32_t)given[OPT_CONVOLUTIONS]->i;
    instance->tunes = given[OPT_TUNE] && given[OPT_TUNE]->i;
    if (given[OPT_MEMORY_LIMIT])
        instance->memory_limit = (uint64_t)given[OPT_MEMORY_LIMIT]->i;
    rc = copy_text(instance, given[OPT_BUILD_FLAGS], &instance->build_flags, err);
    return rc < 0 ? rc : copy_text(instance, given[OPT_CACHE_DIR], &instance->cache_dir, err);
}

static bp_rc open_device(bp_instance *instance, bp_err *err)
{
    const struct bp_opencl_library *cl = instance->cl;
    const struct bp_opencl_device *device = instance->device;
    cl_int code = CL_SUCCESS;
    bp_rc rc = bp_opencl_shared_open(cl, device, &instance->shared, err);

    if (rc < 0)
        return rc;
    instance->context = bp_opencl_shared_context(instance->shared);
    instance->queue = cl->clCreateCommandQueue(
        instance->context, device->id, instance->profiles ? CL_QUEUE_PROFILING_ENABLE : 0, &code);
    if (code == CL_SUCCESS)
        return BP_OK;
    instance->queue = NULL;
    return bp_opencl_fail_to_open(device, code, "clCreateCommandQueue", err);
}

static bp_rc create(const bp_host *host, const bp_opt *opts, uint32_t n_opts, const uint32_t *devs,
                    uint32_t n_devs, bp_instance **out, bp_err *err)
{
    bp_instance *instance = host->alloc(host->h, sizeof *instance, ALIGN);
    bp_rc rc;

    if (!instance)
        return bp_fail(err, BP_E_NOMEM, "opencl: no memory for the provider's instance");
    memset(instance, 0, sizeof *instance);
    bp_copy_in(&instance->host, sizeof instance->host, host);
    rc = bp_opencl_events_init(instance, err);
    if (rc < 0) {
        host->free(host->h, instance, sizeof *instance, ALIGN);
        return rc;
    }
    pthread_mutex_init(&instance->lock, NULL);
    instance->cl = bp_opencl_library();
    rc = choose_device(instance, devs, n_devs, err);
    if (rc >= 0)
        rc = read_options(instance, opts, n_opts, err);
    if (rc >= 0)
        rc = open_device(instance, err);
    if (rc < 0) {
        destroy(instance);
        return rc;
    }
    *out = instance;
    return BP_OK;
}

/* What compiled kernels depend on. */
static bp_rc fingerprint(bp_instance *instance, char *buf, uint32_t cap, bp_err *err)
{
    (void)err;
    bp_opencl_describe(instance, buf, cap);
    return BP_OK;
}

static bp_rc count_memory(bp_instance *instance, bp_instance_memory *out, bp_err *err)
{
    (void)err;
    out->device_weights = atomic_load(&instance->weights);
    return BP_OK;
}

/* ---- the tables ------------------------------------------------------------------------------ */

BP_MANIFEST("id=org.backplane.opencl\n"
            "name=opencl\n"
            "version=0.1.0\n"
            "devices=gpu\n"
            "env=OCL_ICD_VENDORS\n"
            "license=MIT");

static const bp_provider provider = {
    .struct_size = sizeof(bp_provider),
    .flags = BP_PROVIDER_CONCURRENT_FRAMES | BP_PROVIDER_UNINTERRUPTIBLE | BP_PROVIDER_CONTEXTS,
    .id = "org.backplane.opencl",
    .name = "opencl",
    .version = "0.1.0",
    .vendor = "Backplane",
    .options = options,
    .n_options = N_OPTIONS,
    .option_stride = sizeof(bp_option),
    .dev = &bp_opencl_device_ops,
    .is_available = is_available,
    .device = device,
    .create = create,
    .destroy = destroy,
    .fingerprint = fingerprint,
    .capability = bp_opencl_capability,
    .compile = bp_opencl_compile,
    .load = bp_opencl_program_load,
    .save = bp_opencl_program_save,
    .program_free = bp_opencl_program_free,
    .frame_create = bp_opencl_frame_create,
    .frame_free = bp_opencl_frame_free,
    .execute = bp_opencl_execute,
    .memory = count_memory,
};

static const bp_provider *const providers[] = {&provider};

static const bp_module module = {
    .struct_size = sizeof(bp_module),
    .abi_major = BP_ABI_MAJOR,
    .abi_minor = BP_ABI_MINOR,
    .magic = BP_MAGIC,
#ifdef __VERSION__
    .build = "compiler " __VERSION__,
#endif
    .providers = providers,
    .n_providers = 1,
};

BP_EXPORT bp_rc bp_provider_entry_v1(const bp_host *host, const bp_module **out, bp_err *err);

/* The OpenCL loader is opened when it is first asked for, not here. */
bp_rc bp_provider_entry_v1(const bp_host *host, const bp_module **out, bp_err *err)
{
    bp_rc rc;

    *out = NULL;
    rc = bp_host_check(host, "opencl", err);
    if (rc < 0)
        return rc;
    *out = &module;
    return BP_OK;
}
