"""Contains calls whose types mypy --strict checks. This file is not run.

A wrong line has an ignore, which mypy refuses on a line without an error."""
from __future__ import annotations

import pathlib
from typing import Any, assert_type

import numpy as np

import dapbridge as db

NDArray = np.ndarray[Any, np.dtype[Any]]


def results(u: db.Array, v: NDArray) -> None:
    assert_type(u.gather(), NDArray)
    assert_type(u.gather(None), NDArray)
    assert_type(u.gather(0), NDArray | None)
    assert_type(u.T.gather(), NDArray)
    assert_type(u.local, NDArray)
    assert_type(u[0], db.Array)
    assert_type(u.T, db.Lazy)
    assert_type(u @ u, db.Array)
    assert_type(u.T @ v, db.Array)
    assert_type(u.redistribute("cyclic", fill_halos=True), db.Array)
    assert_type(u.scalapack(access="r"), db.ScalapackMatrix)
    assert_type(u.scalapack(least_size=2).desc, tuple[int, ...])
    assert_type(u.petsc_field(1, dof_axes=(0,)), db.PetscField)
    assert_type(db.Plan.halo(u, arrays=2), db.Plan)
    assert_type(db.from_dlpack(v, u.comm), db.Array)
    assert_type(db.load("u.npy", u.comm, "cyclic", part=np.s_[3:5]), db.Array)
    assert_type(db.load(pathlib.Path("u.npy"), dist=u.layout), db.Array)
    assert_type(db.file_info("u.npy").layout, db.Layout)
    db.save("u.npy", u.T, dtype=">f8", format="raw")
    u.save("u.npy", mode="r+", part=3)


def results_of_linalg(u: db.Array, v: NDArray) -> None:
    assert_type(db.linalg.solve(u, u), db.Array)
    assert_type(db.linalg.solve(u, b=u.T), db.Array)
    assert_type(db.linalg.solve(u, v), NDArray)
    assert_type(db.linalg.solve_triangular(u, v, lower=True), NDArray)
    assert_type(db.linalg.solve_banded((1, 1), u, u), db.Array)
    assert_type(db.linalg.lu_factor(u).solve(v), NDArray)
    assert_type(db.linalg.cho_solve(db.linalg.cho_factor(u), u), db.Array)
    assert_type(db.linalg.cho_factor(u).L, db.Array)
    assert_type(db.linalg.cholesky(u), db.Array)
    assert_type(db.linalg.lu(u), db.linalg.LUResult)
    assert_type(db.linalg.eigh(u), db.linalg.EighResult)
    assert_type(db.linalg.eigh(u)[1], db.Array)
    assert_type(db.linalg.eigh(u, eigvals_only=True), NDArray)
    assert_type(db.linalg.eigvalsh(u), NDArray)
    assert_type(db.linalg.svd(u), db.linalg.SVDResult)
    assert_type(db.linalg.svd(u, compute_uv=False), NDArray)
    assert_type(db.linalg.qr(u), db.linalg.QRResult)


def mistakes(u: db.Array) -> None:
    u.petsc_field(widht=1)  # type: ignore[call-arg]
    u.petsc_vector(natur=True)  # type: ignore[call-arg]
    u.petsc_matrix(from_="any")  # type: ignore[call-arg]
    u.scalapack(acess="r")  # type: ignore[call-arg]
    u.scalapack().datta  # type: ignore[attr-defined]
    u.redistribute("block", fil_halos=True)  # type: ignore[call-arg]
    u.T.redistribute("block", fil_halos=True)  # type: ignore[call-arg]
    db.Plan.halo(u, foo=3)  # type: ignore[call-arg]
    db.Plan.halo_reverse(u, foo=3)  # type: ignore[call-arg]
    db.from_petsc(3, foo=5)  # type: ignore[call-arg]
    db.linalg.solve(u, u, assume_b="x")  # type: ignore[call-overload]
    u.save("u.npy", mod="r+")  # type: ignore[call-arg]
    db.save(u, "u.npy")  # type: ignore[arg-type]
    db.load("u.npy", u.comm, dtype="f4", lossless=True)  # type: ignore[call-arg]
    u.gather(0).sum()  # type: ignore[union-attr]
    db.zeros((4, 4), u.comm, np.float32)  # type: ignore[arg-type]
    db.zeros(1e3, u.comm)  # type: ignore[arg-type]
    db.zeros((4, 4), u.comm, grid=4)  # type: ignore[arg-type]
