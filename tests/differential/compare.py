# SPDX-License-Identifier: MIT
"""compare.py - runs a model here, on ONNX Runtime and on ONNX's reference, and compares what they give."""

import os
import sys

import numpy
import onnx
import onnx.reference
import onnxruntime

import ctypes_module as ours

onnxruntime.set_default_logger_severity(4)
ours.set_default_logger_severity(4)
# allowed difference: relative, and of the largest element
TOLERANCES = {numpy.dtype(numpy.float16): (1e-2, 5e-3), numpy.dtype(numpy.float32): (2e-3, 1e-4),
              numpy.dtype(numpy.float64): (1e-5, 1e-6)}
# one unit: the sum before the rounding may be in another order
ROUNDED = {"QuantizeLinear", "DynamicQuantizeLinear", "QLinearConv", "QLinearMatMul", "QLinearAdd",
           "QLinearMul", "QLinearSigmoid", "QLinearLeakyRelu", "QLinearAveragePool", "QLinearSoftmax",
           "QLinearGlobalAveragePool", "QLinearConcat", "QGemm", "Resize"}


class Refused(Exception):
    """A library that gives a status."""


class Progress:
    """Which seed runs on which library, in a file: after a crash it tells who and what."""

    def __init__(self, path):
        self.file = os.open(path, os.O_CREAT | os.O_RDWR, 0o644) if path else -1
        self.seed = 0

    def at(self, what):
        if self.file >= 0:
            os.pwrite(self.file, b"%-40s" % ("%d %s" % (self.seed, what)).encode(), 0)


progress = Progress(None)


def _run(module, label, model, feeds):
    options = module.SessionOptions()
    options.intra_op_num_threads = 1
    options.log_severity_level = 4
    progress.at(label)
    try:
        session = module.InferenceSession(model.SerializeToString(), options,
                                          providers=["CPUExecutionProvider"])
        return session.run(None, feeds)
    except Exception as error:  # pylint: disable=broad-except
        if isinstance(error, (TypeError, KeyError, StopIteration, AttributeError)):
            raise  # not the library
        raise Refused(" ".join(str(error).split())) from None
    finally:
        progress.at("-")


def here(model, feeds):
    return _run(ours, "ours", model, feeds)


def there(model, feeds):
    return _run(onnxruntime, "theirs", model, feeds)


def reference(model, feeds):
    """What ONNX's reference gives; None if it cannot."""
    try:
        with numpy.errstate(all="ignore"):
            return onnx.reference.ReferenceEvaluator(model).run(None, feeds)
    except Exception:  # pylint: disable=broad-except
        return None


def _differs_float(a, b):
    relative, of_largest = TOLERANCES[a.dtype]
    a, b = a.astype(numpy.float64), b.astype(numpy.float64)
    if relative == TOLERANCES[numpy.dtype(numpy.float16)][0]:  # 65504 and infinity are neighbours
        a, b = (numpy.where(abs(x) >= 65472, numpy.copysign(numpy.inf, x), x) for x in (a, b))
    finite = numpy.isfinite(a) & numpy.isfinite(b)
    with numpy.errstate(all="ignore"):
        largest = abs(b[finite]).max() if finite.any() else 0
        near = abs(a - b) <= relative * abs(b) + of_largest * min(largest, 1e6) + 1e-7
    same = numpy.where(finite, near, (a == b) | (numpy.isnan(a) & numpy.isnan(b)))
    return None if same.all() else "%s is %s, not %s" % tuple(
        [list(map(int, numpy.argwhere(~same)[0])), a[~same][0], b[~same][0]])


def differs(a, b, units=0):
    """How the array a differs from b, in words; None if it does not."""
    if isinstance(a, (list, dict)) or isinstance(b, (list, dict)):
        return None if str(a) == str(b) else "%s, not %s" % (a, b)
    a, b = numpy.asarray(a), numpy.asarray(b)
    if a.dtype != b.dtype and not (a.dtype.kind in "OU" and b.dtype.kind in "OU"):
        return "type %s, not %s" % (a.dtype, b.dtype)
    if a.shape != b.shape:
        return "shape %s, not %s" % (list(a.shape), list(b.shape))
    if a.dtype in TOLERANCES:
        return _differs_float(a, b)
    with numpy.errstate(all="ignore"):
        if units and a.dtype.kind in "iu":
            same = abs(a.astype(numpy.float64) - b.astype(numpy.float64)) <= units
        else:
            same = numpy.asarray(a == b)
    if same.all():
        return None
    return "%s is %s, not %s" % (list(map(int, numpy.argwhere(~same)[0])), a[~same][0], b[~same][0])


def first_difference(left, right, model):
    operators = {node.op_type for node in model.graph.node}
    units = 1 if operators & ROUNDED else 0
    for output, a, b in zip(model.graph.output, left, right):
        found = differs(a, b, units)
        if found:
            return "%s: %s" % (output.name, found)
    return None


def _kinds(array):
    """What is special about an array, in words."""
    words = []
    if array.size == 0:
        words.append("empty")
    elif array.dtype.kind == "f":
        words += ["nan"] if numpy.isnan(array).any() else []
        words += ["inf"] if numpy.isinf(array).any() else []
    elif array.dtype.kind in "iu":
        words += ["zeros"] if (array == 0).any() else []
        words += ["extreme"] if abs(array.astype(numpy.float64)).max() > 100 else []
    return words


def describe(model, feeds):
    """The nodes, their attributes and the inputs on one line: what known.tsv is matched with."""
    texts = []
    for node in model.graph.node:
        attributes = " ".join("%s=%s" % (a.name, _attribute(a)) for a in node.attribute)
        name = node.domain + "." + node.op_type if node.domain else node.op_type
        texts.append("%s(%s%s)" % (name, ", ".join(node.input), "; " + attributes if attributes else ""))
    arrays = {c.name: onnx.numpy_helper.to_array(c) for c in model.graph.initializer}
    arrays.update(feeds)
    values = ["%s:%s%s%s" % (name, array.dtype, list(array.shape), "".join(" " + w for w in _kinds(array)))
              for name, array in arrays.items()]
    opset = next(i.version for i in model.opset_import if not i.domain)
    return "%s | %s | opset %d" % (" ".join(texts), ", ".join(values), opset)


def _attribute(attribute):
    if attribute.type == onnx.AttributeProto.GRAPH:
        return "{" + " ".join(node.op_type for node in attribute.g.node) + "}"
    value = onnx.helper.get_attribute_value(attribute)
    return value.decode() if isinstance(value, bytes) else str(value).replace("\n", " ")[:60]


def compare(model, feeds, theirs=None):
    """The verdict, the reason, and what ONNX Runtime gives (None if it refuses)."""
    refusal = None
    if theirs is None:
        try:
            theirs = there(model, feeds)
        except Refused as error:
            refusal = str(error)
    try:
        own = here(model, feeds)
    except Refused as error:
        if refusal:
            return "both refuse", str(error), None
        return "ours refuses", str(error), theirs
    if refusal:
        return "theirs refuses", refusal, None
    found = first_difference(own, theirs, model)
    if not found:
        return "same", "", theirs
    expected = reference(model, feeds)
    if expected is None:
        return "ours wrong", found + " (no reference)", theirs
    if not first_difference(own, expected, model):
        return "theirs wrong", found, theirs
    agrees = not first_difference(expected, theirs, model)
    return "ours wrong", found + (" (reference agrees with theirs)" if agrees
                                  else " (reference has a third result)"), theirs


def fail(text):
    print("FAILED: " + text, file=sys.stderr)
    sys.exit(1)
