"""Makes producers of the documents in tests/vectors: objects with __distarray__(), as real producers exported them."""

import json
import os
from pathlib import Path

import numpy as np

FOLDER = Path(__file__).resolve().parent.parent / "vectors"
FILES = ["seed-0.10.0", "seed-0.9.0", "synthetic", "reader"]


def documents():
    """Yields (name, document) of all vectors, including those of the folder DAPBRIDGE_VECTORS if it is set."""
    paths = [FOLDER / f"{name}.jsonl" for name in FILES]
    other = os.environ.get("DAPBRIDGE_VECTORS")
    if other:
        paths += sorted(Path(other).glob("*.jsonl"))
    for path in paths:
        for number, line in enumerate(path.read_text().splitlines()):
            document = json.loads(line)
            yield f"{path.stem}:{document.get('name', number)}", document


def values_of(document, values, dtype):
    """Converts JSON's numbers to elements."""
    if dtype.kind == "c":
        values = [complex(*v) if isinstance(v, list) else v for v in values]
    array = np.array(values, object)
    if dtype.kind in "iu":
        mask = (1 << 8 * dtype.itemsize) - 1
        array = np.array([int(v) & mask for v in values], np.uint64).astype(f"u{dtype.itemsize}").view(
            dtype.newbyteorder("=")
        )
    return array.astype(dtype.newbyteorder("=")).astype(dtype)


def buffer_of(document, described):
    """Makes a numpy array with the described strides, byte order and elements."""
    dtype = np.dtype(described["dtype"])
    shape, strides = described["shape"], described["strides"]
    low = sum(min(0, s * (n - 1)) for s, n in zip(strides, shape) if n)
    high = sum(max(0, s * (n - 1)) for s, n in zip(strides, shape) if n) + dtype.itemsize
    odd = 1 if document.get("layout") == "unaligned" else 0
    memory = np.zeros(high - low + odd, np.uint8)
    array = np.ndarray(shape, dtype, memory.data, -low + odd, strides)
    values = values_of(document, described["values"], dtype).reshape(shape) if array.size else None
    if values is not None:
        for place in np.ndindex(*shape):
            array[place] = values[place]
    array.flags.writeable = not described.get("readonly", False)
    return array


def whole_of(document):
    """Returns the array's elements."""
    shape = document["global_shape"]
    dtype = np.dtype(document.get("dtype") or document["ranks"][0]["buffer"]["dtype"]).newbyteorder("=")
    count = int(np.prod(shape))
    fill = document["fill"]
    if fill == "listed":
        return values_of(document, document["global_values"], dtype).reshape(shape)
    if fill == "constant":
        return np.full(shape, 7, dtype)
    if dtype.kind == "b":
        return (np.arange(count) % 2 == 1).reshape(shape)
    if dtype.kind == "c":
        return (np.arange(count) * (1 + 1j) + 0.5j).astype(dtype).reshape(shape)
    return values_of(document, list(range(count)), dtype).reshape(shape)


class Producer:
    """One process of a document."""

    def __init__(self, document, rank):
        own = document["ranks"][rank]
        version = own.get("__version__")
        self.export = {}
        if "dim_data" in own:
            self.export[document.get("dim_data_key", "dim_data")] = own["dim_data"]
        if "__version__" in own:
            self.export["__version__"] = tuple(version) if isinstance(version, list) else version
        if "buffer" in own:
            self.export["buffer"] = buffer_of(document, own["buffer"])

    def __distarray__(self):
        return self.export
