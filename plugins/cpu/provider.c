/* SPDX-License-Identifier: MIT */
/* provider.c - the CPU provider's entry, tables and options. */

#include "blas.h"
#include "program.h"

static const bp_option options[] = {
    {
        .struct_size = sizeof(bp_option),
        .type = BP_OPT_BOOL,
        .key = "blas",
        .help = "Use OpenBLAS for large matrix products and convolutions.",
        .def = "true",
    },
};

static bp_rc create(const bp_host *host, const bp_opt *opts, uint32_t n_opts, const uint32_t *devs,
                    uint32_t n_devs, bp_instance **out, bp_err *err)
{
    const bp_opt *blas = bp_opt_find(opts, n_opts, "blas");
    bp_instance *instance;

    for (uint32_t i = 0; i < n_devs; i++) {
        if (devs[i] != 0)
            return bp_fail(err, BP_E_INVALID, "cpu: there is no device %u, only device 0", devs[i]);
    }
    instance = host->alloc(host->h, sizeof *instance, 64);
    if (!instance)
        return bp_fail(err, BP_E_NOMEM, "cpu: no memory for the provider's instance");
    bp_copy_in(&instance->host, sizeof instance->host, host);
    instance->use_blas = !blas || blas->i != 0;
    bp_cpu_index_make(&instance->index);
    *out = instance;
    return BP_OK;
}

static void destroy(bp_instance *instance)
{
    if (instance)
        instance->host.free(instance->host.h, instance, sizeof *instance, 64);
}

BP_MANIFEST("id=org.backplane.cpu\n"
            "name=cpu\n"
            "version=0.1.0\n"
            "devices=cpu\n"
            "license=MIT");

static const bp_provider provider = {
    .struct_size = sizeof(bp_provider),
    .flags = BP_PROVIDER_CONCURRENT_FRAMES | BP_PROVIDER_FORK_SAFE,
    .id = "org.backplane.cpu",
    .name = "cpu",
    .version = "0.1.0",
    .vendor = "Backplane",
    .options = options,
    .n_options = sizeof options / sizeof options[0],
    .option_stride = sizeof(bp_option),
    .create = create,
    .destroy = destroy,
    .capability = bp_cpu_capability,
    .compile = bp_cpu_compile,
    .program_free = bp_cpu_program_free,
    .frame_create = bp_cpu_frame_create,
    .frame_free = bp_cpu_frame_free,
    .execute = bp_cpu_execute,
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

bp_rc bp_provider_entry_v1(const bp_host *host, const bp_module **out, bp_err *err)
{
    bp_rc rc;

    *out = NULL;
    rc = bp_host_check(host, "cpu", err);
    if (rc < 0)
        return rc;
    bp_cpu_blas_watch_forks();
    *out = &module;
    return BP_OK;
}
