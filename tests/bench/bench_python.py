"""Measures the time of calls from Python beside the same calls from C, in turns in the same processes.

    sh cmake/mpirun.sh 2 env PYTHONPATH=build/release/python python3 tests/bench/bench_python.py \
        build/release/lib/libbench_python_c.so [--n 2000] [--rounds 5] [--calls 2000]
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
    """Returns the median of each method's seconds. Each round counts the slowest process."""
    seconds: list[list[float]] = [[] for _ in methods]
    for _ in range(rounds):
        for method, found in zip(methods, seconds):
            found.append(comm.allreduce(method(), MPI.MAX))
    return [statistics.median(found) for found in seconds]


def runs(n: int, count: int, module: bool) -> float:
    """Times runs of a plan by the compiled module only, or by the package."""
    a = dapbridge.zeros((n, n), comm, ["block", "local"], shared=False)
    b = dapbridge.zeros((n, n), comm, ["local", "cyclic"], shared=False)
    with dapbridge.Plan(a, b) as plan:
        comm.Barrier()
        start = MPI.Wtime()
        if module:
            run, source, target = plan._plan.run, a._local, b._local
            for _ in range(count):
                run(source, target)
        else:
            for _ in range(count):
                plan(a, b)
        return (MPI.Wtime() - start) / count


def views(a: dapbridge.Array, count: int) -> float:
    comm.Barrier()
    start = MPI.Wtime()
    for _ in range(count):
        with a.scalapack():
            pass
    return (MPI.Wtime() - start) / count


def get_and_restore(a: dapbridge.Array, count: int) -> float:
    """Times the compiled module only, without the agreement at the end."""
    from dapbridge import _scalapack

    comm.Barrier()
    start = MPI.Wtime()
    for _ in range(count):
        _scalapack.Matrix.get(a._handle, a.layout, a._local, "rw", {}).restore()
    return (MPI.Wtime() - start) / count


def timed(call: Callable[[], object]) -> float:
    comm.Barrier()
    start = MPI.Wtime()
    call()
    comm.Barrier()
    return MPI.Wtime() - start


def new_arrays(rows: int, columns: int, rounds: int) -> None:
    """Times moves into new arrays, and the same moves into arrays over numpy.empty()."""
    a = dapbridge.array(np.random.default_rng(comm.rank).standard_normal((rows, columns)), comm)
    shape = (rows * comm.size, columns)
    root = np.ones(shape) if comm.rank == 0 else np.empty((0, columns))
    cyclic = dapbridge.layout(shape, comm.size, "cyclic").extent(0, comm.rank)

    def into(source: dapbridge.Array, extent: int, dist: str = "block") -> None:
        source.redistribute(out=dapbridge.array(np.empty((extent, columns)), comm, dist))

    cases: dict[str, tuple[Callable[[], object], Callable[[], object]]] = {
        "gather(0)": (lambda: a.gather(0), lambda: into(a, shape[0] if comm.rank == 0 else 0)),
        "from_global()": (
            lambda: dapbridge.from_global(root, comm),
            lambda: into(dapbridge.array(root, comm), rows),
        ),
        "redistribute()": (lambda: a.redistribute("cyclic"), lambda: into(a, cyclic, "cyclic")),
        "copy()": (lambda: a.copy(), lambda: into(a, rows)),
    }
    for name, (new, given) in cases.items():
        by_new, by_given = in_turns(rounds, lambda: timed(new), lambda: timed(given))
        say(f"{name} of {shape[0]} x {columns}, ms: {1e3 * by_new:.1f}, into numpy.empty() {1e3 * by_given:.1f}, "
            f"{by_new / by_given:.2f} of it")


def eigh(a: dapbridge.Array) -> float:
    comm.Barrier()
    start = MPI.Wtime()
    dapbridge.linalg.eigh(a)
    return MPI.Wtime() - start


def symmetric(n: int) -> dapbridge.Array:
    """Makes a symmetric matrix in row slabs of a numpy array."""
    first, last = n * comm.rank // comm.size, n * (comm.rank + 1) // comm.size
    values = np.random.default_rng(1).uniform(-1, 1, (n, n))
    return dapbridge.array((values + values.T)[first:last].copy(), comm, ["block", "local"])


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("library")
    parser.add_argument("--n", type=int, default=2000)
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--calls", type=int, default=2000)
    given = parser.parse_args()
    c = ctypes.CDLL(given.library)
    handle = ctypes.c_int(comm.py2f())
    for function in (c.bench_plan, c.bench_view, c.bench_eigh):
        function.restype = ctypes.c_double
    by_c, module, python = in_turns(
        given.rounds,
        lambda: c.bench_plan(handle, ctypes.c_int64(16), ctypes.c_int(given.calls)),
        lambda: runs(16, given.calls, True),
        lambda: runs(16, given.calls, False),
    )
    say(f"a run of a plan of 16 x 16, us: C {1e6 * by_c:.2f}, module {1e6 * module:.2f}, "
        f"plan(a, b) {1e6 * python:.2f}")
    small = dapbridge.zeros((240, 240), comm, ["block", "local"])
    by_c, module, python = in_turns(
        given.rounds,
        lambda: c.bench_view(handle, ctypes.c_int64(240), ctypes.c_int(given.calls)),
        lambda: get_and_restore(small, given.calls),
        lambda: views(small, given.calls),
    )
    say(f"get and restore of a shared view, us: C {1e6 * by_c:.1f}, module {1e6 * module:.1f}, "
        f"with block {1e6 * python:.1f}")
    new_arrays(2 * given.n // comm.size, 2 * given.n, given.rounds)
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
