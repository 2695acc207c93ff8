/* Declares one call of a function of linalg: its arguments, the views of its operands, and its workspace. */
#ifndef DAP_CALL_IMPL_H
#define DAP_CALL_IMPL_H

#include "check.h"
#include "hash.h"
#include <dapbridge/comm.h>
#include <dapbridge/linalg.h>
#include <dapbridge/linalg_factors.h>
#include <dapbridge/linalg_triangular.h>
#include <dapbridge/plan.h>
#include <dapbridge/scalapack.h>
#include <dapbridge/scalapack_calls.h>

/* The properties of one element type, and its routines. NULL: the type does not have the routine. */
typedef struct dap_linalg_routines {
  dap_dtype dtype, real; /* the matrix's, and that of its norms and eigenvalues */
  int letter;            /* 0 .. 3 for s, d, c, z: the index in tables of LAPACK's routines */
  int parts;             /* real numbers in an element: 1, or 2 if it is complex */
  int64_t item;          /* bytes of an element */
  double eps, tiny;      /* the real type's epsilon and its smallest normal number */
  const void *zero, *one, *minus_one;
  dap_pgemm *gemm;
  dap_ptrsm *trsm, *trmm;
  dap_psyrk *syrk, *herk; /* herk: complex only */
  dap_pgeadd *geadd;
  dap_ptradd *tradd;
  dap_pgetrf *getrf;
  dap_pgetri *getri;
  dap_ppotrf *potrf;
  dap_pgels *gels;
  dap_pgeqrf *geqrf;
  dap_porgqr *orgqr;
  dap_pgelqf *gelqf;
  dap_porglq *orglq;
  dap_psyev *syev;
  dap_pheev *heev;
  dap_psytrd *sytrd;         /* hetrd */
  dap_pstedc *stedc;         /* real only */
  dap_pormtr *ormtr;         /* unmtr */
  dap_pormqr *ormqr, *ormlq; /* unmqr, unmlq */
  dap_pgebrd *gebrd;
  dap_pormbr *ormbr; /* unmbr */
  dap_psygst *sygst; /* hegst */
  dap_pgesvd *gesvd;
  dap_pcgesvd *cgesvd;
  dap_plaset *laset;
} dap_linalg_routines;

/* Elements of a descriptor. Each one for columns follows the one for rows. */
enum { DAP_CTXT = 1, DAP_M, DAP_N, DAP_MB, DAP_NB, DAP_RSRC, DAP_CSRC, DAP_LLD };

/* The arguments that pass the matrix of a view to a ScaLAPACK routine. */
#define DAP_MATRIX(view) (view)->data, &(view)->ia, &(view)->ja, (view)->desc

/* Decides how the view of an operand is taken. */
typedef enum dap_linalg_role {
  DAP_LINALG_INPUT,  /* only read */
  DAP_LINALG_WORK,   /* read, and overwritten; a copy is, if the values must be kept */
  DAP_LINALG_RESULT, /* only written */
  DAP_LINALG_UPDATE  /* read and written */
} dap_linalg_role;

typedef struct dap_linalg_argument {
  const char *name; /* NULL: no such argument */
  dap_darray operand;
  dap_linalg_role role;
  /* Extents by letters: "n" of a vector, "mn" of a matrix, "m[n]" of either. A letter stands for one number
   * in the call, which the first operand with it sets. 's' is the smaller extent of the first
   * operand, and '*' any number. */
  const char *shape;
  bool optional; /* may be zeroed */
  bool real;     /* has the real type of the matrix's precision */
  bool integer;  /* has type i4 or i8 */
  bool complex;  /* has the complex type of the matrix's precision */
  bool in_place; /* may be in the first operand's buffer: see call.in_place */
  bool own;      /* belongs to the library, and is shared whatever the options say */
} dap_linalg_argument;

typedef struct dap_linalg_choice {
  const char *name; /* NULL: no such argument */
  char value;
  const char *allowed;
} dap_linalg_choice;

/* A factor, such as alpha. It must be real if the matrices are. */
typedef struct dap_linalg_scalar {
  const char *name; /* NULL: no such argument */
  double parts[2];  /* real and imaginary */
} dap_linalg_scalar;

/* Another argument that must be the same on every process. */
typedef struct dap_linalg_word {
  const char *name; /* NULL: no such argument */
  uint64_t bits;
} dap_linalg_word;

enum { DAP_LINALG_CHOICES = 4, DAP_LINALG_SCALARS = 2, DAP_LINALG_WORDS = 2, DAP_LINALG_BLOCKS = 48 };
typedef struct dap_linalg_call dap_linalg_call;

/* The arguments of a call. operands[0] has the matrix's type. */
typedef struct dap_linalg_arguments {
  const char *function;                      /* its name */
  dap_status (*work)(dap_linalg_call *call); /* computes, once the arguments are checked */
  void *context;                             /* for `work`: other arguments and results */
  const dap_linalg_factors *factors;         /* operand 0, the same factors on every process; or NULL */
  dap_linalg_argument operands[DAP_LINALG_USES];
  dap_linalg_choice choices[DAP_LINALG_CHOICES];
  dap_linalg_scalar scalars[DAP_LINALG_SCALARS];
  dap_linalg_word words[DAP_LINALG_WORDS];
  const char *null; /* name of an output that is NULL and must not be; NULL: there is none */
} dap_linalg_arguments;

/* One call of a function of linalg.h. An operand is known by its index in `arguments`. The flags of operands
 * are the same on every process. */
struct dap_linalg_call {
  MPI_Comm comm;
  int rank, nprocs;
  bool begun;
  bool is_logged;                 /* the log has a line about the beginning of the call */
  double since;                   /* when it began, by MPI_Wtime(), if it is logged */
  dap_linalg_arguments arguments; /* choices in upper case, as given */
  dap_linalg_options options;
  dap_linalg_report *report; /* the caller's, or own */
  dap_linalg_report own;
  dap_error *err; /* &text, because the caller does not hear of attempts that fail; never NULL */
  dap_error text;
  const dap_linalg_routines *lib;
  bool given[DAP_LINALG_USES];                 /* the operand was not left out */
  bool kept[DAP_LINALG_USES];                  /* workspace that must keep its values */
  bool in_place[DAP_LINALG_USES];              /* it is in the first operand's buffer */
  bool slow[DAP_LINALG_USES];                  /* it could be shared, and is moved because that is faster */
  dap_scalapack_matrix views[DAP_LINALG_USES]; /* by operand; zeroed: no live view */
  int order[DAP_LINALG_USES], count;           /* live views in the order in which they were taken */
  int64_t headroom;                            /* bytes that ScaLAPACK may allocate: room.c */
  void *blocks[DAP_LINALG_BLOCKS];             /* workspace, freed at the end */
  int block_count;
};

#endif
