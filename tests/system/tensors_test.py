"""Arrays that NumPy writes are read, and what is written NumPy reads. ctest passes the path of the
program that does both (tests/io/tensor_copy.cpp) in ATTNLAB_TENSOR_COPY."""

import itertools
import os
import pathlib
import subprocess
import tempfile
import unittest

import numpy as np

COPY = os.environ["ATTNLAB_TENSOR_COPY"]
SHAPES = [(), (1,), (7,), (0,), (3, 0), (1, 1), (5, 64), (2, 3, 63), (2, 3, 65, 8), (1, 1, 2, 1, 3, 1, 2)]


class Tensors(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory(prefix="attnlab-test-")
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)
        self.random = np.random.default_rng(5)

    def numbers(self, dtype, shape):
        """Normal numbers and, where there is room, those that are easily got wrong."""
        out = np.asarray(self.random.standard_normal(shape)).astype(dtype)
        info = np.finfo(dtype)
        odd = [0.0, -0.0, np.inf, -np.inf, np.nan, info.max, info.min, info.tiny, info.smallest_subnormal, info.eps]
        if out.size >= 2 * len(odd):
            out.reshape(-1)[: len(odd)] = odd
        return out

    def copied(self, address):
        target = self.folder / "copy.npy"
        done = subprocess.run([COPY, str(address), target], capture_output=True, text=True, timeout=60)
        self.assertEqual(done.returncode, 0, done.stderr)
        return np.load(target)

    def assert_same(self, array, copy, about):
        self.assertEqual(copy.dtype, np.dtype("<f8"), about)
        self.assertEqual(copy.shape, array.shape, about)
        expected = array.astype("<f8")
        # Bit by bit, so that -0.0 and NaN count; a NaN may change its payload.
        same = (expected.view("<u8") == copy.view("<u8")) | (np.isnan(expected) & np.isnan(copy))
        self.assertTrue(np.all(same), about)

    def test_each_type_order_and_endianness(self):
        for letter, size, order, shape in itertools.product("<>", (2, 4, 8), "CF", SHAPES):
            array = np.asarray(self.numbers(f"f{size}", shape).astype(f"{letter}f{size}"), order=order)
            np.save(self.folder / "a.npy", array)
            self.assert_same(array, self.copied(self.folder / "a.npy"), (letter, size, order, shape))

    def test_each_version(self):
        for version in ((1, 0), (2, 0), (3, 0)):
            array = self.numbers("f4", (5, 7))
            with open(self.folder / "a.npy", "wb") as file:
                np.lib.format.write_array(file, array, version=version)
            self.assert_same(array, self.copied(self.folder / "a.npy"), version)

    def test_views_and_other_strides(self):
        array = self.numbers("f4", (6, 8, 10))
        for view in (array[::2, :, ::-1], array.transpose(1, 0, 2), array.transpose(2, 1, 0), np.broadcast_to(array, (2, 6, 8, 10))):
            np.save(self.folder / "a.npy", view)
            self.assert_same(view, self.copied(self.folder / "a.npy"), view.strides)

    def test_archives(self):
        arrays = {"q": self.numbers("f4", (3, 500, 64)), "k": np.asfortranarray(self.numbers("f2", (3, 50, 64))),
                  "layers/0/в": self.numbers("f8", (70,)).astype(">f8"), "empty": self.numbers("f8", (0, 2))}
        for save in (np.savez, np.savez_compressed):
            save(self.folder / "a.npz", **arrays)
            for name, array in arrays.items():
                self.assert_same(array, self.copied(f"{self.folder / 'a.npz'}:{name}"), (save, name))

    def test_an_archive_written_to_a_pipe(self):
        """Its sizes stand behind the members, not before them."""
        array = self.numbers("f4", (50, 64))
        reading, writing = os.pipe()
        with os.fdopen(writing, "wb") as pipe:  # 13 kB fit into a pipe
            np.savez(pipe, q=array)
        with os.fdopen(reading, "rb") as pipe:
            (self.folder / "a.npz").write_bytes(pipe.read())
        self.assert_same(array, self.copied(f"{self.folder / 'a.npz'}:q"), "pipe")

    def test_what_is_refused_is_not_run(self):
        class Payload:
            def __reduce__(self):
                return (os.mkdir, (str(target),))

        target = self.folder / "made-by-a-pickle"
        np.save(self.folder / "a.npy", np.array([Payload()], dtype=object), allow_pickle=True)
        done = subprocess.run([COPY, self.folder / "a.npy", self.folder / "o.npy"], capture_output=True, text=True, timeout=60)
        self.assertEqual(done.returncode, 2)
        self.assertIn("pickled Python objects, which are never loaded", done.stderr)
        self.assertFalse(target.exists())
        self.assertFalse((self.folder / "o.npy").exists())


if __name__ == "__main__":
    unittest.main()
