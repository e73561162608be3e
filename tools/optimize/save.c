/* SPDX-License-Identifier: MIT */
/* save.c - a model as a file, or as two: both have other names until they are whole. */

#include "config.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <bp/sdk.h>

#include "lib/text.h"
#include "optimize/optimize.h"
#include "text/whole_file.h"

/* Alignment of weights in their file, in bytes, so that a mapped file can be used in place. */
enum { ALIGN = 64, PAGE = 4096, LARGE = 1 << 20 };
/* Bytes; smaller weights, such as shapes and axes, stay in the model. */
enum { EXTERNAL_LEAST = 1024 };
/* A protobuf message has at most 2 GiB; 64 MiB of it are left for what is not a weight. */
#define WITHIN_MOST ((UINT64_C(2) << 30) - (UINT64_C(64) << 20))

struct output {
    struct whole_file whole;
    char *path; /* as the user gave it, or beside that */
};

struct saving {
    struct output model, data;
    const char *data_name; /* what the model calls its other file; NULL: there is none */
};

/* ---- files ----------------------------------------------------------------------------------- */

static bp_rc fail(bp_err *err, const char *path)
{
    return bp_fail(err, BP_E_IO, "cannot write %s: %s", path, strerror(errno));
}

static bp_rc begin_file(struct output *output, bp_err *err)
{
    return whole_file_begin(&output->whole, output->path) ? BP_OK : fail(err, output->path);
}

static bp_rc write_file(struct output *output, const void *bytes, size_t size, bp_err *err)
{
    return whole_file_write(&output->whole, bytes, size) ? BP_OK : fail(err, output->path);
}

static bp_rc end_file(struct output *output, bp_err *err)
{
    return whole_file_end(&output->whole) ? BP_OK : fail(err, output->path);
}

static bp_rc name_file(struct output *output, bp_err *err)
{
    return whole_file_name(&output->whole) ? BP_OK : fail(err, output->path);
}

/* After name_file() this removes nothing but memory. */
static void drop_file(struct output *output)
{
    whole_file_drop(&output->whole);
    free(output->path);
}

/* The folders that the file is to be in. */
static bp_rc make_folders(const char *path, bp_err *err)
{
    char *copy = xstrdup(path);
    bp_rc rc = BP_OK;

    for (char *slash = strchr(copy + 1, '/'); rc >= 0 && slash; slash = strchr(slash + 1, '/')) {
        *slash = '\0';
        if (mkdir(copy, 0777) != 0 && errno != EEXIST)
            rc = fail(err, copy);
        *slash = '/';
    }
    free(copy);
    return rc;
}

/* ---- what the library is handed -------------------------------------------------------------- */

/*
 * Called for each weight before the model is written. Its data goes to the other file at an
 * aligned offset, with zeros between.
 */
static bp_rc place(void *user, const bp_weight_info *weight, const char **file, uint64_t *offset,
                   bp_err *err)
{
    static const char zeroes[PAGE];
    struct saving *saving = user;
    struct output *data = &saving->data;
    uint64_t align = weight->tensor.bytes >= LARGE ? PAGE : ALIGN;
    bp_rc rc = BP_OK;

    if (!saving->data_name || weight->tensor.bytes < EXTERNAL_LEAST)
        return BP_OK;
    if (!data->whole.file)
        rc = begin_file(data, err);
    *offset = (data->whole.size + align - 1) / align * align;
    if (rc >= 0)
        rc = write_file(data, zeroes, (size_t)(*offset - data->whole.size), err);
    if (rc >= 0)
        rc = write_file(data, bp_tensor_data(&weight->tensor), weight->tensor.bytes, err);
    *file = saving->data_name;
    return rc;
}

/* Called once, with the size of the model that write_part() then gets in pieces. */
static bp_rc begin(void *user, uint64_t size, bp_err *err)
{
    struct saving *saving = user;

    (void)size;
    return begin_file(&saving->model, err);
}

static bp_rc write_part(void *user, const void *bytes, size_t size, bp_err *err)
{
    struct saving *saving = user;

    return write_file(&saving->model, bytes, size, err);
}

/* ---- the whole ------------------------------------------------------------------------------- */

char *optimize_data_path(const char *out)
{
    struct bp_text path = {0};

    text_printf(&path, "%s.data", out);
    return path.data;
}

/* The data goes first: a model never stands without it. */
static bp_rc finish(struct saving *saving, bp_err *err)
{
    bp_rc rc = end_file(&saving->data, err);

    if (rc >= 0)
        rc = end_file(&saving->model, err);
    if (rc >= 0)
        rc = name_file(&saving->data, err);
    return rc < 0 ? rc : name_file(&saving->model, err);
}

/* ONNX Runtime takes a file for its own format by this extension too. */
bool optimize_is_ort(const char *path)
{
    const char *dot = strrchr(path, '.');

    return dot && strcmp(dot, ".ort") == 0;
}

bp_rc optimize_save(const bp_model *model, const char *out, bool is_external, uint64_t *size,
                    bp_err *err)
{
    struct saving saving = {.model.path = xstrdup(out), .data.path = optimize_data_path(out)};
    bp_model_sink sink = {.struct_size = sizeof sink,
                          .format =
                              optimize_is_ort(out) ? BP_MODEL_FORMAT_ORT : BP_MODEL_FORMAT_ONNX,
                          .user = &saving,
                          .place = place,
                          .begin = begin,
                          .write = write_part};
    bp_model_info info = {.struct_size = sizeof info};
    const char *slash = strrchr(saving.data.path, '/');
    bp_rc rc = bp_model_get_info(model, &info, err);

    if (rc >= 0 && is_external && optimize_is_ort(out))
        rc = bp_fail(err, BP_E_OPTION,
                     "%s: ONNX Runtime's own format has all weights within: leave --external-data "
                     "out, or name a file that ends in .onnx",
                     out);
    if (is_external || info.weight_bytes > WITHIN_MOST)
        saving.data_name = slash ? slash + 1 : saving.data.path;
    if (rc >= 0)
        rc = make_folders(out, err);
    if (rc >= 0)
        rc = bp_model_save(model, &sink, err);
    if (rc >= 0)
        rc = finish(&saving, err);
    *size = saving.model.whole.size + saving.data.whole.size;
    drop_file(&saving.model);
    drop_file(&saving.data);
    return rc;
}
