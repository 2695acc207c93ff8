"""Tests how long arrays and plans live, which objects they keep alive, and how programs end."""

import copy
import gc
import os
import pickle
import sys
import threading
import weakref

import numpy as np
import pytest
from maps import check, ramp
from memory import release_the_lock, steady
from mpi4py import MPI
from programs import succeed

import dapbridge


# ---- references ----


def test_buffers_are_released(comm):
    part = np.arange(12.0)
    free = sys.getrefcount(part)
    a = dapbridge.array(part, comm)
    assert sys.getrefcount(part) > free
    view, window = a.local, a[2 : 12 * comm.size]
    del a
    gc.collect()
    check(window, np.tile(part, comm.size)[2:])
    del window
    gc.collect()
    assert sys.getrefcount(part) > free
    del view
    gc.collect()
    assert sys.getrefcount(part) == free


def test_arrays_are_no_cycles(comm):
    gc.collect()
    gc.disable()
    try:
        a = dapbridge.zeros(10, comm, dapbridge.padded(1))
        if comm.size > 1:
            a.halo_update()
        b = a.redistribute("cyclic")
        gone = [weakref.ref(x) for x in (a, b)]
        del a, b
        assert [g() for g in gone] == [None, None]
    finally:
        gc.enable()


def test_a_begun_plan_keeps_its_buffers(comm):
    a, b = dapbridge.zeros(10, comm), dapbridge.zeros(10, comm, "cyclic")
    plan = dapbridge.Plan((a.layout, "f8"), (b.layout, "f8"), comm=comm)
    source, target = np.ones(a.local.shape), np.zeros(b.local.shape)
    free = sys.getrefcount(source), sys.getrefcount(target)
    plan.begin(source, target)
    assert sys.getrefcount(source) > free[0] and sys.getrefcount(target) > free[1]
    plan.end()
    assert (sys.getrefcount(source), sys.getrefcount(target)) == free
    assert target.all()


# ---- memory ----


def own_communicator(comm):
    """Objects that are kept with a communicator must end with it."""
    own = comm.Dup()
    dapbridge.zeros((2 * own.size, 3), own)[0]
    own.Free()


def fail(a, plan):
    with pytest.raises(dapbridge.Error):
        plan(a, np.zeros(3))
    with pytest.raises(dapbridge.Error):
        dapbridge.from_dap({"__version__": "0.10.0", "dim_data": [{}], "buffer": 5}, a.comm)


#: Operations that run many times, with an array, another one, and a plan between them.
CYCLES = {
    "arrays": lambda a, b, plan: dapbridge.array(a.local, a.comm).local.sum(),
    "exports": lambda a, b, plan: dapbridge.from_dap(a, a.comm).indices(),
    "runs": lambda a, b, plan: plan(a, b),
    "begun runs": lambda a, b, plan: (plan.begin(), plan.end()),
    "slices": lambda a, b, plan: a[1:7, 3],
    "moves": lambda a, b, plan: a.T.redistribute("cyclic"),
    "windows of moves": lambda a, b, plan: a.redistribute(["cyclic", "block"])[1:5].T.gather(0),
    "failures": lambda a, b, plan: fail(a, plan),
    "communicators": lambda a, b, plan: own_communicator(a.comm),
}


@pytest.mark.parametrize("name", CYCLES)
def test_memory(comm, name):
    a, b = dapbridge.zeros((8, 8), comm), dapbridge.zeros((8, 8), comm, "cyclic")
    with dapbridge.Plan(a, b) as plan:
        count = 3_000 if comm.size <= 2 else 500
        if name in ("moves", "windows of moves", "failures", "communicators"):
            count //= 10
        steady(comm, lambda: CYCLES[name](a, b, plan), count)


# ---- threads ----


def test_threads(comm):
    """Runs threads, each with its own communicator."""
    if MPI.Query_thread() != MPI.THREAD_MULTIPLE:
        pytest.skip("MPI has not that level of threads")
    comms = [comm.Dup() for _ in range(3)]
    errors = []

    def work(own, number):
        try:
            for k in range(30):
                whole = ramp((9, 7)) + number + k
                a = dapbridge.from_global(whole, own)
                check(a.redistribute(["local", "cyclic"]), whole)
        except BaseException as e:
            errors.append(e)

    threads = [threading.Thread(target=work, args=(c, n)) for n, c in enumerate(comms)]
    for t in threads:
        t.start()
    for t in threads:
        t.join()
    for c in comms:
        c.Free()
    assert not errors


def test_the_lock_is_released_in_collective_calls(comm, several):
    """Other threads of a process must run while it waits for other processes."""
    a, b = dapbridge.zeros(8, comm), dapbridge.zeros(8, comm, "cyclic")
    with dapbridge.Plan(a, b) as plan:
        release_the_lock(comm, lambda: plan(a, b))


# ---- other processes ----


def test_pickling_is_refused(comm):
    a = dapbridge.zeros(8, comm)
    for thing, word in ((a, "gather"), (dapbridge.Plan(a, a.copy()), "processes")):
        for refused in (pickle.dumps, copy.copy, copy.deepcopy):
            with pytest.raises(TypeError, match=word):
                refused(thing)
    with pytest.raises(TypeError, match="gather"):
        pickle.dumps(a.T)


@pytest.mark.filterwarnings("ignore")
def test_forks_are_refused(comm):
    a, b = dapbridge.full(8, 3.0, comm), dapbridge.zeros(8, comm)
    plan = dapbridge.Plan(a, b)
    read, write = os.pipe()
    child = os.fork()
    if child == 0:
        words = [str(a.local.sum())]
        for call in (
            lambda: plan(a, b),
            lambda: plan.begin(a, b),
            lambda: a.gather(),
            lambda: a[1:],
            lambda: a.halo_update(),
            lambda: dapbridge.zeros(8, comm),
            lambda: dapbridge.from_dap(a, comm),
            lambda: dapbridge.Plan(a, b),
            lambda: dapbridge.end_forgotten(comm),
        ):
            try:
                call()
                words.append("done")
            except RuntimeError as e:
                words.append("forked" if "forked" in str(e) else str(e))
        os.write(write, ";".join(words).encode())
        os._exit(0)
    os.close(write)
    with os.fdopen(read) as file:
        said = file.read()
    os.waitpid(child, 0)
    assert said == ";".join([str(a.local.sum())] + ["forked"] * 9)
    plan(a, b)


START = """
import atexit, gc, sys, types, warnings
import numpy as np
from mpi4py import MPI
import dapbridge
from dapbridge._comms import kept_with
comm = MPI.COMM_WORLD
def array(on=comm):
    a = dapbridge.zeros((30, 20), on, ["block"])
    a.local[...] = 2
    return a
def refused(call):
    try:
        call()
    except (dapbridge.Error, MPI.Exception, RuntimeError):
        return
    raise SystemExit("possible without MPI")
def world(begin):
    a = dapbridge.from_global(np.arange(12.0).reshape(4, 3), comm)
    b = dapbridge.zeros((4, 3), comm, "cyclic")
    plan = dapbridge.Plan(a, b)
    plan()
    names = dict(globals(), a=a, b=b, c=a[0], plan=plan, local=a.local)
    exec(begin, names)
    return names
kept = []
"""
#: Objects that exist when the interpreter ends.
ENDS = {
    "nothing more": "",
    "no array": "del a, b, c, plan",
    "a cycle": "x = [a, plan]; x.append(x); del a, plan, x",
    "a module": "m = types.ModuleType('m'); m.a = a; sys.modules['m'] = m; m.m = m",
    "atexit": "atexit.register(lambda: local.sum())",
    "a view's communicator": "kept_with(comm).leaving = comm.Dup()",
}
#: Objects that exist when MPI ends, and statements after that.
ENDS_OF_MPI = {
    "nothing more": ("", ""),
    "arrays": ("", "del a, b, c, plan"),
    "a run that has ended": ("plan.begin(); plan.end()", ""),
    "memory that is used": ("", "local += 1; del a; local += 1"),
    "calls": (
        "", "refused(lambda: plan(a, b)); refused(lambda: a.gather()); refused(lambda: dapbridge.zeros(3, comm))"
    ),
}
ENDS_OF_VIEWS = {
    "views": "views = [array().scalapack(share='never'), array().scalapack()]",
    "a communicator before memory that numpy keeps": """
duplicate = comm.Dup()
with array(duplicate).scalapack(share="never") as m:
    data = m.data
    data[...] = 7
del m
duplicate.Free()
assert (data == 7).all()
""",
}
ENDS_OF_MPI_OF_VIEWS = {
    "views that are restored": (
        """
a = array()
views = [a.scalapack(share="never"), a.scalapack()]
data = views[0].data
data[...] = 5
""", """
for view in views:
    refused(view.restore)
    assert not view.is_live
assert (data == 5).all() and (a.local == 2).all()
"""),
    "memory that numpy keeps": (
        """
with array().scalapack(share="never") as m:
    data = m.data
    data[...] = 7
""", "assert (data == 7).all()"),
    "a view that was dropped": (
        """
with warnings.catch_warnings(record=True) as caught:
    warnings.simplefilter("always")
    array().scalapack()
assert [w.category for w in caught] == [ResourceWarning]
""", ""),
    "calls": ("a = array()", "refused(lambda: dapbridge.linalg.norm(a)); refused(a.scalapack); assert (a.local == 2).all()"),
}  # fmt: skip
IN_A_BLOCK = """
try:
    with array().scalapack(share="never"):
        MPI.Finalize()
        raise KeyError("its own")
except KeyError:
    pass
"""

#: Programs with their own launcher: otherwise all processes would only wait for the first one.
on_one_process = pytest.mark.skipif(MPI.COMM_WORLD.size > 1, reason="starts programs of its own")


def of_interpreter(table):
    return "".join(f"kept.append(world({begin!r}))\n" for begin in table.values())


def of_mpi(table):
    begun = of_interpreter({name: begin for name, (begin, _) in table.items()})
    return f"{begun}MPI.Finalize()\n" + "".join(f"exec({s[1]!r}, kept[{i}])\n" for i, s in enumerate(table.values()))


#: The rows of a table run in one program, which prints where it failed.
PROGRAMS = {
    "the interpreter": of_interpreter(ENDS),
    "MPI": of_mpi(ENDS_OF_MPI),
    "a begun run": "kept = world('plan.begin()')",
    "views and the interpreter": of_interpreter(ENDS_OF_VIEWS),
    "views and MPI": of_mpi(ENDS_OF_MPI_OF_VIEWS),
    "MPI in a view's block": IN_A_BLOCK,
}


@on_one_process
@pytest.mark.limit(100)
@pytest.mark.parametrize("name", PROGRAMS)
def test_ends(name):
    """Arrays, plans and views can outlive MPI, and a view can outlive the interpreter."""
    if "view" in name:
        pytest.importorskip("dapbridge._scalapack")
    succeed(START + PROGRAMS[name], 2)


@on_one_process
@pytest.mark.limit(100)
def test_an_mpi_of_another_kind_is_refused():
    said = succeed(
        """
        import dapbridge._comms as c
        from mpi4py import MPI
        try:
            c.check_mpi("Another MPI 9.9", "/nowhere/libmpi.so", MPI)
        except ImportError as e:
            print(e)
        """
    )
    assert "Another MPI 9.9 (/nowhere/libmpi.so)" in said and "mpi4py" in said


#: Calls that need the communicator of an array, which the program has freed; with arrays a and b.
FREED = {
    "gather": lambda a, b: a.gather(),
    "redistribute": lambda a, b: a.redistribute("cyclic"),
    "transposed": lambda a, b: a.T.redistribute("block"),
    "copy": lambda a, b: a.copy(),
    "Plan": lambda a, b: dapbridge.Plan(a, b),
    "slice": lambda a, b: a[2:4],
    "halo_update": lambda a, b: a.halo_update(allow_empty=True),
    "halo_reverse": lambda a, b: a.halo_reverse(allow_empty=True),
    "check_copies": lambda a, b: a.check_copies(),
    "export": lambda a, b: a.export(os.devnull),
    "linalg.norm": lambda a, b: dapbridge.linalg.norm(a),
    "linalg.solve": lambda a, b: dapbridge.linalg.solve(a, b),
    "scalapack": lambda a, b: a.scalapack(),
    "petsc_field": lambda a, b: a.petsc_field(),
}


@pytest.mark.parametrize("name", FREED)
def test_a_freed_communicator_is_named(comm, name):
    """MPI's own error would not say this."""
    own = comm.Dup()
    a, b = dapbridge.zeros((8, 8), own), dapbridge.zeros((8, 8), own, ["cyclic", "cyclic"])
    own.Free()
    try:
        with pytest.raises(dapbridge.ArgumentError, match="communicator was freed"):
            FREED[name](a, b)
    except ImportError:
        pytest.skip("not built")


def test_what_needs_no_communicator_goes_on(comm):
    """A plan has its own communicator, and an array's elements belong to this process."""
    whole = ramp((8, 8))
    own = comm.Dup()
    a, b = dapbridge.from_global(whole, own), dapbridge.zeros((8, 8), own, ["cyclic", "cyclic"])
    plan = dapbridge.Plan(a, b)
    own.Free()
    plan()
    rows, columns = np.ix_(*b.indices())
    assert (b.local == whole[rows, columns]).all()
    assert "8 x 8" in repr(a)
