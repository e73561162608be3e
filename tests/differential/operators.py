# SPDX-License-Identifier: MIT
"""operators.py - a maker for each operator: it adds a node of it, with inputs that it takes, to a graph.

Types come from the schema of the graph's operator set. What has no maker is in LEFT_OUT, with the reason:
the driver fails for an operator of ONNX that is in neither.
"""

import numpy
import onnx
from onnx import TensorProto, helper

MAKERS = {}  # (domain, operator): function of a graph
LEFT_OUT = {
    "ImageDecoder": "needs files of images, and another library",
    "Gradient": "training", "Adagrad": "training", "Adam": "training", "Momentum": "training",
    "FlexAttention": "preview, not in ONNX Runtime 1.30",
    "BitCast": "not in ONNX Runtime 1.30", "CumProd": "not in ONNX Runtime 1.30",
    "LinearAttention": "operator set 27", "CausalConvWithState": "operator set 27", "SwiGLU": "operator set 28",
    "Optional": "optional values: tests/unit has them", "OptionalHasElement": "as Optional",
    "OptionalGetElement": "as Optional", "SequenceMap": "a function of SequenceAt and Loop",
    "CastMap": "maps as inputs", "DictVectorizer": "maps as inputs", "ZipMap": "maps as outputs",
}
MICROSOFT = "com.microsoft"
ML = "ai.onnx.ml"
HERE = "here"  # makers that are named after no operator


def maker(*names, domain=""):
    def register(function):
        for name in names:
            MAKERS[domain, name] = lambda m, name=name: function(m, name)
        return function
    return register


# ---- elementwise -----------------------------------------------------------------------------------

@maker("Abs", "Acos", "Acosh", "Asin", "Asinh", "Atan", "Atanh", "BitwiseNot", "Ceil", "Cos", "Cosh", "Erf",
       "Exp", "Floor", "HardSwish", "Identity", "IsNaN", "Log", "Mish", "Neg", "Not", "Reciprocal", "Relu",
       "Round", "Shape", "Sigmoid", "Sign", "Sin", "Sinh", "Size", "Softplus", "Softsign", "Sqrt", "Tan",
       "Tanh", "NonZero")
def unary(m, name):
    m.node(name, [m.tensor(m.type_of(name))])


@maker("Celu", "Elu", "HardSigmoid", "LeakyRelu", "Selu", "Shrink", "Swish", "ThresholdedRelu")
def unary_of_attributes(m, name):
    schema = onnx.defs.get_schema(name, m.opset)
    given = {key: m.choice([0.1, 0.5, 1.0, 1.5]) for key in schema.attributes if m.chance(0.6)}
    m.node(name, [m.tensor(m.type_of(name))], **given)


@maker("Gelu")
def gelu(m, name):
    m.node(name, [m.tensor(m.type_of(name))], approximate=m.choice([None, "none", "tanh"]))


@maker("IsInf")
def is_inf(m, name):
    m.node(name, [m.tensor(m.type_of(name))], detect_negative=m.choice([None, 0, 1]),
           detect_positive=m.choice([None, 0, 1]))


@maker("Add", "And", "BitwiseAnd", "BitwiseOr", "BitwiseXor", "Div", "Equal", "Greater", "GreaterOrEqual",
       "Less", "LessOrEqual", "Mul", "Or", "Sub", "Xor", "PRelu", "StringConcat")
def binary(m, name):
    dtype = m.type_of(name)
    a = m.tensor(dtype)
    shape = m.broadcastable(m.shape(a))
    b = m.new(dtype, shape, 1, 5) if name == "Div" and dtype not in m.types("Sqrt") else m.tensor(dtype, shape)
    swap = name != "PRelu" and name != "Div" and m.chance(0.5)
    m.node(name, [b, a] if swap else [a, b])


@maker("Pow")
def power(m, name):
    a = m.tensor(m.type_of(name))
    m.node(name, [a, m.new(m.choice(m.types(name, 1)), m.broadcastable(m.shape(a)), 0, 3)])


@maker("Mod")
def mod(m, name):
    dtype = m.type_of(name)
    a = m.tensor(dtype)
    fmod = 1 if numpy.dtype(dtype).kind == "f" else m.choice([None, 0, 1])
    m.node(name, [a, m.new(dtype, m.broadcastable(m.shape(a)), 1, 7)], fmod=fmod)


@maker("BitShift")
def bit_shift(m, name):
    dtype = m.type_of(name)
    a = m.tensor(dtype)
    m.node(name, [a, m.new(dtype, m.broadcastable(m.shape(a)), 0, 7)], direction=m.choice(["LEFT", "RIGHT"]))


@maker("Max", "Mean", "Min", "Sum")
def variadic(m, name):
    dtype = m.type_of(name)
    a = m.tensor(dtype)
    rest = [m.tensor(dtype, m.broadcastable(m.shape(a))) for _ in range(m.int(0, 2))]
    m.node(name, [a] + rest)


@maker("Clip")
def clip(m, name):
    dtype = m.type_of(name)
    x = m.tensor(dtype)
    low = "" if m.chance(0.3) else m.new(dtype, (), 0, 2)
    m.node(name, [x, low] + ([] if m.chance(0.3) else [m.new(dtype, (), 2, 5)]))


@maker("Where")
def where(m, name):
    dtype = m.type_of(name, 1)
    a = m.tensor(dtype)
    shape = m.shape(a)
    m.node(name, [m.tensor(bool, m.broadcastable(shape)), a, m.tensor(dtype, m.broadcastable(shape))])


@maker("Cast", "CastLike")
def cast(m, name):
    to = m.choice([numpy.float32, numpy.float64, numpy.float16, numpy.int64, numpy.int32, numpy.uint8,
                   numpy.int8, numpy.bool_, numpy.uint32])
    x = m.tensor(m.choice([t for t in m.types(name) if t != object]))
    if name == "CastLike" and m.opset >= 15:
        m.node(name, [x, m.tensor(to)])
    else:
        m.node("Cast", [x], to=helper.np_dtype_to_tensor_dtype(numpy.dtype(to)))


@maker("Dropout")
def dropout(m, name):
    m.node(name, [m.tensor(m.type_of(name))], m.int(1, 2))


# ---- along axes ------------------------------------------------------------------------------------

@maker("ReduceL1", "ReduceL2", "ReduceLogSum", "ReduceLogSumExp", "ReduceMax", "ReduceMean", "ReduceMin",
       "ReduceProd", "ReduceSum", "ReduceSumSquare")
def reduce(m, name):
    x = m.tensor(m.type_of(name))
    rank = len(m.shape(x))
    axes = sorted(set(m.int(-rank, rank - 1) % rank for _ in range(m.int(1, rank)))) if rank else []
    if axes and m.chance(0.3):
        axes = [axis - rank for axis in axes]
    keep = m.choice([None, 0, 1])
    if m.opset >= 18 or name == "ReduceSum":
        m.node(name, [x] + ([m.const(axes)] if m.chance(0.8) else []), keepdims=keep,
               noop_with_empty_axes=m.choice([None, 0, 1]))
    else:
        m.node(name, [x], keepdims=keep, axes=axes or None)


@maker("ArgMax", "ArgMin")
def arg(m, name):
    x = m.tensor(m.type_of(name), ranks=(1, 2, 3, 4))
    rank = len(m.shape(x))
    m.node(name, [x], axis=m.int(-rank, rank - 1), keepdims=m.choice([None, 0, 1]),
           select_last_index=m.choice([None, 0, 1]))


@maker("Softmax", "LogSoftmax", "Hardmax")
def along_axis(m, name):
    x = m.tensor(m.type_of(name), ranks=(1, 2, 3, 4))
    rank = len(m.shape(x))
    m.node(name, [x], axis=m.choice([None, m.int(-rank, rank - 1)]))


@maker("LpNormalization")
def lp_normalization(m, name):
    x = m.tensor(m.type_of(name), ranks=(1, 2, 3))
    m.node(name, [x], axis=m.int(-1, len(m.shape(x)) - 1), p=m.choice([1, 2]))


@maker("CumSum")
def cum_sum(m, name):
    x = m.tensor(m.type_of(name), ranks=(1, 2, 3))
    rank = len(m.shape(x))
    m.node(name, [x, m.const(m.int(-rank, rank - 1))], exclusive=m.choice([None, 1]), reverse=m.choice([None, 1]))


@maker("TopK")
def top_k(m, name):
    x = m.tensor(m.type_of(name), ranks=(1, 2, 3))
    axis = m.int(0, len(m.shape(x)) - 1)
    k = m.int(0, m.shape(x)[axis])
    m.node(name, [x, m.const([k])], 2, axis=axis, largest=m.choice([None, 0, 1]))


@maker("MeanVarianceNormalization")
def mean_variance(m, name):
    m.node(name, [m.tensor(m.type_of(name), rank=4)], axes=m.choice([None, [1, 2], [0, 2, 3], [-1]]))


# ---- shapes ----------------------------------------------------------------------------------------

@maker("Reshape")
def reshape(m, name):
    x = m.tensor(m.type_of(name))
    n = int(numpy.prod(m.shape(x)))
    sizes = []
    while n > 1 and len(sizes) < 4:
        size = m.choice([d for d in range(1, n + 1) if n % d == 0])
        sizes.append(size)
        n //= size
    sizes += [n] if n != 1 or not sizes else []
    if n and m.chance(0.5):
        sizes[m.int(0, len(sizes) - 1)] = -1
    m.node(name, [x, m.const(sizes)], allowzero=1 if m.opset >= 14 and 0 in sizes else None)


@maker("Flatten")
def flatten(m, name):
    x = m.tensor(m.type_of(name))
    m.node(name, [x], axis=m.choice([None, m.int(-len(m.shape(x)), len(m.shape(x)))]) if m.shape(x) else 0)


@maker("Transpose")
def transpose(m, name):
    x = m.tensor(m.type_of(name))
    m.node(name, [x], perm=m.choice([None, [int(i) for i in m.rng.permutation(len(m.shape(x)))]])
           if m.shape(x) else None)


@maker("Unsqueeze")
def unsqueeze(m, name):
    x = m.tensor(m.type_of(name), ranks=(0, 1, 2, 3))
    rank = len(m.shape(x)) + 2
    axes = [int(a) for a in m.rng.permutation(rank)[:2]]
    m.node(name, [x, m.const(axes)])


@maker("Squeeze")
def squeeze(m, name):
    shape = m.new_shape(3)
    axes = [int(a) for a in m.rng.permutation(3)[:m.int(1, 2)]]
    x = m.new(m.type_of(name), [1 if i in axes else size for i, size in enumerate(shape)])
    m.node(name, [x] + ([m.const(axes)] if m.chance(0.8) else []))


@maker("Concat")
def concat(m, name):
    x = m.tensor(m.type_of(name), ranks=(1, 2, 3, 4))
    shape = m.shape(x)
    axis = m.int(0, len(shape) - 1)
    rest = [m.tensor(m.dtype(x), shape[:axis] + (m.int(1, 4),) + shape[axis + 1:]) for _ in range(m.int(0, 2))]
    m.node(name, [x] + rest, axis=axis - m.choice([0, len(shape)]))


@maker("Split")
def split(m, name):
    x = m.tensor(m.type_of(name), ranks=(1, 2, 3))
    shape = m.shape(x)
    axis = m.int(0, len(shape) - 1)
    first = m.int(0, shape[axis])
    m.node(name, [x, m.const([first, shape[axis] - first])], 2, axis=axis)


@maker("Slice")
def slice_(m, name):
    x = m.tensor(m.type_of(name), ranks=(1, 2, 3, 4))
    shape = m.shape(x)
    axes = [int(a) for a in m.rng.permutation(len(shape))[:m.int(1, len(shape))]]
    steps = [m.choice([1, 1, 2, -1, -2]) for _ in axes]
    ends = [sorted((m.int(-8, 8), m.int(-8, 8)), reverse=step < 0) for step in steps]
    m.node(name, [x, m.const([e[0] for e in ends]), m.const([e[1] for e in ends]), m.const(axes), m.const(steps)])


@maker("Gather", "GatherElements")
def gather(m, name):
    x = m.tensor(m.type_of(name), ranks=(1, 2, 3))
    shape = m.shape(x)
    axis = m.int(0, len(shape) - 1)
    n = shape[axis]
    if n == 0:
        return unary(m, "Identity")
    at = m.new_shape() if name == "Gather" else tuple(
        m.int(1, max(size, 1)) if i != axis else m.int(1, 4) for i, size in enumerate(shape))
    m.node(name, [x, m.new(m.choice([numpy.int32, numpy.int64]), at, -n, n - 1)], axis=axis)


@maker("GatherND")
def gather_nd(m, name):
    x = m.new(m.type_of(name), m.new_shape(3))
    n = m.int(1, 3)
    if 0 in m.shape(x):
        return unary(m, "Identity")
    rows = m.int(1, 4)
    at = numpy.stack([m.rng.integers(0, size, rows) for size in m.shape(x)[:n]], -1)
    m.node(name, [x, m.const(at)])


@maker("ScatterElements", "ScatterND")
def scatter(m, name):
    dtype = m.choice([numpy.float32, numpy.float64, numpy.int64, numpy.int32])
    shape = tuple(m.int(2, 5) for _ in range(2))
    x = m.tensor(dtype, shape)
    kinds = ["none"] + (["add", "mul"] if m.opset >= 16 else []) + (["max", "min"] if m.opset >= 18 else [])
    reduction = m.choice(kinds)
    rows = m.rng.permutation(shape[0])[:2]
    if name == "ScatterND":
        m.node(name, [x, m.const(rows[:, None]), m.tensor(dtype, (2, shape[1]))],
               reduction=None if reduction == "none" else reduction)
    else:
        m.node(name, [x, m.const(numpy.stack([rows] * shape[1], 1)), m.tensor(dtype, (2, shape[1]))], axis=0,
               reduction=None if reduction == "none" else reduction)


@maker("Expand")
def expand(m, name):
    x = m.tensor(m.type_of(name))
    shape = [m.int(1, 3) if size == 1 else m.choice([1, size]) for size in m.shape(x)]
    m.node(name, [x, m.const([m.int(1, 3)] + shape)])


@maker("Tile")
def tile(m, name):
    x = m.tensor(m.type_of(name), ranks=(1, 2, 3))
    m.node(name, [x, m.const([m.int(0, 3) if m.chance(0.1) else m.int(1, 3) for _ in m.shape(x)])])


@maker("Pad")
def pad(m, name):
    x = m.tensor(m.type_of(name), ranks=(1, 2, 3, 4))
    shape = m.shape(x)
    mode = m.choice(["constant", "constant", "edge", "reflect"])
    if 0 in shape or (mode == "reflect" and min(shape) < 2):
        mode = "constant"
    pads = [m.int(-1 if mode == "constant" and size > 2 else 0, 1 if mode == "reflect" else 2) for size in shape * 2]
    value = [m.new(m.dtype(x), ())] if mode == "constant" and m.chance(0.5) else []
    m.node(name, [x, m.const(pads)] + value, mode=mode)


@maker("Trilu")
def trilu(m, name):
    m.node(name, [m.tensor(m.type_of(name), ranks=(2, 3))] + ([m.const(m.int(-3, 3))] if m.chance(0.7) else []),
           upper=m.choice([None, 0, 1]))


@maker("EyeLike")
def eye_like(m, name):
    m.node(name, [m.tensor(m.type_of(name), rank=2)], k=m.choice([None, 1, -2]), dtype=m.choice([1, 7, 11]))


@maker("DepthToSpace", "SpaceToDepth")
def depth_space(m, name):
    shape = (m.int(1, 2), 4 * m.int(1, 2), 2, 3) if name == "DepthToSpace" else (1, m.int(1, 3), 4, 6)
    mode = m.choice([None, "DCR", "CRD"]) if name == "DepthToSpace" else None
    m.node(name, [m.tensor(m.type_of(name), shape)], blocksize=2, mode=mode)


@maker("OneHot")
def one_hot(m, name):
    m.node(name, [m.new(m.choice([numpy.int64, numpy.int32, numpy.float32]), m.new_shape(), -4, 3),
                  m.const(4), m.const([0, 1], numpy.float32)], axis=m.choice([None, 0, -1]))


@maker("Compress")
def compress(m, name):
    x = m.tensor(m.type_of(name), ranks=(1, 2, 3))
    axis = m.int(0, len(m.shape(x)) - 1)
    m.node(name, [x, m.tensor(bool, (m.shape(x)[axis],))], axis=axis)


@maker("ReverseSequence")
def reverse_sequence(m, name):
    x = m.tensor(m.type_of(name), (4, 3, 2))
    m.node(name, [x, m.new(numpy.int64, (3,), 1, 4)])


@maker("CenterCropPad")
def center_crop_pad(m, name):
    m.node(name, [m.tensor(m.type_of(name), rank=3), m.const([m.int(1, 5), m.int(1, 5)])], axes=[0, m.choice([2, -1])])


@maker("Unique")
def unique(m, name):
    x = m.tensor(m.type_of(name), ranks=(1, 2))
    m.node(name, [x], 4, sorted=m.choice([None, 0, 1]), axis=m.choice([None, 0]))


@maker("Range")
def range_(m, name):
    dtype = m.choice([numpy.float32, numpy.float64, numpy.int64, numpy.int32, numpy.int16])
    m.node(name, [m.new(dtype, (), 0, 3), m.new(dtype, (), 4, 9), m.new(dtype, (), 1, 2)])


@maker("Constant", "ConstantOfShape")
def constant(m, name):
    value = helper.make_tensor("c", TensorProto.FLOAT, [1], [m.int(-3, 3)])
    x = m.tensor(numpy.float32)
    made = m.node(name, [], value=value) if name == "Constant" else m.node(
        name, [m.const(list(m.shape(x)))], value=m.choice([None, value]))
    m.node("Add", [x, made])


@maker("Einsum")
def einsum(m, name):
    text = m.choice(["ij,jk->ik", "bij,bjk->bik", "ij->ji", "ij,ij->", "ii->i", "...ij,...jk->...ik", "i,j->ij"])
    sizes = {letter: m.int(1, 4) for letter in "ijkb"}
    dtype = m.choice([numpy.float32, numpy.float64, numpy.int64])
    terms = text.split("->")[0].replace("...", "b").split(",")
    m.node(name, [m.tensor(dtype, tuple(sizes[c] for c in term)) for term in terms], equation=text)


# ---- matrices, networks ----------------------------------------------------------------------------

@maker("MatMul")
def matmul(m, name):
    dtype = m.choice([numpy.float32, numpy.float32, numpy.float64, numpy.int32, numpy.int64])
    a = m.tensor(dtype, ranks=(1, 2, 3, 4))
    k = m.shape(a)[-1]
    b = m.choice([(k,), (k, m.int(1, 7)), m.shape(a)[:-2] + (k, m.int(1, 5))])
    m.node(name, [a, m.tensor(dtype, b)])


@maker("Gemm")
def gemm(m, name):
    dtype = m.choice([numpy.float32, numpy.float32, numpy.float64, numpy.float16])
    rows, k, columns = m.int(1, 6), m.int(1, 9), m.int(1, 9)
    a, b = m.int(0, 1), m.int(0, 1)
    inputs = [m.tensor(dtype, (k, rows) if a else (rows, k)), m.tensor(dtype, (columns, k) if b else (k, columns))]
    c = [m.tensor(dtype, m.broadcastable((rows, columns)))] if m.chance(0.7) else []
    m.node(name, inputs + c, transA=a, transB=b, alpha=m.choice([None, 0.5]), beta=m.choice([None, 2.0, 0.0]))


@maker("MatMulInteger", "QLinearMatMul")
def matmul_integer(m, name):
    types = m.choice([numpy.uint8, numpy.int8]), m.choice([numpy.uint8, numpy.int8])
    rows, k, columns = m.int(1, 6), m.int(1, 9), m.int(1, 6)
    a, b = m.tensor(types[0], (rows, k)), m.tensor(types[1], (k, columns))
    zeros = [m.new(t, (), 0, 9, "constant") for t in types]
    if name == "MatMulInteger":
        return m.node(name, [a, b] + (zeros if m.chance(0.6) else []))
    scale = [m.new(numpy.float32, (), 0.1, 1, "constant") for _ in range(3)]
    m.node(name, [a, scale[0], zeros[0], b, scale[1], zeros[1], scale[2], zeros[0]])


def window(m, rank, size):
    """Attributes of a window over spatial sizes of at least `size`."""
    kernel = [m.int(1, min(size, 3)) for _ in range(rank)]
    given = {"kernel_shape": kernel, "strides": m.choice([None, [m.int(1, 3) for _ in kernel]])}
    if m.chance(0.4):
        given["auto_pad"] = m.choice(["SAME_UPPER", "SAME_LOWER", "VALID"])
    elif m.chance(0.5):
        given["pads"] = [m.int(0, k - 1) for k in kernel * 2]
    return given


@maker("Conv", "ConvTranspose")
def conv(m, name):
    rank, group = m.choice([1, 2, 2, 3]), m.choice([1, 1, 2])
    dtype = m.choice([numpy.float32, numpy.float32, numpy.float32, numpy.float64, numpy.float16])
    channels, features = group * m.int(1, 3), m.int(1, 3)
    x = m.tensor(dtype, (m.int(1, 2), channels) + tuple(m.int(3, 7) for _ in range(rank)))
    given = window(m, rank, 3)
    shape = (features * group, channels // group) if name == "Conv" else (channels, features)
    w = m.new(dtype, shape + tuple(given["kernel_shape"]), -2, 2)
    b = [m.tensor(dtype, (features * group,))] if m.chance(0.5) else []
    dilations = [m.int(1, 2) for _ in range(rank)] if m.chance(0.3) and "auto_pad" not in given else None
    if dilations and given["kernel_shape"] != [1] * rank:
        dilations = None if min(m.shape(x)[2:]) < 5 else dilations
    y = m.node(name, [x, w] + b, group=group, dilations=dilations, **given)
    if m.chance(0.3):
        m.node(m.choice(["Relu", "Sigmoid", "LeakyRelu"]), [y])


@maker("ConvInteger", "QLinearConv")
def conv_integer(m, name):
    features, channels = m.int(1, 4), m.int(1, 3)
    dtype = m.choice([numpy.uint8, numpy.int8]) if name == "QLinearConv" else numpy.uint8
    x = m.tensor(dtype, (1, channels, m.int(3, 6), m.int(3, 6)))
    given = window(m, 2, 3)
    w = m.new(dtype if name == "ConvInteger" else numpy.int8, (features, channels) + tuple(given["kernel_shape"]), 0,
              9, "constant")
    zero = m.new(dtype, (), 0, 9, "constant")
    if name == "ConvInteger":
        return m.node(name, [x, w] + ([zero] if m.chance(0.5) else []), **given)
    scale = [m.new(numpy.float32, (), 0.1, 1, "constant") for _ in range(3)]
    m.node(name, [x, scale[0], zero, w, scale[1], m.new(numpy.int8, (), 0, 0, "constant"), scale[2], zero], **given)


@maker("AveragePool", "MaxPool", "LpPool")
def pool(m, name):
    rank = m.choice([1, 2, 2, 3])
    x = m.tensor(m.choice(m.types(name)), (1, m.int(1, 3)) + tuple(m.int(3, 7) for _ in range(rank)))
    given = window(m, rank, 3)
    if name != "LpPool" or m.opset >= 18:
        given["ceil_mode"] = m.choice([None, 0, 1])
    if name == "AveragePool":
        given["count_include_pad"] = m.choice([None, 0, 1])
    m.node(name, [x], **given)


@maker("GlobalAveragePool", "GlobalLpPool", "GlobalMaxPool")
def global_pool(m, name):
    m.node(name, [m.tensor(m.type_of(name), ranks=(3, 4, 5))])


@maker("BatchNormalization", "InstanceNormalization", "LayerNormalization", "GroupNormalization",
       "RMSNormalization")
def normalization(m, name):
    dtype = m.choice([numpy.float32, numpy.float32, numpy.float64, numpy.float16])
    channels = 2 * m.int(1, 3)
    x = m.tensor(dtype, (m.int(1, 3), channels, m.int(1, 5), m.int(1, 5)))
    rows = [m.new(dtype, (channels,), 0.5, 2) for _ in range(4)]
    epsilon = m.choice([None, 1e-3])
    if name in ("LayerNormalization", "RMSNormalization"):
        axis = m.int(-2, -1)
        scale = [m.new(dtype, m.shape(x)[axis:], -1, 2) for _ in range(2 if name[0] == "L" and m.chance(0.7) else 1)]
        return m.node(name, [x] + scale, axis=axis, epsilon=epsilon)
    if name == "GroupNormalization":
        if m.opset < 21:
            rows = [m.new(dtype, (2,), 0.5, 2) for _ in range(2)]
        return m.node(name, [x] + rows[:2], num_groups=2, epsilon=epsilon)
    m.node(name, [x] + (rows if name[0] == "B" else rows[:2]), epsilon=epsilon)


@maker("LRN")
def lrn(m, name):
    m.node(name, [m.tensor(numpy.float32, (1, m.int(1, 6), 3, 3))], size=m.choice([1, 3, 5]))


@maker("LSTM", "GRU")
def recurrent(m, name):
    gates = {"LSTM": 4, "GRU": 3}[name]
    length, batch, inputs, hidden = m.int(1, 4), m.int(1, 3), m.int(1, 4), m.int(1, 5)
    directions = m.choice([1, 1, 2])
    f32 = numpy.float32
    x = m.tensor(f32, (length, batch, inputs))
    w = m.new(f32, (directions, gates * hidden, inputs), -1, 1)
    r = m.new(f32, (directions, gates * hidden, hidden), -1, 1)
    b = m.new(f32, (directions, 2 * gates * hidden), -1, 1) if m.chance(0.7) else ""
    lens = m.new(numpy.int32, (batch,), 1, length) if m.chance(0.3) else ""
    direction = "bidirectional" if directions == 2 else m.choice(["forward", "reverse"])
    m.node(name, [x, w, r, b, lens], gates - 1 if name == "LSTM" else 2, hidden_size=hidden, direction=direction,
           linear_before_reset=m.choice([None, 1]) if name == "GRU" else None)


@maker("Resize")
def resize(m, name):
    dtype = m.choice([numpy.float32, numpy.float32, numpy.uint8, numpy.int8])
    x = m.tensor(dtype, (1, m.int(1, 2), m.int(2, 6), m.int(2, 6)))
    shape = m.shape(x)
    mode = m.choice(["nearest", "linear", "cubic"])
    given = {"mode": mode, "coordinate_transformation_mode": m.choice([None, "asymmetric", "align_corners",
                                                                       "pytorch_half_pixel"])}
    if mode == "nearest":
        given["nearest_mode"] = m.choice([None, "floor", "ceil", "round_prefer_ceil"])
    if m.opset >= 18 and mode != "nearest" and m.chance(0.3):
        given["antialias"] = 1
    if m.chance(0.5):
        return m.node(name, [x, "", "", m.const(list(shape[:2]) + [m.int(1, 9), m.int(1, 9)])], **given)
    scales = [1, 1, m.choice([0.5, 1.5, 2, 2.5]), m.choice([0.6, 1, 2])]
    m.node(name, [x, "", m.const(scales, numpy.float32)], **given)


@maker("GridSample")
def grid_sample(m, name):
    x = m.tensor(m.choice([numpy.float32, numpy.float64]), (1, 2, m.int(2, 4), m.int(2, 4)))
    modes = ["bilinear", "nearest", "bicubic"] if m.opset < 20 else ["linear", "nearest", "cubic"]
    m.node(name, [x, m.new(m.dtype(x) if m.opset < 20 else numpy.float32, (1, 3, 2, 2), -1.3, 1.3)],
           mode=m.choice(modes), padding_mode=m.choice([None, "border", "reflection"]),
           align_corners=m.choice([None, 1]))


@maker("AffineGrid")
def affine_grid(m, name):
    m.node(name, [m.new(numpy.float32, (1, 2, 3), -1, 1), m.const([1, 2, 3, 4])], align_corners=m.choice([None, 1]))


@maker("RoiAlign")
def roi_align(m, name):
    x = m.tensor(numpy.float32, (1, 2, 6, 6))
    rois = m.leaf(numpy.array([[0, 0, m.int(2, 5), m.int(2, 5)], [1, 1, 4, 3]], numpy.float32))
    m.node(name, [x, rois, m.const([0, 0])], output_height=2, output_width=2, sampling_ratio=m.int(1, 2),
           mode=m.choice([None, "max"]), coordinate_transformation_mode=m.choice([None, "output_half_pixel"])
           if m.opset >= 16 else None)


@maker("NonMaxSuppression")
def non_max_suppression(m, name):
    corners = m.array(numpy.float32, (1, 6, 2), 0, 5)
    boxes = m.leaf(numpy.concatenate([corners, corners + m.array(numpy.float32, (1, 6, 2), 1, 4)], 2))
    m.node(name, [boxes, m.new(numpy.float32, (1, 2, 6), 0, 1), m.const([m.int(1, 4)]),
                  m.const([0.4], numpy.float32), m.const([0.2], numpy.float32)])


@maker("Attention")
def attention(m, name):
    dtype = numpy.float32
    heads, keys = m.int(1, 3), m.int(1, 5)
    q, k, v = [m.new(dtype, (1, heads, length, 4), -1, 1) for length in (m.int(1, 4), keys, keys)]
    m.node(name, [q, k, v], is_causal=m.choice([None, 1]), softcap=m.choice([None, 2.0]))


@maker("Det")
def det(m, name):
    n = m.int(1, 4)
    m.node(name, [m.tensor(m.choice([numpy.float32, numpy.float64]), m.choice([(n, n), (2, n, n)]))])


@maker("DFT", "STFT")
def fourier(m, name):
    if name == "STFT":
        return m.node(name, [m.new(numpy.float32, (1, 16, 1)), m.const(4), m.new(numpy.float32, (8,), 0, 1)],
                      onesided=m.choice([0, 1]))
    x = m.new(numpy.float32, (1, m.int(2, 9), m.int(1, 2)))
    m.node(name, [x], onesided=m.choice([None, 1]) if m.shape(x)[2] == 1 else None,
           inverse=m.choice([None, 1]) if m.shape(x)[2] == 2 else None)


@maker("BlackmanWindow", "HammingWindow", "HannWindow")
def windows(m, name):
    m.node(name, [m.const(m.int(1, 12))], periodic=m.choice([None, 0, 1]))


@maker("MelWeightMatrix")
def mel(m, name):
    m.node(name, [m.const(m.int(2, 6)), m.const(16), m.const(8000), m.const(20.0, numpy.float32),
                  m.const(3000.0, numpy.float32)])


@maker("NegativeLogLikelihoodLoss")
def nll_loss(m, name):
    m.node(name, [m.new(numpy.float32, (3, 4), -3, 0), m.new(numpy.int64, (3,), 0, 3)],
           reduction=m.choice(["none", "sum", "mean"]))


@maker("RNN")
def rnn(m, name):
    f32 = numpy.float32
    x = m.tensor(f32, (m.int(1, 4), m.int(1, 3), 3))
    m.node(name, [x, m.new(f32, (1, 4, 3), -1, 1), m.new(f32, (1, 4, 4), -1, 1), m.new(f32, (1, 8), -1, 1)], 2,
           hidden_size=4, activations=m.choice([None, ["Relu"], ["Sigmoid"]]),
           direction=m.choice([None, "reverse"]))


@maker("RotaryEmbedding")
def rotary_embedding(m, name):
    f32 = numpy.float32
    m.node(name, [m.new(f32, (2, 3, 4, 8)), m.new(f32, (6, 4), -1, 1), m.new(f32, (6, 4), -1, 1),
                  m.new(numpy.int64, (2, 4), 0, 5)], interleaved=m.choice([None, 1]))


@maker("TensorScatter")
def tensor_scatter(m, name):
    dtype = m.choice([numpy.float32, numpy.int64])
    m.node(name, [m.tensor(dtype, (2, 3, 6, 2)), m.tensor(dtype, (2, 3, 2, 2)), m.new(numpy.int64, (2,), 0, 4)],
           mode=m.choice([None, "circular"]))


@maker("Col2Im")
def col2im(m, name):
    m.node(name, [m.tensor(numpy.float32, (1, 8, 9)), m.const([4, 4]), m.const([2, 2])])


@maker("MaxUnpool")
def max_unpool(m, name):
    x = m.tensor(numpy.float32, (1, 1, 4, 4))
    y, at = m.node("MaxPool", [x], 2, kernel_shape=[2, 2], strides=[2, 2])
    m.node(name, [y, at], kernel_shape=[2, 2], strides=[2, 2])


@maker("MaxRoiPool")
def max_roi_pool(m, name):
    rois = m.leaf(numpy.array([[0, 0, 0, m.int(2, 5), m.int(2, 5)], [0, 1, 1, 4, 3]], numpy.float32))
    m.node(name, [m.tensor(numpy.float32, (1, 2, 6, 6)), rois], pooled_shape=[2, m.int(1, 3)])


@maker("SoftmaxCrossEntropyLoss")
def cross_entropy_loss(m, name):
    m.node(name, [m.tensor(numpy.float32, (3, 4)), m.new(numpy.int64, (3,), 0, 3)], m.int(1, 2),
           reduction=m.choice([None, "none", "sum"]))


# ---- quantised -------------------------------------------------------------------------------------

@maker("QuantizeLinear", "DequantizeLinear", "DynamicQuantizeLinear")
def quantize(m, name):
    dtype = m.choice([numpy.uint8, numpy.int8])
    if name == "DynamicQuantizeLinear":
        return m.node(name, [m.tensor(numpy.float32)], 3)
    x = m.tensor(numpy.float32 if name[0] == "Q" else dtype, ranks=(1, 2, 3, 4))
    axis = m.int(0, len(m.shape(x)) - 1)
    shape = m.choice([(), (m.shape(x)[axis],)])
    more = [m.new(numpy.float32, shape, 0.05, 1, "constant"), m.new(dtype, shape, 0, 100, "constant")]
    y = m.node(name, [x] + more, axis=axis)
    if name[0] == "Q" and m.chance(0.6):
        y = m.node("DequantizeLinear", [y] + more, axis=axis)
        if m.chance(0.5):
            m.node(m.choice(["Relu", "Neg", "Sigmoid"]), [y])


# ---- random: what they give is only known by its shape ----------------------------------------------

@maker("RandomNormal", "RandomUniform", "RandomNormalLike", "RandomUniformLike", "Bernoulli", "Multinomial")
def of_chance(m, name):
    if name.endswith("Like") or name == "Bernoulli":
        y = m.node(name, [m.new(numpy.float32, m.new_shape(), 0, 1)], dtype=m.choice([None, 1, 11]))
    elif name == "Multinomial":
        y = m.node(name, [m.new(numpy.float32, (2, 5), 0, 1)], sample_size=m.int(1, 9), dtype=m.choice([None, 7]))
    else:
        y = m.node(name, [], shape=list(m.new_shape(m.int(1, 3))), dtype=m.choice([None, 1, 11]))
    m.node("Shape", [y])


# ---- sequences, control flow, text -----------------------------------------------------------------

@maker("SequenceConstruct", "SequenceAt", "SequenceErase", "SequenceInsert", "SequenceLength",
       "ConcatFromSequence", "SplitToSequence", "SequenceEmpty")
def sequence(m, name):
    x = m.tensor(m.choice([numpy.float32, numpy.int64]), ranks=(1, 2, 3))
    shape = m.shape(x)
    if name == "SplitToSequence" and shape[0]:
        s = m.node(name, [x] + ([m.const(m.int(1, shape[0]))] if m.chance(0.7) else []))
        return m.node("SequenceLength", [s]), m.node("SequenceAt", [s, m.const(m.choice([0, -1]))])
    if name == "SequenceEmpty":
        s = m.node(name, [], dtype=element(m, x))
        s = m.node("SequenceInsert", [s, x])
    else:
        s = m.node("SequenceConstruct", [x] + [m.tensor(m.dtype(x), shape) for _ in range(2)])
    if name in ("SequenceInsert", "SequenceEmpty"):
        s = m.node("SequenceInsert", [s, m.tensor(m.dtype(x), shape), m.const(m.int(-1, 1))])
    if name == "SequenceErase":
        s = m.node(name, [s] + ([m.const(m.int(-3, 2))] if m.chance(0.7) else []))
    if name == "SequenceLength":
        return m.node(name, [s])
    if m.chance(0.5):
        return m.node("SequenceAt", [s, m.const(m.int(-1, 0))])
    return m.node("ConcatFromSequence", [s], axis=0, new_axis=m.choice([None, 1]))


def element(m, name):
    return helper.np_dtype_to_tensor_dtype(m.dtype(name))


@maker("If")
def if_(m, name):
    x = m.tensor(numpy.float32)
    info = [helper.make_tensor_value_info("r", TensorProto.FLOAT, None)]
    arms = [helper.make_graph([helper.make_node(operator, [x], ["r"])], "arm", [], info)
            for operator in ("Neg", m.choice(["Relu", "Exp", "Identity"]))]
    m.node(name, [m.new(numpy.bool_, ())], then_branch=arms[0], else_branch=arms[1])


@maker("Loop")
def loop(m, name):
    x = m.tensor(numpy.float32, ranks=(1, 2))
    f32 = TensorProto.FLOAT
    info = helper.make_tensor_value_info
    body = helper.make_graph(
        [helper.make_node("Identity", ["go"], ["on"]), helper.make_node(m.choice(["Add", "Mul"]), ["s", x], ["t"]),
         helper.make_node("Neg", ["t"], ["row"])], "body",
        [info("i", TensorProto.INT64, []), info("go", TensorProto.BOOL, []), info("s", f32, None)],
        [info("on", TensorProto.BOOL, []), info("t", f32, None), info("row", f32, None)])
    m.node(name, [m.const(m.int(0, 4)), "", m.tensor(numpy.float32, m.shape(x))], 2, body=body)


@maker("Scan")
def scan(m, name):
    x = m.tensor(numpy.float32, ranks=(2, 3))
    info = [helper.make_tensor_value_info(n, TensorProto.FLOAT, None) for n in ("s", "row", "t", "out")]
    body = helper.make_graph([helper.make_node("Add", ["s", "row"], ["t"]), helper.make_node("Neg", ["t"], ["out"])],
                             "body", info[:2], info[2:])
    m.node(name, [m.tensor(numpy.float32, m.shape(x)[1:]), x], 2, body=body, num_scan_inputs=1,
           scan_input_directions=m.choice([None, [1]]), scan_output_directions=m.choice([None, [1]]))


@maker("TfIdfVectorizer")
def tf_idf(m, name):
    m.node(name, [m.new(m.choice([numpy.int64, numpy.int32]), (m.int(2, 8),), 0, 3)], min_gram_length=1,
           max_gram_length=2, max_skip_count=m.int(0, 2), mode=m.choice(["TF", "IDF", "TFIDF"]),
           ngram_counts=[0, 2], ngram_indexes=[0, 1, 2, 3], pool_int64s=[1, 2, 0, 1, 2, 3],
           weights=[0.5, 1.0, 2.0, 3.0])


@maker("StringNormalizer", "StringSplit", "RegexFullMatch")
def text(m, name):
    x = m.new(object, (m.int(1, 4),))
    if name == "StringNormalizer":
        return m.node(name, [x], case_change_action=m.choice(["LOWER", "UPPER", "NONE"]))
    if name == "StringSplit":
        return m.node(name, [x], 2, delimiter=m.choice([None, " ", "a"]), maxsplit=m.choice([None, 1]))
    m.node(name, [x], pattern=m.choice(["a.*", "[0-9.-]+", ".*c"]))


# ---- ai.onnx.ml ------------------------------------------------------------------------------------

@maker("ArrayFeatureExtractor", "Binarizer", "FeatureVectorizer", "Imputer", "Normalizer", "Scaler",
       "LinearClassifier", "LinearRegressor", "OneHotEncoder", "LabelEncoder", domain=ML)
def ml(m, name):
    f32 = numpy.float32
    n = m.int(1, 4)
    if name == "LabelEncoder":
        return m.node(name, [m.new(numpy.int64, (3,), 0, 5)], domain=ML, keys_int64s=[0, 1, 2, 3],
                      values_floats=[0.5, 1.5, 2.5, 3.5], default_float=-1.0)
    if name == "OneHotEncoder":
        return m.node(name, [m.new(numpy.int64, (2, n), 0, 3)], domain=ML, cats_int64s=[0, 1, 2], zeros=1)
    x = m.tensor(f32, (m.int(1, 3), n))
    if name == "ArrayFeatureExtractor":
        return m.node(name, [x, m.new(numpy.int64, (2,), 0, n - 1)], domain=ML)
    row = [float(v) for v in m.rng.normal(size=3 * n).round(3)]
    given = {
        "Binarizer": {"threshold": 0.5}, "FeatureVectorizer": {"inputdimensions": [n]},
        "Imputer": {"imputed_value_floats": row[:n], "replaced_value_float": m.choice([0.0, 1.0])},
        "Normalizer": {"norm": m.choice(["MAX", "L1", "L2"])}, "Scaler": {"offset": row[:n], "scale": row[n:2 * n]},
        "LinearRegressor": {"coefficients": row, "intercepts": row[:3], "targets": 3},
        "LinearClassifier": {"coefficients": row, "intercepts": row[:3], "classlabels_ints": [0, 1, 2],
                             "post_transform": m.choice(["NONE", "SOFTMAX", "LOGISTIC"])},
    }
    given["LinearRegressor"]["intercepts"] = given["LinearClassifier"]["intercepts"] = [0.5, 0.0, -0.5]
    m.node(name, [x], 2 if name == "LinearClassifier" else 1, domain=ML, **given[name])


@maker("TreeEnsembleClassifier", domain=ML)
def tree(m, name):
    m.node(name, [m.tensor(numpy.float32, (m.int(1, 4), 2))], 2, domain=ML, nodes_treeids=[0, 0, 0],
           nodes_nodeids=[0, 1, 2], nodes_featureids=[m.int(0, 1), 0, 0], nodes_values=[0.5, 0.0, 0.0],
           nodes_modes=[m.choice(["BRANCH_LEQ", "BRANCH_LT", "BRANCH_GT"]), "LEAF", "LEAF"],
           nodes_truenodeids=[1, 0, 0], nodes_falsenodeids=[2, 0, 0], class_treeids=[0, 0, 0],
           class_nodeids=[1, 1, 2], class_ids=[0, 1, 2], class_weights=[0.2, 0.8, 0.6], classlabels_int64s=[0, 1, 2],
           post_transform=m.choice(["NONE", "SOFTMAX", "LOGISTIC"]))


# ---- com.microsoft ---------------------------------------------------------------------------------

@maker("Gelu", "QuickGelu", "FastGelu", "Inverse", "BiasGelu", "FusedMatMul", "TransposeMatMul", "ExpandDims",
       "Trilu", "Unique", "CDist", "SkipLayerNormalization", "SkipSimplifiedLayerNormalization",
       "Range", "FusedGemm", "FusedConv", "Pad", "GatherND", domain=MICROSOFT)
def contrib(m, name):
    f32 = numpy.float32
    x = m.tensor(f32, ranks=(2, 3))
    shape = m.shape(x)
    inputs, given, n = [x], {}, 1
    if name in ("BiasGelu", "FastGelu"):
        inputs += [m.tensor(f32, shape[-1:])]
    elif name in ("FusedMatMul", "TransposeMatMul"):
        turned = m.int(0, 1)
        size = m.int(1, 5)
        inputs += [m.tensor(f32, (size, shape[-1]) if turned else (shape[-1], size))]
        given = {"transB": turned, "alpha": m.choice([None, 0.5])}
    elif name == "ExpandDims":
        inputs += [m.const(m.int(0, 2), numpy.int32)]
    elif name == "Inverse":
        inputs = [m.leaf((m.array(f32, (2, 3, 3), -1, 1) + 3 * numpy.eye(3)).astype(f32))]
    elif name == "Unique":
        inputs, n = [m.new(f32, (6,), 0, 3)], 3
    elif name == "CDist":
        inputs, given = [m.new(f32, (3, 4)), m.new(f32, (2, 4))], {"metric": m.choice(["euclidean", "sqeuclidean"])}
    elif name.startswith("Skip"):
        inputs = [m.new(f32, (2, 3, 4)), m.new(f32, (2, 3, 4)), m.new(f32, (4,))]
    elif name == "Range":
        inputs = [m.new(f32, (), 0, 2), m.new(f32, (), 3, 8), m.new(f32, (), 1, 2)]
    elif name == "FusedGemm":
        inputs, given = [m.new(f32, (2, 3)), m.new(f32, (3, 4)), m.new(f32, (4,))], {"activation": "Relu"}
    elif name == "FusedConv":
        inputs = [m.new(f32, (1, 2, 5, 5)), m.new(f32, (3, 2, 3, 3))]
        given = {"activation": m.choice(["Relu", "Sigmoid", "Tanh"])}
    elif name == "Pad":
        inputs += [m.const([1] * 2 * len(shape)), m.new(f32, (1,))]
    elif name == "GatherND":
        inputs = [m.new(f32, (3, 4)), m.const([[0, 1], [2, 3]])]
    m.node(name, inputs, n, domain=MICROSOFT, **given)


@maker("QLinearAdd", "QLinearMul", "QLinearSigmoid", "QLinearLeakyRelu", "QLinearGlobalAveragePool",
       "DynamicQuantizeMatMul", "MatMulIntegerToFloat", domain=MICROSOFT)
def contrib_quantized(m, name):
    dtype = m.choice([numpy.uint8, numpy.int8])

    def scale():
        return m.new(numpy.float32, (), 0.05, 1, "constant")

    def zero():
        return m.new(dtype, (), 0, 20, "constant")
    if name == "DynamicQuantizeMatMul":
        return m.node(name, [m.tensor(numpy.float32, (3, 4)), m.new(dtype, (4, 5), 0, 50, "constant"), scale(),
                             zero()], domain=MICROSOFT)
    if name == "MatMulIntegerToFloat":
        return m.node(name, [m.new(dtype, (3, 4)), m.new(dtype, (4, 5)), scale(), scale(), zero(), zero()],
                      domain=MICROSOFT)
    x = m.tensor(dtype, (1, 2, 3, 3))
    if name in ("QLinearAdd", "QLinearMul"):
        return m.node(name, [x, scale(), zero(), m.tensor(dtype, (1, 2, 3, 3)), scale(), zero(), scale(), zero()],
                      domain=MICROSOFT)
    m.node(name, [x, scale(), zero(), scale(), zero()], domain=MICROSOFT,
           channels_last=0 if name == "QLinearGlobalAveragePool" else None)


@maker("TreeEnsembleRegressor", domain=ML)
def tree_regressor(m, name):
    m.node(name, [m.tensor(numpy.float32, (m.int(1, 4), 2))], domain=ML, nodes_treeids=[0, 0, 0, 1],
           nodes_nodeids=[0, 1, 2, 0], nodes_featureids=[m.int(0, 1), 0, 0, 0], nodes_values=[0.5, 0.0, 0.0, 0.0],
           nodes_modes=[m.choice(["BRANCH_LEQ", "BRANCH_LT", "BRANCH_GTE"]), "LEAF", "LEAF", "LEAF"],
           nodes_truenodeids=[1, 0, 0, 0], nodes_falsenodeids=[2, 0, 0, 0], target_treeids=[0, 0, 1],
           target_nodeids=[1, 2, 0], target_ids=[0, 1, 1], target_weights=[0.2, 0.8, -0.6], n_targets=2,
           aggregate_function=m.choice(["SUM", "AVERAGE", "MIN", "MAX"]))


# ---- types that numpy has no name for: behind casts -------------------------------------------------

NARROW = {19: ("FLOAT8E4M3FN", "FLOAT8E4M3FNUZ", "FLOAT8E5M2", "FLOAT8E5M2FNUZ"), 21: ("INT4", "UINT4")}


def narrow_types(m):
    """Element types that the casts of this operator set know beside numpy's."""
    return ["BFLOAT16"] + [name for opset, names in NARROW.items() if m.opset >= opset for name in names]


@maker("Cast of narrow types", domain=HERE)
def cast_narrow(m, _):
    to = m.choice(narrow_types(m))
    x = m.tensor(m.choice([numpy.float32, numpy.float32, numpy.float16] + (
        [numpy.int32, numpy.uint8, numpy.int8] if to == "BFLOAT16" or "INT" in to else [])))
    saturate = m.choice([None, 0, 1]) if to.startswith("FLOAT8") else None
    y = m.node("Cast", [x], to=getattr(TensorProto, to), saturate=saturate)
    if m.chance(0.3):
        y = m.node(m.choice(["Identity", "Flatten"]), [y])
    m.node("Cast", [y], to=m.choice([TensorProto.FLOAT, TensorProto.FLOAT, TensorProto.FLOAT16]))


@maker("QuantizeLinear of narrow types", domain=HERE)
def quantize_narrow(m, _):
    kinds = [name for name in narrow_types(m) if name != "BFLOAT16"] or ["UINT8"]
    to = getattr(TensorProto, m.choice(kinds))
    shape = m.new_shape(m.int(1, 3))
    x = m.new(numpy.float32, shape)
    axis = m.int(0, len(shape) - 1)
    granularity = m.choice(["tensor", "axis"] + (["block"] if m.opset >= 21 else []))
    sizes = {"tensor": (), "axis": (shape[axis],), "block": shape}[granularity]
    given = {"axis": None if granularity == "tensor" else axis}
    if granularity == "block":
        block = m.int(1, max(shape[axis], 1))
        sizes = shape[:axis] + (-(-shape[axis] // block),) + shape[axis + 1:]
        given["block_size"] = block
    scale = m.new(numpy.float32, sizes, 0.05, 1, "constant")
    floats = to in (TensorProto.FLOAT8E4M3FN, TensorProto.FLOAT8E4M3FNUZ, TensorProto.FLOAT8E5M2,
                    TensorProto.FLOAT8E5M2FNUZ)
    zero = m.node("Cast", [m.new(numpy.float32, sizes, 0, 0 if floats else 3, "constant")], to=to)
    y = m.node("QuantizeLinear", [x, scale, zero], saturate=m.choice([None, 0]) if floats else None, **given)
    m.node("DequantizeLinear", [y, scale, zero], **given)


# ---- com.microsoft: attention ----------------------------------------------------------------------

@maker("Attention", domain=MICROSOFT)
def contrib_attention(m, name):
    f32 = numpy.float32
    batch, length, inputs, heads, head = m.int(1, 2), m.int(1, 4), m.int(1, 5), m.int(1, 3), 2 * m.int(1, 3)
    hidden = heads * head
    past = m.int(1, 3) if m.chance(0.3) else 0
    given = {"num_heads": heads, "unidirectional": m.choice([None, 1]), "scale": m.choice([None, 0.5]),
             "mask_filter_value": m.choice([None, -1000.0])}
    value = hidden
    if not past and m.chance(0.3):
        value = heads * 2 * m.int(1, 2)
        given["qkv_hidden_sizes"] = [hidden, hidden, value]
    width = 2 * hidden + value
    inputs_ = [m.new(f32, (batch, length, inputs), -1, 1), m.new(f32, (inputs, width), -1, 1, "constant"),
               m.new(f32, (width,), -1, 1, "constant")]
    mask = m.choice(["none", "none", "lengths", "rows", "square"])
    keys = past + length
    if mask == "lengths":
        inputs_.append(m.new(numpy.int32, (batch,), 1, keys))
    elif mask == "rows":
        rows = m.array(numpy.int32, (batch, keys), 0, 1)
        rows[:, 0] = 1
        inputs_.append(m.leaf(rows, "input"))
    elif mask == "square":
        rows = m.array(numpy.int32, (batch, length, keys), 0, 1)
        rows[:, :, 0] = 1
        inputs_.append(m.leaf(rows, "input"))
    else:
        inputs_.append("")
    inputs_.append(m.new(f32, (2, batch, heads, past, head), -1, 1, "input") if past else "")
    if not past and m.chance(0.3):  # ONNX Runtime's kernel takes one of the two
        inputs_.append(m.new(f32, (m.choice([1, batch]), m.choice([1, heads]), length, keys), -1, 1))
    # of K and V with unlike heads, ONNX Runtime's present is not a tensor of their values
    m.node(name, inputs_, 2 if past or (value == hidden and m.chance(0.3)) else 1, domain=MICROSOFT, **given)


@maker("MultiHeadAttention", domain=MICROSOFT)
def contrib_multi_head(m, name):
    f32 = numpy.float32
    batch, length, heads, head = m.int(1, 2), m.int(1, 4), m.int(1, 3), 2 * m.int(1, 3)
    hidden = heads * head
    form = m.choice(["apart", "apart", "cross", "past"])
    keys = length if form == "past" else m.int(1, 5)
    past = m.int(1, 3) if form == "past" else 0
    given = {"num_heads": heads, "scale": m.choice([None, 0.5]), "mask_filter_value": m.choice([None, -1000.0]),
             "unidirectional": 1 if keys == length and not past and m.chance(0.3) else None}
    if form == "cross":
        inputs = [m.new(f32, (batch, length, hidden), -1, 1), m.new(f32, (batch, heads, keys, head), -1, 1),
                  m.new(f32, (batch, heads, keys, head), -1, 1)]
    else:
        inputs = [m.new(f32, (batch, size, hidden), -1, 1) for size in (length, keys, keys)]
    inputs.append(m.new(f32, (3 * hidden,), -1, 1, "constant")
                  if form in ("apart", "past") and m.chance(0.4) else "")
    mask = m.choice(["none", "none", "lengths", "rows"]) if form == "apart" else "none"
    if mask == "lengths":
        inputs.append(m.new(numpy.int32, (batch,), 1, keys))
    elif mask == "rows":
        rows = m.array(numpy.int32, (batch, keys), 0, 1)
        rows[:, 0] = 1
        inputs.append(m.leaf(rows, "input"))
    else:
        inputs.append("")
    inputs.append(m.new(f32, (m.choice([1, batch]), m.choice([1, heads]), length, past + keys), -1, 1)
                  if m.chance(0.3) else "")
    if past:
        inputs += [m.new(f32, (batch, heads, past, head), -1, 1) for _ in range(2)]
    m.node(name, inputs, 3 if past else 1, domain=MICROSOFT, **given)


@maker("GroupQueryAttention", domain=MICROSOFT)
def contrib_group_query(m, name):
    f32 = numpy.float32
    rotary = m.chance(0.5)
    batch, kv_heads, head = m.int(1, 2), m.int(1, 2), 16 if rotary else 8 * m.int(1, 2)
    heads = kv_heads * m.int(1, 3)
    is_prompt = m.chance(0.5)
    length = m.int(1, 4) if is_prompt else 1
    past = 0 if is_prompt else m.int(1, 4)
    capacity = past + m.int(0, 2) if past else length
    total = past + length
    if m.chance(0.3):
        inputs = [m.new(f32, (batch, length, (heads + 2 * kv_heads) * head), -1, 1), "", ""]
    else:
        inputs = [m.new(f32, (batch, length, n * head), -1, 1) for n in (heads, kv_heads, kv_heads)]
    bits = m.choice([0, 0, 4, 8])
    rows = (batch, kv_heads, capacity if past else 0)
    inputs += [m.new(f32, rows + (head,), -1, 1, "input") if not bits
               else m.new(numpy.uint8, rows + (head // 2,), 0, 255, "input") if bits == 4
               else m.new(numpy.int8, rows + (head,), -128, 127, "input") for _ in range(2)]
    inputs += [m.leaf(numpy.full((batch,), total - 1, numpy.int32), "input"),
               m.leaf(numpy.array(total, numpy.int32), "input")]
    if rotary:
        inputs += [m.new(f32, (16, head // 2), -1, 1, "constant") for _ in range(2)]
    given = {"num_heads": heads, "kv_num_heads": kv_heads, "do_rotary": 1 if rotary else None,
             "rotary_interleaved": m.choice([None, 1]) if rotary else None, "scale": m.choice([None, 0.5]),
             "softcap": m.choice([None, None, 5.0]), "local_window_size": m.choice([None, None, 2]),
             "smooth_softmax": m.choice([None, None, 1])}
    if bits:
        each = m.chance(0.5)
        inputs += [""] * (12 - len(inputs)) + [
            m.new(f32, (kv_heads * head if each else 1,), 0.01, 0.1, "constant") for _ in range(2)]
        given.update({"kv_cache_bit_width": bits, "k_quant_type": "PER_CHANNEL" if each else "PER_TENSOR",
                      "v_quant_type": "PER_CHANNEL" if each else "PER_TENSOR"})
    m.node(name, inputs, 3, domain=MICROSOFT, **given)


@maker("MatMulNBits", domain=MICROSOFT)
def contrib_matmul_nbits(m, name):
    f32 = numpy.float32
    bits, block = m.choice([4, 4, 8]), m.choice([16, 32, 64])
    columns, k = m.int(1, 9), m.choice([16, 32, 40, 64, 96])
    blocks = -(-k // block)
    a = m.new(f32, m.choice([(m.int(1, 4), k), (2, m.int(1, 3), k)]), -1, 1)
    b = m.new(numpy.uint8, (columns, blocks, block * bits // 8), 0, 255, "constant")
    scales = m.new(f32, (columns * blocks,), 0.01, 0.1, "constant")
    inputs = [a, b, scales]
    if m.chance(0.5):
        inputs.append(m.new(numpy.uint8, (columns * -(-blocks * bits // 8),), 0, 255, "constant"))
    if m.chance(0.3):
        inputs += [""] * (5 - len(inputs)) + [m.new(f32, (columns,), -1, 1, "constant")]
    m.node(name, inputs, domain=MICROSOFT, K=k, N=columns, bits=bits, block_size=block,
           accuracy_level=m.choice([None, 1]))


# ---- the others ------------------------------------------------------------------------------------

@maker("DeformConv")
def deform_conv(m, name):
    dtype = m.choice([numpy.float32, numpy.float32, numpy.float64])
    group, per_group = m.choice([1, 1, 2]), m.int(1, 2)
    offsets = m.choice([1, group])
    channels, features = group * per_group, group * m.int(1, 2)
    kernel, stride = [m.int(1, 3), m.int(1, 3)], m.int(1, 2)
    pads = [m.int(0, 1)] * 4
    dilation = m.choice([1, 1, 2])
    size = [m.int(5, 7), m.int(5, 7)]
    out = [(n + 2 * pads[0] - dilation * (k - 1) - 1) // stride + 1 for n, k in zip(size, kernel)]
    batch, points = m.int(1, 2), kernel[0] * kernel[1]
    inputs = [m.tensor(dtype, (batch, channels, *size)), m.new(dtype, (features, per_group, *kernel), -1, 1),
              m.new(dtype, (batch, offsets * points * 2, *out), -2, 2)]
    if m.chance(0.5):
        inputs.append(m.new(dtype, (features,), -1, 1))
        if m.chance(0.6):
            inputs.append(m.new(dtype, (batch, offsets * points, *out), 0, 1))
    m.node(name, inputs, kernel_shape=m.choice([None, kernel]), strides=[stride] * 2, pads=pads,
           dilations=[dilation] * 2, group=group, offset_group=offsets)


def rows_of(m, n):
    return [float(v) for v in m.rng.normal(size=n).round(3)]


@maker("SVMRegressor", "SVMClassifier", domain=ML)
def svm(m, name):
    features, classes = m.int(1, 4), m.int(2, 4)
    kernel = m.choice(["LINEAR", "RBF", "POLY", "SIGMOID"])
    given = {"kernel_type": kernel, "kernel_params": [0.25, 0.5, 2.0],
             "post_transform": m.choice(["NONE", "NONE", "LOGISTIC", "SOFTMAX", "SOFTMAX_ZERO"])}
    x = m.new(m.choice([numpy.float32, numpy.float32, numpy.float64, numpy.int64, numpy.int32])
              if name == "SVMClassifier" else numpy.float32, (m.int(1, 4), features))
    if name == "SVMRegressor":
        vectors = m.int(1, 4)
        is_linear = m.chance(0.3)
        given.update(coefficients=rows_of(m, features if is_linear else vectors), rho=rows_of(m, 1),
                     n_supports=0 if is_linear else vectors,
                     support_vectors=None if is_linear else rows_of(m, vectors * features))
        given["post_transform"] = "NONE"
        if is_linear:
            given["kernel_type"] = "LINEAR"
        return m.node(name, [x], domain=ML, **given)
    labels = m.choice([{"classlabels_ints": list(range(classes))},
                       {"classlabels_strings": ["c%d" % i for i in range(classes)]}])
    if m.chance(0.3):
        given.update(coefficients=rows_of(m, classes * features), rho=rows_of(m, 1), kernel_type="LINEAR")
    else:
        each = [m.int(1, 2) for _ in range(classes)]
        pairs = classes * (classes - 1) // 2
        given.update(vectors_per_class=each, support_vectors=rows_of(m, sum(each) * features),
                     coefficients=rows_of(m, sum(each) * (classes - 1)), rho=rows_of(m, pairs))
        if m.chance(0.4):
            given.update(prob_a=rows_of(m, pairs), prob_b=rows_of(m, pairs))
    m.node(name, [x], 2, domain=ML, **given, **labels)


@maker("CategoryMapper", domain=ML)
def category_mapper(m, name):
    x = m.new(m.choice([object, numpy.int64]), m.new_shape(m.int(1, 2)))
    m.node(name, [x], domain=ML, cats_strings=["a", "b c", "10", "ß"], cats_int64s=[0, 1, 5, -3],
           default_int64=m.choice([None, 7]), default_string=m.choice([None, "other"]))


@maker("TreeEnsemble", domain=ML)
def tree_ensemble(m, name):
    """Two trees, of a node with two leaves and of a leaf alone."""
    dtype = m.choice([numpy.float32, numpy.float64])
    element = helper.np_dtype_to_tensor_dtype(numpy.dtype(dtype))
    splits = helper.make_tensor("s", element, [2], [0.5, float(m.int(-1, 1))])
    weights = helper.make_tensor("w", element, [4], rows_of(m, 4))
    m.node(name, [m.tensor(dtype, (m.int(1, 4), 2))], domain=ML, n_targets=2, tree_roots=[0, 1],
           nodes_featureids=[m.int(0, 1), m.int(0, 1)], nodes_splits=splits,
           nodes_modes=helper.make_tensor("m", TensorProto.UINT8, [2], [m.int(0, 5), m.int(0, 5)]),
           nodes_truenodeids=[0, 2], nodes_trueleafs=[1, 1], nodes_falsenodeids=[1, 3], nodes_falseleafs=[1, 1],
           nodes_missing_value_tracks_true=m.choice([None, [1, 0]]), leaf_targetids=[0, 1, 1, 0],
           leaf_weights=weights, aggregate_function=m.int(0, 3), post_transform=m.choice([None, 0, 1, 2, 3]))


def missing():
    """Operators of ONNX that have neither a maker nor a reason."""
    names = {(s.domain, s.name) for s in onnx.defs.get_all_schemas() if not s.deprecated}
    return sorted(name for domain, name in names if (domain, name) not in MAKERS and name not in LEFT_OUT)
