# SPDX-License-Identifier: MIT
"""graphs.py - random graphs: values with what they hold, steps of one or a few nodes, ONNX models.

A step is what a maker of an operator adds: nodes that only that step reads in between, and the values
it gives. What each value holds is known, so that any steps of a graph make a model of their own.
"""

import numpy
import onnx
from onnx import helper, numpy_helper

FLOATS = (numpy.float32, numpy.float32, numpy.float32, numpy.float64, numpy.float16)
INTEGERS = (numpy.int64, numpy.int32, numpy.int8, numpy.uint8, numpy.int16, numpy.uint16,
            numpy.uint32, numpy.uint64)
BY_TEXT = {
    "tensor(float)": numpy.float32, "tensor(double)": numpy.float64, "tensor(float16)": numpy.float16,
    "tensor(int64)": numpy.int64, "tensor(int32)": numpy.int32, "tensor(int16)": numpy.int16,
    "tensor(int8)": numpy.int8, "tensor(uint64)": numpy.uint64, "tensor(uint32)": numpy.uint32,
    "tensor(uint16)": numpy.uint16, "tensor(uint8)": numpy.uint8, "tensor(bool)": numpy.bool_,
    "tensor(string)": numpy.object_,
}
MOST_ELEMENTS = 4096  # of a value that later steps may read
DOMAINS = {"": None, "ai.onnx.ml": 3, "com.microsoft": 1}
TREES_IN_ONE = 5  # the version of ai.onnx.ml that has TreeEnsemble in place of the older two


def element(array):
    return 8 if array.dtype == object else helper.np_dtype_to_tensor_dtype(array.dtype)


class Step:
    def __init__(self):
        self.nodes = []
        self.reads = []
        self.gives = []


class Graph:
    """A graph that grows; makers call the functions of its second part."""

    def __init__(self, seed, opset):
        self.rng = numpy.random.default_rng(seed)
        self.opset = opset
        self.domains = dict(DOMAINS)
        if self.chance(0.3):
            self.domains["ai.onnx.ml"] = TREES_IN_ONE
        self.values = {}
        self.kinds = {}  # of values that no step gives: constant, input, or free (sizes have names)
        self.steps = []
        self.step = None
        self.n_names = 0

    # ---- models ----

    def model(self, steps, outputs, values=None, typed=True):
        """A model of these steps and what feeds it; values of other steps are inputs."""
        values = values or self.values
        given = {name for step in steps for name in step.gives}
        reads = [name for step in steps for name in step.reads if name not in given]
        inputs, constants, feeds = [], [], {}
        for name in dict.fromkeys(reads):
            array, kind = values[name], self.kinds.get(name, "input")
            if kind == "constant":
                constants.append(numpy_helper.from_array(array, name))
                continue
            shape = ["%s_%d" % (name, i) if kind == "free" else size for i, size in enumerate(array.shape)]
            inputs.append(helper.make_tensor_value_info(name, element(array), shape))
            feeds[name] = array
        infos = [helper.make_tensor_value_info(name, element(values[name]), None) if typed
                 else onnx.ValueInfoProto(name=name) for name in outputs]
        graph = helper.make_graph([node for step in steps for node in step.nodes], "random", inputs,
                                  infos, constants)
        used = {node.domain for step in steps for node in step.nodes}
        imports = [helper.make_opsetid("", self.opset)]
        imports += [helper.make_opsetid(domain, self.domains[domain]) for domain in sorted(used) if domain]
        return helper.make_model(graph, opset_imports=imports, ir_version=10, producer_name="backplane"), feeds

    def leaves(self, steps):
        """What these steps give that none of them reads."""
        reads = {name for step in steps for name in step.reads}
        return [name for step in steps for name in step.gives if name not in reads]

    # ---- for makers ----

    def chance(self, of_1):
        return self.rng.random() < of_1

    def int(self, low, high):
        """From low to high, both included."""
        return int(self.rng.integers(low, high + 1))

    def choice(self, items):
        return items[int(self.rng.integers(len(items)))]

    def float_type(self):
        return self.choice(FLOATS)

    def types(self, name, i=0, domain="", among=None):
        """numpy's types that the schema takes for input i."""
        schema = onnx.defs.get_schema(name, self.domains[domain] or self.opset, domain)
        formal = schema.inputs[min(i, len(schema.inputs) - 1)]
        found = [BY_TEXT[text] for text in sorted(formal.types) if text in BY_TEXT]
        return [dtype for dtype in found if among is None or dtype in among]

    def type_of(self, name, i=0, domain=""):
        """One of them, float32 more often than each other."""
        found = self.types(name, i, domain)
        if numpy.float32 in found and self.chance(0.5):
            return numpy.float32
        return self.choice(found)

    def new_shape(self, rank=None):
        rank = self.choice([0, 1, 1, 2, 2, 3, 3, 4]) if rank is None else rank
        shape = [self.int(1, 6) for _ in range(rank)]
        if rank and self.chance(0.03):
            shape[self.int(0, rank - 1)] = 0
        return tuple(shape)

    def _floats(self, shape, dtype):
        array = numpy.asarray(self.rng.normal(0, 2, shape))
        if self.chance(0.3):
            array = numpy.round(array * 2) / 2  # ties of roundings, equal elements
        if array.size and self.chance(0.06):
            special = self.choice([numpy.nan, numpy.inf, -numpy.inf, -0.0, 1e4, 1e-7])
            array.flat[self.int(0, array.size - 1)] = special
        return array.astype(dtype)

    def array(self, dtype, shape, low=None, high=None):
        """Elements of our choice, or from low to high, both included."""
        dtype = numpy.dtype(dtype)
        if low is not None:
            if dtype.kind == "f":
                return numpy.asarray(self.rng.uniform(low, high, shape)).astype(dtype)
            return numpy.asarray(self.rng.integers(low, high + 1, shape)).astype(dtype)
        if dtype.kind == "f":
            return self._floats(shape, dtype)
        if dtype == bool:
            return numpy.asarray(self.rng.random(shape) < 0.5)
        if dtype == object:
            words = numpy.array(["", "a", "b c", "Backplane", "ß", "10", "-2.5", "a b  c"], dtype=object)
            return numpy.asarray(words[self.rng.integers(0, len(words), shape)], dtype=object).reshape(shape)
        if self.chance(0.1):
            limits = numpy.iinfo(dtype)
            return numpy.asarray(self.rng.integers(limits.min, limits.max, shape, dtype, endpoint=True))
        return numpy.asarray(self.rng.integers(-9 if dtype.kind == "i" else 0, 10, shape)).astype(dtype)

    def _name(self):
        self.n_names += 1
        return "v%d" % self.n_names

    def leaf(self, array, kind=None):
        """A value that no step gives: a constant, or an input."""
        name = self._name()
        self.values[name] = array
        self.kinds[name] = kind or self.choice(["constant", "input", "input", "free"])
        return self.read(name)

    def read(self, name):
        self.step.reads.append(name)
        return name

    def const(self, items, dtype=numpy.int64):
        """Sizes, axes and the like: now and then an input."""
        return self.leaf(numpy.array(items, dtype), "input" if self.chance(0.15) else "constant")

    def tensor(self, dtype, shape=None, rank=None, ranks=None):
        """A value of another step where there is one, else a new one."""
        dtype = numpy.dtype(dtype)
        found = [name for name, array in self.values.items()
                 if array.dtype == dtype and (shape is None or array.shape == tuple(shape))
                 and (rank is None or array.ndim == rank) and (ranks is None or array.ndim in ranks)
                 and self.kinds.get(name) != "constant"]
        if found and self.chance(0.7):
            return self.read(self.choice(found))
        if shape is None:
            shape = self.new_shape(self.choice(list(ranks)) if ranks else rank)
        return self.leaf(self.array(dtype, shape))

    def new(self, dtype, shape, low=None, high=None, kind=None):
        return self.leaf(self.array(dtype, shape, low, high), kind)

    def shape(self, name):
        return self.values[name].shape

    def dtype(self, name):
        return self.values[name].dtype

    def broadcastable(self, shape):
        """A shape that broadcasts to this one."""
        cut = self.int(0, len(shape)) if self.chance(0.4) else 0
        return tuple(1 if self.chance(0.2) else size for size in shape[cut:])

    def attributes(self, **given):
        """Those that are not None."""
        return {key: value for key, value in given.items() if value is not None}

    def node(self, operator, inputs, n=1, domain="", **attributes):
        names = [self._name() for _ in range(n)]
        attributes = self.attributes(**attributes)
        self.step.nodes.append(helper.make_node(operator, inputs, names, domain=domain, **attributes))
        return names[0] if n == 1 else names

    # ---- growth ----

    def begin(self):
        self.step = Step()
        return self.step

    def end(self):
        """The step's values are those that no node of it reads."""
        step = self.step
        read = {name for node in step.nodes for name in node.input}
        step.gives = [name for node in step.nodes for name in node.output if name and name not in read]
        return step
