"""The lesson's three tables: every printed digit, and the digits behind them."""

import csv
import json
import unittest

from support import SOURCE, AttnlabTest, strict_json

VARIANCE = {  # lesson, seed 11: d -> mean, variance (ddof 0), std
    4: (-0.00703997, 4.032131241648783, 2.008016743368636),
    64: (0.0555453, 64.2060849626811, 8.012869957929),
    1024: (0.2058556, 1017.8123760924822, 31.903171881373837),
}
ENTROPY = {  # lesson, seed 5: scale -> spread, entropy, max weight, gradient scale
    "none": (25.08404428089367, 0.9937186358545341, 0.5469929336364393, 0.24779166418824122),
    "sqrt": (3.135505535111709, 2.2953832764307207, 0.3552035165400994, 0.22903397837764675),
}


class Lesson(AttnlabTest):
    def test_prints_the_tables_digit_by_digit(self):
        out = self.attnlab("run", SOURCE / "configs/lesson.json").stdout
        for digits in ("4.03", "2.01", "64.21", "8.01", "1017.8", "31.9", "25.1", "0.994", "0.547", "3.14",
                       "2.295", "0.355", "0.08", "0.67", "5.3", "1536"):
            self.assertRegex(out, rf"(?m)(^|\s){digits}(\s|$)")
        self.assertNotIn("fail", out)

    def test_writes_json_and_a_csv_a_table(self):
        self.attnlab("run", SOURCE / "configs/lesson.json")
        folder = self.folder / "results/lesson"
        result = strict_json((folder / "result.json").read_text())
        self.assertEqual(result["schema"], "attnlab-result/1")
        self.assertEqual(result["status"], "complete")
        self.assertTrue(result["expectations"])
        self.assertEqual({e["verdict"] for e in result["expectations"]}, {"pass"})
        self.assertLessEqual({"variance", "entropy", "cost"}, {table["name"] for table in result["tables"]})
        for table in result["tables"]:
            with open(folder / f"{table['name']}.csv", newline="") as file:
                header, *rows = csv.reader(file)
            self.assertEqual(header, [column["name"] for column in table["columns"]])
            self.assertEqual(len(rows), len(table["rows"]))
            for row, expected in zip(rows, table["rows"]):
                for name, text in zip(header, row):
                    value = expected[name]
                    if value is None:
                        self.assertEqual(text, "")
                    elif isinstance(value, str):
                        self.assertEqual(text, value)
                    elif isinstance(value, (bool, list)):
                        self.assertEqual(strict_json(text), value)
                    else:
                        self.assertEqual(float(text), value)  # numbers round-trip
        self.assertEqual({path.name for path in folder.iterdir()},
                         {"result.json", *(table["name"] + ".csv" for table in result["tables"])})
        self.assertIn(b"\r\n", (folder / "variance.csv").read_bytes())

    def test_a_changed_digit_fails_by_name(self):
        config = json.loads((SOURCE / "configs/lesson.json").read_text())
        config["experiments"][1]["expect"][0]["entropy"] = "0.995"
        path = self.write("changed.json", json.dumps(config))
        done = self.attnlab("run", path, code=1)
        self.assertRegex(done.stdout, r"scale=none +entropy +0\.995 +0\.99371863\d* +fail: prints as 0\.994")
        result = strict_json((self.folder / "results/lesson/result.json").read_text())
        failed = [e for e in result["expectations"] if e["verdict"] == "fail"]
        self.assertEqual([(e["table"], e["row"], e["column"]) for e in failed],
                         [("entropy", {"scale": "none"}, "entropy")])
        self.assertEqual(result["status"], "complete")

    def test_variance_values(self):
        rows = self.rows("variance", "--rng", "mulberry32", "--seed", 11)
        self.assertEqual([row["d"] for row in rows], [4, 64, 1024])
        for row in rows:
            mean, variance, std = VARIANCE[row["d"]]
            self.assertAlmostEqual(row["mean"], mean, delta=1e-6)
            self.assertAlmostEqual(row["variance"], variance, delta=1e-9 * variance)
            self.assertAlmostEqual(row["std"], std, delta=1e-9 * std)
            # Var(s^2) = d^2 [2/(N-1) + kappa/N], kappa = (3 * 3 - 3)/d for the normal law.
            n, d = 40000, row["d"]
            error = d * (2 / (n - 1) + 6 / d / n) ** 0.5
            self.assertAlmostEqual(row["variance_se"], error, delta=1e-12 * error)
            self.assertAlmostEqual(row["z"], (variance * n / (n - 1) - d) / error, delta=1e-9)
            self.assertAlmostEqual(row["variance_high"] - row["variance"], 1.959963984540054 * error, delta=1e-9)
            self.assertAlmostEqual(row["variance"] - row["variance_low"], 1.959963984540054 * error, delta=1e-9)
            self.assertAlmostEqual(row["scaled_variance"], variance / d, delta=1e-12)

    def test_entropy_values(self):
        rows = self.rows("entropy", "--rng", "mulberry32", "--seed", 5, "--design", "fresh")
        self.assertEqual([row["scale"] for row in rows], ["none", "sqrt"])
        for row in rows:
            values = [row[name] for name in ("spread", "entropy", "max_weight", "gradient_scale")]
            for value, expected in zip(values, ENTROPY[row["scale"]]):
                self.assertAlmostEqual(value, expected, delta=1e-9)

    def test_cost_values(self):
        rows = self.rows("cost", "--D", 768)
        self.assertEqual([round(row["ratio"], 12) for row in rows],
                         [round(n / 1536, 12) for n in (128, 1024, 8192)])
        self.assertEqual({row["crossover_n"] for row in rows}, {1536})
        self.assertEqual({row["crossover_n_all_linear"] for row in rows}, {4608})

    def test_ci_config_holds(self):
        self.attnlab("run", SOURCE / "configs/ci.json")


class SameBytes(AttnlabTest):
    def tables(self, *arguments, **more):
        document = self.result(*arguments, **more)
        del document["provenance"]
        return document

    def test_for_any_number_of_threads_and_any_locale(self):
        for command in (["variance", "--d", "1,3,64", "--samples", 30001], ["entropy", "--trials", 1001],
                        ["run", SOURCE / "configs/ci.json"]):
            one = self.tables(*command, "--threads", 1)
            for threads in (2, 3, 7):
                self.assertEqual(self.tables(*command, "--threads", threads), one)
            self.assertEqual(self.tables(*command, env={"LC_ALL": "de_DE.UTF-8"}), one)

    def test_of_files(self):
        for threads in (1, 2):
            self.attnlab("run", SOURCE / "configs/ci.json", "--threads", threads, "-o", f"t{threads}")
        for path in (self.folder / "t1").glob("*.csv"):
            self.assertEqual(path.read_bytes(), (self.folder / "t2" / path.name).read_bytes())


if __name__ == "__main__":
    unittest.main()
