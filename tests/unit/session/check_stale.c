/* SPDX-License-Identifier: MIT */
/*
 * check_stale.c - model files that are written to, truncated or replaced while sessions use them.
 */

#include "config.h"

#include <check.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

#include "support/session_kit.h"

enum { N = 300000, N_SMALL = 4 }; /* floats: more than BP_BYTES_SMALL, and less */

static char path[64], other[80];
static float weights[N], x[N], y[N];

static void setup(void)
{
    int fd;

    kit_setup();
    snprintf(path, sizeof path, "/tmp/backplane-stale-XXXXXX");
    fd = mkstemp(path);
    ck_assert_int_ge(fd, 0);
    close(fd);
    snprintf(other, sizeof other, "%s.new", path);
}

static void teardown(void)
{
    unlink(path);
    unlink(other);
    kit_teardown();
}

static void write_file(const char *to, const void *bytes, size_t size)
{
    int fd = open(to, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);

    ck_assert_int_ge(fd, 0);
    ck_assert_int_eq(write(fd, bytes, size), (ssize_t)size);
    ck_assert_int_eq(close(fd), 0);
}

/* y = x + w, where w is `value` everywhere, in a file. */
static void write_model(const char *to, uint32_t n, float value)
{
    const int64_t dims[] = {n, -1};

    for (uint32_t i = 0; i < n; i++)
        weights[i] = value;
    kit_start_model();
    kit_io(KIT_INPUT, "x", BP_DTYPE_F32, "N");
    kit_floats("w", dims, n, weights);
    kit_node("add", "Add", "x w", "y");
    kit_io(KIT_OUTPUT, "y", BP_DTYPE_F32, "N");
    pw_close(&kit.w);
    kit.is_closed = true;
    write_file(to, kit.w.data, kit.w.size);
}

static bp_session *open_session(void)
{
    bp_session *session;

    KIT_OK(bp_session_create(kit.env, path, kit.options, &session, &kit.err));
    return session;
}

static bp_rc run(bp_session *session, uint32_t n)
{
    int64_t dims[1] = {n}, out_dims[1];
    bp_binding in = {.index = 0}, out = {.index = 0};

    in.tensor = (bp_tensor){
        .base = x, .dims = dims, .bytes = n * sizeof *x, .rank = 1, .dtype = BP_DTYPE_F32};
    out.tensor = (bp_tensor){.base = y, .dims = out_dims, .bytes = sizeof y, .rank = 1};
    return bp_session_run(session, &in, 1, &out, 1, NULL, &kit.err);
}

static void check_run(bp_session *session, uint32_t n, float want)
{
    y[n - 1] = -1;
    KIT_OK(run(session, n));
    ck_assert_msg(y[0] == want && y[n - 1] == want, "%g and %g, not %g", (double)y[0],
                  (double)y[n - 1], (double)want);
}

/* Looks at files are 100 ms apart, and times of files have the resolution of the kernel's clock. */
static void wait_for_a_look(void)
{
    const struct timespec pause = {.tv_nsec = 150 * 1000 * 1000};

    nanosleep(&pause, NULL);
}

START_TEST(file_that_is_written_to_in_place_fails_runs)
{
    bp_session *session, *next;

    write_model(path, N, 1);
    session = open_session();
    check_run(session, N, 1);
    wait_for_a_look();
    write_model(path, N, 2);
    wait_for_a_look();
    KIT_FAILS(run(session, N), BP_E_STALE, path, "written to", "renaming");
    KIT_FAILS(run(session, N), BP_E_STALE, path); /* it stays so */
    next = open_session();
    check_run(next, N, 2);
    bp_session_destroy(next);
    bp_session_destroy(session);
}
END_TEST

START_TEST(file_that_is_replaced_by_renaming_stays_with_its_sessions)
{
    bp_session *session, *next;

    write_model(path, N, 1);
    session = open_session();
    write_model(other, N, 2);
    ck_assert_int_eq(rename(other, path), 0);
    next = open_session();
    wait_for_a_look();
    check_run(session, N, 1);
    check_run(next, N, 2);
    unlink(path);
    wait_for_a_look();
    check_run(session, N, 1);
    check_run(next, N, 2);
    bp_session_destroy(next);
    bp_session_destroy(session);
}
END_TEST

START_TEST(copied_files_may_be_truncated)
{
    bp_session *session;

    write_model(path, N, 1);
    KIT_OK(bp_session_options_create(&kit.options, &kit.err));
    bp_session_options_set_copy_files(kit.options, 1);
    session = open_session();
    ck_assert_int_eq(truncate(path, 0), 0);
    wait_for_a_look();
    check_run(session, N, 1);
    bp_session_destroy(session);
}
END_TEST

START_TEST(models_may_be_opened_as_copies)
{
    bp_model_source source = {
        .struct_size = sizeof source, .path = path, .flags = BP_SOURCE_COPY_FILES};
    bp_session *session;
    bp_model *model;

    write_model(path, N, 1);
    KIT_OK(bp_model_open_source(kit.env, &source, &model, &kit.err));
    ck_assert_int_eq(truncate(path, 0), 0);
    KIT_OK(bp_session_create_from_model(kit.env, model, NULL, &session, &kit.err));
    wait_for_a_look();
    check_run(session, N, 1);
    bp_session_destroy(session);
    bp_model_close(model);
}
END_TEST

START_TEST(small_files_are_always_copied)
{
    bp_session *session;

    write_model(path, N_SMALL, 1);
    session = open_session();
    ck_assert_int_eq(truncate(path, 0), 0);
    wait_for_a_look();
    check_run(session, N_SMALL, 1);
    bp_session_destroy(session);
}
END_TEST

/* A model that changed after it was opened makes no session any more. */
START_TEST(model_that_changed_makes_no_session)
{
    bp_session *session;
    bp_model *model;

    write_model(path, N, 1);
    KIT_OK(bp_model_open(kit.env, path, &model, &kit.err));
    wait_for_a_look();
    write_model(path, N, 2);
    KIT_FAILS(bp_session_create_from_model(kit.env, model, NULL, &session, &kit.err), BP_E_STALE,
              path);
    bp_model_close(model);
}
END_TEST

int main(void)
{
    TCase *cases = tcase_create("stale");

    tcase_add_checked_fixture(cases, setup, teardown);
    tcase_add_test(cases, file_that_is_written_to_in_place_fails_runs);
    tcase_add_test(cases, file_that_is_replaced_by_renaming_stays_with_its_sessions);
    tcase_add_test(cases, copied_files_may_be_truncated);
    tcase_add_test(cases, models_may_be_opened_as_copies);
    tcase_add_test(cases, small_files_are_always_copied);
    tcase_add_test(cases, model_that_changed_makes_no_session);
    return kit_main("stale files", &cases, 1);
}
