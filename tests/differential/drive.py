# SPDX-License-Identifier: MIT
"""drive.py - random graphs of many seeds: drive.py FOLDER KNOWN SEED COUNT.

A step is compared alone, then the graph of all its steps. Children of this process run the libraries, so
that a crash is a verdict too. For a failure the smallest model and its inputs are left in FOLDER.
"""

import collections
import functools
import json
import os
import re
import subprocess
import sys
import threading
import time

import numpy

TERMINAL = 8  # a descriptor that random.sh opens
STALLED = 180  # seconds without progress after which a child is stopped
BAD = ("ours wrong", "ours refuses", "ours crashes")


# ---- the child: seeds one after the other -------------------------------------------------------

def _grow(graph, names, results):
    """Adds a step that both libraries ran alike; whatever happened is a result."""
    import graphs
    import compare
    import operators

    domain, name = names[int(graph.rng.integers(len(names)))]
    known = set(graph.values)
    step = graph.begin()
    operators.MAKERS[domain, name](graph)
    gives = graph.end().gives
    model, feeds = graph.model([step], gives, typed=False)
    verdict, why, theirs = compare.compare(model, feeds)
    results.append((name, verdict, why, model, feeds))
    if verdict != "same":
        for new in set(graph.values) - known:
            del graph.values[new]
        return None
    if not all(isinstance(array, numpy.ndarray) and array.size <= graphs.MOST_ELEMENTS for array in theirs):
        return None
    for output, array in zip(gives, theirs):
        graph.values[output] = array
    graph.steps.append(step)
    return step


def _same_alone(graph, exposed):
    """With what our library gives in between, does each step alone give the same on both?"""
    import compare

    for step in graph.steps:
        model, feeds = graph.model([step], step.gives, exposed)
        verdict, why, _ = compare.compare(model, feeds)
        if verdict not in ("same", "theirs wrong"):
            return verdict, why, model, feeds
    return None


def _shrink(graph, verdict):
    """The fewest steps that still show the verdict."""
    import compare

    steps = list(graph.steps)
    for step in reversed(graph.steps):
        fewer = [other for other in steps if other is not step]
        if fewer:
            model, feeds = graph.model(fewer, graph.leaves(fewer))
            if compare.compare(model, feeds)[0] == verdict:
                steps = fewer
    model, feeds = graph.model(steps, graph.leaves(steps))
    return compare.compare(model, feeds)[:2] + (model, feeds)


def _whole(graph, results):
    """Compares the graph of all steps. Small differences may grow along it: then those of the steps count."""
    import compare

    model, feeds = graph.model(graph.steps, graph.leaves(graph.steps))
    verdict, why, _ = compare.compare(model, feeds)
    if verdict == "ours wrong":
        every = [name for step in graph.steps for name in step.gives]
        all_of_them, all_feeds = graph.model(graph.steps, every)
        try:
            exposed = dict(graph.values, **dict(zip(every, compare.here(all_of_them, all_feeds))))
            found = _same_alone(graph, exposed)
            here = compare.here(model, feeds)
        except compare.Refused as error:
            found = "ours refuses", str(error), all_of_them, all_feeds
        if found:
            return results.append(("graph",) + found)
        leaves = graph.leaves(graph.steps)
        if not compare.first_difference(here, [exposed[name] for name in leaves], model):
            return results.append(("graph", "same", "differences grow", model, feeds))
    if verdict in BAD:
        verdict, why, model, feeds = _shrink(graph, verdict)
    return results.append(("graph", verdict, why, model, feeds))


@functools.cache
def _is_in(name, opset, ml):
    """Have the operator sets this one? The version of other domains is the same everywhere."""
    import onnx

    domain, operator = name
    if domain not in ("", "ai.onnx.ml"):
        return True
    version = ml if domain else opset
    return onnx.defs.has(operator, version, domain) and not onnx.defs.get_schema(
        operator, version, domain).deprecated


def _seed(seed, names):
    import graphs

    rng = numpy.random.default_rng(seed)
    opset = int(rng.choice([13, 14, 15, 16, 17, 18, 19, 20, 21, 22, 23, 24, 25]))
    graph = graphs.Graph(seed, opset)
    names = [name for name in names if _is_in(name, opset, graph.domains["ai.onnx.ml"])]
    results = []
    for _ in range(int(rng.integers(2, 7))):
        _grow(graph, names, results)
    if len(graph.steps) > 1:
        _whole(graph, results)
    return results


def _save(model, feeds, path):
    import graphs
    import onnx

    os.makedirs(path, exist_ok=True)
    onnx.save(model, os.path.join(path, "model.onnx"))
    folder = os.path.join(path, "test_data_set_0")
    os.makedirs(folder, exist_ok=True)
    for i, (name, array) in enumerate(feeds.items()):
        tensor = onnx.numpy_helper.from_array(array, name)
        assert tensor.data_type == graphs.element(array)
        with open(os.path.join(folder, "input_%d.pb" % i), "wb") as file:
            file.write(tensor.SerializeToString())


def child(folder, first, last):
    import compare
    import operators

    compare.progress = compare.Progress(os.path.join(folder, "progress"))
    keep = os.environ.get("DIFFERENTIAL_KEEP")
    if keep:  # the model that crashes is the last one written
        run = compare._run

        def noted(module, label, model, feeds):
            _save(model, feeds, keep)
            return run(module, label, model, feeds)
        compare._run = noted
    names = sorted(operators.MAKERS)
    for seed in range(first, last):
        compare.progress.seed = seed
        for i, (name, verdict, why, model, feeds) in enumerate(_seed(seed, names)):
            line = {"seed": seed, "name": name, "verdict": verdict, "why": why}
            if verdict not in ("same", "both refuse"):
                line["what"] = compare.describe(model, feeds)
            if verdict in BAD:
                line["model"] = os.path.join(folder, "seed-%d-%d-%s" % (seed, i, name))
                _save(model, feeds, line["model"])
            print(json.dumps(line), flush=True)
        print(json.dumps({"seed": seed, "done": 1}), flush=True)


# ---- the parent ---------------------------------------------------------------------------------

def read_known(path):
    """Rows of known.tsv: pattern, verdict, cause, who is right."""
    rows = []
    with open(path, encoding="utf-8") as file:
        for line in file:
            if line.strip() and not line.startswith("#"):
                pattern, verdict, cause, right = line.rstrip("\n").split("\t")
                rows.append((re.compile(pattern), verdict, "%s (%s)" % (cause, right)))
    return rows


class Tally:
    def __init__(self, folder, known, count):
        self.folder, self.known, self.count = folder, known, count
        self.verdicts = collections.Counter()
        self.causes = collections.Counter()
        self.n_graphs = 0
        self.n_steps = 0
        self.failures = []
        self.seen = set()
        self.ran = set()
        self.log = open(os.path.join(folder, "verdicts.jsonl"), "w", encoding="utf-8")
        self.told = time.monotonic()

    def take(self, line):
        if "done" in line:
            self.n_graphs += 1
            if time.monotonic() - self.told > 5:
                self.told = time.monotonic()
                os.write(TERMINAL, b"%d of %d graphs, %d compared models, %d failures\n"
                         % (self.n_graphs, self.count, self.n_steps, len(self.failures)))
            return
        self.n_steps += 1
        verdict = line["verdict"]
        if verdict in ("same", "ours wrong", "theirs wrong"):
            self.ran.add(line["name"])
        if verdict != "same":
            self.log.write(json.dumps(line) + "\n")
        if verdict in BAD:
            text = "%s | %s" % (line.get("what", ""), line["why"])
            cause = next((cause for pattern, of, cause in self.known
                          if of == verdict and pattern.search(text)), None)
            if cause:
                verdict = "known"
                self.causes[cause] += 1
            else:
                self.fail(line, text)
        self.verdicts[verdict] += 1

    def fail(self, line, text):
        self.failures.append(line)
        kind = line["name"], line["verdict"], re.sub(r"[-\d.e\[\], v]+", " ", line["why"])[:60]
        if kind not in self.seen:  # one of a kind is told
            self.seen.add(kind)
            print("FAILED: seed %d: %s: %s\n    model: %s\n    again: make check-differential SEED=%d COUNT=1"
                  % (line["seed"], line["verdict"], text[:700], line.get("model"), line["seed"]), flush=True)

    def report(self):
        self.log.close()
        print("%d graphs, %d compared models, %d operators ran" % (self.n_graphs, self.n_steps, len(self.ran)))
        for verdict, n in self.verdicts.most_common():
            print("  %6d  %s" % (n, verdict))
        for cause, n in self.causes.most_common():
            print("  %6d  known: %s" % (n, cause))


def _crash(tally, folder, seed, library, status):
    """The seed once more, each model written before it runs."""
    where = os.path.join(folder, "crash-%d" % seed)
    if library == "ours":
        subprocess.run(_command(folder, seed, seed + 1), env=dict(os.environ, DIFFERENTIAL_KEEP=where),
                       stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, check=False, timeout=STALLED)
    tally.take({"seed": seed, "name": "crash", "verdict": library + " crashes", "what": "",
                "why": "the process ended with status %d" % status, "model": where})
    tally.take({"seed": seed, "done": 1})


def _command(folder, first, last):
    return [sys.executable, os.path.abspath(__file__), "child", folder, str(first), str(last)]


def _stop_stalled(worker, tally):
    """Ends a child that has made no progress for long."""
    n, since = -1, time.monotonic()
    while worker.poll() is None:
        if tally.n_steps != n:
            n, since = tally.n_steps, time.monotonic()
        elif time.monotonic() - since > STALLED:
            worker.kill()
        time.sleep(0.2)


def parent(folder, known, first, count):
    tally = Tally(folder, read_known(known), count)
    progress = os.path.join(folder, "progress")
    seed, last = first, first + count
    while seed < last:
        errors = open(os.path.join(folder, "stderr.log"), "a", encoding="utf-8")
        worker = subprocess.Popen(_command(folder, seed, last), stdout=subprocess.PIPE, stderr=errors, text=True)
        watch = threading.Thread(target=_stop_stalled, args=(worker, tally), daemon=True)
        watch.start()
        for text in worker.stdout:
            line = json.loads(text)
            tally.take(line)
            if "done" in line:
                seed = line["seed"] + 1
        status = worker.wait()
        errors.close()
        at = open(progress, encoding="ascii").read().split() if os.path.exists(progress) else []
        if status == 0:
            break
        if len(at) < 2 or at[1] not in ("ours", "theirs"):
            with open(errors.name, encoding="utf-8") as log:
                print("".join(log.readlines()[-15:]))
            print("FAILED: seed %d: the driver itself ended with status %d" % (seed, status))
            return 1
        _crash(tally, folder, seed, at[1], status)
        seed += 1
    tally.report()
    return 1 if tally.failures else 0


def main():
    if sys.argv[1] == "child":
        return child(sys.argv[2], int(sys.argv[3]), int(sys.argv[4]))
    import operators
    missing = operators.missing()
    if missing:
        print("FAILED: operators without a maker or a reason in operators.py: " + " ".join(missing))
        return 1
    return parent(sys.argv[1], sys.argv[2], int(sys.argv[3]), int(sys.argv[4]))


if __name__ == "__main__":
    sys.exit(main())
