"""Errors: the same on all processes, whoever of them made the mistake."""

import numpy as np
import pytest
from maps import same_error
from test_producers import export

import dapbridge

MISTAKES = {
    "no __version__": (lambda e: e.pop("__version__"), dapbridge.VersionError, "__version__"),
    "version 3": (lambda e: e.update(__version__="3.0"), dapbridge.VersionError, "3.0"),
    "version a number": (lambda e: e.update(__version__=0.1), dapbridge.VersionError, "0.1"),
    "version bytes": (lambda e: e.update(__version__=b"0.10.0"), dapbridge.VersionError, "0.10.0"),
    "no buffer": (lambda e: e.pop("buffer"), dapbridge.LayoutError, "buffer"),
    "buffer a list": (lambda e: e.update(buffer=[1, 2, 3]), dapbridge.ArrayBufferError, "list"),
    "buffer None": (lambda e: e.update(buffer=None), dapbridge.ArrayBufferError, "None"),
    "buffer of objects": (lambda e: e.update(buffer=np.array([1, 2, None])), dapbridge.Error, ""),
    "buffer of two axes": (lambda e: e.update(buffer=np.ones((3, 1))), dapbridge.Error, ""),
    "buffer too long": (lambda e: e.update(buffer=np.ones(4)), dapbridge.Error, "4"),
    "another type": (lambda e: e.update(buffer=np.ones(3, "f4")), dapbridge.Error, "float"),
    "no dim_data": (lambda e: e.pop("dim_data"), dapbridge.LayoutError, "dim_data"),
    "dim_data a number": (lambda e: e.update(dim_data=5), dapbridge.LayoutError, "dim_data"),
    "dim_data a dictionary": (lambda e: e.update(dim_data=e["dim_data"][0]), dapbridge.LayoutError, "dim_data"),
    "dim_data of numbers": (lambda e: e.update(dim_data=(5,)), dapbridge.DimError, "axis 0"),
    "dim_data empty": (lambda e: e.update(dim_data=()), dapbridge.Error, ""),
}
KEYS = {
    "no dist_type": ({"dist_type": None}, "dist_type"),
    "dist_type x": ({"dist_type": "x"}, "'x'"),
    "dist_type a list": ({"dist_type": ["b"]}, "dist_type"),
    "no size": ({"size": None}, "size"),
    "size a bool": ({"size": True}, "bool"),
    "size a float": ({"size": 6.0}, "float"),
    "size a float of numpy": ({"size": np.float64(6)}, "float64"),
    "size a text": ({"size": "6"}, "str"),
    "size negative": ({"size": -1}, "-1"),
    "size huge": ({"size": 1 << 70}, "size"),
    "start a bool": ({"start": False}, "bool"),
    "stop too large": ({"stop": 1000}, "1000"),
    "grid rank too large": ({"proc_grid_rank": 99}, "99"),
    "padding a number": ({"padding": 1}, "padding"),
    "padding of three": ({"padding": (0, 0, 0)}, "padding"),
    "padding of floats": ({"padding": (0.0, 0.0)}, "padding"),
    "periodic a number": ({"periodic": 1}, "periodic"),
}


@pytest.mark.parametrize("name", MISTAKES)
@pytest.mark.parametrize("who", ["first", "last", "all"])
def test_mistakes(comm, name, who):
    """A producer that is wrong on one process."""
    spoil, kind, word = MISTAKES[name]
    given = export(comm)
    culprit = {"first": 0, "last": comm.size - 1}.get(who, comm.rank)
    if name == "another type" and (comm.size == 1 or who == "all"):
        pytest.skip("no mistake")
    if comm.rank == culprit:
        spoil(given)
    error = same_error(comm, kind, lambda: dapbridge.from_dap(given, comm))
    assert word in str(error)
    assert "rank" in str(error)


@pytest.mark.parametrize("name", KEYS)
def test_keys(comm, name):
    others, word = KEYS[name]
    given = export(comm)
    if comm.rank == comm.size - 1:
        given = export(comm, **others)
    kinds = (dapbridge.LayoutError, dapbridge.RangeError)
    error = same_error(comm, kinds, lambda: dapbridge.from_dap(given, comm))
    assert word in str(error) and "axis 0" in str(error) and f"rank {comm.size - 1}" in str(error)


INDICES = {
    "bools": np.array([True, False, True]),
    "floats": np.array([0.0, 1.0, 2.0]),
    "two axes": np.zeros((3, 1), int),
    "a text": "012",
    "None": [None, 1, 2],
    "too short": [0, 1],
    "twice": [0, 0, 1],
    "negative": [0, 1, -1],
}


@pytest.mark.parametrize("name", INDICES)
def test_indices(comm, name):
    lists = 3 * comm.rank + np.arange(3)
    given = export(comm, dist_type="u", start=None, stop=None, indices=lists.tolist())
    dapbridge.from_dap(given, comm)
    if comm.rank == 0:
        given = export(comm, dist_type="u", start=None, stop=None, indices=INDICES[name])
    same_error(comm, dapbridge.Error, lambda: dapbridge.from_dap(given, comm))


def test_a_producer_that_raises(comm):
    class Producer:
        def __distarray__(self):
            if comm.rank == comm.size - 1:
                raise ZeroDivisionError("out of luck")
            return export(comm)

    error = same_error(comm, dapbridge.Error, lambda: dapbridge.from_dap(Producer(), comm))
    assert f"rank {comm.size - 1}" in str(error) and "out of luck" in str(error)
    if comm.rank == comm.size - 1:
        assert isinstance(error.__cause__, ZeroDivisionError)


def test_what_is_no_producer(comm):
    error = same_error(comm, ValueError, lambda: dapbridge.from_dap(5 if comm.rank == 0 else export(comm), comm))
    assert "__distarray__" in str(error)

    class Wrong:
        def __distarray__(self):
            return [1]

    same_error(comm, ValueError, lambda: dapbridge.from_dap(Wrong(), comm))


def test_wrong_communicators(comm):
    from mpi4py import MPI

    with pytest.raises(TypeError, match="communicator"):
        dapbridge.from_dap(export(comm), None)
    with pytest.raises(TypeError, match="communicator"):
        dapbridge.zeros(5, 7)
    with pytest.raises(dapbridge.ArgumentError):
        dapbridge.from_dap(export(comm), MPI.COMM_NULL)
    if comm.size > 1:
        half = comm.Split(comm.rank % 2)
        if half.size < comm.size:
            same_error(half, dapbridge.LayoutError, lambda: dapbridge.from_dap(export(comm), half))
        half.Free()


def test_different_versions(comm):
    if comm.size == 1:
        return
    given = export(comm)
    if comm.rank == 0:
        given["__version__"] = "0.9.0"
    same_error(comm, dapbridge.Error, lambda: dapbridge.from_dap(given, comm))


def test_array_of_parts_that_do_not_fit(comm):
    if comm.size == 1:
        return
    parts = {
        "columns": np.ones((3, 4 + comm.rank)),
        "axes": np.ones((3,) * (1 + (comm.rank == 0))),
        "objects": np.array([None] if comm.rank == 0 else [1.0]),
        "types": np.ones(3, "f4" if comm.rank == 0 else "f8"),
    }
    for name in ("columns", "axes", "objects"):
        same_error(comm, dapbridge.Error, lambda: dapbridge.array(parts[name], comm))
    a = dapbridge.array(np.ones(3), comm) if comm.rank else dapbridge.array(np.ones(3), comm, ["block"])
    assert a.shape == (3 * comm.size,)
    dist = "cyclic" if comm.rank == 0 else "block"
    same_error(comm, dapbridge.LayoutError, lambda: dapbridge.array(np.ones(3), comm, dist))
    same_error(comm, dapbridge.Error, lambda: dapbridge.array(np.ones(3), comm, 5 if comm.rank else None))
    same_error(comm, dapbridge.Error, lambda: dapbridge.zeros(3, comm, "up" if comm.rank else None))


def test_options_that_one_process_has_wrong(comm):
    """Nobody waits for it."""
    last = comm.rank == comm.size - 1
    a = dapbridge.zeros((8, 8), comm, dapbridge.padded(1))
    wrong = [
        lambda: dapbridge.Plan(a, a.copy(), combine="prod" if last else "sum"),
        lambda: dapbridge.Plan(a, a.copy(), alpha="x" if last else 2),
        lambda: dapbridge.Plan(a, a.copy(), memory_bytes=1.5 if last else 0),
        lambda: dapbridge.Plan.halo(a, **({"speed": 3} if last else {})),
        lambda: a.halo_reverse("prod" if last else "sum"),
        lambda: a.redistribute(5 if last else "cyclic"),
        lambda: dapbridge.zeros(8, comm, dtype="U3" if last else float),
        lambda: dapbridge.zeros(8, comm, dtype="zz" if last else float),
        lambda: dapbridge.zeros(8.5 if last else 8, comm),
        lambda: dapbridge.zeros(8, comm, order="X" if last else "C"),
    ]
    for call in wrong:
        same_error(comm, dapbridge.Error, call)


SAID_BY_C = {
    "int32; options.lossy allows it": "int32; lossy=True allows it",
    "which needs options.allow_empty: 2 processes": "which needs allow_empty=True: 2 processes",
    "options.part can fix others, options.dof_axes make": "part can fix others, dof_axes make",
    "DAP_WRITE to a read-only buffer": 'access "w" to a read-only buffer',
    "was not got with DAP_READ": 'was not got with access "r"',
    "options.colour of someone else": "options.colour of someone else",
}


@pytest.mark.parametrize("text", SAID_BY_C)
def test_options_have_their_names_in_python(text):
    with pytest.raises(dapbridge.ArgumentError) as caught:
        dapbridge._core.fail(dapbridge._core.STATUSES.index("ARG"), text)
    assert str(caught.value) == SAID_BY_C[text]


def test_a_lossy_move_names_the_keyword(comm):
    a, b = dapbridge.zeros(5, comm), dapbridge.zeros(5, comm, dtype=np.int32)
    assert "lossy=True" in str(same_error(comm, dapbridge.Error, lambda: a.redistribute(out=b)))


def test_from_global_mistakes(comm):
    same_error(comm, dapbridge.ArgumentError, lambda: dapbridge.from_global(np.ones(3), comm, root=comm.size))
    same_error(comm, dapbridge.Error, lambda: dapbridge.from_global(np.array([None]), comm))
    same_error(comm, dapbridge.ArgumentError, lambda: dapbridge.zeros(5, comm).gather(-2))


def test_functions_that_raise(comm):
    def function(i):
        if comm.rank == 0:
            raise KeyError("colour")
        return i

    error = same_error(comm, dapbridge.Error, lambda: dapbridge.from_function(function, 10, comm))
    assert "colour" in str(error)
    assert isinstance(error.__cause__, KeyError) == (comm.rank == 0)


def test_wrong_arguments_are_one_exception(comm):
    """No chain of those by which the package found them wrong."""
    a = dapbridge.zeros((4, 4), comm)
    for call in (lambda: dapbridge.zeros(4, comm, dtype="zz"), lambda: a[9], lambda: dapbridge.zeros(4, comm, 5)):
        error = same_error(comm, dapbridge.Error, call)
        assert error.__cause__ is None and error.__suppress_context__


def test_errors_can_be_pickled():
    import pickle

    error = pickle.loads(pickle.dumps(dapbridge.DimError("axis 0: no", 3, 10)))
    assert (str(error), error.rank, error.rule) == ("axis 0: no", 3, 10)
    assert isinstance(error, ValueError)


@pytest.mark.parametrize("kind", ["datetime64[s]", "timedelta64[ms]"])
def test_times_are_refused_with_advice(comm, kind):
    with pytest.raises(dapbridge.ArrayBufferError, match=r"\.view\('i8'\)"):
        dapbridge.zeros(4, comm, dtype=kind)
