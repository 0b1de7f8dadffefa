"""The output that README.md shows is what its command prints (numbers within 0.2 %: libraries round differently).

`python3 readme_test.py --write` puts the present output there.
"""

import re
import subprocess
import sys
import unittest

from support import BINARY, SOURCE, AttnlabTest

BLOCK = re.compile(r"(<!-- output: attnlab (.+?) -->\n)(.*?)(<!-- end -->)", re.S)
NUMBER = re.compile(r"-?\d+(?:\.\d+)?(?:e[-+]?\d+)?")


def output_of(arguments, folder):
    done = subprocess.run([BINARY, *arguments.split()], capture_output=True, text=True, cwd=folder, check=True,
                          env={"COLUMNS": "80", "PATH": ""})
    return "\n```text\n" + done.stdout + "```\n\n"


class Readme(AttnlabTest):
    def test_shows_real_output(self):
        (self.folder / "configs").symlink_to(SOURCE / "configs")
        blocks = BLOCK.findall((SOURCE / "README.md").read_text())
        self.assertTrue(blocks)
        for _, arguments, shown, _ in blocks:
            printed = output_of(arguments, self.folder)
            self.assertEqual(re.sub(r" +", " ", NUMBER.sub("#", shown)), re.sub(r" +", " ", NUMBER.sub("#", printed)))
            for a, b in zip(NUMBER.findall(shown), NUMBER.findall(printed)):
                self.assertAlmostEqual(float(a), float(b), delta=2e-3 * abs(float(b)) + 1e-9)


if __name__ == "__main__":
    if sys.argv[1:] == ["--write"]:
        readme = SOURCE / "README.md"
        text = BLOCK.sub(lambda m: m[1] + output_of(m[2], SOURCE) + m[4], readme.read_text())
        readme.write_text(text)
    else:
        unittest.main()
