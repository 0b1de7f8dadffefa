"""The completion scripts at work in real shells: what is typed with tabs arrives complete."""

import os
import pty
import re
import select
import shutil
import signal
import time
import unittest

from support import AttnlabTest

# What is typed (a tab completes), and the arguments that a program called attnlab must then get.
LINES = [
    ("attnlab var\t--help", ["variance", "--help"]),
    ("attnlab variance --la\tlapl\t", ["variance", "--law", "laplace"]),
    ("attnlab variance --no-pr\t", ["variance", "--no-progress"]),
    ("attnlab variance --law normal,rad\t", ["variance", "--law", "normal,rademacher"]),
    ("attnlab entropy --form\tmarkd\t", ["entropy", "--format", "markdown"]),
    ("attnlab run alph\t", ["run", "alpha.json"]),
    ("attnlab run alpha.json -o fold\t", ["run", "alpha.json", "-o", "folder"]),
    ("attnlab describe entr\t", ["describe", "entropy"]),
    ("attnlab describe claim kv-c\t", ["describe", "claim", "kv-cache"]),
    ("attnlab verify --claim scale-o\t", ["verify", "--claim", "scale-off"]),
    ("attnlab contract --presets scor\t", ["contract", "--presets", "scores"]),
    ("attnlab sweep --kernel fla\t", ["sweep", "--kernel", "flash"]),
    ("attnlab sweep --kernel naive,perf\t", ["sweep", "--kernel", "naive,performer"]),
    ("attnlab schema res\t", ["schema", "results"]),
    ("attnlab plot alph\t--pan\ttime", ["plot", "alpha.json", "--panel", "time"]),
    ("attnlab report alph\t--la\tru", ["report", "alpha.json", "--lang", "ru"]),
    ("attnlab help compl\t", ["help", "completion"]),
]

START = {
    "bash": (["bash", "--norc", "--noprofile", "-i"], "source {script}; PS1='READY> '"),
    "zsh": (["zsh", "-f", "-i"], "autoload -Uz compinit; compinit -D -u; source {script}; PS1='READY> '"),
    "fish": (["fish", "--no-config", "-i"], "source {script}; function fish_prompt; echo -n 'READY> '; end"),
}


class Terminal:
    """A shell in a pseudo-terminal."""

    def __init__(self, command, folder):
        self.text = ""
        self.pid, self.descriptor = pty.fork()
        if self.pid == 0:
            os.chdir(folder)
            os.environ.update(TERM="xterm", HOME=str(folder), PATH=f"{folder}/bin:{os.environ['PATH']}",
                              XDG_CONFIG_HOME=str(folder), XDG_DATA_HOME=str(folder))
            os.execvp(command[0], command)

    def send(self, text):
        os.write(self.descriptor, text.encode())

    def wait(self, pattern, seconds=20):
        """Reads until the pattern comes; the text up to its end is used up."""
        end = time.monotonic() + seconds
        while time.monotonic() < end:
            found = re.search(pattern, self.text)
            if found:
                self.text = self.text[found.end():]
                return found
            if select.select([self.descriptor], [], [], 0.1)[0]:
                try:
                    self.text += os.read(self.descriptor, 65536).decode(errors="replace")
                except OSError:
                    break
        raise AssertionError(f"{pattern!r} did not come, but {self.text!r}")

    def settle(self, quiet=0.25):
        """Reads until nothing comes for a while."""
        while select.select([self.descriptor], [], [], quiet)[0]:
            self.text += os.read(self.descriptor, 65536).decode(errors="replace")

    def close(self):
        os.kill(self.pid, signal.SIGKILL)
        os.waitpid(self.pid, 0)
        os.close(self.descriptor)


class Completion(AttnlabTest):
    def check(self, shell):
        if not shutil.which(shell):
            self.skipTest(f"{shell} is not installed")
        script = self.write(f"completion.{shell}", self.attnlab("completion", shell).stdout)
        self.write("alpha.json", "{}")
        (self.folder / "folder").mkdir()
        (self.folder / "bin").mkdir()
        shown = self.write("bin/attnlab", '#!/bin/sh\nprintf "GOT"; printf "<%s>" "$@"; echo END\n')
        shown.chmod(0o755)
        command, start = START[shell]
        terminal = Terminal(command, self.folder)
        self.addCleanup(terminal.close)
        terminal.settle(1.0)
        terminal.send(start.format(script=script) + "\r")
        terminal.wait(r"READY> .*READY> |READY> ", 30)
        terminal.settle()
        for line, expected in LINES:
            with self.subTest(f"{shell}: {line!r}"):
                terminal.text = ""
                for piece in re.findall(r"[^\t]+|\t", line):
                    terminal.send(piece)
                    if piece == "\t":
                        terminal.settle()
                terminal.send("\r")
                got = terminal.wait(r"GOT((?:<[^>\r\n]*>)*)END").group(1)
                # A shell may write --law=laplace in one word, and leave out the slash of a folder.
                words = [w.rstrip("/") for arg in re.findall(r"<([^>]*)>", got) for w in arg.split("=")]
                self.assertEqual(words, expected)
                terminal.settle()

    def test_bash(self):
        self.check("bash")

    def test_zsh(self):
        self.check("zsh")

    def test_fish(self):
        self.check("fish")


if __name__ == "__main__":
    unittest.main()
