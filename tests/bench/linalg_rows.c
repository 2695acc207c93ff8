/* The table of functions. Counts of operations: LAPACK Working Note 41, for square matrices. */
#include "linalg.h"

#define LIBRARY(name) static dap_status name(linalg_job *j, const dap_linalg_options *o, dap_error *err)
#define MATRIX(i) linalg_array(j, i)

LIBRARY(solve)
{
  return dap_linalg_solve(MPI_COMM_WORLD, 'N', MATRIX(0), MATRIX(1), o, err);
}

LIBRARY(cholesky)
{
  return dap_linalg_cholesky_solve(MPI_COMM_WORLD, 'L', MATRIX(0), MATRIX(1), o, err);
}

LIBRARY(least_squares)
{
  return dap_linalg_least_squares(MPI_COMM_WORLD, MATRIX(0), MATRIX(1), MATRIX(2), o, err);
}

LIBRARY(inverse)
{
  return dap_linalg_inverse(MPI_COMM_WORLD, MATRIX(0), o, err);
}

LIBRARY(multiply)
{
  return dap_linalg_multiply(MPI_COMM_WORLD, 'N', 'N', NULL, MATRIX(0), MATRIX(1), NULL, MATRIX(2), o, err);
}

LIBRARY(qr)
{
  return dap_linalg_qr(MPI_COMM_WORLD, MATRIX(0), MATRIX(1), MATRIX(2), o, err);
}

LIBRARY(eigh)
{
  return dap_linalg_eigh(MPI_COMM_WORLD, 'L', MATRIX(0), MATRIX(1), MATRIX(2), o, err);
}

LIBRARY(mrrr)
{
  dap_linalg_options options = *o;
  options.eigh.solver = DAP_EIGH_EVR;
  return eigh(j, &options, err);
}

LIBRARY(iterated)
{
  dap_linalg_options options = *o;
  options.eigh.solver = DAP_EIGH_EV;
  return eigh(j, &options, err);
}

LIBRARY(values)
{
  return dap_linalg_eigh(MPI_COMM_WORLD, 'L', MATRIX(0), MATRIX(1), (dap_darray){0}, o, err);
}

LIBRARY(pair)
{
  return dap_linalg_eigh_generalized(MPI_COMM_WORLD, 'L', MATRIX(0), MATRIX(3), MATRIX(1), MATRIX(2), o, err);
}

LIBRARY(svd)
{
  return dap_linalg_svd(MPI_COMM_WORLD, MATRIX(0), MATRIX(1), MATRIX(2), MATRIX(3), o, err);
}

LIBRARY(factors_solve)
{
  return dap_linalg_factors_solve(j->factors, 'N', MATRIX(1), o, err);
}

LIBRARY(iterated_svd)
{
  dap_linalg_options options = *o;
  options.svd.solver = DAP_SVD_GESVD;
  return svd(j, &options, err);
}

LIBRARY(schur)
{
  return dap_linalg_schur(MPI_COMM_WORLD, MATRIX(0), MATRIX(1), MATRIX(2), (dap_darray){0}, o, err);
}

LIBRARY(iterated_schur)
{
  dap_linalg_options options = *o;
  options.schur.solver = DAP_SCHUR_HSEQR;
  return schur(j, &options, err);
}

#define GENERAL                                                                                              \
  {                                                                                                          \
    LINALG_GENERAL, 2                                                                                        \
  }
#define SYMMETRIC                                                                                            \
  {                                                                                                          \
    LINALG_SYMMETRIC, 2                                                                                      \
  }
#define DEFINITE                                                                                             \
  {                                                                                                          \
    LINALG_DEFINITE, 2                                                                                       \
  }
#define RESULT                                                                                               \
  {                                                                                                          \
    LINALG_RESULT, 2                                                                                         \
  }
#define SIDES                                                                                                \
  {                                                                                                          \
    LINALG_SYMMETRIC, 1                                                                                      \
  }
#define SIDE                                                                                                 \
  {                                                                                                          \
    LINALG_SYMMETRIC, 3                                                                                      \
  }
#define VALUES                                                                                               \
  {                                                                                                          \
    LINALG_RESULT, 0                                                                                         \
  }

const linalg_row linalg_rows[] = {
    {"multiply", "pdgemm", {SYMMETRIC, SYMMETRIC, RESULT}, 2, 2, linalg_hand_multiply, multiply, NULL, 0},
    {"cholesky_solve", "pdposv", {DEFINITE, SIDES}, 1, 1 / 3., linalg_hand_cholesky, cholesky, NULL, 0},
    {"solve", "pdgesv", {DEFINITE, SIDES}, 1, 2 / 3., linalg_hand_solve, solve, NULL, 0},
    {"inverse", "pdgetrf, pdgetri", {DEFINITE}, 0, 2, linalg_hand_inverse, inverse, NULL, 0},
    {"least_squares",
     "pdgels",
     {DEFINITE, SIDES, {LINALG_RESULT, 1}},
     -1,
     4 / 3.,
     linalg_hand_least_squares,
     least_squares,
     NULL,
     0},
    {"qr", "pdgeqrf, pdorgqr", {DEFINITE, RESULT, RESULT}, 2, 8 / 3., linalg_hand_qr, qr, NULL, 0},
    {"eigh", "pdsyevd", {SYMMETRIC, VALUES, RESULT}, 1, 9, linalg_hand_syevd, eigh, NULL, 0},
    {"eigh, evr", "pdsyevr", {SYMMETRIC, VALUES, RESULT}, 1, 9, linalg_hand_syevr, mrrr, NULL, 0},
    {"eigh, ev", "pdsyev", {SYMMETRIC, VALUES, RESULT}, 1, 9, linalg_hand_syev, iterated, NULL, 0},
    {"eigh, values",
     "pdsyevr, N",
     {SYMMETRIC, VALUES, RESULT},
     1,
     4 / 3.,
     linalg_hand_values,
     values,
     NULL,
     0},
    {"eigh_generalized",
     "pdsygst, pdsyevd",
     {SYMMETRIC, VALUES, RESULT, DEFINITE},
     1,
     11 + 1 / 3.,
     linalg_hand_pair,
     pair,
     NULL,
     0},
    {"svd", "pdgesvd", {SYMMETRIC, RESULT, VALUES, RESULT}, 2, 20, linalg_hand_svd, svd, NULL, 0},
    {"svd, gesvd",
     "pdgesvd",
     {SYMMETRIC, RESULT, VALUES, RESULT},
     2,
     20,
     linalg_hand_svd,
     iterated_svd,
     NULL,
     0},
    {"schur, lapack",
     "pdgehrd, pdhseqr",
     {GENERAL, RESULT, RESULT},
     1,
     25,
     linalg_hand_schur,
     schur,
     NULL,
     0},
    {"schur, hseqr",
     "pdgehrd, pdhseqr",
     {GENERAL, RESULT, RESULT},
     1,
     25,
     linalg_hand_schur,
     iterated_schur,
     NULL,
     0},
    {"lu factors",
     "pdgetrs, 1 side",
     {DEFINITE, SIDE},
     1,
     0,
     linalg_hand_getrs,
     factors_solve,
     linalg_before_lu,
     2},
    {"lu factors",
     "pdgetrs, 64 sides",
     {DEFINITE, SIDES},
     1,
     0,
     linalg_hand_getrs,
     factors_solve,
     linalg_before_lu,
     2. * LINALG_RIGHT_SIDES},
    {"cholesky factors",
     "pdpotrs, 1 side",
     {DEFINITE, SIDE},
     1,
     0,
     linalg_hand_potrs,
     factors_solve,
     linalg_before_cholesky,
     2},
    {"cholesky factors",
     "pdpotrs, 64 sides",
     {DEFINITE, SIDES},
     1,
     0,
     linalg_hand_potrs,
     factors_solve,
     linalg_before_cholesky,
     2. * LINALG_RIGHT_SIDES},
    {.name = NULL},
};
