/* SPDX-License-Identifier: MIT */
/*
 * throws_ort.cc - an application in C++ that throws from every function that it gives to the library:
 * each exception becomes a status where there is one, and nothing else is lost.
 *
 *     throws_ort           all of it; prints what differs from what is expected
 *     throws_ort --print   prints the code and words that each throw gives, for another library
 */

#include <atomic>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <exception>
#include <new>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

#include <dlfcn.h>
#include <unistd.h>

#include <onnxruntime/onnxruntime_c_api.h>

#include "throws.h"

namespace
{

/* ---- throwing -------------------------------------------------------------------------------- */

/* The functions that an application gives. */
enum Where {
    NOWHERE,
    GET_NAME,
    GET_PROVIDER,
    GET_INPUT_COUNT,
    GET_INPUT_TYPE,
    GET_OUTPUT_COUNT,
    GET_OUTPUT_TYPE,
    GET_INPUT_KIND,
    GET_OUTPUT_KIND,
    GET_INPUT_MEMORY,
    GET_START_VERSION,
    GET_END_VERSION,
    CREATE_KERNEL,
    INFER_SHAPE,
    GET_ALIASES,
    RELEASE_ALIASES,
    COMPUTE,
    PARALLEL,
    DESTROY_KERNEL,
    LOG,
    ALLOCATE,
    FREE,
    ALLOCATOR_INFO,
    ALLOCATOR_STATS,
    REGISTER,
    DONE,
    SELECT,
    WRITE,
    LOCATE,
    CREATE_THREAD,
    CREATE_STARTED_THREAD,
    JOIN_THREAD,
    ENDS
};

const char *const names[ENDS] = {"nowhere",
                                 "GetName",
                                 "GetExecutionProviderType",
                                 "GetInputTypeCount",
                                 "GetInputType",
                                 "GetOutputTypeCount",
                                 "GetOutputType",
                                 "GetInputCharacteristic",
                                 "GetOutputCharacteristic",
                                 "GetInputMemoryType",
                                 "GetStartVersion",
                                 "GetEndVersion",
                                 "CreateKernel",
                                 "InferOutputShape",
                                 "GetAliasMap",
                                 "ReleaseAliasMap",
                                 "KernelCompute",
                                 "ParallelFor",
                                 "KernelDestroy",
                                 "log",
                                 "Alloc",
                                 "Free",
                                 "Info",
                                 "GetStats",
                                 "RegisterCustomOps",
                                 "RunAsync",
                                 "EpSelectionDelegate",
                                 "write",
                                 "GetInitializerLocation",
                                 "CustomCreateThread",
                                 "CustomCreateThread, too late",
                                 "CustomJoinThread"};

enum Kind { STD, NUMBER, ORT_LIKE, KINDS };

/* As Ort::Exception of ONNX Runtime's C++ header. */
class OrtLike : public std::exception
{
    std::string text;
    OrtErrorCode code;

  public:
    OrtLike(std::string words, OrtErrorCode number) : text(std::move(words)), code(number)
    {
    }
    OrtErrorCode GetOrtErrorCode() const
    {
        return code;
    }
    const char *what() const noexcept override
    {
        return text.c_str();
    }
};

std::atomic<int> kind{STD};

/* Holds something while it throws, as code in C++ does. */
void maybe(Where here)
{
    if (where != here)
        return;
    std::vector<std::string> held(3, std::string(100, 'x'));

    thrown++;
    switch (kind) {
    case STD:
        throw std::runtime_error(std::string("thrown by ") + names[here]);
    case NUMBER:
        throw 42;
    default:
        throw OrtLike(std::string("thrown by ") + names[here], ORT_NO_SUCHFILE);
    }
}

/* ---- what it is tried on ------------------------------------------------------------------------ */

const OrtApi *ort;
OrtEnv *env;
OrtMemoryInfo *cpu;
bool is_printing;
int failures;

void fail(const char *what, const std::string &why)
{
    failures++;
    fprintf(stderr, "FAIL: %s, kind %d: %s\n", what, kind.load(), why.c_str());
}

/* The text of a status, which is released; "" for none. */
std::string take(OrtStatus *status, OrtErrorCode *code)
{
    std::string text;

    *code = ORT_OK;
    if (status) {
        *code = ort->GetErrorCode(status);
        text = ort->GetErrorMessage(status);
        ort->ReleaseStatus(status);
    }
    return text;
}

/* As ONNX Runtime 1.30 has it; but a write function that throws ends the process there. */
OrtErrorCode code_of_throw()
{
    switch (where) {
    case INFER_SHAPE:
        return kind == NUMBER ? ORT_RUNTIME_EXCEPTION : ORT_FAIL;
    case CREATE_KERNEL:
    case COMPUTE:
    case PARALLEL:
    case WRITE:
    case LOCATE:
        return ORT_RUNTIME_EXCEPTION;
    default:
        return kind == NUMBER ? ORT_FAIL : ORT_RUNTIME_EXCEPTION;
    }
}

/* The status of a throw: its code, and what() of those that have it. */
void expect_thrown(OrtStatus *status, const char *call)
{
    OrtErrorCode code;
    std::string text = take(status, &code);
    const char *words = kind == NUMBER ? "" : "thrown by ";

    if (is_printing) {
        printf("%-24s kind %d %-14s thrown %d: code %d '%s'\n", names[where], kind.load(), call,
               thrown.load(), code, text.c_str());
        return;
    }
    if (thrown == 0)
        fail(names[where], "it was not called");
    else if (code == ORT_OK)
        fail(names[where], "no status from " + std::string(call));
    else if (code != code_of_throw())
        fail(names[where], "code " + std::to_string(code) + " '" + text + "'");
    else if (text.find(words) == std::string::npos)
        fail(names[where], "'" + text + "'");
}

/* Where no status can be had. */
void expect_told()
{
    if (thrown == 0)
        fail(names[where], "it was not called");
    else if (told == 0)
        fail(names[where], "no line of the log tells of it");
}

void expect_ok(OrtStatus *status, const char *call)
{
    OrtErrorCode code;
    std::string text = take(status, &code);

    if (is_printing)
        printf("%-24s kind %d %-14s thrown %d: code %d '%s'\n", names[where], kind.load(), call,
               thrown.load(), code, text.c_str());
    else if (code != ORT_OK) {
        fail(names[where], std::string(call) + ": " + text);
        exit(1); /* what follows needs it */
    }
}

/* y = x + 1, without the operator: what the compile API can write. */
std::string make_plain_model()
{
    static const float ones[4] = {1, 1, 1, 1};

    return number(1, 8) + bytes_of(7, make_graph("", ones)) +
           bytes_of(8, bytes_of(1, "") + number(2, 17));
}

/* ---- the operator: y = x, its elements on several threads ------------------------------------ */

struct Job {
    const float *from;
    float *to;
};

void copy_element(void *user, size_t i)
{
    Job *job = static_cast<Job *>(user);

    maybe(PARALLEL);
    job->to[i] = job->from[i];
}

void use(OrtStatus *status)
{
    OrtErrorCode code;
    std::string text = take(status, &code);

    if (code != ORT_OK)
        throw std::runtime_error(text);
}

void compute(OrtKernelContext *context)
{
    const OrtValue *x;
    const int64_t dims[] = {4};
    OrtValue *y;
    Job job;
    void *data;

    use(ort->KernelContext_GetInput(context, 0, &x));
    use(ort->KernelContext_GetOutput(context, 0, dims, 1, &y));
    use(ort->GetTensorMutableData(const_cast<OrtValue *>(x), &data));
    job.from = static_cast<const float *>(data);
    use(ort->GetTensorMutableData(y, &data));
    job.to = static_cast<float *>(data);
    maybe(COMPUTE);
    use(ort->KernelContext_ParallelFor(context, copy_element, 4, 0, &job));
}

size_t get_aliases(int **from, int **to)
{
    maybe(GET_ALIASES);
    *from = new int[1]{0};
    *to = new int[1]{0};
    return 1;
}

void release_aliases(int *from, int *to)
{
    delete[] from;
    delete[] to;
    maybe(RELEASE_ALIASES);
}

/* A line of the log. */
void say(const OrtKernelInfo *info)
{
    const OrtLogger *logger;

    use(ort->KernelInfo_GetLogger(info, &logger));
    use(ort->Logger_LogMessage(logger, ORT_LOGGING_LEVEL_INFO, "a kernel is made", __FILE__,
                               __LINE__, __func__));
}

/* With functions of the first kind (which return no status) or of the second. */
OrtCustomOp make_op(bool has_status)
{
    OrtCustomOp op = {};

    op.version = ORT_API_VERSION;
    op.GetName = [](const OrtCustomOp *) -> const char * {
        maybe(GET_NAME);
        return "Mine";
    };
    op.GetExecutionProviderType = [](const OrtCustomOp *) -> const char * {
        maybe(GET_PROVIDER);
        return nullptr;
    };
    op.GetInputTypeCount = [](const OrtCustomOp *) -> size_t {
        maybe(GET_INPUT_COUNT);
        return 1;
    };
    op.GetInputType = [](const OrtCustomOp *, size_t) {
        maybe(GET_INPUT_TYPE);
        return ONNX_TENSOR_ELEMENT_DATA_TYPE_FLOAT;
    };
    op.GetOutputTypeCount = [](const OrtCustomOp *) -> size_t {
        maybe(GET_OUTPUT_COUNT);
        return 1;
    };
    op.GetOutputType = [](const OrtCustomOp *, size_t) {
        maybe(GET_OUTPUT_TYPE);
        return ONNX_TENSOR_ELEMENT_DATA_TYPE_FLOAT;
    };
    op.GetInputCharacteristic = [](const OrtCustomOp *, size_t) {
        maybe(GET_INPUT_KIND);
        return INPUT_OUTPUT_REQUIRED;
    };
    op.GetOutputCharacteristic = [](const OrtCustomOp *, size_t) {
        maybe(GET_OUTPUT_KIND);
        return INPUT_OUTPUT_REQUIRED;
    };
    op.GetInputMemoryType = [](const OrtCustomOp *, size_t) {
        maybe(GET_INPUT_MEMORY);
        return OrtMemTypeDefault;
    };
    op.GetStartVersion = [](const OrtCustomOp *) {
        maybe(GET_START_VERSION);
        return 1;
    };
    op.GetEndVersion = [](const OrtCustomOp *) {
        maybe(GET_END_VERSION);
        return 1000;
    };
    op.GetVariadicInputMinArity = [](const OrtCustomOp *) { return 1; };
    op.GetVariadicInputHomogeneity = [](const OrtCustomOp *) { return 1; };
    op.GetVariadicOutputMinArity = [](const OrtCustomOp *) { return 1; };
    op.GetVariadicOutputHomogeneity = [](const OrtCustomOp *) { return 1; };
    op.InferOutputShapeFn = [](const OrtCustomOp *, OrtShapeInferContext *context) -> OrtStatus * {
        OrtTensorTypeAndShapeInfo *info;

        maybe(INFER_SHAPE);
        use(ort->ShapeInferContext_GetInputTypeShape(context, 0, &info));
        return ort->ShapeInferContext_SetOutputTypeShape(context, 0, info);
    };
    op.GetAliasMap = get_aliases;
    op.ReleaseAliasMap = release_aliases;
    op.KernelDestroy = [](void *kernel) {
        delete static_cast<std::string *>(kernel);
        maybe(DESTROY_KERNEL);
    };
    if (has_status) {
        op.CreateKernelV2 = [](const OrtCustomOp *, const OrtApi *, const OrtKernelInfo *info,
                               void **kernel) -> OrtStatus * {
            say(info);
            maybe(CREATE_KERNEL);
            *kernel = new std::string(200, 'k');
            return nullptr;
        };
        op.KernelComputeV2 = [](void *, OrtKernelContext *context) -> OrtStatus * {
            compute(context);
            return nullptr;
        };
    } else {
        op.CreateKernel = [](const OrtCustomOp *, const OrtApi *,
                             const OrtKernelInfo *info) -> void * {
            say(info);
            maybe(CREATE_KERNEL);
            return new std::string(200, 'k');
        };
        op.KernelCompute = [](void *, OrtKernelContext *context) { compute(context); };
    }
    return op;
}

OrtCustomOp op;
OrtCustomOpDomain *domain;

/* ---- calls --------------------------------------------------------------------------------------- */

OrtStatus *open_session(OrtSession **session, bool uses_env_allocators = false)
{
    static const std::string model = make_model();
    OrtSessionOptions *options;
    OrtStatus *status;

    *session = nullptr;
    use(ort->CreateSessionOptions(&options));
    use(ort->SetIntraOpNumThreads(options, 2));
    use(ort->AddCustomOpDomain(options, domain));
    if (uses_env_allocators)
        use(ort->AddSessionConfigEntry(options, "session.use_env_allocators", "1"));
    status = ort->CreateSessionFromArray(env, model.data(), model.size(), options, session);
    ort->ReleaseSessionOptions(options);
    return status;
}

OrtValue *make_input(float *x)
{
    const int64_t dims[] = {4};
    OrtValue *value;

    use(ort->CreateTensorWithDataAsOrtValue(cpu, x, 4 * sizeof *x, dims, 1,
                                            ONNX_TENSOR_ELEMENT_DATA_TYPE_FLOAT, &value));
    return value;
}

const char *const input_names[] = {"x"}, *const output_names[] = {"y"};

OrtStatus *run(OrtSession *session)
{
    float x[] = {1, 2, 3, 4};
    const OrtValue *in = make_input(x);
    OrtValue *out = nullptr;
    OrtStatus *status = ort->Run(session, nullptr, input_names, &in, 1, output_names, 1, &out);

    ort->ReleaseValue(const_cast<OrtValue *>(in));
    if (!status) {
        void *y;

        use(ort->GetTensorMutableData(out, &y));
        if (memcmp(y, x, sizeof x) != 0)
            fail("a run", "wrong results");
    }
    ort->ReleaseValue(out);
    return status;
}

/* While a session is made. */
void try_making(Where here)
{
    OrtSession *session;

    throw_from(here);
    expect_thrown(open_session(&session), "CreateSession");
    throw_from(NOWHERE);
    ort->ReleaseSession(session);
}

/* A session whose runs fail runs again when nothing throws, and can be released. */
void try_running(Where here)
{
    OrtSession *session;

    expect_ok(open_session(&session), "CreateSession");
    expect_ok(run(session), "Run");
    for (int i = 0; i < 3; i++) {
        throw_from(here);
        expect_thrown(run(session), "Run");
        throw_from(NOWHERE);
        expect_ok(run(session), "Run");
    }
    throw_from(here);
    std::vector<std::thread> threads;
    for (int t = 0; t < 4; t++)
        threads.emplace_back([session] {
            for (int i = 0; i < 20 && !is_printing; i++)
                expect_thrown(run(session), "Run on threads");
        });
    for (std::thread &thread : threads)
        thread.join();
    throw_from(NOWHERE);
    expect_ok(run(session), "Run");
    ort->ReleaseSession(session); /* must not wait for a run that has ended */
}

/* No status can be had: it goes on. */
void try_releasing()
{
    OrtSession *session;

    expect_ok(open_session(&session), "CreateSession");
    throw_from(DESTROY_KERNEL);
    ort->ReleaseSession(session);
    expect_told();
    throw_from(NOWHERE);
}

/* ---- RunAsync -------------------------------------------------------------------------------------- */

std::atomic<int> ended{0};

void done(void *, OrtValue **outputs, size_t n, OrtStatus *status)
{
    for (size_t i = 0; i < n; i++)
        ort->ReleaseValue(outputs[i]);
    expect_ok(status, "RunAsync");
    ended++;
    maybe(DONE);
}

void try_async()
{
    float x[] = {1, 2, 3, 4};
    const OrtValue *in = make_input(x);
    OrtValue *out = nullptr;
    OrtSession *session;

    expect_ok(open_session(&session), "CreateSession");
    ended = 0;
    throw_from(DONE);
    expect_ok(
        ort->RunAsync(session, nullptr, input_names, &in, 1, output_names, 1, &out, done, nullptr),
        "RunAsync");
    while (ended == 0)
        usleep(1000);
    ort->ReleaseSession(session);
    ort->ReleaseValue(const_cast<OrtValue *>(in));
    for (int i = 0; told == 0 && i < 5000; i++) /* the thread has still to say what it caught */
        usleep(1000);
    expect_told();
    throw_from(NOWHERE);
}

/* ---- log ------------------------------------------------------------------------------------------- */

void log_line(void *, OrtLoggingLevel, const char *, const char *, const char *, const char *text)
{
    if (strstr(text, "threw an exception"))
        told++;
    maybe(LOG);
}

/* Every line of a session at the level of all. */
void try_log()
{
    OrtSession *session;

    expect_ok(ort->UpdateEnvWithCustomLogLevel(env, ORT_LOGGING_LEVEL_VERBOSE), "level");
    throw_from(LOG);
    expect_ok(open_session(&session), "CreateSession");
    expect_ok(run(session), "Run");
    ort->ReleaseSession(session);
    if (thrown == 0)
        fail(names[where], "it was not called");
    throw_from(NOWHERE);
    expect_ok(ort->UpdateEnvWithCustomLogLevel(env, ORT_LOGGING_LEVEL_ERROR), "level");
}

/* ---- allocators ------------------------------------------------------------------------------------- */

struct Allocator : OrtAllocator {
    Allocator() : OrtAllocator{}
    {
        version = ORT_API_VERSION;
        OrtAllocator::Alloc = [](OrtAllocator *, size_t size) -> void * {
            maybe(ALLOCATE);
            return malloc(size);
        };
        OrtAllocator::Reserve = OrtAllocator::Alloc;
        OrtAllocator::Free = [](OrtAllocator *, void *p) {
            free(p);
            maybe(FREE);
        };
        OrtAllocator::Info = [](const OrtAllocator *) -> const OrtMemoryInfo * {
            maybe(ALLOCATOR_INFO);
            return cpu;
        };
        OrtAllocator::GetStats = [](const OrtAllocator *, OrtKeyValuePairs **out) -> OrtStatus * {
            maybe(ALLOCATOR_STATS);
            ort->CreateKeyValuePairs(out);
            return nullptr;
        };
    }
};

void try_allocators()
{
    const int64_t dims[] = {4};
    Allocator own;
    OrtSession *session;
    OrtValue *value = nullptr;
    OrtKeyValuePairs *pairs = nullptr;
    const OrtMemoryInfo *info;
    char *name = nullptr;
    void *memory;

    expect_ok(open_session(&session), "CreateSession");
    throw_from(ALLOCATE);
    expect_thrown(ort->SessionGetInputName(session, 0, &own, &name), "GetInputName");
    expect_thrown(ort->AllocatorAlloc(&own, 8, &memory), "AllocatorAlloc");
    expect_thrown(
        ort->CreateTensorAsOrtValue(&own, dims, 1, ONNX_TENSOR_ELEMENT_DATA_TYPE_FLOAT, &value),
        "CreateTensor");
    throw_from(NOWHERE);
    expect_ok(
        ort->CreateTensorAsOrtValue(&own, dims, 1, ONNX_TENSOR_ELEMENT_DATA_TYPE_FLOAT, &value),
        "CreateTensor");
    throw_from(FREE);
    ort->ReleaseValue(value);
    expect_told();
    expect_thrown(ort->AllocatorFree(&own, malloc(4)), "AllocatorFree");
    throw_from(ALLOCATOR_INFO);
    expect_thrown(ort->AllocatorGetInfo(&own, &info), "AllocatorGetInfo");
    expect_thrown(ort->RegisterAllocator(env, &own), "RegisterAllocator");
    throw_from(ALLOCATOR_STATS);
    expect_thrown(ort->AllocatorGetStats(&own, &pairs), "GetStats");
    throw_from(NOWHERE);
    ort->ReleaseKeyValuePairs(pairs);
    ort->ReleaseSession(session);
    expect_ok(ort->RegisterAllocator(env, &own), "RegisterAllocator");
    expect_ok(open_session(&session, true), "CreateSession");
    throw_from(ALLOCATE);
    expect_thrown(run(session), "Run");
    throw_from(NOWHERE);
    expect_ok(run(session), "Run");
    throw_from(FREE);
    ort->ReleaseSession(session);
    expect_told();
    throw_from(NOWHERE);
    expect_ok(ort->UnregisterAllocator(env, cpu), "UnregisterAllocator");
}

/* ---- functions given to options ------------------------------------------------------------------- */

OrtStatus *select_device(const OrtEpDevice **devices, size_t n, const OrtKeyValuePairs *,
                         const OrtKeyValuePairs *, const OrtEpDevice **selected, size_t,
                         size_t *n_selected, void *)
{
    maybe(SELECT);
    selected[0] = devices[n - 1];
    *n_selected = 1;
    return nullptr;
}

OrtStatus *write_bytes(void *, const void *, size_t)
{
    maybe(WRITE);
    return nullptr;
}

OrtStatus *locate(void *, const char *, const OrtValue *, const OrtExternalInitializerInfo *,
                  OrtExternalInitializerInfo **)
{
    maybe(LOCATE);
    return nullptr;
}

void try_selecting()
{
    static const std::string model = make_plain_model();
    OrtSessionOptions *options;
    OrtSession *session = nullptr;

    use(ort->CreateSessionOptions(&options));
    use(ort->SessionOptionsSetEpSelectionPolicyDelegate(options, select_device, nullptr));
    throw_from(SELECT);
    expect_thrown(ort->CreateSessionFromArray(env, model.data(), model.size(), options, &session),
                  "CreateSession");
    throw_from(NOWHERE);
    ort->ReleaseSession(session);
    ort->ReleaseSessionOptions(options);
}

void try_compiling(Where here)
{
    static const std::string model = make_plain_model();
    const OrtCompileApi *compile = ort->GetCompileApi();
    OrtModelCompilationOptions *how;
    OrtSessionOptions *options;

    use(ort->CreateSessionOptions(&options));
    use(compile->CreateModelCompilationOptionsFromSessionOptions(env, options, &how));
    use(compile->ModelCompilationOptions_SetInputModelFromBuffer(how, model.data(), model.size()));
    use(compile->ModelCompilationOptions_SetOutputModelWriteFunc(how, write_bytes, nullptr));
    if (here == LOCATE)
        use(compile->ModelCompilationOptions_SetOutputModelGetInitializerLocationFunc(how, locate,
                                                                                      nullptr));
    throw_from(here);
    expect_thrown(compile->CompileModel(env, how), "CompileModel");
    throw_from(NOWHERE);
    expect_ok(compile->CompileModel(env, how), "CompileModel");
    compile->ReleaseModelCompilationOptions(how);
    ort->ReleaseSessionOptions(options);
}

/* ---- threads ---------------------------------------------------------------------------------------- */

/* The second of three throws, before it has started a thread or after. */
OrtCustomThreadHandle create_thread(void *, OrtThreadWorkerFn worker, void *param)
{
    bool throws = ++created == 2;
    std::thread *thread;

    if (throws)
        maybe(CREATE_THREAD);
    thread = start_thread(worker, param);
    if (throws && where == CREATE_STARTED_THREAD) {
        strays.push_back(thread);
        usleep(kind == STD ? 0 : 2000); /* it has not come yet, or it has */
        maybe(CREATE_STARTED_THREAD);
    }
    return reinterpret_cast<OrtCustomThreadHandle>(thread);
}

void join_thread(OrtCustomThreadHandle handle)
{
    std::thread *thread = const_cast<std::thread *>(reinterpret_cast<const std::thread *>(handle));

    if (where == JOIN_THREAD)
        strays.push_back(thread);
    maybe(JOIN_THREAD);
    join_thread_of(thread);
}

/* None waits for ever, whatever was thrown, and what was made can go on being used. */
void expect_no_thread()
{
    if (!join_strays())
        fail(names[where], "a thread is left");
}

OrtStatus *open_threaded(OrtSession **session)
{
    static const std::string model = make_model();
    OrtSessionOptions *options;
    OrtStatus *status;

    use(ort->CreateSessionOptions(&options));
    use(ort->SetIntraOpNumThreads(options, 4));
    use(ort->AddCustomOpDomain(options, domain));
    use(ort->SessionOptionsSetCustomCreateThreadFn(options, create_thread));
    use(ort->SessionOptionsSetCustomJoinThreadFn(options, join_thread));
    *session = nullptr;
    status = ort->CreateSessionFromArray(env, model.data(), model.size(), options, session);
    ort->ReleaseSessionOptions(options);
    return status;
}

void try_session_threads()
{
    OrtSession *session;

    for (Where here : {CREATE_THREAD, CREATE_STARTED_THREAD}) {
        throw_from(here);
        expect_thrown(open_threaded(&session), "CreateSession");
        if (session)
            fail(names[where], "there is a session");
        expect_no_thread();
    }
    throw_from(NOWHERE);
    expect_ok(open_threaded(&session), "CreateSession");
    expect_ok(run(session), "Run");
    throw_from(JOIN_THREAD);
    ort->ReleaseSession(session);
    expect_told();
    if (thrown != 3)
        fail(names[where], "not each thread was joined");
    expect_no_thread();
    throw_from(NOWHERE);
}

OrtStatus *open_env(OrtEnv **out)
{
    OrtThreadingOptions *threads;
    OrtStatus *status;

    use(ort->CreateThreadingOptions(&threads));
    use(ort->SetGlobalIntraOpNumThreads(threads, 4));
    use(ort->SetGlobalCustomCreateThreadFn(threads, create_thread));
    use(ort->SetGlobalCustomJoinThreadFn(threads, join_thread));
    *out = nullptr;
    status = ort->CreateEnvWithCustomLoggerAndGlobalThreadPools(
        log_line, nullptr, ORT_LOGGING_LEVEL_ERROR, "threads", threads, out);
    ort->ReleaseThreadingOptions(threads);
    return status;
}

/* While there is no other environment. */
void try_env_threads()
{
    OrtEnv *own;

    for (Where here : {CREATE_THREAD, CREATE_STARTED_THREAD}) {
        throw_from(here);
        expect_thrown(open_env(&own), "CreateEnv");
        if (own)
            fail(names[where], "there is an environment");
        expect_no_thread();
    }
    throw_from(NOWHERE);
    expect_ok(open_env(&own), "CreateEnv");
    throw_from(JOIN_THREAD);
    ort->ReleaseEnv(own);
    expect_told();
    expect_no_thread();
    throw_from(NOWHERE);
}

extern "C" __attribute__((visibility("default"))) OrtStatus *register_throwing(OrtSessionOptions *,
                                                                               const OrtApiBase *)
{
    maybe(REGISTER);
    return nullptr;
}

void try_registering()
{
    OrtSessionOptions *options;

    use(ort->CreateSessionOptions(&options));
    throw_from(REGISTER);
    expect_thrown(ort->RegisterCustomOpsUsingFunction(options, "register_throwing"), "Register");
    throw_from(NOWHERE);
    ort->ReleaseSessionOptions(options);
}

/* The part of a `--print` that another library may not survive is left to the caller: by name. */
bool wants(int argc, char **argv, const char *part)
{
    return argc < 3 || strcmp(argv[2], part) == 0;
}

} // namespace

int main(int argc, char **argv)
{
    alarm(300); /* a wait for ever is a failure */
    is_printing = argc > 1;
    ort = OrtGetApiBase()->GetApi(ORT_API_VERSION);
    for (int k = 0; k < KINDS && !is_printing; k++) {
        kind = k;
        try_env_threads();
    }
    use(ort->CreateEnvWithCustomLogger(log_line, nullptr, ORT_LOGGING_LEVEL_ERROR, "exceptions",
                                       &env));
    use(ort->CreateCpuMemoryInfo(OrtDeviceAllocator, OrtMemTypeDefault, &cpu));
    op = make_op(true);
    use(ort->CreateCustomOpDomain("own", &domain));
    use(ort->CustomOpDomain_Add(domain, &op));
    for (int k = 0; k < KINDS; k++) {
        kind = k;
        for (bool has_status : {true, false}) {
            op = make_op(has_status);
            for (int w = GET_NAME; w <= RELEASE_ALIASES; w++)
                if (wants(argc, argv, names[w]) && w != GET_INPUT_MEMORY)
                    try_making(Where(w));
            if (wants(argc, argv, "KernelCompute"))
                try_running(COMPUTE);
            if (wants(argc, argv, "ParallelFor"))
                try_running(PARALLEL);
            if (wants(argc, argv, "KernelDestroy"))
                try_releasing();
        }
        if (wants(argc, argv, "RunAsync"))
            try_async();
        if (wants(argc, argv, "log"))
            try_log();
        if (wants(argc, argv, "allocator"))
            try_allocators();
        if (wants(argc, argv, "select"))
            try_selecting();
        if (wants(argc, argv, "write"))
            try_compiling(WRITE);
        if (wants(argc, argv, "locate"))
            try_compiling(LOCATE);
        if (wants(argc, argv, "register"))
            try_registering();
        if (!is_printing) /* ONNX Runtime 1.30 waits for ever */
            try_session_threads();
    }
    ort->ReleaseCustomOpDomain(domain);
    ort->ReleaseMemoryInfo(cpu);
    ort->ReleaseEnv(env);
    return failures > 0;
}
