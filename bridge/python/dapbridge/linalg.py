"""Dense linear algebra on distributed arrays with ScaLAPACK. Names and shapes are those of numpy and scipy.

Each function solves a complete problem for arrays with any layout, storage order and process grid. All functions are
collective on the communicator of their arrays. All arrays of a call must be on the same processes, in the same order.

* Functions do not change their arguments, except with options such as ``overwrite_a=True``. The function may then use
  the argument as work space or for the result. Unless the argument holds the result, its elements are undefined
  afterwards.
* Element types are float32, float64, complex64 and complex128. Integers and bool are converted to float64, and mixed
  types to their common type. Only `matmul` and `matrix_power` return integers for integers.
* A result has the layout of the argument to which it corresponds, on the same process grid. A solution has the layout
  of the right-hand side, and a factor has the layout of the matrix. Eigenvalues and singular values are numpy arrays,
  the same on every process.
* A small right-hand side or factor may be a numpy array, with the same elements on every process. The solution is then
  also a numpy array.
* Lazy views, such as ``a.T`` and ``a.T.conj()``, are passed to `solve` and `matmul` without a copy if the ScaLAPACK
  routine has an option to transpose.
* `lu_factor` and `cho_factor` return an object that can solve with the factors many times.
* A function appends one `Use` for each operand to the list ``report``. The `Use` records whether the operand was used
  in place, and why.

`ArgumentError` means that shapes do not match or an argument differs between the processes. `UnsupportedError` means
that ScaLAPACK does not have an option or an element type. Arguments with NaN or infinity raise `LinAlgError`, except
that `matmul`, `multiply_triangular`, `rank_k`, `norm` and `qr` propagate these values. Errors are the same on every
process. BLACS and ScaLAPACK are not thread-safe, and neither are these functions.
"""

from __future__ import annotations

from inspect import isfunction

from . import _numpy_linalg
from ._banded import solve_banded, solveh_banded
from ._conditions import cond, matrix_rank
from ._decompositions import LUResult, cholesky, lu
from ._entry import entered
from ._exponential import expm
from ._factors import EighResult, QRResult, eigh, eigvalsh, qr
from ._general import EigResult, SchurResult, eig, eigvals, schur
from ._operands import Use
from ._pinv import pinv
from ._powers import matrix_power
from ._products import matmul, norm
from ._singular import SVDResult, svd, svdvals
from ._solutions import RefinedResult, cho_solve, lu_solve, solve_refined
from ._solvers import Factors, cho_factor, lu_factor
from ._systems import LstsqResult, SlogdetResult, det, inv, lstsq, slogdet, solve
from ._triangular import multiply_triangular, rank_k, solve_triangular

__all__ = [
    "EigResult",
    "EighResult",
    "Factors",
    "LUResult",
    "LstsqResult",
    "QRResult",
    "RefinedResult",
    "SVDResult",
    "SchurResult",
    "SlogdetResult",
    "Use",
    "cho_factor",
    "cho_solve",
    "cholesky",
    "cond",
    "det",
    "eig",
    "eigh",
    "eigvals",
    "eigvalsh",
    "expm",
    "inv",
    "lstsq",
    "lu",
    "lu_factor",
    "lu_solve",
    "matmul",
    "matrix_power",
    "matrix_rank",
    "multiply_triangular",
    "norm",
    "pinv",
    "qr",
    "rank_k",
    "schur",
    "slogdet",
    "solve",
    "solve_banded",
    "solveh_banded",
    "solve_refined",
    "solve_triangular",
    "svd",
    "svdvals",
]


for _name in __all__:
    if isfunction(globals()[_name]):
        globals()[_name] = entered(f"linalg.{_name}()", globals()[_name])
for _name in ("solve", "inv", "cond"):
    setattr(Factors, _name, entered(f"linalg.Factors.{_name}()", getattr(Factors, _name)))


def __dir__() -> list[str]:
    return sorted({*__all__, *(name for name in globals() if name.startswith("__"))})
