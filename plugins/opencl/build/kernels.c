/* SPDX-License-Identifier: MIT */
/*
 * kernels.c - builds programs for the device, each once an instance, and keeps their binaries in the
 * cache folder, if one is given.
 *
 * A file of the folder is named after a hash of all that a binary depends on: device, driver, text
 * and flags. It holds a magic, that hash, a hash of the binary, its size, and the binary; one that is
 * damaged is ignored and written anew. Files are written beside and renamed, so that no process
 * sees half of one.
 */

#define _GNU_SOURCE /* pthread, mkostemp */

#include "build/kernels.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

enum { ALIGN = 64 };

struct bp_opencl_built {
    struct bp_opencl_built *next;
    uint64_t key[2];
    uint64_t mark; /* the instance's when it was last asked for */
    cl_program program;
};

/* The header of a file in the cache folder. */
struct file_head {
    char magic[8];
    uint64_t key[2];
    uint64_t sum, size; /* of the binary */
};

static const char magic[8] = "BPOCL01";

/* ---- names ----------------------------------------------------------------------------------- */

/* FNV-1a; two starts make a key of 128 bits, enough where the text is our own. */
static uint64_t hash(uint64_t h, const void *bytes, size_t n)
{
    const unsigned char *at = bytes;

    for (size_t i = 0; i < n; i++)
        h = (h ^ at[i]) * UINT64_C(0x100000001b3);
    return h;
}

/* Everything that a binary depends on, each with the NUL behind it. */
static void make_key(const bp_instance *instance, const char *const *texts, uint32_t n,
                     uint64_t *key)
{
    const struct bp_opencl_device *device = instance->device;
    const char *const parts[] = {device->name, device->version, device->driver,
                                 instance->build_flags ? instance->build_flags : ""};

    key[0] = UINT64_C(0xcbf29ce484222325);
    key[1] = UINT64_C(0x9e3779b97f4a7c15);
    for (uint32_t k = 0; k < 2; k++) {
        for (uint32_t i = 0; i < sizeof parts / sizeof parts[0]; i++)
            key[k] = hash(key[k], parts[i], strlen(parts[i]) + 1);
        for (uint32_t i = 0; i < n; i++)
            key[k] = hash(key[k], texts[i], strlen(texts[i]) + 1);
    }
}

static const char *text_of(const char *family)
{
#define F(name)                                                                                    \
    if (strcmp(family, #name) == 0)                                                                \
        return bp_opencl_##name##_cl;
    BP_OPENCL_FAMILIES(F)
#undef F
    return NULL;
}

/* ---- the cache folder ------------------------------------------------------------------------ */

enum { NAME_SIZE = sizeof "/opencl-0123456789abcdef0123456789abcdef.bin.XXXXXX" };

/* The path of a file, malloc's, followed by `end`; NULL: there is no folder, or no memory. */
static char *name_file(const bp_instance *instance, const uint64_t *key, const char *end)
{
    size_t size = instance->cache_dir ? strlen(instance->cache_dir) + NAME_SIZE : 0;
    char *path = size > 0 ? malloc(size) : NULL;

    if (path)
        snprintf(path, size, "%s/opencl-%016llx%016llx.bin%s", instance->cache_dir,
                 (unsigned long long)key[0], (unsigned long long)key[1], end);
    return path;
}

static bool read_all(int file, void *to, size_t n)
{
    char *at = to;

    while (n > 0) {
        ssize_t got = read(file, at, n);

        if (got <= 0 && !(got < 0 && errno == EINTR))
            return false;
        at += got > 0 ? got : 0;
        n -= got > 0 ? (size_t)got : 0;
    }
    return true;
}

static bool write_all(int file, const void *from, size_t n)
{
    const char *at = from;

    while (n > 0) {
        ssize_t put = write(file, at, n);

        if (put <= 0 && !(put < 0 && errno == EINTR))
            return false;
        at += put > 0 ? put : 0;
        n -= put > 0 ? (size_t)put : 0;
    }
    return true;
}

/* The binary of a file, malloc's; NULL: there is none, or it is not what was written. */
static unsigned char *read_file(int file, const uint64_t *key, size_t *size)
{
    struct file_head head;
    struct stat info;
    unsigned char *binary;

    if (!read_all(file, &head, sizeof head) || memcmp(head.magic, magic, sizeof magic) != 0 ||
        memcmp(head.key, key, sizeof head.key) != 0 || fstat(file, &info) < 0 || head.size == 0 ||
        head.size > SIZE_MAX / 2 || (uint64_t)info.st_size != sizeof head + head.size)
        return NULL;
    binary = malloc((size_t)head.size);
    if (!binary)
        return NULL;
    *size = (size_t)head.size;
    if (read_all(file, binary, *size) && hash(0, binary, *size) == head.sum)
        return binary;
    free(binary);
    return NULL;
}

/* NULL: the driver does not take the binary. */
static cl_program program_of(const bp_instance *instance, const unsigned char *binary, size_t size)
{
    cl_int code = CL_SUCCESS, status = CL_SUCCESS;
    cl_program program = instance->cl->clCreateProgramWithBinary(
        instance->context, 1, &instance->device->id, &size, &binary, &status, &code);

    if (code != CL_SUCCESS)
        return NULL;
    code = status == CL_SUCCESS
               ? instance->cl->clBuildProgram(program, 1, &instance->device->id, NULL, NULL, NULL)
               : status;
    if (code == CL_SUCCESS)
        return program;
    instance->cl->clReleaseProgram(program);
    return NULL;
}

/* The binary that the folder has for the key, malloc's; NULL: none. */
static unsigned char *find_binary(const bp_instance *instance, const uint64_t *key, size_t *size)
{
    char *path = name_file(instance, key, "");
    int file = path ? open(path, O_RDONLY | O_CLOEXEC) : -1;
    unsigned char *binary = NULL;

    free(path);
    if (file < 0)
        return NULL;
    binary = read_file(file, key, size);
    close(file);
    return binary;
}

/* A program of a binary in the folder; NULL: there is none that fits. */
static cl_program load_file(const bp_instance *instance, const uint64_t *key)
{
    size_t size = 0;
    unsigned char *binary = find_binary(instance, key, &size);
    cl_program program;

    if (!binary)
        return NULL;
    program = program_of(instance, binary, size);
    free(binary);
    return program;
}

/* The device's binary of a program, malloc's. */
static unsigned char *binary_of(const bp_instance *instance, cl_program program, size_t *size)
{
    unsigned char *binary;

    *size = 0;
    if (instance->cl->clGetProgramInfo(program, CL_PROGRAM_BINARY_SIZES, sizeof *size, size,
                                       NULL) != CL_SUCCESS ||
        *size == 0)
        return NULL;
    binary = malloc(*size);
    if (binary && instance->cl->clGetProgramInfo(program, CL_PROGRAM_BINARIES, sizeof binary,
                                                 &binary, NULL) != CL_SUCCESS) {
        free(binary);
        return NULL;
    }
    return binary;
}

/* Written beside, then renamed. */
static void write_file(const bp_instance *instance, const uint64_t *key,
                       const unsigned char *binary, size_t size)
{
    struct file_head head = {.key = {key[0], key[1]}, .size = size, .sum = hash(0, binary, size)};
    char *path = name_file(instance, key, ""), *beside = name_file(instance, key, ".XXXXXX");
    int file = path && beside ? mkostemp(beside, O_CLOEXEC) : -1;
    bool is_whole;

    if (file >= 0) {
        memcpy(head.magic, magic, sizeof magic);
        is_whole = write_all(file, &head, sizeof head) && write_all(file, binary, size);
        if (close(file) < 0 || !is_whole || rename(beside, path) < 0)
            unlink(beside);
    }
    free(path);
    free(beside);
}

/* Whatever fails here is not the run's concern: the next process builds again. */
static void save_file(const bp_instance *instance, const uint64_t *key, cl_program program)
{
    unsigned char *binary;
    size_t size;

    if (!instance->cache_dir)
        return;
    binary = binary_of(instance, program, &size);
    if (!binary)
        return;
    mkdir(instance->cache_dir, 0777);
    write_file(instance, key, binary, size);
    free(binary);
}

/* ---- building -------------------------------------------------------------------------------- */

/* The compiler's words, malloc's, of whatever length; NULL: there are none. */
static char *log_of(const bp_instance *instance, cl_program program)
{
    const struct bp_opencl_library *cl = instance->cl;
    cl_device_id id = instance->device->id;
    size_t size = 0;
    char *log;

    if (cl->clGetProgramBuildInfo(program, id, CL_PROGRAM_BUILD_LOG, 0, NULL, &size) != CL_SUCCESS)
        return NULL;
    log = calloc(size + 1, 1);
    if (log &&
        cl->clGetProgramBuildInfo(program, id, CL_PROGRAM_BUILD_LOG, size, log, NULL) != CL_SUCCESS)
        *log = '\0';
    return log;
}

/* The compiler's words are what helps: they go into the error, as far as there is room. */
static bp_rc fail_to_build(const bp_instance *instance, const char *family, cl_program program,
                           cl_int code, bp_err *err)
{
    char *log = NULL;

    if (code == CL_INVALID_BUILD_OPTIONS)
        return bp_opencl_fail(err, code, "clBuildProgram for '%s' with build_flags=%s", family,
                              instance->build_flags ? instance->build_flags : "");
    if (code != CL_BUILD_PROGRAM_FAILURE)
        return bp_opencl_fail(err, code, "clBuildProgram for '%s'", family);
    log = log_of(instance, program);
    bp_fail(err, BP_E_UNSUPPORTED,
            "opencl: clBuildProgram for '%s' failed with %s (%d), the device's compiler says: %s",
            family, bp_opencl_status_name(code), (int)code, log && *log ? log : "nothing");
    if (err)
        err->native_code = code;
    free(log);
    return BP_E_UNSUPPORTED;
}

static bp_rc build(const bp_instance *instance, const char *family, const char **texts, uint32_t n,
                   const uint64_t *key, cl_program *out, bp_err *err)
{
    const struct bp_opencl_library *cl = instance->cl;
    cl_int code = CL_SUCCESS;
    bp_rc rc;

    *out = load_file(instance, key);
    if (*out)
        return BP_OK;
    *out = cl->clCreateProgramWithSource(instance->context, n, texts, NULL, &code);
    if (code != CL_SUCCESS)
        return bp_opencl_fail(err, code, "clCreateProgramWithSource");
    code = cl->clBuildProgram(*out, 1, &instance->device->id, instance->build_flags, NULL, NULL);
    if (code == CL_SUCCESS) {
        save_file(instance, key, *out);
        return BP_OK;
    }
    rc = fail_to_build(instance, family, *out, code, err);
    cl->clReleaseProgram(*out);
    return rc;
}

/* [locked] */
static struct bp_opencl_built *find_built(const bp_instance *instance, const uint64_t *key)
{
    for (struct bp_opencl_built *built = instance->built; built; built = built->next) {
        if (built->key[0] == key[0] && built->key[1] == key[1])
            return built;
    }
    return NULL;
}

/* [locked] The program is the instance's, if there is memory. */
static bp_rc add_built(bp_instance *instance, const uint64_t *key, cl_program program, bp_err *err)
{
    struct bp_opencl_built *built = instance->host.alloc(instance->host.h, sizeof *built, ALIGN);

    if (!built) {
        instance->cl->clReleaseProgram(program);
        return bp_fail(err, BP_E_NOMEM, "opencl: no memory for a program");
    }
    *built = (struct bp_opencl_built){.next = instance->built,
                                      .key = {key[0], key[1]},
                                      .mark = instance->mark,
                                      .program = program};
    instance->built = built;
    return BP_OK;
}

/* [locked] */
static bp_rc find_or_build(bp_instance *instance, const char *family, const char **texts,
                           uint32_t n, cl_program *out, bp_err *err)
{
    struct bp_opencl_built *built;
    uint64_t key[2];
    bp_rc rc;

    make_key(instance, texts, n, key);
    built = find_built(instance, key);
    if (built) {
        built->mark = instance->mark;
        *out = built->program;
        return BP_OK;
    }
    rc = build(instance, family, texts, n, key, out, err);
    return rc < 0 ? rc : add_built(instance, key, *out, err);
}

bp_rc bp_opencl_built_get(bp_instance *instance, const char *family, const char *prefix,
                          cl_program *out, bp_err *err)
{
    const char *texts[] = {bp_opencl_types_cl, prefix, text_of(family)};
    bp_rc rc;

    *out = NULL;
    if (!texts[2])
        return bp_fail(err, BP_E_INTERNAL, "opencl: there is no family of kernels '%s'", family);
    pthread_mutex_lock(&instance->lock);
    rc = find_or_build(instance, family, texts, 3, out, err);
    pthread_mutex_unlock(&instance->lock);
    return rc;
}

/* ---- saved programs -------------------------------------------------------------------------- */

void bp_opencl_describe(const bp_instance *instance, char *buf, size_t cap)
{
    snprintf(buf, cap, "%s, %s, %s", instance->device->name, instance->device->version,
             instance->device->driver);
}

void bp_opencl_built_mark(bp_instance *instance)
{
    pthread_mutex_lock(&instance->lock);
    instance->mark++;
    pthread_mutex_unlock(&instance->lock);
}

/* [locked] Each as its key and binary; a key of zeros ends the list. */
static bp_rc write_built(const bp_instance *instance, struct bp_opencl_writer *w, bp_err *err)
{
    for (struct bp_opencl_built *built = instance->built; built; built = built->next) {
        unsigned char *binary;
        size_t size;

        if (built->mark != instance->mark)
            continue;
        binary = binary_of(instance, built->program, &size);
        if (!binary)
            return bp_fail(err, BP_E_UNSUPPORTED,
                           "opencl: the driver gives no binary of a compiled kernel");
        bp_opencl_put_u64(w, built->key[0]);
        bp_opencl_put_u64(w, built->key[1]);
        bp_opencl_put_block(w, binary, size);
        free(binary);
    }
    bp_opencl_put_u64(w, 0);
    bp_opencl_put_u64(w, 0);
    return BP_OK;
}

bp_rc bp_opencl_built_save(bp_instance *instance, struct bp_opencl_writer *w, bp_err *err)
{
    bp_rc rc;

    pthread_mutex_lock(&instance->lock);
    rc = write_built(instance, w, err);
    pthread_mutex_unlock(&instance->lock);
    return rc;
}

/* [locked] */
static bp_rc load_built(bp_instance *instance, const uint64_t *key, bp_span binary, bp_err *err)
{
    cl_program program;

    if (find_built(instance, key))
        return BP_OK;
    program = binary.size > 0 ? program_of(instance, binary.data, binary.size) : NULL;
    if (!program)
        return bp_fail(err, BP_E_STALE, "opencl: the driver does not take a saved kernel");
    return add_built(instance, key, program, err);
}

bp_rc bp_opencl_built_load(bp_instance *instance, struct bp_opencl_reader *r, bp_err *err)
{
    for (;;) {
        uint64_t key[2];
        bp_span binary;
        bp_rc rc;

        key[0] = bp_opencl_get_u64(r);
        key[1] = bp_opencl_get_u64(r);
        if (r->has_failed)
            return bp_fail(err, BP_E_STALE, "opencl: the saved program is damaged");
        if (key[0] == 0 && key[1] == 0)
            return BP_OK;
        binary = bp_opencl_get_block(r);
        pthread_mutex_lock(&instance->lock);
        rc = r->has_failed ? bp_fail(err, BP_E_STALE, "opencl: the saved program is damaged")
                           : load_built(instance, key, binary, err);
        pthread_mutex_unlock(&instance->lock);
        if (rc < 0)
            return rc;
    }
}

void bp_opencl_built_free(bp_instance *instance)
{
    while (instance->built) {
        struct bp_opencl_built *built = instance->built;

        instance->built = built->next;
        instance->cl->clReleaseProgram(built->program);
        instance->host.free(instance->host.h, built, sizeof *built, ALIGN);
    }
}
