#!/usr/bin/python3
"""Computes attention by NumPy in float64, as an oracle that shares no code with attnlab.

    scripts/oracle/attention.py > tests/data/attention/oracle.json

The file in the repository was made once by the versions it names; the tests read it, not this script.
Inputs are standard normal numbers of NumPy's default generator (PCG64) rounded to float32; outputs are
float64. Shapes: q [B, Hq, Nq, D], k [B, Hkv, Nk, D], v [B, Hkv, Nk, Dv], out [B, Hq, Nq, Dv].
"""
import json
import math
import platform
import sys

import numpy as np

SEED = 20240607


def normal(rng, shape, deviation=1.0, mean=0.0):
    return (mean + deviation * rng.standard_normal(shape)).astype(np.float32)


def visible(case):
    """Which keys each query sees: [Nq, Nk], from the definitions in problem.h."""
    nq, nk = case["nq"], case["nk"]
    at = np.arange(nq)[:, None] + (nk - nq if case["causal"] == "bottom-right" else 0)
    key = np.arange(nk)[None, :]
    causal = case["causal"] != "none"
    past = key <= at if causal else np.ones((nq, nk), bool)

    def near(w):
        return past & (at - key < w) if causal else np.abs(at - key) < w

    if case["operator"] == "window":
        g = case["global_tokens"]
        return past & (near(case["window"]) | (key < g) | ((at >= 0) & (at < g)))
    if case["operator"] == "strided":
        return past & (near(case["stride"]) | ((at - key) % case["stride"] == 0))
    return past


def weights(case, q, k, seen, mask, directions):
    """Unnormalised weights [B, H, Nq, Nk]."""
    beta = case["scale"] / case["temperature"] if case["temperature"] else None
    if case["operator"] == "linear":
        phi = lambda x: np.where(x > 0, x + 1, np.exp(np.minimum(x, 0)))
        w = np.einsum("bhqd,bhkd->bhqk", phi(q), phi(k))
    elif case["operator"] == "performer":
        x, y = q * math.sqrt(beta), k * math.sqrt(beta)
        phi_x = np.exp(np.einsum("bhqd,fd->bhqf", x, directions))
        phi_y = np.exp(np.einsum("bhkd,fd->bhkf", y, directions) - (y**2).sum(-1)[..., None] / 2)
        w = np.einsum("bhqf,bhkf->bhqk", phi_x, phi_y)
    else:
        s = case["scale"] * np.einsum("bhqd,bhkd->bhqk", q, k)
        if mask is not None:
            s = np.where(mask, s, -np.inf) if mask.dtype == bool else s + mask
        s = np.where(seen, s, -np.inf)
        top = s.max(-1, keepdims=True)
        top = np.where(np.isinf(top), 0, top)
        if case["temperature"] == 0:
            return np.where(np.isinf(s), 0.0, (s == top).astype(float))
        return np.exp((s - top) / case["temperature"])
    if mask is not None:
        seen = seen & mask
    return np.where(seen, w, 0)


def attention(case, q, k, v, mask=None, directions=None):
    group = q.shape[1] // k.shape[1]
    k, v = np.repeat(k, group, 1), np.repeat(v, group, 1)
    w = weights(case, q, k, visible(case), mask, directions)
    total = w.sum(-1, keepdims=True)
    return np.einsum("bhqk,bhkd->bhqd", w / np.where(total == 0, 1, total), v)


def attention_case(rng, name, **given):
    case = dict(name=name, operator="dense", batch=2, heads=4, kv_heads=2, nq=7, nk=7, head_dim=5, head_dim_v=3,
                causal="none", temperature=1, mask="none", window=3, global_tokens=0, stride=3, features=6)
    case.update(given)
    case.setdefault("scale", 1 / math.sqrt(case["head_dim"]))
    b, h, g, nq, nk = (case[key] for key in ("batch", "heads", "kv_heads", "nq", "nk"))
    q, k, v = (normal(rng, s) for s in ((b, h, nq, case["head_dim"]), (b, g, nk, case["head_dim"]),
                                        (b, g, nk, case["head_dim_v"])))
    if case["temperature"] == 0:  # whole numbers: exact scores, many ties
        q, k = np.round(q), np.round(k)
    mask, directions = None, None
    if case["mask"] == "boolean":
        mask = rng.random((b, h, nq, nk)) < 0.6
        mask[:, 1, 2, :] = False  # these rows see nothing
    if case["mask"] == "keys":
        mask = np.broadcast_to(rng.random((b, 1, 1, nk)) < 0.6, (b, 1, 1, nk)).copy()
    if case["mask"] == "additive":
        mask = normal(rng, (b, h, nq, nk))
        mask[rng.random(mask.shape) < 0.3] = -np.inf
    if case["operator"] == "performer":
        directions = normal(rng, (case["features"], case["head_dim"]))
    wide = [x.astype(np.float64) for x in (q, k, v)]
    wide_mask = mask if mask is None or mask.dtype == bool else mask.astype(np.float64)
    out = attention(case, *wide, wide_mask, None if directions is None else directions.astype(np.float64))
    case.update(q=flat(q), k=flat(k), v=flat(v), out=flat(out))
    if mask is not None:
        # JSON has no infinity: a hidden key's addend is written as null.
        case["mask_values"] = [None if x == -np.inf else (int(x) if mask.dtype == bool else float(x))
                               for x in mask.ravel()]
    if directions is not None:
        case["directions"] = flat(directions)
    return case


def layer_case(rng, name, ffn):
    case = dict(name=name, operator="dense", batch=2, heads=4, kv_heads=2, nq=6, nk=6, head_dim=4, head_dim_v=3,
                causal="top-left", temperature=1, scale=0.5, d_model=10, ffn=ffn)
    b, n, m, d, dv = 2, 6, 10, 4, 3
    w = dict(w_q=normal(rng, (m, 4 * d), 0.4), w_k=normal(rng, (m, 2 * d), 0.4), w_v=normal(rng, (m, 2 * dv), 0.4),
             w_o=normal(rng, (4 * dv, m), 0.4), norm1_gain=normal(rng, m, 0.1, 1), norm1_bias=normal(rng, m, 0.1),
             norm2_gain=normal(rng, m, 0.1, 1), norm2_bias=normal(rng, m, 0.1), w_1=normal(rng, (m, ffn), 0.4),
             b_1=normal(rng, ffn, 0.1), w_2=normal(rng, (ffn, m), 0.4), b_2=normal(rng, m, 0.1))
    x = normal(rng, (b, n, m))
    wide = {key: value.astype(np.float64) for key, value in w.items()}

    def norm(rows, gain, bias):
        centred = rows - rows.mean(-1, keepdims=True)
        return centred / np.sqrt((centred**2).mean(-1, keepdims=True) + 1e-5) * gain + bias

    def multi_head(rows):
        heads = lambda y, count: y.reshape(b, n, count, -1).transpose(0, 2, 1, 3)
        o = attention(case, heads(rows @ wide["w_q"], 4), heads(rows @ wide["w_k"], 2),
                      heads(rows @ wide["w_v"], 2))
        return o.transpose(0, 2, 1, 3).reshape(b, n, -1) @ wide["w_o"]

    rows = x.astype(np.float64)
    if ffn == 0:
        out = multi_head(rows)
    else:
        y = rows + multi_head(norm(rows, wide["norm1_gain"], wide["norm1_bias"]))
        hidden = norm(y, wide["norm2_gain"], wide["norm2_bias"]) @ wide["w_1"] + wide["b_1"]
        hidden *= np.vectorize(lambda z: 0.5 * (1 + math.erf(z / math.sqrt(2))))(hidden)
        out = y + hidden @ wide["w_2"] + wide["b_2"]
    case.update({key: flat(value) for key, value in w.items()}, x=flat(x), out=flat(out))
    return case


def flat(x):
    # repr of a float32 is the shortest text that reads back as it.
    return [float(str(value)) if x.dtype == np.float32 else float(value) for value in x.ravel()]


def main():
    rng = np.random.default_rng(SEED)
    cases = [
        attention_case(rng, "plain", batch=1, heads=1, kv_heads=1, nq=3, nk=3, head_dim=4, head_dim_v=4),
        attention_case(rng, "grouped", nq=5, nk=9),
        attention_case(rng, "top-left", causal="top-left", nq=9, nk=6),
        attention_case(rng, "bottom-right", causal="bottom-right", nq=4, nk=9),
        attention_case(rng, "bottom-right, more queries than keys", causal="bottom-right", nq=9, nk=4),
        attention_case(rng, "boolean mask", mask="boolean", kv_heads=4),
        attention_case(rng, "additive mask", mask="additive", kv_heads=1, temperature=0.7),
        attention_case(rng, "additive mask, causal", mask="additive", causal="top-left"),
        attention_case(rng, "warm, unscaled", scale=1.0, temperature=2.5),
        attention_case(rng, "cold", temperature=0, scale=1.0),
        attention_case(rng, "negative scale", scale=-0.3),
        attention_case(rng, "symmetric window", operator="window", nq=12, nk=12),
        attention_case(rng, "causal window, global tokens", operator="window", causal="top-left", nq=12, nk=12,
                       global_tokens=2),
        attention_case(rng, "symmetric window, global tokens", operator="window", nq=10, nk=13, global_tokens=3),
        attention_case(rng, "window at the end of a cache", operator="window", causal="bottom-right", nq=3, nk=14,
                       window=4, global_tokens=1),
        attention_case(rng, "strided", operator="strided", nq=13, nk=13),
        attention_case(rng, "strided, causal", operator="strided", causal="bottom-right", nq=8, nk=13),
        attention_case(rng, "linear", operator="linear", nq=6, nk=9),
        attention_case(rng, "linear, causal, masked keys", operator="linear", causal="top-left", mask="keys"),
        attention_case(rng, "performer", operator="performer", nq=6, nk=9),
        attention_case(rng, "performer, causal", operator="performer", causal="bottom-right", nq=6, nk=9),
    ]
    layers = [layer_case(rng, "multi-head attention", 0), layer_case(rng, "pre-norm block", 16)]
    made_by = f"scripts/oracle/attention.py, NumPy {np.__version__}, Python {platform.python_version()}, seed {SEED}"
    text = json.dumps({"made_by": made_by, "attention": cases, "layers": layers})
    sys.stdout.write(text.replace("}, {", "},\n{") + "\n")


if __name__ == "__main__":
    main()
