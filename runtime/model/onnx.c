/* SPDX-License-Identifier: MIT */
/*
 * onnx.c - opens a model: maps the file, decodes it, checks its head; and facts about it.
 *
 * Order: map, convert from .ort if it is one, scan and unpack, merge edits, check versions, replace
 * weights, survey tensors, inline functions.
 */

#include "config.h"

#include "model/onnx.h"

#include <stdlib.h>
#include <sys/mman.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <time.h>

#include "graph/expand/flex_attention.h"
#include "graph/expand/gradient.h"
#include "graph/schema_table.h"
#include "model/external.h"
#include "model/file_kind.h"
#include "model/model.h"
#include "model/wire/unpack.h"

enum { LOOK_NS = 100 * 1000 * 1000 }; /* between looks at the files of a model that runs */

/* ---- the head of a model --------------------------------------------------------------------- */

/* Unknown newer opsets may change an operator's meaning, so they need the caller's consent. */
bp_rc bp_onnx_check_released(const struct bp_onnx *onnx, bp_err *err)
{
    const char *domain;
    int64_t ignored;

    for (uint32_t i = 0; (domain = bp_onnx_opset(onnx, i, &ignored)) != NULL; i++) {
        uint32_t version = bp_onnx_opset_of(onnx, domain);
        uint32_t newest = bp_schema_newest(domain);

        if (newest && version > newest)
            return bp_fail(err, BP_E_VERSION,
                           "%s: imports version %u of operator set '%s', the newest that is known "
                           "is %u: convert the model to that, or allow newer ones "
                           "(bp_session_options_set_newer_opsets, --newer-opsets)",
                           onnx->name, version, domain[0] ? domain : "ai.onnx", newest);
    }
    return BP_OK;
}

/* ModelProto.opset_import is required since IR version 3; before, all operators are of opset 1. */
static bp_rc check_head(struct bp_onnx *onnx, bp_err *err)
{
    const Bp__ModelProto *proto = onnx->proto;
    bp_rc rc;

    if (proto->ir_version < 1 || proto->ir_version > BP_IR_VERSION_LAST)
        return bp_fail(err, BP_E_VERSION,
                       "has IR version %lld; versions 1 to %d are read, %d is the newest known",
                       (long long)proto->ir_version, BP_IR_VERSION_LAST, BP_IR_VERSION_NEWEST);
    rc = bp_onnx_read_opsets(&onnx->opsets, proto->opset_import, proto->n_opset_import, err);
    if (rc < 0 || proto->n_opset_import > 0)
        return rc;
    if (proto->ir_version >= 3)
        return bp_fail(err, BP_E_INVALID,
                       "imports no operator set (opset_import), which IR version %lld needs",
                       (long long)proto->ir_version);
    return bp_strmap_put(&onnx->opsets, "", 1) ? BP_OK : bp_fail_nomem(err, "operator sets");
}

/* ---- files beside it ------------------------------------------------------------------------- */

/* A model that was rebuilt has the directory of the first one, unless it got one of its own. */
bp_rc bp_onnx_read_beside(const struct bp_onnx *onnx, const char *name, uint8_t **out, size_t *size,
                          bp_err *err)
{
    while (!bp_external_has(onnx->source.external, name) && onnx->of)
        onnx = onnx->of;
    if (!bp_external_has(onnx->source.external, name))
        return bp_fail_detail(err, BP_E_INVALID, BP_DETAIL_NO_DIRECTORY,
                              "it is in the file '%.80s', but a model in memory has no directory: "
                              "say where its files are",
                              name);
    return bp_external_copy(onnx->source.external, name, out, size, err);
}

/* ---- opening --------------------------------------------------------------------------------- */

/* The bytes that the model was read from: an .ort file if there is a container. */
static const struct bp_bytes *file_of(const struct bp_onnx *onnx)
{
    return onnx->container.data ? &onnx->container : &onnx->source.file;
}

/* When bytes can't be decoded, the message says what the file seems to be instead. */
static bp_rc fail_decode(const struct bp_onnx *onnx, bp_rc rc, bp_err *err)
{
    const struct bp_bytes *file = file_of(onnx);
    const char *words = bp_sniff(file->data, file->size);

    if (rc != BP_E_INVALID)
        return bp_fail_in(err, rc, "%s", onnx->name);
    if (onnx->container.data)
        return bp_fail_in(err, rc, "%s, in ONNX Runtime's format, is damaged or cut off",
                          onnx->name);
    if (words)
        return bp_fail_detail(err, rc, file->size == 0 ? BP_DETAIL_NO_GRAPH : BP_DETAIL_NONE,
                              "%s is not an ONNX model: %s", onnx->name, words);
    if (bp_sniff_model(file->data, file->size))
        return bp_fail_in(err, rc, "%s is an ONNX model that is damaged or cut off", onnx->name);
    return bp_fail_in(err, rc, "%s is not an ONNX model", onnx->name);
}

/*
 * A model in ONNX Runtime's own format: an equivalent ModelProto is written to memory, its weights
 * stay in the mapped file.
 */
static bp_rc convert(struct bp_onnx *onnx, bp_err *err)
{
    struct bp_bytes *file = &onnx->source.file;
    struct bp_put put = {0};
    bp_rc rc;

    if (!bp_ort_is(file->data, file->size))
        return BP_OK;
    rc = bp_ort_read(file->data, file->size, &onnx->ort, &put, err);
    onnx->container = *file;
    onnx->own_bytes = put.data;
    *file = (struct bp_bytes){.data = put.data, .size = put.size};
    bp_external_set_own(onnx->source.external, &onnx->container);
    return rc;
}

/* source.salt makes ids of this model's constants unlike those of any other in the process. */
static bp_rc decode(struct bp_onnx *onnx, const bp_model_source *from, bp_err *err)
{
    const struct bp_bytes *file = &onnx->source.file;
    bp_rc rc = convert(onnx, err);

    if (rc >= 0)
        rc = bp_unpack_model(file->data, file->size, &onnx->wire, &onnx->region, &onnx->proto, err);
    if (rc >= 0 && !onnx->proto->graph)
        rc = bp_fail_detail(err, BP_E_INVALID, BP_DETAIL_NO_GRAPH, "it has no graph");
    if (rc < 0)
        return fail_decode(onnx, rc, err);
    onnx->source.chunks = onnx->wire.chunks;
    onnx->source.n_chunks = onnx->wire.n_chunks;
    rc = bp_onnx_edit(onnx, from->edits, from->n_edits, err);
    if (rc >= 0)
        rc = check_head(onnx, err);
    if (rc >= 0)
        rc = bp_onnx_give(onnx, from->weights, from->n_weights, err);
    if (rc >= 0)
        rc = bp_onnx_survey(onnx, err);
    if (rc >= 0)
        rc = bp_onnx_inline(onnx, err);
    return rc < 0 ? bp_fail_in(err, rc, "%s", onnx->name) : rc;
}

/* Takes the mapping over, also when it fails. dir may be NULL. */
static bp_rc open_bytes(const struct bp_bytes *file, const char *name, const char *dir,
                        const bp_model_source *from, struct bp_onnx **out, bp_err *err)
{
    struct bp_onnx *onnx = calloc(1, sizeof *onnx);
    struct bp_bytes mine = *file;
    bp_rc rc;

    if (!onnx) {
        bp_bytes_unmap(&mine);
        return bp_fail_nomem(err, "a model");
    }
    atomic_init(&onnx->refs, 1);
    onnx->source.file = mine;
    onnx->name = strdup(name);
    if (!onnx->name) {
        rc = bp_fail_nomem(err, "a model");
        goto out;
    }
    if (getrandom(&onnx->source.salt, sizeof onnx->source.salt, 0) !=
        (ssize_t)sizeof onnx->source.salt) {
        rc = bp_fail(err, BP_E_IO, "the system gives no random numbers: %m");
        goto out;
    }
    rc = bp_external_create(dir, from->files, from->n_files, from->flags & BP_SOURCE_COPY_FILES,
                            &onnx->source.external, err);
    if (rc < 0)
        goto out;
    rc = decode(onnx, from, err);
    if (rc < 0)
        goto out;
    bp_onnx_drop_pages(onnx); /* readahead has mapped weights around the pages that were read */
    *out = onnx;
    onnx = NULL;
out:
    bp_onnx_unref(onnx);
    return rc;
}

/* The directory of a path: up to its last slash, or ".". External data is relative to it. */
static char *directory_of(const char *path)
{
    const char *slash = strrchr(path, '/');

    if (!slash)
        return strdup(".");
    return slash == path ? strdup("/") : strndup(path, (size_t)(slash - path));
}

/* A directory is reported as such, because mmap's error would not help. */
static bp_rc open_path(const bp_model_source *from, struct bp_onnx **out, bp_err *err)
{
    const char *path = from->path;
    struct bp_bytes file = {0};
    struct stat st;
    char *dir;
    bp_rc rc;

    if (stat(path, &st) == 0 && S_ISDIR(st.st_mode))
        return bp_fail(err, BP_E_INVALID, "%s is not an ONNX model: it is a directory", path);
    rc = bp_bytes_map(path, from->flags & BP_SOURCE_COPY_FILES, &file, err);
    if (rc < 0)
        return rc;
    dir = from->dir ? strdup(from->dir) : directory_of(path);
    if (!dir) {
        bp_bytes_unmap(&file);
        return bp_fail_nomem(err, "a model");
    }
    rc = open_bytes(&file, path, dir, from, out, err);
    if (rc >= 0)
        (*out)->has_path = true;
    free(dir);
    return rc;
}

bp_rc bp_onnx_open_source(const bp_model_source *source, struct bp_onnx **out, bp_err *err)
{
    struct bp_bytes file = {0};

    *out = NULL;
    if (source->path)
        return open_path(source, out, err);
    file.data = source->size > 0 ? source->bytes : (const void *)"";
    file.size = source->size;
    return open_bytes(&file, "model in memory", source->dir, source, out, err);
}

bp_rc bp_onnx_open(const char *path, struct bp_onnx **out, bp_err *err)
{
    bp_model_source source = {.struct_size = sizeof source, .path = path};

    return bp_onnx_open_source(&source, out, err);
}

const char *bp_onnx_name(const struct bp_onnx *onnx)
{
    return onnx->name;
}

struct bp_onnx *bp_onnx_ref(struct bp_onnx *onnx)
{
    atomic_fetch_add(&onnx->refs, 1);
    return onnx;
}

/* The last reference unmaps the files, so graphs built from the model must be gone. */
void bp_onnx_unref(struct bp_onnx *onnx)
{
    if (!onnx || atomic_fetch_sub(&onnx->refs, 1) != 1)
        return;
    bp_external_destroy(onnx->source.external);
    bp_strmap_finish(&onnx->opsets);
    bp_strmap_finish(&onnx->given);
    bp_region_finish(&onnx->region);
    bp_wire_finish(&onnx->wire);
    bp_bytes_unmap(&onnx->source.file);
    bp_bytes_unmap(&onnx->container);
    bp_region_finish(&onnx->own);
    bp_onnx_unref(onnx->of);
    free(onnx->own_bytes);
    free(onnx->name);
    free(onnx);
}

/* ---- the graph ------------------------------------------------------------------------------- */

/* The callback of bp_ir_seal(). */
static uint32_t opset_of(void *h, const char *domain)
{
    return bp_onnx_opset_of(h, domain);
}

static const char *metadata_of(const void *h, uint32_t i, const char **value)
{
    return bp_onnx_metadata(h, i, value);
}

static const char *opset_row(const void *h, uint32_t i, int64_t *version)
{
    return bp_onnx_opset(h, i, version);
}

/* What providers can read of the model beside its graph. NULL: no memory. */
static const struct bp_ir_model *describe(const struct bp_onnx *onnx, struct bp_region *region)
{
    struct bp_ir_model *model = bp_region_alloc(region, sizeof *model);
    const char *dir = bp_external_dir(onnx->source.external);
    bp_model_info info;

    if (!model)
        return NULL;
    bp_onnx_info(onnx, &info);
    model->about = (bp_graph_model){
        .struct_size = sizeof model->about,
        .path = onnx->has_path ? onnx->name : "",
        .dir = bp_text_or_empty(dir),
        .name = info.graph_name,
        .producer = info.producer,
        .producer_version = info.producer_version,
        .domain = info.domain,
        .doc = info.doc,
        .ir_version = info.ir_version,
        .model_version = info.model_version,
    };
    model->h = onnx;
    model->metadata = metadata_of;
    model->opset = opset_row;
    return model;
}

/*
 * FlexAttention and Gradient are expanded before sealing, because they stand for subgraphs of other
 * operators.
 */
bp_rc bp_onnx_graph(const struct bp_onnx *onnx, const struct bp_onnx_graph_config *config,
                    struct bp_region *region, struct bp_symbols *symbols, struct bp_ir **out,
                    bp_err *err)
{
    static const struct bp_onnx_graph_config plain = {0};
    const struct bp_onnx_graph_config *how = config ? config : &plain;
    struct bp_builder builder = {.onnx = onnx,
                                 .region = region,
                                 .symbols = symbols,
                                 .open_defaults = how->open_defaults,
                                 .dense_left = BP_MAX_DENSE};
    union {
        const struct bp_onnx *onnx;
        void *h;
    } opsets = {onnx};
    const Bp__GraphProto *graph = onnx->graph;
    struct bp_ir *ir = NULL;
    bp_rc rc;

    *out = NULL;
    builder.tensors = bp_region_array(region, onnx->n_numbered, sizeof *builder.tensors);
    if (!builder.tensors)
        return bp_fail_nomem(err, "the tensors of a model");
    rc = bp_ir_create(region, symbols, NULL, bp_text_or_empty(graph->name), &ir, err);
    if (rc >= 0) {
        ir->custom = how->custom;
        ir->model = describe(onnx, region);
        rc = ir->model ? BP_OK : bp_fail_nomem(err, "a model");
    }
    if (rc >= 0)
        rc = bp_decode_graph(&builder, graph, ir, err);
    if (rc >= 0)
        rc = bp_flex_attention_expand(ir, err);
    if (rc >= 0)
        rc = bp_gradient_expand(ir, err);
    if (rc >= 0 && how->found)
        rc = bp_ir_find_states(ir, how->states, how->may_move_states, how->found, err);
    if (rc >= 0)
        rc = bp_ir_seal(ir, opset_of, opsets.h, err);
    if (rc < 0) {
        bp_ir_finish(ir);
        return bp_fail_in(err, rc, "%s", onnx->name);
    }
    *out = ir;
    return BP_OK;
}

/* ---- facts ----------------------------------------------------------------------------------- */

void bp_onnx_drop_pages(struct bp_onnx *onnx)
{
    const struct bp_bytes *file = file_of(onnx);

    if (bp_bytes_is_file(file))
        (void)madvise(file->map, file->size, MADV_DONTNEED); /* advice: may be ignored */
    bp_external_drop_pages(onnx->source.external);
    if (onnx->of)
        bp_onnx_drop_pages(onnx->of);
}

bool bp_onnx_is_watched(struct bp_onnx *onnx)
{
    return file_of(onnx)->watched > 0 || bp_external_is_watched(onnx->source.external) ||
           (onnx->of && bp_onnx_is_watched(onnx->of));
}

static bp_rc fail_stale(struct bp_onnx *onnx, const char *file, bp_err *err)
{
    atomic_store(&onnx->is_stale, true);
    return bp_fail(
        err, BP_E_STALE,
        "%s was written to after the model was opened, so its weights are lost: create the "
        "session anew, and replace files by renaming new ones, or have them copied "
        "(BP_SOURCE_COPY_FILES, bp_session_options_set_copy_files)",
        file);
}

static int64_t coarse_ns(void)
{
    struct timespec t;

    clock_gettime(CLOCK_MONOTONIC_COARSE, &t);
    return (int64_t)t.tv_sec * 1000000000 + t.tv_nsec;
}

bp_rc bp_onnx_check_fresh(struct bp_onnx *onnx, bool is_now, bp_err *err)
{
    int64_t now = coarse_ns();
    const char *name;

    if (!is_now && !atomic_load(&onnx->is_stale) && now - atomic_load(&onnx->looked_ns) < LOOK_NS)
        return BP_OK;
    atomic_store(&onnx->looked_ns, now);
    if (atomic_load(&onnx->is_stale) || bp_bytes_changed(file_of(onnx)))
        return fail_stale(onnx, onnx->name, err);
    name = bp_external_changed(onnx->source.external);
    if (name)
        return fail_stale(onnx, name, err);
    return onnx->of ? bp_onnx_check_fresh(onnx->of, true, err) : BP_OK;
}

void bp_onnx_info(const struct bp_onnx *onnx, bp_model_info *out)
{
    const Bp__ModelProto *proto = onnx->proto;

    memset(out, 0, sizeof *out);
    out->struct_size = (uint32_t)sizeof *out;
    out->n_opsets = proto->n_opset_import > 0 ? (uint32_t)proto->n_opset_import : 1;
    out->n_metadata = (uint32_t)proto->n_metadata_props;
    out->n_external = bp_external_count(onnx->source.external);
    out->ir_version = proto->ir_version;
    out->model_version = proto->model_version;
    out->producer = bp_text_or_empty(proto->producer_name);
    out->producer_version = bp_text_or_empty(proto->producer_version);
    out->domain = bp_text_or_empty(proto->domain);
    out->doc = bp_text_or_empty(proto->doc_string);
    out->graph_name = bp_text_or_empty(proto->graph->name);
    out->file_bytes = file_of(onnx)->size;
    out->weight_bytes = onnx->weight_bytes;
    out->n_weights = onnx->n_weights;
    out->n_functions = proto->n_functions;
    out->graph_doc = bp_text_or_empty(proto->graph->doc_string);
    out->format = onnx->container.data ? BP_MODEL_FORMAT_ORT : BP_MODEL_FORMAT_ONNX;
    out->format_version = onnx->ort.version;
}

uint32_t bp_onnx_unread_optimizations(const struct bp_onnx *onnx)
{
    return onnx->ort.n_runtime_optimizations;
}

/* Import i; a model without imports has one, "" version 1. */
const char *bp_onnx_opset(const struct bp_onnx *onnx, uint32_t i, int64_t *version)
{
    const Bp__ModelProto *proto = onnx->proto;

    if (proto->n_opset_import == 0 && i == 0) {
        *version = 1;
        return "";
    }
    if (i >= proto->n_opset_import)
        return NULL;
    *version = proto->opset_import[i]->version;
    return bp_onnx_domain(proto->opset_import[i]->domain);
}

const char *bp_onnx_metadata(const struct bp_onnx *onnx, uint32_t i, const char **value)
{
    const Bp__ModelProto *proto = onnx->proto;

    if (i >= proto->n_metadata_props)
        return NULL;
    *value = bp_text_or_empty(proto->metadata_props[i]->value);
    return bp_text_or_empty(proto->metadata_props[i]->key);
}

const char *bp_onnx_external(const struct bp_onnx *onnx, uint32_t i)
{
    return bp_external_name(onnx->source.external, i);
}
