/* SPDX-License-Identifier: MIT */
/*
 * peer_ep.c - a provider of the kind that ONNX Runtime loads as a plug-in: it takes every node as a
 * group of its own and computes nothing but asks for its output. hotpath_peer.c counts with it
 * what ONNX Runtime does around a call of Compute, beside what hotpath.c counts of our host.
 */

#include "config.h"

#include <onnxruntime_ep_c_api.h>

#include <stdlib.h>

#include "proofs/hotpath.h"
#include "proofs/peer_ep.h"

static const OrtApi *api;
static unsigned long calls;

unsigned long peer_ep_calls(void)
{
    return calls;
}

/* ---- a group --------------------------------------------------------------------------------- */

static OrtStatus *ORT_API_CALL create_state(OrtNodeComputeInfo *this_ptr,
                                            OrtNodeComputeContext *context, void **state)
{
    (void)context;
    *state = this_ptr;
    return NULL;
}

static OrtStatus *ORT_API_CALL compute(OrtNodeComputeInfo *this_ptr, void *state,
                                       OrtKernelContext *context)
{
    static const int64_t dims[] = {COUNT};
    OrtValue *out;

    (void)this_ptr, (void)state;
    calls++;
    return api->KernelContext_GetOutput(context, 0, dims, 1, &out);
}

static void ORT_API_CALL release_state(OrtNodeComputeInfo *this_ptr, void *state)
{
    (void)this_ptr, (void)state;
}

static OrtNodeComputeInfo group = {
    .ort_version_supported = ORT_API_VERSION,
    .CreateState = create_state,
    .Compute = compute,
    .ReleaseState = release_state,
};

/* ---- the provider ---------------------------------------------------------------------------- */

static const char *ORT_API_CALL ep_name(const OrtEp *this_ptr)
{
    (void)this_ptr;
    return PEER_EP;
}

static OrtStatus *ORT_API_CALL capability(OrtEp *this_ptr, const OrtGraph *graph,
                                          OrtEpGraphSupportInfo *info)
{
    const OrtNode *nodes[8];
    size_t n = 0;
    OrtStatus *status = api->Graph_GetNumNodes(graph, &n);

    (void)this_ptr;
    if (!status && n > sizeof nodes / sizeof *nodes)
        status = api->CreateStatus(ORT_FAIL, "a graph of more nodes than the proof makes");
    if (!status)
        status = api->Graph_GetNodes(graph, nodes, n);
    for (size_t i = 0; !status && i < n; i++)
        status = api->GetEpApi()->EpGraphSupportInfo_AddNodesToFuse(info, &nodes[i], 1, NULL);
    return status;
}

static OrtStatus *ORT_API_CALL compile(OrtEp *this_ptr, const OrtGraph **graphs,
                                       const OrtNode **fused, size_t count,
                                       OrtNodeComputeInfo **infos, OrtNode **context_nodes)
{
    (void)this_ptr, (void)graphs, (void)fused, (void)context_nodes;
    for (size_t i = 0; i < count; i++)
        infos[i] = &group;
    return NULL;
}

static void ORT_API_CALL release_infos(OrtEp *this_ptr, OrtNodeComputeInfo **infos, size_t count)
{
    (void)this_ptr, (void)infos, (void)count;
}

static OrtEp ep = {
    .ort_version_supported = ORT_API_VERSION,
    .GetName = ep_name,
    .GetCapability = capability,
    .Compile = compile,
    .ReleaseNodeComputeInfos = release_infos,
};

/* ---- the factory ----------------------------------------------------------------------------- */

static const char *ORT_API_CALL factory_name(const OrtEpFactory *this_ptr)
{
    (void)this_ptr;
    return PEER_EP;
}

static const char *ORT_API_CALL factory_vendor(const OrtEpFactory *this_ptr)
{
    (void)this_ptr;
    return "test";
}

static const char *ORT_API_CALL factory_version(const OrtEpFactory *this_ptr)
{
    (void)this_ptr;
    return "1.0.0";
}

static uint32_t ORT_API_CALL factory_vendor_id(const OrtEpFactory *this_ptr)
{
    (void)this_ptr;
    return 0;
}

static OrtStatus *ORT_API_CALL supported(OrtEpFactory *this_ptr,
                                         const OrtHardwareDevice *const *devices, size_t n_devices,
                                         OrtEpDevice **out, size_t cap, size_t *n_out)
{
    *n_out = 0;
    for (size_t i = 0; i < n_devices && cap > 0; i++) {
        if (api->HardwareDevice_Type(devices[i]) != OrtHardwareDeviceType_CPU)
            continue;
        *n_out = 1;
        return api->GetEpApi()->CreateEpDevice(this_ptr, devices[i], NULL, NULL, &out[0]);
    }
    return NULL;
}

static OrtStatus *ORT_API_CALL create_ep(OrtEpFactory *this_ptr,
                                         const OrtHardwareDevice *const *devices,
                                         const OrtKeyValuePairs *const *metadata, size_t n_devices,
                                         const OrtSessionOptions *options, const OrtLogger *logger,
                                         OrtEp **out)
{
    (void)this_ptr, (void)devices, (void)metadata, (void)n_devices, (void)options, (void)logger;
    *out = &ep;
    return NULL;
}

static void ORT_API_CALL release_ep(OrtEpFactory *this_ptr, OrtEp *released)
{
    (void)this_ptr, (void)released;
}

static OrtStatus *ORT_API_CALL no_data_transfer(OrtEpFactory *this_ptr, OrtDataTransferImpl **out)
{
    (void)this_ptr;
    *out = NULL;
    return NULL;
}

static bool ORT_API_CALL is_stream_aware(const OrtEpFactory *this_ptr)
{
    (void)this_ptr;
    return false;
}

static OrtEpFactory factory = {
    .ort_version_supported = ORT_API_VERSION,
    .GetName = factory_name,
    .GetVendor = factory_vendor,
    .GetSupportedDevices = supported,
    .CreateEp = create_ep,
    .ReleaseEp = release_ep,
    .GetVendorId = factory_vendor_id,
    .GetVersion = factory_version,
    .CreateDataTransfer = no_data_transfer,
    .IsStreamAware = is_stream_aware,
};

OrtStatus *CreateEpFactories(const char *name, const OrtApiBase *base, const OrtLogger *logger,
                             OrtEpFactory **out, size_t cap, size_t *n_out)
{
    (void)name, (void)logger;
    api = base->GetApi(ORT_API_VERSION);
    *n_out = 0;
    if (cap < 1)
        return api->CreateStatus(ORT_INVALID_ARGUMENT, "no room for one factory");
    out[0] = &factory;
    *n_out = 1;
    return NULL;
}

OrtStatus *ReleaseEpFactory(OrtEpFactory *released)
{
    (void)released;
    return NULL;
}
