"""`attnlab plot` and --plot: figures drawn by gnuplot, left as scripts without it, drawn as text."""

import json
import os
import re
import shutil
import struct
import subprocess
import unittest
import xml.etree.ElementTree as ElementTree
import zlib

from support import BINARY, AttnlabTest

GNUPLOT = shutil.which("gnuplot")
SVG = "{http://www.w3.org/2000/svg}"
NASTY = "it's \"so\" \\n @GPVAL_VERSION {a}_b^c `touch pwned` $x %s <b>&amp; # µ; system('touch pwned')"


def columns(parameters, values):
    return [{"name": name, "unit": unit, "kind": kind, "better": "none", "tolerance": None, "help": ""}
            for kind, names in (("parameter", parameters), ("timed", values)) for name, unit in names.items()]


def table(name, parameters, values, rows):
    listed = columns(parameters, values)
    return {"name": name, "experiment": "sweep", "title": "", "columns": listed, "notes": [],
            "rows": [{column["name"]: row.get(column["name"]) for column in listed} for row in rows]}


def sweep_result(kernels, sizes=(64, 128, 256, 512, 1024), crossovers=(), title="", failed=False):
    """A result as contract and docs name its columns. `kernels`: name to (a, c) of a n^2 + c n."""
    rows = [{"kernel": kernel, "isa": "avx2", "n": n, "status": "ok", "time": a * n * n + c * n,
             "time_low": 0.9 * (a * n * n + c * n), "time_high": 1.1 * (a * n * n + c * n),
             "working_set_bytes": 1024 * n} for kernel, (a, c) in kernels.items() for n in sizes]
    if failed:
        rows = [{"kernel": row["kernel"], "isa": "avx2", "n": row["n"], "status": "skipped"} for row in rows]
    fits = [{"kernel": kernel, "isa": "avx2", "model": model, "a": a, "b": 0.0, "c": c, "preferred": model != "a n^2 + b"}
            for kernel, (a, c) in kernels.items() for model in ("a n^2 + b", "a n^2 + c n + b")]
    tables = [
        table("sweep", {"kernel": "", "isa": "", "n": ""},
              {"status": "", "time": "s", "time_low": "s", "time_high": "s", "working_set_bytes": "B"}, rows),
        table("fits", {"kernel": "", "isa": "", "model": ""}, dict.fromkeys(("a", "b", "c", "preferred"), ""), fits),
        table("crossovers", {"slower": "", "faster": ""}, {"n": "", "reason": ""},
              [{"slower": slower, "faster": faster, "n": n, "reason": "x"} for slower, faster, n in crossovers])]
    tables[0]["title"] = title
    return {"schema": "attnlab-result/1", "name": "test", "status": "complete", "provenance": {}, "expectations": [],
            "tables": tables}


TWO = {"naive": (1e-9, 1e-8), "flash": (4e-10, 2e-7)}  # they cross at n = 0.19e-6 / 0.6e-9 = 317
CROSSED = [("naive", "flash", 316.7)]


def png_chunks(data):
    """Type and content of every chunk, each held against its check sum."""
    assert data[:8] == b"\x89PNG\r\n\x1a\n"
    place, out = 8, []
    while place < len(data):
        length, = struct.unpack(">I", data[place:place + 4])
        kind, content = data[place + 4:place + 8], data[place + 8:place + 8 + length]
        crc, = struct.unpack(">I", data[place + 8 + length:place + 12 + length])
        assert crc == zlib.crc32(kind + content), kind
        out.append((kind, content))
        place += 12 + length
    return out


class PlotTest(AttnlabTest):
    def save(self, result, name="result.json"):
        return self.write(name, json.dumps(result))

    def without_gnuplot(self):
        folder = self.folder / "empty-path"
        folder.mkdir(exist_ok=True)
        return {"PATH": str(folder)}

    def in_folder(self):
        return sorted(path.name for path in self.folder.iterdir() if path.is_file())


@unittest.skipUnless(GNUPLOT, "gnuplot is not installed")
class WithGnuplot(PlotTest):
    def svg(self, *arguments):
        self.attnlab("plot", *arguments, "-o", "figure.svg", "--force")
        text = (self.folder / "figure.svg").read_text()
        root = ElementTree.fromstring(text)
        return root, ["".join(node.itertext()).strip() for node in root.iter(SVG + "text")], text

    def test_svg_shows_time_memory_fits_and_crossovers(self):
        root, texts, _ = self.svg(self.save(sweep_result(TWO, crossovers=CROSSED)))
        self.assertEqual((root.get("width"), root.get("height")), ("800", "1120"))
        for text in ("naive: a n^2 + c n + b", "flash: a n^2 + c n + b", "flash faster from n = 317", "crossover",
                     "64", "1024", "1 ms", "256 KiB", "working set", "time (median, 95 % interval)"):
            self.assertIn(text, texts)
        self.assertIn("rgb(  0, 114, 178)", ElementTree.tostring(root, encoding="unicode"))

    def test_png_has_its_size_and_is_sound(self):
        self.attnlab("plot", self.save(sweep_result(TWO)), "-o", "figure.png", "--size", "640x400", "--panel", "time")
        chunks = png_chunks((self.folder / "figure.png").read_bytes())
        self.assertEqual(chunks[0][0], b"IHDR")
        self.assertEqual(struct.unpack(">II", chunks[0][1][:8]), (640, 400))
        self.assertIn((b"tEXt", b"Software\0made by attnlab plot"), chunks)
        self.assertEqual(chunks[-1][0], b"IEND")

    def test_titles_and_names_are_shown_as_they_are(self):
        path = self.save(sweep_result({NASTY[:40]: (1e-9, 1e-8)}, title=NASTY))
        for more in ([], ["--title", NASTY]):
            root, texts, _ = self.svg(path, *more)
            self.assertEqual(root.find(SVG + "title").text, NASTY)
            joined = " ".join(texts)
            for part in ("it's \"so\" \\n @GPVAL_VERSION {a}_b^c `touch pwned` $x %s <b>&amp; # µ;", "system('touch pwned')"):
                self.assertIn(part, joined)
        self.assertNotIn("pwned", self.in_folder())
        for title in ("", "\\", "'", "''", "a\nb", "\x1b[31mred", "%", "x" * 3000, "мама мыла раму"):
            self.svg(path, "--title", title)
        self.attnlab("plot", path, "--title", NASTY, "-o", "figure.png")

    def test_file_names_are_taken_as_they_are(self):
        path = self.save(sweep_result(TWO))
        for name in ("it's.svg", "a b.svg", "`touch pwned`.svg", "q\"\\.svg", "$(touch pwned).png", "{@x}.png"):
            self.attnlab("plot", path, "-o", name)
            self.assertTrue((self.folder / name).stat().st_size > 1000)
        self.assertNotIn("pwned", self.in_folder())

    def test_a_folder_a_panel_and_a_table_can_be_named(self):
        (self.folder / "out").mkdir()
        result = sweep_result(TWO)
        second = sweep_result({"linear": (0, 1e-7)})["tables"]
        for one in second:
            one["name"] += "-2"
        result["tables"] += second
        self.save(result, "out/result.json")
        self.assertIn("naive: a n^2 + c n + b", self.svg("out")[1])
        self.assertNotIn("working set", self.svg("out", "--panel", "time")[1])
        self.assertNotIn("1 ms", self.svg("out", "--panel", "memory")[1])
        texts = self.svg("out", "--table", "sweep-2")[1]
        self.assertIn("linear: a n^2 + c n + b", texts)
        self.assertFalse([text for text in texts if "naive" in text])

    def test_many_series_sizes_and_single_points(self):
        many = {f"kernel-{i}": (1e-9 / (i + 1), 1e-8) for i in range(14)}
        crossed = [(f"kernel-{i}", f"kernel-{i + 1}", 100.0 + 20 * i) for i in range(13)]
        _, texts, _ = self.svg(self.save(sweep_result(many, crossovers=crossed)))
        self.assertIn("kernel-13: a n^2 + c n + b", texts)
        self.assertFalse([text for text in texts if "faster from" in text])  # too many to label
        self.svg(self.save(sweep_result({"flash": (1e-9, 1e-8)}, sizes=(64,))))
        self.svg(self.save(sweep_result(TWO, sizes=(100, 1000, 100000000))))

    def test_a_crossover_beyond_the_data_is_marked_as_from_the_fits(self):
        near = self.svg(self.save(sweep_result(TWO, sizes=(32, 64, 128, 256), crossovers=CROSSED)))[1]
        self.assertIn("flash faster from n = 317 (by the fits)", near)
        far = self.svg(self.save(sweep_result(TWO, sizes=(16, 32, 64), crossovers=CROSSED)))[1]
        self.assertFalse([text for text in far if "faster from" in text])

    def test_numbers_of_any_size_are_drawn(self):
        for a in (1e290, 1e-320):
            self.svg(self.save(sweep_result({"naive": (a, 0), "linear": (0, 1e-7)})))

    def test_very_many_points_are_thinned_and_that_is_said(self):
        path = self.save(sweep_result({"flash": (1e-9, 1e-8)}, sizes=range(1, 5001)))
        self.assertIn("very long curve", self.attnlab("plot", path, "--panel", "time", "-o", "figure.svg").stderr)
        self.assertLess((self.folder / "figure.svg").stat().st_size, 1_000_000)
        self.assertEqual(self.attnlab("plot", self.save(sweep_result(TWO)), "-o", "figure.svg").stderr, "")

    def test_the_users_gnuplot_settings_do_not_matter(self):
        self.write(".gnuplot", "set terminal dumb\nset xrange [0:1]\n")
        path = self.save(sweep_result(TWO))
        plain = self.svg(path)[2]
        self.attnlab("plot", path, "-o", "figure.svg", env={"HOME": str(self.folder), "LC_ALL": "C"})
        self.assertEqual((self.folder / "figure.svg").read_text(), plain)

    def test_a_gnuplot_that_fails_is_an_error_of_the_run(self):
        folder = self.folder / "bin"
        folder.mkdir()
        fake = folder / "gnuplot"
        fake.write_text("#!/bin/sh\necho 'no such terminal' >&2\nexit 1\n")
        fake.chmod(0o755)
        path = self.save(sweep_result(TWO))
        done = self.attnlab("plot", path, "-o", "figure.svg", code=3, env={"PATH": f"{folder}:/bin"})
        self.assert_mistake(done, "could not draw the figure (exit code 1): no such terminal")
        self.assertEqual(self.in_folder(), ["result.json"])
        fake.write_text("#!/bin/sh\necho rubbish > figure.svg\n")
        done = self.attnlab("plot", path, "-o", "figure.svg", code=3, env={"PATH": f"{folder}:/bin"})
        self.assert_mistake(done, "what it wrote is no figure")
        self.assertEqual(self.in_folder(), ["result.json"])

    def test_texts_that_xml_does_not_allow_are_escaped(self):
        _, texts, _ = self.svg(self.save(sweep_result({"a]]>b": (1e-9, 1e-8), "c": (0, 1e-7)}, title="t ]]> u")))
        self.assertIn("a]]>b: a n^2 + c n + b", texts)
        self.assertIn("t ]]> u", texts)

    def test_no_space_is_an_error_of_the_run_and_leaves_the_old_figure(self):
        path = self.save(sweep_result(TWO))
        self.attnlab("plot", path, "-o", "figure.svg")
        before = (self.folder / "figure.svg").read_bytes()
        temporary = self.folder / "tmp"
        temporary.mkdir()
        done = subprocess.run(["bash", "-c", 'ulimit -f 4; trap "" XFSZ; exec "$0" plot "$1" -o figure.svg', BINARY, path],
                              capture_output=True, text=True, cwd=self.folder, env={**os.environ, "TMPDIR": str(temporary)})
        self.assertEqual(done.returncode, 3, done.stderr)
        self.assertEqual((self.folder / "figure.svg").read_bytes(), before)
        self.assertEqual(self.in_folder(), ["figure.svg", "result.json"])
        self.assertEqual(list(temporary.iterdir()), [])


class WithoutGnuplot(PlotTest):
    def test_script_and_data_are_written_and_the_reason_said(self):
        path = self.save(sweep_result(TWO, crossovers=CROSSED))
        done = self.attnlab("plot", path, "-o", "it's.svg", "--title", NASTY, env=self.without_gnuplot())
        self.assertEqual(done.stdout, "")
        for word in ("gnuplot is not on PATH", "gnuplot-nox", "it's.svg", "it's.gp", "it's.dat"):
            self.assertIn(word, done.stderr)
        self.assertEqual(self.in_folder(), ["it's.dat", "it's.gp", "result.json"])
        self.attnlab("plot", path, "-o", "it's.svg", env=self.without_gnuplot())  # ours: replaced
        for name in ("|touch pwned.svg", "<touch pwned.svg", "`touch pwned`.svg"):
            self.attnlab("plot", path, "-o", name, env=self.without_gnuplot())
            if GNUPLOT:
                subprocess.run([GNUPLOT, "./" + name.replace(".svg", ".gp")], cwd=self.folder, check=True, capture_output=True)
                self.assertGreater((self.folder / name).stat().st_size, 1000)
        self.assertFalse([name for name in self.in_folder() if name.startswith("pwned")])
        if GNUPLOT:
            subprocess.run([GNUPLOT, "it's.gp"], cwd=self.folder, check=True, capture_output=True)
            texts = ["".join(node.itertext()) for node in
                     ElementTree.fromstring((self.folder / "it's.svg").read_text()).iter(SVG + "text")]
            self.assertIn("flash faster from n = 317", [text.strip() for text in texts])

    def test_files_that_are_not_ours_stay(self):
        path = self.save(sweep_result(TWO))
        names = ["figure.dat", "figure.gp"] + (["figure.svg"] if GNUPLOT else [])
        for name in names:
            with self.subTest(name):
                self.write(name, "mine")
                env = None if name == "figure.svg" else self.without_gnuplot()
                done = self.attnlab("plot", path, "-o", "figure.svg", code=2, env=env)
                self.assert_mistake(done, name, "was not written by attnlab", "--force")
                self.assertEqual((self.folder / name).read_text(), "mine")
                self.attnlab("plot", path, "-o", "figure.svg", "--force", env=env)
                self.assertNotEqual((self.folder / name).read_text(), "mine")
                self.attnlab("plot", path, "-o", "figure.svg", env=env)
                (self.folder / name).unlink()

    def test_mistakes_are_named(self):
        good = self.save(sweep_result(TWO))
        empty = self.save(sweep_result(TWO, failed=True), "empty.json")
        self.attnlab("contract", "ij,jk->ik", "--size", "i=2,j=3,k=4", "--quiet", "-o", "contract.json")
        broken = self.write("broken.json", "{}")
        cases = [
            ([good], ["--output", "names no figure"]),
            (["-o", "a.svg"], ["no result is named"]),
            ([good, "-o", "a.pdf"], ["no figure has the extension .pdf", ".svg or .png"]),
            ([good, "-o", "figure"], ["figure has no extension"]),
            ([good, "-o", "a.svg", "--table", "fits"], ["fits has no figure", "plot sweep"]),
            ([good, "-o", "a.svg", "--table", "swep"], ["no table is called swep", "plot sweep"]),
            ([good, "-o", "a.svg", "--panel", "tme"], ["no panel is called tme", "time, memory"]),
            ([empty, "-o", "a.svg"], ["nothing to plot"]),
            (["contract.json", "-o", "a.svg"], ["no table that can be plotted"]),
            ([broken, "-o", "a.svg"], ["broken.json"]),
            (["none.json", "-o", "a.svg"], ["none.json", "cannot be read"]),
            ([self.folder / "nowhere", "-o", "a.svg"], ["cannot be read"]),
            ([good, good, "-o", "a.svg"], ["takes no such argument"]),
        ]
        for size in ("800", "800x", "x600", "800x600x2", "0x100", "99999x600", "-800x600", "8e2x600"):
            cases.append(([good, "-o", "a.svg", "--size", size], ["--size", "WIDTHxHEIGHT"]))
        for arguments, words in cases:
            with self.subTest(arguments):
                self.assert_mistake(self.attnlab("plot", *arguments, code=2), *words)
        self.assertFalse([name for name in self.in_folder() if name.startswith("a.")])


@unittest.skipUnless(GNUPLOT, "gnuplot is not installed")
class OfOtherExperiments(PlotTest):
    def test_bands_and_marked_runs_of_entropy(self):
        config = self.config(
            {"experiment": "entropy", "d": [4, 16, 64], "design": "fresh", "trials": 200},
            {"experiment": "entropy", "d": 64, "design": "fresh", "rng": "mulberry32", "seed": 5})
        self.attnlab("run", config, "--quiet", "-o", "out")
        self.attnlab("plot", "out", "-o", "figure.svg")
        svg = (self.folder / "figure.svg").read_text()
        for text in ("scale none", "scale sqrt", "one run", "scale none: 0.9937", "scale sqrt: 2.295", "scale none: 0.547",
                     "entropy of a row, bits: mean, 25-75 %, 5-95 %", "largest weight of a row"):
            self.assertIn(text, svg)
        self.assertEqual(svg.count("fill-opacity"), 8)  # two bands, two scales, two panels
        self.assertEqual(self.attnlab("plot", "out", "--table", "entropy-2", "-o", "one.svg").stdout, "")

    def test_variance_before_and_after_the_scale(self):
        self.attnlab("variance", "--samples", 1000, "--quiet", "-o", "figure.svg")
        svg = (self.folder / "figure.svg").read_text()
        for text in (">measured<", ">theory, y = d<", "variance of q.k (95 % interval)", "variance of q.k / sqrt(d) (95 % interval)", "1024"):
            self.assertIn(text, svg)
        self.assertEqual(svg.count("fill-opacity"), 2)

    def test_shares_of_a_layer_with_crossovers(self):
        self.attnlab("cost", "--quiet", "-o", "figure.svg")
        svg = (self.folder / "figure.svg").read_text()
        for text in ("projections", "attention", "feed-forward", "n = 1536: attention equals the projections",
                     "n = 4608: attention equals all linear parts", "share of the multiply-adds"):
            self.assertIn(text, svg)
        self.attnlab("cost", "--n", 64, "--quiet", "-o", "one.svg")


class TextPlot(PlotTest):
    COMMAND = ["variance", "--d", "4,16,64", "--samples", "1000", "--plot"]

    def test_the_figure_follows_the_tables(self):
        text = self.attnlab(*self.COMMAND, env={"LC_ALL": "C.UTF-8", "TERM": "xterm"}).stdout
        plain = self.attnlab(*self.COMMAND[:-1]).stdout
        self.assertTrue(text.startswith(plain))
        figure = text[len(plain):]
        for part in ("variance of q.k", "against d", "┤", "└", "  a  measured: theory, y = d", "16"):
            self.assertIn(part, figure)
        self.assertLessEqual(max(map(len, figure.splitlines())), 80)
        self.assertEqual(len(re.findall(r"(?m)^[^a-z]*a", figure.split("└")[0].split("against")[1])), 3)

    def test_ascii_where_the_terminal_knows_no_more(self):
        plain = self.attnlab(*self.COMMAND[:-1]).stdout
        for env in ({"LC_ALL": "C", "TERM": "xterm"}, {"LC_ALL": "C.UTF-8", "TERM": "dumb"}):
            figure = self.attnlab(*self.COMMAND, env=env).stdout[len(plain):]
            self.assertTrue(figure.isascii())
            self.assertIn(" +", figure)

    def test_quiet_prints_nothing_and_wrong_uses_are_told(self):
        self.assertEqual(self.attnlab(*self.COMMAND, "--quiet").stdout, "")
        self.assert_mistake(self.attnlab(*self.COMMAND, "--format", "json", code=2), "--plot", "not in json")
        self.assert_mistake(self.attnlab("run", self.config({"experiment": "contract"}), "--plot", code=2),
                            "--plot", "no experiment of the config has a figure")
        self.assert_mistake(self.attnlab("contract", "ij,jk->ik", "--plot", code=2), "--plot", "unknown flag of contract")


if __name__ == "__main__":
    unittest.main()
