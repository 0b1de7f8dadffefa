"""`attnlab inspect`: words, random heads and files against NumPy in float64; heat maps; notes; mistakes."""

import math
import re
import shutil
import unittest
import xml.etree.ElementTree as ElementTree

import numpy

from support import SOURCE, AttnlabTest, save_safetensors

WORDS = "кот сел на коврик и уснул"
GNUPLOT = shutil.which("gnuplot")


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
            self.assertLessEqual(abs(row[name] - value), relative * abs(value) + absolute, (name, row[name], value))

    def save(self, **arrays):
        for name, array in arrays.items():
            numpy.save(self.folder / f"{name}.npy", array)
        return [part for name in arrays if name in "qkv" for part in (f"--{name}", f"{name}.npy")]


class Words(InspectTest):
    def test_readouts_of_drawn_words_are_those_of_numpy(self):
        for d, scale, temperature, seed in ((64, None, 1, 1), (64, 1.0, 1, 3), (256, 1.0, 0.5, 7), (4, None, 3, 1)):
            tables = self.tables("--tokens", WORDS, "--d", d, "--temperature", temperature, "--seed", seed,
                                 "--scale", "sqrt" if scale is None else scale)
            q, k = drawn(6, d, seed, False)
            expected = readouts_of(q, k, scale=scale, temperature=temperature)
            for row in tables["inspect"]["rows"]:
                self.assert_readouts(row, expected, 1e-9, 1e-12)
            self.assertEqual([row["head"] for row in tables["inspect"]["rows"]], [0, "all"])
            readouts = tables["readouts"]["rows"][0]
            self.assert_readouts(readouts, {name: expected[name] for name in
                                            ("spread", "entropy", "max_weight", "gradient_scale")}, 1e-9, 1e-12)
            weights = weights_of(q, k, scale=scale, temperature=temperature)[0]
            rows = tables["weights"]["rows"]
            self.assertEqual(len(rows), 36)
            for row in rows:
                self.assertAlmostEqual(row["weight"], weights[row["query"], row["key"]], delta=1e-12)
                self.assertEqual((row["query_token"], row["key_token"]),
                                 (WORDS.split()[row["query"]], WORDS.split()[row["key"]]))

    def test_the_lessons_words_are_there_without_being_asked_for(self):
        self.assertEqual(self.tables()["inspect"]["rows"], self.tables("--tokens", WORDS)["inspect"]["rows"])

    def test_the_heat_map_fits_the_terminal_and_tells_without_colour(self):
        done = self.attnlab("inspect", "--compare-scale", env={"COLUMNS": "80"})
        self.assertNotIn("\x1b", done.stdout)
        lines = done.stdout.splitlines()
        self.assertLessEqual(max(map(len, lines)), 80)
        self.assertTrue(any("scale=none" in line and "scale=sqrt" in line for line in lines), done.stdout)
        digits = [line for line in lines if re.match(r"(кот|сел|на|коврик|и|уснул) .*\d\.\d\d", line)]
        self.assertEqual(len(digits), 6)
        for line in digits:
            numbers = [float(number) for number in re.findall(r"\b\d(?:\.\d\d)?(?=\s|$)", line)]
            self.assertEqual(len(numbers), 12, line)
            for half in (numbers[:6], numbers[6:]):
                self.assertAlmostEqual(sum(half), 1, delta=0.04)
        for word in ("spread", "entropy", "max_weight", "gradient_scale"):
            self.assertIn(word, done.stdout)

    def test_columns_stand_in_line_whatever_the_words_are(self):
        text = "漢字 e\u0301te\u0301 👍 👨‍👩‍👧 ❤️ кот"
        done = self.attnlab("inspect", "--tokens", text, env={"COLUMNS": "80"})
        rows = [line for line in done.stdout.splitlines() if re.search(r"(\s\d(\.\d\d)?){6}$", line)]
        self.assertEqual(len(rows), 6, done.stdout)
        widths = {"漢字": 4, "e\u0301te\u0301": 3, "👍": 2, "👨‍👩‍👧": 2, "❤️": 2, "кот": 3}
        ends = {widths[line.split()[0]] + len(line) - len(line.split()[0]) for line in rows}
        self.assertEqual(len(ends), 1, done.stdout)

    def test_colour_is_a_background_behind_the_same_digits(self):
        plain = self.attnlab("inspect").stdout
        coloured = self.attnlab("inspect", "--color", "always").stdout
        self.assertIn("\x1b[48;5;", coloured)
        self.assertEqual(re.sub(r"\x1b\[[0-9;]*m", "", coloured), plain)
        self.assertEqual(self.attnlab("inspect", env={"NO_COLOR": "1"}).stdout, plain)

    def test_a_saturated_softmax_is_warned_of_with_a_remedy(self):
        tables = self.tables("--d", 256, "--scale", "none", "--seed", self.saturated_seed())
        self.assertIn("saturated", tables["readouts"]["rows"][0]["flags"])
        notes = " ".join(tables["readouts"]["notes"])
        self.assertIn("Warning: the softmax is saturated", notes)
        self.assertIn("--scale sqrt", notes)
        scaled = self.tables("--d", 256, "--seed", self.saturated_seed())
        self.assertEqual(scaled["readouts"]["rows"][0]["flags"], "")
        self.assertNotIn("Warning", " ".join(scaled["readouts"]["notes"]))

    def saturated_seed(self):
        for seed in range(1, 30):
            q, k = drawn(6, 256, seed, False)
            weights = weights_of(q, k, scale=1.0)[0]
            if (weights * (1 - weights)).max(axis=1).mean() < 0.05 and weights.max(axis=1).mean() > 0.5:
                return seed
        raise AssertionError("no seed saturates")

    def test_draws_tell_how_often_seeds_saturate(self):
        table = self.tables("--d", "64,256", "--scale", "none,sqrt", "--draws", 2000)["draws"]
        share = {(row["d"], row["scale"]): row["saturated_share"] for row in table["rows"]}
        self.assertAlmostEqual(share[256, "none"], 0.70, delta=0.05)  # the lesson's own figures
        self.assertAlmostEqual(share[64, "none"], 0.28, delta=0.05)
        self.assertLess(share[64, "sqrt"], 0.002)
        self.assertLess(share[256, "sqrt"], 0.002)

    def test_the_widgets_config_holds(self):
        self.attnlab("run", SOURCE / "configs/widget.json", "-o", "widget.json")

    def test_temperature_zero_is_the_argmax(self):
        row = self.tables("--temperature", 0)["inspect"]["rows"][0]
        self.assertEqual((row["entropy"], row["max_weight"], row["gradient_scale"], row["spread"]), (0, 1, 0, None))
        self.assertIn("spread", row["reason"])
        self.assertAlmostEqual(row["zero_share"], 5 / 6)


class Random(InspectTest):
    def test_the_explainers_example(self):
        tables = self.tables("--n", 3, "--d", 4)
        q, k, _ = drawn(3, 4, 1, True)
        weights = weights_of(q, k)[0]
        for row in tables["weights"]["rows"]:
            self.assertAlmostEqual(row["weight"], weights[row["query"], row["key"]], delta=1e-12)
        self.assertIn("Output shape (3, 4), weights (3, 3)", " ".join(tables["inspect"]["notes"]))
        self.attnlab("run", SOURCE / "configs/example.json", "-o", "example.json")

    def test_the_output_is_read_by_numpy(self):
        self.attnlab("inspect", "--n", 3, "--d", 4, "--write-output", "o.npy")
        q, k, v = drawn(3, 4, 1, True)
        output = numpy.load(self.folder / "o.npy")
        self.assertEqual((output.shape, output.dtype), ((3, 4), numpy.dtype("<f4")))
        numpy.testing.assert_allclose(output, weights_of(q, k)[0] @ v, atol=1e-6)
        self.attnlab("inspect", "--n", 3, "--d", 4, "--write-output", "o.npy")  # ours: replaced
        done = self.attnlab("inspect", "--n", 4, "--d", 4, "--write-output", "o.npy", code=2)
        self.assert_mistake(done, "o.npy", "is there already")

    def test_same_bytes_for_any_number_of_threads(self):
        for arguments in (["--draws", 50], ["--n", 700, "--heads", 2, "--rng", "philox", "--sinks", "--map", 7]):
            one = self.result("inspect", *arguments, "--threads", 1)["tables"]
            for threads in (2, 3):
                self.assertEqual(self.result("inspect", *arguments, "--threads", threads)["tables"], one)


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
        ]
        for arguments, words in cases:
            with self.subTest(arguments):
                self.assert_mistake(self.attnlab("inspect", *arguments, code=2), *words)

    def test_memory_is_refused_and_tables_keep_their_form(self):
        done = self.result("inspect", "--n", 4000, "--max-memory", "1MiB", code=4)
        row = done["tables"][0]["rows"][0]
        self.assertEqual((row["status"], row["entropy"], row["head"]), ("refused", None, "all"))


@unittest.skipUnless(GNUPLOT, "gnuplot is not installed")
class Figures(InspectTest):
    def texts(self, name):
        root = ElementTree.parse(self.folder / name).getroot()
        return ["".join(node.itertext()).strip() for node in root.iter("{http://www.w3.org/2000/svg}text")]

    def test_words_as_svg_and_png(self):
        self.attnlab("inspect", "--compare-scale", "-o", "map.svg")
        texts = self.texts("map.svg")
        for word in [*WORDS.split(), "scale=none", "scale=sqrt", "key", "query"]:
            self.assertIn(word, texts)
        self.assertGreaterEqual(len([text for text in texts if re.fullmatch(r"\d\.\d\d", text)]), 72)
        self.attnlab("inspect", "-o", "map.png")
        self.assertEqual((self.folder / "map.png").read_bytes()[:8], b"\x89PNG\r\n\x1a\n")

    def test_large_maps_are_pooled_and_say_so(self):
        self.attnlab("inspect", "--n", 500, "--heads", 2, "--causal", "top-left", "-o", "map.svg")
        texts = " ".join(self.texts("map.svg"))
        self.assertIn("Pooled: a cell is 8 queries by 8 keys", texts)
        self.assertIn("head=1", texts)

    def test_a_result_is_plotted_later(self):
        self.attnlab("inspect", "--n", 100, "--map", 20, "--rows", "0:9", "-o", "result.json")
        self.attnlab("plot", "result.json", "-o", "weights.svg")
        self.attnlab("plot", "result.json", "--table", "map", "-o", "map.svg")
        self.assertIn("Pooled", " ".join(self.texts("map.svg")))
        text = self.attnlab("inspect", "--n", 100, "--map", 20, "--plot").stdout
        self.assertIn("'@' weight", text)


if __name__ == "__main__":
    unittest.main()
