#!/bin/sh
# SPDX-License-Identifier: MIT
# node.sh - does the npm package onnxruntime-node run on our library in place of its own?
#
# BACKPLANE_ORT_NODE, a folder with node_modules/onnxruntime-node in it, may come from outside;
# otherwise the package is installed into the build folder, without running its scripts.

set -u
release=1.30.0
for tool in node npm; do
    command -v $tool >/dev/null || {
        echo "SKIP: no $tool here" >&2
        exit 77
    }
done
if nm -D "$BP_BUILDDIR/runtime/ort/.libs/libonnxruntime.so.1" 2>/dev/null | grep -q ' U __[at]san_init'; then
    echo "SKIP: a program without the sanitizers cannot use a library with them" >&2
    exit 77
fi
dir=$(mktemp -d) || exit 1
trap 'rm -rf "$dir"' EXIT

from=${BACKPLANE_ORT_NODE:-$BP_BUILDDIR/tests/ort/npm}
if [ ! -d "$from/node_modules/onnxruntime-node" ]; then
    mkdir -p "$from" && (cd "$from" && timeout 120 npm install --ignore-scripts --no-audit --no-fund \
        onnxruntime-node@$release >"$dir/npm" 2>&1) || {
        echo "SKIP: npm could not install onnxruntime-node: $(tail -n 1 "$dir/npm")" >&2
        exit 77
    }
fi
for part in onnxruntime-node onnxruntime-common; do
    mkdir -p "$dir/node_modules/$part"
    cp -r "$from/node_modules/$part/." "$dir/node_modules/$part/" || exit 1
done
native=$(find "$dir/node_modules" -path '*linux/x64/libonnxruntime.so.1')
[ -n "$native" ] && [ "$(uname -m)" = x86_64 ] || {
    echo "SKIP: the package has no library for this machine" >&2
    exit 77
}
rm "$native" && cp "$BP_BUILDDIR/runtime/ort/.libs/libonnxruntime.so.1" "$native" || exit 1

cat >"$dir/program.js" <<'END'
const ort = require('onnxruntime-node');
const fs = require('fs');
const assert = require('assert');

const path = process.env.BP_SRCDIR + '/examples/digits/digits.onnx';
const image = (n) => new ort.Tensor('float32', new Float32Array(8 * n).fill(0.5), [1, 1, n, 8]);

async function main() {
    for (const source of [path, new Uint8Array(fs.readFileSync(path))]) {
        const session = await ort.InferenceSession.create(source,
            { executionProviders: ['cpu'], intraOpNumThreads: 2, graphOptimizationLevel: 'all' });
        assert.deepStrictEqual([session.inputNames, session.outputNames], [['image'], ['probability']]);
        assert.deepStrictEqual(session.inputMetadata[0].shape, ['N', 1, 8, 8]);
        const { probability } = await session.run({ image: image(8) }, { tag: 'once' });
        assert.deepStrictEqual(Array.from(probability.dims), [1, 10]);
        assert.ok(Math.abs(probability.data.reduce((a, b) => a + b) - 1) < 1e-5);
        await assert.rejects(session.run({ image: image(4) }), /Got invalid dimensions for input: image/);
        await session.release();
    }
    await assert.rejects(ort.InferenceSession.create('/nowhere.onnx'), /File doesn't exist/);
    console.log('passed');
}
main().catch((error) => { console.error(error); process.exit(1); });
END
(cd "$dir" && node program.js) >"$dir/out" 2>&1
status=$?
cat "$dir/out"
[ $status -eq 0 ] && grep -q passed "$dir/out"
