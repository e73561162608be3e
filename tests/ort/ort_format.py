# SPDX-License-Identifier: MIT
"""ort_format.py - for ort_format.sh: what ONNX Runtime makes of models, and what it gets of ours.

prepare MODEL DIR    runs MODEL without optimisation, which makes quantised models differ by some
                     steps; writes feeds to DIR/in_I.npy, results to DIR/out_I.npy, and lists of
                     names to DIR/inputs and DIR/outputs
check FILE DIR       runs FILE, which is to give the same
quantize MODEL OUT   writes a quantised MODEL, with QuantizeLinear and DequantizeLinear
"""
import os
import sys

import numpy as np
import onnxruntime as ort

TYPES = {'tensor(float)': np.float32, 'tensor(int64)': np.int64, 'tensor(int32)': np.int32,
         'tensor(uint8)': np.uint8, 'tensor(bool)': np.bool_}


def open_session(path):
    options = ort.SessionOptions()
    options.graph_optimization_level = ort.GraphOptimizationLevel.ORT_DISABLE_ALL
    options.log_severity_level = 3
    return ort.InferenceSession(path, options, providers=['CPUExecutionProvider'])


def make_feed(i):
    # silero_vad has free sizes that only its own will do for, and a sampling rate
    sizes = {'input': [1, 512], 'state': [2, 1, 128]} if i.name in ('input', 'state') else {}
    if i.name == 'sr':
        return np.array(16000, np.int64)
    shape = [d if isinstance(d, int) else 1 for d in i.shape]
    if shape != i.shape and len(sizes.get(i.name, [])) == len(shape):
        shape = sizes[i.name]
    count = int(np.prod(shape))
    return np.sin(np.arange(count) * 0.37).reshape(shape).astype(TYPES[i.type])


def prepare(path, folder):
    session = open_session(path)
    feeds = {i.name: make_feed(i) for i in session.get_inputs()}
    results = session.run(None, feeds)
    with open(os.path.join(folder, 'inputs'), 'w') as names:
        for i, (name, value) in enumerate(feeds.items()):
            np.save(os.path.join(folder, f'in_{i}.npy'), value)
            names.write(name + '\n')
    with open(os.path.join(folder, 'outputs'), 'w') as names:
        for i, (output, value) in enumerate(zip(session.get_outputs(), results)):
            np.save(os.path.join(folder, f'out_{i}.npy'), value)
            names.write(output.name + '\n')


def check(path, folder):
    def names(what):
        with open(os.path.join(folder, what)) as lines:
            return lines.read().splitlines()
    session = open_session(path)
    feeds = {name: np.load(os.path.join(folder, f'in_{i}.npy'))
             for i, name in enumerate(names('inputs'))}
    assert [o.name for o in session.get_outputs()] == names('outputs')
    for i, got in enumerate(session.run(None, feeds)):
        want = np.load(os.path.join(folder, f'out_{i}.npy'))
        assert got.shape == want.shape and got.dtype == want.dtype
        worst = float(np.abs(got.astype(np.float64) - want).max())
        assert worst <= 1e-4 * max(1.0, float(np.abs(want).max())), f'{path}: off by {worst}'


def quantize(path, out):
    from onnxruntime import quantization

    class Reader(quantization.CalibrationDataReader):
        def __init__(self):
            inputs = open_session(path).get_inputs()
            self.rows = iter([{i.name: make_feed(i) for i in inputs}])

        def get_next(self):
            return next(self.rows, None)
    quantization.quantize_static(path, out, Reader(), op_types_to_quantize=['Conv', 'MatMul', 'Gemm'])


{'prepare': prepare, 'check': check, 'quantize': quantize}[sys.argv[1]](*sys.argv[2:])
