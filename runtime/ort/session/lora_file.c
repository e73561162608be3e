/* SPDX-License-Identifier: MIT */
/* lora_file.c - parses the FlatBuffer of an adapter file: format version and list of parameters. */

#include "config.h"

#include "ort/session/lora_file.h"

#include <string.h>

#include "ort/status.h"

enum { FORMAT_VERSION = 1 };

static const struct bp_flat_field adapter_version = {0, "Adapter.format_version"};
static const struct bp_flat_field adapter_parameters = {3, "Adapter.parameters"};
static const struct bp_flat_field parameter_name = {0, "Parameter.name"};
static const struct bp_flat_field parameter_dims = {1, "Parameter.dims"};
static const struct bp_flat_field parameter_type = {2, "Parameter.data_type"};
static const struct bp_flat_field parameter_data = {3, "Parameter.raw_data"};

/* ---- adapters -------------------------------------------------------------------------------- */

/* ORT_FAIL with ONNX Runtime's sentence. */
static OrtStatus *broken(const char *what)
{
    return ort_fail(ORT_FAIL,
                    "The buffer does not appear to be a valid lora parameter "
                    "format: %s",
                    what);
}

OrtStatus *ort_lora_open(const void *bytes, size_t size, struct ort_lora_file *out)
{
    struct bp_flat_table root;
    struct ort_err err;
    int32_t version;

    ort_err_init(&err);
    if (!bp_flat_is(bytes, size, "TORT"))
        return broken("it does not begin with the identifier of adapters");
    if (bp_flat_open(bytes, size, &out->flat, &root, &err.err) < 0 ||
        bp_flat_i32(&root, &adapter_version, 0, &version, &err.err) < 0)
        return broken(err.text);
    if (version != FORMAT_VERSION)
        return ort_fail(ORT_FAIL,
                        "the adapter has format version %d, this runtime reads version %d", version,
                        (int)FORMAT_VERSION);
    if (bp_flat_list(&root, &adapter_parameters, 4, &out->parameters, &err.err) < 0)
        return broken(err.text);
    return NULL;
}

/* A name must not contain NUL. */
static OrtStatus *read_name(const struct bp_flat_table *table, const char **out)
{
    struct ort_err err;
    bp_span name;

    if (bp_flat_text(table, &parameter_name, &name, ort_err_init(&err)) < 0)
        return broken(err.text);
    if (name.size == 0 || strlen(name.data) != name.size)
        return broken("a parameter has no name");
    *out = name.data;
    return NULL;
}

OrtStatus *ort_lora_parameter(const struct ort_lora_file *file, uint32_t i,
                              struct ort_lora_parameter *out)
{
    struct bp_flat_list dims, data;
    struct bp_flat_table table;
    struct ort_err err;
    OrtStatus *status;

    if (bp_flat_item_child(&file->parameters, i, &table, ort_err_init(&err)) < 0)
        return broken(err.text);
    status = read_name(&table, &out->name);
    if (status)
        return status;
    if (bp_flat_list(&table, &parameter_dims, 8, &dims, &err.err) < 0 ||
        bp_flat_list(&table, &parameter_data, 1, &data, &err.err) < 0 ||
        bp_flat_i32(&table, &parameter_type, 0, &out->type, &err.err) < 0)
        return ort_fail(ORT_FAIL, "adapter parameter '%s' is outside of the file: %s", out->name,
                        err.text);
    out->dims = dims.bytes;
    out->data = data.bytes;
    out->n_dims = dims.n;
    out->n_bytes = data.n;
    return NULL;
}
