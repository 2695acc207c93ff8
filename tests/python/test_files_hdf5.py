"""HDF5 files: h5py reads what is saved, and any layout gets what h5py has written."""

import shutil
import tempfile
from pathlib import Path

import numpy as np
import pytest
from maps import check, fill, ramp, random_array, same_error

import dapbridge as db

h5py = pytest.importorskip("h5py")
pytest.importorskip("dapbridge._hdf5")

TYPES = ["?", "i1", "i2", "i4", "i8", "u1", "u2", "u4", "u8", "f2", "f4", "f8", "g", "c8", "c16"]
SHAPE = (13, 10)


@pytest.fixture
def folder(comm):
    """A folder of all processes."""
    path = comm.bcast(tempfile.mkdtemp() if comm.rank == 0 else None)
    yield Path(path)
    comm.barrier()
    if comm.rank == 0:
        shutil.rmtree(path)


def read(comm, path, dataset, what=lambda dataset: dataset[()]):
    """What h5py finds in a dataset, on all processes."""
    found = None
    if comm.rank == 0:
        with h5py.File(path, "r") as file:
            found = what(file[dataset])
    return comm.bcast(found)


def write(comm, path, dataset, whole, **options):
    """By h5py, on one process."""
    if comm.rank == 0:
        with h5py.File(path, "a") as file:
            file.create_dataset(dataset, data=whole, **options)
    comm.barrier()


def same(found, whole):
    assert (found.shape, found.dtype) == (whole.shape, whole.dtype)
    np.testing.assert_array_equal(found, whole)


def cyclic(comm, whole):
    return fill(db.zeros(whole.shape, comm, "cyclic", whole.dtype), whole)


@pytest.mark.parametrize("dtype", TYPES)
def test_types(comm, folder, dtype):
    """h5py has each type as numpy has it, and what it writes is loaded, in both byte orders."""
    whole = ramp(SHAPE, "u1").astype(dtype)
    cyclic(comm, whole).save(folder / "saved.h5:/x")
    same(read(comm, folder / "saved.h5", "x"), whole)
    for order in "<>":
        write(comm, folder / "given.h5", f"x{ord(order)}", whole.astype(whole.dtype.newbyteorder(order)))
        loaded = db.load(folder / f"given.h5:/x{ord(order)}", comm, ["block", "cyclic"])
        assert loaded.dtype == whole.dtype
        check(loaded, whole)


@pytest.mark.parametrize(
    "options",
    [
        {},
        {"chunks": (4, 3)},
        {"chunks": True, "compression": "gzip", "shuffle": True},
        {"chunks": (5, 10), "compression": "lzf", "fletcher32": True},
        {"chunks": (13, 2), "maxshape": (None, None)},
        {"chunks": (4, 4), "scaleoffset": 0},
    ],
    ids=lambda options: " ".join(options) or "contiguous",
)
def test_storage(comm, folder, options):
    whole = ramp(SHAPE, "i4")
    write(comm, folder / "a.h5", "group/x", whole, **options)
    check(db.load(folder / "a.h5", comm, ["cyclic", "block"], dataset="group/x"), whole)
    check(db.load(folder / "a.h5:group/x", comm, part=np.s_[3:11:, 2]), whole[3:11, 2])


def test_the_layout_is_an_attribute(comm, folder):
    a = cyclic(comm, ramp(SHAPE))
    a.save(folder / "a.h5:/x")
    text = read(comm, folder / "a.h5", "x", lambda dataset: dataset.attrs["dap_layout"])
    assert isinstance(text, str) and text.startswith("13x10 on ")
    assert str(db.load(folder / "a.h5:/x", comm).layout) == str(a.layout)
    a.save(folder / "b.h5:/x", layout=False)
    assert read(comm, folder / "b.h5", "x", lambda dataset: list(dataset.attrs)) == []


def test_attributes_of_others_stay(comm, folder):
    whole = ramp(SHAPE)
    write(comm, folder / "a.h5", "x", whole)
    if comm.rank == 0:
        with h5py.File(folder / "a.h5", "a") as file:
            file["x"].attrs["units"] = "m"
            file["x"].dims[0].label = "rows"
    comm.barrier()
    cyclic(comm, whole + 1).save(folder / "a.h5:/x", mode="r+")
    same(read(comm, folder / "a.h5", "x"), whole + 1)
    assert read(comm, folder / "a.h5", "x", lambda x: (x.attrs["units"], x.dims[0].label)) == ("m", "rows")


def test_a_part_is_overwritten(comm, folder):
    whole = ramp(SHAPE)
    write(comm, folder / "a.h5", "x", whole, chunks=(5, 3))
    cyclic(comm, -whole[2:9, 1:]).save(folder / "a.h5:/x", mode="r+", part=np.s_[2:9, 1:])
    whole[2:9, 1:] *= -1
    same(read(comm, folder / "a.h5", "x"), whole)


def test_steps(comm, folder):
    """Steps that are appended here, and by h5py in between."""
    whole = ramp((5, *SHAPE))
    for step in (0, 1):
        cyclic(comm, whole[step]).save(folder / "a.h5:/run/u", mode="a")
    if comm.rank == 0:
        with h5py.File(folder / "a.h5", "r+") as file:
            file["run/u"].resize(3, axis=0)
            file["run/u"][2] = whole[2]
    comm.barrier()
    for step in (3, 4):
        cyclic(comm, whole[step]).save(folder / "a.h5:/run/u", mode="a")
    same(read(comm, folder / "a.h5", "run/u"), whole)
    assert read(comm, folder / "a.h5", "run/u", lambda u: u.maxshape) == (None, *SHAPE)
    for step in range(5):
        check(db.load(folder / "a.h5:/run/u", comm, "cyclic", part=np.s_[step]), whole[step])


def test_a_file_that_h5py_has_open(comm, folder):
    """It is locked. Its own process may read it, because HDF5 opens a file once."""
    whole = ramp(SHAPE)
    a = cyclic(comm, whole)
    a.save(folder / "a.h5:/x")
    file = h5py.File(folder / "a.h5", "r+") if comm.rank == comm.size - 1 else None
    comm.barrier()
    with pytest.raises(db.FileError, match="another program has"):
        a.save(folder / "a.h5:/x", mode="r+")
    if comm.size > 1:
        with pytest.raises(db.FileError, match="another program has"):
            db.load(folder / "a.h5:/x", comm)
    comm.barrier()
    if file is not None:
        file.close()
    comm.barrier()
    check(db.load(folder / "a.h5:/x", comm), whole)


def test_h5py_after_an_error(comm, folder):
    """HDF5's errors are h5py's again."""
    write(comm, folder / "a.h5", "x", ramp(SHAPE))
    with pytest.raises(db.FileError, match="has no 'y' in '/', which has 'x'"):
        db.load(folder / "a.h5:/y", comm)
    if comm.rank == 0:
        with h5py.File(folder / "a.h5", "r") as file, pytest.raises(KeyError, match="doesn't exist"):
            file["y"]


def test_random(comm, folder, monkeypatch):
    """Arrays of all kinds into one file."""
    random = np.random.default_rng(7)
    wholes = {}
    for case in range(12):
        shape = tuple(int(n) for n in random.integers(1, 9, random.integers(1, 4)))
        wholes[f"group/{case}"] = whole = ramp(shape, str(random.choice(["f8", "i2", "c16"])))
        a = fill(random_array(random, comm, shape, whole.dtype), whole)
        a.save(folder / "a.h5", mode="r+", dataset=f"group/{case}")
    for name, whole in wholes.items():
        same(read(comm, folder / "a.h5", name), whole)
        b = random_array(random, comm, whole.shape, whole.dtype)
        check(db.load(folder / "a.h5", dataset=name, out=b), whole, copies=True)


def test_a_type_that_is_asked_for(comm, folder):
    """It may lose values, also where a dataset is added to a file."""
    whole = ramp(SHAPE) / 3
    for mode in ("w", "r+", "a"):
        cyclic(comm, whole).save(folder / "a.h5", dataset=mode, mode=mode, dtype="f4")
        same(read(comm, folder / "a.h5", mode), whole.astype("f4")[None] if mode == "a" else whole.astype("f4"))


def test_names_with_colons(comm, folder):
    """The first colon behind the file's ending begins the dataset's name."""
    whole = ramp(SHAPE)
    cyclic(comm, whole).save(folder / "12:30.h5:/g/u:v")
    cyclic(comm, whole).save(folder / "12:30.h5", dataset="w.h5:1", mode="r+")
    for name in ("g/u:v", "w.h5:1"):
        same(read(comm, folder / "12:30.h5", name), whole)
        check(db.load(folder / "12:30.h5", comm, dataset=name), whole)


def test_refused(comm, folder):
    a = cyclic(comm, ramp(SHAPE))
    a.save(folder / "a.h5:/u")
    write(comm, folder / "b.h5", "text", np.array([b"abc"]))
    write(comm, folder / "b.h5", "pairs", np.zeros(3, "i4,f8"))
    for kind, call in (
        (db.UnsupportedError, lambda: db.load(folder / "b.h5:/text", comm)),
        (db.UnsupportedError, lambda: db.load(folder / "b.h5:/pairs", comm)),
        (FileNotFoundError, lambda: db.load(folder / "c.h5:/u", comm)),
        (db.ArgumentError, lambda: a.save(folder / "a.h5")),
        (db.ArgumentError, lambda: db.load(folder / "a.h5", comm)),
        (db.ArgumentError, lambda: a.save(folder / "a.h5:/u", dataset="v")),
        (db.ArgumentError, lambda: a[:3].save(folder / "a.h5:/u", mode="r+")),
        (db.FileError, lambda: db.load(folder / "a.h5:/u/v", comm)),
    ):
        error = same_error(comm, kind, call)
        assert ".dapbridge-" not in str(error)
    error = same_error(comm, db.ArgumentError, lambda: a.save(folder / "a.nc", dataset="u:v", format="hdf5"))
    assert "'u:v' contains ':'" in str(error)
    same(read(comm, folder / "a.h5", "u"), ramp(SHAPE))
