# SPDX-License-Identifier: MIT
"""python.py - what Python programs do with the module onnxruntime: python3 python.py MODULE MODELS RESULTS.

MODULE is onnxruntime, or what stands in for it. RESULTS gets a line "test<TAB>pass|fail" for each test.
"""

import importlib
import os
import pathlib
import pickle
import sys
import threading
import traceback
import warnings

import numpy

ort = importlib.import_module(sys.argv[1])
models = sys.argv[2]
CPU = ["CPUExecutionProvider"]


def path(name):
    return os.path.join(models, name)


def session(name, **options):
    return ort.InferenceSession(path(name), providers=CPU, **options)


def image():
    return numpy.full((1, 1, 28, 28), 0.5, numpy.float32)


def raises(words, function, *arguments):
    try:
        function(*arguments)
    except Exception as error:  # pylint: disable=broad-except
        assert words in str(error), error
        return error
    raise AssertionError("it succeeded; expected '%s'" % words)


def session_from_a_path():
    for name in path("digits.onnx"), pathlib.Path(path("digits.onnx")):
        assert ort.InferenceSession(name).get_inputs()[0].name == "image"


def session_from_bytes():
    with open(path("digits.onnx"), "rb") as file:
        assert ort.InferenceSession(file.read(), providers=CPU).get_outputs()[0].name == "scores"


def names_shapes_and_types():
    (arg,) = session("upsample.onnx").get_inputs()
    assert (arg.name, arg.shape, arg.type) == ("image", ["unk__31", "unk__32", "unk__33", 3], "tensor(float)")
    (arg,) = session("upsample.onnx").get_outputs()
    assert arg.shape == ["unk__34", "unk__35", "unk__36", 3], arg.shape
    types = {arg.name: arg.type for arg in session("types.onnx").get_inputs()}
    assert types["float64"] == "tensor(double)" and types["string"] == "tensor(string)"


def types_of_sequences_and_maps():
    types = {arg.name: arg.type for arg in session("containers.onnx").get_outputs()}
    assert types == {"tensors": "seq(tensor(float))", "numbered": "seq(map(int64,tensor(float)))",
                     "named": "seq(map(string,tensor(float)))"}, types


def all_outputs_or_named_ones():
    opened = session("digits.onnx")
    (scores,) = opened.run(None, {"image": image()})
    assert scores.shape == (1, 10) and scores.dtype == numpy.float32
    assert (opened.run(["scores"], {"image": image()})[0] == scores).all()


def lists_of_lists():
    row = [[[[1, 2, 3], [4.0, 5, 6]]]]
    (got,) = session("upsample.onnx").run(None, {"image": row})
    assert got.shape == (1, 2, 4, 3) and got[0, 1, 3].tolist() == [4, 5, 6]


def arrays_that_are_not_contiguous():
    wide = numpy.arange(24, dtype=numpy.float32).reshape(1, 2, 4, 3)
    for view in wide[:, :, ::2], wide[:, ::-1], wide.transpose(0, 2, 1, 3), numpy.asfortranarray(wide):
        (got,) = session("upsample.onnx").run(None, {"image": view})
        assert (got[:, ::2, ::2] == view).all()


def arrays_at_odd_addresses():
    raw = numpy.zeros(4 * 3 + 1, numpy.uint8)
    view = raw[1:].view(numpy.float32).reshape(1, 1, 1, 3)
    view[...] = [1, 2, 3]
    (got,) = session("upsample.onnx").run(None, {"image": view})
    assert got[0, 1, 1].tolist() == [1, 2, 3]


def values_of_every_type_come_back():
    texts = numpy.array(["", "cat", "größe"], object)
    special = {"int64": -(2**63), "uint64": 2**64 - 1, "float32": numpy.inf}
    for model in "types.onnx", "unsigned.onnx":
        opened, feeds = session(model), {}
        for name in (arg.name for arg in opened.get_inputs()):
            feeds[name] = texts if name == "string" else numpy.array([0, 1, 2]).astype(name)
            if name in special:
                feeds[name][0] = special[name]
        got = dict(zip((arg.name for arg in opened.get_outputs()), opened.run(None, feeds)))
        for name, fed in feeds.items():
            assert got[name + "_out"].tolist() == fed.tolist(), name
            assert got[name + "_out"].dtype == fed.dtype


def texts_of_numpys_own_type():
    opened, feeds = session("types.onnx"), {}
    for name in (arg.name for arg in opened.get_inputs()):
        feeds[name] = numpy.array(["cat", "größe"]) if name == "string" else numpy.zeros(2, name)
    assert opened.run(["string_out"], feeds)[0].tolist() == ["cat", "größe"]


def empty_arrays():
    opened = session("types.onnx")
    feeds = {arg.name: numpy.zeros(0, object if arg.name == "string" else arg.name)
             for arg in opened.get_inputs()}
    assert [x.shape for x in opened.run(None, feeds)] == [(0,)] * len(feeds)


def sequences_and_maps():
    scores = numpy.array([[1, 2, 3], [4, 5, 6]], numpy.float32)
    tensors, numbered, named = session("containers.onnx").run(
        ["tensors", "numbered", "named"], {"scores": scores})
    assert len(tensors) == 2 and (tensors[1] == scores).all()
    assert numbered == [{0: 1, 10: 2, 20: 3}, {0: 4, 10: 5, 20: 6}], numbered
    assert named[1] == {"cat": 4, "dog": 5, "eel": 6}, named


def a_provider_that_is_not_there_warns():
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        opened = ort.InferenceSession(path("digits.onnx"), providers=["AbacusExecutionProvider"] + CPU)
    assert "AbacusExecutionProvider" in str(caught[0].message)
    assert opened.get_providers() == CPU


def provider_options_that_are_no_text():
    given = [("CPUExecutionProvider", {"arena_extend_strategy": "kSameAsRequested", "device_id": 0})]
    assert ort.InferenceSession(path("digits.onnx"), providers=given).get_providers() == CPU


def available_providers_end_with_the_processor():
    assert ort.get_available_providers()[-1] == CPU[0]
    assert ort.capi._pybind_state.get_available_providers() == ort.get_available_providers()


def the_device_is_the_processor():
    assert ort.get_device() == "CPU"


def options_are_taken():
    options = ort.SessionOptions()
    options.intra_op_num_threads = 1
    options.inter_op_num_threads = 1
    options.enable_cpu_mem_arena = False
    options.log_severity_level = 3
    options.execution_mode = ort.ExecutionMode.ORT_PARALLEL
    for level in ("ORT_DISABLE_ALL", "ORT_ENABLE_BASIC", "ORT_ENABLE_EXTENDED", "ORT_ENABLE_ALL"):
        options.graph_optimization_level = getattr(ort.GraphOptimizationLevel, level)
        (scores,) = session("digits.onnx", sess_options=options).run(None, {"image": image()})
        assert numpy.isfinite(scores).all()


def metadata():
    found = session("digits.onnx").get_modelmeta()
    assert found.custom_metadata_map == {"display": "seven segments", "größe": "28"}
    assert found.graph_name == "main"
    assert session("types.onnx").get_modelmeta().custom_metadata_map == {}


def logging_and_telemetry():
    ort.set_default_logger_severity(3)
    ort.disable_telemetry_events()


def the_version_has_three_numbers():
    assert [int(part) >= 0 for part in ort.__version__.split(".")] == [True] * 3


def a_wrong_size_is_refused():
    feeds = {"image": numpy.zeros((1, 1, 2, 2), numpy.float32)}
    raises("Got invalid dimensions for input: image", session("digits.onnx").run, None, feeds)


def a_wrong_rank_is_refused():
    feeds = {"image": numpy.zeros(784, numpy.float32)}
    raises("Invalid rank for input: image", session("digits.onnx").run, None, feeds)


def a_wrong_type_is_refused():
    feeds = {"image": image().astype(numpy.float64)}
    raises("Unexpected input data type", session("digits.onnx").run, None, feeds)


def a_missing_input_is_refused():
    raises("['image']", session("digits.onnx").run, None, {})


def an_absent_file_is_refused():
    error = raises("File doesn't exist", ort.InferenceSession, "/nowhere.onnx")
    assert type(error).__name__ == "NoSuchFile"


def bytes_that_are_no_model_are_refused():
    error = raises("", ort.InferenceSession, b"no model at all")
    assert type(error).__name__ == "InvalidProtobuf"


def an_output_that_is_not_there_is_refused():
    raises("nothing", session("digits.onnx").run, ["nothing"], {"image": image()})


def threads_share_a_session():
    opened = session("digits.onnx")
    (want,) = opened.run(None, {"image": image()})
    results = []

    def work():
        for _ in range(20):
            results.append((opened.run(None, {"image": image()})[0] == want).all())

    workers = [threading.Thread(target=work) for _ in range(4)]
    for worker in workers:
        worker.start()
    for worker in workers:
        worker.join()
    assert len(results) == 80 and all(results)


class Reopened:
    """How programs pickle what has a session: by its path."""

    def __init__(self, name):
        self.name = name
        self.session = ort.InferenceSession(name, providers=CPU)
        assert isinstance(self.session, ort.InferenceSession)

    def __getstate__(self):
        return {"name": self.name}

    def __setstate__(self, state):
        self.__init__(state["name"])


def pickled_by_reopening():
    again = pickle.loads(pickle.dumps(Reopened(path("digits.onnx"))))
    assert again.session.run(None, {"image": image()})[0].shape == (1, 10)


TESTS = [thing for name, thing in list(globals().items())
         if callable(thing) and getattr(thing, "__module__", "") == __name__
         and name not in ("path", "session", "image", "raises", "Reopened")]
with open(sys.argv[3], "w", encoding="utf-8") as results:
    for test in TESTS:
        try:
            test()
            print(test.__name__, "pass", sep="\t", file=results, flush=True)
        except BaseException:  # pylint: disable=broad-except
            print(test.__name__, "fail", sep="\t", file=results, flush=True)
            print(test.__name__ + ":", traceback.format_exc())
