"""Formats that other programs read: each held against the rules of its reader, in our own words."""

import importlib.util
import json
import os
import pathlib
import re
import subprocess
import sys
import unittest
import xml.etree.ElementTree

import numpy

from support import AttnlabTest, strict_json

SWEEP = ["sweep", "--kernel", "naive,flash", "--isa", "best", "--n", "16,32", "--repeats", 6, "--min-time", "1ms"]
COMPARE = pathlib.Path("/usr/share/benchmark/compare.py")  # of Debian's libbenchmark-tools
TIMED = ("gbench", "github-action-benchmark", "bencher")


def junit_mistakes(text):
    """What of a JUnit document a strict reader (the schemas of Jenkins and of Surefire) would refuse."""
    mistakes = []

    def attributes(element, required, optional=()):
        missing, unknown = set(required) - set(element.keys()), set(element.keys()) - set(required) - set(optional)
        if missing or unknown:
            mistakes.append(f"{element.tag}: without {sorted(missing)}, with {sorted(unknown)}")

    def counts(element, cases):
        found = {tag: sum(case.find(tag) is not None for case in cases) for tag in ("failure", "error", "skipped")}
        found["testcase"] = len(cases)
        for name, tag in (("tests", "testcase"), ("failures", "failure"), ("errors", "error"), ("skipped", "skipped")):
            if name in element.keys() and element.get(name) != str(found[tag]):
                mistakes.append(f"{element.tag} says {name}={element.get(name)}, has {found[tag]}")

    def unique(names):
        if len(set(names)) != len(names):
            mistakes.append(f"names twice among {names}")

    root = xml.etree.ElementTree.fromstring(text)
    if root.tag != "testsuites":
        return [f"the root is {root.tag}"]
    attributes(root, ("name", "tests", "failures", "errors"), ("time",))
    if not re.fullmatch(r"[0-9]*(\.[0-9]{0,3})?", root.get("time", "")):
        mistakes.append(f"time is {root.get('time')}")
    counts(root, list(root.iter("testcase")))
    unique([suite.get("name") for suite in root])
    for suite in root:
        if suite.tag != "testsuite":
            mistakes.append(f"{suite.tag} in testsuites")
        attributes(suite, ("name", "tests", "failures", "errors", "skipped"))
        counts(suite, list(suite))
        unique([case.get("name") for case in suite])
        for case in suite:
            if case.tag != "testcase":
                mistakes.append(f"{case.tag} in testsuite")
            attributes(case, ("name", "classname"))
            if len(case) > 1:
                mistakes.append(f"{case.get('name')} has {len(case)} outcomes")
            for outcome in case:
                if outcome.tag in ("failure", "error"):
                    attributes(outcome, ("message", "type"))
                elif outcome.tag == "skipped":
                    attributes(outcome, ("message",))
                else:
                    mistakes.append(f"{outcome.tag} in testcase")
    return mistakes


def github_commands(text):
    """The commands as GitHub's runner takes them apart: kind, title, message."""
    out = []
    for line in text.splitlines():
        match = re.fullmatch(r"::(error|warning|notice) title=([^:,\r\n]*)::(.*)", line)
        assert match, line
        undone = [match[1]]
        for piece in match.groups()[1:]:
            for code, character in (("%0D", "\r"), ("%0A", "\n"), ("%3A", ":"), ("%2C", ","), ("%25", "%")):
                piece = piece.replace(code, character)
            undone.append(piece)
        out.append(tuple(undone))
    return out


class Findings(AttnlabTest):
    """Expectations and verdicts, as JUnit and as GitHub's annotations."""

    def setUp(self):
        super().setUp()
        expect = [{"d": 4, "variance": {"value": 4, "rel": 0.5}}, {"d": 16, "variance": "3.00"},
                  {"variance": {"min": 100}}, {"d": 4, "variance": {"min": 100}}]
        self.path = self.config({"experiment": "variance", "d": [4, 16], "samples": 1000, "expect": expect,
                                 "title": "Дисперсия\x01\x1b\ufffe\uffff \U0001d538 <&\"'>\t\n]]>"})

    def test_junit_is_what_strict_readers_take(self):
        text = self.attnlab("run", self.path, "--format", "junit", code=1).stdout
        self.assertEqual(junit_mistakes(text), [])
        root = xml.etree.ElementTree.fromstring(text)
        self.assertEqual((root.get("tests"), root.get("failures")), ("5", "4"))
        name = root[0].get("name")
        self.assertIn("Дисперсия\ufffd\ufffd\ufffd\ufffd \U0001d538 <&\"'>\t\n]]>", name)
        quick = self.attnlab("run", self.path, "--format", "junit", "--quick").stdout
        self.assertEqual(junit_mistakes(quick), [])
        self.assertEqual(xml.etree.ElementTree.fromstring(quick)[0].get("skipped"), "4")
        self.assertEqual(junit_mistakes(self.attnlab("cost", "--format", "junit").stdout), [])

    def test_the_check_of_junit_can_fail(self):
        text = self.attnlab("run", self.path, "--format", "junit", code=1).stdout
        for old, new in (('failures="4"', 'failures="3"'), ("<failure", "<failures"), ("<failure type=", "<failure kind="),
                         ('classname="variance"', ""), ("testsuites", "suites"), (' name="d=16: variance"', ' name="d=4: variance"')):
            self.assertIn(old, text)
            self.assertNotEqual(junit_mistakes(text.replace(old, new)), [], new)

    def test_a_failed_row_is_an_error(self):
        numpy.savez_compressed(self.folder / "x.npz", q=numpy.random.default_rng(1).random((1, 4000, 8)))
        damaged = bytearray((self.folder / "x.npz").read_bytes())
        damaged[len(damaged) // 2] ^= 0xFF
        (self.folder / "x.npz").write_bytes(damaged)
        inspect = ["inspect", "--file", "x.npz", "--tensors", "q=q,k=q"]
        text = self.attnlab(*inspect, "--format", "junit", code=2).stdout
        self.assertEqual(junit_mistakes(text), [])
        root = xml.etree.ElementTree.fromstring(text)
        self.assertEqual((root.get("tests"), root.get("errors")), ("1", "1"))
        self.assertIn("CRC error", root.find(".//error").get("message"))
        commands = github_commands(self.attnlab(*inspect, "--format", "github", code=2).stdout)
        self.assertEqual([kind for kind, _, _ in commands], ["error", "notice"])
        self.assertIn("CRC error", commands[0][2])

    def test_verify_has_a_case_a_claim(self):
        listed = [row["name"] for table in self.result("list")["tables"] if table["name"] == "claims" for row in table["rows"]]
        claims = ",".join(listed[:3])
        rows = self.result("verify", "--quick", "--claim", claims)["tables"][0]["rows"]
        text = self.attnlab("verify", "--quick", "--claim", claims, "--format", "junit").stdout
        self.assertEqual(junit_mistakes(text), [])
        cases = list(xml.etree.ElementTree.fromstring(text).iter("testcase"))
        self.assertEqual([case.get("name") for case in cases], [f"claim={row['claim']}: verdict" for row in rows])
        skipped = sum(case.find("skipped") is not None for case in cases)
        self.assertEqual(skipped, sum(row["verdict"] == "inconclusive" for row in rows))

    def test_github_annotates_what_failed(self):
        commands = github_commands(self.attnlab("run", self.path, "--format", "github", code=1).stdout)
        self.assertEqual([kind for kind, _, _ in commands], ["error"] * 4 + ["notice"])
        self.assertEqual(commands[0][1], "attnlab variance: d=16: variance")
        self.assertIn("expected 3.00, measured", commands[0][2])
        self.assertEqual(commands[-1][1:], ("attnlab test", "4 failed, 0 undecided or not checked, 1 passed"))
        quick = github_commands(self.attnlab("run", self.path, "--format", "github", "--quick").stdout)
        self.assertEqual([kind for kind, _, _ in quick], ["warning"] * 4 + ["notice"])

    def test_github_shows_ten_of_a_kind(self):
        path = self.config({"experiment": "variance", "d": "1:40", "samples": 10, "expect": [{"variance": -1.0}]})
        commands = github_commands(self.attnlab("run", path, "--format", "github", code=1).stdout)
        self.assertEqual([kind for kind, _, _ in commands], ["error"] * 10 + ["notice"])
        self.assertEqual(commands[9][1], "attnlab 31 more")
        self.assertEqual(commands[10][2], "40 failed, 0 undecided or not checked, 0 passed")


class Comparisons(AttnlabTest):
    """A comparison's rows, judged by the words of its verdict."""

    def setUp(self):
        super().setUp()
        base = self.result(*SWEEP)
        draw = numpy.random.default_rng(1)
        for row in base["tables"][0]["rows"]:
            row["time_samples"] = [list(1e-3 * (1 + 0.01 * draw.random(8))) for _ in range(8)]
        new = json.loads(json.dumps(base))
        rows = new["tables"][0]["rows"]
        self.slower = [row for row in rows if row["kernel"] == "flash" and row["n"] == 32]
        for row in self.slower:
            row["time_samples"] = [[1.18 * sample for sample in process] for process in row["time_samples"]]
        self.missing = rows.pop(0)
        self.write("base.json", json.dumps(base))
        self.write("new.json", json.dumps(new))

    def compared(self, *arguments, code=1):
        """The rows of the comparison, its JUnit document, its GitHub commands: of the same exit code."""
        compare = ["compare", "base.json", "new.json", *arguments]
        rows = [table for table in self.result(*compare, code=code)["tables"] if table["name"] == "compare"][0]["rows"]
        text = self.attnlab(*compare, "--format", "junit", code=code).stdout
        self.assertEqual(junit_mistakes(text), [])
        commands = github_commands(self.attnlab(*compare, "--format", "github", code=code).stdout)
        return rows, xml.etree.ElementTree.fromstring(text), commands

    def test_a_regression_is_a_failure(self):
        rows, root, commands = self.compared()
        verdicts = [row["verdict"] for row in rows]
        self.assertEqual((verdicts.count("regressed"), verdicts.count("missing")), (len(self.slower), 1))
        self.assertEqual(root.get("tests"), str(len(rows)))
        self.assertEqual(root.get("failures"), str(len(self.slower)))
        self.assertEqual(root[0].get("skipped"), str(verdicts.count("missing") + verdicts.count("inconclusive")))
        message = root.find(".//failure").get("message")
        self.assertRegex(message, r"^regressed: base 0\.001\S*, new 0\.001\S*, ratio 1\.\d+ \(1\.\d+ to 1\.\d+\)")
        errors = [command for command in commands if command[0] == "error"]
        self.assertEqual([message for _, _, message in errors], [f.get("message") for f in root.iter("failure")])
        self.assertIn("kernel=flash", errors[0][1])
        self.assertIn("n=32", errors[0][1])

    def test_what_fails_is_what_the_exit_code_says(self):
        rows, root, commands = self.compared("--fail-on", "missing")
        self.assertEqual(root.get("failures"), str(len(self.slower) + 1))
        self.assertEqual([kind for kind, _, _ in commands].count("error"), len(self.slower) + 1)
        self.assertIn("missing; the new result has no such row", [message for _, _, message in commands])
        self.write("new.json", (self.folder / "base.json").read_text())
        rows, root, commands = self.compared(code=0)
        self.assertEqual(root.get("failures"), "0")
        self.assertNotIn("error", [kind for kind, _, _ in commands])

    def test_a_comparison_has_no_times_of_its_own(self):
        done = self.attnlab("compare", "base.json", "new.json", "--format", "gbench", code=2)
        self.assert_mistake(done, "gbench prints timed rows")


class Times(AttnlabTest):
    """Timed rows, as trackers of benchmarks read them."""

    def both(self, name, *arguments):
        """The export and the timed rows of one and the same run."""
        folder = self.folder / name
        text = self.attnlab(*SWEEP, *arguments, "-o", folder, "--format", name, env={"LC_ALL": "de_DE.UTF-8"}).stdout
        table = strict_json((folder / "result.json").read_text())["tables"][0]
        rows = [row for row in table["rows"] if "time_samples" in row]
        self.assertTrue(rows)
        return strict_json(text), rows

    def assert_names(self, names, rows):
        self.assertEqual(len(set(names)), len(names))
        for name, row in zip(names, rows):
            self.assertTrue(name.startswith("sweep/"), name)
            for key in ("kernel", "isa", "dtype", "threads", "n"):
                self.assertIn(f"/{key}:{row[key]}", name)

    def test_google_benchmark(self):
        for runs in (1, 2):
            with self.subTest(runs=runs):
                document, rows = self.both("gbench", "--runs", runs)
                self.assertEqual(set(document), {"context", "benchmarks"})
                context = document["context"]
                self.assertRegex(context["date"], r"^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ$")
                for key, kind in (("executable", str), ("num_cpus", int), ("cpu_scaling_enabled", bool),
                                  ("caches", list), ("load_avg", list), ("library_build_type", str)):
                    self.assertIsInstance(context[key], kind)
                by_name = {}
                for entry in document["benchmarks"]:
                    for key in ("name", "run_name", "run_type", "time_unit"):
                        self.assertIsInstance(entry[key], str)
                    for key in ("repetitions", "threads", "iterations", "family_index", "per_family_instance_index"):
                        self.assertIsInstance(entry[key], int)
                    self.assertEqual(entry["time_unit"], "ns")
                    self.assertEqual(entry["real_time"], entry["cpu_time"])
                    by_name.setdefault(entry["run_name"], []).append(entry)
                self.assert_names(list(by_name), rows)
                for entries, row in zip(by_name.values(), rows):
                    samples = row["time_samples"]
                    self.assertEqual(len(samples), runs)
                    repeats = [e for e in entries if e["run_type"] == "iteration"]
                    self.assertEqual([e["repetition_index"] for e in repeats], list(range(len(repeats))))
                    self.assertEqual({e["repetitions"] for e in entries}, {len(repeats)})
                    self.assertEqual(len(repeats), runs if runs > 1 else len(samples[0]))
                    if runs == 1:
                        for entry, sample in zip(repeats, samples[0]):
                            self.assertEqual(entry["real_time"], sample * 1e9)
                    self.assertEqual([e["name"] for e in entries if e["run_type"] == "aggregate"],
                                     [entries[0]["name"] + "_median"])

    @unittest.skipUnless(COMPARE.exists() and importlib.util.find_spec("scipy"), "compare.py or SciPy is not installed")
    def test_google_benchmark_compares(self):
        paths = []
        for name in ("old", "new"):
            paths.append(self.folder / f"{name}.json")
            self.attnlab(*SWEEP, "--quiet", "--format", "gbench", "-o", paths[-1])
        done = subprocess.run([sys.executable, COMPARE, "--no-color", "benchmarks", *paths], capture_output=True, text=True,
                              timeout=120, cwd=self.folder, env={**os.environ, "PYTHONDONTWRITEBYTECODE": "1"})
        self.assertEqual(done.returncode, 0, done.stderr)
        names = {entry["run_name"] for entry in strict_json(paths[0].read_text())["benchmarks"]}
        for name in names:
            self.assertRegex(done.stdout, re.escape(name) + r"_pvalue +[0-9.]+ +[0-9.]+ +U Test, Repetitions: 6 vs 6")
        self.assertIn("OVERALL_GEOMEAN", done.stdout)

    def test_github_action_benchmark(self):
        entries, rows = self.both("github-action-benchmark")
        self.assert_names([entry["name"] for entry in entries], rows)
        for entry, row in zip(entries, rows):
            self.assertLessEqual(set(entry), {"name", "unit", "value", "range", "extra"})
            self.assertEqual((entry["unit"], entry["value"]), ("ns", row["time"] * 1e9))
            low, high = map(float, re.fullmatch(r"(\S+) to (\S+)", entry["range"]).groups())
            self.assertAlmostEqual(low / (row["time_low"] * 1e9), 1, places=5)
            self.assertAlmostEqual(high / (row["time_high"] * 1e9), 1, places=5)
            self.assertIn("samples: 6\n", entry["extra"])

    def test_bencher(self):
        document, rows = self.both("bencher")
        self.assert_names(list(document), rows)
        for name, row in zip(document, rows):
            self.assertLess(len(name), 1024)
            self.assertEqual(document[name], {"latency": {"value": row["time"] * 1e9, "lower_value": row["time_low"] * 1e9,
                                                          "upper_value": row["time_high"] * 1e9}})

    def test_one_table_may_be_asked_for(self):
        for name in TIMED:
            done = self.attnlab(*SWEEP, "--format", name, "--table", "fits", code=2)
            self.assert_mistake(done, "--format: no row was timed")

    def test_without_times_there_is_nothing_to_print(self):
        for name in TIMED:
            with self.subTest(name):
                for arguments in (["variance"], ["list"], ["cost", "-o", "folder"], ["variance", "-o", "x.json"],
                                  ["variance", "--dry-run"]):
                    done = self.attnlab(*arguments, "--format", name, code=2)
                    self.assert_mistake(done, f"--format: {name} prints timed rows", "time something: sweep")
                self.assertEqual(list(self.folder.iterdir()), [])
                # Where nothing came to be timed, the outcome of the run is its code.
                done = self.attnlab(*SWEEP, "--format", name, "--max-memory", 0, code=4)
                self.assert_mistake(done, "no row was timed")
                done = self.attnlab(*SWEEP, "--format", name, "--max-time", "1e-12", code=2)
                self.assert_mistake(done, "no row was timed")


class Files(AttnlabTest):
    """-o FILE together with --format."""

    def test_the_named_format_decides_where_it_fits(self):
        def kind(path):
            text = path.read_text()
            if text.startswith("::"):
                return "github"
            if not text.startswith(("{", "[")):
                return "other"
            document = strict_json(text)
            if isinstance(document, list):
                return "github-action-benchmark"
            return "json" if "schema" in document else "gbench" if "benchmarks" in document else "bencher"

        sweep = [*SWEEP, "--quiet"]
        for name, file, found in (("gbench", "a.json", "gbench"), ("bencher", "a.json", "bencher"),
                                  ("github-action-benchmark", "a.json", "github-action-benchmark"),
                                  ("json", "a.json", "json"), ("csv", "a.json", "json"), ("gbench", "a.csv", "other"),
                                  ("gbench", "a.out", "gbench"), ("github", "a.txt", "github"), ("table", "a.txt", "other")):
            path = self.folder / file
            # What is there from before is attnlab's own, in whichever of its formats.
            self.attnlab(*sweep, "--format", name, "-o", path)
            self.assertEqual(kind(path), found, (name, file))
        path = self.write("theirs.json", json.dumps({"context": {"date": ""}, "benchmarks": []}))
        before = path.read_text()
        self.assert_mistake(self.attnlab(*sweep, "--format", "gbench", "-o", path, code=2), "not written by attnlab")
        self.assertEqual(path.read_text(), before)
        self.assert_mistake(self.attnlab(*sweep, "-o", "a.what", code=2), "no format has the extension .what", "--format")

    def test_a_file_and_standard_output_are_the_same(self):
        done = self.attnlab(*SWEEP, "--format", "bencher", "-o", "a.json")
        self.assertEqual(done.stdout, (self.folder / "a.json").read_text())

    def test_a_folder_stays_one(self):
        done = self.attnlab(*SWEEP, "--format", "bencher", "-o", "folder")
        self.assertIn("latency", done.stdout)
        self.assertEqual(strict_json((self.folder / "folder/result.json").read_text())["schema"], "attnlab-result/1")

    def test_machine_prints_its_peaks(self):
        done = self.attnlab("machine", "--format", "gbench", code=2)
        self.assert_mistake(done, "prints timed rows")


if __name__ == "__main__":
    unittest.main()
