"""The profile as users run it: stages, counters, kernels that have none."""

import unittest

from support import AttnlabTest

QUICK = ("--n", 64, "--heads", 2, "--repeats", 6, "--min-time", "1ms")


class Profile(AttnlabTest):
    def test_stages_shares_and_counters(self):
        result = self.result("profile", *QUICK, "--threads", 2)
        profile, counters = result["tables"]
        self.assertEqual((profile["name"], counters["name"]), ("profile", "counters"))
        self.assertEqual([row["stage"] for row in profile["rows"]],
                         ["scores", "softmax", "weighted_sum", "packing", "waiting", "rest", "sum", "total"])
        total = profile["rows"][-1]
        self.assertEqual(total["share"], 1)
        self.assertEqual(total["flops"], 4 * 2 * 64 ** 2 * 384)
        self.assertLessEqual(total["time_low"], total["time"])
        self.assertLessEqual(total["time"], total["time_high"])
        for row in profile["rows"]:
            self.assertEqual(row["status"], "ok")
            self.assertAlmostEqual(row["share"], row["time"] / total["time"])
            if row["stage"] not in ("scores", "weighted_sum", "total"):
                self.assertIsNone(row["peak_share"])
        self.assertIn("of the whole kernel", profile["notes"][0])
        # What the machine does not count is named; everything is one or the other.
        named = profile["notes"][1] if len(profile["notes"]) > 1 else ""
        counted = {row["counter"] for row in counters["rows"]}
        for event in ("cycles", "instructions", "page-faults", "context-switches"):
            self.assertNotEqual(event in counted, event in named, event)

    def test_half_types_have_a_stage_more(self):
        stages = [row["stage"] for row in self.rows("profile", *QUICK, "--dtype", "bf16", "--kernel", "naive")]
        self.assertEqual(stages[:4], ["scores", "softmax", "weighted_sum", "conversion"])

    def test_kernels_without_stages_are_refused(self):
        done = self.attnlab("profile", "--kernel", "flash,linear", *QUICK, code=2)
        self.assert_mistake(done, "--kernel: linear cannot be profiled: it has neither scores nor softmax",
                            "give one of naive, flash")

    def test_limits_hold(self):
        rows = self.rows("profile", "--kernel", "naive,flash", "--n", 4096, "--heads", 1, "--repeats", 2, "--dry-run",
                         "--head-dim", 8, "--max-memory", "32MiB")
        self.assertEqual([row["status"] for row in rows], ["refused", "ok"])


if __name__ == "__main__":
    unittest.main()
