/* SPDX-License-Identifier: MIT */
/* env.cc - environments, allocators, devices, options of providers, errors. */

#include "cxx.h"

#include <cstring>

#include <cpu_provider_factory.h>
#include <onnxruntime_env_config_keys.h>
#include <onnxruntime_ep_device_ep_metadata_keys.h>
#include <provider_options.h>

static void count_line(void *count, OrtLoggingLevel, const char *, const char *, const char *,
                       const char *)
{
    ++*static_cast<int *>(count);
}

void environment(Ort::Env &env, const std::string &)
{
    int lines = 0;
    Ort::ThreadingOptions threads;
    threads.SetGlobalIntraOpNumThreads(1).SetGlobalInterOpNumThreads(1).SetGlobalSpinControl(0);
    {
        Ort::Env other(threads, count_line, &lines, ORT_LOGGING_LEVEL_ERROR, "other");
        other.UpdateEnvWithCustomLogLevel(ORT_LOGGING_LEVEL_ERROR).DisableTelemetryEvents();
    }
    env.UpdateEnvWithCustomLogLevel(ORT_LOGGING_LEVEL_FATAL);
    env.UpdateEnvWithCustomLogLevel(ORT_LOGGING_LEVEL_ERROR);
    expect(Ort::detail::Global::Api() == &Ort::GetApi(), "one table");
    expect(!Ort::GetVersionString().empty() && !Ort::GetBuildInfoString().empty(), "a version");
    std::vector<std::string> providers = Ort::GetAvailableProviders();
    expect(providers.back() == "CPUExecutionProvider", "the CPU last");
    onnxruntime::ProviderOptionsMap options = {{"CPUExecutionProvider", {}}};
    expect(options.count(providers.back()) == 1, "a map of options");
}

void allocators(Ort::Env &env, const std::string &models)
{
    Ort::AllocatorWithDefaultOptions standard;
    Ort::MemoryAllocation block = standard.GetAllocation(64);
    memset(block.get(), 1, block.size());
    Ort::ConstMemoryInfo info = standard.GetInfo();
    expect(info.GetAllocatorName() == "Cpu" && info.GetDeviceId() == 0, "memory of the CPU");
    expect(info.GetDeviceType() == OrtMemoryInfoDeviceType_CPU, "a device");
    Ort::MemoryInfo named("Cpu", OrtArenaAllocator, 0, OrtMemTypeDefault);
    expect(named.GetConst() == named && named.GetMemoryType() == OrtMemTypeDefault, "the same");

    std::unique_ptr<char, Ort::detail::AllocatedFree> text(static_cast<char *>(standard.Alloc(8)),
                                                           Ort::detail::AllocatedFree(standard));
    Ort::AllocatedStringPtr same_type(std::move(text));

    Ort::ArenaCfg arena(1 << 20, 0, 1 << 16, -1);
    Ort::ArenaCfg by_keys(std::unordered_map<std::string, size_t>{{"max_mem", 1 << 20}});
    env.CreateAndRegisterAllocator(named, arena);
    Ort::UnownedAllocator shared = env.GetSharedAllocator(named);
    void *p = shared.Alloc(16);
    shared.Free(p);
    env.UnregisterAllocator(named);

    Ort::Session session(env, (models + "/digits.onnx").c_str(), Ort::SessionOptions());
    Ort::MemoryInfo memory = cpu_memory();
    Ort::Allocator allocator(session, memory);
    Ort::MemoryAllocation moved = allocator.GetAllocation(32);
    expect(moved.size() == 32 && moved.get(), "memory of a session");
}

void devices(Ort::Env &env, const std::string &)
{
    Ort::KeyValuePairs pairs(std::unordered_map<std::string, std::string>{{"a", "1"}});
    pairs.Add("b", "2");
    pairs.Remove("a");
    Ort::ConstKeyValuePairs view = pairs.GetConst();
    expect(view.GetKeyValuePairs().size() == 1 && !strcmp(view.GetValue("b"), "2"), "a pair");

    bool found = false;
    for (Ort::ConstEpDevice device : env.GetEpDevices()) {
        Ort::ConstHardwareDevice hardware = device.Device();
        Ort::ConstKeyValuePairs metadata = device.EpMetadata();
        metadata.GetValue(kOrtEpDevice_EpMetadataKey_Version);
        hardware.Metadata().GetKeyValuePairs();
        if (strcmp(device.EpName(), "CPUExecutionProvider") != 0)
            continue;
        found = hardware.Type() == OrtHardwareDeviceType_CPU && device.EpVendor();
        Ort::SyncStream stream{nullptr};
        Ort::UnownedSyncStream none{nullptr};
        try {
            stream = device.CreateSyncStream();
            none = Ort::UnownedSyncStream{stream};
            none.GetHandle();
        } catch (const Ort::Exception &e) {
            expect(strlen(e.what()) > 0, "why the CPU has no streams");
        }
        Ort::EpDevice none_of_its_own{nullptr}; /* only EPs make them */
        expect(!none_of_its_own, "nothing");
        Ort::SessionOptions options;
        options.AppendExecutionProvider_V2(env, {device},
                                           std::unordered_map<std::string, std::string>());
    }
    expect(found, "a device for the CPU");
    expect(env.GetHardwareDevices().size() == env.GetNumHardwareDevices(), "all of them");
    Ort::DeviceEpIncompatibilityDetails details{nullptr};
    details = env.GetHardwareDeviceEpIncompatibilityDetails("CPUExecutionProvider",
                                                            env.GetHardwareDevices()[0]);
    expect(details.GetReasonsBitmask() == 0 && details.GetErrorCode() == 0, "no reason against it");
}

void provider_options(Ort::Env &, const std::string &)
{
    Ort::SessionOptions options;
    OrtCUDAProviderOptions cuda;
    OrtROCMProviderOptions rocm;
    OrtOpenVINOProviderOptions openvino;
    OrtTensorRTProviderOptions tensorrt{};
    OrtMIGraphXProviderOptions migraphx{};
    expect(cuda.gpu_mem_limit == SIZE_MAX && cuda.do_copy_in_default_stream == 1,
           "CUDA's defaults");
    expect(rocm.gpu_mem_limit == SIZE_MAX && !rocm.user_compute_stream, "ROCm's defaults");
    expect(!openvino.device_type && openvino.num_of_threads == 0, "OpenVINO's defaults");
    expect(!tensorrt.trt_fp16_enable && !migraphx.migraphx_fp16_enable,
           "zero where there are none");
    Ort::ThrowOnError(OrtSessionOptionsAppendExecutionProvider_CPU(options, 1));
    /* Where the provider is not, each says so; the objects are made by the providers themselves. */
    auto attempt = [](auto what) {
        try {
            what();
        } catch (const Ort::Exception &e) {
            expect(strlen(e.what()) > 0, "a reason");
        }
    };
    attempt([&] { options.AppendExecutionProvider_CUDA(cuda); });
    attempt([&] { options.AppendExecutionProvider_ROCM(rocm); });
    attempt([&] { options.AppendExecutionProvider_OpenVINO(openvino); });
    attempt([&] { options.AppendExecutionProvider_TensorRT(tensorrt); });
    attempt([&] { options.AppendExecutionProvider_MIGraphX(migraphx); });
    attempt([&] { options.AppendExecutionProvider("XNNPACK", {{"intra_op_num_threads", "1"}}); });
    attempt([] {
        Ort::CUDAProviderOptions v2;
        v2.Update({{"device_id", "0"}});
        expect(v2.GetCUDAProviderOptionsAsString().find("device_id=0") != std::string::npos,
               "CUDA");
    });
    attempt([] {
        Ort::TensorRTProviderOptions v2;
        v2.Update({{"device_id", "0"}});
        expect(v2.GetTensorRTProviderOptionsAsString().find("device_id=0") != std::string::npos,
               "TensorRT");
    });
}

void errors(Ort::Env &env, const std::string &)
{
    try {
        Ort::Session session(env, "/nonexistent/model.onnx", Ort::SessionOptions());
        expect(false, "a model that is not there does not open");
    } catch (const Ort::Exception &e) {
        expect(e.GetOrtErrorCode() == ORT_NO_SUCHFILE, "the code of an exception");
        Ort::Status status(e);
        expect(status.GetErrorMessage() == e.what(), "its words");
    }
    Ort::Status status("words", ORT_NOT_FOUND);
    expect(status.GetErrorCode() == ORT_NOT_FOUND && !status.IsOK(), "a status");
    expect(Ort::Status(nullptr).IsOK(), "no status");
}
