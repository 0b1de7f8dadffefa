#!/usr/bin/env python3
"""Fails when an #include breaks the arrows between the modules (docs/architecture.md).

Usage: check_includes.py [SOURCE_DIR]
"""

import pathlib
import re
import sys

# Which modules' headers a module may include, besides its own. Every module may include base.
ARROWS = {
    "base": set(),
    "random": {"machine"},
    "tensor": {"machine"},
    "io": {"tensor", "cost"},
    "machine": set(),
    "attention": {"cost", "tensor", "machine", "random"},
    "analysis": {"attention", "tensor", "random", "machine"},
    "cost": set(),
    "measure": {"machine"},
    "report": set(),
    "compare": {"measure", "report"},
    "experiments": {"attention", "analysis", "cost", "measure", "random", "io", "machine", "tensor", "report"},
    "app": {"compare", "experiments", "attention", "analysis", "cost", "measure", "random", "io", "machine", "tensor", "report"},
}
# Libraries that only one room may know.
ONLY_IN = {
    "CLI/": ("app/arguments.cpp",),
    "cblas": ("lib/tensor/", "lib/machine/blas"),
}
# Kernels know no JSON, no tables and no clocks.
FORBIDDEN = {
    "lib/attention/": ("nlohmann/", "base/json.h", "base/parameter", "chrono"),
    "lib/tensor/": ("nlohmann/", "base/json.h", "base/parameter", "chrono"),
}
INCLUDE = re.compile(r'^\s*#\s*include\s*([<"])([^>"]+)[>"]')


def module_of(path):
    parts = path.parts
    return parts[1] if parts[0] == "lib" else parts[0]


def mistakes_in(root):
    for path in sorted([*root.glob("lib/**/*.[ch]*"), *root.glob("app/**/*.[ch]*")]):
        if path.suffix not in (".h", ".cpp"):
            continue
        name = path.relative_to(root)
        module = module_of(name)
        if module not in ARROWS:
            yield f"{name}: module {module} is not in ARROWS of scripts/check_includes.py"
            continue
        for number, line in enumerate(path.read_text().splitlines(), 1):
            match = INCLUDE.match(line)
            if not match:
                continue
            quote, target = match.groups()
            place = f"{name}:{number}"
            first = target.split("/")[0]
            if quote == '"' and first in ARROWS and first not in ARROWS[module] | {module, "base"}:
                yield f"{place}: {module} must not include {target}"
            for library, rooms in ONLY_IN.items():
                if target.startswith(library) and not str(name).startswith(rooms):
                    yield f"{place}: only {', '.join(rooms)} may include {target}"
            for room, names in FORBIDDEN.items():
                if str(name).startswith(room) and target.startswith(names):
                    yield f"{place}: {room} must not include {target}"


def cycles():
    """The arrows themselves must not run in a circle."""
    seen, path = set(), []

    def visit(module):
        if module in path:
            yield "arrows run in a circle: " + " -> ".join([*path[path.index(module):], module])
            return
        if module in seen:
            return
        path.append(module)
        for target in sorted(ARROWS[module]):
            yield from visit(target)
        path.pop()
        seen.add(module)

    for module in ARROWS:
        yield from visit(module)


def main():
    root = pathlib.Path(sys.argv[1] if len(sys.argv) > 1 else ".").resolve()
    found = [*mistakes_in(root), *cycles()]
    for line in found:
        print(line)
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
