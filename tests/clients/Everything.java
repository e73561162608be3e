// SPDX-License-Identifier: MIT
// Everything.java - ONNX Runtime's Java binding, all that works on a processor: java Everything MODELS RESULTS.
//
// RESULTS gets a line "test<TAB>pass|fail" for each test. The last test asks the package which public
// methods it has, and this program's own class file which it calls.

import ai.onnxruntime.*;
import ai.onnxruntime.platform.Fp16Conversions;
import ai.onnxruntime.providers.*;
import java.io.DataInputStream;
import java.io.InputStream;
import java.io.PrintStream;
import java.lang.reflect.Method;
import java.lang.reflect.Modifier;
import java.nio.*;
import java.nio.file.*;
import java.util.*;

public class Everything {
    private static Path models;
    private static OrtEnvironment env;

    // ---- a kit ----------------------------------------------------------------------------------

    interface Body {
        void run() throws Throwable;
    }

    interface Runner {
        OrtSession.Result run() throws OrtException;
    }

    private static void check(boolean claim) {
        if (!claim) throw new AssertionError();
    }

    private static void same(Object got, Object want) {
        if (!Objects.deepEquals(got, want)) throw new AssertionError(text(got) + ", not " + text(want));
    }

    private static String text(Object thing) {
        return Arrays.deepToString(new Object[] {thing});
    }

    private static OrtException refused(Body body) throws Throwable {
        try {
            body.run();
        } catch (OrtException e) {
            check(e.getCode() != OrtException.OrtErrorCode.ORT_OK && !e.getMessage().isEmpty());
            return e;
        }
        throw new AssertionError("it succeeded");
    }

    private static void refused(OrtException.OrtErrorCode code, String words, Body body) throws Throwable {
        OrtException e = refused(body);
        if (e.getCode() != code || !e.getMessage().contains(words)) throw e;
    }

    private static String path(String name) {
        return models.resolve(name).toString();
    }

    private static OnnxTensor image(float light) throws OrtException {
        float[] pixels = new float[784];
        Arrays.fill(pixels, light);
        return OnnxTensor.createTensor(env, FloatBuffer.wrap(pixels), new long[] {1, 1, 28, 28});
    }

    private static float[] scores(OrtSession.Result result) throws OrtException {
        return ((float[][]) result.get("scores").get().getValue())[0];
    }

    private static ByteBuffer direct(byte[] bytes) {
        ByteBuffer buffer = ByteBuffer.allocateDirect(bytes.length).order(ByteOrder.nativeOrder());
        buffer.put(bytes).rewind();
        return buffer;
    }

    // ---- the environment ------------------------------------------------------------------------

    static void environment() throws Throwable {
        check(OrtEnvironment.getEnvironment() == env);
        check(OrtEnvironment.getEnvironment("again") == env);
        check(OrtEnvironment.getEnvironment(OrtLoggingLevel.ORT_LOGGING_LEVEL_WARNING) == env);
        check(OrtEnvironment.getEnvironment(OrtLoggingLevel.mapFromInt(2), OrtEnvironment.DEFAULT_NAME) == env);
        same(OrtLoggingLevel.ORT_LOGGING_LEVEL_ERROR.getValue(), 3);
        check(env.getVersion().matches("1\\.[0-9]+\\.[0-9]+") && env.toString().contains("OrtEnvironment"));
        env.setTelemetry(false);
        env.close(); // which it does at the end of the process
    }

    static void training_is_not_there() throws Throwable {
        check(!env.isTrainingEnabled());
        for (Body body : new Body[] {() -> env.createTrainingSession("a", "b", "c", "d"),
                () -> env.createTrainingSession("a", "b", "c", "d", new OrtSession.SessionOptions())}) {
            try {
                body.run();
            } catch (IllegalStateException e) {
                continue;
            }
            throw new AssertionError("it trains");
        }
    }

    static void available_providers() throws Throwable {
        EnumSet<OrtProvider> providers = OrtEnvironment.getAvailableProviders();
        check(providers.contains(OrtProvider.CPU));
        for (OrtProvider provider : providers) same(OrtProvider.mapFromName(provider.getName()), provider);
    }

    static void devices_of_providers() throws Throwable {
        List<OrtEpDevice> devices = env.getEpDevices();
        OrtEpDevice first = devices.get(0);
        same(first.getEpName(), "CPUExecutionProvider");
        check(!first.getEpVendor().isEmpty() && first.toString().contains("CPUExecutionProvider"));
        check(first.getEpMetadata() != null && first.getEpOptions() != null);
        OrtHardwareDevice device = first.getDevice();
        same(device.getType(), OrtHardwareDevice.OrtHardwareDeviceType.CPU);
        same(OrtHardwareDevice.OrtHardwareDeviceType.mapFromInt(device.getType().getValue()), device.getType());
        check(device.getVendor() != null && device.getMetadata() != null && !device.toString().isEmpty());
        check(device.getVendorId() >= 0 && device.getDeviceId() >= 0);
        try (OrtSession.SessionOptions options = new OrtSession.SessionOptions()) {
            options.addExecutionProvider(List.of(first), Map.of());
            env.createSession(path("digits.onnx"), options).close();
        }
        OrtEnvironment.OrtCompiledModelCompatibility answer =
            env.getModelCompatibilityForEpDevices(List.of(first), "anything");
        same(answer, OrtEnvironment.OrtCompiledModelCompatibility.EP_NOT_APPLICABLE);
        same(OrtEnvironment.OrtCompiledModelCompatibility.mapFromInt(answer.getValue()), answer);
    }

    static void plug_ins_that_are_not_there() throws Throwable {
        refused(() -> env.registerExecutionProviderLibrary("absent", "/nowhere.so"));
        refused(() -> env.unregisterExecutionProviderLibrary("absent"));
    }

    // ---- sessions -------------------------------------------------------------------------------

    static void sessions_from_everywhere() throws Throwable {
        byte[] bytes = Files.readAllBytes(models.resolve("digits.onnx"));
        try (OrtSession.SessionOptions options = new OrtSession.SessionOptions()) {
            for (OrtSession session : new OrtSession[] {env.createSession(path("digits.onnx")),
                    env.createSession(path("digits.onnx"), options), env.createSession(bytes),
                    env.createSession(bytes, options), env.createSession(direct(bytes)),
                    env.createSession(direct(bytes), options)}) {
                same(session.getNumInputs(), 1L);
                same(session.getNumOutputs(), 1L);
                same(session.getInputNames(), Set.of("image"));
                same(session.getOutputNames(), Set.of("scores"));
                check(session.toString().contains("numInputs=1"));
                session.close();
            }
        }
    }

    static void types_of_inputs() throws Throwable {
        try (OrtSession session = env.createSession(path("upsample.onnx"))) {
            NodeInfo node = session.getInputInfo().get("image");
            TensorInfo info = (TensorInfo) node.getInfo();
            same(node.getName(), "image");
            same(info.getShape(), new long[] {-1, -1, -1, 3});
            same(info.getDimensionNames(), new String[] {"unk__31", "unk__32", "unk__33", ""});
            same(info.type, OnnxJavaType.FLOAT);
            same(info.onnxType, TensorInfo.OnnxTensorType.ONNX_TENSOR_ELEMENT_DATA_TYPE_FLOAT);
            check(!info.isScalar() && info.toString().contains("FLOAT") && node.toString().contains("image"));
            same(new NodeInfo("x", info).getInfo(), info);
        }
    }

    static void types_of_outputs() throws Throwable {
        try (OrtSession session = env.createSession(path("upsample.onnx"))) {
            TensorInfo info = (TensorInfo) session.getOutputInfo().get("upsampled").getInfo();
            same(info.getShape(), new long[] {-1, -1, -1, 3});
            same(info.getDimensionNames(), new String[] {"unk__34", "unk__35", "unk__36", ""});
        }
    }

    static void types_of_sequences() throws Throwable {
        try (OrtSession session = env.createSession(path("containers.onnx"))) {
            SequenceInfo tensors = (SequenceInfo) session.getOutputInfo().get("tensors").getInfo();
            SequenceInfo maps = (SequenceInfo) session.getOutputInfo().get("named").getInfo();
            check(!tensors.isSequenceOfMaps() && tensors.sequenceType == OnnxJavaType.FLOAT);
            check(maps.isSequenceOfMaps() && maps.mapInfo.keyType == OnnxJavaType.STRING);
            check(maps.mapInfo.valueType == OnnxJavaType.FLOAT && !maps.mapInfo.toString().isEmpty());
            check(!maps.toString().isEmpty());
        }
    }

    static void metadata() throws Throwable {
        try (OrtSession session = env.createSession(path("digits.onnx"))) {
            OnnxModelMetadata metadata = session.getMetadata();
            same(metadata.getCustomMetadata(), Map.of("display", "seven segments", "größe", "28"));
            same(metadata.getCustomMetadataValue("display"), Optional.of("seven segments"));
            same(metadata.getCustomMetadataValue("nothing"), Optional.empty());
            same(metadata.getGraphName(), "main");
            same(metadata.getProducerName(), "tests");
            same(metadata.getDescription(), "Reads digits.");
            same(metadata.getGraphDescription(), "Light by segments.");
            same(metadata.getDomain(), "org.example");
            same(metadata.getVersion(), 7L);
            OnnxModelMetadata again = session.getMetadata();
            check(again.equals(metadata) && again.hashCode() == metadata.hashCode() && !again.toString().isEmpty());
        }
    }

    static void runs_of_every_form() throws Throwable {
        Set<String> wanted = Set.of("scores");
        try (OrtSession session = env.createSession(path("digits.onnx")); OnnxTensor fed = image(0.5f);
                OrtSession.RunOptions options = new OrtSession.RunOptions()) {
            Map<String, OnnxTensor> feeds = Map.of("image", fed);
            float[] want;
            try (OrtSession.Result result = session.run(feeds)) {
                want = scores(result);
                same(result.size(), 1);
                check(result.isResultOwner(0) && result.get(0) == result.get("scores").get());
                check(!result.get("nothing").isPresent());
                for (Map.Entry<String, OnnxValue> entry : result) same(entry.getKey(), "scores");
                check(result.iterator().hasNext());
            }
            for (OrtSession.Result result : new OrtSession.Result[] {session.run(feeds, options),
                    session.run(feeds, wanted), session.run(feeds, wanted, options)}) {
                same(scores(result), want);
                result.close();
            }
            FloatBuffer mine = ByteBuffer.allocateDirect(40).order(ByteOrder.nativeOrder()).asFloatBuffer();
            try (OnnxTensor pinned = OnnxTensor.createTensor(env, mine, new long[] {1, 10})) {
                Map<String, OnnxTensor> into = Map.of("scores", pinned);
                List<Runner> runners = List.of(() -> session.run(feeds, into),
                    () -> session.run(feeds, Set.of(), into), () -> session.run(feeds, Set.of(), into, options));
                for (Runner runner : runners)
                    try (OrtSession.Result result = runner.run()) {
                        check(!result.isResultOwner(0));
                        same(mine.get(3), want[3]);
                        mine.put(3, -1000);
                    }
            }
        }
    }

    static void run_options() throws Throwable {
        try (OrtSession session = env.createSession(path("digits.onnx")); OnnxTensor fed = image(0.5f);
                OrtSession.RunOptions options = new OrtSession.RunOptions()) {
            options.setLogLevel(OrtLoggingLevel.ORT_LOGGING_LEVEL_ERROR);
            same(options.getLogLevel(), OrtLoggingLevel.ORT_LOGGING_LEVEL_ERROR);
            options.setLogVerbosityLevel(3);
            same(options.getLogVerbosityLevel(), 3);
            options.setRunTag("once");
            same(options.getRunTag(), "once");
            options.addRunConfigEntry("memory.enable_memory_arena_shrinkage", "");
            session.run(Map.of("image", fed), options).close();
            options.setTerminate(true);
            refused(OrtException.OrtErrorCode.ORT_FAIL, "terminate flag", () -> session.run(Map.of("image", fed), options));
            options.setTerminate(false);
            session.run(Map.of("image", fed), options).close();
        }
    }

    static void adapters() throws Throwable {
        byte[] bytes = Files.readAllBytes(models.resolve("adapter.orl"));
        float[][] ones = new float[4][4];
        for (float[] row : ones) Arrays.fill(row, 1);
        try (OrtSession session = env.createSession(path("lora_model.onnx"));
                OnnxTensor fed = OnnxTensor.createTensor(env, ones)) {
            for (OrtLoraAdapter adapter : new OrtLoraAdapter[] {OrtLoraAdapter.create(bytes),
                    OrtLoraAdapter.create(direct(bytes)), OrtLoraAdapter.create(path("adapter.orl"))}) {
                try (OrtSession.RunOptions options = new OrtSession.RunOptions()) {
                    options.addActiveLoraAdapter(adapter);
                    try (OrtSession.Result result = session.run(Map.of("input", fed), options)) {
                        same(((float[][]) result.get(0).getValue())[2], new float[] {154, 176, 198, 220});
                    }
                }
                adapter.close();
            }
        }
    }

    // ---- options --------------------------------------------------------------------------------

    static void session_options() throws Throwable {
        for (OrtSession.SessionOptions.OptLevel level : OrtSession.SessionOptions.OptLevel.values()) {
            check(level.getID() >= 0);
            try (OrtSession.SessionOptions options = new OrtSession.SessionOptions()) {
                options.setExecutionMode(OrtSession.SessionOptions.ExecutionMode.PARALLEL);
                same(OrtSession.SessionOptions.ExecutionMode.PARALLEL.getID(), 1);
                options.setOptimizationLevel(level);
                options.setInterOpNumThreads(1);
                options.setIntraOpNumThreads(2);
                options.setLoggerId("java");
                options.setMemoryPatternOptimization(true);
                options.setCPUArenaAllocator(false);
                options.setSessionLogLevel(OrtLoggingLevel.ORT_LOGGING_LEVEL_ERROR);
                options.setSessionLogVerbosityLevel(0);
                options.setSymbolicDimensionValue("unk__31", 5);
                options.setDeterministicCompute(true);
                options.disableProfiling();
                options.addConfigEntry("session.intra_op.allow_spinning", "0");
                same(options.getConfigEntries(), Map.of("session.intra_op.allow_spinning", "0"));
                options.addCPU(true);
                try (OrtSession session = env.createSession(path("upsample.onnx"), options)) {
                    long[] shape = ((TensorInfo) session.getInputInfo().get("image").getInfo()).getShape();
                    same(shape, new long[] {5, -1, -1, 3});
                }
            }
        }
    }

    static void the_environments_threads() throws Throwable {
        try (OrtSession.SessionOptions options = new OrtSession.SessionOptions()) {
            options.disablePerSessionThreads();
            env.createSession(path("digits.onnx"), options).close();
        }
    }

    static void saved_models() throws Throwable {
        String saved = path("saved.onnx");
        try (OrtSession.SessionOptions options = new OrtSession.SessionOptions()) {
            options.setOptimizationLevel(OrtSession.SessionOptions.OptLevel.BASIC_OPT);
            options.setOptimizedModelFilePath(saved);
            env.createSession(path("digits.onnx"), options).close();
            env.createSession(saved).close();
        }
    }

    static void profiles() throws Throwable {
        try (OrtSession.SessionOptions options = new OrtSession.SessionOptions()) {
            options.enableProfiling(path("profile"));
            try (OrtSession session = env.createSession(path("digits.onnx"), options); OnnxTensor fed = image(1)) {
                session.run(Map.of("image", fed)).close();
                check(session.getProfilingStartTimeInNs() > 0);
                check(Files.readString(Path.of(session.endProfiling())).contains("model_run"));
            }
        }
    }

    static void initializers_of_options() throws Throwable {
        FloatBuffer numbers = ByteBuffer.allocateDirect(40).order(ByteOrder.nativeOrder()).asFloatBuffer();
        try (OrtSession.SessionOptions options = new OrtSession.SessionOptions();
                OnnxTensor bias = OnnxTensor.createTensor(env, numbers, new long[] {10}); OnnxTensor fed = image(0)) {
            options.addInitializer("bias", bias);
            try (OrtSession session = env.createSession(path("digits.onnx"), options);
                    OrtSession.Result result = session.run(Map.of("image", fed))) {
                same(scores(result), new float[10]);
            }
            try (OrtSession.SessionOptions other = new OrtSession.SessionOptions()) {
                other.addExternalInitializers(Map.of("bias", bias));
                refused(() -> env.createSession(path("digits.onnx"), other)); // it lies in no file
            }
        }
    }

    static void custom_operators_that_are_not_there() throws Throwable {
        try (OrtSession.SessionOptions options = new OrtSession.SessionOptions()) {
            refused(() -> options.registerCustomOpLibrary("/nowhere.so"));
            refused(() -> options.registerCustomOpsUsingFunction("NoSuchFunction"));
        }
    }

    private static void provider(OrtProvider provider, Body body) throws Throwable {
        if (!OrtEnvironment.getAvailableProviders().contains(provider)) refused(body);
    }

    static void providers_that_are_not_there() throws Throwable {
        try (OrtSession.SessionOptions options = new OrtSession.SessionOptions()) {
            provider(OrtProvider.CUDA, () -> options.addCUDA());
            provider(OrtProvider.CUDA, () -> options.addCUDA(0));
            provider(OrtProvider.ROCM, () -> options.addROCM());
            provider(OrtProvider.ROCM, () -> options.addROCM(0));
            provider(OrtProvider.DNNL, () -> options.addDnnl(true));
            provider(OrtProvider.OPEN_VINO, () -> options.addOpenVINO("CPU"));
            provider(OrtProvider.TENSOR_RT, () -> options.addTensorrt(0));
            provider(OrtProvider.NNAPI, () -> options.addNnapi());
            provider(OrtProvider.NNAPI, () -> options.addNnapi(EnumSet.of(NNAPIFlags.USE_FP16)));
            provider(OrtProvider.DIRECT_ML, () -> options.addDirectML(0));
            provider(OrtProvider.ACL, () -> options.addACL(false));
            provider(OrtProvider.CORE_ML, () -> options.addCoreML());
            provider(OrtProvider.CORE_ML, () -> options.addCoreML(EnumSet.of(CoreMLFlags.CPU_ONLY)));
            provider(OrtProvider.CORE_ML, () -> options.addCoreML(Map.of("ModelFormat", "MLProgram")));
            provider(OrtProvider.XNNPACK, () -> options.addXnnpack(Map.of("intra_op_num_threads", "1")));
            provider(OrtProvider.QNN, () -> options.addQnn(Map.of("backend_type", "cpu")));
            provider(OrtProvider.WEBGPU, () -> options.addWebGPU(Map.of()));
            refused(() -> options.addTvm(""));
            same(OrtFlags.aggregateToInt(EnumSet.of(NNAPIFlags.USE_FP16, NNAPIFlags.CPU_ONLY)), 9);
            same(CoreMLFlags.ENABLE_ON_SUBGRAPH.getValue(), 2);
        }
    }

    static void options_of_providers() throws Throwable {
        provider(OrtProvider.CUDA, () -> {
            try (OrtCUDAProviderOptions cuda = new OrtCUDAProviderOptions();
                    OrtCUDAProviderOptions second = new OrtCUDAProviderOptions(1);
                    OrtSession.SessionOptions options = new OrtSession.SessionOptions()) {
                same(cuda.getProvider(), OrtProvider.CUDA);
                cuda.add("device_id", "0");
                cuda.parseOptionsString("device_id=0");
                check(!cuda.isClosed() && cuda.toString().contains("device_id") && !second.getOptionsString().isEmpty());
                options.addCUDA(cuda);
            }
        });
        provider(OrtProvider.TENSOR_RT, () -> {
            try (OrtTensorRTProviderOptions tensorRt = new OrtTensorRTProviderOptions();
                    OrtTensorRTProviderOptions second = new OrtTensorRTProviderOptions(1);
                    OrtSession.SessionOptions options = new OrtSession.SessionOptions()) {
                tensorRt.add("device_id", "0");
                tensorRt.parseOptionsString("device_id=0");
                check(!second.getOptionsString().isEmpty() && tensorRt.toString().contains("device_id"));
                same(tensorRt.getProvider(), OrtProvider.TENSOR_RT);
                options.addTensorrt(tensorRt);
            }
        });
    }

    static void compiled_models() throws Throwable {
        byte[] bytes = Files.readAllBytes(models.resolve("digits.onnx"));
        for (boolean from_memory : new boolean[] {false, true}) {
            String out = path("compiled" + from_memory + ".onnx");
            try (OrtSession.SessionOptions options = new OrtSession.SessionOptions();
                    OrtModelCompilationOptions compilation =
                        OrtModelCompilationOptions.createFromSessionOptions(env, options)) {
                if (from_memory) compilation.setInputModelFromBuffer(direct(bytes));
                else compilation.setInputModelPath(path("digits.onnx"));
                compilation.setOutputModelPath(out);
                if (!from_memory) compilation.setOutputExternalInitializersPath("compiled.data", 1024);
                compilation.setEpContextEmbedMode(true);
                compilation.setCompilationFlags(EnumSet.of(
                    OrtModelCompilationOptions.OrtCompileApiFlags.ERROR_IF_OUTPUT_FILE_EXISTS));
                compilation.compileModel();
                env.createSession(out).close();
            }
        }
        same(OrtModelCompilationOptions.OrtCompileApiFlags.ERROR_IF_NO_NODES_COMPILED.getValue(), 1);
    }

    // ---- values ---------------------------------------------------------------------------------

    static void tensors_of_arrays() throws Throwable {
        for (Object array : new Object[] {new float[][] {{1, 2}, {3, 4}}, new double[] {1.5}, new byte[] {1, 2},
                new short[] {3}, new int[][][] {{{4}}}, new long[] {5, 6, 7}, new boolean[] {true, false},
                new String[][] {{"cat", ""}, {"größe", "x"}}, 1.5f, 2.5, (byte) 3, (short) 4, 5, 6L, true, "text"})
            try (OnnxTensor tensor = OnnxTensor.createTensor(env, array)) {
                same(tensor.getValue(), array);
                same(tensor.getType(), OnnxValue.OnnxValueType.ONNX_TYPE_TENSOR);
                check(!tensor.isClosed() && tensor.toString().contains("OnnxTensor"));
                same(tensor.getInfo().isScalar(), !array.getClass().isArray());
            }
        try (OnnxTensor tensor = OnnxTensor.createTensor(env, new String[] {"a", "b"}, new long[] {2, 1})) {
            same(tensor.getValue(), new String[][] {{"a"}, {"b"}});
        }
    }

    static void tensors_of_buffers() throws Throwable {
        long[] two = {2};
        short half = Fp16Conversions.floatToFp16(1.5f), brain = Fp16Conversions.floatToBf16(1.5f);
        ShortBuffer halves = ShortBuffer.wrap(new short[] {half, half}), brains = ShortBuffer.wrap(new short[] {brain, brain});
        try (OnnxTensor floats = OnnxTensor.createTensor(env, FloatBuffer.wrap(new float[] {1, 2}), two);
                OnnxTensor doubles = OnnxTensor.createTensor(env, DoubleBuffer.wrap(new double[] {1, 2}), two);
                OnnxTensor bytes = OnnxTensor.createTensor(env, ByteBuffer.wrap(new byte[] {1, 2}), two);
                OnnxTensor unsigned = OnnxTensor.createTensor(env, direct(new byte[] {1, -1}), two, OnnxJavaType.UINT8);
                OnnxTensor shorts = OnnxTensor.createTensor(env, ShortBuffer.wrap(new short[] {1, 2}), two);
                OnnxTensor fp16 = OnnxTensor.createTensor(env, halves, two, OnnxJavaType.FLOAT16);
                OnnxTensor bf16 = OnnxTensor.createTensor(env, brains, two, OnnxJavaType.BFLOAT16);
                OnnxTensor ints = OnnxTensor.createTensor(env, IntBuffer.wrap(new int[] {1, 2}), two);
                OnnxTensor longs = OnnxTensor.createTensor(env, LongBuffer.wrap(new long[] {1, 2}), two)) {
            same(floats.getFloatBuffer().get(1), 2f);
            same(doubles.getDoubleBuffer().get(1), 2.0);
            same(bytes.getByteBuffer().get(1), (byte) 2);
            same(unsigned.getByteBuffer().get(1), (byte) -1);
            same(unsigned.getInfo().type, OnnxJavaType.UINT8);
            same(shorts.getShortBuffer().get(1), (short) 2);
            same(ints.getIntBuffer().get(1), 2);
            same(longs.getLongBuffer().get(1), 2L);
            same(fp16.getValue(), new float[] {1.5f, 1.5f});
            same(bf16.getValue(), new float[] {1.5f, 1.5f});
            check(floats.ownsBuffer() && floats.getBufferRef().isPresent() && !unsigned.ownsBuffer());
        }
    }

    static void values_of_every_type_come_back() throws Throwable {
        long[] two = {2};
        Map<String, OnnxTensor> feeds = new LinkedHashMap<>();
        feeds.put("float32", OnnxTensor.createTensor(env, new float[] {1.5f, Float.POSITIVE_INFINITY}));
        feeds.put("float64", OnnxTensor.createTensor(env, new double[] {1e300, -0.0}));
        feeds.put("int8", OnnxTensor.createTensor(env, new byte[] {-128, 127}));
        feeds.put("uint8", OnnxTensor.createTensor(env, ByteBuffer.wrap(new byte[] {1, -1}), two, OnnxJavaType.UINT8));
        feeds.put("int16", OnnxTensor.createTensor(env, new short[] {-32768, 32767}));
        feeds.put("int32", OnnxTensor.createTensor(env, new int[] {Integer.MIN_VALUE, Integer.MAX_VALUE}));
        feeds.put("int64", OnnxTensor.createTensor(env, new long[] {Long.MIN_VALUE, Long.MAX_VALUE}));
        feeds.put("string", OnnxTensor.createTensor(env, new String[] {"", "größe"}));
        feeds.put("bool", OnnxTensor.createTensor(env, new boolean[] {true, false}));
        feeds.put("float16", OnnxTensor.createTensor(env,
            Fp16Conversions.convertFloatBufferToFp16Buffer(FloatBuffer.wrap(new float[] {0.5f, 65504})), two,
            OnnxJavaType.FLOAT16));
        OnnxTensor brain = OnnxTensor.createTensor(env,
            Fp16Conversions.convertFloatBufferToBf16Buffer(FloatBuffer.wrap(new float[] {0.5f, -3})), two,
            OnnxJavaType.BFLOAT16);
        try (OrtSession session = env.createSession(path("types.onnx"));
                OrtSession other = env.createSession(path("bfloat16.onnx"));
                OrtSession.Result result = session.run(feeds);
                OrtSession.Result second = other.run(Map.of("bfloat16", brain))) {
            for (String name : feeds.keySet()) {
                OnnxTensor got = (OnnxTensor) result.get(name + "_out").get();
                same(got.getValue(), feeds.get(name).getValue());
                same(got.getInfo().type, feeds.get(name).getInfo().type);
            }
            same(second.get(0).getValue(), new float[] {0.5f, -3});
        }
        OnnxValue.close(feeds);
        OnnxValue.close(List.of(brain));
        check(brain.isClosed());
    }

    static void sequences_and_maps() throws Throwable {
        try (OrtSession session = env.createSession(path("containers.onnx"));
                OnnxTensor fed = OnnxTensor.createTensor(env, new float[][] {{1, 2, 3}, {4, 5, 6}});
                OrtSession.Result result = session.run(Map.of("scores", fed))) {
            OnnxSequence tensors = (OnnxSequence) result.get("tensors").get();
            List<? extends OnnxValue> items = tensors.getValue();
            same(tensors.getType(), OnnxValue.OnnxValueType.ONNX_TYPE_SEQUENCE);
            same(tensors.getInfo().length, 2);
            check(tensors.toString().contains("OnnxSequence") && !tensors.isClosed());
            same(items.get(1).getValue(), new float[][] {{1, 2, 3}, {4, 5, 6}});
            OnnxValue.close(items);
            List<? extends OnnxValue> named = ((OnnxSequence) result.get("named").get()).getValue();
            OnnxMap map = (OnnxMap) named.get(1);
            same(map.getType(), OnnxValue.OnnxValueType.ONNX_TYPE_MAP);
            same(map.size(), 3);
            same(map.getValue(), Map.of("cat", 4f, "dog", 5f, "eel", 6f));
            MapInfo info = map.getInfo();
            same(List.of(info.keyType, info.valueType), List.of(OnnxJavaType.STRING, OnnxJavaType.FLOAT));
            check(!map.toString().isEmpty() && !map.isClosed());
            map.close();
            check(map.isClosed());
            OnnxMap numbered = (OnnxMap) ((OnnxSequence) result.get("numbered").get()).getValue().get(0);
            same(numbered.getValue(), Map.of(0L, 1f, 10L, 2f, 20L, 3f));
            numbered.close();
            same(OnnxMap.OnnxMapValueType.mapFromInt(3), OnnxMap.OnnxMapValueType.FLOAT);
            same(OnnxMap.OnnxMapValueType.mapFromOnnxJavaType(OnnxJavaType.INT64), OnnxMap.OnnxMapValueType.LONG);
            tensors.close();
        }
    }

    static void sparse_tensors() throws Throwable {
        long[] dense = {3, 3};
        LongBuffer places = ByteBuffer.allocateDirect(16).order(ByteOrder.nativeOrder()).asLongBuffer().put(0, 1).put(1, 5);
        LongBuffer ends = ByteBuffer.allocateDirect(32).order(ByteOrder.nativeOrder()).asLongBuffer()
            .put(0, 0).put(1, 1).put(2, 2).put(3, 2);
        FloatBuffer numbers = ByteBuffer.allocateDirect(8).order(ByteOrder.nativeOrder()).asFloatBuffer().put(0, 7).put(1, 8);
        OnnxSparseTensor.COOTensor coo =
            new OnnxSparseTensor.COOTensor(places, new long[] {2}, numbers, dense, OnnxJavaType.FLOAT, 2);
        same(coo.getDenseShape(), dense);
        same(coo.getType(), OnnxJavaType.FLOAT);
        same(coo.getNumNonZeroElements(), 2L);
        check(coo.getIndices().remaining() == 2 && coo.getValues().remaining() == 2);
        same(coo.getValuesShape(), new long[] {2});
        same(coo.getIndicesShape(), new long[] {2});
        same(coo.getIndicesType(), OnnxJavaType.INT64);
        same(coo.getSparsityType(), OnnxSparseTensor.SparseTensorType.COO);
        try (OnnxSparseTensor tensor = OnnxSparseTensor.createSparseTensor(env, coo)) {
            same(tensor.getType(), OnnxValue.OnnxValueType.ONNX_TYPE_SPARSETENSOR);
            same(tensor.getSparseTensorType(), OnnxSparseTensor.SparseTensorType.COO);
            same(tensor.getInfo().getShape(), dense);
            same(tensor.getValuesShape(), new long[] {2});
            same(tensor.getIndicesShape(), new long[] {2});
            same(((FloatBuffer) tensor.getValuesBuffer()).get(1), 8f);
            same(((LongBuffer) tensor.getIndicesBuffer()).get(1), 5L);
            same(tensor.getValue().getSparsityType(), OnnxSparseTensor.SparseTensorType.COO);
        }
        LongBuffer inner = ByteBuffer.allocateDirect(16).order(ByteOrder.nativeOrder()).asLongBuffer().put(0, 1).put(1, 2);
        OnnxSparseTensor.CSRCTensor csr = new OnnxSparseTensor.CSRCTensor(ends, inner, numbers, dense, OnnxJavaType.FLOAT, 2);
        same(csr.getInnerIndicesShape(), new long[] {2});
        check(csr.getInnerIndices().remaining() == 2 && csr.getIndicesType() == OnnxJavaType.INT64);
        same(csr.getSparsityType(), OnnxSparseTensor.SparseTensorType.CSRC);
        try (OnnxSparseTensor tensor = OnnxSparseTensor.createSparseTensor(env, csr)) {
            same(tensor.getInnerIndicesShape(), new long[] {2});
            same(tensor.getInnerIndicesBuffer().get(1), 2L);
        }
        same(OnnxSparseTensor.SparseTensorType.mapFromInt(4), OnnxSparseTensor.SparseTensorType.BLOCK_SPARSE);
    }

    static void block_sparse_tensors() throws Throwable {
        // two 2 x 2 blocks of a 4 x 4 matrix
        IntBuffer places = ByteBuffer.allocateDirect(16).order(ByteOrder.nativeOrder()).asIntBuffer().put(new int[] {0, 0, 1, 1});
        FloatBuffer numbers = ByteBuffer.allocateDirect(32).order(ByteOrder.nativeOrder()).asFloatBuffer()
            .put(new float[] {1, 2, 3, 4, 5, 6, 7, 8});
        OnnxSparseTensor.BlockSparseTensor blocks = new OnnxSparseTensor.BlockSparseTensor(places.rewind(),
            new long[] {2, 2}, numbers.rewind(), new long[] {2, 2, 2}, new long[] {4, 4}, OnnxJavaType.FLOAT, 8);
        same(blocks.getIndicesType(), OnnxJavaType.INT32);
        same(blocks.getSparsityType(), OnnxSparseTensor.SparseTensorType.BLOCK_SPARSE);
        try (OnnxSparseTensor tensor = OnnxSparseTensor.createSparseTensor(env, blocks)) {
            same(tensor.getValuesShape(), new long[] {2, 2, 2});
            same(((FloatBuffer) tensor.getValuesBuffer()).get(7), 8f);
        }
    }

    // ---- errors, and what needs no library ------------------------------------------------------

    static void refusals() throws Throwable {
        try (OrtSession session = env.createSession(path("digits.onnx"));
                OnnxTensor small = OnnxTensor.createTensor(env, new float[1][1][2][2]);
                OnnxTensor flat = OnnxTensor.createTensor(env, new float[784]);
                OnnxTensor ints = OnnxTensor.createTensor(env, new int[1][1][28][28])) {
            OrtException.OrtErrorCode invalid = OrtException.OrtErrorCode.ORT_INVALID_ARGUMENT;
            refused(invalid, "Got invalid dimensions for input: image", () -> session.run(Map.of("image", small)));
            refused(invalid, "Invalid rank for input: image", () -> session.run(Map.of("image", flat)));
            refused(invalid, "Unexpected input data type", () -> session.run(Map.of("image", ints)));
            refused(() -> session.run(Map.of("nothing", small)));
            refused(() -> session.run(Map.of("image", small), Set.of("nothing")));
            refused(() -> session.run(Map.of()));
        }
        refused(OrtException.OrtErrorCode.ORT_NO_SUCHFILE, "File doesn't exist", () -> env.createSession("/nowhere.onnx"));
        refused(() -> env.createSession(new byte[] {1, 2, 3}));
    }

    static void codes_of_errors() throws Throwable {
        same(new OrtException("x").getCode(), OrtException.OrtErrorCode.ORT_JAVA_UNKNOWN);
        same(new OrtException(2, "x").getCode(), OrtException.OrtErrorCode.ORT_INVALID_ARGUMENT);
        same(OrtException.OrtErrorCode.mapFromInt(3),
            new OrtException(OrtException.OrtErrorCode.ORT_NO_SUCHFILE, "x").getCode());
    }

    static void helpers() throws Throwable {
        long[] shape = {2, 1};
        same(OrtUtil.transformShape(new int[] {2, 1}), shape);
        same(OrtUtil.transformShape(shape), new int[] {2, 1});
        same(OrtUtil.elementCount(shape), 2L);
        check(OrtUtil.validateShape(shape));
        same(OrtUtil.flattenString(new String[][] {{"a"}, {"b"}}), new String[] {"a", "b"});
        same(OrtUtil.newBooleanArray(shape), OrtUtil.reshape(new boolean[2], shape));
        same(OrtUtil.newByteArray(shape), OrtUtil.reshape(new byte[2], shape));
        same(OrtUtil.newShortArray(shape), OrtUtil.reshape(new short[2], shape));
        same(OrtUtil.newIntArray(shape), OrtUtil.reshape(new int[2], shape));
        same(OrtUtil.newLongArray(shape), OrtUtil.reshape(new long[2], shape));
        same(OrtUtil.newFloatArray(shape), OrtUtil.reshape(new float[2], shape));
        same(OrtUtil.newDoubleArray(shape), OrtUtil.reshape(new double[2], shape));
        same(OrtUtil.newStringArray(shape), OrtUtil.reshape(new String[2], shape));
        same(TensorInfo.constructFromJavaArray(new float[2][3]).getNumElements(), 6L);
        TensorInfo info = TensorInfo.constructFromBuffer(IntBuffer.allocate(2), shape, OnnxJavaType.INT32);
        same(((int[][]) info.makeCarrier()).length, 2);
        same(TensorInfo.constructFromSparseTensor(new OnnxSparseTensor.COOTensor(LongBuffer.allocate(1),
            new long[] {1}, FloatBuffer.allocate(1), shape, OnnxJavaType.FLOAT, 1)).getShape(), shape);
        TensorInfo.OnnxTensorType int64 = TensorInfo.OnnxTensorType.mapFromJavaType(OnnxJavaType.INT64);
        same(TensorInfo.OnnxTensorType.mapFromInt(int64.value), int64);
        same(OnnxJavaType.mapFromOnnxTensorType(int64), OnnxJavaType.INT64);
        check(ValueInfo.class.isInstance(info));
        same(OnnxJavaType.mapFromClass(float.class), OnnxJavaType.mapFromInt(1));
        same(Fp16Conversions.fp16ToFloat((short) 0x3c00), 1f);
        same(Fp16Conversions.mlasFp16ToFloat(Fp16Conversions.mlasFloatToFp16(2)), 2f);
        same(Fp16Conversions.bf16ToFloat((short) 0x3f80), 1f);
        same(Fp16Conversions.convertFp16BufferToFloatBuffer(ShortBuffer.wrap(new short[] {0x3c00})).get(0), 1f);
        same(Fp16Conversions.convertBf16BufferToFloatBuffer(ShortBuffer.wrap(new short[] {0x3f80})).get(0), 1f);
    }

    // ---- what was used --------------------------------------------------------------------------

    // "name(parameters)" of the methods, and the names of the classes, in this class's constant pool
    private static Set<String> used() throws Throwable {
        Set<String> found = new HashSet<>();
        try (InputStream file = Everything.class.getResourceAsStream("Everything.class");
                DataInputStream in = new DataInputStream(file)) {
            in.skipBytes(8);
            int n = in.readUnsignedShort();
            String[] texts = new String[n];
            List<int[]> pairs = new ArrayList<>();
            List<Integer> classes = new ArrayList<>();
            for (int i = 1; i < n; i++) {
                int tag = in.readUnsignedByte();
                if (tag == 1) {
                    texts[i] = in.readUTF();
                } else if (tag == 12) {
                    pairs.add(new int[] {in.readUnsignedShort(), in.readUnsignedShort()});
                } else if (tag == 7) {
                    classes.add(in.readUnsignedShort());
                } else {
                    in.skipBytes(tag == 5 || tag == 6 ? 8 : tag == 15 ? 3 : tag == 8 || tag == 16 ? 2 : 4);
                    if (tag == 5 || tag == 6) i++;
                }
            }
            for (int[] pair : pairs) found.add(texts[pair[0]] + texts[pair[1]].replaceFirst("\\).*", ")"));
            for (int i : classes) found.add(texts[i].replace('/', '.'));
        }
        return found;
    }

    private static String form(Method method) {
        StringBuilder text = new StringBuilder(method.getName()).append('(');
        for (Class<?> type : method.getParameterTypes()) text.append(type.descriptorString());
        return text.append(')').toString();
    }

    static void everything_public_was_used() throws Throwable {
        Set<String> used = used();
        List<String> unused = new ArrayList<>();
        Path jar = Path.of(OrtEnvironment.class.getProtectionDomain().getCodeSource().getLocation().toURI());
        List<String> names = new ArrayList<>();
        try (FileSystem files = FileSystems.newFileSystem(jar); var walk = Files.walk(files.getPath("ai"))) {
            walk.filter((p) -> p.toString().endsWith(".class"))
                .forEach((p) -> names.add(p.toString().replace('/', '.').replaceFirst("\\.class$", "")));
        }
        check(names.size() > 50);
        for (String name : names) {
            Class<?> type = Class.forName(name, false, Everything.class.getClassLoader());
            // training is not part of these builds; a supplier is what the package gives itself
            if (!Modifier.isPublic(type.getModifiers()) || name.contains("Training") || name.endsWith("Supplier")) continue;
            if (!used.contains(name) && Arrays.stream(type.getMethods()).noneMatch((m) -> used.contains(form(m))))
                unused.add(name);
            for (Method method : type.getDeclaredMethods())
                if (Modifier.isPublic(method.getModifiers()) && !method.isSynthetic()
                        && !used.contains(form(method)) && !(type.isEnum() && method.getName().matches("values|valueOf")))
                    unused.add(name + "." + form(method));
        }
        if (!unused.isEmpty()) throw new AssertionError("not used: " + String.join("\n", unused));
    }

    public static void main(String[] args) throws Throwable {
        models = Path.of(args[0]).toAbsolutePath();
        try (OrtEnvironment.ThreadingOptions threads = new OrtEnvironment.ThreadingOptions();
                PrintStream results = new PrintStream(args[1])) {
            threads.setGlobalInterOpNumThreads(1);
            threads.setGlobalIntraOpNumThreads(2);
            threads.setGlobalSpinControl(false);
            threads.setGlobalDenormalAsZero();
            env = OrtEnvironment.getEnvironment(OrtLoggingLevel.ORT_LOGGING_LEVEL_WARNING, "java", threads);
            for (Method method : Everything.class.getDeclaredMethods()) {
                if (Modifier.isPrivate(method.getModifiers()) || method.getParameterCount() > 0 || method.isSynthetic()) continue;
                try {
                    method.invoke(null);
                    results.println(method.getName() + "\tpass");
                } catch (Throwable e) {
                    results.println(method.getName() + "\tfail");
                    System.err.print(method.getName() + ": ");
                    (e.getCause() == null ? e : e.getCause()).printStackTrace();
                }
            }
        }
    }
}
