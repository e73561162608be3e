/* SPDX-License-Identifier: MIT */
/*
 * cycles.c - sessions made, run and released again and again by four threads: does anything grow?
 *
 *     cycles [MODEL] [CYCLES]
 *
 * The memory of the process and the number of its allocated blocks after the first tenth of the cycles
 * are what they have to be after the last. `make cycles` does a million; $BP_CYCLES says another
 * number.
 */

#include "config.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include <onnxruntime/onnxruntime_c_api.h>

#include "support/count_alloc.h"

enum { THREADS = 4, SIDE = 8, FEW = 2000 };

/* An allocator keeps what it has got from the system: more than this is growth. */
#define SLACK_KIB 4096

static const OrtApi *ort;

static struct {
    OrtEnv *env;
    OrtMemoryInfo *memory;
    void *model;
    size_t size;
    atomic_ulong left; /* cycles up to the next look */
    atomic_int failures;
} shared;

/* What the process holds. */
struct state {
    double seconds;
    long rss_kib, blocks;
};

static bool fine(OrtStatus *status)
{
    if (!status)
        return true;
    fprintf(stderr, "cycles: %s\n", ort->GetErrorMessage(status));
    ort->ReleaseStatus(status);
    atomic_fetch_add(&shared.failures, 1);
    return false;
}

/* ---- a cycle --------------------------------------------------------------------------------- */

/* The digits model: probabilities of an image. */
static void run(OrtSession *session)
{
    static const char *const in_names[] = {"image"}, *const out_names[] = {"probability"};
    static const int64_t dims[] = {1, 1, SIDE, SIDE};
    float image[SIDE * SIDE] = {1};
    OrtValue *in = NULL, *out = NULL;
    void *data = NULL;

    if (fine(ort->CreateTensorWithDataAsOrtValue(shared.memory, image, sizeof image, dims, 4,
                                                 ONNX_TENSOR_ELEMENT_DATA_TYPE_FLOAT, &in)) &&
        fine(ort->Run(session, NULL, in_names, (const OrtValue *const *)&in, 1, out_names, 1,
                      &out)) &&
        fine(ort->GetTensorMutableData(out, &data)) && !(*(float *)data >= 0))
        atomic_fetch_add(&shared.failures, 1);
    ort->ReleaseValue(in);
    ort->ReleaseValue(out);
}

static void cycle(void)
{
    OrtSessionOptions *options = NULL;
    OrtSession *session = NULL;

    if (fine(ort->CreateSessionOptions(&options)) && fine(ort->SetIntraOpNumThreads(options, 1)) &&
        fine(ort->CreateSessionFromArray(shared.env, shared.model, shared.size, options, &session)))
        run(session);
    ort->ReleaseSession(session);
    ort->ReleaseSessionOptions(options);
}

/* Takes a cycle of those that are left. */
static bool take(void)
{
    unsigned long left = atomic_load(&shared.left);

    while (left > 0 && !atomic_compare_exchange_weak(&shared.left, &left, left - 1))
        ;
    return left > 0 && atomic_load(&shared.failures) == 0;
}

static void *work(void *unused)
{
    (void)unused;
    while (take())
        cycle();
    return NULL;
}

static void do_cycles(unsigned long n)
{
    pthread_t threads[THREADS];
    int started = 0;

    atomic_store(&shared.left, n);
    while (started < THREADS && pthread_create(&threads[started], NULL, work, NULL) == 0)
        started++;
    if (started < THREADS)
        atomic_fetch_add(&shared.failures, 1);
    for (int i = 0; i < started; i++)
        pthread_join(threads[i], NULL);
}

/* ---- measuring ------------------------------------------------------------------------------- */

static long read_rss_kib(void)
{
    long pages = 0;
    FILE *file = fopen("/proc/self/statm", "r");

    if (file && fscanf(file, "%*d %ld", &pages) != 1)
        pages = 0;
    if (file)
        fclose(file);
    return pages * (sysconf(_SC_PAGESIZE) / 1024);
}

static struct state look(void)
{
    struct timespec now;

    clock_gettime(CLOCK_MONOTONIC, &now);
    return (struct state){(double)now.tv_sec + (double)now.tv_nsec * 1e-9, read_rss_kib(),
                          count_alloc_live()};
}

static void tell(const char *when, const struct state *state)
{
    printf("%-9s %8ld KiB resident, %ld blocks allocated\n", when, state->rss_kib, state->blocks);
}

/* ---- around it ------------------------------------------------------------------------------- */

static bool read_model(const char *path)
{
    FILE *file = fopen(path, "rb");
    bool is_read = false;

    if (!file) {
        perror(path);
        return false;
    }
    shared.model = malloc(1 << 20);
    if (shared.model) {
        shared.size = fread(shared.model, 1, 1 << 20, file);
        is_read = shared.size > 0 && feof(file);
    }
    fclose(file);
    return is_read;
}

static bool open_library(void)
{
    ort = OrtGetApiBase()->GetApi(ORT_API_VERSION);
    return ort && fine(ort->CreateEnv(ORT_LOGGING_LEVEL_WARNING, "cycles", &shared.env)) &&
           fine(ort->CreateCpuMemoryInfo(OrtDeviceAllocator, OrtMemTypeDefault, &shared.memory));
}

/* Does what is held after all cycles differ from what was after the first tenth? */
static int judge(const struct state *tenth, const struct state *end)
{
    int code = 0;

    if (count_alloc_works() && end->blocks > tenth->blocks) {
        printf("FAILED: %ld blocks more than after the first tenth\n", end->blocks - tenth->blocks);
        code = 1;
    }
    if (count_alloc_works() && end->rss_kib > tenth->rss_kib + SLACK_KIB) {
        printf("FAILED: %ld KiB more than after the first tenth\n", end->rss_kib - tenth->rss_kib);
        code = 1;
    }
    return code;
}

static int measure(unsigned long n)
{
    struct state begin, tenth, end;

    begin = look();
    do_cycles(n / 10);
    if (atomic_load(&shared.failures))
        return 1;
    tenth = look();
    tell("at 10 %", &tenth);
    do_cycles(n - n / 10);
    end = look();
    tell("at 100 %", &end);
    printf("%lu cycles of %d threads in %.1f s: %.0f a second, %.0f us each\n", n, THREADS,
           end.seconds - begin.seconds, (double)n / (end.seconds - begin.seconds),
           (end.seconds - begin.seconds) * 1e6 / (double)n);
    if (!count_alloc_works())
        puts("growth is not judged: a sanitizer or valgrind has the allocator");
    return judge(&tenth, &end);
}

int main(int argc, char **argv)
{
    const char *dir = getenv("BP_SRCDIR"), *asked = getenv("BP_CYCLES");
    unsigned long n = count_alloc_works() ? 10 * FEW : FEW;
    char path[4096];
    static char line[256];
    int code = 1;

    setvbuf(stdout, line, _IOLBF, sizeof line); /* a block that is not counted */
    snprintf(path, sizeof path, "%s/examples/digits/digits.onnx", dir ? dir : ".");
    if (asked && *asked)
        n = strtoul(asked, NULL, 10);
    if (argc > 2)
        n = strtoul(argv[2], NULL, 10);
    if (read_model(argc > 1 ? argv[1] : path) && open_library())
        code = measure(n);
    if (ort) {
        ort->ReleaseMemoryInfo(shared.memory);
        ort->ReleaseEnv(shared.env);
    }
    free(shared.model);
    return atomic_load(&shared.failures) ? 1 : code;
}
