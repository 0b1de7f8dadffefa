"""attnlab contract: the lesson's index table, its presets, other people's expressions, and carets under mistakes."""

import json
import unittest

from support import SOURCE, AttnlabTest

LESSON = ["contract", "bhqd,bhkd->bhqk", "--size", "b=1,h=12,q=64,d=64,k=64"]


class Contract(AttnlabTest):
    def tables(self, *arguments, **more):
        return {table["name"]: table["rows"] for table in self.result(*arguments, **more)["tables"]}

    def test_the_lessons_table(self):
        tables = self.tables(*LESSON)
        row = tables["contract"][0]
        self.assertEqual(row["result_shape"], [1, 12, 64, 64])
        self.assertEqual((row["elements"], row["macs"], row["macs_per_element"]), (49152, 3145728, 64))
        self.assertEqual((row["blas"], row["bytes"]), ("batched gemm", 4 * (2 * 12 * 64 * 64 + 49152)))
        self.assertAlmostEqual(row["intensity"], 2 * 3145728 / row["bytes"])
        self.assertEqual([(r["index"], r["size"], r["role"]) for r in tables["indices"]],
                         [("b", 1, "stays"), ("h", 12, "stays"), ("q", 64, "stays"), ("d", 64, "summed"), ("k", 64, "stays")])

    def test_shapes_and_sizes_say_the_same(self):
        by_shapes = self.tables("contract", "bhqd,bhkd->bhqk", "--shapes", "1x12x64x64,1x12x64x64")
        self.assertEqual(by_shapes, self.tables(*LESSON))

    def test_presets_follow_n_heads_and_d(self):
        rows = self.rows("contract", "--n", "128", "--heads", "4", "--d", "32")
        self.assertEqual([r["preset"] for r in rows], ["scores", "output", "projection"])
        self.assertEqual([r["macs"] for r in rows], [4 * 128 * 128 * 32, 4 * 128 * 128 * 32, 128 * 128 * 128])
        self.assertEqual([r["result_shape"] for r in rows], [[1, 4, 128, 128], [1, 4, 128, 32], [1, 128, 4, 32]])
        self.assertEqual([r["expression"] for r in rows], ["bhqd,bhkd->bhqk", "bhqk,bhkd->bhqd", "bnm,mhd->bnhd"])
        self.assertEqual(len(self.rows("contract", "--presets", "scores", "--n", "64:1024:x2")), 5)

    def test_several_operands_say_their_order(self):
        result = self.result("contract", "ij,jk,kl->il", "--shapes", "2x1000,1000x2,2x1000")
        self.assertIn("ij,jk->ik (gemm, 4000 multiply-adds), then ik,kl->il (gemm, 4000 multiply-adds)",
                      " ".join(result["tables"][0]["notes"]))
        self.assertEqual(result["tables"][0]["rows"][0]["blas"], "gemm + gemm")
        self.assertEqual([r["macs"] for r in result["tables"][2]["rows"]], [4000, 4000])

    def test_the_same_bytes_every_time(self):
        first, second = (self.result(*LESSON) for _ in range(2))
        for one in (first, second):
            one.pop("provenance")
        self.assertEqual(first, second)

    def test_measured(self):
        for arguments in (LESSON, ["contract", "ii->i", "--size", "i=50"], ["contract", "ij,jk,ki->", "--size", "i=9,j=8,k=7"],
                          ["contract", "...ij,...jk->...ik", "--shapes", "3x1x8x9,2x9x7"], ["contract", "i,i", "--size", "i=1000"]):
            with self.subTest(arguments):
                row = self.rows(*arguments, "--measure", "--repeats", "8")[0]
                self.assertEqual(row["status"], "ok")
                self.assertGreater(row["time"], 0)
                self.assertEqual(len(row["time_samples"][0]), 8)
                self.assertLess(row["max_error"], 1e-3)
                self.assertEqual(row["peak_share"] is None, row["macs"] == 0)

    def test_printed_configs_run(self):
        for arguments in (LESSON, ["contract", "--n", "32"], ["contract", "i,->i", "--shapes", "4,scalar"]):
            printed = self.attnlab(*arguments, "--print-config").stdout
            again = self.result("run", self.write("printed.json", printed), "--force")
            self.assertEqual(again["tables"][0]["rows"], self.result(*arguments)["tables"][0]["rows"])

    def test_a_config_names_expression_and_sizes(self):
        config = self.config({"experiment": "contract", "expression": "ij,jk->ik", "size": "i=2,j=3,k=4",
                              "expect": [{"macs": 24, "result_shape": [2, 4], "macs_per_element": 3}]})
        self.attnlab("run", config)

    def caret(self, *arguments):
        """The text below the error and the column of its caret."""
        done = self.attnlab("contract", *arguments, code=2)
        self.assertEqual(done.stdout, "")
        head, text, caret = done.stderr.splitlines()
        self.assertTrue(head.startswith("attnlab: error: --"), head)
        self.assertEqual(caret.strip(), "^")
        return head, text[4:], caret.index("^") - 4

    def test_a_caret_stands_under_what_is_wrong(self):
        sizes = "b=1,h=12,q=64,d=64,k=64"
        for arguments, place, says, text, column in (
                (["bhqd,bhkd->bhqx", "--size", sizes], "--expression", "index x is in the result only", "bhqd,bhkd->bhqx", 14),
                (["bhqd,bhkd->bhqk", "--size", "b=1,h=12,q=64,d=64"], "--expression", "index k has no size", "bhqd,bhkd->bhqk", 7),
                (["bhqd,bhkd->bhqk", "--size", "b=1,h=12,b=2"], "--size", "index b is given a size twice", "b=1,h=12,b=2", 9),
                (["ij,jk", "--shapes", "3x4,5x6"], "--expression", "index j has size 5 in operand 2 but 4 before", "ij,jk", 3),
                (["ij,jk->ik", "--size", "i=9000000000,j=9000000000,k=2"], "--expression", "no longer fit 64 bits", "ij,jk->ik", 1),
                (["ij,j;k"], "--expression", "; is no index", "ij,j;k", 4),
                (["ij,жk"], "--expression", "ж is no index", "ij,жk", 3),
                (["жж,j"], "--expression", "ж is no index", "жж,j", 0),
                (["i..j"], "--expression", "a point that is no", "i..j", 1),
                (["...i", "--size", "i=3"], "--expression", "do not tell what \"...\" stands for", "...i", 0),
                (["ij", "--size", "i=3,j=x"], "--size", "a size is a whole number", "i=3,j=x", 6),
                (["ij", "--size", "i=3,j=0"], "--size", "a size is at least 1", "i=3,j=0", 6),
                (["ij", "--size", "i=3,z=4"], "--size", "z is no index of the expression", "i=3,z=4", 4),
                (["ij", "--size", "i"], "--size", "a size without", "i", 0),
                (["ij", "--shapes", "3x4x5"], "--expression", "operand 1 has 2 indices, its shape 3 axes", "ij", 0),
                (["ij", "--shapes", "3x4,2"], "--expression", "1 operand and 2 shapes", "ij", 0),
                (["ij", "--shapes", "3xx4"], "--shapes", "a size is a whole number", "3xx4", 2)):
            with self.subTest(arguments):
                head, shown, at = self.caret(*arguments)
                self.assertIn(place, head)
                self.assertIn(says, head)
                self.assertEqual((shown, at), (text, column))

    def test_a_long_expression_is_cut_around_the_caret(self):
        head, shown, at = self.caret("ij," * 40 + "j;" + ",ij" * 40 + "->i")
        self.assertIn("; is no index", head)
        self.assertEqual(shown[at], ";")
        self.assertLess(len(shown), 200)

    def test_other_mistakes(self):
        for arguments, words in (
                ([*LESSON, "--shapes", "1"], ["--shapes: stands beside size"]),
                ([*LESSON, "--presets", "scores", "--n", "5"], ["--n: stands beside an expression", "--presets: stands"]),
                (["contract", "--size", "i=1"], ["--size: there is no expression"]),
                (["contract", "ij", "ij", "--size", "i=1,j=1"], ["ij: contract takes no such argument"]),
                (["contract", "ij", "--expression", "ij", "--size", "i=1,j=1"], ["--expression: is given more than once"])):
            with self.subTest(arguments):
                self.assert_mistake(self.attnlab(*arguments, code=2), *words)

    def test_too_large_to_measure(self):
        row = self.rows("contract", "ij,jk->ik", "--size", "i=1000000,j=1000000,k=1000", "--measure", code=4)[0]
        self.assertEqual(row["status"], "refused")


if __name__ == "__main__":
    unittest.main()
