"""`attnlab inspect` on words and random heads: readouts, heat maps, warnings, figures."""

import re
import shutil
import unittest
import xml.etree.ElementTree as ElementTree

import numpy

from inspect_support import InspectTest, drawn, readouts_of, weights_of
from support import SOURCE

WORDS = "кот сел на коврик и уснул"
GNUPLOT = shutil.which("gnuplot")


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
        done = self.attnlab("inspect", "--n", 3, "--d", 4, "--write-output", "o.npy", code=2)
        self.assert_mistake(done, "o.npy", "is there already")
        done = self.attnlab("inspect", "--n", 3, "--d", 4, "--write-output", "nowhere/o.npy", code=2)
        self.assert_mistake(done, "nowhere/o.npy", "no folder")

    def test_draws_count_in_the_estimate(self):
        done = self.result("inspect", "--draws", 10 ** 8, "--max-time", "1s")
        self.assertEqual(done["tables"][0]["rows"][0]["status"], "skipped")
        self.assertIn("--max-time", done["tables"][0]["rows"][0]["reason"])

    def test_same_bytes_for_any_number_of_threads(self):
        for arguments in (["--draws", 50], ["--n", 700, "--heads", 2, "--rng", "philox", "--sinks", "--map", 7]):
            one = self.result("inspect", *arguments, "--threads", 1)["tables"]
            for threads in (2, 3):
                self.assertEqual(self.result("inspect", *arguments, "--threads", threads)["tables"], one)


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
