"""`machine --peaks` and `cost --measure` as users run them."""

import shutil
import unittest

from jsonschema import Draft202012Validator

from support import AttnlabTest, strict_json

GNUPLOT = shutil.which("gnuplot")
QUICK = ("--D", 64, "--heads", 2, "--n", "16,48", "--measure", "--repeats", 6, "--min-time", "1ms")


class Measure(AttnlabTest):
    def assert_valid(self, document):
        schema = strict_json(self.attnlab("schema", "results").stdout)
        self.assertEqual([error.message for error in Draft202012Validator(schema).iter_errors(document)], [])

    def test_the_limits_of_the_machine(self):
        document = self.result("machine", "--peaks")
        self.assert_valid(document)
        machine, caches, peaks = document["tables"]
        threads = {1, machine["rows"][0]["threads"]}
        self.assertEqual([table["name"] for table in (machine, caches, peaks)], ["machine", "caches", "peaks"])
        found = {(row["limit"], row["level"], row["isa"], row["threads"]) for row in peaks["rows"]}
        isas = machine["rows"][0]["simd"].split()
        for isa in isas:
            for count in threads:
                self.assertIn(("fma", None, isa, count), found)
        for limit in ("read", "copy"):
            for count in threads:
                self.assertIn((limit, "memory", isas[-1], count), found)
        self.assertEqual(("wake", None, None, max(threads)) in found, len(threads) > 1)
        for row in peaks["rows"]:
            self.assertLessEqual(row["time_low"], row["time"])
            self.assertLessEqual(row["time"], row["time_high"])
            rate = row["flops_per_second"] or row["bytes_per_second"]
            self.assertEqual(rate is None, row["limit"] in ("wake", "hand_over"))
            if rate:
                self.assertGreaterEqual(row["best"], rate)
            self.assertEqual(len(row["time_samples"]), 1)
        kept = document["provenance"]["peaks"]
        self.assertEqual([row["time"] for row in kept], [row["time"] for row in peaks["rows"]])
        self.assertEqual([table["name"] for table in self.result("machine")["tables"]], ["machine", "caches"])

    def test_a_measured_layer(self):
        document = self.result("cost", *QUICK, "--threads", 2)
        self.assert_valid(document)
        tables = {table["name"]: table for table in document["tables"]}
        self.assertEqual([row["ratio"] for row in tables["cost"]["rows"]], [16 / 128, 48 / 128])
        for row in tables["cost"]["rows"]:
            for name in ("measured_ratio", "fused_ratio"):
                self.assertLessEqual(row[name + "_low"], row[name])
                self.assertLessEqual(row[name], row[name + "_high"])
            self.assertAlmostEqual(row["attention_time"] / row["projection_time"] / row["measured_ratio"], 1, delta=0.9)
        self.assertIn("a multiply-add in attention (in three steps) costs", " ".join(tables["cost"]["notes"]))
        self.assertEqual({row["n"] for row in tables["peaks"]["rows"]}, {16, 48})
        self.assertEqual(len(document["provenance"]["peaks"]), len(tables["peaks"]["rows"]))
        for row in tables["generation"]["rows"]:
            self.assertAlmostEqual(row["token_time"], row["attention_time"] + row["linear_time"], delta=1e-9)
            self.assertAlmostEqual(row["tokens_per_second"] * row["token_time"], 1, delta=1e-9)
        # Without --measure nothing is timed: the same bytes from run to run.
        plain = [self.result("cost", "--D", 64)["tables"] for _ in range(2)]
        self.assertEqual(plain[0], plain[1])
        self.assertNotIn("measured", [table["name"] for table in plain[0]])

    def test_what_does_not_fit_is_refused_before_it_is_allocated(self):
        document = self.result("cost", "--D", 8192, "--heads", 64, "--measure", "--max-memory", "1GiB", "--n", 128, code=4)
        row = document["tables"][0]["rows"][0]
        self.assertEqual(row["status"], "refused")
        self.assertIn("--max-memory", row["reason"])
        document = self.result("cost", "--D", 8192, "--heads", 64, "--measure", "--max-time", "10ms", "--n", 8192)
        self.assertEqual(document["tables"][0]["rows"][0]["status"], "skipped")

    def test_points_that_would_be_the_same_are_refused(self):
        done = self.attnlab("cost", *QUICK, "--nq", 3, "--nk", 50, code=2)
        self.assert_mistake(done, "--n", "its points would be the same")

    def test_what_is_measured_is_float32(self):
        tables = [{table["name"]: table["rows"] for table in self.result("cost", *QUICK, "--dtype", dtype)["tables"]}
                  for dtype in ("f32", "int8")]
        for a, b in zip(*(rows["measured"] for rows in tables)):
            self.assertEqual(a["intensity"], b["intensity"])
        self.assertEqual(tables[0]["cost"][0]["kv_cache_bytes_per_token"], 4 * tables[1]["cost"][0]["kv_cache_bytes_per_token"])

    def test_a_result_keeps_what_was_measured(self):
        self.attnlab("cost", *QUICK, "-o", "out")
        saved = strict_json((self.folder / "out/result.json").read_text())
        self.assert_valid(saved)
        cost = (self.folder / "out/cost.csv").read_text().splitlines()
        self.assertIn("measured_crossover_n_all_linear_high", cost[0])
        ratio = cost[0].split(",").index("measured_ratio")
        self.assertEqual([float(line.split(",")[ratio]) for line in cost[1:]],
                         [row["measured_ratio"] for row in saved["tables"][0]["rows"]])

    @unittest.skipUnless(GNUPLOT, "gnuplot is not installed")
    def test_the_roofline(self):
        self.attnlab("cost", *QUICK, "-o", "roof.svg")
        svg = (self.folder / "roof.svg").read_text()
        for text in ("projections", "fused", "decode", "roof of memory", "intensity"):
            self.assertIn(text, svg)


if __name__ == "__main__":
    unittest.main()
