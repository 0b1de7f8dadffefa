"""The sweep as users run it: columns, refused rows, fresh processes, interruption and --resume."""

import csv
import io
import os
import signal
import subprocess
import time
import unittest

from support import BINARY, SOURCE, AttnlabTest, strict_json

COLUMNS = """kernel isa dtype threads n status reason time time_low time_high time_mean time_std noise macs
flops_per_second peak_share workspace_bytes working_set_bytes max_error error_ratio approximation_error speedup""".split()
QUICK = ("--repeats", 6, "--min-time", "1ms")
CONFIGS = ("pet-project", "block", "variants", "long-context", "kv-cache", "decode")


def table(result, name):
    return next(t for t in result["tables"] if t["name"] == name)


class Sweep(AttnlabTest):
    def test_columns_rows_and_samples(self):
        result = self.result("sweep", "--n", "16,32,64", *QUICK)
        self.assertEqual([t["name"] for t in result["tables"]][:3], ["sweep", "fits", "crossovers"])
        sweep = table(result, "sweep")
        self.assertEqual([c["name"] for c in sweep["columns"]], COLUMNS)
        self.assertEqual([(r["kernel"], r["n"]) for r in sweep["rows"]],
                         [(k, n) for n in (16, 32, 64) for k in ("naive", "flash")])
        for row in sweep["rows"]:
            self.assertEqual(row["status"], "ok")
            samples = row["time_samples"]
            self.assertEqual([len(one) for one in samples], [6])
            self.assertLessEqual(row["time_low"], row["time"])
            self.assertLessEqual(row["time"], row["time_high"])
            self.assertTrue(min(samples[0]) <= row["time"] <= max(samples[0]))
            self.assertLessEqual(row["error_ratio"], 2)
            self.assertGreater(row["peak_share"], 0)
            self.assertEqual(row["macs"], 2 * row["n"] ** 2 * 256)
            self.assertEqual(row["working_set_bytes"], 4 * row["n"] * 256 * 4 + row["workspace_bytes"])
        self.assertEqual([c["name"] for c in table(result, "fits")["columns"]],
                         "kernel isa dtype threads model a b c r2 exponent exponent_low exponent_high memory_exponent "
                         "n_first n_last preferred warning".split())
        fits = table(result, "fits")["rows"]
        self.assertEqual({row["kernel"] for row in fits}, {"naive", "flash"})
        self.assertIn("a n^2 + b", {row["model"] for row in fits})
        self.assertEqual(len(table(result, "crossovers")["rows"]), 1)

    def test_the_order_is_in_the_result_and_depends_on_the_seed(self):
        def orders(seed):
            result = self.result("sweep", "--n", 8, *QUICK, "--seed", seed, "--threads", 1)
            return [row["order"] for row in table(result, "order")["rows"]]
        first = orders(1)
        self.assertEqual(sorted(first[0] + first[1]), list(range(12)))
        self.assertEqual(first, orders(1))
        self.assertTrue(any(orders(seed) != first for seed in (2, 3, 4)))

    def test_refused_and_skipped_rows_say_why(self):
        done = self.attnlab("sweep", "--n", "64,8192", "--heads", 1, "--head-dim", 16, "--kernel", "naive,window",
                            "--window", 4, "--max-memory", "32MiB", *QUICK, "--format", "csv")
        rows = list(csv.DictReader(io.StringIO(done.stdout)))
        self.assertEqual([(r["kernel"], r["n"], r["status"]) for r in rows],
                         [("naive", "64", "ok"), ("window", "64", "ok"), ("naive", "8192", "refused"), ("window", "8192", "ok")])
        self.assertRegex(rows[2]["reason"], r"needs .* MiB of memory, .* are allowed \(--max-memory\)")
        self.assertEqual(rows[2]["time"], "")
        self.attnlab("sweep", "--n", 8192, "--kernel", "naive", "--max-memory", "1MiB", code=4)
        rows = self.rows("sweep", "--n", 4096, "--heads", 1, "--kernel", "reference,window", "--window", 2, "--head-dim", 64,
                         "--max-time", "500ms", *QUICK)
        self.assertEqual([r["status"] for r in rows], ["skipped", "ok"])
        self.assertRegex(rows[0]["reason"], r"^would take about [\d.]+ (m?s|min).*, 500 ms are allowed \(--max-time\)$")

    def test_dry_run_allocates_nothing_and_tells_each_kernel(self):
        result = self.result("sweep", "--n", "64,1000000", "--dry-run", "--max-memory", "4GiB")
        rows = result["tables"][0]["rows"]
        self.assertEqual([r["point"].split()[-1].split("/")[0] for r in rows], ["naive", "flash"] * 2)
        self.assertEqual([r["status"] for r in rows], ["ok", "ok", "refused", "ok"])
        self.assertGreater(rows[2]["bytes"], 10 ** 12)

    def test_runs_in_fresh_processes(self):
        result = self.result("sweep", "--n", 32, *QUICK, "--runs", 3, "--threads", 1)
        for row in table(result, "sweep")["rows"]:
            self.assertEqual([len(one) for one in row["time_samples"]], [6, 6, 6])
            self.assertLess(row["peak_share"], 1.5)
            self.assertEqual(row["status"], "ok")
        rows = table(result, "order")["rows"]
        self.assertEqual([row["process"] for row in rows], [0, 1, 2] * 2)
        self.assertGreater(len({tuple(row["order"]) for row in rows}), 2)

    def test_limits_of_runs_are_those_of_the_whole_row(self):
        rows = self.rows("sweep", "--n", 2048, "--heads", 1, "--kernel", "reference,window", "--window", 2, "--head-dim", 64,
                         "--max-time", "3s", "--runs", 4, "--repeats", 10, "--min-time", "0", "--threads", 1)
        self.assertEqual([r["status"] for r in rows], ["skipped", "ok"])
        self.assertIn(", 3 s are allowed (--max-time)", rows[0]["reason"])
        self.assertEqual([len(one) for one in rows[1]["time_samples"]], [10] * 4)

    def test_a_long_generation_without_a_cache_is_planned_at_once(self):
        start = time.monotonic()
        self.result("sweep", "--phase", "generate", "--cache=false", "--n", 16384, "--kernel", "bigbird,strided", "--dry-run")
        self.assertLess(time.monotonic() - start, 20)

    def test_points_that_would_be_the_same_are_a_mistake(self):
        self.assert_mistake(self.attnlab("sweep", "--n", "8,16", "--nq", 3, "--nk", 5, code=2), "--n", "nq and nk")
        self.assert_mistake(self.attnlab("sweep", "--d-model", "64,128", "--head-dim", 16, code=2), "--d-model", "head_dim")

    def test_isa_all_and_a_forced_one(self):
        rows = self.rows("sweep", "--n", 8, "--isa", "all", *QUICK)
        self.assertEqual(rows[0]["isa"], "blas")
        self.assertGreaterEqual(len(rows), 2)
        self.assertEqual(len({row["isa"] for row in rows}), len(rows))

    def test_generation_has_tokens_per_second(self):
        rows = self.rows("sweep", "--phase", "generate", "--n", 16, "--kernel", "decode", "--baseline", "decode", *QUICK)
        self.assertAlmostEqual(rows[0]["tokens_per_second"] * rows[0]["time"], 16, places=6)
        self.assertEqual(rows[0]["speedup"], 1)

    def test_a_token_reads_the_keys_that_it_sees(self):
        rows = self.rows("sweep", "--phase", "decode", "--n", 64, "--D", 32, "--heads", 2, "--window", 8, "--baseline", "decode",
                         "--kernel", "decode,window,linear", *QUICK)
        self.assertEqual([row["bytes_per_token"] for row in rows], [64 * 2 * 32 * 4, 8 * 2 * 32 * 4, None])
        rows = self.rows("sweep", "--phase", "generate", "--n", 16, "--cache=false", "--kernel", "naive", *QUICK)
        self.assertIsNone(rows[0]["bytes_per_token"])

    def test_decoding_has_bytes_and_errors_of_every_type(self):
        rows = self.rows("sweep", "--phase", "decode", "--n", 300, "--heads", 8, "--kv-heads", 2, "--head-dim", 16, "--batch", 2,
                         "--kernel", "decode,flash", "--baseline", "decode", "--dtype", "f32,bf16,f16,int8", *QUICK)
        decode = {row["dtype"]: row for row in rows if row["kernel"] == "decode"}
        scalars = 300 * 2 * (16 + 16)
        self.assertEqual({dtype: row["bytes_per_token"] for dtype, row in decode.items()},
                         {"f32": 4 * scalars, "bf16": 2 * scalars, "f16": 2 * scalars, "int8": scalars + 300 * 2 * 8})
        for row in decode.values():
            self.assertAlmostEqual(row["tokens_per_second"] * row["time"], 2, places=6)
            self.assertAlmostEqual(row["bytes_per_second"] / row["tokens_per_second"] / row["bytes_per_token"], 1, places=9)
            self.assertEqual(row["macs"], 2 * 8 * 300 * 32)
            self.assertLessEqual(row["error_ratio"], 2)
        query_bytes = {"f32": 4, "bf16": 2, "f16": 2, "int8": 4}
        for dtype, row in decode.items():
            self.assertEqual(row["working_set_bytes"] - row["workspace_bytes"],
                             2 * (row["bytes_per_token"] + 8 * 16 * (query_bytes[dtype] + 4)))
        errors = [decode[dtype]["approximation_error"] for dtype in ("f32", "f16", "bf16", "int8")]
        self.assertEqual(errors, sorted(errors))
        self.assertGreater(errors[3], 100 * decode["int8"]["max_error"])
        flash = {row["dtype"]: row for row in rows if row["kernel"] == "flash"}
        self.assertEqual([flash[dtype]["status"] for dtype in ("f32", "bf16", "f16", "int8")], ["ok"] * 3 + ["skipped"])
        self.assertIn("int8 is a type of caches", flash["int8"]["reason"])

    def test_a_generation_has_the_time_to_its_first_token(self):
        for more in ((), ("--runs", 2)):
            rows = self.rows("sweep", "--phase", "generate", "--n", 16, "--kernel", "decode", "--baseline", "decode",
                             "--dtype", "f32,int8", "--head-dim", 8, "--heads", 2, *QUICK, *more)
            for row in rows:
                self.assertGreater(row["time_to_first_token"], 0)
            self.assertEqual([row["bytes_per_token"] for row in rows], [2 * 16 * 4 * 17 / 2, (2 * 16 + 2 * 8) * 17 / 2])

    def test_an_interrupted_run_is_valid_and_resumes(self):
        config = self.folder / "variants.json"
        config.write_text((SOURCE / "configs/variants.json").read_text())
        command = [BINARY, "run", str(config), "-o", "out", "--n", "64:1024:x2", "--repeats", "6", "--min-time", "20ms"]
        run = subprocess.Popen(command, cwd=self.folder, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
                               preexec_fn=lambda: signal.signal(signal.SIGINT, signal.default_int_handler))
        path = self.folder / "out/result.json"
        end = time.monotonic() + 60
        done = 0
        while done == 0 and time.monotonic() < end:
            time.sleep(0.05)
            done = strict_json(path.read_text())["points"]["done"] if path.exists() else 0
        run.send_signal(signal.SIGINT)
        _, told = run.communicate(timeout=60)
        self.assertEqual(run.returncode, 130, told)
        result = strict_json(path.read_text())
        self.assertEqual(result["status"], "interrupted")
        done = result["points"]["done"]
        self.assertTrue(1 <= done < 5)
        before = table(result, "sweep")["rows"]
        self.assertEqual(len(before), 10 * done)
        end_of_run = subprocess.run([*command, "--resume", "--quiet"], cwd=self.folder, capture_output=True, text=True,
                                    timeout=300)
        # 1 may only be that an expectation on times does not hold at these sizes.
        self.assertIn(end_of_run.returncode, (0, 1), end_of_run.stderr)
        result = strict_json(path.read_text())
        self.assertEqual(result["status"], "complete")
        rows = table(result, "sweep")["rows"]
        self.assertEqual(len(rows), 50)
        bad = [(row["kernel"], row["n"], row["status"], row["reason"]) for row in rows if row["status"] != "ok"]
        skipped = [("decode", n, "skipped", "decode takes at most 256 queries; flash takes more") for n in (512, 1024)]
        self.assertEqual(bad, skipped)
        samples = [row.get("time_samples") for row in before]
        self.assertEqual([row.get("time_samples") for row in rows[:len(before)]], samples)
        self.assertEqual({row["n_last"] for row in table(result, "fits")["rows"] if row["kernel"] == "flash"}, {1024})

    def test_a_signal_ends_fresh_processes_too(self):
        run = subprocess.Popen([BINARY, "sweep", "--n", "2048", "--runs", "50"], cwd=self.folder, stdout=subprocess.PIPE,
                               stderr=subprocess.PIPE, text=True, start_new_session=True)
        time.sleep(1)
        run.send_signal(signal.SIGTERM)  # to the parent alone, as a job scheduler may
        run.communicate(timeout=30)
        self.assertEqual(run.returncode, 143)
        with self.assertRaises(ProcessLookupError):  # nobody of its session is left
            for _ in range(100):
                os.killpg(run.pid, 0)
                time.sleep(0.05)

    def test_blas_core_is_told_and_the_users_stays(self):
        blas = self.result("sweep", "--n", 8, *QUICK)["provenance"]["blas"]
        self.assertIn("core_chosen_by", blas)
        env = {"OPENBLAS_CORETYPE": "Haswell"}
        blas = self.result("sweep", "--n", 8, *QUICK, env=env)["provenance"]["blas"]
        self.assertEqual(blas["core_chosen_by"], "OPENBLAS_CORETYPE")
        row = self.rows("machine", env=env)[0]
        self.assertEqual(row["blas_core_chosen_by"], "OPENBLAS_CORETYPE")

    def test_mistakes_name_the_kernel(self):
        done = self.attnlab("sweep", "--kernel", "flush", code=2)
        self.assert_mistake(done, "--kernel", "flash")
        self.assert_mistake(self.attnlab("sweep", "--heads", 3, code=2), "--head-dim", "multiple")

    def test_configs_are_planned(self):
        for name in CONFIGS:
            with self.subTest(name):
                result = self.result("run", SOURCE / f"configs/{name}.json", "--dry-run")
                statuses = {row["status"] for row in result["tables"][0]["rows"]}
                self.assertIn("ok", statuses)
                if name == "long-context":
                    self.assertIn("refused", statuses)


if __name__ == "__main__":
    unittest.main()
