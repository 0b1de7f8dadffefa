"""compare: verdicts and exit codes on results whose times are known, bad results, two builds in turns."""

import copy
import csv
import io
import json
import os
import random
import signal
import subprocess
import unittest

from support import BINARY, AttnlabTest, strict_json


class Compare(AttnlabTest):
    @classmethod
    def setUpClass(cls):
        done = subprocess.run(
            [BINARY, "sweep", "--kernel", "naive,flash", "--n", "64,128", "--repeats", "2", "--min-time", "0.1ms",
             "--threads", "1", "--format", "json"], capture_output=True, text=True, check=True)
        cls.template = strict_json(done.stdout)

    def timed(self, name, seed, slower=(), factor=1.18, processes=5, change=None):
        """A result with times of little noise, those of some kernels longer by a factor; its path."""
        dice = random.Random(seed)
        result = copy.deepcopy(self.template)
        for row in self.rows_of(result):
            level = row["n"] * 1e-6 * (factor if row["kernel"] in slower else 1)
            row["time_samples"] = [[level * own * dice.gauss(1, 0.01) for _ in range(10)]
                                   for own in [dice.gauss(1, 0.01) for _ in range(processes)]]
        if change:
            change(result)
        return self.write(name, json.dumps(result))

    @staticmethod
    def rows_of(result):
        return result["tables"][0]["rows"]

    def compared(self, *arguments, code=0):
        return self.result("compare", *arguments, code=code)

    @staticmethod
    def verdicts(document):
        return [row["verdict"] for row in document["tables"][0]["rows"]]

    def test_a_result_is_the_same_as_itself_and_as_another_run(self):
        base, again = self.timed("base.json", 1), self.timed("again.json", 2)
        for other in (base, again):
            document = self.compared(base, other)
            self.assertEqual(set(self.verdicts(document)), {"same"})
            self.assertEqual([t["name"] for t in document["tables"]],
                             ["compare", "changes", "geometric_means", "sides"])
        row = document["tables"][0]["rows"][0]
        self.assertLess(row["ratio_low"], row["ratio"])
        self.assertLess(row["ratio"], row["ratio_high"])

    def test_deterministic_results_are_compared_whole(self):
        config = self.config({"experiment": "variance", "d": [4, 8], "samples": 1000}, {"experiment": "cost", "n": 128})
        for folder in ("a", "b"):
            self.attnlab("run", config, "--quiet", "-o", folder)
        document = self.compared("a", "b")
        self.assertEqual(set(self.verdicts(document)), {"same"})
        self.assertGreater(len(self.verdicts(document)), 100)
        path = self.folder / "b/result.json"
        changed = json.loads(path.read_text())
        changed["tables"][0]["rows"][1]["variance"] *= 1.00001
        path.write_text(json.dumps(changed))
        text = self.attnlab("compare", "a", "b", code=1).stdout
        self.assertIn("1 regressed", text)
        self.assertIn("more than its tolerance", text)

    def test_one_kernel_that_became_18_percent_slower_is_found(self):
        base, new = self.timed("base.json", 1), self.timed("new.json", 2, slower={"flash"})
        document = self.compared(base, new, code=1)
        regressed = [row for row in document["tables"][0]["rows"] if row["verdict"] == "regressed"]
        self.assertEqual([row["column"] for row in regressed], ["time", "time"])
        for row in regressed:
            self.assertIn("kernel=flash", row["parameters"])
            self.assertAlmostEqual(row["ratio"], 1.18, delta=0.03)
            self.assertGreater(row["ratio_low"], 1.05)
        self.assertEqual(self.verdicts(self.compared(new, base)).count("improved"), 2)
        self.compared(base, new, "--threshold", "30%")
        self.compared(base, new, "--threshold", "30%,flash=5%", code=1)

    def test_what_ends_with_an_error_can_be_chosen(self):
        base = self.timed("base.json", 1)
        missing = self.timed("missing.json", 2, change=lambda result: self.rows_of(result).pop())
        self.assertIn("missing", self.verdicts(self.compared(base, missing)))
        self.compared(base, missing, "--fail-on", "missing", code=1)
        self.assertIn("extra", self.verdicts(self.compared(missing, base, "--fail-on", "missing")))
        one = self.timed("one.json", 2, processes=1)
        document = self.compared(base, one)
        self.assertIn("inconclusive", self.verdicts(document))
        self.assertIn("--runs 5", json.dumps(document))
        self.compared(base, one, "--fail-on", "inconclusive", code=5)
        worse = self.timed("worse.json", 2, slower={"flash"})
        self.compared(base, worse, "--fail-on", "inconclusive", code=1)

    def test_other_machines_builds_and_settings_are_refused(self):
        base = self.timed("base.json", 1)

        def changed(*path, value):
            def change(result):
                place = result["provenance"]
                for key in path[:-1]:
                    place = place[key]
                place[path[-1]] = value
            return self.timed("new.json", 2, change=change)

        for path in (["cpu"], ["threads"], ["flags"], ["compiler"], ["blas", "core"]):
            new = changed(*path, value="another")
            done = self.attnlab("compare", base, new, code=6)
            self.assertEqual(done.stdout, "")
            self.assertIn(f"not comparable: {'.'.join(path)} was ", done.stderr)
            self.assertIn("--force", done.stderr)
            self.compared(base, new, "--force")
            self.compared(base, new, "--relative-to", "naive")
        new = changed("config", "experiments", 0, "heads", value=[8])
        done = self.attnlab("compare", base, new, "--relative-to", "naive", code=6)
        self.assertIn("sweep.heads[0] was 4, is 8 now", done.stderr)
        self.compared(base, new, "--force")
        self.compared(base, changed("version", value="9.9"))
        self.compared(base, changed("commit", value="another"))

    def test_times_relative_to_a_kernel_travel(self):
        def other_machine(result):
            for row in self.rows_of(result):
                row["isa"] = "avx512" if row["isa"] != "blas" else "blas"
                row["time_samples"] = [[3 * time for time in process] for process in row["time_samples"]]
        base = self.timed("base.json", 1)
        new = self.timed("new.json", 2, change=other_machine)
        self.assertEqual(set(self.verdicts(self.compared(base, new, "--relative-to", "naive"))), {"same"})
        worse = self.timed("worse.json", 2, slower={"flash"}, change=other_machine)
        self.compared(base, worse, "--relative-to", "naive", code=1)
        self.assert_mistake(self.attnlab("compare", base, new, "--relative-to", "nave", code=2), "--relative-to", "nave")

    def test_bad_results_are_refused_with_place_value_and_remedy(self):
        base = self.timed("base.json", 1)
        good = base.read_text()

        def times(value):
            def change(result):
                self.rows_of(result)[1]["time_samples"] = value
            return change

        def unit(result):
            column = next(c for c in result["tables"][0]["columns"] if c["name"] == "workspace_bytes")
            column["unit"] = "KiB"

        cases = [
            (good[:len(good) // 2], "new.json"),
            ("", "new.json"),
            ('{"benchmarks": []}', "no schema"),
            ("[1, 2]", "no schema"),
            (good.replace("attnlab-result/1", "attnlab-result/2"), "attnlab-result/2"),
            (good.replace('"max_error": ', '"max_error": NaN, "x": ', 1), "new.json"),
            (times([[1e-3, None]]), "null"),
            (times([[1e-3, True]]), "true"),
            (times([1e-3]), "0.001"),
            (times([[1e-3, 0]]), "time_samples[0][1] is 0"),
            (times([[1e-3, -2]]), "time_samples[0][1] is -2"),
            (times([[1e-3]]), "a single time"),
            (unit, 'the unit "B"'),
            (lambda result: self.rows_of(result)[1].update(max_error="NaN"), 'max_error is "NaN"'),
            (lambda result: self.rows_of(result)[1].update(macs="many"), '"many"'),
            (lambda result: self.rows_of(result)[1].update(time=None), "time is null"),
            (lambda result: self.rows_of(result)[1].update(time=0), "time is 0"),
            (lambda result: [c.update(unit="ms") for c in result["tables"][0]["columns"] if c["name"] == "time"],
             '"time" in "ms"'),
            (lambda result: result.update(provenance=None), "its provenance is null"),
            (lambda result: result.update(tables=None), "its tables are null"),
            (lambda result: result["tables"][0].update(rows=None), "the rows of table sweep are null"),
            (lambda result: result["tables"].append(result["tables"][0]), "two tables have the name sweep"),
        ]
        for content, words in cases:
            new = self.timed("new.json", 2, change=content) if callable(content) else self.write("new.json", content)
            with self.subTest(words=words, content=str(content)[:40]):
                self.assert_mistake(self.attnlab("compare", base, new, code=2), words, "; ")
        self.assert_mistake(self.attnlab("compare", base, "nowhere.json", code=2), "nowhere.json")
        self.assert_mistake(self.attnlab("compare", base, self.folder, code=2), "result.json")
        self.assert_mistake(self.attnlab("compare", base, code=2), "no new is named")
        self.assert_mistake(self.attnlab("compare", base, base, "c.json", code=2), "a third argument")
        self.assert_mistake(self.attnlab("compare", base, base, "--runs", "5", code=2), "--runs", "--pair")
        for wrong in ("x", "-1%", "5%,5%", "flahs=5%", "5", "1", "flash=3", "1001%"):
            self.assert_mistake(self.attnlab("compare", base, base, f"--threshold={wrong}", code=2), "--threshold")

    def test_what_was_not_compared_is_not_well(self):
        base = self.timed("base.json", 1)
        nothing = self.timed("nothing.json", 1, change=lambda result: result.update(tables=[]))
        self.assert_mistake(self.attnlab("compare", nothing, nothing, code=2), "nothing in common")
        self.attnlab("compare", base, base, "-o", "found.json")
        self.assert_mistake(self.attnlab("compare", base, "found.json", code=2), "found.json", "is what compare wrote")

    def test_a_result_is_not_overwritten_by_its_comparison(self):
        base, new = self.timed("base.json", 1), self.timed("new.json", 2)
        folder = self.folder / "kept"
        folder.mkdir()
        (folder / "result.json").write_text(base.read_text())
        before = new.read_text()
        for output in (new, "./new.json", self.folder / "kept" / ".." / "new.json"):
            self.assert_mistake(self.attnlab("compare", base, new, "-o", output, code=2), "would overwrite", "new.json")
        self.assertEqual(new.read_text(), before)
        self.assert_mistake(self.attnlab("compare", folder, new, "-o", folder, code=2), "would overwrite", "kept")
        self.assertEqual((folder / "result.json").read_text(), base.read_text())

    def test_a_large_result_is_compared(self):
        def many(result):
            row = self.rows_of(result)[1]
            for n in range(1000, 21000):
                self.rows_of(result).append({**row, "n": n, "time_samples": [[1e-3] * 6, [1e-3] * 6]})
        base, new = self.timed("base.json", 1, change=many), self.timed("new.json", 2, change=many)
        self.assertGreater(base.stat().st_size, 10_000_000)
        document = self.compared(base, new)
        self.assertEqual(len(self.verdicts(document)), (4 + 20000) * 7)
        markdown = self.attnlab("compare", base, new, "--format", "markdown").stdout
        self.assertLess(len(markdown), 65536)
        self.assertIn("more: see the table compare", markdown)

    def test_formats_hold_what_was_found(self):
        base, new = self.timed("base.json", 1), self.timed("new.json", 2, slower={"flash"})
        rows = list(csv.DictReader(io.StringIO(self.attnlab("compare", base, new, "--format", "csv", code=1).stdout)))
        self.assertEqual(len(rows), 4 * 7)
        self.assertEqual([row["verdict"] for row in rows].count("regressed"), 2)
        markdown = self.attnlab("compare", base, new, "--format", "markdown", code=1).stdout
        first = next(line for line in markdown.splitlines() if line.startswith("| sweep"))
        self.assertIn("regressed", first)  # the worst stands first
        self.attnlab("compare", base, new, "-o", "out", code=1)
        self.assertEqual(strict_json((self.folder / "out/result.json").read_text())["name"], "compare")
        self.assertTrue((self.folder / "out/compare.csv").exists())

    def test_an_interrupted_result_is_said_to_be_one(self):
        base = self.timed("base.json", 1)
        new = self.timed("new.json", 2, change=lambda result: result.update(status="interrupted"))
        self.assertIn("new.json is interrupted", self.attnlab("compare", base, new).stderr)


class Pair(AttnlabTest):
    def timed_config(self):
        return self.config({"experiment": "variance", "d": 4, "samples": 100},
                           {"experiment": "sweep", "kernel": ["naive", "flash"], "n": 64, "threads": 1, "repeats": 3,
                            "min_time": 1e-4, "runs": 3},
                           {"experiment": "sweep", "kernel": "flash", "n": 32, "threads": 1, "repeats": 3, "min_time": 1e-4})

    def test_a_build_is_run_in_turns_with_itself(self):
        document = self.result("compare", "--pair", BINARY, BINARY, self.timed_config(), "--runs", "6", "--threshold", "900%")
        rows = document["tables"][0]["rows"]
        times = [row for row in rows if row["column"] == "time"]
        self.assertEqual([row["table"] for row in times], ["sweep", "sweep", "sweep-2"])
        for row in times:
            self.assertIn(row["verdict"], ("same", "inconclusive"))  # on a busy machine
            self.assertIsNotNone(row["ratio_low"])
        self.assertIn("variance", {row["table"] for row in rows})

    def test_few_pairs_are_inconclusive(self):
        text = self.attnlab("compare", "--pair", BINARY, BINARY, self.timed_config(), "--runs", "2").stdout
        self.assertIn("2 pairs are too few", " ".join(text.split()))

    def test_a_failing_build_is_found(self):
        # A build whose sweep takes rows as failed: here a program that spoils what attnlab writes.
        broken = self.write("broken", f"""#!/usr/bin/python3
import re, subprocess, sys
code = subprocess.run(["{BINARY}", *sys.argv[1:]]).returncode
path = sys.argv[sys.argv.index("-o") + 1]
text = open(path).read().replace('"status":"ok"', '"status":"failed"')
open(path, "w").write(re.sub(r',"time_samples":\\[\\[.*?\\]\\]', "", text))
""")
        broken.chmod(0o755)
        document = self.result("compare", "--pair", BINARY, broken, self.timed_config(), "--runs", "1", code=1)
        self.assertIn("regressed", {row["verdict"] for row in document["tables"][0]["rows"]})

    def test_a_build_that_breaks_down_after_its_result_is_not_compared(self):
        for end, words in (("sys.exit(3)", "exit code 3"), ("os.kill(os.getpid(), 11)", "exit code 139")):
            broken = self.write("broken", f"""#!/usr/bin/python3
import os, subprocess, sys
subprocess.run(["{BINARY}", *sys.argv[1:]])
{end}
""")
            broken.chmod(0o755)
            done = self.attnlab("compare", "--pair", BINARY, broken, self.timed_config(), "--runs", "1", code=3)
            self.assertIn(words, done.stderr)
            self.assertIn("broken", done.stderr)

    def test_thresholds_are_looked_at_before_anything_runs(self):
        never = self.write("never", "#!/bin/sh\ntouch started\n")
        never.chmod(0o755)
        self.assert_mistake(self.attnlab("compare", "--pair", never, never, self.timed_config(), "--threshold", "x", code=2),
                            "--threshold")
        self.assertFalse((self.folder / "started").exists())

    def test_what_a_ratio_is_stands_below_the_table(self):
        document = self.result("compare", "--pair", BINARY, BINARY, self.timed_config(), "--runs", "1",
                               "--relative-to", "naive")
        notes = " ".join(document["tables"][1]["notes"])
        self.assertIn("times over the times of naive", notes)
        self.assertIn("middle of the pairs' ratios", notes)

    def test_what_cannot_run_is_refused(self):
        config = self.timed_config()
        self.assert_mistake(self.attnlab("compare", "--pair", BINARY, BINARY, code=2), "no config is named")
        self.assert_mistake(self.attnlab("compare", "--pair", BINARY, "nowhere", config, code=2), "nowhere", "is not there")
        self.assert_mistake(self.attnlab("compare", "--pair", BINARY, config, config, code=2), "is no program")
        self.assert_mistake(self.attnlab("compare", "--pair", BINARY, BINARY, "nowhere.json", code=2), "nowhere.json")
        for wrong in ("[]", "{}", '{"experiments": []}', '{"experiments": [{"experiment": "swep"}]}',
                      '{"experiments": [{"experiment": 5}]}', '{"experiments": [7]}'):
            self.assert_mistake(
                self.attnlab("compare", "--pair", BINARY, BINARY, self.write("wrong.json", wrong), code=2), "wrong.json")
        true = self.write("true", "#!/bin/sh\nexit 0\n")
        true.chmod(0o755)
        done = self.attnlab("compare", "--pair", BINARY, true, config, code=3)
        self.assertIn("gave no result", done.stderr)

    def test_ctrl_c_prints_the_pairs_that_were_done(self):
        config = self.config({"experiment": "sweep", "kernel": "flash", "n": 64, "threads": 1})
        run = subprocess.Popen([BINARY, "compare", "--pair", BINARY, BINARY, str(config), "--runs", "1000", "--format", "json"],
                               cwd=self.folder, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
                               env={**os.environ, "TMPDIR": str(self.folder)}, start_new_session=True)
        try:
            run.wait(4)
        except subprocess.TimeoutExpired:
            os.killpg(run.pid, signal.SIGINT)
        out, _ = run.communicate(timeout=60)
        self.assertEqual(run.returncode, 130)
        self.assertEqual(strict_json(out)["status"], "interrupted")
        self.assertEqual(list(self.folder.glob("attnlab-pair-*")), [])


if __name__ == "__main__":
    unittest.main()
