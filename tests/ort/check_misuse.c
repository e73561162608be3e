/* SPDX-License-Identifier: MIT */
/*
 * check_misuse.c - functions of OrtApi with one argument that is wrong: NULL, an index beyond the end,
 * a value or type of another kind. Each gets a status with a sentence, and nothing crashes.
 */

#include "config.h"

#include <check.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include "ort/world.h"

enum { STATUS, NOTHING, VALUE, ARGS_MAX = 14, ROOM = 512, NUMBER = 2 };

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

static const struct {
    const char *name, *args;
} rows[] = {
#define ARGS(name, args) {#name, args},
#include "args.inc"
#undef ARGS
};

enum { N_SLOTS = sizeof slots / sizeof slots[0] };

typedef void *(*any_fn)(uintptr_t, uintptr_t, uintptr_t, uintptr_t, uintptr_t, uintptr_t, uintptr_t,
                        uintptr_t, uintptr_t, uintptr_t, uintptr_t, uintptr_t, uintptr_t,
                        uintptr_t);

/* ---- arguments that are right ---------------------------------------------------------------- */

static void *no_function(void)
{
    return NULL;
}

/* A right argument for a word of args.inc, or 0. */
static uintptr_t make_arg(const char *word, void *room)
{
    static const int64_t sizes[16] = {2, 3};
    static const char *const texts[] = {"A", "B"};
    static char data[4096];
    const struct {
        const char *word;
        const void *at;
    } known[] = {
        {"env", env},
        {"session_options", world.session_options},
        {"session", world.session},
        {"run_options", world.run_options},
        {"memory", cpu},
        {"allocator", heap},
        {"value", world.values[0]},
        {"values", world.values},
        {"type_info", world.types[0]},
        {"map_type", world.map_type},
        {"sequence_type", world.sequence_type},
        {"optional_type", world.optional_type},
        {"shape", world.shape},
        {"metadata", world.metadata},
        {"binding", world.binding},
        {"threading", world.threading},
        {"pairs", world.pairs},
        {"ep_device", world.ep_devices[0]},
        {"ep_devices", world.ep_devices},
        {"hardware", world.hardware},
        {"op_attr", world.op_attr},
        {"prepacked", world.prepacked},
        {"arena", world.arena},
        {"cann", world.cann},
        {"cuda", world.cuda},
        {"dnnl", world.dnnl},
        {"tensorrt", world.tensorrt},
        {"rocm", world.rocm},
        {"domain", world.domain},
        {"graph", world.graph},
        {"node", world.node},
        {"value_info", world.value_info},
        {"external", world.external},
        {"details", world.details},
        {"subgraph", world.subgraph},
        {"assigned_node", world.assigned_node},
        {"status", world.status},
        {"sizes", sizes},
        {"texts", texts},
        {"text", texts[0]},
        {"data", data},
        {"zeroes", room},
        {"out", room},
    };

    if (strcmp(word, "number") == 0)
        return NUMBER;
    if (strcmp(word, "function") == 0)
        return (uintptr_t)no_function;
    for (size_t i = 0; i < sizeof known / sizeof known[0]; i++) {
        if (strcmp(word, known[i].word) == 0)
            return (uintptr_t)known[i].at;
    }
    return 0; /* an index, or an object that nobody can make here */
}

/* ---- one call -------------------------------------------------------------------------------- */

/* A slot and the words for its arguments. */
struct target {
    size_t slot, n;
    char text[256];
    const char *words[ARGS_MAX]; /* without the ? */
    bool may_be_null[ARGS_MAX];
    uintptr_t args[ARGS_MAX];
    void *rooms; /* for what is written: ROOM bytes for each argument */
    char *says;  /* what is being tried, for the parent to read when it crashes */
    int wrong;
};

static void take_words(struct target *t, size_t slot)
{
    char *rest = t->text, *word;

    t->slot = slot;
    t->n = 0;
    snprintf(t->text, sizeof t->text, "%s", rows[slot].args);
    while ((word = strsep(&rest, " ")) != NULL && *word && t->n < ARGS_MAX) {
        t->may_be_null[t->n] = *word == '?';
        t->words[t->n++] = word + (*word == '?');
    }
}

static OrtStatus *call(struct target *t)
{
    uintptr_t a[ARGS_MAX] = {0};
    any_fn fn;
    void *result;

    memset(t->rooms, 0, ARGS_MAX * ROOM);
    for (size_t i = 0; i < t->n; i++)
        a[i] = t->args[i];
    memcpy(&fn, (const char *)ort + t->slot * sizeof fn, sizeof fn);
    result =
        fn(a[0], a[1], a[2], a[3], a[4], a[5], a[6], a[7], a[8], a[9], a[10], a[11], a[12], a[13]);
    return slots[t->slot].returns == STATUS && strcmp(slots[t->slot].name, "CreateStatus") != 0
               ? result
               : NULL;
}

static void begin(struct target *t)
{
    for (size_t i = 0; i < t->n; i++)
        t->args[i] = make_arg(t->words[i], (char *)t->rooms + i * ROOM);
}

/* Calls with argument i changed. must_fail: a status has to come. */
static void attempt(struct target *t, size_t i, uintptr_t arg, const char *what, bool must_fail)
{
    bool has_status = slots[t->slot].returns == STATUS;
    OrtStatus *status;
    const char *text;

    begin(t);
    if (i < t->n)
        t->args[i] = arg;
    snprintf(t->says, ROOM, "%s: argument %zu is %s", slots[t->slot].name, i, what);
    status = call(t);
    text = status ? ort->GetErrorMessage(status) : NULL;
    if (status && (ort->GetErrorCode(status) == ORT_OK || !text || strlen(text) < 8)) {
        fprintf(stderr, "%s: code %d, '%s'\n", t->says, (int)ort->GetErrorCode(status),
                text ? text : "NULL");
        t->wrong++;
    }
    if (has_status && must_fail && !status) {
        fprintf(stderr, "%s: it succeeded\n", t->says);
        t->wrong++;
    }
    ort->ReleaseStatus(status);
}

static bool is_word(const struct target *t, size_t i, const char *word)
{
    return strcmp(t->words[i], word) == 0;
}

static void attempt_all(struct target *t, size_t i)
{
    if (is_word(t, i, "index")) {
        attempt(t, i, 1000, "an index beyond the end", true);
        attempt(t, i, (uintptr_t)-1, "the largest index", true);
    } else if (is_word(t, i, "number")) {
        attempt(t, i, 0, "0", false);
    } else if (!is_word(t, i, "null")) {
        attempt(t, i, 0, "NULL", !t->may_be_null[i]);
    }
    for (int k = 1; is_word(t, i, "value") && k < VALUES; k++)
        attempt(t, i, (uintptr_t)world.values[k], "a value of another kind", false);
    for (int k = 1; is_word(t, i, "type_info") && k < TYPES; k++)
        attempt(t, i, (uintptr_t)world.types[k], "a type of another kind", false);
}

/* What a process that misuses a slot tells its parent, who may have to read it after a crash. */
struct page {
    char says[ROOM]; /* what is being tried */
    bool is_done;
    int wrong;
};

/* All wrong calls of one slot. */
static void misuse(size_t slot, struct page *page)
{
    struct target t = {.says = page->says, .rooms = calloc(ARGS_MAX, ROOM)};

    take_words(&t, slot);
    alarm(60);
    attempt(&t, ARGS_MAX, 0, "as it should be", false);
    for (size_t i = 0; i < t.n; i++)
        attempt_all(&t, i);
    page->wrong = t.wrong;
    page->is_done = true;
}

/* In a process of its own, which ends abruptly: results are not released, and no leak checker asks. */
static bool misuse_apart(size_t slot, struct page *page)
{
    pid_t child;
    int how;

    page->is_done = false;
    fflush(NULL);
    child = fork();
    ck_assert_int_ge(child, 0);
    if (child == 0) {
        misuse(slot, page);
        fflush(NULL);
        kill(getpid(), SIGKILL);
    }
    ck_assert_int_eq(waitpid(child, &how, 0), child);
    if (!page->is_done)
        fprintf(stderr, "%s: it crashed (%d)\n", page->says, how);
    return page->is_done && page->wrong == 0;
}

START_TEST(every_function_returns_a_status_for_each_wrong_argument)
{
    struct page *page =
        mmap(NULL, sizeof *page, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    int wrong = 0;

    ck_assert_ptr_ne(page, MAP_FAILED);
    ck_assert_uint_eq(sizeof rows / sizeof rows[0], N_SLOTS);
    for (size_t i = 0; i < N_SLOTS; i++) {
        ck_assert_str_eq(rows[i].name, slots[i].name);
        wrong += !misuse_apart(i, page);
    }
    munmap(page, sizeof *page);
    ck_assert_int_eq(wrong, 0);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("misuse");
    TCase *tcase = tcase_create("misuse");
    SRunner *runner;
    int failed;

    tcase_set_timeout(tcase, 600);
    tcase_add_checked_fixture(tcase, make_world, drop_world);
    tcase_add_test(tcase, every_function_returns_a_status_for_each_wrong_argument);
    suite_add_tcase(suite, tcase);
    runner = srunner_create(suite);
    srunner_run_all(runner, CK_NORMAL);
    failed = srunner_ntests_failed(runner);
    srunner_free(runner);
    return failed ? 1 : 0;
}
