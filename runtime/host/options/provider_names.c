/* SPDX-License-Identifier: MIT */
/*
 * provider_names.c - names of execution providers, ours and those that ONNX Runtime documents, and
 * where to get each.
 */

#include "config.h"

#include "host/options/provider_names.h"

#include <backplane.h>
#include <ctype.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>

#include "text/text.h"

#define COUNT(a) (sizeof(a) / sizeof(a)[0])

static const char suffix[] = "executionprovider";

enum { HERE = BP_HOME_HERE, ELSEWHERE = BP_HOME_ELSEWHERE, GONE = BP_HOME_GONE };

/* Short names: ours, then those of ONNX Runtime's providers without "ExecutionProvider". */
static const struct known {
    const char *name;
    uint32_t home;
    const char *note; /* ELSEWHERE: what it needs; GONE: its successor */
} known[] = {
    {"cpu", HERE, NULL},
    {"dnnl", HERE, NULL},
    {"opencl", HERE, NULL},
    {"cann", HERE, NULL},
    {"nnapi", HERE, NULL},
    {"xnnpack", ELSEWHERE, "libxnnpack"},
    {"armnn", ELSEWHERE, "Arm NN"},
    {"acl", ELSEWHERE, "an Arm processor and the Arm Compute Library"},
    {"openvino", ELSEWHERE, "Intel's OpenVINO runtime"},
    {"cuda", ELSEWHERE, "an NVIDIA GPU with CUDA and cuDNN"},
    {"cudaplugin", ELSEWHERE, "an NVIDIA GPU with CUDA and cuDNN"},
    {"cudanhwc", ELSEWHERE, "an NVIDIA GPU with CUDA and cuDNN"},
    {"tensorrt", ELSEWHERE, "an NVIDIA GPU with CUDA and TensorRT"},
    {"nvtensorrtrtx", ELSEWHERE, "an NVIDIA RTX GPU with TensorRT for RTX"},
    {"dml", ELSEWHERE, "Windows 10 or later with Direct3D 12"},
    {"coreml", ELSEWHERE, "macOS or iOS"},
    {"migraphx", ELSEWHERE, "an AMD GPU with ROCm and MIGraphX"},
    {"qnn", ELSEWHERE, "a Qualcomm NPU or GPU with the QAIRT libraries"},
    {"vitisai", ELSEWHERE, "an AMD NPU or FPGA with the Vitis AI runtime"},
    {"azure", ELSEWHERE, "a network endpoint"},
    {"rknpu", ELSEWHERE, "a Rockchip RK1808 with its DDK"},
    {"webgpu", ELSEWHERE, "a WebGPU implementation"},
    {"webnn", ELSEWHERE, "a browser"},
    {"js", ELSEWHERE, "a browser"},
    {"snpe", ELSEWHERE, "Qualcomm's SNPE libraries"},
    {"vsinpu", ELSEWHERE, "a VeriSilicon NPU with TIM-VX"},
    {"rocm", GONE, "migraphx"},
    {"tvm", GONE, NULL},
};

/* Other spellings that people use. */
static const struct {
    const char *alias, *name;
} aliases[] = {
    {"onednn", "dnnl"},
    {"mkldnn", "dnnl"},
    {"directml", "dml"},
    {"trt", "tensorrt"},
    {"tensorrtplugin", "tensorrt"},
    {"vitis-ai", "vitisai"},
    {"vitis_ai", "vitisai"},
    {"nv_tensorrt_rtx", "nvtensorrtrtx"},
};

/* Copies the text in lower case, without the suffix of ONNX Runtime's names. */
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

bool bp_provider_names_short(const char *name, char out[BP_NAME_MAX])
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

/*
 * Paths are not resolved: two paths of one file are two providers until inspection finds that they
 * are one.
 */
bool bp_provider_names_equal(const char *a, const char *b)
{
    char short_a[BP_NAME_MAX], short_b[BP_NAME_MAX];

    if (a[0] == '/' || b[0] == '/')
        return strcmp(a, b) == 0;
    if (!bp_provider_names_short(a, short_a) || !bp_provider_names_short(b, short_b))
        return strcmp(a, b) == 0;
    return strcmp(short_a, short_b) == 0;
}

static const struct known *find(const char *short_name)
{
    for (size_t i = 0; i < COUNT(known); i++) {
        if (strcmp(short_name, known[i].name) == 0)
            return &known[i];
    }
    return NULL;
}

bool bp_provider_names_is_known(const char *short_name)
{
    return find(short_name) != NULL;
}

const char *bp_provider_names_nearest(const char *short_name)
{
    const char *names[COUNT(known)];

    for (size_t i = 0; i < COUNT(known); i++)
        names[i] = known[i].name;
    return bp_nearest(short_name, names, COUNT(known));
}

bool bp_provider_names_has(const char *words, const char *word)
{
    size_t n = strlen(word);

    while (*words) {
        size_t length = strcspn(words, " ");

        if (length == n && memcmp(words, word, n) == 0)
            return true;
        words += length;
        words += strspn(words, " ");
    }
    return false;
}

bool bp_provider_names_is_in_release(const char *short_name)
{
    return bp_provider_names_has(PROVIDERS_OF_RELEASE, short_name);
}

/*
 * Writes the advice: it depends on whether we have the provider, its vendor has it, or it is gone.
 */
bool bp_provider_names_advice(const char *short_name, char *out, size_t cap)
{
    const struct known *row = find(short_name);

    if (!row)
        return false;
    if (bp_provider_names_is_in_release(row->name))
        snprintf(
            out, cap,
            "install the package of Backplane that has libbp-%s.so, or build Backplane with it, "
            "or name its directory in BACKPLANE_PROVIDER_PATH_ADD",
            row->name);
    else if (row->home == ELSEWHERE)
        snprintf(out, cap,
                 "Backplane has no plug-in for it; if its vendor has one, which needs %s, give its "
                 "file to 'backplane install', or name another provider",
                 row->note);
    else if (row->home == HERE)
        snprintf(out, cap,
                 "this release of Backplane has no plug-in for it; name another provider, of those "
                 "that 'backplane providers' lists");
    else
        snprintf(out, cap, "it was withdrawn and is no longer maintained%s%s",
                 row->note ? "; use " : "", row->note ? row->note : "");
    return true;
}

const char *bp_provider_names_known(size_t i)
{
    return i < COUNT(known) ? known[i].name : NULL;
}

uint32_t bp_provider_names_home(size_t i, const char **note)
{
    *note = known[i].note;
    return known[i].home;
}

/* How ONNX Runtime spells the first part of a provider's name. */
static const char *const spelled[] = {
    "CPU",      "CUDA",          "CANN",    "Dnnl",  "Nnapi", "OpenCL",     "Xnnpack",
    "OpenVINO", "Tensorrt",      "CoreML",  "Dml",   "ROCM",  "MIGraphX",   "QNN",
    "ACL",      "ArmNN",         "VitisAI", "Azure", "Rknpu", "VSINPU",     "WebGpu",
    "WebNN",    "NvTensorRTRTX", "Js",      "SNPE",  "Tvm",   "CudaPlugin", "CUDANHWC",
};

const char *bp_provider_long_name(const char *name, char *buf, size_t cap)
{
    /* there, operators of the application belong to the CPU provider */
    const char *first = strcmp(name, "custom") == 0 ? "CPU" : name;

    for (size_t i = 0; i < COUNT(spelled); i++) {
        if (strcasecmp(spelled[i], name) == 0)
            first = spelled[i];
    }
    snprintf(buf, cap, "%sExecutionProvider", first);
    return buf;
}
