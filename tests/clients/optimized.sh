#!/bin/sh
# SPDX-License-Identifier: MIT
# optimized.sh - ONNX Runtime loads what `backplane optimize` saves and computes the same.
#
# Further models to try: BACKPLANE_MODELS, a folder with mnist/model.onnx in it.

. "$BP_SRCDIR/tests/clients/lib.sh"
backplane=${BACKPLANE_BIN:-$BP_BUILDDIR/tools/backplane}
need node npm
"$backplane" --quiet providers cpu || skip "the cpu provider is not usable"
find_peer
[ -n "$peer" ] || skip "$reason"
ln -s "$cache/onnxruntime-node-$peer_release/node_modules" "$dir/node_modules"

cat >"$dir/compare.js" <<'END'
// node compare.js MODEL OTHER: fed with the same numbers, both give the same.
const ort = require('onnxruntime-node');
const assert = require('assert');

async function run(path) {
    const session = await ort.InferenceSession.create(path, { graphOptimizationLevel: 'disabled' });
    const feeds = {};

    session.inputMetadata.forEach((input) => {
        const dims = input.shape.map((size) => (typeof size === 'number' && size > 0 ? size : 2));
        const data = new Float32Array(dims.reduce((a, b) => a * b, 1));

        assert.strictEqual(input.type, 'float32');
        data.forEach((_, i) => { data[i] = Math.sin(i * 0.37); });
        feeds[input.name] = new ort.Tensor('float32', data, dims);
    });
    return session.run(feeds);
}

async function main() {
    const [want, got] = [await run(process.argv[2]), await run(process.argv[3])];

    assert.deepStrictEqual(Object.keys(got), Object.keys(want));
    for (const name of Object.keys(want)) {
        assert.deepStrictEqual(Array.from(got[name].dims), Array.from(want[name].dims));
        assert.ok(want[name].data.length > 0);
        want[name].data.forEach((x, i) => {
            const y = got[name].data[i];

            assert.ok(Math.abs(x - y) <= 1e-4 + 1e-4 * Math.abs(x), `${name}[${i}]: ${y}, not ${x}`);
        });
    }
    console.log('same');
}
main().catch((error) => { console.error(error); process.exit(1); });
END

status=0
try() # MODEL
{
    for level in none basic extended; do
        "$backplane" -q optimize -f --level $level --external-data "$1" -o "$dir/$level.onnx" &&
            (cd "$dir" && node compare.js "$1" "$dir/$level.onnx") \
                >"$dir/out" 2>&1 &&
            grep -q same "$dir/out" || {
            echo "FAILED: $1 at level $level" >&2
            cat "$dir/out" >&2
            status=1
        }
    done
}

try "$BP_SRCDIR/examples/digits/digits.onnx"
if [ -n "${BACKPLANE_MODELS-}" ]; then
    try "$BACKPLANE_MODELS/mnist/model.onnx"
fi
exit $status
