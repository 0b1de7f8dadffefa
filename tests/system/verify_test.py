"""attnlab verify: the ledger's verdicts, and what scripts rely on."""

import re
import signal
import subprocess
import time
import unittest

from support import BINARY, SOURCE, AttnlabTest

VERDICTS = {"holds", "does not hold", "imprecise", "inconclusive"}
EXACT = "outweighs-at-2D,past-a-thousand,contractions-cost-the-same,overflow-at-88.72283,mistral-and-mixtral"


class Verify(AttnlabTest):
    def test_the_whole_ledger_twice_within_its_time(self):
        runs = []
        for _ in range(2):
            start = time.monotonic()
            runs.append(self.rows("verify", "--quick"))
            self.assertLess(time.monotonic() - start, 60)  # 30 s on a machine that does nothing else
        for rows in runs:
            self.assertGreaterEqual(len(rows), 29)
            for row in rows:
                self.assertIn(row["verdict"], VERDICTS)
                self.assertTrue(row["verdict"] in (row["expected"], "inconclusive"), row)
                self.assertTrue(row["measured"])
        decided = [(a["claim"], a["verdict"], b["verdict"]) for a, b in zip(*runs)
                   if "inconclusive" not in (a["verdict"], b["verdict"])]
        self.assertGreaterEqual(len(decided), 25)
        self.assertTrue(all(first == second for _, first, second in decided), decided)

    def test_a_signal_ends_it_wherever_it_is(self):
        for after in (0.05, 0.3, 1.0):
            run = subprocess.Popen([BINARY, "verify", "--claim", "impractical-past-8k,quadratic-plus-constant"], cwd=self.folder,
                                   stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
                                   preexec_fn=lambda: signal.signal(signal.SIGINT, signal.default_int_handler))
            time.sleep(after)
            run.send_signal(signal.SIGINT)
            _, said = run.communicate(timeout=60)
            self.assertEqual(run.returncode, 130, said)
            self.assertNotIn("internal error", said)

    def test_claims_by_name_and_their_evidence(self):
        result = self.result("verify", "--claim", EXACT)
        table, evidence = result["tables"]
        self.assertEqual([r["claim"] for r in table["rows"]],
                         ["contractions-cost-the-same", "outweighs-at-2D", "past-a-thousand", "overflow-at-88.72283", "mistral-and-mixtral"])
        self.assertEqual([c["name"] for c in table["columns"]][:4], ["claim", "measured", "expected", "verdict"])
        numbers = {(r["claim"], r["quantity"]): r["value"] for r in evidence["rows"]}
        self.assertEqual(numbers["outweighs-at-2D", "n of equal cost, projections alone, D = 768"], 1536)
        self.assertEqual(numbers["outweighs-at-2D", "n of equal cost, with feed-forward 4D, D = 768"], 4608)
        self.assertAlmostEqual(numbers["overflow-at-88.72283", "score from which 1 equal keys overflow"], 88.72283, places=4)
        self.assertIn("not measured", table["rows"][-1]["measured"])

    def test_computed_claims_are_the_same_every_time_on_any_threads(self):
        computed = [r["claim"] for r in self.rows("verify", "--quick") if r["kind"] != "timed"]
        first, second = (self.result("verify", "--quick", "--threads", threads, "--claim", ",".join(computed)) for threads in (1, 2))
        self.assertEqual([t["rows"] for t in first["tables"]], [t["rows"] for t in second["tables"]])

    def test_list_and_describe_know_claims(self):
        names = [r["name"] for r in next(t for t in self.result("list")["tables"] if t["name"] == "claims")["rows"]]
        self.assertIn("kv-cache", names)
        for arguments in (["describe", "claim", "kv-cache"], ["describe", "kv-cache"]):
            about, claim = self.result(*arguments)["tables"]
            self.assertEqual((about["rows"][0]["name"], about["rows"][0]["kind"]), ("kv-cache", "claim"))
            self.assertEqual(claim["rows"][0]["expected"], "holds")
        self.assertEqual(self.result("describe", "kernel", "flash")["tables"][0]["rows"][0]["kind"], "kernel")
        for arguments, words in ((["describe", "claim", "flash"], ["flash: is no claim"]), (["describe", "claim"], ["is a kind, no name"]),
                                 (["describe", "flash", "kv-cache"], ["flash is no kind"]),
                                 (["describe", "claim", "kv-cashe"], ["did you mean kv-cache?"])):
            with self.subTest(arguments):
                self.assert_mistake(self.attnlab(*arguments, code=2), *words)

    def test_the_page_of_claims_has_them_all(self):
        page = re.findall(r"^\| (\S+) \| \w+ \| ([a-z ]+) \| ([a-z ]+) \|", (SOURCE / "docs/claims.md").read_text(), re.M)
        page = {name: verdicts for name, *verdicts in page if name != "claim"}
        claims = [r["name"] for r in next(t for t in self.result("list")["tables"] if t["name"] == "claims")["rows"]]
        self.assertEqual(list(page), claims)
        for name, (expected, verdict) in page.items():
            self.assertEqual(self.result("describe", "claim", name)["tables"][1]["rows"][0]["expected"], expected)
            self.assertIn(verdict, (expected, "inconclusive"))

    def test_mistakes(self):
        for arguments, words in ((["--claim", "kv-cashe"], ["did you mean kv-cache?"]), (["--claim", "all,kv-cache"], ["all stands beside others"]),
                                 (["--longest", "3000"], ["3000 is no power of two"]), (["--repeats", "2"], ["2 is too small"])):
            with self.subTest(arguments):
                self.assert_mistake(self.attnlab("verify", *arguments, code=2), *words)

    def test_the_config_runs_all_claims(self):
        planned = self.result("run", SOURCE / "configs/claims.json", "--dry-run")["tables"][0]["rows"]
        self.assertEqual(len(planned), len(self.rows("verify", "--dry-run")))
        self.assertGreaterEqual(len(planned), 29)


if __name__ == "__main__":
    unittest.main()
