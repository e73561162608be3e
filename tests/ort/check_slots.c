/* SPDX-License-Identifier: MIT */
/*
 * check_slots.c - every slot of the tables, called by its index with nothing but zeroes, in a process of
 * its own: it answers, or says in words that it is not there; it never crashes.
 */

#include "config.h"

#include <check.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include <onnxruntime/onnxruntime_c_api.h>

enum { STATUS, NOTHING, VALUE };

/* Slots that say NOT_IMPLEMENTED: may only become fewer. docs/onnxruntime.md has the reasons. */
enum { ABSENT_MAX = 5 };

static const struct {
    const char *name;
    int returns;
} slots[] = {
#define STATUS(name) {#name, STATUS},
#define NOTHING(name) {#name, NOTHING},
#define VALUE(name) {#name, VALUE},
#include "returns.inc"
#undef STATUS
#undef NOTHING
#undef VALUE
};

enum { N_SLOTS = sizeof slots / sizeof slots[0] };

typedef void *(*any_fn)(void *, void *, void *, void *, void *, void *, void *, void *, void *,
                        void *, void *, void *, void *, void *);

static const OrtApi *api(void)
{
    return OrtGetApiBase()->GetApi(ORT_API_VERSION);
}

static any_fn function(size_t i)
{
    any_fn fn;

    memcpy(&fn, (const char *)api() + i * sizeof fn, sizeof fn);
    return fn;
}

/* In the child: 0 it answered, 1 it is not implemented, 2 something is wrong with its answer. */
static int call(size_t i)
{
    OrtStatus *status;
    const char *text;
    int verdict = 0;

    /* more arguments than any slot has, all in registers or on the caller's stack */
    status = function(i)(0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0);
    if (slots[i].returns != STATUS || !status || strcmp(slots[i].name, "CreateStatus") == 0)
        return 0;
    text = api()->GetErrorMessage(status);
    if (api()->GetErrorCode(status) == ORT_OK || !text || !text[0])
        verdict = 2;
    if (api()->GetErrorCode(status) == ORT_NOT_IMPLEMENTED)
        verdict = strstr(text, slots[i].name) ? 1 : 2;
    if (verdict == 2)
        fprintf(stderr, "slot %zu %s: code %d, '%s'\n", i, slots[i].name,
                (int)api()->GetErrorCode(status), text ? text : "NULL");
    api()->ReleaseStatus(status);
    return verdict;
}

START_TEST(every_api_function_returns_on_zero_arguments)
{
    int absent = 0;
    int wrong = 0;

    ck_assert_uint_eq(N_SLOTS, 426);
    for (size_t i = 0; i < N_SLOTS; i++) {
        int how;
        pid_t child;

        ck_assert_msg(function(i) != NULL, "slot %zu %s is NULL", i, slots[i].name);
        fflush(NULL);
        child = fork();
        ck_assert_int_ge(child, 0);
        if (child == 0)
            _exit(call(i));
        ck_assert_int_eq(waitpid(child, &how, 0), child);
        if (!WIFEXITED(how))
            fprintf(stderr, "slot %zu %s: signal %d\n", i, slots[i].name, WTERMSIG(how));
        if (!WIFEXITED(how) || WEXITSTATUS(how) > 1)
            wrong++;
        else
            absent += WEXITSTATUS(how);
    }
    printf("%d of %d slots are not implemented\n", absent, (int)N_SLOTS);
    ck_assert_int_eq(wrong, 0);
    ck_assert_int_le(absent, ABSENT_MAX);
}
END_TEST

/* Calls a function with nothing but zeroes in a process of its own: does it come back? */
static bool comes_back(any_fn fn)
{
    int how;
    pid_t child;

    fflush(NULL);
    child = fork();
    ck_assert_int_ge(child, 0);
    if (child == 0) {
        (void)fn(0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0);
        kill(getpid(),
             SIGKILL); /* what it returned is not released: leak checkers do not count that */
    }
    ck_assert_int_eq(waitpid(child, &how, 0), child);
    return WIFSIGNALED(how) && WTERMSIG(how) == SIGKILL;
}

START_TEST(every_function_of_other_api_tables_returns_on_zero_arguments)
{
    const struct {
        const char *name;
        const void *table;
        size_t n;
    } tables[] = {
        {"OrtModelEditorApi", api()->GetModelEditorApi(),
         sizeof(OrtModelEditorApi) / sizeof(any_fn)},
        {"OrtCompileApi", api()->GetCompileApi(), sizeof(OrtCompileApi) / sizeof(any_fn)},
        {"OrtEpApi", api()->GetEpApi(), sizeof(OrtEpApi) / sizeof(any_fn)},
        {"OrtInteropApi", api()->GetInteropApi(), sizeof(OrtInteropApi) / sizeof(any_fn)},
    };

    for (size_t t = 0; t < sizeof tables / sizeof tables[0]; t++) {
        ck_assert_ptr_nonnull(tables[t].table);
        for (size_t i = 0; i < tables[t].n; i++) {
            any_fn fn;

            memcpy(&fn, (const char *)tables[t].table + i * sizeof fn, sizeof fn);
            ck_assert_msg(fn != NULL, "%s, slot %zu is NULL", tables[t].name, i);
            ck_assert_msg(comes_back(fn), "%s, slot %zu crashes on zeroes", tables[t].name, i);
        }
    }
}
END_TEST

START_TEST(GetApi_supports_versions_1_to_30)
{
    const OrtApiBase *base = OrtGetApiBase();

    for (uint32_t version = 1; version <= 30; version++)
        ck_assert_ptr_eq(base->GetApi(version), api());
    ck_assert_ptr_null(base->GetApi(0));
    ck_assert_ptr_null(base->GetApi(31));
    ck_assert_str_eq(base->GetVersionString(), "1.30.0");
    ck_assert_ptr_null(api()->GetTrainingApi(30));
    ck_assert_ptr_null(api()->GetExperimentalFunction("OrtApi_Nothing_SinceV28"));
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("slots");
    TCase *tcase = tcase_create("slots");
    SRunner *runner;
    int failed;

    tcase_set_timeout(tcase, 120);
    tcase_add_test(tcase, every_api_function_returns_on_zero_arguments);
    tcase_add_test(tcase, every_function_of_other_api_tables_returns_on_zero_arguments);
    tcase_add_test(tcase, GetApi_supports_versions_1_to_30);
    suite_add_tcase(suite, tcase);
    runner = srunner_create(suite);
    srunner_run_all(runner, CK_NORMAL);
    failed = srunner_ntests_failed(runner);
    srunner_free(runner);
    return failed ? 1 : 0;
}
