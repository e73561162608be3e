/* SPDX-License-Identifier: MIT */
/* operators.cc - operators of the program's own, by CustomOpBase and as plain functions. */

#include "cxx.h"

#include <onnxruntime_lite_custom_op.h>

/* y = factor x, and the operator Abs of the runtime after it. */
struct scale_kernel {
    float factor;
    Ort::Logger logger;
    Ort::Op abs{nullptr};
    Ort::KernelInfo kept{nullptr};

    explicit scale_kernel(const OrtKernelInfo *info)
    {
        Ort::ConstKernelInfo view{info};
        factor = view.GetAttribute<float>("factor");
        expect(view.GetInputCount() == 1 && view.GetInputName(0) == "x", "an input");
        expect(view.GetNodeName() == "node", "a name");
        logger = view.GetLogger();
        kept = view.Copy();
        const char *constraint = "T";
        const ONNXTensorElementDataType type = ONNX_TENSOR_ELEMENT_DATA_TYPE_FLOAT;
        abs = Ort::Op::Create(info, "Abs", "", 13, &constraint, &type, 1, nullptr, 0, 1, 1);
    }
    void Compute(OrtKernelContext *raw)
    {
        Ort::KernelContext context(raw);
        Ort::ConstValue x = context.GetInput(0);
        std::vector<int64_t> dims = x.GetTensorTypeAndShapeInfo().GetShape();
        std::vector<float> scaled(x.GetTensorTypeAndShapeInfo().GetElementCount());
        for (size_t i = 0; i < scaled.size(); i++)
            scaled[i] = factor * x.GetTensorData<float>()[i];
        Ort::Value in = tensor_on(scaled, dims);
        Ort::UnownedValue y = context.GetOutput(0, dims);
        const OrtValue *ins[] = {in};
        OrtValue *outs[] = {y};
        abs.Invoke(raw, ins, 1, outs, 1);
        ORT_CXX_LOG(logger, ORT_LOGGING_LEVEL_VERBOSE, "a run");
    }
};

struct scale_op : Ort::CustomOpBase<scale_op, scale_kernel> {
    void *CreateKernel(const OrtApi &, const OrtKernelInfo *info) const
    {
        return new scale_kernel(info);
    }
    const char *GetName() const
    {
        return "Scale";
    }
    const char *GetExecutionProviderType() const
    {
        return "CPUExecutionProvider";
    }
    size_t GetInputTypeCount() const
    {
        return 1;
    }
    ONNXTensorElementDataType GetInputType(size_t) const
    {
        return ONNX_TENSOR_ELEMENT_DATA_TYPE_FLOAT;
    }
    size_t GetOutputTypeCount() const
    {
        return 1;
    }
    ONNXTensorElementDataType GetOutputType(size_t) const
    {
        return ONNX_TENSOR_ELEMENT_DATA_TYPE_FLOAT;
    }
    static bool asked;
    static Ort::Status InferOutputShape(Ort::ShapeInferContext &context)
    {
        Ort::ShapeInferContext::SymbolicInteger three(3);
        asked = context.GetInputShape(0)[0] == three && context.GetAttrFloat("factor") == -2;
        return context.SetOutputShape(0, context.GetInputShape(0));
    }
};
bool scale_op::asked;

void custom_operator(Ort::Env &env, const std::string &models)
{
    scale_op op;
    Ort::CustomOpDomain domain("own");
    domain.Add(&op);
    Ort::SessionOptions options;
    options.Add(domain);
    Ort::CustomOpConfigs configs;
    configs.AddConfig("Scale", "key", "value");
    expect(configs.GetFlattenedConfigs().size() == 1, "a config");

    Ort::Session session(env, (models + "/own_Scale.onnx").c_str(), options);
    expect(scale_op::asked, "it gives the shape");
    expect(run_one(session, {1, -2, 3}) == std::vector<float>({2, 4, 6}), "what it computes");
}

/* y = 2 x, or an exception for negative ones. */
static void twice(const Ort::Custom::Tensor<float> &x, Ort::Custom::Tensor<float> &y)
{
    float *to = y.Allocate(x.Shape());

    for (int64_t i = 0; i < x.NumberOfElement(); i++) {
        if (x.Data()[i] < 0)
            throw std::runtime_error("below zero");
        to[i] = 2 * x.Data()[i];
    }
}

/* The sum so far, which the operator's object keeps. */
struct running_sum {
    running_sum(const OrtApi *, const OrtKernelInfo *)
    {
    }
    void Compute(const Ort::Custom::Span<float> &x, Ort::Custom::Tensor<float> &y)
    {
        float *to = y.Allocate({static_cast<int64_t>(x.size())});
        for (size_t i = 0; i < x.size(); i++)
            to[i] = sum += x[i];
    }
    float sum = 0;
};

/* Any number of inputs, copied. */
static void copy_all(const Ort::Custom::Variadic &in, Ort::Custom::Variadic &out)
{
    for (size_t i = 0; i < in.Size(); i++) {
        const Ort::Custom::TensorPtr &from = in[i];
        float *to = out.AllocateOutput<float>(i, from->Shape());
        for (int64_t k = 0; k < from->NumberOfElement(); k++)
            to[k] = static_cast<const float *>(from->DataRaw())[k];
    }
}

void lite_operators(Ort::Env &env, const std::string &models)
{
    std::unique_ptr<Ort::Custom::OrtLiteCustomOp> ops[] = {
        std::unique_ptr<Ort::Custom::OrtLiteCustomOp>(
            Ort::Custom::CreateLiteCustomOp("Twice", "CPUExecutionProvider", twice)),
        std::make_unique<Ort::Custom::OrtLiteCustomStruct<running_sum>>("Sum",
                                                                        "CPUExecutionProvider"),
        std::unique_ptr<Ort::Custom::OrtLiteCustomOp>(
            Ort::Custom::CreateLiteCustomOp("Copy", "CPUExecutionProvider", copy_all)),
    };
    Ort::CustomOpDomain domain("own");
    for (const auto &op : ops)
        domain.Add(op.get());
    Ort::SessionOptions options;
    options.Add(domain);

    Ort::Session doubles(env, (models + "/own_Twice.onnx").c_str(), options);
    expect(run_one(doubles, {1, 2, 3}) == std::vector<float>({2, 4, 6}), "twice as much");
    try {
        run_one(doubles, {1, -2, 3});
        expect(false, "an exception of a kernel ends the run");
    } catch (const Ort::Exception &e) {
        expect(e.GetOrtErrorCode() == ORT_RUNTIME_EXCEPTION &&
                   std::string(e.what()).find("below zero") != std::string::npos,
               e.what());
    }
    Ort::Session sums(env, (models + "/own_Sum.onnx").c_str(), options);
    run_one(sums, {1, 2, 3});
    expect(run_one(sums, {1, 2, 3}) == std::vector<float>({7, 9, 12}), "the sum so far");
    Ort::Session copies(env, (models + "/own_Copy.onnx").c_str(), options);
    expect(run_one(copies, {1, 2, 3}) == std::vector<float>({1, 2, 3}), "copies");
}
