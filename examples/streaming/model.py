# SPDX-License-Identifier: MIT
"""model.py - writes streaming.onnx, which tells of each chunk of sound how likely it is not silence.

    python3 model.py [FILE]

It averages the energy of chunks, half of it from the one before, and compares its level with -40 dB of
full scale. The average is the state.
"""

import math
import os
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), '..', 'common'))
from onnx_writer import (FLOAT, INT64, node, tensor, tensor_type, value, write_model)

initializers = [
    tensor('samples', [1], [1], INT64),
    tensor('half', [0.5], [1]),
    tensor('tiny', [1e-12], [1]),
    tensor('decibels', [10 / math.log(10)], [1]),
    tensor('threshold', [40.0], [1]),
    tensor('steepness', [0.3], [1]),
]
nodes = [
    node('Mul', 'input input', 'squares'),
    node('ReduceMean', 'squares samples', 'energy', keepdims=1),
    node('Add', 'energy state', 'sum'),
    node('Mul', 'sum half', 'stateN'),
    node('Add', 'stateN tiny', 'positive'),
    node('Log', 'positive', 'logarithm'),
    node('Mul', 'logarithm decibels', 'level'),
    node('Add', 'level threshold', 'above'),
    node('Mul', 'above steepness', 'steep'),
    node('Sigmoid', 'steep', 'output'),
]
write_model(
    sys.argv[1] if len(sys.argv) > 1 else os.path.join(os.path.dirname(__file__), 'streaming.onnx'),
    'streaming',
    [value('input', tensor_type(FLOAT, ['batch', 'samples'])),
     value('state', tensor_type(FLOAT, ['batch', 1]))],
    [value('output', tensor_type(FLOAT, ['batch', 1])),
     value('stateN', tensor_type(FLOAT, ['batch', 1]))],
    nodes, initializers)
