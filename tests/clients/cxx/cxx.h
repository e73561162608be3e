/* SPDX-License-Identifier: MIT */
/* cxx.h - what the parts of the program on ONNX Runtime's C++ header share. */
#ifndef CXX_H
#define CXX_H

#include <stdexcept>
#include <string>
#include <vector>

#include <onnxruntime_cxx_api.h>

/* Fails by an exception. `models` is the folder that the program tests/clients/models has written. */
using test_fn = void (*)(Ort::Env &env, const std::string &models);

inline void expect(bool is_true, const char *what)
{
    if (!is_true)
        throw std::runtime_error(std::string("not so: ") + what);
}

inline Ort::MemoryInfo cpu_memory()
{
    return Ort::MemoryInfo::CreateCpu(OrtDeviceAllocator, OrtMemTypeDefault);
}

/* On the data of `values`, which has to outlive it. */
template <typename T> Ort::Value tensor_on(std::vector<T> &values, const std::vector<int64_t> &dims)
{
    return Ort::Value::CreateTensor<T>(cpu_memory(), values.data(), values.size(), dims.data(),
                                       dims.size());
}

/* env.cc */
void environment(Ort::Env &env, const std::string &models);
void allocators(Ort::Env &env, const std::string &models);
void devices(Ort::Env &env, const std::string &models);
void provider_options(Ort::Env &env, const std::string &models);
void errors(Ort::Env &env, const std::string &models);
/* session.cc */
void session(Ort::Env &env, const std::string &models);
void binding(Ort::Env &env, const std::string &models);
void assignment(Ort::Env &env, const std::string &models);
void adapter(Ort::Env &env, const std::string &models);
void compilation(Ort::Env &env, const std::string &models);
/* values.cc */
void small_floats(Ort::Env &env, const std::string &models);
void tensors(Ort::Env &env, const std::string &models);
void sparse_tensors(Ort::Env &env, const std::string &models);
void containers(Ort::Env &env, const std::string &models);
void types(Ort::Env &env, const std::string &models);
/* operators.cc */
void custom_operator(Ort::Env &env, const std::string &models);
void lite_operators(Ort::Env &env, const std::string &models);
/* graph.cc */
/* y for x, three floats each */
std::vector<float> run_one(Ort::Session &session, std::vector<float> x);
void graph(Ort::Env &env, const std::string &models);
void graph_views(Ort::Env &env, const std::string &models);

#endif
