/* SPDX-License-Identifier: MIT */
/*
 * compare.c - measures one model on one provider, and beside it on another library with ONNX
 * Runtime's interface, and prints a line of figures. `make bench` runs it for each model.
 *
 * Each library runs in a process of its own, and both take turns, a few runs at a time: what else
 * goes on in the machine hits both alike, so that the ratio of a turn is more certain than either
 * time. The time of both processes' threads is taken too, as that hardly depends on other work.
 *
 * A library's threads may stay awake for many milliseconds behind a run, on processors that the
 * other's threads need. A turn therefore begins when the process whose turn it was rests.
 */

#define _GNU_SOURCE /* clock_getcpuclockid */

#include "config.h"

#include "bench.h"

#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum { MOST_TURNS = 4096, MOST_IN_TURN = 4096, MOST_RUNS = 1 << 20, FEWEST_TURNS = 5 };

#define TURN_MS 30.0  /* of runs in a turn, at least one */
#define REST_MS 2     /* of which a process that rests uses a tenth at most, */
#define MOST_REST 250 /* and how often that is waited for: one that never rests is taken as it is */

struct sample {
    double wall_ms, cpu_ms;
};

struct start {
    double create_ms, first_ms, second_ms;
};

/* ---- the process that runs ------------------------------------------------------------------- */

static bool send_all(int to, const void *bytes, size_t n)
{
    return write(to, bytes, n) == (ssize_t)n;
}

static bool receive(int from, void *bytes, size_t n)
{
    char *at = bytes;

    while (n > 0) {
        ssize_t got = read(from, at, n);

        if (got <= 0)
            return false;
        at += got;
        n -= (size_t)got;
    }
    return true;
}

static double peak_mb(void)
{
    FILE *status = fopen("/proc/self/status", "re");
    unsigned long kilobytes = 0;
    char line[128];

    while (status && fgets(line, sizeof line, status)) {
        if (sscanf(line, "VmHWM: %lu", &kilobytes) == 1)
            break;
    }
    if (status)
        fclose(status);
    return (double)kilobytes / 1024;
}

static bool time_run(struct bench_session *session, double *out_ms)
{
    double start = bench_now_ms();
    bool ok = bench_run(session);

    *out_ms = bench_now_ms() - start;
    return ok;
}

static bool run_turn(struct bench_session *session, uint32_t n, struct sample *out)
{
    for (uint32_t i = 0; i < n; i++) {
        struct sample sample = {bench_now_ms(), bench_cpu_ms()};

        if (!bench_run(session))
            return false;
        sample.wall_ms = bench_now_ms() - sample.wall_ms;
        sample.cpu_ms = bench_cpu_ms() - sample.cpu_ms;
        out[i] = sample;
    }
    return true;
}

/* Does as many runs as it is told, and tells their times, until it is told 0: then its memory. */
static int serve(const struct bench_case *which, int from, int to)
{
    static struct sample samples[MOST_IN_TURN];
    struct bench_session session;
    struct start start;
    uint32_t n;
    double peak;

    if (!bench_open(which, &session))
        return 1;
    start.create_ms = session.create_ms;
    if (!time_run(&session, &start.first_ms) || !time_run(&session, &start.second_ms))
        return 1;
    if (!send_all(to, &start, sizeof start))
        return 1;
    while (receive(from, &n, sizeof n) && n > 0) {
        if (!run_turn(&session, n, samples) || !send_all(to, samples, n * sizeof *samples))
            return 1;
    }
    peak = peak_mb();
    send_all(to, &peak, sizeof peak);
    bench_close(&session);
    return 0;
}

/* ---- the one that asks ----------------------------------------------------------------------- */

struct side {
    pid_t pid;
    int to, from;
    uint32_t runs; /* in a turn */
    struct start start;
    double peak_mb;
    double *wall; /* of all runs */
    size_t n, cap;
    double total_ms, turn_wall[MOST_TURNS], turn_cpu[MOST_TURNS]; /* medians */
};

static bool start_side(const struct bench_case *which, struct side *side)
{
    int down[2], up[2];

    if (pipe(down) < 0 || pipe(up) < 0)
        return false;
    fflush(stdout);
    side->pid = fork();
    if (side->pid < 0)
        return false;
    if (side->pid == 0) {
        close(down[1]);
        close(up[0]);
        _exit(serve(which, down[0], up[1]));
    }
    close(down[0]);
    close(up[1]);
    side->to = down[1];
    side->from = up[0];
    if (!receive(side->from, &side->start, sizeof side->start))
        return false;
    side->runs = (uint32_t)(TURN_MS / (side->start.second_ms + 1e-2)) + 1; /* below MOST_IN_TURN */
    return true;
}

static int order(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;

    return (x > y) - (x < y);
}

/* The value that a share of all does not exceed; sorts them. */
static double percentile(double *values, size_t n, double share)
{
    size_t rank = (size_t)ceil(share * (double)n);

    qsort(values, n, sizeof *values, order);
    return values[rank > 0 ? rank - 1 : 0];
}

static bool keep(struct side *side, double wall_ms)
{
    if (side->n == side->cap) {
        size_t cap = side->cap ? side->cap * 2 : 1024;
        double *more = realloc(side->wall, cap * sizeof *more);

        if (!more)
            return false;
        side->wall = more;
        side->cap = cap;
    }
    side->wall[side->n++] = wall_ms;
    return true;
}

/* What the process has used of processors. */
static double used_ms(clockid_t clock)
{
    struct timespec used;

    clock_gettime(clock, &used);
    return (double)used.tv_sec * 1e3 + (double)used.tv_nsec * 1e-6;
}

static void wait_for_rest(const struct side *side)
{
    static const struct timespec pause = {.tv_nsec = REST_MS * 1000000};
    clockid_t clock;

    if (clock_getcpuclockid(side->pid, &clock) != 0)
        return;
    for (int i = 0; i < MOST_REST; i++) {
        double before = used_ms(clock);

        nanosleep(&pause, NULL);
        if (used_ms(clock) - before <= REST_MS * 0.1)
            return;
    }
}

/* One run to warm up, and those that count. */
static bool take_turn(struct side *side, size_t turn)
{
    uint32_t n = side->runs + 1;
    double wall[MOST_IN_TURN], cpu[MOST_IN_TURN];
    struct sample sample;

    if (!send_all(side->to, &n, sizeof n))
        return false;
    for (uint32_t i = 0; i < n; i++) {
        if (!receive(side->from, &sample, sizeof sample))
            return false;
        if (i == 0)
            continue;
        wall[i - 1] = sample.wall_ms;
        cpu[i - 1] = sample.cpu_ms;
        side->total_ms += sample.wall_ms;
        if (!keep(side, sample.wall_ms))
            return false;
    }
    side->turn_wall[turn] = percentile(wall, n - 1, 0.5);
    side->turn_cpu[turn] = percentile(cpu, n - 1, 0.5);
    return true;
}

static bool stop_side(struct side *side)
{
    uint32_t end = 0;
    int status;
    bool ok = send_all(side->to, &end, sizeof end) &&
              receive(side->from, &side->peak_mb, sizeof side->peak_mb);

    close(side->to);
    close(side->from);
    return waitpid(side->pid, &status, 0) == side->pid && ok;
}

static size_t take_turns(struct side *sides, size_t n_sides, double seconds)
{
    size_t turn = 0;

    while (turn < MOST_TURNS && sides[0].n < MOST_RUNS &&
           (turn < FEWEST_TURNS || sides[0].total_ms < seconds * 1e3)) {
        for (size_t i = 0; i < n_sides; i++) {
            if (!take_turn(&sides[i], turn))
                return 0;
            wait_for_rest(&sides[i]);
        }
        turn++;
    }
    return turn;
}

/* ---- figures --------------------------------------------------------------------------------- */

static void print_side(struct side *side, double gflop, double peak_gflops)
{
    double median = percentile(side->wall, side->n, 0.5);

    printf("\t%.1f\t%.3f\t%.3f\t%.3f\t%.0f", side->start.create_ms, side->start.first_ms, median,
           percentile(side->wall, side->n, 0.99), side->peak_mb);
    if (gflop > 0 && peak_gflops > 0)
        printf("\t%.3f", gflop / (median * 1e-3) / peak_gflops);
    else
        printf("\t-");
}

static double ratio(const double *a, const double *b, size_t n)
{
    double ratios[MOST_TURNS];

    for (size_t i = 0; i < n; i++)
        ratios[i] = a[i] / b[i];
    return percentile(ratios, n, 0.5);
}

static int compare(const struct bench_case *own, const struct bench_case *peer, double seconds,
                   double gflop)
{
    static struct side sides[2];
    size_t n_sides = peer->library[0] ? 2 : 1, turns;
    double peak = bench_peak_gflops() * own->threads;

    if (!start_side(own, &sides[0]) || (n_sides > 1 && !start_side(peer, &sides[1])))
        return 1;
    turns = take_turns(sides, n_sides, seconds);
    for (size_t i = 0; i < n_sides; i++) {
        if (!stop_side(&sides[i]))
            turns = 0;
    }
    if (turns == 0)
        return 1;
    print_side(&sides[0], gflop, peak);
    if (n_sides > 1) {
        print_side(&sides[1], gflop, peak);
        printf("\t%.3f\t%.3f", ratio(sides[0].turn_wall, sides[1].turn_wall, turns),
               ratio(sides[0].turn_cpu, sides[1].turn_cpu, turns));
    } else {
        printf("\t-\t-\t-\t-\t-\t-\t-\t-");
    }
    printf("\t%zu\n", turns);
    return 0;
}

/* The peaks of both processes' resident memory alone. */
static int compare_memory(const struct bench_case *own, const struct bench_case *peer)
{
    static struct side sides[2];
    size_t n_sides = peer->library[0] ? 2 : 1;
    bool ok = true;

    for (size_t i = 0; ok && i < n_sides; i++)
        ok = start_side(i ? peer : own, &sides[i]) && take_turn(&sides[i], 0) &&
             take_turn(&sides[i], 1) && stop_side(&sides[i]);
    if (!ok)
        return 1;
    printf("\t%.1f", sides[0].peak_mb);
    if (n_sides > 1)
        printf("\t%.1f\n", sides[1].peak_mb);
    else
        printf("\t-\n");
    return 0;
}

int main(int argc, char **argv)
{
    struct bench_case own, peer;
    bool is_memory = argc == 8 && strcmp(argv[1], "--memory") == 0;

    if (argc == 2 && strcmp(argv[1], "--peak") == 0) {
        printf("%.1f\n", bench_peak_gflops());
        return 0;
    }
    if (argc == 3 && strcmp(argv[1], "--version") == 0) {
        const char *version = bench_version(argv[2]);

        printf("%s\n", version ? version : "");
        return version ? 0 : 1;
    }
    if (argc != 9 && !is_memory) {
        fprintf(stderr,
                "usage: compare OWN-LIBRARY PROVIDER PEER-LIBRARY|'' THREADS SECONDS "
                "GFLOP DIMS MODEL\n"
                "       compare --memory OWN-LIBRARY PROVIDER PEER-LIBRARY|'' THREADS DIMS MODEL\n"
                "       compare --peak\n       compare --version LIBRARY\n");
        return 2;
    }
    own = (struct bench_case){.library = argv[is_memory ? 2 : 1],
                              .model = argv[argc - 1],
                              .provider = argv[is_memory ? 3 : 2],
                              .dims = argv[argc - 2],
                              .threads = (unsigned)strtoul(argv[is_memory ? 5 : 4], NULL, 10)};
    peer = own;
    peer.library = argv[is_memory ? 4 : 3];
    peer.provider = "";
    if (is_memory)
        return compare_memory(&own, &peer);
    return compare(&own, &peer, strtod(argv[5], NULL), strtod(argv[6], NULL));
}
