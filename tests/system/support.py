"""Runs the attnlab program as a user does. ctest passes its path in ATTNLAB_BINARY."""

import json
import os
import pathlib
import subprocess
import tempfile
import unittest

BINARY = os.environ["ATTNLAB_BINARY"]
SOURCE = pathlib.Path(__file__).resolve().parents[2]


def reject_constant(name):
    raise ValueError(f"{name} is not strict JSON")


def reject_duplicates(pairs):
    keys = [key for key, _ in pairs]
    if len(set(keys)) != len(keys):
        raise ValueError(f"a key is given twice among {keys}")
    return dict(pairs)


def strict_json(text):
    return json.loads(text, parse_constant=reject_constant, object_pairs_hook=reject_duplicates)


def save_safetensors(path, arrays):
    """Writes NumPy arrays of float32 by name: header length, JSON header, numbers."""
    header, numbers = {}, b""
    for name, array in arrays.items():
        content = array.astype("<f4").tobytes()
        header[name] = {"dtype": "F32", "shape": list(array.shape), "data_offsets": [len(numbers), len(numbers) + len(content)]}
        numbers += content
    text = json.dumps(header).encode()
    path.write_bytes(len(text).to_bytes(8, "little") + text + numbers)


class AttnlabTest(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory(prefix="attnlab-test-")
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)

    def attnlab(self, *arguments, code=0, env=None, cwd=None, **more):
        """Runs a command in an empty folder and checks its exit code."""
        done = subprocess.run(
            [BINARY, *map(str, arguments)], capture_output=True, text=True, timeout=300, cwd=cwd or self.folder,
            stdin=subprocess.DEVNULL, env={**os.environ, **(env or {})}, **more)
        self.assertEqual(done.returncode, code, f"{arguments}\n{done.stdout[-2000:]}\n{done.stderr[-2000:]}")
        return done

    def result(self, *arguments, **more):
        return strict_json(self.attnlab(*arguments, "--format", "json", **more).stdout)

    def rows(self, *arguments, **more):
        return self.result(*arguments, **more)["tables"][0]["rows"]

    def write(self, name, content):
        path = self.folder / name
        path.write_bytes(content if isinstance(content, bytes) else content.encode())
        return path

    def config(self, *experiments, name="test", file="test.json"):
        return self.write(file, json.dumps({"name": name, "experiments": experiments}))

    def assert_mistake(self, done, *words):
        """One line an error, each word in it, and nothing on standard output."""
        self.assertEqual(done.stdout, "")
        lines = done.stderr.splitlines()
        self.assertTrue(lines and all(line.startswith("attnlab: error: ") for line in lines), done.stderr)
        for word in words:
            self.assertIn(word, done.stderr)
