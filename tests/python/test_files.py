"""Tests arrays in files. numpy and h5py read saved arrays, and write files that are loaded. Layouts are in
test_layouts.py."""

import os

import numpy as np
import pytest
from files import FORMATS, cyclic, path, read, same, write
from maps import check, fill, ramp, random_array, same_error

import dapbridge as db

TYPES = ["?", "i1", "i2", "i4", "i8", "u1", "u2", "u4", "u8", "f2", "f4", "f8", "g", "c8", "c16", "G"]
SHAPE = (13, 10)
kinds = pytest.mark.parametrize("kind", FORMATS)


# ---- buffers and types ---------------------------------------------------------------------------------------

BUFFERS = {
    "the other byte order": lambda: np.arange(12.0).reshape(3, 4).astype(">f8" if np.little_endian else "<f8"),
    "backwards": lambda: np.arange(12.0).reshape(3, 4)[::-1],
    "every second column": lambda: np.arange(24.0).reshape(3, 8)[:, ::2],
    "columns": lambda: np.asfortranarray(np.arange(12.0).reshape(3, 4)),
    "one row, read-only": lambda: np.broadcast_to(np.arange(4.0), (3, 4)),
}


@pytest.mark.parametrize("name", BUFFERS)
def test_buffers(comm, folder, name):
    """Saves memory of any strides and byte order, and loads it in place."""
    part = BUFFERS[name]()
    a = db.array(part, comm)
    a.save(folder / "a.npy")
    same(read(comm, folder / "a.npy"), np.tile(part, (comm.size, 1)).astype(float))
    if not part.flags.writeable:
        same_error(comm, db.ArrayBufferError, lambda: db.load(folder / "a.npy", out=a), "read-only")
        return
    wanted = part.copy()
    part[...] = -1
    db.load(folder / "a.npy", out=a)
    np.testing.assert_array_equal(part, wanted)


def test_partial_axes_are_added_up(comm, folder):
    addend = ramp((6,))
    db.array(addend, comm, "partial").save(folder / "a.npy")
    same(read(comm, folder / "a.npy"), comm.size * addend)
    assert "partial" in db.file_info(folder / "a.npy", comm).note
    check(db.load(folder / "a.npy", comm), comm.size * addend)


@kinds
@pytest.mark.parametrize("dtype", TYPES)
def test_types(comm, folder, dtype, kind):
    if (dtype, kind) == ("G", "h5"):
        pytest.skip("h5py has no such type")
    whole = ramp((7, 3), dtype)
    cyclic(comm, whole).save(path(folder, kind))
    same(read(comm, path(folder, kind)), whole)
    for byte_order, order in ("<C", ">F") if kind == "npy" else ("<C", ">C"):
        given = np.asarray(whole, whole.dtype.newbyteorder(byte_order), order=order)
        where = path(folder, kind, f"{ord(byte_order)}{order}")
        write(comm, where, given)
        found = db.load(where, comm, ["local", "block"])
        assert found.dtype == whole.dtype
        check(found, whole)
        info = db.file_info(where, comm)
        assert (info.shape, info.dtype, info.order) == (whole.shape, given.dtype, order)


@pytest.mark.parametrize("shape", [(), (0,), (1,), (7,), (0, 3), (3, 0), (2, 3, 4), (3, 1, 2, 5), (2,) * 6])
def test_shapes(comm, folder, shape):
    whole = np.asarray(ramp(shape))
    cyclic(comm, whole).save(folder / "a.npy")
    same(read(comm, folder / "a.npy"), whole)
    write(comm, folder / "b.npy", whole)
    check(db.load(folder / "b.npy", comm), whole)


# ---- parts --------------------------------------------------------------------------------------------------

PARTS = {
    "rows": np.s_[3:9],
    "columns": np.s_[:, 2:5],
    "box": np.s_[4:-1, -7:9],
    "one row": np.s_[5],
    "one column": np.s_[:, -2],
    "one element": np.s_[12, 9],
    "nothing": np.s_[7:7],
    "ellipsis": np.s_[..., 1:3],
    "a new axis": np.s_[None, 2:4, 3],
}


@kinds
@pytest.mark.parametrize("name", PARTS)
def test_parts(comm, folder, name, kind):
    """Loads and overwrites parts of files in both orders."""
    whole, part = ramp(SHAPE), PARTS[name]
    for order in ("C", "F") if kind == "npy" else ("C",):
        where = path(folder, kind, order)
        write(comm, where, np.asarray(whole, order=order), **({"chunks": (5, 3)} if kind == "h5" else {}))
        check(db.load(where, comm, part=part), whole[part])
        if whole[part].ndim:
            check(db.load(where, comm, "cyclic", part=part), whole[part])
        new = np.asarray(-ramp(whole[part].shape) - 1)
        cyclic(comm, new).save(where, mode="r+", part=part)
        changed = whole.copy()
        changed[part] = new
        same(read(comm, where), changed)


def test_windows_are_saved(comm, folder):
    """Saves arrays on some of the processes, of which others have no elements."""
    whole = ramp(SHAPE)
    a = fill(db.zeros(SHAPE, comm), whole)
    for key in (np.s_[4:7], np.s_[5], np.s_[SHAPE[0] - 1], np.s_[:, 3], np.s_[2:2]):
        a[key].save(folder / "a.npy")
        same(read(comm, folder / "a.npy"), whole[key])
        window, wanted = db.zeros(SHAPE, comm), np.zeros(SHAPE)
        wanted[key] = whole[key]
        db.load(folder / "a.npy", out=window[key])
        check(window, wanted)


def test_on_fewer_processes(comm, folder):
    """Loads and saves an array on one process. With several, a note then names both numbers, and blocks are loaded."""
    whole, one = ramp(SHAPE), db.layout(SHAPE, 1)
    write(comm, folder / "a.npy", whole)
    a = db.load(folder / "a.npy", comm, one)
    assert a.layout == one and (a.rank >= 0) == (comm.rank == 0)
    check(a, whole)
    a.save(folder / "b.npy")
    same(read(comm, folder / "b.npy"), whole)
    info = db.file_info(folder / "b.npy", comm)
    assert info.has_layout == (comm.size == 1)
    if comm.size > 1:
        assert "1 process" in info.note and str(comm.size) in info.note
    b = db.load(folder / "b.npy", comm)
    assert b.layout == db.layout(SHAPE, comm.size)
    check(b, whole)


# ---- conversions, lazy views, raw files ---------------------------------------------------------------------


@pytest.mark.parametrize("source, target", [("f8", "f4"), ("f4", "f8"), ("i4", "f8"), ("f8", "i2"), ("f4", "c16"), ("c16", "f8")])
def test_conversions(comm, folder, source, target):
    whole = ramp(SHAPE, source)
    with np.errstate(all="ignore"):
        converted = (whole.real if target[0] != "c" else whole).astype(target)
    cyclic(comm, whole).save(folder / "a.npy", dtype=target)
    same(read(comm, folder / "a.npy"), converted)
    write(comm, folder / "b.npy", whole)
    found = db.load(folder / "b.npy", comm, dtype=target)
    assert found.dtype == np.dtype(target)
    check(found, converted)
    out = db.zeros(SHAPE, comm, "cyclic", target)
    check(db.load(folder / "b.npy", out=out, lossy=True), converted)


def test_lazy_views(comm, folder):
    whole = ramp(SHAPE, complex)
    a = fill(db.zeros(SHAPE, comm, dtype=complex), whole)
    for view, wanted in ((a.T, whole.T), (a.conj(), whole.conj()), (a.astype("c8"), whole.astype("c8"))):
        for save in (view.save, lambda where: db.save(where, view), lambda where: np.save(where, view.copy())):
            save(folder / "a.npy")
            same(read(comm, folder / "a.npy"), wanted)


@pytest.mark.parametrize("order", ["C", "F"])
@pytest.mark.parametrize("dtype", ["<f8", ">f8", "<i4", ">c8"])
def test_raw(comm, folder, dtype, order):
    kind, offset = np.dtype(dtype), 24
    whole = ramp(SHAPE, kind.newbyteorder("="))
    if comm.rank == 0:
        (folder / "a.bin").write_bytes(b"h" * offset + whole.astype(kind).tobytes(order) + b"tail")
    comm.barrier()
    options = dict(format="raw", dtype=dtype, order=order, offset=offset)
    check(db.load(folder / "a.bin", comm, "cyclic", shape=SHAPE, **options), whole)
    check(db.load(folder / "a.bin", comm, part=np.s_[2:4, 5], shape=SHAPE, **options), whole[2:4, 5])
    check(db.load(folder / "a.bin", out=db.zeros(SHAPE, comm, dtype=complex), **options), whole.astype(complex))

    def stored():
        found = comm.bcast(np.fromfile(folder / "b.bin", kind, offset=offset) if comm.rank == 0 else None)
        return found.reshape(SHAPE, order=order)

    cyclic(comm, whole).save(folder / "b.bin", **options)
    np.testing.assert_array_equal(stored(), whole)
    part = -ramp((3, 2), whole.dtype)
    cyclic(comm, part).save(folder / "b.bin", mode="r+", part=np.s_[4:7, 1:3], shape=SHAPE, **options)
    whole[4:7, 1:3] = part
    np.testing.assert_array_equal(stored(), whole)


# ---- the stored layout, paths, random -----------------------------------------------------------------------


def test_without_a_layout(comm, folder):
    """Saving without the layout removes its file. The layout file of an array with another shape is ignored."""
    a, side = cyclic(comm, ramp(SHAPE)), folder / "a.npy.dap"
    a.save(folder / "a.npy")
    assert side.exists()
    write(comm, folder / "a.npy", ramp((4, 4)))
    info = db.file_info(folder / "a.npy", comm)
    assert not info.has_layout and info.note
    check(db.load(folder / "a.npy", comm), ramp((4, 4)))
    a.save(folder / "a.npy", layout=False)
    assert not side.exists()
    info = db.file_info(folder / "a.npy", comm)
    assert not info.has_layout and info.layout == db.layout(SHAPE, comm.size)


def test_paths(comm, folder):
    a = db.zeros(5, comm)
    old = os.getcwd()
    os.chdir(folder)
    try:
        for where in (folder / "a.npy", str(folder / "a.npy"), "a.npy", "./a.npy", "ä b.npy", "a:b.npy"):
            a.save(where)
            assert db.load(where, comm).shape == (5,)
        np.save("b", a)
        assert read(comm, "b.npy").shape == (5,)
    finally:
        os.chdir(old)


@kinds
@pytest.mark.parametrize("seed", range(12))
def test_random(comm, folder, seed, kind):
    """Moves arrays from any layout to a file and from it to any other, with few and small rounds. No other file may
    remain."""
    random = np.random.default_rng(seed)
    shape = tuple(int(n) for n in random.integers(1, 12, random.integers(1, 4)))
    dtype = str(random.choice(["f8", "i2", "c16"]))
    whole = ramp(shape, dtype)
    source, target = (random_array(random, comm, shape, dtype) for _ in range(2))
    how = dict(
        writers=int(random.integers(0, 4)),
        align=int(random.choice([0, 64, 512])),
        memory_bytes=int(random.choice([0, 1 << 12, 1 << 16])),
    )
    order = str(random.choice(["C", "F"])) if kind == "npy" else "C"
    fill(source, whole).save(path(folder, kind), order=order, layout=False, **how)
    same(read(comm, path(folder, kind)), whole)
    del how["align"]
    db.load(path(folder, kind), out=target, **how)
    check(target, whole, copies=True)
    comm.barrier()
    assert os.listdir(folder) == [f"a.{kind}"]
