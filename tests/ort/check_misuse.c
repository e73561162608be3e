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

#include "ort/kit.h"

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

/* ---- arguments that are right ----------------------------------------------------------------------- */

enum { VALUES = 7, TYPES = 4 };

static struct {
    OrtSession *session;
    OrtSessionOptions *session_options;
    OrtRunOptions *run_options;
    OrtIoBinding *binding;
    OrtThreadingOptions *threading;
    OrtKeyValuePairs *pairs;
    OrtModelMetadata *metadata;
    OrtTensorTypeAndShapeInfo *shape;
    OrtOpAttr *op_attr;
    OrtPrepackedWeightsContainer *prepacked;
    OrtArenaCfg *arena;
    OrtCANNProviderOptions *cann;
    OrtCUDAProviderOptionsV2 *cuda;
    OrtDnnlProviderOptions *dnnl;
    OrtTensorRTProviderOptionsV2 *tensorrt;
    OrtROCMProviderOptions *rocm;
    OrtStatus *status;
    const OrtEpDevice *const *ep_devices;
    const OrtHardwareDevice *hardware;
    OrtValue *values[VALUES]; /* the first is an ordinary tensor */
    OrtTypeInfo *types[TYPES];
    const OrtMapTypeInfo *map_type;
    const OrtSequenceTypeInfo *sequence_type;
    const OrtOptionalTypeInfo *optional_type;
    float numbers[6];
} world;

static void *no_function(void)
{
    return NULL;
}

/* Y = X for a type: runs give values that the ABI cannot make, and all have type infos. */
static OrtSession *open_identity(int kind)
{
    struct pw w;

    model_begin(&w);
    NODE(&w, "Identity", "Y", "X");
    model_end(&w, 11, "X", kind, 1, NULL);
    model_end(&w, 12, "Y", kind, 1, NULL);
    return model_open(&w, NULL);
}

/* An optional without a value. */
static OrtValue *make_nothing(void)
{
    static const char *const names[] = {"Y"};
    OrtSession *session;
    OrtValue *value = NULL;
    struct pw w;

    model_begin(&w);
    pw_open_node(&w, "Optional", "", "Y");
    pw_open_attr(&w, "type", 13);
    pw_open(&w, 14);
    pw_open(&w, TENSOR);
    pw_int(&w, 1, 1);
    pw_close(&w);
    pw_close(&w);
    pw_close(&w);
    pw_close(&w);
    model_end(&w, 12, "Y", OPTIONAL, 1, NULL);
    session = model_open(&w, NULL);
    ok(ort->Run(session, NULL, NULL, NULL, 0, names, 1, &value));
    ort->ReleaseSession(session);
    return value;
}

static void make_values(void)
{
    static const int64_t two_by_three[] = {2, 3}, two[] = {2}, none[] = {0};
    OrtValue *parts[2];

    world.values[0] = floats(world.numbers, 6, two_by_three, 2);
    ok(ort->CreateTensorAsOrtValue(heap, two, 1, ONNX_TENSOR_ELEMENT_DATA_TYPE_STRING,
                                   &world.values[1]));
    ok(ort->CreateValue((const OrtValue *const *)world.values, 1, ONNX_TYPE_SEQUENCE,
                        &world.values[2]));
    ok(ort->CreateTensorAsOrtValue(heap, two, 1, ONNX_TENSOR_ELEMENT_DATA_TYPE_INT64, &parts[0]));
    parts[1] = floats(world.numbers, 2, two, 1);
    ok(ort->CreateValue((const OrtValue *const *)parts, 2, ONNX_TYPE_MAP, &world.values[3]));
    ort->ReleaseValue(parts[0]);
    ort->ReleaseValue(parts[1]);
    ok(ort->CreateSparseTensorAsOrtValue(heap, two_by_three, 2, ONNX_TENSOR_ELEMENT_DATA_TYPE_FLOAT,
                                         &world.values[4]));
    world.values[5] = make_nothing();
    ok(ort->CreateTensorAsOrtValue(heap, none, 1, ONNX_TENSOR_ELEMENT_DATA_TYPE_FLOAT,
                                   &world.values[6]));
}

static OrtTypeInfo *input_type(int kind)
{
    OrtSession *session = open_identity(kind);
    OrtTypeInfo *type = NULL;

    ok(ort->SessionGetInputTypeInfo(session, 0, &type));
    ort->ReleaseSession(session);
    return type;
}

static void make_types(void)
{
    world.types[0] = input_type(TENSOR);
    world.types[1] = input_type(SEQUENCE);
    world.types[2] = input_type(OPTIONAL);
    ok(ort->GetTypeInfo(world.values[3], &world.types[3]));
    ok(ort->CastTypeInfoToSequenceTypeInfo(world.types[1], &world.sequence_type));
    ok(ort->CastTypeInfoToOptionalTypeInfo(world.types[2], &world.optional_type));
    ok(ort->CastTypeInfoToMapTypeInfo(world.types[3], &world.map_type));
}

static void make_options(void)
{
    ok(ort->CreateSessionOptions(&world.session_options));
    ok(ort->CreateRunOptions(&world.run_options));
    ok(ort->CreateThreadingOptions(&world.threading));
    ort->CreateKeyValuePairs(&world.pairs);
    ok(ort->CreatePrepackedWeightsContainer(&world.prepacked));
    ok(ort->CreateArenaCfg(0, -1, -1, -1, &world.arena));
    ok(ort->CreateCANNProviderOptions(&world.cann));
    ok(ort->CreateCUDAProviderOptions(&world.cuda));
    ok(ort->CreateDnnlProviderOptions(&world.dnnl));
    ok(ort->CreateTensorRTProviderOptions(&world.tensorrt));
    ok(ort->CreateROCMProviderOptions(&world.rocm));
}

static void make_world(void)
{
    static const int64_t one = 1;
    size_t n = 0;

    setup();
    memset(&world, 0, sizeof world);
    make_values();
    make_types();
    make_options();
    world.session = open_add(NULL);
    ok(ort->SessionGetModelMetadata(world.session, &world.metadata));
    ok(ort->CreateIoBinding(world.session, &world.binding));
    ok(ort->GetTensorTypeAndShape(world.values[0], &world.shape));
    ok(ort->CreateOpAttr("a", &one, 1, ORT_OP_ATTR_INT, &world.op_attr));
    ok(ort->GetEpDevices(env, &world.ep_devices, &n));
    ck_assert_uint_ge(n, 1);
    world.hardware = ort->EpDevice_Device(world.ep_devices[0]);
    world.status = ort->CreateStatus(ORT_FAIL, "a status");
}

static void drop_world(void)
{
    ort->ReleaseStatus(world.status);
    ort->ReleaseOpAttr(world.op_attr);
    ort->ReleaseTensorTypeAndShapeInfo(world.shape);
    ort->ReleaseIoBinding(world.binding);
    ort->ReleaseModelMetadata(world.metadata);
    ort->ReleaseSession(world.session);
    ort->ReleaseROCMProviderOptions(world.rocm);
    ort->ReleaseTensorRTProviderOptions(world.tensorrt);
    ort->ReleaseDnnlProviderOptions(world.dnnl);
    ort->ReleaseCUDAProviderOptions(world.cuda);
    ort->ReleaseCANNProviderOptions(world.cann);
    ort->ReleaseArenaCfg(world.arena);
    ort->ReleasePrepackedWeightsContainer(world.prepacked);
    ort->ReleaseKeyValuePairs(world.pairs);
    ort->ReleaseThreadingOptions(world.threading);
    ort->ReleaseRunOptions(world.run_options);
    ort->ReleaseSessionOptions(world.session_options);
    for (int i = 0; i < TYPES; i++)
        ort->ReleaseTypeInfo(world.types[i]);
    for (int i = 0; i < VALUES; i++)
        ort->ReleaseValue(world.values[i]);
    teardown();
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

/* ---- one call ---------------------------------------------------------------------------------------- */

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

/* All wrong calls of one slot, in a process of its own; how many went wrong. */
static int misuse(size_t slot, char *says)
{
    struct target t = {.says = says, .rooms = calloc(ARGS_MAX, ROOM)};

    take_words(&t, slot);
    alarm(60);
    attempt(&t, ARGS_MAX, 0, "as it should be", false);
    for (size_t i = 0; i < t.n; i++)
        attempt_all(&t, i);
    return t.wrong;
}

START_TEST(one_wrong_argument_gets_a_status)
{
    char *says = mmap(NULL, ROOM, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    int wrong = 0;

    ck_assert_ptr_ne(says, MAP_FAILED);
    ck_assert_uint_eq(sizeof rows / sizeof rows[0], N_SLOTS);
    for (size_t i = 0; i < N_SLOTS; i++) {
        int how;
        pid_t child;

        ck_assert_str_eq(rows[i].name, slots[i].name);
        fflush(NULL);
        child = fork();
        ck_assert_int_ge(child, 0);
        if (child == 0)
            _exit(misuse(i, says) != 0);
        ck_assert_int_eq(waitpid(child, &how, 0), child);
        if (!WIFEXITED(how))
            fprintf(stderr, "%s: signal %d\n", says, WTERMSIG(how));
        if (!WIFEXITED(how) || WEXITSTATUS(how) != 0)
            wrong++;
    }
    munmap(says, ROOM);
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
    tcase_add_test(tcase, one_wrong_argument_gets_a_status);
    suite_add_tcase(suite, tcase);
    runner = srunner_create(suite);
    srunner_run_all(runner, CK_NORMAL);
    failed = srunner_ntests_failed(runner);
    srunner_free(runner);
    return failed ? 1 : 0;
}
