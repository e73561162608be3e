# SPDX-License-Identifier: MIT
"""model.py - writes decode.onnx, a model of GPT-2's structure and interface with random weights.

    python3 model.py [FILE]

Two layers, two heads of 8, 64 tokens, positions up to 128. The weights come from a fixed sequence, so
that the file is the same wherever it is made.
"""

import os
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), '..', 'common'))
from onnx_writer import (FLOAT, INT64, node, tensor, tensor_type, value, write_model)

LAYERS, HEADS, SIZE, TOKENS, POSITIONS = 2, 2, 8, 64, 128
WIDTH = HEADS * SIZE

state = 1


def weights(count, scale):
    """So many numbers from -scale to scale."""
    global state
    out = []
    for _ in range(count):
        state = (state * 1664525 + 1013904223) % (1 << 32)
        out.append(scale * ((state >> 8) / (1 << 23) - 1))
    return out


def linear(name, x, y, n_in, n_out, scale):
    initializers.append(tensor(f'{name}.w', weights(n_in * n_out, scale), [n_in, n_out]))
    initializers.append(tensor(f'{name}.b', weights(n_out, 0.1), [n_out]))
    nodes.append(node('MatMul', f'{x} {name}.w', f'{name}.product'))
    nodes.append(node('Add', f'{name}.product {name}.b', y))


def norm(name, x, y):
    initializers.append(tensor(f'{name}.scale', [1.0] * WIDTH, [WIDTH]))
    initializers.append(tensor(f'{name}.shift', [0.0] * WIDTH, [WIDTH]))
    nodes.append(node('LayerNormalization', f'{x} {name}.scale {name}.shift', y, axis=-1))


def layer(i, x, y):
    """Attention over the cache and the new tokens, then a perceptron."""
    p = f'layer{i}'
    norm(f'{p}.norm1', x, f'{p}.normal1')
    linear(f'{p}.qkv', f'{p}.normal1', f'{p}.qkv', WIDTH, 3 * WIDTH, 0.8)
    nodes.append(node('Split', f'{p}.qkv', f'{p}.q {p}.k {p}.v', axis=-1, num_outputs=3))
    for part in 'qkv':
        nodes.append(node('Reshape', f'{p}.{part} heads', f'{p}.{part}.split'))
        nodes.append(node('Transpose', f'{p}.{part}.split', f'{p}.{part}.heads', perm=[0, 2, 1, 3]))
    # the cache is [2, batch, heads, tokens, size]: keys, then values
    nodes.append(node('Unsqueeze', f'{p}.k.heads first', f'{p}.k.new'))
    nodes.append(node('Unsqueeze', f'{p}.v.heads first', f'{p}.v.new'))
    nodes.append(node('Concat', f'{p}.k.new {p}.v.new', f'{p}.new', axis=0))
    nodes.append(node('Concat', f'past_{i} {p}.new', f'present_{i}', axis=3))
    nodes.append(node('Gather', f'present_{i} zero', f'{p}.keys', axis=0))
    nodes.append(node('Gather', f'present_{i} one', f'{p}.values', axis=0))
    nodes.append(node('Transpose', f'{p}.keys', f'{p}.keys.turned', perm=[0, 1, 3, 2]))
    nodes.append(node('MatMul', f'{p}.q.heads {p}.keys.turned', f'{p}.products'))
    nodes.append(node('Mul', f'{p}.products scale', f'{p}.scores'))
    nodes.append(node('Add', f'{p}.scores bias', f'{p}.scores.masked'))
    nodes.append(node('Softmax', f'{p}.scores.masked', f'{p}.shares', axis=-1))
    nodes.append(node('MatMul', f'{p}.shares {p}.values', f'{p}.mixed'))
    nodes.append(node('Transpose', f'{p}.mixed', f'{p}.mixed.turned', perm=[0, 2, 1, 3]))
    nodes.append(node('Reshape', f'{p}.mixed.turned flat', f'{p}.flat'))
    linear(f'{p}.out', f'{p}.flat', f'{p}.attention', WIDTH, WIDTH, 0.5)
    nodes.append(node('Add', f'{x} {p}.attention', f'{p}.middle'))
    norm(f'{p}.norm2', f'{p}.middle', f'{p}.normal2')
    linear(f'{p}.up', f'{p}.normal2', f'{p}.wide', WIDTH, 4 * WIDTH, 0.5)
    nodes.append(node('Gelu', f'{p}.wide', f'{p}.active', approximate='tanh'))
    linear(f'{p}.down', f'{p}.active', f'{p}.perceptron', 4 * WIDTH, WIDTH, 0.5)
    nodes.append(node('Add', f'{p}.middle {p}.perceptron', y))


initializers = [
    tensor('tokens', weights(TOKENS * WIDTH, 1.0), [TOKENS, WIDTH]),
    tensor('positions', weights(POSITIONS * WIDTH, 1.0), [POSITIONS, WIDTH]),
    tensor('scale', [SIZE ** -0.5], [1]),
    tensor('forbidden', [-1e9], [1]),
    tensor('allowed', [0.0], [1]),
    tensor('heads', [0, 0, HEADS, SIZE], [4], INT64),
    tensor('flat', [0, 0, WIDTH], [3], INT64),
    tensor('first', [0], [1], INT64),
    tensor('zero', [0], [], INT64),
    tensor('one', [1], [], INT64),
    tensor('last_of_mask', [1], [1], INT64),
]
nodes = [
    node('Gather', 'tokens input_ids', 'of_tokens', axis=0),
    node('Gather', 'positions position_ids', 'of_positions', axis=0),
    node('Add', 'of_tokens of_positions', 'x0'),
    # a token sees those up to its own position: bias [1, 1, new tokens, all tokens]
    node('Shape', 'attention_mask', 'n_all', start=1, end=2),
    node('Squeeze', 'n_all', 'n_all.scalar'),
    node('Range', 'zero n_all.scalar one', 'all'),
    node('Unsqueeze', 'position_ids last', 'own'),
    node('Greater', 'all own', 'is_later'),
    node('Where', 'is_later forbidden allowed', 'bias.flat'),
    node('Unsqueeze', 'bias.flat last_of_mask', 'bias'),
]
initializers.append(tensor('last', [2], [1], INT64))
for i in range(LAYERS):
    layer(i, f'x{i}', f'x{i + 1}')
norm('norm', f'x{LAYERS}', 'normal')
initializers.append(tensor('words', weights(WIDTH * TOKENS, 1.0), [WIDTH, TOKENS]))
nodes.append(node('MatMul', 'normal words', 'logits'))

cache = [2, 'batch', HEADS, 'past', SIZE]
grown = [2, 'batch', HEADS, 'all', SIZE]
write_model(
    sys.argv[1] if len(sys.argv) > 1 else os.path.join(os.path.dirname(__file__), 'decode.onnx'), 'decode',
    [value('input_ids', tensor_type(INT64, ['batch', 'new'])),
     value('position_ids', tensor_type(INT64, ['batch', 'new'])),
     value('attention_mask', tensor_type(INT64, ['batch', 'all']))] +
    [value(f'past_{i}', tensor_type(FLOAT, cache)) for i in range(LAYERS)],
    [value('logits', tensor_type(FLOAT, ['batch', 'new', TOKENS]))] +
    [value(f'present_{i}', tensor_type(FLOAT, grown)) for i in range(LAYERS)],
    nodes, initializers)
