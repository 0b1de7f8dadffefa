"""Killed at any moment, a run leaves a valid result behind, and --resume completes it to the same bytes."""

import json
import os
import pty
import random
import re
import shutil
import signal
import statistics
import subprocess
import time
import unittest

import numpy

from support import BINARY, AttnlabTest, strict_json

POINTS = 50
QUARTER = 0.25  # seconds within which finished points are on disk
SLACK = 0.15    # the progress line, too, is drawn only ten times a second


def without_provenance(data):
    """The bytes of a result document but for what --resume may change."""
    start = data.index(b'  "provenance": {')
    return data[:start] + data[data.index(b"\n  },\n", start):]


class Resume(AttnlabTest):
    def setUp(self):
        super().setUp()
        self.path = self.config(
            {"experiment": "variance", "d": [4, 16], "samples": 1000, "title": "Дисперсия"},
            {"experiment": "entropy", "d": "1:44", "keys": 8, "scale": "sqrt", "trials": 20000, "seed": 3,
             "expect": [{"d": 4, "entropy": {"min": 0, "max": 3}}]},
            {"experiment": "cost", "n": [1, 2, 3, 4], "expect": [{"n": 2, "layers": 1, "ratio": {"min": 0}}]})
        self.out = self.folder / "out"
        self.command = [BINARY, "run", str(self.path), "--quiet", "--threads", "1", "-o", str(self.out)]

    def run_whole(self):
        start = time.monotonic()
        subprocess.run(self.command, check=True, cwd=self.folder)
        seconds = time.monotonic() - start
        whole = {path.name: path.read_bytes() for path in self.out.iterdir()}
        shutil.rmtree(self.out)
        self.assertEqual(strict_json(whole["result.json"].decode())["points"], {"done": POINTS, "total": POINTS})
        return whole, seconds

    def assert_complete(self, whole):
        found = {path.name: path.read_bytes() for path in self.out.iterdir()}
        self.assertEqual(sorted(found), sorted(whole))
        for name, data in whole.items():
            if name == "result.json":
                self.assertEqual(without_provenance(found[name]), without_provenance(data))
            else:
                self.assertEqual(found[name], data, name)

    def test_killed_at_a_hundred_random_moments(self):
        whole, seconds = self.run_whole()
        dice = random.Random(5)
        kills = completed = 0
        counts = set()
        last = 0
        while kills < 100 or completed == 0:
            run = subprocess.Popen([*self.command, "--resume"], cwd=self.folder, stdout=subprocess.DEVNULL)
            try:
                run.wait(seconds * dice.random() ** 3 if kills < 100 else 60)  # most of them early, some past a save
            except subprocess.TimeoutExpired:
                run.kill()
                run.wait()
                kills += 1
            path = self.out / "result.json"
            result = strict_json(path.read_text()) if path.exists() else None
            # Between the last write and the exit a kill finds the whole result, marked complete.
            if run.returncode == 0 or (result and result["status"] == "complete"):
                self.assert_complete(whole)
                shutil.rmtree(self.out)
                completed += 1
                last = 0
            elif result:
                done = result["points"]["done"]
                self.assertEqual(result["status"], "interrupted")
                self.assertGreaterEqual(done, last)  # what was there before is not lost
                self.assertEqual(sum(len(t["rows"]) for t in result["tables"]
                                     if t["name"] in ("variance", "entropy", "cost")), done)
                counts.add(done)
                last = done
        self.assertTrue(counts - {0}, counts)  # some of the runs were killed with points behind them

    def test_loses_no_more_than_a_quarter_of_a_second(self):
        path = self.config({"experiment": "entropy", "d": "1:9000", "scale": "sqrt", "trials": 5000}, file="long.json")
        losses = []  # seconds before the kill at which the first point that is lost was seen to be finished
        for wait in (0.5, 0.62, 0.74, 0.86, 0.98):
            out = self.folder / f"out{len(losses)}"
            pid, terminal = pty.fork()
            if pid == 0:
                os.environ["TERM"] = "xterm"
                os.execv(BINARY, [BINARY, "run", str(path), "--threads", "1", "-o", str(out)])
            seen = []  # when, and the number of points that were finished then
            while not seen or time.monotonic() < seen[0][0] + wait:
                text = os.read(terminal, 4096).decode(errors="replace")
                seen += [(time.monotonic(), int(k) - 1) for k in re.findall(r"(\d+)/9000", text)]
            os.kill(pid, signal.SIGKILL)
            killed = time.monotonic()
            os.waitpid(pid, 0)
            os.close(terminal)
            result = strict_json((out / "result.json").read_text())
            self.assertEqual(result["status"], "interrupted")
            done = result["points"]["done"]
            losses.append(max((killed - when for when, finished in seen if finished > done), default=0))
        self.assertLess(statistics.median(losses), QUARTER + SLACK, losses)

    def test_refuses_another_config_and_more(self):
        self.attnlab("run", self.path, "--quiet", "--resume", "-o", self.out, "--threads", 1)  # nothing there: it starts
        before = (self.out / "result.json").read_bytes()
        done = self.attnlab("run", self.path, "--resume", "-o", self.out, "--threads", 1, "--format", "json")
        self.assertEqual(done.stdout.encode(), before)  # complete: it is done
        done = self.attnlab("run", self.path, "--resume", "-o", self.out, "--threads", 2, "--seed", 8, code=2)
        self.assert_mistake(done, "config.experiments[0].seed: was 1, is 8 now", "experiments[1].seed: was 3, is 8",
                            "threads: was 1, is 2", "run without --resume")
        changed = json.loads(before)
        changed["provenance"].update(commit="0123456789ab", cpu="another")
        (self.out / "result.json").write_text(json.dumps(changed))
        done = self.attnlab("run", self.path, "--resume", "-o", self.out, "--threads", 1, code=2)
        self.assert_mistake(done, 'commit: was "0123456789ab"', 'cpu: was "another"')
        inputs = self.folder / "q.npy", self.folder / "inspected"
        numpy.save(inputs[0], numpy.ones((5, 4)))
        command = ["inspect", "--q", "q.npy", "--k", "q.npy", "--temperature", "1,2", "-o", inputs[1]]
        self.attnlab(*command)
        read = strict_json((inputs[1] / "result.json").read_text())["provenance"]["inputs"]
        self.assertEqual([(one["path"], one["bytes"]) for one in read], [("q.npy", 288)] * 2)
        numpy.save(inputs[0], numpy.ones((6, 4)))
        self.assert_mistake(self.attnlab(*command, "--resume", code=2), "inputs[0].bytes: was 288")
        (self.out / "result.json").write_text('{"schema": "attnlab-result/1", "name": 7}')
        done = self.attnlab("run", self.path, "--resume", "-o", self.out, "--threads", 1, code=2)
        self.assert_mistake(done, "result.json", "is no attnlab-result/1 document")
        done = self.attnlab("run", self.path, "--resume", "-o", "x.json", code=2)
        self.assert_mistake(done, "--resume", "folder")

    def test_a_signal_ends_it_with_what_is_finished(self):
        path = self.config({"experiment": "entropy", "d": "1:4000", "trials": 20000}, file="long.json")
        for number, code in ((signal.SIGINT, 130), (signal.SIGTERM, 143)):
            out = self.folder / f"out{code}"
            run = subprocess.Popen([BINARY, "run", path, "-o", out], stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                                   text=True, preexec_fn=lambda: signal.signal(signal.SIGINT, signal.default_int_handler))
            time.sleep(0.5)
            run.send_signal(number)
            printed, told = run.communicate(timeout=30)
            self.assertEqual(run.returncode, code)
            self.assertRegex(told, r"^attnlab: interrupted after \d+ of 8000 points; .*--resume continues\n$")
            self.assertIn("This result is interrupted", printed)
            result = strict_json((out / "result.json").read_text())
            self.assertEqual(result["status"], "interrupted")
            rows = result["tables"][0]["rows"]
            self.assertGreater(len(rows), 0)
            self.assertEqual(len((out / "entropy.csv").read_text().splitlines()), 1 + len(rows))

    def test_what_an_earlier_run_left_does_not_mislead(self):
        self.attnlab("run", self.path, "--quiet", "-o", self.out)
        (self.out / "notes.csv").write_text("mine\n1\n")
        (self.out / "result.json.tmp999999999").write_text("half")
        only = self.config({"experiment": "variance", "d": 4, "samples": 100}, file="only.json")
        self.attnlab("run", only, "--quiet", "-o", self.out)
        names = sorted(path.name for path in self.out.iterdir())
        tables = [t["name"] for t in strict_json((self.out / "result.json").read_text())["tables"]]
        self.assertEqual(names, sorted(["notes.csv", "result.json"] + [f"{name}.csv" for name in tables]))
        self.assertNotIn("cost.csv", names)


if __name__ == "__main__":
    unittest.main()
