#!/usr/bin/env python3
"""Reads pictures back and checks them: each owner's rectangles cover exactly the elements that it owns. The legend
counts these elements, and --json names the same owners.

    python3 pictures.py <dapbridge>
"""

import collections
import itertools
import json
import os
import re
import subprocess
import sys
import tempfile
import xml.etree.ElementTree as ET

SVG = "{http://www.w3.org/2000/svg}"
COMMAND = sys.argv[1]

# Rows: layout, plane (None: the default), number of elements drawn along each axis of the picture (None: all).
CASES = [
    ("scalar", None, None),
    ("7 on 3", None, None),
    ("9 on 2: c(2, first 1)", None, None),
    ("12x16 on 2x3: b(halo 1), b(halo 2)", None, None),
    ("20x30 on 2x2: b(halo 1, boundary 2 1), b(boundary 1 1)", None, None),
    ("8x6 on 2x1: b(halo 2, periodic, wraps), b", None, None),
    ("10x12 on 2x3: b[1,9], c(2)", None, None),
    ("10 on 3: u[5,0,~3,4][1,6,7,9][~4,2,~1,8,3]", None, None),
    ("6x5 on 2x2: u[5,0,2][1,3,4], b", None, None),
    ("4x3 on 2x3; ranks 2 0 1 3 5 4", None, None),
    ("10x12x8 on 2x2x2: b, c(3), b(halo 1)", None, None),
    ("10x12x8 on 2x2x2: b, c(3), b(halo 1)", "3,:,:", None),
    ("10x12x8 on 2x2x2: b, c(3), b(halo 1)", ":,4,7", None),
    ("10x12x8 on 2x2x2: b, c(3), b(halo 1)", ":,11,:", None),
    ("10x12x8 on 3x2x2", "9,:,:", None),
    ("10x12x8 on 2x2x2: b, r, b", "9,:,:", None),
    ("10x12x8 on 2x2x2: b, r, b", ":,3,:", None),
    ("12 on 5: b[4,0,4,0,4]", None, None),
    ("12x4 on 3x1: b, n", ":,2", None),
    ("100x70 on 10x10", None, None),
    ("150x150 on 4x4: c(4), c(4)", None, None),
    ("3000x3000 on 4x4: c, c", None, (48, 48)),
    ("5x1000000 on 1x300: b, c(5)", None, (5, 480)),
    ("5x4 on 1x2: b, r", None, None),
]


def run(*arguments):
    return subprocess.run([COMMAND, *arguments], check=True, capture_output=True, text=True).stdout


def owned(dim):
    """Returns the indices that a dictionary owns. For lists it returns all, and the caller finds the first owner."""
    kind = dim.get("dist_type")
    if kind == "b":
        low, high = dim.get("padding", [0, 0])
        first, last = dim["proc_grid_rank"] == 0, dim["proc_grid_rank"] == dim["proc_grid_size"] - 1
        if dim.get("periodic") and dim["version"] == "0.9.0":
            return range(dim["start"], dim["stop"])
        return range(dim["start"] + (0 if first else low), dim["stop"] - (0 if last else high))
    if kind == "c":
        size = dim.get("block_size", 1)
        step = size * dim["proc_grid_size"]
        starts = range(dim["start"], dim["size"], step)
        return itertools.chain.from_iterable(range(s, min(s + size, dim["size"])) for s in starts)
    return dim["indices"]


def owners(words, axis, shown, ghosts):
    """Returns the coordinate that owns each of the first `shown` indices along an axis."""
    result = {}
    for part in json.loads(run("layout", words)):
        dim = {**part["dim_data"][axis], "version": part["__version__"]}
        coord = dim.get("proc_grid_rank", 0)
        for index in range(shown) if "dist_type" not in dim else owned(dim):
            if index < shown and (coord, index) not in ghosts:
                result[index] = min(coord, result.get(index, coord))
    return result


def rectangles(group):
    for r in group.findall(f"{SVG}rect"):
        x, y, width, height = (int(r.get(k)) for k in ("x", "y", "width", "height"))
        assert width > 0 and height > 0
        yield range(y, y + height), range(x, x + width)


def check_legend(words, root, found):
    """Checks that the legend lists the drawn processes with their counts. Processes that share a colour are listed
    by rank."""
    texts = [t.text for t in root.iter(f"{SVG}text") if t.get("class") == "note"]
    counts = collections.Counter(found.values())
    listed = dict(re.match(r"process (\d+): (\d+) element", t).groups() for t in texts if t.startswith("process "))
    if listed:
        for rank, count in listed.items():
            assert int(count) == counts[int(rank)], (words, rank, count, counts)
    else:
        assert "colours repeat:" in texts, (words, texts)
        sharing = [t for t in texts if re.fullmatch(r"[\d, ]+( \.\.\.)?", t)]
        listed = {n: 0 for t in sharing for n in re.findall(r"\d+", t)}
        assert any("..." in t for t in sharing) or set(map(int, listed)) == set(counts), (words, listed)
        return
    assert set(counts) <= set(map(int, listed)), (words, listed, counts)


def check_place(words, root):
    """Checks that the drawing begins at the same place of every page, also if it begins with padding beyond the
    array's ends."""
    drawing = next(g for g in root.iter(f"{SVG}g") if "scale" in g.get("transform", ""))
    x, y, wide, high = (float(n) for n in re.findall(r"[\d.]+", drawing.get("transform")))
    drawn = [r for group in drawing.iter(f"{SVG}g") for r in rectangles(group)]
    top = y + high * min(rows.start for rows, _ in drawn)
    left = x + wide * min(columns.start for _, columns in drawn)
    assert abs(left - 84) < 0.01 and abs(top - 92) < 0.01, (words, left, top)


def check_json(words, facts, found, drawn):
    """Checks that the table of owners in the JSON equals the picture."""
    of = [facts[k] for k in ("rows", "columns")]
    assert [a and a["axis"] for a in of] == [None] * (2 - len(drawn)) + drawn, (words, of)
    assert [k for k, at in enumerate(facts["plane"]) if at is None] == drawn, (words, facts)
    rows, columns = ([range(*s) for s in a["stretches"]] if a else [range(1)] for a in of)
    table = {}
    for row, owners in zip(rows, facts["owners"], strict=True):
        for column, rank in zip(columns, owners, strict=True):
            table.update({at: rank for at in itertools.product(row, column)})
    assert table == found, (words, "owners")


def check(words, plane, shown):
    root = ET.fromstring(run("draw", "--output", "-", *(["--plane", plane] if plane else []), words))
    facts = json.loads(run("describe", "--json", words))
    shape, grid = facts["shape"], facts["grid"]
    cut = [None if p == ":" else int(p) for p in plane.split(",")] if plane else [None, None] + [0] * 6
    drawn = [k for k in range(len(shape)) if cut[k] is None]
    extents = list(shown or [shape[k] for k in drawn])
    ghosts = {(0, 3), (2, 4), (2, 1)} if "~" in words else set()
    along = [owners(words, k, extents[drawn.index(k)] if k in drawn else cut[k] + 1, ghosts) for k in range(len(shape))]
    ranks = facts.get("ranks") or range(facts["processes"])

    def rank_of(indices):
        position = 0
        for k, index in enumerate(indices):
            position = position * grid[k] + along[k][index]
        return ranks[position]

    found = {}
    for group in root.iter(f"{SVG}g"):
        if group.get("class") != "owner":
            continue
        for rows, columns in rectangles(group):
            for element in itertools.product(rows, columns):
                assert element not in found, (words, element, "is drawn twice")
                found[element] = int(group.get("data-rank"))
    pages = [[0], [0]][: 2 - len(drawn)] + [range(e) for e in extents]
    assert len(found) == len(pages[0]) * len(pages[1]), (words, len(found))
    for element, rank in found.items():
        indices, rest = list(cut[: len(shape)]), list(element[2 - len(drawn) :])
        for k in drawn:
            indices[k] = rest.pop(0)
        assert rank == rank_of(indices), (words, element, rank)
    check_legend(words, root, found)
    check_place(words, root)
    arguments = ["draw", "--json", *(["--plane", plane] if plane else []), words]
    check_json(words, json.loads(run(*arguments)), found, drawn)
    hatched = [g for g in root.iter(f"{SVG}g") if g.get("class") == "copied"]
    wants = any("halo" in a or "~" in a for a in [words]) and not (plane and ":,11" not in plane and plane[0] == ":")
    if not plane and len(shape) > 2:
        wants = False
    assert bool(hatched) == wants, (words, plane, "hatches")


def check_matrix():
    """Checks that the cells of the picture of `plan` are the pairs of its JSON."""
    sides = ("30x30 on 2x2", "30x30 on 2x3: c(4), c(4)")
    root = ET.fromstring(run("plan", "--output", "-", *sides))
    cells = [
        [int(r.get(f"data-{k}")) for k in ("from", "to", "bytes")]
        for r in root.iter(f"{SVG}rect")
        if r.get("class") == "pair"
    ]
    pairs = json.loads(run("plan", "--json", *sides))["pairs"]
    assert sorted(cells) == sorted(pairs) and sum(p[2] for p in pairs) == 900 * 8


def check_names():
    """Checks that the picture is XML for any name of a document or a file. Bytes that are not text show as '?'."""
    part = {"__version__": "0.10.0", "dim_data": [{}], "buffer_shape": [4]}
    names = [
        # Rows: name of the document, name of the file, heading in the picture.
        ("plain", b"plain.json", "plain.json plain"),
        ("<&\">", b"<&'>.json", "<&'>.json <&\">"),
        ("\u00e4\u20ac\U0001f600", b"\xc3\xa4.json", "\u00e4.json \u00e4\u20ac\U0001f600"),
        ("a\u0001b\u001bc\nd", b"a\x01b.json", "a?b.json a?b?c?d"),
        ("\ufffe\uffff\ufffd", b"\xef\xbf\xbf.json", "???.json ??????\ufffd"),
        ("latin", b"f\xfcr \xe4.json", "f?r ?.json latin"),
        ("cut", b"\xc3.json\xe2\x82", "?.json?? cut"),
        ("too long", b"\xc0\xaf\xe0\x80\xaf\xf0\x80\x80\xaf", "????????? too long"),
        ("surrogate", b"\xed\xa0\x80\xf4\x90\x80\x80\xff", "???????? surrogate"),
        ("\u00e4" * 80, b"cut.json", "cut.json " + "\u00e4" * 50),
        ("x" + "\u00e4" * 80, b"cut.json", "cut.json x" + "\u00e4" * 49 + "?"),
    ]
    with tempfile.TemporaryDirectory() as folder:
        for name, file, said in names:
            with open(os.path.join(os.fsencode(folder), file), "w", encoding="utf-8") as stream:
                json.dump({"name": name, "ranks": [part]}, stream)
            command = [os.fsencode(COMMAND), b"draw", b"-o", b"-", file]
            svg = subprocess.run(command, check=True, capture_output=True, cwd=folder).stdout
            texts = [t.text for t in ET.fromstring(svg).iter(f"{SVG}text")]
            assert said in texts, (name, file, said, texts)
            command[1:4] = [b"describe", b"--json"]
            line = subprocess.run(command, check=True, capture_output=True, cwd=folder).stdout
            assert json.loads(line)["shape"] == [4], line


for case in CASES:
    check(*case)
check_matrix()
check_names()
big = run("draw", "--output", "-", "1000000000x1000000000 on 1000x1000: c, c")
assert len(big) < 2000000, len(big)
print(len(CASES), "pictures")
