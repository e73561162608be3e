/* SPDX-License-Identifier: MIT */
/* operator_fuzz_check.c - see operator_fuzz_check.h. */

#include "config.h"

#include "end_to_end/operator_fuzz_check.h"

#include <signal.h>
#include <stdio.h>
#include <sys/resource.h>
#include <unistd.h>

enum {
    PATIENCE_S = 60, /* for one model, before it counts as a hang */
    ROOM = 192 << 20 /* bytes that may be allocated beside what is there at first */
};

static const char *now_testing; /* for what is said when the program dies */

/* ---- dying ----------------------------------------------------------------------------------- */

void fuzz_say(void)
{
    if (now_testing && write(STDERR_FILENO, now_testing, strlen(now_testing)) > 0)
        (void)!write(STDERR_FILENO, "\n", 1);
}

static void die(int number)
{
    fuzz_say();
    signal(number, SIG_DFL);
    raise(number);
}

#if WITH_ASAN
void __sanitizer_set_death_callback(void (*fn)(void));
__attribute__((visibility("default"))) const char *__asan_default_options(void);

const char *__asan_default_options(void)
{
    return "allocator_may_return_null=1:max_allocation_size_mb=128:detect_leaks=1";
}
#endif

static void limit_memory(void)
{
#if !WITH_ASAN
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

void fuzz_setup(void)
{
    static const int signals[] = {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT, SIGALRM};

    kit_setup();
    for (size_t i = 0; i < sizeof signals / sizeof signals[0]; i++) {
#if WITH_ASAN
        if (signals[i] != SIGALRM && signals[i] != SIGABRT)
            continue; /* the sanitizer's own */
#endif
        signal(signals[i], die);
    }
#if WITH_ASAN
    __sanitizer_set_death_callback(fuzz_say);
#endif
    limit_memory();
}

/* ---- checks ---------------------------------------------------------------------------------- */

void fuzz_check_refusal(bp_rc rc, bool may_be_slow, const char *when)
{
    bool is_known = rc == BP_E_INVALID || rc == BP_E_UNSUPPORTED || rc == BP_E_SHAPE ||
                    rc == BP_E_NOMEM || rc == BP_E_VERSION || (rc == BP_E_TIMEOUT && may_be_slow);

    FUZZ_CHECK(is_known && strlen(kit.text) > 8, "%s: %s: %s", when, bp_rc_name(rc), kit.text);
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

    FUZZ_CHECK(tensor->rank <= 32 && (tensor->dims || !tensor->rank), "rank %u", tensor->rank);
    FUZZ_CHECK(bp_dense_bytes(tensor->dtype, tensor->dims, tensor->rank, &bytes),
               "type %u, too large", tensor->dtype);
    FUZZ_CHECK(tensor->bytes >= bytes && (tensor->base || !bytes),
               "%zu bytes where the shape needs %zu", tensor->bytes, bytes);
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

void fuzz_begin(const char *words)
{
    now_testing = words;
    alarm(PATIENCE_S);
}

void fuzz_end(void)
{
    alarm(0);
    now_testing = NULL;
}

void fuzz_run(bp_session *session, const bp_binding *in, uint32_t n_in, int64_t timeout_ns,
              bool may_be_slow, struct fuzz_outcome *out)
{
    bp_run_options options = {.struct_size = sizeof options, .timeout_ns = timeout_ns};
    bp_binding made[FUZZ_VALUES];

    memset(out, 0, sizeof *out);
    out->n = bp_session_output_count(session);
    out->n = out->n < FUZZ_VALUES ? out->n : FUZZ_VALUES;
    for (uint32_t i = 0; i < out->n; i++)
        made[i] = kit_wanted(i);
    kit.text[0] = '\0';
    out->rc = bp_session_run(session, in, n_in, made, out->n, &options, &kit.err);
    if (out->rc < 0) {
        fuzz_check_refusal(out->rc, may_be_slow, "run");
        return;
    }
    for (uint32_t i = 0; i < out->n; i++) {
        out->hash[i] = made[i].object ? hash_object(made[i].object) : hash_tensor(&made[i].tensor);
        bp_object_release(made[i].object);
        bp_tensor_free(&made[i].tensor);
    }
}

void fuzz_compare(const struct fuzz_outcome *a, const struct fuzz_outcome *b, const char *what)
{
    if (a->rc == BP_E_TIMEOUT || b->rc == BP_E_TIMEOUT || a->rc == BP_E_NOMEM ||
        b->rc == BP_E_NOMEM)
        return;
    FUZZ_CHECK(a->rc == b->rc, "%s: %s, then %s: %s", what, bp_rc_name(a->rc), bp_rc_name(b->rc),
               kit.text);
    for (uint32_t i = 0; a->rc >= 0 && i < a->n; i++)
        FUZZ_CHECK(a->hash[i] == b->hash[i], "%s: output %u has other bytes", what, i);
}
