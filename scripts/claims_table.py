#!/usr/bin/env python3
"""Puts the verdicts of a result into the table of docs/claims.md.

    attnlab run configs/claims.json && scripts/claims_table.py results/claims/result.json

Usage: claims_table.py RESULT [PAGE]. What stands between the page's two marks is replaced.
"""

import json
import pathlib
import sys

BEGIN, END = "<!-- verdicts: scripts/claims_table.py -->\n", "<!-- end -->"


def cell(text):
    return str(text or "").replace("|", "\\|")


def table(result):
    rows = next(t["rows"] for t in result["tables"] if t["experiment"] == "verify")
    machine = result["provenance"]
    yield f"{machine['cpu']}, {machine['start'][:10]}, version {machine['version']}, {machine['duration']:.0f} s:\n\n"
    yield "| claim | kind | expected | verdict | measured | reason |\n|---|---|---|---|---|---|\n"
    for row in rows:
        yield "| " + " | ".join(cell(row[key]) for key in ("claim", "kind", "expected", "verdict", "measured", "reason")) + " |\n"


def main():
    result = json.loads(pathlib.Path(sys.argv[1]).read_text())
    page = pathlib.Path(sys.argv[2]) if len(sys.argv) > 2 else pathlib.Path(__file__).parents[1] / "docs/claims.md"
    if result["status"] != "complete":
        sys.exit(f"{sys.argv[1]}: the run is {result['status']}")
    before, rest = page.read_text().split(BEGIN)
    _, after = rest.split(END, 1)
    page.write_text(before + BEGIN + "\n" + "".join(table(result)) + "\n" + END + after)


if __name__ == "__main__":
    main()
