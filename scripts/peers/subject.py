"""One library under test, as a process that answers requests line by line.

Every subject speaks the protocol that tests/attention/bench/serve.cpp describes; serve() is the
peers' side of it. A process of its own keeps a library's threads, allocator and crashes away from
the others."""

import subprocess
import sys
import time


class Refused(Exception):
    """The library cannot do what was asked, with its reason."""


class Subject:
    def __init__(self, name, command):
        self.name = name
        self.process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                                        text=True, bufsize=1)
        self.version = self._answer()

    def ask(self, *words):
        try:
            self.process.stdin.write(" ".join(str(word) for word in words) + "\n")
            self.process.stdin.flush()
        except OSError as error:
            raise Refused(f"its process ended: {error}") from error
        return self._answer()

    def number(self, *words):
        return float(self.ask(*words))

    def _answer(self):
        line = self.process.stdout.readline()
        if not line:
            raise Refused(f"its process ended with {self.process.wait()}")
        verdict, _, rest = line.rstrip("\n").partition(" ")
        if verdict != "ok":
            raise Refused(rest)
        return rest

    def close(self):
        try:
            self.process.stdin.close()
        except OSError:
            pass
        try:
            self.process.wait(timeout=20)
        except subprocess.TimeoutExpired:
            self.process.kill()


def resident_bytes(field):
    """A size of /proc/self/status: VmRSS is what is resident, VmHWM the most that was."""
    with open("/proc/self/status", encoding="ascii") as file:
        for line in file:
            if line.startswith(field + ":"):
                return int(line.split()[1]) * 1024
    raise OSError(f"/proc/self/status has no {field}")


def rise_of_memory(body):
    """Bytes that the process's memory rises at most while body() runs."""
    with open("/proc/self/clear_refs", "w", encoding="ascii") as file:
        file.write("5")  # VmHWM starts again
    before = resident_bytes("VmRSS")
    body()
    return max(0, resident_bytes("VmHWM") - before)


class Shape:
    """n keys, and as many queries or, to decode, one: the last."""

    def __init__(self, heads, n, head_dim, visible):
        self.heads, self.n, self.head_dim, self.visible = heads, n, head_dim, visible
        self.causal, self.decodes = visible == "causal", visible == "decode"
        self.queries = 1 if self.decodes else n

    def smallest(self):
        """One token of one head: what a call of it takes is not attention."""
        return Shape(1, 1, self.head_dim, self.visible)

    def tensor_bytes(self):
        """Of k or v, and of q or o when not decoding."""
        return 4 * self.heads * self.n * self.head_dim


def serve(version, make):
    """Answers requests until the end of input. make(shape, threads, q, k, v) sets an operator up on
    arrays [heads, n, head_dim] (q: [heads, queries, head_dim]) and returns a function that calls it, one that returns its last
    output as such an array, and the bytes of inputs and outputs that both allocate."""
    import numpy

    def load(folder, name, shape):
        array = numpy.fromfile(f"{folder}/{name}.f32", dtype=numpy.float32)
        return array.reshape(shape.heads, shape.n, shape.head_dim)

    def problem(words):
        folder, heads, n, head_dim, visible, threads = words
        shape = Shape(int(heads), int(n), int(head_dim), visible)
        operands = [load(folder, name, shape) for name in "qkv"]
        operands[0] = numpy.ascontiguousarray(operands[0][:, -shape.queries:])
        return shape, int(threads), operands

    def timed(call, calls):
        begin = time.perf_counter()
        for _ in range(calls):
            call()
        return (time.perf_counter() - begin) / calls

    state = {}

    def opened(words):
        state.clear()
        shape, threads, operands = problem(words)
        state["call"], state["output"], _ = make(shape, threads, *operands)
        state["call"]()
        ones = [array[:1, :1].copy() for array in operands]
        state["empty"] = make(shape.smallest(), threads, *ones)[0]
        state["empty"]()

    def memory(words):
        state.clear()
        shape, threads, operands = problem(words)
        known = 0

        def body():
            nonlocal known
            call, _, known = make(shape, threads, *operands)
            call()

        return max(0, rise_of_memory(body) - known)

    def answer(words):
        if words[0] == "open":
            opened(words[1:])
        elif words[0] == "run":
            return timed(state["call"], int(words[1]))
        elif words[0] == "empty":
            return timed(state["empty"], int(words[1]))
        elif words[0] == "output":
            state["output"]().astype(numpy.float32).tofile(words[1])
        elif words[0] == "memory":
            return memory(words[1:])
        elif words[0] == "close":
            state.clear()
        else:
            raise ValueError(f"unknown request {words[0]}")
        return ""

    out = sys.stdout
    sys.stdout = sys.stderr  # what a library prints is no answer
    print(f"ok {version}", file=out, flush=True)
    for line in sys.stdin:
        try:
            print(f"ok {answer(line.split())}", file=out, flush=True)
        except Exception as error:  # whatever a library raises becomes a reason
            text = " ".join(str(error).split()) or type(error).__name__
            print(f"no {text[:300]}", file=out, flush=True)
