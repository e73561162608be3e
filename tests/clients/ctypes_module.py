# SPDX-License-Identifier: MIT
"""ctypes_module.py - what Python programs use of the module onnxruntime, on a C library's OrtApi.

It stands in for that module: ORT_LIBRARY names the library, ORT_SLOTS the list of OrtApi's functions
in their order. It has the items that programs which ship their models use, no more: sessions from
files and bytes, options, run() with arrays and lists, sequences and maps, types and metadata.
"""

import ctypes
import enum
import os
import re
import types
import warnings

import numpy

VERSION = 23  # of the API: what is used here is in each
Pointer = ctypes.c_void_p

_library = ctypes.CDLL(os.environ["ORT_LIBRARY"])


class _Base(ctypes.Structure):
    _fields_ = [
        ("get_api", ctypes.CFUNCTYPE(Pointer, ctypes.c_uint32)),
        ("get_version", ctypes.CFUNCTYPE(ctypes.c_char_p)),
    ]


_library.OrtGetApiBase.restype = ctypes.POINTER(_Base)
_base = _library.OrtGetApiBase().contents
_table = ctypes.cast(_base.get_api(VERSION), ctypes.POINTER(Pointer))
with open(os.environ["ORT_SLOTS"], encoding="utf-8") as _file:
    _slots = re.findall(r"^SLOT\((\w+)\)", _file.read(), re.M)
_functions = {}

__version__ = _base.get_version().decode()

# ---- calls --------------------------------------------------------------------------------------


def _function(name, result=Pointer):
    if name not in _functions:
        address = _table[_slots.index(name)]
        # all arguments here are pointers, sizes or 32 bits: ctypes passes them as they are given
        _functions[name] = ctypes.CFUNCTYPE(result)(address)
    return _functions[name]


class Fail(RuntimeError):
    """A status of the library; its subclasses are the codes that programs catch."""


class InvalidArgument(Fail):
    pass


class NoSuchFile(Fail):
    pass


class InvalidProtobuf(Fail):
    pass


class InvalidGraph(Fail):
    pass


_by_code = {2: InvalidArgument, 3: NoSuchFile, 7: InvalidProtobuf, 10: InvalidGraph}


def _call(name, *arguments):
    status = _function(name)(*arguments)
    if status:
        status = Pointer(status)
        code = _function("GetErrorCode", ctypes.c_int)(status)
        text = _function("GetErrorMessage", ctypes.c_char_p)(status).decode()
        _function("ReleaseStatus", None)(status)
        raise _by_code.get(code, Fail)("[ONNXRuntimeError] : %d : %s" % (code, text))


def _get(name, *arguments, of=Pointer):
    """What the call stores through its last argument."""
    out = of()
    _call(name, *arguments, ctypes.byref(out))
    return out if of is Pointer else out.value


def _owned(thing, release):
    """Releases the thing when nobody has it any more."""
    thing.__class__ = type("Owned", (Pointer,), {"__del__": lambda self: _function(release, None)(self)})
    return thing


_heap = _get("GetAllocatorWithDefaultOptions")
_cpu = _get("CreateCpuMemoryInfo", ctypes.c_int(1), ctypes.c_int(0))
_env = _get("CreateEnv", ctypes.c_int(2), b"Default")


def _text(name, *arguments):
    """A text that the call makes with the allocator."""
    address = _get(name, *arguments)
    text = ctypes.cast(address, ctypes.c_char_p).value.decode()
    _call("AllocatorFree", _heap, address)
    return text


# ---- the module ---------------------------------------------------------------------------------


class ExecutionMode(enum.IntEnum):
    ORT_SEQUENTIAL = 0
    ORT_PARALLEL = 1


class GraphOptimizationLevel(enum.IntEnum):
    ORT_DISABLE_ALL = 0
    ORT_ENABLE_BASIC = 1
    ORT_ENABLE_EXTENDED = 2
    ORT_ENABLE_LAYOUT = 3
    ORT_ENABLE_ALL = 99


def get_available_providers():
    names = ctypes.POINTER(ctypes.c_char_p)()
    n = ctypes.c_int()
    _call("GetAvailableProviders", ctypes.byref(names), ctypes.byref(n))
    found = [names[i].decode() for i in range(n.value)]
    _call("ReleaseAvailableProviders", names, n)
    return found


def get_device():
    return "CPU"


def set_default_logger_severity(severity):
    _call("UpdateEnvWithCustomLogLevel", _env, ctypes.c_int(severity))


def disable_telemetry_events():
    _call("DisableTelemetryEvents", _env)


class SessionOptions:
    def __init__(self):
        self.enable_cpu_mem_arena = True
        self.execution_mode = ExecutionMode.ORT_SEQUENTIAL
        self.graph_optimization_level = GraphOptimizationLevel.ORT_ENABLE_ALL
        self.inter_op_num_threads = 0
        self.intra_op_num_threads = 0
        self.log_severity_level = -1

    def _make(self):
        made = _owned(_get("CreateSessionOptions"), "ReleaseSessionOptions")
        _call("EnableCpuMemArena" if self.enable_cpu_mem_arena else "DisableCpuMemArena", made)
        _call("SetSessionExecutionMode", made, ctypes.c_int(self.execution_mode))
        _call("SetSessionGraphOptimizationLevel", made, ctypes.c_int(self.graph_optimization_level))
        _call("SetInterOpNumThreads", made, ctypes.c_int(self.inter_op_num_threads))
        _call("SetIntraOpNumThreads", made, ctypes.c_int(self.intra_op_num_threads))
        if self.log_severity_level >= 0:
            _call("SetSessionLogSeverityLevel", made, ctypes.c_int(self.log_severity_level))
        return made


# Element types by their numbers: how a type's text says them, numpy's.
_elements = {
    1: ("float", numpy.float32), 2: ("uint8", numpy.uint8), 3: ("int8", numpy.int8),
    4: ("uint16", numpy.uint16), 5: ("int16", numpy.int16), 6: ("int32", numpy.int32),
    7: ("int64", numpy.int64), 8: ("string", numpy.object_), 9: ("bool", numpy.bool_),
    10: ("float16", numpy.float16), 11: ("double", numpy.float64), 12: ("uint32", numpy.uint32),
    13: ("uint64", numpy.uint64), 16: ("bfloat16", None),
}
_numbers = {numpy.dtype(dtype): n for n, (_, dtype) in _elements.items() if dtype}
STRING = 8


def _describe(info):
    """The shape and the text of an OrtTypeInfo."""
    kind = _get("GetOnnxTypeFromTypeInfo", info, of=ctypes.c_int)
    if kind == 1:
        tensor = _get("CastTypeInfoToTensorInfo", info)
        element = _get("GetTensorElementType", tensor, of=ctypes.c_int)
        rank = _get("GetDimensionsCount", tensor, of=ctypes.c_size_t)
        sizes, names = (ctypes.c_int64 * rank)(), (ctypes.c_char_p * rank)()
        _call("GetDimensions", tensor, sizes, ctypes.c_size_t(rank))
        _call("GetSymbolicDimensions", tensor, names, ctypes.c_size_t(rank))
        shape = [s if s >= 0 else names[i].decode() or None for i, s in enumerate(sizes)]
        return shape, "tensor(%s)" % _elements[element][0]
    if kind == 2:
        inner = _get("GetSequenceElementType", _get("CastTypeInfoToSequenceTypeInfo", info))
        return [], "seq(%s)" % _describe(_owned(inner, "ReleaseTypeInfo"))[1]
    if kind == 3:
        of_map = _get("CastTypeInfoToMapTypeInfo", info)
        key = _elements[_get("GetMapKeyType", of_map, of=ctypes.c_int)][0]
        inner = _owned(_get("GetMapValueType", of_map), "ReleaseTypeInfo")
        return [], "map(%s,%s)" % (key, _describe(inner)[1])
    raise NotImplementedError("a value of kind %d" % kind)


class NodeArg:
    def __init__(self, name, info):
        self.name = name
        self.shape, self.type = _describe(info)


class ModelMetadata:
    def __init__(self, session):
        metadata = _owned(_get("SessionGetModelMetadata", session), "ReleaseModelMetadata")
        self.producer_name = _text("ModelMetadataGetProducerName", metadata, _heap)
        self.graph_name = _text("ModelMetadataGetGraphName", metadata, _heap)
        keys, n = ctypes.POINTER(Pointer)(), ctypes.c_int64()
        _call("ModelMetadataGetCustomMetadataMapKeys", metadata, _heap, ctypes.byref(keys), ctypes.byref(n))
        self.custom_metadata_map = {}
        for i in range(n.value):
            key = ctypes.cast(keys[i], ctypes.c_char_p).value
            value = _text("ModelMetadataLookupCustomMetadataMap", metadata, _heap, key)
            self.custom_metadata_map[key.decode()] = value
            _call("AllocatorFree", _heap, Pointer(keys[i]))
        if n.value:
            _call("AllocatorFree", _heap, keys)


# ---- values -------------------------------------------------------------------------------------


def _to_value(array, element):
    """An OrtValue and the array that it looks into."""
    if element == STRING:
        shape = (ctypes.c_int64 * array.ndim)(*array.shape)
        value = _get("CreateTensorAsOrtValue", _heap, shape, ctypes.c_size_t(array.ndim), ctypes.c_int(STRING))
        texts = [str(item).encode() for item in array.flat]
        _call("FillStringTensor", value, (ctypes.c_char_p * len(texts))(*texts), ctypes.c_size_t(len(texts)))
    else:
        rank = array.ndim  # ascontiguousarray() makes 1 of 0
        array = numpy.ascontiguousarray(array).reshape(array.shape)
        shape = (ctypes.c_int64 * rank)(*array.shape)
        value = _get("CreateTensorWithDataAsOrtValue", _cpu, Pointer(array.ctypes.data),
                     ctypes.c_size_t(array.nbytes), shape, ctypes.c_size_t(rank), ctypes.c_int(element))
    return _owned(value, "ReleaseValue"), array


def _texts(value, shape):
    n = int(numpy.prod(shape))
    length = _get("GetStringTensorDataLength", value, of=ctypes.c_size_t)
    bytes_, offsets = ctypes.create_string_buffer(length or 1), (ctypes.c_size_t * n)()
    _call("GetStringTensorContent", value, bytes_, ctypes.c_size_t(length), offsets, ctypes.c_size_t(n))
    ends = list(offsets)[1:] + [length]
    texts = [bytes_.raw[begin:end].decode() for begin, end in zip(offsets, ends)]
    return numpy.array(texts, dtype=object).reshape(shape)


def _tensor(value):
    info = _owned(_get("GetTensorTypeAndShape", value), "ReleaseTensorTypeAndShapeInfo")
    element = _get("GetTensorElementType", info, of=ctypes.c_int)
    rank = _get("GetDimensionsCount", info, of=ctypes.c_size_t)
    shape = (ctypes.c_int64 * rank)()
    _call("GetDimensions", info, shape, ctypes.c_size_t(rank))
    shape = tuple(shape)
    if element == STRING:
        return _texts(value, shape)
    array = numpy.empty(shape, _elements[element][1])
    if array.nbytes:
        ctypes.memmove(array.ctypes.data, _get("GetTensorMutableData", value), array.nbytes)
    return array


def _from_value(value):
    kind = _get("GetValueType", value, of=ctypes.c_int)
    if kind == 1:
        return _tensor(value)
    n = _get("GetValueCount", value, of=ctypes.c_size_t)
    parts = [_from_value(_owned(_get("GetValue", value, ctypes.c_int(i), _heap), "ReleaseValue"))
             for i in range(n)]
    if kind == 2:
        return parts
    return dict(zip(parts[0].tolist(), parts[1].tolist()))


# ---- sessions -----------------------------------------------------------------------------------


class InferenceSession:
    def __init__(self, path_or_bytes, sess_options=None, providers=None, provider_options=None):
        options = (sess_options or SessionOptions())._make()
        here = get_available_providers()
        self._providers = []
        for i, entry in enumerate(providers or here[-1:]):
            name, given = entry if isinstance(entry, tuple) else (entry, (provider_options or {i: {}})[i])
            if name not in here:
                warnings.warn("Specified provider '%s' is not in available provider names. "
                              "Available providers: '%s'" % (name, ", ".join(here)), UserWarning, 2)
                continue
            self._append(options, name, given)
            self._providers.append(name)
        if "CPUExecutionProvider" not in self._providers:
            self._providers.append("CPUExecutionProvider")
        if isinstance(path_or_bytes, bytes):
            size = ctypes.c_size_t(len(path_or_bytes))
            session = _get("CreateSessionFromArray", _env, path_or_bytes, size, options)
        elif isinstance(path_or_bytes, (str, os.PathLike)):
            session = _get("CreateSession", _env, os.fspath(path_or_bytes).encode(), options)
        else:
            raise TypeError("Unable to load from type '%s'" % type(path_or_bytes))
        self._session = _owned(session, "ReleaseSession")
        self._inputs = self._arguments("Input")
        self._outputs = self._arguments("Output")

    @staticmethod
    def _append(options, name, given):
        if name == "CPUExecutionProvider":
            return  # it is there by itself
        keys = [str(key).encode() for key in given]
        values = [str(value).encode() for value in given.values()]
        n = len(keys)
        _call("SessionOptionsAppendExecutionProvider", options, name.encode(),
              (ctypes.c_char_p * n)(*keys), (ctypes.c_char_p * n)(*values), ctypes.c_size_t(n))

    def _arguments(self, side):
        n = _get("SessionGet%sCount" % side, self._session, of=ctypes.c_size_t)
        made = []
        for i in map(ctypes.c_size_t, range(n)):
            name = _text("SessionGet%sName" % side, self._session, i, _heap)
            info = _owned(_get("SessionGet%sTypeInfo" % side, self._session, i), "ReleaseTypeInfo")
            made.append(NodeArg(name, info))
        return made

    def get_inputs(self):
        return self._inputs

    def get_outputs(self):
        return self._outputs

    def get_providers(self):
        return self._providers

    def get_modelmeta(self):
        return ModelMetadata(self._session)

    def _feed(self, name, given):
        declared = next((arg.type for arg in self._inputs if arg.name == name), None)
        if declared is None:
            raise ValueError("Invalid input name: %s" % name)
        if isinstance(given, list) and declared.startswith("seq("):
            parts = [_to_value(array, _numbers[array.dtype]) for array in given]
            values = (Pointer * len(parts))(*[value.value for value, _ in parts])
            made = _get("CreateValue", values, ctypes.c_size_t(len(parts)), ctypes.c_int(2))
            return _owned(made, "ReleaseValue"), parts
        number = next(n for n, (text, _) in _elements.items() if "tensor(%s)" % text == declared)
        array = given if hasattr(given, "dtype") else numpy.asarray(given, _elements[number][1])
        if array.dtype.kind in "OUS":
            return _to_value(array, STRING)
        return _to_value(array, _numbers[array.dtype])

    def run(self, output_names, input_feed, run_options=None):
        missing = [arg.name for arg in self._inputs if arg.name not in input_feed]
        if missing:
            raise ValueError("Required inputs (%s) are missing from input feed (%s)."
                             % (missing, list(input_feed)))
        fed = [self._feed(name, given) for name, given in input_feed.items()]
        names = [name.encode() for name in output_names or [arg.name for arg in self._outputs]]
        results = (Pointer * len(names))()
        _call("Run", self._session, None,
              (ctypes.c_char_p * len(fed))(*[name.encode() for name in input_feed]),
              (Pointer * len(fed))(*[value.value for value, _ in fed]), ctypes.c_size_t(len(fed)),
              (ctypes.c_char_p * len(names))(*names), ctypes.c_size_t(len(names)), results)
        return [_from_value(_owned(Pointer(result), "ReleaseValue")) for result in results]


capi = types.SimpleNamespace(_pybind_state=types.SimpleNamespace(
    get_available_providers=get_available_providers, ExecutionMode=ExecutionMode,
    GraphOptimizationLevel=GraphOptimizationLevel))
