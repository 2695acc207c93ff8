#!/usr/bin/env python3
"""Checks the colours of pictures: readers with colour blindness can tell any two apart, and text is readable on each.

    python3 palette.py <dapbridge>

Sources: the matrices of full protanopia, deuteranopia and tritanopia (severity 1.0, linear RGB) are from G. M. Machado,
M. M. Oliveira, L. A. F. Fernandes, "A Physiologically-based Model for Simulation of Color Vision Deficiency", IEEE
Transactions on Visualization and Computer Graphics 15(6), 2009. sRGB is IEC 61966-2-1. The difference of two colours is
CIE 1976 L*a*b* (CIE 15:2004), in which 2.3 can just be noticed. The contrast of text is from WCAG 2.1, 1.4.3, which
requires 4.5."""

import itertools
import re
import subprocess
import sys

LEAST = 20  # least difference of any two colours
FIRST_FOUR = 28  # least difference of any two of the first four, because most pictures have few processes
PAPER = 17  # least difference of a colour and the page's white
CONTRAST = 5  # least contrast of text

VISIONS = {
    "normal": ((1, 0, 0), (0, 1, 0), (0, 0, 1)),
    "protan": ((0.152286, 1.052583, -0.204868), (0.114503, 0.786281, 0.099216), (-0.003882, -0.048116, 1.051998)),
    "deutan": ((0.367322, 0.860646, -0.227968), (0.280085, 0.672501, 0.047413), (-0.011820, 0.042940, 0.968881)),
    "tritan": ((1.255528, -0.076749, -0.178779), (-0.078411, 0.930809, 0.147602), (0.004733, 0.691367, 0.303900)),
}
TO_XYZ = ((0.4124564, 0.3575761, 0.1804375), (0.2126729, 0.7151522, 0.0721750), (0.0193339, 0.1191920, 0.9503041))


def times(matrix, vector):
    return [sum(a * b for a, b in zip(row, vector)) for row in matrix]


def linear(colour):
    """Returns red, green and blue of "#rrggbb" as amounts of light, from 0 to 1."""
    parts = [int(colour[i : i + 2], 16) / 255 for i in (1, 3, 5)]
    return [p / 12.92 if p <= 0.04045 else ((p + 0.055) / 1.055) ** 2.4 for p in parts]


def lab(light):
    white = times(TO_XYZ, (1, 1, 1))
    shares = [v / w for v, w in zip(times(TO_XYZ, light), white)]
    x, y, z = (s ** (1 / 3) if s > 216 / 24389 else (24389 / 27 * s + 16) / 116 for s in shares)
    return 116 * y - 16, 500 * (x - y), 200 * (y - z)


def seen(colour, vision):
    return lab([min(max(p, 0), 1) for p in times(VISIONS[vision], linear(colour))])


def difference(one, other, vision):
    return sum((a - b) ** 2 for a, b in zip(seen(one, vision), seen(other, vision))) ** 0.5


def contrast(one, other):
    light, dark = sorted((times(TO_XYZ, linear(c))[1] + 0.05 for c in (one, other)), reverse=True)
    return light / dark


# Known values check the arithmetic: the ends of the scales, and pairs that look alike.
assert abs(contrast("#ffffff", "#000000") - 21) < 1e-4 and abs(seen("#ffffff", "deutan")[0] - 100) < 1e-3
assert difference("#ff0000", "#00ff00", "normal") > 170 and difference("#808080", "#808080", "tritan") == 0
assert difference("#e6a0c4", "#c8c8c8", "deutan") < 8 < 30 < difference("#e6a0c4", "#c8c8c8", "normal")

picture = subprocess.run([sys.argv[1], "draw", "-o", "-", "8 on 8"], check=True, capture_output=True, text=True).stdout
colours = re.findall(r'class="owner" data-rank="\d" fill="(#[0-9a-f]{6})"', picture)
ink = "#" + 2 * re.search(r"text\{[^}]*fill:#([0-9a-f]{3})\}", picture)[1]
assert len(set(colours)) == 8, colours

faults = 0


def least(what, wanted, found):
    """Checks the smallest value of `found`, a list of pairs of a value and its origin."""
    global faults
    value, of = min(found)
    faults += value < wanted
    print(f"{what:24} {value:5.1f} ({of}), at least {wanted}{'' if value >= wanted else ': TOO LITTLE'}")


for vision in VISIONS:
    for what, of, wanted in (("all", colours, LEAST), ("first four", colours[:4], FIRST_FOUR)):
        pairs = itertools.combinations(of, 2)
        least(f"{vision}, {what}", wanted, [(difference(a, b, vision), f"{a} {b}") for a, b in pairs])
    least(f"{vision}, on white", PAPER, [(difference(c, "#ffffff", vision), c) for c in colours])
least(f"text {ink}", CONTRAST, [(contrast(c, ink), c) for c in colours])
sys.exit(faults > 0)
