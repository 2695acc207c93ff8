"""Arrays in files: numpy reads what is saved, and any layout gets what numpy has written."""

import os
from pathlib import Path

import numpy as np
import pytest
from maps import check, fill, ramp, random_array, same_error

import dapbridge as db

TYPES = ["?", "i1", "i2", "i4", "i8", "u1", "u2", "u4", "u8", "f2", "f4", "f8", "g", "c8", "c16", "G"]
SHAPE = (13, 10)
#: Distributions of SHAPE by name, for any number of processes.
DISTS = {
    "block": lambda p: ["block"],
    "second axis": lambda p: ["local", "block"],
    "both": lambda p: ["block", "block"],
    "ceil": lambda p: ["ceil"],
    "lengths": lambda p: [db.block([SHAPE[0]] + [0] * (p - 1))],
    "cyclic": lambda p: ["cyclic"],
    "blocks of 3, not from 0": lambda p: ["local", db.cyclic(3, first_owner=p - 1)],
    "block-cyclic": lambda p: [db.cyclic(2), db.cyclic(3)],
    "padded": lambda p: [db.padded(1)],
    "ring": lambda p: ["local", db.padded(1, wraps=p > 1)],
    "replicated": lambda p: ["replicated"],
    "replicated second": lambda p: ["local", "replicated"],
    "lists": lambda p: [db.unstructured([list(range(r, SHAPE[0], p))[::-1] for r in range(p)])],
}


@pytest.fixture
def folder(comm, tmp_path):
    """A folder of all processes."""
    return Path(comm.bcast(str(tmp_path)))


def read(comm, path):
    """What numpy reads, on all processes."""
    return comm.bcast(np.load(path) if comm.rank == 0 else None)


def write(comm, path, whole):
    """By numpy, on one process."""
    if comm.rank == 0:
        np.save(path, whole)
    comm.barrier()


def raw(comm, path, *args, **options):
    return comm.bcast(np.fromfile(path, *args, **options) if comm.rank == 0 else None)


def same(found, whole):
    """Elements, shape and type, with NaN equal to NaN."""
    assert (found.shape, found.dtype) == (whole.shape, whole.dtype)
    np.testing.assert_array_equal(found, whole)


def cyclic(comm, whole):
    """An array of these elements; one without axes is a window of another one."""
    if whole.ndim == 0:
        return cyclic(comm, whole.reshape(1))[0]
    return fill(db.zeros(whole.shape, comm, "cyclic", whole.dtype), whole)


# ---- layouts, types and orders ------------------------------------------------------------------------------


@pytest.mark.parametrize("order", ["C", "F"])
@pytest.mark.parametrize("name", DISTS)
def test_saved(comm, folder, name, order):
    """Each layout, in memory of both orders, to files of both orders."""
    whole = ramp(SHAPE)
    for memory in ("C", "F"):
        a = fill(db.zeros(SHAPE, comm, DISTS[name](comm.size), order=memory), whole)
        a.save(folder / "a.npy", order=order)
        found = read(comm, folder / "a.npy")
        same(found, whole)
        assert found.flags.f_contiguous == (order == "F")


@pytest.mark.parametrize("name", DISTS)
def test_loaded(comm, folder, name):
    """Padding, ghosts and copies are filled, too."""
    whole = ramp(SHAPE)
    for n, given in enumerate((whole, np.asfortranarray(whole))):
        write(comm, folder / f"{n}.npy", given)
        a = db.load(folder / f"{n}.npy", comm, DISTS[name](comm.size))
        check(a, whole, copies=True)
        assert a.local.flags.f_contiguous if n else a.local.flags.c_contiguous


BUFFERS = {
    "the other byte order": lambda: np.arange(12.0).reshape(3, 4).astype(">f8" if np.little_endian else "<f8"),
    "backwards": lambda: np.arange(12.0).reshape(3, 4)[::-1],
    "every second column": lambda: np.arange(24.0).reshape(3, 8)[:, ::2],
    "columns": lambda: np.asfortranarray(np.arange(12.0).reshape(3, 4)),
    "one row, read-only": lambda: np.broadcast_to(np.arange(4.0), (3, 4)),
}


@pytest.mark.parametrize("name", BUFFERS)
def test_buffers(comm, folder, name):
    """Memory of any strides and byte order, saved and loaded in place."""
    part = BUFFERS[name]()
    a = db.array(part, comm)
    a.save(folder / "a.npy")
    whole = np.tile(part, (comm.size, 1)).astype(float)
    same(read(comm, folder / "a.npy"), whole)
    if not part.flags.writeable:
        assert "read-only" in str(same_error(comm, db.ArrayBufferError, lambda: db.load(folder / "a.npy", out=a)))
        return
    wanted = part.copy()
    part[...] = -1
    db.load(folder / "a.npy", out=a)
    np.testing.assert_array_equal(part, wanted)


def test_partial_axes_are_added_up(comm, folder):
    addend = ramp((6,))
    a = db.array(addend, comm, "partial")
    a.save(folder / "a.npy")
    same(read(comm, folder / "a.npy"), comm.size * addend)
    assert "partial" in db.file_info(folder / "a.npy", comm).note
    check(db.load(folder / "a.npy", comm), comm.size * addend)


@pytest.mark.parametrize("dtype", TYPES)
def test_types(comm, folder, dtype):
    whole = ramp((7, 3), dtype)
    a = fill(db.zeros(whole.shape, comm, "cyclic", whole.dtype), whole)
    a.save(folder / "a.npy")
    same(read(comm, folder / "a.npy"), whole)
    for name in ("<", ">"):
        for order in ("C", "F"):
            given = np.asarray(whole, whole.dtype.newbyteorder(name), order=order)
            write(comm, folder / f"{name}{order}.npy", given)
            found = db.load(folder / f"{name}{order}.npy", comm, ["local", "block"])
            assert found.dtype == whole.dtype
            check(found, whole)
            info = db.file_info(folder / f"{name}{order}.npy", comm)
            assert (info.shape, info.dtype, info.order) == (whole.shape, given.dtype, order)


@pytest.mark.parametrize("version", [(1, 0), (2, 0), (3, 0)])
def test_versions(comm, folder, version):
    whole = ramp((5, 4, 3))
    if comm.rank == 0:
        with open(folder / "a.npy", "wb") as file:
            np.lib.format.write_array(file, whole, version)
    comm.barrier()
    check(db.load(folder / "a.npy", comm), whole)


@pytest.mark.parametrize("shape", [(), (0,), (1,), (7,), (0, 3), (3, 0), (2, 3, 4), (3, 1, 2, 5), (2,) * 6])
def test_shapes(comm, folder, shape):
    whole = np.asarray(ramp(shape))
    cyclic(comm, whole).save(folder / "a.npy")
    same(read(comm, folder / "a.npy"), whole)
    write(comm, folder / "b.npy", whole)
    check(db.load(folder / "b.npy", comm), whole)


def test_memory_maps(comm, folder):
    """Files that numpy has made by open_memmap() and left before they were synced."""
    whole = ramp((9, 4), "f4")
    if comm.rank == 0:
        mapped = np.lib.format.open_memmap(folder / "a.npy", "w+", "f4", whole.shape)
        mapped[...] = whole
        del mapped
    comm.barrier()
    a = db.load(folder / "a.npy", comm)
    check(a, whole)
    (a + 1).save(folder / "b.npy")
    same(comm.bcast(np.array(np.load(folder / "b.npy", mmap_mode="r")) if comm.rank == 0 else None), whole + 1)


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


@pytest.mark.parametrize("name", PARTS)
def test_parts_are_loaded(comm, folder, name):
    whole = ramp(SHAPE)
    for n, given in enumerate((whole, np.asfortranarray(whole))):
        write(comm, folder / f"{n}.npy", given)
        check(db.load(folder / f"{n}.npy", comm, part=PARTS[name]), whole[PARTS[name]])
        if whole[PARTS[name]].ndim:
            check(db.load(folder / f"{n}.npy", comm, "cyclic", part=PARTS[name]), whole[PARTS[name]])


@pytest.mark.parametrize("name", PARTS)
def test_parts_are_overwritten(comm, folder, name):
    whole = ramp(SHAPE)
    for n, given in enumerate((whole, np.asfortranarray(whole))):
        write(comm, folder / f"{n}.npy", given)
        new = np.asarray(-ramp(whole[PARTS[name]].shape) - 1)
        cyclic(comm, new).save(folder / f"{n}.npy", mode="r+", part=PARTS[name])
        changed = whole.copy()
        changed[PARTS[name]] = new
        same(read(comm, folder / f"{n}.npy"), changed)


def test_windows_are_saved(comm, folder):
    """Arrays on some of the processes, of which others have none."""
    whole = ramp(SHAPE)
    a = fill(db.zeros(SHAPE, comm), whole)
    for key in (np.s_[4:7], np.s_[5], np.s_[SHAPE[0] - 1], np.s_[:, 3], np.s_[2:2]):
        a[key].save(folder / "a.npy")
        same(read(comm, folder / "a.npy"), whole[key])
        window = db.zeros(SHAPE, comm)
        write(comm, folder / "b.npy", whole[key])
        db.load(folder / "b.npy", out=window[key])
        wanted = np.zeros(SHAPE)
        wanted[key] = whole[key]
        check(window, wanted)


def test_on_fewer_processes(comm, folder):
    whole = ramp(SHAPE)
    one = db.layout(SHAPE, 1)
    write(comm, folder / "a.npy", whole)
    a = db.load(folder / "a.npy", comm, one)
    assert a.layout == one and (a.rank >= 0) == (comm.rank == 0)
    check(a, whole)
    a.save(folder / "b.npy")
    same(read(comm, folder / "b.npy"), whole)


# ---- conversions, lazy views, raw files ---------------------------------------------------------------------


@pytest.mark.parametrize("source, target", [("f8", "f4"), ("f4", "f8"), ("i4", "f8"), ("f8", "i2"), ("f4", "c16"), ("c16", "f8")])
def test_conversions(comm, folder, source, target):
    whole = ramp(SHAPE, source)
    with np.errstate(all="ignore"):
        converted = (whole.real if target[0] != "c" else whole).astype(target)
    a = fill(db.zeros(SHAPE, comm, "cyclic", source), whole)
    a.save(folder / "a.npy", dtype=target)
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
        view.save(folder / "a.npy")
        same(read(comm, folder / "a.npy"), wanted)
        db.save(folder / "b.npy", view)
        same(read(comm, folder / "b.npy"), wanted)


@pytest.mark.parametrize("order", ["C", "F"])
@pytest.mark.parametrize("dtype", ["<f8", ">f8", "<i4", ">c8"])
def test_raw(comm, folder, dtype, order):
    kind = np.dtype(dtype)
    whole = ramp(SHAPE, kind.newbyteorder("="))
    path, offset = folder / "a.bin", 24
    if comm.rank == 0:
        path.write_bytes(b"h" * offset + whole.astype(kind).tobytes(order) + b"tail")
    comm.barrier()
    options = dict(format="raw", dtype=dtype, shape=SHAPE, order=order, offset=offset)
    check(db.load(path, comm, "cyclic", **options), whole)
    check(db.load(path, comm, part=np.s_[2:4, 5], **options), whole[2:4, 5])
    out = db.zeros(SHAPE, comm, dtype=complex)
    del options["shape"]
    check(db.load(path, out=out, **options), whole.astype(complex))

    a = fill(db.zeros(SHAPE, comm, "cyclic", whole.dtype), whole)
    a.save(folder / "b.bin", **options)
    stored = raw(comm, folder / "b.bin", kind, offset=offset)
    np.testing.assert_array_equal(stored.reshape(SHAPE, order=order), whole)
    part = fill(db.zeros((3, 2), comm, dtype=whole.dtype), -ramp((3, 2), whole.dtype))
    part.save(folder / "b.bin", mode="r+", part=np.s_[4:7, 1:3], shape=SHAPE, **options)
    whole[4:7, 1:3] = -ramp((3, 2), whole.dtype)
    stored = raw(comm, folder / "b.bin", kind, offset=offset)
    np.testing.assert_array_equal(stored.reshape(SHAPE, order=order), whole)


# ---- the stored layout --------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", DISTS)
def test_the_layout_is_stored(comm, folder, name):
    whole = ramp(SHAPE)
    a = fill(db.zeros(SHAPE, comm, DISTS[name](comm.size)), whole)
    a.save(folder / "a.npy")
    info = db.file_info(folder / "a.npy", comm)
    assert info.has_layout and info.layout == a.layout and info.note == ""
    found = db.load(folder / "a.npy", comm)
    assert found.layout == a.layout
    check(found, whole, copies=True)


def test_a_layout_that_does_not_fit(comm, folder):
    """It was stored on another number of processes: blocks, and a note with both numbers."""
    whole = ramp(SHAPE)
    one = db.from_global(whole if comm.rank == 0 else None, comm).redistribute(db.layout(SHAPE, 1))
    one.save(folder / "a.npy")
    info = db.file_info(folder / "a.npy", comm)
    assert info.has_layout == (comm.size == 1)
    if comm.size > 1:
        assert "1 process" in info.note and str(comm.size) in info.note
    a = db.load(folder / "a.npy", comm)
    assert a.layout == db.layout(SHAPE, comm.size)
    check(a, whole)


def test_without_a_layout(comm, folder):
    whole = ramp(SHAPE)
    a = fill(db.zeros(SHAPE, comm, "cyclic"), whole)
    side = folder / "a.npy.dap"
    a.save(folder / "a.npy")
    assert side.exists()
    comm.barrier()
    a.save(folder / "a.npy", layout=False)
    assert not side.exists()
    info = db.file_info(folder / "a.npy", comm)
    assert not info.has_layout and info.layout == db.layout(SHAPE, comm.size)


def test_a_layout_of_another_file(comm, folder):
    """numpy replaces the elements, and the side file stays: it is not taken for another shape."""
    fill(db.zeros(SHAPE, comm, "cyclic"), ramp(SHAPE)).save(folder / "a.npy")
    whole = ramp((4, 4))
    write(comm, folder / "a.npy", whole)
    info = db.file_info(folder / "a.npy", comm)
    assert not info.has_layout and info.note
    check(db.load(folder / "a.npy", comm), whole)


# ---- numpy's names, paths, random ---------------------------------------------------------------------------


def test_numpy_save(comm, folder):
    whole = ramp(SHAPE)
    a = fill(db.zeros(SHAPE, comm, "cyclic"), whole)
    np.save(folder / "a.npy", a)
    np.save(str(folder / "b"), a)
    for name in ("a.npy", "b.npy"):
        same(read(comm, folder / name), whole)


def test_paths(comm, folder):
    a = db.zeros(5, comm)
    old = os.getcwd()
    os.chdir(folder)
    try:
        for path in (folder / "a.npy", str(folder / "a.npy"), "a.npy", "./a.npy", "ä b.npy", "a:b.npy"):
            a.save(path)
            assert db.load(path, comm).shape == (5,)
    finally:
        os.chdir(old)


def test_several_at_once(comm, folder):
    """Each file of an array of its own, loaded in another order; nothing is left besides."""
    whole = ramp(SHAPE)
    for n in range(4):
        fill(db.zeros(SHAPE, comm, "cyclic"), whole + n).save(folder / f"{n}.npy", layout=False)
    for n in (3, 1, 0, 2):
        check(db.load(folder / f"{n}.npy", comm), whole + n)
    comm.barrier()
    assert sorted(os.listdir(folder)) == [f"{n}.npy" for n in range(4)]


@pytest.mark.parametrize("seed", range(12))
def test_random(comm, folder, seed):
    """From any layout to a file and from it to any other, with few and small rounds."""
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
    fill(source, whole).save(folder / "a.npy", order=str(random.choice(["C", "F"])), **how)
    same(read(comm, folder / "a.npy"), whole)
    db.load(folder / "a.npy", out=target, **how)
    check(target, whole, copies=True)
