/* SPDX-License-Identifier: MIT */
/*
 * check_operator_fuzz.c - whatever a model asks of an operator, a session comes out or an error in
 * words, and the same input gives the same bytes. Each row of the schema table gets models of one node.
 *
 *     BP_FUZZ_SEED=7        another seed
 *     BP_FUZZ_COUNT=1000    models a row
 *     BP_FUZZ_OP=Conv       rows of one operator; Conv-11 one row
 *     BP_FUZZ_ONE=0x1234    one model, by the seed that a failure names; with BP_FUZZ_OP
 *     BP_FUZZ_TRACE=1       says what came of each model
 *     BP_FUZZ_TALLY=1       says how many models of each row ran
 */
#include "config.h"

#include <malloc.h>
#include <signal.h>
#include <stdio.h>
#include <sys/resource.h>
#include <time.h>
#include <unistd.h>

#include "operator_fuzz.h"

enum {
    SLICES = 8,           /* tests that the rows are dealt to */
    COUNT = 4,            /* models a row */
    PATIENCE_S = 60,      /* for one model, before it counts as a hang */
    ROOM = 192 << 20      /* bytes that may be allocated beside what is there at first */
};

/* One of the runs of a model. */
struct outcome {
    bp_rc rc;
    uint32_t n;
    uint64_t hash[FUZZ_VALUES];
};

static const char *now_testing; /* for what is said when the program dies */

/* ---- dying ----------------------------------------------------------------------------------- */

static void say_what(void)
{
    if (now_testing && write(STDERR_FILENO, now_testing, strlen(now_testing)) > 0)
        (void)!write(STDERR_FILENO, "\n", 1);
}

static void die(int number)
{
    say_what();
    signal(number, SIG_DFL);
    raise(number);
}

#ifdef __SANITIZE_ADDRESS__
void __sanitizer_set_death_callback(void (*fn)(void));
__attribute__((visibility("default"))) const char *__asan_default_options(void);

const char *__asan_default_options(void)
{
    return "allocator_may_return_null=1:max_allocation_size_mb=128:detect_leaks=1";
}
#endif

static void limit_memory(void)
{
#ifndef __SANITIZE_ADDRESS__
    struct rlimit limit;
    unsigned long pages = 0;
    FILE *file = fopen("/proc/self/statm", "r");

    if (file && fscanf(file, "%lu", &pages) == 1 && getrlimit(RLIMIT_AS, &limit) == 0) {
        limit.rlim_cur = pages * (unsigned long)sysconf(_SC_PAGESIZE) + ROOM;
        setrlimit(RLIMIT_AS, &limit);
    }
    if (file)
        fclose(file);
#endif
}

static void setup(void)
{
    static const int numbers[] = {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT, SIGALRM};

    kit_setup();
    kit.options = NULL;
    for (size_t i = 0; i < sizeof numbers / sizeof numbers[0]; i++) {
#ifdef __SANITIZE_ADDRESS__
        if (numbers[i] != SIGALRM && numbers[i] != SIGABRT)
            continue; /* the sanitizer's own */
#endif
        signal(numbers[i], die);
    }
#ifdef __SANITIZE_ADDRESS__
    __sanitizer_set_death_callback(say_what);
#endif
    limit_memory();
}

/* ---- checks ---------------------------------------------------------------------------------- */

#define CHECK(claim, ...)                                                                          \
    do {                                                                                           \
        if (!(claim)) {                                                                            \
            say_what();                                                                            \
            ck_abort_msg(__VA_ARGS__);                                                             \
        }                                                                                          \
    } while (0)

/* Is it one of the codes that a wrong model, feed or size may end with, and does it say why? */
static void check_refusal(const struct fuzz *fuzz, bp_rc rc, const char *when)
{
    bool is_known = rc == BP_E_INVALID || rc == BP_E_UNSUPPORTED || rc == BP_E_SHAPE ||
                    rc == BP_E_NOMEM || rc == BP_E_VERSION ||
                    (rc == BP_E_TIMEOUT && (fuzz->is_large || fuzz->row->is_hosted));

    CHECK(is_known && strlen(kit.text) > 8, "%s: %s: %s", when, bp_rc_name(rc), kit.text);
}

static uint64_t hash_bytes(uint64_t hash, const void *data, size_t n)
{
    const uint8_t *p = data;

    for (size_t i = 0; i < n; i++)
        hash = (hash ^ p[i]) * 0x100000001b3u;
    return hash;
}

/* Checks that shape and bytes agree, and reads them all. */
static uint64_t hash_tensor(const bp_tensor *tensor)
{
    uint64_t hash = hash_bytes(tensor->dtype, tensor->dims, tensor->rank * sizeof(int64_t));
    const bp_span *spans = bp_tensor_data(tensor);
    size_t bytes = 0;

    CHECK(tensor->rank <= 32 && (tensor->dims || !tensor->rank), "rank %u", tensor->rank);
    CHECK(bp_dense_bytes(tensor->dtype, tensor->dims, tensor->rank, &bytes), "type %u, too large",
          tensor->dtype);
    CHECK(tensor->bytes >= bytes && (tensor->base || !bytes), "%zu bytes where the shape needs %zu",
          tensor->bytes, bytes);
    if (tensor->dtype != BP_DTYPE_STRING)
        return bytes ? hash_bytes(hash, spans, bytes) : hash;
    for (size_t i = 0; i < bytes / sizeof *spans; i++)
        hash = hash_bytes(hash ^ spans[i].size, spans[i].data, spans[i].size);
    return hash;
}

static uint64_t hash_object(const bp_object *object)
{
    const bp_tensor *tensor = bp_object_tensor(object);
    uint64_t hash = bp_object_kind(object);

    if (tensor)
        return hash_tensor(tensor);
    for (uint32_t i = 0; i < bp_object_count(object); i++)
        hash = hash * 31 + hash_object(bp_object_item(object, i));
    return hash;
}

/* ---- runs ------------------------------------------------------------------------------------ */

/* Feeds what the session wants; where a value is too large to be made, an empty or a small one. */
static uint32_t feed(struct fuzz *fuzz, bp_session *session, bp_binding *in, int64_t *one)
{
    uint32_t n = 0, index;

    for (uint32_t i = 0; i < fuzz->n_in; i++) {
        struct fuzz_value *value = &fuzz->in[i];
        bp_tensor *tensor = &in[n].tensor;

        if (bp_session_find_input(session, value->fed, &index, NULL) < 0 ||
            (value->form == FUZZ_DEFAULT && (fuzz->list & 1)))
            continue;
        in[n] = (bp_binding){.index = index, .object = value->object};
        *tensor = (bp_tensor){.dims = value->dims, .rank = value->rank, .dtype = value->dtype};
        if (value->is_huge) {
            tensor->base = one;
            tensor->bytes = sizeof *one;
            tensor->rank = 0;
        } else if (!value->object) {
            tensor->base = value->data;
            if (!bp_dense_bytes(value->dtype, value->dims, value->rank, &tensor->bytes))
                tensor->bytes = 0;
        }
        n++;
    }
    return n;
}

static void run_once(struct fuzz *fuzz, bp_session *session, struct outcome *result)
{
    bp_run_options options = {.struct_size = sizeof options,
                              .timeout_ns = fuzz->row->is_hosted ? 30000000 : 10000000000};
    bp_binding in[FUZZ_VALUES], out[FUZZ_VALUES];
    int64_t one[2] = {0};
    uint32_t n_in = feed(fuzz, session, in, one);

    memset(result, 0, sizeof *result);
    result->n = bp_session_output_count(session);
    for (uint32_t i = 0; i < result->n; i++)
        out[i] = kit_wanted(i);
    kit.text[0] = '\0';
    result->rc = bp_session_run(session, in, n_in, out, result->n, &options, &kit.err);
    if (result->rc < 0) {
        check_refusal(fuzz, result->rc, "run");
        return;
    }
    for (uint32_t i = 0; i < result->n; i++) {
        result->hash[i] = out[i].object ? hash_object(out[i].object) : hash_tensor(&out[i].tensor);
        bp_object_release(out[i].object);
        bp_tensor_free(&out[i].tensor);
    }
}

static void compare(const struct outcome *a, const struct outcome *b, const char *what)
{
    if (a->rc == BP_E_TIMEOUT || b->rc == BP_E_TIMEOUT || a->rc == BP_E_NOMEM || b->rc == BP_E_NOMEM)
        return;
    CHECK(a->rc == b->rc, "%s: %s, then %s: %s", what, bp_rc_name(a->rc), bp_rc_name(b->rc),
          kit.text);
    for (uint32_t i = 0; a->rc >= 0 && i < a->n; i++)
        CHECK(a->hash[i] == b->hash[i], "%s: output %u has other bytes", what, i);
}

static bool is_random(const struct bp_schema *row)
{
    return strncmp(row->op, "Random", 6) == 0 || strcmp(row->op, "Multinomial") == 0 ||
           strcmp(row->op, "Bernoulli") == 0 || strstr(row->op, "Dropout");
}

static bp_rc open_session(struct fuzz *fuzz, bp_model *model, bp_session **out)
{
    bp_rc rc;

    kit.text[0] = '\0';
    rc = bp_session_create_from_model(kit.env, model, NULL, out, &kit.err);
    if (rc < 0)
        check_refusal(fuzz, rc, "session");
    return rc;
}

/*
 * Two sessions of a model, in memory that was filled with other bytes; in the first, a run with other
 * contents lies between two equal ones. Gives the code of the first run, or of what came before.
 */
static bp_rc try_sessions(struct fuzz *fuzz, struct fuzz *other, bp_model *model)
{
    struct outcome first, between, again;
    bp_session *session;
    bp_rc rc;

    mallopt(M_PERTURB, 0x55);
    rc = open_session(fuzz, model, &session);
    if (rc < 0)
        return rc;
    run_once(fuzz, session, &first);
    if (first.rc >= 0) {
        run_once(other, session, &between);
        run_once(fuzz, session, &again);
        if (!is_random(fuzz->row))
            compare(&first, &again, "the same run again");
    }
    bp_session_destroy(session);
    if (first.rc < 0)
        return first.rc;
    mallopt(M_PERTURB, 0xaa);
    rc = open_session(fuzz, model, &session);
    CHECK(rc >= 0 || rc == BP_E_NOMEM, "a second session: %s", kit.text);
    if (rc < 0)
        return rc;
    run_once(fuzz, session, &again);
    if (!is_random(fuzz->row))
        compare(&first, &again, "another session");
    bp_session_destroy(session);
    return first.rc;
}

static bp_rc try_model(const struct bp_schema *row, uint64_t seed)
{
    static struct fuzz fuzz, other;
    bp_model *model = NULL;
    bp_rc rc;

    fuzz_make(&fuzz, row, seed);
    fuzz_make(&other, row, seed);
    fuzz_refill(&other);
    now_testing = fuzz.words.data;
    alarm(PATIENCE_S);
    kit.text[0] = '\0';
    rc = bp_model_open_memory(kit.env, fuzz.w.data, fuzz.w.size, NULL, &model, &kit.err);
    if (rc < 0)
        check_refusal(&fuzz, rc, "model");
    else
        rc = try_sessions(&fuzz, &other, model);
    bp_model_close(model);
    if (getenv("BP_FUZZ_TRACE"))
        fprintf(stderr, "%s\n    %s %s\n", now_testing, bp_rc_name(rc), rc < 0 ? kit.text : "");
    alarm(0);
    now_testing = NULL;
    fuzz_finish(&fuzz);
    fuzz_finish(&other);
    return rc;
}

/* ---- tests ----------------------------------------------------------------------------------- */

static uint64_t number_from(const char *variable, uint64_t otherwise)
{
    const char *text = getenv(variable);

    return text ? strtoull(text, NULL, 0) : otherwise;
}

/* Is the row one of those asked for? */
static bool is_asked(const struct bp_schema *row)
{
    const char *op = getenv("BP_FUZZ_OP");
    char name[128];

    snprintf(name, sizeof name, "%s-%u", row->op, row->since);
    return !op || strcmp(op, row->op) == 0 || strcmp(op, name) == 0;
}

static uint64_t seed_of(const struct bp_schema *row, uint64_t seed, uint64_t i)
{
    uint64_t state = hash_bytes(seed * 1000003 + i, row->op, strlen(row->op)) + row->since;

    return random_next(&state) >> 16;
}

/* Gives how many models ran. */
static uint32_t try_row(const struct bp_schema *row)
{
    uint64_t seed = number_from("BP_FUZZ_SEED", 1), one = number_from("BP_FUZZ_ONE", 0);
    uint32_t count = (uint32_t)number_from("BP_FUZZ_COUNT", COUNT), n_run = 0;

    if (one)
        return try_model(row, one) == BP_OK;
    for (uint32_t i = 0; i < count; i++)
        n_run += try_model(row, seed_of(row, seed, i)) == BP_OK;
    if (getenv("BP_FUZZ_TALLY"))
        fprintf(stderr, "TALLY %s:%s-%u %u of %u\n", row->domain, row->op, row->since, n_run, count);
    return n_run;
}

START_TEST(every_operator_answers)
{
    uint32_t n, n_run = 0, n_tried = 0;
    const struct bp_schema *const *rows = bp_schema_all(&n);

    kit_new_env(1 + (uint32_t)_i % 2);
    for (uint32_t i = (uint32_t)_i; i < n; i += SLICES) {
        if (!is_asked(rows[i]))
            continue;
        n_run += try_row(rows[i]);
        n_tried++;
    }
    if (!getenv("BP_FUZZ_OP"))
        ck_assert_msg(n_run > n_tried / 2, "only %u models ran, of %u rows", n_run, n_tried);
}
END_TEST

int main(void)
{
    TCase *tcase = tcase_create("operator fuzz");

    tcase_add_checked_fixture(tcase, setup, kit_teardown);
    tcase_set_timeout(tcase, 0);
    tcase_add_loop_test(tcase, every_operator_answers, 0, SLICES);
    return kit_main("operator fuzz", &tcase, 1);
}
