/* Schur form and eigenvalues by all processes but the last, where their number is prime.
 *
 * Grids of a prime number of processes are one row or column. There, where bulges pass from one process to
 * the next, hseqr has both broadcast to the same row, and the others receive from one only (SRC/pdlaqr5.f,
 * loop 180; where there are just two processes, neither broadcasts): what nobody receives stays in MPI, or
 * stops its sender for ever. All but one of them have a grid of rows and columns, or are two. */
#include "schur_impl.h"

#include <string.h>

enum { A = DAP_SCHUR_A, T = DAP_SCHUR_T, Z = DAP_SCHUR_Z, ARRAYS };

static const char reason[] = "hseqr needs rows and columns of processes";

/* The processes that compute, 0 .. procs - 1, and what they have of the matrices. */
typedef struct few {
  int procs;
  bool is_member, has_form;
  MPI_Comm comm; /* of the members; MPI_COMM_NULL elsewhere */
  dap_layout *layout;
  bool wanted[ARRAYS];
  dap_array arrays[ARRAYS]; /* zeroed on others, and of what is not wanted */
} few;

/* The lesser of two factors that are as equal as can be. */
static int lesser_factor(int nprocs)
{
  int least = 1;
  for (int k = 2; k * k <= nprocs; k++)
    if (nprocs % k == 0) least = k;
  return least;
}

int dap_linalg_schur_procs(const dap_linalg_call *call)
{
  const bool is_line = call->nprocs > 2 && lesser_factor(call->nprocs) == 1;
  return is_line ? call->nprocs - 1 : call->nprocs;
}

/* In blocks that hseqr can have, so that it works in place. */
static dap_status lay_out(dap_linalg_call *call, int64_t n, few *f)
{
  const int rows = lesser_factor(f->procs), cols = f->procs / rows;
  const int64_t block = dap_linalg_schur_block(call->options.block_size, n / f->procs);
  const dap_dist dists[2] = {dap_dist_cyclic(n, rows, block), dap_dist_cyclic(n, cols, block)};
  dap_status status = dap_layout_create(2, dists, &f->layout, call->err);
  for (int k = 0; k < ARRAYS && f->is_member; k++)
    if (f->wanted[k] && !status)
      status = dap_array_init(&f->arrays[k], f->layout, call->rank, call->lib->dtype, DAP_ORDER_F, NULL,
                              call->err);
  return dap_agree(call->comm, status, call->err);
}

static dap_side side_of(const dap_linalg_call *call, const few *f, int k)
{
  dap_side side = dap_side_of((dap_darray){f->layout, f->is_member ? &f->arrays[k] : NULL});
  side.dtype = call->lib->dtype;
  return side;
}

static dap_darray operand(const few *f, int k)
{
  return f->wanted[k] ? (dap_darray){f->layout, &f->arrays[k]} : (dap_darray){0};
}

/* On the members. */
static dap_status compute(dap_linalg_call *call, const few *f, const dap_linalg_general *g, int64_t *info)
{
  const dap_linalg_arguments arguments = {
      .function = call->arguments.function,
      .operands = {{"A", operand(f, A), DAP_LINALG_WORK, .ndim = 2, .own = true},
                   {"T", operand(f, T), DAP_LINALG_RESULT, .ndim = 2, .optional = true, .own = true},
                   {"Z", operand(f, Z), DAP_LINALG_RESULT, .ndim = 2, .optional = true, .own = true}}};
  dap_linalg_general own = {.n = g->n, .has_vectors = g->has_vectors};
  dap_linalg_call inner;
  dap_status status = dap_linalg_begin(&inner, f->comm, &arguments, NULL, call->err);
  if (!status) status = dap_linalg_schur_hseqr(&inner, &own, f->has_form);
  if (!status) memcpy(g->w, own.w, (size_t)(g->n * dap_dtype_size(dap_linalg_complex(call))));
  *info = inner.report->info;
  return dap_linalg_end(&inner, status);
}

/* What became of it, everywhere. */
static dap_status run(dap_linalg_call *call, const few *f, const dap_linalg_general *g)
{
  int64_t info = 0;
  const dap_status status = f->is_member ? compute(call, f, g, &info) : DAP_OK;
  const int code = MPI_Bcast(&info, 1, MPI_INT64_T, 0, call->comm);
  call->report->info = info;
  DAP_TRY(dap_agree(call->comm, status, call->err));
  return dap_linalg_mpi(call, code, "MPI_Bcast");
}

static dap_status give_back(dap_linalg_call *call, const few *f)
{
  dap_linalg_moved moved[ARRAYS];
  int count = 0;
  for (int k = T; k <= Z; k++)
    if (f->wanted[k]) moved[count++] = (dap_linalg_moved){k, side_of(call, f, k), f->arrays[k].data};
  return dap_linalg_return(call, moved, count, reason);
}

dap_status dap_linalg_schur_fewer(dap_linalg_call *call, dap_linalg_general *g, bool has_form)
{
  const int procs = dap_linalg_schur_procs(call);
  few f = {.procs = procs,
           .is_member = call->rank < procs,
           .has_form = has_form,
           .comm = MPI_COMM_NULL,
           .wanted = {true, has_form && call->given[T], has_form && call->given[Z]}};
  dap_status status = dap_linalg_work(call, g->n, dap_linalg_complex(call), &g->w);
  if (!status) status = lay_out(call, g->n, &f);
  if (!status) {
    const dap_side inside = side_of(call, &f, A);
    status = dap_linalg_move(call, A, &inside, f.arrays[A].data, false, reason);
  }
  if (!status)
    status =
        dap_linalg_mpi(call, MPI_Comm_split(call->comm, f.is_member ? 0 : MPI_UNDEFINED, call->rank, &f.comm),
                       "MPI_Comm_split");
  if (!status) status = run(call, &f, g);
  if (!status) status = give_back(call, &f);
  if (f.comm != MPI_COMM_NULL) (void)MPI_Comm_free(&f.comm);
  for (int k = 0; k < ARRAYS; k++) dap_array_release(&f.arrays[k]);
  dap_layout_destroy(&f.layout);
  return status;
}
