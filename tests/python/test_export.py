"""Tests layouts of short texts, and arrays and layouts as JSON of all processes."""

import contextlib
import gzip
import json
import os

import pytest
from maps import same_error

import dapbridge as db

TEXTS = {
    "100x80 on 2x2: b, c(8)": lambda: db.layout((100, 80), 4, ["block", db.cyclic(8)], grid=(2, 2)),
    "9 on 3: b(halo 1, wraps, periodic)": lambda: db.layout(9, 3, db.padded(1, wraps=True)),
}
WRONG_TEXTS = {
    "4 on 2: q": (db.ArgumentError, "column 9|axis 0|'q'"),
    "4 on 2: b(halo 3)": (db.DimError, "column 9|axis 0|padding 3"),
    "4\0": (ValueError, ""),
    4: (TypeError, ""),
}
VERSIONS = [None, "0.9.0", (0, 0, 1)]


@pytest.mark.parametrize("text", TEXTS)
def test_layouts_of_texts(text):
    layout = db.Layout.parse(text)
    assert layout == TEXTS[text]() == db.Layout.parse(layout.summary())
    assert db.Layout.parse(layout.format()) == layout


@pytest.mark.parametrize("text", WRONG_TEXTS)
def test_texts_that_are_wrong(comm, text):
    kind, words = WRONG_TEXTS[text]
    error = same_error(comm, kind, lambda: db.Layout.parse(text), words)
    assert kind is not db.DimError or error.rule == 10


@pytest.fixture
def array(comm):
    return db.zeros((12, 9), comm, [db.padded(1), "cyclic"])


@pytest.fixture
def ring(comm):
    """Makes a layout that version 0.10.0 cannot describe."""
    return db.zeros(4 * comm.size, comm, db.padded(1, wraps=True))


@pytest.fixture
def path(comm, folder):
    """Makes a file with "old" in it."""
    if comm.rank == 0:
        (folder / "a.json").write_text("old")
    comm.barrier()
    return folder / "a.json"


def as_lists(dims):
    return [{k: list(v) if isinstance(v, tuple) else v for k, v in d.items()} for d in dims]


@pytest.mark.parametrize("version", VERSIONS)
def test_all_processes(comm, array, path, version):
    """The parts of a layout must be those of an array with it, which also have buffers."""
    own = array.__distarray__(version) if version else array.__distarray__()
    parts = comm.gather((own, list(array.local.shape)))
    array.export(path, version)
    made = json.loads(path.read_text())
    comm.barrier()
    array.layout.export(path, comm, version)
    layouts = json.loads(path.read_text())
    key = "dimdata" if version == (0, 0, 1) else "dim_data"
    assert len(made) == len(layouts) == comm.size
    for part, of_layout, (given, shape) in zip(made, layouts, parts or [], strict=False):
        assert part[key] == as_lists(given[key])
        buffer = part.pop("buffer")
        assert (buffer["shape"], buffer["dtype"]) == (shape, "<f8")
        assert of_layout == {**part, "buffer_shape": shape}


def test_one_process(array):
    made, given = json.loads(array.json()), array.__distarray__()
    assert made["__version__"] == "0.10.0" and made["dim_data"] == as_lists(given["dim_data"])
    local = array.local
    assert made["buffer"] == {"shape": list(local.shape), "dtype": "<f8", "strides": list(local.strides)}


def test_an_open_file(comm, folder, array):
    with open(folder / "b.json" if comm.rank == 0 else os.devnull, "w+") as file:
        file.write("[")
        array.export(file)
        array.export(file)
        if comm.rank == 0:
            file.seek(0)
            assert file.read().count("__version__") == 2 * comm.size


#: Refused calls, of an array, a ring, the file, its folder, and whether this is the last process.
REFUSED = {
    "version": (lambda a, r, p, last: a.export(p, "3.0"), db.VersionError, "3.0"),
    "version of one": (lambda a, r, p, last: a.export(p, "3.0" if last else "0.10.0"), db.VersionError, ""),
    "ring": (lambda a, r, p, last: r.export(p, "0.10.0"), db.UnsupportedError, ""),
    "no folder": (lambda a, r, p, last: a.export(p / "a.json"), db.LibraryError, "a.json"),
    "full": (lambda a, r, p, last: a.export("/dev/full"), db.LibraryError, "space"),
    "layout's version": (lambda a, r, p, last: a.layout.export(p, a.comm, "3.0"), db.VersionError, "3.0"),
    "layout of a ring": (lambda a, r, p, last: r.layout.export(p, a.comm, "0.10.0"), db.UnsupportedError, ""),
    "layout in no folder": (lambda a, r, p, last: a.layout.export(p / "a.json", a.comm), db.LibraryError, ""),
    "layout of more": (lambda a, r, p, last: db.layout(9, a.comm.size + 1).export(p, a.comm), db.ArgumentError, "processes"),
    "layout of more on one": (
        lambda a, r, p, last: db.layout(9, a.comm.size + last).export(p, a.comm), db.ArgumentError, "",
    ),
    "no communicator": (lambda a, r, p, last: a.layout.export(p, None), TypeError, "communicator"),
}  # fmt: skip


@pytest.mark.parametrize("what", REFUSED)
def test_refused(comm, array, ring, path, last, what):
    """A refused call must not change the file."""
    call, kind, words = REFUSED[what]
    if what == "full" and not os.path.exists("/dev/full"):
        pytest.skip("no such device")
    same_error(comm, kind, lambda: call(array, ring, path, last), words)
    assert path.read_text() == "old"


def test_files_that_are_packed(comm, folder, array):
    with gzip.open(folder / "a.json.gz", "wb") if comm.rank == 0 else contextlib.nullcontext() as file:
        same_error(comm, db.ArgumentError, lambda: array.export(file), "GzipFile")
