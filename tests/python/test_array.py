"""Tests arrays: their elements, memory, halos, and refusals."""

import gc
import itertools
import math
import re
import xml.etree.ElementTree as ET

import numpy as np
import pytest
from maps import check, fill, ramp, same_error

import dapbridge
import dapbridge.draw

TYPES = ["?", "i1", "u1", "i2", "u2", "i4", "u4", "i8", "u8", "f2", "f4", "f8", "f16", "c8", "c16", "c32"]


@pytest.mark.parametrize("name", TYPES)
def test_types(comm, name):
    whole = ramp((7, 3), name)
    a = dapbridge.from_global(whole if comm.rank == comm.size - 1 else None, comm, root=comm.size - 1)
    assert a.dtype == np.dtype(name)
    check(a, whole)
    assert a.gather().dtype == np.dtype(name)
    np.testing.assert_array_equal(a.gather(), whole)


@pytest.mark.parametrize("name", ["local", "owned"])
@pytest.mark.parametrize("dist", ["block", dapbridge.padded(1), dapbridge.cyclic(2)], ids=repr)
def test_assignment_in_place(comm, name, dist):
    """`a.local += x` assigns its own result. Any other assignment is refused, and changes nothing."""
    a = fill(dapbridge.zeros((3 * comm.size, 4), comm, dist), ramp((3 * comm.size, 4)))
    before = getattr(a, name).copy()
    if name == "local":
        a.local += 1
        a.local[:1] *= 2
    else:
        a.owned += 1
        a.owned[:1] *= 2
    expected = before + 1
    expected[:1] *= 2
    np.testing.assert_array_equal(getattr(a, name), expected)
    for other in (before, 0.0, a.local[:0], a.local.T, a.local[::-1], None):
        with pytest.raises(AttributeError, match=rf"write a.{name}\[...\] = x"):
            setattr(a, name, other)
    np.testing.assert_array_equal(getattr(a, name), expected)


def test_assignment_in_place_of_nothing(comm):
    part = dapbridge.zeros(comm.size, comm)[:1]
    part.local += 1
    assert part.gather() == 1


def test_scalar(comm):
    a = dapbridge.from_global(np.arange(6.0), comm)[4]
    assert (a.shape, a.ndim, a.size) == ((), 0, 1)
    assert a.gather() == 4
    assert (a.rank >= 0) == (a.comm.size == 1 if a.comm else False)


def test_of_parts_without_a_copy(comm):
    part = np.full((comm.rank + 2, 5), comm.rank)
    a = dapbridge.array(part, comm)
    assert a.shape == (sum(r + 2 for r in range(comm.size)), 5)
    assert np.shares_memory(a.local, part)
    a.local[0, 0] = 77
    assert part[0, 0] == 77


@pytest.mark.parametrize("order", ["C", "F"])
def test_of_parts_with_strides(comm, order):
    wide = np.zeros((8, 10), order=order)
    part = wide[::2, 9:1:-2]
    part[...] = np.arange(16).reshape(4, 4) + 16 * comm.rank
    a = dapbridge.array(part, comm)
    assert a.local.strides == part.strides
    np.testing.assert_array_equal(a.gather(), np.arange(16 * comm.size).reshape(-1, 4))


def test_of_parts_with_padding(comm):
    n = [3 + r for r in range(comm.size)]
    low, high = int(comm.rank > 0), int(comm.rank < comm.size - 1)
    part = np.full(low + n[comm.rank] + high, -1.0)
    first = sum(n[: comm.rank])
    part[low : low + n[comm.rank]] = np.arange(first, first + n[comm.rank])
    a = dapbridge.array(part, comm, dapbridge.padded(1))
    assert a.shape == (sum(n),)
    assert a.owned.base is not None and len(a.owned) == n[comm.rank]
    np.testing.assert_array_equal(a.owned, np.arange(first, first + n[comm.rank]))
    if comm.size > 1:
        a.halo_update()
    np.testing.assert_array_equal(part, np.arange(first - low, first + n[comm.rank] + high))


def test_of_lists_with_ghosts(comm):
    p = comm.size
    own = np.arange(3) * p + comm.rank
    ghost = (own[:1] + 1) % (3 * p) if p > 1 else own[:0]
    listed = np.concatenate([own, ghost])
    values = np.concatenate([10.0 * own, -1.0 + 0 * ghost])
    a = dapbridge.array(values, comm, dapbridge.unstructured(listed, owned=3))
    assert a.shape == (3 * p,)
    np.testing.assert_array_equal(a.indices()[0], listed)
    np.testing.assert_array_equal(a.owned, 10.0 * own)
    if p > 1:
        a.halo_update()
        np.testing.assert_array_equal(values, 10.0 * listed)
        a.halo_reverse("sum")
        ghosts = [(r + 1) % (3 * p) for r in range(p)]
        check(a, np.array([10.0 * i * (1 + ghosts.count(i)) for i in range(3 * p)]))


def test_local_lives_longer_than_the_array(comm):
    part = np.arange(1000.0)
    views = [dapbridge.array(part, comm).local, dapbridge.full(10, 3.5, comm).local]
    del part
    gc.collect()
    np.ones(100_000)
    assert views[0].sum() == 499500
    assert set(views[1]) <= {3.5}


def test_other_byte_order(comm):
    whole = ramp((4 * comm.size, 3), "c16")
    mine = whole[4 * comm.rank : 4 * comm.rank + 4].astype(">c16")
    a = dapbridge.array(mine, comm)
    assert a.dtype == np.dtype(">c16") and a.local.dtype == np.dtype(">c16")
    np.testing.assert_array_equal(a.local, mine)
    np.testing.assert_array_equal(a.gather(), whole)
    check(a.redistribute(["local", "cyclic"]), whole)
    b = dapbridge.from_global(whole, comm, ["local", "cyclic"]).redistribute(out=dapbridge.array(mine * 0, comm))
    np.testing.assert_array_equal(b.local, mine)


def test_read_only(comm):
    mine = np.arange(6.0)
    mine.flags.writeable = False
    a = dapbridge.array(mine, comm)
    assert not a.local.flags.writeable and not a.owned.flags.writeable
    with pytest.raises(ValueError):
        a.local[0] = 1
    np.testing.assert_array_equal(a.gather(), np.tile(mine, comm.size))
    same_error(comm, dapbridge.ArrayBufferError, lambda: dapbridge.like(a).redistribute(out=a))


@pytest.mark.parametrize("last_only", [True, False])
@pytest.mark.parametrize("wrong", ["read-only", "overlaps"])
def test_no_element_is_written_if_one_target_is_wrong(comm, wrong, last_only):
    """All processes must raise, including those whose own target is right."""
    memory = np.arange(10.0)
    target = np.full(6, -1.0)
    if comm.rank == comm.size - 1 or not last_only:
        if wrong == "read-only":
            target.flags.writeable = False
        else:
            target = memory[4:]
    before = target.copy()
    a, out = dapbridge.array(memory[:6], comm), dapbridge.array(target, comm)
    kind = dapbridge.ArrayBufferError if wrong == "read-only" else dapbridge.ArgumentError
    assert wrong in str(same_error(comm, kind, lambda: a.redistribute(out=out)))
    np.testing.assert_array_equal(target, before)


@pytest.mark.parametrize("change", ["transposed", "conjugate", "scaled"])
def test_no_element_is_written_if_an_array_is_its_own_target(comm, change):
    """Processes without elements would not notice it, and must raise as well."""
    a = fill(dapbridge.zeros((1, 1), comm, dtype=complex), ramp((1, 1), complex) + 1j)
    call = {
        "transposed": lambda: a.T.redistribute(out=a),
        "conjugate": lambda: a.conj().redistribute(out=a),
        "scaled": lambda: a.redistribute(out=a, alpha=2),
    }[change]
    same_error(comm, dapbridge.ArgumentError, call)
    check(a, ramp((1, 1), complex) + 1j)
    a.redistribute(out=a)
    check(a, ramp((1, 1), complex) + 1j)


@pytest.mark.parametrize("shared", [True, False])
@pytest.mark.parametrize("order", ["C", "F"])
def test_new(comm, order, shared):
    a = dapbridge.zeros((6, 8), comm, ["block", "cyclic"], "c8", order=order, shared=shared)
    assert not a.local.any()
    assert a.local.flags[f"{order}_CONTIGUOUS"]
    assert dapbridge.like(a).layout == a.layout
    assert dapbridge.like(a, "i2").dtype == np.int16
    assert dapbridge.full((3, 3), 2 + 1j, comm).gather().tolist() == [[2 + 1j] * 3] * 3
    b = dapbridge.from_function(lambda i, j: 100 * i + j, (6, 8), comm, ["cyclic", "block"])
    check(b, np.fromfunction(lambda i, j: 100 * i + j, (6, 8)))


@pytest.mark.parametrize("wraps", [False, True])
def test_halo(comm, wraps):
    whole = ramp((6 * comm.size, 5))
    a = fill(dapbridge.zeros(whole.shape, comm, dapbridge.padded(2, wraps=wraps)), whole)
    if comm.size == 1 and not wraps:
        return
    a.halo_update()
    check(a, whole, copies=True)
    a.halo_reverse(padding="clear")
    times = np.zeros(whole.shape[0])
    for indices in comm.allgather(a.indices()[0]):
        np.add.at(times, indices, 1)
    check(a, whole * times[:, None])
    a.halo_update()
    a.halo_reverse("max", "refresh")
    check(a, whole * times[:, None], copies=True)


def test_halo_of_nothing(comm):
    a = dapbridge.zeros(10, comm)
    if comm.size > 1:
        error = same_error(comm, dapbridge.ArgumentError, a.halo_update)
        assert "needs allow_empty=True" in str(error) and "options." not in str(error)
    a.halo_update(allow_empty=True)
    a.halo_reverse(allow_empty=True)


def test_partial_sums(comm):
    a = dapbridge.full((comm.size, 4), comm.rank + 1.0, comm, ["local", "partial"])
    total = comm.size * (comm.size + 1) / 2
    np.testing.assert_array_equal(a.gather(), np.full((comm.size, 4), total))
    check(a.redistribute("replicated"), np.full((comm.size, 4), total), copies=True)


def test_in_words_and_pictures(comm):
    a = dapbridge.zeros((12, 10), comm, [dapbridge.padded(1), dapbridge.cyclic(3)])
    assert "12 x 10" in repr(a) and "float64" in repr(a)
    assert "0" in a.draw()
    for shape, dist in (
        ((12, 10), [dapbridge.padded(1), dapbridge.cyclic(3)]),
        ((12,), ["replicated"]),
        ((100, 100), ["cyclic", "cyclic"]),
        ((0, 3), ["block"]),
        ((5, 6, 7), ["cyclic", "local", "block"]),
    ):
        root = ET.fromstring(dapbridge.zeros(shape, comm, dist)._repr_svg_())
        assert root.tag.endswith("svg")
    words = dapbridge.zeros((12, 12), comm).explain("pdsyevd")
    assert words.startswith(("shared: ", "moved: "))
    with pytest.raises(ValueError, match="square"):
        a.explain("pdsyevd")


PLANES = [
    # Rows: grid, distributions, plane.
    ((2, 2, 2), ["block", "cyclic", dapbridge.padded(1)], (3, None, None)),
    ((2, 2, 2), ["block", "cyclic", dapbridge.padded(1)], (None, 1, 4)),
    ((2, 2, 2), ["block", "cyclic", dapbridge.padded(1)], (None, 0, None)),
    ((1, 3, 2), ["local", "cyclic", "cyclic"], (0, 1, None)),
    ((2, 1, 3), ["cyclic", "local", "replicated"], (1, None, None)),
    ((2, 1, 3), ["cyclic", "local", "replicated"], (None, None, 4)),
    ((2, 2, 2), ["block", "block", "block"], None),
]


@pytest.mark.parametrize("grid, dist, plane", PLANES)
def test_planes(grid, dist, plane):
    """The processes in the picture, and in the text, must be the owners of the plane's elements."""
    shape = (4, 3, 5)
    layout = dapbridge.layout(shape, math.prod(grid), dist, grid)
    cut = plane or (None, None, 0)
    places = [range(n) if index is None else [index] for n, index in zip(shape, cut)]
    indices = np.array(list(itertools.product(*places)), np.int64)
    owners = set(np.frombuffer(layout.locate(indices)[0], np.int32).tolist())
    picture = dapbridge.draw.svg(layout, plane)
    axes = [k for k, index in enumerate(cut) if index is None]
    assert re.findall(r">axis (\d)</text>", picture) == [str(k) for k in reversed(axes)]
    drawn = {int(n) for n in re.findall("<title>process ([0-9]+)</title>", picture)}
    assert drawn == owners
    assert "replicated" in dist or set(map(int, re.findall(r"\| +(\d+) (?=\|)", layout.draw(plane)))) == owners
    if plane == (3, None, None):
        assert "at index 3 of axis 0" in picture and "elements (3, i, j)" in layout.draw(plane)


def test_no_planes(comm):
    a = dapbridge.zeros((4, 3, 5), comm)
    for plane, text in (
        ((1, None), "2 indices of an array of 3 axes"),
        ((4, None, None), "axis 0: index 4 is outside 0 .. 3"),
        ((-1, None, None), "axis 0: index -1 is outside"),
        ((None, None, None), "3 axes are None"),
        ((1, 1, 1), "0 axes are None"),
    ):
        for draw in (a.draw, a.layout.draw, lambda p: dapbridge.draw.svg(a.layout, p)):
            with pytest.raises(dapbridge.ArgumentError, match=re.escape(text)):
                draw(plane)
    with pytest.raises(TypeError):
        a.draw((1.5, None, None))
    assert a.draw((np.int32(0), None, None)) == a.layout.draw(plane=[0, None, None])
