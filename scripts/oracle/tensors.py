#!/usr/bin/python3
"""Writes tests/data/tensors: small arrays as NumPy writes them, and safetensors by their specification.

    scripts/oracle/tensors.py tests/data/tensors

Every array of numbers holds (i - 5) / 4 at its row-major index i, which all types hold exactly.
The files are also the first inputs of the fuzz targets (tests/fuzz).
"""

import io
import json
import pathlib
import struct
import sys

import numpy as np

SHAPE = (2, 3, 4)


def numbers(dtype, shape=SHAPE, order="C"):
    count = int(np.prod(shape))
    return ((np.arange(count) - 5) / 4).astype(dtype).reshape(shape).copy(order=order)


def npy(array, version=(1, 0)):
    out = io.BytesIO()
    np.lib.format.write_array(out, array, version=version)
    return out.getvalue()


def npz(save, **arrays):
    out = io.BytesIO()
    save(out, **arrays)
    return out.getvalue()


def bfloat16(array):
    return (array.astype(np.float32).view(np.uint32) >> 16).astype("<u2").tobytes()


def safetensors(tensors, metadata=None, padding=0):
    """tensors: name -> (type, shape, bytes), in the order of their bytes."""
    header, data = {}, b""
    if metadata is not None:
        header["__metadata__"] = metadata
    for name, (dtype, shape, content) in tensors.items():
        header[name] = {"dtype": dtype, "shape": shape, "data_offsets": [len(data), len(data) + len(content)]}
        data += content
    text = json.dumps(header, separators=(",", ":"), ensure_ascii=False).encode() + b" " * padding
    return struct.pack("<Q", len(text)) + text + data


def files():
    for size in (2, 4, 8):
        for letter, endianness in (("<", "little"), (">", "big")):
            for order in "CF":
                yield f"npy/f{size}-{endianness}-{order}.npy", npy(numbers(f"{letter}f{size}", order=order))
    yield "npy/version-2.npy", npy(numbers("<f4"), (2, 0))
    yield "npy/version-3.npy", npy(numbers("<f4"), (3, 0))
    yield "npy/single.npy", npy(numbers("<f8", ()))
    yield "npy/empty.npy", npy(numbers("<f4", (3, 0)))
    neither = np.ascontiguousarray(numbers("<f4").transpose(0, 2, 1)).transpose(0, 2, 1)
    yield "npy/neither-order.npy", npy(neither)
    yield "npy/integers.npy", npy(np.arange(6).astype("<i8").reshape(2, 3))
    yield "npy/flags.npy", npy(np.tri(3, 4, dtype=bool))
    members = {"q": numbers("<f4"), "k": numbers(">f8", order="F"), "слой/v": numbers("<f2")}
    yield "npz/stored.npz", npz(np.savez, **members)
    yield "npz/deflated.npz", npz(np.savez_compressed, **members)
    yield "npz/mixed.npz", npz(np.savez, mask=np.tri(3, 3, dtype=bool), z=np.zeros(2, complex), q=numbers("<f4"))
    wide = {"f64": ("F64", SHAPE, numbers("<f8").tobytes()), "f32": ("F32", SHAPE, numbers("<f4").tobytes()),
            "f16": ("F16", SHAPE, numbers("<f2").tobytes()), "bf16": ("BF16", SHAPE, bfloat16(numbers("<f4")))}
    yield "safetensors/types.safetensors", safetensors(wide, {"format": "pt"}, 3)
    yield "safetensors/layers.safetensors", safetensors(
        {f"layers.{i}.{name}": ("F32", SHAPE, numbers("<f4").tobytes()) for i in (0, 1) for name in "qkv"})
    yield "safetensors/others.safetensors", safetensors(
        {"слой": ("BOOL", (2, 2), b"\1\0\1\1"), "none": ("F32", (0, 4), b""), "one": ("F32", (), struct.pack("<f", -1.25)),
         "i": ("I64", (2,), struct.pack("<qq", 1, 2)), "small": ("F8_E4M3", (3,), b"abc"), "z": ("C64", (1,), bytes(8))})
    yield "safetensors/nothing.safetensors", safetensors({})


def main():
    folder = pathlib.Path(sys.argv[1])
    for name, content in files():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content)


if __name__ == "__main__":
    main()
