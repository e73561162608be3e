/* SPDX-License-Identifier: MIT */
/*
 * tune.c - see tune.h. The file of the cache folder is named after a hash of the device and its driver.
 * It has a line for each answer: the key and the number of the candidate. Lines are appended whole, so
 * that processes may share it; what is not such a line is passed over.
 */

#define _GNU_SOURCE /* pthread, fdopen */

#include "build/tune.h"

#include "base/memory.h"

#include <fcntl.h>
#include <unistd.h>

enum { ALIGN = 64, KEY_SIZE = 200, RUNS = 3, PLACE_ALIGN = 256 };
static const int64_t long_run_ns = 100000000; /* after which one run is enough */

struct bp_opencl_tuned {
    struct bp_opencl_tuned *next;
    char key[KEY_SIZE];
    uint32_t answer;
};

/* ---- answers --------------------------------------------------------------------------------- */

/* [locked] False: there is no memory, and the answer is found anew when it is needed again. */
static bool remember(bp_instance *instance, const char *key, uint32_t answer)
{
    struct bp_opencl_tuned *tuned = instance->host.alloc(instance->host.h, sizeof *tuned, ALIGN);

    if (!tuned)
        return false;
    memset(tuned, 0, sizeof *tuned);
    snprintf(tuned->key, sizeof tuned->key, "%s", key);
    tuned->answer = answer;
    tuned->next = instance->tuned;
    instance->tuned = tuned;
    return true;
}

static bool name_file(const bp_instance *instance, char *path, size_t size)
{
    const struct bp_opencl_device *device = instance->device;
    const char *const parts[] = {device->name, device->version, device->driver,
                                 instance->build_flags ? instance->build_flags : "",
                                 instance->is_processor ? "processor" : "gpu"};
    uint64_t h = UINT64_C(0xcbf29ce484222325);
    int n;

    for (uint32_t i = 0; i < sizeof parts / sizeof parts[0]; i++) {
        for (const char *c = parts[i]; c == parts[i] || c[-1]; c++)
            h = (h ^ (unsigned char)*c) * UINT64_C(0x100000001b3);
    }
    if (!instance->cache_dir)
        return false;
    n = snprintf(path, size, "%s/opencl-tuning-%016llx.txt", instance->cache_dir,
                 (unsigned long long)h);
    return n > 0 && (size_t)n < size;
}

/* [locked] Once an instance: what the folder has. */
static void load(bp_instance *instance)
{
    char path[4096], line[KEY_SIZE + 32], key[KEY_SIZE];
    unsigned answer;
    FILE *file;

    if (instance->has_tuning)
        return;
    instance->has_tuning = true;
    file = name_file(instance, path, sizeof path) ? fopen(path, "re") : NULL;
    if (!file)
        return;
    while (fgets(line, sizeof line, file)) {
        if (strchr(line, '\n') && sscanf(line, "%199s %u", key, &answer) == 2)
            remember(instance, key, answer);
    }
    fclose(file);
}

/* [locked] */
static void save(const bp_instance *instance, const char *key, uint32_t answer)
{
    char path[4096], line[KEY_SIZE + 32];
    int n = snprintf(line, sizeof line, "%s %u\n", key, answer), file;

    if (n <= 0 || (size_t)n >= sizeof line || !name_file(instance, path, sizeof path))
        return;
    file = open(path, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0666);
    if (file < 0)
        return; /* the folder is a cache: without it the answer is found anew */
    if (write(file, line, (size_t)n) != n)
        (void)!ftruncate(file, 0);
    close(file);
}

static bool find(bp_instance *instance, const char *key, uint32_t n, uint32_t *out)
{
    const struct bp_opencl_tuned *tuned;

    pthread_mutex_lock(&instance->lock);
    load(instance);
    tuned = instance->tuned;
    while (tuned && (strcmp(tuned->key, key) != 0 || tuned->answer >= n))
        tuned = tuned->next;
    if (tuned)
        *out = tuned->answer;
    pthread_mutex_unlock(&instance->lock);
    return tuned != NULL;
}

void bp_opencl_tuned_free(bp_instance *instance)
{
    while (instance->tuned) {
        struct bp_opencl_tuned *tuned = instance->tuned;

        instance->tuned = tuned->next;
        instance->host.free(instance->host.h, tuned, sizeof *tuned, ALIGN);
    }
}

/* ---- a candidate ----------------------------------------------------------------------------- */

struct trial {
    struct bp_opencl_builder b;
    struct bp_blocks memory;
    struct bp_opencl_step *steps;
    cl_mem scratch, kept;
};

struct bp_opencl_tensor bp_opencl_stand_in(struct bp_opencl_builder *b,
                                           const struct bp_opencl_tensor *of)
{
    struct bp_opencl_tensor tensor = *of;

    tensor.place = of->place.kind == BP_OPENCL_CONSTANT
                       ? bp_opencl_kept(b, of->dtype, of->count).place
                       : bp_opencl_scratch(b, of->dtype, of->count).place;
    return tensor;
}

/* Zeros, as what lies there otherwise may be slow to compute with. */
static bp_rc allocate(struct trial *t, size_t bytes, cl_mem *out)
{
    bp_instance *instance = t->b.program->instance;
    bp_rc rc = bp_opencl_memory_alloc(instance, bytes, out, t->b.err);
    void *zeros = rc >= 0 ? calloc(1, bytes) : NULL;
    cl_int code = CL_OUT_OF_HOST_MEMORY;

    if (rc < 0)
        return rc;
    if (zeros)
        code = instance->cl->clEnqueueWriteBuffer(instance->queue, *out, CL_TRUE, 0, bytes, zeros,
                                                  0, NULL, NULL);
    free(zeros);
    return code == CL_SUCCESS ? BP_OK : bp_opencl_fail(t->b.err, code, "memory of the tuner");
}

static bp_rc plan(struct trial *t)
{
    struct bp_opencl_builder *b = &t->b;
    void *work = bp_blocks_get(b->memory, bp_arena_work(b->n_items));
    size_t bytes = SIZE_MAX;
    bp_rc rc;

    for (uint32_t i = 0; i < b->n_items; i++) {
        if (b->items[i].first == UINT32_MAX)
            b->items[i] = (bp_arena_item){0};
    }
    if (work)
        bytes = bp_arena_plan(b->items, b->n_items, PLACE_ALIGN, work);
    if (bytes == SIZE_MAX)
        return bp_fail(b->err, BP_E_NOMEM, "opencl: no memory for the tuner");
    rc = allocate(t, bytes > 0 ? bytes : 1, &t->scratch);
    return rc >= 0 && b->kept_bytes > 0 ? allocate(t, b->kept_bytes, &t->kept) : rc;
}

static bp_rc bind(const struct trial *t)
{
    const struct bp_opencl_library *cl = t->b.program->instance->cl;

    for (struct bp_opencl_step *step = t->steps; step; step = step->next) {
        for (uint32_t i = 0; i < step->n_operands && step->kernel; i++) {
            const struct bp_opencl_operand *operand = &step->operands[i];
            bool is_item = operand->place.kind == BP_OPENCL_ITEM;
            cl_long at = (cl_long)((operand->place.offset +
                                    (is_item ? t->b.items[operand->place.index].offset : 0)) /
                                   operand->width);

            if (cl->clSetKernelArg(step->kernel, operand->slot, sizeof(cl_mem),
                                   is_item ? &t->scratch : &t->kept) != CL_SUCCESS ||
                cl->clSetKernelArg(step->kernel, operand->slot + 1, sizeof at, &at) != CL_SUCCESS)
                return bp_fail(t->b.err, BP_E_INTERNAL, "opencl: the tuner's operands");
        }
    }
    return BP_OK;
}

/* Nanoseconds of a run; -1: it failed. */
static int64_t run(const struct trial *t, bool is_first)
{
    const bp_instance *instance = t->b.program->instance;
    int64_t from = instance->host.now_ns(instance->host.h);
    cl_int code = CL_SUCCESS;

    for (struct bp_opencl_step *step = t->steps; step && code == CL_SUCCESS; step = step->next) {
        if (step->kernel && (is_first || !step->is_once))
            code = instance->cl->clEnqueueNDRangeKernel(instance->queue, step->kernel, step->n_dims,
                                                        NULL, step->global, step->local, 0, NULL,
                                                        NULL);
    }
    if (instance->cl->clFinish(instance->queue) != CL_SUCCESS || code != CL_SUCCESS)
        return -1;
    return instance->host.now_ns(instance->host.h) - from;
}

/* The shortest of some runs, after one that loads what has to be loaded. */
static int64_t measure(const struct trial *t)
{
    int64_t best = run(t, true);

    for (uint32_t i = 0; i < RUNS && best >= 0; i++) {
        int64_t time = run(t, false);

        if (time < 0)
            return -1;
        best = i == 0 || time < best ? time : best;
        if (time > long_run_ns)
            break;
    }
    return best;
}

static int64_t time_candidate(const struct bp_opencl_builder *b, uint32_t i,
                              bp_opencl_candidate add, const void *data)
{
    bp_instance *instance = b->program->instance;
    char words[256];
    bp_err err = {.struct_size = sizeof err, .msg = words, .msg_cap = sizeof words};
    struct trial t = {.memory = {.host = &instance->host}};
    int64_t time = -1;

    t.b = (struct bp_opencl_builder){.program = b->program,
                                     .graph = b->graph,
                                     .node = b->node,
                                     .memory = &t.memory,
                                     .end = &t.steps,
                                     .err = &err};
    add(&t.b, i, data);
    if (t.b.rc >= 0 && plan(&t) >= 0 && bind(&t) >= 0)
        time = measure(&t);
    for (struct bp_opencl_step *step = t.steps; step; step = step->next) {
        if (step->kernel)
            instance->cl->clReleaseKernel(step->kernel);
    }
    bp_opencl_memory_free(instance, t.scratch);
    bp_opencl_memory_free(instance, t.kept);
    bp_blocks_free(&t.memory);
    return time;
}

uint32_t bp_opencl_tune(struct bp_opencl_builder *b, const char *key, uint32_t n, uint32_t fixed,
                        bp_opencl_candidate add, const void *data)
{
    bp_instance *instance = b->program->instance;
    uint32_t answer = fixed;
    int64_t best = -1;

    if (!instance->tunes || n < 2 || b->rc < 0 || find(instance, key, n, &answer))
        return answer;
    for (uint32_t i = 0; i < n; i++) {
        int64_t time = time_candidate(b, i, add, data);

        if (time >= 0 && (best < 0 || time < best)) {
            best = time;
            answer = i;
        }
    }
    pthread_mutex_lock(&instance->lock);
    if (best >= 0 && remember(instance, key, answer))
        save(instance, key, answer);
    pthread_mutex_unlock(&instance->lock);
    return answer;
}
