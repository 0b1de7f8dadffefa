"""Flags, help, examples and mistakes: what a user meets first."""

import json
import re
import shlex
import subprocess
import unittest

import numpy

from support import BINARY, SOURCE, AttnlabTest, save_safetensors, strict_json


def config(*experiments):
    return json.dumps({"name": "bad", "experiments": experiments})


class Mistakes(AttnlabTest):
    # Configs with two mistakes each, and what must be said of both.
    TWO = [
        (config({"experiment": "variance", "d": 0, "lw": "normal"}),
         ["experiments[0].d: 0 is too small; allowed: a whole number from 1 to 16777216",
          "experiments[0].lw: unknown key; did you mean law?"]),
        (config({"experiment": "variance", "samples": 1.5, "rng": "mulberry"}),
         ["experiments[0].samples: 1.5 is not a whole number",
          'experiments[0].rng: "mulberry" is unknown; did you mean mulberry32?']),
        (config({"experiment": "varience"}, {"experiment": "entropy", "temperature": -1}),
         ["experiments[0].experiment: unknown experiment varience; did you mean variance?",
          "experiments[1].temperature: -1 is too small"]),
        (config({"experiment": "entropy", "d": [64, 0, -1]}),
         ["experiments[0].d[1]: 0 is too small", "experiments[0].d[2]: -1 is too small"]),
        (config({"experiment": "cost", "D": 100, "heads": 3}, {"experiment": "cost", "active_experts": 2}),
         ["experiments[0].heads: D = 100 does not divide by 3 heads",
          "experiments[1].active_experts: 2 is more than the 1 experts"]),
        ('{"nme": "x", "name": "", "experiments": [{"experiment": "cost"}]}',
         ["nme: unknown key; did you mean name?", 'name: "" cannot name a folder']),
        (config({"experiment": "cost", "title": 5, "expect": [{"n": 128, "ratoi": 1}]}),
         ["experiments[0].title: 5 is not a text", "expect[0].ratoi: table cost has no such column; did you mean ratio?"]),
        (config({"experiment": "variance", "tied": "yes", "d": "64:8"}),
         ['experiments[0].tied: "yes" is neither true nor false', "the range ends before it begins"]),
        (config({"experiment": "variance", "rng": "mulberry32", "seed": 4294967296, "tied": True, "mean_k": 1}),
         ["experiments[0].seed: 4294967296 is too large; mulberry32 takes seeds up to 4294967295",
          "experiments[0].mean_k: has no meaning with tied"]),
        (config(7, {"experiment": "entropy", "keys": None}),
         ["experiments[0]: 7 is not an object", "experiments[1].keys: null is not a whole number"]),
        (config({"experiment": "entropy", "expect": [{"entropy": {"min": "low"}}, {"table": "fits", "a": 1}]}),
         ["expect[0].entropy: min is not a number", 'expect[1].table: no table is called "fits"']),
    ]

    def test_both_mistakes_of_a_config_are_named(self):
        for text, words in self.TWO:
            with self.subTest(text):
                done = self.attnlab("run", self.write("bad.json", text), code=2)
                self.assert_mistake(done, *words)
                self.assertEqual(len(done.stderr.splitlines()), 2, done.stderr)
                self.assertTrue(all("bad.json: " in line for line in done.stderr.splitlines()))

    def test_all_mistakes_of_several_files_are_named(self):
        good = self.write("good.json", config({"experiment": "cost"}))
        bad = self.write("bad.json", config({"experiment": "cost", "n": 0}))
        broken = self.write("broken.json", '{"name": }')
        self.assert_mistake(self.attnlab("run", broken, good, bad, "none.json", code=2),
                            "broken.json: line 1, column 10", "bad.json: experiments[0].n", "none.json: cannot be read")

    def test_all_mistakes_of_a_command_line_are_named(self):
        done = self.attnlab("variance", "--d", "0", "--lw", "normal", "--samples", "--rng=mulbery32", "--tied=maybe",
                            "more", "--color", "red", code=2)
        self.assert_mistake(done, "--d: 0 is too small", "--lw: unknown flag of variance; did you mean --law?",
                            "--samples: needs a value; allowed: a whole number from 2",
                            '--rng: "mulbery32" is unknown; did you mean mulberry32?',
                            '--tied: "maybe" is neither true nor false', "more: variance takes no such argument",
                            '--color: "red" is unknown')
        self.assertEqual(len(done.stderr.splitlines()), 7)

    def test_mistakes_of_other_commands(self):
        for arguments, words in (
                (["descibe"], ["descibe: unknown command; did you mean describe?"]),
                (["describe"], ["no name is named", "one of variance"]),
                (["describe", "varance"], ["varance: is no NAME of describe", "did you mean variance?"]),
                (["schema", "config"], ["did you mean configs?", "one of configs, results"]),
                (["completion", "tcsh"], ["one of bash, zsh, fish"]),
                (["list", "--formt", "csv"], ["--formt: unknown flag of list; did you mean --format?"]),
                (["list", "--table", "format"], ["no table is called format", "did you mean formats?"]),
                (["list", "--samples", "3"], ["--samples: unknown flag of list"]),
                (["--quick", "variance"], ["--quick: is no command", "flags come after it"]),
                (["variance", "--format", "jsn"], ['"jsn" is unknown; did you mean json?']),
                (["variance", "--o", "x.csv"], ["--o: unknown flag"]),
                (["variance", "--max-memory", "much"], ["--max-memory", '"much"', "512MiB"]),
                (["variance", "--max-time", "0"], ["--max-time: 0 is too small"]),
                (["variance", "--threads", "0"], ["--threads: 0 is too small"]),
                (["variance", "--d", "1:1000000", "--law", "normal,uniform"], ["--d: the grid has 2e+06 points", "1000000 d x 2 law"])):
            with self.subTest(arguments):
                self.assert_mistake(self.attnlab(*arguments, code=2), *words)

    def test_a_million_points_in_all_is_the_limit(self):
        one = {"experiment": "cost", "n": "1:600000"}
        done = self.attnlab("run", self.write("big.json", config(one, one)), code=2)
        self.assert_mistake(done, "has 1200000 points in all", "1000000 at most")


class Flags(AttnlabTest):
    def test_forms_of_a_flag_mean_the_same(self):
        expected = self.rows("entropy", "--d", "8,16", "--scale", "none", "--seed", "3")
        for arguments in (["--d=8,16", "--scale=none", "--seed=3"], ["--d", "8:16:x2", "--scale", "none", "--seed", "3"],
                          ["--d", "8", "--d", "16", "--scale", "none", "--seed", "+3"],
                          ["--d", "8:16:+8", "--scale", "none", "--seed", "3", "--quiet=false"]):
            self.assertEqual(self.rows("entropy", *arguments), expected, arguments)
        negative = self.rows("variance", "--mean-q", "-1", "--mean-k=-.5", "--samples", 10, "--d", "4")
        self.assertEqual(negative, self.rows("variance", "--mean-q=-1.0", "--mean-k", "-5e-1", "--samples", 10, "--d", "4"))

    def test_a_grid_runs_its_first_list_slowest(self):
        rows = self.rows("entropy", "--temperature", "1,2", "--keys", "2,4", "--d", "8,16", "--scale", "sqrt,none")
        self.assertEqual([(r["d"], r["keys"], r["scale"], r["temperature"]) for r in rows],
                         [(d, keys, scale, t) for d in (8, 16) for keys in (2, 4) for scale in ("sqrt", "none") for t in (1, 2)])

    def test_quick_is_a_tenth_and_checks_nothing(self):
        path = self.config({"experiment": "variance", "d": 4, "samples": 1000, "expect": [{"d": 4, "variance": "9.99"}]})
        result = self.result("run", path, "--quick")
        self.assertEqual(result["tables"][0]["rows"][0]["samples"], 100)
        self.assertEqual([e["verdict"] for e in result["expectations"]], ["not checked"])
        self.assertEqual(self.result("run", path, code=1)["expectations"][0]["verdict"], "fail")
        self.assertEqual(self.rows("variance", "--samples", 5, "--quick")[0]["samples"], 2)

    def test_dry_run_names_points_memory_and_time(self):
        result = self.result("entropy", "--d", "8,16", "--trials", 1000, "--dry-run", "--max-memory", "1KiB")
        rows = result["tables"][0]["rows"]
        self.assertEqual(len(rows), 4)
        self.assertTrue(all(r["bytes"] > 0 and r["seconds"] > 0 and r["status"] == "refused" for r in rows))
        self.assertIn("4 points, about", result["tables"][0]["notes"][0])
        self.assertFalse((self.folder / "results").exists())

    def test_version_in_full(self):
        text = self.attnlab("--version").stdout
        for word in ("attnlab 0.", "commit", "compiler", "flags", "-O", "BLAS", "core", "SIMD"):
            self.assertIn(word, text)
        self.assertEqual(self.attnlab("variance", "--version").stdout, text)


class Help(AttnlabTest):
    def setUp(self):
        super().setUp()
        (self.folder / "configs").symlink_to(SOURCE / "configs")
        self.commands = re.findall(r"^  ([a-z]+)\b.*", self.attnlab().stdout.split("\nCommands\n")[1], re.M)

    def test_alone_it_says_what_it_is(self):
        text = self.attnlab().stdout
        self.assertIn("a laboratory for attention", text)
        self.assertEqual(len(re.findall(r"^  attnlab .*", text, re.M)), 3)
        self.assertEqual(text, self.attnlab("--help").stdout)
        self.assertIn("variance", self.commands)

    def test_of_a_command_is_the_same_in_all_its_forms(self):
        for command in self.commands:
            text = self.attnlab(command, "--help").stdout
            self.assertEqual(text, self.attnlab("help", command).stdout)
            self.assertEqual(text, self.attnlab(command, "--bogus", "-h").stdout)
            self.assertIn(f"Usage: attnlab {command}", text)
            self.assertLessEqual(max(map(len, text.split("\nExamples\n")[0].splitlines())), 80)

    def write_tensors(self):
        """The files that examples of inspect read."""
        arrays = {name: numpy.random.default_rng(1).standard_normal((2, 80, 16)).astype(numpy.float32) for name in "qk"}
        for name, array in arrays.items():
            numpy.save(self.folder / f"{name}.npy", array)
        numpy.savez(self.folder / "a.npz", **arrays)
        save_safetensors(self.folder / "x.safetensors",
                         {f"layers.{layer}.{name}": array for layer in range(2) for name, array in arrays.items()})

    def test_every_example_runs(self):
        self.write_tensors()
        examples = set(re.findall(r"^  (attnlab .*?)(?:   .*)?$", self.attnlab().stdout, re.M))
        for command in self.commands:
            text = self.attnlab(command, "--help").stdout
            found = re.findall(r"^  (attnlab .*)$", text, re.M)
            self.assertTrue(found, command)
            examples.update(found)
        for path in [SOURCE / "README.md", *(SOURCE / "docs").glob("*.md")]:  # code is indented; three blanks end it
            if path.exists():
                examples.update(re.findall(r"^    (?:build/)?(attnlab\b.*?)(?:   .*)?$", path.read_text(), re.M))
        self.assertGreater(len(examples), 15)
        draws = re.compile(r"attnlab (plot|report)\b")  # what another example has measured: last
        for example in sorted(examples, key=lambda example: (bool(draws.match(example)), example)):
            with self.subTest(example):
                # What takes minutes is measured roughly, and its longest points are skipped.
                quick = re.sub(r"^(attnlab cost .*--measure)", r"\1 --repeats 2 --min-time 1ms --max-time 10s", example)
                done = subprocess.run(["bash", "-c", 'attnlab() { "$0" "$@"; }; ' + quick, BINARY], cwd=self.folder,
                                      capture_output=True, text=True, timeout=120, stdin=subprocess.DEVNULL)
                said = re.sub(r"attnlab: gnuplot is not on PATH.*\n", "", done.stderr)
                self.assertEqual((done.returncode, said), (0, ""))
                self.assertTrue(done.stdout or ">" in example or draws.match(example))


class Listing(AttnlabTest):
    def test_list_and_describe_know_the_same(self):
        tables = self.result("list")["tables"]
        self.assertLessEqual({"experiments", "formats"}, {t["name"] for t in tables})
        for table in tables:
            for row in table["rows"]:
                described = self.result("describe", row["name"])["tables"]
                self.assertEqual(described[0]["rows"][0]["summary"], row["summary"])

    def test_describe_names_parameters_and_columns(self):
        tables = {t["name"]: t["rows"] for t in self.result("describe", "variance")["tables"]}
        parameters = {r["name"]: r for r in tables["parameters"]}
        self.assertEqual(parameters["df"]["allowed"], "a number above 2")
        self.assertEqual(parameters["d"]["default"], "4,64,1024")
        columns = {r["name"] for r in tables["columns"] if r["of"] == "variance"}
        self.assertEqual(columns, set(self.rows("variance", "--samples", 10)[0]))

    def test_more_threads_than_cpus_run_with_a_warning(self):
        usable = self.rows("machine")[0]["threads"]
        quick = ("--repeats", 2, "--min-time", 0, "--n", 8)
        for command in (("variance", "--samples", 10), ("sweep", *quick), ("profile", *quick)):
            done = self.attnlab(*command, "--threads", usable + 1)
            self.assertRegex(done.stderr, rf"^attnlab: warning: --threads {usable + 1} is more than the {usable} CPUs? ")
            self.assertEqual(self.attnlab(*command, "--threads", usable).stderr, "")

    def test_machine_tells_what_threads_auto_takes(self):
        row = self.result("machine")["tables"][0]["rows"][0]
        self.assertEqual(row["threads"], self.result("cost")["provenance"]["threads"])
        self.assertGreater(row["available_bytes"], 0)
        done = subprocess.run(["taskset", "-c", str(row["affinity"][0]), BINARY, "machine", "--format", "json"],
                              capture_output=True, text=True, check=True)
        pinned = strict_json(done.stdout)["tables"][0]["rows"][0]
        self.assertEqual((pinned["threads"], pinned["affinity"]), (1, row["affinity"][:1]))


if __name__ == "__main__":
    unittest.main()
