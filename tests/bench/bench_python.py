"""What a call from Python takes beyond the same call from C, measured in turns in the same processes.

    sh cmake/mpirun.sh 2 env PYTHONPATH=build/release/python python3 tests/bench/bench_python.py \
        build/release/lib/libbench_python_c.so [--n 2000] [--rounds 5] [--views 2000]
"""

from __future__ import annotations

import argparse
import ctypes
import statistics
from typing import Callable

import numpy as np
from mpi4py import MPI

import dapbridge


def in_turns(rounds: int, *methods: Callable[[], float]) -> list[float]:
    """The median of each method's seconds, the slowest process's of each round."""
    seconds: list[list[float]] = [[] for _ in methods]
    for _ in range(rounds):
        for method, found in zip(methods, seconds):
            found.append(comm.allreduce(method(), MPI.MAX))
    return [statistics.median(found) for found in seconds]


def views(a: dapbridge.Array, count: int) -> float:
    comm.Barrier()
    start = MPI.Wtime()
    for _ in range(count):
        with a.scalapack():
            pass
    return (MPI.Wtime() - start) / count


def get_and_restore(a: dapbridge.Array, count: int) -> float:
    """The compiled module alone, without the agreement on leaving."""
    from dapbridge import _scalapack

    comm.Barrier()
    start = MPI.Wtime()
    for _ in range(count):
        _scalapack.Matrix.get(a._handle, a.layout, a._local, "rw", {}).restore()
    return (MPI.Wtime() - start) / count


def eigh(a: dapbridge.Array) -> float:
    comm.Barrier()
    start = MPI.Wtime()
    dapbridge.linalg.eigh(a)
    return MPI.Wtime() - start


def symmetric(n: int) -> dapbridge.Array:
    """In row slabs of a numpy array."""
    first, last = n * comm.rank // comm.size, n * (comm.rank + 1) // comm.size
    values = np.random.default_rng(1).uniform(-1, 1, (n, n))
    return dapbridge.array((values + values.T)[first:last].copy(), comm, ["block", "local"])


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("library")
    parser.add_argument("--n", type=int, default=2000)
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--views", type=int, default=2000)
    given = parser.parse_args()
    c = ctypes.CDLL(given.library)
    handle = ctypes.c_int(comm.py2f())
    for function in (c.bench_view, c.bench_eigh):
        function.restype = ctypes.c_double
    small = dapbridge.zeros((240, 240), comm, ["block", "local"])
    by_c, module, python = in_turns(
        given.rounds,
        lambda: c.bench_view(handle, ctypes.c_int64(240), ctypes.c_int(given.views)),
        lambda: get_and_restore(small, given.views),
        lambda: views(small, given.views),
    )
    say(f"get and restore of a shared view, us: C {1e6 * by_c:.1f}, module {1e6 * module:.1f}, "
        f"with block {1e6 * python:.1f}")
    a = symmetric(given.n)
    data = a.local.ctypes.data_as(ctypes.c_void_p)
    by_c, python = in_turns(
        given.rounds, lambda: c.bench_eigh(handle, ctypes.c_int64(given.n), data), lambda: eigh(a)
    )
    say(f"eigh of {given.n} x {given.n}, s: C {by_c:.3f}, Python {python:.3f}, {python / by_c:.3f} of it")


def say(text: str) -> None:
    if comm.rank == 0:
        print(f"{comm.size} processes: {text}", flush=True)


comm = MPI.COMM_WORLD
main()
