/* SPDX-License-Identifier: MIT */
/*
 * skew.c - plug-ins and hosts that are not quite of this version. Each mutant of a table's size,
 * magic, version or flags must run, or be refused with both numbers; none may crash. Tables end at
 * a page that cannot be read, so that a look past the size that they state is a crash.
 */

#include "config.h"

#include <dlfcn.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include <backplane.h>
#include <bp/sdk.h>

enum { RUNS = 0, REFUSED = 1, BAD = 2 }; /* exit codes of a mutant's process */
enum table { MODULE, PROVIDER, HOST };

struct mutant {
    enum table table;
    size_t offset; /* of the field */
    uint32_t bytes;
    uint64_t value;
    int expected;
    const char *words[2]; /* that the refusal has */
};

/* How far from what the header says. */
#define SIZE_OF(table, type, delta, expected)                                                      \
    {                                                                                              \
        table, offsetof(type, struct_size), 4, sizeof(type) + (uint64_t)(delta), expected,         \
        {                                                                                          \
            NULL, NULL                                                                             \
        }                                                                                          \
    }
#define FIELD(table, type, field, value, expected, a, b)                                           \
    {                                                                                              \
        table, offsetof(type, field), sizeof(((type *)0)->field), value, expected,                 \
        {                                                                                          \
            a, b                                                                                   \
        }                                                                                          \
    }

#define MAGIC_TEXT "0x34304250"

static const struct mutant mutants[] = {
    SIZE_OF(MODULE, bp_module, 0, RUNS),
    SIZE_OF(MODULE, bp_module, 8, RUNS),
    SIZE_OF(MODULE, bp_module, 64, RUNS),
    SIZE_OF(MODULE, bp_module, 4096, RUNS),
    FIELD(MODULE, bp_module, struct_size, 65536, RUNS, NULL, NULL),
    SIZE_OF(MODULE, bp_module, -8, REFUSED),
    FIELD(MODULE, bp_module, struct_size, 0, REFUSED, "has 0 bytes", "48"),
    FIELD(MODULE, bp_module, struct_size, 4, REFUSED, "has 4 bytes", "48"),
    FIELD(MODULE, bp_module, struct_size, 16, REFUSED, "has 16 bytes", "48"),
    FIELD(MODULE, bp_module, struct_size, 65537, REFUSED, "65537", "65536"),
    FIELD(MODULE, bp_module, struct_size, 0xffffffff, REFUSED, "4294967295", "65536"),
    FIELD(MODULE, bp_module, magic, 0, REFUSED, "0x00000000", MAGIC_TEXT),
    FIELD(MODULE, bp_module, magic, 0x50423031, REFUSED, "0x50423031", MAGIC_TEXT),
    FIELD(MODULE, bp_module, magic, 0xffffffff, REFUSED, "0xffffffff", MAGIC_TEXT),
    FIELD(MODULE, bp_module, abi_major, 0, REFUSED, "ABI 0.", "1.0"),
    FIELD(MODULE, bp_module, abi_major, 2, REFUSED, "ABI 2.", "1.0"),
    FIELD(MODULE, bp_module, abi_major, 65535, REFUSED, "ABI 65535.", "1.0"),
    FIELD(MODULE, bp_module, abi_minor, 1, RUNS, NULL, NULL),
    FIELD(MODULE, bp_module, abi_minor, 65535, RUNS, NULL, NULL),
    FIELD(MODULE, bp_module, flags, 1, RUNS, NULL, NULL),
    FIELD(MODULE, bp_module, flags, 0x8000, RUNS, NULL, NULL),
    FIELD(MODULE, bp_module, flags, 0x10000, REFUSED, "0x00010000", NULL),
    FIELD(MODULE, bp_module, flags, 0x80000000, REFUSED, "0x80000000", NULL),
    FIELD(MODULE, bp_module, n_providers, 0, REFUSED, "holds 0", "64"),
    FIELD(MODULE, bp_module, n_providers, 65, REFUSED, "holds 65", "64"),
    FIELD(MODULE, bp_module, n_providers, 0xffffffff, REFUSED, "holds 4294967295", "64"),
    FIELD(MODULE, bp_module, providers, 0, REFUSED, NULL, NULL),
    SIZE_OF(PROVIDER, bp_provider, 0, RUNS),
    SIZE_OF(PROVIDER, bp_provider, 8, RUNS),
    SIZE_OF(PROVIDER, bp_provider, 128, RUNS),
    FIELD(PROVIDER, bp_provider, struct_size, 65536, RUNS, NULL, NULL),
    FIELD(PROVIDER, bp_provider, struct_size, 208 - 8, REFUSED, "has 200 bytes", "208"),
    FIELD(PROVIDER, bp_provider, struct_size, 0, REFUSED, "has 0 bytes", "208"),
    FIELD(PROVIDER, bp_provider, struct_size, 8, REFUSED, "has 8 bytes", "208"),
    FIELD(PROVIDER, bp_provider, struct_size, 65537, REFUSED, "65537", "65536"),
    FIELD(PROVIDER, bp_provider, struct_size, 0xffffffff, REFUSED, "4294967295", "65536"),
    FIELD(PROVIDER, bp_provider, flags, 0x8000, RUNS, NULL, NULL),
    FIELD(PROVIDER, bp_provider, flags, 0x10000, REFUSED, "0x00010000", NULL),
    FIELD(PROVIDER, bp_provider, flags, 0xffff0000, REFUSED, "0xffff0000", NULL),
    FIELD(PROVIDER, bp_provider, execute, 0, REFUSED, NULL, NULL),
    FIELD(PROVIDER, bp_provider, id, 0, REFUSED, NULL, NULL),
    SIZE_OF(HOST, bp_host, 0, RUNS),
    SIZE_OF(HOST, bp_host, 8, RUNS),
    SIZE_OF(HOST, bp_host, 64, RUNS),
    FIELD(HOST, bp_host, struct_size, 65536, RUNS, NULL, NULL),
    SIZE_OF(HOST, bp_host, -8, REFUSED),
    FIELD(HOST, bp_host, struct_size, 4, REFUSED, "has 4 bytes", "128"),
    FIELD(HOST, bp_host, struct_size, 16, REFUSED, "has 16 bytes", "128"),
    FIELD(HOST, bp_host, magic, 0, REFUSED, "0x00000000", MAGIC_TEXT),
    FIELD(HOST, bp_host, magic, 0x50423031, REFUSED, "0x50423031", MAGIC_TEXT),
    FIELD(HOST, bp_host, abi_major, 0, REFUSED, "ABI 0.", "1.0"),
    FIELD(HOST, bp_host, abi_major, 2, REFUSED, "ABI 2.", "1.0"),
    FIELD(HOST, bp_host, abi_major, 65535, REFUSED, "ABI 65535.", "1.0"),
    FIELD(HOST, bp_host, abi_minor, 1, RUNS, NULL, NULL),
    FIELD(HOST, bp_host, abi_minor, 65535, RUNS, NULL, NULL),
    FIELD(HOST, bp_host, flags, 0x8000, RUNS, NULL, NULL),
    FIELD(HOST, bp_host, flags, 0x10000, REFUSED, "0x00010000", "0x00000000"),
    FIELD(HOST, bp_host, flags, 0x80000000, REFUSED, "0x80000000", "0x00000000"),
};

enum { N_MUTANTS = sizeof mutants / sizeof mutants[0], TABLE_MAX = 65536 };

/* y = Relu(x), float32[3], at opset 13, as an ONNX ModelProto. */
static const unsigned char model_bytes[] =
    "\x08\x08\x3a\x36\x0a\x0f\x0a\x01x\x12\x01y\x1a\x01n\x22\x04Relu\x12\x01g"
    "\x5a\x0f\x0a\x01x\x12\x0a\x0a\x08\x08\x01\x12\x04\x0a\x02\x08\x03"
    "\x62\x0f\x0a\x01y\x12\x0a\x0a\x08\x08\x01\x12\x04\x0a\x02\x08\x03\x42\x02\x10\x0d";

/* What the mutant's process works on; set before its entry is called. */
static const struct mutant *now;
static bp_entry_fn real_entry;

/* A copy that ends where memory ends: `kept` bytes of the table, then zeroes up to `size`. */
static void *at_the_edge(const void *table, size_t kept, size_t size)
{
    size_t page = (size_t)sysconf(_SC_PAGESIZE);
    size_t whole = (TABLE_MAX + page) / page * page;
    char *map =
        mmap(NULL, whole + page, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    char *copy;

    if (map == MAP_FAILED || mprotect(map + whole, page, PROT_NONE) != 0)
        exit(BAD);
    copy = map + whole - size;
    memset(copy, 0, size);
    memcpy(copy, table, kept < size ? kept : size);
    return copy;
}

/* The table with the mutant's field; as many bytes as it states, as far as there can be any. */
static const void *mutate(const void *table, size_t size)
{
    unsigned char image[512];
    uint32_t stated;
    size_t length;

    memcpy(image, table, size);
    memcpy(image + now->offset, &now->value, now->bytes); /* little-endian hosts: see main() */
    memcpy(&stated, image, sizeof stated);
    length = stated > TABLE_MAX ? size : (stated + 7U) / 8 * 8;
    return at_the_edge(image, size, length < 8 ? 8 : length);
}

static bp_rc skewed_entry(const bp_host *host, const bp_module **out, bp_err *err)
{
    static const bp_provider *list[1];
    bp_module module;
    const bp_module *theirs = NULL;
    bp_rc rc = real_entry(host, &theirs, err);

    if (rc < 0)
        return rc;
    if (now->table == MODULE) {
        *out = mutate(theirs, sizeof *theirs);
        return BP_OK;
    }
    module = *theirs;
    list[0] = mutate(theirs->providers[0], sizeof(bp_provider));
    module.providers = list;
    *out = at_the_edge(&module, sizeof module, sizeof module);
    return BP_OK;
}

/* Creates a session on the skewed plug-in alone and runs it; the words are in err. */
static bp_rc run_model(bp_env *env, bp_err *err)
{
    float x[3] = {-1, 0, 2}, y[3] = {9, 9, 9};
    int64_t dims[1] = {3}, out_dims[1] = {0};
    bp_binding in = {0}, out = {0};
    bp_session_options *options = NULL;
    bp_session *session = NULL;
    bp_model *model = NULL;
    bp_rc rc;

    in.tensor = (bp_tensor){.base = x, .dims = dims, .rank = 1, .bytes = sizeof x, .dtype = 1};
    out.tensor = (bp_tensor){.base = y, .dims = out_dims, .rank = 1, .bytes = sizeof y};
    rc = bp_model_open_memory(env, model_bytes, sizeof model_bytes - 1, NULL, &model, err);
    if (rc >= 0)
        rc = bp_session_options_create(&options, err);
    if (rc >= 0)
        rc = bp_session_options_add_provider(options, "skewed", NULL, 0, BP_FALLBACK_REQUIRE, err);
    if (rc >= 0)
        rc = bp_session_create_from_model(env, model, options, &session, err);
    if (rc >= 0)
        rc = bp_session_run(session, &in, 1, &out, 1, NULL, err);
    if (rc >= 0 && (y[0] != 0.0F || y[1] != 0.0F || y[2] != 2.0F))
        rc = bp_fail(err, BP_E_INTERNAL, "the result is wrong");
    bp_session_destroy(session);
    bp_session_options_destroy(options);
    bp_model_close(model);
    return rc;
}

static bp_rc try_plugin(bp_err *err)
{
    bp_env *env = NULL;
    bp_rc rc = bp_env_create(NULL, &env, err);

    if (rc >= 0)
        rc = bp_env_add_entry(env, "skewed", skewed_entry, err);
    if (rc >= 0)
        rc = run_model(env, err);
    if (env)
        (void)bp_env_destroy(env, NULL);
    return rc;
}

/* The table that this library hands out, with the mutant's field, given to a real plug-in. */
static bp_rc spy(const bp_host *host, const bp_module **out, bp_err *err)
{
    return real_entry(mutate(host, sizeof *host), out, err);
}

static bp_rc try_host(bp_err *err)
{
    bp_env *env = NULL;
    bp_rc rc = bp_env_create(NULL, &env, err);

    if (rc >= 0)
        rc = bp_env_add_entry(env, "skewed", spy, err);
    if (rc >= 0)
        rc = bp_env_is_available(env, "skewed", err);
    if (env)
        (void)bp_env_destroy(env, NULL);
    return rc;
}

static bool has_words(const struct mutant *m, const char *text)
{
    char number[32] = "";

    if (m->offset == 0 && !m->words[0]) /* sizes: the one it states */
        snprintf(number, sizeof number, "has %u bytes", (unsigned)m->value);
    return text[0] && strstr(text, number) && (!m->words[0] || strstr(text, m->words[0])) &&
           (!m->words[1] || strstr(text, m->words[1]));
}

/* In a process of its own: ends with what became of the mutant. */
static void try_and_exit(const struct mutant *m)
{
    char text[1024] = "";
    bp_err err = bp_err_init(text, sizeof text);
    bp_rc rc;

    now = m;
    rc = m->table == HOST ? try_host(&err) : try_plugin(&err);
    if (rc < 0 && (m->expected != REFUSED || !has_words(m, text))) {
        fprintf(stderr, "mutant %d: %d: %s\n", (int)(m - mutants), (int)rc, text);
        _exit(BAD);
    }
    _exit(rc < 0 ? REFUSED : RUNS);
}

static int run_apart(const struct mutant *m)
{
    int status = 0;
    pid_t child = fork();

    if (child == 0) {
        alarm(120);
        try_and_exit(m);
    }
    if (child < 0 || waitpid(child, &status, 0) != child)
        return BAD;
    if (WIFSIGNALED(status)) {
        fprintf(stderr, "mutant %d ends in signal %d\n", (int)(m - mutants), WTERMSIG(status));
        return BAD;
    }
    return WEXITSTATUS(status);
}

/* Mutants of both sides against one plug-in; the number of those that are not as they should be. */
static int try_all(const char *file)
{
    int found[3] = {0, 0, 0}, wrong = 0;
    void *handle = dlopen(file, RTLD_NOW | RTLD_LOCAL);
    void *symbol = handle ? dlsym(handle, BP_ENTRY_SYMBOL) : NULL;

    if (!symbol) {
        fprintf(stderr, "%s: %s\n", file, dlerror());
        return 1;
    }
    memcpy(&real_entry, &symbol, sizeof real_entry);
    for (int i = 0; i < N_MUTANTS; i++) {
        int outcome = run_apart(&mutants[i]);

        found[outcome]++;
        if (outcome != mutants[i].expected) {
            fprintf(stderr, "mutant %d: %s\n", i,
                    outcome == RUNS ? "it runs, but should be refused" : "not as expected");
            wrong++;
        }
    }
    printf("%s: %d mutants: %d ran, %d were refused with the numbers, %d went wrong\n", file,
           (int)N_MUTANTS, found[RUNS], found[REFUSED], wrong);
    return wrong;
}

int main(int argc, char **argv)
{
    const uint32_t one = 1;
    int wrong = 0;

    if (*(const unsigned char *)&one != 1 || sizeof(void *) != 8) {
        puts("skipped: the mutants are written for little-endian machines of 64 bits");
        return 77;
    }
    for (int i = 1; i < argc; i++)
        wrong += try_all(argv[i]);
    return wrong > 0 || argc < 2;
}
