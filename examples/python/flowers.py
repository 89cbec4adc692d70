"""A joint model: records, features, a network in ONNX, and structured answers, in one model and in one call.

    python3 examples/python/flowers.py NETWORK.onnx [DIR]

NETWORK.onnx returns the probabilities of three species for the petals and the sepals of flowers in centimeters: its signature is
`(float32[?, 4]) -> float32[?, 3]`. Records have gardens with any number of flowers, whose sizes are in millimeters. With DIR, the model
is saved as DIR/flowers/1.
"""

import sys

import numpy as np
import signet
from signet import ops

SPECIES = np.array(["versicolor", "virginica", "setosa"], dtype=object)

GARDENS = "[{name: string[], flowers: [{sepal: {length: float32[], width: float32[]}, petal: {length: float32[], width: float32[]}}]}]"
ANSWERS = "[{name: string[], flowers: [{species: string[], probability: float32[]}]}]"


def make_model(path):
    """Returns the model with the network of this file."""
    network = signet.from_onnx(path)

    @signet.function
    def features(gardens: GARDENS):
        """Returns the sizes of all flowers of all gardens in centimeters, one row per flower."""
        flowers = ops.merge_dims(gardens.flowers, outer=0, inner=1)
        sepal, petal = flowers.sepal, flowers.petal
        return ops.stack(petal.length, petal.width, sepal.length, sepal.width, axis=1) / 10

    @signet.function
    def species(gardens: GARDENS) -> ANSWERS:
        """Returns the species of each flower, and how probable it is."""
        probabilities = network.main(features(gardens))
        best = ops.argmax(probabilities, axis=1)
        flowers = ops.struct_make(species=ops.gather(SPECIES, best), probability=ops.reduce_max(probabilities, axes=1))
        rows = ops.ragged_from_row_splits(flowers, ops.ragged_row_splits(gardens.flowers))
        return ops.struct_make(name=gardens.name, flowers=rows)

    return signet.Model("The species of flowers in gardens", species, features)


def in_two_calls(model, network, gardens):
    """The same answers from a server of features, a server of the network, and a client that joins their results."""
    features = model.features(gardens)
    probabilities = np.asarray(network.main(features))
    answers, row = [], 0
    for garden in gardens:
        flowers = []
        for _ in garden["flowers"]:
            best = int(np.argmax(probabilities[row]))
            flowers.append({"species": SPECIES[best], "probability": float(probabilities[row, best])})
            row += 1
        answers.append({"name": garden["name"], "flowers": flowers})
    return answers


def make_gardens(count, seed=7):
    """Gardens with up to six flowers of the three species, in millimeters."""
    random = np.random.default_rng(seed)
    typical = [[59, 28, 43, 13], [66, 30, 56, 20], [50, 34, 15, 2]]

    def flower():
        sizes = [float(size) for size in typical[random.integers(3)] + random.integers(-1, 2, 4)]
        return {"sepal": {"length": sizes[0], "width": sizes[1]}, "petal": {"length": sizes[2], "width": sizes[3]}}

    return [{"name": f"garden {i}", "flowers": [flower() for _ in range(random.integers(7))]} for i in range(count)]


def main():
    if len(sys.argv) not in (2, 3):
        sys.exit("usage: flowers.py NETWORK.onnx [DIR]; with DIR, saves the model as DIR/flowers/1")
    path, *rest = sys.argv[1:]
    model = make_model(path)
    gardens = make_gardens(3)
    for garden in model.species(gardens).to_py():
        print(garden)
    assert model.species(gardens).to_py() == in_two_calls(model, signet.from_onnx(path), gardens)
    if rest:
        model.save(f"{rest[0]}/flowers/1")


if __name__ == "__main__":
    main()
