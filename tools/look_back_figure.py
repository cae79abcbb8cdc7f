"""The flags of a look-back as an SVG: a column for each tile, what it publishes, which flags it
reads, and how long it waits. From the data of a trace page.
"""

import re

# Four tiles, on a schedule on which some wait.
WAITING = ("--schedule", "random", "--seed", "2")
RUNS = {
    "chained_scan": ("-n", "128", *WAITING),
    "decoupled_lookback": ("-n", "128", *WAITING),
    "tree_lookback": ("-n", "256", *WAITING),
}

COLUMN, GUTTER, LINE, TOP, LEFT = 256, 34, 26, 66, 14
COLORS = {"publish": "#f3e4d6", "wait": "#fbe3d9", "read": "#ffffff", "value": "#eef5fa"}
STROKES = {"publish": "#b35900", "wait": "#c43d00", "read": "#c43d00", "value": "#0072b2"}


def states(trace):
    """{value: name} of the enumeration that the kernel's source has for its flags."""
    for file in trace["files"]:
        for body in re.findall(r"enum \w+[^{;]*\{([^}]*)\}", file["code"]):
            names = [name.split("=")[0].strip() for name in body.split(",")]
            if all(re.fullmatch(r"\w+", name) for name in names):
                return {str(i): name for i, name in enumerate(names)}
    return {}


def flag_buffers(trace):
    """Buffers that some block reads atomically."""
    return {
        cell[3]
        for row in trace["rows"]
        for step in row
        if step["kind"] == "atomic_read"
        for cell in step["cells"]
    }


def events(trace):
    """[(row, block, kind, words, row and column of the flag's writer or None)]"""
    flags, names = flag_buffers(trace), states(trace)
    published = {
        i
        for i, b in enumerate(trace["buffers"])
        if b["space"] == "global" and b["name"] not in ("in", "out", "next_tile")
    }
    found = []
    for r, row in enumerate(trace["rows"]):
        for step in row:
            for cell in step["cells"]:
                if cell[3] not in published or step["kind"] not in (
                    "load",
                    "store",
                    "atomic",
                    "atomic_read",
                ):
                    continue
                place = f"{trace['buffers'][cell[3]]['name']}[{cell[1]}]"
                value = names.get(cell[2], cell[2]) if cell[3] in flags else cell[2]
                times = step.get("times", 1)
                writes = step["kind"] in ("store", "atomic")
                kind = (
                    ("publish" if writes else "wait" if times > 1 else "read")
                    if cell[3] in flags
                    else "value"
                )
                words = f"{place} ← {value}" if writes else f"{place} is {value}"
                if times > 1:
                    words += f" ({times} reads)"
                origin = tuple(cell[4:6]) if len(cell) > 4 and not writes else None
                found.append((r, step["block"], kind, words, origin))
    return found


def tiles(trace):
    """{block: tile}: blocks take tile numbers in the order in which they start."""
    order = {}
    for row in trace["rows"]:
        for step in row:
            for cell in step["cells"]:
                if step["kind"] == "atomic" and trace["buffers"][cell[3]]["name"] == "next_tile":
                    order[step["block"]] = int(cell[2]) - 1
    return order


def place(found, tile):
    """[(x, y, kind, words, origin, top of the row)], {(row, block): (x, y)} of the last box of a
    row, and the height.
    """
    boxes, where, y = [], {}, TOP
    for r in sorted({e[0] for e in found}):
        used = {}
        for _, block, kind, words, origin in (e for e in found if e[0] == r):
            number = used.get(block, 0)
            used[block] = number + 1
            x, top = LEFT + tile[block] * COLUMN, y + number * LINE
            boxes.append((x, top, kind, words, origin, y))
            where[r, block] = (x, top)
        y += max(used.values()) * LINE + 14
    return boxes, where, y


def box(x, top, kind, words):
    dash = ' stroke-dasharray="3 2"' if kind == "wait" else ""
    return (
        f'<rect x="{x}" y="{top}" width="{COLUMN - GUTTER}" height="{LINE - 4}" rx="4" '
        f'fill="{COLORS[kind]}" stroke="{STROKES[kind]}"{dash}/>'
        f'<text x="{x + (COLUMN - GUTTER) / 2}" y="{top + 15}" text-anchor="middle">{words}</text>'
    )


def arrow(writer, x, top, row):
    """Down beside the writer's column, across above the reader's row, down to its line."""
    lane, right = 3 * round((writer[0] - LEFT) / COLUMN), writer[0] + COLUMN - GUTTER
    return (
        f'<path d="M{right} {writer[1] + 11}H{right + 6 + lane}V{row - 4 - lane}'
        f'H{x - 14 + lane}V{top + 11}H{x - 6}" fill="none" stroke="#0072b2" '
        f'stroke-width="1.3" stroke-linejoin="round"/>'
        f'<path d="M{x} {top + 11}l-8 -4v8z" fill="#0072b2"/>'
    )


def elements_of(trace):
    """The number of elements of a run."""
    return next(b["count"] for b in trace["buffers"] if b["name"] == "in")


def figure(trace):
    tile, threads = tiles(trace), trace["launches"][0]["threads"]
    boxes, where, height = place(events(trace), tile)
    parts, arrows, middle = [], [], (COLUMN - GUTTER) / 2
    for block, number in tile.items():
        x = LEFT + number * COLUMN + middle
        parts.append(
            f'<text x="{x}" y="44" text-anchor="middle" font-weight="600">'
            f"tile {number} (block {block})</text>"
            f'<path d="M{x} 52V{height}" stroke="#d8dde3" stroke-width="2"/>'
        )
    for x, top, kind, words, origin, row in boxes:
        parts.append(box(x, top, kind, words))
        writer = where.get((origin[0], origin[1] // threads)) if origin else None
        if writer and writer[0] < x:
            arrows.append(arrow(writer, x, top, row))
    width = LEFT + COLUMN * len(tile)
    return "\n".join(
        [
            f'<svg xmlns="http://www.w3.org/2000/svg" width="{width}" height="{height + 6}" '
            f'viewBox="0 0 {width} {height + 6}" font-family="system-ui, sans-serif" '
            f'font-size="12" role="img" aria-label="flags of {trace["stem"]}">',
            "<style>text{fill:#1b1f24}</style>",
            f'<rect width="{width}" height="{height + 6}" fill="#fff"/>',
            f'<text x="{LEFT}" y="20" font-weight="600">{trace["stem"]}: flags and waiting, '
            f"{elements_of(trace)} elements, time downwards</text>",
            *parts,
            *arrows,
            "</svg>",
            "",
        ]
    )
