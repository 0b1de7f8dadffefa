"""`attnlab inspect` on tensor files: readouts, layers, masks, flags, NaN, rows, maps, the output, mistakes."""

import unittest

import numpy

from inspect_support import InspectTest, readouts_of, weights_of
from support import SOURCE, save_safetensors


class Files(InspectTest):
    def random(self, *shape, dtype=numpy.float32):
        self.generator = getattr(self, "generator", numpy.random.default_rng(5))
        return self.generator.standard_normal(shape).astype(dtype)

    def test_heads_of_files_are_those_of_numpy(self):
        for n, window, causal in ((50, None, None), (600, None, "bottom-right"), (600, 40, "bottom-right"), (600, 40, None)):
            q, k = 3 * self.random(2, 4, n, 80), self.random(2, 2, n, 80)
            files = self.save(q=q, k=k)
            where = [] if window is None else ["--window", window]
            where += [] if causal is None else ["--causal", causal]
            rows = self.tables(*files, *where)["inspect"]["rows"]
            self.assertEqual([(row["batch"], row["head"]) for row in rows],
                             [(b, h) for b in range(2) for h in range(4)] + [("all", "all")])
            distance = numpy.arange(n)[:, None] - numpy.arange(n)[None, :]
            visible = (distance >= 0) if causal else numpy.full((n, n), True)
            if window:
                visible &= abs(distance) < window
            heads = [readouts_of(q[b, h], k[b, h // 2], visible=visible) for b in range(2) for h in range(4)]
            for row, expected in zip(rows, heads):
                self.assert_readouts(row, expected)
            everything = {"entropy": numpy.mean([head["entropy"] for head in heads]),
                          "entropy_min": min(head["entropy_min"] for head in heads),
                          "max_weight": max(head["max_weight"] for head in heads),
                          "max_logit": max(head["max_logit"] for head in heads),
                          "sink_mass": numpy.mean([head["sink_mass"] for head in heads])}
            self.assert_readouts(rows[-1], everything)

    def test_types_shapes_and_layouts_mean_the_same(self):
        q, k = self.random(3, 40, 16), self.random(3, 40, 16)
        for array in (q, k):
            array[:] = array.astype(numpy.float16)  # so that every type holds it
        expected = None
        for dtype in ("<f2", "<f4", "<f8", ">f4"):
            for shape, layout in ((lambda x: x, "bhnd"), (lambda x: x[None], "bhnd"),
                                  (lambda x: x.transpose(1, 0, 2), "bnhd"),
                                  (lambda x: numpy.asfortranarray(x), "bhnd")):
                files = self.save(q=shape(q).astype(dtype), k=shape(k).astype(dtype))
                rows = self.tables(*files, "--layout", layout)["inspect"]["rows"]
                expected = expected or rows
                self.assertEqual(rows, expected)

    def test_masks(self):
        n = 60
        q, k = self.random(2, n, 16), self.random(2, n, 16)
        allowed = self.random(2, n, n) > -0.5
        allowed[:, 5] = False
        bias = self.random(n, n)
        files = self.save(q=q, k=k, boolean=allowed, bias=bias)
        rows = self.tables(*files, "--mask", "boolean.npy")["inspect"]["rows"]
        for head in range(2):
            self.assert_readouts(rows[head], readouts_of(q[head], k[head], visible=allowed[head]))
        self.assertEqual([row["masked_rows"] for row in rows], [1, 1, 2])
        rows = self.tables(*files, "--mask", "bias.npy")["inspect"]["rows"]
        for head in range(2):
            self.assert_readouts(rows[head], readouts_of(q[head], k[head], bias=bias.astype(float)))
        self.save(wrong=allowed[:, :, :5])
        self.assert_mistake(self.attnlab("inspect", *files, "--mask", "wrong.npy", code=2), "wrong.npy", "does not fit")

    def test_masks_of_every_shape_that_broadcasts(self):
        for n in (12, 600):
            q, k = self.random(2, 2, n, 80), self.random(2, 2, n, 80)
            for shape in ((n, 1), (1, n), (2, 1, 1), (2, n, 1), (2, 2, 1, 1), (2, 1, n, n), (1,), (), (1, 1, 1, 1)):
                mask = numpy.asarray(self.random(*shape) > -0.3)
                files = self.save(q=q, k=k, mask=mask)
                rows = self.tables(*files, "--mask", "mask.npy")["inspect"]["rows"]
                whole = numpy.broadcast_to(mask, (2, 2, n, n))
                for row in rows[:-1]:
                    visible = whole[row["batch"], row["head"]]
                    self.assertEqual(row["masked_rows"], int((~visible.any(axis=1)).sum()), shape)
                    if visible.any():
                        self.assert_readouts(row, readouts_of(q[row["batch"], row["head"]], k[row["batch"], row["head"]],
                                                              visible=visible))

    def test_masks_beyond_float32(self):
        q, k = self.random(1, 20, 8), self.random(1, 20, 8)
        mask = numpy.zeros((20, 20))
        mask[3] = -1e300  # a whole row of it is as good as none
        mask[4, 5] = numpy.finfo(float).min
        mask[5, 7] = numpy.nan
        files = self.save(q=q, k=k, mask=mask)
        tables = self.tables(*files, "--mask", "mask.npy")
        self.assertEqual(tables["inspect"]["rows"][0]["masked_rows"], 0)
        notes = " ".join(tables["inspect"]["notes"])
        self.assertIn("the mask has NaN, first as its number 107 of 400", notes)
        self.assertIn("1 row is left out", notes)

    def test_numbers_beyond_float32_are_told_from_infinite_ones(self):
        q, k = self.random(1, 600, 80, dtype=float), self.random(1, 600, 80, dtype=float)
        k[0, 10, 3] = 1e100
        notes = " ".join(self.tables(*self.save(q=q, k=k))["inspect"]["notes"])
        self.assertIn("1 finite number is beyond float32", notes)
        self.assertNotIn("Warning: NaN or Inf", notes)
        huge = 1e20 * self.random(1, 600, 80)
        notes = " ".join(self.tables(*self.save(q=huge, k=huge))["inspect"]["notes"])
        self.assertIn("600 rows are left out of all means: queries without finite weights, whose scores are beyond float32", notes)

    def test_damage_that_shows_while_reading_is_a_bad_input(self):
        q = self.random(1, 4000, 8)
        numpy.savez_compressed(self.folder / "q.npz", q=q)
        damaged = bytearray((self.folder / "q.npz").read_bytes())
        damaged[len(damaged) // 2] ^= 0xFF
        (self.folder / "q.npz").write_bytes(damaged)
        files = self.save(k=q)
        done = self.attnlab("inspect", "--q", "q.npz:q", *files, code=2)
        self.assertIn("attnlab: error: q.npz: q", done.stderr)

    def test_inputs_are_never_overwritten(self):
        files = self.save(q=self.random(5, 4), k=self.random(5, 4), v=self.random(5, 4))
        before = (self.folder / "q.npy").read_bytes()
        done = self.attnlab("inspect", *files, "--write-output", "q.npy", code=2)
        self.assert_mistake(done, "q.npy", "is there already")
        self.assertEqual((self.folder / "q.npy").read_bytes(), before)

    def test_layers_by_a_pattern(self):
        arrays = {}
        for layer in (0, 1, 10):
            for tensor in "qkv":
                arrays[f"layers.{layer}.{tensor}"] = self.random(2, 20, 8)
        numpy.savez(self.folder / "x.npz", **arrays)
        rows = self.tables("--file", "x.npz", "--tensors", "q=layers.*.q,k=layers.*.k,v=layers.*.v")["inspect"]["rows"]
        self.assertEqual([(row["layer"], row["head"]) for row in rows],
                         [(layer, head) for layer in (0, 1, 10) for head in (0, 1, "all")])
        for row in rows:
            if row["head"] != "all":
                name = f"layers.{row['layer']}."
                self.assert_readouts(row, readouts_of(arrays[name + "q"][row["head"]], arrays[name + "k"][row["head"]]))
        one = self.tables("--q", "x.npz:layers.1.q", "--k", "x.npz:layers.1.k")["inspect"]["rows"]
        self.assertEqual([row["entropy"] for row in one], [row["entropy"] for row in rows[3:6]])
        listed = self.result("inspect", "--list", "x.npz")["tables"][0]["rows"]
        self.assertEqual({row["name"] for row in listed}, set(arrays))
        self.assertEqual(listed[0]["shape"], [2, 20, 8])
        self.assertTrue(listed[0]["operand"])

    def test_safetensors_are_read_as_npy(self):
        arrays = {"a.q": self.random(2, 70, 16), "a.k": self.random(2, 70, 16)}
        save_safetensors(self.folder / "x.safetensors", arrays)
        rows = self.tables("--file", "x.safetensors", "--tensors", "q=a.q,k=a.k")["inspect"]["rows"]
        self.assertEqual(rows, self.tables(*self.save(q=arrays["a.q"], k=arrays["a.k"]))["inspect"]["rows"])

    def test_flags(self):
        n = 200
        keys = numpy.eye(n, 80, dtype=numpy.float32)
        equal = numpy.ones((n, 80), numpy.float32)
        sink = 0.01 * self.random(n, 80)
        sink[0] = 0.6
        queries = numpy.stack([1000 * keys[numpy.arange(n) % 80], self.random(n, 80), equal])
        files = self.save(q=queries, k=numpy.stack([keys, equal, sink]))
        rows = self.tables(*files, "--sinks")
        self.assertEqual([row["flags"] for row in rows["inspect"]["rows"]],
                         ["saturated, collapsed", "uniform", "sink",
                          "saturated 1/3, collapsed 1/3, sink 1/3, uniform 1/3"])
        self.assertEqual([(row["head"], row["key"], row["queries"]) for row in rows["sinks"]["rows"]], [(2, 0, n)])
        weights = weights_of(queries[2], sink)[0]
        self.assertAlmostEqual(rows["sinks"]["rows"][0]["mean_weight"], weights[:, 0].mean(), delta=1e-6)

    def test_nan_and_inf_are_found_and_left_out(self):
        q, k = self.random(2, 100, 16), self.random(2, 100, 16)
        k[1, 60, 3] = numpy.nan
        q[1, 70, 0] = numpy.inf
        files = self.save(q=q, k=k)
        tables = self.tables(*files, "--causal", "top-left")
        rows = tables["inspect"]["rows"]
        self.assertEqual([row["nonfinite"] for row in rows], [0, 2, 2])
        visible = numpy.tril(numpy.full((100, 100), True))[:60]
        self.assert_readouts({**rows[1], "nonfinite": 0}, readouts_of(q[1, :60], k[1], visible=visible))
        notes = " ".join(tables["inspect"]["notes"])
        self.assertIn("[batch, head, row, component] = [0, 1, 60, 3]", notes)
        norms = {(row["tensor"], row["head"]): row for row in tables["norms"]["rows"]}
        self.assertEqual(norms["k", 1]["first_nonfinite"], [60, 3])
        lengths = numpy.sqrt((q[0].astype(float) ** 2).sum(axis=1))
        self.assertAlmostEqual(norms["q", 0]["norm"], lengths.mean(), delta=1e-9)
        self.assertAlmostEqual(norms["q", 0]["norm_max"], lengths.max(), delta=1e-9)

    def test_rows_and_maps(self):
        q, k = self.random(1, 300, 8), self.random(1, 300, 8)
        files = self.save(q=q, k=k)
        tables = self.tables(*files, "--rows", "7,100:101,299", "--map", 10)
        weights = weights_of(q[0], k[0])[0]
        rows = tables["weights"]["rows"]
        self.assertEqual(sorted({row["query"] for row in rows}), [7, 100, 101, 299])
        self.assertEqual(len(rows), 4 * 300)
        for row in rows:
            self.assertAlmostEqual(row["weight"], weights[row["query"], row["key"]], delta=1e-12)
        cells = tables["map"]["rows"]
        self.assertEqual(len(cells), 100)
        for cell in cells:
            part = weights[cell["query_first"]:cell["query_last"] + 1, cell["key_first"]:cell["key_last"] + 1]
            self.assertAlmostEqual(cell["weight"], part.sum(axis=1).mean(), delta=1e-6)
        self.assertIn("Pooled: a cell is 30 queries by 30 keys", " ".join(tables["map"]["notes"]))

    def test_output_of_files_keeps_their_axes(self):
        q, k, v = self.random(2, 30, 4, 8), self.random(2, 30, 2, 8), self.random(2, 30, 2, 5)
        files = self.save(q=q, k=k, v=v)
        self.attnlab("inspect", *files, "--layout", "bnhd", "--causal", "top-left", "--write-output", "o.npy")
        output = numpy.load(self.folder / "o.npy")
        self.assertEqual(output.shape, (2, 30, 4, 5))
        visible = numpy.tril(numpy.full((30, 30), True))
        for b in range(2):
            for h in range(4):
                weights = weights_of(q[b, :, h], k[b, :, h // 2], visible=visible)[0]
                numpy.testing.assert_allclose(output[b, :, h], weights @ v[b, :, h // 2].astype(float), atol=1e-5)

    def test_mistakes_are_named(self):
        files = self.save(q=self.random(2, 20, 8), k=self.random(2, 20, 8), v=self.random(2, 19, 8),
                          three=self.random(3, 20, 8), ints=numpy.arange(12).reshape(3, 4))
        numpy.savez(self.folder / "x.npz", a=self.random(5, 4))
        cases = [
            (["--q", "q.npy"], ["--k", "is missing"]),
            (["--n", 5, "--tokens", "a b"], ["beside another source"]),
            (["--tokens", " "], ["--tokens", "has no words"]),
            (["--q", "nowhere.npy", "--k", "k.npy"], ["nowhere.npy"]),
            (["--q", "ints.npy", "--k", "k.npy"], ["ints.npy", "integer"]),
            (["--q", "q.npy", "--k", "three.npy"], ["three.npy", "heads"]),
            (files, ["v.npy", "19 rows"]),
            (["--file", "x.npz"], ["--tensors", "is missing"]),
            (["--file", "x.npz", "--tensors", "q=a"], ["--tensors", "not both named"]),
            (["--file", "x.npz", "--tensors", "q=a,k=b"], ["x.npz"]),
            (["--file", "x.npz", "--tensors", "q=l.*.q,k=l.*.k"], ["no array fits"]),
            (["--file", "x.npz", "--tensors", "q=l.*.q,k=a"], ["only some of the names"]),
            (["--rows", "1-2"], ["--rows", "no query"]),
            (["--rows", "0:9"], ["--rows", "query 9 is not there"]),
            (["--write-output", "o.npy"], ["--write-output", "words have no values"]),
            (["--compare-scale", "--scale", "none,sqrt"], ["--compare-scale"]),
            (["--n", 100, "--seed", 2 ** 32], ["--seed", "too large"]),
            (["--n", 3, "--draws", 5], ["--draws", "words alone"]),
            (["--n", 10, "--heads", 3, "--kv-heads", 2], ["--kv-heads"]),
            (["--q", SOURCE / "README.md", "--k", "k.npy"], ["README.md"]),
            (["--q", "", "--k", "k.npy"], ["--q", "names no file"]),
            (["--q", "q.npy", "--k", "k.npy", "--d", 32], ["--d", "is for what is drawn"]),
            (["--tokens", "a b", "--heads", 2], ["--heads", "is for what --n draws"]),
            (["--tokens", "a b", "--layout", "bnhd"], ["--layout", "is for files"]),
            (["--compare-scale", "--scale", "d"], ["--scale", "beside compare_scale"]),
            (["--list", "q.npy", "--sinks"], ["--sinks", "has no meaning beside list"]),
        ]
        for arguments, words in cases:
            with self.subTest(arguments):
                self.assert_mistake(self.attnlab("inspect", *arguments, code=2), *words)

    def test_memory_is_refused_and_tables_keep_their_form(self):
        done = self.result("inspect", "--n", 4000, "--max-memory", "1MiB", code=4)
        row = done["tables"][0]["rows"][0]
        self.assertEqual((row["status"], row["entropy"], row["head"]), ("refused", None, "all"))


if __name__ == "__main__":
    unittest.main()
