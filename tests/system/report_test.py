"""`attnlab report`: the page as a file, without a browser (tests/browser has the rest)."""

import json
import os
import re
import shlex
import shutil
import subprocess
import unittest

from report_support import Page, external_addresses, long_result, result, save, table
from support import BINARY, SOURCE, AttnlabTest

GNUPLOT = shutil.which("gnuplot")
NASTY = "</script><script>alert(1)</script><!-- <b>&amp; \"q\" 'q' ]]> {} %s"
COLUMNS = {"n": ("parameter", "", "a length"), "time": ("timed", "s", NASTY), "status": ("exact", "", ""),
           "reason": ("derived", "", "")}


class ReportTest(AttnlabTest):
    def report(self, *arguments, out="page.html", **more):
        done = self.attnlab("report", *arguments, "-o", out, **more)
        self.assertEqual(done.stdout, "")
        return Page((self.folder / out).read_text())

    def without_gnuplot(self):
        folder = self.folder / "empty-path"
        folder.mkdir(exist_ok=True)
        return {"PATH": str(folder)}


class WholePage(ReportTest):
    def setUp(self):
        super().setUp()
        self.attnlab("run", SOURCE / "configs/lesson.json", "--quiet", "-o", "lesson")
        self.attnlab("run", SOURCE / "configs/widget.json", "--quick", "--quiet", "-o", "widget.json")

    def test_lesson_and_widget_are_told_shown_and_repeated(self):
        page = self.report("lesson", "widget.json")
        self.assertLess(len(page.text.encode()), 2_000_000)
        self.assertEqual(external_addresses(page.text), [])
        for name in ("src", "srcset", "action", "onclick", "onload"):
            self.assertEqual(page.values(name), [])
        ids = page.values("id")
        self.assertEqual(len(ids), len(set(ids)), [one for one in ids if ids.count(one) > 1])
        for link in page.values("href") + page.values("aria-describedby") + page.values("aria-labelledby"):
            if not link.startswith("data:"):
                self.assertIn(link.lstrip("#"), ids)
        text = " ".join(page.texts)
        for words in ("lesson: all 24 expectations are met.", "the run with scale none is atypical", "1017.8",
                      "How does the variance of q.k grow", "the lesson's widget: six words attend to each other"):
            self.assertIn(words, text)
        if GNUPLOT:
            self.assertGreaterEqual(page.count("svg"), 4)

    def test_the_commands_repeat_the_tables(self):
        page = self.report("lesson")
        commands = [line for line in page.texts if line.startswith("attnlab ") and "inspect" not in line]
        saved = json.loads((self.folder / "lesson/result.json").read_text())
        self.assertEqual(len(commands), 5)
        self.assertIn("attnlab run ", commands[-1])
        tables = {one["name"]: one["rows"] for one in saved["tables"]}
        for command, name in zip(commands, ("variance", "entropy", "entropy-2", "cost")):
            rows = self.rows(*shlex.split(command)[1:])
            self.assertEqual(rows, tables[name])

    def test_both_languages(self):
        english, russian = self.report("lesson"), self.report("lesson", "--lang", "ru", "--title", "Урок", out="ru.html")
        self.assertEqual([dict(a).get("lang") for name, a in (*english.elements, *russian.elements) if name == "html"], ["en", "ru"])
        self.assertIn("Простыми словами", russian.texts)
        self.assertEqual(russian.texts.count("Урок"), 2)
        self.assertIn("lesson: все ожидания выполнены (24).", russian.texts)
        for words in ("In plain words", "To repeat it", "What the columns mean"):
            self.assertIn(words, english.texts)
            self.assertNotIn(words, russian.texts)
        self.assertEqual(json.loads(russian.scripts["texts"])["copy"], "копировать")

    def test_the_same_results_give_the_same_bytes(self):
        self.assertEqual(self.report("lesson").text, self.report("lesson").text)

    def test_without_gnuplot_the_page_comes_with_a_note(self):
        done = self.attnlab("report", "lesson", "-o", "page.html", env=self.without_gnuplot())
        self.assertIn("gnuplot is not on PATH", done.stderr)
        page = Page((self.folder / "page.html").read_text())
        self.assertEqual(page.count("svg"), 0)
        self.assertIn("There are no plots here", " ".join(page.texts))
        self.assertIn("1017.8", " ".join(page.texts))


    def test_a_gnuplot_that_fails_leaves_a_page_with_a_note(self):
        folder = self.folder / "bin"
        folder.mkdir()
        fake = folder / "gnuplot"
        for script, words in (("echo 'no such terminal' >&2\nexit 7\n", "(exit code 7): no such terminal"),
                              ("echo rubbish > figure.svg\n", "what it wrote is no figure")):
            fake.write_text("#!/bin/sh\n" + script)
            fake.chmod(0o755)
            done = self.attnlab("report", "lesson", "-o", "page.html", env={"PATH": f"{folder}:/bin"})
            self.assertIn(words, done.stderr)
            page = Page((self.folder / "page.html").read_text())
            self.assertEqual(page.count("svg"), 0)
            self.assertIn(words, " ".join(page.texts))
            self.assertIn("1017.8", " ".join(page.texts))


class Values(ReportTest):
    def test_nothing_of_a_file_is_read_as_markup(self):
        rows = [[i, 1e-3 * i, "failed" if i == 3 else "ok", NASTY if i == 3 else None] for i in range(1, 6)]
        long = [[i, 1.0, "ok", NASTY] for i in range(150)]
        document = result(
            [table("sweep", COLUMNS, rows, title=NASTY, notes=[NASTY]), table(f"fits{NASTY}", COLUMNS, long)], name=NASTY,
            provenance={"command_line": ["attnlab", NASTY], "cpu": NASTY},
            expectations=[{"table": "sweep", "row": {"n": 1}, "column": "time", "expected": NASTY, "measured": NASTY,
                           "verdict": "fail", "reason": NASTY}])
        page = self.report(save(self.folder / "a.json", document), "--title", NASTY)
        self.assertEqual(page.count("b"), 0)
        self.assertEqual(page.count("script"), 6)  # three of code, three of JSON
        self.assertIn(NASTY, page.texts)
        self.assertIn(NASTY, [column for row in page.rows_json() for column in row])
        self.assertGreater(" ".join(page.texts).count("alert(1)"), 8)

    def test_failures_and_partial_results_are_told_with_links(self):
        rows = [[1, 1e-3, "ok", None], [2, None, "failed", "no memory"]]
        document = result(
            [table("sweep", COLUMNS, rows)], status="interrupted",
            expectations=[{"table": "sweep", "row": {"n": 1}, "column": "time", "expected": {"max": 1e-4}, "measured": 1e-3,
                           "verdict": "fail", "reason": "above max"}])
        page = self.report(save(self.folder / "a.json", document))
        text = " ".join(page.texts)
        for words in ("test: interrupted, 1 of 2 points are there", "test: 0 of 1 expectations are met.",
                      "test: time of sweep n=1 is 0.001, expected <= 0.0001", "test: table sweep: a row failed: n=2: no memory"):
            self.assertIn(words, text)
        for link in ("#r1-x1-expected-row1", "#r1-t1-row2"):
            self.assertIn(link, page.values("href"))
            self.assertIn(link[1:], page.values("id"))

    def test_expectations_of_tables_that_are_not_there_are_listed_under_the_result(self):
        gone = {"table": "gone", "row": {"n": 1}, "column": "time", "expected": {"min": 1, "max": 2}, "measured": None,
                "verdict": "fail", "reason": "no row of the table has these parameters"}
        path = save(self.folder / "a.json", result([table("sweep", COLUMNS, [[1, 1e-3, "ok", None]])], expectations=[gone]))
        page = self.report(path)
        for words in ("test: time of gone n=1 has no value, expected 1 to 2: no row of the table has these parameters",
                      "gone: n=1", "Expectations: 0 of 1 met"):
            self.assertIn(words, page.texts)
        self.assertNotIn("Nothing failed.", page.texts)
        self.assertIn("r1-expected", page.values("id"))
        russian = self.report(path, "--lang", "ru").texts
        self.assertIn("test: time (gone n=1): значения нет, ожидалось от 1 до 2: no row of the table has these parameters", russian)
        self.assertIn("нет значения", russian)

    def test_nothing_failed_is_said_only_of_what_was_checked(self):
        def expected(verdict):
            return {"table": "sweep", "row": {"n": 1}, "column": "time", "expected": 1e-3, "measured": 1e-3, "verdict": verdict}
        cases = [([expected("pass")], "complete", "Nothing failed."), ([], "complete", "Nothing was checked."),
                 ([expected("not checked")], "complete", "Nothing was checked."),
                 ([expected("pass")], "interrupted", None), ([expected("pass")], "failed", None),
                 ([expected("pass"), expected("fail")], "complete", None)]
        russian = {"Nothing failed.": "Неудач нет.", "Nothing was checked.": "Ничего не проверялось."}
        for expectations, status, words in cases:
            with self.subTest(status=status, expectations=len(expectations), words=words):
                path = save(self.folder / "a.json", result([table("sweep", COLUMNS, [[1, 1e-3, "ok", None]])], status=status,
                                                           expectations=expectations))
                for english, translated in russian.items():
                    self.assertEqual(english in self.report(path).texts, english == words)
                    self.assertEqual(translated in self.report(path, "--lang", "ru").texts, english == words)

    def test_rows_without_values_are_counted(self):
        rows = [[1, None, "refused", "too large"], [2, None, "refused", "too large"], [3, None, "skipped", "slow"], [4, 1.0, "ok", None]]
        path = save(self.folder / "a.json", result([table("sweep", COLUMNS, rows)]))
        texts = self.report(path).texts
        self.assertIn("test: table sweep: 2 of 4 rows were refused; their reasons are in the table.", texts)
        self.assertIn("test: table sweep: 1 of 4 rows were skipped; their reasons are in the table.", texts)

    def test_of_many_failures_the_first_are_told(self):
        rows = [[i, None, "failed", "no memory"] for i in range(14)]
        texts = self.report(save(self.folder / "a.json", result([table("sweep", COLUMNS, rows)]))).texts
        self.assertEqual(sum("a row failed" in text for text in texts), 10)
        self.assertIn("and 4 more, see below", texts)

    def test_a_comparison_tells_each_regression_once(self):
        columns = {"row": ("parameter", "", ""), "verdict": ("derived", "", "")}
        tables = [table(name, columns, [["n=64", "regressed"]], experiment="compare") for name in ("compare", "changes")]
        texts = self.report(save(self.folder / "a.json", result(tables))).texts
        self.assertEqual([text for text in texts if "regressed: " in text], ["test: table changes: regressed: row=n=64"])

    def test_results_of_one_name_are_told_apart_and_one_file_is_taken_once(self):
        for place in ("one", "two"):
            save(self.folder / place / "result.json", long_result(3))
        texts = self.report("one", "two").texts
        for name in ("long (one)", "long (two)"):
            self.assertEqual(texts.count(name), 2)  # in the contents and as a heading
            self.assertIn(f"{name}: nothing is expected of it; see the tables.", texts)
        done = self.attnlab("report", "one", "two", "./one/result.json", "-o", "page.html", code=2)
        self.assert_mistake(done, "./one/result.json", "is the same file as one/result.json", "name it once")

    def test_regressions_of_a_comparison_are_failures(self):
        columns = {"parameters": ("parameter", "", ""), "ratio": ("derived", "", ""), "verdict": ("derived", "", "")}
        document = result([table("compare", columns, [["n=64", 1.0, "same"], ["n=128", 1.4, "regressed"]], experiment="compare")])
        self.assertIn("test: table compare: regressed: parameters=n=128", self.report(save(self.folder / "a.json", document)).texts)

    def test_expectations_of_what_is_not_there_are_shown_as_they_stand(self):
        for place in ({"column": "speed"}, {"row": {"m": 1}}, {"row": {}}, {"expected": {"odd": 1}}, {"expected": {}}):
            expected = {"table": "sweep", "row": {"n": 1}, "column": "time", "expected": "0.25", "measured": None, "verdict": "fail",
                        "reason": "", **place}
            path = save(self.folder / "a.json", result([table("sweep", COLUMNS, [[1, 1e-3, "ok", None]])], expectations=[expected]))
            self.assertIn("test: 0 of 1 expectations are met.", self.report(path).texts)

    def test_a_hundred_thousand_rows_are_beside_the_first_hundred(self):
        page = self.report(save(self.folder / "a.json", long_result(100_000)))
        self.assertLess(page.count("tr"), 150)
        rows = page.rows_json()
        self.assertEqual(len(rows), 100_000)
        self.assertEqual(rows[-1][:2], ["99999", "flash"])
        self.assertLess(len(page.text), 6_000_000)

    def test_odd_results(self):
        for tables in ([], [table("list", {"name": ("parameter", "", "")}, [], experiment="list")],
                       [table("variance", {"d": ("parameter", "", "")}, [[None]], experiment="variance")]):
            page = self.report(*(save(self.folder / name, result(tables)) for name in ("a.json", "b.json")))
            self.assertEqual(page.count("h2"), 4)
        machine = self.attnlab("machine", "--format", "json", "-o", "machine.json")
        self.assertTrue(machine.stdout)
        self.report("machine.json")

    @unittest.skipUnless(GNUPLOT, "gnuplot is not installed")
    def test_plots_do_not_share_ids_and_keep_nasty_titles(self):
        config = self.config({"experiment": "variance", "samples": 100, "title": NASTY},
                             {"experiment": "inspect", "tokens": "a <b> id='x' </script>", "title": NASTY})
        self.attnlab("run", config, "--quiet", "-o", "out")
        page = self.report("out")
        self.assertEqual(page.count("svg"), 3)
        ids = page.values("id")
        self.assertEqual(len(ids), len(set(ids)))
        self.assertEqual(page.count("b"), 0)
        for reference in re.findall(r"href='#([^']*)'", page.text):
            self.assertIn(reference, ids)


class Files(ReportTest):
    def setUp(self):
        super().setUp()
        self.good = save(self.folder / "good/result.json", long_result(3)).parent

    def test_only_attnlabs_own_pages_are_replaced(self):
        self.write("page.html", "<html>mine</html>")
        done = self.attnlab("report", self.good, "-o", "page.html", code=2)
        self.assert_mistake(done, "page.html", "was not written by attnlab", "--force")
        self.assertEqual((self.folder / "page.html").read_text(), "<html>mine</html>")
        self.report(self.good, "--force")
        self.report(self.good)

    def test_no_space_leaves_the_old_page(self):
        self.report(self.good)
        before = (self.folder / "page.html").read_bytes()
        done = subprocess.run(["bash", "-c", 'ulimit -f 4; trap "" XFSZ; exec "$0" report good -o page.html', BINARY],
                              capture_output=True, text=True, cwd=self.folder)
        self.assertEqual(done.returncode, 3, done.stderr)
        self.assertEqual((self.folder / "page.html").read_bytes(), before)
        self.assertFalse([path for path in os.listdir(self.folder) if ".tmp" in path])

    def test_mistakes_are_named(self):
        self.write("broken.json", "{}")
        (self.folder / "folder.html").mkdir()
        cases = [
            ([self.good], ["--output", "names no page"]),
            (["-o", "a.html"], ["no result is named"]),
            ([self.good, "-o", "a.pdf"], ["no page has the extension .pdf", ".html"]),
            ([self.good, "-o", "page"], ["page has no extension"]),
            ([self.good, "-o", "folder.html"], ["is a directory"]),
            ([self.good, "-o", "a.html", "--lang", "de"], ["--lang", "de", "en", "ru"]),
            (["broken.json", "none", self.good, "-o", "a.html"], ["broken.json", "none", "cannot be read"]),
        ]
        for arguments, words in cases:
            with self.subTest(arguments):
                self.assert_mistake(self.attnlab("report", *arguments, code=2), *words)
        self.assertFalse((self.folder / "a.html").exists())
        self.attnlab("report", self.good, "-o", "nowhere/a.html", code=3)


if __name__ == "__main__":
    unittest.main()
