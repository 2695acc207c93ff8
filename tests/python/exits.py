"""Ends a program in one of the ways in which views can outlive MPI, or the interpreter a view: exits.py <way>."""

import sys
import warnings
from typing import Any

import numpy as np
from mpi4py import MPI

import dapbridge

comm = MPI.COMM_WORLD
kept: list[Any] = []


def array(on: MPI.Intracomm = comm) -> dapbridge.Array:
    a = dapbridge.zeros((30, 20), on, ["block"])
    a.local[...] = 2
    return a


def refused(function: Any, *arguments: Any) -> None:
    try:
        function(*arguments)
    except dapbridge.LibraryError:
        return
    raise AssertionError(f"{function} is possible without MPI")


def live_views() -> None:
    """The interpreter ends before they do."""
    kept.extend([array().scalapack(share="never"), array().scalapack()])


def restored_after_finalize() -> None:
    a = array()
    views = [a.scalapack(share="never"), a.scalapack()]
    data = views[0].data
    data[...] = 5
    MPI.Finalize()
    for view in views:
        refused(view.restore)
        assert not view.is_live
    assert (data == 5).all() and (a.local == 2).all()


def with_block_after_finalize() -> None:
    try:
        with array().scalapack(share="never"):
            MPI.Finalize()
            raise KeyError("its own")
    except KeyError:
        pass


def memory_after_finalize() -> None:
    """What numpy keeps of a moved view that has ended."""
    with array().scalapack(share="never") as m:
        data = m.data
        data[...] = 7
    MPI.Finalize()
    assert (data == 7).all()


def memory_after_free() -> None:
    """The same, and the communicator has gone."""
    duplicate = comm.Dup()
    with array(duplicate).scalapack(share="never") as m:
        data = m.data
        data[...] = 7
    del m
    duplicate.Free()
    assert (data == 7).all()


def dropped_views() -> None:
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        array().scalapack()
    assert [w.category for w in caught] == [ResourceWarning]
    MPI.Finalize()


def calls_after_finalize() -> None:
    a = array()
    MPI.Finalize()
    refused(dapbridge.linalg.norm, a)
    refused(a.scalapack)
    np.testing.assert_array_equal(a.local, 2)


globals()[sys.argv[1]]()
