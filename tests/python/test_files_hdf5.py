"""Tests features of HDF5 files: storage, attributes, steps, locks, names of datasets."""

import numpy as np
import pytest
from files import cyclic, read, same, write
from maps import check, ramp, same_error

import dapbridge as db

h5py = pytest.importorskip("h5py")
pytest.importorskip("dapbridge._hdf5")

SHAPE = (13, 10)
STORAGE = {
    "contiguous": {},
    "chunks": {"chunks": (4, 3)},
    "gzip": {"chunks": True, "compression": "gzip", "shuffle": True},
    "lzf": {"chunks": (5, 10), "compression": "lzf", "fletcher32": True},
    "unlimited": {"chunks": (13, 2), "maxshape": (None, None)},
    "scale and offset": {"chunks": (4, 4), "scaleoffset": 0},
}


@pytest.mark.parametrize("name", STORAGE)
def test_storage(comm, folder, name):
    whole = ramp(SHAPE, "i4")
    write(comm, folder / "a.h5:/group/x", whole, **STORAGE[name])
    check(db.load(folder / "a.h5", comm, ["cyclic", "block"], dataset="group/x"), whole)
    check(db.load(folder / "a.h5:group/x", comm, part=np.s_[3:11:, 2]), whole[3:11, 2])


def test_attributes(comm, folder):
    """The layout is an attribute, and other attributes must stay."""
    a, where = cyclic(comm, ramp(SHAPE)), folder / "a.h5:/x"
    a.save(where)
    text = read(comm, where, lambda x: x.attrs["dap_layout"])
    assert isinstance(text, str) and text.startswith("13x10 on ")
    assert db.load(where, comm).layout == a.layout
    a.save(where, layout=False)
    assert read(comm, where, lambda x: list(x.attrs)) == []
    if comm.rank == 0:
        with h5py.File(folder / "a.h5", "a") as file:
            file["x"].attrs["units"] = "m"
            file["x"].dims[0].label = "rows"
    comm.barrier()
    (a + 1).save(where, mode="r+")
    same(read(comm, where), ramp(SHAPE) + 1)
    assert read(comm, where, lambda x: (x.attrs["units"], x.dims[0].label)) == ("m", "rows")


def test_steps(comm, folder):
    """Appends steps, with h5py in between."""
    whole, where = ramp((5, *SHAPE)), folder / "a.h5:/run/u"
    for step in (0, 1):
        cyclic(comm, whole[step]).save(where, mode="a")
    if comm.rank == 0:
        with h5py.File(folder / "a.h5", "r+") as file:
            file["run/u"].resize(3, axis=0)
            file["run/u"][2] = whole[2]
    comm.barrier()
    for step in (3, 4):
        cyclic(comm, whole[step]).save(where, mode="a")
    same(read(comm, where), whole)
    assert read(comm, where, lambda u: u.maxshape) == (None, *SHAPE)
    for step in range(5):
        check(db.load(where, comm, "cyclic", part=np.s_[step]), whole[step])


def test_a_file_that_h5py_has_open(comm, last, folder):
    """The file is locked. Its own process may read it, because HDF5 opens a file once."""
    a = cyclic(comm, ramp(SHAPE))
    a.save(folder / "a.h5:/x")
    file = h5py.File(folder / "a.h5", "r+") if last else None
    comm.barrier()
    same_error(comm, db.FileError, lambda: a.save(folder / "a.h5:/x", mode="r+"), "another program")
    if comm.size > 1:
        same_error(comm, db.FileError, lambda: db.load(folder / "a.h5:/x", comm), "another program")
    comm.barrier()
    if file is not None:
        file.close()
    comm.barrier()
    check(db.load(folder / "a.h5:/x", comm), ramp(SHAPE))


def test_several_types_in_a_file(comm, folder):
    """A requested type may lose values, even if a dataset is added to a file."""
    whole = ramp(SHAPE) / 3
    for mode in ("w", "r+", "a"):
        cyclic(comm, whole).save(folder / "a.h5", dataset=mode, mode=mode, dtype="f4")
    for mode in ("w", "r+", "a"):
        found = read(comm, folder / f"a.h5:/{mode}")
        same(found, whole.astype("f4")[None] if mode == "a" else whole.astype("f4"))


def test_names_with_colons(comm, folder):
    """The first colon after the file's ending begins the dataset's name."""
    whole = ramp(SHAPE)
    cyclic(comm, whole).save(folder / "12:30.h5:/g/u:v")
    cyclic(comm, whole).save(folder / "12:30.h5", dataset="w.h5:1", mode="r+")
    for name in ("g/u:v", "w.h5:1"):
        same(read(comm, folder / f"12:30.h5:/{name}"), whole)
        check(db.load(folder / "12:30.h5", comm, dataset=name), whole)


REFUSED = {
    "a text": (lambda f, a: db.load(f / "b.h5:/text", a.comm), db.UnsupportedError, ""),
    "a structure": (lambda f, a: db.load(f / "b.h5:/pairs", a.comm), db.UnsupportedError, ""),
    "no file": (lambda f, a: db.load(f / "c.h5:/u", a.comm), FileNotFoundError, ""),
    "no such dataset": (lambda f, a: db.load(f / "a.h5:/y", a.comm), db.FileError, "'y'|'/'|'u'"),
    "a dataset below one": (lambda f, a: db.load(f / "a.h5:/u/v", a.comm), db.FileError, ""),
    "saved without a name": (lambda f, a: a.save(f / "a.h5"), db.ArgumentError, ""),
    "loaded without a name": (lambda f, a: db.load(f / "a.h5", a.comm), db.ArgumentError, ""),
    "two names": (lambda f, a: a.save(f / "a.h5:/u", dataset="v"), db.ArgumentError, ""),
    "another shape": (lambda f, a: a[:3].save(f / "a.h5:/u", mode="r+"), db.ArgumentError, ""),
    "a colon": (lambda f, a: a.save(f / "a.nc", dataset="u:v", format="hdf5"), db.ArgumentError, "'u:v'|':'"),
}  # fmt: skip


@pytest.mark.parametrize("what", REFUSED)
def test_refused(comm, folder, what):
    """Errors must not name temporary files, and HDF5's error handling must be h5py's again."""
    a = cyclic(comm, ramp(SHAPE))
    a.save(folder / "a.h5:/u")
    write(comm, folder / "b.h5:/text", np.array([b"abc"]))
    write(comm, folder / "b.h5:/pairs", np.zeros(3, "i4,f8"))
    call, kind, words = REFUSED[what]
    assert ".dapbridge-" not in str(same_error(comm, kind, lambda: call(folder, a), words))
    if comm.rank == 0:
        with h5py.File(folder / "a.h5", "r") as file, pytest.raises(KeyError, match="exist"):
            file["y"]
    same(read(comm, folder / "a.h5:/u"), ramp(SHAPE))
