/* SPDX-License-Identifier: MIT */
/* session.cc - sessions: options, runs, bindings, who runs what, adapters, compiled models. */

#include "cxx.h"

#include <cstdio>
#include <cstring>

#include <onnxruntime_run_options_config_keys.h>
#include <onnxruntime_session_options_config_keys.h>

/* One image, and what a session makes of it. */
struct digit {
    std::vector<float> pixels = std::vector<float>(64, .5f);
    Ort::Value image = tensor_on(pixels, {1, 1, 8, 8});
    Ort::AllocatorWithDefaultOptions allocator;
    std::string in, out;

    explicit digit(Ort::Session &session)
        : in(session.GetInputNames()[0]), out(session.GetOutputNames()[0])
    {
        std::vector<int64_t> dims =
            session.GetInputTypeInfo(0).GetTensorTypeAndShapeInfo().GetShape();
        size_t n = 1;
        for (int64_t &d : dims)
            n *= static_cast<size_t>(d = d < 1 ? 1 : d);
        pixels.assign(n, .5f);
        image = tensor_on(pixels, dims);
    }
    std::vector<Ort::Value> run(Ort::Session &session, const Ort::RunOptions &options)
    {
        const char *inputs[] = {in.c_str()}, *outputs[] = {out.c_str()};
        return session.Run(options, inputs, &image, 1, outputs, 1);
    }
};

void session(Ort::Env &env, const std::string &models)
{
    const std::string path = models + "/digits.onnx";
    Ort::SessionOptions options;
    options.SetIntraOpNumThreads(1).SetGraphOptimizationLevel(ORT_ENABLE_ALL).SetLogId("session");
    options.AddConfigEntry(kOrtSessionOptionsConfigDisablePrepacking, "0");
    Ort::UnownedSessionOptions unowned = options.GetUnowned();
    unowned.SetInterOpNumThreads(1).DisableMemPattern();
    Ort::ConstSessionOptions view = options.GetConst();
    expect(view.GetConfigEntry(kOrtSessionOptionsConfigDisablePrepacking) == "0", "a config entry");
    Ort::SessionOptions clone = view.Clone();

    Ort::PrepackedWeightsContainer weights;
    Ort::Session session(env, path.c_str(), clone, weights);
    Ort::ConstSession described = session.GetConst();
    expect(described.GetInputCount() == 1 && described.GetOutputCount() > 0, "its inputs");
    expect(described.GetInputs()[0].GetName() == described.GetInputNames()[0], "one name");
    described.GetMemoryInfoForInputs();
    described.GetEpDeviceForInputs();
    Ort::AllocatorWithDefaultOptions allocator;
    Ort::ModelMetadata metadata = described.GetModelMetadata();
    expect(!metadata.GetCustomMetadataMapKeysAllocated(allocator).empty(), "its properties");
    metadata.GetProducerNameAllocated(allocator);

    Ort::RunOptions run_options;
    run_options.SetRunTag("tag").SetRunLogSeverityLevel(3);
    run_options.AddConfigEntry(kOrtRunOptionsConfigEnableMemoryArenaShrinkage, "cpu:0");
    expect(!strcmp(run_options.GetRunTag(), "tag"), "a tag");
    digit one(session);
    expect(one.run(session, run_options)[0].GetTensorTypeAndShapeInfo().GetElementCount() > 0,
           "a result");
    Ort::UnownedSession same = session.GetUnowned();
    const char *inputs[] = {one.in.c_str()}, *outputs[] = {one.out.c_str()};
    expect(same.Run(run_options, inputs, &one.image, 1, outputs, 1)[0].IsTensor(), "the same");
    run_options.SetTerminate();
    try {
        one.run(session, run_options);
        expect(false, "a run that is to end ends");
    } catch (const Ort::Exception &) {
        run_options.UnsetTerminate();
    }
}

void binding(Ort::Env &env, const std::string &models)
{
    Ort::Session session(env, (models + "/digits.onnx").c_str(), Ort::SessionOptions());
    digit one(session);
    Ort::RunOptions run_options;
    Ort::MemoryInfo memory = cpu_memory();
    Ort::IoBinding binding(session);
    Ort::UnownedIoBinding unowned = binding.GetUnowned();
    unowned.BindInput(one.in.c_str(), one.image);
    unowned.BindOutput(one.out.c_str(), memory);
    binding.SynchronizeInputs();
    session.Run(run_options, binding);
    binding.SynchronizeOutputs();
    Ort::ConstIoBinding view = binding.GetConst();
    expect(view.GetOutputNames() == std::vector<std::string>{one.out}, "the output's name");
    std::vector<Ort::Value> there = view.GetOutputValues(), here = one.run(session, run_options);
    expect(!memcmp(there[0].GetTensorRawData(), here[0].GetTensorRawData(),
                   here[0].GetTensorSizeInBytes()),
           "the same through a binding");
    binding.ClearBoundInputs();
    binding.ClearBoundOutputs();
}

void assignment(Ort::Env &env, const std::string &models)
{
    Ort::SessionOptions options;
    options.AddConfigEntry(kOrtSessionOptionsRecordEpGraphAssignmentInfo, "1");
    Ort::Session session(env, (models + "/digits.onnx").c_str(), options);
    size_t n = 0;
    for (Ort::ConstEpAssignedSubgraph part : session.GetEpGraphAssignmentInfo()) {
        expect(!part.GetEpName().empty(), "a provider");
        for (Ort::ConstEpAssignedNode node : part.GetNodes())
            n += !node.GetOperatorType().empty();
    }
    expect(n > 0, "nodes with a provider");
}

void adapter(Ort::Env &env, const std::string &models)
{
    Ort::Session session(env, (models + "/lora_model.onnx").c_str(), Ort::SessionOptions());
    Ort::LoraAdapter adapter =
        Ort::LoraAdapter::CreateLoraAdapter(models + "/adapter.orl", nullptr);
    std::vector<float> ones(16, 1.f);
    Ort::Value x = tensor_on(ones, {4, 4});
    Ort::RunOptions run_options;
    run_options.AddActiveLoraAdapter(adapter);
    const char *inputs[] = {"input"}, *outputs[] = {"output"};
    std::vector<Ort::Value> y = session.Run(run_options, inputs, &x, 1, outputs, 1);
    expect(y[0].GetTensorData<float>()[0] == 154, "the adapter counts");
}

static OrtStatus *keep_inside(void *seen, const char *, const OrtValue *,
                              const OrtExternalInitializerInfo *info,
                              OrtExternalInitializerInfo **out)
{
    ++*static_cast<int *>(seen);
    if (info)
        Ort::ConstExternalInitializerInfo(info).GetFilePath();
    *out = nullptr;
    return nullptr;
}

void compilation(Ort::Env &env, const std::string &models)
{
    Ort::ExternalInitializerInfo info("weights.bin", 16, 4);
    expect(info.GetConst().GetFileOffset() == 16 && info.GetByteSize() == 4, "where weights lie");
    Ort::SessionOptions options;
    Ort::ModelCompilationOptions compile(env, options);
    Ort::AllocatorWithDefaultOptions allocator;
    void *bytes = nullptr;
    size_t n = 0;
    int seen = 0;
    compile.SetInputModelPath((models + "/digits.onnx").c_str());
    compile.SetOutputModelBuffer(allocator, &bytes, &n).SetFlags(0);
    compile.SetOutputModelGetInitializerLocationFunc(keep_inside, &seen);
    Ort::ThrowOnError(Ort::CompileModel(env, compile).release());
    Ort::Session session(env, bytes, n, options);
    allocator.Free(bytes);
    expect(seen > 0 && session.GetInputCount() == 1, "a compiled model");
}
