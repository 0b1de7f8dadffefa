"""What the tests of `attnlab inspect` share: the drawing of words and the readouts, by NumPy in float64."""

import math

import numpy

from support import AttnlabTest


class Mulberry32:
    def __init__(self, seed):
        self.a = seed & 0xFFFFFFFF

    def uniform(self):
        self.a = (self.a + 0x6D2B79F5) & 0xFFFFFFFF
        a = self.a
        t = ((a ^ (a >> 15)) * (1 | a)) & 0xFFFFFFFF
        t = ((t + (((t ^ (t >> 7)) * (61 | t)) & 0xFFFFFFFF)) & 0xFFFFFFFF) ^ t
        return (t ^ (t >> 14)) / 4294967296

    def normal(self):
        u = max(self.uniform(), 1e-12)
        return math.sqrt(-2 * math.log(u)) * math.cos(2 * math.pi * self.uniform())

    def vector(self, size):
        return [self.normal() for _ in range(size)]


def drawn(n, d, seed, values):
    """[q, k] or [q, k, v] of n tokens: for each token d normals of q, then of k, then of v."""
    generator = Mulberry32(seed)
    tokens = [[generator.vector(d) for _ in range(3 if values else 2)] for _ in range(n)]
    return [numpy.array([token[i] for token in tokens]) for i in range(3 if values else 2)]


def weights_of(q, k, scale=None, temperature=1.0, visible=None, bias=0.0):
    """Weights [nq, nk], and the scores as the softmax sees them (-inf where hidden)."""
    q, k = q.astype(float), k.astype(float)
    scores = (q @ k.T * (1 / math.sqrt(q.shape[1]) if scale is None else scale) + bias) / temperature
    if visible is not None:
        scores = numpy.where(visible, scores, -numpy.inf)
    largest = scores.max(axis=1, keepdims=True)
    weights = numpy.exp(scores - numpy.where(numpy.isfinite(largest), largest, 0))
    sums = weights.sum(axis=1, keepdims=True)
    return weights / numpy.where(sums > 0, sums, 1), scores


def readouts_of(q, k, **how):
    weights, scores = weights_of(q, k, **how)
    rows = weights.sum(axis=1) > 0.5
    weights, scores = weights[rows], scores[rows]
    entropy = -(weights * numpy.log2(numpy.where(weights > 0, weights, 1))).sum(axis=1)
    finite = scores[numpy.isfinite(scores)]
    seen = numpy.isfinite(scores[:, 0])
    visible = numpy.isfinite(scores)
    products = (q.astype(float) @ k.astype(float).T)[rows][visible]
    scale = 1 / math.sqrt(q.shape[1]) if how.get("scale") is None else how["scale"]
    return {"entropy": entropy.mean(), "entropy_min": entropy.min(), "entropy_max": entropy.max(),
            "max_weight": weights.max(), "mean_max_weight": weights.max(axis=1).mean(),
            "spread": finite.max() - finite.min(), "gradient_scale": (weights * (1 - weights)).max(),
            "mean_gradient_scale": (weights * (1 - weights)).max(axis=1).mean(),
            "max_logit": abs(scale) * abs(products).max(), "max_logit_unscaled": abs(products).max(),
            "sink_mass": weights[seen, 0].mean(), "effective_keys": (2 ** entropy).mean(),
            "zero_share": (weights[visible] < 2.0 ** -149).mean(), "masked_rows": int((~rows).sum()), "nonfinite": 0}


class InspectTest(AttnlabTest):
    def tables(self, *arguments, **more):
        return {table["name"]: table for table in self.result("inspect", *arguments, **more)["tables"]}

    def assert_readouts(self, row, expected, relative=1e-5, absolute=1e-6):
        for name, value in expected.items():
            if value != value:  # there is none
                self.assertIsNone(row[name])
                continue
            self.assertLessEqual(abs(row[name] - value), relative * abs(value) + absolute, (name, row[name], value))

    def save(self, **arrays):
        for name, array in arrays.items():
            numpy.save(self.folder / f"{name}.npy", array)
        return [part for name in arrays if name in "qkv" for part in (f"--{name}", f"{name}.npy")]
