# SPDX-License-Identifier: MIT
"""models.py - models.py FOLDER TABLE: each model does what the table says.

A row: the model, what it is to do, a text. `same`: as ONNX Runtime; `reference`: as ONNX's reference;
`refused`: the status has the text; `gives`: the outputs are those of the text; `runs`: its results are
by chance, their shapes are the feeds'.
"""

import ast
import glob
import os
import pickle
import sys

import numpy
import onnx

import compare

ELEMENTS = {1: numpy.float32, 2: numpy.uint8, 3: numpy.int8, 6: numpy.int32, 7: numpy.int64, 9: numpy.bool_,
            10: numpy.float16, 11: numpy.float64}


def value(given):
    if given[0] == "seq":
        return [value(item) for item in given[1]]
    _, element, sizes, data = given
    return numpy.frombuffer(data, ELEMENTS[element]).reshape(sizes)


def wanted(kind, text, model, feeds):
    if kind == "same":
        return compare.there(model, feeds)
    if kind == "reference":
        return compare.reference(model, feeds)
    return [numpy.asarray(rows) for rows in ast.literal_eval(text)]


def wrong(kind, text, model, feeds):
    """How the model does not do what it should; None if it does."""
    try:
        own = compare.here(model, feeds)
    except compare.Refused as error:
        if kind == "refused":
            return None if text in str(error) else "the status has no %r: %s" % (text, error)
        return "refused: %s" % error
    if kind == "refused":
        return "runs: %s" % own
    if kind == "runs":
        shapes = [array.shape for array in feeds.values()]
        return None if [array.shape for array in own] == shapes else "shapes differ"
    want = wanted(kind, text, model, feeds)
    if want is None:
        return "the reference cannot run it"
    if kind == "gives":
        want = [array.astype(got.dtype) for array, got in zip(want, own)]
    return compare.first_difference(own, want, model)


def main():
    with open(sys.argv[2], encoding="utf-8") as file:
        rows = [line.rstrip("\n").split("\t") for line in file if line.strip() and line[0] != "#"]
    table = {row[0]: (row[1], row[2] if len(row) > 2 else "") for row in rows}
    paths = {os.path.basename(path)[:-5]: path for path in sorted(glob.glob(sys.argv[1] + "/*.onnx"))}
    bad = sorted(set(paths) ^ set(table))
    for name in bad:
        print("FAILED: %s: %s" % (name, "no row in the table" if name in paths else "no such model"))
    for name in sorted(set(paths) & set(table)):
        with open(paths[name][:-5] + ".feeds", "rb") as file:
            feeds = {key: value(given) for key, given in pickle.load(file)}
        why = wrong(*table[name], onnx.load(paths[name]), feeds)
        if why:
            bad.append(name)
        print("%s: %s: %s" % ("FAILED" if why else "ok", name, why or table[name][0]), flush=True)
    print("%d of %d models do what the table says" % (len(paths) - len(bad), len(paths)))
    return 1 if bad or not paths else 0


if __name__ == "__main__":
    sys.exit(main())
