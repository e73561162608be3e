// SPDX-License-Identifier: MIT
// node.js - onnxruntime-node's sessions: node node.js MODELS writes a line "test<TAB>pass|fail" for each test.
'use strict';
const ort = require('onnxruntime-node');
const assert = require('assert');
const fs = require('fs');
const path = require('path');

const models = process.argv[2];
const digits = path.join(models, 'digits.onnx');
const lit = () => new ort.Tensor('float32', new Float32Array(784).fill(0.5), [1, 1, 28, 28]);
const open = (name, options) => ort.InferenceSession.create(path.join(models, name), options);

// A value of each type that comes back as it went.
const values = {
    float32: Float32Array.of(1.5, -0, Infinity), float64: Float64Array.of(1e300, -2.5, 0),
    int8: Int8Array.of(-128, 0, 127), uint8: Uint8Array.of(0, 1, 255),
    int16: Int16Array.of(-32768, 0, 32767), uint16: Uint16Array.of(0, 1, 65535),
    int32: Int32Array.of(-2147483648, 0, 2147483647), uint32: Uint32Array.of(0, 1, 4294967295),
    int64: BigInt64Array.of(-(2n ** 63n), 0n, 2n ** 63n - 1n), uint64: BigUint64Array.of(0n, 1n, 2n ** 64n - 1n),
    bool: Uint8Array.of(0, 1, 1), float16: Uint16Array.of(0x3c00, 0x8000, 0x7c00),
    string: ['', 'cat', 'größe'],
};

const tests = {
    async session_from_a_path() {
        const session = await ort.InferenceSession.create(digits);
        assert.deepStrictEqual([session.inputNames, session.outputNames], [['image'], ['scores']]);
        await session.release();
    },
    async session_from_bytes() {
        const bytes = new Uint8Array(fs.readFileSync(digits));
        assert.deepStrictEqual((await ort.InferenceSession.create(bytes)).inputNames, ['image']);
        assert.deepStrictEqual((await ort.InferenceSession.create(bytes.buffer)).inputNames, ['image']);
    },
    async session_from_a_part_of_bytes() {
        const bytes = fs.readFileSync(digits), longer = new Uint8Array(bytes.length + 10);
        longer.set(bytes, 3);
        const session = await ort.InferenceSession.create(longer.buffer, 3, bytes.length);
        assert.deepStrictEqual(session.outputNames, ['scores']);
    },
    async metadata_of_inputs_and_outputs() {
        const session = await open('upsample.onnx');
        assert.deepStrictEqual(session.inputMetadata[0],
            { name: 'image', isTensor: true, type: 'float32', shape: ['unk__31', 'unk__32', 'unk__33', 3] });
        assert.deepStrictEqual(session.outputMetadata[0].shape, ['unk__34', 'unk__35', 'unk__36', 3]);
        const containers = await open('containers.onnx');
        assert.deepStrictEqual(containers.outputMetadata.map((m) => m.isTensor), [false, false, false]);
    },
    async a_run_computes() {
        const session = await ort.InferenceSession.create(digits);
        const { scores } = await session.run({ image: lit() });
        assert.deepStrictEqual(Array.from(scores.dims), [1, 10]);
        assert.strictEqual(scores.type, 'float32');
        assert.ok(scores.data.every(Number.isFinite));
    },
    async values_of_every_type_come_back() {
        for (const model of ['types.onnx', 'unsigned.onnx']) {
            const session = await open(model), feeds = {};
            for (const type of session.inputNames)
                feeds[type] = new ort.Tensor(type, values[type], [3]);
            const got = await session.run(feeds);
            for (const [type, { data }] of Object.entries(feeds)) {
                assert.strictEqual(got[type + '_out'].type, type);
                assert.deepStrictEqual(Array.from(got[type + '_out'].data), Array.from(data), type);
            }
        }
    },
    async empty_tensors() {
        const session = await open('types.onnx'), feeds = {};
        for (const type of session.inputNames)
            feeds[type] = new ort.Tensor(type, values[type].slice(0, 0), [0]);
        const got = await session.run(feeds, ['int64_out', 'string_out']);
        assert.deepStrictEqual(Object.keys(got), ['int64_out', 'string_out']);
        for (const { dims, data } of Object.values(got))
            assert.deepStrictEqual([Array.from(dims), data.length], [[0], 0]);
    },
    async an_output_can_be_brought_along() {
        const session = await ort.InferenceSession.create(digits);
        const mine = new ort.Tensor('float32', new Float32Array(10).fill(7), [1, 10]);
        const { scores } = await session.run({ image: lit() }, { scores: mine });
        assert.ok(scores.data.every((x) => x !== 7));
    },
    async options_are_taken() {
        for (const graphOptimizationLevel of ['disabled', 'basic', 'extended', 'layout', 'all'])
            for (const executionMode of ['sequential', 'parallel']) {
                const session = await open('upsample.onnx', {
                    graphOptimizationLevel, executionMode, executionProviders: ['cpu'], intraOpNumThreads: 2,
                    interOpNumThreads: 1, enableCpuMemArena: false, enableMemPattern: false, logId: 'node',
                    logSeverityLevel: 3, logVerbosityLevel: 0, freeDimensionOverrides: { unk__31: 1 },
                    extra: { session: { intra_op: { allow_spinning: '0' } } },
                });
                const image = new ort.Tensor('float32', Float32Array.of(1, 2, 3, 4, 5, 6), [1, 1, 2, 3]);
                const { upsampled } = await session.run({ image });
                assert.deepStrictEqual(Array.from(upsampled.dims), [1, 2, 4, 3]);
                assert.deepStrictEqual(Array.from(upsampled.data.slice(0, 9)), [1, 2, 3, 1, 2, 3, 4, 5, 6]);
            }
    },
    async run_options_are_taken() {
        const session = await ort.InferenceSession.create(digits);
        await session.run({ image: lit() },
            { logSeverityLevel: 2, logVerbosityLevel: 0, tag: 'once', extra: { memory: { enable_memory_arena_shrinkage: '' } } });
    },
    async an_optimised_model_is_saved() {
        const optimizedModelFilePath = path.join(models, 'saved.onnx');
        await open('upsample.onnx', { optimizedModelFilePath, graphOptimizationLevel: 'basic', logSeverityLevel: 3 });
        const session = await ort.InferenceSession.create(optimizedModelFilePath);
        assert.deepStrictEqual(session.inputNames, ['image']);
    },
    async a_profile_is_written() {
        const profileFilePrefix = path.join(models, 'profile');
        const session = await ort.InferenceSession.create(digits, { enableProfiling: true, profileFilePrefix });
        await session.run({ image: lit() });
        session.endProfiling();
        const file = fs.readdirSync(models).find((name) => /^profile.*json$/.test(name));
        assert.ok(JSON.parse(fs.readFileSync(path.join(models, file))).some((event) => event.name === 'model_run'));
    },
    async runs_overlap() {
        const session = await ort.InferenceSession.create(digits);
        const all = await Promise.all(Array.from({ length: 16 }, () => session.run({ image: lit() })));
        all.forEach(({ scores }) => assert.deepStrictEqual(scores.data, all[0].scores.data));
    },
    async a_wrong_size_is_refused() {
        const session = await ort.InferenceSession.create(digits);
        const image = new ort.Tensor('float32', new Float32Array(4), [1, 1, 2, 2]);
        await assert.rejects(session.run({ image }), /Got invalid dimensions for input: image/);
    },
    async a_wrong_rank_is_refused() {
        const session = await ort.InferenceSession.create(digits);
        const image = new ort.Tensor('float32', new Float32Array(4), [4]);
        await assert.rejects(session.run({ image }), /Invalid rank for input: image/);
    },
    async a_wrong_type_is_refused() {
        const session = await ort.InferenceSession.create(digits);
        const image = new ort.Tensor('int32', new Int32Array(784), [1, 1, 28, 28]);
        await assert.rejects(session.run({ image }), /Unexpected input data type/);
    },
    async a_missing_input_is_refused() {
        const session = await ort.InferenceSession.create(digits);
        await assert.rejects(session.run({}), /image/);
    },
    async an_absent_file_is_refused() {
        await assert.rejects(ort.InferenceSession.create('/nowhere.onnx'), /File doesn't exist/);
    },
    async bytes_that_are_no_model_are_refused() {
        await assert.rejects(ort.InferenceSession.create(Uint8Array.of(1, 2, 3, 4, 5, 6, 7, 8)), /./);
    },
    async an_unknown_provider_is_refused() {
        await assert.rejects(ort.InferenceSession.create(digits, { executionProviders: ['abacus'] }), /./);
    },
    async a_released_session_is_refused() {
        const session = await ort.InferenceSession.create(digits);
        await session.release();
        await assert.rejects(session.run({ image: lit() }), /./);
    },
    async backends_are_listed() {
        assert.ok(ort.listSupportedBackends().some(({ name, bundled }) => name === 'cpu' && bundled));
    },
};

(async () => {
    for (const [name, test] of Object.entries(tests)) {
        try {
            await test();
            console.log(`${name}\tpass`);
        } catch (error) {
            console.log(`${name}\tfail`);
            console.error(`${name}:`, error);
        }
    }
})();
