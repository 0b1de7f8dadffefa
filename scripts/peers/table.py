"""The results of scripts/peers as text: rows while it runs, markdown afterwards."""

POINT_KEYS = ("heads", "head_dim", "n", "visible", "threads")


def replace(rows, new, keys):
    """Puts a row in the place of the one with the same keys, or at the end."""
    for i, row in enumerate(rows):
        if all(row[key] == new[key] for key in keys):
            rows[i] = new
            return
    rows.append(new)


def seconds_text(seconds):
    return f"{1e3 * seconds:.3g}" if seconds < 0.9995 else f"{1e3 * seconds:.0f}"


def header(peers):
    cells = ["heads", "threads", "visible", "n", "attnlab, ms"]
    for peer in peers:
        cells += [f"{peer}, ms", "ratio [95 %]"]
    return " | ".join(cells)


def cells_of(found):
    if found is None:
        return ["", ""]
    if found["reason"] is not None:
        return ["-", found["reason"]]
    return [seconds_text(found["time"]),
            f"{found['ratio']:.2f} [{found['low']:.2f}, {found['high']:.2f}]"]


def row(point, peers, long_reasons=True):
    cells = [f"{point['heads']}x{point['head_dim']}", str(point["threads"]), point["visible"],
             str(point["n"]), seconds_text(point["attnlab"])]
    for peer in peers:
        time, ratio = cells_of(point["peers"].get(peer))
        cells += [time, ratio if long_reasons or "[" in ratio else ""]
    return " | ".join(cells)


def peer_names(points):
    out = []
    for point in points:
        out += [peer for peer in point["peers"] if peer not in out]
    return out


def memory_table(rows):
    libraries = list(dict.fromkeys(row["library"] for row in rows))
    lines = ["library | visible | extra memory, MB"]
    for library in libraries:
        lines += [f"{library} | {row['visible']} | {row['bytes'] / 1e6:.1f}"
                  for row in rows if row["library"] == library]
    return "\n".join(lines)


def summary(points):
    """How many of the pairs of a peer and a point are ahead, level, behind."""
    ahead = level = 0
    behind = []
    for point in points:
        for peer, found in point["peers"].items():
            if found["reason"] is not None:
                continue
            if found["low"] > 1:
                ahead += 1
            elif found["high"] < 1:
                behind.append(f"{peer} at {row(point, [])}: {cells_of(found)[1]}")
            else:
                level += 1
    lines = [f"ahead of the peer: {ahead}, cannot be told: {level}, behind: {len(behind)}"]
    return "\n".join(lines + behind)


def markdown(result):
    def table(text):
        lines = text.split("\n")
        rule = "|".join(["---"] * len(lines[0].split(" | ")))
        return "\n".join(f"| {line} |" for line in [lines[0]]) + f"\n|{rule}|\n" + "\n".join(
            f"| {line} |" for line in lines[1:])

    peers = peer_names(result["points"])
    order = {"full": 0, "causal": 1, "decode": 2}
    points = sorted(result["points"], key=lambda p: (p["head_dim"], -p["heads"], p["threads"],
                                                     order[p["visible"]], p["n"]))
    parts = [f"Processor: {result['cpu']}. " + "; ".join(
        f"{name}: {version}" for name, version in result["versions"].items()) + "."]
    parts.append(table("\n".join([header(peers)] + [row(p, peers, False) for p in points])))
    if result["memory"]:
        parts.append(table(memory_table(result["memory"])))
    parts.append(summary(points))
    return "\n\n".join(parts) + "\n"
