"""Reads and writes files of both formats by numpy and h5py."""

import numpy as np
from maps import fill

import dapbridge as db

try:
    import dapbridge._hdf5  # noqa: F401
    import h5py
except ImportError:
    h5py = None
#: Formats by their file name endings.
FORMATS = ["npy"] + ["h5"] * (h5py is not None)


def path(folder, kind, name="a"):
    """Returns the path of an array with this name, which in .h5 files includes a dataset."""
    return folder / (f"{name}.npy" if kind == "npy" else f"{name}.h5:/group/x")


def split(where):
    """Returns the file and the dataset, or None."""
    file, _, dataset = str(where).partition(".h5:/")
    return (file + ".h5", dataset) if dataset else (file, None)


def read(comm, where, what=lambda dataset: dataset[()]):
    """Returns an array that numpy or h5py reads, on all processes."""
    found = None
    if comm.rank == 0:
        file, dataset = split(where)
        if dataset is None:
            found = np.load(file)
        else:
            with h5py.File(file, "r") as opened:
                found = what(opened[dataset])
    return comm.bcast(found)


def write(comm, where, whole, **options):
    """Writes an array by numpy or h5py, on one process."""
    if comm.rank == 0:
        file, dataset = split(where)
        if dataset is None:
            np.save(file, whole)
        else:
            with h5py.File(file, "a") as opened:
                if dataset in opened:
                    del opened[dataset]
                opened.create_dataset(dataset, data=whole, **options)
    comm.barrier()


def same(found, whole):
    """Compares elements, shape and type. NaN equals NaN."""
    assert (found.shape, found.dtype) == (whole.shape, whole.dtype)
    np.testing.assert_array_equal(found, whole)


def cyclic(comm, whole):
    """Makes a cyclic array of these elements. An array without axes is a window of another one."""
    if whole.ndim == 0:
        return cyclic(comm, whole.reshape(1))[0]
    return fill(db.zeros(whole.shape, comm, "cyclic", whole.dtype), whole)
