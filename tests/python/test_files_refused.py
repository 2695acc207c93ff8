"""Tests files that are refused, and wrong arguments. All processes must raise the same error, and files must not
change."""

import os
import struct
from pathlib import Path

import numpy as np
import pytest
from maps import check, fill, ramp, same_error
from mpi4py import MPI

import dapbridge as db

SHAPE = (8, 6)


def on_first(comm, call):
    """Calls the function on process 0, while the others wait."""
    if comm.rank == 0:
        call()
    comm.barrier()


def array(comm, dist="cyclic"):
    return fill(db.zeros(SHAPE, comm, dist), ramp(SHAPE))


def header(text):
    """Returns a .npy file's header with this text."""
    return b"\x93NUMPY\1\0" + struct.pack("<H", len(text)) + text.encode()


def keys(descr="'<f8'", shape="(8, 6)"):
    return f"{{'descr': {descr}, 'fortran_order': False, 'shape': {shape}}}\n"


DATA = bytes(8 * 6 * 8)
UNSUPPORTED = (db.UnsupportedError, db.FileError)
#: By the fault: bytes of the file, the exception, and a word of the text. C tests more headers.
CONTENTS = {
    "empty": (b"", db.FileError, ""),
    "code": (header(keys(shape="(__import__('os').abort(), 6)")) + DATA, db.FileError, ""),
    "one byte is missing": (header(keys()) + DATA[:-1], db.FileError, ""),
    "objects": (header(keys("'|O'")) + DATA, UNSUPPORTED, "object"),
    "structured": (header(keys("[('a', '<f8'), ('b', '<i4')]")) + 40 * DATA, UNSUPPORTED, "structured"),
    "dates": (header(keys("'<M8[s]'")) + DATA, UNSUPPORTED, "M8"),
}  # fmt: skip


@pytest.mark.parametrize("name", CONTENTS)
def test_contents(comm, folder, name):
    contents, kind, word = CONTENTS[name]
    path = folder / "a.npy"
    on_first(comm, lambda: path.write_bytes(contents))
    out = array(comm)
    for call in (lambda: db.load(path, comm), lambda: db.load(path, out=out), lambda: db.file_info(path, comm)):
        assert "a.npy" in str(same_error(comm, kind, call, word))
    check(out, ramp(SHAPE))


def test_there_is_no_file(comm, folder):
    a = array(comm)
    for call in (
        lambda: db.load(folder / "none.npy", comm),
        lambda: db.file_info(folder / "none.npy", comm),
        lambda: a.save(folder / "none.npy", mode="r+"),
        lambda: a.save(folder / "none" / "a.npy"),
    ):
        error = same_error(comm, FileNotFoundError, call)
        assert isinstance(error, db.FileError) and "none" in str(error)


def test_paths_that_are_not_files(comm, folder):
    a = array(comm)
    on_first(comm, lambda: [(folder / "folder.npy").mkdir(), os.mkfifo(folder / "pipe.npy"), (folder / "file").touch()])
    for name in ("folder.npy", "pipe.npy", "file/a.npy"):
        for call in (lambda: db.load(folder / name, comm), lambda: a.save(folder / name)):
            same_error(comm, (db.FileError, db.UnsupportedError), call)
    same_error(comm, IsADirectoryError, lambda: a.save(folder / "folder.npy"))
    same_error(comm, NotADirectoryError, lambda: a.save(folder / "file/a.npy"))
    same_error(comm, db.Error, lambda: db.load("/dev/zero", comm, format="raw", dtype="f8", shape=3))
    assert (folder / "folder.npy").is_dir()


def test_no_permission(comm, folder):
    if os.geteuid() == 0:
        pytest.skip("root may do all")
    on_first(comm, lambda: folder.chmod(0o500))
    same_error(comm, PermissionError, lambda: array(comm).save(folder / "a.npy"))
    on_first(comm, lambda: folder.chmod(0o700))


def test_the_old_file_stays(comm, folder):
    """The old file must stay, also if only one process is wrong."""
    path = folder / "a.npy"
    array(comm).save(path)
    before = comm.bcast(path.read_bytes() if comm.rank == 0 else None)
    same_error(comm, db.Error, lambda: array(comm).save(path, memory_bytes=-1))
    same_error(comm, db.Error, lambda: array(comm).save(path, mode="r+", part=np.s_[:2]))
    same_error(comm, db.Error, lambda: array(comm).save(path, order="X" if comm.rank == comm.size - 1 else "C"))
    comm.barrier()
    assert path.read_bytes() == before
    assert sorted(os.listdir(folder)) == ["a.npy", "a.npy.dap"]


# ---- wrong arguments ----------------------------------------------------------------------------------------

#: By name: the call with a folder, an array and the argument; right arguments, and wrong ones with a word of the text.
WRONG = {
    "save": (
        lambda f, a, path="b.npy", **k: a.save(f / path if isinstance(path, str) else path, **k),
        dict(
            path=[("b.txt", ""), ("b", ""), (5, "path"), (None, "path"), (b"\0.npy", "")],
            mode=[("x", "'r+'"), (None, "mode"), ("a", ""), ([], "mode")],
            format=[("hdf", "'hdf5'"), (5, "format"), ("np", "'npy'")],
            dtype=[("zz", ""), ("U3", "not supported"), (object, "object"), (">f8", "byte order")],
            order=[("X", "order"), (None, "order")],
            part=[(np.s_[1:2], "r+")],
            offset=[("x", "offset"), (1.5, "offset"), (-1, ""), (2**70, "")],
            shape=[("x", "shape")],
            writers=[("x", "writers"), (-1, "writers"), (2**40, "writers")],
            align=[(-1, "align"), ("x", "align")],
            memory_bytes=[(-1, "memory"), (0.5, "memory")],
            dataset=[("u", "HDF5"), (5, "dataset")],
            mod=[("w", "'mode'")],
        ),
    ),
    "load": (
        lambda f, a, path="a.npy", **k: db.load(f / path if isinstance(path, str) else path, a.comm, **k),
        dict(
            path=[("a.txt", ""), (5, "path"), (None, "path")],
            dist=[(5, "dist"), ("up", "up"), (["block"] * 3, "dist"), (np.float32, "dtype=")],
            grid=[((9, 9), ""), (5, "grid")],
            dtype=[("zz", ""), ("U3", "not supported"), (">f8", "byte order")],
            part=[(99, "99"), (np.s_[::2], "step"), ("x", ""), ((0, 0, 0), ""), ([1], "")],
            out=[(5, "out"), (np.ones(SHAPE), "out")],
            format=[("h5", "'hdf5'")],
            offset=[("x", "offset")],
            writers=[(-1, "writers"), ("x", "writers")],
            memory_bytes=[(-1, "memory")],
            order=[("X", "order")],
            spead=[(3, "no keyword")],
        ),
    ),
    "load to an array": (
        lambda f, a, **k: db.load(f / "a.npy", **({"out": db.like(a)} | k)),
        dict(dist=[("block", "out")], dtype=[("f8", "out")], spead=[(3, "no keyword")], comm=[(5, "comm")]),
    ),
    "save by the function": (
        lambda f, a, **k: db.save(f / "b.npy", a, **k), dict(mode=[("x", "mode")], spead=[(3, "no keyword")])
    ),
    "file_info": (
        lambda f, a, path="a.npy", **k: db.file_info(f / path if isinstance(path, str) else path, a.comm, **k),
        dict(spead=[(3, "no keyword")], path=[(5, "path"), ("a.txt", "")], format=[("x", "format")], offset=[("x", "offset")]),
    ),
}  # fmt: skip


@pytest.fixture(scope="module")
def saved(comm, tmp_path_factory):
    """Yields a folder with an array's file, and the array. The tests must not change the file."""
    folder = Path(comm.bcast(str(tmp_path_factory.mktemp("saved"))))
    a = array(comm)
    a.save(folder / "a.npy")
    yield folder, a
    check(db.load(folder / "a.npy", comm), ramp(SHAPE))


@pytest.mark.parametrize("who", ["last", "all"])
@pytest.mark.parametrize("name, argument", [pytest.param(n, w, id=f"{n} {w}") for n in WRONG for w in WRONG[n][1]])
def test_wrong_arguments(comm, saved, name, argument, who):
    folder, a = saved
    call, wrong = WRONG[name]
    for value, word in wrong[argument]:
        given = {argument: value} if who == "all" or comm.rank == comm.size - 1 else {}
        error = same_error(comm, db.Error, lambda: call(folder, a, **given))
        assert word in str(error), (value, error)
        if who == "last":
            assert f"rank {comm.size - 1}" in str(error)
        assert "this process is in" not in str(error)


def test_out_of_another_shape_or_type(comm, folder):
    array(comm).save(folder / "a.npy")
    same_error(comm, db.ArgumentError, lambda: db.load(folder / "a.npy", out=db.zeros((6, 8), comm)))
    error = same_error(comm, db.ArgumentError, lambda: db.load(folder / "a.npy", out=db.zeros(SHAPE, comm, dtype="f4")))
    assert "lossy=True" in str(error)
    for options in (dict(dist="block"), dict(dtype="f8"), dict(grid=[1])):
        same_error(comm, db.ArgumentError, lambda: db.load(folder / "a.npy", out=array(comm), **options))
    if comm.size > 1:
        same_error(comm, db.ArgumentError, lambda: db.load(folder / "a.npy", MPI.COMM_SELF, out=array(comm)))


def test_one_process_alone(comm, several, folder):
    """One process passes another path or another dist, or calls another function."""
    a = array(comm)
    a.save(folder / "a.npy")
    a.save(folder / "b.npy")
    last = comm.rank == comm.size - 1
    same_error(comm, db.ArgumentError, lambda: a.save(folder / ("b.npy" if last else "a.npy")))
    same_error(comm, db.ArgumentError, lambda: db.load(folder / ("b.npy" if last else "a.npy"), comm))
    same_error(comm, db.ArgumentError, lambda: db.load(folder / "a.npy", comm, "cyclic" if last else None))
    same_error(comm, db.ArgumentError, lambda: db.load(folder / "a.npy", comm, part=np.s_[3] if last else None))
    same_error(comm, db.ArgumentError, lambda: a.save(folder / "a.npy", mode="r+" if last else "w"))
    same_error(comm, db.ArgumentError, lambda: a.save(folder / "a.npy") if last else db.load(folder / "a.npy", comm))
    check(db.load(folder / "a.npy", comm), ramp(SHAPE))


def test_what_cannot_be_saved(comm, folder):
    same_error(comm, TypeError, lambda: db.save(folder / "a.npy", np.ones(3)), "dapbridge.array")
    same_error(comm, TypeError, lambda: db.save(array(comm), "a.npy"), "dapbridge.save(path, a)")
    with open(os.devnull, "wb") as file:
        same_error(comm, db.Error, lambda: np.save(file, array(comm)))


def test_hdf5_that_is_not_built(comm, folder):
    try:
        from dapbridge import _hdf5  # noqa: F401
    except ImportError:
        for call in (lambda: array(comm).save(folder / "a.h5:/u"), lambda: db.load(folder / "a.h5", comm, dataset="u")):
            assert "HDF5" in str(same_error(comm, db.UnsupportedError, call))


def test_errors_are_of_the_system(folder):
    error = db.FileError("rank 0: a.npy: No space left on device")
    assert error.errno == 28 and isinstance(error, OSError) and str(error).endswith("device")
    assert db.FileError("a.npy is not a .npy file").errno is None
    missing = db.FileError("a.npy: No such file or directory", 2)
    assert isinstance(missing, FileNotFoundError) and missing.rank == 2 and missing.status == "FILE"
