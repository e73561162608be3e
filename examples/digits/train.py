#!/usr/bin/python3
# SPDX-License-Identifier: MIT
"""Trains a small convolutional network on 8x8 digits and writes it as an ONNX model.

Writes digits.onnx, and the images that training never saw with their labels:
digits_test.npy and digits_labels.npy. Needs Debian's python3-numpy, python3-onnx and
python3-sklearn, the last one for its copy of the data.
"""

import argparse
import gzip
import importlib.util
import sys
from pathlib import Path

import numpy as np
import onnx
from onnx import TensorProto, helper, numpy_helper

CLASSES = 10
IMAGES = 1797
HELD_OUT = IMAGES // 3
SIDE = 8
WHITE = 16  # the largest pixel value
SPLIT_SEED = 1797  # never changes, or the held-out images would

# Chosen by cross-validation among the training images; the held-out ones had no say.
BATCH = 32
LEARNING_RATE = 8e-3
WEIGHT_DECAY = 0.1

DOC = (
    "Classifies 8x8 images of handwritten digits, pixels scaled to 0..1. Trained by "
    "examples/digits/train.py of Backplane on two thirds of the test part of the UCI data set "
    "'Optical Recognition of Handwritten Digits' (E. Alpaydin, C. Kaynak; CC BY 4.0), "
    "the copy that scikit-learn ships."
)


# Data


def find_data():
    """The data file inside scikit-learn, which is located but not imported."""
    spec = importlib.util.find_spec("sklearn")
    if spec is None:
        sys.exit("train.py: scikit-learn, which has the data, is not here: install Debian's "
                 "python3-sklearn package, or name a copy of digits.csv.gz with --data")
    return Path(spec.origin).parent / "datasets" / "data" / "digits.csv.gz"


def read_data(path):
    """Images as uint8 [1797, 8, 8] and labels as uint8 [1797]."""
    try:
        with gzip.open(path, "rt") as file:
            rows = np.loadtxt(file, delimiter=",", dtype=np.float32)
    except FileNotFoundError:
        sys.exit(f"train.py: {path}: no such file; Debian's python3-sklearn package has it "
                 "(sklearn/datasets/data/digits.csv.gz)")
    except (OSError, EOFError, ValueError) as error:
        sys.exit(f"train.py: {path}: {error}")
    if rows.shape != (IMAGES, SIDE * SIDE + 1):
        sys.exit(f"train.py: {path}: {rows.shape} values, not the digits data set")
    rows = rows.astype(np.uint8)
    return rows[:, :-1].reshape(-1, SIDE, SIDE), rows[:, -1]


def split(images, labels):
    """((images, labels) to train on, (images, labels) held out), shuffled."""
    # RandomState, not default_rng: NumPy promises that its numbers stay the same.
    order = np.random.RandomState(SPLIT_SEED).permutation(len(images))
    test, train = order[:HELD_OUT], order[HELD_OUT:]
    return (images[train], labels[train]), (images[test], labels[test])


def scaled(images):
    """uint8 [N, 8, 8] as the network wants them: float32 [N, 1, 8, 8] in 0..1."""
    return images[:, None].astype(np.float32) / WHITE


def shifted(images, rng):
    """The images, each moved by a pixel along an axis half of the time; blank comes in."""
    padded = np.pad(images, ((0, 0), (1, 1), (1, 1)))
    corners = rng.choice([0, 1, 1, 2], (len(images), 2))
    return np.stack([image[y:y + SIDE, x:x + SIDE] for image, (y, x) in zip(padded, corners)])


# Layers: forward() keeps what backward() needs; backward() leaves the gradients of params in
# grads and returns the gradient of the input. Each knows the ONNX node that it becomes.


def he_normal(rng, shape):
    """Initial weights that keep the variance through a Relu (He et al. 2015)."""
    return rng.normal(0, np.sqrt(2 / np.prod(shape[1:])), shape).astype(np.float32)


class Layer:
    params = ()
    attributes = {}

    def __init__(self, name):
        self.name = name


class Conv(Layer):
    """3x3, stride 1, one pixel of zeros around: the output is as large as the input."""

    op_type = "Conv"
    attributes = {"kernel_shape": [3, 3], "pads": [1, 1, 1, 1]}

    def __init__(self, name, channels, filters, rng):
        super().__init__(name)
        self.params = [he_normal(rng, (filters, channels, 3, 3)), np.zeros(filters, np.float32)]

    def forward(self, x):
        weight, bias = self.params
        n, channels, height, width = x.shape
        padded = np.pad(x, ((0, 0), (0, 0), (1, 1), (1, 1)))
        windows = np.lib.stride_tricks.sliding_window_view(padded, (3, 3), axis=(2, 3))
        self.columns = windows.transpose(0, 2, 3, 1, 4, 5).reshape(-1, channels * 9)
        y = self.columns @ weight.reshape(len(weight), -1).T + bias
        return y.reshape(n, height, width, -1).transpose(0, 3, 1, 2)

    def backward(self, dy):
        weight, _ = self.params
        n, filters, height, width = dy.shape
        dy = dy.transpose(0, 2, 3, 1).reshape(-1, filters)
        self.grads = [(dy.T @ self.columns).reshape(weight.shape), dy.sum(axis=0)]
        dcolumns = (dy @ weight.reshape(filters, -1)).reshape(n, height, width, -1, 3, 3)
        dx = np.zeros((n, weight.shape[1], height + 2, width + 2), np.float32)
        for i, j in np.ndindex(3, 3):
            dx[:, :, i:i + height, j:j + width] += dcolumns[..., i, j].transpose(0, 3, 1, 2)
        return dx[:, :, 1:-1, 1:-1]


class MaxPool(Layer):
    """2x2, stride 2, for even heights and widths."""

    op_type = "MaxPool"
    attributes = {"kernel_shape": [2, 2], "strides": [2, 2]}

    def forward(self, x):
        n, channels, height, width = x.shape
        blocks = x.reshape(n, channels, height // 2, 2, width // 2, 2)
        y = blocks.max(axis=(3, 5), keepdims=True)
        self.is_max = blocks == y
        return y[:, :, :, 0, :, 0]

    def backward(self, dy):
        # Equal maxima, common on a plain background, share the gradient.
        share = self.is_max / self.is_max.sum(axis=(3, 5), keepdims=True, dtype=np.float32)
        dx = share * dy[:, :, :, None, :, None]
        n, channels, height, width = dy.shape
        return dx.reshape(n, channels, height * 2, width * 2)


class Relu(Layer):
    op_type = "Relu"

    def forward(self, x):
        self.is_positive = x > 0
        return x * self.is_positive

    def backward(self, dy):
        return dy * self.is_positive


class Flatten(Layer):
    op_type = "Flatten"

    def forward(self, x):
        self.shape = x.shape
        return x.reshape(len(x), -1)

    def backward(self, dy):
        return dy.reshape(self.shape)


class Gemm(Layer):
    """x times the transposed weights, plus the bias."""

    op_type = "Gemm"
    attributes = {"transB": 1}

    def __init__(self, name, inputs, outputs, rng):
        super().__init__(name)
        self.params = [he_normal(rng, (outputs, inputs)), np.zeros(outputs, np.float32)]

    def forward(self, x):
        weight, bias = self.params
        self.x = x
        return x @ weight.T + bias

    def backward(self, dy):
        self.grads = [dy.T @ self.x, dy.sum(axis=0)]
        return dy @ self.params[0]


def create_network(rng):
    """The layers up to the logits; the model's Softmax is part of the loss here."""
    return [
        Conv("conv1", 1, 16, rng),
        Relu("relu1"),
        MaxPool("pool1"),
        Conv("conv2", 16, 32, rng),
        Relu("relu2"),
        MaxPool("pool2"),
        Flatten("flatten"),
        Gemm("dense1", 32 * 2 * 2, 64, rng),
        Relu("relu3"),
        Gemm("dense2", 64, CLASSES, rng),
    ]


# Training


class Adam:
    """Adam with weight decay apart from the gradient (Loshchilov and Hutter 2019)."""

    def __init__(self, params, beta1=0.9, beta2=0.999, epsilon=1e-8):
        self.params = params
        self.means = [np.zeros_like(p) for p in params]
        self.squares = [np.zeros_like(p) for p in params]
        self.beta1, self.beta2, self.epsilon = beta1, beta2, epsilon
        self.steps = 0

    def step(self, grads, rate):
        self.steps += 1
        # Both running means start at zero; this takes the bias out.
        unbias1 = 1 - self.beta1 ** self.steps
        unbias2 = 1 - self.beta2 ** self.steps
        for p, g, mean, square in zip(self.params, grads, self.means, self.squares):
            mean += (1 - self.beta1) * (g - mean)
            square += (1 - self.beta2) * (g * g - square)
            if p.ndim > 1:  # weights decay, biases do not
                p *= 1 - rate * WEIGHT_DECAY
            p -= rate * (mean / unbias1) / (np.sqrt(square / unbias2) + self.epsilon)


def softmax(x):
    e = np.exp(x - x.max(axis=1, keepdims=True))
    return e / e.sum(axis=1, keepdims=True)


def forward(layers, x):
    for layer in layers:
        x = layer.forward(x)
    return x


def backward(layers, dy):
    for layer in reversed(layers):
        dy = layer.backward(dy)


def train_batch(layers, adam, images, labels, rate):
    """One step; returns the sum of the losses and the number of right answers before it."""
    probability = softmax(forward(layers, scaled(images)))
    rows = np.arange(len(labels))
    loss = -np.log(probability[rows, labels] + 1e-12).sum()
    right = (probability.argmax(axis=1) == labels).sum()

    dlogits = probability  # the gradient of the cross-entropy is probability - one-hot
    dlogits[rows, labels] -= 1
    backward(layers, dlogits / len(labels))
    adam.step([g for layer in layers if layer.params for g in layer.grads], rate)
    return loss, right


def train(images, labels, epochs, seed):
    """The trained layers; prints a line an epoch."""
    rng = np.random.RandomState(seed)
    layers = create_network(rng)
    adam = Adam([p for layer in layers for p in layer.params])
    steps = epochs * -(-len(images) // BATCH)
    for epoch in range(1, epochs + 1):
        loss = right = 0
        order = rng.permutation(len(images))
        for start in range(0, len(order), BATCH):
            batch = order[start:start + BATCH]
            rate = LEARNING_RATE * (1 + np.cos(np.pi * adam.steps / steps)) / 2
            sums = train_batch(layers, adam, shifted(images[batch], rng), labels[batch], rate)
            loss, right = loss + sums[0], right + sums[1]
        print(f"epoch {epoch:3}/{epochs}  loss {loss / len(images):.4f}  "
              f"right {100 * right / len(images):6.2f} % of the training images, as shifted",
              flush=True)
    return layers


# Writing


def create_model(layers):
    """The ONNX model: the layers in a chain, then Softmax."""
    nodes, weights, value = [], [], "image"
    for layer in layers:
        names = [f"{layer.name}.{what}" for what in ("weight", "bias")[:len(layer.params)]]
        weights += [numpy_helper.from_array(p, n) for p, n in zip(layer.params, names)]
        nodes.append(helper.make_node(layer.op_type, [value, *names], [f"{layer.name}_out"],
                                      layer.name, **layer.attributes))
        value = f"{layer.name}_out"
    nodes.append(helper.make_node("Softmax", [value], ["probability"], "softmax", axis=1))

    image = helper.make_tensor_value_info("image", TensorProto.FLOAT, ["N", 1, SIDE, SIDE])
    probability = helper.make_tensor_value_info("probability", TensorProto.FLOAT, ["N", CLASSES])
    graph = helper.make_graph(nodes, "digits", [image], [probability], weights)
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 13)], ir_version=7,
                              producer_name="backplane examples/digits", doc_string=DOC)
    onnx.checker.check_model(model, full_check=True)
    return model


def write_array(path, array):
    with open(path, "wb") as file:
        np.lib.format.write_array(file, np.ascontiguousarray(array), version=(1, 0))


# Checking: runs the file as written, with none of the code that trained it.


def run_conv(x, weight, bias, kernel_shape, pads):
    top, left, bottom, right = pads
    x = np.pad(x, ((0, 0), (0, 0), (top, bottom), (left, right)))
    height, width = (size - k + 1 for size, k in zip(x.shape[2:], kernel_shape))
    y = bias[:, None, None]
    for i, j in np.ndindex(*kernel_shape):
        y = y + np.einsum("nchw,fc->nfhw", x[:, :, i:i + height, j:j + width], weight[:, :, i, j])
    return y


def run_max_pool(x, kernel_shape, strides):
    windows = np.lib.stride_tricks.sliding_window_view(x, kernel_shape, axis=(2, 3))
    return windows[:, :, ::strides[0], ::strides[1]].max(axis=(4, 5))


def run_softmax(x, axis):
    e = np.exp(x - x.max(axis, keepdims=True))
    return e / e.sum(axis, keepdims=True)


OPERATORS = {
    "Conv": run_conv,
    "Flatten": lambda x: x.reshape(len(x), -1),
    "Gemm": lambda x, weight, bias, transB: x @ (weight.T if transB else weight) + bias,
    "MaxPool": run_max_pool,
    "Relu": lambda x: np.maximum(x, 0),
    "Softmax": run_softmax,
}


def run_model(path, images):
    """The output of the model in the file at `path`."""
    graph = onnx.load(str(path)).graph
    values = {tensor.name: numpy_helper.to_array(tensor) for tensor in graph.initializer}
    values[graph.input[0].name] = images
    for node in graph.node:
        attributes = {a.name: helper.get_attribute_value(a) for a in node.attribute}
        inputs = [values[name] for name in node.input]
        values[node.output[0]] = OPERATORS[node.op_type](*inputs, **attributes)
    return values[graph.output[0].name]


def parse_arguments():
    parser = argparse.ArgumentParser(
        description="Trains a small convolutional network on 8x8 digits. Writes digits.onnx, and "
                    "the held-out third of the images and labels as digits_test.npy and "
                    "digits_labels.npy.",
        formatter_class=argparse.ArgumentDefaultsHelpFormatter)
    parser.add_argument("--data", type=Path, metavar="FILE", default=argparse.SUPPRESS,
                        help="digits.csv.gz (default: the copy in the installed scikit-learn; "
                             "Debian: python3-sklearn)")
    parser.add_argument("--out", type=Path, metavar="FOLDER", default=Path(__file__).parent,
                        help="where to write the three files")
    parser.add_argument("--epochs", type=int, metavar="N", default=150,
                        help="how often to go through the training images")
    parser.add_argument("--seed", type=int, metavar="N", default=1,
                        help="for weights, batches and shifts; which images are held out does "
                             "not depend on it")
    return parser.parse_args()


def main():
    arguments = parse_arguments()
    images, labels = read_data(arguments.data if "data" in arguments else find_data())
    arguments.out.mkdir(parents=True, exist_ok=True)
    training, (test_images, test_labels) = split(images, labels)
    layers = train(*training, arguments.epochs, arguments.seed)

    path = arguments.out / "digits.onnx"
    onnx.save(create_model(layers), str(path))
    write_array(arguments.out / "digits_test.npy", test_images)
    write_array(arguments.out / "digits_labels.npy", test_labels)

    right = (run_model(path, scaled(test_images)).argmax(axis=1) == test_labels).sum()
    print(f"{path}: {right} of {HELD_OUT} held-out images right, {100 * right / HELD_OUT:.2f} %")


if __name__ == "__main__":
    main()
