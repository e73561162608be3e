/* SPDX-License-Identifier: MIT */
/*
 * session_devices.c - SessionGetEpDeviceForInputs and -Outputs: the devices that read inputs and
 * produce outputs.
 */

#include "config.h"

#include <string.h>

#include "ort/devices/ep_devices.h"
#include "ort/session/session.h"
#include "ort/status.h"

/* The first device that the session gave the provider; 0 if the provider chose. */
static uint32_t device_of(const OrtSession *session, const char *plain)
{
    for (size_t i = 0; i < session->n_chosen; i++) {
        if (strcmp(session->chosen[i].plain, plain) == 0)
            return session->chosen[i].device;
    }
    return 0;
}

/* The device of a node of the report; CPU for host operators. */
static const OrtEpDevice *device_of_node(const OrtSession *session,
                                         const struct ort_devices *devices, uint32_t i)
{
    const bp_report *report = bp_session_report(session->host);
    bp_report_node node = {.struct_size = sizeof node, .provider = BP_NONE};
    bp_report_provider provider = {.struct_size = sizeof provider};

    if (i == BP_NONE || bp_report_get_node(report, i, &node, NULL) < 0 ||
        node.provider == BP_NONE ||
        bp_report_get_provider(report, node.provider, &provider, NULL) < 0)
        return ort_devices_find(devices, "cpu", 0);
    return ort_devices_find(devices, provider.name, device_of(session, provider.name));
}

/* The node that reads an input, or produces an output; *out BP_NONE: none. False: no such edge. */
static bool node_at(const bp_report *report, const char *name, bool is_input, uint32_t *out)
{
    uint32_t from, to;
    const char *edge;

    for (uint32_t i = 0; (edge = bp_report_edge(report, i, &from, &to)) != NULL; i++) {
        if (strcmp(edge, name) != 0 || (is_input ? from : to) != BP_NONE)
            continue;
        *out = is_input ? to : from;
        return true;
    }
    return false;
}

/* ORT_INVALID_ARGUMENT: the array's length must be the exact count. */
static OrtStatus *fill(const OrtSession *session, const bp_io_info *io, uint32_t have,
                       bool is_input, const OrtEpDevice **out, size_t n)
{
    const struct ort_devices *devices;
    OrtStatus *status;

    if (n != have)
        return ort_fail(ORT_INVALID_ARGUMENT, "the array holds %zu entries, there are %u", n, have);
    status = ort_devices_need(session->env, &devices);
    for (size_t i = 0; i < n && !status; i++) {
        uint32_t node = BP_NONE;
        bool is_used = node_at(bp_session_report(session->host), io[i].name, is_input, &node);

        /* no node produces a constant output: the CPU has it */
        out[i] = is_used || !is_input ? device_of_node(session, devices, node) : NULL;
    }
    return status;
}

/* OrtApi since version 23. */
OrtStatus *ort_SessionGetEpDeviceForInputs(const OrtSession *session,
                                           const OrtEpDevice **inputs_ep_devices, size_t num_inputs)
{
    ORT_NEED(session);
    ORT_NEED(inputs_ep_devices);
    return fill(session, session->inputs, session->n_required, true, inputs_ep_devices, num_inputs);
}

/* OrtApi since version 24. */
OrtStatus *ort_SessionGetEpDeviceForOutputs(const OrtSession *session,
                                            const OrtEpDevice **outputs_ep_devices,
                                            size_t num_outputs)
{
    ORT_NEED(session);
    ORT_NEED(outputs_ep_devices);
    return fill(session, session->outputs, session->n_outputs, false, outputs_ep_devices,
                num_outputs);
}
