"""Layouts of short texts; arrays as JSON, of one process and of all."""

import contextlib
import gzip
import json
import os
from pathlib import Path

import numpy as np
import pytest
from maps import same_error

import dapbridge


def test_layouts_of_short_texts():
    layout = dapbridge.Layout.parse("100x80 on 2x2: b, c(8)")
    assert layout == dapbridge.layout((100, 80), 4, ["block", dapbridge.cyclic(8)], grid=(2, 2))
    assert layout.format() == "100x80 on 2x2: b, c(8)"
    assert dapbridge.Layout.parse(layout.summary()) == layout
    padded = dapbridge.layout(9, 3, dapbridge.padded(1, wraps=True))
    assert dapbridge.Layout.parse("9 on 3: b(halo 1, wraps, periodic)") == padded
    assert dapbridge.Layout.parse(padded.format()) == padded


def test_short_texts_that_are_wrong():
    with pytest.raises(dapbridge.ArgumentError, match="column 9: axis 0: .* not 'q'"):
        dapbridge.Layout.parse("4 on 2: q")
    with pytest.raises(dapbridge.DimError, match="column 9: axis 0: communication padding 3") as error:
        dapbridge.Layout.parse("4 on 2: b(halo 3)")
    assert error.value.rule == 10
    with pytest.raises(ValueError):
        dapbridge.Layout.parse("4\0")
    with pytest.raises(TypeError):
        dapbridge.Layout.parse(4)


def test_json_of_one_process(comm):
    a = dapbridge.zeros((12, 9), comm, ["block", "cyclic"], dtype=np.float32)
    made = json.loads(a.json())
    want = a.__distarray__()
    assert made["__version__"] == "0.10.0"
    assert made["dim_data"] == list(want["dim_data"])
    assert made["buffer"] == {"shape": list(a.local.shape), "dtype": a.dtype.str, "strides": list(a.local.strides)}


@pytest.mark.parametrize("version", [None, "0.9.0", (0, 0, 1)])
def test_export_of_all_processes(comm, tmp_path, version):
    path = comm.bcast(str(tmp_path / "a.json"))
    a = dapbridge.zeros((12, 9), comm, [dapbridge.padded(1), "cyclic"])
    a.export(path, version)
    parts = comm.gather(a.__distarray__(version)) if version else comm.gather(a.__distarray__())
    if comm.rank == 0:
        with open(path) as file:
            made = json.load(file)
        key = "dimdata" if version == (0, 0, 1) else "dim_data"
        assert len(made) == comm.size
        for part, whole in zip(made, parts):
            dims = [{k: list(v) if isinstance(v, tuple) else v for k, v in d.items()} for d in whole[key]]
            assert part[key] == dims
            assert part["buffer"]["dtype"] == "<f8"


@pytest.mark.parametrize("version", [None, "0.9.0", (0, 0, 1)])
def test_export_of_a_layout(comm, tmp_path, version):
    """The parts are those of an array with that layout, which has buffers besides."""
    paths = comm.bcast([str(tmp_path / name) for name in ("layout.json", "array.json")])
    a = dapbridge.zeros((12, 9), comm, [dapbridge.padded(1), "cyclic"])
    a.layout.export(paths[0], comm, version)
    a.export(paths[1], version)
    extents = comm.gather(list(a.local.shape))
    if comm.rank == 0:
        made, wanted = (json.loads(Path(path).read_text()) for path in paths)
        for part, shape in zip(wanted, extents, strict=True):
            del part["buffer"]
            part["buffer_shape"] = shape
        assert made == wanted


def test_layouts_that_cannot_be_exported(comm, tmp_path):
    path = comm.bcast(str(tmp_path / "a.json"))
    if comm.rank == 0:
        with open(path, "w") as file:
            file.write("old")
    layout = dapbridge.layout((12, 9), comm.size)
    wider = dapbridge.layout(12, comm.size + 1)
    assert f"on {comm.size + 1} processes" in str(
        same_error(comm, dapbridge.ArgumentError, lambda: wider.export(path, comm))
    )
    same_error(comm, dapbridge.VersionError, lambda: layout.export(path, comm, "3.0"))
    same_error(comm, dapbridge.UnsupportedError, lambda: _ring(comm).layout.export(path, comm, "0.10.0"))
    one = wider if comm.rank == comm.size - 1 else layout  # on one process alone
    same_error(comm, dapbridge.ArgumentError, lambda: one.export(path, comm))
    if comm.rank == 0:
        with open(path) as file:
            assert file.read() == "old"
    same_error(comm, dapbridge.LibraryError, lambda: layout.export(tmp_path / "none" / "a.json", comm))
    with pytest.raises(TypeError, match="not a communicator"):
        layout.export(path, None)
    with pytest.raises(TypeError):
        layout.export(path)


def test_export_to_an_open_file(comm, tmp_path):
    a = dapbridge.zeros(5, comm)
    with open(tmp_path / "a.json" if comm.rank == 0 else os.devnull, "w+") as file:
        file.write("[")
        a.export(file)
        a.export(file)
        if comm.rank == 0:
            file.seek(0)
            assert file.read().count("__version__") == 2 * comm.size


def test_files_that_are_kept(comm, tmp_path):
    path = comm.bcast(str(tmp_path / "a.json"))
    packed = comm.bcast(str(tmp_path / "a.json.gz"))
    if comm.rank == 0:
        with open(path, "w") as file:
            file.write("old")
    a = dapbridge.zeros((4, 6), comm)
    assert "3.0" in str(same_error(comm, dapbridge.VersionError, lambda: a.export(path, "3.0")))
    one = "3.0" if comm.rank == comm.size - 1 else "0.10.0"  # on one process alone
    same_error(comm, dapbridge.VersionError, lambda: a.export(path, one))
    with gzip.open(packed, "wb") if comm.rank == 0 else contextlib.nullcontext() as file:
        error = same_error(comm, dapbridge.ArgumentError, lambda: a.export(file))
        assert "GzipFile is not a plain file" in str(error)
    if comm.rank == 0:
        with open(path) as file:
            assert file.read() == "old"


def test_files_that_cannot_be_written(comm, tmp_path):
    a = dapbridge.zeros(5, comm)
    error = same_error(comm, dapbridge.LibraryError, lambda: a.export(tmp_path / "none" / "a.json"))
    assert "No such file" in str(error)
    if os.path.exists("/dev/full"):
        error = same_error(comm, dapbridge.LibraryError, lambda: a.export("/dev/full"))
        assert "No space left" in str(error)
    same_error(comm, dapbridge.UnsupportedError, lambda: _ring(comm).export("/dev/null", "0.10.0"))
    same_error(comm, dapbridge.VersionError, lambda: a.export("/dev/null", "0.8.0"))


def _ring(comm):
    return dapbridge.zeros(4 * comm.size, comm, dapbridge.padded(1, wraps=True))
