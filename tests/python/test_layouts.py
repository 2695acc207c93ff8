"""Tests each named layout in moves, slices, files and linear algebra."""

import numpy as np
import pytest
from files import read, same, write
from layouts import LAYOUTS, MATRICES, distributed, make, numbered
from maps import MADE, check
from matrices import random, regular

import dapbridge as db

each = pytest.mark.parametrize("name", LAYOUTS)


@each
def test_places(comm, name):
    """Compares the library's places of elements with the model's."""
    a = make(comm, name)
    for k, (axis, c) in enumerate(MADE[a.layout].places(comm.rank)):
        assert (a.coords[k], a.layout.halo(k, c)) == (c, axis.halo[c])
        np.testing.assert_array_equal(a.indices()[k], axis.held[c])
        np.testing.assert_array_equal(a.owned_positions()[k], np.flatnonzero(axis.owned[c]))


@each
def test_moves(comm, name):
    """Moves to each process, to another layout and back, and transposed. Then fills padding and copies, and computes
    sums."""
    a, values = numbered(comm, name)
    assert (a.shape, a.size, a.nbytes) == (values.shape, values.size, values.nbytes)
    for root in range(comm.size):
        found = a.gather(root)
        assert (found is None) == (comm.rank != root)
        if found is not None:
            np.testing.assert_array_equal(found, values)
    moved = db.from_global(values if comm.rank == 0 else None, comm, "cyclic")
    check(a.redistribute("cyclic"), values)
    check(moved.redistribute(out=make(comm, name)), values)
    check(a.T.copy(), values.T)
    assert a.copy().layout == a.layout
    a.halo_update(allow_empty=True)
    check(a, values, copies=True)
    check(a * 2 + 1, values * 2 + 1, copies=True)
    assert a.sum() == values.sum()
    if a.ndim > 1:
        check(a.sum(0), values.sum(0))
        check(a.sum(-1), values.sum(-1))


@each
def test_slices(comm, name):
    a, values = numbered(comm, name)
    keys = [np.s_[1:-1], np.s_[..., ::-2], np.s_[None, ..., :1], np.s_[:0]]
    if values.size:
        keys += [np.s_[-1], np.s_[..., 0], np.s_[[-1, 0, -1]], np.s_[..., [0, 0]]]
    for key in keys:
        part = a[key]
        check(part, values[key])
        np.testing.assert_array_equal(part.gather(), values[key])


@pytest.mark.parametrize("name", [name for name in MATRICES if 0 not in LAYOUTS[name].shape])
def test_smaller_operands(comm, name):
    """Combines arrays with smaller operands in other layouts, whose elements move to those of the larger one."""
    a, values = numbered(comm, name)
    row, column = (db.from_global(x, comm, "cyclic") for x in (values[0], values[:, :1]))
    check(a + row, values + values[0])
    check(column - a, values[:, :1] - values)


@each
@pytest.mark.parametrize("order", ["C", "F"])
def test_files(comm, folder, name, order):
    """Writes files of both orders and reads them back, with padding, copies and the stored layout."""
    a, values = numbered(comm, name)
    a.save(folder / "a.npy", order=order)
    same(read(comm, folder / "a.npy"), values)
    info = db.file_info(folder / "a.npy", comm)
    knows_all = all(a.layout.knows(k, c) for k, procs in enumerate(a.layout.grid) for c in range(procs))
    assert info.has_layout == knows_all
    if knows_all:
        assert info.layout == a.layout and info.note == ""
    b = db.load(folder / "a.npy", comm)
    assert b.layout == info.layout
    check(b, values, copies=True)
    write(comm, folder / "b.npy", np.asarray(values, order=order))
    check(db.load(folder / "b.npy", out=make(comm, name)), values, copies=True)


@pytest.mark.parametrize("name", [name for name, row in LAYOUTS.items() if len(row.shape) < 3])
def test_linear_systems(comm, name):
    """Solves systems with a matrix and right-hand sides in the layout. A layout of vectors has a vector and a matrix
    of rows."""
    pytest.importorskip("dapbridge.linalg")
    is_line = len(LAYOUTS[name].shape) == 1
    a, b = regular(13), random((13,) if is_line else (13, 5), seed=2)
    left, right = distributed(comm, a, "rows" if is_line else name), distributed(comm, b, name)
    x = db.linalg.solve(left, right)
    check(x, np.linalg.solve(a, b), tolerance=1e-9)
    assert x.layout == right.layout
    check(left @ right, a @ b, tolerance=1e-9)
    check(left, a)
    check(right, b)


def test_owned_at_uneven_distances(comm):
    """The elements that a process owns are not a slice of its buffer."""
    a, values = numbered(comm, "ghosts among owned nodes")
    if len(set(np.diff(a.owned_positions()[0]))) > 1:
        with pytest.raises(db.UnsupportedError, match="owned_positions"):
            a.owned
    else:
        np.testing.assert_array_equal(a.owned, values[a.indices()[0][a.owned_positions()[0]]])
