/* SPDX-License-Identifier: MIT */
/*
 * external.c - external data of tensors (TensorProto.external_data): finds, checks and maps files
 * by location, offset and length.
 *
 * Each file is mapped once, read-only, and stays mapped as long as the model. Locations are
 * relative to the model's directory and may not leave it, neither by ".." nor by links, because
 * models are hostile.
 */

#include "config.h"

#include "model/external.h"

#include <pthread.h>
#include <stdlib.h>
#include <sys/mman.h>

#include "base/fork.h"
#include "base/strmap.h"

struct file {
    char *name;
    struct bp_bytes bytes;
    bool is_mapped;
};

struct bp_external {
    char *dir;      /* NULL: none */
    bool is_copied; /* files, whatever their sizes */
    struct file *files;
    uint32_t n_files, cap_files;
    struct bp_strmap by_name;
    pthread_mutex_t lock;      /* over files that were missing when they were added */
    struct bp_fork_watch fork; /* of the lock */
    struct bp_region copies;   /* of tensors that are not used in place, under the lock */
    struct file *given;        /* in memory */
    uint32_t n_given;
    struct file own; /* without bytes: there is none */
    char own_name[sizeof BP_EXTERNAL_OWN];
};

/* The bytes of one tensor in a file. */
struct part {
    struct bp_external *external;
    const char *tensor;
    uint32_t file; /* index, or OWN */
    uint64_t offset;
};

enum { OWN = BP_NONE - 1 };

/* Names are copied; bytes are borrowed from the application. */
static bp_rc copy_given(struct bp_external *external, const bp_model_file *given, uint32_t n,
                        bp_err *err)
{
    external->given = calloc(n + 1, sizeof *external->given);
    if (!external->given)
        return bp_fail_nomem(err, "external data");
    for (; external->n_given < n; external->n_given++) {
        struct file *file = &external->given[external->n_given];

        file->name = strdup(given[external->n_given].name);
        if (!file->name)
            return bp_fail_nomem(err, "external data");
        file->bytes.data = given[external->n_given].bytes;
        file->bytes.size = given[external->n_given].size;
        file->is_mapped = true;
    }
    return BP_OK;
}

/* cannot fail half-way: on an error everything is freed, and *out is NULL. */
bp_rc bp_external_create(const char *dir, const bp_model_file *given, uint32_t n, bool is_copied,
                         struct bp_external **out, bp_err *err)
{
    struct bp_external *external = calloc(1, sizeof *external);
    bp_rc rc;

    *out = NULL;
    if (!external)
        return bp_fail_nomem(err, "external data");
    external->is_copied = is_copied;
    bp_fork_mutex_init(&external->lock, &external->fork); /* cannot fail with default attributes */
    rc = copy_given(external, given, n, err);
    if (rc >= 0 && dir) {
        external->dir = strdup(dir);
        if (!external->dir)
            rc = bp_fail_nomem(err, "external data");
    }
    if (rc < 0) {
        bp_external_destroy(external);
        return rc;
    }
    *out = external;
    return BP_OK;
}

void bp_external_set_own(struct bp_external *external, const struct bp_bytes *own)
{
    memcpy(external->own_name, BP_EXTERNAL_OWN, sizeof external->own_name);
    external->own = (struct file){.name = external->own_name, .bytes = *own, .is_mapped = true};
}

/* Unmaps all files: no constant may be in use any more. */
void bp_external_destroy(struct bp_external *external)
{
    if (!external)
        return;
    for (uint32_t i = 0; i < external->n_files; i++) {
        bp_bytes_unmap(&external->files[i].bytes);
        free(external->files[i].name);
    }
    for (uint32_t i = 0; i < external->n_given; i++)
        free(external->given[i].name);
    free(external->files);
    free(external->given);
    free(external->dir);
    bp_strmap_finish(&external->by_name);
    bp_region_finish(&external->copies);
    bp_fork_mutex_destroy(&external->lock, &external->fork);
    free(external);
}

const char *bp_external_name(const struct bp_external *external, uint32_t i)
{
    return i < external->n_files ? external->files[i].name : NULL;
}

uint32_t bp_external_count(const struct bp_external *external)
{
    return external->n_files;
}

const char *bp_external_changed(struct bp_external *external)
{
    const char *name = NULL;

    pthread_mutex_lock(&external->lock);
    for (uint32_t i = 0; !name && i < external->n_files; i++) {
        if (bp_bytes_changed(&external->files[i].bytes))
            name = external->files[i].name;
    }
    pthread_mutex_unlock(&external->lock);
    return name;
}

bool bp_external_is_watched(struct bp_external *external)
{
    bool is_watched = false;

    pthread_mutex_lock(&external->lock);
    for (uint32_t i = 0; !is_watched && i < external->n_files; i++)
        is_watched = external->files[i].bytes.watched > 0;
    pthread_mutex_unlock(&external->lock);
    return is_watched;
}

/* MADV_DONTNEED on a read-only file mapping only drops pages; a later read maps them again. */
void bp_external_drop_pages(struct bp_external *external)
{
    pthread_mutex_lock(&external->lock);
    for (uint32_t i = 0; i < external->n_files; i++) {
        const struct bp_bytes *bytes = &external->files[i].bytes;

        if (bp_bytes_is_file(bytes))
            (void)madvise(bytes->map, bytes->size, MADV_DONTNEED); /* advice: may be ignored */
    }
    pthread_mutex_unlock(&external->lock);
}

/* ---- the entries of a tensor ----------------------------------------------------------------- */

/* external_data is a list of key and value strings; the first of a key counts. */
static const char *find_entry(const Bp__TensorProto *proto, const char *key)
{
    for (size_t i = 0; i < proto->n_external_data; i++) {
        const Bp__StringStringEntryProto *entry = proto->external_data[i];

        if (strcmp(bp_text_or_empty(entry->key), key) == 0)
            return bp_text_or_empty(entry->value);
    }
    return NULL;
}

/* A decimal count without sign; absent or empty: def. Overflow is refused. */
static bp_rc read_entry(const Bp__TensorProto *proto, const char *key, uint64_t def, uint64_t *out,
                        bp_err *err)
{
    const char *text = find_entry(proto, key);
    uint64_t value = 0;

    *out = def;
    if (!text || !*text)
        return BP_OK;
    for (const char *p = text; *p; p++) {
        if (*p < '0' || *p > '9' || __builtin_mul_overflow(value, UINT64_C(10), &value) ||
            __builtin_add_overflow(value, (uint64_t)(*p - '0'), &value))
            return bp_fail_detail(err, BP_E_INVALID, BP_DETAIL_DATA_RANGE,
                                  "its external %s '%.40s' is not a number of bytes", key, text);
    }
    *out = value;
    return BP_OK;
}

/* Does the location mean the .ort file that the model was read from? */
static bool is_own(const struct bp_external *external, const char *name)
{
    return external->own.bytes.data && strcmp(name, BP_EXTERNAL_OWN) == 0;
}

bool bp_external_is_beside(const struct bp_external *external, const Bp__TensorProto *proto)
{
    const char *name = find_entry(proto, "location");

    return proto->data_location == BP_TENSOR_EXTERNAL && !(name && is_own(external, name));
}

/* `location` is the one mandatory key of external_data. */
static bp_rc read_location(const Bp__TensorProto *proto, const char **out, bp_err *err)
{
    *out = find_entry(proto, "location");
    if (!*out || !**out)
        return bp_fail_detail(err, BP_E_INVALID, BP_DETAIL_NO_LOCATION,
                              "its data is external but no file is named: external_data "
                              "has no location");
    return BP_OK;
}

/* ---- files ----------------------------------------------------------------------------------- */

/* Files in memory, by exact name. */
static const struct file *find_given(const struct bp_external *external, const char *name)
{
    for (uint32_t i = 0; i < external->n_given; i++) {
        if (strcmp(external->given[i].name, name) == 0)
            return &external->given[i];
    }
    return NULL;
}

/* A file in memory wins over one on disk. */
static bp_rc map_file(struct bp_external *external, struct file *file, bp_err *err)
{
    const struct file *given = find_given(external, file->name);
    bp_rc rc;

    if (given) {
        file->bytes = given->bytes;
        file->is_mapped = true;
        return BP_OK;
    }
    rc = bp_bytes_map_inside(external->dir, file->name, external->is_copied, &file->bytes, err);

    file->is_mapped = rc >= 0;
    return rc;
}

/*
 * A file that can't be opened (BP_E_IO) is kept without bytes and tried again when a tensor needs
 * it, so that tools can show a model without its weights.
 */
static bp_rc add_file(struct bp_external *external, const char *name, bp_err *err)
{
    char text[256];
    bp_err own = bp_err_init(text, sizeof text);
    struct file *file;
    bp_rc rc;

    if (external->n_files == external->cap_files) {
        uint32_t cap = external->cap_files ? external->cap_files * 2 : 4;
        struct file *files = realloc(external->files, cap * sizeof *files);

        if (!files)
            return bp_fail_nomem(err, "external data");
        external->files = files;
        external->cap_files = cap;
    }
    file = &external->files[external->n_files];
    memset(file, 0, sizeof *file);
    file->name = strdup(name);
    if (!file->name)
        return bp_fail_nomem(err, "external data");
    rc = map_file(external, file, &own);
    if (rc < 0 && rc != BP_E_IO) {
        free(file->name);
        return bp_err_copy_codes(err, bp_fail(err, rc, "%s", text), &own);
    }
    if (!bp_strmap_put(&external->by_name, file->name, external->n_files)) {
        bp_bytes_unmap(&file->bytes);
        free(file->name);
        return bp_fail_nomem(err, "external data");
    }
    external->n_files++;
    return BP_OK;
}

/* ONNX has no default location: without one the tensor is refused. */
bp_rc bp_external_add(struct bp_external *external, const Bp__TensorProto *proto, bp_err *err)
{
    const char *name;
    bp_rc rc = read_location(proto, &name, err);

    if (rc < 0 || is_own(external, name))
        return rc;
    if (!external->dir && !find_given(external, name))
        return bp_fail_detail(err, BP_E_INVALID, BP_DETAIL_NO_DIRECTORY,
                              "its data is in the file '%.80s', but a model in memory has "
                              "no directory: say where its files are",
                              name);
    if (bp_strmap_get(&external->by_name, name, BP_NONE) != BP_NONE)
        return BP_OK;
    return add_file(external, name, err);
}

const char *bp_external_dir(const struct bp_external *external)
{
    return external->dir;
}

bool bp_external_has(const struct bp_external *external, const char *name)
{
    return external->dir || find_given(external, name);
}

bp_rc bp_external_copy(const struct bp_external *external, const char *name, uint8_t **out,
                       size_t *size, bp_err *err)
{
    const struct file *given = find_given(external, name);
    struct bp_bytes mapped = {0};
    const struct bp_bytes *bytes = given ? &given->bytes : &mapped;
    bp_rc rc = given ? BP_OK : bp_bytes_map_inside(external->dir, name, false, &mapped, err);

    if (rc < 0)
        return rc;
    *size = bytes->size;
    *out = malloc(bytes->size + 1); /* an empty file is one, too */
    if (!*out)
        rc = bp_fail_nomem(err, "a file of the model");
    else if (bytes->size > 0)
        memcpy(*out, bytes->data, bytes->size);
    bp_bytes_unmap(&mapped);
    return rc;
}

/* ---- tensors --------------------------------------------------------------------------------- */

/* The model's own .ort file, or a file of the list. */
static struct file *file_of(const struct part *part)
{
    struct bp_external *external = part->external;

    return part->file == OWN ? &external->own : &external->files[part->file];
}

/* See bp_dtype_is_copied(). */
static bool is_copied(const struct bp_bytes *bytes, const struct bp_ir_data *data)
{
    return bp_bytes_is_file(bytes) && data->size > 0 && bp_dtype_is_copied(data->dtype);
}

/* Points data at its bytes of a mapped file, or at a copy, after checking that they lie inside. */
static bp_rc use_part(const struct part *part, struct bp_ir_data *data, bp_err *err)
{
    const struct file *file = file_of(part);
    const struct bp_bytes *bytes = &file->bytes;
    struct bp_ir_data found = *data;
    bp_rc rc;

    if (part->offset > bytes->size || data->size > bytes->size - part->offset)
        return bp_fail_detail(err, BP_E_INVALID, BP_DETAIL_DATA_RANGE,
                              "its data is %zu bytes at %llu of '%.80s', which has %zu", data->size,
                              (unsigned long long)part->offset, file->name, bytes->size);
    found.bytes = data->size > 0 ? bytes->data + part->offset : (const uint8_t *)"";
    if (is_copied(bytes, data)) {
        uint8_t *copy = bp_region_alloc(&part->external->copies, data->size);

        if (!copy)
            return bp_fail_nomem(err, "external data");
        found.bytes = memcpy(copy, found.bytes, data->size);
    } else if (bp_bytes_is_file(bytes) && data->size > 0) {
        data->mapped = found.bytes;
    }
    rc = bp_check_bools(&found, err);
    if (rc < 0)
        return rc;
    /* release: bp_ir_data_load() of other threads reads this pointer without the lock */
    __atomic_store_n(&data->bytes, found.bytes, __ATOMIC_RELEASE);
    return BP_OK;
}

/* bp_ir_data.load of a tensor whose file was missing when the model was opened. [any thread] */
static bp_rc load_missing(struct bp_ir_data *data, bp_err *err)
{
    const struct part *part = data->source;
    struct bp_external *external = part->external;
    struct file *file = file_of(part);
    bp_rc rc = BP_OK;

    pthread_mutex_lock(&external->lock);
    if (!file->is_mapped)
        rc = map_file(external, file, err);
    if (rc >= 0)
        rc = use_part(part, data, err);
    pthread_mutex_unlock(&external->lock);
    if (rc < 0)
        return bp_fail_in(err, rc, "tensor '%.80s'", part->tensor);
    return rc;
}

/*
 * `length` is optional in ONNX; if present it must be what the dims need. `checksum` is ignored, as
 * by ONNX Runtime.
 */
static bp_rc find_part(const Bp__TensorProto *proto, struct bp_external *external, size_t size,
                       struct part *out, bp_err *err)
{
    uint64_t length;
    const char *name;
    bp_rc rc = read_location(proto, &name, err);

    if (rc >= 0)
        rc = read_entry(proto, "offset", 0, &out->offset, err);
    if (rc >= 0)
        rc = read_entry(proto, "length", size, &length, err);
    if (rc < 0)
        return rc;
    if (length != size)
        return bp_fail_detail(err, BP_E_INVALID, BP_DETAIL_DATA_RANGE,
                              "its external length is %llu bytes where its dims need %zu",
                              (unsigned long long)length, size);
    out->file = is_own(external, name) ? OWN : bp_strmap_get(&external->by_name, name, BP_NONE);
    if (out->file == BP_NONE)
        return bp_fail(err, BP_E_INTERNAL, "the file '%.80s' was not added", name);
    out->external = external;
    out->tensor = bp_text_or_empty(proto->name);
    return BP_OK;
}

/* Says where the bytes are. Those of the model's own file are no external data. */
static bp_rc set_place(const struct part *part, struct bp_region *region, struct bp_ir_data *out,
                       bp_err *err)
{
    struct bp_ir_place *place;

    if (part->file == OWN)
        return BP_OK;
    place = bp_region_alloc(region, sizeof *place);
    if (!place)
        return bp_fail_nomem(err, "external data");
    place->file = part->external->files[part->file].name;
    place->offset = part->offset;
    place->is_given = find_given(part->external, place->file) != NULL;
    out->place = place;
    return BP_OK;
}

/* The id of mapped bytes is the same in every process, so packed weights can be cached by it. */
bp_rc bp_external_read(const Bp__TensorProto *proto, const struct bp_source *source,
                       struct bp_region *region, struct bp_ir_data *out, bp_err *err)
{
    struct bp_external *external = source->external;
    struct part part;
    const struct file *file;
    bp_rc rc;

    if (!external)
        return bp_fail_detail(err, BP_E_INVALID, BP_DETAIL_NO_DIRECTORY,
                              "its data is in another file, and here there are none");
    if (out->dtype == BP_DTYPE_STRING)
        return bp_fail(err, BP_E_INVALID, "it is of strings, which cannot be external");
    rc = find_part(proto, external, out->size, &part, err);
    if (rc >= 0)
        rc = set_place(&part, region, out, err);
    if (rc < 0)
        return rc;

    pthread_mutex_lock(&external->lock);
    file = file_of(&part);
    if (file->is_mapped) {
        rc = use_part(&part, out, err);
        out->id = file->bytes.map ? bp_file_part_id(file->bytes.file_id, part.offset, out->size)
                                  : bp_source_id(source, out->bytes, out->size);
    }
    pthread_mutex_unlock(&external->lock);
    if (rc < 0 || out->bytes)
        return rc;

    out->id = bp_source_id(source, proto, out->size);
    out->source = bp_region_alloc(region, sizeof part);
    if (!out->source)
        return bp_fail_nomem(err, "external data");
    memcpy(out->source, &part, sizeof part);
    out->load = load_missing;
    return BP_OK;
}

bp_rc bp_external_where(const Bp__TensorProto *proto, const char **file, uint64_t *offset,
                        bp_err *err)
{
    bp_rc rc = read_location(proto, file, err);

    return rc < 0 ? rc : read_entry(proto, "offset", 0, offset, err);
}
