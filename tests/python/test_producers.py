"""Tests arrays of other programs, the producers."""

import gc

import numpy as np
import pytest
import vectors
from maps import check, ramp, same_error
from mpi4py import MPI

import dapbridge

DOCUMENTS = dict(vectors.documents())


@pytest.mark.parametrize("name", DOCUMENTS)
def test_vectors(comm, name):
    """Uses as many processes as the document has, the first ones."""
    document = DOCUMENTS[name]
    if document["nprocs"] > comm.size:
        pytest.skip(f"for {document['nprocs']} processes")
    part = comm.Split(0 if comm.rank < document["nprocs"] else MPI.UNDEFINED)
    if part != MPI.COMM_NULL:
        follow(part, document)
        part.Free()


def follow(comm, document):
    """Conforming documents must have the listed elements. The others must be refused on all processes, by their
    rule."""
    rules = document.get("rules")
    known = dapbridge._core.dialect(dapbridge.exports.version_text(document["ranks"][0]["__version__"]))

    def read():
        producer = vectors.Producer(document, comm.rank)
        array = dapbridge.from_dap(producer, comm, rules if known is None else None)
        array.check_copies()
        return array, producer

    if not document["conforming"]:
        error = same_error(comm, dapbridge.Error, read)
        assert error.rule == document.get("broken_rule", error.rule)
        return
    array, producer = read()
    own, whole = document["ranks"][comm.rank], vectors.whole_of(document)
    buffer = producer.export["buffer"]
    assert array.local.flags.writeable == buffer.flags.writeable
    if buffer.size:
        assert array.local.__array_interface__["data"] == buffer.__array_interface__["data"]
        assert _strides(array.local) == _strides(buffer)
    if "available" in own:
        assert [i.tolist() for i in array.indices()] == own["available"]
    if "owned_local" in own:  # positions include all copies; the lowest process owns them
        for found, said in zip(array.owned_positions(), own["owned_local"]):
            assert set(found) <= set(said)
    check(array, whole)
    np.testing.assert_array_equal(array.gather(), whole)
    check(array.redistribute("cyclic") if array.ndim else array, whole)
    for version in ("0.10.0", "0.9.0", (0, 0, 1)):
        try:
            export = array.__distarray__(version)
        except dapbridge.UnsupportedError:
            continue
        again = dapbridge.from_dap(export, comm)
        assert again.layout == array.layout or array.layout.axis(0)["owners_given"]
        check(again, whole)


def _strides(array):
    return [s for s, n in zip(array.strides, array.shape) if n > 1]


# ---- producers that no vector contains ----


def dictionary(comm, **others):
    size, first = 3 * comm.size, 3 * comm.rank
    dim = dict(dist_type="b", size=size, proc_grid_size=comm.size, proc_grid_rank=comm.rank, start=first, stop=first + 3)
    dim.update(others)
    return {k: v for k, v in dim.items() if v is not None}


def export(comm, buffer=None, **others):
    return {
        "__version__": "0.10.0",
        "buffer": np.arange(3.0) + 3 * comm.rank if buffer is None else buffer,
        "dim_data": (dictionary(comm, **others),),
    }


class Interface:
    """Has only __array_interface__."""

    def __init__(self, array):
        self.array = array
        self.__array_interface__ = array.__array_interface__


BUFFERS = {
    "array": lambda a: a,
    "memoryview": memoryview,
    "bytearray": lambda a: memoryview(bytearray(a.tobytes())).cast("d"),
    "read-only": lambda a: memoryview(a.tobytes()).cast("d"),
    "interface": Interface,
    "array.array": lambda a: __import__("array").array("d", a),
    "big-endian": lambda a: a.astype(">f8"),
    "strided": lambda a: np.repeat(a, 3)[::3],
}


@pytest.mark.parametrize("name", BUFFERS)
def test_buffers(comm, name):
    a = dapbridge.from_dap(export(comm, BUFFERS[name](np.arange(3.0) + 3 * comm.rank)), comm)
    gc.collect()
    check(a, np.arange(3.0 * comm.size))
    np.testing.assert_array_equal(a.gather(), np.arange(3.0 * comm.size))


def test_integers_of_numpy_lists_and_other_keys(comm):
    given = export(comm, size=np.int32(3 * comm.size), start=np.uint8(3 * comm.rank), periodic=np.bool_(False))
    given["dim_data"] = [dict(given["dim_data"][0], colour="red", padding=[0, np.int64(0)])]
    given["author"] = "unknown"
    check(dapbridge.from_dap(given, comm), np.arange(3.0 * comm.size))


def test_the_producer_is_asked_once_and_its_memory_lives(comm):
    class Producer:
        asked = 0

        def __distarray__(self):
            self.asked += 1
            return export(comm, np.full(3, 1.0 + comm.rank))

    producer = Producer()
    a = dapbridge.from_dap(producer, comm)
    assert producer.asked == 1
    del producer
    gc.collect()
    np.ones(1000)
    assert a.local.tolist() == [1.0 + comm.rank] * 3


@pytest.mark.parametrize("version", ["0.10.0", "0.9.0", (0, 0, 1)], ids=str)
def test_dialects(comm, version):
    a = dapbridge.from_global(ramp((12, 8)), comm, [dapbridge.padded(1), dapbridge.cyclic(2)])
    found = a.__distarray__(version)
    assert found["__version__"] == version
    key = "dimdata" if version == (0, 0, 1) else "dim_data"
    assert set(found) == {"__version__", "buffer", key}
    kinds = [d["disttype" if version == (0, 0, 1) else "dist_type"] for d in found[key]]
    if version == (0, 0, 1):
        assert kinds == (["bp" if comm.size > 1 and a.layout.grid[0] > 1 else "b", "bc"])
    else:
        assert kinds == ["b", "c"]
    assert np.shares_memory(found["buffer"], a.local)
    b = dapbridge.from_dap(found, comm)
    assert b.layout == a.layout
    same_error(comm, dapbridge.VersionError, lambda: a.__distarray__("2.0"))


def test_exact_keys(comm):
    a = dapbridge.zeros((4 * comm.size, 3), comm, ["block", dapbridge.cyclic(2)], grid=[comm.size, 1])
    rows, columns = a.__distarray__()["dim_data"]
    p, r = comm.size, comm.rank
    grid = dict(proc_grid_size=p, proc_grid_rank=r)
    assert rows == dict(dist_type="b", size=4 * p, start=4 * r, stop=4 * r + 4, **grid)
    grid = dict(proc_grid_size=1, proc_grid_rank=0)
    assert columns == dict(dist_type="c", size=3, start=0, block_size=2, **grid)
    lists = np.array_split(np.arange(7)[::-1], comm.size)
    b = dapbridge.zeros(7, comm, dapbridge.unstructured([list(i) for i in lists], one_to_one=True))
    (dim,) = b.__distarray__("0.9.0")["dim_data"]
    assert isinstance(dim["indices"], np.ndarray) and dim["indices"].tolist() == lists[comm.rank].tolist()
    assert dim["one_to_one"] is True


# ---- producers that are wrong ----


def dims(**others):
    """Returns a function that changes keys of the dictionary of axis 0."""
    return lambda e: e["dim_data"][0].update(others)


def lists(indices):
    """Returns a function that makes the array unstructured with these indices."""

    def change(e):
        dim = {k: v for k, v in e["dim_data"][0].items() if k not in ("start", "stop")}
        e["dim_data"] = ({**dim, "dist_type": "u", "indices": indices},)

    return change


VERSION, LAYOUT, BUFFER = dapbridge.VersionError, dapbridge.LayoutError, dapbridge.ArrayBufferError
AXIS = (LAYOUT, dapbridge.RangeError)
#: Rows: a change that spoils an export, the exception, parts of its text, and for some the rule that is broken.
MISTAKES = {
    "no __version__": (lambda e: e.pop("__version__"), VERSION, "__version__", 1),
    "version 3": (lambda e: e.update(__version__="3.0"), VERSION, "3.0", 2),
    "version of a text": (lambda e: e.update(__version__=(0, "1")), VERSION, "0|1", 1),
    "version empty": (lambda e: e.update(__version__=()), VERSION, "__version__|()", 2),
    "version an empty list": (lambda e: e.update(__version__=[]), VERSION, "__version__|[]", 2),
    "version a number": (lambda e: e.update(__version__=0.1), VERSION, "0.1", 1),
    "version bytes": (lambda e: e.update(__version__=b"0.10.0"), VERSION, "0.10.0", 1),
    "no buffer": (lambda e: e.pop("buffer"), LAYOUT, "buffer", 1),
    "buffer a list": (lambda e: e.update(buffer=[1, 2, 3]), BUFFER, "list"),
    "buffer None": (lambda e: e.update(buffer=None), BUFFER, "None"),
    "buffer of objects": (lambda e: e.update(buffer=np.array([1, 2, None])), dapbridge.Error, ""),
    "buffer of two axes": (lambda e: e.update(buffer=np.ones((3, 1))), dapbridge.Error, ""),
    "buffer of nine axes": (lambda e: e.update(buffer=np.ones((3,) + 8 * (1,))), dapbridge.RangeError, "9 axes|8", 0),
    "buffer too long": (lambda e: e.update(buffer=np.ones(4)), dapbridge.Error, "4"),
    "no dim_data": (lambda e: e.pop("dim_data"), LAYOUT, "dim_data", 1),
    "dim_data a number": (lambda e: e.update(dim_data=5), LAYOUT, "dim_data", 3),
    "dim_data a dictionary": (lambda e: e.update(dim_data=e["dim_data"][0]), LAYOUT, "dim_data", 3),
    "dim_data of numbers": (lambda e: e.update(dim_data=(5,)), dapbridge.DimError, "axis 0", 3),
    "dim_data of nine axes": (lambda e: e.update(dim_data=9 * e["dim_data"]), AXIS, "9 dictionaries|8 axes", 0),
    "dim_data empty": (lambda e: e.update(dim_data=()), dapbridge.Error, ""),
    "no dist_type": (lambda e: e["dim_data"][0].pop("dist_type"), AXIS, "axis 0|dist_type", 1),
    "dist_type x": (dims(dist_type="x"), AXIS, "axis 0|dist_type|'x'|'b'|'c'|'u'", 1),
    "dist_type a list": (dims(dist_type=["b"]), AXIS, "axis 0|dist_type", 1),
    "no size": (lambda e: e["dim_data"][0].pop("size"), AXIS, "axis 0|size"),
    "size a bool": (dims(size=True), AXIS, "axis 0|bool", 3),
    "size a float": (dims(size=6.0), AXIS, "axis 0|float", 3),
    "size a float of numpy": (dims(size=np.float64(6)), AXIS, "axis 0|float64", 3),
    "size a text": (dims(size="6"), AXIS, "axis 0|str", 3),
    "size negative": (dims(size=-1), AXIS, "axis 0|-1"),
    "size huge": (dims(size=1 << 70), AXIS, "axis 0|size"),
    "start a bool": (dims(start=False), AXIS, "axis 0|bool"),
    "start the least of all": (dims(start=-(2**63)), dapbridge.RangeError, "axis 0|start|63 bits"),
    "stop too large": (dims(stop=1000), AXIS, "axis 0|1000"),
    "grid rank too large": (dims(proc_grid_rank=99), AXIS, "axis 0|99"),
    "padding a number": (dims(padding=1), AXIS, "axis 0|padding", 10),
    "padding None": (dims(padding=None), AXIS, "axis 0|padding", 10),
    "periodic None": (dims(periodic=None), AXIS, "axis 0|periodic", 3),
    "padding of three": (dims(padding=(0, 0, 0)), AXIS, "axis 0|padding", 10),
    "padding of floats": (dims(padding=(0.0, 0.0)), AXIS, "axis 0|padding", 10),
    "periodic a number": (dims(periodic=1), AXIS, "axis 0|periodic", 3),
    "indices are bools": (lists(np.array([True, False, True])), dapbridge.Error, ""),
    "indices are floats": (lists(np.array([0.0, 1.0, 2.0])), dapbridge.DimError, "axis 0|indices|1 axes|float64", 17),
    "indices of two axes": (lists(np.zeros((3, 1), int)), dapbridge.DimError, "axis 0|indices|2 axes|int64", 17),
    "indices are None": (lists(None), AXIS, "axis 0|indices", 17),
    "indices are a text": (lists("012"), dapbridge.Error, ""),
    "an index is None": (lists([None, 1, 2]), dapbridge.Error, ""),
    "indices are too few": (lists([0, 1]), dapbridge.Error, ""),
    "an index twice": (lists([0, 0, 1]), dapbridge.Error, ""),
    "an index negative": (lists([0, 1, -1]), dapbridge.Error, ""),
}  # fmt: skip


@pytest.mark.parametrize("who", ["last", "all"])
@pytest.mark.parametrize("name", MISTAKES)
def test_mistakes(comm, last, name, who):
    """All processes must name the wrong one, or the first if all are wrong."""
    spoil, kind, words, *rule = MISTAKES[name]
    given = export(comm)
    if "ind" in name:
        lists(3 * comm.rank + np.arange(3))(given)
        dapbridge.from_dap(given, comm)
    if last or who == "all":
        spoil(given)
    error = same_error(comm, kind, lambda: dapbridge.from_dap(given, comm), words)
    assert "rank" in str(error)
    assert [error.rule] == (rule or [error.rule])
    if name in ("size a bool", "no buffer"):
        assert f"rank {comm.size - 1 if who == 'last' else 0}" in str(error)


@pytest.mark.parametrize("who", ["last", "all"])
@pytest.mark.parametrize("rules", ["9", "0.8.0", "0.9", ""])
def test_rules_of_no_version(comm, last, rules, who):
    given = rules if last or who == "all" else None
    error = same_error(comm, VERSION, lambda: dapbridge.from_dap(export(comm), comm, given), repr(rules))
    assert error.rule == 2 and error.rank == (comm.size - 1 if who == "last" else 0)


def test_types_that_differ(comm, several, last):
    given = export(comm, np.ones(3, "f4" if last else "f8"))
    same_error(comm, dapbridge.Error, lambda: dapbridge.from_dap(given, comm), "float")


@pytest.mark.parametrize("what", ["a producer", "a function"])
def test_one_process_raises(comm, last, what):
    """The process that raised must also show its own exception."""

    class Producer:
        def __distarray__(self):
            return give(export(comm))

    def give(result):
        if last:
            raise ZeroDivisionError("out of luck")
        return result

    calls = {
        "a producer": lambda: dapbridge.from_dap(Producer(), comm),
        "a function": lambda: dapbridge.from_function(give, 10, comm),
    }
    error = same_error(comm, dapbridge.Error, calls[what])
    assert f"rank {comm.size - 1}" in str(error) and "out of luck" in str(error)
    assert isinstance(error.__cause__, ZeroDivisionError) == last


def test_what_is_no_producer(comm, last):
    given = 5 if last else export(comm)
    same_error(comm, ValueError, lambda: dapbridge.from_dap(given, comm), "__distarray__")

    class Wrong:
        def __distarray__(self):
            return [1]

    same_error(comm, ValueError, lambda: dapbridge.from_dap(Wrong(), comm))


PARTS = {
    "columns": lambda last: np.ones((3, 4 + last)),
    "axes": lambda last: np.ones((3,) * (1 + last)),
    "objects": lambda last: np.array([None] if last else [1.0]),
}


@pytest.mark.parametrize("what", PARTS)
def test_parts_that_do_not_fit(comm, several, last, what):
    same_error(comm, dapbridge.Error, lambda: dapbridge.array(PARTS[what](last), comm))


# ---- existing producers ----


@pytest.mark.parametrize("rank", [0, 1, 2])
@pytest.mark.parametrize("subcomm", [None, [0, 0, 1], [1, 0, 0], [0, 1, 1]], ids=str)
def test_mpi4py_fft(comm, rank, subcomm):
    pytest.importorskip("mpi4py_fft")
    from mpi4py_fft import DistArray

    shape = (2,) * rank + (8, 9, 10)
    field = DistArray(shape, subcomm, dtype="c16", rank=rank)
    whole = ramp(shape, "c16")
    where = tuple(slice(s, s + n) for s, n in zip(field.substart[rank:], field.shape[rank:]))
    field[...] = whole[(..., *where)]
    a = dapbridge.from_mpi4py_fft(field)
    assert np.shares_memory(a.local, field)
    check(a, whole)
    np.testing.assert_array_equal(a.gather(), whole)


def test_partitioned(comm):
    """Tests it also without `locals`, which must not exist on some processes only."""
    whole = ramp((3 * comm.size, 4))
    mine = whole[3 * comm.rank : 3 * comm.rank + 3]
    described = {
        "shape": whole.shape,
        "partition_tiling": (comm.size, 1),
        "partitions": {
            (r, 0): {"start": (3 * r, 0), "shape": (3, 4), "data": mine if r == comm.rank else None, "location": [r]}
            for r in range(comm.size)
        },
    }
    a = dapbridge.from_partitioned({**described, "locals": [(comm.rank, 0)], "get": lambda data: data}, comm)
    check(a, whole)
    assert not a.local.flags.writeable and np.shares_memory(a.local, whole)
    check(dapbridge.from_partitioned(described, comm), whole)
    described["locals"] = [] if comm.rank == 0 else [(comm.rank, 0)]
    same_error(comm, dapbridge.LayoutError, lambda: dapbridge.from_partitioned(described, comm))
