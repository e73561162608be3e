# SPDX-License-Identifier: MIT
"""onnx_writer.py - writes ONNX models with nothing but Python's own library.

The scripts that make the examples' models use it; others would take the package onnx.
"""

import struct

FLOAT, INT64, STRING = 1, 7, 8  # TensorProto.DataType


def varint(value):
    """An integer as protobuf writes it; negative ones have ten bytes."""
    value &= (1 << 64) - 1
    out = bytearray()
    while value > 127:
        out.append(value & 127 | 128)
        value >>= 7
    out.append(value)
    return bytes(out)


def number(field, value):
    return varint(field << 3) + varint(value)


def block(field, content):
    """A field of bytes, text or a message."""
    content = content.encode() if isinstance(content, str) else bytes(content)
    return varint(field << 3 | 2) + varint(len(content)) + content


def tensor(name, values, dims, dtype=FLOAT):
    """A TensorProto."""
    out = b''.join(number(1, size) for size in dims) + number(2, dtype) + block(8, name)
    if dtype == STRING:
        return out + b''.join(block(6, text) for text in values)
    code = {FLOAT: 'f', INT64: 'q'}[dtype]
    return out + block(9, struct.pack(f'<{len(values)}{code}', *values))


def attribute(name, value):
    """An AttributeProto; bytes are a TensorProto, lists have one kind of items."""
    out = block(1, name)
    if isinstance(value, bytes):
        return out + block(5, value) + number(20, 4)
    if isinstance(value, str):
        return out + block(4, value) + number(20, 3)
    if isinstance(value, float):
        return out + varint(2 << 3 | 5) + struct.pack('<f', value) + number(20, 1)
    if isinstance(value, int):
        return out + number(3, value) + number(20, 2)
    if isinstance(value[0], str):
        return out + b''.join(block(9, text) for text in value) + number(20, 8)
    if isinstance(value[0], float):
        return out + block(7, struct.pack(f'<{len(value)}f', *value)) + number(20, 6)
    return out + b''.join(number(8, item) for item in value) + number(20, 7)


def node(op, inputs, outputs, domain='', **attributes):
    """A NodeProto; inputs and outputs are names with spaces between. It has the name of its first output."""
    out = b''.join(block(1, name) for name in inputs.split())
    out += b''.join(block(2, name) for name in outputs.split())
    out += block(3, outputs.split()[0]) + block(4, op)
    out += b''.join(block(5, attribute(name, value)) for name, value in attributes.items())
    return out + (block(7, domain) if domain else b'')


def tensor_type(dtype, dims):
    """A TypeProto; a size is a number or a name."""
    sizes = b''.join(block(1, block(2, size) if isinstance(size, str) else number(1, size))
                     for size in dims)
    return block(1, number(1, dtype) + block(2, sizes))


def sequence_type(item):
    return block(4, block(1, item))


def map_type(key, value):
    return block(5, number(1, key) + block(2, value))


def value(name, type_proto):
    """A ValueInfoProto."""
    return block(1, name) + block(2, type_proto)


def write_model(path, name, inputs, outputs, nodes, initializers=(), opsets=(('', 20),)):
    """Writes the file; all items are messages of the functions above."""
    graph = b''.join(block(1, item) for item in nodes) + block(2, name)
    graph += b''.join(block(5, item) for item in initializers)
    graph += b''.join(block(11, item) for item in inputs)
    graph += b''.join(block(12, item) for item in outputs)
    model = number(1, 9) + block(2, 'Backplane examples') + block(7, graph)
    for domain, version in opsets:
        model += block(8, (block(1, domain) if domain else b'') + number(2, version))
    with open(path, 'wb') as file:
        file.write(model)
