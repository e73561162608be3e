/* SPDX-License-Identifier: MIT */
/* cxx.cc - a program on ONNX Runtime's C++ header: objects of its classes, and operators that throw. */

#include <cstdio>
#include <cstdlib>
#include <stdexcept>
#include <string>
#include <vector>

#include <onnxruntime_cxx_api.h>
#include <onnxruntime_env_config_keys.h>
#include <onnxruntime_ep_device_ep_metadata_keys.h>
#include <onnxruntime_lite_custom_op.h>
#include <onnxruntime_run_options_config_keys.h>
#include <onnxruntime_session_options_config_keys.h>

static void expect(bool is_true, const char *what)
{
    if (is_true)
        return;
    fprintf(stderr, "FAILED: %s\n", what);
    exit(1);
}

static void try_session(Ort::Env &env, const char *path)
{
    Ort::SessionOptions options;
    options.SetIntraOpNumThreads(1).SetGraphOptimizationLevel(ORT_ENABLE_ALL);
    options.AddConfigEntry(kOrtSessionOptionsConfigDisablePrepacking, "0");
    expect(options.HasConfigEntry(kOrtSessionOptionsConfigDisablePrepacking), "a config entry");
    Ort::SessionOptions clone = options.Clone();
    Ort::Session session(env, path, clone);
    Ort::AllocatorWithDefaultOptions allocator;
    Ort::AllocatedStringPtr in = session.GetInputNameAllocated(0, allocator);
    Ort::AllocatedStringPtr out = session.GetOutputNameAllocated(0, allocator);
    Ort::TypeInfo type = session.GetInputTypeInfo(0);
    expect(type.GetTensorTypeAndShapeInfo().GetShape().size() == 4, "the rank of an input");
    Ort::ModelMetadata metadata = session.GetModelMetadata();
    metadata.GetProducerNameAllocated(allocator);

    Ort::MemoryInfo memory = Ort::MemoryInfo::CreateCpu(OrtArenaAllocator, OrtMemTypeDefault);
    std::vector<float> pixels(64, .5f);
    std::vector<int64_t> dims = {1, 1, 8, 8};
    Ort::Value image = Ort::Value::CreateTensor<float>(memory, pixels.data(), pixels.size(),
                                                       dims.data(), dims.size());
    const char *inputs[] = {in.get()}, *outputs[] = {out.get()};
    Ort::RunOptions run_options;
    run_options.SetRunTag("tag").AddConfigEntry(kOrtRunOptionsConfigEnableMemoryArenaShrinkage,
                                                "cpu:0");
    std::vector<Ort::Value> results = session.Run(run_options, inputs, &image, 1, outputs, 1);
    expect(results[0].GetTensorTypeAndShapeInfo().GetElementCount() == 10, "ten probabilities");

    Ort::IoBinding binding(session);
    binding.BindInput(in.get(), image);
    binding.BindOutput(out.get(), memory);
    session.Run(run_options, binding);
    expect(binding.GetOutputValues()[0].GetTensorData<float>()[3] ==
               results[0].GetTensorData<float>()[3],
           "the same through a binding");
}

static void try_values()
{
    Ort::AllocatorWithDefaultOptions allocator;
    const int64_t two = 2;
    Ort::Value texts =
        Ort::Value::CreateTensor(allocator, &two, 1, ONNX_TENSOR_ELEMENT_DATA_TYPE_STRING);
    const char *const words[] = {"a", "longer"};
    texts.FillStringTensor(words, 2);
    expect(texts.GetStringTensorElement(1) == "longer", "a text of a tensor");
    Ort::KeyValuePairs pairs;
    pairs.Add("key", "value");
    expect(std::string(pairs.GetValue("key")) == "value", "a pair");
    Ort::Float16_t half(1.5f);
    expect(half.ToFloat() == 1.5f, "a half");
    expect(!Ort::GetAvailableProviders().empty() && !Ort::GetVersionString().empty(), "providers");
}

static void try_errors(Ort::Env &env)
{
    try {
        Ort::Session session(env, "/nonexistent/model.onnx", Ort::SessionOptions());
        expect(false, "a model that is not there opens");
    } catch (const Ort::Exception &e) {
        expect(e.GetOrtErrorCode() == ORT_NO_SUCHFILE, "the code of an exception");
    }
    Ort::Status status("words", ORT_NOT_FOUND);
    expect(status.GetErrorCode() == ORT_NOT_FOUND && status.GetErrorMessage() == "words",
           "a status");
}

/* y = 2 x, or an exception for negative ones; as a model made by Ort::Model. */
static void twice(const Ort::Custom::Tensor<float> &x, Ort::Custom::Tensor<float> &y)
{
    float *to = y.Allocate(x.Shape());

    for (int64_t i = 0; i < x.NumberOfElement(); i++) {
        if (x.Data()[i] < 0)
            throw std::runtime_error("below zero");
        to[i] = 2 * x.Data()[i];
    }
}

static void try_operator(Ort::Env &env)
{
    Ort::CustomOpDomain domain("own");
    std::unique_ptr<Ort::Custom::OrtLiteCustomOp> op(
        Ort::Custom::CreateLiteCustomOp("Twice", "CPUExecutionProvider", twice));
    domain.Add(op.get());
    Ort::SessionOptions options;
    options.Add(domain);

    Ort::TensorTypeAndShapeInfo shape(ONNX_TENSOR_ELEMENT_DATA_TYPE_FLOAT, {3});
    Ort::TypeInfo type = Ort::TypeInfo::CreateTensorInfo(shape.GetConst());
    Ort::Graph graph;
    std::vector<Ort::ValueInfo> ins, outs;
    ins.emplace_back("x", type.GetConst());
    outs.emplace_back("y", type.GetConst());
    graph.SetInputs(ins);
    graph.SetOutputs(outs);
    Ort::Node node("Twice", "own", "node", {"x"}, {"y"});
    graph.AddNode(node);
    std::vector<Ort::Model::DomainOpsetPair> opsets = {{"", 17}, {"own", 1}};
    Ort::Model model(opsets);
    model.AddGraph(graph);
    Ort::Session session(env, model, options);

    Ort::MemoryInfo memory = Ort::MemoryInfo::CreateCpu(OrtDeviceAllocator, OrtMemTypeDefault);
    float x[] = {1, 2, 3};
    const int64_t dims[] = {3};
    const char *inputs[] = {"x"}, *outputs[] = {"y"};
    Ort::Value in = Ort::Value::CreateTensor<float>(memory, x, 3, dims, 1);
    for (float last : {3.f, -1.f, 4.f}) {
        x[2] = last;
        try {
            std::vector<Ort::Value> out =
                session.Run(Ort::RunOptions{nullptr}, inputs, &in, 1, outputs, 1);
            expect(last >= 0 && out[0].GetTensorData<float>()[2] == 2 * last, "twice as much");
        } catch (const Ort::Exception &e) {
            expect(last < 0 && e.GetOrtErrorCode() == ORT_RUNTIME_EXCEPTION &&
                       std::string(e.what()).find("below zero") != std::string::npos,
                   e.what());
        }
    }
}

int main(int argc, char **argv)
{
    expect(argc == 2, "usage: cxx MODEL");
    Ort::Env env(ORT_LOGGING_LEVEL_WARNING, "cxx");
    try_session(env, argv[1]);
    try_values();
    try_errors(env);
    try_operator(env);
    return 0;
}
