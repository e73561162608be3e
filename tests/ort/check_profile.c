/* SPDX-License-Identifier: MIT */
/* check_profile.c - profiles of sessions and of single runs through ONNX Runtime's C ABI. */

#include "config.h"

#include <unistd.h>

#include "ort/kit.h"

static const int64_t one_by_three[] = {1, 3};
static char text[8192]; /* of the last file */

/* Reads a file and removes it. */
static void take_file(const char *path)
{
    FILE *file = fopen(path, "r");
    size_t n;

    ck_assert_msg(file != NULL, "%s is not there", path);
    n = fread(text, 1, sizeof text - 1, file);
    fclose(file);
    text[n] = '\0';
    remove(path);
}

/* The last file has these words in this order. */
static void check_order(const char *const *words, size_t n)
{
    const char *at = text;

    for (size_t i = 0; i < n; i++) {
        at = strstr(at, words[i]);
        ck_assert_msg(at != NULL, "'%s' is not there, or too early: %s", words[i], text);
    }
}
#define ORDER(...)                                                                                 \
    check_order((const char *const[]){__VA_ARGS__},                                                \
                sizeof((const char *const[]){__VA_ARGS__}) / sizeof(char *))

static bool is_told(const char *words)
{
    return strstr(text, words) != NULL;
}

static void run_add(OrtSession *session, const OrtRunOptions *options)
{
    static const char *const in_names[] = {"A", "B"};
    static const char *const out_names[] = {"C"};
    float x[] = {1, 2, 3};
    OrtValue *a = floats(x, 3, one_by_three, 2), *out = NULL;
    const OrtValue *ins[] = {a, a};

    ok(ort->Run(session, options, in_names, ins, 2, out_names, 1, &out));
    ort->ReleaseValue(out);
    ort->ReleaseValue(a);
}

START_TEST(a_session_profile_has_events_of_creation_runs_and_nodes)
{
    OrtSessionOptions *options = NULL;
    OrtSession *session;
    char prefix[64];
    char *path = NULL;

    snprintf(prefix, sizeof prefix, "profile-%ld", (long)getpid());
    ok(ort->CreateSessionOptions(&options));
    ok(ort->EnableProfiling(options, prefix));
    session = open_add(options);
    ort->ReleaseSessionOptions(options);
    run_add(session, NULL);
    ok(ort->SessionEndProfiling(session, heap, &path));
    ck_assert_int_eq(strncmp(path, prefix, strlen(prefix)), 0);
    take_file(path);
    heap->Free(heap, path);
    ORDER("\"model_loading_array\"", "\"session_initialization\"", "\"cat\":\"Node\"",
          "_kernel_time\"", "\"op_name\":\"Add\",\"provider\":\"CPUExecutionProvider\"",
          "\"node_index\":\"0\"", "\"name\":\"model_run\"");
    run_add(session, NULL); /* no profile is open any more */
    ok(ort->SessionEndProfiling(session, heap, &path));
    ck_assert_str_eq(path, "");
    heap->Free(heap, path);
    ort->ReleaseSession(session);
}
END_TEST

START_TEST(a_run_writes_its_own_profile)
{
    OrtSession *session = open_add(NULL);
    OrtRunOptions *options = NULL;
    char prefix[64], command[128], path[128];
    FILE *names;
    int n = 0;

    snprintf(prefix, sizeof prefix, "run-profile-%ld", (long)getpid());
    ok(ort->CreateRunOptions(&options));
    ok(ort->RunOptionsEnableProfiling(options, prefix));
    run_add(session, options);
    run_add(session, options); /* most likely in the same second */
    ok(ort->RunOptionsDisableProfiling(options));
    run_add(session, options);
    snprintf(command, sizeof command, "ls %s_*.json", prefix);
    names = popen(command, "r");
    ck_assert_ptr_nonnull(names);
    while (fgets(path, sizeof path, names)) {
        path[strcspn(path, "\n")] = '\0';
        take_file(path);
        ORDER("\"op_name\":\"Add\"", "\"name\":\"model_run\"");
        ck_assert(!is_told("session_initialization"));
        n++;
    }
    pclose(names);
    ck_assert_int_eq(n, 2);
    ort->ReleaseRunOptions(options);
    ort->ReleaseSession(session);
}
END_TEST

START_TEST(a_profile_that_cannot_be_written_is_an_error)
{
    static const char *const in_names[] = {"A", "B"};
    static const char *const out_names[] = {"C"};
    OrtSession *session = open_add(NULL);
    OrtRunOptions *options = NULL;
    float x[] = {1, 2, 3};
    OrtValue *a = floats(x, 3, one_by_three, 2), *out = NULL;
    const OrtValue *ins[] = {a, a};

    ok(ort->CreateRunOptions(&options));
    ok(ort->RunOptionsEnableProfiling(options, "no-such-folder/profile"));
    fails(ort->Run(session, options, in_names, ins, 2, out_names, 1, &out), ORT_FAIL,
          "no-such-folder/profile");
    ck_assert_ptr_null(out);
    ort->ReleaseValue(a);
    ort->ReleaseRunOptions(options);
    ort->ReleaseSession(session);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("profile");
    TCase *tcase = tcase_create("profile");
    SRunner *runner;
    int failed;

    tcase_add_checked_fixture(tcase, setup, teardown);
    tcase_add_test(tcase, a_session_profile_has_events_of_creation_runs_and_nodes);
    tcase_add_test(tcase, a_run_writes_its_own_profile);
    tcase_add_test(tcase, a_profile_that_cannot_be_written_is_an_error);
    suite_add_tcase(suite, tcase);
    runner = srunner_create(suite);
    srunner_run_all(runner, CK_NORMAL);
    failed = srunner_ntests_failed(runner);
    srunner_free(runner);
    return failed ? 1 : 0;
}
