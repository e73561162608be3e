/* SPDX-License-Identifier: MIT */
/* names.c - the providers of the world, as users of ONNX Runtime and its documents know them. */

#include "config.h"

#include "host/names.h"

#include <backplane.h>
#include <ctype.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>

#include "base/text.h"

#define COUNT(a) (sizeof(a) / sizeof(a)[0])

static const char suffix[] = "executionprovider";

/* Short names: ours, then those of ONNX Runtime's providers without "ExecutionProvider". */
static const char *const known[] = {
    "cpu",        "dnnl",     "opencl", "cann",     "nnapi", "xnnpack", "armnn",
    "acl",        "openvino", "cuda",   "tensorrt", "dml",   "coreml",  "rocm",
    "migraphx",   "qnn",      "tvm",    "vitisai",  "azure", "rknpu",   "nvtensorrtrtx",
    "cudaplugin", "webgpu",   "webnn",  "js",       "snpe",  "vsinpu",
};

/* Other spellings that people use. */
static const struct {
    const char *alias, *name;
} aliases[] = {
    {"onednn", "dnnl"},  {"mkldnn", "dnnl"},      {"directml", "dml"},
    {"trt", "tensorrt"}, {"vitis-ai", "vitisai"},
};

/* text in lower case; without the suffix of ONNX Runtime's names. */
static bool lower(const char *text, char out[BP_NAME_MAX])
{
    size_t n = strlen(text);

    if (n >= BP_NAME_MAX)
        return false;
    for (size_t i = 0; i <= n; i++)
        out[i] = (char)tolower((unsigned char)text[i]);
    if (n > sizeof suffix - 1 && strcmp(out + n - (sizeof suffix - 1), suffix) == 0)
        out[n - (sizeof suffix - 1)] = '\0';
    return true;
}

bool bp_names_short(const char *name, char out[BP_NAME_MAX])
{
    static const char vendor[] = "org.backplane.";

    if (strncmp(name, vendor, sizeof vendor - 1) == 0)
        name += sizeof vendor - 1;
    if (!lower(name, out))
        return false;
    for (size_t i = 0; i < COUNT(aliases); i++) {
        if (strcmp(out, aliases[i].alias) == 0)
            memcpy(out, aliases[i].name, strlen(aliases[i].name) + 1);
    }
    return true;
}

bool bp_names_equal(const char *a, const char *b)
{
    char short_a[BP_NAME_MAX], short_b[BP_NAME_MAX];

    if (a[0] == '/' || b[0] == '/')
        return strcmp(a, b) == 0;
    if (!bp_names_short(a, short_a) || !bp_names_short(b, short_b))
        return strcmp(a, b) == 0;
    return strcmp(short_a, short_b) == 0;
}

bool bp_names_is_known(const char *short_name)
{
    for (size_t i = 0; i < COUNT(known); i++) {
        if (strcmp(short_name, known[i]) == 0)
            return true;
    }
    return false;
}

const char *bp_names_nearest(const char *short_name)
{
    return bp_nearest(short_name, known, COUNT(known));
}

/* How ONNX Runtime writes the first part of a provider's name. */
static const char *const spelled[] = {
    "CPU",      "CUDA",          "CANN",    "Dnnl",  "Nnapi", "OpenCL",   "Xnnpack",
    "OpenVINO", "Tensorrt",      "CoreML",  "Dml",   "ROCM",  "MIGraphX", "QNN",
    "ACL",      "ArmNN",         "VitisAI", "Azure", "Rknpu", "VSINPU",   "WebGPU",
    "WebNN",    "NvTensorRTRTX", "JS",      "SNPE",  "Tvm",
};

const char *bp_provider_long_name(const char *name, char *buf, size_t cap)
{
    /* operators of the application are the CPU provider's there */
    const char *first = strcmp(name, "custom") == 0 ? "CPU" : name;

    for (size_t i = 0; i < COUNT(spelled); i++) {
        if (strcasecmp(spelled[i], name) == 0)
            first = spelled[i];
    }
    snprintf(buf, cap, "%sExecutionProvider", first);
    return buf;
}
