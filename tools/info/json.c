/* SPDX-License-Identifier: MIT */
/* json.c - what a model holds, as JSON. */

#include "config.h"

#include "info/info.h"
#include "lib/json.h"

/*
 * "shape" is null for an unknown rank and [] for a scalar; a dimension is a number, a symbol or
 * null.
 */
static bp_rc json_ios(struct json *json, const struct info *s, bool outputs, bp_err *err)
{
    uint32_t n = outputs ? s->info.n_outputs : s->info.n_inputs;
    bp_rc rc = BP_OK;

    json_array(json, outputs ? "outputs" : "inputs");
    for (uint32_t i = 0; rc >= 0 && i < n; i++) {
        bp_io_info io = {.struct_size = sizeof io};

        rc = outputs ? bp_model_output(s->model, i, &io, err)
                     : bp_model_input(s->model, i, &io, err);
        if (rc < 0)
            break;
        json_object(json, NULL);
        json_string(json, "name", io.name);
        json_string(json, "type", bp_dtype_name(io.dtype));
        if (io.type->kind == BP_KIND_SPARSE)
            json_bool(json, "sparse", true);
        json_bool(json, "optional", io.flags & BP_IO_OPTIONAL);
        if (io.rank == BP_RANK_UNKNOWN) {
            json_string(json, "shape", NULL);
        } else {
            json_list(json, "shape"); /* a number, a symbol, or null */
            for (uint32_t d = 0; d < io.rank; d++) {
                if (io.dims[d].value >= 0)
                    json_int(json, NULL, io.dims[d].value);
                else
                    json_string(json, NULL, io.dims[d].symbol);
            }
            json_list_end(json);
        }
        json_object_end(json);
    }
    json_array_end(json);
    return rc;
}

/*
 * "since" is the version of the operator that applies to the model's operator set; 0 where no table
 * has it.
 */
static bp_rc json_ops(struct json *json, const struct info *s, bp_err *err)
{
    bp_rc rc = BP_OK;

    json_array(json, "operators");
    for (uint32_t i = 0; rc >= 0 && i < s->info.n_ops; i++) {
        bp_op_info op = {.struct_size = sizeof op};

        rc = bp_model_op(s->model, i, &op, err);
        if (rc < 0)
            break;
        json_object(json, NULL);
        json_string(json, "domain", op.domain);
        json_string(json, "name", op.op);
        json_uint(json, "count", op.count);
        json_uint(json, "opset", op.opset);
        json_uint(json, "since", op.since);
        json_bool(json, "known", op.since != 0);
        json_object_end(json);
    }
    json_array_end(json);
    return rc;
}

/* The empty domain is ONNX's own, "ai.onnx". */
static void json_facts(struct json *json, const struct info *s)
{
    const bp_model_info *info = &s->info;
    const char *key, *value;
    int64_t version;

    json_string(json, "model", s->path);
    json_string(json, "format", info->format == BP_MODEL_FORMAT_ORT ? "ort" : "onnx");
    json_string(json, "graph", info->graph_name);
    json_string(json, "producer", info->producer);
    json_string(json, "producer_version", info->producer_version);
    json_string(json, "domain", info->domain);
    json_string(json, "doc", info->doc);
    json_int(json, "model_version", info->model_version);
    json_int(json, "ir_version", info->ir_version);
    json_uint(json, "nodes", info->n_nodes);
    json_uint(json, "file_bytes", info->file_bytes);
    json_uint(json, "weights", info->n_weights);
    json_uint(json, "weight_bytes", info->weight_bytes);
    json_uint(json, "functions", info->n_functions);
    json_object(json, "opsets");
    for (uint32_t i = 0; (key = bp_model_opset(s->model, i, &version)) != NULL; i++)
        json_int(json, *key ? key : "ai.onnx", version);
    json_object_end(json);
    json_object(json, "metadata");
    for (uint32_t i = 0; (key = bp_model_metadata(s->model, i, &value)) != NULL; i++)
        json_string(json, key, value);
    json_object_end(json);
    json_array(json, "external");
    for (uint32_t i = 0; (key = bp_model_external(s->model, i)) != NULL; i++)
        json_string(json, NULL, key);
    json_array_end(json);
}

bp_rc info_json(const struct info *s, bp_err *err)
{
    struct json json = {.out = stdout};
    bp_rc rc;

    json_object(&json, NULL);
    json_string(&json, "schema", "info/1");
    json_facts(&json, s);
    rc = json_ios(&json, s, false, err);
    if (rc >= 0)
        rc = json_ios(&json, s, true, err);
    if (rc >= 0)
        rc = json_ops(&json, s, err);
    json_object_end(&json);
    return rc;
}
