"""Times attnlab's fused kernel against its peers; scripts/peers/run starts it.

A point is a shape, full, causal or one query on a cache, and a number of threads. At each point
every library is run on the same random q, k, v and its output held against attnlab's; then rounds
follow in which each is timed once, in an order drawn anew for every round, after a pause in which the workers of the one
before fall asleep. A round gives a pair (attnlab, peer) and so a ratio; the median of the ratios
is printed with its 95 % bootstrap interval. From a peer's time that of a call on one token of one
head is subtracted: Python, and the library's own way to its kernel. Nothing is subtracted from
attnlab's time."""

import argparse
import itertools
import json
import os
import pathlib
import platform
import random
import sys
import tempfile
import time

import numpy
import table
from ratio import median, median_interval
from subject import Refused, Subject

HERE = pathlib.Path(__file__).resolve().parent
PEERS = {
    "onnxruntime-mha": ("onnxruntime", ["peer_onnxruntime.py", "mha"]),
    "onnxruntime-gqa": ("onnxruntime", ["peer_onnxruntime.py", "gqa"]),
    "openvino": ("openvino", ["peer_openvino.py"]),
    "torch": ("torch", ["peer_torch.py"]),
}
LENGTHS = [64, 128, 256, 512, 1024, 2048, 4096, 8192]
HEADS = ["12x64", "4x64", "8x128"]
DECODE = {"n": [1024, 8192, 65536], "heads": ["12x64"], "threads": [1, 2], "visible": ["decode"]}
QUICK = {"n": [64, 512], "heads": ["12x64"], "threads": [1, 2], "visible": ["full", "causal"]}
LONG_CALL = 0.05  # seconds, beside which waking the threads is nothing
MEMORY_SHAPE = ("12x64", 8192)


def parse_arguments():
    def of(kind):
        return lambda text: [kind(part) for part in text.split(",")]

    parser = argparse.ArgumentParser(prog="scripts/peers/run", description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--quick", action="store_true", help="n = 64 and 512 of 12 heads")
    parser.add_argument("--n", type=of(int), help="lengths (64,128,...,8192)")
    parser.add_argument("--heads", type=of(str), help=f"HEADSxSIZE ({','.join(HEADS)})")
    parser.add_argument("--decode", action="store_true",
                        help="one query on n = 1024, 8192 and 65536 keys of 12 heads")
    parser.add_argument("--visible", type=of(str), help="full,causal; decode: one query on n keys")
    parser.add_argument("--threads", type=of(int), help="1,2")
    parser.add_argument("--peers", type=of(str), default=list(PEERS), help=",".join(PEERS))
    parser.add_argument("--rounds", type=int, default=20, help="pairs a point (20)")
    parser.add_argument("--sample", type=float, default=0.01, help="seconds a sample lasts (0.01)")
    parser.add_argument("--pause", type=float, default=0.1,
                        help="seconds before a sample (0.1); ONNX Runtime's workers spin for 0.06")
    parser.add_argument("--memory", choices=["no", "also", "only"], default="also",
                        help="extra memory at n = 8192, 12 heads of 64")
    parser.add_argument("--seed", type=int, default=1, help="of the inputs and the order")
    parser.add_argument("-o", "--output", type=pathlib.Path, default="results/peers.json",
                        help="results; points of an earlier run that are not measured again stay")
    parser.add_argument("--markdown", type=pathlib.Path, help="writes the table there too")
    parser.add_argument("--kernel", default="flash",
                        help="attnlab's (flash); decode has its own")
    parser.add_argument("--driver", help=argparse.SUPPRESS)
    parser.add_argument("--installed", type=pathlib.Path, help=argparse.SUPPRESS)
    options = parser.parse_args()
    for name, all_of_them in [("n", LENGTHS), ("heads", HEADS), ("threads", [1, 2]),
                              ("visible", ["full", "causal"])]:
        if getattr(options, name) is None:
            setattr(options, name, DECODE[name] if options.decode else
                    QUICK[name] if options.quick else all_of_them)
    if options.decode:
        options.memory = "no"
    return options


class Bench:
    def __init__(self, options, folder):
        self.options, self.folder = options, folder
        self.random = random.Random(options.seed)
        self.skipped = {}

    def start(self, peers):
        """attnlab first, then the peers that are there."""
        subjects = [Subject("attnlab", [self.options.driver, self.options.kernel])]
        for name in peers:
            package, script = PEERS[name]
            failed = self.options.installed / f"{package}.failed"
            try:
                if failed.exists():
                    raise Refused(f"pip could not install it: {failed.read_text().strip()}")
                subjects.append(Subject(name, [sys.executable, str(HERE / script[0]), *script[1:]]))
            except Refused as error:
                self.skip(name, str(error))
        return subjects

    def skip(self, name, reason):
        if self.skipped.setdefault(name, reason) == reason:
            print(f"{name}: skipped: {reason}", file=sys.stderr)

    def write_inputs(self, heads, n, head_dim):
        generator = numpy.random.default_rng(self.options.seed)
        for name in "qkv":
            array = generator.standard_normal((heads, n, head_dim), dtype=numpy.float32)
            array.tofile(f"{self.folder}/{name}.f32")
        return float(numpy.abs(array).max())

    def output(self, subject):
        path = f"{self.folder}/{subject.name}.f32"
        subject.ask("output", path)
        out = numpy.fromfile(path, dtype=numpy.float32)
        os.remove(path)
        return out

    def opened(self, subjects, problem, largest_value):
        """Those that can run the problem and agree with attnlab, with the largest difference."""
        ready, expected = [], None
        for subject in subjects:
            try:
                subject.ask("open", self.folder, *problem)
                found = self.output(subject)
            except Refused as error:
                if subject.name == "attnlab":
                    raise
                ready.append((subject, None, str(error)))
                continue
            if expected is None:
                expected = found
            difference = float(numpy.abs(found - expected).max())
            if not difference <= 2e-5 * largest_value:
                ready.append((subject, difference, f"its output differs by {difference:.2g}"))
            else:
                ready.append((subject, difference, None))
        return ready

    def sample(self, subject, calls, call_seconds):
        time.sleep(self.options.pause)
        if call_seconds < LONG_CALL:
            subject.ask("run", 1)
        return subject.number("run", calls)

    def measure(self, subjects, heads_text, n, visible, threads):
        heads, head_dim = (int(part) for part in heads_text.split("x"))
        largest = self.write_inputs(heads, n, head_dim)
        ready = self.opened(subjects, (heads, n, head_dim, visible, threads), largest)
        runs, calls, seconds, empty = {}, {}, {}, {}
        for subject, _, reason in ready:
            if reason is None:
                seconds[subject] = min(subject.number("run", 1) for _ in range(3))
                calls[subject] = max(1, round(self.options.sample / seconds[subject]))
                runs[subject] = []
                time.sleep(self.options.pause)
                empty[subject] = median([subject.number("empty", 50) for _ in range(11)])
        for _ in range(self.options.rounds):
            order = list(runs)
            self.random.shuffle(order)
            for subject in order:
                runs[subject].append(self.sample(subject, calls[subject], seconds[subject]))
        point = {"heads": heads, "head_dim": head_dim, "n": n, "visible": visible,
                 "threads": threads, "attnlab": median(runs[subjects[0]]),
                 "attnlab_samples": runs[subjects[0]], "peers": {}}
        for subject, difference, reason in ready[1:]:
            found = point["peers"][subject.name] = {"difference": difference, "reason": reason}
            if reason is not None:
                continue
            net = [max(time_ - empty[subject], 0.0) for time_ in runs[subject]]
            ratios = [peer / own for peer, own in zip(net, runs[subjects[0]])]
            low, high = median_interval(ratios, self.options.seed)
            found.update(time=median(net), empty=empty[subject], samples=runs[subject],
                         ratio=median(ratios), low=low, high=high)
        for subject in subjects:
            subject.ask("close")
        return point

    def memory(self, name, visible, threads):
        """Extra bytes of one subject, in a process that has only run a short problem before."""
        heads_text, n = MEMORY_SHAPE
        heads, head_dim = (int(part) for part in heads_text.split("x"))
        subjects = self.start([] if name == "attnlab" else [name])
        try:
            if subjects[-1].name != name:
                return None
            self.write_inputs(heads, 64, head_dim)
            subjects[-1].ask("open", self.folder, heads, 64, head_dim, visible, threads)
            self.write_inputs(heads, n, head_dim)
            return subjects[-1].number("memory", self.folder, heads, n, head_dim, visible, threads)
        except Refused as error:
            print(f"{name}, {visible}: no memory figure: {error}", file=sys.stderr)
            return None
        finally:
            for subject in subjects:
                subject.close()


def save(path, result):
    path.parent.mkdir(parents=True, exist_ok=True)
    temporary = path.with_suffix(".tmp")
    temporary.write_text(json.dumps(result, indent=1) + "\n")
    temporary.rename(path)


def cpu_name():
    with open("/proc/cpuinfo", encoding="utf-8") as file:
        for line in file:
            if line.startswith("model name"):
                return line.partition(":")[2].strip()
    return platform.machine()


def main():
    options = parse_arguments()
    result = {"points": [], "memory": []}
    if options.output.exists():
        result = json.loads(options.output.read_text())
    with tempfile.TemporaryDirectory() as folder:
        bench = Bench(options, folder)
        result["cpu"] = cpu_name()
        if options.memory != "only":
            subjects = bench.start(options.peers)
            result.setdefault("versions", {}).update({s.name: s.version for s in subjects})
            print(table.header([s.name for s in subjects[1:]]), flush=True)
            for point in itertools.product(options.heads, options.threads, options.visible,
                                           options.n):
                heads, threads, visible, n = point
                found = bench.measure(subjects, heads, n, visible, threads)
                table.replace(result["points"], found, table.POINT_KEYS)
                print(table.row(found, [s.name for s in subjects[1:]]), flush=True)
                save(options.output, result)
            for subject in subjects:
                subject.close()
        if options.memory != "no":
            for name, visible in itertools.product(["attnlab", *options.peers],
                                                   options.visible):
                found = bench.memory(name, visible, 1)
                if found is not None:
                    table.replace(result["memory"],
                                  {"library": name, "visible": visible, "bytes": found},
                                  ("library", "visible"))
            save(options.output, result)
            print(table.memory_table(result["memory"]))
    if options.markdown:
        options.markdown.write_text(table.markdown(result))
    print(table.summary(result["points"]))
    return 0


if __name__ == "__main__":
    sys.exit(main())
