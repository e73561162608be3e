/* SPDX-License-Identifier: MIT */
/*
 * tables.c - the tables of functions, and OrtGetApiBase, through which programs get them.
 *
 * A table only grows at its end, so one table serves all versions up to ours: a program of version
 * N reads the first slots.
 */

#include "config.h"

#include <stdio.h>
#include <string.h>

#include "ort/slots.h"
#include "ort/versions.h"

#define ORT_RELEASE "1.30.0" /* clients compare its second number with their own API version */

#define SLOT(name) .name = ort_##name,
static const OrtApi api = {
#include "ort/slots_api.inc"
};
#undef SLOT

#define SLOT(name) .name = ort_ep_##name,
static const OrtEpApi ep_api = {
#include "ort/slots_ep.inc"
};
#undef SLOT

#define SLOT(name) .name = ort_editor_##name,
static const OrtModelEditorApi editor_api = {
#include "ort/slots_editor.inc"
};
#undef SLOT

#define SLOT(name) .name = ort_compile_##name,
static const OrtCompileApi compile_api = {
#include "ort/slots_compile.inc"
};
#undef SLOT

#define SLOT(name) .name = ort_interop_##name,
static const OrtInteropApi interop_api = {
#include "ort/slots_interop.inc"
};
#undef SLOT

/* NULL for a newer version; ONNX Runtime prints this line to standard error. */
static const OrtApi *get_api(uint32_t version)
{
    if (version >= 1 && version <= ORT_API_VERSION)
        return &api;
    fprintf(stderr,
            "The requested API version [%u] is not available, only API versions [1, %d] are "
            "supported in this build. Current ORT Version is: %s\n",
            version, ORT_API_VERSION, ORT_RELEASE);
    return NULL;
}

/* Bindings parse it as 1.<API version>.<patch> and refuse a smaller number than theirs. */
static const char *get_version_string(void)
{
    return ORT_RELEASE;
}

static const OrtApiBase *get_api_base(void)
{
    static const OrtApiBase base = {get_api, get_version_string};

    return &base;
}
ORT_VERSIONS(OrtGetApiBase, get_api_base)

/* ---- slots that return the other tables -------------------------------------------------------- */

/* OrtApi since version 13. */
const OrtTrainingApi *ort_GetTrainingApi(uint32_t version)
{
    (void)version;
    return NULL; /* as in every build without training */
}

/* OrtApi since version 22. */
const OrtModelEditorApi *ort_GetModelEditorApi(void)
{
    return &editor_api;
}

/* OrtApi since version 22. */
const OrtCompileApi *ort_GetCompileApi(void)
{
    return &compile_api;
}

/* OrtApi since version 22. */
const OrtEpApi *ort_GetEpApi(void)
{
    return &ep_api;
}

/* OrtApi since version 24. */
const OrtInteropApi *ort_GetInteropApi(void)
{
    return &interop_api;
}

/* OrtApi since version 28: There are no experimental functions. */
OrtExperimentalFnPtr ort_GetExperimentalFunction(const char *name)
{
    (void)name;
    return NULL; /* there are none */
}

/* OrtApi since version 15. */
const char *ort_GetBuildInfoString(void)
{
    return "ORT Build Info: Backplane " PACKAGE_VERSION;
}
