"""Bad input: one clear message with place, value and remedy, exit 2 or 3, nothing half-written."""

import os
import shutil
import subprocess
import unittest

from support import BINARY, SOURCE, AttnlabTest

GOOD = '{"experiment": "variance", "d": [4], "samples": 100}'


def with_experiment(text):
    return '{"name": "bad", "experiments": [%s]}' % text


class BadConfig(AttnlabTest):
    CASES = {
        "unknown key": (with_experiment('{"experiment": "variance", "sampels": 10}'),
                        ["experiments[0].sampels", "unknown key", "did you mean samples?"]),
        "fraction": (with_experiment('{"experiment": "variance", "samples": 1.5}'),
                     ["experiments[0].samples", "1.5 is not a whole number", "allowed: a whole number from 2"]),
        "number as text": (with_experiment('{"experiment": "variance", "samples": "100"}'),
                           ["experiments[0].samples", '"100"', "a whole number"]),
        "zero": (with_experiment('{"experiment": "variance", "d": 0}'),
                 ["experiments[0].d", "0 is too small", "from 1 to 16777216"]),
        "huge": (with_experiment('{"experiment": "variance", "d": 1e30}'),
                 ["experiments[0].d", "1e+30 is too large"]),
        "beyond double": (with_experiment('{"experiment": "variance", "d": 1e999}'), ["1e999"]),
        "NaN": (with_experiment('{"experiment": "variance", "d": NaN}'),
                ["line 1, column", "invalid literal"]),
        "null": (with_experiment('{"experiment": "variance", "d": null}'), ["experiments[0].d", "null"]),
        "trailing comma": ('{"name": "bad", "experiments": [%s,]}' % GOOD, ["line 1, column"]),
        "line and column": ('{\n "name": "bad",\n "experiments" [%s]}' % GOOD, ["line 3, column 16"]),
        "duplicate key": (with_experiment('{"experiment": "variance", "d": 4, "d": 8}'),
                          ["experiments[0].d", "given twice"]),
        "key and alias": (with_experiment('{"experiment": "cost", "D": 64, "d_model": 64}'),
                          ["experiments[0].d_model", "given twice"]),
        "empty file": ("", ["is empty"]),
        "blank file": (" \n\t ", ["is empty"]),
        "byte order mark": ("\ufeff" + with_experiment(GOOD), ["byte order mark", "without"]),
        "not UTF-8": (b'{"name": "\xff\xfe"}', ["line 1, column", "UTF-8"]),
        "no object": ("[1, 2]", ["is not an object"]),
        "deep": ("[" * 10000 + "]" * 10000, ["nested deeper than 100 levels"]),
        "no experiments": ('{"name": "bad"}', ["experiments", "is missing"]),
        "empty list": ('{"name": "bad", "experiments": []}', ["experiments", "empty"]),
        "unknown experiment": (with_experiment('{"experiment": "varience"}'),
                               ["unknown experiment varience", "did you mean variance?"]),
        "name with a slash": ('{"name": "../x", "experiments": [%s]}' % GOOD, ["name", "cannot name a folder"]),
        "expectation of nothing": (with_experiment('{"experiment": "variance", "expect": [{"d": 4}]}'),
                                   ["expect[0]", "expects no value"]),
        "expectation of no column": (with_experiment('{"experiment": "variance", "expect": [{"varianse": 4}]}'),
                                     ["expect[0].varianse", "did you mean variance?"]),
        "bad tolerance": (with_experiment('{"experiment": "variance", "expect": [{"std": {"value": 1}}]}'),
                          ["expect[0].std", "needs either abs or rel"]),
        "empty axis": (with_experiment('{"experiment": "variance", "d": []}'), ["experiments[0].d", "empty list"]),
        "bad range": (with_experiment('{"experiment": "variance", "d": "64:8"}'), ["ends before it begins"]),
        "too long a range": (with_experiment('{"experiment": "variance", "d": "1:10000000:+1"}'), ["million"]),
        "across parameters": (with_experiment('{"experiment": "cost", "D": 100, "heads": 3}'),
                              ["experiments[0].heads", "does not divide"]),
    }

    def test_each_is_refused_before_anything_is_written(self):
        for name, (text, words) in self.CASES.items():
            with self.subTest(name):
                path = self.write("bad.json", text)
                done = self.attnlab("run", path, code=2)
                self.assert_mistake(done, "bad.json", *words)
                self.assertFalse((self.folder / "results").exists())

    def test_two_mistakes_are_both_named(self):
        path = self.write("bad.json", with_experiment('{"experiment": "variance", "d": 0, "lw": "normal"}'))
        done = self.attnlab("run", path, code=2)
        self.assertEqual(len(done.stderr.splitlines()), 2)
        self.assert_mistake(done, ".d:", "0 is too small", ".lw:", "did you mean law?")

    def test_folder_and_missing_file(self):
        self.assert_mistake(self.attnlab("run", self.folder, code=2), "is a directory")
        self.assert_mistake(self.attnlab("run", "none.json", code=2), "none.json", "No such file")
        self.assert_mistake(self.attnlab("run", code=2), "no config")


class BadFlags(AttnlabTest):
    def test_each_is_refused(self):
        for arguments, words in (
                (["variance", "--d", "0"], ["--d", "0 is too small"]),
                (["variance", "--d", "1e30"], ["--d", "1e+30 is too large"]),
                (["variance", "--samples", "1.5"], ["--samples", "1.5 is not a whole number"]),
                (["variance", "--d", "nan"], ["--d", "nan"]),
                (["variance", "--df", "inf", "--law", "student-t"], ["--df", "inf"]),
                (["variance", "--df", "2", "--law", "student-t"], ["--df", "2 is too small"]),
                (["variance", "--law", "nrmal"], ["--law", "did you mean normal?"]),
                (["variance", "--lw", "normal"], ["--lw", "did you mean --law?"]),
                (["varianc"], ["varianc", "did you mean variance?"]),
                (["variance", "--samples", "100", "--samples", "200"], ["--samples", "more than once"]),
                (["variance", "--seed", "-1"], ["--seed", "-1 is too small"]),
                (["variance", "--rng", "mulberry32", "--seed", "4294967296"], ["--seed", "too large"]),
                (["variance", "--d", "4,,8"], ["--d", '""']),
                (["entropy", "--temperature", "-1"], ["--temperature", "-1 is too small"]),
                (["entropy", "--scale", "sqr"], ["--scale", "did you mean sqrt?"]),
                (["cost", "--n", "1000000000", "--D", "1000000000"], ["--n", "2^63"]),
                (["cost", "--heads", "12", "--kv-heads", "5"], ["--kv-heads", "do not divide"]),
                (["variance", "-o", "x.xyz"], [".xyz", ".csv"])):
            with self.subTest(arguments):
                self.assert_mistake(self.attnlab(*arguments, code=2), *words)


class BadOutput(AttnlabTest):
    def test_a_foreign_file_is_kept(self):
        kept = self.write("notes.csv", "my,own\n1,2\n")
        self.assert_mistake(self.attnlab("variance", "--samples", 10, "-o", kept, code=2), "notes.csv", "--force")
        self.assertEqual(kept.read_text(), "my,own\n1,2\n")
        self.attnlab("variance", "--samples", 10, "-o", kept, "--force")
        self.assertIn("variance", kept.read_text())
        self.attnlab("variance", "--samples", 10, "-o", kept)  # now it is ours

    def test_a_file_where_a_folder_must_be(self):
        self.write("file", "x")
        done = self.attnlab("variance", "--samples", 10, "-o", "file/sub", code=3)
        self.assert_mistake(done, "file/sub", "cannot be written")

    def test_standard_output_that_is_full_or_closed(self):
        with open("/dev/full", "w") as full:
            done = subprocess.run([BINARY, "variance", "--samples", "10"], stdout=full, stderr=subprocess.PIPE, text=True)
        self.assertEqual(done.returncode, 3)
        self.assertIn("No space left", done.stderr)
        done = subprocess.run(["bash", "-c", 'set -o pipefail; "$0" cost --n 1:2000 | head -1', BINARY],
                              capture_output=True, text=True)
        self.assertEqual((done.returncode, done.stderr), (0, ""))

    @unittest.skipUnless(os.geteuid() == 0 and shutil.which("unshare"), "needs root to mount a small disk")
    def test_a_full_disk_and_a_read_only_one(self):
        probe = subprocess.run(["unshare", "-m", "mount", "-t", "tmpfs", "none", self.folder], capture_output=True)
        if probe.returncode != 0:
            self.skipTest("cannot mount a tmpfs here")
        script = """
            mount -t tmpfs -o size=16k none "$2"
            "$1" run "$3" -o "$2/out" --quiet; echo "full $?"
            find "$2" -type f -size -1 -o -name '*.tmp*' | sed 's/^/left /'
            "$4" -c 'import json,sys; print("valid", json.load(open(sys.argv[1]))["status"])' "$2/out/result.json" \
                2>/dev/null || echo "absent"
            mount -o remount,ro "$2"
            "$1" run "$3" -o "$2/other" --quiet; echo "read-only $?"
        """
        config = self.config({"experiment": "cost", "n": "1:500"})
        disk = self.folder / "disk"
        disk.mkdir()
        done = subprocess.run(["unshare", "-m", "bash", "-c", script, "-", BINARY, disk, config, shutil.which("python3")],
                              capture_output=True, text=True, timeout=60)
        self.assertIn("full 3", done.stdout)
        self.assertIn("No space left", done.stderr)
        self.assertIn("read-only 3", done.stdout)
        self.assertIn("Read-only file system", done.stderr)
        self.assertNotIn("left ", done.stdout)
        self.assertRegex(done.stdout, "valid interrupted|absent")


if __name__ == "__main__":
    unittest.main()
