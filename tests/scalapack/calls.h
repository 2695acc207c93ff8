/* Prototypes of the BLACS, PBLAS and ScaLAPACK functions that the tests call; no header has them. Sources:
 * BLACS/SRC, PBLAS/SRC, REDIST/SRC and SRC of ScaLAPACK 2.2. `void *` stands for the element type's letter. */
#ifndef DAP_TEST_CALLS_H
#define DAP_TEST_CALLS_H

void Cblacs_gridinfo(int context, int *nprow, int *npcol, int *row, int *col);

typedef void lu_factor(const int *m, const int *n, void *a, const int *ia, const int *ja, const int *desca,
                       int *pivots, int *info);
typedef void lu_solve(const char *op, const int *n, const int *nrhs, const void *a, const int *ia,
                      const int *ja, const int *desca, const int *pivots, void *b, const int *ib,
                      const int *jb, const int *descb, int *info);
typedef void lu_driver(const int *n, const int *nrhs, void *a, const int *ia, const int *ja, const int *desca,
                       int *pivots, void *b, const int *ib, const int *jb, const int *descb, int *info);
typedef void cholesky_driver(const char *uplo, const int *n, const int *nrhs, void *a, const int *ia,
                             const int *ja, const int *desca, void *b, const int *ib, const int *jb,
                             const int *descb, int *info);
typedef void redistribute(const int *m, const int *n, const void *a, const int *ia, const int *ja,
                          const int *desca, void *b, const int *ib, const int *jb, const int *descb,
                          const int *context);

lu_factor psgetrf_, pdgetrf_, pcgetrf_, pzgetrf_;
lu_solve psgetrs_, pdgetrs_, pcgetrs_, pzgetrs_;
lu_driver psgesv_, pdgesv_, pcgesv_, pzgesv_;
cholesky_driver psposv_, pdposv_, pcposv_, pzposv_;
redistribute psgemr2d_, pdgemr2d_, pcgemr2d_, pzgemr2d_;

double pdlange_(const char *norm, const int *m, const int *n, const double *a, const int *ia, const int *ja,
                const int *desca, double *work);
void pdgeadd_(const char *op, const int *m, const int *n, const double *alpha, const double *a, const int *ia,
              const int *ja, const int *desca, const double *beta, double *c, const int *ic, const int *jc,
              const int *descc);

#endif
