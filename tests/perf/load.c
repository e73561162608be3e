/* SPDX-License-Identifier: MIT */
/*
 * load.c - opening a model of 100 MB with raw weights: under 1.2 times its size of resident memory,
 * and under 0.3 s once its file is in the page cache. The model is a chain of 25 matrix products of
 * 1024 x 1024, written for the test; its weights lie at odd places, as protobuf has it.
 */

#include "config.h"

#include <stdbool.h>
#include <unistd.h>

#include <backplane.h>

#include "perf.h"
#include "support/proto_writer.h"

enum { LAYERS = 25, SIDE = 1024 };

#define LIMIT_FACTOR 1.2
#define LIMIT_MS 300.0

static void write_graph(struct pw *w, const float *weights)
{
    char in[16] = "x";

    for (int i = 0; i < LAYERS; i++) {
        char out[16], list[32];

        snprintf(out, sizeof out, i + 1 < LAYERS ? "t%d" : "y", i);
        snprintf(list, sizeof list, "%s w%d", in, i);
        pw_node(w, "MatMul", list, out);
        memcpy(in, out, sizeof in);
    }
    pw_value(w, 11, "x", BP_DTYPE_F32, PW_DIMS(1, SIDE));
    pw_value(w, 12, "y", BP_DTYPE_F32, PW_DIMS(1, SIDE));
    for (int i = 0; i < LAYERS; i++) {
        char name[16];

        snprintf(name, sizeof name, "w%d", i);
        pw_raw_tensor(w, 5, name, BP_DTYPE_F32, PW_DIMS(SIDE, SIDE), weights,
                      sizeof(float) * SIDE * SIDE);
    }
}

/* Writes the model in a process of its own, so that its memory does not count. */
static bool write_model(const char *path)
{
    struct pw w = {0};
    float *weights = calloc((size_t)SIDE * SIDE, sizeof *weights);
    FILE *file = fopen(path, "wbe");
    bool ok;

    for (size_t i = 0; weights && i < SIDE; i++)
        weights[i * SIDE + (i * 7 + 1) % SIDE] = 1; /* each product permutes its input */
    if (!weights || !file)
        return false;
    pw_open_model(&w);
    write_graph(&w, weights);
    pw_close(&w);
    ok = fwrite(w.data, 1, w.size, file) == w.size;
    ok = fclose(file) == 0 && ok;
    pw_free(&w);
    free(weights);
    return ok;
}

/* The input permuted 25 times, element for element. */
static bool check(bp_session *session, bp_err *err)
{
    static float x[SIDE], y[SIDE], want[SIDE], next[SIDE];
    int64_t dims_in[] = {1, SIDE}, dims_out[] = {0, 0};
    bp_binding in = {
        .tensor = {
            .base = x, .bytes = sizeof x, .dims = dims_in, .rank = 2, .dtype = BP_DTYPE_F32}};
    bp_binding out = {.tensor = {.base = y, .bytes = sizeof y, .dims = dims_out, .rank = 2}};

    for (int i = 0; i < SIDE; i++)
        want[i] = x[i] = (float)i;
    for (int layer = 0; layer < LAYERS; layer++) {
        for (int i = 0; i < SIDE; i++)
            next[(i * 7 + 1) % SIDE] = want[i];
        memcpy(want, next, sizeof want);
    }
    if (bp_session_run(session, &in, 1, &out, 1, NULL, err) < 0)
        return false;
    return memcmp(y, want, sizeof y) == 0;
}

/* Opens the model twice, the second time with a warm page cache; prints and checks the limits. */
static int measure(const char *path, double size_mib)
{
    char text[512];
    bp_err err = bp_err_init(text, sizeof text);
    bp_env *env = NULL;
    bp_session *session = NULL;
    double ms = 0, mib = 0;
    bool right = false;

    if (bp_env_create(NULL, &env, &err) < 0)
        goto failed;
    for (int i = 0; i < 2; i++) {
        bp_session_destroy(session);
        ms = now_ms();
        if (bp_session_create(env, path, NULL, &session, &err) < 0)
            goto failed;
        ms = now_ms() - ms;
        mib = status_mib("VmHWM:");
    }
    right = check(session, &err);
    printf("load: %.0f MiB of model, %.1f ms (limit %.0f), peak %.1f MiB (limit %.0f), result %s\n",
           size_mib, ms, LIMIT_MS, mib, size_mib * LIMIT_FACTOR, right ? "right" : "wrong");
    bp_session_destroy(session);
    if (bp_env_destroy(env, &err) < 0)
        goto failed;
    return right && ms <= LIMIT_MS && mib <= size_mib * LIMIT_FACTOR ? 0 : 1;
failed:
    fprintf(stderr, "%s\n", text);
    return 1;
}

int main(int argc, char **argv)
{
    char path[] = "load-XXXXXX";
    char command[8192];
    int fd, status;

    if (argc == 3 && strcmp(argv[1], "--write") == 0)
        return write_model(argv[2]) ? 0 : 1;
    if (BP_SANITIZED) {
        puts("load: skipped, sanitizers change time and memory");
        return SKIP;
    }
    fd = mkstemp(path);
    if (fd < 0)
        return 1;
    close(fd);
    snprintf(command, sizeof command, "'%s' --write %s", argv[0], path);
    status = system(command) == 0 ? measure(path, LAYERS * SIDE * SIDE * 4.0 / (1 << 20)) : 1;
    unlink(path);
    return status;
}
