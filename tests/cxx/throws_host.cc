/* SPDX-License-Identifier: MIT */
/*
 * throws_host.cc - an application in C++ that throws from every function that it gives to libbackplane.
 */

#include <atomic>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

#include <unistd.h>

#include <backplane.h>

#include "throws.h"

namespace
{

enum Where {
    NOWHERE,
    CLAIM,
    SHAPES,
    CREATE,
    COMPUTE,
    PARALLEL,
    DESTROY,
    RELEASE,
    LOG,
    PROGRESS,
    ROWS,
    PLACE,
    BEGIN,
    WRITE,
    CREATE_THREAD,
    CREATE_STARTED_THREAD,
    JOIN_THREAD,
    ALLOC,
    FREE,
    ENDS
};
const char *const names[ENDS] = {
    "nowhere",     "claim",    "shapes",        "create",
    "compute",     "parallel", "destroy",       "release",
    "log",         "progress", "rows",          "place",
    "begin",       "write",    "create_thread", "create_thread, too late",
    "join_thread", "alloc",    "free"};

std::atomic<int> throws_int{0};
int failures;

void maybe(Where here)
{
    if (where != here)
        return;
    std::string held(100, 'x');

    thrown++;
    if (throws_int)
        throw 42;
    throw std::runtime_error(std::string("thrown by ") + names[here]);
}

void fail(const std::string &why)
{
    failures++;
    fprintf(stderr, "FAIL: %s, %s: %s\n", names[where], throws_int ? "int" : "std", why.c_str());
}

char text[2048];
bp_err err;

bp_err *fresh()
{
    text[0] = '\0';
    err = bp_err_init(text, sizeof text);
    return &err;
}

void expect_ok(bp_rc rc, const char *call)
{
    if (rc >= 0)
        return;
    fail(std::string(call) + ": " + text);
    exit(1); /* what follows needs it */
}

void expect_thrown(bp_rc rc, const char *call)
{
    if (where == CLAIM && thrown > 0 && rc < 0)
        return; /* its words are in the report */
    std::string words = throws_int ? "type int" : std::string("thrown by ") + names[where];

    if (thrown == 0)
        fail("it was not called");
    else if (rc >= 0)
        fail(std::string(call) + " succeeded");
    else if (!strstr(text, words.c_str()))
        fail(std::string(call) + ": '" + text + "'");
}

void expect_told()
{
    if (thrown == 0)
        fail("it was not called");
    else if (told == 0)
        fail("no line of the log tells of it");
}

/* ---- the operator: y = x ----------------------------------------------------------------------- */

bp_rc claim(void *, const bp_operator_node *, bp_err *)
{
    maybe(CLAIM);
    return BP_OK;
}

bp_rc shapes_of(void *, bp_operator_shapes *shapes, bp_err *e)
{
    bp_operator_fact fact = {};

    maybe(SHAPES);
    fact.struct_size = sizeof fact;
    bp_rc rc = bp_operator_shapes_input(shapes, 0, &fact, e);
    return rc < 0 ? rc : bp_operator_shapes_set(shapes, 0, fact.dtype, fact.rank, fact.dims, e);
}

bp_rc create(void *, const bp_operator_node *, void **kernel, bp_err *)
{
    maybe(CREATE);
    *kernel = new std::string(100, 'k');
    return BP_OK;
}

struct Job {
    const float *from;
    float *to;
};

void element(void *u, uint32_t i, uint32_t)
{
    const Job *job = static_cast<const Job *>(u);

    maybe(PARALLEL);
    job->to[i] = job->from[i];
}

bp_rc compute(void *, bp_operator_call *call, bp_err *)
{
    Job job = {static_cast<const float *>(bp_operator_input(call, 0)->base),
               static_cast<float *>(bp_operator_output(call, 0)->base)};

    maybe(COMPUTE);
    bp_operator_parallel_for(call, 4, element, &job);
    return BP_OK;
}

void destroy(void *kernel)
{
    delete static_cast<std::string *>(kernel);
    maybe(DESTROY);
    if (where == LOG)
        throw 1; /* makes a line of the log */
}

void release(void *)
{
    maybe(RELEASE);
}

bp_operators *make_set()
{
    static bp_operand operands[1];
    bp_operator_def def = {};
    bp_operators *set;

    operands[0].name = "x";
    operands[0].types = UINT64_C(1) << BP_DTYPE_F32;
    def.struct_size = sizeof def;
    def.domain = "own";
    def.name = "Mine";
    def.since = 1;
    def.in = def.out = operands;
    def.n_in = def.n_out = 1;
    def.claim = claim;
    def.shapes = shapes_of;
    def.create = create;
    def.compute = compute;
    def.destroy = destroy;
    def.release = release;
    expect_ok(bp_operators_create(&set, fresh()), "bp_operators_create");
    expect_ok(bp_operators_add(set, &def, fresh()), "bp_operators_add");
    return set;
}

/* ---- calls --------------------------------------------------------------------------------------- */

void log_line(void *, uint32_t, const char *, const char *line)
{
    if (strstr(line, "threw an exception"))
        told++;
    maybe(LOG);
}

void progress(void *, const char *, double)
{
    maybe(PROGRESS);
}

/* Throws at the first row with the flags that `user` points at, or (NULL) at the first row. */
void row(void *user, const bp_operator_info *info)
{
    if (user && !(info->flags & *static_cast<const uint32_t *>(user)))
        return;
    maybe(ROWS);
}

bp_rc place(void *, const bp_weight_info *, const char **, uint64_t *, bp_err *)
{
    maybe(PLACE);
    return BP_OK;
}

bp_rc begin(void *, uint64_t, bp_err *)
{
    maybe(BEGIN);
    return BP_OK;
}

bp_rc write_bytes(void *, const void *, size_t, bp_err *)
{
    maybe(WRITE);
    return BP_OK;
}

bp_rc alloc_memory(void *, size_t bytes, void **block, bp_err *)
{
    maybe(ALLOC);
    *block = malloc(bytes);
    return BP_OK;
}

void free_memory(void *, void *block)
{
    free(block);
    maybe(FREE);
}

bp_env *env;

bp_env *make_env()
{
    bp_env_config config = {};
    bp_env *made;

    config.struct_size = sizeof config;
    config.log = log_line;
    config.log_level = BP_LOG_DEBUG;
    config.threads = 2;
    expect_ok(bp_env_create(&config, &made, fresh()), "bp_env_create");
    return made;
}

bp_rc open_session(bp_session **session)
{
    static const std::string model = make_model();
    bp_operators *set = make_set();
    bp_session_options *options;
    bp_model *opened = nullptr;
    bp_rc rc;

    *session = nullptr;
    expect_ok(bp_session_options_create(&options, fresh()), "bp_session_options_create");
    expect_ok(bp_session_options_add_operators(options, set, fresh()), "add_operators");
    bp_session_options_set_progress(options, progress, nullptr);
    bp_allocator allocator = {};
    allocator.struct_size = sizeof allocator;
    allocator.alloc = alloc_memory;
    allocator.free = free_memory;
    expect_ok(bp_session_options_set_allocator(options, &allocator, fresh()), "set_allocator");
    bp_operators_release(set);
    rc = bp_model_open_memory(env, model.data(), model.size(), nullptr, &opened, fresh());
    if (rc >= 0)
        rc = bp_session_create_from_model(env, opened, options, session, fresh());
    bp_model_close(opened);
    bp_session_options_destroy(options);
    return rc;
}

bp_rc run(bp_session *session)
{
    float x[] = {1, 2, 3, 4}, y[4] = {};
    int64_t dims[] = {4};
    char words[1024] = "";
    bp_err own = bp_err_init(words, sizeof words);
    bp_binding in = {}, out = {};

    in.tensor.base = x;
    in.tensor.bytes = sizeof x;
    in.tensor.dims = dims;
    in.tensor.rank = 1;
    in.tensor.dtype = BP_DTYPE_F32;
    out.tensor = in.tensor;
    out.tensor.base = y;
    bp_rc rc = bp_session_run(session, &in, 1, &out, 1, nullptr, &own);

    if (rc >= 0 && memcmp(x, y, sizeof x) != 0)
        fail("wrong results");
    if (std::string(words).size() > 0)
        snprintf(text, sizeof text, "%s", words);
    return rc;
}

/* ---- threads ---------------------------------------------------------------------------------------- */

/* The second throws, before it has started a thread or after. */
bp_rc create_thread(void *, bp_worker_fn worker, void *arg, void **thread, bp_err *)
{
    bool throws = ++created == 2;
    std::thread *made;

    if (throws)
        maybe(CREATE_THREAD);
    made = start_thread(worker, arg);
    if (throws && where == CREATE_STARTED_THREAD) {
        strays.push_back(made);
        maybe(CREATE_STARTED_THREAD);
    }
    *thread = made;
    return BP_OK;
}

void join_thread(void *, void *handle)
{
    std::thread *thread = static_cast<std::thread *>(handle);

    if (where == JOIN_THREAD)
        strays.push_back(thread);
    maybe(JOIN_THREAD);
    join_thread_of(thread);
}

void expect_no_thread()
{
    if (!join_strays())
        fail("a thread is left");
}

bp_rc open_env(bp_env **out)
{
    bp_worker_config workers = {};
    bp_env_config config = {};

    workers.struct_size = sizeof workers;
    workers.create = create_thread;
    workers.join = join_thread;
    config.struct_size = sizeof config;
    config.log = log_line;
    config.threads = 4;
    config.workers = &workers;
    return bp_env_create(&config, out, fresh());
}

void try_threads()
{
    bp_env *own;

    for (Where here : {CREATE_THREAD, CREATE_STARTED_THREAD}) {
        throw_from(here);
        expect_thrown(open_env(&own), "bp_env_create");
        if (own)
            fail("there is an environment");
        expect_no_thread();
    }
    throw_from(NOWHERE);
    expect_ok(open_env(&own), "bp_env_create");
    throw_from(JOIN_THREAD);
    expect_ok(bp_env_destroy(own, fresh()), "bp_env_destroy");
    expect_told();
    if (thrown != 3)
        fail("not each thread was joined");
    expect_no_thread();
    throw_from(NOWHERE);
}

void try_making(Where here)
{
    bp_session *session;

    throw_from(here);
    bp_rc rc = open_session(&session);
    if (here == PROGRESS) {
        expect_ok(rc, "making a session");
        expect_told();
    } else {
        expect_thrown(rc, "making a session");
    }
    throw_from(NOWHERE);
    bp_session_destroy(session);
}

void try_running(Where here)
{
    bp_session *session;

    expect_ok(open_session(&session), "making a session");
    for (int i = 0; i < 3; i++) {
        throw_from(here);
        expect_thrown(run(session), "a run");
        throw_from(NOWHERE);
        expect_ok(run(session), "a run");
    }
    throw_from(here);
    std::vector<std::thread> threads;
    for (int t = 0; t < 4; t++)
        threads.emplace_back([session] {
            for (int i = 0; i < 20; i++) {
                if (run(session) >= 0)
                    abort();
            }
        });
    for (std::thread &thread : threads)
        thread.join();
    throw_from(NOWHERE);
    expect_ok(run(session), "a run");
    bp_session_destroy(session);
}

/* A run that has no memory yet; free() can tell nobody. */
void try_allocator()
{
    bp_session *session;

    expect_ok(open_session(&session), "making a session");
    throw_from(ALLOC);
    expect_thrown(run(session), "a run");
    throw_from(NOWHERE);
    expect_ok(run(session), "a run");
    throw_from(FREE);
    expect_ok(bp_session_trim(session, nullptr, fresh()), "bp_session_trim");
    if (thrown == 0)
        fail("it was not called");
    throw_from(NOWHERE);
    expect_ok(run(session), "a run");
    bp_session_destroy(session);
}

void try_ending()
{
    bp_session *session;

    expect_ok(open_session(&session), "making a session");
    throw_from(DESTROY);
    bp_session_destroy(session);
    expect_told();
    expect_ok(open_session(&session), "making a session");
    throw_from(RELEASE); /* a set belongs to no environment: standard error has it */
    bp_session_destroy(session);
    if (thrown == 0)
        fail("it was not called");
    throw_from(NOWHERE);
}

/* All lines, and the application's function takes none. */
void try_log()
{
    bp_session *session;
    bp_env *before = env;

    throw_from(LOG);
    env = make_env();
    expect_ok(open_session(&session), "making a session");
    expect_ok(run(session), "a run");
    bp_session_destroy(session);
    (void)bp_env_destroy(env, nullptr);
    env = before;
    if (thrown == 0)
        fail("it was not called");
    throw_from(NOWHERE);
}

void try_saving(Where here)
{
    static const std::string bytes = make_model();
    bp_model_sink sink = {};
    bp_model *model;

    sink.struct_size = sizeof sink;
    sink.place = place;
    sink.begin = begin;
    sink.write = write_bytes;
    expect_ok(bp_model_open_memory(env, bytes.data(), bytes.size(), nullptr, &model, fresh()),
              "opening");
    throw_from(here);
    expect_thrown(bp_model_save(model, &sink, fresh()), "bp_model_save");
    throw_from(NOWHERE);
    expect_ok(bp_model_save(model, &sink, fresh()), "bp_model_save");
    bp_model_close(model);
}

void try_rows()
{
    uint32_t n;

    expect_ok(bp_env_provider_count(env, &n, fresh()), "bp_env_provider_count");
    throw_from(ROWS);
    uint32_t host_op = BP_OPERATOR_HOST;
    for (void *at : {static_cast<void *>(nullptr), static_cast<void *>(&host_op)}) {
        bp_rc rc = BP_OK;
        for (uint32_t i = 0; rc >= 0 && i < n; i++)
            rc = bp_env_provider_operators(env, i, row, at, fresh());
        expect_thrown(rc, "bp_env_provider_operators");
    }
    throw_from(NOWHERE);
}

} // namespace

int main()
{
    alarm(300); /* a wait for ever is a failure */
    env = make_env();
    for (int n = 0; n < 2; n++) {
        throws_int = n;
        for (Where w : {CLAIM, SHAPES, CREATE, PROGRESS})
            try_making(w);
        try_running(COMPUTE);
        try_running(PARALLEL);
        try_allocator();
        try_ending();
        try_log();
        for (Where w : {PLACE, BEGIN, WRITE})
            try_saving(w);
        try_rows();
        try_threads();
    }
    expect_ok(bp_env_destroy(env, fresh()), "bp_env_destroy");
    return failures > 0;
}
