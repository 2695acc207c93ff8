"""ScaLAPACK: views as in dapbridge/scalapack.h, and the functions of dapbridge/linalg*.h. Conventions: _core."""
from collections.abc import Sequence
from typing import Any, Final, final

from ._core import Layout, Local

INTEGER_SIZE: Final[int]
"""Bytes of ScaLAPACK's INTEGER."""

Use = tuple[str, bool, int, str]
"""name, shared, moved_bytes, reason of an operand."""

@final
class Matrix:
    """A live view, and a Fortran-ordered buffer of its local part (the extents are this process's).

    The memory of a moved view stays until the last buffer of it is released. An object that is dropped while
    its view lives keeps all that the view has, as ending it is collective; unless MPI was finalised."""
    @classmethod
    def get(cls, comm: int, layout: Layout, local: Local, access: str, options: dict[str, Any]) -> Matrix:
        """access 'r', 'w', 'rw'. options: sharing 'possible' 'required' 'never', part, routine, op, block_size,
        grid, aligned_with (a Matrix), context (int), and the members of dap_matrix_needs: dtypes as a sequence
        of numpy's names, offset 'none' 'block' 'any', align 'grid' 'rows' 'longer' 'same'. Collective."""
    desc: Final[tuple[int, ...]]
    m: Final[int]
    n: Final[int]
    ia: Final[int]
    ja: Final[int]
    op: Final[str]
    shared: Final[bool]
    reason: Final[str]
    moved_bytes: Final[int]
    address: Final[int]
    """Of the local part; 0: it is empty."""
    desc_address: Final[int]
    """Of nine INTEGERs, for calls by ctypes."""
    is_live: Final[bool]
    def restore(self) -> None: ...
    def discard(self) -> None: ...
    def load(self) -> None: ...
    def store(self) -> None: ...
    def halo(self) -> None: ...
    def describe(self) -> str: ...

def context_comm(context: int) -> int:
    """The Fortran handle of a BLACS context's communicator; MPI_COMM_NULL's if there is none."""

def import_matrix(comm: int, desc: Sequence[int], buffer: Any, op: str) -> tuple[Layout, Local]:
    """dap_scalapack_import(); the Local keeps the buffer. Collective."""

# Each takes its arrays as (layout, local) pairs, None where one is not wanted, and options: sharing, keep,
# block_size; of eigh also solver 'auto' 'ev' 'evd' 'evr', range 'all' 'index' 'value', start, stop, above, up_to.
# Each returns what its C function returns besides arrays, and the uses of its operands.
Pair = tuple[Layout, Local] | None

def solve(comm: int, trans: str, a: Pair, b: Pair, options: dict[str, Any]) -> list[Use]: ...
def cholesky_solve(comm: int, uplo: str, a: Pair, b: Pair, options: dict[str, Any]) -> list[Use]: ...
def least_squares(comm: int, a: Pair, b: Pair, x: Pair, options: dict[str, Any]) -> list[Use]: ...
def inverse(comm: int, a: Pair, options: dict[str, Any]) -> list[Use]: ...
def determinant(comm: int, a: Pair, options: dict[str, Any]) -> tuple[complex, float, list[Use]]: ...
def condition(comm: int, norm: str, a: Pair, options: dict[str, Any]) -> tuple[float, list[Use]]: ...
def multiply(comm: int, trans_a: str, trans_b: str, alpha: complex, a: Pair, b: Pair, beta: complex, c: Pair, options: dict[str, Any]) -> list[Use]: ...
def norm(comm: int, norm: str, a: Pair, options: dict[str, Any]) -> tuple[float, list[Use]]: ...
def qr(comm: int, a: Pair, q: Pair, r: Pair, options: dict[str, Any]) -> list[Use]: ...
def eigh(comm: int, uplo: str, a: Pair, b: Pair, w: Pair, z: Pair, options: dict[str, Any]) -> tuple[int, list[Use]]: ...
def svd(comm: int, a: Pair, u: Pair, s: Pair, vt: Pair, options: dict[str, Any]) -> list[Use]: ...
def banded_solve(comm: int, lower: int, upper: int, ab: Pair, b: Pair, options: dict[str, Any]) -> list[Use]: ...
def positive_banded_solve(comm: int, uplo: str, ab: Pair, b: Pair, options: dict[str, Any]) -> list[Use]: ...
def qr_pivoted(comm: int, tolerance: float, a: Pair, q: Pair, r: Pair, p: Pair, options: dict[str, Any]) -> tuple[int, list[Use]]: ...
def least_squares_rank(comm: int, tolerance: float, a: Pair, b: Pair, x: Pair, options: dict[str, Any]) -> tuple[int, list[Use]]: ...
