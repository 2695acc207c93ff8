/* Tests what the functions of linear algebra refuse. Each rule has a row with the operand, the value and
 * the rule that the error must name. Operands must keep their elements. */
#include "right_calls.h"

/* ---- elements ------------------------------------------------------------------------------------------ */

static bool is_single; /* this call's elements are floats */

/* The leading minor of order 3 is not positive. */
FORMULA(entry_definite_not, i == 2 && j == 2 ? -512 : entry_definite(i, j))

/* Row and column 2 are zero: U(3, 3) = 0, also of the transpose. */
FORMULA(entry_singular, i == 2 || j == 2 ? 0 : entry_dominant(i, j))
FORMULA(entry_nan, i == 0 && j == 0 ? NAN : entry_any(i, j))
FORMULA(nan_above, i == 1 && j == 3 ? NAN : entry_hermitian(i, j))
FORMULA(nan_below, i == 6 && j == 1 ? NAN : entry_dominant(i, j))
FORMULA(infinity_below, i == 4 && j == 1 ? INFINITY : entry_dominant(i, j))

/* Definite, except for NaN on the diagonal, which belongs to both triangles. */
FORMULA(nan_definite, i == 4 && j == 4 ? NAN : entry_definite(i, j))
FORMULA(no_diagonal, i == 4 && j == 4 ? 0 : entry_dominant(i, j))

/* The elements are floats, but the length of two of them exceeds the range. */
FORMULA(huge, i == j ? 3e38 : 2e38)

/* One eigenvalue is n times as large. */
FORMULA(vast, is_single ? 0x1p127 : 0x1p1023)

/* So small that reciprocals of pivots overflow, and no scaling by a power of 2 helps. */
FORMULA(small, times_power(entry_dominant(i, j), is_single ? -139 : -1036))

/* One normal element, and a subnormal matrix. */
FORMULA(unlike, i == 0 || j == 0 ? (double)(i == j) : small(i, j))

/* The last pivot of order 9 is subnormal. */
FORMULA(last_is_small, i != j ? 0 : i == 8 ? ldexp(1, is_single ? -139 : -1036) : 1)

static dap_status cannot(const dap_eigh_backend *backend, dap_dtype dtype, dap_error *err)
{
  (void)backend, (void)dtype;
  return dap_fail(err, DAP_ERR_UNSUPPORTED, "not here");
}

static const dap_eigh_backend later = {DAP_EIGH_BACKEND_VERSION + 1, "Later", NULL, cannot, NULL};

/* ---- rows ---------------------------------------------------------------------------------------------- */

#define BUFFER .status = DAP_ERR_BUFFER
#define SHARE .status = DAP_ERR_SHARE, .options.sharing = DAP_SHARE_OR_FAIL
#define WITH(k, rows, cols) .operand = (k), .size = {rows, cols}
#define FAILS(first, second, order, number, changed)                                                         \
  .entries = {first, second}, .n = (order), .status = DAP_ERR_NUMERIC, .info = (number), .worked = (changed)
#define INDEX(from, to) .options.eigh = {.range = DAP_EIGH_BY_INDEX, .start = (from), .stop = (to)}
#define VALUE(from, to) .options.eigh = {.range = DAP_EIGH_BY_VALUE, .above = (from), .up_to = (to)}

static const refusal of_systems[] = {
    {SOLVE, "A is wide", "A|square|5 x 6", WITH(1, 5, 6)},
    {SOLVE, "A is tall", "A|square|6 x 5", WITH(1, 6, 5)},
    {SOLVE, "B is too long", "B|5 x 3|6 x 3", .letters = "T", WITH(2, 6, 3)},
    {SOLVE, "another type", "B|complex128|float64", .types = "fz", BUFFER},
    {SOLVE, "no such letter", "trans|'?'", .letters = "?"},
    {SOLVE, "B is read-only", "B|read-only", .readonly = 2, BUFFER},
    {SOLVE, "unequal blocks", "square blocks|3 x 5", .source = UNEQUAL_BLOCKS, .n = 33, .least = 4, SHARE},
    {SOLVE, "a column of zeros", "A|singular|U(3, 3)", FAILS(entry_singular, NULL, 33, 3, 1)},
    {SOLVE, "the last column", "A|singular|U(3, 3)", .letters = "T", FAILS(entry_singular, NULL, 3, 3, 1)},
    {SOLVE, "zeros", "A|singular|U(1, 1)", .letters = "C", FAILS(entry_zero, NULL, 33, 1, 1)},
    {SOLVE, "one zero, which getrf lets pass", "A|singular|U(1, 1)", FAILS(entry_zero, NULL, 1, 1, 1)},
    {SOLVE, "NaN", "A|not finite|(0, 0)", .letters = "T", FAILS(entry_nan, NULL, 33, 0, 1)},
    {SOLVE, "one NaN", "A|not finite|(0, 0)", FAILS(entry_nan, NULL, 1, 0, 1)},
    {SOLVE, "infinity", "A|not finite|(4, 1)", .letters = "C", FAILS(infinity_below, NULL, 33, 0, 1)},
    {SOLVE, "pivots unlike in size", "not finite|unlike in size", FAILS(unlike, NULL, 9, -1, 2)},
    {SOLVE, "a subnormal pivot", "U(9, 9)|subnormal", FAILS(last_is_small, NULL, 9, -1, 2)},
    {CHOLESKY, "A is wide", "A|square|5 x 6", WITH(1, 5, 6)},
    {CHOLESKY, "B is too long", "B|5 x 3|6 x 3", .letters = "U", WITH(2, 6, 3)},
    {CHOLESKY, "another type", "B|complex128|float64", .types = "fz", BUFFER},
    {CHOLESKY, "no such letter", "uplo|'?'", .letters = "?"},
    {CHOLESKY, "B is read-only", "B|read-only", .readonly = 2, BUFFER},
    {CHOLESKY, "not definite", "not positive definite|order 3|indefinite|LU",
     FAILS(entry_definite_not, NULL, 33, 3, 1)},
    {CHOLESKY, "at the last", "not positive definite|order 3", .letters = "U",
     FAILS(entry_definite_not, NULL, 3, 3, 1)},
    {CHOLESKY, "zeros", "not positive definite|order 1", .letters = "U", FAILS(entry_zero, NULL, 33, 1, 1)},
    {CHOLESKY, "one zero", "not positive definite|order 1", FAILS(entry_zero, NULL, 1, 1, 1)},
    {CHOLESKY, "NaN", "A|not finite|(4, 4)", .letters = "U", FAILS(nan_definite, NULL, 33, 0, 1)},
    {REFINED, "not square", "A|square|5 x 4", WITH(1, 5, 4)},
    {REFINED, "B is too short", "B|5 x 3|4 x 3", WITH(2, 4, 3)},
    {REFINED, "X is too narrow", "X|5 x 3|5 x 2", WITH(3, 5, 2)},
    {REFINED, "X is B", "B and X|overlap", .same = 3, .with = 2},
    {REFINED, "no such letter", "trans|'X'", .letters = "X1"},
    {REFINED, "not on all processes", "forward|NULL|rank 0", .letters = "N0", .least = 2},
    {REFINED, "singular", "A|singular|U(3, 3)", FAILS(entry_singular, NULL, 33, 3, 0)},
    {REFINED, "zeros", "A|singular|U(1, 1)", .letters = "C1", FAILS(entry_zero, NULL, 33, 1, 0)},
    {REFINED, "NaN", "A|not finite|(0, 0)", .letters = "T1", FAILS(entry_nan, NULL, 33, 0, 0)},
    {INVERSE, "singular", "A|singular|U(3, 3)", FAILS(entry_singular, NULL, 33, 3, 1)},
    {INVERSE, "zeros", "A|singular|U(1, 1)", FAILS(entry_zero, NULL, 33, 1, 1)},
    {INVERSE, "one zero", "A|singular|U(1, 1)", FAILS(entry_zero, NULL, 1, 1, 1)},
    {INVERSE, "NaN", "A|not finite|(0, 0)", FAILS(entry_nan, NULL, 33, 0, 0)},
    {INVERSE, "it overflows", "inverse|range", FAILS(small, NULL, 9, 0, 1)},
    {INVERSE, "pivots unlike in size", "not finite|unlike in size", FAILS(unlike, NULL, 9, -1, 1)},
    {INVERSE, "not square", "A|square|5 x 4", WITH(1, 5, 4)},
    {INVERSE, "read-only", "A|read-only", .readonly = 1, BUFFER},
    {DETERMINANT, "NaN", "A|not finite|(0, 0)", FAILS(entry_nan, NULL, 33, 0, 0)},
    {DETERMINANT, "pivots unlike in size", "not finite|unlike in size", FAILS(unlike, NULL, 9, -1, 1)},
    {DETERMINANT, "a subnormal pivot", "", FAILS(last_is_small, NULL, 9, 0, 1), .is_fine = true},
    {DETERMINANT, "not square", "A|square|5 x 4", WITH(1, 5, 4)},
    {DETERMINANT, "no place for the sign", "sign|NULL", .letters = "01"},
    {DETERMINANT, "no place for the logarithm", "log|NULL", .letters = "10"},
    {CONDITION, "NaN", "A|not finite|(0, 0)", FAILS(entry_nan, NULL, 33, 0, 0)},
    {CONDITION, "infinity", "A|not finite|(4, 1)", .letters = "I1", FAILS(infinity_below, NULL, 33, 0, 0)},
    {CONDITION, "not square", "A|square|5 x 4", WITH(1, 5, 4)},
    {CONDITION, "a norm that it does not have", "norm|'F'", .letters = "F1"},
    {CONDITION, "no place for the result", "rcond|NULL", .letters = "10"},
    {.why = NULL},
};

static const refusal of_factors[] = {
    {LU, "no place for the factors", "factors|NULL", .letters = "0"},
    {LU, "a column of zeros", "A|singular|U(3, 3)", FAILS(entry_singular, NULL, 33, 3, 1)},
    {LU, "one zero", "A|singular|U(1, 1)", FAILS(entry_zero, NULL, 1, 1, 1)},
    {LU, "NaN", "A|not finite|(0, 0)", FAILS(entry_nan, NULL, 33, 0, 1)},
    {KEPT_CHOLESKY, "no such triangle", "uplo|'X'", .letters = "X"},
    {KEPT_CHOLESKY, "not definite", "not positive definite|order 3|indefinite|LU", .letters = "U",
     FAILS(entry_definite_not, NULL, 33, 3, 1)},
    {FACTORS_SOLVE, "B is where the factors are", "factors and B|overlap", WITH(2, 5, 5), .same = 2,
     .with = 1, .worked = 1},
    {FACTORS_SOLVE, "pivots unlike in size", "not finite|unlike in size", FAILS(unlike, NULL, 9, -1, 2)},
    {FACTORS_SOLVE, "a subnormal pivot", "U(9, 9)|subnormal", FAILS(last_is_small, NULL, 9, -1, 2)},
    {FACTORS_INVERSE, "X has other extents", "X|5 x 5|5 x 4", WITH(2, 5, 4), .worked = 1},
    {FACTORS_INVERSE, "it overflows", "inverse|range", FAILS(small, NULL, 9, 0, 2)},
    {FACTORS_CONDITION, "a norm that it does not have", "norm|'F'", .letters = "F1", .worked = 1},
    {FACTORS_CONDITION, "no place for the result", "rcond|NULL", .letters = "10", .worked = 1},
    {FACTORS_DETERMINANT, "no place for the logarithm", "log|NULL", .letters = "10", .worked = 1},
    {.why = NULL},
};

static const refusal of_products[] = {
    {NORM, "no such norm", "norm|'2'", .letters = "21"},
    {NORM, "no place for the result", "value|NULL", .letters = "10"},
    {NORM, "a vector", "A|1 axes", WITH(1, 5, -1)},
    {NORM, "integers", "A|int32", .types = "i", BUFFER},
    {NORM, "longer than the layout says", "A|axis 1|extent", .longer = 1, BUFFER},
    {NORM, "no such sharing", "sharing|7", .options.sharing = (dap_sharing)7},
    {MULTIPLY, "no such letter", "trans_a|'X'", .letters = "XN1"},
    {MULTIPLY, "B does not fit", "B|5 x 5|5 x 4", .letters = "NT1"},
    {MULTIPLY, "C is A", "A and C|overlap", WITH(3, 5, 5), .same = 3, .with = 1},
    {MULTIPLY, "an imaginary part", "alpha[1]|1|real", .letters = "NNi"},
    {MULTIPLY, "no A", "A|NULL", WITH(1, 0, 0)},
    {MULTIPLY, "C is read-only", "C|read-only", .readonly = 3, BUFFER},
    {MULTIPLY, "blocks differ", "block_size|rank 0", .options.block_size = 5, .is_last = true},
    {RANK_K, "no such form", "form|'X'", .letters = "XLN1"},
    {RANK_K, "no such triangle", "uplo|'X'", .letters = "HXN1"},
    {RANK_K, "what syrk does not have", "trans|'C'", .letters = "HLC1", .types = "z"},
    {RANK_K, "not square", "C|square|5 x 4", WITH(2, 5, 4)},
    {RANK_K, "A does not fit", "A|5 x 5|5 x 3", .letters = "HLT1"},
    {RANK_K, "an imaginary part of real ones", "alpha[1]|1|real", .letters = "SLNi"},
    {RANK_K, "an imaginary part of herk's", "alpha[1]|1|'H'", .letters = "HLNi", .types = "z"},
    {RANK_K, "C is A", "A and C|overlap", WITH(1, 5, 5), .same = 1, .with = 2},
    {TRIANGULAR, "no such side", "side|'X'", .letters = "XLNN1"},
    {TRIANGULAR, "no such triangle", "uplo|'A'", .letters = "LANN1"},
    {TRIANGULAR, "no such letter", "trans|'n'", .letters = "LLnN1"},
    {TRIANGULAR, "no such diagonal", "diag|'L'", .letters = "LLNL1"},
    {TRIANGULAR, "not square", "A|square|5 x 4", WITH(1, 5, 4)},
    {TRIANGULAR, "B is too short", "B|5 x 3|4 x 3", WITH(2, 4, 3)},
    {TRIANGULAR, "B is too narrow", "B|5 x 5|5 x 3", .letters = "RLNN1"},
    {TRIANGULAR, "another type", "B|complex128|float64", .types = "fz", BUFFER},
    {TRIANGULAR, "an imaginary part", "alpha[1]|1|real", .letters = "LLNNi"},
    {TRIANGULAR, "B is A", "A and B|overlap", WITH(2, 5, 5), .same = 2, .with = 1},
    {TRIANGULAR_SOLVE, "no such side", "side|'X'", .letters = "XLNN1"},
    {TRIANGULAR_SOLVE, "B is too short", "B|5 x 3|4 x 3", WITH(2, 4, 3)},
    {TRIANGULAR_SOLVE, "an imaginary part", "alpha[1]|1|real", .letters = "LLNNi"},
    {TRIANGULAR_SOLVE, "B is A", "A and B|overlap", WITH(2, 5, 5), .same = 2, .with = 1},
    {TRIANGULAR_SOLVE, "a zero on the diagonal", "A|singular|A(5, 5)", .letters = "LLTN1",
     FAILS(no_diagonal, NULL, 9, 5, 0)},
    {TRIANGULAR_SOLVE, "NaN on the diagonal", "A|not finite|(4, 4)", .letters = "LUNN1",
     FAILS(nan_definite, NULL, 9, 0, 0)},
    {TRIANGULAR_SOLVE, "NaN in the triangle", "A|not finite|(1, 3)", .letters = "LUCN1",
     FAILS(nan_above, NULL, 9, 0, 0)},
    {TRIANGULAR_SOLVE, "the same, with a diagonal of ones", "A|not finite|(1, 3)", .letters = "LUNU1",
     FAILS(nan_above, NULL, 9, 0, 0)},
    {TRIANGULAR_SOLVE, "infinity in the triangle", "A|not finite|(4, 1)", .letters = "LLTU1",
     FAILS(infinity_below, NULL, 9, 0, 0)},
    {TRIANGULAR_SOLVE, "a zero that is not read", "", .letters = "LLNU1", FAILS(no_diagonal, NULL, 9, 0, 2),
     .is_fine = true},
    {TRIANGULAR_SOLVE, "NaN that is not read", "", .letters = "LUTN1", FAILS(nan_below, NULL, 9, 0, 2),
     .is_fine = true},
    {TRIANGULAR_SOLVE, "a subnormal triangle", "A(1, 1)|subnormal", FAILS(small, NULL, 9, 1, 0)},
    {TRIANGULAR_SOLVE, "a subnormal element", "A(9, 9)|subnormal", FAILS(last_is_small, NULL, 9, 9, 0)},
    {.why = NULL},
};

static const refusal of_squares[] = {
    {SQUARES, "X is too long", "X|5 x 3|8 x 3", WITH(3, 8, 3)},
    {SQUARES, "B is A", "A and B|overlap", WITH(2, 8, 5), .same = 2, .with = 1},
    {SQUARES, "zeros", "full rank|element 1", FAILS(entry_zero, NULL, 33, 1, 3)},
    {SQUARES, "NaN", "A|not finite|(0, 0)", FAILS(entry_nan, NULL, 33, 0, 0)},
    {SQUARES_RANK, "B is too short", "B|8 x 3|5 x 3", WITH(2, 5, 3)},
    {SQUARES_RANK, "no tolerance", "tolerance|NaN", .letters = "n"},
    {SQUARES_RANK, "NaN", "A|not finite|(0, 0)", FAILS(entry_nan, NULL, 33, 0, 0)},
    {QR, "R too high", "R|5 x 5|8 x 5", WITH(3, 8, 5)},
    {QR, "R is A", "A and R|overlap", WITH(1, 5, 5), .same = 3, .with = 1},
    {PIVOTED, "Q too wide", "Q|8 x 5|8 x 6", WITH(2, 8, 6)},
    {PIVOTED, "R too low", "R|5 x 5|4 x 5", WITH(3, 4, 5)},
    {PIVOTED, "P too short", "P|5 x 1|4 x 1", WITH(4, 4, -1)},
    {PIVOTED, "P of floats", "P|int32 or int64", .types = "f", BUFFER},
    {PIVOTED, "no tolerance", "tolerance|NaN", .letters = "n"},
    {PIVOTED, "NaN", "A|not finite|(0, 0)", FAILS(entry_nan, NULL, 33, 0, 0)},
    {PIVOTED, "too long a column", "too large|R(", .types = "sssi", FAILS(huge, NULL, 33, 1, 1)},
    {PIVOTED, "Q has gaps", "axis 0|contiguous|stride", .n = 9, .source = WITH_GAPS, SHARE},
    {.why = NULL},
};

static const refusal of_spectra[] = {
    {EIGH, "no such triangle", "uplo|'X'", .letters = "X"},
    {EIGH, "not square", "A|square|5 x 4", WITH(1, 5, 4)},
    {EIGH, "W too short", "W|5 x 1|4 x 1", WITH(2, 4, -1)},
    {EIGH, "Z too wide", "Z|5 x 5|5 x 6", .letters = "U", WITH(3, 5, 6)},
    {EIGH, "W complex", "W|complex128|float64", .types = "z", BUFFER},
    {EIGH, "Z read-only", "Z|read-only", .readonly = 3, BUFFER},
    {EIGH, "NaN", "A|not finite|(0, 0)", FAILS(entry_nan, NULL, 5, 0, 0)},
    {EIGH, "NaN above", "A|not finite|(1, 3)", .letters = "A", FAILS(nan_above, NULL, 5, 0, 0)},
    {EIGH_VALUES, "NaN", "A|not finite|(0, 0)", .letters = "U", FAILS(entry_nan, NULL, 33, 0, 0)},
    {EIGH_VALUES, "no backend", "backend|NULL", .options.eigh.solver = DAP_EIGH_BACKEND},
    {EIGH_VALUES, "another version", "version 3|2", .options.eigh.backend = &later},
    {EIGH_VALUES, "no such solver", "solver 77", .options.eigh.solver = (dap_eigh_solver)77},
    {EIGH_VALUES, "no such range", "range 3", .options.eigh.range = (dap_eigh_range)3},
    {EIGH_VALUES, "backwards", "3 .. 2|0 .. 5", INDEX(3, 2)},
    {EIGH_VALUES, "before the first", "-1 .. 2|0 .. 5", WITH(2, 3, -1), INDEX(-1, 2)},
    {EIGH_VALUES, "behind the last", "4 .. 6|0 .. 5", WITH(2, 2, -1), INDEX(4, 6)},
    {EIGH_VALUES, "W is whole", "W|2 x 1|5 x 1", INDEX(1, 3)},
    {EIGH, "Z is whole", "Z|5 x 2|5 x 5", WITH(2, 2, -1), INDEX(1, 3)},
    {EIGH_VALUES, "no values", "above|2|less than", VALUE(2, 2)},
    {EIGH_VALUES, "no number", "above|2|less than", VALUE(2, NAN)},
    {EIGH, "W and Z differ", "Z|5 x 4|5 x 5", WITH(2, 4, -1), VALUE(0, 2)},
    {EIGH_VALUES, "differs", "eigh.solver|rank 0", .options.eigh.solver = DAP_EIGH_EVR, .is_last = true},
    {EIGH_VALUES, "differs", "eigh.range|rank 0", .options.eigh.range = DAP_EIGH_BY_VALUE, .is_last = true},
    {EIGH_VALUES, "differs", "eigh.start|rank 0", .options.eigh.start = 1, .is_last = true},
    {EIGH_VALUES, "differs", "eigh.stop|rank 0", .options.eigh.stop = 1, .is_last = true},
    {EIGH_VALUES, "differs", "eigh.above|rank 0", .options.eigh.above = 1, .is_last = true},
    {EIGH_VALUES, "differs", "eigh.up_to|rank 0", .options.eigh.up_to = 1, .is_last = true},
    {GENERALIZED, "B too large", "B|5 x 5|6 x 6", WITH(2, 6, 6)},
    {GENERALIZED, "not definite", "B|not positive|order 3",
     FAILS(entry_hermitian, entry_definite_not, 33, 3, 2)},
    {GENERALIZED, "NaN in B", "B|not finite|(4, 4)", .letters = "U",
     FAILS(entry_hermitian, nan_definite, 33, 0, 0)},
    {SVD, "U too wide", "U|8 x 5|8 x 6", WITH(2, 8, 6)},
    {SVD, "S too long", "S|5 x 1|8 x 1", WITH(3, 8, -1)},
    {SVD, "VT has A's size", "VT|5 x 5|8 x 5", WITH(4, 8, 5)},
    {SVD, "U is A", "A and U|overlap", .same = 2, .with = 1},
    {SVD, "NaN", "A|not finite|(0, 0)", FAILS(entry_nan, NULL, 5, 0, 0)},
    {SVD, "gaps", "axis 1|contiguous|stride", .n = 33, .source = WITH_GAPS, SHARE},
    {SVD, "no such solver", "svd.solver 7", .options.svd.solver = (dap_svd_solver)7},
    {SVD, "differs", "svd.solver|rank 0", .options.svd.solver = DAP_SVD_GESVD, .is_last = true},
    {SCHUR, "A not square", "A|square|5 x 4", WITH(1, 5, 4)},
    {SCHUR, "T too small", "T|5 x 5|4 x 5", WITH(2, 4, 5)},
    {SCHUR, "W too long", "W|5 x 1|6 x 1", WITH(3, 6, -1)},
    {SCHUR, "W not complex", "W|float64|complex128", .types = "f", BUFFER},
    {SCHUR, "NaN", "A|not finite|(0, 0)", FAILS(entry_nan, NULL, 5, 0, 0)},
    {SCHUR, "an eigenvalue is out of range", "eigenvalue|exceeds|range", FAILS(vast, NULL, 8, -1, 2)},
    {SCHUR, "in place", "A|moved", SHARE},
    {EIG, "A not square", "A|square|5 x 4", WITH(1, 5, 4)},
    {EIG, "W too long", "W|5 x 1|6 x 1", WITH(2, 6, -1)},
    {EIG, "W not complex", "W|float64|complex128", .types = "f", BUFFER},
    {EIG, "NaN", "A|not finite|(0, 0)", FAILS(entry_nan, NULL, 5, 0, 0)},
    {EIG, "in place", "A|moved", SHARE},
    {.why = NULL},
};

static const refusal of_bands[] = {
    {BANDED, "too few rows", "AB|3 rows|lower 1|upper 2", .lower = 1, .upper = 2},
    {BANDED, "too many rows", "AB|5 rows|lower 1|upper 2", WITH(1, 5, 5), .lower = 1, .upper = 2},
    {BANDED, "lower below 0", "lower|-1|at least 0", .lower = -1, .upper = 3},
    {BANDED, "upper below 0", "upper -1|at least 0", .lower = 3, .upper = -1},
    {BANDED, "very many", "AB|3 rows", .lower = INT64_MAX, .upper = INT64_MAX},
    {BANDED, "B too long", "B|5 x 3|6 x 3", WITH(2, 6, 3)},
    {BANDED, "B of another type", "B|AB|complex128", .types = "fz", BUFFER},
    {BANDED, "shared or not at all", "AB|moved", SHARE},
    {BANDED, "differs", "lower|rank 0", WITH(1, 4, 5), .lower = 1, .upper = 2, .is_last = true},
    {POSITIVE_BANDED, "no main diagonal", "AB|no rows", WITH(1, 0, 5)},
    {POSITIVE_BANDED, "B too short", "B|5 x 3|4 x 3", .letters = "U", WITH(2, 4, 3)},
    {TRIDIAGONAL, "DL too long", "DL|4 x 1|5 x 1", WITH(1, 5, -1)},
    {POSITIVE_TRIDIAGONAL, "E too long", "E|4 x 1|5 x 1", WITH(2, 5, -1)},
    {.why = NULL},
};

/* ---- checks -------------------------------------------------------------------------------------------- */

/* `letter` is a letter of a shape in RIGHT_CALLS. */
static int64_t extent_of(char letter, int64_t n)
{
  return letter == 'k' ? 3 : letter == 'm' ? n + 3 : letter == 'd' ? n - 1 : letter == 'n' ? n : -1;
}

/* Returns false if there is no operand k. */
static bool size_of(const refusal *r, int k, int64_t size[2])
{
  const char *shapes = right_calls[r->function].shapes;
  if (3 * k >= (int)strlen(shapes)) return false;
  for (int i = 0; i < 2; i++) size[i] = extent_of(shapes[3 * k + i], r->n ? r->n : 5);
  if (r->operand == k + 1) memcpy(size, r->size, sizeof r->size);
  return size[0] != 0 || size[1] != 0;
}

/* Calls with types number `number` on a source. */
static void check(const refusal *r, const source *on, int number)
{
  matrix m[REFUSAL_OPERANDS];
  dap_darray of[REFUSAL_OPERANDS] = {{NULL, NULL}};
  const int last = test_nprocs() - 1;
  int64_t size[2];
  is_single = right_call_type(r, 0, number)->real == DAP_F4;
  TEST_CASE("%s: %s, %s, %s", right_calls[r->function].name, r->why, right_call_type(r, 0, number)->name,
            on->layout.why);
  for (int k = 0; k < REFUSAL_OPERANDS; k++) {
    if (!size_of(r, k, size)) continue;
    m[k] = right_call_operand(r, k, size, on, number);
    of[k] = matrix_operand(&m[k]);
  }
  if (r->same) of[r->same - 1] = of[r->with - 1];
  dap_linalg_report report = {0};
  dap_linalg_options options = r->is_last && test_rank() < last ? (dap_linalg_options){0} : r->options;
  options.report = &report;
  dap_error err = {0};
  const dap_status s = right_call_run(r, of, &options, &err);
  expect_same_error(MPI_COMM_WORLD, s, &err,
                    r->is_fine  ? DAP_OK
                    : r->status ? r->status
                                : DAP_ERR_ARG,
                    r->parts);
  if (!r->status && !r->least) EXPECT_INT(err.rank, r->is_last ? last : 0);
  if (r->info >= 0) EXPECT_INT(report.info, r->info);
  for (int k = 0; k < REFUSAL_OPERANDS; k++) {
    if (!size_of(r, k, size)) continue;
    m[k].held.array.shape[1] -= r->longer == k + 1;
    EXPECT(k < r->worked ? expect_padding(&m[k]) : expect_same(&m[k]));
    matrix_free(&m[k]);
  }
  SETTLE();
}

/* Matrices that are refused for their elements are tried in several layouts, because each layout has the
 * elements elsewhere. */
static void check_all(const refusal rows[])
{
  static const int some[] = {0, 1, 3, 11, 14, 17, 19, 24, 27};
  for (const refusal *r = rows; r->why; r++) {
    if (test_nprocs() < r->least || (r->is_last && test_nprocs() == 1)) continue;
    const int count = r->status == DAP_ERR_NUMERIC ? (int)(sizeof some / sizeof some[0]) : 1;
    for (int i = 0; i < count; i++) check(r, &sources[r->source ? r->source : some[i]], i);
  }
}

/* ---- tests -------------------------------------------------------------------------------------------- */

static void refused(void **state)
{
  (void)state;
  check_all(of_systems);
  check_all(of_factors);
  check_all(of_products);
  check_all(of_squares);
  check_all(of_spectra);
  check_all(of_bands);
}

/* Without the change of a row no call is refused. */
static void right_ones_are_not(void **state)
{
  (void)state;
  for (int f = SOLVE; f < FUNCTIONS; f++)
    for (int number = 0; number < ELEMENT_TYPES; number++) {
      const refusal right = {(refused_function)f, "right", "", .worked = REFUSAL_OPERANDS, .is_fine = true};
      check(&right, &sources[number], number);
    }
}

/* The error names a process that calls another function than the others. The communicator can be used
 * again. */
static void other_functions_are_named(void **state)
{
  (void)state;
  const int grid[2] = {1, test_nprocs()}, last = test_nprocs() - 1;
  matrix a = matrix_make(&sources[1], element_type_of(DAP_F8), 9, 9, grid, entry_dominant);
  const dap_darray of = matrix_operand(&a);
  for (int turn = 0; turn < 2 && last > 0; turn++) {
    double value[2], log;
    dap_error err = {0};
    const dap_status s = test_rank() == last
                             ? dap_linalg_determinant(MPI_COMM_WORLD, of, value, &log, NULL, &err)
                             : dap_linalg_norm(MPI_COMM_WORLD, '1', of, value, NULL, &err);
    expect_same_error(MPI_COMM_WORLD, s, &err, DAP_ERR_ARG, "dap_linalg_determinant|rank 0|dap_linalg_norm");
    EXPECT_INT(err.rank, last);
    EXPECT_OK(dap_linalg_norm(MPI_COMM_WORLD, '1', of, value, NULL, &err), &err);
  }
  matrix_free(&a);
  SETTLE();
}

static const struct CMUnitTest tests[] = {cmocka_unit_test(right_ones_are_not), cmocka_unit_test(refused),
                                          cmocka_unit_test(other_functions_are_named)};
MPI_TEST_MAIN(tests)
