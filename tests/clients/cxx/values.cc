/* SPDX-License-Identifier: MIT */
/* values.cc - element types, tensors, sparse tensors, sequences and maps, descriptions of types. */

#include "cxx.h"

void small_floats(Ort::Env &, const std::string &)
{
    Ort::Float16_t half(1.5f);
    Ort::BFloat16_t brain(-2.f);
    expect(half.ToFloat() == 1.5f && brain.ToFloat() == -2.f && brain.IsNegative(), "16 bits");
    expect((half == Ort::Float16_t::FromBits(0x3e00)) && half.IsFinite(), "bits");
    expect(Ort::Float8E4M3FN_t(1) != Ort::Float8E4M3FN_t(2), "8 bits");

    Ort::AllocatorWithDefaultOptions allocator;
    const int64_t two = 2;
    auto type_of = [](const Ort::Value &value) {
        return value.GetTensorTypeAndShapeInfo().GetElementType();
    };
    expect(type_of(Ort::Value::CreateTensor<Ort::Float16_t>(allocator, &two, 1)) ==
                   ONNX_TENSOR_ELEMENT_DATA_TYPE_FLOAT16 &&
               type_of(Ort::Value::CreateTensor<Ort::BFloat16_t>(allocator, &two, 1)) ==
                   ONNX_TENSOR_ELEMENT_DATA_TYPE_BFLOAT16 &&
               type_of(Ort::Value::CreateTensor<Ort::Float8E4M3FN_t>(allocator, &two, 1)) ==
                   ONNX_TENSOR_ELEMENT_DATA_TYPE_FLOAT8E4M3FN &&
               type_of(Ort::Value::CreateTensor<Ort::Float8E4M3FNUZ_t>(allocator, &two, 1)) ==
                   ONNX_TENSOR_ELEMENT_DATA_TYPE_FLOAT8E4M3FNUZ &&
               type_of(Ort::Value::CreateTensor<Ort::Float8E5M2_t>(allocator, &two, 1)) ==
                   ONNX_TENSOR_ELEMENT_DATA_TYPE_FLOAT8E5M2 &&
               type_of(Ort::Value::CreateTensor<Ort::Float8E5M2FNUZ_t>(allocator, &two, 1)) ==
                   ONNX_TENSOR_ELEMENT_DATA_TYPE_FLOAT8E5M2FNUZ,
           "the types of tensors");
}

void tensors(Ort::Env &, const std::string &)
{
    std::vector<float> data = {1, 2, 3, 4};
    Ort::Value value = tensor_on(data, {2, 2});
    Ort::UnownedValue unowned = value.GetUnowned();
    unowned.At<float>({1, 0}) = 7;
    Ort::ConstValue view = value.GetConst();
    expect(data[2] == 7 && view.GetTensorData<float>()[2] == 7, "one memory");
    expect(view.HasValue() && view.GetTensorSizeInBytes() == 16, "its size");
    expect(view.GetTensorMemoryInfo().GetAllocatorName() == "Cpu", "its memory");
    Ort::Value::Shape shape{};
    ONNXTensorElementDataType type;
    view.GetTensorElementTypeAndShapeDataReference(type, shape);
    expect(type == ONNX_TENSOR_ELEMENT_DATA_TYPE_FLOAT && shape.shape_len == 2, "its type");
    expect(view.GetTypeInfo().GetTensorTypeAndShapeInfo().GetShape()[1] == 2, "its shape");

    Ort::AllocatorWithDefaultOptions allocator;
    const int64_t two = 2;
    Ort::Value texts =
        Ort::Value::CreateTensor(allocator, &two, 1, ONNX_TENSOR_ELEMENT_DATA_TYPE_STRING);
    const char *const words[] = {"a", "longer"};
    texts.FillStringTensor(words, 2);
    texts.FillStringTensorElement("b", 0);
    expect(texts.GetStringTensorElement(1) == "longer" && texts.GetStringTensorDataLength() == 7,
           "texts");
}

void sparse_tensors(Ort::Env &, const std::string &)
{
    std::vector<float> values = {3, 4};
    std::vector<int64_t> where = {1, 5};
    const int64_t dims[] = {2, 3}, two = 2;
    Ort::detail::Shape dense{dims, 2}, count{&two, 1};
    Ort::Value borrowed =
        Ort::Value::CreateSparseTensor<float>(cpu_memory(), values.data(), dense, count);
    borrowed.UseCooIndices(where.data(), where.size());
    expect(borrowed.IsSparseTensor() && borrowed.GetSparseFormat() == ORT_SPARSE_COO, "COO");
    expect(borrowed.GetSparseTensorValues<float>()[1] == 4, "its values");
    size_t n = 0;
    expect(borrowed.GetSparseTensorIndicesData<int64_t>(ORT_SPARSE_COO_INDICES, n)[1] == 5 &&
               n == 2,
           "its indices");

    Ort::AllocatorWithDefaultOptions allocator;
    Ort::Value own = Ort::Value::CreateSparseTensor<float>(allocator, dense);
    Ort::detail::OrtSparseValuesParam from{};
    from.values_shape = &two;
    from.values_shape_len = 1;
    from.data.p_data = values.data();
    own.FillSparseTensorCoo(cpu_memory(), from, where.data(), where.size());
    expect(own.GetSparseTensorValuesTypeAndShapeInfo().GetElementCount() == 2, "two of them");
}

void containers(Ort::Env &env, const std::string &models)
{
    std::vector<float> numbers = {1, 2};
    std::vector<int64_t> keys = {10, 20};
    std::vector<Ort::Value> parts;
    parts.push_back(tensor_on(numbers, {2}));
    parts.push_back(tensor_on(numbers, {2}));
    Ort::Value sequence = Ort::Value::CreateSequence(parts);
    Ort::AllocatorWithDefaultOptions allocator;
    expect(sequence.GetCount() == 2, "its length");
    expect(sequence.GetValue(1, allocator).GetTensorData<float>()[1] == 2, "a part of a sequence");
    Ort::Value map = Ort::Value::CreateMap(tensor_on(keys, {2}), tensor_on(numbers, {2}));
    expect(map.GetValue(0, allocator).GetTensorData<int64_t>()[1] == 20, "keys of a map");

    Ort::Session session(env, (models + "/containers.onnx").c_str(), Ort::SessionOptions());
    Ort::TypeInfo type = session.GetOutputTypeInfo(1);
    Ort::ConstSequenceTypeInfo maps = type.GetSequenceTypeInfo();
    Ort::TypeInfo element = maps.GetSequenceElementType();
    Ort::ConstMapTypeInfo one = element.GetMapTypeInfo();
    expect(one.GetMapKeyType() == ONNX_TENSOR_ELEMENT_DATA_TYPE_INT64, "the type of its keys");
    expect(one.GetMapValueType().GetONNXType() == ONNX_TYPE_TENSOR, "the type of its values");
}

void types(Ort::Env &, const std::string &)
{
    const std::vector<std::string> names = {"n", ""};
    Ort::TensorTypeAndShapeInfo shape(ONNX_TENSOR_ELEMENT_DATA_TYPE_FLOAT, {-1, 3}, &names);
    Ort::ConstTensorTypeAndShapeInfo view = shape.GetConst();
    expect(view.GetSymbolicDimensions()[0] == std::string("n") && view.GetDimensionsCount() == 2,
           "a shape");
    Ort::TypeInfo tensor = Ort::TypeInfo::CreateTensorInfo(view);
    Ort::ConstTypeInfo any = tensor.GetConst();
    Ort::TypeInfo sequence = Ort::TypeInfo::CreateSequenceTypeInfo(any);
    Ort::TypeInfo map = Ort::TypeInfo::CreateMapTypeInfo(ONNX_TENSOR_ELEMENT_DATA_TYPE_STRING, any);
    Ort::TypeInfo optional = Ort::TypeInfo::CreateOptionalTypeInfo(any);
    Ort::TypeInfo sparse = Ort::TypeInfo::CreateSparseTensorInfo(view);
    expect(sparse.GetONNXType() == ONNX_TYPE_SPARSETENSOR, "a sparse tensor's type");
    Ort::ConstOptionalTypeInfo maybe = optional.GetOptionalTypeInfo();
    expect(maybe.GetOptionalElementType().GetONNXType() == ONNX_TYPE_TENSOR, "an optional's type");
    expect(sequence.GetSequenceTypeInfo().GetSequenceElementType().GetONNXType() ==
               ONNX_TYPE_TENSOR,
           "a sequence's type");
    expect(map.GetMapTypeInfo().GetMapKeyType() == ONNX_TENSOR_ELEMENT_DATA_TYPE_STRING,
           "a map's type");
    /* The API gives views only; an object of its own starts empty. */
    Ort::SequenceTypeInfo no_sequence{nullptr};
    Ort::MapTypeInfo no_map{nullptr};
    expect(!no_sequence && !no_map, "nothing");
}
