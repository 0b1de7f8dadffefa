"""Streams and limits: formats, what goes where, progress only for people, memory, closed pipes."""

import csv
import fcntl
import io
import os
import pty
import re
import shutil
import signal
import struct
import subprocess
import tempfile
import termios
import time
import unittest
import xml.etree.ElementTree

from support import BINARY, AttnlabTest, strict_json

TITLE = "Дисперсия | <скалярного> «произведения» & *всего*"


def in_terminal(arguments, columns=80, stdout=False, env=None, cwd=None):
    """Runs attnlab with stderr (and stdout) on a terminal; what came there and when, the exit code, stdout otherwise."""
    master, slave = pty.openpty()
    fcntl.ioctl(slave, termios.TIOCSWINSZ, struct.pack("HHHH", 24, columns, 0, 0))
    with tempfile.TemporaryFile() as printed:
        run = subprocess.Popen([BINARY, *map(str, arguments)], stdin=subprocess.DEVNULL, cwd=cwd, stderr=slave,
                               stdout=slave if stdout else printed, env={"TERM": "xterm", **(env or {})})
        os.close(slave)
        pieces = []
        while True:
            try:
                pieces.append((time.monotonic(), os.read(master, 65536).decode(errors="replace")))
            except OSError:  # the last process that had the terminal is gone
                break
        os.close(master)
        printed.seek(0)
        return pieces, run.wait(), printed.read().decode()


class Formats(AttnlabTest):
    def setUp(self):
        super().setUp()
        self.path = self.config(
            {"experiment": "variance", "d": [4, 16], "samples": 1000, "title": TITLE,
             "expect": [{"d": 4, "variance": {"value": 4, "rel": 0.5}}, {"d": 16, "variance": "3.00"}]},
            {"experiment": "cost", "n": [128], "expect": [{"n": 128, "ratio": "0.08"}]})

    def test_lines_of_json(self):
        done = self.attnlab("run", self.path, "--format", "jsonl", code=1)
        rows = [strict_json(line) for line in done.stdout.splitlines()]
        result = self.result("run", self.path, code=1)
        self.assertEqual([(r.pop("table"), r) for r in rows],
                         [(t["name"], row) for t in result["tables"] for row in t["rows"]])

    def test_a_folder_holds_what_is_printed(self):
        # The files are made while the run goes on, what is printed at its end.
        arguments = {"variance": ["--samples", 100], "sweep": ["--n", "16,32", "--repeats", 2, "--min-time", "1ms"]}
        listed = self.result("list")["tables"]
        names = [row["name"] for table in listed if table["name"] == "experiments" for row in table["rows"]]
        self.assertIn("sweep", names)
        for name in names:
            with self.subTest(name):
                done = self.attnlab(name, *arguments.get(name, []), "-o", name, "--format", "json")
                folder = self.folder / name
                self.assertEqual(done.stdout, (folder / "result.json").read_text())
                for table in strict_json(done.stdout)["tables"]:
                    with open(folder / f"{table['name']}.csv", newline="") as file:
                        rows = list(csv.DictReader(file))
                    self.assertEqual(len(rows), len(table["rows"]))
                    for in_csv, row in zip(rows, table["rows"]):
                        for key in in_csv:
                            if isinstance(row[key], (int, float)) and not isinstance(row[key], bool):
                                self.assertEqual(float(in_csv[key]), row[key], key)
                            elif row[key] is None or isinstance(row[key], str):
                                self.assertEqual(in_csv[key], row[key] or "", key)

    def test_csv_is_the_first_table_or_another(self):
        rows = list(csv.DictReader(io.StringIO(self.attnlab("run", self.path, "--format", "csv", code=1).stdout)))
        self.assertEqual([float(r["d"]) for r in rows], [4, 16])
        text = self.attnlab("run", self.path, "--format", "csv", "--table", "cost", code=1,
                            env={"LC_ALL": "de_DE.UTF-8"}).stdout
        self.assertAlmostEqual(float(next(csv.DictReader(io.StringIO(text)))["ratio"]), 128 / 1536)

    def test_junit_has_a_case_per_expectation(self):
        text = self.attnlab("run", self.path, "--format", "junit", code=1).stdout
        suites = xml.etree.ElementTree.fromstring(text)
        self.assertEqual((suites.get("tests"), suites.get("failures"), suites.get("errors")), ("3", "1", "0"))
        names = [suite.get("name") for suite in suites]
        self.assertEqual(names, ["variance: " + TITLE, "cost"])
        failed = [case for case in suites.iter("testcase") if case.find("failure") is not None]
        self.assertEqual([case.get("name") for case in failed], ["d=16: variance"])
        self.assertIn("expected 3.00", failed[0].find("failure").get("message"))
        quick = xml.etree.ElementTree.fromstring(self.attnlab("run", self.path, "--quick", "--format", "junit").stdout)
        self.assertEqual(quick.get("failures"), "0")
        self.assertEqual(len([c for c in quick.iter("testcase") if c.find("skipped") is not None]), 2)

    def test_markdown_has_as_many_cells_in_every_line_of_a_table(self):
        text = self.attnlab("run", self.path, "--format", "markdown", code=1).stdout
        self.assertIn(r"### variance: Дисперсия \| &lt;скалярного> «произведения» &amp; \*всего\*", text)
        for block in text.split("\n\n"):
            lines = [line for line in block.splitlines() if line.startswith("|")]
            self.assertLessEqual(len({len(re.findall(r"(?<!\\)\|", line)) for line in lines}), 1, block)
        self.assertIn("**fail**", text)

    def test_a_file_by_its_extension(self):
        for extension, start in ((".txt", "variance"), (".csv", "d,"), (".json", "{"), (".jsonl", '{"table":"variance"'),
                                 (".md", "### variance"), (".xml", "<?xml")):
            path = self.folder / ("out" + extension)
            for _ in range(2):  # the second time, it is ours
                self.attnlab("run", self.path, "--quiet", "-o", path, "--color", "always", code=1)
                self.assertTrue(path.read_text().startswith(start), path)
                self.assertNotIn("\x1b", path.read_text())
            path.write_text("something else\n")
            self.assert_mistake(self.attnlab("run", self.path, "--quiet", "-o", path, code=2), "not written by attnlab")
            self.assertEqual(path.read_text(), "something else\n")

    def test_tables_fit_the_terminal_and_stand_in_line(self):
        for columns in (40, 80, 200):
            for arguments in (["run", self.path], ["list"], ["describe", "entropy"], ["machine"],
                              ["entropy", "--trials", 9], ["variance", "--help"], ["cost", "--max-memory", "0"]):
                text = self.attnlab(*arguments, env={"COLUMNS": str(columns)}, code=1 if arguments[0] == "run" else 0).stdout
                if "--help" in arguments:
                    text = text.split("\nExamples\n")[0]
                widest = max(text.splitlines(), key=len)
                if len(widest) > columns:  # then it must be said
                    self.assertIn(f"wider than {columns} columns", text)
                    self.assertLess(columns, 80)
        text = self.attnlab("run", self.path, env={"COLUMNS": "200"}, code=1).stdout
        lines = text.splitlines()
        self.assertEqual(lines[0], "variance: " + TITLE)
        for sign in ("±", "."):  # the points of the values, too
            first, second = (line.index(sign, line.index("±") - 6) for line in lines[2:4])
            self.assertEqual(first, second, text)


class Terminal(AttnlabTest):
    COMMAND = ["entropy", "--d", "1:60", "--scale", "sqrt", "--trials", "30000", "--threads", "1"]

    def test_progress_is_one_line_that_erases_itself(self):
        pieces, code, printed = in_terminal(self.COMMAND, columns=50)
        told = "".join(text for _, text in pieces)
        self.assertEqual(code, 0)
        self.assertRegex(told, r"^\r\x1b\[K1/60: ")
        self.assertTrue(told.endswith("\r\x1b[K"))
        self.assertNotIn("\n", told)
        self.assertLess(max(len(line) for line in told.split("\r\x1b[K")), 50)
        self.assertNotIn("\x1b", printed)
        for more in (["--no-progress"], ["--quiet"]):
            self.assertEqual(in_terminal([*self.COMMAND, *more])[0], [])
        self.assertEqual(in_terminal(self.COMMAND, env={"TERM": "dumb"})[0], [])
        self.assertEqual(self.attnlab(*self.COMMAND).stderr, "")

    def test_time_left_is_right_within_a_factor_of_two(self):
        # The first experiment's points become a hundred times longer; the second's estimate has another error.
        path = self.config(
            {"experiment": "entropy", "d": "1:128", "scale": "sqrt", "trials": 20000},
            {"experiment": "variance", "d": "8:64:+8", "samples": 300000, "rng": "mulberry32"})
        pieces, code, _ = in_terminal(["run", path, "--threads", 1, "--quiet=false"], cwd=self.folder)
        end = pieces[-1][0]
        begin = pieces[0][0]
        off = []
        for when, text in pieces:
            for minutes, seconds in re.findall(r", (?:(\d+) min )?(\d+) s left", text):
                left = 60 * int(minutes or 0) + int(seconds)
                if left >= 2 and when - begin > 0.1 * (end - begin):
                    off.append(left / (end - when))
        self.assertEqual(code, 0)
        if end - begin > 4:
            self.assertGreater(len(off), 10)
            usual = sorted(off)[len(off) // 20:len(off) - len(off) // 20]  # a busy machine spoils one or two
            self.assertGreater(usual[0], 0.5, off)
            self.assertLess(usual[-1], 2, off)

    def test_colour_only_where_it_is_wanted(self):
        path = self.config({"experiment": "variance", "d": 4, "samples": 100, "expect": [{"d": 4, "variance": "9"}]})
        plain = "".join(text for _, text in in_terminal(["run", path], stdout=True, cwd=self.folder, env={"NO_COLOR": "1"})[0])
        colored = "".join(text for _, text in in_terminal(["run", path], stdout=True, cwd=self.folder)[0])
        dumb = "".join(text for _, text in in_terminal(["run", path], stdout=True, cwd=self.folder, env={"TERM": "dumb"})[0])
        self.assertIn("\x1b[1;31mfail", colored)
        self.assertNotIn("\x1b", dumb)
        self.assertNotIn("\x1b[1;31m", plain)
        self.assertIn("fail: prints as", dumb)  # the words are there without the colour
        self.assertTrue(re.sub(r"\x1b\[[0-9;]*m", "", colored).endswith(dumb))
        self.assertIn("\x1b[1;31m", self.attnlab("run", path, "--color", "always", code=1).stdout)
        self.assertNotIn("\x1b", self.attnlab("run", path, code=1).stdout)


class Limits(AttnlabTest):
    def test_a_point_that_needs_too_much_is_refused(self):
        few, many = self.rows("entropy", "--scale", "sqrt", "--trials", 1000, "--dry-run")[0], \
            self.rows("entropy", "--scale", "sqrt", "--trials", 1000000, "--dry-run")[0]
        self.assertLess(few["bytes"], many["bytes"])
        limit = (few["bytes"] + many["bytes"]) // 2
        path = self.config({"experiment": "entropy", "scale": "sqrt", "trials": 1000},
                           {"experiment": "entropy", "scale": "sqrt", "trials": 1000000})
        first, second = [t["rows"][0] for t in self.result("run", path, "--max-memory", limit)["tables"]]
        self.assertEqual((first["status"], first["reason"]), ("ok", None))
        self.assertEqual((second["status"], second["entropy"]), ("refused", None))
        self.assertRegex(second["reason"], r"needs [\d.]+ MiB of memory, [\d.]+ (KiB|MiB) are allowed \(--max-memory\)")
        rows = self.rows("run", path, "--max-memory", "1KiB", code=4)
        self.assertEqual([r["status"] for r in rows], ["refused"])

    def test_a_point_that_needs_too_long_is_skipped(self):
        rows = self.rows("variance", "--d", "4,65536", "--samples", 10000000, "--max-time", "5s")
        self.assertEqual([r["status"] for r in rows], ["ok", "skipped"])
        self.assertIn("--max-time", rows[1]["reason"])

    @unittest.skipUnless(os.geteuid() == 0 and shutil.which("unshare"), "needs root to show another cgroup")
    def test_the_limit_of_a_cgroup_counts_as_memory(self):
        root = self.folder / "cgroup"
        (root / "memory/box").mkdir(parents=True)
        (root / "box").mkdir()
        for name, text in (("memory/box/memory.limit_in_bytes", 8 << 20), ("memory/box/memory.usage_in_bytes", 1 << 20),
                           ("box/memory.max", 8 << 20), ("box/memory.current", 1 << 20), ("box/cpu.max", "150000 100000")):
            self.write("cgroup/" + name, f"{text}\n")
        for name, line in (("v1", "4:memory:/box\n"), ("v2", "0::/box\n")):
            own = self.write("own-" + name, line)
            script = 'mount --bind "$1" /sys/fs/cgroup && mount --bind "$2" /proc/self/cgroup && exec "$3" ' \
                     'entropy --trials 10000000 --scale sqrt --format json'
            # /proc/self is the shell's, which exec keeps.
            done = subprocess.run(["unshare", "-m", "bash", "-c", script.replace("/proc/self", "/proc/$$"), "-", root, own,
                                   BINARY], capture_output=True, text=True)
            if "mount:" in done.stderr:
                self.skipTest("cannot mount here: " + done.stderr)
            self.assertEqual(done.returncode, 4, done.stderr)
            result = strict_json(done.stdout)
            self.assertEqual(result["provenance"]["memory_limit_bytes"], 8 << 20)
            self.assertIn("6.3 MiB are allowed", result["tables"][0]["rows"][0]["reason"])
            if name == "v2":
                self.assertEqual(result["provenance"]["quota"], 1.5)
                self.assertEqual(result["provenance"]["threads"], 1)


class Pipes(AttnlabTest):
    def test_a_closed_pipe_ends_quietly_and_files_are_complete(self):
        path = self.config({"experiment": "cost", "n": "1:3000"})
        done = subprocess.run(["bash", "-c", 'set -o pipefail; "$0" run "$1" --format jsonl -o out | head -1', BINARY, path],
                              capture_output=True, text=True, cwd=self.folder)
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        self.assertEqual(strict_json(done.stdout)["n"], 1)
        result = strict_json((self.folder / "out/result.json").read_text())
        self.assertEqual((result["status"], len(result["tables"][0]["rows"])), ("complete", 3000))

    def test_results_go_to_a_pipe_and_to_devices(self):
        done = subprocess.run([BINARY, "cost", "-o", "/dev/stdout", "--quiet"], capture_output=True, text=True)
        self.assertEqual(strict_json(done.stdout)["name"], "cost")

    def test_what_cannot_be_written_is_still_printed(self):
        (self.folder / "out").mkdir()
        done = subprocess.run(["bash", "-c", 'ulimit -f 64; exec "$0" cost --n 1:2000 -o out --format csv', BINARY],
                              capture_output=True, text=True, cwd=self.folder,
                              preexec_fn=lambda: signal.signal(signal.SIGXFSZ, signal.SIG_IGN))
        self.assertEqual(done.returncode, 3)
        self.assertIn("cannot be written", done.stderr)
        self.assertEqual(len(done.stdout.splitlines()), 2001)

    def test_a_long_run_is_not_slowed_by_its_saving(self):
        seconds = {}
        for out in ([], ["-o", "out"]):
            start = os.times()
            self.attnlab("cost", "--n", "1:20000", "--quiet", *out)
            end = os.times()
            seconds[bool(out)] = end.children_user - start.children_user
        # 180,000 rows as JSON and CSV: turning them into text once takes a few times what counting took, and rewriting
        # the file again and again would take a hundred times that.
        self.assertLess(seconds[True], 12 * max(seconds[False], 0.05))


if __name__ == "__main__":
    unittest.main()
