/* SPDX-License-Identifier: MIT */
/* soak_kit.c - models, conditions, runs and the watchdog of check_soak.c. */

#include "config.h"

#include "soak_kit.h"

#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

void soak_add(struct soak_tally *to, const struct soak_tally *from)
{
    to->runs += from->runs;
    for (int rc = 0; rc < SOAK_CODES; rc++)
        to->by_rc[rc] += from->by_rc[rc];
}

/* ---- models ---------------------------------------------------------------------------------- */

enum { KERNEL = 3, FROM = 2, TO = 3, MOST_BATCH = 3, MOST_SIDE = 12, SMALL = 2 };

static uint32_t which_model;

static float weight(uint32_t i)
{
    return (float)(i % 3) - 1;
}

/* y = -MaxPool(Relu(Conv(x))), of whole numbers that floats hold exactly; the CPU negates. */
static void image_model(void)
{
    static const int64_t ones[] = {1, 1, 1, 1}, twos[] = {2, 2};
    float w[TO * FROM * KERNEL * KERNEL];

    for (uint32_t i = 0; i < sizeof w / sizeof w[0]; i++)
        w[i] = weight(i);
    kit_io(KIT_INPUT, "x", BP_DTYPE_F32, "N,2,H,W");
    kit_floats("w", PW_DIMS(TO, FROM, KERNEL, KERNEL), sizeof w / sizeof w[0], w);
    kit_open_node("conv", "Conv", "x w", "c");
    kit_ints_attr("pads", 4, ones);
    pw_close(&kit.w);
    kit_node("relu", "Relu", "c", "r");
    kit_open_node("pool", "MaxPool", "r", "p");
    kit_ints_attr("kernel_shape", 2, twos);
    kit_ints_attr("strides", 2, twos);
    pw_close(&kit.w);
    kit_node("neg", "Neg", "p", "y");
    kit_io(KIT_OUTPUT, "y", BP_DTYPE_F32, NULL);
}

void soak_model(uint32_t which)
{
    which_model = which;
    kit_start_model();
    if (which)
        image_model();
    else
        device_mixed_model("N");
}

struct image {
    uint32_t n, h, w;
    float x[MOST_BATCH * FROM * MOST_SIDE * MOST_SIDE];
};

static float at(const struct image *image, uint32_t n, uint32_t c, uint32_t row, uint32_t column)
{
    if (row >= image->h || column >= image->w) /* also those before 0 */
        return 0;
    return image->x[((n * FROM + c) * image->h + row) * image->w + column];
}

static float convolved(const struct image *image, uint32_t n, uint32_t to, uint32_t row,
                       uint32_t column)
{
    float sum = 0;

    for (uint32_t c = 0; c < FROM; c++) {
        for (uint32_t k = 0; k < KERNEL * KERNEL; k++)
            sum += weight((to * FROM + c) * KERNEL * KERNEL + k) *
                   at(image, n, c, row + k / KERNEL - 1, column + k % KERNEL - 1);
    }
    return sum > 0 ? sum : 0;
}

static float expected(const struct image *image, uint32_t i)
{
    uint32_t h = image->h / 2, w = image->w / 2;
    uint32_t column = i % w * 2, row = i / w % h * 2, to = i / w / h % TO, n = i / w / h / TO;
    float most = 0;

    for (uint32_t k = 0; k < 4; k++) {
        float value = convolved(image, n, to, row + k / 2, column + k % 2);

        most = value > most ? value : most;
    }
    return -most;
}

static uint32_t wrong_pixels(const struct image *image, const bp_tensor *y)
{
    const float *got = bp_tensor_data(y);
    uint32_t count = image->n * TO * (image->h / 2) * (image->w / 2), n_wrong = 0;

    if (y->bytes != count * sizeof *got)
        return count + 1;
    for (uint32_t i = 0; i < count; i++)
        n_wrong += got[i] != expected(image, i);
    return n_wrong;
}

static bp_rc run_image(uint64_t *random, bool is_small, const bp_run_options *options,
                       uint32_t *n_wrong, bp_err *err)
{
    struct image image = {is_small ? 1 : 1 + random_below(random, MOST_BATCH),
                          SMALL + (is_small ? 0 : random_below(random, MOST_SIDE - SMALL)),
                          SMALL + (is_small ? 0 : random_below(random, MOST_SIDE - SMALL)),
                          {0}};
    int64_t dims[] = {image.n, FROM, image.h, image.w};
    bp_binding in = kit_tensor(0, BP_DTYPE_F32, image.x, 4, dims), out = kit_wanted(0);
    bp_rc rc;

    for (uint32_t i = 0; i < image.n * FROM * image.h * image.w; i++)
        image.x[i] = (float)random_below(random, 17) - 8;
    rc = bp_session_run(kit.session, &in, 1, &out, 1, options, err);
    *n_wrong = rc < 0 ? 0 : wrong_pixels(&image, &out.tensor);
    bp_tensor_free(&out.tensor);
    return rc;
}

/* ---- conditions ------------------------------------------------------------------------------ */

static atomic_bool is_held; /* now and then, and each time the watchdog lets go */

struct soak_conditions soak_conditions(uint64_t *random)
{
    static const struct soak_conditions kinds[] = {
        {.name = "calm"},
        {.name = "out of memory", .point = BP_ASCEND_AT_MALLOC, .per_million = 300000},
        {.name = "copies fail", .point = BP_ASCEND_AT_COPY, .per_million = 60000},
        {.name = "no streams", .point = BP_ASCEND_AT_CREATE_STREAM, .per_million = 300000},
        {.name = "no events", .point = BP_ASCEND_AT_CREATE_EVENT, .per_million = 300000},
        {.name = "compiler fails", .point = BP_ASCEND_AT_COMPILE, .per_million = 200000},
        {.name = "launches fail", .point = BP_ASCEND_AT_LAUNCH, .per_million = 100000},
        {.name = "operators fail", .point = BP_ASCEND_AT_TASK, .per_million = 100000},
        {.name = "operators take too long",
         .point = BP_ASCEND_AT_TASK,
         .code = ACL_ERROR_RT_AICORE_TIMEOUT,
         .per_million = 100000},
        {.name = "heartbeats are missed",
         .point = BP_ASCEND_AT_TASK,
         .code = ACL_ERROR_RT_LOST_HEARTBEAT,
         .per_million = 50000},
        {.name = "waiting takes too long",
         .point = BP_ASCEND_AT_SYNC,
         .code = ACL_ERROR_RT_STREAM_SYNC_TIMEOUT,
         .per_million = 100000},
        {.name = "waiting fails", .point = BP_ASCEND_AT_SYNC, .per_million = 100000},
        {.name = "lost", .is_lost = true},
        {.name = "hangs for a while", .is_paused = true, .timeout_ns = 500000},
        {.name = "little time", .timeout_ns = 200000},
        {.name = "cancelled", .is_cancelled = true},
    };

    return kinds[random_below(random, sizeof kinds / sizeof kinds[0])];
}

static void let_fail(const struct soak_conditions *conditions, uint64_t seed)
{
    if (conditions->per_million)
        bp_ascend_fault_random(conditions->point, conditions->per_million, seed, conditions->code);
}

void soak_strike_creation(uint64_t *random)
{
    static const struct soak_conditions strikes[] = {
        {.point = BP_ASCEND_AT_SET_DEVICE, .per_million = 500000},
        {.point = BP_ASCEND_AT_MALLOC, .per_million = 500000},
        {.point = BP_ASCEND_AT_COPY, .per_million = 200000},
        {.point = BP_ASCEND_AT_SYNC, .per_million = 200000},
        {.point = BP_ASCEND_AT_CREATE_STREAM, .per_million = 500000},
    };

    let_fail(&strikes[random_below(random, sizeof strikes / sizeof strikes[0])],
             random_next(random));
}

void soak_calm(void)
{
    atomic_store(&is_held, false);
    bp_ascend_clear_faults();
    bp_ascend_set_state(0, BP_ASCEND_OK);
    bp_ascend_resume(0);
}

/* ---- runs ------------------------------------------------------------------------------------ */

void soak_begin(struct soak_worker *worker, uint64_t seed, uint32_t n_runs,
                const struct soak_conditions *conditions)
{
    memset(worker, 0, sizeof *worker);
    worker->random = seed;
    worker->n_runs = n_runs;
    worker->conditions = *conditions;
    let_fail(conditions, seed);
    atomic_store(&is_held, conditions->is_paused);
    if (conditions->is_lost)
        bp_ascend_set_state(0, BP_ASCEND_LOST);
}

static atomic_uint n_checked; /* what the watchdog looks at */

/* A failure says who failed and why; a run that gave a result gave the right one. */
static void check_result(struct soak_worker *worker, bp_rc rc, uint32_t n_wrong, const char *words)
{
    const char *name = worker->conditions.name;

    if (n_wrong)
        snprintf(worker->problem, sizeof worker->problem, "%s: %u numbers are wrong", name,
                 n_wrong);
    else if (rc < 0 && worker->conditions.must_be_right)
        snprintf(worker->problem, sizeof worker->problem, "%s: %s: %s", name, bp_rc_name(rc),
                 words);
    else if (rc < 0 && (-rc >= SOAK_CODES || rc == BP_E_INVALID || strlen(words) < 10))
        snprintf(worker->problem, sizeof worker->problem, "%s: %d says \"%s\"", name, (int)rc,
                 words);
    worker->tally.runs++;
    atomic_fetch_add(&n_checked, 1);
    worker->tally.by_rc[-rc < SOAK_CODES ? -rc : 0]++;
}

static void run_once(struct soak_worker *worker)
{
    uint32_t cancel = worker->conditions.is_cancelled, n_wrong = 0;
    bp_run_options options = {.struct_size = sizeof options,
                              .cancel = &cancel,
                              .timeout_ns = worker->conditions.timeout_ns};
    bool is_small = worker->conditions.must_be_right;
    char words[1024] = "";
    bp_err err = bp_err_init(words, sizeof words);
    uint32_t rows = is_small ? 1 : 1 + random_below(&worker->random, DEVICE_MAX_ROWS);
    bp_rc rc;

    if (worker->conditions.is_paused)
        bp_ascend_pause(0);
    if (which_model)
        rc = run_image(&worker->random, is_small, &options, &n_wrong, &err);
    else
        rc = device_run_mixed(rows, (float)random_below(&worker->random, 50), &options, &n_wrong,
                              &err);
    check_result(worker, rc, n_wrong, words);
}

void *soak_work(void *argument)
{
    struct soak_worker *worker = argument;

    for (uint32_t i = 0; i < worker->n_runs && !worker->problem[0]; i++)
        run_once(worker);
    return NULL;
}

/* ---- the watchdog ---------------------------------------------------------------------------- */

enum { TICK_MS = 2, PATIENCE_MS = 180000 };

static struct {
    pthread_t thread;
    atomic_bool is_over;
    void (*show)(const char *what);
} watch;

static void *watch_over(void *u)
{
    struct timespec tick = {.tv_nsec = TICK_MS * 1000000L};
    uint32_t seen = 0, still = 0;

    (void)u;
    while (!atomic_load(&watch.is_over)) {
        uint32_t now = atomic_load(&n_checked);

        nanosleep(&tick, NULL);
        if (atomic_load(&is_held))
            bp_ascend_resume(0);
        still = now == seen ? still + TICK_MS : 0;
        seen = now;
        if (still > PATIENCE_MS) {
            watch.show("it hangs");
            abort();
        }
    }
    return NULL;
}

void soak_watch(void (*show)(const char *what))
{
    watch.show = show;
    ck_assert_int_eq(pthread_create(&watch.thread, NULL, watch_over, NULL), 0);
}

void soak_end_watch(void)
{
    atomic_store(&watch.is_over, true);
    pthread_join(watch.thread, NULL);
}
